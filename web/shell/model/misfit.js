// SPDX-License-Identifier: MIT
// Whether a page can show a model of somebody else, and which page can, if this one cannot.
// @ts-check
import { meta } from '../page/asked.js';
import { phrase } from '../page/phrase.js';
/** @import { ModelInfo } from '../library.js' */

/** Verbs, or kinds, each with a sentence, given the model's name, about the page that shows them, and with what to try there. The first one that a model has counts. @type {[does: string, says: (name: string) => string, tries: () => string][]} */
const KINDS = [
  [
    'translate',
    (name) => phrase`${name} translates: the page of the Transformer shows such models.`,
    () => phrase`Try: translate a sentence like those that it was trained on.`,
  ],
  [
    'tag',
    (name) => phrase`${name} tags words: the page of chains shows such models.`,
    () => phrase`Try: give it a sentence of your own, and pin a tag that is wrong.`,
  ],
  [
    'parse',
    (name) => phrase`${name} finds the heads of words: the page on structured attention shows such models.`,
    () => phrase`Try: give it a sentence of your own, and drag a word to another head.`,
  ],
  [
    'classify',
    (name) => phrase`${name} classifies characters: the SNAIL page shows such models.`,
    () => phrase`Try: draw one example of each of your characters, then one of them again.`,
  ],
  [
    'caption',
    (name) => phrase`${name} captions pictures: the page Show, attend, tell shows such models.`,
    () => phrase`Try: choose a picture that it was not trained on.`,
  ],
  [
    'encode',
    (name) => phrase`${name} turns sounds into codes: the page of the VQ-VAE shows such models.`,
    () => phrase`Try: record or choose a sound, and compare it with what its codes give back.`,
  ],
  [
    'sound',
    (name) => phrase`${name} speaks: the page of WaveNet shows such models.`,
    () => phrase`Try: choose each of its classes, and draw again with another seed.`,
  ],
  [
    'note',
    (name) => phrase`${name} makes music: the page of chorales shows such models.`,
    () => phrase`Try: draw a piece, then give it the first bars of one of your own MIDI files.`,
  ],
  [
    'text',
    (name) => phrase`${name} writes text: the page of tokens shows such models.`,
    () => phrase`Try: begin a text as yours begin, and lower the temperature.`,
  ],
  [
    'walk',
    (name) => phrase`${name} makes whole pictures in one pass: the page of SAGAN shows such models.`,
    () => phrase`Try: choose each of its classes, and walk from one picture to another.`,
  ],
  [
    'superResolve',
    (name) => phrase`${name} enlarges pictures: the page in colour shows such models.`,
    () => phrase`Try: choose a picture that it was not trained on, and see it enlarged.`,
  ],
  [
    'complete',
    (name) => phrase`${name} draws pictures: the pages of pictures show such models.`,
    () => phrase`Try: let it complete a picture that it was not trained on, then draw some from nothing.`,
  ],
];

/** The models that the page takes. */
const words = meta?.content.split(' ') ?? [];
const size = words.find((word) => /^\d/.test(word));
const deeds = words.filter((word) => KINDS.some(([does]) => does === word));
/** Architectures, if the figures show numbers that no others have. */
const only = words.filter((word) => word !== size && !deeds.includes(word));

/** @param {ModelInfo} info @param {string} deed */
const does = (info, deed) => info.kind === deed || /** @type {string[]} */ (info.verbs).includes(deed);

/** @param {string} size such as 32x32x3 */
function pixels(size) {
  const [width, height, channels] = size.split('x');
  return channels === '3' ? phrase`${width} by ${height} pixels in colour` : phrase`${width} by ${height} pixels in grey`;
}

/** What a visitor may try with a model that the page can show. @param {ModelInfo} info */
export const trying = (info) => KINDS.find(([one]) => does(info, one))?.[2]() ?? '';

/**
 * Why a figure cannot use a model; '': it can.
 *
 * @param {ModelInfo} info
 * @param {string} name   of the file, or its address
 */
export function misfit(info, name) {
  const [deed, says] = KINDS.find(([one]) => does(info, one)) ?? [];
  if (!deed || !deeds.includes(deed)) return says?.(name) ?? phrase`No page here shows models like ${name}.`;
  if (only.length > 0 && !only.includes(info.architecture))
    return phrase`${name} has the architecture ${info.architecture}; the figures here show numbers that only ${only.join(', ')} has.`;
  const own = `${info.width}x${info.height}x${info.channels}`;
  return !size || own === size ? '' : phrase`${name} draws ${pixels(own)}; the pictures here have ${pixels(size)}.`;
}

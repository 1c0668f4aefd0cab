// SPDX-License-Identifier: MIT
// Whether a page can show a model of somebody else, and which page can, if this one cannot.
// @ts-check
import { meta } from '../page/asked.js';
import { phrase } from '../page/phrase.js';
/** @import { ModelInfo } from '../library.js' */

/** Verbs, or kinds, each with a sentence, given the model's name, about the page that shows them. The first one that a model has counts. @type {[does: string, says: (name: string) => string][]} */
const KINDS = [
  ['translate', (name) => phrase`${name} translates: the page of the Transformer shows such models.`],
  ['tag', (name) => phrase`${name} tags words: the page of chains shows such models.`],
  ['parse', (name) => phrase`${name} finds the parents of words: the page of attention with structure shows such models.`],
  ['classify', (name) => phrase`${name} names signs: the page SNAIL shows such models.`],
  ['caption', (name) => phrase`${name} says what a picture shows: the page Show, attend, tell shows such models.`],
  ['encode', (name) => phrase`${name} turns sounds into codes: the page of the VQ-VAE shows such models.`],
  ['sound', (name) => phrase`${name} speaks: the page of WaveNet shows such models.`],
  ['note', (name) => phrase`${name} makes music: the page of chorales shows such models.`],
  ['text', (name) => phrase`${name} writes text: the page of tokens shows such models.`],
  ['walk', (name) => phrase`${name} makes whole pictures at once: the page of SAGAN shows such models.`],
  ['superResolve', (name) => phrase`${name} enlarges pictures: the page in colour shows such models.`],
  ['complete', (name) => phrase`${name} draws pictures: the pages of pictures show such models.`],
];

/** The models that the page takes. */
const words = meta?.content.split(' ') ?? [];
const size = words.find((word) => /^\d/.test(word));
const deeds = words.filter((word) => KINDS.some(([does]) => does === word));
/** Architectures, if the figures show numbers that no others have. */
const only = words.filter((word) => word !== size && !deeds.includes(word));

/** @param {ModelInfo} info @param {string} deed */
const does = (info, deed) => info.kind === deed || (/** @type {string[]} */ (info.verbs)).includes(deed);

/** @param {string} size such as 32x32x3 */
function pixels(size) {
  const [width, height, channels] = size.split('x');
  return channels === '3' ? phrase`${width} by ${height} pixels in colour` : phrase`${width} by ${height} pixels in grey`;
}

/**
 * Why a figure cannot use a model; '': it can.
 *
 * @param {ModelInfo} info
 * @param {string} name   of the file, or its address
 */
export function misfit(info, name) {
  const [deed, says] = KINDS.find(([one]) => does(info, one)) ?? [];
  if (!deed || !deeds.includes(deed)) return says?.(name) ?? phrase`${name} does nothing that a page here shows.`;
  if (only.length > 0 && !only.includes(info.architecture)) return phrase`${name} has the architecture ${info.architecture}; the figures here show numbers that only ${only.join(', ')} has.`;
  const own = `${info.width}x${info.height}x${info.channels}`;
  return !size || own === size ? '' : phrase`${name} draws ${pixels(own)}; the pictures here have ${pixels(size)}.`;
}

// SPDX-License-Identifier: MIT
// Generated from web/lib/kinds/*/kind.js by node web/tools/options.js: edit those files.
// @ts-check
import { phrase } from '../page/phrase.js';

/**
 * The pages that show the models of each kind. deed: a verb, or the kind itself; says: a sentence about the page for a model's name; tries:
 * a suggestion for the visitor. The first row whose deed the model supports is used.
 *
 * @type {[kind: string, deed: string, says: (name: string) => string, tries: () => string][]}
 */
export const PAGES = [
  [
    'caption',
    'caption',
    (name) => phrase`${name} captions pictures: the page “Show, attend, tell” has models of this kind.`,
    () => phrase`Try: choose a picture that it was not trained on.`,
  ],
  [
    'code',
    'encode',
    (name) => phrase`${name} turns sounds into codes: the page on the VQ-VAE has models of this kind.`,
    () => phrase`Try: record or choose a sound, and compare it with the sound decoded from its codes.`,
  ],
  [
    'head',
    'parse',
    (name) => phrase`${name} finds the heads of words: the page on structured attention has models of this kind.`,
    () => phrase`Try: give it a sentence of your own, and drag a word to another head.`,
  ],
  [
    'latent',
    'walk',
    (name) => phrase`${name} makes whole pictures in one pass: the page on SAGAN has models of this kind.`,
    () => phrase`Try: choose each of its classes, and walk from one picture to another.`,
  ],
  [
    'note',
    'note',
    (name) => phrase`${name} makes music: the page on chorales has models of this kind.`,
    () => phrase`Try: draw a piece, then give it the first bars of one of your own MIDI files.`,
  ],
  [
    'picture',
    'superResolve',
    (name) => phrase`${name} enlarges pictures: the page on colour pictures has models of this kind.`,
    () => phrase`Try: choose a picture that it was not trained on, and see it enlarged.`,
  ],
  [
    'picture',
    'complete',
    (name) => phrase`${name} draws pictures: the pages on pictures have models of this kind.`,
    () => phrase`Try: let it complete a picture that it was not trained on, then draw some from nothing.`,
  ],
  [
    'sign',
    'classify',
    (name) => phrase`${name} classifies characters: the SNAIL page has models of this kind.`,
    () => phrase`Try: draw one example of each of your characters, then one of them again.`,
  ],
  [
    'sound',
    'sound',
    (name) => phrase`${name} speaks: the page on WaveNet has models of this kind.`,
    () => phrase`Try: choose each of its classes, and draw again with another seed.`,
  ],
  [
    'tag',
    'tag',
    (name) => phrase`${name} tags words: the page on chains has models of this kind.`,
    () => phrase`Try: give it a sentence of your own, and pin a tag that is wrong.`,
  ],
  [
    'text',
    'translate',
    (name) => phrase`${name} translates: the page on the Transformer has models of this kind.`,
    () => phrase`Try: translate a sentence like those that it was trained on.`,
  ],
  [
    'text',
    'text',
    (name) => phrase`${name} writes text: the page on tokens has models of this kind.`,
    () => phrase`Try: begin a text like the training texts, and lower the temperature.`,
  ],
];

// SPDX-License-Identifier: MIT
// Whether a page can show a model of somebody else, and which page can, if this one cannot.
// @ts-check
import { meta } from './asked.js';
import { phrase } from './phrase.js';
/** @import { ModelInfo } from './library.js' */

const words = meta?.content.split(' ') ?? [];
const size = words.find((word) => /^\d/.test(word));
const tasks = words.filter((word) => word !== size);

/** What a model is asked for, and what is said of it, by its name: what it does, and where that is shown; the first that fits says most. @type {[task: string, says: (name: string) => string][]} */
const KINDS = [
  ['translate', (name) => phrase`${name} translates: the page of the Transformer shows such models.`],
  ['tag', (name) => phrase`${name} tags words: the page of chains shows such models.`],
  ['parse', (name) => phrase`${name} finds the parents of words: the page of attention with structure shows such models.`],
  ['classify', (name) => phrase`${name} names signs: the page SNAIL shows such models.`],
  ['tokens', (name) => phrase`${name} writes text: the page of tokens shows such models.`],
  ['super-resolve', (name) => phrase`${name} enlarges pictures: the page in colour shows such models.`],
  ['complete', (name) => phrase`${name} draws pictures: the pages of pictures show such models.`],
];

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
 * @param {string[]} [wanted]  one of these tasks; by default those that the page takes
 */
export function misfit(info, name, wanted = tasks) {
  if (!wanted.some((task) => info.tasks.includes(/** @type {any} */ (task)))) {
    const [, says] = KINDS.find(([task]) => info.tasks.includes(/** @type {any} */ (task))) ?? [];
    return says?.(name) ?? phrase`${name} does nothing that a page here shows.`;
  }
  const own = `${info.width}x${info.height}x${info.channels}`;
  return !size || own === size ? '' : phrase`${name} draws ${pixels(own)}; the pictures here have ${pixels(size)}.`;
}

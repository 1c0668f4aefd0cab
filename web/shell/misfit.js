// SPDX-License-Identifier: MIT
// Whether a page can show a model of somebody else, and which page can, if this one cannot.
// @ts-check
import { meta } from './asked.js';
/** @import { ModelInfo } from './library.js' */

const words = meta?.content.split(' ') ?? [];
const size = words.find((word) => /^\d/.test(word));
const tasks = words.filter((word) => word !== size);

/** What a model is asked for, what it then does, and where that is shown; the first that fits says most. @type {[task: string, does: string, page: string][]} */
const KINDS = [
  ['translate', 'translates', 'the page of the Transformer shows'],
  ['tag', 'tags words', 'the page of chains shows'],
  ['parse', 'finds the parents of words', 'the page of attention with structure shows'],
  ['classify', 'names signs', 'the page SNAIL shows'],
  ['tokens', 'writes text', 'the page of tokens shows'],
  ['super-resolve', 'enlarges pictures', 'the page in colour shows'],
  ['complete', 'draws pictures', 'the pages of pictures show'],
];

/** @param {string} size such as 32x32x3 */
function pixels(size) {
  const [width, height, channels] = size.split('x');
  return `${width} by ${height} pixels ${channels === '3' ? 'in colour' : 'in grey'}`;
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
    const [, does, where] = KINDS.find(([task]) => info.tasks.includes(/** @type {any} */ (task))) ?? [];
    return does ? `${name} ${does}: ${where} such models.` : `${name} does nothing that a page here shows.`;
  }
  const own = `${info.width}x${info.height}x${info.channels}`;
  return !size || own === size ? '' : `${name} draws ${pixels(own)}; the pictures here have ${pixels(size)}.`;
}

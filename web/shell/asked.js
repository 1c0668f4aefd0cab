// SPDX-License-Identifier: MIT
// A model of somebody else in place of the page's own, by a link: PAGE/?model=https://host/file.gguf. What such a model must be able to do, the head
// of the page says: <meta name="takes" content="complete super-resolve 32x32x3">, tasks and, for pictures, their size.
// @ts-check
/** @import { ModelInfo } from './library.js' */

/** @type {HTMLMetaElement | null} */
const meta = document.querySelector('meta[name="takes"]');
const words = meta?.content.split(' ') ?? [];
const size = words.find((word) => /^\d/.test(word));
const tasks = words.filter((word) => word !== size);

const given = meta && new URLSearchParams(location.search).get('model');
/** The address of that model; null: the page shows its own. What is no address is told by whoever loads it. */
export const asked = given ? (URL.canParse(given, location.href) ? new URL(given, location.href).href : given) : null;

/** What a model is asked for, what it then does, and where that is shown; the first that fits says most. @type {[task: string, does: string, page: string][]} */
const KINDS = [
  ['translate', 'translates', 'the page of the Transformer shows'],
  ['tag', 'tags words', 'the page of chains shows'],
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

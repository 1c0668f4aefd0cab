// SPDX-License-Identifier: MIT
// Decides whether a page can show a visitor's model. If not, names a page that can show the model.
// @ts-check
import { meta } from '../page/asked.js';
import { phrase } from '../page/phrase.js';
import { PAGES } from './pages-of-kinds.js';
/** @import { ModelInfo } from '../library.js' */

/** The words of the page's <meta name="takes">: the picture size, the verbs and the architectures that the page accepts. */
const words = meta?.content.split(' ') ?? [];
const size = words.find((word) => /^\d/.test(word));
const deeds = words.filter((word) => PAGES.some(([, deed]) => deed === word));
/** The architectures that the page accepts; empty if the page accepts all architectures. */
const only = words.filter((word) => word !== size && !deeds.includes(word));

/** Returns the first row of PAGES that fits a model. @param {ModelInfo} info */
const pageOf = (info) =>
  PAGES.find(([kind, deed]) => kind === info.kind && (deed === kind || /** @type {string[]} */ (info.verbs).includes(deed)));

/** @param {string} size size such as 32x32x3 */
function pixels(size) {
  const [width, height, channels] = size.split('x');
  return channels === '3' ? phrase`${width} by ${height} pixels in colour` : phrase`${width} by ${height} pixels in grey`;
}

/** Returns a sentence that suggests what to try with a model. The page must be able to show the model. @param {ModelInfo} info */
export const trying = (info) => pageOf(info)?.[3]() ?? '';

/**
 * Returns the reason why a figure cannot use a model, or '' if the figure can use the model.
 *
 * @param {ModelInfo} info
 * @param {string} name   name or address of the file
 */
export function misfit(info, name) {
  const [, deed, says] = pageOf(info) ?? [];
  if (!deed || !deeds.includes(deed)) return says?.(name) ?? phrase`No page here shows models like ${name}.`;
  if (only.length > 0 && !only.includes(info.architecture))
    return phrase`${name} has the architecture ${info.architecture}; the figures here show numbers that only ${only.join(', ')} has.`;
  const own = `${info.width}x${info.height}x${info.channels}`;
  return !size || own === size ? '' : phrase`${name} draws ${pixels(own)}; the pictures here have ${pixels(size)}.`;
}

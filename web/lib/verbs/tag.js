// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';
import { attributes as text } from './generate.js';

/** @import { Model } from '../model/model.js' */
/** @import { Tagging, TagOptions } from '../kinds/tag/tagging.js' */

export const draws = false;
export const names = ['marginals', 'pinned', 'signal'];
export const made = 'Tags of words';
export const attributes = { prompt: text.prompt };

/**
 * Tags the words of a text: the most probable tags as a whole, and, with `marginals`, how probable every tag of every word is.
 *
 * @this {Model}
 * @param {string | string[]} text  a text, which is cut into words as the treebank of the training cuts them; or words as they are. All of it is
 *   one chain: sentence by sentence is closer to what the model learned from. At most `info.positions` words; of none there are no tags.
 *   Words and characters that the model never saw are judged by how they look and by their neighbours
 * @param {TagOptions} [options]
 * @returns {Promise<Tagging>}
 */
export async function start(text, options = {}) {
  return engineOf(this).kind.tag(text, options);
}

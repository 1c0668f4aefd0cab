// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';
import { attributes as text } from './generate.js';

/** @import { Model } from '../model/model.js' */
/** @import { Parse, ParseOptions } from '../kinds/head/parse.js' */

export const draws = false;
export const names = ['marginals', 'pinned', 'signal'];
export const made = 'Words and their parents';
export const attributes = { prompt: text.prompt };

/**
 * Finds of every word of a sentence its parent, the word that it belongs to or is said about: the most probable tree as a whole, and, with `marginals`,
 * how probable every word is as the parent of every other.
 *
 * @this {Model}
 * @param {string | string[]} text  a sentence, which is cut into words as the treebank of the training cuts them; or words as they are. All of it is
 *   one tree: of several sentences, ask for each. At least one word, at most `info.positions`. Words that the model never saw are
 *   judged by how they look and by their neighbours
 * @param {ParseOptions} [options]
 * @returns {Promise<Parse>}
 */
export async function start(text, options = {}) {
  return engineOf(this).kind.parse(text, options);
}

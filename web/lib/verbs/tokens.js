// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';

/** @import { Model } from '../model/model.js' */
/** @import { TokenOptions } from '../options.js' */
/** @import { TokenRun } from '../kinds/text/tokens.js' */
/** @import { Reading } from './table.js' */

export const task = 'tokens';
export const draws = true;
export const made = 'A text written';

/** @type {Record<'prompt', Reading>} */
export const attributes = {
  /** what the text begins with, the sentence to translate or to tag, or the first message of a talk */
  prompt: { given: ({ prompt }) => prompt },
};

/**
 * Goes on with a text, token by token.
 *
 * @this {Model}
 * @param {string | ArrayLike<number>} prompt  a text, in which the names of control tokens count, or tokens by their numbers. The token
 *   that begins a text is put before it where the model wants that; an empty prompt is that token alone. It must leave room for
 *   one more token in the context, `info.positions`
 * @param {TokenOptions} [options]
 * @returns {TokenRun}
 */
export function start(prompt, options = {}) {
  return engineOf(this).kind.tokens(prompt, options);
}

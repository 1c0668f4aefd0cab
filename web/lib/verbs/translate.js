// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';
import { attributes as text } from './generate.js';

/** @import { Model } from '../model/model.js' */
/** @import { TranslationOptions } from '../options.js' */
/** @import { TranslationRun } from '../kinds/text/translation-run.js' */

export const draws = true;
export const made = 'A translation';
export const attributes = { prompt: text.prompt };

/**
 * Translates a sentence, token by token.
 *
 * @this {Model}
 * @param {string | ArrayLike<number>} text  a sentence of at most `info.positions` - 1 tokens. White space counts as single spaces, and at
 *   the ends not at all; of an empty sentence nothing comes. Characters that the model never saw are read as their bytes: it will not
 *   know them, and guess. Or tokens by their numbers
 * @param {TranslationOptions} [options]
 * @returns {TranslationRun}
 */
export function start(text, options = {}) {
  return engineOf(this).kind.translate(text, options);
}

// SPDX-License-Identifier: MIT
// @ts-check

/** Validates the input of models that read words. */

import { NextPixelError, argumentError } from '../base/error.js';
import { wordsIn } from './words.js';

/** @import { Features } from './features.js' */

/** Maximum number of characters of a word. */
const LONGEST_WORD = 1 << 15;

/**
 * Returns the words of a text or of a list. Reads at most one word more than the model takes.
 *
 * @param {unknown} text
 * @param {{ verb: string, does: string, limit: number, part: string, features: Features }} of  for error messages: `verb` is the method
 *   that was called, `does` says what the model does with the words, `limit` is the largest number of words, and `part` says what to pass
 *   instead of a longer text
 * @returns {Generator<void, string[], void>}
 */
export function* wordsGiven(text, { verb, does, limit, part, features }) {
  const words = [];
  // the loop reads the holes of a list as undefined
  const given = typeof text === 'string' ? wordsIn(text, (form) => features.knowsTyped(form)) : Array.isArray(text) ? text : [null];
  for (const word of given) {
    yield;
    if (word === '' && typeof text === 'string') continue;
    if (typeof word !== 'string' || word === '') throw argumentError(`${verb}() takes a string, or an array of non-empty words`);
    if (word.length > LONGEST_WORD)
      throw new NextPixelError('limit', `A word has ${word.length} characters, but at most ${LONGEST_WORD} are allowed`);
    if (words.length === limit) {
      const count = Array.isArray(text) ? text.length : `over ${limit}`;
      throw new NextPixelError('limit', `The text has ${count} words, but this model ${does} at most ${limit} at once: give it ${part}`);
    }
    words.push(word);
  }
  return words;
}

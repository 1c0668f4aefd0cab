// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Models that parse sentences: they find the head of each word in a projective tree. One part of the model reads features of words and
 * returns heads and their probabilities.
 */

import { flag } from '../../base/checks.js';
import { argumentError } from '../../base/error.js';
import { inTurns } from '../../base/turns.js';
import { Features } from '../../media/features.js';
import { wordsGiven } from '../../media/given.js';
import { Parse } from './parse.js';
import { conflictOf, pinsOf } from './pins.js';

/** @import { Engine } from '../../model/engine.js' */
/** @import { Facts } from '../../engine/protocol.js' */
/** @import { ParseOptions } from './parse.js' */
/** @import { Pins } from './pins.js' */

/** The description of a parser. A parser has no properties besides the common ones. @typedef {{}} HeadInfo */

/** A parsing model, whose method is parse(). */
export class HeadModel {
  #engine;
  /** @internal */
  features;
  /** @internal */
  limit;
  /** The input value of a word whose head is not pinned. This number is also the length of a row of marginals. */
  #open;

  /**
   * @param {Engine} engine
   * @param {Facts} facts
   * @internal
   */
  constructor(engine, { metadata }) {
    this.#engine = engine;
    this.features = new Features(metadata, 'tree');
    const [read, heads] = engine.part.inputs;
    this.#open = heads.values - 1;
    this.limit = read.dims[0];
    this.features.check(read);
  }

  /**
   * Finds the head of each word in a sentence. The head of a word is the word on which it depends. Returns the most probable tree and, with
   * `marginals`, the probability of each word as the head of each other word.
   *
   * @param {string | string[]} text  a sentence, which is split into words as in the training treebank; or a list of words. The text is
   *   parsed as one tree, so parse several sentences one by one. The text must have 1 to `info.positions` words. For words that did not
   *   occur in training, the model relies on their form and their neighbours
   * @param {ParseOptions} [options]
   * @returns {Promise<Parse>}
   */
  async parse(text, options = {}) {
    const { marginals = false, pinned = {}, signal } = options;
    signal?.throwIfAborted();
    flag('marginals', marginals);
    const words = await inTurns(
      wordsGiven(text, { verb: 'parse', does: 'parses', limit: this.limit, part: 'sentence by sentence', features: this.features }),
      signal,
    );
    if (words.length === 0) throw argumentError('The text is empty: it has no words');
    const pins = pinsOf(pinned, words);
    const reason = conflictOf(pins, words);
    if (reason) throw impossible(reason);
    const wanted = ['heads', 'nats', ...(marginals ? ['marginals'] : [])];
    const { ids, seen } = await inTurns(this.features.read(words), signal);
    const inputs = { features: ids, ...(pins.size > 0 && { heads: this.#ids(pins, words.length) }) };
    const { results } = await this.#engine
      .ask({ type: 'encode', part: this.#engine.part.index, inputs, results: wanted }, signal)
      .catch((error) => {
        throw pins.size > 0 && error?.code === 'numeric' ? impossible('together they leave none') : error;
      });
    const rows = results.marginals && trimmed(/** @type {Float32Array} */ (results.marginals), words.length, this.#open);
    return new Parse(
      this,
      words,
      seen,
      { heads: /** @type {Uint32Array} */ (results.heads), nats: /** @type {Float32Array} */ (results.nats), marginals: rows },
      options,
    );
  }

  /** @param {Pins} pins @param {number} count  number of words */
  #ids(pins, count) {
    return Uint32Array.from({ length: count }, (_, m) => pins.get(m + 1) ?? this.#open);
  }
}

/** @param {string} reason */
function impossible(reason) {
  return argumentError(`No tree without crossing arcs has the pinned heads: ${reason}`);
}

/**
 * Shortens each row to the possible heads in a sentence of `n` words: the root and these words. Returns an array of shape (words, words +
 * 1).
 * @param {Float32Array} rows
 * @param {number} n
 * @param {number} width
 */
function trimmed(rows, n, width) {
  const out = new Float32Array(n * (n + 1));
  for (let m = 0; m < n; m++) out.set(rows.subarray(m * width, m * width + n + 1), m * (n + 1));
  return out;
}

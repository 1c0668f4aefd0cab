// SPDX-License-Identifier: MIT
// @ts-check

/** What model.tag() answers with. */

import { argumentError } from './error.js';

/**
 * @typedef {object} TagOptions
 * @property {boolean} [marginals]  also the probability of every tag of every word
 * @property {Record<number, string | null | undefined>} [pinned]  tags of words that are given, by the place of the word from 0 (an array of all
 *   words will do): the other words follow, best tags and marginals
 * @property {AbortSignal} [signal]
 */

/**
 * The best tagging as the engine has it.
 *
 * @typedef {object} Best
 * @property {Uint32Array} ids  of each word, an index of `Tagging.names`
 * @property {number} nats      -log p(tags | words): how surprising even the best tagging is
 * @property {number} logZ      log of the sum over all taggings; of a hidden Markov model about log p(words); of an MEMM 0
 */

/** What model.tag() resolves to. */
export class Tagging {
  #model;

  /** The words. @type {string[]} */
  words;
  /** The names of all tags. @type {string[]} */
  names;
  /** The most probable tags as a whole (Viterbi), given what is pinned. @type {string[]} */
  tags;
  /** -log p(tags | words) of these. @type {number} */
  nats;
  /** -log p(pinned | words): what is pinned costs; 0 where nothing is. @type {number} */
  pinnedNats;
  /** (words, names) p(tag of a word | words, pinned), where it was asked for. @type {Float32Array | undefined} */
  marginals;
  /** Whether the training sentences have each word. @type {boolean[]} */
  seen;
  /** @type {Best} */
  best;

  /**
   * @internal
   * @param {any} model  the TagModel
   * @param {string[]} words
   * @param {{ tags: Uint32Array, nats: Float32Array, marginals?: Float32Array }} results
   */
  constructor(model, words, { tags, nats, marginals }) {
    this.#model = model;
    this.words = words;
    this.names = model.names;
    this.tags = Array.from(tags, (id) => model.names[id]);
    this.nats = nats[2];
    this.pinnedNats = nats[1];
    this.marginals = marginals;
    this.seen = words.map((word) => model.features.knows(word));
    this.best = { ids: tags, nats: nats[2], logZ: nats[0] };
  }

  /**
   * What a tagging of these words costs: -log p(tags | words). Where some are left open (null), the sum over all that they can be.
   *
   * @param {(string | null)[]} tags  one for each word
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<number>} nats
   */
  async score(tags, { signal } = {}) {
    if (!Array.isArray(tags) || tags.length !== this.words.length) throw argumentError(`score() needs a tag for each of the ${this.words.length} words`);
    return (await this.#model.tag(this.words, { pinned: tags, signal })).pinnedNats;
  }
}

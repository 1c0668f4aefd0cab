// SPDX-License-Identifier: MIT
// @ts-check

/** The results of model.tag(). */

import { checkOptions } from '../../base/checks.js';
import { argumentError } from '../../base/error.js';
import { Answer } from '../../runs/answer.js';
import { TagSheet } from './tag-sheet.js';

/** @import { Canvas } from '../../sinks/canvas.js' */
/** @import { TagSheetOptions } from './tag-sheet.js' */

/**
 * @typedef {object} TagOptions
 * @property {boolean} [marginals]  also the probability of every tag of every word
 * @property {Record<number, string | null | undefined>} [pinned]  given tags of words, by the index of the word from 0 (an array for all
 *   words is possible): the other words adapt, best tags and marginals
 * @property {AbortSignal} [signal]
 */

/**
 * The best tagging, as the engine returns it.
 *
 * @typedef {object} Best
 * @property {Uint32Array} ids  for each word, an index of `Tagging.names`
 * @property {number} nats      -log p(tags | words): the cost of the best tagging
 * @property {number} logZ      log of the sum over all taggings; for a hidden Markov model, about log p(words); for an MEMM, 0
 */

/**
 * The tags of some words, from model.tag(). It can be shown as a run of one step, which is itself with its marginals.
 *
 * @extends {Answer<Tagging>}
 */
export class Tagging extends Answer {
  #model;
  #options;

  /** The words. @type {string[]} */
  words;
  /** The names of all tags. @type {string[]} */
  names;
  /** The most probable tags as a whole (Viterbi), given the pins. @type {string[]} */
  tags;
  /** -log p(tags | words) of these. @type {number} */
  nats;
  /** -log p(pinned | words): the cost of the pins; 0 without pins. @type {number} */
  pinnedNats;
  /** (words, names) p(tag of a word | words, pinned), if requested. @type {Float32Array | undefined} */
  marginals;
  /** Whether each word occurs in the training sentences. @type {boolean[]} */
  seen;
  /** @type {Best} */
  best;

  /**
   * @internal
   * @param {any} model  the TagModel
   * @param {string[]} words
   * @param {boolean[]} seen
   * @param {{ tags: Uint32Array, nats: Float32Array, marginals?: Float32Array }} results
   * @param {TagOptions} options  of the call
   */
  constructor(model, words, seen, { tags, nats, marginals }, options) {
    super();
    this.#model = model;
    this.#options = options;
    this.words = words;
    this.names = model.names;
    this.tags = Array.from(tags, (id) => model.names[id]);
    this.nats = nats[2];
    this.pinnedNats = nats[1];
    this.marginals = marginals;
    this.seen = seen;
    this.best = { ids: tags, nats: nats[2], logZ: nats[0] };
  }

  /**
   * The cost of a tagging of these words: -log p(tags | words). If some are left open (null), the sum over all their values.
   *
   * @param {(string | null)[]} tags  one for each word
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<number>} nats
   */
  async score(tags, options = {}) {
    checkOptions(options, 'score()', ['signal']);
    if (!Array.isArray(tags) || tags.length !== this.words.length)
      throw argumentError(`score() needs a tag for each of the ${this.words.length} words`);
    return (await this.#model.tag(this.words, { pinned: tags, signal: options.signal })).pinnedNats;
  }

  /**
   * Draws the words with their tags under them, on shades as dark as their probability: the best tag first, then others of at least 2 %.
   * Missing marginals are computed. It keeps the size that the canvas has on the page, at the device's own resolution, and takes font and
   * colours from its style; words that do not fit are left out. The canvas's own content becomes the words with their tags, for screen
   * readers.
   *
   * @param {Canvas} canvas
   * @param {TagSheetOptions & { signal?: AbortSignal }} [options]
   * @returns {Promise<string>} the words with their tags: 'Time (NOUN 98 %) flies (VERB 99 %)'
   */
  async drawTo(canvas, options = {}) {
    return this.show(canvas, options);
  }

  /**
   * Shows the words, and then their tags, on a canvas.
   *
   * @param {Canvas} canvas
   * @param {TagSheetOptions} [options]
   * @internal
   */
  sink(canvas, options) {
    return new TagSheet(canvas, this.words, options);
  }

  /** The same with its marginals. @param {AbortSignal} [signal] @internal */
  async whole(signal = this.#options.signal) {
    signal?.throwIfAborted();
    return this.marginals ? this : this.#model.tag(this.words, { ...this.#options, marginals: true, signal });
  }
}

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
 * @property {boolean} [marginals]  whether the result also has the probability of every tag of every word
 * @property {Record<number, string | null | undefined>} [pinned]  fixed tags: an object that maps indices of words (from 0) to tags, or an
 *   array with one tag for each word. The best tags and the marginals of the other words are computed given these tags
 * @property {AbortSignal} [signal]
 */

/**
 * The best tagging, in the form that the engine returns.
 *
 * @typedef {object} Best
 * @property {Uint32Array} ids  for each word, the index of its tag in `Tagging.names`
 * @property {number} nats      -log p(tags | words): the cost of the best tagging
 * @property {number} logZ      logarithm of the sum of the unnormalised probabilities of all taggings. For a hidden
 *   Markov model, this is approximately log p(words); for an MEMM, it is 0
 */

/**
 * The result of model.tag(): the tags of a text's words. A tagging can be read and shown like a run. The only step is the tagging itself,
 * with its marginals.
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
  /** The most probable sequence of tags (Viterbi), given the pinned tags. @type {string[]} */
  tags;
  /** -log p(tags | words) of `tags`. @type {number} */
  nats;
  /** -log p(pinned | words): the cost of the pinned tags; 0 if no tag is pinned. @type {number} */
  pinnedNats;
  /** If requested: p(tag of a word | words, pinned), shape (words, names). @type {Float32Array | undefined} */
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
   * @param {TagOptions} options  the options that were passed to tag()
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
   * Returns the cost of a tagging of these words: -log p(tags | words). If some tags are left open (null), returns -log of
   * the total probability of all taggings that contain the given tags.
   *
   * @param {(string | null)[]} tags  one tag for each word
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
   * Draws the words with their tags under them: the best tag first, then other tags with a probability of at least 2 %. A more probable tag
   * has a darker shade. Marginals are computed if they are missing. The canvas keeps its size on the page and uses the device's full
   * resolution. Its style sets the font and the colours. Words that do not fit are omitted. For screen readers, the text content of the
   * canvas element is set to the words with their tags.
   *
   * @param {Canvas} canvas
   * @param {TagSheetOptions & { signal?: AbortSignal }} [options]
   * @returns {Promise<string>} the words with their tags: 'Time (NOUN 98 %) flies (VERB 99 %)'
   */
  async drawTo(canvas, options = {}) {
    return this.show(canvas, options);
  }

  /**
   * Shows the words on a canvas, and adds their tags as soon as the tags are computed.
   *
   * @param {Canvas} canvas
   * @param {TagSheetOptions} [options]
   * @internal
   */
  sink(canvas, options) {
    return new TagSheet(canvas, this.words, options);
  }

  /** Returns this tagging if it has marginals; otherwise tags the words again with marginals. @param {AbortSignal} [signal] @internal */
  async whole(signal) {
    signal?.throwIfAborted();
    return this.marginals ? this : this.#model.tag(this.words, { ...this.#options, marginals: true, signal });
  }
}

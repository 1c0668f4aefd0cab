// SPDX-License-Identifier: MIT
// @ts-check

/** The results of model.parse(). */

import { checkOptions } from '../../base/checks.js';
import { argumentError } from '../../base/error.js';
import { Answer } from '../../runs/answer.js';
import { ArcSheet } from './arc-sheet.js';

/** @import { Canvas } from '../../sinks/canvas.js' */
/** @import { ArcSheetOptions } from './arc-sheet.js' */

/**
 * @typedef {object} ParseOptions
 * @property {boolean} [marginals]  whether the result also has the probability of every word as the head of every other word
 * @property {Record<number, number | null | undefined> | (number | null)[]} [pinned]  fixed heads: an object such as { 3: 1 }, which
 *   makes word 1 the head of word 3, or a list with one head for each word. Words are numbered from 1, and 0 is the root. The best tree and
 *   the marginals of the other words are conditioned on the pinned heads
 * @property {AbortSignal} [signal]
 */

/**
 * The result of model.parse(): the heads of a sentence's words. A parse can be read and shown like a run. The only step is the parse
 * itself, with its marginals.
 *
 * @extends {Answer<Parse>}
 */
export class Parse extends Answer {
  #model;
  #options;

  /** The words. @type {string[]} */
  words;
  /**
   * The head of each word in the most probable tree, given the pins. As in treebanks, words are numbered from 1, and the head of the word
   * that is attached to the root is 0.
   * @type {number[]}
   */
  heads;
  /** -log p(heads | words) of this tree. @type {number} */
  nats;
  /** -log p(pinned | words): the cost of the pins; 0 without pins. @type {number} */
  pinnedNats;
  /** If requested: p(head of a word | words, pinned), shape (words, 1 + words). Each row has the root first, then all words.
   * @type {Float32Array | undefined} */
  marginals;
  /** Whether each word occurs in the training sentences. @type {boolean[]} */
  seen;
  /** Logarithm of the sum of the unnormalised probabilities of all trees. @type {number} */
  logZ;

  /**
   * @internal
   * @param {any} model  the HeadModel
   * @param {string[]} words
   * @param {boolean[]} seen
   * @param {{ heads: Uint32Array, nats: Float32Array, marginals?: Float32Array }} results
   * @param {ParseOptions} options  the options of the call
   */
  constructor(model, words, seen, { heads, nats, marginals }, options) {
    super();
    this.#model = model;
    this.#options = options;
    this.words = words;
    this.heads = Array.from(heads);
    [this.logZ, this.pinnedNats, this.nats] = nats;
    this.marginals = marginals;
    this.seen = seen;
  }

  /**
   * Returns the cost of a tree of these words: -log p(heads | words). If some heads are left open (null), returns the total cost of all
   * trees with the given heads.
   *
   * @param {(number | null)[]} heads  one head for each word, as in `heads`; a tree without crossing arcs must be possible with these heads
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<number>} nats
   */
  async score(heads, options = {}) {
    checkOptions(options, 'score()', ['signal']);
    if (!Array.isArray(heads) || heads.length !== this.words.length)
      throw argumentError(`score() needs a head for each of the ${this.words.length} words`);
    return (await this.#model.parse(this.words, { pinned: heads, signal: options.signal })).pinnedNats;
  }

  /**
   * Draws the words in a line, or in a column if they do not fit in a line. A more probable arc has a thicker line. Arcs of the best tree
   * have an arrowhead. Other arcs are drawn without an arrowhead if their probability is at least 5 %. Marginals are computed if they are
   * missing. The canvas keeps its size on the page and uses the device's full resolution. Its style sets the font and the colours. For
   * screen readers, the text content of the canvas element is set to the words with their heads.
   *
   * @param {Canvas} canvas
   * @param {ArcSheetOptions & { signal?: AbortSignal }} [options]
   * @returns {Promise<string>} the words with their heads: 'The (of dog 99 %) dog (of barks 98 %) barks (root 99 %)'
   */
  async drawTo(canvas, options = {}) {
    return this.show(canvas, options);
  }

  /**
   * Shows the words, and then their arcs, on a canvas.
   *
   * @param {Canvas} canvas
   * @param {ArcSheetOptions} [options]
   * @internal
   */
  sink(canvas, options) {
    return new ArcSheet(canvas, this.words, options);
  }

  /** Returns this parse if it has marginals; otherwise parses the words again with marginals. @param {AbortSignal} [signal] @internal */
  async whole(signal) {
    signal?.throwIfAborted();
    return this.marginals ? this : this.#model.parse(this.words, { ...this.#options, marginals: true, signal });
  }
}

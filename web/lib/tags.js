// SPDX-License-Identifier: MIT
// @ts-check

/** Models that tag words: a linear chain over tags, whose part reads features of words and leaves tags and their odds. */

import { Features } from './codecs/features.js';
import { cut } from './codecs/words.js';
import { NextPixelError, argumentError } from './error.js';

/** @import { Engine } from './engine.js' */
/** @import { Facts } from './protocol.js' */

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
   * @param {TagModel} model
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

export class TagModel {
  #engine;

  /**
   * @param {Engine} engine
   * @param {Facts} facts
   */
  constructor(engine, { metadata, parts }) {
    this.#engine = engine;
    this.features = new Features(metadata);
    const states = parts[0].inputs[1].values - 1;
    const names = metadata.get('chain.tags');
    /** The names of the tags. @type {string[]} */
    this.names = Array.isArray(names) ? names.map(String) : Array.from({ length: states }, (_, i) => String(i));
    this.limit = parts[0].inputs[0].dims[0];
    if (this.features.width !== parts[0].inputs[0].dims[1]) {
      throw new NextPixelError('format', 'The file has other features than its templates say: export it again');
    }
  }

  /**
   * @param {string | string[]} text
   * @param {TagOptions} options
   * @returns {Promise<Tagging>}
   */
  async tag(text, { marginals = false, pinned = {}, signal }) {
    signal?.throwIfAborted();
    const words = wordsOf(text);
    const pins = this.#pins(pinned, words);
    if (words.length > this.limit) {
      throw new NextPixelError('limit', `The text has ${words.length} words, this model tags at most ${this.limit} at once: give it part by part`);
    }
    const wanted = ['tags', 'nats', ...(marginals ? ['marginals'] : [])];
    if (words.length === 0) {
      return new Tagging(this, words, { tags: new Uint32Array(0), nats: new Float32Array(3), ...(marginals && { marginals: new Float32Array(0) }) });
    }
    const inputs = { features: this.features.ids(words), ...(pins && { tags: pins }) };
    const { results } = await this.#engine.ask({ type: 'encode', part: 0, inputs, results: wanted }, signal);
    return new Tagging(this, words, results);
  }

  /**
   * @param {NonNullable<TagOptions['pinned']>} pinned
   * @param {string[]} words
   */
  #pins(pinned, words) {
    if (typeof pinned !== 'object' || pinned === null) throw argumentError('pinned has a tag for words by their place, such as { 1: \'VERB\' }');
    const given = Object.entries(pinned).filter(([, tag]) => tag !== null && tag !== undefined);
    if (given.length === 0) return undefined;
    const ids = new Uint32Array(words.length).fill(this.names.length);
    for (const [at, tag] of given) {
      const id = this.names.indexOf(String(tag));
      if (id < 0) throw argumentError(`pinned: '${tag}' is no tag of this model, which has ${this.names.join(', ')}`);
      if (!/^\d+$/.test(at) || Number(at) >= words.length) throw argumentError(`pinned: there is no word ${at}, the text has ${words.length}`);
      ids[Number(at)] = id;
    }
    return ids;
  }
}

/** @param {unknown} text */
function wordsOf(text) {
  if (typeof text === 'string') return cut(text);
  if (Array.isArray(text) && text.every((word) => typeof word === 'string' && word !== '')) return [...text];
  throw argumentError('tag() takes a text, or an array of words, none of them empty');
}

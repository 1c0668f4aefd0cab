// SPDX-License-Identifier: MIT
// @ts-check

/** Models that tag words: a linear chain over tags, whose part reads features of words and leaves tags and their odds. */

import { show } from '../../base/checks.js';
import { Features } from './features.js';
import { cut } from './words.js';
import { NextPixelError, argumentError } from '../../base/error.js';
import { Tagging } from './tagging.js';

/** @import { Engine } from '../../model/engine.js' */
/** @import { Facts } from '../../engine/protocol.js' */
/** @import { TagOptions } from './tagging.js' */

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
  async tag(text, options) {
    const { marginals = false, pinned = {}, signal } = options;
    signal?.throwIfAborted();
    const words = wordsOf(text);
    const pins = this.#pins(pinned, words);
    if (words.length > this.limit) {
      throw new NextPixelError('limit', `The text has ${words.length} words, this model tags at most ${this.limit} at once: give it part by part`);
    }
    const wanted = ['tags', 'nats', ...(marginals ? ['marginals'] : [])];
    if (words.length === 0) {
      return new Tagging(this, words, { tags: new Uint32Array(0), nats: new Float32Array(3), ...(marginals && { marginals: new Float32Array(0) }) }, options);
    }
    const inputs = { features: this.features.ids(words), ...(pins && { tags: pins }) };
    const { results } = await this.#engine.ask({ type: 'encode', part: 0, inputs, results: wanted }, signal);
    return new Tagging(this, words, results, options);
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
      if (id < 0) throw argumentError(`pinned: ${show(tag)} is no tag of this model, which has ${this.names.join(', ')}`);
      if (!/^\d+$/.test(at) || Number(at) >= words.length) throw argumentError(`pinned: there is no word ${at}, the text has ${words.length}`);
      ids[Number(at)] = id;
    }
    return ids;
  }
}

/** @param {unknown} text */
function wordsOf(text) {
  if (typeof text === 'string') return cut(text);
  const words = Array.isArray(text) ? Array.from(text) : [null]; // holes become undefined
  if (words.every((word) => typeof word === 'string' && word !== '')) return words;
  throw argumentError('tag() takes a text, or an array of words, none of them empty');
}

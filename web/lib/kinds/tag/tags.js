// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Models that tag words: linear-chain CRFs, HMMs and MEMMs. A model has one part, which reads features of words and returns tags and their
 * probabilities.
 */

import { flag, show } from '../../base/checks.js';
import { argumentError } from '../../base/error.js';
import { classOf } from '../../base/realm.js';
import { inTurns } from '../../base/turns.js';
import { Features, keyError } from '../../media/features.js';
import { wordsGiven } from '../../media/given.js';
import { Tagging } from './tagging.js';

/** @import { Engine } from '../../model/engine.js' */
/** @import { Facts } from '../../engine/protocol.js' */
/** @import { TagOptions } from './tagging.js' */

/**
 * Returns the names of the tags, or their indices if the file has no names.
 * @param {unknown} names
 * @param {number} states
 * @returns {string[]}
 */
function namesOf(names, states) {
  if (names === undefined) return Array.from({ length: states }, (_, i) => String(i));
  if (Array.isArray(names) && names.length === states && names.every((name) => typeof name === 'string') && new Set(names).size === states)
    return names;
  throw keyError('format', 'chain.tags', `not a list of ${states} different names`);
}

/** The description of a tagger, with only the properties that all models have. @typedef {{}} TagInfo */

/** A model that tags the words of a text; its method is tag(). */
export class TagModel {
  #engine;
  /** @internal */
  features;
  /** @internal */
  names;
  /** @internal */
  limit;

  /**
   * @param {Engine} engine
   * @param {Facts} facts
   * @internal
   */
  constructor(engine, { metadata }) {
    this.#engine = engine;
    this.features = new Features(metadata);
    const [read, tags] = engine.part.inputs;
    this.names = namesOf(metadata.get('chain.tags'), tags.values - 1);
    this.limit = read.dims[0];
    this.features.check(read);
  }

  /**
   * Tags the words of a text. Returns the most probable sequence of tags and, with `marginals`, the probability of each tag of each word.
   *
   * @param {string | string[]} text  a string, which is split into words as in the training treebank; or a list of words. The whole text is
   *   treated as one chain. The model was trained on single sentences, so pass one sentence at a time. At most `info.positions` words; an
   *   empty text has no tags. Words and characters that did not occur in training are tagged by their form and their neighbours
   * @param {TagOptions} [options]
   * @returns {Promise<Tagging>}
   */
  async tag(text, options = {}) {
    const { marginals = false, pinned = {}, signal } = options;
    signal?.throwIfAborted();
    flag('marginals', marginals);
    const words = await inTurns(
      wordsGiven(text, { verb: 'tag', does: 'tags', limit: this.limit, part: 'part by part', features: this.features }),
      signal,
    );
    const pins = this.#pins(pinned, words);
    const wanted = ['tags', 'nats', ...(marginals ? ['marginals'] : [])];
    if (words.length === 0) {
      return new Tagging(
        this,
        words,
        [],
        { tags: new Uint32Array(0), nats: new Float32Array(3), ...(marginals && { marginals: new Float32Array(0) }) },
        options,
      );
    }
    const { ids, seen } = await inTurns(this.features.read(words), signal);
    const inputs = { features: ids, ...(pins && { tags: pins }) };
    const { results } = await this.#engine.ask({ type: 'encode', part: this.#engine.part.index, inputs, results: wanted }, signal);
    return new Tagging(this, words, seen, results, options);
  }

  /**
   * @param {NonNullable<TagOptions['pinned']>} pinned
   * @param {string[]} words
   */
  #pins(pinned, words) {
    if (!/^(Object|Array)$/.test(classOf(pinned))) throw argumentError("pinned must map word indices to tags, such as { 1: 'VERB' }");
    if (Array.isArray(pinned) && pinned.length > words.length)
      throw argumentError(`pinned has ${pinned.length} tags for ${words.length} words`);
    const given = Object.entries(pinned).filter(([, tag]) => tag !== null && tag !== undefined);
    if (given.length === 0) return undefined;
    const ids = new Uint32Array(words.length).fill(this.names.length);
    for (const [at, tag] of given) {
      const id = /^(string|number)$/.test(typeof tag) ? this.names.indexOf(String(tag)) : -1;
      if (id < 0) throw argumentError(`pinned: ${show(tag)} is not a tag of this model, which has ${this.names.join(', ')}`);
      if (!/^\d+$/.test(at) || Number(at) >= words.length)
        throw argumentError(`pinned: there is no word ${at}, the text has ${words.length}`);
      ids[Number(at)] = id;
    }
    return ids;
  }
}

// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Models that classify characters from a few examples. The model has one part, which reads labelled pictures and a query, and returns the
 * probabilities of the labels.
 */

import { join } from '../../base/arrays.js';
import { flag } from '../../base/checks.js';
import { Classification } from './classification.js';
import { NextPixelError, argumentError } from '../../base/error.js';
import { inTurns } from '../../base/turns.js';
import { pictureOf } from '../../media/image.js';
import { mapOf } from '../../runs/attention-map.js';

/** @import { ClassifyOptions } from './classification.js' */
/** @import { Engine } from '../../model/engine.js' */
/** @import { ImageSource } from '../../media/image.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */
/** @import { MapRow, Part } from '../../engine/protocol.js' */

/** If the mean brightness is above this value, a picture is read as dark ink on light paper. */
const LIGHT = 127.5;

/** The largest number of pictures that one call classifies. */
const MOST_PICTURES = 4096;

/** @param {Part} part @param {string} name */
const portOf = ({ inputs }, name) => /** @type {Part['inputs'][number]} */ (inputs.find((input) => input.name === name));

/**
 * The description of a model that classifies characters, with the size of its pictures.
 *
 * @typedef {object} SignInfo
 * @property {number} width         pixels
 * @property {number} height        pixels
 * @property {number} channels      1 (grey) or 3 (red, green, blue)
 */

/** A model that classifies characters; its method is classify(). */
export class SignModel {
  #engine;
  /** @internal */
  limits;

  /** @param {Engine} engine @internal */
  constructor(engine) {
    const { part } = engine;
    this.#engine = engine;
    /** The largest numbers of examples, labels and queries in one request, and of pictures in one call. */
    this.limits = {
      examples: portOf(part, 'support').dims[0],
      labels: portOf(part, 'labels').values,
      queries: portOf(part, 'query').dims[0],
      pictures: MOST_PICTURES,
    };
  }

  /**
   * Classifies pictures from examples that need not be in the training data; one example per label is enough.
   *
   * @template {ImageSource | ImageSource[]} T
   * @param {T} query  the picture to classify, or several pictures, which are classified independently from the same examples. If there are
   *   many pictures, they are read in chunks, so do not change a canvas that is among the pictures until the promise resolves
   * @param {ClassifyOptions} options
   * @returns {Promise<T extends any[] ? Classification[] : Classification>} for a list of pictures, a list in the same order
   */
  async classify(query, { support, maps = false, signal }) {
    signal?.throwIfAborted();
    flag('maps', maps);
    if (!Array.isArray(support) || support.length === 0)
      throw argumentError('support must have at least one example: [{ image, label }, ...]');
    const many = Array.isArray(query);
    if (many) this.#within(query.length, 'pictures', 'pictures to classify');
    const queries = many ? Array.from(query) : [query]; // Array.from() turns holes in the list into undefined
    if (query === undefined || queries.length === 0) throw argumentError('query must be a picture, or an array of them');
    this.#within(support.length, 'examples', 'examples');
    const examples = Array.from(support, (example, i) => {
      if (typeof example !== 'object' || example === null) throw argumentError(`support[${i}] must be { image, label }`);
      const { image, label } = example;
      if (typeof label !== 'string' && typeof label !== 'number') throw argumentError(`support[${i}].label must be a string or a number`);
      return { image, label: String(label) };
    });
    const labels = [...new Set(examples.map(({ label }) => label))];
    this.#within(labels.length, 'labels', 'different labels');
    const pictures = await inTurns(
      this.#pictures(
        [
          ...examples.map(({ image }, i) => ({ image, what: `support[${i}].image` })),
          ...queries.map((image, i) => ({ image, what: many ? `query[${i}]` : 'query' })),
        ],
        signal,
      ),
      signal,
    );
    const asked = pictures.splice(examples.length);
    const inputs = { support: joined(pictures), labels: Uint32Array.from(examples, ({ label }) => labels.indexOf(label)) };
    /** @type {Classification[]} */
    const found = [];
    for (let at = 0; at < asked.length; at += this.limits.queries) {
      const some = asked.slice(at, at + this.limits.queries);
      const answer = await this.#engine.ask(
        { type: 'encode', part: this.#engine.part.index, inputs: { ...inputs, query: joined(some) }, results: ['odds'], maps },
        signal,
      );
      found.push(
        ...some.map(
          (_, i) => new Classification(labels, this.#row(answer.results.odds, i), maps ? mapsOf(answer.maps, i, some.length) : undefined),
        ),
      );
    }
    return /** @type {any} */ (many ? found : found[0]);
  }

  /** @param {Float32Array} probabilities  shape (queries, labels of the model) @param {number} query */
  #row(probabilities, query) {
    return probabilities.subarray(query * this.limits.labels, (query + 1) * this.limits.labels);
  }

  /** @param {number} count @param {'examples' | 'labels' | 'pictures'} which @param {string} what */
  #within(count, which, what) {
    if (count > this.limits[which])
      throw new NextPixelError('limit', `There are ${count} ${what}, but this model takes at most ${this.limits[which]}: leave some out`);
  }

  /**
   * Converts many pictures, in order. Yields after each picture, because drawing a picture on a canvas takes about a millisecond.
   *
   * @param {{ image: ImageSource, what: string }[]} given
   * @param {AbortSignal} [signal]
   */
  *#pictures(given, signal) {
    const read = [];
    for (const { image, what } of given) {
      const picture = this.#picture(image, what, signal);
      picture.catch(() => {}); // Promise.all() reports the first error
      read.push(picture);
      yield;
    }
    return Promise.all(read);
  }

  /**
   * Converts a picture to bytes at the size that the model reads, with light ink on dark paper. Throws if the picture is empty.
   *
   * @param {ImageSource} image
   * @param {string} what  name of the picture for error messages
   * @param {AbortSignal} [signal]
   */
  async #picture(image, what, signal) {
    const { width, height } = this.#engine.info;
    let bytes;
    try {
      bytes = await pictureOf(image, { width, height, channels: 1 }, signal);
    } catch (error) {
      if (error instanceof NextPixelError && error.code === 'argument') throw argumentError(`${what}: ${error.message}`);
      throw error;
    }
    const [first] = bytes;
    if (bytes.every((byte) => byte === first))
      throw argumentError(`${what} is empty (one shade everywhere): there is no character to classify`);
    const light = bytes.reduce((sum, byte) => sum + byte, 0) > LIGHT * bytes.length;
    return light ? bytes.map((byte) => 255 - byte) : bytes;
  }
}

/** @param {Uint8Array[]} pictures  @returns {Uint32Array} their bytes, concatenated */
const joined = (pictures) => Uint32Array.from(join(Uint8Array, pictures));

/**
 * Returns the weights of one query in each attention layer.
 *
 * @param {MapRow[]} rows  shape (attention layers, queries)
 * @param {number} query
 * @param {number} queries
 * @returns {AttentionMap[]}
 */
function mapsOf(rows, query, queries) {
  return Array.from({ length: rows.length / queries }, (_, layer) => {
    const { keys, ...row } = rows[layer * queries + query];
    return mapOf({ ...row, row: layer, keys }, 0, keys.length); // the position of the query comes after the positions of the examples
  });
}

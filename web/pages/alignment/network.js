// SPDX-License-Identifier: MIT
// Computes the recurrent networks of this page in JavaScript, because the engine does not return every vector. The computation uses the
// equations of src/models/seq2seq.c and the same weight file as the engine. The engine multiplies in 8 bits, so its attention weights
// differ by about 0.01 from the weights that this file computes. The generated words are the same. This file does not use the DOM.
// @ts-check
import { readGguf } from '../../shell/model/gguf.js';
import { bell } from './terms.js';

/** @typedef {Float32Array} Vector */
/**
 * The encoder's output for a sentence.
 * @typedef {Object} Read
 * @property {Vector[]} h     annotations, one per word: the word's forward and backward states, concatenated
 * @property {Vector[]} keys  keys of the annotations: either the annotations themselves or W h
 * @property {Vector} start   initial state of the decoder
 */
/**
 * One step of the decoder. Each step generates one word.
 * @typedef {Object} Step
 * @property {Vector} state    state after this step
 * @property {Vector} query    the query: either the state itself or W s
 * @property {Vector} scores   one score per word; -Infinity if the word is outside the window
 * @property {Vector} weights
 * @property {Vector} context  weighted sum of the annotations
 * @property {Vector} joined   [context; state]
 */

const sigmoid = (/** @type {number} */ x) => 1 / (1 + Math.exp(-x));

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** Returns the softmax of the scores. A score of -Infinity gets weight 0. @param {ArrayLike<number>} scores @returns {Vector} */
export function softmax(scores) {
  const all = Array.from(scores);
  const most = all.reduce((a, b) => Math.max(a, b), -Infinity);
  const e = all.map((x) => (x === -Infinity ? 0 : Math.exp(x - most)));
  const sum = e.reduce((a, b) => a + b, 0);
  return Float32Array.from(e, (x) => x / sum);
}

/** @param {ArrayLike<number>} weights @param {Vector[]} vectors @returns {Vector} */
export const mixed = (weights, vectors) => vectors[0].map((_, e) => vectors.reduce((sum, vector, i) => sum + weights[i] * vector[e], 0));

/** @param {...Vector} vectors */
const side = (...vectors) => Float32Array.from(vectors.flatMap((vector) => [...vector]));

/** @param {ArrayBuffer} file */
export function networkOf(file) {
  const { facts, tensor } = readGguf(file);
  const fact = (/** @type {string} */ name) => facts.get(`seq2seq.${name}`);
  const [score, d, e] = [fact('attention.score'), fact('embedding_length'), fact('encoder.state_length')];
  const [first, local, D] = [fact('attention.order') === 'before', fact('attention.range') === 'local-p', fact('attention.window')];
  /** @type {Map<string, { values: Vector, cols: number, rows: number }>} */
  const known = new Map();
  function matrix(/** @type {string} */ name) {
    const found = known.get(name);
    if (found) return found;
    const {
      shape: [cols, rows = 1],
      values,
    } = tensor(name);
    const read = { values, cols, rows };
    known.set(name, read);
    return read;
  }
  /** W x. @param {string} name @param {Vector} x @returns {Vector} */
  function times(name, x) {
    const { values, cols, rows } = matrix(name);
    return Float32Array.from({ length: rows }, (_, r) => {
      let sum = 0;
      for (let c = 0, at = r * cols; c < cols; c++) sum += values[at + c] * x[c];
      return sum;
    });
  }
  /** W x + b @param {string} name @param {Vector} x */
  function apply(name, x) {
    const bias = matrix(`${name}.bias`).values;
    return times(`${name}.weight`, x).map((sum, r) => sum + bias[r]);
  }
  /** Returns sqrt(d) E[id], or zeros before the first word. @param {number | undefined} id */
  const embed = (id) =>
    id === undefined
      ? new Float32Array(d)
      : matrix('token_embd.weight')
          .values.slice(id * d, (id + 1) * d)
          .map((x) => x * Math.sqrt(d));

  /**
   * Performs one step of a GRU: returns the next state, given the previous state and an input.
   * @param {string} name
   * @param {Vector} input
   * @param {Vector} before
   * @returns {Vector}
   */
  function gru(name, input, before) {
    const [x, u, n] = [apply(`${name}.input`, input), apply(`${name}.state`, before), before.length];
    return before.map((old, i) => {
      const [r, z] = [sigmoid(x[i] + u[i]), sigmoid(x[n + i] + u[n + i])];
      return (1 - z) * Math.tanh(x[2 * n + i] + r * u[2 * n + i]) + z * old;
    });
  }

  /** @param {ArrayLike<number>} ids token ids of a sentence @returns {Read} */
  function read(ids) {
    const words = Array.from(ids, embed);
    const along = (/** @type {string} */ name, /** @type {Vector[]} */ all) => {
      let state = new Float32Array(e);
      return all.map((word) => (state = /** @type {Vector} */ (gru(name, word, state))));
    };
    const forward = along('enc.fwd', words);
    const backward = along('enc.bwd', [...words].reverse()).reverse();
    const h = words.map((_, i) => side(forward[i], backward[i]));
    const keys = score === 'additive' || score === 'general' ? h.map((one) => times('attn_k.weight', one)) : h;
    return { h, keys, start: apply('init', side(forward[words.length - 1], backward[0])).map(Math.tanh) };
  }

  /**
   * Returns the decoder's initial vector for the sentence with one word left out. Only the forward states after this word and the backward
   * states before this word are recomputed.
   * @param {Read} source
   * @param {ArrayLike<number>} ids
   * @param {number} left index of the word to leave out; the sentence must have at least two words
   * @returns {Vector}
   */
  function startWithout({ h }, ids, left) {
    const words = Array.from(ids, embed);
    const last = h.length - 1;
    let forward = left > 0 ? h[left - 1].subarray(0, e) : new Float32Array(e);
    for (let i = left + 1; i <= last; i++) forward = gru('enc.fwd', words[i], forward);
    let backward = left < last ? h[left + 1].subarray(e) : new Float32Array(e);
    for (let i = left - 1; i >= 0; i--) backward = gru('enc.bwd', words[i], backward);
    return apply('init', side(forward, backward)).map(Math.tanh);
  }

  /**
   * Computes one step of attention. In a network without attention there is no context, and the last layer reads only the state.
   * @param {Read} source
   * @param {Vector} state
   */
  function attend({ h, keys }, state) {
    if (score === 'none') return { query: state, scores: new Float32Array(0), weights: new Float32Array(0), context: new Float32Array(0) };
    const query = score === 'general' ? state : times('attn_q.weight', state);
    const v = score === 'additive' ? matrix('attn_v.weight').values : query;
    let scores = Float32Array.from(keys, (key, i) =>
      score === 'additive'
        ? dot(
            v,
            query.map((x, c) => Math.tanh(x + key[c])),
          )
        : score === 'general'
          ? dot(query, key)
          : i < query.length
            ? query[i]
            : -Infinity,
    );
    let centre = 0;
    if (local) {
      centre = h.length * sigmoid(dot(times('attn_position.weight', state).map(Math.tanh), matrix('attn_centre.weight').values));
      const middle = Math.min(Math.floor(centre), h.length - 1);
      scores = scores.map((x, i) => (Math.abs(i - middle) <= D ? x : -Infinity));
    }
    let weights = softmax(scores);
    if (local) weights = weights.map((w, i) => w * bell(i, centre, D));
    return { query, scores, weights, context: mixed(weights, h) };
  }

  return {
    score,
    first,
    read,
    startWithout,
    /**
     * Returns the steps of the decoder when it is forced to generate the given words.
     *
     * @param {Read} source
     * @param {ArrayLike<number>} ids
     * @returns {Step[]}
     */
    write(source, ids) {
      let state = source.start;
      return Array.from({ length: ids.length }, (_, p) => {
        const word = embed(p ? ids[p - 1] : undefined);
        const before = first ? attend(source, state) : undefined;
        state = gru('dec', before ? side(word, before.context) : word, state);
        const attended = before ?? attend(source, state);
        return { state, ...attended, joined: side(attended.context, state) };
      });
    },
    /** Returns the attentional vector tanh(W [c; s] + b) for a context c and a state s. @param {Vector} joined */
    output: (joined) => apply('output', joined).map(Math.tanh),
    /** Returns the probability of every word. @param {Vector} t */
    odds: (t) => softmax(times('token_embd.weight', t)),
  };
}
/** @typedef {ReturnType<typeof networkOf>} Network */

// SPDX-License-Identifier: MIT
// Computes the first layer of the model for one pixel, using the values in the weight file. The code is slow but simple, and keeps all
// intermediate results. This file does not use the DOM.
// @ts-check
import { readGguf } from '../../shell/model/gguf.js';

/**
 * @typedef {Object} Layer
 * @property {number} d      width
 * @property {number} heads
 * @property {number} length length of a key
 * @property {number} width  number of pixels per row
 * @property {number} levels
 * @property {number} epsilon epsilon of the layer norms
 * @property {string[]} classes
 * @property {(name: string) => Float32Array} tensor
 */

/**
 * @typedef {Object} Pass the intermediate results for one position
 * @property {Float32Array} shade   shape (d): embedding of the previous pixel's shade
 * @property {Float32Array} input   shape (d): `shade` plus the position embedding and the class
 * @property {Float32Array} query   shape (d): query, all heads concatenated
 * @property {Float32Array[]} keys  key of each visible position, each of shape (d)
 * @property {Float32Array[]} scores  scores of each head, each of shape (positions)
 * @property {Float32Array[]} shares  softmax of the scores, of the same shapes
 * @property {Float32Array} values  shape (d): weighted sums of the values, all heads concatenated
 * @property {Float32Array} attended shape (d): output of the attention, after the residual connection and the layer norm
 * @property {Float32Array} inner   hidden values of the feed-forward network after the ReLU
 * @property {Float32Array} output  shape (d): output of the layer
 */

/** @param {ArrayBuffer} buffer the weight file @returns {Layer} */
export function readLayer(buffer) {
  const { facts, tensor } = readGguf(buffer);
  const fact = (/** @type {string} */ name) => facts.get(`image-transformer.${name}`);
  /** @type {Map<string, Float32Array>} */
  const read = new Map();
  return {
    d: fact('embedding_length'),
    heads: fact('attention.head_count'),
    length: fact('attention.key_length'),
    width: fact('image.width'),
    levels: fact('image.levels'),
    epsilon: fact('attention.layer_norm_epsilon'),
    classes: fact('classes') ?? [],
    tensor(name) {
      const values = read.get(name) ?? tensor(name).values;
      read.set(name, values);
      return values;
    },
  };
}

/** Returns W x + b. @param {Float32Array} weights shape (rows, x.length) @param {Float32Array} x @param {Float32Array} [bias] */
function product(weights, x, bias) {
  return Float32Array.from({ length: weights.length / x.length }, (_, i) => {
    let sum = bias?.[i] ?? 0;
    for (let j = 0; j < x.length; j++) sum += weights[i * x.length + j] * x[j];
    return sum;
  });
}

/**
 * Normalises x to mean 0 and standard deviation 1, then applies each channel's gain and bias.
 * @param {Float32Array} x
 * @param {Float32Array} gain
 * @param {Float32Array} bias
 * @param {number} epsilon
 */
function normed(x, gain, bias, epsilon) {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const root = Math.sqrt(x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length + epsilon);
  return x.map((value, i) => ((value - mean) / root) * gain[i] + bias[i]);
}

/** @param {Float32Array} a @param {Float32Array} b */
const plus = (a, b) => a.map((value, i) => value + b[i]);

/**
 * @param {Layer} layer
 * @param {{ shades: ArrayLike<number>, elements: ArrayLike<number>, label: string }} seen  `shades` are the grey levels of the picture, in
 *   raster order. `elements` lists the visible positions, the current one last: each item is the index of the pixel that the position
 *   holds, or -1 for the start symbol. `label` is the class, or ''
 * @returns {Pass}
 */
export function passOf({ d, heads, length, width, epsilon, classes, tensor }, { shades, elements, label }) {
  const row = (/** @type {string} */ name, /** @type {number} */ i, n = d) => tensor(name).subarray(i * n, i * n + n);
  /** Returns the embedding of a pixel's shade, or zeros for the start symbol. @param {number} pixel */
  const shadeOf = (pixel) =>
    pixel < 0 ? new Float32Array(d) : row('token_embd.weight', shades[pixel]).map((value) => value * Math.sqrt(d));
  /**
   * Returns the input at the position that holds this pixel. The position's row and column are those of the next pixel.
   * @param {number} pixel
   */
  function inputOf(pixel) {
    const place = pixel + 1;
    const where = new Float32Array(d);
    where.set(row('position_row.weight', Math.floor(place / width), d / 2));
    where.set(row('position_col.weight', place % width, d / 2), d / 2);
    const input = plus(shadeOf(pixel), where);
    return label ? plus(input, row('class_embd.weight', classes.indexOf(label))) : input;
  }
  const of = (/** @type {string} */ name) => tensor(`blk.0.${name}`);
  const places = Array.from(elements, inputOf);
  const input = places[places.length - 1];
  const query = product(of('attn_q.weight'), input);
  const keys = places.map((place) => product(of('attn_k.weight'), place));
  const all = places.map((place) => product(of('attn_v.weight'), place));
  const scores = Array.from({ length: heads }, (_, h) =>
    Float32Array.from(keys, (key) => {
      let sum = 0;
      for (let i = h * length; i < (h + 1) * length; i++) sum += query[i] * key[i];
      return sum / Math.sqrt(length);
    }),
  );
  const shares = scores.map((row) => {
    const most = Math.max(...row);
    const powers = row.map((score) => Math.exp(score - most));
    const sum = powers.reduce((total, power) => total + power, 0);
    return powers.map((power) => power / sum);
  });
  const values = Float32Array.from({ length: heads * length }, (_, i) =>
    shares[Math.floor(i / length)].reduce((sum, share, j) => sum + share * all[j][i], 0),
  );
  const attended = normed(plus(input, product(of('attn_output.weight'), values)), of('attn_norm.weight'), of('attn_norm.bias'), epsilon);
  const inner = product(of('ffn_up.weight'), attended, of('ffn_up.bias')).map((value) => Math.max(0, value));
  const output = normed(
    plus(attended, product(of('ffn_down.weight'), inner, of('ffn_down.bias'))),
    of('ffn_norm.weight'),
    of('ffn_norm.bias'),
    epsilon,
  );
  return { shade: shadeOf(elements[elements.length - 1]), input, query, keys, scores, shares, values, attended, inner, output };
}

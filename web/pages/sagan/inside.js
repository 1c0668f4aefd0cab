// SPDX-License-Identifier: MIT
// Computes the channels inside the attention module, using the engine's equations and the values in the weight file. This file does not
// draw anything.
// @ts-check
import { readGguf } from '../../shell/model/gguf.js';

/**
 * A map with several channels. The values are stored location by location; the channels of a location are contiguous.
 * @typedef {{ side: number, channels: number, values: Float32Array }} Channels
 */
/** A matrix from a file. @typedef {{ shape: number[], values: Float32Array }} Matrix */

/** Returns the value of channel c at each location. @param {Channels} map @param {number} c */
export const channel = ({ side, channels, values }, c) => Float32Array.from({ length: side ** 2 }, (_, at) => values[at * channels + c]);

/** Multiplies each location's vector by a matrix. @param {Matrix} W @param {Channels} x @param {Float32Array} [bias] @returns {Channels} */
function product({ shape: [into, out], values }, x, bias) {
  const made = new Float32Array(x.side ** 2 * out);
  for (let at = 0; at < x.side ** 2; at++) {
    for (let o = 0; o < out; o++) {
      let sum = bias ? bias[o] : 0;
      for (let i = 0; i < into; i++) sum += values[o * into + i] * x.values[at * into + i];
      made[at * out + o] = sum;
    }
  }
  return { side: x.side, channels: out, values: made };
}

/**
 * Computes a 3 x 3 convolution with the taps in raster order. Values outside the map are zero.
 * @param {Matrix} W
 * @param {Channels} x
 * @param {Float32Array} bias
 */
function convolution(W, { side, channels, values }, bias) {
  const taps = new Float32Array(side ** 2 * 9 * channels);
  for (let at = 0; at < side ** 2; at++) {
    for (let tap = 0; tap < 9; tap++) {
      const [row, column] = [Math.floor(at / side) + Math.floor(tap / 3) - 1, (at % side) + (tap % 3) - 1];
      if (row < 0 || column < 0 || row >= side || column >= side) continue;
      const from = (row * side + column) * channels;
      taps.set(values.subarray(from, from + channels), (at * 9 + tap) * channels);
    }
  }
  return product(W, { side, channels: 9 * channels, values: taps }, bias);
}

/**
 * Computes relu(scale x + shift). Row `label` of the table `norm` contains all scales, then all shifts.
 * @param {Matrix} norm
 * @param {number} label
 * @param {Channels} x
 * @returns {Channels}
 */
function normRelu({ values: table }, label, { side, channels, values }) {
  const from = 2 * channels * label;
  return {
    side,
    channels,
    values: values.map((x, i) => Math.max(0, table[from + (i % channels)] * x + table[from + channels + (i % channels)])),
  };
}

/** Doubles the side of a map by repeating each location four times. @param {Channels} x @returns {Channels} */
function wider({ side, channels, values }) {
  const made = new Float32Array(4 * values.length);
  for (let at = 0; at < 4 * side ** 2; at++) {
    const from = (Math.floor(at / (2 * side) / 2) * side + Math.floor((at % (2 * side)) / 2)) * channels;
    made.set(values.subarray(from, from + channels), at * channels);
  }
  return { side: 2 * side, channels, values: made };
}

/** Computes max pooling over 2 x 2 locations. @param {Channels} x @returns {Channels} */
function pooled({ side, channels, values }) {
  const half = side / 2;
  const at = (/** @type {number} */ place, /** @type {number} */ i) =>
    ((2 * Math.floor(place / half) + (i >> 1)) * side + 2 * (place % half) + (i & 1)) * channels;
  return {
    side: half,
    channels,
    values: Float32Array.from({ length: half ** 2 * channels }, (_, i) => {
      const [place, c] = [Math.floor(i / channels), i % channels];
      return Math.max(...[0, 1, 2, 3].map((corner) => values[at(place, corner) + c]));
    }),
  };
}

/**
 * @param {Channels} g
 * @param {Channels} f
 * @returns {Float32Array} shape (queries, keys): for each query, the softmax of its products with all keys
 */
function looks(g, f) {
  const [queries, keys] = [g.side ** 2, f.side ** 2];
  const made = new Float32Array(queries * keys);
  for (let j = 0; j < queries; j++) {
    const row = made.subarray(j * keys, (j + 1) * keys);
    for (let i = 0; i < keys; i++)
      for (let c = 0; c < f.channels; c++) row[i] += g.values[j * f.channels + c] * f.values[i * f.channels + c];
    const most = Math.max(...row);
    row.forEach((score, i) => {
      row[i] = Math.exp(score - most);
    });
    const total = row.reduce((sum, w) => sum + w, 0);
    row.forEach((w, i) => {
      row[i] = w / total;
    });
  }
  return made;
}

/**
 * @param {Float32Array} beta shape (queries, keys)
 * @param {Channels} h
 * @param {number} side
 * @returns {Channels} for each query, the weighted sum of the values
 */
function brought(beta, h, side) {
  const [keys, values] = [h.side ** 2, new Float32Array(side ** 2 * h.channels)];
  for (let j = 0; j < side ** 2; j++) {
    for (let i = 0; i < keys; i++)
      for (let c = 0; c < h.channels; c++) values[j * h.channels + c] += beta[j * keys + i] * h.values[i * h.channels + c];
  }
  return { side, channels: h.channels, values };
}

/** @param {ArrayBuffer} file weight file of a generator. The function returns undefined if the generator has no attention module */
export function createInside(file) {
  const { facts, names, tensor } = readGguf(file);
  if (!names.includes('attn.gain')) return undefined;
  /** @type {Map<string, Matrix>} */
  const read = new Map();
  /** @param {string} name */
  function weight(name) {
    const known = read.get(name) ?? tensor(name);
    read.set(name, known);
    return known;
  }
  const bias = (/** @type {string} */ name) => weight(`${name}.bias`).values;
  /** @type {number[]} */
  const channels = facts.get('sagan.channels');
  /** @type {number} */
  const size = facts.get('sagan.attention.size');
  const pool = facts.get('sagan.attention.pool') ? pooled : (/** @type {Channels} */ x) => x;

  return {
    /** The learned gamma. */
    gain: weight('attn.gain').values[0],
    latentLength: weight('latent.weight').shape[0],
    /** @param {Float32Array} latent @param {number} label @returns {{ x: Channels, f: Channels, g: Channels, h: Channels, beta: Float32Array, o: Channels }} */
    of(latent, label) {
      const side = facts.get('sagan.image.height') >> (channels.length - 1);
      /** @type {Channels} */
      let x = {
        side,
        channels: channels[0],
        values: product(weight('latent.weight'), { side: 1, channels: latent.length, values: latent }, bias('latent')).values,
      };
      for (let k = 0; x.side < size; k++) {
        const h = convolution(
          weight(`blk.${k}.conv_0.weight`),
          wider(normRelu(weight(`blk.${k}.norm_0.weight`), label, x)),
          bias(`blk.${k}.conv_0`),
        );
        const second = convolution(
          weight(`blk.${k}.conv_1.weight`),
          normRelu(weight(`blk.${k}.norm_1.weight`), label, h),
          bias(`blk.${k}.conv_1`),
        );
        const beside = wider(product(weight(`blk.${k}.skip.weight`), x));
        x = { ...second, values: second.values.map((value, i) => value + beside.values[i]) };
      }
      const by = (/** @type {string} */ name) => product(weight(`attn.${name}.weight`), x);
      const [f, g, h] = [pool(by('k')), by('q'), pool(by('v'))];
      const beta = looks(g, f);
      return { x, f, g, h, beta, o: product(weight('attn.output.weight'), brought(beta, h, size)) };
    },
  };
}

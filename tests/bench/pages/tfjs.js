// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs TensorFlow.js with its wasm backend and one thread. The decode step is written with TensorFlow.js operations on floats, because this
 * backend supports only floats.
 */

import { stepped } from './common.js';

/** @param {string} url */
function script(url) {
  return new Promise((resolve, reject) => {
    const element = document.createElement('script');
    element.src = url;
    element.onload = resolve;
    element.onerror = () => reject(new Error(`cannot load ${url}`));
    document.head.append(element);
  });
}

/** @param {{ peers: string, shape: import('../models.js').Shape }} options */
export async function start({ peers, shape }) {
  const { width, blocks, heads, inner, values, side } = shape;
  const folder = `${peers}/@tensorflow/tfjs-backend-wasm/dist/`;
  await script(`${peers}/@tensorflow/tfjs-core/dist/tf-core.min.js`);
  await script(`${folder}tf-backend-wasm.min.js`);
  const tf = /** @type {any} */ (globalThis).tf;
  tf.wasm.setWasmPaths(folder);
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  await tf.setBackend('wasm');
  await tf.ready();

  /** @param {number[]} dimensions @param {number} deviation @param {number} [mean] */
  const random = (dimensions, deviation, mean = 0) => tf.randomNormal(dimensions, mean, deviation, 'float32', 1);
  /** @param {number} rows @param {number} cols */
  const linear = (rows, cols) => ({ b: random([rows, cols], 1 / Math.sqrt(rows)), bias: random([cols], 0.1) });
  const norm = () => ({ gain: random([width], 0.1, 1), shift: random([width], 0.1) });
  const table = random([values, width], 1 / Math.sqrt(width));
  const places = random([side * side, width], 0.1);
  const layers = Array.from({ length: blocks }, () => ({
    attention: norm(),
    qkv: linear(width, 3 * width),
    mix: linear(width, width),
    feedForward: norm(),
    up: linear(width, inner),
    down: linear(inner, width),
  }));
  const last = norm(),
    head = random([width, values], 1 / Math.sqrt(width));

  /** @param {any} x @param {{ gain: any, shift: any }} weights */
  const normed = (x, { gain, shift }) => {
    const centred = tf.sub(x, tf.mean(x, -1, true));
    const variance = tf.mean(tf.square(centred), -1, true);
    return tf.add(tf.mul(tf.mul(centred, tf.rsqrt(tf.add(variance, 1e-5))), gain), shift);
  };
  /** @type {{ key: any, value: any }[]} */
  let caches = [];
  const drop = () => {
    for (const { key, value } of caches) {
      key.dispose();
      value.dispose();
    }
  };
  return stepped({
    reset(length) {
      drop();
      const fresh = () => tf.fill([heads, length, width / heads], 0.01);
      caches = layers.map(() => ({ key: fresh(), value: fresh() }));
    },
    async step(token, position) {
      const result = tf.tidy(() => {
        /** @type {typeof caches} */
        const grown = [];
        let x = tf.add(tf.slice(table, [token, 0], [1, width]), tf.slice(places, [position, 0], [1, width]));
        layers.forEach((layer, i) => {
          const qkv = tf.fused.matMul({ a: normed(x, layer.attention), ...layer.qkv });
          const [query, newKey, newValue] = tf.split(tf.reshape(qkv, [3 * heads, 1, width / heads]), 3, 0);
          const key = tf.concat([caches[i].key, newKey], 1),
            value = tf.concat([caches[i].value, newValue], 1);
          grown.push({ key, value });
          const weights = tf.softmax(tf.mul(tf.matMul(query, key, false, true), (width / heads) ** -0.5));
          const mixed = tf.reshape(tf.matMul(weights, value), [1, width]);
          x = tf.add(x, tf.fused.matMul({ a: mixed, ...layer.mix }));
          const opened = tf.fused.matMul({ a: normed(x, layer.feedForward), ...layer.up, activation: 'relu' });
          x = tf.add(x, tf.fused.matMul({ a: opened, ...layer.down }));
        });
        return { logits: tf.matMul(normed(x, last), head), grown };
      });
      drop();
      caches = result.grown;
      const logits = result.logits.dataSync();
      result.logits.dispose();
      return logits;
    },
  });
}

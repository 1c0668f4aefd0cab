// SPDX-License-Identifier: MIT
// @ts-check

/** onnxruntime-web, its wasm backend, one thread. The cache goes in and comes out with every step: it offers no other way here. */

import { bytesOf, stepped } from './common.js';

/** @param {{ peers: string, model: string, shape: import('../models.js').Shape }} options */
export async function start({ peers, model, shape }) {
  const { blocks, heads, width } = shape;
  const ort = await import(`${peers}/onnxruntime-web/dist/ort.wasm.min.mjs`);
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = `${peers}/onnxruntime-web/dist/`;
  const options = { executionProviders: ['wasm'], graphOptimizationLevel: 'all' };
  const session = await ort.InferenceSession.create(await bytesOf(model), options);
  const caches = Array.from({ length: blocks }, (_, i) => [`${i}.key`, `${i}.value`]).flat();
  /** @type {Record<string, any>} */
  let past = {};
  return stepped({
    reset(length) {
      past = {};
      for (const name of caches) {
        const data = new Float32Array(length * width).fill(0.01);
        past[`past.${name}`] = new ort.Tensor('float32', data, [1, heads, length, width / heads]);
      }
    },
    async step(token, position) {
      const outputs = await session.run({
        ...past,
        input_ids: new ort.Tensor('int64', BigInt64Array.of(BigInt(token)), [1, 1]),
        position_ids: new ort.Tensor('int64', BigInt64Array.of(BigInt(position)), [1, 1]),
        length: new ort.Tensor('int32', Int32Array.of(position), [1]),
        total: new ort.Tensor('int32', Int32Array.of(position + 1), [1]),
      });
      past = {};
      for (const name of caches) past[`past.${name}`] = outputs[`present.${name}`];
      return outputs.logits.data;
    },
  });
}

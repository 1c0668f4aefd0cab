// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs onnxruntime-web with its wasm backend and one thread. The cache is an input and an output of every step, because this runtime cannot
 * update a cache in place.
 */

import { bytesOf, stepped, turn } from './common.js';

/** @param {{ peers: string, model: string, shape: { blocks: number, heads: number, width: number }, prompts?: boolean }} options  prompts:
 *   whether the model accepts several tokens per call and derives their positions itself */
export async function start({ peers, model, shape, prompts = false }) {
  const { blocks, heads, width } = shape;
  const ort = await import(`${peers}/onnxruntime-web/dist/ort.wasm.min.mjs`);
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = `${peers}/onnxruntime-web/dist/`;
  const options = { executionProviders: ['wasm'], graphOptimizationLevel: 'all' };
  const session = await ort.InferenceSession.create(await bytesOf(model), options);
  const caches = Array.from({ length: blocks }, (_, i) => [`${i}.key`, `${i}.value`]).flat();
  /** @type {Record<string, any>} */
  let past = {};
  /** Makes a cache of this many positions. @param {number} length */
  const reset = (length) => {
    past = {};
    for (const name of caches) {
      const data = new Float32Array(length * width).fill(0.01);
      past[`past.${name}`] = new ort.Tensor('float32', data, [1, heads, length, width / heads]);
    }
  };
  /** Returns the logits after tokens that start at a position. @param {number[]} tokens @param {number} position */
  const run = async (tokens, position) => {
    const end = position + tokens.length;
    const outputs = await session.run({
      ...past,
      input_ids: new ort.Tensor('int64', BigInt64Array.from(tokens, BigInt), [1, tokens.length]),
      ...(!prompts && { position_ids: new ort.Tensor('int64', BigInt64Array.of(BigInt(position)), [1, 1]) }),
      length: new ort.Tensor('int32', Int32Array.of(end - 1), [1]),
      total: new ort.Tensor('int32', Int32Array.of(end), [1]),
    });
    past = {};
    for (const name of caches) past[`past.${name}`] = outputs[`present.${name}`];
    return outputs.logits.data;
  };
  return {
    ...(await stepped({ reset, step: (token, position) => run([prompts ? token % 256 : token], position) })),
    /** Returns the time to read a prompt of this many tokens, in milliseconds. */
    prompt: (/** @type {{ length: number }} */ { length }) =>
      turn(1, async () => {
        reset(0);
        const start = performance.now();
        await run(
          Array.from({ length }, (_, i) => (i * 7) % 256),
          0,
        );
        return performance.now() - start;
      }),
  };
}

// SPDX-License-Identifier: MIT
// @ts-check

/** Measures how long a decoder's matrix products take in LiteRT.js, on the CPU with one thread. LiteRT.js computes them with XNNPACK. */

import { bytesOf, turn } from './common.js';

/** @param {{ peers: string, model: string, columns: number, width: number }} options  width: numbers per input column */
export async function start({ peers, model, columns, width }) {
  const { Tensor, loadAndCompile, loadLiteRt } = await import(`${peers}/@litertjs/core/dist/index.js`);
  const page = /** @type {any} */ (globalThis);
  page.litert ??= loadLiteRt(`${peers}/@litertjs/core/wasm/`);
  await page.litert;
  const compiled = await loadAndCompile(await bytesOf(model), { accelerator: 'wasm', cpuOptions: { numThreads: 1 } });
  if (!compiled.isFullyAccelerated) throw new Error('LiteRT.js does not run the whole model with its own kernels');
  const input = new Tensor(
    Float32Array.from({ length: columns * width }, (_, i) => Math.sin(0.7 * i + 1)),
    [columns, width],
  );
  const [first] = await compiled.run(input);
  if (!first.toTypedArray().every(Number.isFinite)) throw new Error('LiteRT.js returns NaN');
  first.delete();
  return {
    /** Returns the milliseconds that all products together take. @param {{ times: number }} work */
    products: ({ times }) =>
      turn(times, async () => {
        const start = performance.now();
        for (let i = 0; i < times; i++) (await compiled.run(input))[0].delete();
        return performance.now() - start;
      }),
  };
}

// SPDX-License-Identifier: MIT
// @ts-check

/** The triad, a model of three parts (tests/c/triad.h): an encoder, a prior that draws, and a decoder. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';

import { F32, writeGGUF } from './gguf.js';
import { ROOT } from './helpers.js';

const OUT = `${ROOT}build/triad`;

/** Builds the engine with only the triad's architecture. */
export function triadModule() {
  mkdirSync(OUT, { recursive: true });
  execFileSync('sh', ['build.sh', 'wasm-with', 'tests/c/triad.c', `${OUT}/triad.wasm`], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new WebAssembly.Module(readFileSync(`${OUT}/triad.wasm`));
}

/** Returns a weight file of the triad. In dec.weight, the row of id 0 has the samples 0 and 1, the row of id 1 has 2 and 3, and so on up to
 * id 15. */
export const triadFile = () => {
  /** @param {number} cols @param {(i: number) => number} weight */
  const table = (cols, weight) => ({ shape: [16, cols], type: F32, data: Float32Array.from({ length: 16 * cols }, (_, i) => weight(i)) });
  return writeGGUF({
    metadata: { 'general.architecture': ['string', 'triad'], 'general.alignment': ['u32', 32] },
    tensors: {
      'enc.weight': table(2, (i) => i / 4),
      'prior.weight': table(16, (i) => ((i * 7) % 16) / 8),
      'dec.weight': table(2, (i) => i),
    },
  });
};

// SPDX-License-Identifier: MIT
// Compares the speed of another version of the library with the speed of this version, on language models with random weights. One process
// runs both versions alternately.
//
//   git worktree add ../old COMMIT && node tests/bench/paired-llama.js ../old [--rounds 9] [--sizes 135M] [--types q8_0,q4_0,q4_k_m]
//   [--prompts 64] [--builds nextpixel-relaxed]
//
// Prints the processor time in milliseconds that each version takes to generate a token at position 64 and to read a prompt. For each
// round, the script computes the ratio old time / new time, and it prints the median of these ratios. A median above 1 means that this
// version is faster. Both versions must generate the same ids. Builds with relaxed SIMD need Node 22 or later, which supports relaxed SIMD
// without a flag.
// @ts-check
import './quiet.js';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { Core } from '../../web/lib/engine/core.js';
import { LLAMAS, bytesOf, llamaModel } from './language.js';
import { median } from './summary.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url)),
  OUT = `${ROOT}build/bench`;
const STEPS = 16,
  POSITION = 64;

const {
  values,
  positionals: [old],
} = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '9' },
    sizes: { type: 'string', default: '135M' },
    types: { type: 'string', default: 'q8_0,q4_0,q4_k_m' },
    prompts: { type: 'string', default: '64' },
    builds: { type: 'string', default: 'nextpixel-relaxed' },
  },
});
if (!old) throw new Error('pass the folder of the other version: node tests/bench/paired-llama.js FOLDER');

const ids = Uint32Array.from({ length: 8192 }, (_, i) => ((i * 2654435761) >>> 16) % 30000);

/** @param {Core} core @param {number} prompt @param {number} steps @returns {{ read: number, drew: number, drawn: Uint32Array }} milliseconds */
function work(core, prompt, steps) {
  const session = core.openSession({ seed: 7n, samples: 1, temperature: 0, topK: 0, topP: 1 });
  const spent = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const start = spent();
  for (let from = 0; from < prompt; from += 64) core.put(session, ids.subarray(from, Math.min(from + 64, prompt)), false);
  core.draw(session, 1);
  const read = spent();
  const drawn = steps ? core.draw(session, steps).ids : new Uint32Array(0),
    end = spent();
  core.closeSession(session);
  return { read: read - start, drew: (end - read) / steps, drawn };
}

mkdirSync(OUT, { recursive: true });
for (const build of values.builds.split(',')) {
  const modules = [resolve(old), ROOT].map((root) => new WebAssembly.Module(readFileSync(`${root}/web/dist/${build}.wasm`)));
  for (const size of values.sizes.split(',')) {
    for (const type of values.types.split(',')) {
      const file = `${OUT}/llama-${size}-${type}.gguf`;
      if (!existsSync(file)) writeFileSync(file, llamaModel(LLAMAS[size], type));
      const cores = modules.map((module) => new Core(module, readFileSync(file)));
      const say = (/** @type {string} */ what, /** @type {number[][]} */ times, unit = '') => {
        const ratio = median(times[0].map((ms, round) => ms / times[1][round]));
        console.log(
          `${build} ${size} ${type.padEnd(6)} ${what.padEnd(17)} ${times.map((of) => median(of).toFixed(2)).join(' -> ')} ms (least ${times.map((of) => Math.min(...of).toFixed(2)).join(' -> ')})  ${ratio.toFixed(3)}${unit}`,
        );
      };
      for (const core of cores) work(core, POSITION, 3 * STEPS); // warms up: V8 recompiles hot code in the background
      /** @type {number[][]} */
      const tokens = [[], []],
        prompts = values.prompts
          .split(',')
          .filter(Boolean)
          .map((length) => ({ length: Number(length), times: /** @type {number[][]} */ ([[], []]) }));
      /** @type {Uint32Array[]} */
      const drawn = [];
      for (let round = 0; round < Number(values.rounds); round++) {
        for (const which of round % 2 ? [1, 0] : [0, 1]) {
          const one = work(cores[which], POSITION, STEPS);
          tokens[which].push(one.drew);
          drawn[which] = one.drawn;
          for (const { length, times } of prompts) times[which].push(length === POSITION ? one.read : work(cores[which], length, 0).read);
        }
      }
      const [before, after] = tokens.map((of) => 1000 / Math.min(...of));
      say(
        'a token',
        tokens,
        `, ${before.toFixed(0)} -> ${after.toFixed(0)} tokens/s, ${((bytesOf(LLAMAS[size], type) * after) / 1e9).toFixed(1)} GB/s`,
      );
      for (const { length, times } of prompts) say(`a prompt of ${length}`, times);
      if (drawn[0].join() !== drawn[1].join()) throw new Error(`the ids differ: ${drawn.join(' and ')}`);
    }
  }
}

// SPDX-License-Identifier: MIT
// Measures the time of a step in Node for models with sparse and with dense attention, at several sequence lengths. The models have random
// weights and the same widths. The measured steps are at the last positions of a sequence.
//
//   node tests/bench/sparse.js [--width 64] [--lengths 1024,4096,16384,65536] [--json]
//
// The attention time of a step is a difference of two times: the time of a step at the end of a sequence, minus the time of a step at the
// beginning. All times are processor times. The script alternates twelve times between eight steps at the beginning and eight steps at the
// end, and takes the median difference. For sparse attention, the result is the median of five of these measurements. Dense attention is
// measured only up to 16,384 positions, which already takes some seconds.
//
// The two layers of strided attention together see at most 2 sqrt(n) of n positions, so their time should double when n quadruples. The
// measured factor is two to three, because the keys and values of a run outgrow one cache level after another. In these models, fixed
// attention sees sqrt(n) + n / 16 positions, because the number of positions that summarise a block grows with the side of the picture.
// web/pages/sparse/cost.js measures models with the same patterns.
// @ts-check
import './quiet.js';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import { Core } from '../../web/lib/engine/core.js';
import { kindOf, randomModel } from '../../web/pages/sparse/random-model.js';

const {
  values: { width, lengths, json },
} = parseArgs({
  options: {
    width: { type: 'string', default: '64' },
    lengths: { type: 'string', default: '1024,4096,16384,65536' },
    json: { type: 'boolean', default: false },
  },
});
/** Number of measured steps, and number of steps between two readings of the clock. The clock has a resolution of a microsecond. */
const STEPS = 96,
  TOGETHER = 8;
/**
 * FIRST: position of the earliest measured step. AT_ONCE: number of given ids that are read in one call.
 */
const FIRST = 1,
  AT_ONCE = 512;
const DENSE_MOST = 16384,
  SPARSE_TIMES = 5;
const WHICH = /** @type {const} */ (['dense', 'strided', 'fixed']);

const wasm = await WebAssembly.compile(await readFile(new URL('../../web/dist/nextpixel.wasm', import.meta.url)));

/** @param {number[]} numbers */
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** @typedef {{ step: number, attention: number, bytes: number }} Cost  times in microseconds; bytes: memory of a run */

/** @param {typeof WHICH[number]} which @param {number} side @returns {Cost} */
function measureOnce(which, side) {
  const core = new Core(wasm, randomModel(side, kindOf(which, side), Number(width)));
  const n = side * side,
    ids = Uint32Array.from({ length: n }, (_, i) => (i * 7 + (i >> 5)) & 1);
  const known = (/** @type {number} */ count) => {
    const session = core.openSession({ seed: 0n, samples: 1, temperature: 1, topK: 0, topP: 1 });
    for (let at = 0; at < count; at += AT_ONCE) core.put(session, ids.subarray(at, Math.min(at + AT_ONCE, count)), true);
    return session;
  };
  /** Returns microseconds per step. @param {ReturnType<typeof known>} session @param {number} from */
  const timed = (session, from) => {
    const begun = process.cpuUsage();
    for (let at = from; at < from + TOGETHER; at++) core.put(session, ids.subarray(at, at + 1), true);
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / TOGETHER;
  };
  const late = known(n - STEPS);
  // Steps at the beginning and at the end alternate, so that changes in the speed of the machine affect both.
  const pairs = Array.from({ length: STEPS / TOGETHER }, (_, i) => {
    const early = known(FIRST),
      times = [timed(early, FIRST), timed(late, n - STEPS + i * TOGETHER)];
    core.closeSession(early);
    return times;
  });
  const { bytes } = late;
  core.closeSession(late);
  return { step: median(pairs.map(([, end]) => end)), attention: median(pairs.map(([beginning, end]) => end - beginning)), bytes };
}

/** @param {typeof WHICH[number]} which @param {number} side @returns {Cost | undefined} */
function measure(which, side) {
  if (which === 'dense') return side * side > DENSE_MOST ? undefined : measureOnce(which, side);
  const all = Array.from({ length: SPARSE_TIMES }, () => measureOnce(which, side));
  return { step: median(all.map(({ step }) => step)), attention: median(all.map(({ attention }) => attention)), bytes: all[0].bytes };
}

measure('strided', 32); // warm-up
/** @type {{ length: number, dense?: Cost, strided?: Cost, fixed?: Cost }[]} */
const rows = [];
for (const length of lengths.split(',').map(Number)) {
  const before = rows.at(-1);
  /** @type {typeof rows[number]} */
  const row = { length };
  for (const which of WHICH) row[which] = measure(which, Math.sqrt(length));
  rows.push(row);
  if (json) continue;
  console.log(`${length} positions`);
  for (const name of WHICH) {
    const own = row[name],
      earlier = before?.[name];
    if (!own) continue;
    const ratio = own !== row.dense && row.dense ? `, dense ${(row.dense.attention / own.attention).toFixed(0)} times` : '';
    const growth = earlier && before ? `, ${(own.attention / earlier.attention).toFixed(1)} times that of ${before.length}` : '';
    console.log(
      `  ${name.padEnd(8)} ${own.step.toFixed(1).padStart(9)} µs a step, ${own.attention.toFixed(1).padStart(9)} µs of them attention${growth}${ratio}; ${(own.bytes / 1e6).toFixed(2)} MB a run`,
    );
  }
}
if (json) console.log(JSON.stringify(rows));

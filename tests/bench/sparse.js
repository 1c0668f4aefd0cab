// SPDX-License-Identifier: MIT
// What a step of sparse attention costs beside dense attention by length, in Node: random weights, the same widths, the last positions of a sequence.
//
//   node tests/bench/sparse.js [--width 64] [--lengths 1024,4096,16384] [--json]
//
// The attention of a step is what it takes more at the end of a sequence than at its beginning. Times are of the processor, medians of twelve times eight steps. Filling 16,384
// positions densely takes some seconds.
// @ts-check
import './quiet.js';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import { Core } from '../../web/lib/engine/core.js';
import { kindOf, randomModel } from '../../web/pages/sparse/random-model.js';

const { values: { width, lengths, json } } = parseArgs({ options: {
  width: { type: 'string', default: '64' }, lengths: { type: 'string', default: '1024,4096,16384' }, json: { type: 'boolean', default: false },
} });
/** Steps that are timed, and how many of them at once: the clock of the processor counts microseconds. */
const STEPS = 96, TOGETHER = 8;
/** Positions that are there before the steps at the beginning are timed, and those that are read at once. */
const FIRST = 16, AT_ONCE = 512;
const WHICH = /** @type {const} */ (['dense', 'strided', 'fixed']);

const wasm = await WebAssembly.compile(await readFile(new URL('../../web/dist/nextpixel.wasm', import.meta.url)));

/** @param {number[]} numbers */
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** @param {typeof WHICH[number]} which @param {number} side */
function measure(which, side) {
  const core = new Core(wasm, randomModel(side, kindOf(which, side), Number(width)));
  const session = core.openSession({ seed: 0n, samples: 1, temperature: 1, topK: 0, topP: 1 });
  const n = side * side;
  const ids = Uint32Array.from({ length: n }, (_, i) => (i * 7 + (i >> 5)) & 1);
  const timed = (/** @type {number} */ from) => median(Array.from({ length: STEPS / TOGETHER }, (_, group) => {
    const begun = process.cpuUsage(), first = from + group * TOGETHER;
    for (let at = first; at < first + TOGETHER; at++) core.put(session, ids.subarray(at, at + 1), true);
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / TOGETHER;
  }));
  core.put(session, ids.subarray(0, FIRST), true);
  const beginning = timed(FIRST);
  for (let at = FIRST + STEPS; at < n - STEPS; at += AT_ONCE) core.put(session, ids.subarray(at, Math.min(at + AT_ONCE, n - STEPS)), true);
  const end = timed(n - STEPS);
  const { bytes } = session;
  core.closeSession(session);
  return { step: end, attention: end - beginning, bytes };
}

measure('strided', 32); // to get warm
const rows = [];
for (const length of lengths.split(',').map(Number)) {
  const side = Math.sqrt(length);
  const [dense, strided, fixed] = WHICH.map((which) => measure(which, side));
  rows.push({ length, dense, strided, fixed });
  if (json) continue;
  console.log(`${length} positions`);
  for (const [name, { step, attention, bytes }] of Object.entries({ dense, strided, fixed })) {
    console.log(`  ${name.padEnd(8)} ${step.toFixed(1).padStart(9)} µs a step, ${attention.toFixed(1).padStart(9)} µs of them attention` +
      `${name === 'dense' ? '             ' : ` (${(dense.attention / attention).toFixed(1).padStart(5)} times)`}, ${(bytes / 1e6).toFixed(2).padStart(6)} MB a run`);
  }
}
if (json) console.log(JSON.stringify(rows));

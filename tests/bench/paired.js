// SPDX-License-Identifier: MIT
// Compares the speed of another version of the library with the speed of this version. For each weight file, one process runs both versions
// alternately, so a slow phase of the machine affects both.
//
//   git worktree add ../old COMMIT && node tests/bench/paired.js ../old [--rounds 15] [--build nextpixel-pairs] [NAME ...]
//
// NAME is the name of a weight file. By default, all weight files of the other version are measured. Both versions read the weight files in
// `../old`. In each round both versions compute the same positions of a model. In each round, the script computes the ratio old processor
// time / new processor time. For each file, it prints the median of these ratios. A median above 1 means that this version is faster. Both
// versions must give the same bits. The project's limit for a median is 0.98. If the median of a file is below this limit, the file is
// measured again. The exit code is 1 if a file is below the limit twice, and 2 if bits differ.
//
// A single process for all files would give wrong ratios, because the machine code that V8 generates for a function depends on the models
// that ran before. For example, one file has a ratio of 1.00 in its own process but had 0.80 as the thirteenth file of a shared process.
// Another file had 1.20 in a shared process. Builds with relaxed SIMD need Node 22 or later, which supports relaxed SIMD without a flag.
// @ts-check
import { spawnSync } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import './quiet.js';

/** @import { Core } from '../../web/lib/engine/core.js' */
/** @import { Part } from '../../web/lib/engine/protocol.js' */

const LEAST = 0.98;
/** Approximate duration in milliseconds of one version's part of a round. */
const ROUND_MS = 150;
/** Lower limit in milliseconds for the duration of a run, used to compute the number of repetitions in a round. */
const SHORTEST_MS = 0.1;
/** Both versions run for this many seconds of processor time before the first round. */
const WARM_SECONDS = 1.5;
/** Exit code of a process in which the two versions gave different bits. */
const OTHER_BITS = 2;
const HERE = fileURLToPath(new URL('../..', import.meta.url));

const {
  values: { rounds, build },
  positionals: [old, ...names],
} = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '15' }, build: { type: 'string', default: 'nextpixel' } },
});
if (!old) throw new Error('pass the folder of the other version: node tests/bench/paired.js FOLDER');

/** @param {string} root @returns {Promise<(file: Uint8Array) => Core>} */
async function opener(root) {
  const { Core } = await import(pathToFileURL(`${resolve(root)}/web/lib/engine/core.js`).href);
  const module = await WebAssembly.compile(await readFile(`${root}/web/dist/${build}.wasm`));
  return (file) => new Core(module, file);
}

/** Returns pseudorandom integers from 0 to n - 1; they are the same in each call. @param {number} count @param {number} n */
const numbers = (count, n) => Uint32Array.from({ length: count }, (_, i) => Math.imul(i + 1, 2654435761) >>> 8).map((x) => x % n);

/** Returns valid values for the inputs that a part requires. @param {Part} part */
function inputsOf({ inputs }) {
  return Object.fromEntries(
    inputs
      .filter(({ optional }) => !optional)
      .map(({ name, values, dims, anyLength }) => [
        name,
        numbers((anyLength ? Math.min(12, dims[0]) : dims[0]) * dims[1] * dims[2] * dims[3], values),
      ]),
  );
}

/**
 * Generates the first `steps` positions of a run. If the model part does not generate a sequence, computes the results of the part.
 *
 * @param {Core} core
 * @param {number} steps
 * @returns {{ seconds: number, drawn: Uint32Array }}
 */
function draw(core, steps) {
  const { part } = core;
  const inputs = inputsOf(part);
  const session = core.openSession(
    { seed: 1n, samples: 1, temperature: 1, topK: 0, topP: 1, lookAhead: false, lookUp: false },
    { inputs, length: part.span ? Math.min(steps + 1, part.length || Infinity) : 0 },
  );
  for (const [name, ids] of Object.entries(inputs)) core.input(session, name, ids);
  const before = process.cpuUsage();
  while (core.encode(session)) continue;
  /** @type {number[]} */
  const drawn = [];
  while (part.span && core.position(session) < steps) {
    const { ids, ended } = core.draw(session, Math.min(16, steps - core.position(session)));
    drawn.push(...ids);
    if (ended) break;
  }
  const { user, system } = process.cpuUsage(before);
  for (const { name } of part.results)
    drawn.push(...new Uint32Array(core.result(session, name, 0, Math.min(8192, core.resultLength(session, name))).buffer));
  core.closeSession(session);
  return { seconds: (user + system) / 1e6, drawn: Uint32Array.from(drawn) };
}

/** @param {number[]} numbers */
const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/**
 * Compares both versions on one weight file in this process, and sets the exit code.
 *
 * @param {string} name
 */
async function compare(name) {
  const open = await Promise.all([old, HERE].map(opener));
  const file = new Uint8Array(await readFile(`${old}/weights/${name}.gguf`));
  const cores = open.map((make) => make(file));
  const { length } = cores[0].part;
  let steps = Math.min(length || 64, 64);
  // A warm-up, because V8 recompiles hot code in the background. Without the warm-up, short runs would measure the slower code that V8
  // generates first.
  for (let i = 0, spent = 0; i < 6 || spent < WARM_SECONDS; i++) for (const core of cores) spent += draw(core, steps).seconds;
  steps = Math.min(length || 512, 512);
  const { seconds } = draw(cores[1], steps);
  const times = Math.max(1, Math.round(ROUND_MS / Math.max(1000 * seconds, SHORTEST_MS)));
  const ratios = [];
  let same = true;
  for (let round = 0; round < Number(rounds); round++) {
    const sums = [0, 0];
    /** @type {Uint32Array[]} */
    const drawn = [];
    for (let i = 0; i < 2 * times; i++) {
      // old, new, new, old, ...
      const which = (i ^ (i >> 1) ^ round) & 1;
      const one = draw(cores[which], steps);
      sums[which] += one.seconds;
      drawn[which] = one.drawn;
    }
    ratios.push(sums[0] / sums[1]);
    same &&= drawn[0].length === drawn[1].length && drawn[0].every((id, i) => id === drawn[1][i]);
  }
  const middle = median(ratios);
  console.log(
    `${name.padEnd(27)} ${String(times).padStart(4)} x ${String(steps).padStart(3)} positions  ${middle.toFixed(3)}  (${ratios[0].toFixed(3)} to ${ratios[ratios.length - 1].toFixed(3)})${same ? '' : '  OTHER BITS'}`,
  );
  if (!same) process.exitCode = OTHER_BITS;
  else if (middle < LEAST) process.exitCode = 1;
}

const files =
  names.length > 0
    ? names
    : (await readdir(`${old}/weights`))
        .filter((name) => name.endsWith('.gguf'))
        .map((name) => name.slice(0, -5))
        .sort();
if (files.length === 1) await compare(files[0]);
else {
  const alone = (/** @type {string} */ name) => {
    const options = ['--rounds', rounds, '--build', build];
    return spawnSync(process.execPath, [fileURLToPath(import.meta.url), old, ...options, name], { stdio: 'inherit' }).status;
  };
  for (const name of files) {
    const status = alone(name),
      again = status === 1 ? alone(name) : status;
    if (again) process.exitCode = again;
  }
}

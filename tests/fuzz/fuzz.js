// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Fuzzes the parsers that exist only in JavaScript: ./build.sh fuzz-js
 *
 *     node tests/fuzz/fuzz.js TARGET [--runs N] [--seconds N] [--seed N] [--out FOLDER]
 *     node tests/fuzz/fuzz.js TARGET FILE        runs one input, such as one that was found to fail
 *
 * Each file in targets/ is a target. Its `open()` returns initial inputs and the function under test. This function throws if it finds an
 * error. V8 reports the code coverage. Inputs that reach new code are kept and mutated further. The fuzzer needs only Node.
 *
 * @typedef {object} Target
 * @property {Uint8Array[]} seeds
 * @property {string[]} [words]  words that often occur in valid inputs
 * @property {(input: Uint8Array) => void | Promise<void>} run
 * @property {() => void} [close]
 */

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { Random } from './input.js';

/**
 * BATCH: number of inputs between two checks of the coverage. IDLE: after this number of checks without new coverage, the fuzzer stops
 * measuring coverage, because measuring takes time. LONGEST: maximum length of an input in bytes.
 */
const BATCH = 200;
const IDLE = 50;
const LONGEST = 4096;
/** An input that takes more processor time than MOST_MS is also reported as a fault. */
const MINUTE_MS = 60000;
const MOST_MS = 1000;

/** @type {Session} */
let session;

/** Starts counting the coverage of web/lib. */
async function count() {
  session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

/** Adds the code that ran since the last check to `seen`. Returns whether any of this code is new. @param {Set<string>} seen */
async function reached(seen) {
  const { size } = seen;
  const { result } = /** @type {any} */ (await session.post('Profiler.takePreciseCoverage'));
  for (const { url, functions } of result) {
    if (!url.includes('/web/lib/')) continue;
    for (const { ranges } of functions)
      for (const { count, startOffset, endOffset } of ranges) if (count > 0) seen.add(`${url} ${startOffset} ${endOffset}`);
  }
  return seen.size > size;
}

/**
 * Returns a copy of `bytes` in which `count` bytes, beginning at `at`, are replaced by `others`.
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} count
 * @param {Uint8Array} others
 */
function spliced(bytes, at, count, others) {
  const rest = Math.min(at + count, bytes.length);
  const result = new Uint8Array(bytes.length - (rest - at) + others.length);
  result.set(bytes.subarray(0, at));
  result.set(others, at);
  result.set(bytes.subarray(rest), at + others.length);
  return result;
}

const NONE = new Uint8Array(0);

/** @param {Random} random @param {Uint8Array[]} corpus @param {Uint8Array[]} words */
function changed(random, corpus, words) {
  let bytes = random.pick(corpus).slice();
  for (let i = 1 + random.below(4); i > 0; i--) {
    const at = random.below(bytes.length + 1);
    const long = 1 + random.below(random.below(8) ? 4 : 32);
    switch (random.below(8)) {
      case 0:
        if (bytes.length > 0) bytes[Math.min(at, bytes.length - 1)] ^= 1 << random.below(8);
        break;
      case 1:
        if (bytes.length > 0) bytes[Math.min(at, bytes.length - 1)] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)]);
        break;
      case 2:
        bytes = spliced(
          bytes,
          at,
          0,
          Uint8Array.from({ length: long }, () => random.below(256)),
        );
        break;
      case 3:
        bytes = spliced(bytes, at, long, NONE);
        break;
      case 4:
        bytes = spliced(bytes, at, 0, bytes.subarray(at, at + long));
        break;
      case 5: {
        const other = random.pick(corpus);
        const from = random.below(other.length);
        bytes = spliced(bytes, at, bytes.length, other.subarray(from, from + random.below(other.length)));
        break;
      }
      case 6:
        bytes = spliced(
          bytes,
          at,
          random.below(2) ? 4 : 0,
          Uint8Array.from({ length: 4 }, () => random.pick([0, 0xff])),
        );
        break;
      default:
        if (words.length > 0) bytes = spliced(bytes, at, 0, random.pick(words));
    }
  }
  return bytes.slice(0, LONGEST);
}

/**
 * @param {string} name
 * @param {{ runs?: number, seconds?: number, seed?: number, tell?: (runs: number) => void }} [how]  tell: called once a minute with the
 *   number of runs
 * @returns {Promise<{ runs: number, kept: number, found?: { input: Uint8Array, error: unknown } }>}
 */
export async function fuzz(name, { runs = Infinity, seconds = Infinity, seed = 1, tell } = {}) {
  const target = await openTarget(name);
  const random = new Random(seed);
  const words = (target.words ?? []).map((word) => new TextEncoder().encode(word));
  const corpus = [...target.seeds];
  const end = Date.now() + 1000 * seconds;
  /** @type {Set<string>} */
  const seen = new Set();
  let done = 0;
  let idle = 0;
  let input = corpus[0];
  /**
   * Keeps those inputs of a batch that reach new code.
   * @param {Uint8Array[]} batch
   * @param {Set<string>} known
   * @returns {Promise<void>}
   */
  const keep = async (batch, known) => {
    for (input of batch) await target.run(input);
    if (!(await reached(new Set(known)))) return;
    if (batch.length > 1) {
      const half = batch.length >> 1;
      await keep(batch.slice(0, half), known);
      return keep(batch.slice(half), known);
    }
    corpus.push(batch[0]);
    await target.run(batch[0]);
    await reached(known);
  };
  await count();
  let told = Date.now();
  try {
    for (; done < runs && Date.now() < end; ) {
      if (tell && Date.now() - told > MINUTE_MS) {
        told = Date.now();
        tell(done);
      }
      const batch = [];
      for (; batch.length < BATCH && done < runs; done++) {
        input = done < target.seeds.length ? target.seeds[done] : changed(random, corpus, words);
        const began = performance.now();
        const working = target.run(input);
        if (working) await working;
        if (performance.now() - began > MOST_MS) await isSlow(target, input);
        batch.push(input);
      }
      if (idle > IDLE) continue;
      const known = new Set(seen);
      idle = (await reached(seen)) ? 0 : idle + 1;
      if (idle === 0) await keep(batch, known);
      if (idle > IDLE) await session.post('Profiler.stopPreciseCoverage');
    }
  } catch (error) {
    return { runs: done, kept: corpus.length, found: { input, error } };
  } finally {
    session.disconnect();
    target.close?.();
  }
  return { runs: done, kept: corpus.length };
}

/** Returns whether the input itself is slow, and not only the machine. @param {Target} target @param {Uint8Array} input */
async function isSlow(target, input) {
  const before = process.cpuUsage();
  await target.run(input);
  const ms = process.cpuUsage(before).user / 1000;
  if (ms > MOST_MS) throw new Error(`takes ${Math.round(ms)} ms`);
}

/** The names of the targets. */
export const targets = () =>
  readdirSync(fileURLToPath(new URL('./targets', import.meta.url)))
    .map((file) => file.replace('.js', ''))
    .sort();

/** @param {string} name @returns {Promise<Target>} */
const openTarget = async (name) => (await import(new URL(`./targets/${name}.js`, import.meta.url).href)).open();

async function main() {
  const {
    values,
    positionals: [name, file],
  } = parseArgs({
    allowPositionals: true,
    options: {
      runs: { type: 'string' },
      seconds: { type: 'string' },
      seed: { type: 'string' },
      out: { type: 'string', default: 'build/fuzz' },
    },
  });
  if (!targets().includes(name)) throw new Error(`a target is one of ${targets().join(', ')}`);
  if (file) {
    const target = await openTarget(name);
    await target.run(new Uint8Array(readFileSync(file)));
    target.close?.();
    return console.log(`${file}: no fault found`);
  }
  const began = Date.now();
  const number = (/** @type {string | undefined} */ text) => (text === undefined ? undefined : Number(text));
  const tell = (/** @type {number} */ runs) => console.error(`${name}: ${runs} runs so far`);
  Error.stackTraceLimit = 0; // collecting a stack takes longer than most inputs; the command for a single input prints it
  const { runs, kept, found } = await fuzz(name, {
    runs: number(values.runs),
    seconds: number(values.seconds),
    seed: number(values.seed),
    tell,
  });
  const said = `${name}: ${runs} runs in ${Math.round((Date.now() - began) / 1000)} s, ${kept} inputs kept`;
  if (!found) return console.log(`${said}, nothing found`);
  mkdirSync(values.out, { recursive: true });
  const path = `${values.out}/${name}-${runs}`;
  writeFileSync(path, found.input);
  console.error(`${said}; FOUND, repeat with: node tests/fuzz/fuzz.js ${name} ${path}`);
  throw found.error;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main();

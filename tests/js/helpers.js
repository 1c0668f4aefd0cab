// SPDX-License-Identifier: MIT
// @ts-check

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { NextPixelError, load as loadModel } from '../../web/lib/index.js';
import { CODES } from '../../web/lib/engine/protocol.js';
import { isMade } from '../../web/tools/fresh.js';

/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const DIGITS = `${ROOT}weights/digits.gguf`;
export const GOLDEN = `${ROOT}tests/golden/`;

/** The path of a wasm build to test instead of the committed one; undefined if not set. */
const { NEXTPIXEL_WASM } = process.env;

export const wasmBytes = await readFile(NEXTPIXEL_WASM ?? `${ROOT}web/dist/nextpixel.wasm`);
export const wasmModule = await WebAssembly.compile(wasmBytes);

/**
 * The path of the bundled worker script, which starts faster than the separate modules in web/lib. If the bundle is out of date, the path
 * is undefined, and workers load the modules.
 */
const WORKER = (await isMade(`${ROOT}web/dist/page-shell.js`)) ? `${ROOT}web/dist/worker.js` : undefined;

/**
 * Calls load() with the wasm build that is tested.
 *
 * @param {Parameters<typeof loadModel>[0]} source
 * @param {Parameters<typeof loadModel>[1]} [options]
 * @returns {Promise<AnyModel>}
 */
export const load = async (source, options) =>
  /** @type {AnyModel} */ (await loadModel(source, { wasmUrl: NEXTPIXEL_WASM, workerUrl: WORKER, ...options }));

/**
 * Reads a run to its end.
 *
 * @param {AsyncIterable<import('../../web/lib/index.js').PictureStep>} run
 */
export async function collect(run) {
  /** @type {number[][]} */
  const values = [];
  /** @type {number[][]} */
  const nats = [];
  const steps = [];
  for await (const step of run) {
    (values[step.sample] ??= []).push(...step.values);
    (nats[step.sample] ??= []).push(...step.nats);
    steps.push(step);
  }
  return { values, nats, steps };
}

/**
 * @param {import('../../web/lib/engine/protocol.js').ErrorCode} code
 * @param {RegExp} [message]
 */
export function isError(code, message) {
  assert.ok(CODES.includes(code));
  /** @param {unknown} error */
  return (error) => {
    assert.ok(error instanceof NextPixelError, `not a NextPixelError: ${error}`);
    assert.equal(error.code, code, error.message);
    assert.equal(error.name, 'NextPixelError');
    if (message) assert.match(error.message, message);
    return true;
  };
}

/**
 * Sets the inputs of a run and encodes them.
 *
 * @param {import('../../web/lib/engine/core.js').Core} core
 * @param {import('../../web/lib/engine/sessions.js').Session} session
 * @param {import('../../web/lib/engine/protocol.js').Inputs} inputs
 * @returns {number} number of calls that encoding took
 */
export function give(core, session, inputs) {
  for (const [name, ids] of Object.entries(inputs)) core.input(session, name, ids);
  let calls = 1;
  while (core.encode(session)) calls++;
  return calls;
}

/** @param {number} ms */
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Returns the milliseconds of processor time that this process and its workers spend on a task. Other processes do not affect this time.
 *
 * @param {() => unknown} work
 */
export async function busyIn(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** @param {() => unknown} work @returns {number} milliseconds of processor time */
export function cost(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Returns the processor time that this process uses in the next `ms` milliseconds.
 *
 * @param {number} ms
 */
export const busyDuring = (ms) => busyIn(() => sleep(ms));

/**
 * Checks that there is a map for each head of each layer, and that the attention weights of each query add up to 1.
 *
 * @param {import('../../web/lib/index.js').AttentionMap[]} maps
 * @param {{ blocks: number, heads: number }} info
 */
export function assertMaps(maps, { blocks, heads }) {
  for (const name of new Set(maps.map((map) => map.name)))
    assert.deepEqual(
      maps.filter((map) => map.name === name).map(({ layer, head }) => [layer, head]),
      Array.from({ length: blocks * heads }, (_, i) => [Math.floor(i / heads), i % heads]),
    );
  assert.ok(maps.length > 0);
  for (const { queries, keys, weights } of maps) {
    assert.ok(queries instanceof Int32Array && keys instanceof Int32Array);
    assert.equal(weights.length, queries.length * keys.length);
    for (let i = 0; i < queries.length; i++) {
      const sum = weights.subarray(i * keys.length, (i + 1) * keys.length).reduce((total, weight) => total + weight, 0);
      assert.ok(Math.abs(sum - 1) < 1e-5, `${sum}`);
    }
  }
}

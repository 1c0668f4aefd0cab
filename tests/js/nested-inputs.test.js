// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Replaces one value at a time in saved runs and in the inputs of verbs. The new value is invalid: a list with holes or without an end, a
 * huge number, a wrong object, or a value that cannot be converted to text. The library must accept each changed input, or refuse it with a
 * message, within a short time.
 */

import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { after, test } from 'node:test';

import { NextPixelError } from '../../web/lib/index.js';
import { rowsOf } from '../kinds/js.js';
import { named } from '../kinds/rows.js';
import { load } from './helpers.js';

/** Returns a list of this length that has no items. @param {number} length */
const holes = (length) => Object.assign([], { length });
const VALUES = [
  undefined,
  null,
  -1,
  NaN,
  1e9,
  2n,
  '__proto__',
  [, 1],
  Object.create(null),
  Symbol('mine'),
  () => 1,
  'x'.repeat(1e5),
  holes(2 ** 32 - 1),
];
/** Time limit. Visiting every index of the list with 2^32 - 1 holes would take minutes. */
const AT_ONCE_MS = 5000;

/** Returns the paths of all parts of a value. @param {any} thing @param {number} [depth] @returns {string[][]} */
const waysIn = (thing, depth = 5) => [
  [],
  ...(depth > 0 && typeof thing === 'object' && thing !== null && !ArrayBuffer.isView(thing)
    ? Object.keys(thing)
        .slice(0, 4)
        .flatMap((key) => waysIn(thing[key], depth - 1).map((way) => [key, ...way]))
    : []),
];

/**
 * Returns a copy of `thing` with `part` at the path `way`.
 *
 * @param {any} thing
 * @param {string[]} way
 * @param {unknown} part
 * @returns {any}
 */
function withPart(thing, [key, ...way], part) {
  if (key === undefined) return part;
  const copy = Array.isArray(thing) ? [...thing] : { ...thing };
  copy[key] = withPart(thing[key], way, part);
  return copy;
}

/** Reads the first steps of a verb's result. @param {any} answer */
async function steps(answer) {
  const run = await answer;
  if (typeof run?.stop !== 'function') return run;
  let left = 2;
  for await (const step of run) if (step && --left === 0) run.stop();
  return run;
}

/** @param {() => any} call @param {string} what */
async function takenOrRefused(call, what) {
  const began = performance.now();
  let atOnce = 0;
  try {
    const answer = call();
    atOnce = performance.now() - began;
    await steps(answer);
  } catch (error) {
    atOnce ||= performance.now() - began;
    assert.ok(error instanceof NextPixelError && error.code !== 'trap', `${what}: ${error}`);
  }
  assert.ok(atOnce < AT_ONCE_MS, `${what}: ${atOnce} ms`);
}

const shown = (/** @type {unknown} */ value) =>
  typeof value === 'string'
    ? value.slice(0, 10)
    : Array.isArray(value)
      ? `a list of ${value.length}`
      : Object.prototype.toString.call(value);

for (const [name, { file, input }] of Object.entries(named(rowsOf('nested')))) {
  test(`each part of the input of ${basename(file, '.gguf')}, and of its saved runs, is accepted or refused`, async () => {
    const model = /** @type {any} */ (await load(file));
    after(() => model.close());
    const verb = name.replace(/^\w+\./, '');
    const given = input(model.info);
    const run = await steps(model[verb](...given));
    for (const way of waysIn(given).slice(1))
      for (const value of VALUES)
        await takenOrRefused(() => model[verb](...withPart(given, way, value)), `${verb} ${way.join('.')} = ${shown(value)}`);
    if (typeof run?.save !== 'function') return;
    const saved = JSON.parse(JSON.stringify(run.save()));
    await steps(model.resume(saved));
    for (const way of waysIn(saved, 2).slice(1))
      for (const value of VALUES)
        await takenOrRefused(() => model.resume(withPart(saved, way, value)), `resume ${way.join('.')} = ${shown(value)}`);
  });
}

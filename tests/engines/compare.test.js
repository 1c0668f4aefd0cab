// SPDX-License-Identifier: MIT
// @ts-check

/** Whether the judge of the determinism tests finds what is wrong. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { faults, table } from './compare.js';

/** @import { PlannedRun } from './plan.js' */

const run = /** @type {PlannedRun} */ ({ model: 'm', work: 'w', task: 'generate', samples: 2, shipped: true });

/** @param {Record<string, string>} [changed]  hashes by item; '' leaves it out */
function column(name = 'one', changed = {}, way = 'at once') {
  const hashes = { 'sample 0 values': 'a0', 'sample 0 nats': 'b0', 'sample 1 values': 'a1', 'sample 1 nats': 'b1', ...changed };
  const items = Object.entries(hashes).filter(([, hash]) => hash);
  return { name, results: items.map(([item, hash]) => ({ model: 'm', work: 'w', item, way, hash })) };
}

test('equal columns have no fault and equal cells', () => {
  const columns = [column('one'), column('two')];
  assert.deepEqual(faults([run], columns), []);
  const [, , row] = table([run], columns).split('\n');
  assert.match(row, /^m: w +([0-9a-f]{8}) +\1$/);
});

test('a difference between engines is found, and said who has what', () => {
  const found = faults([run], [column('one'), column('two'), column('three', { 'sample 1 nats': 'xx' })]);
  assert.deepEqual(found, ['m, w, sample 1 nats: b1 from one, two; but xx from three']);
});

test('a difference between ways of one engine is found', () => {
  const one = column();
  one.results.push(...column('one', { 'sample 0 values': 'xx' }, 'alone').results);
  assert.deepEqual(faults([run], [one]), ['m, w, sample 0 values: a0 from one (at once); but xx from one (alone)']);
  assert.match(table([run], [one]), /differs/);
});

test('what is missing or too much is found', () => {
  assert.deepEqual(faults([run], [column('one'), column('two', { 'sample 1 nats': '' })]), ['two: missing: m, w, sample 1 nats']);
  assert.match(faults([run], [column('one', { 'sample 2 nats': 'b2' })])[0], /not in the plan/);
  assert.match(table([run], [column('one', { 'sample 1 nats': '' })]), /missing/);
});

test('samples that are all the same are found', () => {
  assert.deepEqual(faults([run], [column('one', { 'sample 1 nats': 'b0' })]), ['one: samples are alike: m, w']);
  assert.deepEqual(faults([{ ...run, shipped: false }], [column('one', { 'sample 1 nats': 'b0' })]), []);
});

// SPDX-License-Identifier: MIT
// @ts-check

/**
 * compare.js and pages.js compare the results of the determinism tests. This file tests that both detect errors, and how long pages.js
 * waits.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { faults, table } from './compare.js';
import { pageFaults, pageTable, see } from './pages.js';

/** @import { PlannedRun } from './plan.js' */

const run = /** @type {PlannedRun} */ ({ model: 'm', work: 'w', task: 'generate', samples: 2, shipped: true });

/** @param {Record<string, string>} [changed]  hashes by item; '' removes the item */
function column(name = 'one', changed = {}, way = 'at once') {
  const hashes = { 'sample 0 values': 'a0', 'sample 0 nats': 'b0', 'sample 1 values': 'a1', 'sample 1 nats': 'b1', ...changed };
  const items = Object.entries(hashes).filter(([, hash]) => hash);
  return { name, results: items.map(([item, hash]) => ({ model: 'm', work: 'w', item, way, hash })) };
}

test('equal columns cause no fault, and have equal cells', () => {
  const columns = [column('one'), column('two')];
  assert.deepEqual(faults([run], columns), []);
  const [, , row] = table([run], columns).split('\n');
  assert.match(row, /^m: w +([0-9a-f]{8}) +\1$/);
});

test('a difference between engines is found and attributed', () => {
  const found = faults([run], [column('one'), column('two'), column('three', { 'sample 1 nats': 'xx' })]);
  assert.deepEqual(found, ['m, w, sample 1 nats: b1 from one, two; but xx from three']);
});

test('a difference between modes of one engine is found', () => {
  const one = column();
  one.results.push(...column('one', { 'sample 0 values': 'xx' }, 'alone').results);
  assert.deepEqual(faults([run], [one]), ['m, w, sample 0 values: a0 from one (at once); but xx from one (alone)']);
  assert.match(table([run], [one]), /differs/);
});

test('missing and superfluous results are found', () => {
  assert.deepEqual(faults([run], [column('one'), column('two', { 'sample 1 nats': '' })]), ['two: missing: m, w, sample 1 nats']);
  assert.match(faults([run], [column('one', { 'sample 2 nats': 'b2' })])[0], /not in the plan/);
  assert.match(table([run], [column('one', { 'sample 1 nats': '' })]), /missing/);
});

test('samples that are all equal are found', () => {
  assert.deepEqual(faults([run], [column('one', { 'sample 1 nats': 'b0' })]), ['one: samples are alike: m, w']);
  assert.deepEqual(faults([{ ...run, shipped: false }], [column('one', { 'sample 1 nats': 'b0' })]), []);
});

/** @param {string} engine @param {Record<string, string>} [changed] hashes by name @param {string[]} [complaints] */
const sight = (engine, changed = {}, complaints = []) => ({
  page: 'p',
  engine,
  complaints,
  pictures: Object.entries({ first: 'a0', second: 'a1', ...changed })
    .filter(([, hash]) => hash)
    .map(([name, hash]) => ({ name, size: '28 x 28', hash, blank: hash === 'blank' })),
});

test('pages that look the same everywhere have no fault', () => {
  const sights = [sight('one'), sight('two')];
  assert.deepEqual(pageFaults(['p'], ['one', 'two'], sights), []);
  assert.match(pageTable(['p'], ['one', 'two'], sights), /^p +2 +([0-9a-f]{8}) +\1$/m);
});

test('all of these are found: a different, missing or empty picture, different text, a console error, a page that was not opened', () => {
  /** @param {...ReturnType<typeof sight>} sights */
  const found = (...sights) => pageFaults(['p'], ['one', 'two'], sights);
  assert.deepEqual(found(sight('one'), sight('two', { second: 'xx' })), [
    'p: picture 2 ("second", 28 x 28) differs in two ("second", 28 x 28)',
  ]);
  assert.deepEqual(found(sight('one'), sight('two', { second: '' })), ['p: 2 pictures in one, 1 in two']);
  assert.deepEqual(found(sight('one'), sight('two', { second: '', other: 'a1' })), ['p: picture 2 is "second" in one, "other" in two']);
  const blank = { first: 'blank', second: 'blank' };
  assert.deepEqual(found(sight('one', blank), sight('two', blank)), ['p in one: nothing is drawn', 'p in two: nothing is drawn']);
  assert.deepEqual(found(sight('one'), sight('two', {}, ['console.error: no'])), ['p in two: console.error: no']);
  assert.deepEqual(found(sight('one')), ['p in two: was not opened']);
});

test('a figure may take long while it changes; a figure that no longer changes is reported', async () => {
  /** Opens a page whose figure changes at the first polls, and is drawn at a later one. @param {number} changes @param {number} drawn */
  const seeing = (changes, drawn) => {
    let polls = 0;
    const answer = () => ({ drawn: ++polls === drawn ? [{ name: '', size: '', text: '1;2;3' }] : null, changes: Math.min(polls, changes) });
    const session = {
      evaluate: async (/** @type {string} */ text) => JSON.stringify(text.includes('drawn') ? answer() : []),
      screenshot: async () => Buffer.alloc(0),
      close: async () => {},
    };
    const engine = /** @type {any} */ ({ name: 'one', open: async () => session });
    return see(engine, '', 'p', undefined, 1500);
  };
  const [slow, stuck] = await Promise.all([seeing(9, 4), seeing(1, 9)]);
  assert.deepEqual([slow.pictures.length, slow.complaints], [1, []]);
  assert.equal(stuck.pictures.length, 0);
  assert.match(stuck.complaints.join(), /^not drawn after \d+ seconds, without a change for \d+$/);
});

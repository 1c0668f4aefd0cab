// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the sentences on a page that describe what an attention head does. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { relation } from '../../web/pages/transformer/relation.js';

/** Returns n rows of attention weights, each with all weight in one column. @param {number} n @param {(i: number) => number} column */
const rows = (n, column) => Array.from({ length: n }, (_, i) => Float32Array.from({ length: n }, (_, j) => Number(j === column(i))));

test('the description names the relation that has most of the weight', () => {
  assert.equal(relation([], 'encoder'), '');
  assert.equal(
    relation(
      rows(5, (i) => i),
      'encoder',
    ),
    'itself 100%',
  );
  assert.equal(
    relation(
      rows(5, (i) => i - 1),
      'encoder',
    ),
    'one before 80%',
  );
  assert.equal(
    relation(
      rows(5, (i) => i + 1),
      'encoder',
    ),
    'one after 80%',
  );
  assert.equal(
    relation(
      rows(5, () => 4),
      'encoder',
    ),
    'the end 100%',
  );
  assert.equal(
    relation(
      rows(5, (i) => i),
      'attention',
    ),
    'last word 100%',
  );
  assert.equal(
    relation(
      rows(5, () => 0),
      'attention',
    ),
    'the start 100%',
  );
  assert.equal(
    relation(
      rows(5, (i) => (i * 3) % 4),
      'source',
    ),
    'one word 100%',
  );
  // an empty text consists of the end token alone
  for (const kind of ['encoder', 'attention', 'source']) assert.match(relation([[0.2]], kind), /^over 1 tokens$/, kind);
  assert.equal(relation([[1]], 'source'), 'the end 100%');
  assert.equal(relation(Array(6).fill(new Float32Array(6).fill(1 / 6)), 'encoder'), 'over 6 tokens');
});

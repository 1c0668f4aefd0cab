// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the code of the page `tokens`: the branches of a story, and the effect of the sampling filters. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { OPEN, cut } from '../../web/pages/tokens/filters.js';
import { Tale } from '../../web/shell/text/tale.js';
import { tokenizer } from '../../web/lib/index.js';
import { GOLDEN, load } from './helpers.js';

const STORIES = `${GOLDEN}stories260K.gguf`;

test('a story branches, and keeps every branch', async () => {
  const words = await tokenizer(STORIES);
  const tale = new Tale(words.encode('One day', { special: true }), words);
  const given = tale.given;
  const say = (/** @type {string} */ text) => {
    for (const token of words.encode(text).subarray(1)) tale.add({ token, nats: 1 });
  };
  say('x, a cat sat.');
  const first = tale.ids;
  assert.equal(tale.branches().length, 1);
  const at = given + 3;
  tale.branch(at, { token: words.encode('z')[1], nats: 2 });
  assert.deepEqual(tale.ids.slice(0, at), first.slice(0, at));
  say('x ran.');
  const second = tale.ids;
  const [main, branch] = tale.branches();
  assert.deepEqual([main.told, branch.told, main.depth, branch.depth, branch.at], [false, true, 0, 1, at]);
  tale.choose(main.end);
  assert.deepEqual(tale.ids, first);
  // Choosing the same token again leads to the end of the existing branch.
  tale.branch(at, { token: words.encode('z')[1], nats: 2 });
  assert.deepEqual(tale.ids, second);
  assert.equal(tale.branches().length, 2);
  // Continuing at the end of a branch extends this branch and adds none.
  say('x Yes.');
  assert.equal(tale.branches().length, 2);
  assert.equal(tale.texts().join(''), words.decode(tale.ids));
});

test("the page's filters keep the same tokens as the library's filters", async () => {
  const model = await load(STORIES);
  const base = { seed: 0, maxTokens: 1, alternatives: 512 };
  /** @type {import('../../web/lib/index.js').Alternative[]} */
  let all = [];
  for await (const { alternatives = [] } of model.generate('Tom had a', base)) all = alternatives;
  assert.ok(Math.abs(all.reduce((sum, { nats }) => sum + Math.exp(-nats), 0) - 1) < 1e-3);
  for (const filters of [
    { ...OPEN, topK: 3 },
    { ...OPEN, topP: 0.5 },
    { ...OPEN, minP: 0.2 },
    { temperature: 1.5, topK: 12, topP: 0.7, minP: 0.1 },
    { ...OPEN, temperature: 0 },
  ]) {
    const { drawn, kept } = cut(all, filters);
    assert.ok(Math.abs(drawn.reduce((sum, p) => sum + p, 0) - 1) < 1e-9);
    // The library must draw only tokens that the page's filters keep. The count of the most probable token must be within four standard
    // deviations of its expected count.
    const counts = new Map();
    const draws = 300;
    for (let seed = 0; seed < draws; seed++) {
      for await (const { token } of model.generate('Tom had a', { ...filters, seed, maxTokens: 1 }))
        counts.set(token, (counts.get(token) ?? 0) + 1);
    }
    const left = new Set(all.slice(0, kept).map(({ token }) => token));
    for (const token of counts.keys()) assert.ok(left.has(token), `${JSON.stringify(filters)}: ${token}`);
    const p = drawn[0];
    const spread = 4 * Math.sqrt(draws * p * (1 - p)) + 1e-9;
    assert.ok(
      Math.abs((counts.get(all[0].token) ?? 0) - draws * p) <= spread,
      `${JSON.stringify(filters)}: ${counts.get(all[0].token)} of ${draws * p}`,
    );
  }
  model.close();
});

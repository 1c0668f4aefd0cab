// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests parts of the Transformer page without a browser:
 *
 * - the translations of the example sentences
 * - the order of shuffled words
 * - the mean over attention heads
 * - a copy of the weight file without positions
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EXAMPLES } from '../../web/pages/transformer/examples.js';
import { withoutPositions } from '../../web/pages/transformer/placeless.js';
import { shuffled } from '../../web/pages/transformer/words.js';
import { meanOf } from '../../web/shell/text/maps.js';
import { visible } from '../../web/shell/text/words.js';
import { EVERY, longer } from '../more.js';
import { readGGUF } from './gguf.js';
import { ROOT, load } from './helpers.js';
import { toyTranslation } from './toy-translation.js';

longer("the page's example sentences have the translations that it states, greedily and with any number of beams", async () => {
  const model = await load(`${ROOT}weights/de-en.gguf`);
  for (const [sentence, translation] of Object.entries(EXAMPLES)) {
    for (const beams of EVERY ? [1, 2, 4, 8] : [1, 4])
      assert.equal(await model.translate(sentence, { beams }).text(), translation, `${beams} beams`);
  }
  model.close();
});

test('shuffled words keep their tokens together, and the end token stays last', () => {
  let state = 1;
  const random = () => (state = (Math.imul(state, 48271) >>> 0) % 2147483647) / 2147483647;
  const tokens = Uint32Array.of(5, 6, 7, 8, 9, 0);
  const words = ['Ein', ' H', 'und', ' schläft', '.', ''];
  const orders = new Set();
  for (let i = 0; i < 20; i++) {
    const other = shuffled(tokens, words, random);
    assert.deepEqual([...other.tokens].sort(), [0, 5, 6, 7, 8, 9]);
    assert.equal(other.tokens[5], 0);
    assert.equal(other.tokens[other.tokens.indexOf(6) + 1], 7);
    assert.notEqual(other.text, 'Ein Hund schläft.');
    assert.deepEqual(other.text.split(' ').sort(), ['Ein', 'Hund', 'schläft.']);
    orders.add(other.text);
  }
  assert.equal(orders.size, 5, 'every order except the original');
  assert.deepEqual(shuffled(Uint32Array.of(5, 0), ['ja', '']), { tokens: [5, 0], text: 'ja' });
  assert.equal(visible('', '⏎'), '⏎');
});

test('meanOf() averages the selected heads', () => {
  const [queries, keys] = [Int32Array.of(0), Int32Array.of(0)];
  const maps = [1, 2, 3, 4].map((n, i) => ({ name: 'source', layer: i >> 1, head: i % 2, queries, keys, weights: Float32Array.of(n) }));
  const mean = (/** @type {number} */ layer, /** @type {number} */ head) => meanOf(maps, { layer, head })[0];
  assert.deepEqual([meanOf(maps)[0], mean(-1, -1), mean(0, -1), mean(1, -1), mean(-1, 0), mean(1, 1)], [2.5, 2.5, 1.5, 3.5, 2, 4]);
});

test('a file without positions has the same weights, and its metadata say that it has no positions', async () => {
  for (const description of ['copies', '']) {
    const file = toyTranslation({ metadata: { 'general.description': ['string', description] } });
    const other = withoutPositions(file);
    assert.equal(other.length, file.length);
    const [was, is] = [readGGUF(file), readGGUF(other)];
    assert.equal(is.metadata['transformer.position.type'], 'none');
    assert.equal(is.metadata['general.description'].trim(), description);
    for (const [key, value] of Object.entries(was.metadata))
      if (!/position|description/.test(key)) assert.deepEqual(is.metadata[key], value, key);
    assert.deepEqual(is.tensors, was.tensors);
    const model = await load(other);
    const [tokens, end] = [[...model.translate('ab c x').source.slice(0, -1)], 2];
    const forward = await model.translate([...tokens, end], { maxTokens: 9 }).text();
    assert.equal(await model.translate([...tokens.reverse(), end], { maxTokens: 9 }).text(), forward, 'a bag of words');
    model.close();
  }
  assert.throws(() => withoutPositions(new Uint8Array(100)), /has no key transformer\.position\.type/);
});

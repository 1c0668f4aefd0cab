// SPDX-License-Identifier: MIT
// @ts-check

/** The walkthrough on the Image Transformer page computes one layer. Its attention weights must equal the map that the engine returns,
 * and its output must equal the output of a model with only this layer. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { passOf, readLayer } from '../../web/pages/image-transformer/one-layer.js';
import { ROOT } from './helpers.js';

const bytes = readFileSync(`${ROOT}weights/digits.gguf`);
const strip = readFileSync(`${ROOT}web/pictures/digits.bin`);
const DIGIT = new Uint8Array(strip.subarray(16, 16 + 784));
const image = { data: DIGIT, width: 28, height: 28 };
const layer = readLayer(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const shades = Array.from(DIGIT, (value) => Math.round((value * 15) / 255));

/** @param {import('../../web/lib/index.js').AttentionMap[]} maps @param {ReturnType<typeof passOf>} pass */
function agrees(maps, pass) {
  for (const { head, weights } of maps.filter(({ layer: at }) => at === 0))
    weights.forEach((weight, k) => assert.ok(Math.abs(pass.shares[head][k] - weight) < 0.01, `head ${head}, key ${k}`));
}

for (const [row, column, label] of /** @type {[number, number, string][]} */ ([
  [0, 1, ''],
  [6, 20, ''],
  [13, 12, '3'],
  [27, 27, ''],
])) {
  test(`row ${row}, column ${column}${label && `, told ${label}`}`, async () => {
    const model = await load(bytes);
    const attention = await model.attention(image, { row, column, ...(label && { label }) });
    const pass = passOf(layer, { shades, elements: attention[0].keys, label });
    agrees(attention, pass);
    model.close();
  });
}

test("the layer's output gives the probabilities of a model with only this layer", async () => {
  const short = Buffer.from(bytes);
  const key = 'image-transformer.block_count';
  short.writeUInt32LE(1, short.indexOf(key) + key.length + 4); // the value follows its type
  const one = await load(short);
  const at = 13 * 28 + 12;
  const { perElement } = await one.score(image);
  const attention = await one.attention(image, { row: 13, column: 12 });
  const { output } = passOf(layer, { shades, elements: attention[0].keys, label: '' });
  const [weights, bias] = [layer.tensor('output.weight'), layer.tensor('output.bias')];
  const logits = Array.from({ length: 16 }, (_, v) => output.reduce((sum, x, i) => sum + x * weights[v * layer.d + i], bias[v]));
  const nats = Math.log(logits.reduce((sum, z) => sum + Math.exp(z), 0)) - logits[shades[at]];
  assert.ok(Math.abs(nats - perElement[at]) < 0.05, `${nats}, ${perElement[at]}`);
  one.close();
});

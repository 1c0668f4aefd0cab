// SPDX-License-Identifier: MIT
// @ts-check

/** The network that learns on the page of the FVSBN: its sums against the engine and against slopes, and the figure. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { readTensor } from '../../web/pages/fvsbn/gguf.js';
import { blankNetwork, drawFrom, learn, natsOf } from '../../web/pages/fvsbn/learning.js';
import { session } from './browser.js';
import { inRepository } from './gallery.js';

const { withPage } = session();
const FILE = inRepository('weights/fvsbn.gguf');
const options = { skip: !existsSync(FILE) && 'weights/fvsbn.gguf is missing' };

/** A test digit in 0 and 1. @param {number} k */
const digit = async (k) => Uint8Array.from((await readFile(inRepository('web/pictures/digits.bin'))).subarray(16 + 784 * k, 16 + 784 * (k + 1)), (grey) => Number(grey > 127));

test('nats with the weights of the file are those of the engine', options, async () => {
  const buffer = await readFile(FILE);
  const file = /** @type {ArrayBuffer} */ (buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.length));
  const network = { weight: readTensor(file, 'fvsbn.weight').values, bias: readTensor(file, 'fvsbn.bias').values };
  const model = await load(new Uint8Array(buffer));
  for (const k of [0, 14, 39]) {
    const ink = await digit(k);
    const { nats } = await model.score({ data: ink.map((x) => 255 * x), width: 28, height: 28 });
    assert.ok(Math.abs(natsOf(network, ink) - nats) < 1e-2, `${natsOf(network, ink)} ${nats}`);
  }
  model.close();
});

test('a step goes down the slope of the nats, and only pixels before one vote on it', async () => {
  const [ink, network] = [await digit(5), blankNetwork()];
  for (let k = 0; k < 5; k++) learn(network, await digit(k), 0.05);
  const [before, rate, h] = [{ weight: network.weight.slice(), bias: network.bias.slice() }, 1e-3, 1e-2];
  learn(network, ink, rate);
  /** @param {'weight' | 'bias'} what @param {number} at */
  const slope = (what, at) => {
    const moved = (/** @type {number} */ by) => natsOf({ ...before, [what]: before[what].map((w, i) => (i === at ? w + by : w)) }, ink);
    return (moved(h) - moved(-h)) / (2 * h);
  };
  for (const at of [200, 300, 410]) assert.ok(Math.abs((network.bias[at] - before.bias[at]) / rate + slope('bias', at)) < 2e-2);
  const from = ink.indexOf(1);
  for (const at of [from * 784 + from + 1, from * 784 + 500]) assert.ok(Math.abs((network.weight[at] - before.weight[at]) / rate + slope('weight', at)) < 2e-2);
  for (let j = 0; j < 784; j++) for (let i = 0; i <= j; i++) assert.equal(network.weight[784 * j + i], 0);
  assert.ok(drawFrom(network, Math.random).every((x) => x === 0 || x === 1));
});

test('the figure learns: nats fall for what it learns from', () => withPage(async (page) => {
  await page.goto('/web/pages/fvsbn/');
  await page.locator('#learn-transport[data-phase=ready]').waitFor();
  await page.locator('#learn-run').click();
  await page.locator('#learn-transport[data-phase=done]').waitFor();
  const [, own, other] = /(\d+) nats for the 9 digits that it learns from \(dark\), (\d+) for 3/.exec(await page.locator('#learn [data-result]').textContent() ?? '') ?? [];
  assert.ok(Number(own) < 50 && Number(other) > Number(own), `${own} ${other}`);
}, { reducedMotion: 'reduce' }));

// SPDX-License-Identifier: MIT
// @ts-check

/** The training digits of the page of the FVSBN, and that the page's own sums are those of the engine. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { readTensor } from '../../web/pages/fvsbn/gguf.js';
import { natsOf } from '../../web/pages/fvsbn/learning.js';
import { unpack } from '../../web/pages/fvsbn/training-digits.js';
import { ROOT, load } from './helpers.js';

const FILE = `${ROOT}weights/fvsbn.gguf`;
const bits = new Uint8Array(readFileSync(`${ROOT}web/pictures/binarised-digits.bin`));
const digits = unpack(bits);

test('the file of training digits is the one that its page tells of', () => {
  assert.equal(digits.length, 200);
  const { 1: sha } = /sha256\n`(\w+)`/.exec(readFileSync(`${ROOT}web/pictures/binarised-digits.md`, 'utf8')) ?? [];
  assert.equal(createHash('sha256').update(bits).digest('hex'), sha);
  assert.throws(() => unpack(bits.subarray(1)), /damaged/);
  assert.throws(() => unpack(new Uint8Array()), /damaged/);
});

test('the same sums as the engine: the nats of digits by the weights of the file', { skip: !existsSync(FILE) && 'weights/fvsbn.gguf is missing' }, async () => {
  const file = readFileSync(FILE);
  const buffer = /** @type {ArrayBuffer} */ (file.buffer.slice(file.byteOffset, file.byteOffset + file.length));
  const weights = { weight: readTensor(buffer, 'fvsbn.weight').values, bias: readTensor(buffer, 'fvsbn.bias').values };
  const model = await load(FILE);
  for (const picture of digits.slice(0, 5)) {
    const { nats } = await model.score({ data: picture.map((x) => 255 * x), width: 28, height: 28 });
    assert.ok(Math.abs(nats - natsOf(weights, picture)) < 1e-3, `${nats}`); // sums in single precision, with another exp
  }
  model.close();
});

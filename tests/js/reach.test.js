// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the receptive field of a pixel after each layer, as the page same-digit computes it. The page and the weight files must use equal
 * kernel shapes. For each number of layers, the engine runs a model with only the first layers, and this test flips pixels of the model's
 * input. A flip outside the field must change nothing. A flip inside the field need not have a visible effect, because its influence may be
 * too small for single precision.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { readGguf } from '../../web/shell/model/gguf.js';
import { before, reachOf } from '../../web/pages/same-digit/reach.js';
import { FAR, NEAR, keysOf } from '../../web/pages/sparse/patterns.js';
import { REACHES } from '../../web/pages/same-digit/reaches.js';

const SIDE = 28;
/** The pixel whose field is tested, and the number of other pixels that are flipped. */
const [ASKED, FLIPPED] = [9 * SIDE + 11, 24];

/** @param {string} file */
function read(file) {
  const { buffer, byteOffset, length } = readFileSync(new URL(`../../weights/${file}`, import.meta.url));
  return buffer.slice(byteOffset, byteOffset + length);
}

/** Returns a copy of a file whose model has only this many blocks. @param {ArrayBuffer} file @param {string} key @param {number} blocks */
function cut(file, key, blocks) {
  const copy = new Uint8Array(file.slice(0));
  const at = Buffer.from(copy.buffer).indexOf(key);
  new DataView(copy.buffer).setUint32(at + key.length + 4, blocks, true); // the value follows its type
  return copy;
}

/** @param {string} file */
const stackOf = (file) => {
  const { stack } = REACHES.find((reach) => reach.file === file) ?? {};
  assert.ok(stack);
  return stack;
};

test('the page uses the same kernel shapes as the files', () => {
  for (const { file, stack } of REACHES) {
    if (!stack) continue;
    const { facts } = readGguf(read(file));
    const fact = (/** @type {string} */ name) => facts.get(`${facts.get('general.architecture')}.${name}`);
    assert.equal(stack.rows, fact('image.height'), file);
    if (file.startsWith('wavenet')) {
      assert.deepEqual(
        [1, ...fact('dilations')],
        Array.from({ length: stack.layers }, (_, layer) => 400 - [...stack.keys(layer, 400)][0]),
      );
      continue;
    }
    assert.equal(stack.layers, fact('block_count') ?? 1, file);
    const widest = new Set([...stack.keys(0, 500), 500]).size;
    const block = fact('attention.query_block');
    if (block) assert.equal(widest, Math.min(fact('attention.memory_block'), 500 - (500 % block)) + (500 % block) + 1, file);
  }
});

for (const [file, key, depths] of /** @type {[string, string, number[]][]} */ ([
  ['image-transformer-digits-bw.gguf', 'image-transformer.block_count', [1, 2]],
  ['sparse-digits.gguf', 'sparse-transformer.block_count', [1, 2, 3]],
  ['wavenet-digits.gguf', '', [21]],
  ['fvsbn.gguf', '', [1]],
])) {
  test(`${file}: after ${depths.join(', ')} layers, the engine sees no further than the page says`, async () => {
    const stack = stackOf(file);
    const bytes = read(file);
    // For the Image Transformer, the tested pixel is further down, so that some earlier pixels are outside its field.
    const asked = file.startsWith('image') ? 22 * SIDE + 11 : ASKED;
    const reach = reachOf(stack, asked);
    const drawn = before(stack, asked);
    for (const depth of depths) {
      const model = await load(key ? cut(bytes, key, depth) : new Uint8Array(bytes));
      const image = {
        data: Uint8Array.from({ length: SIDE * SIDE }, (_, i) => (i % 5 === 0 || i % 7 === 3 ? 255 : 0)),
        width: SIDE,
        height: SIDE,
      };
      const costs = async () => (await model.score(image)).perElement[asked];
      const first = await costs();
      let [seen, felt] = [0, 0];
      for (let k = 0; k < FLIPPED; k++) {
        const pixel = Math.round(((k + 0.5) * (asked - 1)) / FLIPPED);
        image.data[pixel] ^= 255;
        const changed = (await costs()) !== first;
        image.data[pixel] ^= 255;
        if (changed) assert.ok(reach[depth - 1][pixel] && drawn[pixel], `after ${depth} layers pixel ${pixel} affects ${asked}`);
        seen += reach[depth - 1][pixel];
        felt += Number(changed);
      }
      assert.ok(felt > 0, `after ${depth} layers ${felt} of ${seen} pixels have an effect`);
      await model.close();
    }
  });
}

test('the receptive field of 2D local attention grows with each layer, and in the end contains all earlier pixels', () => {
  const stack = stackOf('cifar10-sr-2d.gguf');
  const pixel = 21 * 32 + 18;
  const sizes = reachOf(stack, pixel).map((seen) => seen.reduce((a, b) => a + b, 0));
  assert.ok(
    sizes.every((size, i) => i === 0 || size >= sizes[i - 1]),
    String(sizes),
  );
  assert.ok(sizes[0] < 200 && sizes[5] === before(stack, pixel).reduce((a, b) => a + b, 0), String(sizes));
});

test('strided attention reads the positions that the page on sparse attention describes', () => {
  const stack = stackOf('sparse-digits.gguf');
  for (const position of [0, 27, 28, 300, 783]) {
    for (const [layer, sets] of [
      [0, NEAR],
      [1, FAR],
      [4, NEAR],
    ]) {
      assert.deepEqual(
        [...stack.keys(layer, position)].sort((a, b) => a - b),
        keysOf({ kind: 'strided', n: 784, stride: 28, summary: 0 }, sets, position),
      );
    }
  }
});

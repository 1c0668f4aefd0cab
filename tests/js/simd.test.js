// SPDX-License-Identifier: MIT
// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fastest, supported } from '../../web/lib/workers/simd.js';

const byte = (/** @type {number} */ x) => (x << 24) >> 24;

/**
 * The possible results of the relaxed SIMD dot product on different processors and engines. The exact result is 7 plus four
 * equal products of x and y.
 *
 * @type {Record<string, (x: number, y: number) => number>}
 */
const MACHINES = {
  'both signed (Arm)': (x, y) => 7 + 4 * byte(x) * byte(y),
  'the second operand unsigned (x86 with AVX-VNNI)': (x, y) => 7 + 4 * byte(x) * (y & 255),
  '16-bit sums of two products (x86 without AVX-VNNI)': (x, y) => 7 + 2 * Math.max(-32768, Math.min(32767, 2 * byte(x) * (y & 255))),
  'V8 11.3, which is wrong': () => 7,
};

test('each machine gets its fastest build', (t) => {
  const { Instance } = WebAssembly;
  const found = Object.entries(MACHINES).map(([name, a]) => {
    t.mock.method(WebAssembly, 'Module', class {});
    t.mock.method(WebAssembly, 'Instance', function instance() {
      return { exports: { a } };
    });
    const build = fastest();
    t.mock.restoreAll();
    return [name, build];
  });
  assert.equal(WebAssembly.Instance, Instance);
  assert.deepEqual(
    found.map(([, build]) => build),
    ['relaxed', 'relaxed', 'pairs', 'baseline'],
    JSON.stringify(found),
  );
});

test('here', () => {
  assert.equal(supported, true);
});

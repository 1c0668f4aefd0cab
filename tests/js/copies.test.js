// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the code that checks whether a cached copy of a file is still valid. The tests cover the headers of different servers, compressed
 * and uncompressed responses, and the same or another origin.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isSame, keeper } from '../../web/lib/load/cache.js';

/** @type {Response | undefined} */
let kept;
const CACHES = {
  open: async () => ({
    put: async (/** @type {string} */ _, /** @type {Response} */ copy) => {
      kept = copy;
    },
  }),
};

/**
 * Replaces the global `caches`, but only during one test, because other test files may share the process.
 *
 * @param {import('node:test').TestContext} t
 */
function replaceCaches(t) {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'caches');
  Object.defineProperty(globalThis, 'caches', { configurable: true, value: CACHES });
  t.after(() => {
    if (own) Object.defineProperty(globalThis, 'caches', own);
    else delete (/** @type {any} */ (globalThis).caches);
  });
}

const FILE = new Uint8Array(1000);
const DAY = 'Mon, 01 Jan 2024 00:00:00 GMT';

test('a copy is valid while the server has the same version, in any encoding', async (t) => {
  replaceCaches(t);
  /** @type {[string, Record<string, string>, Record<string, string>, boolean][]} */
  const visits = [
    ['plain', { 'content-length': '1000', 'last-modified': DAY }, { 'content-length': '1000', 'last-modified': DAY }, true],
    ['compressed', { 'content-length': '300', 'last-modified': DAY }, { 'content-length': '300', 'last-modified': DAY }, true],
    ['compressed by the server on the fly, without a length', { 'last-modified': DAY }, { 'last-modified': DAY }, true],
    ['tagged', { etag: '"1"', 'content-length': '300' }, { etag: '"1"', 'content-length': '301' }, true],
    ['another tag', { etag: '"1"', 'last-modified': DAY }, { etag: '"2"', 'last-modified': DAY }, false],
    ['changed, compressed', { 'content-length': '300', 'last-modified': DAY }, { 'content-length': '301', 'last-modified': DAY }, false],
    [
      'of another day',
      { 'content-length': '300', 'last-modified': DAY },
      { 'content-length': '300', 'last-modified': 'Tue, 02 Jan 2024 00:00:00 GMT' },
      false,
    ],
    [
      'compressed, then plain',
      { 'content-length': '300', 'last-modified': DAY },
      { 'content-length': '1000', 'last-modified': DAY },
      false,
    ],
    ['nothing is said', {}, {}, false],
  ];
  for (const [name, first, second, same] of visits) {
    await keeper('https://a.example/m.gguf', new Response(null, { headers: first }), FILE)?.();
    assert.ok(kept);
    assert.equal(kept.headers.get('content-length'), '1000', name);
    assert.equal(isSame(new Response(null, { headers: second }), kept), same, name);
  }
  // an earlier version of the library has stored this copy, without the header that records the length of the response
  const old = new Response(FILE, { headers: { 'content-length': '1000', 'last-modified': DAY } });
  assert.equal(isSame(new Response(null, { headers: { 'content-length': '1000', 'last-modified': DAY } }), old), true);
  assert.equal(isSame(new Response(null, { headers: { 'content-length': '300', 'last-modified': DAY } }), old), false);
});

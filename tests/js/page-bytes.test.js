// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks that a page does not load more bytes at first than the manual says. The script tests/bench/page-bytes.js measures these numbers
 * and writes them into the manual.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { pagesOf } from '../../web/tools/fresh.js';
import { bytesOf, noted, said, pages as framed } from '../bench/page-bytes.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Factor by which a page may grow before it must be measured again. */
const MOST = 1.1;

/** Returns the scripts that a page imports, directly or indirectly. @param {string} page @returns {Set<string>} */
function imported(page) {
  /** @type {Set<string>} */
  const found = new Set();
  const follow = (/** @type {string} */ from, /** @type {RegExp} */ pattern) => {
    for (const [, address] of (framed.get(from.slice('web/'.length)) ?? readFileSync(join(ROOT, from), 'utf8')).matchAll(pattern)) {
      const path = join(dirname(from), address);
      if (found.has(path) || !existsSync(join(ROOT, path))) continue;
      found.add(path);
      follow(path, /(?:\bfrom|\bimport)\s?"(\.[^"]+\.js)"/g);
    }
  };
  follow(`${page}index.html`, /<script type="module"(?: async)? src="([^"]+\.js)"/g);
  return found;
}

const pages = ['web/', ...(await pagesOf(join(ROOT, 'web/'))).map((page) => `web/pages/${page}/`)];

test('every page has a row in the table', () => {
  assert.deepEqual(Object.keys(noted).sort(), [...pages].sort());
  assert.deepEqual([...said().keys()].sort(), [...pages].sort());
});

for (const page of pages) {
  test(`${page} loads no more than the manual says`, () => {
    const scripts = imported(page);
    assert.ok(scripts.size > 0);
    for (const script of scripts) assert.ok(noted[page].includes(script), `${page} imports ${script}: run node tests/bench/page-bytes.js`);
    const { page: own, library, weights } = bytesOf(noted[page]);
    [own, library, weights].forEach((bytes, i) => {
      const most = said().get(page)?.[i] ?? 0;
      assert.ok(bytes <= most * MOST * 1024, `${bytes} bytes, but the table says ${most} KB: run node tests/bench/page-bytes.js`);
    });
  });
}

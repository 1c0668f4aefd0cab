// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks tests/browser/figures.js, the list of the topics (A1, A2, ...) of five lectures. Each topic must have a figure, or a reason why it
 * has none. The figure must be on its page and on all translations of the page.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { framedPages } from '../../web/tools/frame.js';
import { FIGURES } from '../browser/figures.js';

const WEB = fileURLToPath(new URL('../../web', import.meta.url));
/** Number of topics in each of the five lectures. One entry of FIGURES covers the topics D10 to D12, which count as three here. */
const ROWS = { A: 13, B: 16, C: 9, D: 18, E: 9 };

test('each topic of the five lectures is listed, in order', () => {
  const wanted = Object.entries(ROWS).flatMap(([lecture, count]) => Array.from({ length: count }, (_, i) => `${lecture}${i + 1}`));
  assert.deepEqual(
    Object.keys(FIGURES).flatMap((n) => (n === 'D10 to D12' ? ['D10', 'D11', 'D12'] : [n])),
    wanted,
  );
});

test('each topic has a figure on its page in every language, or a reason why it has no figure', async () => {
  const pages = await framedPages(WEB);
  for (const [n, row] of Object.entries(FIGURES)) {
    if ('why' in row) {
      assert.ok(row.why.length > 20, n);
      continue;
    }
    assert.ok(pages.has(`pages/${row.page}/index.html`), n);
    for (const [path, html] of pages) {
      if (path.startsWith(`pages/${row.page}/`)) assert.ok(html.includes(` id="${row.at}"`), `${n}: ${path} has no #${row.at}`);
    }
  }
});

test('at least 60 of the 63 entries have a figure, and at least 58 of these figures are complete', () => {
  const alive = Object.values(FIGURES).filter((row) => 'page' in row);
  assert.ok(alive.length >= 60, `${alive.length}`);
  assert.ok(alive.filter((row) => !('but' in row)).length >= 58, `${alive.filter((row) => !('but' in row)).length}`);
});

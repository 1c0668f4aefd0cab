// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the text fields of pages: a visitor pastes 100,000 words, or the longest text that the page's model accepts. The field keeps the
 * beginning of the text, and no task of the main thread takes long.
 */

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { pageOf } from '../../web/tools/frame.js';
import { pagesOf } from '../../web/tools/fresh.js';
import { oneOf } from '../more.js';
import { WAIT, session } from './browser.js';

const { withPage } = session();
const WEB = new URL('../../web/', import.meta.url);

/**
 * The longest allowed task of the main thread; visitors would notice a longer one. The limit is generous, because other test steps use the
 * processor at the same time.
 */
const MOST_MS = 600;

/**
 * The text fields, by page. `most` is set if the field accepts more text than the model. The test then also pastes the longest text that
 * the model accepts: two words, repeated `most` times.
 *
 * @type {[page: string, id: string, most?: number][]}
 */
const FIELDS = [
  ['chains', 'sentence'],
  ['structure', 'sentence', 64],
  ['structure', 'german', 30],
  ['tokens', 'prompt', 90],
  ['tokens', 'three-prompt'],
  ['tokens', 'pieces-input'],
  ['reading', 'text'],
  ['transformer', 'sentence', 40],
  ['alignment', 'sentence', 40],
  ['opened', 'word'],
];

/** Page scripts that create text fields, each with the reason why its fields have no row in FIELDS. @type {Record<string, string>} */
const MADE = {
  'shell/run/seed-field.js': 'a number of at most nine digits',
  'front/tiles/open.js': 'at most 160 characters',
};

/** Matches a text field in HTML. */
const FIELD = /<input(?= )(?:(?=[^>]* type="(?:text|search)")|(?![^>]* type=))[^>]*>|<textarea[^>]*>/g;

test('every text field of a page, except a field for an address, has a row', async () => {
  const found = [];
  for (const name of await pagesOf(fileURLToPath(WEB)))
    for (const [field] of ((await pageOf(fileURLToPath(WEB), `pages/${name}/index.html`)) ?? '').matchAll(FIELD))
      if (!/ inputmode="url"/.test(field)) found.push(`${name} ${/ id="([^"]+)"/.exec(field)?.[1] ?? field}`);
  assert.deepEqual(FIELDS.map(([name, id]) => `${name} ${id}`).sort(), found.sort());
  const making = [];
  for (const path of (await readdir(WEB, { recursive: true })).filter((one) => /^(?:pages|shell|front)\/.*\.js$/.test(one)))
    if (/\btype: 'text'|\btype = 'text'|'textarea'|<textarea|<input/.test(await readFile(new URL(path, WEB), 'utf8'))) making.push(path);
  assert.deepEqual(making.sort(), Object.keys(MADE).sort());
});

test('every text field of a page has a maximum length', async () => {
  const files = (await readdir(WEB, { recursive: true })).filter((path) => /^(?:pages|shell)\/.*\.html$/.test(path));
  const without = [];
  for (const path of files)
    for (const [field] of (await readFile(new URL(path, WEB), 'utf8')).matchAll(/<input [^>]*type="text"[^>]*>|<textarea[^>]*>/g))
      if (!/ maxlength="\d+"/.test(field) && !/inputmode="url"/.test(field)) without.push(`${path}: ${field}`);
  assert.deepEqual(without, []);
});

for (const [i, [name, id, most]] of FIELDS.entries()) {
  oneOf(i, FIELDS.length)(`${name}: 100,000 words in the field ${id}`, { timeout: 120000 }, () =>
    withPage(async (page) => {
      await page.goto(`/web/pages/${name}/`);
      await page.locator(`#${id}`).scrollIntoViewIfNeeded();
      await page.locator(`#${id}:enabled`).waitFor(WAIT);
      await page.waitForTimeout(1000);
      for (const words of [50_000, ...(most ? [most] : [])]) {
        const { length, limit, tasks } = await page.evaluate(
          async ([field, text]) => {
            const input = /** @type {HTMLInputElement} */ (document.getElementById(field));
            /** @type {number[]} */
            const long = [];
            const observer = new PerformanceObserver((list) => {
              for (const { duration } of list.getEntries()) long.push(duration);
            });
            observer.observe({ type: 'longtask' });
            input.focus();
            input.select();
            document.execCommand('insertText', false, text);
            input.dispatchEvent(new Event('change', { bubbles: true })); // some fields are read only when they lose the focus
            await new Promise((resolve) => {
              setTimeout(resolve, 2000);
            });
            observer.disconnect();
            return { length: input.value.length, limit: input.maxLength, tasks: long };
          },
          [id, 'an ox '.repeat(words).trim()],
        );
        assert.equal(length, Math.min(limit, 6 * words - 1));
        assert.ok(Math.max(0, ...tasks) < MOST_MS, `${2 * words} words: tasks of ${tasks.map(Math.round).join(', ')} ms`);
      }
    }),
  );
}

// SPDX-License-Identifier: MIT
// @ts-check

/** Opens visitors' own files on some of the pages; all/own-file.test.js covers the other pages. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { session } from './browser.js';
import { WAIT, inRepository } from './gallery.js';
import { PAGES, SHORT, give, ready, said, tryFile, well } from './own-file.js';

const { withPage } = session();
const CALM = /** @type {const} */ ({ reducedMotion: 'reduce' });

for (const name of SHORT) test(name, () => withPage((page) => tryFile(page, name), CALM));

test('an unsuitable file is reported with a reason, and the figure keeps its content', () =>
  withPage(async (page) => {
    await page.goto('/web/pages/structure/');
    await ready(page);
    const before = await page.locator('#result').textContent();
    const whole = await readFile(inRepository(`weights/${PAGES.structure.file}`));
    for (const [name, bytes, why] of /** @type {[string, Buffer, RegExp][]} */ ([
      ['half.gguf', whole.subarray(0, whole.length / 2), /half\.gguf|ends|truncated/],
      ['checkpoint.pt', Buffer.from('PK'), /checkpoint\.pt is not a GGUF file/],
      ['empty.gguf', Buffer.alloc(0), /empty|GGUF/],
    ])) {
      await give(page, name, bytes);
      await said(page, why);
      await well(page, name);
      assert.equal(await page.locator('#result').textContent(), before);
    }
    await page.locator('#own-file button', { hasText: "Back to the page's own model" }).waitFor({ state: 'hidden' });
  }, CALM));

test('after a file with other weights is dropped, the figure shows the results of these weights', () =>
  withPage(async (page) => {
    await page.goto('/web/pages/chains/');
    await ready(page);
    const before = await page.locator('#result').textContent();
    const base64 = (await readFile(inRepository('weights/memm-en.gguf'))).toString('base64');
    await page.evaluate((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], 'mine.gguf'));
      document.querySelector('main')?.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }));
    }, base64);
    await said(page, /^mine\.gguf, a model with [\d,]+ parameters, now replaces CRF\. Try: give it a sentence/);
    await page.waitForFunction((old) => document.querySelector('#result')?.textContent !== old, before, WAIT);
    const [, memm, own] = String(await page.locator('#result').textContent()).split('\n');
    assert.equal(own.replace('CRF', 'MEMM'), memm);
    await page.locator('#own-file button', { hasText: "Back to the page's own model" }).click();
    await page.waitForFunction((old) => document.querySelector('#result')?.textContent === old, before, WAIT);
  }, CALM));

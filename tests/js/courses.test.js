// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests courses (series of pages). Every page belongs to exactly one course. A course asks one question per page, and the figure that
 * answers it is on that page. The list of files to download for a course contains every file that its pages load.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

import { COURSES } from '../../web/front/courses.js';
import { PAPERS } from '../../web/front/papers.js';
import { courseFilesOf } from '../../web/tools/course-files.js';
import { framedPages } from '../../web/tools/frame.js';
import { pagesOf } from '../../web/tools/fresh.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WEB = `${ROOT}web`;
const steps = COURSES.flatMap((course) => course.steps);

test('every page is a step of one course', async () => {
  const pages = steps.map(({ page }) => page);
  assert.deepEqual([...pages].sort(), [...(await pagesOf(WEB))].sort());
  assert.deepEqual([...pages].sort(), PAPERS.flatMap(({ page }) => page ?? []).sort());
});

test('each question ends with a question mark, and its figure is on its page', async () => {
  for (const { page, asks, at } of steps) {
    assert.match(asks, /\?/);
    assert.ok((await readFile(`${WEB}/pages/${page}/page.html`, 'utf8')).includes(`id="${at}"`), `${page} has no #${at}`);
  }
});

/**
 * Returns the files that the HTML of a page loads. Links to other pages, to the manual and to other sites do not count, because they load
 * nothing.
 * @param {string} html
 * @param {string} page  address of the page from web/
 * @returns {string[]}
 */
function loadedBy(html, page) {
  const named = [
    ...html.matchAll(/<(?:script|img|source)\b[^>]*?\ssrc="([^"]+)"/g),
    ...html.matchAll(/<link\b(?=[^>]*\srel="(?:stylesheet|modulepreload|preload|manifest|icon)")[^>]*?\shref="([^"]+)"/g),
  ];
  const base = 'http://site/web/';
  return named.map(([, address]) => new URL(address, base + page).href).map((url) => url.replace(base, '').replace('http://site/', '../'));
}

test('the list of a course has every file that its pages load, including later imports', async () => {
  const [{ courses }, pages] = await Promise.all([courseFilesOf(ROOT), framedPages(WEB)]);
  for (const [id, { files }] of Object.entries(courses)) {
    const kept = new Set(files.map(([address]) => address));
    const addresses = [...kept].filter((address) => /(^|\/)$/.test(address));
    assert.ok(addresses.length > 3, id);
    for (const address of addresses) {
      const page = address.replace(/^\.\//, '');
      const loaded = loadedBy(pages.get(`${page}index.html`) ?? '', page);
      assert.ok(loaded.length > 5, `${address} loads ${loaded}`);
      assert.deepEqual(
        loaded.filter((file) => !file.startsWith('data:') && !kept.has(file)),
        [],
        `${id} lacks files of ${address}`,
      );
    }
    for (const script of ['page-embedding', 'page-keep', 'element', 'worker'])
      assert.ok(kept.has(`dist/${script}.js`), `${id}: ${script}.js`);
  }
});

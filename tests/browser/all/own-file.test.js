// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Opens visitors' files on the pages that ../own-file.test.js does not test. Also checks that every page with a model has a button to open
 * a file.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pageOf } from '../../../web/tools/frame.js';
import { pagesOf } from '../../../web/tools/fresh.js';
import { session } from '../browser.js';
import { inRepository } from '../gallery.js';
import { ELSEWHERE, PAGES, SHORT, tryFile } from '../own-file.js';

const { withPage } = session();

test('every page accepts a file', async () => {
  const pages = await pagesOf(inRepository('web/'));
  assert.deepEqual([...Object.keys(PAGES), ...ELSEWHERE].sort(), pages.sort());
  for (const name of Object.keys(PAGES))
    assert.match((await pageOf(inRepository('web'), `pages/${name}/index.html`)) ?? '', /id="own-file"/, name);
});

for (const name of Object.keys(PAGES))
  if (!SHORT.includes(name)) test(name, () => withPage((page) => tryFile(page, name), { reducedMotion: 'reduce' }));

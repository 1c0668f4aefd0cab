// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests links that open someone's model on a page, PAGE/?model=ADDRESS, both for models on the origin of the page and for models on another
 * origin.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';

import { serve } from '../../web/tools/serve.js';
import { more } from '../more.js';
import { session } from './browser.js';
import { WAIT, galleryOf, inRepository } from './gallery.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const CALM = /** @type {const} */ ({ reducedMotion: 'reduce' });
/** A host that does not exist; the test answers requests to it. */
const HOST = 'https://models.example';

/** @type {Awaited<ReturnType<typeof serve>>} */
let open;
before(async () => {
  open = await serve({ port: 0, connect: 'https:' });
});
after(() => open.close());

/** Serves the weight files from HOST, with CORS headers that allow every origin. @param {Page} page */
const elsewhere = (page) =>
  page.route(`${HOST}/**`, async (route) => {
    const name = new URL(route.request().url()).pathname;
    await route.fulfill({ headers: { 'Access-Control-Allow-Origin': '*' }, body: await readFile(inRepository(`weights${name}`)) });
  });

test('a text page writes with the linked model, and names its source', () =>
  withPage(async (page) => {
    await elsewhere(page);
    await page.goto(`${open.url}web/pages/tokens/?model=${HOST}/stories.gguf`);
    await page.locator('#asked', { hasText: /from models\.example.* Try: / }).waitFor(WAIT);
    await page
      .locator('#figure-tale [data-phase="done"], #figure-tale [data-phase="running"], #figure-tale [data-phase="ready"]')
      .first()
      .waitFor(WAIT);
    await page.click('#asked a');
    await page.locator('#figure-tale [data-phase]:not([data-phase="empty"])').first().waitFor(WAIT);
    assert.equal(await page.locator('#asked').count(), 0);
  }, CALM));

more('a linked model of another kind is named, with a link to the page that shows it', () =>
  withPage(
    async (page) => {
      for (const [at, file, said] of /** @type {[string, string, RegExp][]} */ ([
        ['tokens', 'de-en.gguf', /de-en\.gguf translates: the page on the Transformer has models of this kind/],
        ['tokens', 'crf-en.gguf', /crf-en\.gguf tags words: the page on chains has models/],
        ['transformer', 'stories.gguf', /stories\.gguf writes text: the page on tokens has models/],
        ['image-transformer', 'emoji.gguf', /emoji\.gguf draws 32 by 32 pixels in colour; the pictures here have 28 by 28 pixels in grey/],
        ['transformer', 'none.gguf', /could not be loaded\. .*404/],
      ])) {
        await page.goto(`/web/pages/${at}/?model=/weights/${file}`); // an address on the same host as the page
        const text = page.locator('#load-text', { hasText: 'could not be loaded' });
        await text.waitFor(WAIT);
        assert.match(String(await text.textContent()), said, `${file} on ${at}`);
      }
    },
    { ...CALM, complains: true },
  ),
);

more('the colour page gives a linked model to the figure that it suits', () =>
  withPage(async (page) => {
    await page.goto('/web/pages/colour/?model=/weights/emoji-sr.gguf');
    await page.locator('#superres-own .photo-said', { hasText: /emoji-sr\.gguf, a model with/ }).waitFor(WAIT);
    assert.ok(await page.locator('#superres-switch input[value=own]').isChecked());
    assert.ok(await page.locator('#colour-switch input').first().isChecked());
    await page.goto('/web/pages/colour/?model=/weights/cifar10.gguf');
    await page.locator('#colour-own .photo-said', { hasText: /cifar10\.gguf, a model with/ }).waitFor(WAIT);
    const colour = galleryOf('colour', 'in-colour');
    await page.locator('#colour-run:enabled').waitFor(WAIT);
    await page.click('#colour-run');
    await colour.rowIs(page, 0);
  }, CALM),
);

test("a host that this server's policy does not allow, and an invalid address, are reported", () =>
  withPage(
    async (page) => {
      await page.goto(`/web/pages/tokens/?model=${HOST}/stories.gguf`);
      await page.locator('#load-text', { hasText: /could not be loaded\. .*connect-src/ }).waitFor(WAIT);
      await page.goto('/web/pages/tokens/?model=javascript:alert(1)');
      await page.locator('#load-text', { hasText: /could not be loaded\./ }).waitFor(WAIT);
    },
    { ...CALM, complains: true },
  ));

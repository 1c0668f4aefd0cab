// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests pages that `./build.sh site --single` has built. Each page is a single file, which works when it is opened from disk and requests
 * no other file. Pages that are built together link to each other.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { pagesIn } from '../../web/tools/frame.js';
import { pagesOf } from '../../web/tools/fresh.js';
import { LANGUAGES } from '../../web/tools/languages.js';
import { inScript, inStyle, writeSingle } from '../../web/tools/single-page.js';
import { oneOf } from '../more.js';
import { OUT, WAIT, firstFigure, session } from './browser.js';
import { isFilled, scrollThrough } from './checks.js';

const { withPage } = session();

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = `${ROOT}build/single-test/`;
const pages = await pagesOf(`${ROOT}web`);
/** For each language, the names of the pages that exist in it. @type {Record<string, string[]>} */
const translated = {};
for (const lang of Object.keys(LANGUAGES)) translated[lang] = await pagesIn(`${ROOT}web`, lang);

/** @param {string} file */
const address = (file) => pathToFileURL(FOLDER + file).href;

describe('pages', { concurrency: 2 }, () => {
  for (const [i, name] of pages.entries()) {
    oneOf(i, 40)(`${name}: one file works from disk, in each of its languages`, { timeout: 300000 }, async () => {
      const endings = ['', ...Object.keys(translated).flatMap((lang) => (translated[lang].includes(name) ? [`.${lang}`] : []))];
      const written = await writeSingle(FOLDER, [name]);
      assert.deepEqual(
        written.map(({ file }) => file.replace(FOLDER, '')),
        endings.map((lang) => `${name}${lang}.html`),
      );
      for (const lang of endings) {
        await withPage(async (page) => {
          /** @type {string[]} */
          const elsewhere = [];
          page.on('request', (request) => {
            if (!/^(data|blob):/.test(request.url())) elsewhere.push(request.url());
          });
          await page.goto(address(`${name}${lang}.html`));
          await firstFigure(page).waitFor(WAIT);
          await isFilled(page);
          await scrollThrough(page);
          await page.screenshot({ path: `${OUT}single-${name}${lang}.png` });
          assert.deepEqual(elsewhere, [address(`${name}${lang}.html`)]);
        });
      }
    });
  }
});

test('a single-file page draws a complete digit, and another digit with another seed', { timeout: 300000 }, async () => {
  await writeSingle(FOLDER, ['image-transformer']);
  await withPage(async (page) => {
    await page.goto(address('image-transformer.html'));
    await firstFigure(page, 'done').waitFor(WAIT);
    const drawn = () => page.locator('.ending canvas').first().getAttribute('aria-label');
    const before = await drawn();
    await page.locator('#dice').click();
    await firstFigure(page, 'done').waitFor(WAIT);
    assert.notEqual(await drawn(), before);
    // The `<next-pixel>` element in the text uses the weights of the figure, which are part of the HTML file.
    const element = page.locator('next-pixel');
    await element.scrollIntoViewIfNeeded();
    await element.getByRole('button').first().click();
    await element.locator('[part=status]', { hasText: 'Drawn' }).waitFor(WAIT);
  });
});

test('links lead to the pages that are built together; any other link becomes text', async () => {
  await writeSingle(FOLDER, ['fvsbn', 'pixelcnn']);
  await withPage(async (page) => {
    await page.goto(address('pixelcnn.html'));
    await page.locator('.where a[rel=prev]').click();
    assert.equal(page.url(), address('fvsbn.html'));
    await page.locator('.masthead .language').click();
    assert.equal(page.url(), address('fvsbn.ko.html'));
    await page.locator('.where a[rel=next]').click();
    assert.equal(page.url(), address('pixelcnn.ko.html'));
    assert.equal(await page.locator('.where a[rel=next]').count(), 0, 'the page on WaveNet is not written');
  });
  const html = await readFile(`${FOLDER}pixelcnn.html`, 'utf8');
  for (const [, href] of html.slice(0, html.indexOf('<script type="text/plain"')).matchAll(/ (?:href|src)="([^"]*)"/g))
    assert.match(href, /^(#|https?:|data:|(fvsbn|pixelcnn)(\.ko)?\.html)/);
});

test('scripts and style sheets may contain the end tag of their own element', () =>
  withPage(async (page) => {
    const text = '</script><!--</style>';
    await page.setContent(
      `<!doctype html><html lang="en"><title></title><style>${inStyle(`p::after { content: "${text}" }`)}</style>` +
        `<p></p><script>${inScript(`document.title = "${text}"`)}</script>`,
    );
    assert.equal(await page.title(), text);
    assert.equal(
      await page.evaluate(() => getComputedStyle(/** @type {Element} */ (document.querySelector('p')), '::after').content),
      `"${text}"`,
    );
  }));

test('wrong arguments give errors', () => {
  for (const [args, problem] of /** @type {[string[], RegExp][]} */ ([
    [['--single', 'nothing'], /no page "nothing": --single takes all or one of alignment,/],
    [['--single', 'fvsbn', '--address', 'https://host/'], /--single .*remove --address/],
  ])) {
    const { status, stderr } = spawnSync(process.execPath, [`${ROOT}web/tools/site.js`, ...args], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, problem);
  }
});

// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests addresses that show a single figure of a page. The tests open these addresses directly, and in normal and sandboxed frames on
 * another site. Also tests the embedding code that a page offers.
 */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { framedPages } from '../../web/tools/frame.js';
import { serve } from '../../web/tools/serve.js';
import { EVERY, longer, more, oneOf } from '../more.js';
import { OUT, WAIT, everyPage, firstFigure, session } from './browser.js';
import { axeFindsNothing, fits, scrollThrough } from './checks.js';

/** @import { FrameLocator, Page } from 'playwright-core' */

const { withPage } = session();

test('every figure of every page has its own id and, below its caption, a button that embeds it', async () => {
  for (const [path, html] of await framedPages(fileURLToPath(new URL('../../web', import.meta.url)))) {
    const ids = [...html.matchAll(/<figure\b[^>]*>/g)].map(([tag]) => / id="([\w-]+)"/.exec(tag)?.[1]);
    assert.deepEqual([...new Set(ids)], ids, path);
    assert.ok(!ids.includes(undefined), path);
    if (path.startsWith('pages/')) assert.equal(html.split('class="embed"').length - 1, ids.length, path);
  }
});

/** The server of this site. Its origin differs from the origin of the embedding page. @type {Awaited<ReturnType<typeof serve>>} */
let site;
before(async () => {
  site = await serve({ port: 0, cors: true });
  await new Promise((resolve) => theirs.listen(0, '127.0.0.1', () => resolve(undefined)));
});
after(async () => {
  theirs.closeAllConnections();
  theirs.close();
  await site?.close();
});

/**
 * A server for another site. Its page has the HTML `course` as its body. A real server is necessary, because in Chromium, a page served by
 * `page.route` may not embed pages from a local server.
 */
const theirs = createServer((_, response) => {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>A course</title><body><h1>A course</h1>${course}</body></html>`;
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html);
});
let course = '';

/** Opens the other site's page with this body. @param {Page} page @param {string} body */
async function openTheirs(page, body) {
  course = body;
  const { port } = /** @type {import('node:net').AddressInfo} */ (theirs.address());
  await page.goto(`http://127.0.0.1:${port}/`);
}

/** Waits until the embedded frame shows this text. @param {Page} page @param {string} text */
const says = (page, text) => page.frames()[1].waitForFunction((wanted) => document.body.innerText.includes(wanted), text, WAIT);

/** Returns the ids of the visible figures. @param {Page | FrameLocator} where */
const seen = (where) =>
  where
    .locator('body')
    .evaluate((body) => [...body.querySelectorAll('figure[id]')].filter((one) => one.checkVisibility()).map(({ id }) => id));

test('an address can open a single figure, drawn, with its caption and a link to its page, even if the figure continues the first one', () =>
  withPage(
    async (page) => {
      await page.goto('/web/pages/transformer/?figure=figure-maps&bare');
      await page.locator('#map canvas, #map svg, #map table').first().waitFor(WAIT);
      assert.deepEqual(await seen(page), ['figure-maps']);
      assert.equal(await page.locator('.masthead, main h1, .colophon, .figure-embed').filter({ visible: true }).count(), 0);
      assert.match(await page.locator('figcaption:visible').innerText(), /^Figure 3\./);
      const link = page.getByRole('link', { name: 'nextpixel: Transformer' });
      assert.match(String(await link.getAttribute('href')), /\/web\/pages\/transformer\/#figure-maps$/);
      await fits(page);
      await axeFindsNothing(page);
    },
    { viewport: { width: 390, height: 700 }, reducedMotion: 'reduce' },
  ));

test('an address without an id shows the first figure; an unknown id is reported with the ids that exist', () =>
  withPage(async (page) => {
    await page.goto('/web/pages/fvsbn/ko/?bare');
    await page.locator('.alone').waitFor();
    assert.deepEqual(await seen(page), ['figure-endings']);
    await page.goto('/web/pages/fvsbn/?figure=figure-endings&bare&lang=fr');
    await firstFigure(page).waitFor(WAIT);
    assert.equal(await page.getByText('The address asks for the language').count(), 0, 'a frame does not show this notice');
    await page.goto('/web/pages/fvsbn/?figure=figure-none&bare');
    await page.getByText('This page has no figure “figure-none”. Its figures are: figure-endings, figure-votes,').waitFor();
    await page.goto('/web/?figure=figure-hero&bare');
    await firstFigure(page).waitFor(WAIT);
    assert.deepEqual(await seen(page), ['figure-hero']);
  }));

test('the button below a figure shows the code for a frame that opens the figure with the current settings', () =>
  withPage(async (page) => {
    /** @type {string[]} */
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto('/web/pages/fvsbn/');
    await firstFigure(page, 'done').waitFor(WAIT);
    assert.deepEqual(
      asked.filter((url) => url.includes('embedding')),
      [],
      'must not be loaded before it is used',
    );
    await page.fill('#seed', '12');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('seed=12'));
    const button = page.getByRole('button', { name: 'Embed Figure 1' });
    await button.click();
    await page.locator('.embed-code code').nth(1).waitFor();
    const [code, address] = await page.locator('.embed-code code').allInnerTexts();
    assert.match(
      code,
      /^(?:<div style="container-type: inline-size">)?<iframe src="http:[^"]+\/web\/pages\/fvsbn\/\?figure=figure-endings&amp;bare#figure-endings\?[^"]*seed=12[^"]*" title="nextpixel: Fully visible sigmoid belief network, Figure 1" width="100%" height="\d+" style="border: 0(?:; height: calc\(\d+px( [+-] clamp\(0px, \(\d+px - 100cqw\) \* 9999, \d+px\)){1,2}\))?" loading="lazy" allow="autoplay; clipboard-write; fullscreen"><\/iframe>(?:<\/div>)?$/,
    );
    assert.ok(code.includes(address.replaceAll('&', '&amp;')));
    await axeFindsNothing(page);
    await page.screenshot({ path: `${OUT}embed-code.png` });
    await button.click();
    await page.locator('.embed-code').waitFor({ state: 'detached' });
    await openTheirs(page, code);
    const frame = page.frameLocator('iframe');
    await frame.locator('[data-phase="done"]').first().waitFor(WAIT);
    assert.equal(await frame.locator('#seed').inputValue(), '12');
  }));

test('the code appears even if no frame can be measured; the button reports a lost connection, and works again later', () =>
  withPage(
    async (page) => {
      await page.goto('/web/pages/fvsbn/');
      await firstFigure(page, 'done').waitFor(WAIT);
      const button = page.getByRole('button', { name: 'Embed Figure 1' });
      await page.route('**/page-embedding*.js', (route) => route.abort('internetdisconnected'));
      await button.click();
      await page.locator('.embed[aria-busy]').waitFor();
      await button.click(); // this click is ignored, because the first click is still being handled
      await page.locator('#figure-endings').getByText('A part of nextpixel is missing').waitFor(WAIT);
      assert.equal(await page.locator('.embed-fault').count(), 1);
      assert.notEqual(await button.getAttribute('aria-expanded'), 'true');
      await page.unroute('**/page-embedding*.js');
      const height = await page.locator('#figure-endings').evaluate((figure) => /** @type {HTMLElement} */ (figure).offsetHeight);
      await page.evaluate(() => Object.defineProperty(HTMLIFrameElement.prototype, 'contentDocument', { value: null }));
      await button.evaluate((/** @type {HTMLButtonElement} */ one) => {
        one.click();
        one.click();
      });
      const code = await page.locator('.embed-code code').first().innerText();
      assert.equal(await button.getAttribute('aria-expanded'), 'true');
      const framed = Number(/height="(\d+)"/.exec(code)?.[1]);
      assert.ok(framed >= height && framed <= height + 100, `${height}: ${code}`);
      assert.equal(await page.locator('.embed-fault').count(), 0);
    },
    { complains: true },
  ));

more('a frame whose code cannot be fetched shows the page and the reason', () =>
  withPage(
    async (page) => {
      await page.route('**/page-embedding*.js', (route) => route.abort('internetdisconnected'));
      await page.goto('/web/pages/fvsbn/?figure=figure-endings&bare');
      await page.getByRole('alert').getByText('A part of nextpixel is missing').waitFor(WAIT);
      await page.locator('#figure-endings').waitFor(); // waits until the figure is visible
    },
    { complains: true },
  ),
);

more('an error that occurs while a frame is measured is shown', () =>
  withPage(async (page) => {
    await page.goto('/web/pages/fvsbn/');
    await firstFigure(page, 'done').waitFor(WAIT);
    await page.evaluate(() => {
      Element.prototype.cloneNode = () => {
        throw new Error('no copy');
      };
    });
    const button = page.getByRole('button', { name: 'Embed Figure 1' });
    await button.click();
    await page.locator('.embed-fault').getByText('no copy').waitFor();
    assert.notEqual(await button.getAttribute('aria-expanded'), 'true');
    assert.equal(await page.locator('.embed-code').count(), 0);
  }),
);

/** The frame may be up to this many pixels taller than its figure, because the frame has the same height for a range of widths. */
const GAP = 330;
/** The figure may be taller than the frame by up to this factor, because a script may lay out a canvas differently in the frame. */
const LAID_OUT = 1.08;

/** Returns the code that the open page offers for embedding a figure. @param {Page} page @param {string} id */
async function codeOf(page, id) {
  await page.locator(`#${id} .embed`).click();
  const code = await page.locator(`#${id} .embed-code code`).first().innerText();
  await page.locator(`#${id} .embed`).click();
  return code;
}

/**
 * Opens the frame of a figure in columns of several widths. The figure must fit without scrolling.
 *
 * @param {Page} page
 * @param {string} code
 * @param {string} name
 * @param {{ slack?: number, gap?: number, phases?: string[] }} [bounds]  the figure is measured when its run is in one of these phases
 */
async function frameFits(page, code, name, { slack = 1, gap = GAP, phases = ['done', 'ready'] } = {}) {
  for (const width of EVERY ? [390, 768, 1280] : [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await openTheirs(page, code);
    const frame = page.frames()[1];
    await frame.waitForFunction(
      (wanted) => {
        const shown = [...document.querySelectorAll('.alone figure[id]')].find((one) => one.checkVisibility());
        const run = shown?.querySelector('[data-phase]');
        return shown && (!run || wanted.includes(run.getAttribute('data-phase') ?? ''));
      },
      phases,
      WAIT,
    );
    await frame.waitForTimeout(500);
    const [inside, outside] = await Promise.all([
      frame.evaluate(() => document.body.offsetHeight),
      page.locator('iframe').evaluate((one) => one.clientHeight),
    ]);
    assert.ok(inside <= slack * outside, `${name}, ${width} pixels wide: the figure is ${inside} pixels high, its frame ${outside}`);
    assert.ok(outside <= inside + gap, `${name}, ${width} pixels wide: the figure is ${inside} pixels high, its frame ${outside}`);
  }
}

for (const [i, viewport] of [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
].entries()) {
  oneOf(i, 2, longer)(
    `the frame is as high as its figure in narrow and wide columns, with code copied on a screen of ${viewport.width} pixels`,
    { timeout: 300000 },
    () =>
      withPage(
        async (page) => {
          await page.goto('/web/pages/fvsbn/');
          await firstFigure(page, 'done').waitFor(WAIT);
          await frameFits(page, await codeOf(page, 'figure-endings'), 'figure-endings');
        },
        { viewport },
      ),
  );
}

for (const name of await everyPage()) {
  if (!name) continue;
  more(`${name}: the frames of all figures fit in columns of 390, 768 and 1280 pixels`, { timeout: 600000 }, () =>
    withPage(async (page) => {
      await page.goto(`/web/${name}`);
      await firstFigure(page, 'done').waitFor(WAIT);
      await scrollThrough(page);
      const ids = await page.locator('main figure[id]:has(.embed)').evaluateAll((figures) => figures.map(({ id }) => id));
      /** @type {[string, string][]} */
      const codes = [];
      for (const id of ids) codes.push([id, await codeOf(page, id)]);
      for (const [id, code] of codes)
        await frameFits(page, code, id, { slack: LAID_OUT, gap: Infinity, phases: ['done', 'ready', 'running'] });
    }),
  );
}

for (const [i, sandbox] of ['sandbox="allow-scripts"', ''].entries()) {
  oneOf(i, 2)(
    `in a frame of another origin${sandbox && ', sandboxed, where storage, caches and the service worker throw'}, the figure works`,
    () =>
      withPage(async (page) => {
        const src = `${site.url}web/pages/transformer/?figure=figure-translation&amp;bare`;
        await openTheirs(page, `<iframe ${sandbox} src="${src}" width="100%" height="800" title="A figure"></iframe>`);
        const frame = page.frameLocator('iframe');
        await says(page, 'wearing a pink dress');
        assert.deepEqual(await seen(frame), ['figure-translation']);
        if (sandbox) {
          const throwing = await frame.locator('html').evaluate(() => {
            /** @param {() => unknown} use */
            const throws = (use) => {
              try {
                use();
                return false;
              } catch {
                return true;
              }
            };
            return [origin, throws(() => localStorage), throws(() => caches), throws(() => navigator.serviceWorker)];
          });
          assert.deepEqual(throwing, ['null', true, true, true]);
        }
        await frame.getByRole('textbox').fill('Ein Hund läuft.');
        await says(page, 'A dog is running.');
        await page.screenshot({ path: `${OUT}frame${sandbox && '-sandboxed'}.png` });
      }),
  );
}

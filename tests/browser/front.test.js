// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the front page: the digit that completes itself, the cards, the list of papers, and the size of the page. Also tests old addresses,
 * which used to lead to parts of this page.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { COURSES } from '../../web/front/courses.js';
import { PAPERS } from '../../web/front/papers.js';
import { TILES } from '../../web/front/tiles/list.js';
import { EVERY, longer, more } from '../more.js';
import { WAIT, runAnew, session, sleep } from './browser.js';
import { published } from './published.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const PAGE = '/web/';
/** With reduced motion, nothing runs unless a test starts it; animation would use a whole core. */
const CALM = /** @type {const} */ ({ reducedMotion: 'reduce' });
/**
 * The maximum total size of the files for the first screen, compressed as a static server compresses them. This maximum excludes the
 * weights, the engine and the worker. `./build.sh size` checks the size of the engine and the worker. A quarter of this maximum is for the
 * recorded drawings on the tiles. The page loads these drawings after the first pixel of the digit.
 */
const MOST = 84 * 1024;

const done = (/** @type {Page} */ page) => page.locator('#run-text', { hasText: 'Run again' }).waitFor(WAIT);
/** @param {Page} page */
const endings = (page) =>
  page.locator('.ending canvas').evaluateAll((all) => all.map((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL()));

test('the digit completes itself; dice and seed change it, and links share both', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await done(page);
    const first = await page.evaluate(() => performance.getEntriesByName('first-pixel')[0].startTime);
    assert.ok(first > 0, 'all/speed.test.js measures the time');
    const notes = await page.locator('.ending .panel-note').allTextContents();
    assert.ok(
      notes.every((note) => /^\d+\.\d nats$/.test(note)),
      notes.join(),
    );
    const before = await endings(page);
    await page.emulateMedia(CALM); // from here on, a picture appears only when it is complete
    await runAnew(page, () => page.click('#dice'));
    await done(page);
    await sleep(100);
    assert.notDeepEqual(await endings(page), before);
    await runAnew(page, async () => {
      await page.fill('#seed', '12');
      await page.keyboard.press('Enter');
    });
    await done(page);
    const others = await page.locator('.ending .panel-note').allTextContents();
    assert.notDeepEqual(others, notes);
    await page.click('#further'); // opens the page on which settings can be shared
    await page.locator('#take').waitFor();
    await page.locator('#run:enabled').click(WAIT);
    await done(page);
    assert.deepEqual(await page.locator('.ending .panel-note').allTextContents(), others);
  }));

more('the digit completes itself as on the page on the Image Transformer', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await done(page);
    const notes = await page.locator('.ending .panel-note').allTextContents();
    await page.goto('/web/pages/image-transformer/');
    await done(page);
    assert.notDeepEqual(await page.locator('.ending .panel-note').allTextContents(), notes, 'that page opens with another digit');
    await runAnew(page, () => page.locator('#strip input').nth(14).check());
    await done(page);
    assert.deepEqual(await page.locator('.ending .panel-note').allTextContents(), notes);
  }),
);

longer('a card for each page runs when it is visible, and ends with the same picture as its still', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await done(page);
    const pages = COURSES.flatMap(({ steps }) => steps.flatMap(({ page: name }) => PAPERS.filter((paper) => paper.page === name)));
    assert.equal(await page.locator('.card').count(), pages.length);
    assert.deepEqual(
      await page.locator('.card').evaluateAll((all) => all.map((card) => new URL(/** @type {HTMLAnchorElement} */ (card).href).pathname)),
      pages.map((paper) => `/web/pages/${paper.page}/`),
    );
    for (let i = 0; i < pages.length; i++) {
      // skips cards whose still picture is never replaced; checks every eighth of the other cards; ./build.sh test-sweep checks all of them
      if (!pages[i].pictures || !(EVERY || i % 8 === 0)) continue;
      await page.locator('.thumb').nth(i).scrollIntoViewIfNeeded();
      const canvas = page.locator('.thumb canvas').nth(i);
      await canvas.waitFor(WAIT);
      // Waits until the card's canvas equals the card's still picture. The test compares both on a white background. A card that shows the
      // passes of speculative decoding differs from run to run, because a picture may be divided into passes in different ways. For such a
      // card, it is enough that the size is the same and that the last pixel is drawn.
      await page.waitForFunction(
        ([n, passes]) => {
          const box = document.querySelectorAll('.thumb')[Number(n)];
          const [drawn, still] = [
            /** @type {HTMLCanvasElement} */ (box.querySelector('canvas')),
            /** @type {HTMLImageElement} */ (box.querySelector('img')),
          ];
          /** @param {CanvasImageSource} source */
          const read = (source) => {
            const context = /** @type {OffscreenCanvasRenderingContext2D} */ (
              new OffscreenCanvas(drawn.width, drawn.height).getContext('2d')
            );
            context.fillStyle = '#fff';
            context.fillRect(0, 0, drawn.width, drawn.height);
            context.drawImage(source, 0, 0);
            return context.getImageData(0, 0, drawn.width, drawn.height).data;
          };
          if (still.naturalWidth !== drawn.width || still.naturalHeight !== drawn.height) return false;
          const [a, b] = [read(drawn), read(still)];
          return passes ? a.slice(-4).some((value) => value < 255) : a.every((value, k) => Math.abs(value - b[k]) <= 3);
        },
        [i, pages[i].pictures?.passes ?? false],
        { ...WAIT, polling: 100 },
      ); // polls only every 100 ms, because comparing all pixels in every frame would take too long
    }
  }),
);

test('the papers are in chronological order, with their models', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await page.locator('.papers-list li').first().waitFor({ state: 'attached' });
    await page.locator('.masthead a[href="#papers"]').click(); // this link unfolds the list of papers
    await page.locator('.papers-list li').first().waitFor();
    const years = (await page.locator('.year').allTextContents()).map(Number);
    assert.deepEqual(
      years,
      [...years].sort((a, b) => a - b),
    );
    assert.equal(years.length, PAPERS.length);
    // A paper has no model here if it has neither a page of its own nor a place on another page.
    const played = PAPERS.filter(({ page: own, shownOn }) => own ?? shownOn);
    assert.equal(await page.locator('.to-come').count(), PAPERS.length - played.length);
    assert.equal(await page.locator('.system a[href$="/alignment/"]').count(), 2);
    for (const link of await page.locator('.system a').all()) {
      assert.equal((await page.request.get(new URL((await link.getAttribute('href')) ?? '', page.url()).href)).status(), 200);
    }
  }, CALM));

test('nine tiles start after the digit, show only recorded runs, and lead to their pages', () =>
  withPage(async (page) => {
    /** @type {string[]} */
    const fetched = [];
    page.on('request', (request) => {
      if (request.url().endsWith('.gguf')) fetched.push(basename(request.url()));
    });
    await page.goto(PAGE);
    await page.locator('#run:enabled').waitFor(WAIT);
    await page.waitForFunction(
      () =>
        /** @type {HTMLCanvasElement[]} */ ([...document.querySelectorAll('.tile canvas')]).every((canvas) => {
          const blank = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
          return canvas.toDataURL() !== blank.toDataURL();
        }),
      undefined,
      { ...WAIT, polling: 300 },
    );
    const cut = await page.evaluate(() =>
      ['transformer', 'structure'].filter((name) => {
        const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector(`.tile[data-tile="${name}"] canvas`));
        const copy = /** @type {OffscreenCanvasRenderingContext2D} */ (
          new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true })
        );
        copy.drawImage(canvas, 0, 0);
        return [0, canvas.width - 1].some((x) => copy.getImageData(x, 0, 1, canvas.height).data.some((value) => value > 0));
      }),
    );
    assert.deepEqual(cut, [], 'the sentence is wider than its tile');
    assert.deepEqual(fetched, ['digits.gguf'], 'with reduced motion, only requested files are loaded');
    const tiles = await page
      .locator('.tile')
      .evaluateAll((all) =>
        all.map((tile) => [/** @type {HTMLElement} */ (tile).dataset.tile, new URL(/** @type {HTMLAnchorElement} */ (tile).href).pathname]),
      );
    assert.deepEqual(
      tiles,
      Object.keys(TILES).map((name) => [name, `/web/pages/${name}/`]),
    );
    const shift = await page.evaluate(
      () =>
        new Promise((resolve) => {
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) sum += /** @type {any} */ (entry).value;
          }).observe({ type: 'layout-shift', buffered: true });
          setTimeout(() => resolve(sum), 200);
        }),
    );
    assert.ok(Number(shift) < 0.1, `layout shift ${shift}`);
  }, CALM));

more('the tiles with small models draw again on their own after the digit is complete', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await done(page);
    await page.locator('.tile[data-live]').first().waitFor(WAIT);
    await page.locator('.tiles-pause').click();
    assert.equal(await page.locator('.tiles-pause').textContent(), 'Start the tiles');
  }),
);

/** Opens a tile and waits until its model has drawn. @param {Page} page @param {string} name */
async function open(page, name) {
  await page.locator('.tiles-pause').waitFor({ ...WAIT, state: 'attached' }); // until this button exists, a tile is only a link
  await page.locator(`.tile[data-tile="${name}"]`).click();
  await page.locator('dialog next-pixel:defined').waitFor(WAIT);
  return ended(page);
}
/** @param {Page} page */
const ended = (page) =>
  page.locator('dialog next-pixel').evaluate(
    (element) =>
      new Promise((resolve) => {
        for (const kind of ['nx-end', 'nx-error'])
          element.addEventListener(
            kind,
            (/** @type {any} */ event) => resolve(`${kind} ${event.error?.message ?? element.shadowRoot?.textContent}`),
            { once: true },
          );
      }),
  );

test('an opened tile runs its model, responds to its controls, and closes', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await page.locator('#run:enabled').waitFor(WAIT);
    assert.match(String(await open(page, 'transformer')), /^nx-end .*woman/s);
    const again = ended(page);
    await page.fill('dialog input', 'Ein Hund läuft durch den Schnee.');
    await page.keyboard.press('Enter');
    assert.match(String(await again), /^nx-end .*dog/s);
    assert.match((await page.locator('dialog .tile-way a').getAttribute('href')) ?? '', /pages\/transformer\/$/);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).dataset.tile), 'transformer');
  }, CALM));

for (const name of Object.keys(TILES).filter((one) => one !== 'transformer')) {
  more(`the tile ${name} runs its model once it is opened`, () =>
    withPage(async (page) => {
      await page.goto(PAGE);
      await page.locator('#run:enabled').waitFor(WAIT);
      const said = open(page, name);
      if (name !== 'chorale') return assert.match(String(await said), /^nx-end/);
      // The chorale plays for a long time, so the test does not wait for its end.
      said.catch(() => {});
      await page.waitForFunction(() => /** @type {any} */ (document.querySelector('dialog next-pixel'))?.state === 'running', WAIT);
    }, CALM),
  );
}

longer('old addresses lead to the new location of their content', () =>
  withPage(async (page) => {
    const addresses = [
      ['odds', 'image-transformer', 'odds'],
      ['attention', 'image-transformer', 'attention'],
      ['geometry', 'image-transformer', 'geometry'],
      ['classes', 'image-transformer', 'classes'],
      ['embed', 'image-transformer', 'embed'],
      ['machine', 'image-transformer', 'machine'],
      ['figure-1', 'image-transformer', 'figure-endings'],
      ['colour', 'colour', 'colour'],
      ['superres', 'colour', 'superres'],
      ['figure-4', 'colour', 'figure-superres'],
      ['ahead', 'look-ahead', 'ahead'],
      ['surprise', 'image-transformer', 'surprise'],
    ];
    for (const [old, path, id] of addresses.filter((_, i) => EVERY || i % 4 === 3)) {
      // leaves the page first, because a change after the # would not load the page again
      await page.goto('about:blank');
      await page.goto(`${PAGE}#${old}`);
      await page.waitForURL(`**/web/pages/${path}/#${id}`);
      assert.equal(await page.locator(`#${id}`).count(), 1, `${path} has no #${id}`);
    }
  }, CALM),
);

test('the front page stays below its maximum size', (context) =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await done(page);
    const names = await page.evaluate(() =>
      [location.href, ...performance.getEntriesByType('resource').map(({ name }) => name)].map((name) => new URL(name).pathname),
    );
    const build = await page.evaluate(async (path) => (await import(path)).fastest(), '/web/lib/workers/simd.js');
    assert.notEqual(build, 'baseline', 'this browser has relaxed SIMD');
    assert.deepEqual(
      [...new Set(names.filter((name) => name.endsWith('.wasm')))].map((name) => basename(name)),
      [`nextpixel-${build}.wasm`],
      'the first and only build that the page requests',
    );
    const { root } = await published();
    let [engine, own] = [0, 0];
    for (const name of new Set(names)) {
      if (name.endsWith('.gguf')) continue;
      const bytes = await readFile(join(root, name.endsWith('/') ? `${name}index.html` : name));
      const sent = name.endsWith('.png') ? bytes.length : gzipSync(bytes, { level: 9 }).length;
      if (/\.wasm$|worker\.js$/.test(name)) engine += sent;
      else own += sent;
    }
    context.diagnostic(`${new Set(names).size} files without weights: ${own} bytes gzip, and engine and worker ${engine}`);
    assert.ok(own < MOST, `${own} bytes`);
  }));

test('with reduced motion, nothing begins automatically, and the cards stay still', () =>
  withPage(
    async (page) => {
      await page.goto(PAGE);
      await page.locator('#run:enabled').waitFor();
      await page.locator('.card').first().scrollIntoViewIfNeeded();
      await sleep(800);
      assert.equal(await page.locator('#run-text').textContent(), 'Run');
      assert.equal(await page.locator('.thumb canvas:visible').count(), 0);
      await page.click('#run');
      await done(page);
    },
    { reducedMotion: 'reduce' },
  ));

more('in print there are no buttons, and no card is split', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await page.locator('#run:enabled').waitFor(WAIT);
    await page.emulateMedia({ media: 'print' });
    assert.equal(
      await page.evaluate(() =>
        [...document.querySelectorAll('button, .masthead nav')]
          .filter((one) => one.checkVisibility())
          .map((one) => one.outerHTML)
          .join(),
      ),
      '',
    );
    assert.deepEqual(
      await page.evaluate(() => [
        ...new Set([...document.querySelectorAll('.card, .figure')].map((one) => getComputedStyle(one).breakInside)),
      ]),
      ['avoid'],
    );
  }, CALM),
);

test('without JavaScript, the page shows a note and the links', () =>
  withPage(
    async (page) => {
      await page.goto(PAGE);
      assert.match(await page.locator('figure .notice').innerText(), /It needs JavaScript and WebAssembly/);
      assert.equal(await page.locator('.course a').count(), PAPERS.filter((paper) => paper.page).length);
    },
    { javaScriptEnabled: false },
  ));

for (const [language, course, says] of /** @type {const} */ ([
  ['', 3, (/** @type {number} */ i, /** @type {number} */ of) => `${i} of ${of}`],
  ['ko/', 2, (/** @type {number} */ i, /** @type {number} */ of) => `${of}단계 중 ${i}단계`],
])) {
  more(`a visitor walks a course from the front page to its end by keyboard alone, and tries each question: ${PAGE}${language}`, () =>
    withPage(async (page) => {
      const { steps } = COURSES[course];
      /** Presses Tab until a link has the focus, and follows the link. @param {string} link */
      const follow = async (link) => {
        await page.locator(link).waitFor();
        for (let tabs = 0; tabs < 300; tabs++) {
          await page.keyboard.press('Tab');
          if (await page.evaluate((selector) => document.activeElement?.matches(selector), link)) break;
        }
        await page.keyboard.press('Enter');
      };
      await page.goto(`${PAGE}${language}`);
      await follow(`.course:nth-child(${course + 1}) li:first-child a`);
      for (const [i, { page: name, at }] of steps.entries()) {
        await page.waitForURL(`**/pages/${name}/${language}`);
        assert.match(await page.locator('.course-place').innerText(), new RegExp(says(i + 1, steps.length)));
        await follow('.course-asks a'); // this link leads to the figure, so the next tab stop is in the figure
        await page.waitForURL(`**/#${at}`);
        await page.keyboard.press('Tab');
        assert.ok(
          await page.evaluate((id) => document.getElementById(id)?.contains(document.activeElement), at),
          `${name}: the question is tried at #${at}`,
        );
        if (i < steps.length - 1) await follow('.course-place [rel=next]');
      }
      assert.equal(await page.locator('.course-place [rel=next]').count(), 0);
    }, CALM),
  );
}

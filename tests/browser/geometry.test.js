// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that the figure on local attention shows the sets of visible positions that the engine uses. Also tests the figure itself. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

import { FORGOTTEN, LATER, TINT } from '../../web/pages/image-transformer/geometry-shades.js';
import { Geometry, blockRaster } from '../../web/pages/image-transformer/geometry-pattern.js';
import { load } from '../../web/lib/index.js';
import { EVERY, longer, more } from '../more.js';
import { WAIT, OUT, session, sleep } from './browser.js';

/** @import { Page } from 'playwright-core' */
/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

const { withPage } = session();
const PAGE = '/web/pages/image-transformer/';

/** @param {string} path */
const inRepository = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

// ---- the geometry ----

/** Models with every kind of block geometry: aligned to rows or not, cut off at the edges or not, one pixel or one channel per position. */
const MODELS = [
  'weights/digits.gguf',
  'weights/emoji.gguf',
  'weights/cifar10-sr-2d.gguf',
  'tests/golden/palette-2d-sr.gguf',
  'tests/golden/palette-2d.gguf',
  'tests/golden/rgb-2d.gguf',
  'tests/golden/rgb-local-classes.gguf',
  'tests/golden/full-sinusoidal.gguf',
];
/**
 * Number of positions per model whose visible sets are compared; in a tiny model, all positions are compared. ./build.sh test-sweep
 * compares more positions, and also tests shipped models.
 */
const QUERIES = EVERY ? 60 : 10;

for (const path of MODELS) {
  const missing = !existsSync(inRepository(path));
  (path.startsWith('weights/') ? more : longer)(
    `${path}: what is tinted is the set that the engine's queries see`,
    { skip: missing && 'no such file' },
    async (context) => {
      const model = /** @type {AnyModel} */ (await load(new Uint8Array(await readFile(inRepository(path)))));
      const { width, height, channels, positions, inputWidth, inputHeight, window } = model.info;
      const geometry = new Geometry(model.info, model.order);
      assert.deepEqual(blockRaster(model.info), model.order);
      const image = { data: new Uint8Array(width * height * channels).fill(255), width, height };
      const small = { data: new Uint8Array(inputWidth * inputHeight * channels).fill(255), width: inputWidth, height: inputHeight };
      const input = inputWidth ? small : undefined;
      /** @type {Set<number>} */
      const asked = new Set();
      const stride = Math.max(1, Math.floor(positions / QUERIES));
      for (let step = 0; step < positions; step += stride) asked.add(step);
      // Adds both ends of each block, where the visible set changes.
      const blocks = geometry.blocks();
      for (const { from, to } of blocks.filter((_, i) => i % Math.ceil(blocks.length / QUERIES) === 0))
        [from, Math.min(from + 1, to - 1), to - 1].forEach((step) => asked.add(step));
      const span = (width * height * channels) / positions;
      for (const step of asked) {
        const element = model.order[step] * span;
        const pixel = Math.floor(element / channels);
        const [{ keys }] = await model.attention(image, {
          row: Math.floor(pixel / width),
          column: pixel % width,
          channel: span === 1 ? element % channels : 0,
          input,
        });
        const seen = geometry.seen(step);
        assert.deepEqual(seen.elements, keys, `position ${step}`);
        assert.equal(seen.own + seen.memory, keys.length);
        assert.equal(geometry.count(step), keys.length, `position ${step}`);
      }
      assert.ok(geometry.most() <= window);
      context.diagnostic(`${asked.size} of ${positions} queries compared; the largest set: ${geometry.most()}`);
      model.close();
    },
  );
}

/** EVERYTHING is full attention over 32 by 32 positions. STRIPS is local attention in blocks of eight rows. */
const EVERYTHING = { height: 32, positions: 1024, queryBlock: 0, memoryBlock: 0, blockRows: 0, blockCols: 0, flangeRows: 0, flangeCols: 0 };
const STRIPS = { ...EVERYTHING, queryBlock: 256, memoryBlock: 256 };

test('blocks tile the picture, and the visible set does not grow with the picture', () => {
  const one = new Geometry(STRIPS);
  const two = new Geometry({ ...EVERYTHING, blockRows: 8, blockCols: 8, flangeRows: 8, flangeCols: 8 });
  const full = new Geometry(EVERYTHING);
  for (const geometry of [one, two, full, one.over(40), two.over(30)]) {
    const places = new Set(geometry.blocks().flatMap(({ from, to }) => Array.from(geometry.order.subarray(from, to))));
    assert.equal(places.size, geometry.positions);
    geometry.blocks().forEach((block, i) => {
      assert.equal(block.index, i);
      for (let step = block.from; step < block.to; step++) {
        const { row, col } = geometry.at(step);
        assert.ok(row >= block.top && row < block.bottom && col >= block.left && col < block.right);
        assert.equal(geometry.stepAt[geometry.order[step]], step);
        assert.deepEqual(geometry.block(step), block);
      }
    });
  }
  // The maximum number of positions that a query sees, for each picture of the figure. `one`: the query's own block and the previous block.
  // `two`: the query's own block, the three blocks above and the block to the left. `full`: all blocks.
  assert.deepEqual(
    [one, two, full].map((geometry) => geometry.most()),
    [512, 320, 1024],
  );
  assert.deepEqual(
    [64, 256].map((side) => [one.over(side).most(), two.over(side).most(), full.over(side).most()]),
    [
      [512, 320, 4096],
      [512, 320, 65536],
    ],
  );
  assert.equal(two.over(32).count(700), two.count(700));
});

// ---- the figure ----

/** @param {Page} page */
async function open(page) {
  await page.goto(PAGE);
  await page.evaluate(() => document.querySelector('#figure-geometry')?.scrollIntoView({ behavior: 'instant' }));
  await page.locator('#geometry-run:enabled').waitFor(WAIT);
}

/** Draws both pictures until they are complete. @param {Page} page */
async function finish(page) {
  await page.locator('#geometry-speed').fill('6');
  await page.locator('#geometry-again.primary').waitFor(WAIT);
  await page.mouse.move(0, 0);
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  await nextFrame(page);
}

/** @param {Page} page */
const nextFrame = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve));
      }),
  );

/** @typedef {[number, number, number]} RGB */

/**
 * Returns the colour in the middle of each pixel of a picture.
 *
 * @param {Page} page
 * @param {number} panel
 * @param {number} side pixels
 * @returns {Promise<RGB[]>}
 */
const colours = (page, panel, side) =>
  page
    .locator('.geometry-panel .picture canvas')
    .nth(panel)
    .evaluate((element, n) => {
      const { width, height } = /** @type {HTMLCanvasElement} */ (element);
      const copy = /** @type {OffscreenCanvasRenderingContext2D} */ (
        new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
      );
      copy.drawImage(/** @type {HTMLCanvasElement} */ (element), 0, 0);
      const { data } = copy.getImageData(0, 0, width, height);
      return Array.from({ length: n * n }, (_, i) => {
        const at = 4 * (Math.floor(((Math.floor(i / n) + 0.5) * height) / n) * width + Math.floor((((i % n) + 0.5) * width) / n));
        return /** @type {[number, number, number]} */ ([data[at], data[at + 1], data[at + 2]]);
      });
    }, side);

/** Moves the pointer to a pixel. @param {Page} page @param {number} panel @param {number} row @param {number} col @param {number} side */
async function pointAt(page, panel, row, col, side) {
  const box = await page.locator('.geometry-panel .picture').nth(panel).boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + ((col + 0.5) * box.width) / side, box.y + ((row + 0.5) * box.height) / side);
  await nextFrame(page);
}

/** @param {Page} page @param {number} panel */
const note = (page, panel) => page.locator('.geometry-panel .panel-note').nth(panel).textContent();

/** @param {RGB} a @param {RGB} b @param {number} share  weight of a */
const mix = (a, b, share) => /** @type {RGB} */ (a.map((value, i) => share * value + (1 - share) * b[i]));
/** @param {RGB} a @param {RGB} b */
const distance = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));
/** The colours --paper and --predicted of page.css in light mode. @type {[RGB, RGB]} */
const [PAPER, ACCENT] = [
  [255, 255, 255],
  [31, 61, 194],
];
/** Rounding may change a blended colour by this much, and by twice as much where two layers overlap. */
const ROUNDING = 2;

const FILES = ['weights/emoji.gguf', 'weights/cifar10-sr-2d.gguf'].filter((path) => existsSync(inRepository(path)));

test(
  "the pictures are the models' drawings, and the tint marks the positions that a query sees",
  {
    skip: FILES.length < 2 && 'weights are missing',
  },
  () =>
    withPage(async (page) => {
      await open(page);
      await finish(page);
      const models = await Promise.all(
        FILES.map(async (path) => /** @type {AnyModel} */ (await load(new Uint8Array(await readFile(inRepository(path)))))),
      );
      const side = models[0].info.width;
      const finished = await Promise.all([0, 1].map((panel) => colours(page, panel, side)));

      // Draws the first picture again, without a page.
      const expected = [];
      const seed = Number(await page.inputValue('#geometry-seed'));
      for await (const { values } of models[0].generate({ seed, temperature: 1 })) expected.push(...values);
      assert.deepEqual(finished[0].flat(), expected);

      for (const panel of [0, 1]) {
        const model = models[panel];
        const geometry = new Geometry(model.info, model.order);
        for (const [row, col] of [
          [0, 9],
          [21, 19],
          [24, 8],
        ]) {
          await pointAt(page, panel, row, col, side);
          const blank = { data: new Uint8Array(3 * side * side), width: side, height: side };
          const [{ keys }] = await model.attention(blank, { row, column: col });
          const seen = new Set(keys);
          const step = model.order.indexOf(row * side + col);
          const painted = await colours(page, panel, side);
          let told = 0;
          painted.forEach((colour, place) => {
            const shade = finished[panel][place];
            if (place === row * side + col) {
              assert.deepEqual(colour, ACCENT);
              return;
            }
            const dull = mix(shade, PAPER, geometry.stepAt[place] < step ? FORGOTTEN : LATER);
            const tinted = mix(ACCENT, shade, TINT);
            const right = seen.has(place) ? tinted : dull;
            assert.ok(
              distance(colour, right) <= ROUNDING,
              `picture ${panel}, query ${row} ${col}, place ${place}: ${colour}, not ${right}`,
            );
            if (distance(tinted, dull) > 2 * ROUNDING) told++;
          });
          assert.ok(told > 0.9 * side * side, `tinted and other pixels differ clearly at ${told} pixels`);
          const text = (await note(page, panel)) ?? '';
          assert.ok(text.startsWith(`Sees ${keys.length}:`), text);
          assert.ok(text.includes(`Step ${(step + 1).toLocaleString('en')}: row ${row + 1}, column ${col + 1}.`), text);
          // The other picture has the same size, and shows the same pixel.
          assert.ok(((await note(page, 1 - panel)) ?? '').includes(`row ${row + 1}, column ${col + 1}.`));
        }
      }
      await pointAt(page, 1, 21, 19, side);
      await page.locator('#figure-geometry').screenshot({ path: `${OUT}geometry.png` });
      for (const model of models) model.close();
    }),
);

more('run, pause, next pixel, slider, keys and seed work', () =>
  withPage(async (page) => {
    await open(page);
    await page.locator('#geometry-run-text', { hasText: 'Pause' }).waitFor();
    await page.locator('.geometry-panel .picture canvas[aria-label^="1"]').first().waitFor(WAIT);
    await page.click('#geometry-run');
    await page.locator('#geometry-run-text', { hasText: 'Continue' }).waitFor();
    await sleep(200);
    const step = async () =>
      Number(/Step ([\d,]+) of 1,024/.exec((await page.locator('#geometry-scrubber-text').textContent()) ?? '')?.[1].replace(',', ''));
    const before = await step();
    await sleep(300);
    assert.equal(await step(), before, 'paused');
    for (const more of [1, 2, 3]) {
      await page.click('#geometry-step');
      await page.locator('#geometry-scrubber-text', { hasText: `Step ${before + more} of` }).waitFor();
    }
    const label = await page.locator('.geometry-panel .picture canvas').first().getAttribute('aria-label');
    assert.equal(label, `${before + 2} of 1,024 pixels drawn`);

    // The slider can select any step, even if the pixel of this step is not drawn yet. Moving the slider draws no pixels.
    await page.locator('#geometry-scrubber').fill('700');
    await page.locator('#geometry-scrubber-text', { hasText: 'Step 701 of' }).waitFor();
    const one = new Geometry(STRIPS);
    assert.equal(await note(page, 0), `Sees ${one.count(700)}: 189 from its block, 256 from its memory. Step 701: row 22, column 29.`);
    assert.equal(await page.locator('.geometry-panel .picture canvas').first().getAttribute('aria-label'), label);

    // The arrow keys start at the last drawn pixel.
    await page.locator('.geometry-panel .picture').first().focus();
    await page.keyboard.press('ArrowDown');
    const last = one.at(before + 1);
    await page
      .locator('.geometry-panel .panel-note', { hasText: `row ${last.row + 2}, column ${last.col + 1}.` })
      .first()
      .waitFor();
    // Another figure may announce a text at the same moment, and a page has only one live region. If so, the next key causes a new
    // announcement.
    const spoken = page.locator('[role=status]', { hasText: 'Sees' });
    for (let tries = 0; tries < 20 && (await spoken.count()) === 0; tries++) {
      await page.keyboard.press(tries % 2 ? 'ArrowLeft' : 'ArrowRight');
      await sleep(600);
    }
    assert.equal(await spoken.count(), 1);
    await page.keyboard.press('Escape');
    await page.locator('#geometry-scrubber-text', { hasText: `Step ${before + 3} of` }).waitFor();

    await page.click('#geometry-run');
    await finish(page);
    assert.equal(await page.evaluate(() => document.querySelector('#geometry-run')?.checkVisibility()), false);
    const first = await colours(page, 0, 32);
    await page.click('#geometry-dice');
    await page.locator('#geometry-run-text', { hasText: 'Pause' }).waitFor();
    await finish(page);
    assert.notDeepEqual(await colours(page, 0, 32), first);
    await page.fill('#geometry-seed', '45');
    await page.keyboard.press('Enter');
    await page.locator('#geometry-run-text', { hasText: 'Pause' }).waitFor();
    await finish(page);
    assert.deepEqual(await colours(page, 0, 32), first, 'the same seed gives the same picture');
  }),
);

more('off screen the run pauses, and back on screen it continues; the figure is not created before it is near the screen', () =>
  withPage(async (page) => {
    const pictures = page.locator('#figure-geometry canvas');
    await page.goto(PAGE);
    await page.locator('#run-text', { hasText: 'Run again' }).waitFor(WAIT);
    assert.equal(await pictures.count(), 0);
    await open(page);
    await pictures.first().waitFor();
    /** @param {boolean} hidden */
    const hide = (hidden) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await page.locator('#geometry-run-text', { hasText: 'Pause' }).waitFor();
    await hide(true);
    await page.locator('#geometry-run-text', { hasText: 'Continue' }).waitFor();
    await hide(false);
    await page.locator('#geometry-run-text', { hasText: 'Pause' }).waitFor();
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
    await page.locator('#geometry-run-text', { hasText: 'Continue' }).waitFor({ state: 'attached' });
    // Checks that a run that the visitor paused stays paused.
    await open(page);
    await page.locator('#geometry-run-text', { hasText: 'Pause' }).waitFor();
    await page.click('#geometry-run');
    await hide(true);
    await hide(false);
    await sleep(100);
    assert.equal(await page.textContent('#geometry-run-text'), 'Continue');
  }),
);

more('a failure gives a message and can be retried', () =>
  withPage(
    async (page) => {
      await page.route('**/weights*/emoji.gguf', (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()));
      await page.goto(PAGE);
      await page.locator('#figure-geometry').scrollIntoViewIfNeeded();
      await page
        .locator('#geometry-load-text')
        .getByText(/could not be loaded/)
        .waitFor(WAIT);
      assert.ok(await page.locator('#geometry-run').isDisabled());
      await page.unroute('**/weights*/emoji.gguf');
      await page.locator('#geometry-load-action', { hasText: 'Try again' }).click();
      await page.locator('#geometry-run:enabled').waitFor(WAIT);
      assert.ok(await page.locator('#geometry-load').isHidden());
    },
    { complains: true },
  ),
);

for (const width of [320, 400, 768]) {
  more(`nothing is wider than ${width} pixels`, () =>
    withPage(
      async (page) => {
        await open(page);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
        for (const id of ['geometry-panels', 'geometry-chart', 'geometry-table']) {
          const box = await page.locator(`#${id}`).boundingBox();
          assert.ok(box && box.x >= 0 && box.x + box.width <= width, id);
        }
        if (width === 400) await page.locator('#figure-geometry').screenshot({ path: `${OUT}geometry-phone.png` });
      },
      { viewport: { width, height: 740 }, hasTouch: width < 500, isMobile: width < 500 },
    ),
  );
}

more('with reduced motion, nothing begins automatically; a step is shown immediately, and a run when it is finished', () =>
  withPage(
    async (page) => {
      await open(page);
      await sleep(500);
      assert.equal(await page.textContent('#geometry-run-text'), 'Run');
      const canvas = page.locator('.geometry-panel .picture canvas').first();
      assert.equal(await canvas.getAttribute('aria-label'), '0 of 1,024 pixels drawn');
      await page.click('#geometry-step');
      await page.locator('.geometry-panel .picture canvas[aria-label^="1 of"]').first().waitFor(WAIT);
      // Collects every label that the canvas gets, however fast the run is.
      const seen = await canvas.evaluateHandle((element) => {
        /** @type {(string | null)[]} */
        const labels = [element.getAttribute('aria-label')];
        new MutationObserver(() => labels.push(element.getAttribute('aria-label'))).observe(element, { attributeFilter: ['aria-label'] });
        return labels;
      });
      await page.click('#geometry-run');
      await page.locator('#geometry-again.primary').waitFor(WAIT);
      await page.locator('.geometry-panel .picture canvas[aria-label^="1,024 of"]').first().waitFor(WAIT);
      const states = new Set(await seen.jsonValue());
      states.delete('1,024 of 1,024 pixels drawn');
      assert.deepEqual([...states], ['1 of 1,024 pixels drawn']);
    },
    { reducedMotion: 'reduce' },
  ),
);

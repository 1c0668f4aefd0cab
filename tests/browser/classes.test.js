// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the two figures that draw pictures of each class: one figure draws digits, and the other draws pictures in colour. The tests cover
 * the pixel values, the switch between models, and the buttons. The figures must also handle failed downloads, pause off screen, fit narrow
 * windows, and respect reduced motion.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { more } from '../more.js';
import { OUT, session, sleep } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const DIGITS = '/web/pages/image-transformer/';
const COLOUR = '/web/pages/colour/';
const SAMPLES = 6;
/** Time limit. Sixty pictures take a long time on a busy machine. */
const WAIT = { timeout: 120000 };

/** @param {string} name */
const weights = (name) => readFile(fileURLToPath(new URL(`../../weights/${name}.gguf`, import.meta.url)));

/** Opens a page and scrolls the figure into view. @param {Page} page @param {string} [address] */
async function open(page, address = DIGITS) {
  await page.goto(address);
  const bring = () => page.evaluate(() => document.querySelector('#figure-classes')?.scrollIntoView({ behavior: 'instant' }));
  await bring();
  await page.locator('.class-group').first().waitFor(WAIT);
  await bring(); // scrolls again, because the figures above may have grown
}

/** @param {Page} page @param {number} group index, from 0 @param {string} [how] */
const groupIs = (page, group, how = 'drawn') =>
  page.waitForFunction(
    ([at, end]) => {
      const canvases = [...(document.querySelectorAll('.class-group')[Number(at)]?.querySelectorAll('canvas') ?? [])];
      return canvases.length > 0 && canvases.every((canvas) => canvas.getAttribute('aria-label')?.endsWith(`: ${end}`));
    },
    [group, how],
    WAIT,
  );

/**
 * Returns the pixels of a group's pictures; null if nothing is drawn.
 *
 * @param {Page} page
 * @param {number} group
 * @returns {Promise<([number, number, number] | null)[][]>}
 */
const pixels = (page, group) =>
  page
    .locator('.class-group')
    .nth(group)
    .locator('canvas')
    .evaluateAll((canvases) =>
      canvases.map((element) => {
        const { width, height } = /** @type {HTMLCanvasElement} */ (element);
        const copy = /** @type {OffscreenCanvasRenderingContext2D} */ (
          new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
        );
        copy.drawImage(/** @type {HTMLCanvasElement} */ (element), 0, 0);
        const { data } = copy.getImageData(0, 0, width, height);
        return Array.from({ length: width * height }, (_, i) => (data[4 * i + 3] ? [data[4 * i], data[4 * i + 1], data[4 * i + 2]] : null));
      }),
    );

/**
 * Returns the pictures that the model draws for a class, computed without a page.
 *
 * @param {string} name
 * @param {number} label
 * @param {number} temperature
 * @param {number} seed
 */
async function drawn(name, label, temperature, seed) {
  const model = await load(new Uint8Array(await weights(name)));
  /** @type {number[][]} */
  const values = Array.from({ length: SAMPLES }, () => []);
  for await (const step of model.generate({ label, samples: SAMPLES, seed, temperature })) values[step.sample].push(...step.values);
  model.close();
  return values;
}

/**
 * Returns the colour of a grey level. In light mode, grey 0 is the paper and grey 255 is the second ink of page.css; the colours between
 * them are mixed.
 *
 * @param {number} grey
 */
const ink = (grey) => [31, 61, 194].map((full) => Math.round(255 + ((full - 255) * grey) / 255));

test('there is a column for each digit, with the values that the model draws given the class', () =>
  withPage(async (page) => {
    await open(page);
    const { classes } = await load(new Uint8Array(await weights('digits'))).then((model) => {
      model.close();
      return model.info;
    });
    assert.deepEqual(await page.locator('.class-name').allTextContents(), classes);
    await groupIs(page, 1);
    await page.click('#classes-stop'); // stops the run, because this test does not need the other classes
    const temperature = Number(await page.textContent('#classes-temperature'));
    const seed = Number(await page.inputValue('#classes-seed'));
    for (const label of [0, 1]) {
      const expected = await drawn('digits', label, temperature, seed);
      (await pixels(page, label)).forEach((picture, i) => assert.deepEqual(picture, expected[i].map(ink), `class ${label}, picture ${i}`));
    }
    const [first, second] = await Promise.all([pixels(page, 0), pixels(page, 1)]);
    assert.notDeepEqual(first, second);
    await page.locator('#classes-pace', { hasText: /^\d+ of 60 drawn; [\d.]+ ms per pixel, computed on your device$/ }).waitFor();
  }));

more('when all sixty pictures are drawn, the page announces this', () =>
  withPage(async (page) => {
    await open(page);
    await groupIs(page, 9);
    await page.locator('#classes-run-text', { hasText: 'Play again' }).waitFor();
    await page.locator('[role=status]', { hasText: 'All digits are drawn.' }).waitFor({ state: 'attached' });
    await page.locator('#figure-classes').screenshot({ path: `${OUT}classes.png` });
  }),
);

more('there is a row for each style of emoji', () =>
  withPage(async (page) => {
    await open(page, COLOUR);
    await page.locator('.class-name', { hasText: 'FxEmoji' }).waitFor(WAIT);
    assert.equal(await page.locator('.class-group').count(), 5);
    await groupIs(page, 1);
    const temperature = Number(await page.textContent('#classes-temperature'));
    const expected = await drawn('emoji', 1, temperature, Number(await page.inputValue('#classes-seed')));
    (await pixels(page, 1)).forEach((picture, i) => assert.deepEqual(picture.flat(), expected[i], `picture ${i}`));
  }),
);

more('the switch changes to photographs in ten classes, and back', () =>
  withPage(async (page) => {
    await open(page, COLOUR);
    await groupIs(page, 0, 'being drawn');
    await page.locator('#classes-switch:enabled input:checked').focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('.class-name', { hasText: 'airplane' }).waitFor(WAIT);
    const { classes } = await load(new Uint8Array(await weights('cifar10'))).then((model) => {
      model.close();
      return model.info;
    });
    assert.deepEqual(await page.locator('.class-name').allTextContents(), classes);
    await groupIs(page, 1);
    const temperature = Number(await page.textContent('#classes-temperature'));
    const expected = await drawn('cifar10', 1, temperature, Number(await page.inputValue('#classes-seed')));
    const [first, second] = await Promise.all([0, 1].map((group) => pixels(page, group)));
    second.forEach((picture, i) => assert.deepEqual(picture.flat(), expected[i], `picture ${i}`));
    assert.notDeepEqual(first, second);
    second.forEach((picture, i) => assert.notDeepEqual(picture, second[(i + 1) % SAMPLES]));
    await page.locator('[role=status]', { hasText: /photographs/ }).waitFor({ state: 'attached' });
    await page.locator('#figure-classes').screenshot({ path: `${OUT}classes-photos.png` });
    assert.equal(
      await page.evaluate(() => /** @type {HTMLInputElement} */ (document.activeElement).value),
      'photos',
      'the switch keeps the focus',
    );
    await page.keyboard.press('ArrowRight'); // moves from the last choice to the first
    await page.locator('.class-name', { hasText: 'FxEmoji' }).waitFor(WAIT);
    await groupIs(page, 0);
  }),
);

more('play again, stop, and a new seed work', () =>
  withPage(async (page) => {
    await open(page);
    await groupIs(page, 0);
    const before = await pixels(page, 0);
    await page.click('#classes-stop');
    await page.locator('#classes-run-text', { hasText: /^Play$/ }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'classes-run');
    assert.ok(await page.locator('#classes-stop').isDisabled());
    const stopped = await Promise.all([1, 2, 3].map((group) => pixels(page, group)));
    await sleep(300);
    assert.deepEqual(await Promise.all([1, 2, 3].map((group) => pixels(page, group))), stopped);
    await page.keyboard.press('Enter');
    await groupIs(page, 0, 'being drawn');
    await groupIs(page, 0);
    assert.deepEqual(await pixels(page, 0), before, 'the same seed gives the same pictures');
    await page.fill('#classes-seed', 'seven');
    await page.keyboard.press('Enter');
    assert.equal(await page.inputValue('#classes-seed'), '1', 'an invalid seed is not accepted');
    await page.click('#classes-dice');
    await groupIs(page, 0, 'being drawn');
    await groupIs(page, 0);
    assert.notDeepEqual(await pixels(page, 0), before);
  }),
);

more('off screen the run pauses, and back on screen it draws the rest', () =>
  withPage(async (page) => {
    await open(page);
    await groupIs(page, 0);
    /** @param {boolean} hidden */
    const hide = (hidden) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await hide(true);
    await page.locator('#classes-run-text', { hasText: /^Play$/ }).waitFor();
    const kept = await pixels(page, 0);
    await hide(false);
    await page.locator('#classes-run-text', { hasText: 'Start over' }).waitFor();
    assert.deepEqual(await pixels(page, 0), kept);
    await groupIs(page, 0);
    // Checks that a run stays stopped after the visitor has stopped it.
    await page.click('#classes-stop');
    await hide(true);
    await hide(false);
    await sleep(100);
    assert.equal(await page.textContent('#classes-run-text'), 'Play');
  }),
);

more('a failure gives a message and can be retried', () =>
  withPage(
    async (page) => {
      await page.route('**/weights*/cifar10.gguf', (route) => route.abort());
      await open(page, COLOUR);
      await groupIs(page, 0, 'being drawn');
      await page.locator('#classes-switch:enabled input[value=photos]').check();
      await page
        .locator('#classes-load-text')
        .getByText(/could not be loaded/)
        .waitFor(WAIT);
      await page.unroute('**/weights*/cifar10.gguf');
      await page.locator('#classes-load-action', { hasText: 'Try again' }).click();
      await page.locator('.class-name', { hasText: 'airplane' }).waitFor(WAIT);
      await groupIs(page, 0, 'being drawn');
    },
    { complains: true },
  ),
);

for (const width of [320, 400, 768]) {
  more(`nothing is wider than ${width} pixels`, () =>
    withPage(
      async (page) => {
        for (const [model, name] of [
          ['digits', /^9$/],
          ['emoji', /^FxEmoji$/],
          ['photos', /^truck$/],
        ]) {
          if (model !== 'photos') await open(page, model === 'digits' ? DIGITS : COLOUR);
          else await page.locator(`#classes-switch:enabled input[value=${model}]`).check();
          await page.locator('.class-name', { hasText: name }).waitFor(WAIT);
          assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
          for (const tile of await page.locator('.class-tile').all()) {
            const box = await tile.boundingBox();
            assert.ok(box && box.x >= 0 && box.x + box.width <= width && box.width >= 30, JSON.stringify(box));
          }
        }
        await groupIs(page, 0);
        if (width === 400) await page.locator('#figure-classes').screenshot({ path: `${OUT}classes-phone.png` });
      },
      { viewport: { width, height: 740 }, hasTouch: width < 500, isMobile: width < 500 },
    ),
  );
}

more('with reduced motion, nothing begins automatically, and the pictures of a class appear finished', () =>
  withPage(
    async (page) => {
      await open(page);
      await page.locator('#classes-run:enabled').waitFor(WAIT);
      await sleep(300);
      const count = async () => (await pixels(page, 0)).map((picture) => picture.filter((pixel) => pixel).length);
      assert.deepEqual(await count(), Array(SAMPLES).fill(0));
      await page.click('#classes-run');
      let now = 0;
      while (now === 0) {
        const counts = await count();
        assert.ok(
          counts.every((n) => n === counts[0] && (n === 0 || n === 784)),
          String(counts),
        );
        [now] = counts;
        await sleep(30);
      }
      await page.click('#classes-stop');
    },
    { reducedMotion: 'reduce' },
  ),
);

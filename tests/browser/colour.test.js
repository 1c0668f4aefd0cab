// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the gallery of completed pictures: its rows, their pixel values, the strip of originals, the buttons, and the switch between
 * models. The gallery must also handle failed downloads, pause off screen, fit narrow windows, and respect reduced motion.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { nearestColours } from '../../web/lib/media/codec.js';
import { more } from '../more.js';
import { OUT, session, sleep } from './browser.js';
import { PAGE, SIDE, WAIT, emoji, galleryOf, inRepository, photos, shownOf, triples } from './gallery.js';
import { png } from './png.js';

/** @import { Route } from 'playwright-core' */
/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

const { withPage } = session();
const { rows: ROWS, open, switchOver, rowIs, name: nameOf, pixels } = galleryOf('colour', 'in-colour');
/** The number of given pixels. GIVEN: two thirds of the rows of an emoji. HALF: half of a photograph. */
const GIVEN = 21 * SIDE,
  HALF = (SIDE * SIDE) / 2;
const weights = await readFile(inRepository('weights/emoji.gguf'));
const photoWeights = await readFile(inRepository('weights/cifar10.gguf'));

test('a row shows the values that the model draws, next to the given part', () =>
  withPage(async (page) => {
    await open(page);
    await rowIs(page, 0);
    await page.click('#colour-stop'); // stops the run, because this test does not need the other rows
    const [given, ...rest] = await pixels(page, 0);
    const [original] = rest.splice(3);
    const name = (await nameOf(page, 0)) ?? '';
    const style = emoji.find((one) => one.name === name)?.style;

    const model = /** @type {AnyModel} */ (await load(new Uint8Array(weights)));
    const palette = /** @type {Uint8Array} */ (model.info.palette);
    const image = { data: /** @type {number[][]} */ (original).flat(), width: SIDE, height: SIDE };
    const temperature = Number(await page.locator('#colour-temperature').textContent());
    const tries = Number(await page.locator('#colour-tries').inputValue());
    assert.equal(tries, 12);
    assert.equal(await page.locator('#colour-given').inputValue(), '66');
    const run = model.complete(image, { samples: tries, resample: 4, seed: 7, temperature, label: style, rows: 21 });
    const known = triples(run.known);
    assert.equal(known.length, GIVEN);
    const indices = nearestColours(Uint8Array.from(image.data.slice(0, 3 * GIVEN)), palette);
    assert.deepEqual(
      known,
      Array.from(indices, (index) => [...palette.subarray(3 * index, 3 * index + 3)]),
    );
    assert.deepEqual(given.slice(0, GIVEN), known);
    assert.ok(
      given.slice(GIVEN).every((pixel) => pixel === null),
      'the rest is not given',
    );

    const expected = await shownOf(model, run, tries);
    model.close();
    expected.forEach((values, i) => assert.deepEqual(rest[i], triples(values), `ending ${i}`));
    assert.notDeepEqual(rest[0], rest[1]);
    await page.locator('#colour-pace', { hasText: /^[\d.]+ ms per pixel, computed on your device$/ }).waitFor();
    await page.locator('#in-colour').screenshot({ path: `${OUT}colour.png` });
  }));

more('a link without the size of the given part means half, because older links do not have this setting', () =>
  withPage(
    async (page) => {
      await page.goto(`${PAGE}#figure-colour?seed=3&picture=5`);
      const given = page.locator('#colour-given');
      await page.waitForFunction(
        () => /** @type {HTMLInputElement} */ (document.getElementById('colour-seed'))?.value === '3',
        undefined,
        WAIT,
      );
      assert.equal(await given.inputValue(), '50');
      await page.goto(`${PAGE}#figure-colour?seed=4&picture=5&given=66`);
      await page.waitForFunction(
        () => /** @type {HTMLInputElement} */ (document.getElementById('colour-seed'))?.value === '4',
        undefined,
        WAIT,
      );
      assert.equal(await given.inputValue(), '66');
    },
    { reducedMotion: 'reduce' },
  ),
);

more('play again, stop, a new seed, and the strip work', () =>
  withPage(async (page) => {
    await open(page);
    await rowIs(page, 0, 'being drawn');
    await page.locator('#colour-tries').selectOption('3'); // chooses three samples that do not compete: a quarter of the usual work
    await rowIs(page, 0, 'being drawn');
    await rowIs(page, 0);
    const [, first] = await pixels(page, 0);
    await page.locator('#colour-stop').click();
    await page.locator('#colour-run-text', { hasText: /^Play$/ }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'colour-run');
    assert.ok(await page.locator('#colour-stop').isDisabled());
    const stopped = await Promise.all([0, 1, 2].map((row) => pixels(page, row)));
    await sleep(300);
    assert.deepEqual(await Promise.all([0, 1, 2].map((row) => pixels(page, row))), stopped);

    await page.keyboard.press('Enter');
    await rowIs(page, 0, 'being drawn');
    await rowIs(page, 0);
    assert.deepEqual((await pixels(page, 0))[1], first, 'the same seed gives the same endings');
    await page.locator('#colour-dice').click();
    assert.notEqual(await page.inputValue('#colour-seed'), '7');
    await rowIs(page, 0, 'being drawn');
    await rowIs(page, 0);
    assert.notDeepEqual((await pixels(page, 0))[1], first);
    await page.locator('#colour-stop').click();

    const radios = page.locator('#colour-strip input');
    assert.equal(await radios.count(), emoji.length);
    await page.locator('#colour-strip input:checked').focus();
    await page.keyboard.press('ArrowRight');
    const [name, second] = await Promise.all([0, 1].map((row) => nameOf(page, row)));
    const at = emoji.findIndex((one) => one.name === name);
    assert.ok(await radios.nth(at).isChecked());
    await rowIs(page, 0);
    assert.deepEqual(await nameOf(page, 1), second, 'the other rows stay');
    await page.locator('[role=status]', { hasText: `${name}: three endings are drawn.` }).waitFor({ state: 'attached' });

    // If the chosen emoji is already in another row, the two rows swap their emoji.
    await radios.nth(emoji.findIndex((one) => one.name === second)).check();
    assert.deepEqual(await Promise.all([0, 1].map((row) => nameOf(page, row))), [second, name]);
  }),
);

more('photographs: the switch loads the other model, which draws them without the class', () =>
  withPage(async (page) => {
    /** @type {string[]} */
    const asked = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/cifar10.gguf')) asked.push(request.method());
    });
    await open(page);
    await rowIs(page, 0, 'being drawn');
    assert.equal(asked.length, 0, 'the other model is not loaded before it is chosen');
    await switchOver(page);
    assert.equal(
      await page.evaluate(() => /** @type {HTMLInputElement} */ (document.activeElement).value),
      'photos',
      'the switch keeps the focus',
    );
    await page.locator('[role=status]', { hasText: /photographs/ }).waitFor({ state: 'attached' });
    assert.ok(asked.includes('GET'));
    const radios = page.locator('#colour-strip input');
    assert.equal(await radios.count(), photos.length);
    assert.equal(await page.locator('#colour-strip legend').textContent(), 'Choose a photograph for the first row');
    assert.ok(await radios.first().isChecked());
    // At first, each row shows a different class, with the first photograph of this class.
    const classes = [...new Set(photos.map(({ name }) => name))].slice(0, 6);
    assert.deepEqual(await page.locator(`${ROWS} .row-name b`).allTextContents(), classes);
    assert.equal(await page.locator(`${ROWS} .row-name`).first().textContent(), `${classes[0]} test picture 1`);

    await rowIs(page, 1);
    const rows = await Promise.all([0, 1].map((row) => pixels(page, row)));
    const [given, ...rest] = rows[0];
    const [original] = rest.splice(3);
    const model = /** @type {AnyModel} */ (await load(new Uint8Array(photoWeights)));
    const temperature = Number(await page.locator('#colour-temperature').textContent());
    const image = { data: /** @type {number[][]} */ (original).flat(), width: SIDE, height: SIDE };
    const run = model.complete(image, { samples: 3, seed: 7, temperature, label: null });
    const expected = [0, 1, 2].map(() => [...run.known]);
    for await (const { sample, values } of run) expected[sample].push(...values);
    const parameters = model.info.parameters.toLocaleString('en');
    model.close();
    assert.deepEqual(given.slice(0, HALF), original.slice(0, HALF), 'the given colours are not rounded');
    expected.forEach((values, i) => assert.deepEqual(rest[i], triples(values), `ending ${i}`));
    for (const [start, ...endings] of rows) {
      for (const [i, ending] of endings.slice(0, 3).entries()) {
        assert.ok(ending.every(Boolean), 'the ending is complete');
        assert.notDeepEqual(ending, start);
        assert.notDeepEqual(ending, endings[(i + 1) % 3]);
      }
    }
    assert.equal(await page.locator('#colour-photos-parameters').textContent(), parameters);
    await page.locator('#in-colour').screenshot({ path: `${OUT}colour-photos.png` });

    await page.keyboard.press('ArrowLeft');
    await page.locator('#colour-strip[data-strip=emoji]').waitFor(WAIT);
    assert.equal(await radios.count(), emoji.length);
    await rowIs(page, 0);
    assert.ok(emoji.map((one) => one.name).includes((await nameOf(page, 0)) ?? ''));
  }),
);

more("either model completes the visitor's own picture, which stays when the models are switched", () =>
  withPage(
    async (page) => {
      await open(page);
      await switchOver(page);
      const name = async () => (await nameOf(page, 0)) ?? '';
      const buffer = png(64, 64, (x, y) => [4 * x, 4 * y, 128, 255]);
      await page.locator('#colour-photo input').setInputFiles({ name: 'slope.png', mimeType: 'image/png', buffer });
      await page.locator(`${ROWS}:first-child .row-name b`, { hasText: 'your picture' }).waitFor();
      assert.equal(await page.locator('#colour-strip input:checked').count(), 0);
      await rowIs(page, 0);
      const [given, ending] = await pixels(page, 0);
      assert.deepEqual(
        given.slice(0, 2),
        [
          [2, 2, 128],
          [10, 2, 128],
        ],
        'unchanged, in all its colours',
      );
      assert.ok(ending.every(Boolean));

      await page.locator('#colour-switch input').first().check();
      await page.locator('#colour-strip[data-strip=emoji]').waitFor(WAIT);
      await page.locator('#colour-run:enabled').waitFor(WAIT);
      assert.equal(await name(), 'your picture');
      assert.equal(await page.locator('#colour-strip input:checked').count(), 0);
      assert.notDeepEqual((await pixels(page, 0))[0], given, 'in the colours of the palette');
      await page.locator('#colour-strip input').first().check();
      assert.equal(await name(), emoji[0].name);
      // A picture that the visitor replaced through the strip does not come back.
      await switchOver(page);
      assert.equal(await name(), photos[0].name);
    },
    { reducedMotion: 'reduce' },
  ),
);

test('if photographs cannot be loaded, there is a message, and the visitor can cancel, retry or stay with the emoji', () =>
  withPage(
    async (page) => {
      const FILE = '**/weights*/cifar10.gguf';
      /**
       * Sets the server's response to the download. Without a response, the download never ends.
       * @param {(route: Route) => Promise<void> | void} answer
       */
      const download = async (answer) => {
        await page.unroute(FILE);
        await page.route(FILE, (route) => (route.request().method() === 'GET' ? answer(route) : route.continue()));
      };
      await download(() => {});
      await open(page);
      await rowIs(page, 0, 'being drawn');
      const photographs = page.locator('#colour-switch input').nth(1);
      await photographs.check();
      await page.locator('#colour-load-text', { hasText: /^Loading the model/ }).waitFor(WAIT);
      assert.ok(await photographs.isDisabled(), 'one download at a time');
      assert.ok(await page.locator('#colour-run').isDisabled(), 'the run with the other model has ended');
      assert.equal(await page.locator(`${ROWS} canvas[aria-label$=": being drawn"]`).count(), 0);
      await page.locator('#colour-load-action', { hasText: 'Cancel' }).click();
      await page.locator('#colour-load-text', { hasText: 'Loading was cancelled.' }).waitFor();
      assert.ok(await photographs.isEnabled());

      await sleep(300); // a new request, if there is one, would be made within this time
      await download((route) => route.abort());
      await page.locator('#colour-load-action', { hasText: 'Load the model' }).click();
      await page.locator('#colour-load-text', { hasText: /could not be loaded/ }).waitFor();
      // Switches back to the emoji, whose model is already loaded.
      await page.locator('#colour-switch input').first().check();
      await page.locator('#colour-run:enabled').waitFor(WAIT);
      assert.ok(await page.locator('#colour-load').isHidden());
      await rowIs(page, 0);
      await page.unroute(FILE);
      await photographs.check();
      await page.locator('#colour-strip[data-strip=photos]').waitFor(WAIT);
      await rowIs(page, 0);
    },
    { complains: true },
  ));

more('off screen the run pauses, and back on screen it continues', () =>
  withPage(async (page) => {
    await open(page);
    await rowIs(page, 0);
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.locator('#colour-run-text', { hasText: /^Play$/ }).waitFor();
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: false });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.locator('#colour-run-text', { hasText: 'Start over' }).waitFor();
    await page.evaluate(() => scrollTo({ top: 1e6, behavior: 'instant' }));
    await page.locator('#colour-run-text', { hasText: /^Play/ }).waitFor({ state: 'attached' });
  }),
);

more('a failure gives a message and can be retried', () =>
  withPage(
    async (page) => {
      await page.route('**/weights*/emoji.gguf', (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()));
      await page.goto(PAGE);
      await page.locator('#in-colour').waitFor();
      await page.locator('#figure-colour').scrollIntoViewIfNeeded();
      await page
        .locator('#colour-load-text')
        .getByText(/could not be loaded/)
        .waitFor();
      assert.ok(await page.locator('#colour-run').isDisabled());
      await page.unroute('**/weights*/emoji.gguf');
      await page.locator('#colour-load-action', { hasText: 'Try again' }).click();
      await page.locator('#colour-run:enabled').waitFor(WAIT);
      assert.ok(await page.locator('#colour-load').isHidden());
    },
    { complains: true },
  ),
);

for (const width of [320, 360, 768]) {
  more(`nothing is wider than ${width} pixels`, () =>
    withPage(
      async (page) => {
        await open(page);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
        const rows = await page
          .locator(ROWS)
          .evaluateAll((all) => all.filter((row) => /** @type {HTMLElement} */ (row).offsetParent).length);
        assert.equal(rows, width < 500 ? 4 : 6);
        await rowIs(page, 0);
        if (width === 360) await page.locator('#in-colour').screenshot({ path: `${OUT}colour-phone.png` });
        await switchOver(page);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
      },
      { viewport: { width, height: 740 }, hasTouch: width < 500, isMobile: width < 500 },
    ),
  );
}

more('with reduced motion, nothing begins automatically, and a row appears finished', () =>
  withPage(
    async (page) => {
      await open(page);
      await page.locator('#colour-run:enabled').waitFor(WAIT);
      await sleep(300);
      const [given, ...before] = await pixels(page, 0);
      for (const ending of before.slice(0, 3)) assert.deepEqual(ending, given);
      await page.click('#colour-run');
      let drawn = 0;
      while (drawn === 0) {
        const [, ...now] = await pixels(page, 0);
        drawn = now[0].filter((pixel) => pixel).length - GIVEN;
        assert.ok(drawn === 0 || drawn === SIDE * SIDE - GIVEN, `${drawn} pixels`);
        await sleep(30);
      }
      // Switching ends the run and does not make the page wider.
      await switchOver(page);
      await sleep(300);
      const [half, ...after] = await pixels(page, 0);
      for (const ending of after.slice(0, 3)) assert.deepEqual(ending, half);
    },
    { reducedMotion: 'reduce' },
  ),
);

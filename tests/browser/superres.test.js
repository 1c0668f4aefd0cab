// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the section on enlarging: its rows, their pixel values, their agreement with the small picture, the order of the pixels, the
 * buttons, and the switch between models. The section must also handle failed downloads, fit narrow windows, and respect reduced motion.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { bicubic } from '../../web/pages/colour/bicubic.js';
import { distance } from '../../web/pages/colour/distance.js';
import { reduce } from '../../web/lib/media/image.js';
import { load } from '../../web/lib/index.js';
import { more } from '../more.js';
import { OUT, session, sleep } from './browser.js';
import { PAGE, SIDE, WAIT, emoji, galleryOf, inRepository, photos, shownOf, triples } from './gallery.js';
import { png } from './png.js';

/** @import { Pixels } from './gallery.js' */
/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

const { withPage } = session();
const { rows: ROWS, open, switchOver, rowIs, name: nameOf, pixels } = galleryOf('superres', 'enlarged');
const SMALL = 8;
const weights = await readFile(inRepository('weights/emoji-sr.gguf'));

/** @param {Pixels} rgb */
const flat = (rgb) => Uint8Array.from(/** @type {number[][]} */ (rgb).flat());
/** @param {Uint8Array} picture */
const reduced = (picture) => reduce(picture, { width: SIDE, height: SIDE, channels: 3 }, SMALL, SMALL);

test('bicubic: constant pictures stay constant, slopes stay straight inside, edges are steeper and overshoot equally on both sides', () => {
  const from = { width: SMALL, height: 1, channels: 1 };
  const to = { width: SIDE, height: 1 };
  assert.ok(bicubic(new Uint8Array(SMALL).fill(77), from, to).every((value) => value === 77));
  const slope = bicubic(
    Uint8Array.from({ length: SMALL }, (_, i) => 32 * i),
    from,
    to,
  );
  for (let i = 8; i < 24; i++) assert.equal(slope[i] - slope[i - 1], 8); // for these pixels, all four taps are inside the picture
  const edge = bicubic(Uint8Array.from([100, 100, 100, 100, 150, 150, 150, 150]), from, to);
  assert.ok(Math.min(...edge) < 100 && Math.max(...edge) > 150);
  edge.forEach((value, i) => assert.ok(Math.abs(value + edge[SIDE - 1 - i] - 250) <= 1, `${i}`)); // each value is rounded, by up to a half
  // Checks the same values along columns.
  const column = bicubic(
    Uint8Array.from([100, 100, 100, 100, 150, 150, 150, 150]),
    { width: 1, height: SMALL, channels: 1 },
    { width: 1, height: SIDE },
  );
  assert.deepEqual(column, edge);
});

test("a row shows the model's input, the most probable picture of each group, and the agreement of each picture", () =>
  withPage(async (page) => {
    await open(page);
    await rowIs(page, 0, 'being drawn');
    assert.equal(await page.locator('#superres-tries').inputValue(), '24');
    // chooses groups of four competing samples, which take half as long as groups of eight
    await page.locator('#superres-tries').selectOption('12');
    await rowIs(page, 0, 'being drawn');
    await rowIs(page, 0);
    await page.click('#superres-stop'); // stops the run, because this test does not need the other rows
    const [given, smooth, ...rest] = await pixels(page, 0);
    const [original] = rest.splice(3);
    assert.equal(given.length, SMALL * SMALL);
    const small = reduced(flat(original));
    assert.deepEqual(flat(given), small);
    const curve = bicubic(small, { width: SMALL, height: SMALL, channels: 3 }, { width: SIDE, height: SIDE });
    assert.deepEqual(flat(smooth), new Uint8Array(curve));

    const model = /** @type {AnyModel} */ (await load(new Uint8Array(weights)));
    const temperature = Number(await page.locator('#superres-temperature').textContent());
    const tries = 12;
    const name = await nameOf(page, 0);
    const label = emoji.find((one) => one.name === name)?.style;
    const run = model.superResolve(
      { data: flat(original), width: SIDE, height: SIDE },
      { samples: tries, resample: 4, seed: 7, temperature, label },
    );
    assert.deepEqual(await run.input, small);
    const expected = await shownOf(model, run, tries);
    const plain = await shownOf(
      model,
      model.superResolve({ data: small, width: SMALL, height: SMALL }, { samples: 3, seed: 7, temperature, label }),
      3,
    );
    model.close();
    expected.forEach((values, i) => assert.deepEqual(rest[i], triples(values), `picture ${i}`));
    assert.notDeepEqual(rest[0], rest[1]);

    const notes = await page.locator(ROWS).first().locator('.tile-note').allTextContents();
    const psnr = [flat(smooth), ...expected].map((picture) => {
      const squares = reduced(picture).reduce((sum, value, i) => sum + (value - small[i]) ** 2, 0) / small.length;
      return `${(20 * Math.log10(255 / Math.sqrt(squares))).toFixed(1)} dB · ${distance(picture, flat(original), SIDE).toFixed(2)}`;
    });
    assert.deepEqual(notes, ['', ...psnr, '']);
    await page.locator('#superres-pace', { hasText: /^[\d.]+ ms per pixel, computed on your device$/ }).waitFor();
    await page.locator('#enlarged').screenshot({ path: `${OUT}superres.png` });

    // If each group has one sample, all samples are shown in order.
    await page.locator('#superres-tries').selectOption('3');
    await rowIs(page, 0, 'being drawn');
    await rowIs(page, 0);
    (await pixels(page, 0)).slice(2, 5).forEach((picture, i) => assert.deepEqual(picture, triples(plain[i]), `picture ${i} of three`));
  }));

more('the pixels appear line by line', () =>
  withPage(async (page) => {
    await open(page);
    /** Returns the drawn pixels of the first picture, including the pixel that is being drawn. */
    const there = async () => (await pixels(page, 0))[2].flatMap((pixel, i) => (pixel ? [i] : []));
    let now = await there();
    for (let attempt = 0; attempt < 10; attempt++) {
      while (now.length <= 64) now = await there();
      if (now.length < SIDE * SIDE) break;
      // on a busy machine, the run may end before the page is read; if so, tries again with another seed
      await page.click('#superres-dice');
      await rowIs(page, 0, 'being drawn');
      now = await there();
    }
    await page.click('#superres-stop');
    assert.ok(now.length < SIDE * SIDE, 'the check must come before the picture is complete');
    assert.deepEqual(
      now,
      now.map((_, i) => i),
    );
  }),
);

more('stop, a new seed, and the strip work', () =>
  withPage(async (page) => {
    await open(page);
    await rowIs(page, 0, 'being drawn');
    await page.locator('#superres-tries').selectOption('3');
    await rowIs(page, 0, 'being drawn');
    await rowIs(page, 0);
    const [, , first] = await pixels(page, 0);
    await page.click('#superres-dice');
    await rowIs(page, 0, 'being drawn');
    assert.equal(
      await page.locator(ROWS).first().locator('.drawn .tile-note').first().textContent(),
      '',
      'a picture that is not drawn has no number',
    );
    await rowIs(page, 0);
    assert.notDeepEqual((await pixels(page, 0))[2], first);
    await page.click('#superres-stop');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'superres-run');

    const colour = await page.locator('#colour-gallery .row-name b').allTextContents();
    const carrot = emoji.findIndex(({ name }) => name === 'carrot');
    await page.locator('#superres-strip input').nth(carrot).check();
    assert.equal(await nameOf(page, 0), 'carrot');
    await rowIs(page, 0);
    await page.locator('[role=status]', { hasText: 'carrot: three enlargements are drawn.' }).waitFor({ state: 'attached' });
    assert.deepEqual(await page.locator('#colour-gallery .row-name b').allTextContents(), colour, 'the other gallery stays');
  }),
);

more("photographs: the other model draws them and the visitor's own picture without the class", () =>
  withPage(async (page) => {
    await open(page);
    await rowIs(page, 0, 'being drawn');
    await switchOver(page);
    const radios = page.locator('#superres-strip input');
    assert.equal(await radios.count(), photos.length);
    assert.notEqual(await page.locator('#colour-strip').getAttribute('data-strip'), 'photos', 'the other gallery stays');
    const classes = [...new Set(photos.map(({ name }) => name))].slice(0, 4);
    assert.deepEqual(await page.locator(`${ROWS} .row-name b`).allTextContents(), classes);
    await rowIs(page, 1);

    const model = /** @type {AnyModel} */ (await load(new Uint8Array(await readFile(inRepository('weights/cifar10-sr.gguf')))));
    const temperature = Number(await page.locator('#superres-temperature').textContent());
    for (const row of [0, 1]) {
      const [given, smooth, ...rest] = await pixels(page, row);
      const [original] = rest.splice(3);
      const small = reduced(flat(original));
      assert.deepEqual(flat(given), small);
      rest.forEach((picture, i) => {
        assert.ok(picture.every(Boolean), 'the picture is complete');
        assert.notDeepEqual(picture, smooth);
        assert.notDeepEqual(picture, rest[(i + 1) % 3]);
      });
      if (row > 0) continue;
      const expected = new Uint8Array(SIDE * SIDE * 3);
      const run = model.superResolve(
        { data: flat(original), width: SIDE, height: SIDE },
        { samples: 1, seed: 7, temperature, label: null },
      );
      for await (const { from, values } of run) {
        values.forEach((value, i) => {
          expected[3 * model.order[Math.floor((from + i) / 3)] + ((from + i) % 3)] = value;
        });
      }
      assert.deepEqual(rest[0], triples(expected));
    }
    assert.equal(await page.locator('#superres-photos-parameters').textContent(), model.info.parameters.toLocaleString('en'));
    model.close();
    await page.locator('#enlarged').screenshot({ path: `${OUT}superres-photos.png` });

    await page.click('#superres-stop');
    const buffer = png(64, 64, (x, y) => [4 * x, 4 * y, 128, 255]);
    await page.locator('#superres-photo input').setInputFiles({ name: 'slope.png', mimeType: 'image/png', buffer });
    await page.locator(`${ROWS}:first-child .row-name b`, { hasText: 'your picture' }).waitFor();
    await rowIs(page, 0);
    assert.ok((await pixels(page, 0)).flat().every(Boolean));
    await page.locator('[role=status]', { hasText: 'your picture: three enlargements are drawn.' }).waitFor({ state: 'attached' });
  }),
);

more('nothing is loaded before the section scrolls into view', () =>
  withPage(
    async (page) => {
      /** @type {string[]} */
      const asked = [];
      page.on('request', (request) => {
        // emoji.gguf is the model of the completions further down the page
        if (request.url().endsWith('/emoji.gguf')) asked.push(request.method());
      });
      await page.goto(PAGE);
      await page.locator('#superres-run:enabled').waitFor(WAIT);
      await sleep(300);
      assert.equal(asked.length, 0);
      await page.evaluate(() => document.querySelector('#colour-gallery')?.scrollIntoView({ behavior: 'instant' }));
      await page.locator('#colour-run:enabled').waitFor(WAIT);
      assert.ok(asked.includes('GET'));
    },
    { viewport: { width: 1200, height: 700 } },
  ),
);

more('a failure gives a message and can be retried', () =>
  withPage(
    async (page) => {
      await page.route('**/weights*/emoji-sr.gguf', (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()));
      await page.goto(PAGE);
      await page.locator('#enlarged').waitFor();
      await page.locator('#figure-superres').scrollIntoViewIfNeeded();
      await page
        .locator('#superres-load-text')
        .getByText(/could not be loaded/)
        .waitFor();
      await page.unroute('**/weights*/emoji-sr.gguf');
      await page.locator('#superres-load-action', { hasText: 'Try again' }).click();
      await page.locator('#superres-run:enabled').waitFor(WAIT);
    },
    { complains: true },
  ),
);

more('an address leads to the section', () =>
  withPage(
    async (page) => {
      await page.goto(`${PAGE}#superres`);
      await page.locator('#superres-run:enabled').waitFor(WAIT);
      const { top, bottom } = await page.locator('#superres h2').evaluate((heading) => heading.getBoundingClientRect());
      assert.ok(top >= 0 && bottom < 900, `${top}`);
    },
    { reducedMotion: 'reduce' },
  ),
);

for (const width of [320, 360, 700, 900]) {
  more(`nothing is wider than ${width} pixels`, () =>
    withPage(
      async (page) => {
        await open(page);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
        const shown = await page
          .locator(ROWS)
          .evaluateAll((all) => all.filter((row) => /** @type {HTMLElement} */ (row).offsetParent).length);
        assert.equal(shown, width < 704 ? 3 : 4);
        // The six pictures are in one row, or in two rows of three.
        const tops = await page
          .locator(ROWS)
          .first()
          .locator('canvas')
          .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
        assert.equal(new Set(tops).size, width < 704 ? 2 : 1);
        await rowIs(page, 0);
        if (width === 360) await page.locator('#enlarged').screenshot({ path: `${OUT}superres-phone.png` });
        await switchOver(page);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
      },
      { viewport: { width, height: 740 }, hasTouch: width < 500, isMobile: width < 500 },
    ),
  );
}

more('with reduced motion, nothing begins automatically', () =>
  withPage(
    async (page) => {
      await open(page);
      await page.locator('#superres-run:enabled').waitFor(WAIT);
      await sleep(300);
      const [given, smooth, ...drawn] = await pixels(page, 0);
      assert.ok([...given, ...smooth].every(Boolean));
      assert.ok(
        drawn
          .slice(0, 3)
          .flat()
          .every((pixel) => pixel === null),
      );
    },
    { reducedMotion: 'reduce' },
  ),
);

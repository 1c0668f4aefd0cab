// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the figure on speculative decoding. The pictures and the passes of the figure must equal those of the model. The tests also cover
 * the figure's time measurement and Stop button, the keyboard, reduced motion, narrow windows, and failed downloads.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

import { differences, median, passAt, passes, verdict } from '../../web/pages/look-ahead/ahead-run.js';
import { load } from '../../web/lib/index.js';
import { more } from '../more.js';
import { WAIT, OUT, session, sleep } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const PAGE = '/web/pages/look-ahead/';
const SIDE = 28;
const PIXELS = SIDE * SIDE;
/** The maximum number of pixels in a pass. */
const WINDOW = 8;

const weights = new Uint8Array(await readFile(fileURLToPath(new URL('../../weights/digits.gguf', import.meta.url))));

// ---- numbers that the figure shows ----

test('passes() counts the passes of a picture, given how far ahead of its pass each pixel was computed', () => {
  const ahead = Uint8Array.of(0, 1, 2, 0, 0, 1);
  assert.equal(passes(ahead), 3);
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((pixels) => passes(ahead, pixels)),
    [1, 1, 1, 2, 3],
  );
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((pixel) => passAt(ahead, pixel)),
    [
      { from: 0, to: 3 },
      { from: 0, to: 3 },
      { from: 0, to: 3 },
      { from: 3, to: 4 },
      { from: 4, to: 6 },
      { from: 4, to: 6 },
    ],
  );
  assert.deepEqual([median([3, 1, 2]), median([4, 1, 3, 2])], [2, 2.5]);
});

test('the figure reports a difference between the pictures with and without drafts', () => {
  /** @param {...number} values */
  const drawing = (...values) => ({ values: Uint8Array.from(values), ahead: new Uint8Array(values.length), ms: 1 });
  assert.equal(differences(drawing(1, 2, 3), drawing(1, 2, 3)), 0);
  assert.equal(verdict(drawing(1, 2, 3), drawing(1, 2, 3)), 'The same 3 values, with and without drafts.');
  assert.equal(verdict(drawing(1, 2, 3), drawing(1, 0, 4)), 'The pictures differ in 2 of 3 values, which must never happen.');
});

// ---- the figure ----

/** @param {Page} page */
async function open(page) {
  await page.goto(PAGE);
  const bring = () => page.evaluate(() => document.querySelector('#figure-ahead')?.scrollIntoView({ behavior: 'instant' }));
  await bring();
  await page.locator('#ahead-run:enabled').waitFor(WAIT);
  await bring(); // scrolls again, because the sections above may have unfolded
}

/** @param {Page} page */
const finished = (page) => page.locator('#ahead-run-text', { hasText: 'Play again' }).waitFor(WAIT);

/** @param {Page} page */
const nextFrame = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve));
      }),
  );

/** @param {Page} page @param {string} id */
const text = async (page, id) => (await page.locator(`#ahead-${id}`).textContent()) ?? '';

/** Returns how many pixels of the picture are drawn so far. @param {Page} page */
const drawn = async (page) =>
  Number(/^\d+/.exec((await page.locator('.ahead-panel canvas').first().getAttribute('aria-label')) ?? '')?.[0]);

/**
 * Records the index of each pixel within the pass that computed it, for every run of a single digit. Must be called before the page opens.
 *
 * @param {Page} page
 */
const listen = (page) =>
  page.addInitScript(() => {
    /** @type {number[][]} */
    const runs = [];
    /** @type {any} */ (globalThis).runs = runs;
    globalThis.Worker = class extends Worker {
      /** @param {string | URL} url @param {WorkerOptions} [options] */
      constructor(url, options) {
        super(url, options);
        /** @type {Map<number, number[]>} */
        const begun = new Map();
        this.addEventListener('message', ({ data }) => {
          if (data.type !== 'step' || data.ids.length !== data.to - data.from) return;
          if (data.from === 0) begun.set(data.id, []);
          begun.get(data.id)?.push(...data.ahead);
          if (data.last && data.to === 784) runs.push(begun.get(data.id) ?? []);
        });
      }
    };
  });

/** @param {Page} page @returns {Promise<number[][]>} */
const heard = (page) => page.evaluate(() => /** @type {any} */ (globalThis).runs);

/** Draws the digit of a seed without a page. @param {number} seed @param {string} [label] */
async function digit(seed, label) {
  const model = await load(weights.slice());
  /** @type {number[]} */
  const values = [];
  for await (const step of model.generate({ seed, label, lookAhead: false })) values.push(...step.values);
  model.close();
  return values;
}

/**
 * Returns the colour of every pixel of a picture, read at a corner of the pixel, because a dot may cover its middle.
 *
 * @param {Page} page
 * @param {number} panel
 * @returns {Promise<number[][]>}
 */
const colours = (page, panel) =>
  page
    .locator('.ahead-panel canvas')
    .nth(panel)
    .evaluate((element, side) => {
      const { width, height } = /** @type {HTMLCanvasElement} */ (element);
      const copy = /** @type {OffscreenCanvasRenderingContext2D} */ (
        new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
      );
      copy.drawImage(/** @type {HTMLCanvasElement} */ (element), 0, 0);
      const { data } = copy.getImageData(0, 0, width, height);
      return Array.from({ length: side * side }, (_, i) => {
        const at = 4 * (Math.round((Math.floor(i / side) * height) / side) * width + Math.round(((i % side) * width) / side));
        return Array.from(data.subarray(at, at + 3));
      });
    }, SIDE);

/**
 * Returns the colour of a grey level. In light mode, grey 0 is the paper and grey 255 is the second ink of page.css; the colours between
 * them are mixed.
 *
 * @param {number} grey
 */
const ink = (grey) => [31, 61, 194].map((full) => Math.round(255 + ((full - 255) * grey) / 255));

/** Moves the pointer away from the pictures, because a pixel under the pointer is outlined. @param {Page} page */
async function lookAway(page) {
  await page.mouse.move(0, 0);
  await nextFrame(page);
}

test("the picture is the model's drawing, and the passes match the steps of the model", () =>
  withPage(async (page) => {
    await listen(page);
    await open(page);
    await finished(page);
    await lookAway(page);
    const seed = Number(await page.inputValue('#ahead-seed'));
    assert.deepEqual(await colours(page, 0), (await digit(seed)).map(ink));

    const [ahead] = await heard(page);
    assert.equal(ahead.length, PIXELS);
    const count = ahead.filter((number) => number === 0).length;
    assert.ok(count < PIXELS && count >= PIXELS / WINDOW, String(count));
    ahead.forEach((number, i) => assert.ok(number === 0 || (number === ahead[i - 1] + 1 && number < WINDOW), `pixel ${i}`));
    assert.equal(await text(page, 'passes-guessing'), String(count));
    assert.equal(await text(page, 'right-guessing'), String(PIXELS - count));
    assert.equal(await text(page, 'each-guessing'), (PIXELS / count).toFixed(2));
    assert.equal(await text(page, 'summary'), `784 pixels in ${count} passes: ${(PIXELS / count).toFixed(2)} pixels per pass on average.`);
    // The figure also draws without drafts, and shows the results of both modes. The figure compares only the medians of the durations.
    assert.deepEqual(
      [await text(page, 'passes-without'), await text(page, 'each-without'), await text(page, 'right-without')],
      ['784', '1.00', 'none'],
    );
    assert.match(await text(page, 'median-without'), /^[\d.]+ m?s$/);
    assert.match(await text(page, 'timing'), /^8 pictures, .* \(median\)/);
    assert.equal(await text(page, 'verdict'), 'The same 784 values, with and without drafts.');

    // The tint of a pixel depends on the index of the pixel within the pass; each index has its own tint.
    const tints = await colours(page, 1);
    const byPlace = Array.from({ length: WINDOW }, (_, place) => new Set(tints.filter((_tint, i) => ahead[i] === place).map(String)));
    for (const tint of byPlace) assert.ok(tint.size <= 1, String([...tint]));
    const used = byPlace.flatMap((tint) => [...tint]);
    assert.equal(new Set(used).size, used.length);
    const blue = (/** @type {string} */ tint) => Number(tint.split(',')[2]); // the blue of a tint; a tint with more paper has more blue
    assert.ok(
      used.slice(1).every((tint) => blue(tint) > 2 * blue(used[0])),
      used.join(' '),
    );
    await page.locator('#figure-ahead').screenshot({ path: `${OUT}lookahead.png` });
  }));

more('without drafts the picture is the same, with one pixel per pass, and the page says so', () =>
  withPage(async (page) => {
    await listen(page);
    await open(page);
    await page.selectOption('#ahead-label', '4');
    await page.locator('#ahead-run-text', { hasText: 'Start over' }).waitFor();
    await finished(page);
    await lookAway(page);
    const before = await colours(page, 0);
    assert.deepEqual(before, (await digit(Number(await page.inputValue('#ahead-seed')), '4')).map(ink));
    const passesBefore = await text(page, 'passes-guessing');

    await page.check('#ahead-plain');
    await page.locator('#ahead-verdict', { hasText: 'The same 784 values, with and without drafts.' }).waitFor(WAIT);
    await finished(page);
    await page.locator('[role=status]', { hasText: 'The same 784 values' }).waitFor({ state: 'attached' });
    await lookAway(page);
    assert.deepEqual(await colours(page, 0), before);
    assert.ok((await heard(page)).some((/** @type {number[]} */ run) => run.length === PIXELS && run.every((number) => number === 0)));
    assert.equal(await text(page, 'passes-without'), '784');
    assert.equal(await text(page, 'each-without'), '1.00');
    assert.equal(await text(page, 'passes-guessing'), passesBefore);

    // After another picture is chosen, the figure shows no measurement yet, and nothing of the previous picture.
    await page.click('#ahead-dice');
    await page.locator('#ahead-run-text', { hasText: 'Start over' }).waitFor();
    assert.equal(await text(page, 'passes-guessing'), 'not yet');
    assert.equal(await text(page, 'verdict'), '');
    await finished(page);
    await lookAway(page);
    assert.notDeepEqual(await colours(page, 0), before);
    assert.equal(await text(page, 'verdict'), 'The same 784 values, with and without drafts.');
  }),
);

more('Time both draws pictures alternately in both modes, and shows the medians', () =>
  withPage(async (page) => {
    await listen(page);
    await open(page);
    await finished(page);
    const before = (await heard(page)).length;
    await page.click('#ahead-both');
    await page.locator('#ahead-timing', { hasText: /^Timing: [1-7] of 8/ }).waitFor(WAIT);
    await page.locator('#ahead-timing', { hasText: '(median)' }).waitFor(WAIT);
    const said = await text(page, 'timing');
    assert.match(
      said,
      /^8 pictures, each drawn in both ways: \d+\.\d\d times as fast with drafts \(median\)\. Both ways drew identical pictures\.$/,
    );
    const [guessing, without] = await Promise.all(
      ['guessing', 'without'].map(async (way) => Number.parseFloat(await text(page, `median-${way}`))),
    );
    assert.ok(Math.abs(Number(/[\d.]+(?= times)/.exec(said)?.[0]) - without / guessing) < 0.1, `${said} ${without} / ${guessing}`);
    const runs = (await heard(page)).slice(before);
    const plain = runs.map((ahead) => ahead.every((number) => number === 0));
    assert.deepEqual(
      plain,
      Array.from({ length: 16 }, (_, i) => [false, true, true, false][i % 4]),
      'each mode goes first every other time',
    );
    assert.equal(await drawn(page), PIXELS, 'the picture stays');
  }),
);

test('Stop keeps the picture and the timing; Play again works with the keyboard', () =>
  withPage(async (page) => {
    await open(page);
    await page.locator('#ahead-run-text', { hasText: 'Start over' }).waitFor(WAIT);
    while (!((await drawn(page)) > 20)) await sleep(20);
    await page.click('#ahead-stop');
    await page.locator('#ahead-run-text', { hasText: /^Play$/ }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'ahead-run');
    assert.ok(await page.locator('#ahead-stop').isDisabled());
    await nextFrame(page);
    const count = await drawn(page);
    assert.ok(count < PIXELS, String(count));
    await sleep(300);
    assert.equal(await drawn(page), count);

    await page.click('#ahead-both');
    await page.locator('#ahead-timing', { hasText: /^Timing: [1-7] of 8/ }).waitFor(WAIT);
    await page.click('#ahead-stop');
    assert.equal(await text(page, 'timing'), 'Timing was stopped.');
    await sleep(300);
    assert.equal(await text(page, 'timing'), 'Timing was stopped.');
    assert.equal(await text(page, 'median-guessing'), 'not yet');

    await page.keyboard.press('Enter');
    await page.locator('#ahead-run-text', { hasText: 'Start over' }).waitFor();
    await finished(page);
    assert.equal(await drawn(page), PIXELS);
    await page.fill('#ahead-seed', 'seven');
    await page.keyboard.press('Enter');
    assert.equal(await page.inputValue('#ahead-seed'), '10', 'an invalid seed is not accepted');
  }));

more('pointing at a pixel or moving to it with the arrow keys shows its pass; all controls are reached with Tab', () =>
  withPage(async (page) => {
    await listen(page);
    await open(page);
    await finished(page);
    const [ahead] = await heard(page);
    const note = page.locator('.ahead-panel .panel-note').nth(1);
    /** @param {number} row @param {number} col */
    const expected = (row, col) => {
      const { from, to } = passAt(Uint8Array.from(ahead), row * SIDE + col);
      const right = to - from - 1;
      return (
        `Pass ${passes(Uint8Array.from(ahead), from + 1)}: ${to - from} pixel${to - from === 1 ? '' : 's'}, ` +
        `${right === 0 ? 'no accepted draft' : `${right} accepted draft${right === 1 ? '' : 's'}`}. ` +
        `From row ${Math.floor(from / SIDE) + 1}, column ${(from % SIDE) + 1}.`
      );
    };
    for (const panel of [0, 1]) {
      const box = await page.locator('.ahead-panel .picture').nth(panel).boundingBox();
      assert.ok(box);
      for (const [row, col] of [
        [0, 0],
        [9, 14],
        [27, 27],
      ]) {
        await page.mouse.move(box.x + ((col + 0.5) * box.width) / SIDE, box.y + ((row + 0.5) * box.height) / SIDE);
        await nextFrame(page);
        assert.equal(await note.textContent(), expected(row, col));
      }
    }
    await lookAway(page);
    assert.equal(await note.textContent(), 'Point at a pixel to see which pass drew it.');

    await page.locator('.ahead-panel .picture').first().focus();
    await page.keyboard.press('ArrowUp'); // the arrow keys start at the last pixel
    await page.keyboard.press('ArrowLeft');
    await nextFrame(page);
    assert.equal(await note.textContent(), expected(26, 26));
    await page.keyboard.press('Escape');
    await nextFrame(page);
    assert.equal(await note.textContent(), 'Point at a pixel to see which pass drew it.');
    /** @type {string[]} */
    const stops = [];
    for (let i = 0; i < 7; i++) {
      await page.keyboard.press('Tab');
      stops.push(await page.evaluate(() => document.activeElement?.id || String(document.activeElement?.className)));
    }
    assert.deepEqual(stops, ['picture', 'ahead-run', 'ahead-seed', 'ahead-dice', 'ahead-label', 'ahead-both', 'ahead-plain']);
    await page.keyboard.press('Space');
    await page.locator('#ahead-verdict', { hasText: 'The same 784 values' }).waitFor(WAIT);
  }),
);

more('off screen the run pauses, and back on screen it continues', () =>
  withPage(async (page) => {
    await open(page);
    while (!((await drawn(page)) > 20)) await sleep(20);
    /** @param {boolean} hidden */
    const hide = (hidden) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await hide(true);
    await sleep(100);
    const count = await drawn(page);
    await sleep(300);
    assert.equal(await drawn(page), count);
    assert.ok(count < PIXELS);
    await hide(false);
    await finished(page);
    assert.equal(await drawn(page), PIXELS);
  }),
);

more('with reduced motion, nothing begins automatically, and the picture appears finished', () =>
  withPage(
    async (page) => {
      await open(page);
      await sleep(500);
      assert.equal(await text(page, 'run-text'), 'Play');
      const seen = new Set([await drawn(page)]);
      assert.deepEqual([...seen], [0]);
      await page.click('#ahead-run');
      while ((await text(page, 'run-text')) !== 'Play again') {
        seen.add(await drawn(page));
        await sleep(10);
      }
      await nextFrame(page);
      seen.add(await drawn(page));
      assert.deepEqual(
        [...seen].sort((a, b) => a - b),
        [0, PIXELS],
      );
    },
    { reducedMotion: 'reduce' },
  ),
);

for (const width of [320, 400, 768]) {
  more(`nothing is wider than ${width} pixels`, () =>
    withPage(
      async (page) => {
        await open(page);
        await finished(page);
        await page.click('#ahead-both');
        await page.locator('#ahead-timing', { hasText: '(median)' }).waitFor(WAIT);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
        for (const part of await page.locator('#figure-ahead :is(.stage, .transport, table, p, button, input):visible').all()) {
          const box = await part.boundingBox();
          assert.ok(box && box.x >= 0 && box.x + box.width <= width, `${await part.getAttribute('id')} ${JSON.stringify(box)}`);
        }
        if (width === 400) await page.locator('#figure-ahead').screenshot({ path: `${OUT}lookahead-phone.png` });
      },
      { viewport: { width, height: 740 }, hasTouch: width < 500, isMobile: width < 500 },
    ),
  );
}

more('if the weights have no draft, the figure says that it has nothing to show', () =>
  withPage(async (page) => {
    await page.addInitScript(() => {
      globalThis.Worker = class extends Worker {
        /** @param {string | URL} url @param {WorkerOptions} [options] */
        constructor(url, options) {
          super(url, options);
          this.addEventListener('message', ({ data }) => {
            if (data.type === 'opened') for (const part of data.parts) part.draft = false;
          });
        }
      };
    });
    await page.goto(PAGE);
    await page.evaluate(() => document.querySelector('#figure-ahead')?.scrollIntoView({ behavior: 'instant' }));
    await page.locator('#ahead-none').waitFor(WAIT);
    assert.match(await text(page, 'none'), /no draft network/);
    for (const id of ['run', 'stop', 'both', 'plain', 'label']) assert.ok(await page.locator(`#ahead-${id}`).isDisabled(), id);
  }),
);

more('a failure gives a message and can be retried', () =>
  withPage(
    async (page) => {
      await page.route('**/weights*/digits.gguf', (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()));
      await page.goto(PAGE);
      await page.locator('#figure-ahead').scrollIntoViewIfNeeded();
      await page
        .locator('#ahead-load-text')
        .getByText(/could not be loaded/)
        .waitFor(WAIT);
      assert.ok(await page.locator('#ahead-run').isDisabled());
      await page.unroute('**/weights*/digits.gguf');
      await page.locator('#ahead-load-action', { hasText: 'Try again' }).click();
      await page.locator('#ahead-run:enabled').waitFor(WAIT);
      assert.ok(await page.locator('#ahead-load').isHidden());
      assert.ok(await page.locator('#ahead-none').isHidden());
    },
    { complains: true },
  ),
);

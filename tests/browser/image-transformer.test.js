// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the page about the Image Transformer: its pictures, its controls, and its use with the keyboard and the pointer. The page must also
 * obey its security policy, handle failed downloads, support both colour themes, fit narrow windows, and respect reduced motion.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { quantise } from '../../web/lib/media/codec.js';
import { more } from '../more.js';
import { OUT, decode, openEmpty, runAnew, session, sleep } from './browser.js';

/** @import { Page } from 'playwright-core' */
/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

const { withPage } = session();
const PAGE = '/web/pages/image-transformer/';

/** @param {string} path */
const inRepository = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const weights = await readFile(inRepository('weights/digits.gguf'));
const strip = await readFile(inRepository('web/pictures/digits.bin'));
/** @param {number} i */
const digit = (i) => new Uint8Array(strip.subarray(16 + i * 784, 16 + (i + 1) * 784));

/** @param {Page} page */
const runText = (page) => page.locator('#run-text').textContent();

/** Waits until the run is complete. @param {Page} page */
const done = (page) => page.locator('#run-text', { hasText: 'Run again' }).waitFor();

/** Opens the page and completes the first run at the highest speed. @param {Page} page */
async function open(page) {
  await page.goto(PAGE);
  await slide(page, '#speed', '7');
  await done(page);
  // Switches off the surprisal, which the page shows at first. Unlike a click by Playwright, the element's own `click()` does not scroll
  // the page.
  await page.locator('#show-surprise').evaluate((box) => /** @type {HTMLInputElement} */ (box).click());
}

/** Returns how many pixels of each completion are drawn. @param {Page} page */
const drawn = (page) =>
  page
    .locator('.ending canvas')
    .evaluateAll((canvases) => canvases.map((canvas) => Number(/: (\d+) of/.exec(canvas.getAttribute('aria-label') ?? '')?.[1])));

/** @param {Page} page @param {string} selector @param {string} value */
const slide = (page, selector, value) =>
  page.locator(selector).evaluate((input, to) => {
    /** @type {HTMLInputElement} */ (input).value = to;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }, value);

/** Returns CSS custom properties of the theme, as RGB. @param {Page} page */
const colours = (page) =>
  page.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(
      ['page', 'paper', 'ink', 'text', 'muted', 'edge', 'predicted', 'on-predicted', 'wash', 'heat-text'].map((name) => {
        const n = parseInt(style.getPropertyValue(`--${name}`).trim().slice(1), 16);
        return [name, /** @type {[number, number, number]} */ ([n >> 16, (n >> 8) & 255, n & 255])];
      }),
    );
  });

more('the page opens under the strict policy without a complaint, and draws soon', () =>
  withPage(async (page) => {
    await page.addInitScript(() => {
      const look = () => {
        const label = document.querySelector('.ending canvas')?.getAttribute('aria-label') ?? '';
        if (/: [1-9]\d* of/.test(label)) /** @type {any} */ (globalThis).firstPixel = performance.now();
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    const response = await page.goto(PAGE);
    assert.equal(
      await page.locator('#show-surprise').isChecked(),
      true,
      'unlike the front page, which shows the same figure without the surprisal',
    );
    assert.match(response?.headers()['content-security-policy'] ?? '', /default-src 'none'/);
    await done(page);
    const first = await page.evaluate(() => /** @type {any} */ (globalThis).firstPixel);
    console.log(`page open to first drawn pixel: ${first.toFixed(0)} ms`);
    for (const id of ['n-bytes', 'n-parameters', 'n-first', 'n-pixel', 'n-rate']) {
      assert.match(await page.locator(`#${id}`).innerText(), /^[\d.,]+/, id);
    }
  }),
);

test('the policy refuses an inline script and an inline style', () =>
  withPage(
    async (page, complaints) => {
      await page.goto(PAGE);
      const ran = await page.evaluate(() => {
        const script = document.createElement('script');
        script.textContent = 'globalThis.inlineRan = true';
        document.head.append(script);
        const box = document.createElement('div');
        box.innerHTML = '<p style="color: red">red</p>';
        document.body.append(box);
        return { script: 'inlineRan' in globalThis, colour: getComputedStyle(/** @type {Element} */ (box.firstElementChild)).color };
      });
      assert.equal(ran.script, false);
      assert.notEqual(ran.colour, 'rgb(255, 0, 0)');
      // Reports of violations arrive asynchronously.
      const told = (/** @type {string} */ directive) => complaints.some((text) => text.startsWith(`policy: ${directive}`));
      for (let i = 0; i < 100 && !(told('script-src') && told('style-src')); i++) await sleep(50);
      assert.ok(told('script-src') && told('style-src'), complaints.join('\n'));
    },
    { complains: true },
  ));

test('the pictures show the values that the model draws', () =>
  withPage(async (page) => {
    await open(page);
    await page.locator('#strip input').nth(37).check();
    await sleep(300);
    await done(page);
    await page.mouse.move(5, 5);

    const model = /** @type {AnyModel} */ (await load(new Uint8Array(weights)));
    const source = quantise(digit(37), model.info.levels);
    const rows = Number(await page.locator('.handle').getAttribute('aria-valuenow'));
    const pictures = [0, 1, 2].map(() => Uint8Array.from(source));
    for await (const { sample, from, values } of model.complete({ data: source, width: 28, height: 28 }, { rows, samples: 3, seed: 7 })) {
      pictures[sample].set(values, from);
    }
    model.close();

    const { paper, ink, predicted } = await colours(page);
    for (const [sample, values] of pictures.entries()) {
      const png = await page
        .locator('.ending canvas')
        .nth(sample)
        .screenshot(sample === 1 ? { path: `${OUT}ending.png` } : {});
      const shot = await decode(page, png);
      for (let i = 0; i < 784; i++) {
        const full = i < rows * 28 ? ink : predicted;
        const expected = paper.map((low, c) => low + ((full[c] - low) * values[i]) / 255);
        const seen = shot.at((((i % 28) + 0.5) * shot.width) / 28, ((Math.floor(i / 28) + 0.5) * shot.height) / 28);
        assert.ok(
          seen.every((v, c) => Math.abs(v - expected[c]) <= 1),
          `ending ${sample}, pixel ${i}: ${seen}, not ${expected}`,
        );
      }
    }
    await page.screenshot({ path: `${OUT}page.png` });
  }));

more('run, pause, step, stop, speed', { timeout: 60000 }, () =>
  withPage(async (page) => {
    await open(page);
    await slide(page, '#speed', '2'); // selects a speed of 40 pixels a second
    const started = performance.now();
    await page.click('#run');
    while ((await drawn(page))[0] < 15) await sleep(20); // if nothing is drawn, the time limit of the test ends this loop
    await page.click('#run');
    const elapsed = performance.now() - started;
    assert.equal(await runText(page), 'Continue');
    await sleep(150); // the labels change in the next frame
    const [first, ...others] = await drawn(page);
    assert.deepEqual(others, [first, first], 'the endings advance together');
    assert.ok(first <= (40 * elapsed) / 1000 + 5, `${first} pixels in ${elapsed.toFixed(0)} ms`);
    await sleep(300);
    assert.deepEqual(await drawn(page), [first, first, first]);
    await page.click('#step');
    await page.click('#step');
    await page.waitForFunction(
      (n) => document.querySelector('.ending canvas')?.getAttribute('aria-label')?.includes(`: ${n} of`),
      first + 2,
    );
    await page.click('#run');
    while ((await drawn(page))[0] <= first + 2) await sleep(20);
    await page.click('#stop');
    assert.equal(await runText(page), 'Run');
    await sleep(150);
    const stopped = await drawn(page);
    await sleep(200);
    assert.deepEqual(await drawn(page), stopped);
    await page.click('#step'); // draws the first pixel of a new run
    await page.waitForFunction(() => document.querySelector('.ending canvas')?.getAttribute('aria-label')?.includes(': 1 of'));
    await slide(page, '#speed', '7');
    await page.click('#run');
    await done(page);
  }),
);

test('seed, temperature, class and line change the completions', () =>
  withPage(async (page) => {
    await open(page);
    /** Makes a change, and returns the pictures of the complete run. @param {() => Promise<unknown>} change */
    const after = async (change) => {
      await runAnew(page, change);
      await done(page);
      await sleep(50);
      return page
        .locator('.ending canvas')
        .evaluateAll((all) => all.map((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL()).join());
    };
    const before = await after(() => page.click('#run'));
    assert.equal(await after(() => page.click('#run')), before, 'the same seed gives the same pictures');
    const other = await after(async () => {
      await page.fill('#seed', '8');
      await page.keyboard.press('Enter');
    });
    assert.notEqual(other, before);
    assert.notEqual(await after(() => page.click('#dice')), other);
    assert.notEqual(await page.inputValue('#seed'), '8');
    const cold = await after(() => slide(page, '#temperature', '0'));
    const notes = await page.locator('.ending .panel-note').allTextContents();
    assert.ok(
      notes.every((note) => note === notes[0]),
      'at temperature 0 all endings agree',
    );
    assert.notEqual(await after(() => page.selectOption('#label', '8')), cold);
    await page.fill('#seed', 'nonsense');
    await page.locator('#seed').blur();
    assert.match(await page.inputValue('#seed'), /^\d+$/);
    await page.locator('.handle').focus();
    await after(() => page.keyboard.press('Home')); // without given rows, whole pictures are drawn
    assert.deepEqual(await drawn(page), [784, 784, 784]);
    await after(() => page.keyboard.press('End'));
    assert.deepEqual(await drawn(page), [28, 28, 28]);
  }));

more('the line can be dragged with the pointer', () =>
  withPage(async (page) => {
    await open(page);
    const box = /** @type {NonNullable<Awaited<ReturnType<import('playwright-core').Locator['boundingBox']>>>} */ (
      await page.locator('.source .stage').boundingBox()
    );
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + (box.height * 7) / 28, { steps: 4 });
    assert.equal(await page.locator('.handle').getAttribute('aria-valuenow'), '7');
    await page.mouse.move(box.x + box.width / 2, box.y - 500);
    assert.equal(await page.locator('.handle').getAttribute('aria-valuenow'), '0');
    await page.mouse.move(box.x + box.width / 2, box.y + (box.height * 20) / 28);
    await page.mouse.up();
    assert.equal(await page.locator('.handle').getAttribute('aria-valuetext'), '20 of 28 rows given');
    await page.waitForFunction(
      () => document.querySelector('.ending canvas')?.getAttribute('aria-label')?.endsWith('of 224 pixels drawn, 0.0 nats') === false,
    );
  }),
);

test('surprisal and attention are shown', () =>
  withPage(async (page) => {
    await open(page);
    await page.waitForFunction(() => /\d nats/.test(document.querySelector('.source .panel-note')?.textContent ?? ''));
    const plain = await page
      .locator('.ending canvas')
      .first()
      .evaluate((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL());
    await page.check('#show-surprise');
    await page.locator('#nats-legend', { hasText: '4 nats' }).waitFor();
    await sleep(50);
    assert.notEqual(
      await page
        .locator('.ending canvas')
        .first()
        .evaluate((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL()),
      plain,
    );
    await page.screenshot({ path: `${OUT}surprise.png` });
    assert.equal(await page.locator('#surprise-link').getAttribute('aria-pressed'), 'true');
    await page.uncheck('#show-surprise');

    const ending = page.locator('.ending .picture').nth(1);
    const box = /** @type {{ x: number, y: number, width: number, height: number }} */ (await ending.boundingBox());
    await page.mouse.move(box.x + (box.width * 10.5) / 28, box.y + (box.height * 19.5) / 28);
    await page.locator('.ending .panel-note').nth(1).getByText('Row 20, column 11').waitFor();
    const note = page.locator('#attention-view .panel-note');
    await note.getByText(/Row 20, column 11: .* All heads on average: at most \d+/).waitFor();
    await page.screenshot({ path: `${OUT}attention-1.png` });
    const { blocks, heads } = await page.evaluate(() => ({
      blocks: Number(document.querySelector('[data-info=blocks]')?.textContent),
      heads: Number(document.querySelector('[data-info=heads]')?.textContent),
    }));
    assert.equal(await page.locator('.heads-grid input').count(), blocks * heads);
    await page
      .locator('.heads-grid input')
      .nth(heads + 2)
      .check();
    await note.getByText('Layer 2, head 3').waitFor();
    await page.locator('#figure-attention').screenshot({ path: `${OUT}attention-2.png` });
    await page.getByRole('radio', { name: 'Third' }).check();
    await note.getByText('Row 20, column 11').waitFor();
  }));

more('everything works with the keyboard, with a visible focus', () =>
  withPage(async (page) => {
    await open(page);
    await page.evaluate(() => document.body.focus());
    /** @type {string[]} */
    const stops = [];
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body) return null;
        const inner = element.shadowRoot?.activeElement ?? element;
        /** @param {Element | null} e @param {string} [pseudo] */
        const ringed = (e, pseudo) => {
          if (!e) return false;
          const style = getComputedStyle(e, pseudo);
          return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow.split('rgb').length > 2;
        };
        const name = inner.id || inner.getAttribute('name') || inner.getAttribute('role') || inner.textContent?.trim() || inner.tagName;
        return { name, ring: ringed(inner) || ringed(inner, '::before') || ringed(inner.nextElementSibling) };
      });
      if (!stop) break;
      assert.ok(stop.ring, `no visible focus on ${stop.name}`);
      stops.push(stop.name);
    }
    for (const name of [
      'slider',
      'application',
      'run',
      'step',
      'seed',
      'dice',
      'digit',
      'pad-open',
      'temperature',
      'speed',
      'label',
      'show-surprise',
      'surprise-link',
      'attention-ending',
      'head',
      'walk-play',
    ]) {
      assert.ok(stops.includes(name), `${name} cannot be reached: ${stops.join(', ')}`);
    }

    await page.locator('.handle').focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('PageUp');
    assert.equal(await page.locator('.handle').getAttribute('aria-valuenow'), String(12 - 6));
    await done(page);
    await page.locator('#strip input:checked').focus();
    const before = await page.locator('.source canvas').getAttribute('aria-label');
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowRight');
    await sleep(300);
    assert.notEqual(await page.locator('.source canvas').getAttribute('aria-label'), before);
    await done(page);
    await page.locator('#run').focus();
    await page.keyboard.press('Space');
    await done(page);
    await page.locator('.ending .picture').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('.ending .panel-note').first().getByText('Row 21, column 15').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    await page.locator('.ending .panel-note').first().getByText('Row 20, column 16').waitFor();
    await page.locator('[role=status]', { hasText: 'Row 20, column 16' }).waitFor({ state: 'attached' }); // for screen readers
    await page.keyboard.press('Escape');
    await page
      .locator('.ending .panel-note')
      .first()
      .getByText(/^[\d.]+ nats$/)
      .waitFor();
  }),
);

test('a visitor can draw a digit', () =>
  withPage(async (page) => {
    await open(page);
    await page.click('#pad-open');
    const pad = page.locator('.pad-surface');
    await pad.scrollIntoViewIfNeeded();
    const box = /** @type {{ x: number, y: number, width: number, height: number }} */ (await pad.boundingBox());
    /** @param {number} x @param {number} y */
    const to = (x, y) => page.mouse.move(box.x + x * box.width, box.y + y * box.height, { steps: 5 });
    await to(0.2, 0.2);
    await page.mouse.down();
    await to(0.6, 0.2);
    await to(0.4, 0.7);
    await page.mouse.up();
    await page.waitForFunction(() => document.querySelector('.source canvas')?.getAttribute('aria-label')?.startsWith('Your drawing'));
    assert.equal(await page.locator('#strip input:checked').count(), 0);
    await sleep(300);
    await done(page);
    await page.screenshot({ path: `${OUT}drawn.png` });
    await page.getByRole('button', { name: 'Clear' }).click();
    assert.ok(await page.getByRole('button', { name: 'Undo' }).isDisabled());
    await page.locator('#strip input').first().check();
    await page.waitForFunction(() => document.querySelector('.source canvas')?.getAttribute('aria-label')?.startsWith('Test digit 0'));
  }));

test('a drawing is centred and scaled as in MNIST', async () => {
  const { rasterise } = await import('../../web/shell/picture/rasterise.js');
  /** @type {[number, number][]} */
  const corner = Array.from({ length: 20 }, (_, i) => [0.1 + 0.01 * i, 0.7 + 0.005 * i * (i % 3)]);
  for (const strokes of [[corner], [corner.map(([x, y]) => /** @type {[number, number]} */ ([7 * x, 7 * y]))], [[[0.5, 0.5]]]]) {
    const pixels = rasterise(/** @type {[number, number][][]} */ (strokes));
    const inked = [...pixels.keys()].filter((i) => pixels[i] > 127);
    const columns = inked.map((i) => i % 28);
    const width = Math.max(...columns) - Math.min(...columns) + 1;
    if (strokes[0].length > 1) assert.ok(width >= 19 && width <= 21, `${width} columns of ink`);
    const mass = pixels.reduce((sum, v) => sum + v, 0);
    const x = pixels.reduce((sum, v, i) => sum + v * ((i % 28) + 0.5), 0) / mass;
    const y = pixels.reduce((sum, v, i) => sum + v * (Math.floor(i / 28) + 0.5), 0) / mass;
    assert.ok(Math.abs(x - 14) < 0.1 && Math.abs(y - 14) < 0.1, `centre ${x}, ${y}`);
    assert.ok(
      pixels.some((v) => v > 0 && v < 255),
      'soft edges',
    );
  }
  assert.ok(rasterise([]).every((v) => v === 0));
  const { hypot } = Math;
  try {
    Math.hypot = () => assert.fail('Math.hypot gives other bits in other engines');
    rasterise([corner]);
  } finally {
    Math.hypot = hypot;
  }
});

test('a failure gives a message and can be retried', () =>
  withPage(
    async (page) => {
      await page.route('**/nextpixel*.wasm', (route) => route.fulfill({ status: 404, body: 'no' }));
      await page.goto(PAGE);
      await page
        .locator('#load-text')
        .getByText(/could not be loaded.*nextpixel\.wasm.*404/)
        .waitFor();
      await page.unroute('**/nextpixel*.wasm');
      await page.locator('#load-action', { hasText: 'Try again' }).click();
      await done(page);

      await page.route('**/weights*/digits.gguf', (route) => route.fulfill({ status: 404, body: 'no' }));
      await page.goto(PAGE);
      const text = page.locator('#load-text');
      await text.getByText(/could not be loaded.*404/).waitFor();
      await page.screenshot({ path: `${OUT}failed.png` });
      assert.ok(await page.locator('#run').isDisabled());
      await page.unroute('**/weights*/digits.gguf');
      await page.route('**/digits.gguf', async (route) => {
        await sleep(400);
        await route.continue().catch(() => {}); // fails if the page has cancelled the request
      });
      await page.locator('#load-action', { hasText: 'Try again' }).click();
      await page.locator('#load-action', { hasText: 'Cancel' }).click();
      await text.getByText('cancelled').waitFor();
      await page.unroute('**/digits.gguf');
      await page.locator('#load-action', { hasText: 'Load the model' }).click();
      await done(page);
      assert.ok(await page.locator('#load').isHidden());
    },
    { complains: true },
  ));

test('a browser without WebAssembly SIMD gets a message', () =>
  withPage(
    async (page) => {
      await page.addInitScript(() => {
        WebAssembly.validate = () => false;
      });
      await page.goto(PAGE);
      await page
        .locator('#load-text')
        .getByText(/WebAssembly with SIMD/)
        .waitFor();
      assert.ok(await page.locator('#load-action').isHidden());
    },
    { complains: true },
  ));

more('without JavaScript there is a note, and the text', () =>
  withPage(
    async (page) => {
      await page.goto(PAGE);
      assert.match(await page.locator('figure .notice').innerText(), /It needs JavaScript and WebAssembly/);
      assert.ok(await page.getByText('Surprise has a unit').isVisible());
      assert.ok(await page.locator('#run').isHidden());
      await page.screenshot({ path: `${OUT}no-script.png` });
    },
    { javaScriptEnabled: false },
  ),
);

for (const width of [320, 360, 768]) {
  more(`nothing is wider than ${width} pixels`, () =>
    withPage(
      async (page) => {
        await open(page);
        await page.click('#pad-open');
        await page.check('#show-surprise');
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
        if (width === 360) await page.screenshot({ path: `${OUT}phone.png`, fullPage: true });
      },
      { viewport: { width, height: 740 }, hasTouch: width < 500, isMobile: width < 500 },
    ),
  );
}

more('a tap selects a pixel', () =>
  withPage(
    async (page) => {
      await open(page);
      const picture = page.locator('.ending .picture').first();
      await picture.scrollIntoViewIfNeeded();
      await picture.tap({ position: { x: 50, y: 60 } });
      await page
        .locator('.ending .panel-note')
        .first()
        .getByText(/^Row 17, column 14/)
        .waitFor();
    },
    { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
  ),
);

for (const colorScheme of /** @type {('light' | 'dark')[]} */ (['light', 'dark'])) {
  more(`contrast in ${colorScheme} mode`, () =>
    withPage(
      async (page) => {
        await page.goto(PAGE);
        await done(page);
        const theme = await colours(page);
        /** @param {number[]} colour @returns the relative luminance, as WCAG defines it */
        const luminance = (colour) =>
          colour
            .map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4))
            .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        /** @param {string} a @param {string} b @param {number} least */
        const contrast = (a, b, least) => {
          const [high, low] = [luminance(theme[a]), luminance(theme[b])].sort((x, y) => y - x);
          const ratio = (high + 0.05) / (low + 0.05);
          assert.ok(ratio >= least, `--${a} on --${b}: ${ratio.toFixed(2)}, not ${least}`);
        };
        for (const ground of ['page', 'paper', 'wash']) {
          for (const text of ['ink', 'text', 'muted', 'predicted', 'heat-text']) contrast(text, ground, 4.5);
        }
        contrast('on-predicted', 'predicted', 4.5);
        contrast('edge', 'page', 3); // the borders of buttons and fields
        assert.equal(luminance(theme.page) > 0.5, colorScheme === 'light');
        await page.screenshot({ path: `${OUT}${colorScheme}.png` });

        // If the theme changes while the page is open, the pictures change too.
        const corner = async () => (await decode(page, await page.locator('.ending canvas').first().screenshot())).at(3, 3);
        const before = await corner();
        assert.deepEqual(before, theme.paper);
        await page.emulateMedia({ colorScheme: colorScheme === 'light' ? 'dark' : 'light' });
        await sleep(200);
        assert.deepEqual(await corner(), (await colours(page)).paper);
      },
      { colorScheme },
    ),
  );
}

more('with reduced motion, nothing begins automatically, pictures appear finished, and can be stepped', () =>
  withPage(
    async (page) => {
      await page.goto(PAGE);
      await page.locator('#run:enabled').waitFor();
      await sleep(300);
      assert.deepEqual(await drawn(page), [0, 0, 0]);
      await page.evaluate(() => {
        const labels = /** @type {Set<string>} */ (new Set());
        Object.assign(globalThis, { labels });
        const canvas = /** @type {Element} */ (document.querySelector('.ending canvas'));
        new MutationObserver(() => labels.add(canvas.getAttribute('aria-label')?.match(/\d+ of/)?.[0] ?? '')).observe(canvas, {
          attributes: true,
        });
      });
      await page.click('#run');
      await done(page);
      await sleep(100);
      const seen = await page.evaluate(() => [.../** @type {any} */ (globalThis).labels]);
      assert.deepEqual(
        seen.filter((label) => label !== '0 of'),
        ['448 of'],
        seen.join(),
      );
      await page.click('#step');
      await page.click('#step');
      await page.waitForFunction(() => document.querySelector('.ending canvas')?.getAttribute('aria-label')?.includes(': 2 of'));
    },
    { reducedMotion: 'reduce' },
  ),
);

test("the walkthrough leads from the neighbours of a pixel to its probabilities, by keyboard, with the model's values", () =>
  withPage(async (page) => {
    await open(page);
    await page.locator('#figure-walk').scrollIntoViewIfNeeded();
    await page.waitForFunction(
      () => /^[\d.]+$/.test(document.querySelector('#step-drawn [data-live=nats]')?.textContent ?? ''),
      undefined,
      { timeout: 60000 },
    );
    const bars = await page
      .locator('.shade-bar')
      .evaluateAll((all) => all.map((bar) => parseFloat(/** @type {HTMLElement} */ (bar).style.getPropertyValue('--p'))));
    assert.equal(bars.length, 16);
    assert.ok(Math.abs(bars.reduce((a, b) => a + b) - 100) < 0.1, `${bars}`);
    // The cost of the pixel is the same as in the figure above.
    const cost = /([\d.]+) nats/.exec(await page.locator('.attention-main .panel-note').innerText())?.[1];
    assert.equal(await page.locator('#step-drawn [data-live=nats]').textContent(), cost);
    const count = await page.locator('#walk > li').count();
    const seen = new Set();
    await page.locator('#walk-next').focus();
    for (let step = 0; step < count; step++) {
      const text = await page.locator('#walk > li:not([hidden])').innerText();
      assert.match(text, /^[A-Z].*\. .*\.$/);
      assert.doesNotMatch(text, /undefined|NaN|…/);
      seen.add(
        (await page.locator('#walk-picture').evaluate((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL())) +
          (await page.locator('.walk-part.lit p').allTextContents()),
      );
      if (step + 1 < count) await page.keyboard.press('Enter');
    }
    assert.equal(seen.size, count, 'each step highlights something else');
    assert.equal(await page.locator('.shade-bar.drawn').count(), 1);
    assert.equal(await page.locator('#walk-play-text').textContent(), 'Play', 'the walkthrough begins only on request');
    await page.locator('#walk-back').press('Enter');
    assert.equal(await page.locator('.walk-count').textContent(), `${count - 1} of ${count}`);
    // The walkthrough can also show another pixel.
    const before = await page.locator('#walk > li').allTextContents();
    await page.locator('.attention-main .picture').press('ArrowUp');
    await page.locator('#figure-walk').scrollIntoViewIfNeeded();
    await page.waitForFunction((old) => document.querySelector('#step-next')?.textContent !== old, before[0]);
  }));

more('a grid of heads is rebuilt when the numbers of layers and heads are swapped, although their product stays the same', () =>
  withPage(async (page) => {
    await openEmpty(page);
    const labels = await page.evaluate(async () => {
      const address = '/web/shell/picture/head-grid.js';
      const { createHeadGrid } = await import(address);
      const root = document.body.appendChild(document.createElement('fieldset'));
      const grid = createHeadGrid(root, { name: 'heads', onChoose() {} });
      const last = () => [...root.querySelectorAll('input')].at(-1)?.getAttribute('aria-label');
      grid.build(2, 4);
      const before = last();
      grid.build(4, 2);
      return [before, last()];
    });
    assert.deepEqual(labels, ['Layer 2, head 4', 'Layer 4, head 2']);
  }),
);

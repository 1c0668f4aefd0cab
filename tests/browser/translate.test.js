// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests that a translation is drawn on a canvas, above its sentence. drawTo() of a translate() run draws it, and so does <next-pixel
 * task="translate">.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toyTranslation } from '../js/toy-translation.js';
import { OUT, LIBRARY, decode, openEmpty, provide, session } from './browser.js';

const { withPage } = session();
/** A model that copies every sentence, and in which each word attends to itself. */
const MODEL = '/weights/copier.gguf';
const copier = Buffer.from(toyTranslation({ context: 160 }));
const SENTENCE = 'ein Hund und eine Katze sitzen auf einer Bank';

/**
 * @param {import('playwright-core').Page} page
 * @param {string} css       style of the canvas
 * @param {string} sentence
 * @param {object} options   options of translate()
 */
async function translate(page, css, sentence, options) {
  return page.evaluate(
    async ([library, model, style, text, asked]) => {
      const { load } = await import(library);
      const canvas = document.body.appendChild(document.createElement('canvas'));
      const mirror = document.body.appendChild(document.createElement('p'));
      canvas.style.cssText = style;
      const loaded = await load(model);
      const run = loaded.translate(text, asked);
      const translation = await run.drawTo(canvas, { mirror });
      loaded.close();
      return {
        translation,
        mirror: mirror.textContent,
        inside: canvas.textContent,
        width: canvas.width,
        height: canvas.height,
        finish: run.finish,
        shown: [canvas.clientWidth, canvas.clientHeight],
      };
    },
    /** @type {[string, string, string, string, any]} */ ([LIBRARY, MODEL, css, sentence, options]),
  );
}

/**
 * Counts pixels in some rows of the canvas: the pixels that have the colour of the bands between words, and the pixels that are ink.
 *
 * @param {Awaited<ReturnType<typeof decode>>} image
 * @param {number} from  fraction of the height, 0 to 1
 * @param {number} to
 */
function count(image, from, to) {
  let [bands, ink] = [0, 0];
  for (let x = 0; x < image.width; x++) {
    for (let y = Math.floor(from * image.height); y < Math.floor(to * image.height); y++) {
      const [red, green, blue] = image.at(x, y);
      if (red > blue + 40) bands++;
      else if (red + green + blue < 300) ink++;
    }
  }
  return { bands, ink };
}

test('the translation is above its sentence, with each word connected to its source', () =>
  withPage(
    async (page) => {
      await provide(page, MODEL, copier);
      for (const beams of [1, 3]) {
        await openEmpty(page);
        const done = await translate(
          page,
          'width: 640px; height: 200px; font: 18px Georgia, serif; color: black; background: white',
          SENTENCE,
          { beams },
        );
        assert.equal(done.translation, SENTENCE);
        assert.deepEqual([done.mirror, done.inside, done.finish], [SENTENCE, SENTENCE, 'end']);
        assert.deepEqual([done.width, done.height, ...done.shown], [1280, 400, 640, 200]);
        const image = await decode(page, await page.locator('canvas').screenshot({ path: `${OUT}translate-${beams}.png` }));
        const [above, between, below] = [count(image, 0, 0.13), count(image, 0.3, 0.7), count(image, 0.87, 1)];
        assert.ok(above.ink > 500 && below.ink > 500, 'letters above and below');
        assert.ok(between.bands > 500 && between.ink < 20, 'bands between');
      }
    },
    { deviceScaleFactor: 2 },
  ));

test('a long sentence on a narrow canvas is broken into lines, and shrunk until it fits', () =>
  withPage(async (page) => {
    await provide(page, MODEL, copier);
    await openEmpty(page);
    const long = `${SENTENCE} und noch eine Bank und noch ein Hund und noch eine Katze`;
    const done = await translate(page, 'width: 300px; height: 260px; font: 20px sans-serif; color: black; background: white', long, {});
    assert.equal(done.translation, long);
    const image = await decode(page, await page.locator('canvas').screenshot({ path: `${OUT}translate-narrow.png` }));
    assert.ok(count(image, 0, 0.3).ink > 500 && count(image, 0.7, 1).ink > 500);
    assert.ok(count(image, 0.45, 0.55).bands > 50);
  }));

test('<next-pixel task="translate"> translates, announces the translation, and accepts another sentence', () =>
  withPage(async (page) => {
    await provide(page, MODEL, copier);
    const PAGE = '/web/translate.html';
    await provide(
      page,
      PAGE,
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>translate</title>
    <script type="module" src="dist/define.js"></script><body>
    <next-pixel task="translate" prompt="${SENTENCE}" model="${MODEL}" beams="2" controls></next-pixel></body></html>`,
      { type: 'text/html; charset=utf-8' },
    );
    await page.goto(PAGE);
    const element = page.locator('next-pixel');
    await page.evaluate(() => {
      const g = /** @type {any} */ (globalThis);
      g.steps = [];
      addEventListener('nx-step', (/** @type {any} */ event) => g.steps.push(event.step.text));
      g.next = () =>
        new Promise((resolve, reject) => {
          addEventListener('nx-end', (/** @type {any} */ event) => resolve(event.nats), { once: true });
          addEventListener('nx-error', (/** @type {any} */ event) => reject(event.error), { once: true });
        });
      g.ended = g.next();
    });
    await page.getByRole('button', { name: 'Play' }).click();
    await page.evaluate(() => /** @type {any} */ (globalThis).ended);
    const told = () => element.evaluate((node) => node.shadowRoot?.querySelector('[part=text] .above')?.textContent ?? '');
    assert.equal(await told(), SENTENCE);
    assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).steps.join('')), SENTENCE);
    assert.match(
      await element.evaluate((node) => node.shadowRoot?.querySelector('canvas')?.ariaLabel ?? ''),
      /A translation by .*100 % done/,
    );
    // The element shows the translation as text that can be selected. A band leads from each word to the words that it attends to. The file
    // that the element saves is a picture.
    assert.equal(
      await element.evaluate((node) => {
        const box = /** @type {HTMLElement} */ (node.shadowRoot?.querySelector('[part=text]'));
        getSelection()?.selectAllChildren(/** @type {Node} */ (box.querySelector('.below')));
        return String(getSelection()).replace(/\s*\u2022$/, '');
      }),
      SENTENCE,
    );
    const shown = () =>
      element.evaluate((node) => {
        const box = /** @type {HTMLElement} */ (node.shadowRoot?.querySelector('[part=text]'));
        return {
          bands: box.querySelectorAll('path').length,
          shaded: [...box.querySelectorAll('.below span')].filter(
            (span) => Number(/** @type {HTMLElement} */ (span).style.getPropertyValue('--shade')) > 0,
          ).length,
          wide: box.scrollWidth - box.clientWidth,
          over: box.scrollHeight - box.clientHeight,
        };
      });
    const { bands, shaded, wide } = await shown();
    assert.ok(
      bands >= SENTENCE.split(' ').length && shaded === 0 && wide <= 0,
      `${bands} bands, ${shaded} words shaded, ${wide} px too wide`,
    );
    await element.locator('.above span').first().hover();
    assert.ok((await shown()).shaded > 0, 'pointing at a word shades the words that it attends to');
    await page.mouse.move(0, 0);
    const size = await element.evaluate(async (node) => (await /** @type {any} */ (node).toBlob()).size);
    assert.ok(size > 2000, `a picture of ${size} bytes`);
    await element.evaluate((node) => {
      /** @type {any} */ (node).width = 120;
    });
    await page.waitForFunction(() => document.querySelector('next-pixel')?.shadowRoot?.querySelectorAll('path').length === 0);
    assert.ok((await shown()).shaded > 0, 'with several lines there are shades but no bands');
    assert.ok((await shown()).wide <= 0);
    await element.evaluate((node) => node.removeAttribute('width'));
    await page.waitForFunction(() => Number(document.querySelector('next-pixel')?.shadowRoot?.querySelectorAll('path').length) > 0);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForTimeout(100);
    await page.screenshot({ path: `${OUT}translate-element.png`, clip: { x: 0, y: 0, width: 700, height: 320 } });

    await element.evaluate((node) => {
      const g = /** @type {any} */ (globalThis);
      g.ended = g.next();
      /** @type {any} */ (node).prompt = 'noch ein Hund';
    });
    await page.evaluate(() => /** @type {any} */ (globalThis).ended);
    assert.equal(await told(), 'noch ein Hund');

    const failed = page.evaluate(
      () =>
        new Promise((resolve) => {
          addEventListener(
            'nx-error',
            (/** @type {any} */ event) => {
              event.preventDefault();
              resolve(event.error.message);
            },
            { once: true },
          );
        }),
    );
    await element.evaluate((node) => {
      /** @type {any} */ (node).prompt = 'a'.repeat(400);
    });
    assert.match(String(await failed), /sees 160/);
    const refused = page.evaluate(
      () =>
        new Promise((resolve) => {
          addEventListener(
            'nx-error',
            (/** @type {any} */ event) => {
              event.preventDefault();
              resolve(event.error.message);
            },
            { once: true },
          );
        }),
    );
    await element.evaluate((node) => node.setAttribute('task', 'generate'));
    assert.match(String(await refused), /task must be translate with this model/);
  }));

// SPDX-License-Identifier: MIT
// @ts-check

/** Uses the SNAIL page as a visitor would, and checks what it shows. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { ROOT } from '../js/helpers.js';
import { more } from '../more.js';
import { OUT, WAIT, session } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const PAGE = '/web/pages/snail/';

/**
 * @param {Page} page @param {number} place  index of the square: 0 to 4 for the examples, 5 for the query
 * @param {[number, number][]} points  fractions of the square's side
 */
async function stroke(page, place, points) {
  const pad = page.locator('.sign-pad').nth(place);
  await pad.scrollIntoViewIfNeeded();
  const box = /** @type {NonNullable<Awaited<ReturnType<typeof pad.boundingBox>>>} */ (await pad.boundingBox());
  const [first, ...rest] = points.map(([x, y]) => /** @type {const} */ ([box.x + x * box.width, box.y + y * box.height]));
  await page.mouse.move(...first);
  await page.mouse.down();
  for (const point of rest) await page.mouse.move(...point, { steps: 4 });
  await page.mouse.up();
}
/** @param {Page} page @param {RegExp} text */
const said = (page, text) => page.locator('#said', { hasText: text }).waitFor();
const [LINE, HOOK, CROSS] = /** @type {[number, number][][]} */ ([
  [
    [0.5, 0.2],
    [0.5, 0.8],
  ],
  [
    [0.2, 0.2],
    [0.8, 0.2],
    [0.8, 0.8],
  ],
  [
    [0.2, 0.2],
    [0.8, 0.8],
    [0.8, 0.2],
    [0.2, 0.8],
  ],
]);

test('characters can be chosen and drawn, and attention and order can be changed, also with the keyboard', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await said(page, /^The network chooses [A-E], with probability \d/);
    await page.locator('#figure-snail').screenshot({ path: `${OUT}snail.png` });
    await page.locator('#run-text', { hasText: 'Name it again' }).waitFor();
    assert.match((await page.locator('.pace').first().textContent()) ?? '', /nats; \d.* ms/);
    const looks = () => page.locator('.look-said').allTextContents();
    const last = await looks();
    await page.locator('input[name="look"][value="0"]').press('Space');
    assert.notDeepEqual(await looks(), last);
    assert.match((await page.locator('#layer-said').textContent()) ?? '', /Now: A \S+, B/);

    // For the same characters, the library gives the results that the page shows.
    const model = await load(`${ROOT}weights/snail-omniglot.gguf`);
    const pictures = await page.locator('.sign-pad').evaluateAll((all) =>
      all.map((canvas) => {
        const { data } = /** @type {CanvasRenderingContext2D} */ (/** @type {HTMLCanvasElement} */ (canvas).getContext('2d')).getImageData(
          0,
          0,
          28,
          28,
        );
        return Array.from({ length: 784 }, (_, i) => data[4 * i + 3]);
      }),
    );
    const raw = pictures.map((data) => ({ data, width: 28, height: 28 }));
    const { label } = await model.classify(raw[5], { support: raw.slice(0, 5).map((image, i) => ({ image, label: 'ABCDE'[i] })) });
    assert.match((await page.locator('#said').textContent()) ?? '', new RegExp(`^The network chooses ${label},`));
    model.close();

    await page.getByRole('button', { name: 'Another character for A' }).press('Enter');
    await page.locator('#shuffle').press('Enter');
    await page.locator('#order-said', { hasText: /In 20 other orders .* probability of [A-E] ranges from \S+ to \S+,/ }).waitFor();
    await page.locator('#alphabet').selectOption('Tibetan');
    await page.locator('#order-said', { hasText: /^$/ }).waitFor({ state: 'attached' });

    // The visitor starts with no examples and draws three: a line, a cross and a hook. The character to classify is a cross.
    await page.locator('#mine').click();
    await said(page, /^Draw the first example\.$/);
    await stroke(page, 0, LINE);
    await said(page, /^Now draw the character to classify\.$/);
    await stroke(page, 5, CROSS);
    await said(page, /^The network chooses A, with probability 100%/);
    await stroke(page, 1, CROSS);
    await said(page, /^The network chooses B/);
    await stroke(page, 2, HOOK);
    await page.locator('.odds-said').nth(2).filter({ hasText: '%' }).waitFor();
    await said(page, /^The network chooses B/);
    assert.equal(await page.locator('.odds-said').nth(4).textContent(), 'empty');
    await page.getByRole('button', { name: 'Clear the character to classify' }).click();
    await said(page, /^Now draw the character to classify\.$/);
  }));

more('the game continues with the model from a visitor’s file', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await page.locator('#transport[data-phase=done]').waitFor(WAIT);
    const choice = page.locator('.game-choice').nth(2);
    const score = page.locator('#game-score');
    await choice.press('Enter');
    await score.filter({ hasText: 'of 1' }).waitFor(WAIT);

    await page.locator('#own-file summary').click();
    await page
      .locator('#own-file input')
      .setInputFiles({ name: 'mine.gguf', mimeType: '', buffer: await readFile(`${ROOT}weights/snail-omniglot.gguf`) }, WAIT);
    await page.locator('#own-file .take-said', { hasText: 'mine.gguf' }).filter({ hasText: 'running' }).waitFor(WAIT);
    await page.waitForTimeout(3500); // waits until the model that was replaced is closed
    await page.locator('#game-start').press('Enter');
    await choice.press('Enter');
    await score.filter({ hasText: 'of 2' }).waitFor(WAIT);
  }),
);

test('a layer is highlighted, and a round of the game is played', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await page.locator('#layer-choices input').nth(2).press('Space');
    await page.locator('#layer-said', { hasText: 'the position 2 back, D' }).waitFor();
    assert.equal(await page.locator('.layer-links path').count(), 2);
    await page.locator('#game-said', { hasText: 'Task 1 of 20' }).waitFor(); // waits until the first task is prepared
    await page.locator('.game-choice').nth(3).press('Enter');
    await page.locator('#game-score', { hasText: /^You [01], network [01], of 1$/ }).waitFor();
    assert.equal(await page.locator('.game-choice.right').count(), 1);
    await page.locator('#game-start', { hasText: 'Next task' }).press('Enter');
    await page.locator('#game-said', { hasText: 'Task 2 of 20' }).waitFor();
  }));

more('<next-pixel task="classify"> names a picture after those inside; five signs in under 60 ms', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await said(page, /^The network chooses/);
    const found = await page.evaluate(async () => {
      const at = '/web/dist/nextpixel.js';
      const { load } = await import(at);
      const model = await load('/weights/snail-omniglot.gguf');
      const canvases = /** @type {HTMLCanvasElement[]} */ ([...document.querySelectorAll('.sign-pad')]);
      const examples = canvases.slice(0, 5).map((image, label) => ({ image, label }));
      const times = [];
      for (let i = 0; i < 15; i++) {
        const began = performance.now();
        await model.classify(canvases[5], { support: examples, maps: true });
        times.push(performance.now() - began);
      }
      model.close();
      const other = '/web/dist/define.js';
      await import(other);
      const element = document.createElement('next-pixel');
      for (const [name, value] of [
        ['model', '/weights/snail-omniglot.gguf'],
        ['task', 'classify'],
        ['controls', ''],
        ['src', canvases[5].toDataURL()],
      ])
        element.setAttribute(name, value);
      element.append(...canvases.slice(0, 5).map((canvas, i) => Object.assign(new Image(), { src: canvas.toDataURL(), alt: 'ABCDE'[i] })));
      [...element.children].forEach((image, i) => {
        /** @type {HTMLElement} */ (image).dataset.label = 'ABCDE'[i];
      });
      document.querySelector('main')?.prepend(element);
      const ended = new Promise((resolve) => element.addEventListener('nx-end', resolve));
      /** @type {HTMLButtonElement} */ (element.shadowRoot?.querySelector('button'))?.click();
      await ended;
      return { fast: times.sort((a, b) => a - b)[2], told: element.shadowRoot?.querySelector('.told')?.textContent };
    });
    assert.ok(found.fast < 60, `${found.fast.toFixed(1)} ms`);
    assert.match(found.told ?? '', /^[A-E] \d+ %, [A-E] \d+ %/);
  }),
);

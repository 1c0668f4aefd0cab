// SPDX-License-Identifier: MIT
// @ts-check

/** Text on a canvas: drawTo() of a run of tokens, and <next-pixel task="tokens">. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { GOLDEN } from '../js/helpers.js';
import { OUT, LIBRARY, decode, openEmpty, provide, session } from './browser.js';

const { withPage } = session();
const stories = await readFile(`${GOLDEN}stories260K.gguf`);
const MODEL = '/weights/stories260K.gguf';
const TALE = 'Once upon a time, there was a little girl named Lily. She loved to play outside in the park.';

/**
 * @param {import('playwright-core').Page} page
 * @param {string} css  of the canvas
 * @param {object} options  of tokens()
 */
async function write(page, css, options) {
  return page.evaluate(async ([library, model, style, asked]) => {
    const { load } = await import(library);
    const canvas = document.body.appendChild(document.createElement('canvas'));
    const mirror = document.body.appendChild(document.createElement('p'));
    canvas.style.cssText = style;
    const loaded = await load(model);
    const text = await loaded.tokens('Once upon', asked).drawTo(canvas, { mirror });
    loaded.close();
    return {
      text, mirror: mirror.textContent, inside: canvas.textContent, width: canvas.width, height: canvas.height,
      shown: [canvas.clientWidth, canvas.clientHeight],
    };
  }, /** @type {[string, string, string, any]} */ ([LIBRARY, MODEL, css, options]));
}

test('the text stands on the canvas at the resolution of the device, and beside it', () => withPage(async (page) => {
  await provide(page, MODEL, stories);
  await openEmpty(page);
  const { text, mirror, inside, width, height, shown } = await write(page, 'width: 420px; height: 160px; font: 18px Georgia, serif',
    { temperature: 0, maxTokens: 60 });
  assert.equal(`Once upon${text}`.slice(0, TALE.length), TALE);
  assert.equal(mirror, `Once upon${text}`);
  assert.equal(inside, mirror);
  assert.deepEqual([width, height, ...shown], [840, 320, 420, 160]);
  const png = await page.locator('canvas').screenshot({ path: `${OUT}writing.png` });
  const image = await decode(page, png);
  // Ink in the first and the last line, none past the right edge of the words: lines are broken and the page has scrolled.
  let dark = 0;
  for (let x = 0; x < image.width; x += 2) for (let y = 0; y < image.height; y += 2) if (image.at(x, y)[2] < 90) dark++;
  assert.ok(dark > 200, `${dark} dark pixels`);
}, { deviceScaleFactor: 2 }));

test('surprise shades, and a canvas without a size of its own keeps it', () => withPage(async (page) => {
  await provide(page, MODEL, stories);
  await openEmpty(page);
  const { shown, width } = await write(page, 'font: 20px sans-serif; color: black', { temperature: 1.6, seed: 3, maxTokens: 40 });
  assert.deepEqual(shown, [300, 150]);
  assert.equal(width, 600);
  const image = await decode(page, await page.locator('canvas').screenshot({ path: `${OUT}writing-shades.png` }));
  let shaded = 0;
  for (let x = 0; x < image.width; x += 2) {
    for (let y = 0; y < image.height; y += 2) {
      const [red, , blue] = image.at(x, y);
      if (red > blue + 40) shaded++;
    }
  }
  assert.ok(shaded > 100, `${shaded} shaded pixels`);
}, { deviceScaleFactor: 2 }));

test('<next-pixel task="tokens"> writes, pauses, says so, and is dark in the dark', () => withPage(async (page) => {
  await provide(page, MODEL, stories);
  const PAGE = '/web/writing.html';
  await provide(page, PAGE, `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>writing</title>
    <script type="module" src="lib/define.js"></script><body>
    <next-pixel task="tokens" prompt="Once upon" model="${MODEL}" temperature="0" max-tokens="80" controls></next-pixel></body></html>`,
  { type: 'text/html; charset=utf-8' });
  await page.goto(PAGE);
  const element = page.locator('next-pixel');
  await page.evaluate(() => {
    /** @type {any} */ (globalThis).steps = [];
    addEventListener('nx-step', (/** @type {any} */ event) => /** @type {any} */ (globalThis).steps.push(event.step.text));
    /** @type {any} */ (globalThis).ended = new Promise((resolve) => {
      addEventListener('nx-end', (/** @type {any} */ event) => resolve(event.nats));
    });
  });
  await page.getByRole('button', { name: 'Play' }).click();
  const nats = await page.evaluate(() => /** @type {any} */ (globalThis).ended);
  assert.ok(nats[0] > 0);
  const told = await element.evaluate((node) => node.shadowRoot?.querySelector('[part=text]')?.textContent ?? '');
  assert.equal(told.slice(0, TALE.length), TALE);
  assert.equal(`Once upon${await page.evaluate(() => /** @type {any} */ (globalThis).steps.join(''))}`, told);
  assert.match(await element.evaluate((node) => node.shadowRoot?.querySelector('canvas')?.ariaLabel ?? ''), /A text written by .*100 % done/);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForTimeout(100);
  await page.screenshot({ path: `${OUT}writing-element.png`, clip: { x: 0, y: 0, width: 700, height: 320 } });
  const picture = await decode(page, await element.screenshot());
  let light = 0;
  for (let x = 0; x < picture.width; x++) for (let y = 0; y < 100; y++) if (picture.at(x, y).every((value) => value > 200)) light++;
  assert.ok(light > 200, 'light letters');
}));

// SPDX-License-Identifier: MIT
// @ts-check

/** Tests text on a canvas. Both drawTo() of a text run and <next-pixel task="generate"> draw it. */

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
 * @param {string} css  style of the canvas
 * @param {object} options  options of generate()
 */
async function write(page, css, options) {
  return page.evaluate(
    async ([library, model, style, asked]) => {
      const { load } = await import(library);
      const canvas = document.body.appendChild(document.createElement('canvas'));
      const mirror = document.body.appendChild(document.createElement('p'));
      canvas.style.cssText = style;
      const loaded = await load(model);
      const text = await loaded.generate('Once upon', asked).drawTo(canvas, { mirror });
      loaded.close();
      return {
        text,
        mirror: mirror.textContent,
        inside: canvas.textContent,
        width: canvas.width,
        height: canvas.height,
        shown: [canvas.clientWidth, canvas.clientHeight],
      };
    },
    /** @type {[string, string, string, any]} */ ([LIBRARY, MODEL, css, options]),
  );
}

test('the canvas shows the text at the resolution of the device, and an element next to the canvas has the text for screen readers', () =>
  withPage(
    async (page) => {
      await provide(page, MODEL, stories);
      await openEmpty(page);
      const { text, mirror, inside, width, height, shown } = await write(page, 'width: 420px; height: 160px; font: 18px Georgia, serif', {
        temperature: 0,
        maxTokens: 60,
      });
      assert.equal(`Once upon${text}`.slice(0, TALE.length), TALE);
      assert.equal(mirror, `Once upon${text}`);
      assert.equal(inside, mirror);
      assert.deepEqual([width, height, ...shown], [840, 320, 420, 160]);
      const png = await page.locator('canvas').screenshot({ path: `${OUT}writing.png` });
      const image = await decode(page, png);
      // The screenshot has dark pixels, so the text is visible.
      let dark = 0;
      for (let x = 0; x < image.width; x += 2) for (let y = 0; y < image.height; y += 2) if (image.at(x, y)[2] < 90) dark++;
      assert.ok(dark > 200, `${dark} dark pixels`);
    },
    { deviceScaleFactor: 2 },
  ));

test('surprisal is shaded, and a canvas without an explicit size keeps its size', () =>
  withPage(
    async (page) => {
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
    },
    { deviceScaleFactor: 2 },
  ));

test('<next-pixel task="generate"> writes, pauses, announces the text, and follows the dark theme', () =>
  withPage(async (page) => {
    await provide(page, MODEL, stories);
    const PAGE = '/web/writing.html';
    await provide(
      page,
      PAGE,
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>writing</title>
    <script type="module" src="dist/define.js"></script><body>
    <next-pixel task="generate" prompt="Once upon" model="${MODEL}" temperature="0" max-tokens="80" height="60" controls></next-pixel></body></html>`,
      { type: 'text/html; charset=utf-8' },
    );
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
    assert.match(
      await element.evaluate((node) => node.shadowRoot?.querySelector('canvas')?.ariaLabel ?? ''),
      /A text written by .*100 % done/,
    );
    const box = element.locator('[part=text]');
    const { selected, scrolls, shaded } = await box.evaluate((text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      return {
        selected: range.toString(),
        scrolls: text.scrollHeight > text.clientHeight && text.scrollTop > 0 && getComputedStyle(text).overflowY === 'auto',
        shaded: [...text.children].filter((one) => !/, 0\)$|\/ 0\)$|transparent/.test(getComputedStyle(one).backgroundColor)).length,
      };
    });
    assert.equal(selected, told, 'the text can be selected');
    assert.ok(scrolls, 'text longer than its box scrolls');
    assert.ok(shaded > 10, 'shaded by surprise');
    const blob = await element.evaluate(async (/** @type {any} */ node) => (await node.toBlob()).size);
    assert.ok(blob > 1000, 'there is also a picture of it');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForTimeout(100);
    await page.screenshot({ path: `${OUT}writing-element.png`, clip: { x: 0, y: 0, width: 700, height: 320 } });
    const picture = await decode(page, await element.screenshot());
    let light = 0;
    for (let x = 0; x < picture.width; x++) for (let y = 0; y < 100; y++) if (picture.at(x, y).every((value) => value > 200)) light++;
    assert.ok(light > 200, 'light letters');
  }));

test('an empty prompt gives an empty text, and the element accepts another prompt', () =>
  withPage(async (page) => {
    await openEmpty(page);
    assert.deepEqual(
      await page.evaluate(async () => {
        const { TextSheet } = await import(/** @type {any} */ ('/web/lib/kinds/text/text-sheet.js'));
        const sheet = new TextSheet(document.createElement('canvas'));
        sheet.add({ text: 'One' });
        sheet.clear();
        const before = [sheet.result, sheet.count];
        sheet.add({ text: 'Two' });
        return [...before, sheet.result, sheet.count];
      }),
      ['', 0, 'Two', 1],
    );
  }));

test('canvases that cannot be drawn on are refused, and small canvases are accepted', () =>
  withPage(async (page) => {
    await provide(page, MODEL, stories);
    await openEmpty(page);
    const told = await page.evaluate(
      async ([library, model, picture]) => {
        const { load } = await import(library);
        const made = (/** @type {any} */ how = {}) => Object.assign(document.createElement('canvas'), how);
        const used = (/** @type {string} */ kind) => {
          const canvas = made();
          // where the browser lacks this kind of context, gives a canvas without any context
          return canvas.getContext(kind) ? canvas : Object.assign(canvas, { getContext: () => null });
        };
        const transferred = made();
        transferred.transferControlToOffscreen();
        const away = new OffscreenCanvas(30, 30);
        structuredClone(away, { transfer: [away] });
        /** @type {[string, any][]} */
        const canvases = [
          ['none', undefined],
          ['null', null],
          ['another element', document.body],
          ['WebGL', used('webgl')],
          ['bitmaps', used('bitmaprenderer')],
          ['transferred', transferred],
          ['transferred, off the screen', away],
          ['a proxy', new Proxy(made(), {})],
          ['0 x 0', made({ width: 0, height: 0 })],
          ['1 x 1', made({ width: 1, height: 1 })],
          ['off the screen', new OffscreenCanvas(40, 30)],
          ['0 x 0 off the screen', new OffscreenCanvas(0, 0)],
          ['2D', used('2d')],
        ];
        /** @type {Record<string, string[]>} */
        const said = {};
        for (const [file, begin] of /** @type {[string, (model: any) => any][]} */ ([
          [model, (it) => it.generate('Once', { maxTokens: 3 })],
          [picture, (it) => it.generate({ seed: 1 })],
        ])) {
          const it = await load(file);
          for (const [name, canvas] of canvases) {
            const how = await begin(it)
              .drawTo(canvas)
              .then(
                () => 'drawn',
                (/** @type {any} */ error) => `${error.name} ${error.code}`,
              );
            (said[name] ??= []).push(how);
          }
          it.close();
        }
        return said;
      },
      [LIBRARY, MODEL, '/weights/fvsbn.gguf'],
    );
    const refused = ['NextPixelError argument', 'NextPixelError argument'];
    const drawn = ['drawn', 'drawn'];
    assert.deepEqual(told, {
      none: refused,
      null: refused,
      'another element': refused,
      WebGL: refused,
      bitmaps: refused,
      transferred: refused,
      'transferred, off the screen': told['transferred, off the screen'],
      'a proxy': refused,
      '0 x 0': drawn,
      '1 x 1': drawn,
      'off the screen': drawn,
      '0 x 0 off the screen': drawn,
      '2D': drawn,
    });
    assert.ok(
      told['transferred, off the screen'].every((how) => /^drawn$|^NextPixelError/.test(how)),
      String(told['transferred, off the screen']),
    );
  }));

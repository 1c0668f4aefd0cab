// SPDX-License-Identifier: MIT
// @ts-check

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { pageOf } from '../../web/tools/frame.js';
import { ROOT } from '../js/helpers.js';
import { opened } from '../js/opened-double.js';
import { readGGUF } from '../js/gguf.js';
import { more } from '../more.js';
import { OUT, session } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const PAGE = '/web/pages/opened/';
const bytes = await readFile(`${ROOT}weights/opened.gguf`);
const tokens = readGGUF(bytes).metadata['tokenizer.ggml.tokens'];
const ids = (/** @type {string} */ word) => [...word].map((sign) => tokens.indexOf(sign));

/** @param {Page} page */
const done = (page) => page.locator('#transport[data-phase="done"]').waitFor();
/** Returns the letters that the network has written. @param {Page} page */
const letters = (page) =>
  page
    .locator('.letter b')
    .allTextContents()
    .then((all) => all.join(''));
/** Returns the value whose sum is displayed, the matrix and the cell of this value, and the displayed text. @param {Page} page */
const told = (page) =>
  page.locator('#sum .sum-value').evaluate((output) => {
    const { name = '', cell = '', value = '' } = /** @type {HTMLElement} */ (output).dataset;
    return { name, cell, value, text: output.textContent ?? '' };
  });

test('by keyboard alone, every step of the walkthrough shows a sentence, and thirty values equal those computed from the file in double precision', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await done(page);
    assert.equal(await letters(page), 'tenalp⏎');
    assert.match((await page.locator('#verdict').textContent()) ?? '', /The WebAssembly model gives the same word, bit for bit/);
    const again = opened(bytes, [...ids('planet'), 0], ids('tenalp'));
    const seen = new Set();
    /** @param {Awaited<ReturnType<typeof told>>} number */
    const check = ({ name, cell, value, text }) => {
      const [i, j] = cell.split(',').map(Number);
      const wanted = again[name]?.[i][j];
      if (wanted === undefined) return; // skips weights, which the second computation does not have
      assert.ok(Number(value) === wanted || Math.abs(Number(value) - wanted) < 2e-4, `${name} at ${cell}: ${value}, ${wanted}`);
      assert.ok(
        wanted === -Infinity ? text === '−∞' : Math.abs(Number(text.replace('−', '-')) - wanted) < 3e-4,
        `${name} at ${cell}: ${text}, ${wanted}`,
      );
      seen.add(`${name} ${cell}`);
    };
    await page.locator('#walk-next').focus();
    const count = await page.locator('#walk > li').count();
    for (let step = 0; step < count; step++) {
      const item = page.locator('#walk > li:not([hidden])');
      assert.equal(await item.count(), 1);
      const text = (await item.innerText()).replace(/\s+/g, ' ').trim();
      assert.match(text, /^[A-Z].*\. .*[.!?] /);
      assert.ok(!/undefined|NaN/.test(text), text);
      const number = await told(page);
      check(number);
      // The text of the step contains the value that told() returned.
      for (const live of await item
        .locator('[data-live=compared], [data-live=scaled], [data-live=value], [data-live=logit]')
        .allTextContents()) {
        assert.equal(live, Number(number.value).toFixed(2).replace('-', '−'), text);
      }
      // A button with ← leads to one of the matrices from which the value is computed. Each value of that matrix shows its own sum.
      const back = page.locator('#sum .example', { hasText: '←' }).first();
      if (await back.count()) {
        await back.press('Enter');
        check(await told(page));
        await page.keyboard.press('ArrowDown'); // now the focus is on that matrix
        check(await told(page));
      }
      if (step + 1 < count) await page.locator('#walk-next').press('Enter');
    }
    assert.ok(seen.size >= 30, `${seen.size} numbers`);
    assert.ok(await page.locator('#walk-next').isDisabled());
    await page.locator('#walk-back').press('Enter');
    assert.equal(await page.locator('.walk-count').textContent(), `${count - 1} of ${count}`);
  }));

test('a box opens with the pointer and with the keyboard; pointing at a number shows its sum', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await done(page);
    await page.locator('.box[data-box="dec.1.cross"]').click();
    assert.equal(await page.locator('#box-name').textContent(), 'Decoder, block 2, Attention to the word');
    await page.locator('input[name=head]').nth(1).check();
    const softmax = page.getByRole('application', { name: /^softmax, 7 by 7/ }).first();
    await softmax.focus();
    await page.keyboard.press('ArrowRight');
    const sum = page.locator('#sum');
    await sum.getByText(/softmax of head 2 at ⇥, [a-z⏎]: e to the power of this score/).waitFor();
    assert.match((await sum.textContent()) ?? '', / = e\^/);
    const { width = 0, height = 0 } = (await softmax.boundingBox()) ?? {};
    await softmax.hover({ position: { x: width - 8, y: height - 8 } });
    await sum.getByText(/softmax of head 2 at p, ⏎/).waitFor();
    await page.mouse.move(2, 2); // moving the pointer away does not change the selected step
    await sum.getByText(/softmax of head 2 at ⇥/).waitFor();
    // After a click on Play, the walkthrough goes on by itself, and it can be stopped at any step.
    await page.locator('#walk-play').click();
    assert.equal(await page.locator('#walk-play-text').textContent(), 'Pause');
    assert.equal(await page.locator('.walk-count').textContent(), '2 of 16');
    await page.locator('#walk-play').click();
    assert.equal(await page.locator('#walk-play-text').textContent(), 'Play');
    await page.locator('.box[data-box="dec.1.cross"]').click();
    await page.locator('.box[data-box="dec.1.cross"]').focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('#box-name').textContent(), 'Decoder, block 2, Add & norm');
    await page.keyboard.press('ArrowLeft');
    assert.match(await page.evaluate(() => document.activeElement?.getAttribute('data-box') ?? ''), /^enc\./);
    // Every letter that was written can be inspected.
    await page.locator('.letter input').nth(2).check();
    assert.match(await page.locator('#step-next').evaluate((item) => item.textContent ?? ''), /after “e”, “n” has probability \d/);
  }));

test('typed text is written backwards; switching off a part breaks the output, and switching it on again repairs it', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await done(page);
    await page.locator('#word').fill('Anna');
    await page.waitForFunction(() => document.getElementById('written')?.textContent?.startsWith('a'));
    assert.equal(await letters(page), 'anna⏎');
    await page.locator('#word').fill('planet');
    await page.waitForFunction(() => document.querySelectorAll('.letter').length === 7);
    assert.equal(await letters(page), 'tenalp⏎');
    // Without the scale 1/sqrt(d), the network makes a mistake in the first word.
    await page.locator('#switches input[value=scale]').uncheck();
    assert.match((await page.locator('#verdict').textContent()) ?? '', /✗ it should be tenalp⏎/);
    await page.locator('#restore').click();
    await page.locator('#switches input[value=positions]').uncheck();
    assert.match((await page.locator('#verdict').textContent()) ?? '', /✗ it should be tenalp⏎/);
    await page.locator('#figure-opened').screenshot({ path: `${OUT}opened-broken.png` });
    await page.locator('#restore').click();
    assert.equal(await letters(page), 'tenalp⏎');
    await page.locator('#off').selectOption({ index: 8 });
    assert.ok(await page.locator('#restore').isEnabled());
    await page.locator('#restore').click();
    // Selects a weight of the output layer.
    await page.locator('.box[data-box="logits"]').click();
    await page.getByRole('application', { name: /^ET, / }).focus();
    await page.keyboard.press('ArrowRight');
    for (let i = 0; i < 4; i++) await page.locator('#sum .example', { hasText: '+ 0.5' }).click();
    assert.ok(await page.locator('#restore').isEnabled());
    assert.match((await page.locator('#sum').textContent()) ?? '', /a learned weight, token_embd\.weight/);
    await page.locator('#sum .example', { hasText: 'as trained' }).click();
    assert.ok(await page.locator('#restore').isDisabled());
    await page.locator('#word').fill('');
    await page.waitForFunction(() => /Type one to six letters/.test(document.getElementById('verdict')?.textContent ?? ''));
  }));

more('a network with only a decoder writes the same word', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await done(page);
    // Changes a weight and then selects another network, which does not have the change.
    await page.locator('.box[data-box="logits"]').click();
    await page.getByRole('application', { name: /^ET, / }).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('#sum .example', { hasText: '+ 0.5' }).click();
    await page.locator('input[value="opened-decoder.gguf"]').check();
    await page.waitForFunction(() => document.querySelectorAll('.box').length === 13);
    await page.waitForFunction(() => /The WebAssembly model gives the same/.test(document.getElementById('verdict')?.textContent ?? ''));
    assert.equal(await letters(page), 'tenalp⏎');
    for (const id of ['step-one-hot', 'step-residual', 'step-mask', 'step-next']) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, id);
      await page.locator(`#${id}:not([hidden])`).waitFor();
      assert.equal(await page.locator(`#${id} .equation:visible`).count(), 1);
      assert.ok(await page.locator('#sum .sum-value').count());
    }
    await page.evaluate(() => {
      location.hash = 'step-cross';
    }); // the network with only a decoder does not have this step
    assert.equal(await page.locator('#walk > li:not([hidden])').getAttribute('id'), 'step-next');
  }),
);

more('an address opens a step; the overture and the layer for pictures work', () =>
  withPage(async (page) => {
    await page.goto(`${PAGE}#step-mask`);
    await done(page);
    assert.equal(await page.locator('#walk > li:not([hidden])').getAttribute('id'), 'step-mask');
    assert.equal((await told(page)).text, '−∞');
    const before = await page.locator('#overture-said').textContent();
    await page.locator('.handle.query').first().press('ArrowLeft');
    assert.notEqual(await page.locator('#overture-said').textContent(), before);
    const weights = (await page.locator('#overture-rows td:nth-child(3)').allTextContents()).map(parseFloat);
    assert.ok(Math.abs(weights.reduce((a, b) => a + b, 0) - 100) <= 1);
    await page.locator('#figure-layer').scrollIntoViewIfNeeded();
    await page.locator('.term').first().waitFor();
    await page.locator('.layer-equation').nth(1).locator('.term', { hasText: 'ReLU' }).click();
    assert.match((await page.locator('#layer-sum').textContent()) ?? '', /active at p, 1: itself, or zero/);
  }),
);

more('for each part of the network, the page shows the output without this part', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await done(page);
    await page.locator('#figure-broken').scrollIntoViewIfNeeded();
    await page.locator('#broken[data-done="planet"]').waitFor();
    const rows = await page.locator('#broken tr').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    assert.equal(rows.length, 5 + 12);
    assert.deepEqual(rows[0], ['nothing', '✓ tenalp⏎']);
    assert.ok(rows.filter(([, written]) => written?.startsWith('✗')).length > 2);
    assert.ok(
      rows.some(([loss, written]) => loss === 'the scale' && written?.startsWith('✗')) &&
        rows.some(([loss, written]) => /head/.test(loss ?? '') && written?.startsWith('✗')),
    );
    await page.locator('#word').fill('zebra');
    await page.locator('#broken[data-done="zebra"]').waitFor();
  }),
);

test('the page needs only its weight file, and works before the engine is loaded; the page is smaller than 60 KB', () =>
  withPage(async (page) => {
    await page.route(/\.wasm$/, () => {}); // the engine is never loaded
    await page.goto(PAGE);
    await page.locator('.letter').first().waitFor();
    assert.equal(await letters(page), 'tenalp⏎');
    const files = ['web/dist/page-opened.js', 'web/pages/opened/opened.css'];
    const sent = [
      (await pageOf(`${ROOT}web`, 'pages/opened/index.html')) ?? '',
      ...(await Promise.all(files.map((file) => readFile(`${ROOT}${file}`)))),
    ];
    const sizes = sent.map((bytes) => gzipSync(bytes).length);
    assert.ok(sizes.reduce((a, b) => a + b) < 60 * 1024, `${sizes}`);
  }));

more('on a laptop and on a projector, each step of the walkthrough fits on one screen with its diagram and its matrix', () =>
  withPage(
    async (page) => {
      await page.goto(PAGE);
      await done(page);
      /** Returns the elements that are outside the window. */
      const outside = () =>
        page.evaluate(() =>
          ['#diagram .diagram', '#walk', '#walk-next', '#sheet details[open] canvas'].filter((selector) => {
            const { top, bottom, height } = /** @type {Element} */ (document.querySelector(selector)).getBoundingClientRect();
            return height === 0 || top < 0 || bottom > innerHeight;
          }),
        );
      for (let step = 0; step < 5; step++) await page.locator('#walk-next').click();
      assert.deepEqual(await outside(), []);
      await page.keyboard.press('Alt+p');
      await page.locator('.staged').waitFor();
      await page.waitForTimeout(200);
      assert.deepEqual(await outside(), [], 'on the wall');
      // The cells of each matrix are wide enough for a value with a minus sign.
      assert.ok(
        await page.evaluate(() => {
          const context = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
          context.font = `11px ${getComputedStyle(document.querySelector('.matrix-canvas') ?? document.body).fontFamily}`;
          return context.measureText('−0.25').width <= 34;
        }),
      );
    },
    { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' },
  ),
);

test('the walkthrough begins automatically on the first screen: silently, without taking the focus, and without scrolling; any input ends it, and so does its own button', () =>
  withPage(async (page) => {
    const says = () => page.locator('#walk-play-text').textContent();
    const opens = async () => {
      await page.goto(PAGE);
      await page.locator('.letter').first().waitFor();
    };
    await opens();
    assert.equal(await says(), 'Pause');
    await page.getByText('2 of 16').waitFor();
    assert.deepEqual(await page.evaluate(() => [document.activeElement?.tagName, scrollY]), ['BODY', 0]);
    assert.doesNotMatch((await page.locator('body > [aria-live]').allTextContents()).join(), /Embedding/);
    await page.locator('#walk-play').click();
    assert.equal(await says(), 'Play');
    await opens();
    assert.equal(await says(), 'Pause');
    await page.keyboard.press('Shift');
    await page.waitForFunction(() => document.getElementById('walk-play-text')?.textContent === 'Play');
    await page.goto('about:blank');
    await page.goto(`${PAGE}#step-mask`); // a visitor who follows a link to a step stays at this step
    await done(page);
    assert.equal(await says(), 'Play');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await opens();
    await done(page);
    assert.equal(await says(), 'Play');
  }));

for (const [name, input] of /** @type {[string, (page: Page) => Promise<void>][]} */ ([
  ['the wheel', (page) => page.mouse.wheel(0, 40)],
  ['the pointer', (page) => page.mouse.click(5, 5)],
])) {
  more(`${name} ends the walkthrough that began automatically`, () =>
    withPage(async (page) => {
      await page.goto(PAGE);
      await page.locator('.letter').first().waitFor();
      assert.equal(await page.locator('#walk-play-text').textContent(), 'Pause');
      await input(page);
      await page.waitForFunction(() => document.getElementById('walk-play-text')?.textContent === 'Play');
    }),
  );
}

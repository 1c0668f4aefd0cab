// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the settings in the address of a page. Changing a setting changes the address, Back restores the setting, and opening an address
 * applies its settings. Malformed addresses are ignored.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EVERY, more, oneOf } from '../more.js';
import { WAIT, everyPage, firstFigure, session } from './browser.js';
import { MALFORMED, turnTo } from './checks.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const LESS = /** @type {import('playwright-core').BrowserContextOptions} */ ({ reducedMotion: 'reduce' });

/** Returns the settings in the address. @param {Page} page */
const settingsIn = (page) => Object.fromEntries(new URLSearchParams(page.url().split('#')[1]?.split('?')[1] ?? ''));

/** @param {Page} page @param {string} selector @param {string} value */
const hasValue = (page, selector, value) =>
  page.waitForFunction(
    ([where, wanted]) => /** @type {HTMLInputElement | null} */ (document.querySelector(where))?.value === wanted,
    [selector, value],
    WAIT,
  );

/** @param {Page} page @param {string} selector @param {string} value */
async function enter(page, selector, value) {
  await page.fill(selector, value);
  await page.press(selector, 'Enter');
}

/**
 * The tested figures, by page (`path`) and id (`figure`). `selector` finds the control of a setting, and `change`, if present, sets its
 * value. `name` is the name of the setting in the address, `first` is the default of the setting, and `then` has two other values.
 * @type {{ path: string, figure: string, selector: string, name: string, first: string, then: string[], change?: (page: Page, value: string) => Promise<unknown> }[]}
 */
const FIGURES = [
  { path: '', figure: 'figure-hero', selector: '#seed', name: 'seed', first: '7', then: ['12', '13'] },
  { path: 'pages/fvsbn/', figure: 'figure-endings', selector: '#seed', name: 'seed', first: '7', then: ['12', '13'] },
  { path: 'pages/image-transformer/', figure: 'figure-endings', selector: '#seed', name: 'seed', first: '7', then: ['12', '13'] },
  {
    path: 'pages/image-transformer/',
    figure: 'figure-geometry',
    selector: '#geometry-seed',
    name: 'seed',
    first: '45',
    then: ['12', '13'],
  },
  { path: 'pages/image-transformer/', figure: 'figure-classes', selector: '#classes-seed', name: 'seed', first: '1', then: ['12', '13'] },
  { path: 'pages/colour/', figure: 'figure-colour', selector: '#colour-seed', name: 'seed', first: '7', then: ['12', '13'] },
  { path: 'pages/colour/', figure: 'figure-superres', selector: '#superres-seed', name: 'seed', first: '7', then: ['12', '13'] },
  { path: 'pages/look-ahead/', figure: 'figure-ahead', selector: '#ahead-seed', name: 'seed', first: '10', then: ['12', '13'] },
  {
    path: 'pages/tokens/',
    figure: 'figure-tale',
    selector: '#prompt',
    name: 'prompt',
    first: 'Once upon a time, there was a',
    then: ['The king', 'A fox & a hen'],
  },
  { path: 'pages/tokens/', figure: 'figure-three', selector: '#three-seed', name: 'seed', first: '3', then: ['12', '13'] },
  {
    path: 'pages/transformer/',
    figure: 'figure-translation',
    selector: '#beams',
    name: 'beams',
    first: '1',
    then: ['4', '2'],
    change: (page, value) => page.selectOption('#beams', value),
  },
];

for (const [
  i,
  {
    path,
    figure,
    selector,
    name,
    first,
    then,
    change = (/** @type {Page} */ page, /** @type {string} */ value) => enter(page, selector, value),
  },
] of FIGURES.entries()) {
  oneOf(i, 10)(`/web/${path}: ${name} of #${figure} is written to the address, Back restores it, and a new visit applies it`, () =>
    withPage(async (page) => {
      await page.goto(`/web/${path}`);
      await page.locator(`#${figure}`).scrollIntoViewIfNeeded();
      await page.locator(`#${figure} [data-phase]:not([data-phase="empty"])`).first().waitFor(WAIT);
      assert.equal(await page.inputValue(selector), first);
      assert.equal(new URL(page.url()).hash, '', 'nothing was changed');
      for (const value of then) {
        await change(page, value);
        await page.waitForURL((url) => url.hash.startsWith(`#${figure}?`));
        assert.equal(settingsIn(page)[name], value);
      }
      const address = page.url();
      await page.goBack();
      await hasValue(page, selector, then[0]);
      assert.equal(settingsIn(page)[name], then[0]);
      await page.goBack();
      await hasValue(page, selector, first);
      assert.equal(new URL(page.url()).hash, '');
      await page.goForward();
      await page.goForward();
      await hasValue(page, selector, then[1]);
      await page.goto('about:blank');
      await page.goto(address); // a new visit, not a reload; two tests below reload the page
      await hasValue(page, selector, then[1]);
    }, LESS),
  );
}

test('a typed sentence is one step of the history, and survives a reload', () =>
  withPage(async (page) => {
    await page.goto('/web/pages/transformer/');
    await page.locator('#sentence:enabled').waitFor(WAIT);
    const first = await page.inputValue('#sentence');
    // Types a sentence in three steps; the page translates after each of them.
    await page.evaluate(async () => {
      const input = /** @type {HTMLInputElement} */ (document.querySelector('#sentence'));
      for (const text of ['Ein', 'Ein Hund', 'Ein Hund schläft.']) {
        input.value = text;
        input.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise((resolve) => {
          setTimeout(resolve, 200);
        });
      }
    });
    await page.waitForURL((url) => new URLSearchParams(url.hash.split('?')[1]).get('text') === 'Ein Hund schläft.');
    await page.selectOption('#head', { value: '1' });
    assert.equal(settingsIn(page).head, '2');
    await page.reload();
    await page.locator('#sentence:enabled').waitFor(WAIT);
    assert.deepEqual([await page.inputValue('#sentence'), await page.inputValue('#head')], ['Ein Hund schläft.', '1']);
    await page.goBack();
    await hasValue(page, '#head', '2');
    assert.equal(await page.inputValue('#sentence'), 'Ein Hund schläft.');
    await page.goBack();
    await hasValue(page, '#sentence', first);
  }, LESS));

test('Back restores each of two figures on a page independently, and a link within the page changes neither', () =>
  withPage(async (page) => {
    await page.goto('/web/pages/tokens/');
    await page.locator('#three-transport:not([data-phase="empty"])').waitFor(WAIT);
    await enter(page, '#seed', '20');
    await enter(page, '#three-seed', '30');
    await page.evaluate(() =>
      document.querySelector('.masthead a[href="#code"]')?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })),
    );
    await page.waitForURL((url) => url.hash === '#code');
    /** @param {string} seed @param {string} three */
    const seedsAre = async (seed, three) => {
      await hasValue(page, '#seed', seed);
      await hasValue(page, '#three-seed', three);
    };
    await seedsAre('20', '30');
    await page.reload();
    await page.locator('#three-transport:not([data-phase="empty"])').waitFor(WAIT);
    await seedsAre('20', '30');
    await page.goBack();
    await page.waitForURL((url) => url.hash !== '#code');
    await seedsAre('20', '30');
    await page.goBack();
    await seedsAre('20', '3');
    await page.goBack();
    await seedsAre('1', '3');
  }, LESS));

more('the settings of the filters are written to the address and restored', () =>
  withPage(async (page) => {
    await page.goto('/web/pages/tokens/#figure-tale?temperature=1.25&top_k=16&top_p=0.5&min_p=0.1&seed=2');
    await page.locator('#prompt:enabled').waitFor(WAIT);
    for (const [id, text] of [
      ['temperature', '1.25'],
      ['top-k', 'the first 16'],
      ['top-p', '50% of the probability'],
      ['min-p', '10.0% of the first one’s'],
    ]) {
      assert.equal(await page.locator(`#${id}-text`).textContent(), text);
    }
    await page.focus('#temperature');
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL((url) => new URLSearchParams(url.hash.split('?')[1]).get('temperature') === '1.2');
    assert.deepEqual(settingsIn(page), {
      model: 'stories',
      seed: '2',
      prompt: 'Once upon a time, there was a',
      temperature: '1.2',
      top_k: '16',
      top_p: '0.5',
      min_p: '0.1',
    });
  }, LESS),
);

/**
 * ./build.sh test-sweep opens every page with each malformed address. korean.test.js is quicker: it opens a page with the first malformed
 * address, and then replaces this address with the others.
 */
for (const path of EVERY ? await everyPage() : []) {
  more(`/web/${path} ignores malformed text after the #`, () =>
    withPage(async (page) => {
      for (const hash of MALFORMED) {
        await page.goto('about:blank');
        await page.goto(`/web/${path}${hash}`);
        await firstFigure(page).waitFor(WAIT);
      }
      await turnTo(page, MALFORMED);
    }, LESS),
  );
}

// SPDX-License-Identifier: MIT
// @ts-check

/** What every page promises: nothing moves while it loads, axe-core finds nothing, the policy holds, all of it is reached with Tab. */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { OUT, everyPage, firstFigure, session, sleep } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.js');
const WAIT = { timeout: 60000 };

/** What a good page moves at most, as web.dev has it. */
const SHIFT = 0.1;

/** Goes through the whole page, so that everything in it is made. @param {Page} page */
async function scrollThrough(page) {
  for (let y = 0, end = 1; y < end; y += 600) {
    end = await page.evaluate((top) => {
      scrollTo({ top, behavior: 'instant' });
      return document.documentElement.scrollHeight;
    }, y);
    await sleep(120);
  }
}

/** Says what has moved without the visitor's doing: its part of the screen times how far. @param {Page} page */
const watchShifts = (page) => page.addInitScript(() => {
  const shifts = /** @type {{ value: number, of: string[] }[]} */ (/** @type {any} */ (globalThis).shifts = []);
  new PerformanceObserver((list) => {
    for (const entry of /** @type {any[]} */ (list.getEntries())) {
      if (!entry.hadRecentInput) shifts.push({ value: entry.value, of: entry.sources.map((/** @type {any} */ { node }) => node?.id || node?.className || node?.nodeName) });
    }
  }).observe({ type: 'layout-shift', buffered: true });
});

for (const path of await everyPage()) {
  for (const [width, height] of [[360, 740], [768, 1024], [1280, 800]]) {
    test(`/web/${path} does not move while it loads, ${width} pixels wide`, (context) => withPage(async (page) => {
      await watchShifts(page);
      await page.goto(`/web/${path}`);
      // On a phone a figure may lie too far down to be made yet.
      await Promise.race([firstFigure(page).waitFor(WAIT).catch(() => {}), sleep(4000)]);
      await sleep(1000);
      /** @type {{ value: number, of: string[] }[]} */
      const shifts = await page.evaluate(() => /** @type {any} */ (globalThis).shifts);
      const sum = shifts.reduce((total, { value }) => total + value, 0);
      context.diagnostic(sum.toFixed(3));
      assert.ok(sum < SHIFT, JSON.stringify(shifts));
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, 'nothing is wider than the screen');
    }, { viewport: { width, height } }));
  }

  for (const [how, options] of /** @type {[string, import('playwright-core').BrowserContextOptions][]} */ ([
    ['light', { colorScheme: 'light' }], ['dark', { colorScheme: 'dark' }], ['at 360 pixels', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
  ])) {
    test(`axe-core finds nothing on /web/${path}, ${how}`, () => withPage(async (page) => {
      await page.goto(`/web/${path}`);
      await scrollThrough(page);
      await firstFigure(page).waitFor(WAIT);
      await page.locator('details').evaluateAll((all) => all.forEach((details) => { /** @type {HTMLDetailsElement} */ (details).open = true; }));
      await page.addScriptTag({ path: AXE }).catch(() => {}); // the policy refuses inline scripts; the test may go around it
      const { violations } = await page.evaluate(() => /** @type {any} */ (globalThis).axe.run(document, { resultTypes: ['violations'] }));
      assert.deepEqual(violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ { target }) => target).join('; ')}`), []);
    }, { bypassCSP: true, reducedMotion: 'reduce', ...options }));
  }

  test(`everything on /web/${path} is reached with Tab, with a visible focus`, () => withPage(async (page) => {
    await page.goto(`/web/${path}`);
    await scrollThrough(page);
    await firstFigure(page).waitFor(WAIT);
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
    /** Everything that can take the focus; of radio buttons the chosen one. */
    const wanted = await page.evaluate(() => [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')].filter((element) => (
      element.checkVisibility({ visibilityProperty: true }) && !element.matches(':disabled, [type=radio]:not(:checked), [type=file]'))).map((element, i) => {
      /** @type {any} */ (element).stop = i;
      return element.id || element.textContent?.trim() || element.tagName;
    }));
    /** @type {Set<number>} */
    const reached = new Set();
    for (let i = 0; i < 2 * wanted.length + 50 && reached.size < wanted.length; i++) { // what comes while this goes on has stops of its own
      await page.keyboard.press('Tab');
      const { stop, ring, name } = await page.evaluate(() => {
        const element = /** @type {HTMLElement} */ (document.activeElement);
        const inner = element.shadowRoot?.activeElement ?? element;
        /** @param {Element | null} e @param {string} [pseudo] */
        const ringed = (e, pseudo) => {
          if (!e) return false;
          const style = getComputedStyle(e, pseudo);
          return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow.split('rgb').length > 2;
        };
        return { stop: /** @type {any} */ (element).stop, ring: element === document.body || ringed(inner) || ringed(inner, '::before') || ringed(inner.nextElementSibling),
          name: element.id || element.className || element.tagName };
      });
      assert.ok(ring, `no visible focus on ${name}`);
      if (stop !== undefined) reached.add(stop);
    }
    assert.deepEqual(wanted.filter((_, i) => !reached.has(i)), []);
  }, { reducedMotion: 'reduce' }));

  for (const [name, options] of /** @type {[string, import('playwright-core').BrowserContextOptions][]} */ ([
    ['light', { colorScheme: 'light' }], ['dark', { colorScheme: 'dark' }], ['phone', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
  ])) {
    test(`/web/${path} obeys the policy, ${name}`, () => withPage(async (page) => {
      const response = await page.goto(`/web/${path}`);
      assert.match(response?.headers()['content-security-policy'] ?? '', /default-src 'none'/);
      await scrollThrough(page);
      await firstFigure(page).waitFor(WAIT);
      await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
      await sleep(2500); // pictures
      await page.screenshot({ path: `${OUT}${(path.split('/')[1] ?? 'front')}-${name}.png`, fullPage: true });
    }, options));
  }
}

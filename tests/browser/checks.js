// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Functions with which the tests check every page: nothing shifts, nothing is too wide, axe-core finds no fault, Tab reaches everything,
 * and the page is cached.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import { WAIT, painted, until } from './browser.js';

/** @import { BrowserContextOptions, Page } from 'playwright-core' */

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The screen of a phone. @type {BrowserContextOptions} */
export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/**
 * The looks in which every page is checked.
 *
 * @type {[string, BrowserContextOptions][]}
 */
export const LOOKS = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['at 360 pixels', PHONE],
  ['with forced colours', { forcedColors: 'active' }],
];

/**
 * Records layout shifts that the visitor did not cause. https://web.dev/articles/cls defines the score of a shift. Call this function
 * before the page opens.
 * @param {Page} page
 */
export const watchShifts = (page) =>
  page.addInitScript(() => {
    const shifts = /** @type {{ value: number, of: string[] }[]} */ ([]);
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of /** @type {any[]} */ (list.getEntries())) {
        if (!entry.hadRecentInput)
          shifts.push({
            value: entry.value,
            of: entry.sources.map((/** @type {any} */ { node }) => node?.id || node?.className || node?.nodeName),
          });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });

/** @param {Page} page @param {number} most @returns {Promise<number>} the total shift */
export async function shiftsBelow(page, most) {
  await painted(page);
  /** @type {{ value: number, of: string[] }[]} */
  const shifts = await page.evaluate(() => /** @type {any} */ (globalThis).shifts);
  const sum = shifts.reduce((total, { value }) => total + value, 0);
  assert.ok(sum < most, `the page shifts while it loads: ${JSON.stringify(shifts)}`);
  return sum;
}

/**
 * Waits until all visible canvases of the first figure have content. The figure must not need a click. A canvas with `pointer-events: none`
 * is an overlay and may be empty.
 *
 * @param {Page} page
 */
export const isFilled = (page) =>
  page.waitForFunction(
    () =>
      [...document.querySelectorAll('figure')].slice(0, 1).every((figure) =>
        [...figure.querySelectorAll('canvas')].every((canvas) => {
          const { top, bottom, width, height } = canvas.getBoundingClientRect();
          if (width * height === 0 || bottom < 0 || top > innerHeight || getComputedStyle(canvas).pointerEvents === 'none') return true;
          const context = /** @type {OffscreenCanvasRenderingContext2D} */ (
            new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true })
          ); // reads a copy, because Chromium warns about repeated reads of a canvas
          context.drawImage(canvas, 0, 0);
          const words = new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
          return words.some((word) => word !== words[0]);
        }),
      ),
    undefined,
    { ...WAIT, polling: 100 }, // the colour page takes long, because it draws four rows with 24 enlargements each
  );

/** Malformed fragments of an address, which pages must ignore. */
export const MALFORMED = ['#figure?%E0%A4%A=%', '#%', '#%E0%A4%A', '#%?seed=3', '#?'];

/** Replaces the fragment of an open page's address with each of these fragments, in order. @param {Page} page @param {string[]} hashes */
export async function turnTo(page, hashes) {
  for (const hash of hashes) {
    await page.evaluate((next) => {
      location.hash = next;
    }, hash);
    await painted(page);
  }
}

/** @param {Page} page */
export async function fits(page) {
  const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  // If a page is too wide, a phone lays it out as if the screen were wider.
  const { width } = page.viewportSize() ?? { width: screen };
  assert.ok(wide <= width && screen <= width, `${wide} pixels, but the screen has ${width}`);
}

/** Widths of the window at which a page must fit: 320 corresponds to 1280 at a zoom of 400 % (WCAG 1.4.10). */
const WIDTHS = [320, 390, 768, 1280];
/** Text spacing that a reader may set (WCAG 1.4.12). */
const SPACES =
  '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }';
/**
 * Changes that a reader may make: the spacing of text, and the text size in the browser's settings.
 * @type {Record<string, { sheet?: string, size?: number }>}
 */
const READERS = { 'as it is': {}, 'with wider spaces': { sheet: SPACES }, 'at 200 %': { size: 32 } };

/**
 * The change that needs the most space. A page that fits after this change usually fits after the other changes; npm run test:all checks
 * all changes.
 */
export const SET = ['at 200 %'];

/**
 * Returns the texts that are cut off by the edge of their box and cannot be scrolled into view.
 *
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
const cutOff = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter(
        (element) =>
          element.scrollWidth > element.clientWidth + 1 &&
          element.clientWidth > 1 &&
          element.textContent?.trim() &&
          !element.closest('.skip, .visually-hidden') &&
          /hidden|clip/.test(getComputedStyle(element).overflowX) &&
          element.checkVisibility({ visibilityProperty: true }),
      )
      .map((element) => `${element.tagName} ${element.id || element.className}: ${element.textContent?.trim()}`),
  );

/**
 * Checks that nothing is wider than the window and no text is clipped: at every width, with the reader's spacing, and with text at 200 %.
 * Call this function after all figures have been drawn.
 *
 * @param {Page} page
 * @param {string[]} [readers]
 */
export async function fitsAnyReader(page, readers = Object.keys(READERS)) {
  const before = page.viewportSize();
  const debug = await page.context().newCDPSession(page);
  for (const reader of readers) {
    const { sheet = '', size = 16 } = READERS[reader];
    await page.evaluate((text) => {
      const adopted = new CSSStyleSheet(); // the page's policy does not apply to a constructed style sheet
      adopted.replaceSync(text);
      document.adoptedStyleSheets = [adopted];
    }, sheet);
    await debug.send('Page.setFontSizes', { fontSizes: { standard: size, fixed: (13 * size) / 16 } });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 740 });
      await painted(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `text ${reader}: ${wide} pixels, but the window has ${width}`);
      assert.deepEqual(await cutOff(page), [], `text ${reader}, ${width} pixels wide: clipped`);
    }
  }
  await debug.send('Page.setFontSizes', { fontSizes: { standard: 16, fixed: 13 } });
  await page.evaluate(() => {
    document.adoptedStyleSheets = [];
  });
  if (before) await page.setViewportSize(before);
  await debug.detach();
}

/** Scrolls through the whole page and back, so that everything in it is created. @param {Page} page */
export async function scrollThrough(page) {
  for (let y = 0, end = 1; y < end; y += 600) {
    end = await page.evaluate((top) => {
      scrollTo({ top, behavior: 'instant' });
      return document.documentElement.scrollHeight;
    }, y);
    await painted(page); // an IntersectionObserver is notified before a frame is painted
    await painted(page);
  }
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
}

/** Checks that axe-core finds nothing, with every <details> open. @param {Page} page */
export async function axeFindsNothing(page) {
  await page.locator('details').evaluateAll((all) =>
    all.forEach((details) => {
      /** @type {HTMLDetailsElement} */ (details).open = true;
    }),
  );
  // The debugger injects this script, so the page's policy does not apply to it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    /** @type {any} */ (globalThis).axe.run(document, { resultTypes: ['violations'], preload: false }),
  ); // style sheets are not preloaded, because no enabled rule reads them
  assert.deepEqual(
    violations.map(
      (/** @type {any} */ { id, nodes }) =>
        `${id}: ${nodes.map((/** @type {any} */ { target, failureSummary }) => `${target} (${failureSummary})`).join('; ')}`,
    ),
    [],
  );
}

/** Checks that Tab reaches every focusable element and that the focus is visible. @param {Page} page */
export async function tabReachesAll(page) {
  await page.evaluate(() => {
    scrollTo({ top: 0, behavior: 'instant' });
    /** @type {HTMLElement} */ (document.activeElement)?.blur();
  });
  /**
   * In a group of radio buttons, Tab reaches only the checked one; in a group with arrow-key navigation, only the button in the tab order.
   */
  const wanted = await page.evaluate(() =>
    [...document.querySelectorAll('a[href], button, input, select, summary, pre, [tabindex="0"]')]
      .filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) &&
          !element.matches(':disabled, [type=radio]:not(:checked), [type=file]') &&
          !(element.matches('[tabindex="-1"]') && element.parentElement?.querySelector('[tabindex="0"]')) &&
          (element.tagName !== 'PRE' || element.scrollWidth > element.clientWidth),
      )
      .map((element, i) => {
        /** @type {any} */ (element).stop = i;
        return element.id || element.textContent?.trim() || element.tagName;
      }),
  );
  /** @type {Set<number>} */
  const reached = new Set();
  for (let i = 0; i < 2 * wanted.length + 50 && reached.size < wanted.length; i++) {
    // the limit above is generous, because elements that appear during the loop are in the tab order too
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
      return {
        stop: /** @type {any} */ (element).stop,
        ring: element === document.body || ringed(inner) || ringed(inner, '::before') || ringed(inner.nextElementSibling),
        name: element.id || element.className || element.tagName,
      };
    });
    assert.ok(ring, `no visible focus on ${name}`);
    if (stop !== undefined) reached.add(stop);
  }
  /**
   * Returns the expected elements that are still focusable. Other expected elements may be gone: a finished run has no stop button, and a
   * loaded file has no load button.
   */
  const left = await page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .filter((element) => 'stop' in element && !element.matches(':disabled') && element.checkVisibility({ visibilityProperty: true }))
      .map((element) => /** @type {any} */ (element).stop),
  );
  assert.deepEqual(
    wanted.filter((_, i) => !reached.has(i) && left.includes(i)),
    [],
    'Tab does not reach',
  );
}

/**
 * Checks that every file that the page has loaded is cached completely for an offline visit. On the front page, one weight file is enough,
 * because a card releases its model when the card leaves the screen, even just after the model is loaded.
 *
 * @param {Page} page
 */
export const isKept = (page) =>
  until(page, async () => {
    /** @param {string} name name of a cache; a file is listed in a cache as soon as storing begins */
    const urls = async (name) => {
      const cache = await caches.open(name);
      return Promise.all(
        (await cache.keys()).map((request) =>
          cache
            .match(request)
            .then((copy) => copy?.arrayBuffer())
            .then(
              () => request.url,
              () => '',
            ),
        ),
      );
    };
    const kept = (await Promise.all(['nextpixel-page', 'nextpixel'].map(urls))).flat();
    const loaded = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType('resource')).filter(
      ({ name, decodedBodySize }) => /^http/.test(name) && (decodedBodySize > 0 || !name.endsWith('.gguf')),
    ); // excludes weight files of which the page has requested only the size
    const wanted = [location.href, ...loaded.map(({ name }) => name)].map((name) => name.split('#')[0]);
    const weights = wanted.filter((url) => url.endsWith('.gguf')),
      others = wanted.filter((url) => !url.endsWith('.gguf'));
    const are = (/** @type {string} */ url) => kept.includes(url);
    return others.every(are) && (document.querySelector('.card') ? weights.some(are) : weights.length > 0 && weights.every(are));
  });

/**
 * Finds English sentences that are visible or read aloud on a page in another language. Exceptions are code, formulas, titles of papers,
 * quotations, parts marked as another language, and the output of models ([data-result], and the live region that announces the output).
 *
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
export const englishIn = (page) =>
  page.evaluate(() => {
    const data =
      'pre, code, math, cite, footer, .papers-list, .card-paper, [lang]:not(html), [data-result], body > [aria-live], option, textarea, input, svg text, script, style, noscript';
    const sentence = /(?:\b[A-Za-z][a-z’']+\b[ ,]+){2,}[a-z]{2,}/;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    /** @type {string[]} */
    const found = [];
    const names = ['aria-label', 'aria-valuetext', 'aria-description', 'title', 'alt', 'placeholder'];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node instanceof Element ? node : node.parentElement;
      if (!element || element.closest(data)) continue;
      const texts = node instanceof Element ? names.map((name) => element.getAttribute(name) ?? '') : [node.textContent ?? ''];
      // this text is neither visible nor read aloud, because the canvas has a name instead
      if (!(node instanceof Element) && element.matches('canvas[role=img]')) continue;
      for (const text of texts)
        if (sentence.test(text.replace(/“[^”]*”/g, '')))
          found.push(`${element.tagName.toLowerCase()}${element.id && `#${element.id}`}: ${text.trim()}`);
    }
    return found;
  });

/**
 * Checks that a printed page consists of text and still pictures. It must have no controls, no text that is only for screen readers, and no
 * picture beyond the edge of the page. It must show every step of a walkthrough, and every drawn canvas as a picture.
 *
 * @param {Page} page
 */
export async function printsWell(page) {
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 718, height: 1040 }); // A4 without its margins
  await painted(page);
  const shown = await page.evaluate(() =>
    [
      ...document.querySelectorAll(
        '.button, .copy, .transport, .controls, .take, .load, .masthead nav, .skip, .visually-hidden, input[type=range], select, .walk-count',
      ),
    ]
      .filter((one) => one.checkVisibility())
      .map((one) => one.outerHTML.slice(0, 120)),
  );
  assert.deepEqual(shown, [], 'is useless on paper');
  assert.deepEqual(
    await page.evaluate(() =>
      [...document.querySelectorAll('.walk > li')].filter((step) => getComputedStyle(step).visibility !== 'visible').map(({ id }) => id),
    ),
    [],
  );
  const canvases = await page.evaluate(() =>
    [...document.querySelectorAll('main canvas')]
      .filter((one) => one.checkVisibility() && /** @type {HTMLElement} */ (one).offsetWidth > 0)
      .map((one) => {
        const { left, right } = one.getBoundingClientRect();
        return {
          name: one.id || one.className || one.getAttribute('aria-label'),
          left,
          right,
          scrolls: Boolean(one.closest('[class*="frame"], [class*="scroll"]')),
        };
      }),
  );
  assert.deepEqual(
    canvases.filter(({ left, right, scrolls }) => !scrolls && (left < -1 || right > 719)),
    [],
    'is cut off',
  );
  const pdf = (await page.pdf({ format: 'A4', margin: { top: '12mm', bottom: '12mm', left: '12mm', right: '12mm' } })).toString('latin1');
  const pictures = [...pdf.matchAll(/\/Subtype \/Image/g)].length;
  assert.ok(canvases.length === 0 || pictures > 0, `${pictures} pictures for ${canvases.length} canvases`);
  await page.emulateMedia({ media: null });
}

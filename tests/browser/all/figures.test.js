// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks every figure that shows a topic of the lectures (tests/browser/figures.js): at least one control of the figure must change it. The
 * test tries the controls in order. The pages are opened with reduced motion, so nothing changes on its own.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { FIGURES } from '../figures.js';
import { session, sleep } from '../browser.js';

/** @import { Page, Locator } from 'playwright-core' */

const { withPage } = session();

/** Times in milliseconds. A figure must change within ANSWER after a control is used. A figure that has not changed for REST counts as at
 * rest. */
const [ANSWER, REST] = [8000, 600];
/**
 * Selectors of controls, beginning with those that are most likely to change the figure. For each selector, the test tries the first
 * matching controls (at most EACH).
 */
const CONTROLS = [
  'input[type=range]:enabled',
  'select:enabled',
  '[id$=dice]:enabled',
  'input[type=radio]:not(:checked)',
  'input[type=checkbox]:enabled',
  '[data-phase] button.primary:enabled',
  '[role=slider]',
  'button:enabled',
  '[role=application], [tabindex="0"], canvas, circle, td',
];
const EACH = 3;

/**
 * Returns the content of a figure: its pictures, drawings and texts, but not the state of the controls.
 * @param {Locator} figure
 * @returns {Promise<string>}
 */
const shownBy = (figure) =>
  figure.evaluate((root) => {
    const pictures = [...root.querySelectorAll('canvas')].map((canvas) => (canvas.width && canvas.height ? canvas.toDataURL() : ''));
    const drawings = [...root.querySelectorAll('svg')].filter((svg) => !svg.closest('button, label, .handle')).map((svg) => svg.innerHTML);
    const copy = /** @type {HTMLElement} */ (root.cloneNode(true));
    for (const control of copy.querySelectorAll('button, select, label, output, input, svg, .pace, .load, .take')) control.remove();
    return [...pictures, ...drawings, copy.textContent].join('\n');
  });

/** Waits until the figure no longer changes. @param {Locator} figure */
async function atRest(figure) {
  let before = await shownBy(figure);
  for (let tries = 0; tries < 100; tries++) {
    await sleep(REST);
    const now = await shownBy(figure);
    if (now === before && (await figure.locator('.load:not([hidden], .failed)').count()) === 0) return now;
    before = now;
  }
  throw new Error('the figure never stops changing');
}

/** @param {Page} page @param {Locator} control */
async function operate(page, control) {
  const { kind, id } = await control.evaluate((element) => ({
    kind:
      element instanceof HTMLInputElement ? element.type : element instanceof HTMLSelectElement ? 'select' : element.tagName.toLowerCase(),
    id: element.id || element.className.toString(),
  }));
  if (kind === 'select') {
    await control.evaluate((element) => {
      const select = /** @type {HTMLSelectElement} */ (element);
      select.selectedIndex = select.selectedIndex === select.options.length - 1 ? 0 : select.options.length - 1;
      select.dispatchEvent(new Event('input', { bubbles: true }));
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });
  } else if (kind === 'range') {
    await control.evaluate((element) => {
      const input = /** @type {HTMLInputElement} */ (element);
      input.value = Number(input.value) > (Number(input.min) + Number(input.max || 100)) / 2 ? input.min : input.max || '100';
      input.dispatchEvent(new Event('input', { bubbles: true }));
      input.dispatchEvent(new Event('change', { bubbles: true }));
    });
  } else {
    if (['button', 'radio', 'checkbox'].includes(kind)) await control.evaluate((element) => /** @type {HTMLElement} */ (element).click()); // a handle waits for keys
    await control.hover({ timeout: 2000, force: true }).catch(() => {});
    await control.focus({ timeout: 2000 }).catch(() => {});
    for (const key of ['ArrowRight', 'ArrowDown']) await page.keyboard.press(key);
  }
  return `${kind} ${id}`;
}

/** Opens a figure and tries its controls. @param {Page} page @param {string} name @param {string} at */
async function tried(page, name, at) {
  await page.goto(`/web/pages/${name}/#${at}`);
  const figure = page.locator(`#${at}`);
  await figure.scrollIntoViewIfNeeded();
  await atRest(figure);
  const phase = page.locator('main figure').first().locator('[data-phase]').first();
  if ((await phase.count()) > 0)
    await page.waitForFunction(() => document.querySelector('main figure [data-phase]:not([data-phase="empty"])'), undefined, {
      timeout: 60000,
    });
  // Some figures stay empty until the first figure of the page has run.
  const run = page.locator('main figure').first().locator('[data-phase] button.primary:enabled').first();
  if (!(await figure.evaluate((one) => one === document.querySelector('main figure'))) && (await run.count()) > 0) {
    await run.click();
    await figure.scrollIntoViewIfNeeded();
  }
  let before = await atRest(figure);
  /** @type {string[]} */
  const silent = [];
  for (const kind of CONTROLS) {
    for (let i = 0; i < EACH; i++) {
      const control = figure.locator(kind).nth(i);
      if ((await control.count()) === 0 || !(await control.isVisible())) continue;
      const what = await operate(page, control);
      for (const end = Date.now() + ANSWER; Date.now() < end; await sleep(100)) if ((await shownBy(figure)) !== before) return what;
      silent.push(what);
      before = await atRest(figure);
    }
  }
  return assert.fail(`none of ${silent.join(', ')} changes the figure`);
}

describe('figures that show a topic of the lectures', { concurrency: 2 }, () => {
  /** @type {Map<string, string[]>} */
  const rows = new Map();
  for (const [n, row] of Object.entries(FIGURES))
    if ('page' in row) rows.set(`${row.page}#${row.at}`, [...(rows.get(`${row.page}#${row.at}`) ?? []), n]);
  for (const [place, all] of rows) {
    test(`${place} (shows ${all.join(', ')}) responds to a control`, (context) =>
      withPage(
        async (page) => {
          const [name, at] = place.split('#');
          context.diagnostic(`changed by ${await tried(page, name, at)}`);
        },
        { reducedMotion: 'reduce' },
      ));
  }
});

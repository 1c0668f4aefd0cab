// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests <next-pixel> with sound. The element is stopped, paused, changed, removed, or given invalid audio. None of these actions may cause
 * an unhandled error, and nothing may be reported afterwards.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { writeWav } from '../../web/lib/media/wav.js';
import { oneOf } from '../more.js';
import { openEmpty, provide, session } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session(['--autoplay-policy=no-user-gesture-required']);
const SOUND = writeWav(
  Float32Array.from({ length: 64000 }, (_, i) => 0.3 * Math.sin(i / 3)),
  8000,
);

/**
 * Opens a page with an element that continues eight seconds of audio. The browser treats the page as one on which the visitor has clicked.
 *
 * @param {Page} page
 * @param {string} [src]
 */
async function sounding(page, src = '/web/long.wav') {
  await openEmpty(page);
  await provide(page, '/web/long.wav', SOUND, { type: 'audio/wav' });
  await provide(page, '/web/none.wav', 'no sound at all', { type: 'audio/wav' });
  await page.mouse.click(300, 300);
  await page.evaluate(async (address) => {
    await import(/** @type {string} */ ('/web/dist/define.js'));
    const element = document.createElement('next-pixel');
    for (const [name, value] of Object.entries({
      id: 'it',
      model: '/weights/wavenet.gguf',
      task: 'complete',
      src: address,
      seconds: '0.4',
      seed: '1',
      controls: '',
    }))
      element.setAttribute(name, value);
    const heard = /** @type {string[]} */ ([]);
    Object.assign(globalThis, { heard });
    addEventListener('unhandledrejection', ({ reason }) => heard.push(`unhandled: ${reason}`));
    element.addEventListener('nx-error', (event) => {
      event.preventDefault();
      heard.push(`error ${/** @type {any} */ (event).error.code}`);
    });
    element.addEventListener('nx-end', () => heard.push('end'));
    document.body.replaceChildren(element);
    /** @type {any} */ (element).play();
  }, src);
}

/** @param {Page} page */
const status = (page) =>
  page.evaluate(() => /** @type {any} */ (document.getElementById('it')).shadowRoot.querySelector('[part=status]').textContent);
/** @param {Page} page */
const playing = (page) =>
  page.waitForFunction(() => /Playing \d/.test(/** @type {any} */ (document.getElementById('it')).shadowRoot.textContent));
/** @param {Page} page @returns {Promise<string[]>} */
const heard = (page) => page.evaluate(() => /** @type {any} */ (globalThis).heard);

for (const [i, [what, act, said]] of /** @type {[string, (element: any) => void, RegExp][]} */ ([
  ['stopped', (element) => element.stop(), /^Stopped$/],
  ['taken out', (element) => element.remove(), /./],
  ['given another model', (element) => element.setAttribute('model', '/weights/digits.gguf'), /./],
  ['changed to another task', (element) => element.setAttribute('task', 'generate'), /./],
]).entries()) {
  oneOf(i, 2)(`a playing element is ${what} without an error`, () =>
    withPage(async (page) => {
      await sounding(page);
      await playing(page);
      const element = await page.evaluateHandle(() => document.getElementById('it'));
      await element.evaluate(/** @type {any} */ (act));
      await page.waitForTimeout(600);
      const text = await element.evaluate((one) => one?.shadowRoot?.querySelector('[part=status]')?.textContent ?? '');
      if (what === 'stopped') assert.match(text, said);
      assert.deepEqual(
        (await heard(page)).filter((event) => /unhandled/.test(event)),
        [],
      );
    }),
  );
}

test('a paused element is silent, and resumes where it was', () =>
  withPage(async (page) => {
    await sounding(page);
    await playing(page);
    await page.evaluate(() => /** @type {any} */ (document.getElementById('it')).pause());
    await page.waitForTimeout(300);
    const paused = await status(page);
    assert.match(paused, /^Paused at/);
    await page.waitForTimeout(700);
    assert.equal(await status(page), paused);
    await page.evaluate(() => /** @type {any} */ (document.getElementById('it')).play());
    await playing(page);
    assert.deepEqual(await heard(page), []);
  }));

for (const [i, src] of ['/web/none.wav', '/web/missing.wav'].entries()) {
  oneOf(i, 2)(`a sound that cannot be read gives one error: ${src}`, () =>
    withPage(
      async (page) => {
        await sounding(page, src);
        await page.waitForFunction(() => /** @type {any} */ (globalThis).heard.length > 0);
        await page.waitForTimeout(400);
        assert.deepEqual(await heard(page), [src === '/web/none.wav' ? 'error format' : 'error network']);
        assert.doesNotMatch(await status(page), /Playing/);
      },
      { complains: true },
    ),
  );
}

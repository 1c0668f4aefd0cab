// SPDX-License-Identifier: MIT
// @ts-check

/** Tests <next-pixel> elements that play music. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { session } from './browser.js';
import { open } from './life.js';

/** @import { Given } from './life.js' */

const { withPage } = session(['--autoplay-policy=no-user-gesture-required']);

test(
  'if one of two tunes on a page is paused or stopped, the other continues; a paused tune resumes where it was',
  { timeout: 60000 },
  () =>
    withPage(async (page) => {
      await open(page);
      await page.mouse.click(300, 300);
      const out = await page.evaluate(async () => {
        const { make, heard, nap, until } = /** @type {Given} */ (/** @type {any} */ (globalThis));
        const tunes = ['1', '2'].map((seed) =>
          make({ model: '/weights/chorales.gguf', task: 'generate', bars: '2', tempo: '300', seed, controls: '' }),
        );
        const secondsOf = (/** @type {any} */ { shadowRoot }) =>
          Number(/Playing ([\d.]+)/.exec(shadowRoot.querySelector('.status').textContent)?.[1]);
        for (const tune of tunes) tune.play();
        await until(() => tunes.every((tune) => secondsOf(tune) > 0.2));
        const [one, other] = tunes;
        const at = secondsOf(one);
        one.pause();
        await heard(other, 'nx-end');
        await nap(500);
        one.play();
        await until(() => secondsOf(one) > 0);
        const on = secondsOf(one);
        await heard(one, 'nx-end');
        return { at, on };
      });
      assert.ok(out.on >= out.at && out.on < out.at + 0.6, `paused at ${out.at} s, resumed at ${out.on} s`);
    }),
);

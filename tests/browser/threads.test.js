// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that a model uses several threads if the page is cross-origin isolated, and one thread otherwise. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { llamaModel } from '../bench/language.js';
import { EMPTY, LIBRARY, session } from './browser.js';

const { withPage } = session();

const FILE = '/weights/llama.gguf';
const file = Buffer.from(llamaModel({ width: 192, blocks: 3, heads: 4, inner: 480, values: 1000, length: 512 }, 'q8_0'));
const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

/** @type {string} */
let expected;

for (const isolated of [false, true]) {
  test(isolated ? 'an isolated page has threads, and the same tokens' : 'another page has one', { timeout: 60000 }, () =>
    withPage(async (page) => {
      await page.context().route('**/*', async (route) => {
        const more = isolated ? ISOLATED : {};
        if (route.request().url().endsWith(FILE))
          return route.fulfill({ contentType: 'application/octet-stream', body: file, headers: more });
        if (route.request().url().endsWith(EMPTY))
          return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>empty</title>', headers: more });
        const response = await route.fetch();
        return route.fulfill({ response, headers: { ...response.headers(), ...more } });
      });
      await page.goto(EMPTY);
      assert.equal(await page.evaluate(() => crossOriginIsolated), isolated);
      const [threads, text] = await page.evaluate(
        async ([library, address]) => {
          const model = await (await import(library)).load(address, { threads: 3 });
          const told = await model.generate('abcdefgh', { seed: 3, maxTokens: 60 }).text();
          model.close();
          return [model.threads, told];
        },
        [LIBRARY, FILE],
      );
      assert.equal(threads, isolated ? 3 : 1);
      expected ??= text;
      assert.equal(text, expected);
    }),
  );
}

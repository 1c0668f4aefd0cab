// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that large files are passed to the engine during the download, and cached for the next visit only if they are valid. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toyText } from '../js/toy-text.js';
import { more } from '../more.js';
import { LIBRARY, openEmpty, session } from './browser.js';

const { withPage } = session();

const FILE = '/weights/large.gguf';
const large = Buffer.from(toyText({ d: 512, inner: 5120 }));
const broken = Buffer.from(large);
broken.fill(255, broken.length - 64, broken.length - 60); // turns the last weights into NaN

test('a large file is cached while it arrives, and the next visit works offline', { timeout: 120000 }, () =>
  withPage(
    async (page) => {
      let body = broken;
      let online = true;
      await page.route(`**${FILE}`, (route) =>
        online
          ? route.fulfill({
              contentType: 'application/octet-stream',
              body,
              headers: { ETag: `"${body === large}"`, 'Content-Length': String(body.length) },
            })
          : route.abort(),
      );
      await openEmpty(page);
      /** @returns {Promise<string>} */
      const tale = () =>
        page.evaluate(
          async ([library, file]) => {
            try {
              const model = await (await import(library)).load(file);
              const run = model.generate('ab', { seed: 3, maxTokens: 8, temperature: 1 });
              const text = await run.text();
              model.close();
              return text;
            } catch (error) {
              return /** @type {any} */ (error).code;
            }
          },
          [LIBRARY, FILE],
        );
      const kept = () => page.evaluate(async ([library]) => (await import(library)).cache.size(), [LIBRARY]);
      assert.equal(await tale(), 'numeric');
      assert.equal(await kept(), 0, 'an invalid file is not kept');
      body = large;
      const first = await tale();
      assert.notEqual(first, 'numeric');
      assert.equal(await kept(), large.length);
      online = false;
      assert.equal(await tale(), first, 'from the copy');
    },
    { complains: true },
  ),
);

more('if the browser does not keep a large file, as in a private window, the page says so', { timeout: 120000 }, () =>
  withPage(async (page) => {
    await page.addInitScript(() => {
      Cache.prototype.put = async (_, answer) => {
        // the cache behaves as in a private window of Chromium: files can be read, but there is no space to store any
        await /** @type {Response} */ (answer).arrayBuffer();
        throw new DOMException('Quota exceeded.', 'QuotaExceededError');
      };
    });
    await page.route(`**${FILE}`, (route) =>
      route.fulfill({
        contentType: 'application/octet-stream',
        body: large,
        headers: { ETag: '"1"', 'Content-Length': String(large.length) },
      }),
    );
    await openEmpty(page);
    const warnings = await page.evaluate(
      async ([library, file]) => {
        const model = await (await import(library)).load(file);
        const { warnings } = model.info;
        model.close();
        return warnings;
      },
      [LIBRARY, FILE],
    );
    assert.deepEqual(warnings, [
      `The browser did not keep this file of ${Math.round(large.length / 1e6)} MB: it has no room, or this is a private window. The next visit downloads it again`,
    ]);
  }),
);

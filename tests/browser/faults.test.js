// SPDX-License-Identifier: MIT
// @ts-check

/** Tests faults that visitors may meet: outdated cached files, stalled downloads, and workers that the browser terminates. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { toyModel } from '../js/toy.js';
import { LIBRARY, openEmpty, provide, session, until } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();

const FILE = '/weights/toy.gguf';
const toy = toyModel();
const slow = toyModel({ width: 256, height: 256, embedding: 64, feedForward: 256, queryBlock: 256, memoryBlock: 256 });
const integrity = `sha256-${createHash('sha256').update(toy).digest('base64')}`;

/** Stores a file in the cache as an old copy. @param {Page} page @param {string} text */
const put = (page, text) =>
  page.evaluate(
    async ([file, body]) => {
      const headers = { ETag: '"1"' }; // the current headers of the server, although the content is old
      await (await caches.open('nextpixel')).put(file, new Response(body, { headers }));
    },
    [FILE, text],
  );

/** @param {Page} page @param {object} options */
const loads = (page, options) =>
  page.evaluate(
    async ([library, file, given]) => {
      try {
        (await (await import(/** @type {string} */ (library))).load(file, given)).close();
        return 'loaded';
      } catch (error) {
        return /** @type {any} */ (error).code;
      }
    },
    /** @type {[string, string, any]} */ ([LIBRARY, FILE, options]),
  );

for (const [name, options] of /** @type {[string, object][]} */ ([
  ['does not open', {}],
  ['is not the expected one', { integrity }],
])) {
  test(`a cached copy that ${name} is dropped and fetched again, once`, () =>
    withPage(async (page) => {
      let requests = 0;
      let body = Buffer.from(toy);
      await page.route(`**${FILE}`, (route) => {
        requests++;
        return route.fulfill({ contentType: 'application/octet-stream', body, headers: { ETag: '"1"' } });
      });
      await openEmpty(page);
      await put(page, `GGUF${'x'.repeat(1000)}`);
      assert.equal(await loads(page, options), 'loaded');
      assert.equal(requests, 2, 'one request confirms the cached copy, and another fetches the file again');
      await until(
        page,
        async ([file, length]) =>
          (await (await (await caches.open('nextpixel')).match(/** @type {string} */ (file)))?.arrayBuffer())?.byteLength === length,
        [FILE, toy.length],
      );
      assert.equal(await loads(page, options), 'loaded');
      assert.equal(requests, 3, 'now the copy is valid');

      await put(page, `GGUF${'x'.repeat(1000)}`);
      body = Buffer.from('GGUF is no model');
      requests = 0;
      assert.ok(['format', 'unsupported', 'limit', 'integrity'].includes(await loads(page, options)));
      assert.equal(requests, 2, 'a file that is invalid on the server is not requested repeatedly');
    }));
}

/** Gives the test access to workers, so that the test can terminate workers, as a browser does when memory is short. @param {Page} page */
const graspWorkers = (page) =>
  page.addInitScript(() => {
    const all = /** @type {Worker[]} */ ([]);
    Object.assign(globalThis, { __workers: all });
    globalThis.Worker = class extends Worker {
      /** @param {string | URL} url @param {WorkerOptions} [options] */
      constructor(url, options) {
        super(url, options);
        all.push(this);
      }
    };
  });

test('a worker terminated from outside is noticed, and the next use starts another worker', { timeout: 60000 }, () =>
  withPage(async (page) => {
    await graspWorkers(page);
    await page.clock.install();
    await page.clock.resume();
    await provide(page, FILE, slow);
    await openEmpty(page);
    const first = page.evaluate(
      async ([library, file]) => {
        const model = await (await import(library)).load(file);
        Object.assign(globalThis, { model });
        let steps = 0;
        try {
          for await (const _ of model.generate({ seed: 1 })) if (++steps === 3) /** @type {any} */ (globalThis).__workers[0].terminate();
          return 'drawn';
        } catch (error) {
          return /** @type {any} */ (error).message;
        }
      },
      [LIBRARY, FILE],
    );
    await page.waitForFunction(() => /** @type {any} */ (globalThis).model);
    await page.waitForFunction(
      () =>
        new Promise((resolve) => {
          setTimeout(() => resolve(true), 500);
        }),
    );
    await page.clock.runFor(30000);
    assert.match(await first, /worker stopped: it has not answered for 20 seconds.*Start again/);
    const values = await page.evaluate(async () => {
      const values = [];
      for await (const step of /** @type {any} */ (globalThis).model.generate({ seed: 1, chunkSize: 20 })) {
        values.push(...step.values);
        if (values.length >= 40) break;
      }
      return { values, workers: /** @type {any} */ (globalThis).__workers.length };
    });
    assert.deepEqual([values.values.length, values.workers], [40, 2]);
  }),
);

test('a worker that is still working is not terminated', { timeout: 60000 }, () =>
  withPage(async (page) => {
    await page.clock.install();
    await page.clock.resume();
    await provide(page, FILE, slow);
    await openEmpty(page);
    const drawn = page.evaluate(
      async ([library, file]) => {
        const counts = Object.assign(/** @type {any} */ (globalThis), { steps: 0, enough: false });
        const model = await (await import(library)).load(file);
        for await (const _ of model.generate({ seed: 1, chunkSize: 20 })) {
          counts.steps++;
          if (counts.enough) break;
        }
        model.close();
        return 'drawn';
      },
      [LIBRARY, FILE],
    );
    for (let i = 0; i < 10; i++) {
      // the loop takes 40 seconds of the fake clock; every 4 seconds, it waits for a drawn step, so it also works on a slow machine
      const steps = await page.evaluate(() => /** @type {any} */ (globalThis).steps ?? 0);
      await until(page, async (n) => /** @type {any} */ (globalThis).steps > n, steps);
      await page.clock.runFor(4000);
    }
    await page.evaluate(() => {
      /** @type {any} */ (globalThis).enough = true;
    });
    assert.equal(await drawn, 'drawn');
  }),
);

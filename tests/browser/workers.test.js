// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests `workers: 'auto'` in a page: there are as many workers as `model.workers` reports, each of them gets work, and all other workers
 * are terminated.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { oneOf } from '../more.js';
import { LIBRARY, WAIT, WEIGHTS, everyPage, firstFigure, openEmpty, session, sleep } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();

/** The number of processors that the browser reports in the tests. */
const THREADS = 4;

/** Opens an empty page whose weights arrive so late that all workers can start before them. @param {Page} page */
async function open(page) {
  await page.route(`**${WEIGHTS}`, async (route) => {
    await sleep(500);
    await route.continue();
  });
  await page.addInitScript((threads) => {
    Object.defineProperty(navigator, 'hardwareConcurrency', { value: threads });
  }, THREADS);
  await openEmpty(page);
}

/** Waits until a page has this many workers. @param {Page} page @param {number} count */
async function has(page, count) {
  for (let i = 0; page.workers().length !== count && i < 60; i++) await sleep(50);
  assert.equal(page.workers().length, count);
}

/** Makes some workers' requests for their script fail. @param {Page} page @param {(worker: number) => boolean} refused  index from 0 */
async function refuse(page, refused) {
  let asked = 0;
  await page.route('**/worker.js', (route) => (refused(asked++) ? route.abort() : route.continue()));
  return () => asked;
}

/** Loads the digits model and stores it in a variable of the page. @param {Page} page */
const load = (page) =>
  page.evaluate(
    async ([library, weights]) => {
      const { load: open } = await import(library);
      const model = await open(weights, { workers: 'auto' });
      Object.assign(globalThis, { model });
      return /** @type {number} */ (model.workers);
    },
    [LIBRARY, WEIGHTS],
  );

/** Draws with this model, and closes it. @param {Page} page */
const draw = (page) =>
  page.evaluate(async () => {
    const { model } = /** @type {any} */ (globalThis);
    /** @type {number[][]} */
    const values = [[], [], [], [], []];
    for await (const step of model.generate({ samples: values.length, seed: 7 })) values[step.sample].push(...step.values);
    model.close();
    return values;
  });

/** The drawn values, which are the same with any number of workers. @type {number[][] | undefined} */
let expected;

test('workers that speed up the run are kept, and the other workers are ended', (context) =>
  withPage(async (page) => {
    const asked = await refuse(page, () => false);
    await open(page);
    const workers = await load(page);
    context.diagnostic(`${workers} of ${THREADS} workers`);
    assert.equal(asked(), THREADS);
    await has(page, workers);
    expected = await draw(page);
    assert.equal(new Set(expected.map(String)).size, 5, 'each sample has its own noise');
    await has(page, 0);
  }));

test('workers that cannot start are skipped', () =>
  withPage(
    async (page) => {
      await refuse(page, (worker) => worker > 0);
      await open(page);
      assert.equal(await load(page), 1);
      await has(page, 1);
      assert.deepEqual(await draw(page), expected);
      await has(page, 0);
    },
    { complains: true },
  ));

test('without the first worker there is no model', () =>
  withPage(
    async (page) => {
      await refuse(page, () => true);
      await open(page);
      await assert.rejects(load(page), /worker could not be started/);
      await has(page, 0);
    },
    { complains: true },
  ));

test('aborting ends all workers, at any time', () =>
  withPage(async (page) => {
    await open(page);
    for (const ms of [0, 20, 60, 100, 300]) {
      const reason = await page.evaluate(
        async ([library, wait]) => {
          const { load: open } = await import(library);
          const stopper = new AbortController();
          const loading = open(new Response(new ReadableStream()), { workers: 'auto', signal: stopper.signal });
          setTimeout(() => stopper.abort('enough'), wait);
          return loading.then(
            () => 'loaded',
            (/** @type {unknown} */ error) => error,
          );
        },
        /** @type {[string, number]} */ ([LIBRARY, ms]),
      );
      assert.equal(reason, 'enough');
      await has(page, 0);
    }
  }));

for (const [i, path] of (await everyPage()).entries()) {
  oneOf(i, 24)(`/web/${path} starts no worker that gets no work`, () =>
    withPage(
      async (page) => {
        await page.addInitScript(() => {
          /** The number of messages with work that each worker received. @type {number[]} */
          const work = [];
          const Native = Worker;
          globalThis.Worker = class extends Native {
            #index = work.push(0) - 1;
            /** @override @param {[any, any]} given */
            postMessage(...given) {
              if (given[0].type !== 'beat') work[this.#index]++;
              super.postMessage(...given);
            }
          };
          Object.assign(globalThis, { work });
        });
        await page.goto(`/web/${path}`);
        await firstFigure(page).waitFor(WAIT);
        await page.waitForFunction(() => /** @type {any} */ (globalThis).work.every(Boolean), undefined, { timeout: 10000 });
      },
      { reducedMotion: 'reduce' },
    ),
  );
}

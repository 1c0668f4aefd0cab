// SPDX-License-Identifier: MIT
// Measures times in Node and in headless Chromium. In Node, the script runs the digits model. In Chromium, it loads the front page of the
// demo and measures each part of the time from navigation to the first drawn pixel. For comparison, it also loads a page that only paints.
// Then it times a language model, a translation and an enlargement in Chromium.
//
//   npm run measure [--json]
//
// The figures are medians over interleaved rounds. Times vary between runs, so compare only figures of the same run.
// @ts-check
import './quiet.js';
import { fileURLToPath } from 'node:url';

import { launch, openEmpty } from '../browser/browser.js';
import { load } from '../../web/lib/index.js';
import { serve } from '../../web/tools/serve.js';
import { serve as serveFolders } from './server.js';

/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

/** @param {number[]} x */
const median = (x) => [...x].sort((a, b) => a - b)[x.length >> 1];

const ROUNDS = 9;
/** The driver waits this many milliseconds before it asks a page for its times. The wait is necessary because the driver's first request
 * blocks the page for 10 ms. */
const WAIT_MS = 1000;
/** Number of tokens of a story: the whole context. */
const TOKENS = 480;
/** A sentence of twelve words. */
const SENTENCE = 'Ein kleines Mädchen klettert in ein Spielhaus aus Holz im großen Garten.';
const model = /** @type {AnyModel} */ (await load(new URL('../../weights/digits.gguf', import.meta.url)));
const { width, height } = model.info;
const blank = { data: new Uint8Array(width * height), width, height };

/** Returns the milliseconds of a run, and the number of pixels per sample. @param {number} samples @param {number} rows */
async function run(samples, rows) {
  const started = performance.now();
  let pixels = 0;
  for await (const step of model.complete(blank, { rows, samples, seed: 7 })) pixels += step.values.length;
  return { ms: performance.now() - started, pixels: pixels / samples };
}

/** @type {Record<string, number[]>} */
const times = { one: [], three: [], half: [], score: [] };
await run(3, 0);
for (let round = 0; round < ROUNDS; round++) {
  const one = await run(1, 0),
    three = await run(3, 0),
    half = await run(1, height / 2);
  times.one.push(one.ms / one.pixels);
  times.three.push(three.ms / three.pixels);
  times.half.push(half.ms);
  const started = performance.now();
  await model.score(blank);
  times.score.push((performance.now() - started) / (width * height));
}
model.close();

const server = await serve({ port: 0 });
const bare = await serveFolders({ tests: fileURLToPath(new URL('..', import.meta.url)) });
const browser = await launch();
/** The time at which each part of a page became available, in milliseconds since the visit began. Each list has one time per round.
 * @type {Record<'cold' | 'warm', Record<string, number[]>>} */
const first = { cold: {}, warm: {} };
let requests = 1;
let bytes = 0;

/**
 * Waits until the page has set its performance mark `first-pixel`. Returns the times at which the parts of the page became available.
 *
 * @param {import('playwright-core').Page} page
 * @returns {Promise<Record<string, number>>}
 */
async function timesOf(page) {
  await page.waitForFunction(() => performance.getEntriesByName('first-pixel').length > 0);
  return page.evaluate(() => {
    const [navigation] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
    const files = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType('resource'));
    const last = (/** @type {RegExp} */ name) => Math.max(0, ...files.filter((one) => name.test(one.name)).map((one) => one.responseEnd));
    return {
      html: navigation.responseEnd,
      script: last(/page-front\.js$/),
      wasm: last(/\.wasm$/),
      weights: last(/\.gguf$/),
      painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      pixel: performance.getEntriesByName('first-pixel')[0].startTime,
    };
  });
}

for (let round = 0; round < ROUNDS; round++) {
  const context = await browser.newContext(); // a new context has empty caches
  const page = await context.newPage();
  // The third visit counts as warm. The second visit is not recorded, because it is the first visit that the service worker controls.
  for (const visit of /** @type {const} */ (['cold', 'second', 'warm'])) {
    await page.goto(`${bare.url}tests/bench/pages/paint.html`);
    const { pixel: paints } = await timesOf(page);
    await page.goto(`${server.url}web/`);
    await page.waitForTimeout(WAIT_MS);
    const times = { ...(await timesOf(page)), paints };
    if (visit !== 'second') for (const [what, ms] of Object.entries(times)) (first[visit][what] ??= []).push(ms);
    if (visit === 'cold' && round === 0) {
      await page.waitForTimeout(1000); // wait for the rest of the first screen
      for (const entry of await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .map((one) => ({ name: one.name, bytes: /** @type {PerformanceResourceTiming} */ (one).decodedBodySize })),
      )) {
        requests++;
        if (!entry.name.endsWith('.gguf')) bytes += entry.bytes;
      }
    }
    await page.waitForFunction(async () => (await caches.open('nextpixel-page')).match('/web/dist/worker.js'));
    await page.goto('about:blank'); // leaves the page, so its work does not delay the next visit
  }
  await context.close();
}
/**
 * Times of the library in an empty page, with the library's files in the browser's cache:
 * - load: the time to load the model
 * - pass: the time from the call to the first pixel of a digit
 *
 * @type {{ load: number[], pass: number[] }}
 */
const alone = { load: [], pass: [] };
{
  const page = await (await browser.newContext({ baseURL: server.url })).newPage();
  for (let round = -1; round < ROUNDS; round++) {
    // the first visit fills the cache
    await openEmpty(page);
    const { opened, drawn } = await page.evaluate(async (rows) => {
      const { load: open } = await import(/** @type {string} */ ('/web/dist/nextpixel.js'));
      const started = performance.now(),
        digits = await open('/weights/digits.gguf'),
        there = performance.now();
      const picture = {
        data: new Uint8Array(digits.info.width * digits.info.height),
        width: digits.info.width,
        height: digits.info.height,
      };
      for await (const _ of digits.complete(picture, { rows, samples: 1, seed: 7 })) break;
      const done = performance.now();
      digits.close();
      return { opened: there - started, drawn: done - there };
    }, height / 2);
    if (round < 0) continue;
    alone.load.push(opened);
    alone.pass.push(drawn);
  }
}
/** @type {{ first: number[], rate: number[] }} */
const tokens = { first: [], rate: [] };
for (let round = 0; round < ROUNDS; round++) {
  const context = await browser.newContext({ baseURL: server.url });
  const page = await context.newPage();
  await page.goto(`${server.url}web/pages/tokens/`);
  await page.waitForFunction(() => performance.getEntriesByName('first-token').length > 0);
  tokens.first.push(await page.evaluate(() => performance.getEntriesByName('first-token')[0].startTime));
  await openEmpty(page);
  tokens.rate.push(
    await page.evaluate(async (count) => {
      const { load: open } = await import(/** @type {string} */ ('/web/dist/nextpixel.js'));
      const teller = await open('/weights/stories.gguf');
      let [told, started] = [0, 0];
      for await (const _ of teller.generate('Once upon a time', {
        seed: 1,
        temperature: 0.8,
        maxTokens: count,
        logitBias: { [teller.tokenizer.end]: -Infinity },
      })) {
        if (told++ === 0) started = performance.now();
      }
      const rate = (1000 * (told - 1)) / (performance.now() - started);
      teller.close();
      return rate;
    }, TOKENS),
  );
  await context.close();
}
/** @type {{ greedy: number[], beams: number[] }} */
const translation = { greedy: [], beams: [] };
{
  const page = await (await browser.newContext({ baseURL: server.url })).newPage();
  await openEmpty(page);
  for (const [name, beams] of /** @type {const} */ ([
    ['greedy', 1],
    ['beams', 4],
  ])) {
    translation[name].push(
      ...(await page.evaluate(
        async ([sentence, count, rounds]) => {
          const { load: open } = await import(/** @type {string} */ ('/web/dist/nextpixel.js'));
          const translator = await open('/weights/de-en.gguf');
          const all = [];
          for (let round = -1; round < Number(rounds); round++) {
            // the first run is not measured: code is still compiled and caches are empty
            const started = performance.now();
            await translator.translate(sentence, { beams: count }).text();
            if (round >= 0) all.push(performance.now() - started);
          }
          translator.close();
          return all;
        },
        /** @type {[string, number, number]} */ ([SENTENCE, beams, 3 * ROUNDS]),
      )),
    );
  }
}
/** @type {number[]} */
let enlargements;
{
  const page = await (await browser.newContext({ baseURL: server.url })).newPage();
  await openEmpty(page);
  enlargements = await page.evaluate(async (rounds) => {
    const { load: open } = await import(/** @type {string} */ ('/web/dist/nextpixel.js'));
    const enlarger = await open('/weights/emoji-sr.gguf');
    const { inputWidth, inputHeight } = enlarger.info;
    const small = new ImageData(inputWidth, inputHeight); // the pixels have different colours; none is white
    for (let i = 0; i < small.data.length; i++) small.data[i] = i % 4 === 3 ? 255 : (i * 37) % 220;
    const all = [];
    for (let round = -1; round < rounds; round++) {
      // the first run is not measured: code is still compiled and caches are empty
      const started = performance.now();
      await enlarger.superResolve(small, { seed: 1 }).pictures();
      if (round >= 0) all.push(performance.now() - started);
    }
    enlarger.close();
    return all;
  }, 2 * ROUNDS);
}
await browser.close();
await server.close();
await bare.close();

/** Returns the median of each list of times. @param {Record<string, number[]>} visit @returns {Record<string, number>} */
const medians = (visit) => Object.fromEntries(Object.entries(visit).map(([what, times]) => [what, median(times)]));
const cold = medians(first.cold),
  warm = medians(first.warm);

const result = {
  millisecondsPerPixel: median(times.one),
  millisecondsPerPixelOfThree: median(times.three),
  millisecondsPerPixelScored: median(times.score),
  lowerHalfMilliseconds: median(times.half),
  pageToFirstPixelMilliseconds: cold.pixel,
  pageToFirstPixelWarmMilliseconds: warm.pixel,
  beyondAPageThatPaintsMilliseconds: { cold: cold.pixel - cold.paints, warm: warm.pixel - warm.paints },
  visits: { cold, warm },
  loadMilliseconds: median(alone.load),
  firstPassMilliseconds: median(alone.pass),
  pageToFirstTokenMilliseconds: median(tokens.first),
  tokensPerSecond: median(tokens.rate),
  translationMilliseconds: median(translation.greedy),
  translationWithBeamsMilliseconds: median(translation.beams),
  enlargementMilliseconds: median(enlargements),
  pageRequests: requests,
  pageKilobytesWithoutWeights: bytes / 1024,
};
if (process.argv.includes('--json')) console.log(JSON.stringify(result));
else {
  console.log(`one sample:            ${result.millisecondsPerPixel.toFixed(3)} ms a pixel`);
  console.log(`three samples at once: ${result.millisecondsPerPixelOfThree.toFixed(3)} ms for a pixel of each`);
  console.log(`known pixels, scored:  ${result.millisecondsPerPixelScored.toFixed(3)} ms a pixel`);
  console.log(`lower half of a digit: ${result.lowerHalfMilliseconds.toFixed(0)} ms from the call to the last of 392 pixels`);
  console.log(
    `page open to the first drawn pixel: ${result.pageToFirstPixelMilliseconds.toFixed(0)} ms (Chromium, local server, empty cache)`,
  );
  console.log(`the same, third visit:              ${result.pageToFirstPixelWarmMilliseconds.toFixed(0)} ms (caches filled)`);
  for (const [visit, { html, script, wasm, weights, painted, pixel, paints }] of Object.entries({
    'empty cache': cold,
    'third visit': warm,
  })) {
    console.log(
      `  ${visit}: HTML there at ${html.toFixed(0)}, scripts ${script.toFixed(0)}, wasm ${wasm.toFixed(0)}, weights ${weights.toFixed(0)}, something painted ${painted.toFixed(0)}, first drawn pixel ${pixel.toFixed(0)} ms; ` +
        `${(pixel - paints).toFixed(0)} ms after a page that only paints, which takes ${paints.toFixed(0)}`,
    );
  }
  console.log(
    `the library in an empty page, files in the cache: ${result.loadMilliseconds.toFixed(0)} ms until the model is loaded (worker, compilation, weights), ${result.firstPassMilliseconds.toFixed(0)} from the call to the first pixel`,
  );
  console.log(`the page of tokens, open to the first token: ${result.pageToFirstTokenMilliseconds.toFixed(0)} ms (empty cache)`);
  console.log(`its model in Chromium, one worker:           ${result.tokensPerSecond.toFixed(0)} tokens a second`);
  console.log(
    `a sentence of twelve words, translated: ${result.translationMilliseconds.toFixed(1)} ms, with four beams ${result.translationWithBeamsMilliseconds.toFixed(1)} ms (Chromium, one worker)`,
  );
  console.log(`an emoji enlarged from 8x8 to 32x32 pixels: ${result.enlargementMilliseconds.toFixed(0)} ms (Chromium, one worker)`);
  console.log(
    `its first screen: ${result.pageRequests} requests, ${result.pageKilobytesWithoutWeights.toFixed(0)} KB without the weights, uncompressed`,
  );
}

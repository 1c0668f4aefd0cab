// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the library inside a page with a strict content security policy: loading, streaming, stopping and errors. The results must have the
 * same bytes as in Node.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { toyModel } from '../js/toy.js';
import { LIBRARY, OUT, WEIGHTS, decode, openEmpty, provide, session } from './browser.js';

/** @import { Page } from 'playwright-core' */
/** @import { AttentionMap } from '../../web/lib/index.js' */

const { withPage } = session();

const digitsFile = await readFile(fileURLToPath(new URL('../../weights/digits.gguf', import.meta.url)));
const strip = await readFile(fileURLToPath(new URL('../../web/pictures/digits.bin', import.meta.url)));
/** The first image of a 7 in the test set of digits. */
const seven = [...strip.subarray(16 + 28 * 784, 16 + 29 * 784)];

/** A random model that takes seconds to draw a picture, so that there is time to stop. */
const SLOW = '/weights/slow.gguf';
const slow = toyModel({ width: 256, height: 256, embedding: 64, feedForward: 256, queryBlock: 256, memoryBlock: 256 });

/**
 * Runs a function (lib, args) => result in an empty page.
 *
 * @template A, R
 * @param {string} name
 * @param {A} args
 * @param {(lib: any, args: A) => Promise<R>} script  executed in the page, without access to variables of this file
 * @param {(result: R, page: Page) => Promise<void> | void} check
 * @param {{ prepare?: (page: Page) => Promise<void>, complains?: boolean }} [options]
 */
function inPage(name, args, script, check, { prepare = async () => {}, complains } = {}) {
  test(name, () =>
    withPage(
      async (page) => {
        await provide(page, SLOW, slow);
        await prepare(page);
        await openEmpty(page);
        const lib = await page.evaluateHandle((address) => import(address), LIBRARY);
        const run = /** @type {any} */ (await page.evaluateHandle(`(${script})`));
        const result = await page.evaluate(([work, module, values]) => work(module, values), /** @type {any} */ ([run, lib, args]));
        await check(result, page);
      },
      { complains },
    ),
  );
}

inPage(
  'load with progress',
  WEIGHTS,
  async ({ load: open }, weights) => {
    /** @type {{ loaded: number, total: number }[]} */
    const seen = [];
    const model = await open(weights, {
      onProgress: (/** @type {any} */ progress) => void (progress.phase === 'connect' || seen.push(progress)),
    });
    const { info } = model;
    model.close();
    return { seen, info };
  },
  ({ seen, info }) => {
    assert.ok(seen.length > 0);
    assert.ok(seen.every(({ loaded, total }, i) => total === digitsFile.length && loaded >= (seen[i - 1]?.loaded ?? 0)));
    assert.equal(seen.at(-1)?.loaded, digitsFile.length);
    assert.equal(info.bytes, digitsFile.length);
    assert.deepEqual([info.width, info.height, info.channels, info.classes.length], [28, 28, 1, 10]);
  },
);

inPage(
  'steps arrive in order, on request; break stops the run',
  { slow: SLOW },
  async ({ load: open }, args) => {
    const model = await open(args.slow);
    const steps = model.generate({ samples: 2, seed: 1, chunkSize: 50 });
    const seen = [];
    const began = performance.now();
    for await (const { sample, from, to, values, nats } of steps) {
      seen.push([sample, from, to, values.length, nats.length]);
      if (seen.length === 6) break;
    }
    const whole = ((performance.now() - began) / 300) * 2 * 65536;
    // The worker is free immediately: it answers a small request long before the picture would have been drawn.
    const start = performance.now();
    const two = await model.generate({ chunkSize: 2, seed: 1 })[Symbol.asyncIterator]().next();
    const answer = performance.now() - start;
    model.close();
    return { seen, share: answer / whole, two: two.value.values.length };
  },
  ({ seen, share, two }) => {
    assert.deepEqual(seen, [
      [0, 0, 50, 50, 50],
      [1, 0, 50, 50, 50],
      [0, 50, 100, 50, 50],
      [1, 50, 100, 50, 50],
      [0, 100, 150, 50, 50],
      [1, 100, 150, 50, 50],
    ]);
    assert.equal(two, 2);
    assert.ok(share < 0.05, `${share} of the time of the image`);
  },
);

inPage(
  'abort before, during and after a run; close during a run',
  { slow: SLOW, weights: WEIGHTS },
  async ({ load: open }, args) => {
    /** @param {Promise<unknown>} promise */
    const outcome = (promise) =>
      promise.then(
        () => 'fulfilled',
        (error) => (error.name === 'NextPixelError' ? error.code : error.name),
      );
    /** @param {AsyncIterable<unknown>} run @param {() => void} [onStep] */
    const read = async (run, onStep = () => {}) => {
      for await (const _ of run) onStep();
    };
    /** @type {Record<string, string>} */
    const results = {};
    results['load, before'] = await outcome(open(args.weights, { signal: AbortSignal.abort() }));
    const loading = new AbortController();
    const opening = outcome(open(args.weights, { signal: loading.signal, onProgress: () => loading.abort() }));
    results['load, during'] = await opening;

    const model = await open(args.slow);
    results['run, before'] = await outcome(read(model.generate({ signal: AbortSignal.abort() })));
    const between = new AbortController();
    let [after, pixels] = [0, 0];
    results['run, at a step'] = await outcome(
      read(model.generate({ signal: between.signal }), () => {
        if (between.signal.aborted) after++;
        between.abort();
      }),
    );
    results['steps after the abort'] = String(after);
    const within = new AbortController();
    const pace = performance.now();
    for await (const { values } of model.generate({ chunkSize: 100 })) {
      pixels += values.length;
      if (pixels >= 400) break;
    }
    const drawing = ((performance.now() - pace) / pixels) * 65536; // the time that a whole picture would take
    const whole = outcome(read(model.generate({ signal: within.signal, chunkSize: 65536 })));
    await new Promise((resolve) => setTimeout(resolve, 100));
    within.abort();
    const start = performance.now();
    results['run, within a chunk'] = await whole;
    results['within a chunk, immediately'] = String(performance.now() - start < drawing / 10);

    const running = outcome(read(model.generate()));
    const second = outcome(read(model.generate()));
    await new Promise((resolve) => setTimeout(resolve, 50));
    model.close();
    results['close, a run'] = await running;
    results['close, another run'] = await second;
    results['closed'] = await outcome((async () => read(model.generate()))());
    model.close();

    const small = await open(args.weights);
    const late = new AbortController();
    results['run, after'] = await outcome(
      read(small.complete({ data: new Uint8Array(784), width: 28, height: 28 }, { rows: 27, signal: late.signal })),
    );
    late.abort();
    results['then another'] = await outcome(read(small.complete({ data: new Uint8Array(784), width: 28, height: 28 }, { rows: 27 })));
    small.close();
    return results;
  },
  (results) => {
    assert.deepEqual(results, {
      'load, before': 'AbortError',
      'load, during': 'AbortError',
      'run, before': 'AbortError',
      'run, at a step': 'AbortError',
      'steps after the abort': '0',
      'run, within a chunk': 'AbortError',
      'within a chunk, immediately': 'true',
      'close, a run': 'closed',
      'close, another run': 'closed',
      closed: 'closed',
      'run, after': 'fulfilled',
      'then another': 'fulfilled',
    });
  },
);

inPage(
  'two concurrent runs do not affect each other',
  { weights: WEIGHTS, seven },
  async ({ load: open }, { weights, seven: data }) => {
    const model = await open(weights);
    const image = { data, width: 28, height: 28 };
    /** @param {number} seed @param {number} chunkSize */
    const draw = async (seed, chunkSize) => {
      const drawn = [];
      for await (const { values } of model.complete(image, { rows: 20, seed, chunkSize })) drawn.push(...values);
      return drawn.join();
    };
    const alone = [await draw(1, 28), await draw(2, 28)];
    const together = await Promise.all([draw(1, 3), draw(2, 5), model.score(image), model.attention(image, { row: 9, column: 9 })]);
    const apart = await Promise.all([open(weights), open(weights)]);
    for (const other of apart) other.close();
    model.close();
    return { alone, together: together.slice(0, 2) };
  },
  ({ alone, together }) => {
    assert.deepEqual(together, alone);
    assert.notEqual(alone[0], alone[1]);
  },
);

inPage(
  'a model that cannot be loaded gives an error with the reason',
  null,
  async ({ load: open, NextPixelError }) => {
    /** @type {Record<string, [string, boolean]>} */
    const results = {};
    for (const [name, url] of Object.entries({
      missing: '/weights/none.gguf',
      page: '/web/index.html',
      other: '/web/pictures/seven.png',
      truncated: '/weights/truncated.gguf',
      'not allowed by the policy': 'https://example.invalid/digits.gguf',
    })) {
      results[name] = await open(url).then(
        () => ['loaded', false],
        (/** @type {any} */ error) => [error.code, error instanceof NextPixelError && error.message.length > 20],
      );
    }
    const model = await open('/weights/digits.gguf'); // checks that a valid file still loads after all these failures
    model.close();
    return results;
  },
  (results) => {
    assert.deepEqual(results, {
      missing: ['network', true],
      page: ['format', true],
      other: ['format', true],
      truncated: ['format', true],
      'not allowed by the policy': ['network', true],
    });
  },
  { prepare: (page) => provide(page, '/weights/truncated.gguf', digitsFile.subarray(0, digitsFile.length - 1000)), complains: true },
);

test('the same seed gives the same bits in Chromium and in Node', () =>
  withPage(async (page) => {
    const image = { data: seven, width: 28, height: 28 };
    const settings = { rows: 10, samples: 3, seed: 123456789, temperature: 0.9, topP: 0.97, chunkSize: 17 };
    await openEmpty(page);
    const inChromium = await page.evaluate(
      async ({ library, weights, picture, options }) => {
        const { load: open } = await import(library);
        const model = await open(weights);
        /** @type {number[]} */
        const bytes = [];
        for await (const { sample, from, to, values, nats } of model.complete(picture, options)) {
          bytes.push(
            sample,
            from & 255,
            from >> 8,
            to & 255,
            to >> 8,
            ...values,
            ...new Uint8Array(nats.buffer, nats.byteOffset, nats.byteLength),
          );
        }
        const { perElement } = await model.score(picture, { label: '7' });
        const maps = await model.attention(picture, { row: 20, column: 12 });
        bytes.push(
          ...new Uint8Array(perElement.buffer),
          ...maps.flatMap((/** @type {AttentionMap} */ map) => [...new Uint8Array(map.weights.buffer)]),
        );
        model.close();
        return [...new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(bytes)))]
          .map((b) => b.toString(16).padStart(2, '0'))
          .join('');
      },
      { library: LIBRARY, weights: WEIGHTS, picture: image, options: settings },
    );

    const hash = createHash('sha256');
    const model = await load(new Uint8Array(digitsFile));
    for await (const { sample, from, to, values, nats } of model.complete(image, settings)) {
      hash.update(Uint8Array.of(sample, from & 255, from >> 8, to & 255, to >> 8)).update(values);
      hash.update(new Uint8Array(nats.buffer, nats.byteOffset, nats.byteLength));
    }
    hash.update(new Uint8Array((await model.score(image, { label: '7' })).perElement.buffer));
    for (const { weights } of await model.attention(image, { row: 20, column: 12 })) hash.update(new Uint8Array(weights.buffer));
    model.close();
    const inNode = hash.digest('hex');
    console.log(`seed ${settings.seed}: sha256 ${inNode}`);
    assert.equal(inChromium, inNode);
  }));

test('drawTo shows the values, pixel by pixel', () =>
  withPage(async (page) => {
    await openEmpty(page);
    const SCALE = 8;
    const expected = await page.evaluate(
      async ({ library, weights, picture, scale }) => {
        const { load: open } = await import(library);
        const canvases = [0, 1].map(() => document.createElement('canvas'));
        for (const canvas of canvases) {
          Object.assign(canvas.style, { width: `${28 * scale}px`, imageRendering: 'pixelated' });
          document.body.append(canvas);
        }
        const model = await open(weights);
        const image = { data: picture, width: 28, height: 28 };
        await model.complete(image, { rows: 14, samples: 2, seed: 7 }).drawTo(canvases);
        const drawn = [[], []].map(() => [...Uint8Array.from(picture, (v) => Math.round(Math.round(v / 17) * 17)).subarray(0, 392)]);
        for await (const { sample, values } of model.complete(image, { rows: 14, samples: 2, seed: 7 })) drawn[sample].push(...values);
        model.close();
        return drawn;
      },
      { library: LIBRARY, weights: WEIGHTS, picture: seven, scale: SCALE },
    );
    for (const [sample, values] of expected.entries()) {
      const shot = await page
        .locator('canvas')
        .nth(sample)
        .screenshot(sample === 0 ? { path: `${OUT}draw-to.png` } : {});
      const picture = await decode(page, shot);
      assert.equal(values.length, 784);
      for (let i = 0; i < 784; i++) {
        const colour = picture.at(((i % 28) + 0.5) * SCALE, (Math.floor(i / 28) + 0.5) * SCALE);
        assert.deepEqual(colour, [values[i], values[i], values[i]], `sample ${sample}, pixel ${i}`);
      }
    }
  }));

test('pictures in Display P3 and with Float16 pixels are converted', () =>
  withPage(async (page) => {
    await provide(page, WEIGHTS, digitsFile);
    await openEmpty(page);
    const seen = await page.evaluate(async (address) => {
      const { pictureOf } = await import(address);
      const shape = { width: 4, height: 4, channels: 3 };
      const plain = new ImageData(
        Uint8ClampedArray.from({ length: 64 }, (_, i) => (i % 4 === 3 ? 255 : (37 * i) % 200)),
        4,
        4,
      );
      /** Returns the colours of a canvas in a given colour space. These colours must be unchanged. @param {any} settings */
      const as = (settings) => {
        const canvas = new OffscreenCanvas(4, 4);
        const context = /** @type {OffscreenCanvasRenderingContext2D} */ (
          canvas.getContext('2d', { colorSpace: settings.colorSpace ?? 'srgb' })
        );
        context.putImageData(plain, 0, 0);
        return context.getImageData(0, 0, 4, 4, settings);
      };
      /** @param {any} image @returns {number[]} */
      const read = (image) => [...pictureOf(image, shape)];
      const wide = as({ colorSpace: 'display-p3' });
      const half = typeof (/** @type {any} */ (globalThis).Float16Array) === 'function' ? as({ pixelFormat: 'rgba-float16' }) : undefined;
      const isHalf = half !== undefined && Object.prototype.toString.call(half.data) === '[object Float16Array]';
      return {
        plain: read(plain),
        wide: read(wide),
        raw: [...wide.data].filter((_, i) => i % 4 < 3),
        half: isHalf ? read(half) : undefined,
      };
    }, '/web/lib/media/image.js');
    const far = (/** @type {number[]} */ a) => Math.max(...a.map((value, i) => Math.abs(value - seen.plain[i])));
    assert.ok(far(seen.raw) > 8, 'the same colours have other values in that colour space');
    assert.ok(far(seen.wide) <= 2, `${seen.wide} is ${seen.plain}`);
    if (seen.half) assert.ok(far(seen.half) <= 1, `${seen.half} is ${seen.plain}`);
  }));

test('a video gives its current frame, and a VideoFrame its own frame; a video without a frame gives a message', () =>
  withPage(async (page) => {
    await provide(page, WEIGHTS, digitsFile);
    await openEmpty(page);
    const seen = await page.evaluate(async (address) => {
      const { pictureOf } = await import(address);
      const shape = { width: 4, height: 4, channels: 3 };
      const canvas = Object.assign(document.createElement('canvas'), { width: 256, height: 256 });
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
      for (let i = 0; i < 16; i++) {
        context.fillStyle = `rgb(${15 * i}, ${15 * i}, ${255 - 15 * i})`;
        context.fillRect(64 * (i % 4), 64 * (i >> 2), 64, 64);
      }
      const video = Object.assign(document.createElement('video'), { muted: true, srcObject: canvas.captureStream(30) });
      const before = (() => {
        try {
          pictureOf(video, shape);
          return '';
        } catch (error) {
          return /** @type {Error} */ (error).message;
        }
      })();
      const loaded = new Promise((resolve) => video.addEventListener('loadeddata', resolve, { once: true }));
      void video.play();
      await loaded;
      const frame = new VideoFrame(canvas, { timestamp: 0 });
      /** @param {any} image @returns {number[]} */
      const read = (image) => [...pictureOf(image, shape)];
      const found = { before, canvas: read(canvas), video: read(video), frame: read(frame) };
      frame.close();
      return found;
    }, '/web/lib/media/image.js');
    const far = (/** @type {number[]} */ a) => Math.max(...a.map((value, i) => Math.abs(value - seen.canvas[i])));
    assert.match(seen.before, /shows no frame yet: await its event loadeddata/);
    assert.ok(far(seen.video) <= 6, `${seen.video} is ${seen.canvas}`); // a video has fewer colour steps
    assert.ok(far(seen.frame) <= 6, `${seen.frame} is ${seen.canvas}`);
  }));

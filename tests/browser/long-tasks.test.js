// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Measures the longest task of the page's own thread while a model processes the largest input that it accepts, because a page must not
 * freeze while somebody reads it, scrolls or types. The measure is the thread's processor time, which does not depend on other programs.
 */

import assert from 'node:assert/strict';

import { oneOf } from '../more.js';
import { LIBRARY, SHELL, openEmpty, session } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();

/**
 * A task longer than this is noticeable. In the headless shell, which runs in parallel with other steps, the limit is half as high again.
 */
const MOST_MS = SHELL ? 75 : 50;

/**
 * An event of a trace; times are in microseconds.
 *
 * @typedef {{ name: string, ph: string, pid: number, tid: number, tdur?: number, args: any }} Traced
 */

/**
 * Returns the longest task of the page's main thread during an action.
 *
 * @param {Page} page
 * @param {() => Promise<void>} work
 */
async function longest(page, work) {
  const session = await page.context().newCDPSession(page);
  /** @type {Traced[]} */
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => void events.push(.../** @type {any[]} */ (value)));
  const complete = new Promise((resolve) => {
    session.once('Tracing.tracingComplete', () => resolve(undefined));
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'] },
  });
  try {
    await work();
  } finally {
    await session.send('Tracing.end');
    await complete;
  }
  const mains = events
    .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
    .map(({ pid, tid }) => `${pid} ${tid}`);
  const tasks = events.filter(({ name, ph, pid, tid }) => ph === 'X' && /RunTask$/.test(name) && mains.includes(`${pid} ${tid}`));
  assert.ok(tasks.length > 0, 'the trace has tasks');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

/**
 * The requests, each with its model: (model, make) => promise.
 *
 * @type {Record<string, { weights: string, ask: (model: any, make: any) => Promise<unknown>, code?: string }>}  code: code of
 *   the expected error
 */
const ASKED = {
  'a photograph completed': {
    weights: 'cifar10',
    ask: async (model, make) => model.complete(await make.photograph(), { rows: 31, seed: 1 }).pictures(),
  },
  'a photograph enlarged': {
    weights: 'cifar10-sr',
    ask: async (model, make) => {
      for await (const step of model.superResolve(await make.photograph(), { seed: 1 })) return step;
    },
  },
  'a canvas of the largest size, scored': { weights: 'digits', ask: async (model, make) => model.score(make.canvas(8192, 8192)) },
  'a canvas of the largest size, captioned': {
    weights: 'captions',
    ask: async (model, make) => model.caption(make.canvas(8192, 8192)).text(),
  },
  'a canvas of the largest size, aborted': {
    weights: 'digits',
    code: 'enough',
    ask: async (model, make) => {
      const stopper = new AbortController();
      const canvas = make.canvas(8192, 8192);
      setTimeout(() => stopper.abort(Object.assign(new Error('enough'), { code: 'enough' })), 50);
      return model.score(canvas, { signal: stopper.signal });
    },
  },
  'signs as photographs': {
    weights: 'snail-omniglot',
    ask: async (model, make) => {
      const [a, b, query] = [make.canvas(2000, 1500), make.canvas(1500, 2000), make.canvas(1600, 1600)];
      return model.classify(query, {
        support: [
          { image: a, label: 'a' },
          { image: b, label: 'b' },
        ],
      });
    },
  },
  'a minute of sound, encoded, which is too long': {
    weights: 'jukebox-codes',
    code: 'argument',
    ask: async (model, make) => model.encode(make.sound(60, 48000, 2)),
  },
  'seconds of sound at a rate with no common factor, encoded': {
    weights: 'jukebox-codes',
    ask: async (model, make) => model.encode(make.sound(4, 44101, 2)),
  },
  'a minute of sound at 192 kHz, aborted': {
    weights: 'wavenet',
    code: 'enough',
    ask: async (model, make) => {
      const stopper = new AbortController();
      const sound = make.sound(60, 192000, 2);
      setTimeout(() => stopper.abort(Object.assign(new Error('enough'), { code: 'enough' })), 50);
      return model.score(sound, { signal: stopper.signal });
    },
  },
  'a long text, tagged': { weights: 'crf-en', ask: async (model) => model.tag('The quick brown fox, doesn\u2019t it jump? '.repeat(6000)) },
  'a text without a word, tagged': { weights: 'crf-en', ask: async (model) => model.tag('\u200d \u200b'.repeat(1_000_000)) },
  'an address of brackets, tagged': { weights: 'hmm-en', ask: async (model) => model.tag(`http://a${')'.repeat(16000)}`) },
  'a sentence of long words, parsed': { weights: 'parents-en', ask: async (model) => model.parse(`${'e\u0301'.repeat(8000)} `.repeat(20)) },
  'a prompt that is too long': {
    weights: 'stories',
    code: 'argument',
    ask: async (model) => model.generate('Once upon a time '.repeat(1_000_000)).text(),
  },
  'a prompt of the maximum length': {
    weights: 'stories',
    ask: async (model) => model.generate('a'.repeat(500), { maxTokens: 1, seed: 1 }).text(),
  },
  'a sentence of the maximum length, translated': {
    weights: 'de-en',
    ask: async (model) => model.translate('Das Haus ist rot und '.repeat(20)).text(),
  },
  'music of a hundred thousand notes': { weights: 'chorales', code: 'limit', ask: async (model, make) => model.score(make.midi(100_000)) },
  'music of five thousand notes': { weights: 'chorales', ask: async (model, make) => model.score(make.midi(5_000)) },
};

for (const [i, [what, { weights, ask, code }]] of Object.entries(ASKED).entries()) {
  oneOf(i, 6)(what, { timeout: 300000 }, () =>
    withPage(async (page) => {
      await openEmpty(page);
      await page.evaluate(
        async ([library, address]) => {
          const { load } = await import(library);
          /** @type {any} */ (globalThis).model = await load(address);
          const canvas = (/** @type {number} */ width, /** @type {number} */ height) => {
            const made = Object.assign(document.createElement('canvas'), { width, height });
            const context = /** @type {CanvasRenderingContext2D} */ (made.getContext('2d', { willReadFrequently: true }));
            context.fillStyle = 'white';
            context.fillRect(0, 0, width, height);
            context.fillStyle = 'black';
            context.fillRect(width / 3, height / 4, width / 3, height / 2);
            return made;
          };
          /** @type {any} */ (globalThis).make = {
            canvas,
            /** Returns twelve million pixels from a file, like a phone's camera. */
            photograph: async () => {
              const blob = await new Promise((resolve) => canvas(4032, 3024).toBlob(resolve, 'image/jpeg'));
              const image = new Image();
              image.src = URL.createObjectURL(/** @type {Blob} */ (blob));
              await image.decode();
              return image;
            },
            sound: (/** @type {number} */ seconds, /** @type {number} */ rate, /** @type {number} */ channels) => ({
              samples: Array.from({ length: channels }, () => new Float32Array(seconds * rate).fill(0.1)),
              sampleRate: rate,
            }),
            /** Returns a MIDI file with one track of this many notes, each one tick long. @param {number} notes */
            midi: (notes) => {
              const events = Uint8Array.from({ length: 8 * notes + 4 }, (_, i) =>
                i < 8 * notes ? [0, 0x90, 60, 64, 1, 0x80, 60, 0][i % 8] : [0, 0xff, 0x2f, 0][i % 8],
              );
              const head = [
                77,
                84,
                104,
                100,
                0,
                0,
                0,
                6,
                0,
                0,
                0,
                1,
                0,
                4,
                77,
                84,
                114,
                107,
                ...[24, 16, 8, 0].map((shift) => (events.length >> shift) & 255),
              ];
              return Uint8Array.from([...head, ...events]);
            },
          };
          // Making the input is not measured.
          const { make } = /** @type {any} */ (globalThis);
          for (const [name, made] of Object.entries(make)) {
            const kept = new Map();
            make[name] = (/** @type {any[]} */ ...given) =>
              kept.get(String(given)) ?? kept.set(String(given), made(...given)).get(String(given));
          }
        },
        [LIBRARY, `/weights/${weights}.gguf`],
      );
      const run = () => page.evaluate(`(${ask})(model, make).then(() => undefined, ({ code, message }) => code ?? message)`);
      // The first run makes the input and compiles the engine's code.
      assert.equal(await run(), code);
      let said;
      const ms = await longest(page, async () => {
        said = await run();
      });
      assert.equal(said, code);
      assert.ok(ms < MOST_MS, `the page's thread worked for ${ms.toFixed(0)} ms without a pause`);
    }),
  );
}

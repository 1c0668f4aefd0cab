// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Measures the longest task of a page's main thread while a model processes the largest input that it accepts. A page must not freeze while
 * somebody reads, scrolls or types. Durations are processor time of the thread, which does not depend on other programs. The garbage
 * collector's own tasks are not counted: to free a canvas of 256 MB, the browser needs 65 ms in some virtual machines.
 */

import assert from 'node:assert/strict';

import { rowsOf } from '../kinds/browser.js';
import { flat } from '../kinds/rows.js';
import { oneOf } from '../more.js';
import { LIBRARY, SHELL, openEmpty, session } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();

/**
 * The longest allowed task; visitors would notice a longer one. The limit for the headless shell is 50 % higher, because tests in this
 * shell run in parallel with other steps.
 */
const MOST_MS = SHELL ? 75 : 50;

/**
 * An event of a trace, with times in microseconds.
 *
 * @typedef {{ name: string, ph: string, pid: number, tid: number, tdur?: number, args: any }} Traced
 */

/**
 * Returns the longest task of a page's main thread during an action.
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
  const tasks = events.filter(
    ({ name, ph, pid, tid, args }) =>
      ph === 'X' && /::RunTask$/.test(name) && mains.includes(`${pid} ${tid}`) && !/^v8\/src\/heap\//.test(args.src_file),
  );
  assert.ok(tasks.length > 0, 'the trace has tasks');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

for (const [i, [what, { weights, ask, code }]] of Object.entries(flat(rowsOf('long'))).entries()) {
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
            /** Returns a picture file of twelve million pixels, as from a phone's camera. */
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
            /** Returns a MIDI file with one track of this many notes, each of them one tick long. @param {number} notes */
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
          // Keeps each input that these functions make, so that the measured run does not have to make it again.
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
      // The first run prepares the input and compiles the engine's code; it is not measured.
      assert.equal(await run(), code);
      // It is enough that one of three runs passes, because garbage collection lengthens tasks in some runs.
      let ms = Infinity;
      for (let i = 0; i < 3 && ms >= MOST_MS; i++)
        ms = await longest(page, async () => {
          assert.equal(await run(), code);
        });
      assert.ok(ms < MOST_MS, `the page's thread worked for ${ms.toFixed(0)} ms without a pause`);
    }),
  );
}

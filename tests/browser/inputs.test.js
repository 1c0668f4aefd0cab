// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests that every verb accepts the forms of input that a page may have. Every verb that takes a picture gets the picture in each form.
 * Verbs that take audio or music are tested in the same way.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { writeWav } from '../../web/lib/media/wav.js';
import { FILES, functionsIn, rowsOf } from '../kinds/browser.js';
import { named } from '../kinds/rows.js';
import { openEmpty, provide, session } from './browser.js';

/** @import { Page } from 'playwright-core' */
/** @import { Input } from '../kinds/browser.js' */

const { withPage } = session(['--autoplay-policy=no-user-gesture-required']);
const options = { timeout: 120_000 };

/**
 * Adds the test cases to a page, as the global variable `verbs`. `verbs` maps the name of each case to a function, which is called with the
 * input.
 *
 * @param {Page} page @param {Input['takes']} what
 */
async function give(page, what) {
  const rows = Object.entries(named(rowsOf('inputs'))).filter(([, { takes }]) => takes === what);
  await functionsIn(page, Object.fromEntries(rows.map(([name, { ask }]) => [name, ask])));
  await page.evaluate(
    async (weights) => {
      const all = /** @type {any} */ (globalThis);
      const library = '/web/dist/nextpixel.js';
      const { load } = await import(library);
      all.models = Object.fromEntries(
        await Promise.all([...new Set(weights.map(([, file]) => file))].map(async (file) => [file, await load(`/weights/${file}.gguf`)])),
      );
      all.verbs = Object.fromEntries(
        weights.map(([name, file]) => [name, async (/** @type {any[]} */ ...given) => all.rows[name](all.models[file], ...given)]),
      );
    },
    rows.map(([name, { weights }]) => /** @type {const} */ ([name, weights])),
  );
}

/**
 * The models and functions that give() adds to the page.
 *
 * @typedef {{ models: any, verbs: Record<string, (...given: any[]) => Promise<any>> }} Given
 */

test('pictures', options, () =>
  withPage(
    async (page) => {
      await openEmpty(page);
      await give(page, 'picture');
      const out = await page.evaluate(async () => {
        const { models, verbs } = /** @type {Given} */ (/** @type {any} */ (globalThis));
        const address = '/web/pictures/seven.png';
        const img = new Image();
        img.src = address;
        await img.decode();
        const [width, height] = [img.naturalWidth, img.naturalHeight];
        const canvas = Object.assign(document.createElement('canvas'), { width, height });
        const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
        context.drawImage(img, 0, 0);
        const data = context.getImageData(0, 0, width, height);
        const offscreen = new OffscreenCanvas(width, height);
        /** @type {OffscreenCanvasRenderingContext2D} */ (offscreen.getContext('2d')).putImageData(data, 0, 0);
        const blob = await (await fetch(address)).blob();
        const svg = document.createElementNS('http://www.w3.org/2000/svg', 'image');
        svg.setAttribute('href', address);
        const film = document.createElement('video');
        film.muted = true;
        film.srcObject = canvas.captureStream();
        context.drawImage(img, 0, 0);
        await film.play();
        /** @type {Record<string, any>} */
        const forms = {
          ImageData: data,
          canvas,
          OffscreenCanvas: offscreen,
          ImageBitmap: await createImageBitmap(img),
          img,
          'image of an SVG': svg,
          video: film,
          VideoFrame: new VideoFrame(canvas, { timestamp: 0 }),
          Blob: blob,
          File: new File([blob], 'seven.png'),
          address,
          URL: new URL(address, document.baseURI),
        };
        const bad = [];
        for (const [verb, ask] of Object.entries(verbs)) {
          const expected = await ask(data, { canvas, img }).catch((error) => [error.message]);
          if (expected.some((/** @type {unknown} */ value) => typeof value !== 'number')) bad.push(`${verb}: ${expected}`);
          for (const [form, image] of Object.entries(forms)) {
            try {
              const got = await ask(image, { canvas, img });
              // Compression of a video changes colours.
              const near = form === 'video' || form === 'VideoFrame' ? 4 : 0;
              const apart = Math.max(...got.map((/** @type {number} */ value, /** @type {number} */ i) => Math.abs(value - expected[i])));
              if (got.length !== expected.length || (near === 0 && apart > 0)) bad.push(`${verb} of ${form}: ${apart} apart`);
            } catch (error) {
              bad.push(`${verb} of ${form}: ${error}`);
            }
          }
        }
        const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="28" height="28"><rect width="9" height="28" fill="red"/></svg>';
        for (const type of ['', 'text/plain', 'image/svg+xml']) {
          const { nats } = await models.digits.score(new Blob([drawing], { type })).catch((/** @type {Error} */ error) => error);
          if (!(nats > 0)) bad.push(`an SVG of the type "${type}"`);
        }
        for (const wrong of ['/none.png', new Blob(['no picture'])]) {
          const { name } = await models.digits.score(wrong).catch((/** @type {Error} */ error) => error);
          if (name !== 'NextPixelError') bad.push(`${wrong}: ${name}`);
        }
        return bad;
      });
      assert.deepEqual(out, []);
    },
    { complains: true },
  ),
);

test('sounds and music are accepted in every form', options, () =>
  withPage(async (page) => {
    await openEmpty(page);
    const wav = writeWav(
      Float32Array.from({ length: 1600 }, (_, i) => 0.5 * Math.sin(i / 3)),
      8000,
    );
    await provide(page, '/tone.wav', wav, { type: 'audio/wav' });
    await provide(page, '/soprano.json', FILES['/soprano.json']());
    await provide(page, '/soprano.mid', FILES['/soprano.mid'](), { type: 'audio/midi' });
    await page.mouse.click(200, 200);
    await give(page, 'sound');
    const sounds = await page.evaluate(async () => {
      const { verbs } = /** @type {Given} */ (/** @type {any} */ (globalThis));
      const blob = await (await fetch('/tone.wav')).blob();
      const bytes = new Uint8Array(await blob.arrayBuffer());
      const samples = Float32Array.from({ length: 1600 }, (_, i) => new DataView(bytes.buffer).getInt16(44 + 2 * i, true) / 32767);
      const buffer = new AudioBuffer({ length: 1600, sampleRate: 8000 });
      buffer.copyToChannel(samples, 0);
      const context = new AudioContext();
      const stream = () => {
        const [destination, source] = [context.createMediaStreamDestination(), context.createOscillator()];
        source.connect(destination);
        source.start();
        setTimeout(() => {
          for (const track of destination.stream.getTracks()) track.stop();
        }, 400);
        return destination.stream;
      };
      /** @type {Record<string, () => any>} */
      const forms = {
        AudioBuffer: () => buffer,
        Blob: () => blob,
        File: () => new File([blob], 'tone.wav'),
        bytes: () => bytes.slice(),
        address: () => '/tone.wav',
        URL: () => new URL('/tone.wav', document.baseURI),
        samples: () => ({ samples, sampleRate: 8000 }),
        MediaStream: stream,
      };
      const bad = [];
      for (const [verb, ask] of Object.entries(verbs)) {
        for (const [form, sound] of Object.entries(forms)) {
          const got = await ask(sound()).catch((error) => String(error));
          if (form === 'MediaStream' ? !(got > 400) : got !== 1600) bad.push(`${verb} of ${form}: ${got}`);
        }
      }
      return bad;
    });
    await give(page, 'music');
    const music = await page.evaluate(async () => {
      const { verbs } = /** @type {Given} */ (/** @type {any} */ (globalThis));
      const notes = await (await fetch('/soprano.json')).json();
      const midi = await (await fetch('/soprano.mid')).blob();
      const forms = {
        notes,
        Blob: midi,
        File: new File([midi], 'a.mid'),
        bytes: new Uint8Array(await midi.arrayBuffer()),
        address: '/soprano.mid',
        URL: new URL('/soprano.mid', document.baseURI),
      };
      const bad = [];
      for (const [verb, ask] of Object.entries(verbs)) {
        const expected = await ask(notes);
        if (!expected) bad.push(`${verb}: ${expected}`);
        for (const [form, given] of Object.entries(forms)) if ((await ask(given)) !== expected) bad.push(`${verb} of ${form}`);
      }
      return bad;
    });
    assert.deepEqual([...sounds, ...music], []);
  }),
);

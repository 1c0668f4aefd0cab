// SPDX-License-Identifier: MIT
// Creates web/front/tiles/record.json, which contains one recorded answer of the model of each tile on the front page. The tile shows this
// answer until its own model has loaded.
//
//   node web/front/tiles/record.js
//
// All records come from the shipped weights and the seeds in this file.
// @ts-check
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { serve } from '../../tools/serve.js';
import { LIBRARY, launch, openEmpty } from '../../../tests/browser/browser.js';

const OUT = new URL('record.json', import.meta.url);

const [server, browser] = await Promise.all([serve({ port: 0 }), launch()]);
try {
  const page = await browser.newPage({ baseURL: server.url });
  await openEmpty(page);
  const record = await page.evaluate(async (library) => {
    const { load } = await import(library);
    const { append, looksOf, sourceOf } = await import('/web/lib/kinds/text/aligned-words.js');
    const { arcsOf } = await import('/web/lib/kinds/head/arcs.js');
    /** @template T @param {string} file @param {(model: any) => Promise<T>} work */
    const withModel = async (file, work) => {
      const model = await load(`/weights/${file}.gguf`);
      try {
        return await work(model);
      } finally {
        model.close();
      }
    };
    /** @param {ArrayLike<number>} bytes */
    const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
    /** Packs values with 4 bits, two per byte. @param {ArrayLike<number>} levels 0 to 255 */
    const nibbles = (levels) =>
      base64(Array.from({ length: levels.length / 2 }, (_, i) => (levels[2 * i] >> 4) | ((levels[2 * i + 1] >> 4) << 4)));
    /** Rounds to two decimals, which is precise enough for drawing. @param {ArrayLike<number>} numbers */
    const rounded = (numbers) => Array.from(numbers, (number) => Math.round(100 * number) / 100);
    /** Returns the pixels of a square. @param {number} side @param {(context: OffscreenCanvasRenderingContext2D) => void} draw */
    const pixels = (side, draw) => {
      const context = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(side, side).getContext('2d'));
      context.fillStyle = '#fff';
      context.fillRect(0, 0, side, side);
      draw(context);
      return context.getImageData(0, 0, side, side);
    };
    /** @param {Uint8ClampedArray} rgba */
    const rgbOf = (rgba) => Uint8Array.from({ length: (rgba.length / 4) * 3 }, (_, i) => rgba[4 * Math.floor(i / 3) + (i % 3)]);
    const imageAt = async (/** @type {string} */ path) => createImageBitmap(await (await fetch(path)).blob());

    /** Returns all values of a run's pictures, by sample. @param {any} run @param {number} size number of values per picture */
    const pictures = async (run, size) => {
      /** @type {Uint8Array[]} */
      const all = [];
      for await (const { sample, from = 0, values } of run) (all[sample] ??= new Uint8Array(size)).set(values, from);
      return all;
    };

    const emoji = await imageAt('/web/pictures/emoji.png');
    const FACE = 20; // the face with rolling eyes, among the validation pictures of the colour page
    const original = pixels(32, (context) => context.drawImage(emoji, 32 * (FACE % 8), 32 * Math.floor(FACE / 8), 32, 32, 0, 0, 32, 32));
    const face = await withModel('emoji-sr', async (model) => {
      const run = model.superResolve(original, { samples: 8, resample: 8, seed: 1, temperature: 0.9 }); // the best of eight, as on the page
      const [drawn] = await pictures(run, 3072);
      return { original: base64(rgbOf(original.data)), small: base64(run.small), drawn: base64(drawn) };
    });

    const bands = await withModel('de-en', async (model) => {
      const text = 'Eine Frau versucht, ihren Hund zu fangen.';
      /** @type {any[]} */
      const words = [];
      /** @type {number[][]} */
      const rows = [];
      const run = model.translate(text, { maps: true });
      for await (const step of run) {
        append(words, step.text, rows.length);
        rows.push(rounded(step.alignment));
      }
      /** @type {any[]} */
      const source = sourceOf(run.sourceTexts);
      /** @param {any[]} list */
      const said = (list) => list.map(({ text, tight }) => [text, Number(tight)]);
      return {
        text,
        source: said(source),
        words: said(words),
        looks: words.map((word) => looksOf(word, source, rows).map((/** @type {any} */ { at, weight }) => [at, ...rounded([weight])])),
      };
    });

    const arcs = await withModel('parents-en', async (model) => {
      const parse = await model.parse('I saw the man with the telescope', { marginals: true });
      return {
        words: parse.words,
        arcs: arcsOf(parse).map((/** @type {any} */ { head, child, p, best }) => [head, child, ...rounded([p]), Number(best)]),
      };
    });

    const chorale = await withModel('chorales', async (model) => {
      const notes = await model.generate({ bars: 4, seed: 2, temperature: 0.9 }).notes();
      const voices = model.info.voices.map((/** @type {any} */ voice) => voice.name ?? voice);
      return {
        voices,
        notes: notes.map((/** @type {any} */ { voice, pitch, start, length }) => [voices.indexOf(voice), pitch, start, length]),
      };
    });

    const wave = await withModel('wavenet', async (model) => {
      const samples = await model.generate({ label: '7', speaker: 'theo', seed: 8 }).samples();
      const COLUMNS = 220;
      /** @param {(...all: number[]) => number} of */
      const along = (of) =>
        Array.from({ length: COLUMNS }, (_, i) =>
          Math.round(
            100 * of(...samples.slice(Math.floor((i * samples.length) / COLUMNS), Math.floor(((i + 1) * samples.length) / COLUMNS))),
          ),
        );
      return { seconds: samples.length / model.info.sampleRate, low: along(Math.min), high: along(Math.max) };
    });

    const faces = await withModel('sagan-emoji', async (model) =>
      nibbles((await pictures(model.generate({ samples: 16, seed: 1, label: 'face' }), 3072)).flatMap((rgb) => Array.from(rgb))),
    );

    const caption = await withModel('captions', async (model) => {
      const things = await imageAt('/web/pages/captions/emoji.png');
      const { THINGS } = await import('/web/pages/captions/emoji.js');
      const scene = pixels(64, (context) => {
        context.imageSmoothingQuality = 'high';
        context.globalCompositeOperation = 'darken';
        for (const [name, left, top, side] of /** @type {[string, number, number, number][]} */ ([
          ['cat', 5, 6, 26],
          ['red heart', 38, 8, 20],
          ['bicycle', 18, 34, 28],
        ]))
          context.drawImage(things, 32 * THINGS.indexOf(name), 0, 32, 32, left, top, side, side);
      });
      const run = model.caption(scene, { maps: true });
      const words = [];
      for await (const { text, maps } of run) words.push([text, rounded(maps[0].weights)]);
      return { scene: base64(rgbOf(scene.data)), grid: run.grid, words };
    });

    const digits = await withModel('gated-pixelcnn-digits', async (model) =>
      nibbles(
        (await pictures(model.generate({ samples: 12, seed: 3, label: '5', temperature: 0.9 }), 784)).flatMap((levels) =>
          Array.from(levels),
        ),
      ),
    );

    const story = await withModel('stories', async (model) => {
      const prompt = 'Once upon a time';
      const tokens = [];
      for await (const { text, nats } of model.generate(prompt, { seed: 1, temperature: 0.7, maxTokens: 48 }))
        tokens.push([text, rounded([nats])[0]]);
      return { prompt, tokens };
    });
    return { face, bands, arcs, chorale, wave, faces, caption, digits, story };
  }, LIBRARY);
  await writeFile(fileURLToPath(OUT), `${JSON.stringify(record)}\n`);
  console.log(
    Object.entries(record)
      .map(([name, value]) => `${name}: ${JSON.stringify(value).length} bytes`)
      .join('\n'),
  );
} finally {
  await browser.close();
  await server.close();
}

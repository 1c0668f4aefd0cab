// SPDX-License-Identifier: MIT
// @ts-check

/** The picture on a text page's card, for web/front/make-stills.js: it shows a text as the library draws it on a canvas. */

import { crc32, deflateSync } from 'node:zlib';

import { serve } from '../../web/tools/serve.js';
import { LIBRARY, launch, openEmpty } from './browser.js';

/**
 * @param {{ file: string, verb: 'translate' | 'tag' | 'parse' | 'generate', text: string, options: object, font: string }} what  file:
 *   weight file; font: size
 * @returns {Promise<Buffer>} a PNG
 */
export async function stillOfText({ file, verb, text, options, font }) {
  const [server, browser] = await Promise.all([serve({ port: 0 }), launch()]);
  try {
    const page = await browser.newPage({ viewport: { width: 400, height: 300 }, baseURL: server.url, colorScheme: 'light' });
    await openEmpty(page);
    await page.evaluate(
      async ([library, what]) => {
        const { load } = await import(library);
        const canvas = document.body.appendChild(document.createElement('canvas'));
        canvas.style.cssText =
          'position: absolute; inset: 0; width: 300px; height: 200px; color: #15171c; --nx-accent: #1f3dc2; --nx-surprise: #1f3dc2';
        canvas.style.font = `${what.font} Charter, Georgia, serif`;
        const model = await load(`/weights/${what.file}`);
        await (await (what.text === '' ? model[what.verb](what.options) : model[what.verb](what.text, what.options))).drawTo(canvas);
        model.close();
      },
      /** @type {const} */ ([LIBRARY, { file, verb, text, options, font }]),
    );
    // On white and in sixteen colours, because the front page loads it.
    const rgba = await page.evaluate(() => {
      const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('canvas'));
      const small = Object.assign(document.createElement('canvas'), { width: 300, height: 200 });
      const context = /** @type {CanvasRenderingContext2D} */ (small.getContext('2d'));
      context.fillStyle = '#fff';
      context.fillRect(0, 0, 300, 200);
      context.drawImage(canvas, 0, 0);
      return [...context.getImageData(0, 0, 300, 200).data];
    });
    return indexed(rgba, 300, 200);
  } finally {
    await browser.close();
    await server.close();
  }
}

/**
 * Returns the scene of the captions page, with the attention of two of its words.
 *
 * @param {[string, string]} words
 * @returns {Promise<number[]>} 300 x 200 pixels, RGBA
 */
export async function stillOfScene(words) {
  const [server, browser] = await Promise.all([serve({ port: 0 }), launch()]);
  try {
    const page = await browser.newPage({
      viewport: { width: 1200, height: 900 },
      baseURL: server.url,
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    await page.goto('/web/pages/captions/');
    await page.locator('#transport[data-phase="done"]').waitFor();
    await page.evaluate(() => {
      const canvas = Object.assign(document.body.appendChild(document.createElement('canvas')), { id: 'still', width: 300, height: 200 });
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
      context.fillStyle = '#fff';
      context.fillRect(0, 0, 300, 200);
      context.imageSmoothingEnabled = false;
    });
    for (const [i, word] of words.entries()) {
      await page.locator('#caption .word', { hasText: word }).hover();
      await page.locator('#caption .word.lit', { hasText: word }).waitFor();
      await page.evaluate(
        (left) => {
          const [scene, still] = /** @type {HTMLCanvasElement[]} */ (['scene-canvas', 'still'].map((id) => document.getElementById(id)));
          still.getContext('2d')?.drawImage(scene, left, 36, 128, 128);
        },
        12 + 148 * i,
      );
    }
    return await page.evaluate(() => {
      const context = /** @type {CanvasRenderingContext2D} */ (
        /** @type {HTMLCanvasElement} */ (document.getElementById('still')).getContext('2d')
      );
      return [...context.getImageData(0, 0, 300, 200).data];
    });
  } finally {
    await browser.close();
    await server.close();
  }
}

/**
 * Returns the content of a page's figure: its canvases in a grid, or a part of an element.
 *
 * @param {string} name  name of the page
 * @param {object} what
 * @param {string} what.show     selector of the canvases, or of the element
 * @param {number} what.columns
 * @param {number} what.count    canvases
 * @param {number} what.side     size of each canvas in the still
 * @param {string} [what.wait]   selector of an element that exists once the figure is complete
 * @param {number[]} [what.clip]  part of the element: left and top as fractions of its size, and the part's width as a fraction of 900
 *   pixels
 * @returns {Promise<Buffer>} a PNG
 */
export async function stillOfFigure(name, { show, columns, count, side, wait, clip }) {
  const [server, browser] = await Promise.all([serve({ port: 0 }), launch()]);
  try {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 900 },
      baseURL: server.url,
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    await page.goto(`/web/pages/${name}/`);
    const first = page.locator(show).first();
    await first.scrollIntoViewIfNeeded();
    if (wait) {
      await page.locator('#run:enabled').click();
      await page.locator(wait).waitFor({ timeout: 60000 });
    }
    await page.waitForTimeout(2000); // figures draw in a frame after they become visible
    /** @type {string[]} */
    let sources;
    if (clip) {
      const box = /** @type {NonNullable<Awaited<ReturnType<typeof first.boundingBox>>>} */ (await first.boundingBox());
      const width = 900 * clip[2];
      const part = { x: box.x + clip[0] * box.width, y: box.y + clip[1] * box.height, width, height: (width * 2) / 3 };
      sources = [`data:image/png;base64,${(await page.screenshot({ clip: part })).toString('base64')}`];
    } else
      sources = await page
        .locator(show)
        .evaluateAll((all, most) => all.slice(0, most).map((one) => /** @type {HTMLCanvasElement} */ (one).toDataURL()), count);
    await openEmpty(page);
    const rgba = await page.evaluate(
      async ({ sources, columns, side }) => {
        const context = /** @type {CanvasRenderingContext2D} */ (
          Object.assign(document.createElement('canvas'), { width: 300, height: 200 }).getContext('2d')
        );
        context.fillStyle = '#fff';
        context.fillRect(0, 0, 300, 200);
        context.imageSmoothingQuality = 'high';
        const rows = Math.ceil(sources.length / columns);
        const gap = 8;
        for (const [i, source] of sources.entries()) {
          const image = Object.assign(new Image(), { src: source });
          await image.decode();
          if (!side) context.drawImage(image, 0, 0, 300, 200);
          else {
            const left = (300 - columns * (side + gap) + gap) / 2 + (i % columns) * (side + gap);
            const top = (200 - rows * (side + gap) + gap) / 2 + Math.floor(i / columns) * (side + gap);
            context.drawImage(image, left, top, side, side);
          }
        }
        return [...context.getImageData(0, 0, 300, 200).data];
      },
      { sources, columns, side },
    );
    return indexed(rgba, 300, 200);
  } finally {
    await browser.close();
    await server.close();
  }
}

/**
 * Returns a PNG with sixteen colours: colour boxes are halved along their longest side, and each pixel takes the mean of its box.
 *
 * @param {number[]} rgba
 * @param {number} width   even
 * @param {number} height
 */
function indexed(rgba, width, height) {
  const pixels = Array.from({ length: width * height }, (_, i) => i);
  const at = (/** @type {number} */ pixel, /** @type {number} */ channel) => rgba[4 * pixel + channel];
  let boxes = [pixels];
  while (boxes.length < 16) {
    const spans = boxes.map((box) =>
      [0, 1, 2].map((c) => box.reduce((most, i) => Math.max(most, at(i, c)), 0) - box.reduce((least, i) => Math.min(least, at(i, c)), 255)),
    );
    const longest = spans.map((span) => Math.max(...span));
    const n = longest.indexOf(Math.max(...longest));
    const c = spans[n].indexOf(longest[n]);
    const middle = boxes[n].reduce((sum, i) => sum + at(i, c), 0) / boxes[n].length;
    boxes = boxes.flatMap((box, i) => (i === n ? [box.filter((p) => at(p, c) <= middle), box.filter((p) => at(p, c) > middle)] : [box]));
  }
  const palette = boxes.flatMap((box) => [0, 1, 2].map((c) => Math.round(box.reduce((sum, i) => sum + at(i, c), 0) / box.length)));
  const colour = new Uint8Array(pixels.length);
  boxes.forEach((box, n) =>
    box.forEach((i) => {
      colour[i] = n;
    }),
  );
  const lines = Buffer.alloc(height * (1 + width / 2));
  for (const i of pixels) {
    const [row, column] = [Math.floor(i / width), i % width];
    lines[row * (1 + width / 2) + 1 + (column >> 1)] |= colour[i] << (column % 2 ? 0 : 4);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([4, 3, 0, 0, 0], 8);
  const chunk = (/** @type {string} */ type, /** @type {Uint8Array} */ data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette)),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

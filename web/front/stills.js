// SPDX-License-Identifier: MIT
// Draws stills, the pictures on the cards of the front page, in the colours of the light theme. web/pages/NAME/still.js defines the content
// of a page's still.
// @ts-check
import { readFile } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';

import { LIBRARY, launch, openEmpty } from '../../tests/browser/browser.js';
import { Codec, blank, load } from '../shell/library.js';
import { heatRamp, rgbOf } from '../shell/picture/palette.js';
import { encodePng } from '../shell/picture/png.js';
import { serve } from '../tools/serve.js';
import { layout, shareOf } from './thumbs.js';
/** @import { Page } from 'playwright-core' */
/** @import { Pictures } from './papers.js' */

/** Size of a still in pixels. */
export const [WIDTH, HEIGHT] = [300, 200];

const css = await readFile(new URL('../shell/page.css', import.meta.url), 'utf8');
/** Returns a colour of the light theme. @param {string} name */
const colour = (name) => rgbOf(css.match(new RegExp(`--${name}: (#[0-9a-f]{6})`))?.[1] ?? '');
/** Colour in which the pages draw a model's output. */
export const ink = colour('predicted');
const heat = heatRamp([0, 1, 2, 3, 4].map((i) => colour(`heat-${i}`)));

/**
 * Loads a model from weights/, passes the model to a function, and closes the model afterwards.
 *
 * @template T
 * @param {string} file
 * @param {(model: import('../shell/library.js').Model) => Promise<T>} use
 */
export async function withModel(file, use) {
  const model = await load(new URL(`../../weights/${file}`, import.meta.url));
  try {
    return await use(model);
  } finally {
    model.close();
  }
}

/**
 * Starts a browser and a web server for this repository, and calls a function with a page of the browser.
 *
 * @template T
 * @param {{ width: number, height: number, reducedMotion?: 'reduce' }} how  size of the window, and whether the browser asks for reduced
 *   motion
 * @param {(page: Page) => Promise<T>} use
 */
export async function withPage({ reducedMotion, ...viewport }, use) {
  const [server, browser] = await Promise.all([serve({ port: 0 }), launch()]);
  try {
    return await use(await browser.newPage({ viewport, baseURL: server.url, colorScheme: 'light', reducedMotion }));
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Generates pictures with a model and draws them in a grid. @param {Omit<Pictures, 'temperature'> & { temperature?: number }} pictures */
export const stillOfPictures = ({ file, samples, passes, ...options }) =>
  withModel(file, async (model) => {
    const { width, channels } = model.info;
    // info.positions is 0 for a model that is not autoregressive
    const codec = new Codec({ ...model.info, positions: model.order.length }, model.order);
    const grid = layout(samples, model.info);
    const picture = blank(grid.width, grid.height);
    for await (const { sample, from, values, ahead } of model.generate({ samples, ...(passes && { lookAhead: true }), ...options })) {
      const { left, top } = grid.at(sample);
      for (let i = 0; i < values.length; i += channels) {
        const pixel = Math.floor(codec.place(from + i) / channels);
        const rgba = passes
          ? [...heat(shareOf(ahead[i])), 255]
          : channels === 1
            ? [...ink, values[i]]
            : [...values.subarray(i, i + 3), 255];
        picture.data.set(rgba, 4 * ((top + Math.floor(pixel / width)) * grid.width + left + (pixel % width)));
      }
    }
    return encodePng(picture);
  });

/**
 * Draws attention weights as a grid of squares with one row per step. The opacity of each square is the square root of its weight.
 * @param {ArrayLike<number>[]} rows
 */
export function stillOfWeights(rows) {
  const columns = Math.max(...rows.map(({ length }) => length));
  const cell = Math.floor(Math.min(WIDTH / columns, HEIGHT / rows.length));
  const [left, top] = [Math.floor((WIDTH - cell * columns) / 2), Math.floor((HEIGHT - cell * rows.length) / 2)];
  const picture = blank(WIDTH, HEIGHT);
  rows.forEach((row, r) =>
    Array.from(row, (weight, c) => {
      // Only nine different opacities are used, to keep the PNG small.
      const rgba = [...ink, Math.round((Math.round(8 * Math.sqrt(weight)) * 255) / 8)];
      for (let y = 0; y < cell - 1; y++)
        for (let x = 0; x < cell - 1; x++) picture.data.set(rgba, 4 * ((top + r * cell + y) * WIDTH + left + c * cell + x));
    }),
  );
  return encodePng(picture);
}

/**
 * Draws a still of the canvas on which the library shows a model's output.
 *
 * @param {object} what
 * @param {string} what.file  weight file
 * @param {import('../lib/verbs/table.js').VerbName} what.verb
 * @param {string} [what.text]  input for models that read text
 * @param {object} [what.options]
 * @param {string} what.font  font size
 */
export const stillOfAnswer = ({ file, verb, text, options = {}, font }) =>
  withPage({ width: 400, height: 300 }, async (page) => {
    await openEmpty(page);
    await page.evaluate(
      async ([library, what]) => {
        const { load } = await import(library);
        const canvas = document.body.appendChild(document.createElement('canvas'));
        canvas.style.cssText =
          'position: absolute; inset: 0; width: 300px; height: 200px; color: #15171c; --nx-accent: #1f3dc2; --nx-surprise: #1f3dc2';
        canvas.style.font = `${what.font} Charter, Georgia, serif`;
        const model = await load(`/weights/${what.file}`);
        await (await (what.text === undefined ? model[what.verb](what.options) : model[what.verb](what.text, what.options))).drawTo(canvas);
        model.close();
      },
      /** @type {const} */ ([LIBRARY, { file, verb, text, options, font }]),
    );
    // Draws the canvas on white and reduces the picture to sixteen colours, so that the front page loads a small file.
    const rgba = await page.evaluate(() => {
      const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('canvas'));
      const small = Object.assign(document.createElement('canvas'), { width: 300, height: 200 });
      const context = /** @type {CanvasRenderingContext2D} */ (small.getContext('2d'));
      context.fillStyle = '#fff';
      context.fillRect(0, 0, 300, 200);
      context.drawImage(canvas, 0, 0);
      return [...context.getImageData(0, 0, 300, 200).data];
    });
    return indexed(rgba, WIDTH, HEIGHT);
  });

/**
 * Returns a still of a figure on a page. The still shows the figure's canvases in a grid, or a part of one element.
 *
 * @param {string} name  name of the page
 * @param {object} what
 * @param {string} what.show     selector of the canvases, or of the element
 * @param {number} what.columns
 * @param {number} what.count    number of canvases
 * @param {number} what.side     side of each canvas in the still, in pixels
 * @param {string} [what.wait]   selector of an element that exists once the figure is complete
 * @param {number[]} [what.clip]  the part of the element to show: left and top as fractions of the element's size, and width as a fraction
 *   of 900 pixels
 */
export const stillOfFigure = (name, { show, columns, count, side, wait, clip }) =>
  withPage({ width: 1280, height: 900, reducedMotion: 'reduce' }, async (page) => {
    await page.goto(`/web/pages/${name}/`);
    const first = page.locator(show).first();
    await first.scrollIntoViewIfNeeded();
    if (wait) {
      await page.locator('#run:enabled').click();
      await page.locator(wait).waitFor({ timeout: 60000 });
    }
    await page.waitForTimeout(2000); // figures are drawn in an animation frame after they become visible
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
    return indexed(rgba, WIDTH, HEIGHT);
  });

/**
 * Reduces a picture to sixteen colours by median cut and returns it as a PNG. Median cut repeatedly halves a box of colours along its
 * longest side. Each pixel gets the mean colour of its box.
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

// SPDX-License-Identifier: MIT
// @ts-check

/** Common code for the tests of the two galleries: opens the page at a gallery and reads its rows. */

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** @import { Page } from 'playwright-core' */
/** @import { PictureRun } from '../../web/lib/index.js' */
/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */

export const PAGE = '/web/pages/colour/';
export const SIDE = 32;
export const WAIT = { timeout: 120000 };

/** @param {string} path */
export const inRepository = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/**
 * Returns the pictures in a strip (the row of pictures to choose from).
 *
 * @param {string} name
 * @returns {Promise<{ name: string, style?: string, number?: number }[]>}
 */
const strip = async (name) => JSON.parse(await readFile(inRepository(`web/pictures/${name}.json`), 'utf8')).pictures;
export const [emoji, photos] = await Promise.all(['emoji', 'photos'].map(strip));

/** The pixels of a canvas; null for a pixel that is not drawn. @typedef {([number, number, number] | null)[]} Pixels */

/** @param {string} id id of the section @param {string} root  selector of all elements that may be hidden */
export function galleryOf(id, root) {
  const rows = `#${id}-gallery .gallery-row`;
  return {
    rows,

    /** Opens the page and scrolls the figure into view. @param {Page} page */
    async open(page) {
      await page.goto(PAGE);
      await page.locator(`#${root}`).waitFor();
      await page.locator(`#${root} figure`).scrollIntoViewIfNeeded();
      await page.locator(rows).first().waitFor(WAIT);
      await page.evaluate((figure) => document.querySelector(figure)?.scrollIntoView({ behavior: 'instant' }), `#${root} figure`);
    },

    /** Switches to photographs with the keyboard, and waits until their model is loaded. @param {Page} page */
    async switchOver(page) {
      await page.locator(`#${id}-run:enabled`).waitFor(WAIT);
      await page.locator(`#${id}-switch input:checked`).focus();
      await page.keyboard.press('ArrowRight');
      await page.locator(`#${id}-strip[data-strip=photos]`).waitFor(WAIT);
      await page.locator(`#${id}-run:enabled`).waitFor(WAIT);
    },

    /** @param {Page} page @param {number} row index, from 0 @param {string} [how] */
    rowIs: (page, row, how = 'drawn') =>
      page.waitForFunction(
        ([all, at, end]) =>
          [...document.querySelectorAll(String(all))[Number(at)].querySelectorAll('.drawn canvas')].every((canvas) =>
            canvas.getAttribute('aria-label')?.endsWith(`: ${end}`),
          ),
        [rows, row, how],
        WAIT,
      ),

    /** @param {Page} page @param {number} row */
    name: (page, row) => page.locator(`${rows} .row-name b`).nth(row).textContent(),

    /**
     * Returns the RGB values of every canvas of a row, from left to right.
     *
     * @param {Page} page
     * @param {number} row
     * @returns {Promise<Pixels[]>}
     */
    pixels: (page, row) =>
      page
        .locator(rows)
        .nth(row)
        .locator('canvas')
        .evaluateAll((canvases) =>
          canvases.map((element) => {
            // Reads a copy, because the browser complains about frequent reads from the canvas itself.
            const { width, height } = /** @type {HTMLCanvasElement} */ (element);
            const copy = /** @type {OffscreenCanvasRenderingContext2D} */ (
              new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
            );
            copy.drawImage(/** @type {HTMLCanvasElement} */ (element), 0, 0);
            const { data } = copy.getImageData(0, 0, width, height);
            return Array.from({ length: data.length / 4 }, (_, i) =>
              data[4 * i + 3] ? [data[4 * i], data[4 * i + 1], data[4 * i + 2]] : null,
            );
          }),
        ),
  };
}

/**
 * Returns the three pictures that a row shows for a run. The samples are divided into three groups, and the row shows the first sample of
 * each group. With the option `resample`, the first sample of a group is its most probable one.
 *
 * @param {Model} model
 * @param {PictureRun} run
 * @param {number} samples
 */
export async function shownOf(model, run, samples) {
  const drawn = Array.from({ length: samples }, () => ({ values: new Uint8Array(SIDE * SIDE * 3), nats: 0 }));
  for (const { values } of drawn)
    run.known.forEach((value, i) => {
      values[i] = value;
    });
  for await (const { sample, from, values, nats, anew } of run) {
    values.forEach((value, i) => {
      drawn[sample].values[3 * model.order[Math.floor((from + i) / 3)] + ((from + i) % 3)] = value;
    });
    drawn[sample].nats = nats.reduce((sum, cost) => sum + cost, anew ? 0 : drawn[sample].nats);
  }
  const first = drawn.filter((_, i) => i % (samples / 3) === 0);
  if (samples > 3) first.sort((a, b) => a.nats - b.nats);
  return first.map(({ values }) => values);
}

/** @param {ArrayLike<number>} rgb @returns {[number, number, number][]} */
export const triples = (rgb) => Array.from({ length: rgb.length / 3 }, (_, i) => [rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]]);

// SPDX-License-Identifier: MIT
// @ts-check

/** Helpers for the pages web/pages/fvsbn/ and web/pages/same-digit/, which complete a black and white digit. */

import { readFile } from 'node:fs/promises';

import { inRepository } from './gallery.js';

/** @import { Page } from 'playwright-core' */

/** Returns the digit that the pages fvsbn and same-digit show first: 784 values, each 0 or 255. */
export async function opening() {
  const strip = await readFile(inRepository('web/pictures/digits.bin'));
  return Uint8Array.from(strip.subarray(16 + 14 * 784, 16 + 15 * 784), (grey) => (grey < 128 ? 0 : 255));
}

/** Returns the drawn completions: for each of the 784 pixels, whether its centre is black. @param {Page} page */
export const endings = (page) =>
  page.locator('.ending canvas').evaluateAll((canvases) =>
    canvases.map((element) => {
      const { width } = /** @type {HTMLCanvasElement} */ (element);
      const copy = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(width, width).getContext('2d'));
      copy.drawImage(/** @type {HTMLCanvasElement} */ (element), 0, 0);
      const { data } = copy.getImageData(0, 0, width, width);
      return Array.from(
        { length: 784 },
        (_, i) =>
          data[4 * (Math.floor(((Math.floor(i / 28) + 0.5) * width) / 28) * width + Math.floor((((i % 28) + 0.5) * width) / 28))] < 128,
      );
    }),
  );

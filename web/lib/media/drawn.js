// SPDX-License-Identifier: MIT
// @ts-check

/** Reads the pixels of images a few rows at a time, because reading a photograph in one step would block the page for too long. */

import { argumentError } from '../base/error.js';
import { atOnce, inTurns } from '../base/turns.js';

/**
 * Some rows of an image; `first`: index of the first of these rows.
 * @typedef {{ rgba: Uint8Array | Uint8ClampedArray | number[], first: number }} Rows
 */
/** An image whose rows can be read repeatedly. A small image is read whole.
 * @typedef {{ width: number, height: number, rows: () => Generator<Rows, void, void> }} Source */

/** Number of pixels read per step. A step takes a few milliseconds. */
const AT_ONCE = 2 ** 18;

/** @param {number} width */
export const rowsAtOnce = (width) => Math.max(1, Math.floor(AT_ONCE / width));

/**
 * Runs a function on an image: synchronously or, if the image has many pixels, in chunks.
 *
 * @template T
 * @param {{ width: number, height: number }} image
 * @param {() => Generator<void, T, void>} work
 * @param {AbortSignal} [signal]
 * @returns {T | Promise<T>}
 */
export const worked = ({ width, height }, work, signal) => (width * height <= AT_ONCE ? atOnce(work()) : inTurns(work(), signal));

/** Maximum number of pixels of an image; photographs from phones have fewer. */
const MOST_PIXELS = 2 ** 26;

/** @param {number} width @param {number} height */
export function checkPixels(width, height) {
  if (!(width * height <= MOST_PIXELS))
    throw argumentError(`The image has ${width} x ${height} pixels, but at most ${MOST_PIXELS} can be read: make it smaller first`);
}

/** Returns the size of an image in pixels, which is independent of its size on the page. @param {any} image @returns {[number, number]} */
function sizeOf(image) {
  if ('naturalWidth' in image) return [image.naturalWidth, image.naturalHeight];
  if ('videoWidth' in image) return image.readyState >= 2 ? [image.videoWidth, image.videoHeight] : [0, 0];
  return 'displayWidth' in image ? [image.displayWidth, image.displayHeight] : [image.width, image.height];
}

/**
 * Runs a function on the pixels of an image, such as an <img> or a canvas. The image is read at its own size; for a video, the current
 * frame is read.
 *
 * @template T
 * @param {HTMLCanvasElement | OffscreenCanvas | ImageBitmap | HTMLImageElement | HTMLVideoElement | VideoFrame | ImageData} image
 * @param {(source: Source) => Generator<void, T, void>} work
 * @param {AbortSignal} [signal]
 * @returns {T | Promise<T>}
 */
export function drawn(image, work, signal) {
  const [width, height] = sizeOf(image);
  if (!(width > 0 && height > 0)) {
    throw argumentError(
      'naturalWidth' in image
        ? 'The <img> is not loaded: await image.decode() first'
        : 'videoWidth' in image
          ? 'The <video> shows no frame yet: await its event loadeddata first'
          : 'displayWidth' in image
            ? 'The VideoFrame was closed: it has no pixels'
            : 'The image has no pixels',
    );
  }
  checkPixels(width, height);
  if (typeof OffscreenCanvas !== 'function' && typeof document !== 'object') {
    throw argumentError('Without a DOM, an image must be { data, width, height }');
  }
  if (width * height <= AT_ONCE) return atOnce(work(drawnSource(image, width, height)));
  return drawnLater(image, (still) => inTurns(work(drawnSource(still, width, height)), signal));
}

/**
 * Takes a snapshot of the image and continues with it, because the page may paint on a canvas in the meantime, and a video keeps playing.
 *
 * @template T
 * @param {any} image
 * @param {(still: any) => Promise<T>} goOn
 */
async function drawnLater(image, goOn) {
  const stays = 'naturalWidth' in image || 'data' in image || typeof createImageBitmap !== 'function';
  const still = stays
    ? image
    : await createImageBitmap(image).catch((cause) => {
        throw unreadable(cause);
      });
  try {
    return await goOn(still);
  } finally {
    if (still !== image) still.close();
  }
}

/** @param {unknown} cause */
const unreadable = (cause) =>
  argumentError(`The image cannot be read (${cause}). An image from another origin needs crossorigin="anonymous"`);

/** @param {any} image @param {number} width @param {number} height @returns {Source} */
function drawnSource(image, width, height) {
  const high = Math.min(height, rowsAtOnce(width));
  return {
    width,
    height,
    *rows() {
      const canvas =
        typeof OffscreenCanvas === 'function'
          ? new OffscreenCanvas(width, high)
          : Object.assign(document.createElement('canvas'), { width, height: high });
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }));
      context.globalCompositeOperation = 'copy';
      for (let first = 0; first < height; first += high)
        yield { rgba: pixelsOf(image, context, [width, Math.min(high, height - first)], first), first };
    },
  };
}

/** @param {any} image @param {CanvasRenderingContext2D} context @param {number[]} size @param {number} first  row */
function pixelsOf(image, context, [width, high], first) {
  try {
    if ('data' in image)
      context.putImageData(image, 0, -first, 0, first, width, high); // putImageData() converts other colour spaces
    else context.drawImage(image, 0, -first);
    return context.getImageData(0, 0, width, high, { colorSpace: 'srgb' }).data;
  } catch (cause) {
    throw unreadable(cause);
  }
}

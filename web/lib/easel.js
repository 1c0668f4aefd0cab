// SPDX-License-Identifier: MIT
// @ts-check

import { argumentError, reading } from './error.js';

/** @import { Picture } from './draw.js' */

/** @import { Dom } from './dom.js' */
/** @typedef {Dom<'HTMLCanvasElement'> | Dom<'OffscreenCanvas'>} Canvas */

/** Shows pictures that are being drawn on canvases, at most once per animation frame. @internal */
export class Easel {
  /** @type {{ context: CanvasRenderingContext2D, x: number, picture: Picture }[]} */
  #places;
  /** Gives up a paint that was asked for. @type {(() => void) | undefined} */
  #cancel;

  /**
   * Sizes the canvases and paints the pictures as they are.
   *
   * @param {Canvas | Canvas[]} target  one canvas for all pictures side by side, or one for each
   * @param {Picture[]} pictures        of one size
   */
  constructor(target, pictures) {
    const canvases = Array.isArray(target) ? target : [target];
    const { width, height } = pictures[0];
    if (canvases.length !== 1 && canvases.length !== pictures.length) {
      throw argumentError(`drawTo() takes one canvas or ${pictures.length}, one a sample, not ${canvases.length}`);
    }
    const perCanvas = pictures.length / canvases.length;
    const contexts = canvases.map((canvas) => {
      const context = typeof canvas?.getContext === 'function' ? reading('canvas', () => canvas.getContext('2d')) : null;
      if (!context) throw argumentError('drawTo() needs a canvas with a 2D context; one in use for WebGL has none');
      canvas.width = width * perCanvas;
      canvas.height = height;
      return /** @type {CanvasRenderingContext2D} */ (context);
    });
    this.#places = pictures.map((picture, i) => ({
      picture, context: contexts[perCanvas === 1 ? i : 0], x: perCanvas === 1 ? 0 : i * width,
    }));
    this.paint();
  }

  /** Paints at the next animation frame. */
  paintSoon() {
    this.#cancel ??= atNextFrame(() => this.paint());
  }

  /** Paints now. */
  paint() {
    this.#cancel?.();
    this.#cancel = undefined;
    for (const { context, x, picture } of this.#places) context.putImageData(imageData(context, picture), x, 0);
  }
}

/**
 * @param {() => void} task
 * @returns {() => void} gives it up
 */
function atNextFrame(task) {
  if (typeof requestAnimationFrame === 'function') {
    const frame = requestAnimationFrame(task);
    return () => cancelAnimationFrame(frame);
  }
  const timer = setTimeout(task, 16);
  return () => clearTimeout(timer);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 */
function imageData(context, picture) {
  if (typeof ImageData === 'function' && picture instanceof ImageData) return picture;
  const image = context.createImageData(picture.width, picture.height); // a canvas library in Node
  image.data.set(picture.data);
  return image;
}

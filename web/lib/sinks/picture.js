// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Implements the sink for pictures. The sink shows pictures on canvases while they are drawn, with at most one paint per animation frame.
 */

import { argumentError } from '../base/error.js';
import { wrongAnswer } from '../base/checks.js';
import { heardBy } from '../base/heard-by.js';
import { classOf } from '../base/realm.js';
import { atNextFrame, contextOf } from './canvas.js';
import { paint, picture } from './pixels.js';

/** @import { Codec } from '../media/codec.js' */
/** @import { Canvas } from './canvas.js' */
/** @import { Picture } from './pixels.js' */

/**
 * @typedef {object} PictureSinkOptions
 * @property {number} [samples]  number of pictures. Default 1
 * @property {number} [gap]      number of blank columns between pictures side by side. Default 0
 * @property {() => (shown: Picture, given: Picture) => Picture} [colours]  called at each paint; the returned function colours a grey
 *   picture. In `given`, only the pixels of the input are opaque. Default: the colours are unchanged
 * @property {boolean} [later]   whether the canvas keeps its contents until the first step. Default false
 * @property {boolean} [calm]    whether pictures appear only when they are complete. Default false
 * @property {() => void} [onPaint]  called after each paint
 */

/** A target without canvases, on which nothing is shown. @type {Canvas[]} @internal */
export const NOWHERE = [];

export class PictureSink {
  #codec;
  #samples;
  #gap;
  #colours;
  #calm;
  /** @type {ReturnType<typeof heardBy<void>>} */
  #painted;
  /** An error that one of the caller's functions threw while nothing was waiting for the sink. @type {{ reason: unknown } | undefined} */
  #failed;
  /** Whether heard() has returned. After this call, no reader waits for the sink. */
  #over = false;
  /** A picture with only the given pixels. @type {Picture} */
  #given;
  /** @type {{ canvas: Canvas, context: CanvasRenderingContext2D }[]} */
  #shown;
  /** Cancels a requested paint. @type {(() => void) | undefined} */
  #cancel;

  /** The pictures as drawn so far, in the colours of the model. @type {Picture[]} */
  result;

  /**
   * @param {Canvas | Canvas[]} target  one canvas for all pictures side by side, or one for each picture
   * @param {Codec} codec
   * @param {Uint8Array} known          the elements that were given, in generation order
   * @param {PictureSinkOptions} [options]
   */
  constructor(target, codec, known, { samples = 1, gap = 0, colours, later = false, calm = false, onPaint } = {}) {
    const canvases = Array.isArray(target) ? target : [target];
    const one = canvases.length === 1;
    if (!one && canvases.length !== samples && canvases !== NOWHERE) {
      throw argumentError(`drawTo() takes one canvas or ${samples}, one per sample, not ${canvases.length}`);
    }
    this.#codec = codec;
    this.#samples = samples;
    this.#gap = one ? gap : 0;
    this.#colours = codec.info.channels === 1 ? colours : undefined;
    this.#calm = calm;
    this.#painted = heardBy(onPaint, (reason) => this.#fail(reason));
    this.#given = picture(codec, known);
    this.result = Array.from({ length: samples }, () => picture(codec, known));
    this.#shown = canvases.map((canvas) => ({ canvas, context: contextOf(canvas) }));
    if (!later) this.paint();
  }

  /** @param {{ sample: number, from: number, values: Uint8Array }} step */
  add({ sample, from, values }) {
    this.#check();
    paint(this.result[sample].data, this.#codec, from, values);
    if (!this.#calm) this.#cancel ??= atNextFrame(() => this.#paintAtFrame(), this.#shown[0]?.canvas);
  }

  #paintAtFrame() {
    try {
      this.paint();
    } catch (reason) {
      this.#fail(reason);
    }
  }

  /** Stops calling the caller's functions; readers that wait receive the error. @param {unknown} reason */
  #fail(reason) {
    if (this.#over) throw reason;
    this.#failed ??= { reason };
    this.#colours = undefined;
    this.#painted = heardBy(undefined, () => {});
  }

  #check() {
    const failed = this.#failed;
    this.#failed = undefined;
    if (failed) throw failed.reason;
  }

  /** Called when the pictures are complete or will no longer change. */
  end() {
    this.#check();
    this.paint();
  }

  /** Waits one turn of the event loop if `onPaint` is asynchronous, and throws the error with which `onPaint` failed, if any. */
  async heard() {
    await this.#painted.turn();
    this.#check();
    this.#over = true;
  }

  /** Cancels a requested paint. The canvases keep their contents. */
  close() {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Paints now, in the current colours. */
  paint() {
    this.close();
    const { width, height } = this.#codec.info;
    const perCanvas = this.#shown.length === 1 ? this.#samples : 1;
    for (const { canvas } of this.#shown) resize(canvas, widthOf(width, perCanvas, this.#gap), height);
    const colours = this.#colours?.();
    if (this.#colours && typeof colours !== 'function') throw wrongAnswer('colours must return a function synchronously', colours);
    this.#shown.forEach(({ context }, i) => {
      for (let j = 0; j < perCanvas; j++) {
        const one = this.result[i * perCanvas + j];
        const shown = colours ? colours(one, this.#given) : one;
        if (shown?.data?.length !== one.data.length)
          throw wrongAnswer('colours must return a picture of the same size synchronously', shown);
        context.putImageData(imageData(context, shown), j * (width + this.#gap), 0);
      }
    });
    this.#painted();
  }
}

/**
 * Returns the width of pictures side by side, in columns.
 *
 * @param {number} width    width of one picture
 * @param {number} samples
 * @param {number} gap
 * @internal
 */
export function widthOf(width, samples, gap) {
  return samples * (width + gap) - gap;
}

/**
 * @param {Canvas} canvas
 * @param {number} width
 * @param {number} height
 */
function resize(canvas, width, height) {
  if (canvas.width === width && canvas.height === height) return; // setting the same size would clear the canvas
  canvas.width = width;
  canvas.height = height;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 */
function imageData(context, picture) {
  if (classOf(picture) === 'ImageData') return /** @type {ImageData} */ (picture);
  // canvas libraries for Node accept only image data that the context created
  const image = context.createImageData(picture.width, picture.height);
  image.data.set(picture.data);
  return image;
}

// SPDX-License-Identifier: MIT
// @ts-check

/** Shows a picture with the words of its caption below it. The picture is bright where the model attends and dark elsewhere. */

import { media } from '../../base/media.js';
import { Sheet } from '../../sinks/sheet.js';
import { paintLit } from './light.js';

/** @import { Dom } from '../../base/dom.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */
/** @import { CaptionStep } from './caption-run.js' */

/**
 * @typedef {object} CaptionSheetOptions
 * @property {Dom<'Element'>} [mirror]  an element whose text is set to the caption
 * @property {number} [pace]  how long the attention of each word is shown, in milliseconds; at 0, everything is shown immediately. Default
 *   500, or 0 if the visitor prefers reduced motion
 */

const PACE = 500;
const LINE_HEIGHT = 1.4;
/** Maximum number of lines of words. */
const LINES = 2;

export class CaptionSheet extends Sheet {
  #scene;
  #pace;
  /** @type {CaptionStep[]} */
  #steps = [];
  #began = 0;
  #over = false;
  /** The text of the caption so far. */
  result;

  /**
   * @param {Canvas} canvas
   * @param {{ picture: Uint8Array, width: number, height: number, grid: { rows: number, columns: number }, before: string }} scene  before:
   *   the words that were drawn before the run was saved
   * @param {CaptionSheetOptions} [options]
   */
  constructor(canvas, scene, { mirror, pace = media('(prefers-reduced-motion: reduce)').matches ? 0 : PACE } = {}) {
    super(canvas, mirror);
    this.#scene = scene;
    this.#pace = pace;
    this.result = scene.before;
    this.paint();
  }

  /** @param {CaptionStep} step  a step of the first sample; steps of other samples are not shown */
  add(step) {
    if (step.sample > 0) return;
    if (this.#steps.length === 0) this.#began = performance.now();
    this.#steps.push(step);
    this.result += step.text;
    this.paintSoon();
  }

  /** Shows the complete caption. @override */
  end() {
    this.#over = true;
    super.end();
  }

  /**
   * Returns the index of the word whose attention is shown. After the last word, returns the number of words; no attention is shown then.
   */
  get #lit() {
    if (this.#pace === 0) return this.#over ? this.#steps.length : this.#steps.length - 1;
    const at = Math.floor((performance.now() - this.#began) / this.#pace);
    return Math.min(at, this.#over ? this.#steps.length : this.#steps.length - 1);
  }

  /** Paints now, in the current colours. @override */
  paint() {
    this.fit();
    super.paint();
    const { context, size } = this;
    const { ink, accent } = this.colours();
    const { picture, width, height, grid, before } = this.#scene;
    const lit = this.#steps.length === 0 ? -1 : this.#lit;
    const side = Math.max(1, Math.min(this.width / width, (this.height - LINES * LINE_HEIGHT * size) / height));
    const left = (this.width - side * width) / 2;
    const look = this.#steps[lit]?.maps?.[0].weights;
    paintLit(context, { picture, width, height, grid, weights: look }, { left, top: 0, width: side * width, height: side * height });
    context.font = this.font(size);
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    const words = [...before.split(' ').filter(Boolean), ...this.#steps.slice(0, lit + 1).map(({ word }) => word)];
    const space = context.measureText(' ').width;
    /** @type {{ words: { text: string, x: number, now: boolean }[], width: number }[]} */
    const lines = [{ words: [], width: 0 }];
    for (const [i, text] of words.entries()) {
      const wide = context.measureText(text).width;
      let line = lines[lines.length - 1];
      if (line.words.length > 0 && line.width + space + wide > this.width) lines.push((line = { words: [], width: 0 }));
      const x = line.words.length > 0 ? line.width + space : 0;
      line.words.push({ text, x, now: i === words.length - 1 && lit < this.#steps.length });
      line.width = x + wide;
    }
    for (const [row, line] of lines.entries()) {
      for (const { text, x, now } of line.words) {
        context.fillStyle = now ? accent : ink;
        context.fillText(text, (this.width - line.width) / 2 + x, side * height + (row + 0.5) * LINE_HEIGHT * size);
      }
    }
    if (this.#pace > 0 && lit >= 0 && lit < this.#steps.length && (this.#over || lit < this.#steps.length - 1)) this.paintSoon();
  }
}

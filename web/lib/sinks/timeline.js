// SPDX-License-Identifier: MIT
// @ts-check

/** A sheet with time as its horizontal axis. The sheet shows a range of the content, and a line at the time that is being played. */

import { Sheet } from './sheet.js';

/** @import { Dom } from '../base/dom.js' */
/** @import { Canvas } from './canvas.js' */

/**
 * The range to show, in the time unit of the sheet. Without `from`, the range starts at the beginning; without `to`, it extends to the end.
 * @typedef {{ from?: number, to?: number }} Stretch
 */

export class Timeline extends Sheet {
  /** @type {Stretch} */
  stretch;
  /** Whether all content has arrived. */
  ended = false;
  #cursor = -1;

  /** @param {Canvas} canvas @param {Stretch & { mirror?: Dom<'Element'> }} options */
  constructor(canvas, { from, to, mirror }) {
    super(canvas, mirror);
    this.stretch = { from, to };
  }

  /** Called when all content has arrived, or when no more will arrive. @override */
  end() {
    this.ended = true;
    super.end();
  }

  /** Shows a range. @param {number} [from] @param {number} [to] */
  show(from, to) {
    this.stretch = { from, to };
    this.paintSoon();
  }

  /** Draws a line at this time; a time below 0 removes the line. @param {number} time */
  set cursor(time) {
    this.#cursor = time;
    this.paintSoon();
  }

  /** Paints the cursor, if there is one. @param {(time: number) => number} x @param {number} thickness */
  paintCursor(x, thickness) {
    if (this.#cursor < 0) return;
    this.context.fillStyle = this.colours().ink;
    this.context.fillRect(Math.round(x(this.#cursor)), 0, thickness, this.height);
  }
}

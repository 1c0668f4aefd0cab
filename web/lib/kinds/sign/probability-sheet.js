// SPDX-License-Identifier: MIT
// @ts-check

/** Lists labels, the most probable one first, each with a bar proportional to its probability. */

import { Sheet } from '../../sinks/sheet.js';

/** @import { Classification, LabelProbability } from './classification.js' */
/** @import { Dom } from '../../base/dom.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */

/**
 * @typedef {object} ProbabilitySheetOptions
 * @property {Dom<'Element'>} [mirror]  an element whose text is set to the labels with their probabilities
 */

/** Height of a row, and width of the longest label, as multiples of the font size. */
const ROW = 1.6;
const LABEL = 6;
/** Opacity of a bar, which is drawn under the text. */
const SHADE = 0.6;

/** @param {LabelProbability} one */
const said = ({ label, p }) => `${label} ${Math.round(100 * p)} %`;

export class ProbabilitySheet extends Sheet {
  /** @type {LabelProbability[]} */
  #probabilities = [];
  /** The probabilities, for screen readers. */
  result = '';

  /**
   * @param {Canvas} canvas
   * @param {ProbabilitySheetOptions} [options]
   */
  constructor(canvas, { mirror } = {}) {
    super(canvas, mirror);
    this.paint();
  }

  /** @param {Classification} answer */
  add({ probabilities }) {
    this.#probabilities = probabilities;
    this.result = probabilities.map(said).join(', ');
    this.paintSoon();
  }

  /** Paints now, in the current colours. @override */
  paint() {
    this.fit();
    super.paint();
    const { context, width, height } = this;
    const { ink, accent, forced } = this.colours();
    const size = this.fitting((letters) => this.#probabilities.length * ROW * letters <= height);
    const row = ROW * size;
    const left = Math.min(LABEL * size, 0.4 * width);
    const right = 3.5 * size;
    const room = Math.max(0, width - left - right);
    context.textBaseline = 'middle';
    context.font = this.font(size);
    for (const [i, { label, p }] of this.#probabilities.slice(0, Math.floor(height / row)).entries()) {
      const middle = (i + 0.5) * row;
      context.fillStyle = ink;
      context.textAlign = 'right';
      context.fillText(label, left - 0.5 * size, middle, left - 0.5 * size);
      context.fillText(`${Math.round(100 * p)} %`, width, middle, right);
      context.fillStyle = accent;
      context.globalAlpha = forced ? 1 : SHADE;
      context.fillRect(left, middle - 0.35 * row, Math.max(1, p * room), 0.7 * row);
      context.globalAlpha = 1;
    }
  }
}

// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Draws the words of a parse, and arcs from heads to their dependents. The line of a more probable arc is thicker. The words are in a line
 * or, if the canvas is too narrow for a line, in a column with the arcs next to it. Words that still do not fit are replaced by an
 * ellipsis.
 */

import { Sheet } from '../../sinks/sheet.js';
import { arcsOf, depthOf, widest } from './arcs.js';

/** @import { Dom } from '../../base/dom.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */
/** @import { Arc } from './arcs.js' */
/** @import { Parse } from './parse.js' */

/**
 * @typedef {object} ArcSheetOptions
 * @property {Dom<'Element'>} [mirror]  an element whose text is set to the words, each with its head and its probability
 */

const LINE_HEIGHT = 1.4;
/** Gap between words, as a multiple of the font size. */
const GAP = 0.8;
/**
 * The smallest font size for words in a line, as a fraction of the page's font size. If the words do not fit in a line at this size, they
 * are listed in a column.
 */
const SMALLEST_IN_LINE = 0.7;
/**
 * Length of an arrowhead, and the distance between the arc that ends at a word and the arcs that start there, as multiples of the font
 * size.
 */
const HEAD = 0.35;
const BESIDE = 0.25;
/** Stroke widths of an arc, in CSS pixels: for a probability near 0, and for the probability 1. */
const THIN = 0.5;
const THICK = 2;
const ELLIPSIS = '\u2026';

export class ArcSheet extends Sheet {
  #words;
  /** @type {Parse | undefined} */
  #parse;
  /** The words with their heads, for screen readers. */
  result;

  /**
   * @param {Canvas} canvas
   * @param {string[]} words
   * @param {ArcSheetOptions} [options]
   */
  constructor(canvas, words, { mirror } = {}) {
    super(canvas, mirror);
    this.#words = words;
    this.result = words.join(' ');
    this.paint();
  }

  /** @param {Parse} parse  the parse of the words that are shown, with its marginals */
  add(parse) {
    this.#parse = parse;
    const { words, heads, marginals = [] } = parse;
    this.result = words
      .map((word, m) => {
        const percent = Math.round(100 * marginals[m * (words.length + 1) + heads[m]]);
        return `${word} (${heads[m] ? `of ${words[heads[m] - 1]}` : 'root'} ${percent} %)`;
      })
      .join(' ');
    this.paintSoon();
  }

  /** Paints now, in the current colours. @override */
  paint() {
    this.fit();
    super.paint();
    const size = this.#lineSize();
    if (size > 0) this.#paintLine(size);
    else this.#paintColumn();
  }

  /** Returns the width of a string. @param {string} text @param {number} size */
  #measure(text, size) {
    this.context.font = this.font(size);
    return this.context.measureText(text).width;
  }

  /** Returns the largest font size at which all words fit in a line, or 0 if they do not fit. */
  #lineSize() {
    for (let { size } = this; size >= SMALLEST_IN_LINE * this.size; size *= 0.95) {
      const width = this.#words.reduce((sum, word) => sum + this.#measure(word, size) + GAP * size, -GAP * size);
      if (width <= this.width) return size;
    }
    return 0;
  }

  /** @param {number} size */
  #paintLine(size) {
    const { context } = this;
    const line = LINE_HEIGHT * size;
    const widths = this.#words.map((word) => this.#measure(word, size));
    const all = widths.reduce((sum, width) => sum + width + GAP * size, -GAP * size);
    let x = Math.max(0, (this.width - all) / 2);
    const base = this.height - line;
    const centres = widths.map((width) => {
      const centre = x + width / 2;
      x += width + GAP * size;
      return centre;
    });
    context.font = this.font(size);
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillStyle = this.colours().ink;
    this.#words.forEach((word, m) => context.fillText(word, centres[m], base + line / 2));
    this.#paintArcs(centres, size, base - 2, (along, deep) => [along, base - deep]);
  }

  #paintColumn() {
    const { context } = this;
    const size = this.fitting((letters) => LINE_HEIGHT * letters * this.#words.length <= this.height);
    const line = LINE_HEIGHT * size;
    const room = Math.max(1, Math.floor(this.height / line));
    const cut = this.#words.length > room;
    const shown = cut ? [...this.#words.slice(0, room - 1), ELLIPSIS] : this.#words;
    const left = Math.min(0.6 * this.width, Math.max(...shown.map((word) => this.#measure(word, size)))) + BESIDE * size;
    context.font = this.font(size);
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.fillStyle = this.colours().ink;
    const centres = shown.map((_, m) => (m + 0.5) * line);
    shown.forEach((word, m) => context.fillText(word, left - BESIDE * size, centres[m], left));
    this.#paintArcs(cut ? centres.slice(0, -1) : centres, size, this.width - left - 2, (along, deep) => [left + deep, along]);
  }

  /**
   * @param {number[]} centres  centres of the words that are shown, along the line or the column
   * @param {number} size       font size
   * @param {number} room       space for the arcs, across the line or column
   * @param {(along: number, deep: number) => [number, number]} place
   */
  #paintArcs(centres, size, room, place) {
    if (!this.#parse) return;
    const arcs = arcsOf(this.#parse).filter(({ head, child }) => head <= centres.length && child <= centres.length);
    const most = widest(arcs);
    const { context } = this;
    const { accent, forced } = this.colours();
    context.strokeStyle = context.fillStyle = accent;
    for (const arc of arcs) {
      context.lineWidth = THIN + (THICK - THIN) * arc.p;
      context.globalAlpha = forced ? 1 : 0.15 + 0.85 * arc.p;
      this.#paintArc(arc, centres, size, room * depthOf(arc, most), room, place);
    }
    context.globalAlpha = 1;
  }

  /**
   * @param {Arc} arc
   * @param {number[]} centres
   * @param {number} size
   * @param {number} deep
   * @param {number} room
   * @param {(along: number, deep: number) => [number, number]} place
   */
  #paintArc({ head, child, best }, centres, size, deep, room, place) {
    const { context } = this;
    const to = centres[child - 1];
    const tip = best ? HEAD * size : 0;
    context.beginPath();
    if (head === 0) {
      context.moveTo(...place(to, room));
      context.lineTo(...place(to, tip));
    } else {
      const from = centres[head - 1] + Math.sign(child - head) * BESIDE * size;
      const [a, b, c] = [place(from, deep * 1.3), place(to, deep * 1.3), place(to, tip)];
      context.moveTo(...place(from, 0));
      context.bezierCurveTo(...a, ...b, ...c);
    }
    context.stroke();
    if (!best) return;
    context.beginPath();
    context.moveTo(...place(to, 0));
    context.lineTo(...place(to - tip / 2, tip));
    context.lineTo(...place(to + tip / 2, tip));
    context.fill();
  }
}

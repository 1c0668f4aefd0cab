// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Draws a translation above its source sentence, while the translation is being written. Bands join the words; the width of a band shows
 * the attention weight between its two words.
 */

import { wrongAnswer } from '../../base/checks.js';
import { levelsOf, edgesOf } from '../../sinks/bidi.js';
import { Sheet } from '../../sinks/sheet.js';
import { END, append, bandOf, looksOf, sourceOf } from './aligned-words.js';

/** @import { Dom } from '../../base/dom.js' */
/** @import { Word } from './aligned-words.js' */
/** @import { TranslationStep } from './translation-run.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */

/**
 * @typedef {object} AlignedSheetOptions
 * @property {Dom<'Element'>} [mirror]  an element whose text is set to the translation
 * @property {(step: TranslationStep) => ArrayLike<number>} [weights]  returns the weights to draw for a step, one for each token of the
 *   sentence. Default: `step.alignment`
 */

/** A word with its layout in CSS pixels. `x`: the left edge of the word; `y`: the middle of its line; `reversed`: whether the word is read
 * from right to left.
 * @typedef {Word & { x: number, y: number, width: number, reversed: boolean }} Placed */
/** The layout of both texts: the font size, whether one of the texts takes several lines, and a function that returns the ends of a band
 * between two words.
 * @typedef {{ size: number, above: Placed[], below: Placed[], broken: boolean, ends: (word: Placed, other: Placed) => [Point, Point], upright: boolean }} Layout */
/** @typedef {[number, number]} Point */

const LINE_HEIGHT = 1.5;
/** Line height of words in a column. */
const WORD_HEIGHT = 1.3;
/** Minimum gap between two columns of words, as a fraction of the width. */
const LEAST_BETWEEN = 0.25;
/** Smallest font size in columns, in CSS pixels. */
const LEAST_LETTERS = 11;
/** Gap between words, as a multiple of the width of a space. */
const GAP = 1.5;
/** The minimum distance between the two texts, as a multiple of the font size. */
const LEAST_GAP = 3;

export class AlignedSheet extends Sheet {
  #weights;
  /** @type {Word[]} */
  #source;
  /** @type {Word[]} */
  #target = [];
  /** For each token of the translation, its weights over the tokens of the sentence. @type {ArrayLike<number>[]} */
  #rows = [];
  /** The translation so far. */
  result = '';

  /**
   * @param {Canvas} canvas
   * @param {string[]} source  the text of each token of the sentence; the last token is the end
   * @param {AlignedSheetOptions} [options]
   */
  constructor(canvas, source, { mirror, weights = ({ alignment }) => alignment ?? [] } = {}) {
    super(canvas, mirror);
    this.#weights = weights;
    this.#source = sourceOf(source);
    this.paint();
  }

  /**
   * @param {TranslationStep | { text: string }} step  a step without a token contains text that was written earlier; its weights are
   *   unknown
   */
  add(step) {
    const row = 'token' in step ? this.#weights(step) : [];
    if (!(Object(row).length >= 0)) throw wrongAnswer('weights must return a list of numbers synchronously', row);
    append(this.#target, step.text, this.#rows.length);
    this.#rows.push(row);
    this.result += step.text;
    this.paintSoon();
  }

  /** Paints now, in the current colours. @override */
  paint() {
    this.fit();
    super.paint();
    const { context } = this;
    const { ink, accent, forced } = this.colours();
    const { above, below, size, ends, upright } = this.#layOut();
    /** @type {{ from: Point, to: Point, weight: number }[]} */
    const bands = [];
    for (const word of above) {
      for (const { at, weight } of looksOf(word, below, this.#rows)) {
        const [from, to] = ends(word, below[at]);
        bands.push({ from, to, weight });
      }
    }
    context.strokeStyle = accent;
    context.lineCap = 'round';
    for (const {
      from: [x0, y0],
      to: [x1, y1],
      weight,
    } of bands.sort((a, b) => a.weight - b.weight)) {
      const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
      const { alpha, width } = bandOf(weight, size);
      context.globalAlpha = alpha;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(x0, y0);
      if (upright) context.bezierCurveTo(x0, y, x1, y, x1, y1);
      else context.bezierCurveTo(x, y0, x, y1, x1, y1);
      context.stroke();
    }
    context.font = this.font(size);
    context.fillStyle = ink;
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    for (const [words, alpha] of /** @type {[Placed[], number][]} */ ([
      [above, 1],
      [below, 0.8],
    ])) {
      for (const { text, x, y, reversed } of words) {
        context.direction = reversed ? 'rtl' : 'ltr';
        context.globalAlpha = forced ? 1 : text === END ? 0.4 : alpha;
        context.fillText(text, x, y);
      }
    }
    context.globalAlpha = 1;
  }

  /**
   * Places the translation above the sentence. If one of the texts takes several lines, bands would cross the other lines of this text. The
   * texts are then placed in columns if the columns fit.
   *
   * @returns {Layout}
   */
  #layOut() {
    const rows = this.#inRows();
    const columns = rows.broken ? this.#inColumns() : undefined;
    return columns && columns.size >= Math.min(rows.size, LEAST_LETTERS) ? columns : rows;
  }

  /** @returns {Layout} */
  #inRows() {
    /** @type {Placed[]} */
    let above = [];
    /** @type {Placed[]} */
    let below = [];
    let lines = [1, 1];
    const size = this.fitting((letters) => {
      const leading = LINE_HEIGHT * letters;
      above = this.#inLines(this.#target, letters);
      below = this.#inLines(this.#source, letters);
      lines = [above, below].map((words) => Math.round((words[words.length - 1]?.y ?? 0) / leading + 0.5) || 1);
      const floor = this.height - lines[1] * leading; // top edge of the lines of the sentence
      for (const word of below) word.y += floor;
      return (lines[0] + lines[1]) * leading + LEAST_GAP * letters <= this.height;
    });
    const drop = 0.45 * LINE_HEIGHT * size;
    return {
      size,
      above,
      below,
      broken: lines[0] + lines[1] > 2,
      upright: true,
      ends: (word, other) => [
        [word.x + word.width / 2, word.y + drop],
        [other.x + other.width / 2, other.y - drop],
      ],
    };
  }

  /** Sets one word per line, with the translation on the left. @returns {Layout | undefined} */
  #inColumns() {
    const { context, width, height } = this;
    /** @type {Placed[][]} */
    let sides = [];
    let fits = false;
    const size = this.fitting((letters) => {
      context.font = this.font(letters);
      const leading = WORD_HEIGHT * letters;
      sides = [this.#target, this.#source].map((words) =>
        words.map((word, i) => ({
          ...word,
          x: 0,
          y: (i + 0.5) * leading,
          width: context.measureText(word.text).width,
          reversed: levelsOf(word.text).base === 1,
        })),
      );
      const [left, right] = sides.map((words) => Math.max(0, ...words.map((word) => word.width)));
      for (const word of sides[0]) word.x = left - word.width;
      for (const word of sides[1]) word.x = width - right;
      fits = left + right + LEAST_BETWEEN * width <= width && Math.max(...sides.map(({ length }) => length)) * leading <= height;
      return fits;
    });
    const [above, below] = sides;
    const space = 0.4 * size;
    return fits
      ? {
          size,
          above,
          below,
          broken: false,
          upright: false,
          ends: (word, other) => [
            [word.x + word.width + space, word.y],
            [other.x - space, other.y],
          ],
        }
      : undefined;
  }

  /**
   * Arranges words in lines, with the first line at the top. Within a line, the words run in their reading direction.
   *
   * @param {Word[]} words
   * @param {number} size
   * @returns {Placed[]}
   */
  #inLines(words, size) {
    this.context.font = this.font(size);
    const space = this.context.measureText(' ').width;
    const { base, levels } = levelsOf(words.map(({ text, tight }) => (tight ? text : ` ${text}`)).join(''));
    /** The words and the gaps between them. @type {{ word?: Word, width: number, level: number }[][]} */
    const lines = [[]];
    let x = 0;
    let at = 0;
    for (const word of words) {
      const { width } = this.context.measureText(word.text);
      const gap = x > 0 && !word.tight ? GAP * space : 0;
      if (gap > 0 && x + gap + width > this.width) {
        x = 0;
        lines.push([]);
      } else {
        x += gap;
        lines[lines.length - 1].push({ width: gap, level: levels[at] });
      }
      const from = at + (word.tight ? 0 : 1);
      at = from + word.text.length;
      lines[lines.length - 1].push({ word, width, level: Math.min(2, ...levels.slice(from, at)) });
      x += width;
    }
    return lines.flatMap((parts, line) => {
      const edges = edgesOf(parts, base, this.width);
      return parts.flatMap(({ word, width, level }, i) =>
        word ? { ...word, x: edges[i], y: (line + 0.5) * LINE_HEIGHT * size, width, reversed: level % 2 === 1 } : [],
      );
    });
  }
}

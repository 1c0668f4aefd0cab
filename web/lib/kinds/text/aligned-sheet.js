// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Sets a translation above its sentence while it is being written, with bands between the words as wide as the weight with which one
 * looked at the other.
 */

import { levelsOf, edgesOf } from '../../sinks/bidi.js';
import { Sheet } from '../../sinks/sheet.js';

/** @import { Dom } from '../../base/dom.js' */
/** @import { TranslateStep } from './translate.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */

/**
 * @typedef {object} AlignedSheetOptions
 * @property {Dom<'Element'>} [mirror]  gets the translation as its own text
 * @property {(step: TranslateStep) => ArrayLike<number>} [weights]  what is drawn of a step, one weight for each token of the sentence.
 *   Default: `step.alignment`
 */

/** A word or a sign: its text, which tokens it is made of, and whether it follows without a space.
 * @typedef {{ text: string, tokens: number[], tight: boolean }} Word */
/** A word in its place: left edge, line and width in CSS pixels, and whether it is read from the right.
 * @typedef {Word & { x: number, line: number, width: number, reversed: boolean }} Placed */

const LINE_HEIGHT = 1.5;
/** Between words, in spaces. */
const GAP = 1.5;
/** Between the two texts at least so many times the height of the letters. */
const LEAST_GAP = 3;
/** A weight below this is not drawn. */
const LEAST_WEIGHT = 0.04;
/** Stands for the token that ends the sentence. */
const END = '\u2022';

export class AlignedSheet extends Sheet {
  #weights;
  /** @type {Word[]} */
  #source;
  /** @type {Word[]} */
  #target = [];
  /** The weights of each token of the translation, over the tokens of the sentence. @type {ArrayLike<number>[]} */
  #rows = [];
  /** The translation so far. */
  result = '';

  /**
   * @param {Canvas} canvas
   * @param {string[]} source  texts of the tokens of the sentence, the last one its end
   * @param {AlignedSheetOptions} [options]
   */
  constructor(canvas, source, { mirror, weights = ({ alignment }) => alignment ?? [] } = {}) {
    super(canvas, mirror);
    this.#weights = weights;
    this.#source = [];
    source.forEach((text, i) => append(this.#source, text === '' && i === source.length - 1 ? ` ${END}` : text, i));
    this.paint();
  }

  /** @param {TranslateStep | { text: string }} step  without a token: what was told before, of which no weights are known */
  add(step) {
    append(this.#target, step.text, this.#rows.length);
    this.#rows.push('token' in step ? this.#weights(step) : []);
    this.result += step.text;
    this.paintSoon();
  }

  /** Paints now, in the colours of the moment. @override */
  paint() {
    this.fit();
    super.paint();
    const { context } = this;
    const { ink, accent, forced } = this.colours();
    /** @type {Placed[]} */
    let above = [];
    /** @type {Placed[]} */
    let below = [];
    const size = this.fitting((letters) => {
      above = this.#layOut(this.#target, this.font(letters));
      below = this.#layOut(this.#source, this.font(letters));
      return (linesOf(above) + linesOf(below)) * LINE_HEIGHT * letters + LEAST_GAP * letters <= this.height;
    });
    const leading = LINE_HEIGHT * size;
    const floor = this.height - linesOf(below) * leading; // where the sentence begins
    const drop = 0.45 * leading;
    /** @type {{ from: [number, number], to: [number, number], weight: number }[]} */
    const bands = [];
    for (const word of above) {
      for (const other of below) {
        const weight = this.#weight(word, other);
        if (weight < LEAST_WEIGHT) continue;
        bands.push({
          from: [word.x + word.width / 2, word.line * leading + leading / 2 + drop],
          to: [other.x + other.width / 2, floor + other.line * leading + leading / 2 - drop], weight,
        });
      }
    }
    context.strokeStyle = accent;
    context.lineCap = 'round';
    for (const { from: [x0, y0], to: [x1, y1], weight } of bands.sort((a, b) => a.weight - b.weight)) {
      const half = (y0 + y1) / 2;
      context.globalAlpha = 0.12 + 0.6 * weight;
      context.lineWidth = Math.max(1, 0.6 * size * weight);
      context.beginPath();
      context.moveTo(x0, y0);
      context.bezierCurveTo(x0, half, x1, half, x1, y1);
      context.stroke();
    }
    context.font = this.font(size);
    context.fillStyle = ink;
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    for (const [words, top, alpha] of /** @type {[Placed[], number, number][]} */ ([[above, 0, 1], [below, floor, 0.8]])) {
      for (const { text, x, line, reversed } of words) {
        context.direction = reversed ? 'rtl' : 'ltr';
        context.globalAlpha = forced ? 1 : text === END ? 0.4 : alpha;
        context.fillText(text, x, top + (line + 0.5) * leading);
      }
    }
    context.globalAlpha = 1;
  }

  /**
   * The attention of a word of the translation to one of the sentence: summed over the tokens of the latter, averaged over those of the former.
   *
   * @param {Word} word
   * @param {Word} other
   */
  #weight(word, other) {
    let sum = 0;
    for (const token of word.tokens) for (const key of other.tokens) sum += this.#rows[token][key] ?? 0;
    return Math.min(1, sum / word.tokens.length); // bits of characters may add up to more
  }

  /**
   * Words in lines, broken where they must and set in the direction in which they are read.
   *
   * @param {Word[]} words
   * @param {string} font
   * @returns {Placed[]}
   */
  #layOut(words, font) {
    this.context.font = font;
    const space = this.context.measureText(' ').width;
    const { base, levels } = levelsOf(words.map(({ text, tight }) => (tight ? text : ` ${text}`)).join(''));
    /** Words and the gaps between them. @type {{ word?: Word, width: number, level: number }[][]} */
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
      return parts.flatMap(({ word, width, level }, i) => (word ? { ...word, x: edges[i], line, width, reversed: level % 2 === 1 } : []));
    });
  }
}

/**
 * Adds a token to words, of which white space begins another one; a sign such as a full stop is one by itself.
 *
 * @param {Word[]} words
 * @param {string} text
 * @param {number} token
 */
function append(words, text, token) {
  const last = words[words.length - 1];
  const sign = /^[.,;:!?…]/.test(text);
  if (last && !sign && !/^\s/.test(text)) {
    last.text += text;
    last.tokens.push(token);
  } else {
    words.push({ text: text.trimStart(), tokens: [token], tight: sign });
  }
}

/** @param {Placed[]} words */
function linesOf(words) {
  return words.length === 0 ? 1 : words[words.length - 1].line + 1;
}

// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Draws text on a canvas while the text is being written. A word of several tokens is measured and drawn as a whole, so that its letters
 * join as the script requires; each token is a range of the word with its own shade. text-lines.js breaks words into lines in reading
 * order; text-order.js then computes the position of each word, for both writing directions.
 */

import { media } from '../../base/media.js';
import { isBidirectional } from '../../sinks/bidi.js';
import { Sheet } from '../../sinks/sheet.js';
import { endsSentence } from './sentence-end.js';
import { shadeOf } from './surprise.js';
import { TextLines } from './text-lines.js';
import { arranged, boxesOf } from './text-order.js';

/** @import { Dom } from '../../base/dom.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */
/** @import { Box, Piece } from './text-order.js' */

/**
 * @typedef {object} TextSheetOptions
 * @property {Dom<'Element'>} [mirror]   an element whose text content is set to the text, for screen readers
 * @property {boolean} [shade]    whether the background of each token shows its surprisal; a token with probability 1 has no shade. Default
 *   true
 * @property {boolean} [caret]    whether there is a caret at the end while the text is being written. Default true
 */

/** The opacity of the darkest shade. */
const FULL_SHADE = 0.6;
/** The maximum thickness of the line under a token, in CSS pixels. This line replaces the shade in forced-colors mode. */
const FULL_LINE = 4;
/** Opacity of given text. */
const GIVEN_ALPHA = 0.72;
const LINE_HEIGHT = 1.55;
/** Maximum number of characters in the text for screen readers; the canvas shows fewer characters. */
const KEPT_TEXT = 100_000;
/**
 * Milliseconds between two updates of the text for screen readers: updating a long text costs the browser time even if the text is not
 * visible.
 */
const TOLD_MS = 200;

export class TextSheet extends Sheet {
  #shade;
  #caret;
  #lines = new TextLines(this);
  #count = 0;
  #text = '';
  /** The drawn text so far, without the given text. */
  result = '';
  #toldAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #telling;
  #writing = true;
  /** Whether any text is read from right to left. */
  #bidirectional = false;
  /** The index of the marked token. */
  #marked = -1;
  /** Whether the visitor prefers reduced motion. If so, the text appears sentence by sentence. */
  #calm = media('(prefers-reduced-motion: reduce)').matches;

  /**
   * @param {Canvas} canvas
   * @param {TextSheetOptions} [options]
   */
  constructor(canvas, { mirror, shade = true, caret = true } = {}) {
    super(canvas, mirror);
    this.#shade = shade;
    this.#caret = caret;
    this.#refit();
    this.paint();
  }

  /** Returns the number of tokens added so far. */
  get count() {
    return this.#count;
  }

  /**
   * Adds a token or a given text.
   *
   * @param {{ text: string, nats?: number, given?: boolean }} token
   */
  add({ text, nats = 0, given = false }) {
    const index = this.#count++;
    this.#writing = true;
    this.#text += text;
    if (!given) this.result += text;
    this.#bidirectional ||= isBidirectional(text);
    if (this.#text.length > 2 * KEPT_TEXT) this.#text = this.#text.slice(-KEPT_TEXT);
    this.#lines.add(text, { index, from: 0, to: 0, nats, given });
    this.#lines.forget(this.#rows);
    if (!this.#calm || endsSentence(text)) this.paintSoon();
  }

  /** Called when the text is complete: the caret disappears. @override */
  end() {
    this.#writing = false;
    this.paint();
  }

  /** Removes the listeners on the window. The canvas keeps its contents. @override */
  close() {
    clearTimeout(this.#telling);
    super.close();
  }

  /** Removes all text. */
  clear() {
    this.#lines.clear();
    this.#count = 0;
    this.#text = this.result = '';
    this.#bidirectional = false;
    this.#writing = true;
    this.#marked = -1;
    this.paintSoon();
  }

  /** Marks a token; -1 removes the mark. @param {number} index */
  mark(index) {
    this.#marked = index;
    this.paintSoon();
  }

  /**
   * Returns the index of the token at a point.
   *
   * @param {number} x  distance from the left edge of the canvas, in CSS pixels
   * @param {number} y
   * @returns {number} -1 if there is no token
   */
  tokenAt(x, y) {
    for (const { index, box } of this.#boxes()) {
      if (x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height) return index;
    }
    return -1;
  }

  /**
   * Returns the boxes of a token in the current layout.
   *
   * @param {number} index
   * @returns {Box[]} one box for each line that the token is on; empty when the token is not visible
   */
  boxesOf(index) {
    return this.#boxes()
      .filter((one) => one.index === index)
      .map(({ box }) => box);
  }

  /** Paints now, in the current colours. @override */
  paint() {
    super.paint();
    const { context } = this;
    const { ink, surprise, forced } = this.colours();
    context.font = this.#font;
    context.textBaseline = 'alphabetic';
    context.textAlign = 'left';
    const leading = this.#leading;
    const baseline = 0.5 * (leading + 0.7 * this.size);
    const { pieces, caret } = this.#arranged();
    for (const { index, nats, given, box } of this.#boxes(pieces)) {
      const shade = !this.#shade || given ? 0 : FULL_SHADE * shadeOf(nats);
      if (shade > 0.01) {
        // In forced-colors mode, a shade could hide the letters, so a line under the token replaces the shade. A darker shade becomes a
        // thicker line.
        const thick = forced ? Math.max(1, (shade / FULL_SHADE) * FULL_LINE) : box.height - 2;
        context.globalAlpha = forced ? 1 : shade;
        context.fillStyle = surprise;
        context.fillRect(box.x, box.y + box.height - 1 - thick, box.width, thick);
      }
      if (index === this.#marked) {
        context.globalAlpha = 1;
        context.strokeStyle = ink;
        context.lineWidth = 1.5;
        context.strokeRect(box.x, box.y + 1.5, box.width, box.height - 3);
      }
    }
    context.globalAlpha = 1;
    context.fillStyle = ink;
    const top = this.#top;
    for (const { text, x, line, width, reversed, stretches } of pieces) {
      const y = (line - top) * leading;
      context.direction = reversed ? 'rtl' : 'ltr';
      const given = Math.max(0, ...stretches.filter((stretch) => stretch.given).map(({ to }) => to));
      context.globalAlpha = given > 0 && !forced ? GIVEN_ALPHA : 1;
      if (given === 0 || given >= text.length) {
        context.fillText(text, x, y + baseline);
        continue;
      }
      // The first part of a word can belong to the given text, and the rest can belong to the drawn text, for example a drawn comma after a
      // given word. Each part has its own opacity.
      const cut = context.measureText(text.slice(0, given)).width;
      const edge = reversed ? x + width - cut : x + cut;
      const sides = [edge - this.width, edge]; // left edges of the given part and of the drawn part
      for (const side of reversed ? sides.reverse() : sides) {
        context.save();
        context.beginPath();
        context.rect(side, y, this.width, 2 * leading);
        context.clip();
        context.fillText(text, x, y + baseline);
        context.restore();
        context.globalAlpha = 1;
      }
    }
    context.globalAlpha = 1;
    if (this.#writing && this.#caret) {
      context.fillRect(
        Math.max(0, Math.min(caret, this.width - 2)),
        (this.#lines.line - top) * leading + baseline - 0.8 * this.size,
        2,
        this.size,
      );
    }
    this.#tell();
  }

  /** Writes the text for screen readers. */
  #tell() {
    clearTimeout(this.#telling);
    const wait = this.#writing ? this.#toldAt + TOLD_MS - performance.now() : 0;
    if (wait > 0) {
      this.#telling = setTimeout(() => this.#tell(), wait);
      return;
    }
    this.#toldAt = performance.now();
    this.tell(this.#text.length > KEPT_TEXT ? this.#text.slice(-KEPT_TEXT) : this.#text);
  }

  get #font() {
    return this.font(this.size);
  }

  get #leading() {
    return LINE_HEIGHT * this.size;
  }

  /** Returns the number of lines that fit on the canvas. */
  get #rows() {
    return Math.max(1, Math.floor(this.height / this.#leading));
  }

  /** Returns the index of the first visible line. */
  get #top() {
    return Math.max(0, this.#lines.line + 1 - this.#rows);
  }

  /** Returns the visible pieces with their positions, and the position of the caret. */
  #arranged() {
    const { width } = this;
    this.context.font = this.#font;
    return arranged(this.#lines, { top: this.#top, rows: this.#rows, width, bidirectional: this.#bidirectional }, this.#widthOf);
  }

  /** Returns the visible ranges of all tokens, each with its box on the canvas. @param {Piece[]} [pieces] */
  #boxes(pieces = this.#arranged().pieces) {
    this.context.font = this.#font;
    return boxesOf(pieces, { top: this.#top, leading: this.#leading }, this.#widthOf);
  }

  /** Returns the width of a string in the font of the context. @param {string} text */
  #widthOf = (text) => this.context.measureText(text).width;

  /** Breaks all words into lines again if the size, the resolution or the font has changed. */
  #refit() {
    if (this.fit()) this.#lines.reflow();
  }

  /** @override */
  changed() {
    this.#refit();
    this.paintSoon();
  }

  /** @override */
  fontLoaded() {
    this.#lines.reflow();
    this.paintSoon();
  }
}

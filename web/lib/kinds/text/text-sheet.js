// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Draws text on a canvas while it is being written. A word of several tokens is measured and drawn as a whole, so that letters join as
 * their script requires; each token is a range of it with its own shade. Words are broken into lines in reading order; for right-to-left
 * text, bidi.js then gives the position of each in its line.
 */

import { media } from '../../base/media.js';
import { isBidirectional, levelsOf, edgesOf } from '../../sinks/bidi.js';
import { Sheet } from '../../sinks/sheet.js';
import { endsSentence } from './sentence-end.js';
import { shadeOf } from './surprise.js';

/** @import { Dom } from '../../base/dom.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */

/**
 * @typedef {object} TextSheetOptions
 * @property {Dom<'Element'>} [mirror]   shows the text as its own
 * @property {boolean} [shade]    whether the background of each token shows its surprisal: clear if it was certain. Default true
 * @property {boolean} [caret]    whether there is a caret at the end while the text is written. Default true
 */

/** A range of a word that belongs to one token.
 * @typedef {{ index: number, from: number, to: number, nats: number, given: boolean }} Stretch */
/** `space`: width of the space before it; `line` counts from the first line of all.
 * @typedef {{ text: string, stretches: Stretch[], x: number, line: number, width: number }} Word */
/** A piece is drawn in one call: a word, or a part of it with a single direction.
 * @typedef {{ text: string, stretches: Stretch[], x: number, line: number, width: number, reversed: boolean }} Piece */
/** In CSS pixels, from the corner of the canvas. @typedef {{ x: number, y: number, width: number, height: number }} Box */

/** The opacity of the full shade. */
const FULL_SHADE = 0.6;
/** The same as a line under the token, in CSS pixels. */
const FULL_LINE = 4;
/** Opacity of given text. */
const GIVEN_ALPHA = 0.72;
/** Number of lines kept above the visible ones, for a page that becomes narrower. */
const KEPT_LINES = 500;
const LINE_HEIGHT = 1.55;
/** The most characters in the text for screen readers; the canvas shows fewer. */
const KEPT_TEXT = 100_000;
/** Milliseconds between two updates of that text: updating a long text is work for the browser even if it is not visible. */
const TOLD_MS = 200;

/** The most characters of a word that are set in one piece: a text without spaces would be measured whole for each of its lines. */
const SOME = /.{1,64}/gsu;

export class TextSheet extends Sheet {
  #shade;
  #caret;
  /** Every kept word and line break, in order. @type {Word[]} */
  #words = [];
  /** The word that the next letters continue. @type {Word | undefined} */
  #open;
  /** The next word begins at this x, in CSS pixels. */
  #x = 0;
  #line = 0;
  #count = 0;
  #text = '';
  /** The added text, without the given one. */
  result = '';
  #toldAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #telling;
  #writing = true;
  /** Whether any text is read from right to left. */
  #bidirectional = false;
  /** The index of the marked token. */
  #marked = -1;
  /** Whole sentences appear. */
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

  /** Tokens added so far. */
  get count() {
    return this.#count;
  }

  /**
   * Adds a token, or a given text.
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
    for (const [piece] of text.matchAll(/\n|[^\S\n\u00a0\u202f]+|(?:\S|[\u00a0\u202f])+/g))
      this.#set(piece, { index, from: 0, to: 0, nats, given });
    this.#forget();
    if (!this.#calm || endsSentence(text)) this.paintSoon();
  }

  /** The text is complete: the caret disappears. @override */
  end() {
    this.#writing = false;
    this.paint();
  }

  /** Removes the window's listeners. The canvas keeps its contents. @override */
  close() {
    clearTimeout(this.#telling);
    super.close();
  }

  /** Clears the page. */
  clear() {
    this.#words = [];
    this.#open = undefined;
    this.#x = this.#line = this.#count = 0;
    this.#text = this.result = '';
    this.#bidirectional = false;
    this.#writing = true;
    this.#marked = -1;
    this.paintSoon();
  }

  /** Marks a token, -1: none. @param {number} index */
  mark(index) {
    this.#marked = index;
    this.paintSoon();
  }

  /**
   * The token at a point.
   *
   * @param {number} x  CSS pixels from the corner of the canvas
   * @param {number} y
   * @returns {number} or -1
   */
  tokenAt(x, y) {
    for (const { index, box } of this.#boxes()) {
      if (x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height) return index;
    }
    return -1;
  }

  /**
   * The boxes of a token in the current layout.
   *
   * @param {number} index
   * @returns {Box[]} one for each line that it is on; empty when it is out of sight
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
        // A shade behind letters of a forced colour could hide them: instead, a line under the token is as thick as the shade would be
        // dark.
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
      // A word whose beginning was given, for example before a comma.
      const cut = context.measureText(text.slice(0, given)).width;
      const edge = reversed ? x + width - cut : x + cut;
      const sides = [edge - this.width, edge]; // both left edges
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
        (this.#line - top) * leading + baseline - 0.8 * this.size,
        2,
        this.size,
      );
    }
    this.#tell();
  }

  /** The same text for screen readers. */
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

  /** Lines that fit. */
  get #rows() {
    return Math.max(1, Math.floor(this.height / this.#leading));
  }

  /** The first visible line. */
  get #top() {
    return Math.max(0, this.#line + 1 - this.#rows);
  }

  #visible() {
    const top = this.#top;
    const words = [];
    for (let i = this.#words.length - 1; i >= 0 && this.#words[i].line >= top; i--) {
      if (this.#words[i].line < top + this.#rows) words.push(this.#words[i]);
    }
    return words.reverse();
  }

  /**
   * The visible pieces and the caret, with their positions.
   *
   * @returns {{ pieces: Piece[], caret: number }}
   */
  #arranged() {
    const words = this.#visible();
    // White space before a word that moved to the next line takes no space.
    const shown = words.filter(({ text, line }, i) => !(/^\s/.test(text) && words[i + 1]?.line > line));
    if (!this.#bidirectional) {
      const pieces = shown.map((word) => ({ ...word, reversed: false }));
      return { pieces, caret: 1 + (this.#open ? this.#open.x + this.#open.width : this.#x) };
    }
    const { context } = this;
    context.font = this.#font;
    const visible = new Set(shown);
    /** @type {Piece[]} */
    const pieces = [];
    let caret = 1;
    for (const { lines, base } of this.#paragraphs()) {
      for (const parts of lines) {
        const line = parts
          .filter(({ word }) => visible.has(word))
          .map(({ word, from, to, level }) => {
            const text = word.text.slice(from, to);
            const stretches = word.stretches.map((one) => ({
              ...one,
              from: Math.max(0, one.from - from),
              to: Math.min(to, one.to) - from,
            }));
            return {
              text,
              level,
              line: word.line,
              reversed: level % 2 === 1,
              width: text === word.text ? word.width : context.measureText(text).width,
              stretches: stretches.filter((one) => one.to > one.from),
            };
          });
        edgesOf(line, base, this.width).forEach((x, i) => pieces.push({ ...line[i], x }));
      }
      const last = lines.length > 0 ? pieces.at(-1) : undefined;
      caret = last ? (last.reversed ? last.x - 3 : last.x + last.width + 1) : base ? this.width : 1;
    }
    return { pieces, caret };
  }

  /**
   * The visible paragraphs, line by line, each divided into parts of a single direction.
   *
   * @returns {{ base: number, lines: { word: Word, from: number, to: number, level: number }[][] }[]} base: 1 if it begins at the right
   */
  #paragraphs() {
    const top = this.#top;
    /** @type {Word[][]} */
    const all = [[]];
    for (const word of this.#words) {
      if (word.stretches.length === 0)
        all.push([]); // a line break
      else all[all.length - 1].push(word);
    }
    let before = 0; // an empty one has the direction of the previous one
    const visible = all.filter((words) => words.length === 0 || (words[words.length - 1].line >= top && words[0].line < top + this.#rows));
    return visible.map((words) => {
      const { base, levels } = levelsOf(words.map(({ text }) => text).join(''));
      before = words.length === 0 ? before : base;
      /** @type {{ word: Word, from: number, to: number, level: number }[][]} */
      const lines = [];
      let at = 0;
      for (const word of words) {
        const line = (lines[word.line - words[0].line] ??= []);
        for (let from = 0, to = 0; from < word.text.length; from = to) {
          const level = levels[at + from];
          for (to = from + 1; to < word.text.length && levels[at + to] === level; ) to++;
          line.push({ word, from, to, level });
        }
        at += word.text.length;
      }
      return { base: before, lines };
    });
  }

  /** Every visible range of a token and its position. @param {Piece[]} [pieces] */
  #boxes(pieces = this.#arranged().pieces) {
    const context = this.context;
    context.font = this.#font;
    const top = this.#top;
    const leading = this.#leading;
    /** @type {(Stretch & { box: Box })[]} */
    const boxes = [];
    for (const { text, x, line, stretches, width, reversed } of pieces) {
      for (const stretch of stretches) {
        const from = stretch.from === 0 ? 0 : context.measureText(text.slice(0, stretch.from)).width;
        const to = stretch.to === text.length ? width : context.measureText(text.slice(0, stretch.to)).width;
        const box = { x: reversed ? x + width - to : x + from, y: (line - top) * leading, width: to - from, height: leading };
        const last = boxes[boxes.length - 1];
        // A space and the word after it are often one token.
        if (last?.index === stretch.index && last.box.y === box.y && touch(last.box, box)) {
          last.box.x = Math.min(last.box.x, box.x);
          last.box.width += box.width;
        } else boxes.push({ ...stretch, box });
      }
    }
    return boxes;
  }

  /**
   * Sets a line break, white space or a part of a word.
   *
   * @param {string} piece
   * @param {Stretch} stretch
   */
  #set(piece, stretch) {
    this.context.font = this.#font;
    if (piece === '\n') {
      this.#close();
      this.#words.push({ text: '', stretches: [], x: this.#x, line: this.#line, width: 0 });
      this.#newLine();
    } else if (/^\s/.test(piece)) {
      this.#close();
      const text = piece.replaceAll('\t', '    ');
      const width = this.context.measureText(text).width;
      this.#words.push({ text, stretches: [{ ...stretch, to: text.length }], x: this.#x, line: this.#line, width });
      this.#x += width;
    } else {
      for (const [some] of piece.matchAll(SOME)) this.#extend(some, stretch);
    }
  }

  /**
   * @param {string} piece
   * @param {Stretch} stretch
   */
  #extend(piece, stretch) {
    let word = this.#open;
    if (!word) {
      word = { text: '', stretches: [], x: this.#x, line: this.#line, width: 0 };
      this.#words.push(word);
      this.#open = word;
    }
    const text = word.text + piece;
    const width = this.context.measureText(text).width;
    if (word.x + width > this.width && word.x > 0) {
      this.#newLine();
      word.x = 0;
      word.line = this.#line;
    }
    if (width > this.width && text.length > 1) {
      // It is longer than a line and must be broken.
      const fits = this.#fitting(word.text, piece);
      if (fits.length > 0) this.#append(word, fits, stretch);
      this.#close();
      this.#newLine();
      if (fits.length < piece.length) this.#extend(piece.slice(fits.length), stretch);
      return;
    }
    this.#append(word, piece, stretch);
  }

  /**
   * @param {Word} word
   * @param {string} piece
   * @param {Stretch} stretch
   */
  #append(word, piece, stretch) {
    const from = word.text.length;
    word.text += piece;
    word.width = this.context.measureText(word.text).width;
    word.stretches.push({ ...stretch, from, to: word.text.length });
  }

  /**
   * As much of a piece as fits the line, at least one character in an empty line.
   *
   * @param {string} before
   * @param {string} piece
   */
  #fitting(before, piece) {
    let fits = '';
    for (const character of piece) {
      const wide = this.context.measureText(before + fits + character).width > this.width;
      if (wide && (before !== '' || fits !== '')) break;
      fits += character;
    }
    return fits;
  }

  /** Closes the current word. */
  #close() {
    if (this.#open) this.#x = this.#open.x + this.#open.width;
    this.#open = undefined;
  }

  #newLine() {
    this.#line++;
    this.#x = 0;
  }

  #forget() {
    const keep = this.#line - KEPT_LINES - this.#rows;
    if (this.#words.length < 8 || this.#words[0].line >= keep - 100) return;
    this.#words = this.#words.filter(({ line }) => line >= keep);
  }

  /** Sets all words again if size, resolution or font have changed. */
  #refit() {
    if (this.fit()) this.#reflow();
  }

  #reflow() {
    const words = this.#words;
    this.#words = [];
    this.#open = undefined;
    this.#x = this.#line = 0;
    for (const { text, stretches } of words) {
      if (stretches.length === 0) this.#set('\n', { index: -1, from: 0, to: 0, nats: 0, given: true });
      for (const stretch of stretches) this.#set(text.slice(stretch.from, stretch.to), stretch);
    }
  }

  /** @override */
  changed() {
    this.#refit();
    this.paintSoon();
  }

  /** @override */
  fontLoaded() {
    this.#reflow();
    this.paintSoon();
  }
}

/** Whether one begins where the other ends. @param {Box} a  @param {Box} b */
function touch(a, b) {
  return Math.abs(a.x + a.width - b.x) < 0.5 || Math.abs(b.x + b.width - a.x) < 0.5;
}

// SPDX-License-Identifier: MIT
// @ts-check

/** Breaks a text into lines while it is being written. The words are stored in reading order, not in their order on the screen. */

/** @import { Sheet } from '../../sinks/sheet.js' */

/** A range of characters of a word: the part of the word that belongs to one token.
 * @typedef {{ index: number, from: number, to: number, nats: number, given: boolean }} Stretch */
/** A word and its layout. `x` and `width`: left edge and width in CSS pixels; `line`: index of the line, counted from the first line of the
 * text.
 * @typedef {{ text: string, stretches: Stretch[], x: number, line: number, width: number }} Word */

/** Number of lines kept above the visible lines. These lines may become visible when the width of the page changes. */
const KEPT_LINES = 500;

/**
 * Maximum number of characters of a word that are measured in one piece. Without this limit, every line of a text without spaces would
 * measure all of the remaining text.
 */
const SOME = /.{1,64}/gsu;

export class TextLines {
  #sheet;
  /** The last word, which the next token may continue. @type {Word | undefined} */
  #open;
  /** The x at which the next word begins, in CSS pixels. */
  #x = 0;
  /** All kept words and line breaks, in order. @type {Word[]} */
  words = [];
  /** The current line, from 0. */
  line = 0;

  /** @param {Sheet} sheet  provides the width and the font */
  constructor(sheet) {
    this.#sheet = sheet;
  }

  /** Returns the x at which the last line ends, in CSS pixels. */
  get end() {
    return this.#open ? this.#open.x + this.#open.width : this.#x;
  }

  /** Adds the text of a token. @param {string} text @param {Stretch} stretch */
  add(text, stretch) {
    for (const [piece] of text.matchAll(/\n|[^\S\n\u00a0\u202f]+|(?:\S|[\u00a0\u202f])+/g)) this.#set(piece, stretch);
  }

  /** Removes all text. */
  clear() {
    this.words = [];
    this.#open = undefined;
    this.#x = this.line = 0;
  }

  /**
   * Returns the words of a range of lines.
   *
   * @param {number} top   the first line
   * @param {number} rows  number of lines
   */
  visible(top, rows) {
    const words = [];
    for (let i = this.words.length - 1; i >= 0 && this.words[i].line >= top; i--) {
      if (this.words[i].line < top + rows) words.push(this.words[i]);
    }
    return words.reverse();
  }

  /**
   * Places a line break, white space or a part of a word.
   *
   * @param {string} piece
   * @param {Stretch} stretch
   */
  #set(piece, stretch) {
    this.#sheet.context.font = this.#sheet.font(this.#sheet.size);
    if (piece === '\n') {
      this.#close();
      this.words.push({ text: '', stretches: [], x: this.#x, line: this.line, width: 0 });
      this.#newLine();
    } else if (/^\s/.test(piece)) {
      this.#close();
      const text = piece.replaceAll('\t', '    ');
      const width = this.#sheet.context.measureText(text).width;
      this.words.push({ text, stretches: [{ ...stretch, to: text.length }], x: this.#x, line: this.line, width });
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
      word = { text: '', stretches: [], x: this.#x, line: this.line, width: 0 };
      this.words.push(word);
      this.#open = word;
    }
    const text = word.text + piece;
    const width = this.#sheet.context.measureText(text).width;
    if (word.x + width > this.#sheet.width && word.x > 0) {
      this.#newLine();
      word.x = 0;
      word.line = this.line;
    }
    if (width > this.#sheet.width && text.length > 1) {
      // The word is longer than a line and must be broken.
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
    word.width = this.#sheet.context.measureText(word.text).width;
    word.stretches.push({ ...stretch, from, to: word.text.length });
  }

  /**
   * Returns the longest prefix of a piece that fits in the line. In an empty line, the prefix has at least one character.
   *
   * @param {string} before
   * @param {string} piece
   */
  #fitting(before, piece) {
    let fits = '';
    for (const character of piece) {
      const wide = this.#sheet.context.measureText(before + fits + character).width > this.#sheet.width;
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
    this.line++;
    this.#x = 0;
  }

  /** Drops the oldest lines if there are too many. @param {number} rows  number of visible lines */
  forget(rows) {
    const keep = this.line - KEPT_LINES - rows;
    if (this.words.length < 8 || this.words[0].line >= keep - 100) return;
    this.words = this.words.filter(({ line }) => line >= keep);
  }

  /** Breaks all kept words into lines again. */
  reflow() {
    const { words } = this;
    this.clear();
    for (const { text, stretches } of words) {
      if (stretches.length === 0) this.#set('\n', { index: -1, from: 0, to: 0, nats: 0, given: true });
      for (const stretch of stretches) this.#set(text.slice(stretch.from, stretch.to), stretch);
    }
  }
}

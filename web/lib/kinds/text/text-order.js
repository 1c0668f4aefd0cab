// SPDX-License-Identifier: MIT
// @ts-check

/** Determines the position of each word in its line, for both writing directions (see sinks/bidi.js). */

import { edgesOf, levelsOf } from '../../sinks/bidi.js';

/** @import { Stretch, TextLines, Word } from './text-lines.js' */

/** A piece is the text that is drawn in one call: a word, or a part of a word with a single direction.
 * @typedef {{ text: string, stretches: Stretch[], x: number, line: number, width: number, reversed: boolean }} Piece */
/**
 * A rectangle in CSS pixels, measured from the top left corner of the canvas.
 * @typedef {{ x: number, y: number, width: number, height: number }} Box
 */

/**
 * Returns the visible pieces with their positions, and the position of the caret.
 *
 * @param {TextLines} lines
 * @param {{ top: number, rows: number, width: number, bidirectional: boolean }} view  top: the first visible line; rows: number of visible
 *   lines; bidirectional: whether any text is read from right to left
 * @param {(text: string) => number} widthOf
 * @returns {{ pieces: Piece[], caret: number }}
 */
export function arranged(lines, { top, rows, width, bidirectional }, widthOf) {
  const words = lines.visible(top, rows);
  // White space before a word that moved to the next line has no width.
  const shown = words.filter(({ text, line }, i) => !(/^\s/.test(text) && words[i + 1]?.line > line));
  if (!bidirectional) {
    const pieces = shown.map((word) => ({ ...word, reversed: false }));
    return { pieces, caret: 1 + lines.end };
  }
  const visible = new Set(shown);
  /** @type {Piece[]} */
  const pieces = [];
  let caret = 1;
  for (const { lines: broken, base } of paragraphs(lines.words, top, rows)) {
    for (const parts of broken) {
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
            width: text === word.text ? word.width : widthOf(text),
            stretches: stretches.filter((one) => one.to > one.from),
          };
        });
      edgesOf(line, base, width).forEach((x, i) => pieces.push({ ...line[i], x }));
    }
    const last = broken.length > 0 ? pieces.at(-1) : undefined;
    caret = last ? (last.reversed ? last.x - 3 : last.x + last.width + 1) : base ? width : 1;
  }
  return { pieces, caret };
}

/**
 * Returns the lines of the visible paragraphs. Each line is divided into parts with a single direction.
 *
 * @param {Word[]} all  words and line breaks
 * @param {number} top   the first visible line
 * @param {number} rows  number of visible lines
 * @returns {{ base: number, lines: { word: Word, from: number, to: number, level: number }[][] }[]} base: 1 if the paragraph begins at the
 *   right
 */
function paragraphs(all, top, rows) {
  /** @type {Word[][]} */
  const parted = [[]];
  for (const word of all) {
    if (word.stretches.length === 0)
      parted.push([]); // a line break
    else parted[parted.length - 1].push(word);
  }
  let before = 0; // direction of the previous paragraph; an empty paragraph has the same direction
  const visible = parted.filter((words) => words.length === 0 || (words[words.length - 1].line >= top && words[0].line < top + rows));
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

/**
 * Returns the visible ranges of all tokens, each with its box on the canvas.
 *
 * @param {Piece[]} pieces
 * @param {{ top: number, leading: number }} view  top: the first visible line; leading: height of a line in CSS pixels
 * @param {(text: string) => number} widthOf
 */
export function boxesOf(pieces, { top, leading }, widthOf) {
  /** @type {(Stretch & { box: Box })[]} */
  const boxes = [];
  for (const { text, x, line, stretches, width, reversed } of pieces) {
    for (const stretch of stretches) {
      const from = stretch.from === 0 ? 0 : widthOf(text.slice(0, stretch.from));
      const to = stretch.to === text.length ? width : widthOf(text.slice(0, stretch.to));
      const box = { x: reversed ? x + width - to : x + from, y: (line - top) * leading, width: to - from, height: leading };
      const last = boxes[boxes.length - 1];
      // A space and the word after it are often one token, so their boxes are joined.
      if (last?.index === stretch.index && last.box.y === box.y && touch(last.box, box)) {
        last.box.x = Math.min(last.box.x, box.x);
        last.box.width += box.width;
      } else boxes.push({ ...stretch, box });
    }
  }
  return boxes;
}

/** Returns whether one box begins where the other ends. @param {Box} a  @param {Box} b */
function touch(a, b) {
  return Math.abs(a.x + a.width - b.x) < 0.5 || Math.abs(b.x + b.width - a.x) < 0.5;
}

// SPDX-License-Identifier: MIT
// @ts-check

/** Draws words with their tags under them. A more probable tag has a darker shade. Words that do not fit are replaced by an ellipsis. */

import { levelsOf, edgesOf } from '../../sinks/bidi.js';
import { Sheet } from '../../sinks/sheet.js';

/** @import { Dom } from '../../base/dom.js' */
/** @import { Tagging } from './tagging.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */

/**
 * @typedef {object} TagSheetOptions
 * @property {Dom<'Element'>} [mirror]  an element whose text is set to the words, each with its tag and its probability
 */

/** A tag of a word, and its marginal probability. @typedef {{ name: string, p: number }} Odds */
/** A word and its layout: its tags (the best one first); its left edge, top and width in CSS pixels; and its bidi level.
 * @typedef {{ text: string, odds: Odds[], x: number, top: number, width: number, level: number }} Placed */

const LINE_HEIGHT = 1.4;
/** The maximum number of tags shown for a word. Apart from the best tag, only tags with a probability of at least LEAST_P are shown. */
const MOST_TAGS = 3;
const LEAST_P = 0.02;
/** Font size of a tag, relative to the font size of a word. */
const TAG_SIZE = 0.8;
/** The gap between two words or two lines, as a multiple of the font size. */
const GAP = 0.6;
/** Opacity of the shade of a tag with probability 1. */
const FULL_SHADE = 0.6;
const ELLIPSIS = '\u2026';

export class TagSheet extends Sheet {
  #words;
  /** @type {Tagging | undefined} */
  #tagging;
  /** The words with their tags, for screen readers. */
  result;

  /**
   * @param {Canvas} canvas
   * @param {string[]} words
   * @param {TagSheetOptions} [options]
   */
  constructor(canvas, words, { mirror } = {}) {
    super(canvas, mirror);
    this.#words = words;
    this.result = words.join(' ');
    this.paint();
  }

  /** @param {Tagging} tagging  the tagging of the displayed words; it must include the marginals */
  add(tagging) {
    this.#tagging = tagging;
    this.result = this.#words
      .map((word, t) => {
        const [{ name, p }] = this.#oddsOf(t);
        return `${word} (${name} ${Math.round(100 * p)} %)`;
      })
      .join(' ');
    this.paintSoon();
  }

  /** Paints now, in the current colours. @override */
  paint() {
    this.fit();
    super.paint();
    const { context } = this;
    const { ink, accent, forced } = this.colours();
    /** @type {Placed[]} */
    let placed = [];
    const size = this.fitting((letters) => (placed = this.#layOut(letters)).length === this.#words.length);
    const last = placed.at(-1);
    if (last && placed.length < this.#words.length) Object.assign(last, { text: ELLIPSIS, odds: [] });
    const line = LINE_HEIGHT * size;
    const row = TAG_SIZE * line;
    context.textBaseline = 'middle';
    context.textAlign = 'center';
    for (const word of placed) {
      const { top } = word;
      const middle = word.x + word.width / 2;
      context.font = this.font(size);
      context.fillStyle = ink;
      context.direction = word.level % 2 === 1 ? 'rtl' : 'ltr';
      context.fillText(word.text, middle, top + line / 2);
      context.direction = 'ltr';
      context.font = this.font(TAG_SIZE * size);
      for (const [i, { name, p }] of word.odds.entries()) {
        const y = top + line + i * row;
        context.fillStyle = accent;
        // In forced-colors mode, a line replaces the shade. The length of the line is proportional to the probability.
        if (forced) context.fillRect(word.x, y + row - 2, p * word.width, 1);
        else {
          context.globalAlpha = FULL_SHADE * p;
          context.fillRect(word.x, y, word.width, row - 1);
        }
        context.globalAlpha = 1;
        context.fillStyle = ink;
        context.fillText(name, middle, y + row / 2);
      }
    }
  }

  /**
   * Returns the tags to show for a word: first the tag of the best tagging, then other tags, the most probable first. Returns an empty list
   * if the tags are not known yet.
   *
   * @param {number} t  index of the word
   * @returns {Odds[]}
   */
  #oddsOf(t) {
    if (!this.#tagging) return [];
    const { names, best, marginals = [] } = this.#tagging;
    const all = names.map((name, c) => ({ name, p: marginals[t * names.length + c] }));
    const [first] = all.splice(best.ids[t], 1);
    return [
      first,
      ...all
        .filter(({ p }) => p >= LEAST_P)
        .sort((a, b) => b.p - a.p)
        .slice(0, MOST_TAGS - 1),
    ];
  }

  /**
   * Breaks the words into lines, until no further line fits on the canvas. A word is as wide as its text or its widest tag, whichever is
   * wider.
   *
   * @param {number} size  font size
   * @returns {Placed[]}
   */
  #layOut(size) {
    const measure = (/** @type {string} */ text, /** @type {number} */ pixels) => {
      this.context.font = this.font(pixels);
      return this.context.measureText(text).width;
    };
    const { base, levels } = levelsOf(this.#words.join(' '));
    let at = 0; // offset of the current word in the whole text
    /** @type {Placed[]} */
    const placed = [];
    let x = 0;
    let top = 0;
    let rows = 1; // number of rows of tags in the current line
    for (const [t, text] of this.#words.entries()) {
      const odds = this.#oddsOf(t);
      const width = Math.max(measure(text, size), ...odds.map(({ name }) => measure(name, TAG_SIZE * size) + 0.5 * size));
      if (x > 0 && x + width > this.width) {
        x = 0;
        top += heightOf(size, rows) + GAP * size;
        rows = 1;
      }
      rows = Math.max(rows, odds.length);
      if (top > 0 && top + heightOf(size, rows) > this.height) break;
      placed.push({ text, odds, x, top, width, level: Math.min(2, ...levels.slice(at, at + text.length)) });
      at += text.length + 1;
      x += width + GAP * size;
    }
    if (levels.some((level) => level > 0)) {
      for (const first of placed.filter((word) => word.x === 0)) {
        // Each word has a gap before it. The bidi level of a gap is the lower of the levels of the two words around the gap.
        const line = placed.filter((word) => word.top === first.top);
        const parts = line.flatMap((word, i) => [
          { level: i === 0 ? base : Math.min(word.level, line[i - 1].level), width: i === 0 ? 0 : GAP * size },
          word,
        ]);
        edgesOf(parts, base, this.width).forEach((left, i) => {
          if (i % 2 === 1) line[(i - 1) / 2].x = left;
        });
      }
    }
    return placed;
  }
}

/** Returns the height of a word with its tags. @param {number} size  font size  @param {number} tags  number of its tags */
function heightOf(size, tags) {
  return (1 + tags * TAG_SIZE) * LINE_HEIGHT * size;
}

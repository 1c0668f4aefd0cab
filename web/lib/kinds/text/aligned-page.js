// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Shows a translation above its source sentence in a box on the page, while the translation is being written. The text can be selected. If
 * the translation and the sentence each fit on one line, bands join the words. The width of a band shows the attention weight between its
 * two words. If the translation or the sentence takes several lines, bands would cross the text and are left out. The words of the sentence
 * are then shaded by the attention of one word of the translation: the word under the pointer or, by default, the newest word.
 */

import { atNextFrame } from '../../sinks/canvas.js';
import { append, bandOf, looksOf, sourceOf } from './aligned-words.js';

/** @import { TranslationStep } from './translation-run.js' */
/** @import { Word } from './aligned-words.js' */

const SVG = 'http://www.w3.org/2000/svg';

export class AlignedPage {
  #box;
  #above = document.createElement('p');
  #below = document.createElement('p');
  #bands = document.createElementNS(SVG, 'svg');
  /** @type {Word[]} */
  #source;
  /** @type {Word[]} */
  #target = [];
  /** @type {ArrayLike<number>[]} */
  #rows = [];
  /** The word of the translation under the pointer. @type {number | undefined} */
  #pointed;
  /** @type {(() => void) | undefined} */
  #cancel;
  /** @type {ResizeObserver | undefined} */
  #sizes;

  /** All steps so far. @type {(TranslationStep | { text: string })[]} */
  steps = [];
  /** The translation so far. */
  result = '';

  /**
   * @param {HTMLElement} box
   * @param {string[]} source  the text of each token of the sentence; the last token is the end
   */
  constructor(box, source) {
    this.#box = box;
    this.#source = sourceOf(source);
    this.#above.className = 'above';
    this.#below.className = 'below';
    for (const text of [this.#above, this.#below]) text.dir = 'auto';
    this.#bands.setAttribute('aria-hidden', 'true');
    setWords(this.#below, this.#source);
    const pair = document.createElement('div');
    pair.className = 'aligned';
    pair.append(this.#bands, this.#above, this.#below);
    box.replaceChildren(pair);
    this.#above.addEventListener('pointerover', ({ target }) =>
      this.#point([...this.#above.children].indexOf(/** @type {Element} */ (target))),
    );
    this.#above.addEventListener('pointerleave', () => this.#point(-1));
    if (typeof ResizeObserver === 'function') (this.#sizes = new ResizeObserver(() => this.#paintSoon())).observe(box);
    this.paint();
  }

  /**
   * @param {TranslationStep | { text: string }} step  a step without a token contains text that was written earlier; its weights are
   *   unknown
   */
  add(step) {
    this.steps.push(step);
    append(this.#target, step.text, this.#rows.length);
    this.#rows.push(('token' in step && step.alignment) || []);
    this.result += step.text;
    this.#paintSoon();
  }

  #paintSoon() {
    this.#cancel ??= atNextFrame(() => this.paint(), this.#box);
  }

  /** @param {number} word  -1: none */
  #point(word) {
    this.#pointed = word < 0 ? undefined : word;
    this.#look();
  }

  paint() {
    this.#cancel?.();
    this.#cancel = undefined;
    const grows = this.#above.children.length < this.#target.length;
    setWords(this.#above, this.#target);
    if (grows) this.#follow();
    this.#look();
  }

  /** Scrolls so that the newest word is visible. */
  #follow() {
    const box = this.#box;
    const over = /** @type {Element} */ (this.#above.lastElementChild).getBoundingClientRect().bottom - box.getBoundingClientRect().bottom;
    if (over > 0) box.scrollTop += over;
  }

  /** Shows the attention of the newest word or of the word under the pointer. */
  #look() {
    const [above, below] = [this.#above, this.#below].map(({ children }) => [...children].map((span) => span.getBoundingClientRect()));
    const line = (/** @type {DOMRect[]} */ words) => words.every(({ top, bottom }) => top < words[0].bottom && bottom > words[0].top);
    const broken = !line(above) || !line(below);
    const shown = this.#pointed ?? (broken ? this.#target.length - 1 : -1);
    const looks = this.#target.map((word) => looksOf(word, this.#source, this.#rows));
    [...this.#below.children].forEach((span, at) => {
      const weight = looks[shown]?.find((one) => one.at === at)?.weight ?? 0;
      /** @type {HTMLElement} */ (span).style.setProperty('--shade', String(weight));
    });
    const { left, top } = this.#bands.getBoundingClientRect();
    const size = parseFloat(getComputedStyle(this.#above).fontSize);
    this.#bands.parentElement?.classList.toggle('broken', broken);
    this.#bands.replaceChildren(
      ...(broken
        ? []
        : looks.flatMap((all, i) =>
            all.map(({ at, weight }) => {
              const [from, to] = [above[i], below[at]];
              const [x0, x1] = [from, to].map((word) => word.left + word.width / 2 - left);
              const [y0, y1] = [from.bottom - top, to.top - top];
              const path = document.createElementNS(SVG, 'path');
              const { alpha, width } = bandOf(weight, size);
              path.setAttribute('d', `M${x0} ${y0}C${x0} ${(y0 + y1) / 2} ${x1} ${(y0 + y1) / 2} ${x1} ${y1}`);
              path.style.strokeOpacity = String(alpha);
              path.style.strokeWidth = String(width);
              return path;
            }),
          )),
    );
  }

  end() {
    this.paint();
  }

  close() {
    this.#cancel?.();
    this.#sizes?.disconnect();
  }
}

/**
 * Shows words in a paragraph, one span for each word. Existing spans are kept, so that a selection in them is kept, too.
 *
 * @param {HTMLElement} text
 * @param {Word[]} words
 */
function setWords(text, words) {
  const { children } = text;
  for (const [i, { text: word, tight }] of words.entries()) {
    if (!children[i]) text.append(tight || i === 0 ? '' : ' ', document.createElement('span'));
    if (children[i].textContent !== word) children[i].textContent = word;
  }
}

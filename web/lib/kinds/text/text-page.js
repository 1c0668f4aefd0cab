// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Shows a text in a box on the page while the text is being written. The text can be selected, each token is shaded by its surprisal, and
 * the box scrolls to the end.
 */

import { endsSentence } from './sentence-end.js';
import { shadeOf } from './surprise.js';

/** The box scrolls with the text while the visitor is at most this many pixels away from the end of the text. */
const NEAR = 80;

export class TextPage {
  #box;
  #calm;
  /** Tokens that are not shown yet. @type {HTMLSpanElement[]} */
  #coming = [];
  /** The drawn text, without the given text. */
  result = '';

  /**
   * @param {HTMLElement} box
   * @param {{ calm?: boolean }} [options]  calm: whether the text appears sentence by sentence
   */
  constructor(box, { calm = false } = {}) {
    this.#box = box;
    this.#calm = calm;
    box.replaceChildren();
  }

  /** @param {{ text: string, nats?: number, given?: boolean }} token */
  add({ text, nats = 0, given = false }) {
    const span = document.createElement('span');
    span.textContent = text;
    if (given) span.className = 'given';
    else span.style.setProperty('--shade', String(shadeOf(nats)));
    this.#coming.push(span);
    if (!given) this.result += text;
    if (!this.#calm || given || endsSentence(text)) this.paint();
  }

  paint() {
    if (this.#coming.length === 0) return;
    const box = this.#box;
    const follows = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
    box.append(...this.#coming.splice(0));
    if (follows) box.scrollTop = box.scrollHeight;
  }

  end() {
    this.paint();
  }

  close() {}
}

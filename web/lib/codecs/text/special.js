// SPDX-License-Identifier: MIT
// @ts-check

/** Finds the tokens that stand for themselves, whatever is around them: those of control, and those that the file's maker defined. */

import { CONTROL, UNKNOWN, USER_DEFINED } from './vocabulary.js';

/** @import { Vocabulary } from './vocabulary.js' */

/** @typedef {{ id?: number, next: Map<string, Node> }} Node  of a tree of texts, a character at a time */

export class Specials {
  #tokens;
  /** For a plain text, and for one in which control tokens count. @type {Record<'plain' | 'all', Node>} */
  #trees = { plain: { next: new Map() }, all: { next: new Map() } };

  /** @param {Vocabulary} vocabulary */
  constructor({ tokens, types }) {
    this.#tokens = tokens;
    tokens.forEach((text, id) => {
      if (text === '') return;
      if (types[id] === USER_DEFINED) grow(this.#trees.plain, text, id);
      if (types[id] === USER_DEFINED || types[id] === CONTROL || types[id] === UNKNOWN) grow(this.#trees.all, text, id);
    });
  }

  /**
   * @param {string} text
   * @param {boolean} control  whether control tokens count
   * @returns {(string | number)[]} tokens, and the text between them
   */
  divide(text, control) {
    if (text === '') return [];
    const found = this.#found(text, control ? this.#trees.all : this.#trees.plain);
    /** @type {(string | number)[]} */
    let parts = [text];
    // The longest first, in all of the text.
    found.sort((a, b) => this.#tokens[b].length - this.#tokens[a].length || a - b);
    for (const id of found) {
      parts = parts.flatMap((part) => {
        if (typeof part === 'number') return part;
        return part.split(this.#tokens[id]).flatMap((between, i) => (i > 0 ? [id, between] : [between])).filter((piece) => piece !== '');
      });
    }
    return parts;
  }

  /**
   * Which tokens the text contains.
   *
   * @param {string} text
   * @param {Node} tree
   */
  #found(text, tree) {
    /** @type {Set<number>} */
    const found = new Set();
    if (tree.next.size === 0) return [];
    for (let from = 0; from < text.length; from++) {
      let node = tree.next.get(text[from]);
      for (let at = from + 1; node; at++) {
        if (node.id !== undefined) found.add(node.id);
        node = node.next.get(text[at]);
      }
    }
    return [...found];
  }
}

/**
 * @param {Node} tree
 * @param {string} text
 * @param {number} id
 */
function grow(tree, text, id) {
  let node = tree;
  for (let i = 0; i < text.length; i++) {
    let next = node.next.get(text[i]);
    if (!next) node.next.set(text[i], (next = { next: new Map() }));
    node = next;
  }
  node.id = id;
}

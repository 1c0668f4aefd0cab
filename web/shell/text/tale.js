// SPDX-License-Identifier: MIT
// Stores a story and its branches as a tree of tokens with a current path. This file does not use the DOM; it needs only the model's
// tokenizer.
// @ts-check
/** @import { Tokenizer } from '../index.js' */

/**
 * @typedef {Object} Twig a token of the tree
 * @property {number} token
 * @property {number} nats
 * @property {boolean} given whether the token is part of the prompt
 * @property {boolean} chosen whether the visitor chose the token
 * @property {Twig | null} parent
 * @property {Twig[]} children
 */

/** @param {number} token @param {Partial<Twig>} [more] @returns {Twig} */
const twig = (token, more) => ({ token, nats: 0, given: false, chosen: false, parent: null, children: [], ...more });

export class Tale {
  /** The current path, starting at the first token. @type {Twig[]} */
  path = [];
  #tokenizer;
  /** The last token of each branch, in the order in which the branches were started. @type {Twig[]} */
  #ends = [];

  /** @param {ArrayLike<number>} prompt @param {Tokenizer | undefined} tokenizer */
  constructor(prompt, tokenizer) {
    this.#tokenizer = tokenizer;
    for (const token of Array.from(prompt)) this.#append(twig(token, { given: true }));
    this.#ends = [this.path[this.path.length - 1]];
  }

  /** @param {Twig} next */
  #append(next) {
    const last = this.path[this.path.length - 1] ?? null;
    next.parent = last;
    last?.children.push(next);
    this.path.push(next);
    const branch = this.#ends.indexOf(last);
    if (branch >= 0) this.#ends[branch] = next;
    return next;
  }

  get ids() {
    return this.path.map(({ token }) => token);
  }

  /** Returns the number of tokens in the prompt. */
  get given() {
    return this.path.filter(({ given }) => given).length;
  }

  /** @param {{ token: number, nats: number }} step */
  add({ token, nats }) {
    return this.#append(twig(token, { nats }));
  }

  /**
   * Starts a branch at a position of the path. The path is cut at this position, and the old branch stays in the tree.
   * @param {number} at position in the path
   * @param {{ token: number, nats: number }} instead
   */
  branch(at, { token, nats }) {
    const parent = this.path[at - 1];
    this.path.length = at;
    const there = parent.children.find((child) => child.token === token);
    if (there) {
      // if the branch exists already, selects it up to the end of its newest continuation
      this.path.push(there);
      for (let last = there; last.children.length > 0; ) this.path.push((last = last.children[last.children.length - 1]));
      return;
    }
    const next = twig(token, { nats, chosen: true, parent });
    parent.children.push(next);
    this.path.push(next);
    if (!this.#ends.includes(parent)) this.#ends.push(next);
    else this.#ends[this.#ends.indexOf(parent)] = next;
  }

  /** Selects a branch. @param {Twig} end last token of the branch */
  choose(end) {
    /** @type {Twig[]} */
    const path = [];
    for (let at = /** @type {Twig | null} */ (end); at; at = at.parent) path.unshift(at);
    this.path = path;
  }

  /**
   * Describes every branch: its last token, the position at which it forks from its parent, and its text from this position.
   * @returns {{ end: Twig, depth: number, at: number, words: string, count: number, told: boolean }[]}
   */
  branches() {
    const told = this.path[this.path.length - 1];
    return this.#ends.map((end) => {
      /** @type {Twig[]} */
      const path = [];
      for (let at = /** @type {Twig | null} */ (end); at; at = at.parent) path.unshift(at);
      const forks = path.flatMap((one, i) => (one.chosen ? [i] : []));
      const at = forks.length > 0 ? forks[forks.length - 1] : path.findIndex(({ given }) => !given);
      const from = at < 0 ? path.length : at;
      const words = this.textOf(path.slice(from, from + 12));
      return { end, depth: forks.length, at: from, words, count: path.length - from, told: end === told };
    });
  }

  /** @param {Twig[]} twigs */
  textOf(twigs) {
    return this.#tokenizer?.decode(twigs.map(({ token }) => token)) ?? '';
  }

  /** Returns the text that each token of the path adds. @returns {string[]} */
  texts() {
    const writer = this.#tokenizer?.writer();
    const texts = this.path.map(({ token }) => writer?.write(token) ?? '');
    if (texts.length > 0) texts[texts.length - 1] += writer?.end() ?? '';
    return texts;
  }
}

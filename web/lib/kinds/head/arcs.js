// SPDX-License-Identifier: MIT
// @ts-check

/** Selects which arcs of a parse to draw, and computes their depths. */

/** @import { Parse } from './parse.js' */

/** An arc from a head to a dependent. Words are numbered from 1, and 0 is the root. `best`: whether the arc is in the most probable tree.
 * @typedef {{ head: number, child: number, p: number, best: boolean }} Arc */

/** An arc that is not in the best tree is drawn if it has at least this probability. */
const LEAST_P = 0.05;

/**
 * Returns the arcs of the best tree, and all other arcs with a probability of at least 5 %. Weak arcs come first, so that strong arcs are
 * drawn on top of them.
 *
 * @param {Parse} parse  a parse with its marginals
 * @returns {Arc[]}
 */
export function arcsOf({ words, heads, marginals = new Float32Array() }) {
  const row = words.length + 1;
  /** @type {Arc[]} */
  const arcs = [];
  for (let child = 1; child <= words.length; child++) {
    for (let head = 0; head <= words.length; head++) {
      const p = marginals[(child - 1) * row + head] ?? 0;
      const best = heads[child - 1] === head;
      if (best || p >= LEAST_P) arcs.push({ head, child, p, best });
    }
  }
  return arcs.sort((a, b) => Number(a.best) - Number(b.best) || a.p - b.p);
}

/**
 * Returns the depth of an arc (how far it extends from the words) as a fraction of the available space. An arc that spans more words is
 * deeper, so that it encloses the arcs below it.
 *
 * @param {Arc} arc
 * @param {number} most  number of words that the widest arc spans
 */
export function depthOf({ head, child }, most) {
  return Math.sqrt(Math.abs(head - child) / Math.max(most, 1));
}

/** Returns the number of words that the widest arc spans. @param {Arc[]} arcs */
export function widest(arcs) {
  return Math.max(1, ...arcs.filter(({ head }) => head > 0).map(({ head, child }) => Math.abs(head - child)));
}

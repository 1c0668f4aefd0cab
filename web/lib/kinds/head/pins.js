// SPDX-License-Identifier: MIT
// @ts-check

/** Reads pinned heads, and checks whether a tree can have all these heads. */

import { show } from '../../base/checks.js';
import { argumentError } from '../../base/error.js';
import { classOf } from '../../base/realm.js';

/** The pinned heads, by the word's index from 1. @typedef {Map<number, number>} Pins */

/**
 * @param {unknown} pinned  the heads, in the form of ParseOptions
 * @param {string[]} words
 * @returns {Pins}
 */
export function pinsOf(pinned, words) {
  if (!/^(Object|Array)$/.test(classOf(pinned)))
    throw argumentError(
      'pinned maps the index of a word, from 1, to the index of its head, such as { 3: 1 }, or is a list of one head for each word',
    );
  const listed = Array.isArray(pinned);
  if (listed && pinned.length !== words.length)
    throw argumentError(`pinned has ${pinned.length} heads for ${words.length} words: give one for each, null to leave it open`);
  /** @type {Pins} */
  const pins = new Map();
  for (const [key, head] of Object.entries(/** @type {object} */ (pinned))) {
    if (head === null || head === undefined) continue;
    const child = Number(key) + (listed ? 1 : 0);
    if (!/^\d+$/.test(key) || child < 1 || child > words.length)
      throw argumentError(`pinned: there is no word ${key}, the sentence has words 1 to ${words.length}`);
    if (Array.isArray(head) || (pins.has(child) && pins.get(child) !== head)) {
      throw argumentError(`pinned: word ${child} (${words[child - 1]}) has several heads, and a word has one`);
    }
    if (!Number.isInteger(head) || head < 0 || head > words.length) {
      throw argumentError(
        `pinned: ${show(head)} is not a valid head of word ${child}: heads are indices of words, 1 to ${words.length}, or 0 for the root`,
      );
    }
    pins.set(child, head);
  }
  return pins;
}

/**
 * Returns the reason why no tree can have the pinned heads, or undefined if no conflict is found.
 *
 * @param {Pins} pins
 * @param {string[]} words
 * @returns {string | undefined}
 */
export function conflictOf(pins, words) {
  const name = (/** @type {number} */ word) => (word === 0 ? 'the root' : `${word} (${words[word - 1]})`);
  const roots = [...pins].filter(([, head]) => head === 0);
  if (roots.length > 1) return `${name(roots[0][0])} and ${name(roots[1][0])} would both be attached to the root, and only one word may be`;
  /**
   * Maps each visited word to the first word of the path on which it was reached.
   * @type {Map<number, number>}
   */
  const visited = new Map();
  for (const [child] of pins) {
    let at = child;
    for (; pins.get(at) && !visited.has(at); at = /** @type {number} */ (pins.get(at))) visited.set(at, child);
    if (visited.get(at) !== child) continue;
    const cycle = [at];
    for (let next = pins.get(at); next !== undefined && next !== at; next = pins.get(next)) cycle.push(next);
    return cycle.length === 1 ? `${name(at)} would be its own head` : `${cycle.map(name).join(', ')} would form a cycle`;
  }
  const arcs = [...pins].map(([child, head]) => ({ child, head, from: Math.min(child, head), to: Math.max(child, head) }));
  arcs.sort((a, b) => a.from - b.from || b.to - a.to); // an arc comes before the arcs that it spans
  /** The arcs that span the current word, the innermost last. @type {typeof arcs} */
  const spanning = [];
  for (const arc of arcs) {
    while (spanning.length > 0 && spanning[spanning.length - 1].to <= arc.from) spanning.pop();
    const outer = spanning[spanning.length - 1];
    if (outer && outer.from < arc.from && outer.to < arc.to)
      return `the arc from ${name(outer.head)} to ${name(outer.child)} would cross that from ${name(arc.head)} to ${name(arc.child)}`;
    spanning.push(arc);
  }
  return undefined;
}

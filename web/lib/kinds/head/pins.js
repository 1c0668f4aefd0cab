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
 * Returns the reason why no tree has these heads, or undefined if there may be such a tree.
 *
 * @param {Pins} pins
 * @param {string[]} words
 * @returns {string | undefined}
 */
export function conflictOf(pins, words) {
  const name = (/** @type {number} */ word) => (word === 0 ? 'the root' : `${word} (${words[word - 1]})`);
  const roots = [...pins].filter(([, head]) => head === 0);
  if (roots.length > 1) return `${name(roots[0][0])} and ${name(roots[1][0])} would both be attached to the root, and only one word may be`;
  for (const [child] of pins) {
    const path = [child];
    for (let at = pins.get(child); at; at = pins.get(at)) {
      if (at === child)
        return path.length === 1 ? `${name(child)} would be its own head` : `${path.map(name).join(', ')} would form a cycle`;
      if (path.includes(at)) break;
      path.push(at);
    }
  }
  for (const [child, head] of pins) {
    for (const [other, above] of pins) {
      const [a, b] = [Math.min(child, head), Math.max(child, head)];
      const [c, d] = [Math.min(other, above), Math.max(other, above)];
      if (a < c && c < b && b < d)
        return `the arc from ${name(head)} to ${name(child)} would cross that from ${name(above)} to ${name(other)}`;
    }
  }
  return undefined;
}

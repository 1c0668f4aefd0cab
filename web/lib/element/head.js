// SPDX-License-Identifier: MIT
// @ts-check

/** Reads the size of a model's pictures or texts from the first bytes of its file. */

import { atOnce } from '../base/turns.js';
import { NUMBERS } from '../gguf/values.js';
import { Walk, numberOf } from '../gguf/walk.js';
import { LOOKS } from '../kinds/looks.js';

/**
 * @param {Uint8Array} head  the first bytes of the file
 * @returns {{ kind: string, width: number, height: number } | undefined} undefined if these bytes are not enough; in this case, the size is
 *   known only when the file is open
 */
export function roomIn(head) {
  const numbers = numbersIn(head);
  const number = (/** @type {string} */ key) => numbers.find(([name]) => name.endsWith(`.${key}`))?.[1];
  for (const [kind, { room }] of Object.entries(LOOKS)) {
    const size = room?.(number);
    if (size) return { kind, ...size };
  }
  return undefined;
}

/**
 * Reads the numeric metadata that the first bytes of a file contain.
 *
 * @param {Uint8Array} head
 * @returns {[key: string, value: number][]}
 */
function numbersIn(head) {
  /** @type {[string, number][]} */
  const numbers = [];
  try {
    for (const walk = new Walk(head); ; ) {
      const entry = atOnce(walk.entry());
      if (NUMBERS[entry.type]) numbers.push([entry.key, numberOf(entry)]);
    }
  } catch {
    // the metadata or these bytes have ended, or the file is damaged; load() reports a damaged file
    return numbers;
  }
}

// SPDX-License-Identifier: MIT
// @ts-check

/** Reads from the first bytes of a weight file how much room its pictures or its text will take. */

import { LOOKS } from '../kinds/looks.js';

/**
 * @param {Uint8Array} head  the first bytes of the file
 * @returns {{ kind: string, width: number, height: number } | undefined} undefined where they do not say it: it is found when the file is open
 */
export function roomIn(head) {
  const number = (/** @type {string} */ key) => numberIn(head, `.${key}`);
  for (const [kind, { room }] of Object.entries(LOOKS)) {
    const size = room?.(number);
    if (size) return { kind, ...size };
  }
  return undefined;
}

/**
 * A whole number of the metadata, by the end of its key: it stands behind its type. Undefined where it is not there yet.
 *
 * @param {Uint8Array} head
 * @param {string} key
 */
function numberIn(head, key) {
  const at = String.fromCharCode(...head).indexOf(key) + key.length;
  if (at < key.length || at + 8 > head.length) return undefined;
  const view = new DataView(head.buffer, head.byteOffset);
  const bits = { 0: 8, 1: 8, 2: 16, 3: 16, 4: 32, 5: 32, 10: 32, 11: 32 }[view.getUint32(at, true)]; // of 64 the lower half
  return bits && view.getUint32(at + 4, true) % 2 ** bits;
}

// SPDX-License-Identifier: MIT
// @ts-check

/** Reads from the first bytes of a weight file how much room its pictures or its text will take. */

import { KINDS } from '../kinds/index.js';

/**
 * @param {Uint8Array} head  the first bytes of the file
 * @returns {{ codec: string, width: number, height: number } | undefined} undefined where they do not say it: it is found when the file is open
 */
export function roomIn(head) {
  const number = (/** @type {string} */ key) => numberIn(head, `.${key}`);
  for (const { name, room } of KINDS) {
    const size = room?.(number);
    if (size) return { codec: name, ...size };
  }
  return undefined;
}

/**
 * A whole number of the metadata, by the end of its key: a 32-bit one stands behind its type. Undefined where it is not there yet.
 *
 * @param {Uint8Array} head
 * @param {string} key
 */
function numberIn(head, key) {
  const at = String.fromCharCode(...head).indexOf(key) + key.length;
  return at < key.length || at + 8 > head.length ? undefined : new DataView(head.buffer, head.byteOffset).getUint32(at + 4, true);
}

// SPDX-License-Identifier: MIT
// @ts-check

/** Reads from the first bytes of a weight file how much room its pictures or its text will take. */

/** NX_MAX_SIDE of src/models/image.h. */
const MAX_SIDE = 256;

/**
 * @param {Uint8Array} head  the first bytes of the file
 * @returns {{ codec: string, width: number, height: number } | undefined} undefined where they do not say it: it is found when the file is open
 */
export function roomIn(head) {
  const [width, height] = ['width', 'height'].map((side) => numberIn(head, `.image.${side}`));
  if (width && height && Math.max(width, height) <= MAX_SIDE) return { codec: 'picture', width, height };
  return !width && (numberIn(head, '.context_length') || numberIn(head, '.sound.rate')) ? { codec: 'text', width: 0, height: 0 } : undefined;
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

// SPDX-License-Identifier: MIT
// Fetches some of the pictures that the model was trained on (see ../../pictures/binarised-digits.md).
// @ts-check
import { PIXELS } from '../../shell/picture/digits.js';

const BYTES = PIXELS / 8;

/**
 * @param {Uint8Array} bits 98 bytes per picture, with the first pixel in the highest bit
 * @returns {Uint8Array[]} one array of 784 pixels per picture; 1 is ink
 */
export function unpack(bits) {
  if (!bits.length || bits.length % BYTES) throw new Error('The file of training digits is damaged.');
  return Array.from({ length: bits.length / BYTES }, (_, k) =>
    Uint8Array.from({ length: PIXELS }, (__, i) => (bits[k * BYTES + (i >> 3)] >> (7 - (i & 7))) & 1),
  );
}

/** @returns {Promise<Uint8Array[]>} */
export async function loadTrainingDigits() {
  const response = await fetch(new URL('../../pictures/binarised-digits.bin', import.meta.url));
  if (!response.ok) throw new Error(`The training digits could not be fetched: the server answered ${response.status}.`);
  return unpack(new Uint8Array(await response.arrayBuffer()));
}

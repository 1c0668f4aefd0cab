// SPDX-License-Identifier: MIT
// The weight file itself: its sizes, and the same file with another gamma.
// @ts-check
import { readGguf } from '../../shell/gguf.js';

/** @type {Map<string, Promise<ArrayBuffer>>} */
const files = new Map();

/** The bytes of a file, which the browser has already. @param {string} address */
export function fileBytes(address) {
  const known = files.get(address);
  if (known) return known;
  const coming = fetch(address).then((response) => {
    if (!response.ok) throw new Error(`The weights are not there: ${response.status}`);
    return response.arrayBuffer();
  });
  files.set(address, coming);
  coming.catch(() => files.delete(address));
  return coming;
}

/** A copy whose gamma is `times` as large. @param {ArrayBuffer} file @param {number} times */
export function withGain(file, times) {
  const { at, values: [gain] } = readGguf(file).tensor('attn.gain');
  const copy = file.slice(0);
  new DataView(copy).setFloat32(at, gain * times, true);
  return copy;
}

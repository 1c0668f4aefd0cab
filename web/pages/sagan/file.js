// SPDX-License-Identifier: MIT
// Copies a weight file and changes gamma in the copy.
// @ts-check
import { readGguf } from '../../shell/model/gguf.js';

/** Returns a copy of the file in which gamma is multiplied by `times`. @param {ArrayBuffer} file @param {number} times */
export function withGain(file, times) {
  const {
    at,
    values: [gain],
  } = readGguf(file).tensor('attn.gain');
  const copy = file.slice(0);
  new DataView(copy).setFloat32(at, gain * times, true);
  return copy;
}

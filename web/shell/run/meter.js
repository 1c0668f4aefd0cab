// SPDX-License-Identifier: MIT
// Measures how long a pixel takes on this machine.
// @ts-check
import { perFrame } from '../page/dom.js';

/** Forget older pulls at this rate, so that the number follows the machine. */
const KEEP = 0.98;

/** @param {(each: number) => void} show milliseconds of a pixel; NaN: not known */
export function createMeter(show) {
  let ms = 0;
  let pixels = 0;
  const soon = perFrame(() => show(ms / pixels));
  return {
    /** @param {number} took @param {number} count */
    pulled(took, count) {
      ms = ms * KEEP + took;
      pixels = pixels * KEEP + count;
      soon();
    },
    /** Another model takes another time. */
    reset() {
      ms = pixels = 0;
      soon();
    },
  };
}

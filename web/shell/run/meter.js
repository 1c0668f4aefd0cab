// SPDX-License-Identifier: MIT
// Measures the time per pixel on this device.
// @ts-check
import { perFrame } from '../page/dom.js';

/** Decay factor of earlier measurements. The decay lets the average follow changes in the device's speed. */
const KEEP = 0.98;

/** @param {(each: number) => void} show receives the time per pixel in milliseconds; NaN if it is unknown */
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
    /** Discards all measurements, because another model is used. */
    reset() {
      ms = pixels = 0;
      soon();
    },
  };
}

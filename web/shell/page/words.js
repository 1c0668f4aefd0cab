// SPDX-License-Identifier: MIT
// Formats numbers as text, in the same way on all pages.
// @ts-check
import { phrase } from './phrase.js';

/**
 * The number format, created at its first use, because creating a number format takes up to 20 ms.
 * @type {Intl.NumberFormat | undefined}
 */
let grouped;

/** @param {number} n */
export const integer = (n) => (grouped ??= new Intl.NumberFormat('en')).format(Math.round(n));

/** @param {number} n bytes */
export const bytes = (n) => (n >= 1e6 ? `${(n / 1e6).toFixed(2)} MB` : `${Math.round(n / 1e3)} KB`);

/** @param {number} ms */
export const time = (ms) => (ms >= 1000 ? phrase`${(ms / 1000).toFixed(2)} s` : ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(2)} ms`);

/** @param {number} share 0..1 */
export const percent = (share) =>
  share > 0.995 && share < 1
    ? phrase`over 99%`
    : share >= 0.1
      ? `${Math.round(100 * share)}%`
      : share >= 0.001
        ? `${(100 * share).toFixed(1)}%`
        : phrase`under 0.1%`;

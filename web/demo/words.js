// SPDX-License-Identifier: MIT
// Numbers in words, one way everywhere.
// @ts-check
import { SIDE } from './digits.js';
import { make } from './dom.js';
/** @import { ModelInfo } from '../lib/protocol.js' */
/** @import { Picture } from './runner.js' */
/** @import { Place } from './state.js' */

const grouped = new Intl.NumberFormat('en');

/** @param {number} n */
export const integer = (n) => grouped.format(Math.round(n));

/** @param {number} n bytes */
export const bytes = (n) => (n >= 1e6 ? `${(n / 1e6).toFixed(2)} MB` : `${Math.round(n / 1e3)} KB`);

/** @param {number} ms */
export const time = (ms) => (ms >= 1000 ? `${(ms / 1000).toFixed(2)} s` : ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(2)} ms`);

/** @param {number} share 0..1 */
export const percent = (share) => (share > 0.995 && share < 1 ? 'over 99%' : share >= 0.1 ? `${Math.round(100 * share)}%` : share >= 0.001 ? `${(100 * share).toFixed(1)}%` : 'under 0.1%');

/**
 * What is to be said of one pixel.
 * @param {{ picture: Picture, place: Place, known: number, info: ModelInfo }} what
 * @returns {(string | Node)[]}
 */
export function describe({ picture, place: { row, column }, known, info }) {
  const i = row * SIDE + column;
  const where = `Row ${row + 1}, column ${column + 1}: `;
  const shade = `shade ${Math.round(picture.values[i] * (info.levels - 1) / 255)} of ${info.levels - 1}`;
  if (i < known) return [`${where}${shade}, given`];
  const nats = picture.nats[i];
  return [`${where}${shade}, `, make('b', {}, `${nats.toFixed(2)} nats`), ` (odds ${percent(Math.exp(-nats))})`];
}

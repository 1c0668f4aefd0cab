// SPDX-License-Identifier: MIT
// @ts-check
import { make } from '../page/dom.js';
import { phrase } from '../page/phrase.js';
import { percent } from '../page/words.js';
import { SIDE } from '../picture/digits.js';
/** @import { ModelInfo } from '../library.js' */
/** @import { Ending } from './runner.js' */
/** @import { Pixel } from './state.js' */

/**
 * Describes one pixel of a completion in words.
 * @param {{ picture: Ending, pixel: Pixel, known: number, info: ModelInfo }} what
 * @returns {(string | Node)[]}
 */
export function describe({ picture, pixel: { row, column }, known, info }) {
  const i = row * SIDE + column;
  const shade = phrase`Row ${row + 1}, column ${column + 1}: shade ${Math.round((picture.values[i] * (info.levels - 1)) / 255)} of ${info.levels - 1}`;
  if (i < known) return [phrase`${shade}, given`];
  const nats = picture.nats[i];
  return [`${shade}, `, make('b', {}, phrase`${nats.toFixed(2)} nats`), phrase` (probability ${percent(Math.exp(-nats))})`];
}

// SPDX-License-Identifier: MIT
// @ts-check

import { wholeNumber } from '../../base/checks.js';
import { argumentError } from '../../base/error.js';

/** @import { AnyInfo } from '../../engine/protocol.js' */

/**
 * Returns the number of known rows. With local 2D attention the known rows are whole rows of blocks, because the known part must come first
 * in generation order.
 *
 * @param {number | undefined} rows  undefined: half of the rows, or the closest possible number
 * @param {Pick<AnyInfo, 'height' | 'blockRows'>} info
 * @returns {number}
 * @internal
 */
export function checkRows(rows, { height, blockRows }) {
  const step = blockRows || 1;
  if (rows === undefined) {
    const below = step * Math.floor(height / 2 / step);
    const above = Math.min(below + step, height);
    return height / 2 - below <= above - height / 2 ? below : above;
  }
  if (canBeKnown(rows, { height, blockRows })) return rows;
  wholeNumber('rows', rows, 0, height);
  const possible = Array.from({ length: Math.ceil(height / step) }, (_, i) => i * step).join(', ');
  throw argumentError(`rows must be ${possible} or ${height}, not ${rows}: the model draws blocks of ${step} rows`);
}

/**
 * @param {number} rows
 * @param {Pick<AnyInfo, 'height' | 'blockRows'>} info
 * @internal
 */
export function canBeKnown(rows, { height, blockRows }) {
  return Number.isInteger(rows) && rows >= 0 && rows <= height && (rows % (blockRows || 1) === 0 || rows === height);
}

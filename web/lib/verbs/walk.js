// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Reading } from './table.js' */

export const draws = true;
export const before = 2;

/** @type {Record<'from' | 'to' | 'steps' | 'shape', Reading>} */
export const attributes = {
  /** seed of the first picture of a walk. Default 1 */
  from: { whole: [0, Number.MAX_SAFE_INTEGER], initial: 1, given: ({ from }) => from },
  /** seed of the last picture of a walk. Default 2 */
  to: { whole: [0, Number.MAX_SAFE_INTEGER], initial: 2, given: ({ to }) => to },
  /** number of pictures of a walk. Default 30 */
  steps: { whole: [2, 4096], initial: 30 },
  /** `line`, `sphere` or `circle`. Default: `sphere` */
  shape: { read: (text) => text.trim().toLowerCase() },
};

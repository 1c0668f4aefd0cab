// SPDX-License-Identifier: MIT
// @ts-check

import { NX_MAX_SAMPLES } from '../engine/abi.js';
import { canBeKnown } from '../kinds/picture/rows.js';

/** @import { Reading } from './table.js' */

export const draws = true;
export const made = '{pictures} completed from {src}';

/** @type {Record<'src' | 'rows' | 'voices' | 'tries', Reading>} */
export const attributes = {
  /** picture to complete or to enlarge, sound to continue, or MIDI file to continue or to harmonise */
  src: { given: (element, signal, { fetch }) => fetch?.(element.src, signal, element) },
  /** rows of it that are known; absent: half of them */
  rows: { whole: [0, 65536], fits: canBeKnown },
  /** for a MIDI file, the names of its voices, which are kept while the others are drawn, separated by spaces; absent: none, it is
   * continued */
  voices: { read: (names) => names.trim().split(/\s+/), fits: (_, { voices }) => voices !== undefined },
  /** pictures drawn for each that is shown, its likeliest at the end; they compete on the way (`resample`). 4 to 8 make fewer slips and
   * take as much longer; `samples` times `tries` is at most 64. Default 1 */
  tries: { whole: [1, NX_MAX_SAMPLES], initial: 1 },
};

// SPDX-License-Identifier: MIT
// @ts-check

import { NX_MAX_SAMPLES } from '../engine/abi.js';
import { canBeKnown } from '../kinds/picture/rows.js';

/** @import { Reading } from './table.js' */

export const draws = true;
export const made = '{pictures} completed from {src}';

/** @type {Record<'src' | 'rows' | 'voices' | 'tries', Reading>} */
export const attributes = {
  /** picture to complete or enlarge, sound to continue, or MIDI file to continue or harmonise */
  src: { given: (element, signal, { fetch }) => fetch?.(element.src, signal, element) },
  /** number of known rows of the picture. Default: half of the rows */
  rows: { whole: [0, 65536], fits: canBeKnown },
  /** names of the voices to keep from a MIDI file, separated by spaces; all other voices are drawn. Default: the file is continued */
  voices: { read: (names) => names.trim().split(/\s+/), fits: (_, { voices }) => voices !== undefined },
  /** number of pictures to draw for each picture that is shown; these pictures compete while they are drawn (`resample`), and the likeliest
   * one is shown. With 4 to 8 tries, the pictures have fewer mistakes but take 4 to 8 times as long; `samples` times `tries` is at most 64.
   * Default 1 */
  tries: { whole: [1, NX_MAX_SAMPLES], initial: 1 },
};

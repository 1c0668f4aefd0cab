// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind code for the sweeps in tests/js (tests/kinds/js.js documents them). */

import { GOLDEN } from '../../js/helpers.js';
import { tone } from '../inputs.js';

/** @import { Rows } from '../js.js' */

const jukebox = `${GOLDEN}jukebox-tiny.gguf`;

/** @type {Rows['verbs']} */
export const verbs = {
  generate: { file: jukebox, options: { seconds: 0.05 } },
  complete: { file: jukebox, options: { seconds: 0.02 }, input: () => tone(20) },
};

export const lists = 'options are numbers and texts';

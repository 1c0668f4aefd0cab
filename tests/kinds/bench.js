// SPDX-License-Identifier: MIT
// @ts-check

/** The rows of every kind for the sweeps in tests/bench (rows.js). A new kind adds two lines here. */

import { rows } from './rows.js';
import * as caption from './caption/bench.js';
import * as code from './code/bench.js';
import * as head from './head/bench.js';
import * as latent from './latent/bench.js';
import * as note from './note/bench.js';
import * as picture from './picture/bench.js';
import * as sign from './sign/bench.js';
import * as sound from './sound/bench.js';
import * as tag from './tag/bench.js';
import * as text from './text/bench.js';

/**
 * The rows of one kind.
 *
 * @typedef {object} Rows
 * @property {Record<string, (model: any, options: { seed: number, signal: AbortSignal }) => any>} uses  soak.js: a run or a result, by
 *   weight file
 */

/** @type {Record<string, Rows>} */
const ALL = { picture, latent, sound, code, note, caption, tag, head, sign, text };

/** Returns the rows of every kind for a sweep. @template {keyof Rows} Sweep @param {Sweep} sweep */
export const rowsOf = (sweep) => rows(ALL, sweep, 'bench.js');

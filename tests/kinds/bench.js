// SPDX-License-Identifier: MIT
// @ts-check

/** The test cases (rows) of every kind for tests/bench; rows.js explains rows and sweeps. A new kind adds two lines here. */

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
 * @property {Record<string, (model: any, options: { seed: number, signal: AbortSignal }) => any>} uses  for soak.js, by weight file: starts
 *   a run or returns a result
 */

/** @type {Record<string, Rows>} */
const ALL = { picture, latent, sound, code, note, caption, tag, head, sign, text };

/** Returns the rows of a sweep, by kind. @template {keyof Rows} Sweep @param {Sweep} sweep */
export const rowsOf = (sweep) => rows(ALL, sweep, 'bench.js');

// SPDX-License-Identifier: MIT
// @ts-check

/** The test cases (rows) for tests/bench, for each kind of model. rows.js explains rows and sweeps. */

import { ofEach, rows } from './rows.js';

/**
 * The rows of one kind.
 *
 * @typedef {object} Rows
 * @property {Record<string, (model: any, options: { seed: number, signal: AbortSignal }) => any>} uses for soak.js: for each weight file, a
 * function that starts a run or returns a result
 */

/** @type {Record<string, Rows>} */
const ALL = await ofEach((name) => import(`./${name}/bench.js`));

/** Returns the rows of a sweep, by kind. @template {keyof Rows} Sweep @param {Sweep} sweep */
export const rowsOf = (sweep) => rows(ALL, sweep, 'bench.js');

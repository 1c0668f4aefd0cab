// SPDX-License-Identifier: MIT
// @ts-check

/** For every kind, defines runs that must give the same bits in every engine and build (tests/engines). Pages import this file too. */

import { ofEach } from './rows.js';

/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */
/** @import { PlannedRun, Work } from '../engines/plan.js' */

/**
 * Returns the runs of a model: one run for each task in `works` that the kind of the model supports. Before these runs, an additional run
 * opens the file. Each run in the list contains only the fields in which it differs from the additional run. If the result is undefined,
 * the file is not compared at all.
 *
 * @typedef {(works: Work[], info: any, kind: any) => Partial<PlannedRun>[] | undefined} Plan  kind: the class of the model
 */

/**
 * The functions that execute the tasks of planned runs, by the name of the task.
 *
 * - items: returns the names of the results that the run must have in every mode
 * - run: computes these results, and calls `say` with each result and its mode
 *
 * @typedef {Record<string, { items: (run: PlannedRun) => string[], run: (model: Model, run: PlannedRun, say: Say) => Promise<void> }>} Tasks
 */

/** @typedef {(item: string, way: string, data: Uint8Array | Float32Array | Int32Array | Uint32Array) => Promise<void>} Say */

/** @type {Record<string, { plan: Plan, tasks: Tasks }>} */
export const ALL = await ofEach((name) => import(`./${name}/engines.js`));

/** The tasks of all kinds. @type {Tasks} */
export const TASKS = Object.assign({}, ...Object.values(ALL).map(({ tasks }) => tasks));

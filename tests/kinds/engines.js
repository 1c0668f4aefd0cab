// SPDX-License-Identifier: MIT
// @ts-check

/** The runs of every kind that must give the same bits in every engine and build (tests/engines). A new kind adds two lines here. */

import * as caption from './caption/engines.js';
import * as code from './code/engines.js';
import * as head from './head/engines.js';
import * as latent from './latent/engines.js';
import * as note from './note/engines.js';
import * as picture from './picture/engines.js';
import * as sign from './sign/engines.js';
import * as sound from './sound/engines.js';
import * as tag from './tag/engines.js';
import * as text from './text/engines.js';

/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */
/** @import { PlannedRun, Work } from '../engines/plan.js' */

/**
 * Plans the runs of a model with the tasks that its kind supports. Each run has the fields that differ from those of the first run, which
 * opens the file. undefined: the file is not compared at all.
 *
 * @typedef {(works: Work[], info: any, kind: any) => Partial<PlannedRun>[] | undefined} Plan  kind: the class of the model
 */

/**
 * By `task` of a planned run. items: names of the results that the run must have in every mode; run: computes them, and calls `say` with
 * each result and the mode
 *
 * @typedef {Record<string, { items: (run: PlannedRun) => string[], run: (model: Model, run: PlannedRun, say: Say) => Promise<void> }>} Tasks
 */

/** @typedef {(item: string, way: string, data: Uint8Array | Float32Array | Int32Array | Uint32Array) => Promise<void>} Say */

/** @type {Record<string, { plan: Plan, tasks: Tasks }>} */
export const ALL = { picture, latent, sound, code, note, sign, caption, text, head, tag };

/** The tasks of all kinds. @type {Tasks} */
export const TASKS = Object.assign({}, ...Object.values(ALL).map(({ tasks }) => tasks));

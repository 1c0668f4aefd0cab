// SPDX-License-Identifier: MIT
// @ts-check

/** The table of verbs, asked about models; about the element: ../element/tasks.js. */

import * as VERBS from './index.js';

/** @import { Facts, Part } from '../engine/protocol.js' */
/** @import { Setting } from '../settings.js' */

/**
 * A model as a verb is told of it: the kind of its ids, what its file says, and the part that draws.
 *
 * @typedef {Facts & { codec: string, part: Part }} Fitting
 */

/**
 * The reading of an attribute of the element: a number of a range, else a text. What makes no sense counts as absent.
 *
 * @typedef {Pick<Setting, 'whole' | 'number' | 'over' | 'initial'>} Reading
 */

/**
 * @typedef {object} Verb
 * @property {string} [task]
 * @property {boolean} draws
 * @property {string} [made]
 * @property {(model: Fitting) => boolean} fits
 * @property {Record<string, Reading>} [attributes]
 * @property {string} [settings]
 * @property {(...given: any[]) => any} start
 */

/** @typedef {keyof typeof VERBS} VerbName */

/** The verbs, those that draw first. @type {[VerbName, Verb][]} */
export const ALL = /** @type {any} */ (Object.entries(VERBS).sort(([, a], [, b]) => Number(b.draws) - Number(a.draws)));

/** The verbs that a model has. @param {Fitting} model */
export function verbsOf(model) {
  return ALL.filter(([, { fits }]) => fits(model));
}

// SPDX-License-Identifier: MIT
// @ts-check

/** The table of verbs. */

import { KINDS } from '../kinds/index.js';
import { ROWS } from '../settings.js';
import * as VERBS from './index.js';

/** @import { Fitting } from '../kinds/index.js' */
/** @import { Setting } from '../settings.js' */

/**
 * The reading of an attribute of the element: a number of a range, else a text. What makes no sense counts as absent.
 *
 * @typedef {Pick<Setting, 'whole' | 'number' | 'over' | 'initial' | 'fits'> & {
 *   given?: (element: any, signal: AbortSignal, look: any) => unknown, read?: (text: string) => unknown }} Reading
 *   given: makes an argument before the options, of an element and the look of its model; read: turns a text into an option
 */

/**
 * @typedef {object} Verb
 * @property {boolean} draws
 * @property {string} [made]
 * @property {Record<string, Reading>} [attributes]
 * @property {string} [inside]
 * @property {string[]} [names]
 * @property {number} [before]
 * @property {(...given: any[]) => any} start
 */

/** @typedef {keyof typeof VERBS} VerbName */

/** The verbs, those that draw first. @type {[VerbName, Verb][]} */
export const ALL = /** @type {any} */ (Object.entries(VERBS).sort(([, a], [, b]) => Number(b.draws) - Number(a.draws)));

/** The names of the options of a verb, with the settings of every kind of model that has it. @param {VerbName} verb @internal */
export function optionsOf(verb) {
  const kinds = KINDS.flatMap(({ verbs }) => verbs[verb]?.settings ?? []);
  const settings = ROWS.filter(([, { of }]) => of.split(' ').some((word) => kinds.includes(word))).map(([name]) => name);
  return [...new Set([...settings, .../** @type {Verb} */ (VERBS[verb]).names ?? []])];
}

/** The number of arguments before the options of a verb. @param {VerbName} verb @param {string} kind  of the model, `info.kind` @internal */
export function argumentsOf(verb, kind) {
  const row = /** @type {Verb} */ (VERBS[verb]);
  return KINDS.find(({ name }) => name === kind)?.verbs[verb]?.before ?? row.before ?? 1;
}

/** The verbs that a model has. @param {Fitting} model @internal */
export function verbsOf(model) {
  const { verbs } = model.kind;
  return ALL.filter(([name]) => verbs[name] && (verbs[name].when?.(model) ?? true));
}

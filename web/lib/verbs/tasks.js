// SPDX-License-Identifier: MIT
// @ts-check

/** What the table of verbs says of models and of the element. */

import { ROWS } from '../settings.js';
import * as VERBS from './index.js';

/** @import { Facts, Part } from '../protocol.js' */
/** @import { Setting, SettingName } from '../settings.js' */

/**
 * What a verb is told of a model: the kind of its ids, what its file says, and the part that draws.
 *
 * @typedef {Facts & { codec: string, part: Part }} Fitting
 */

/**
 * How an attribute of the element is read: a number of a range, else a text. What makes no sense counts as absent.
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

/**
 * An attribute of the element: how it is read, the property that reflects it, and the setting that it becomes, if it is one.
 *
 * @typedef {Reading & { property: string, setting?: SettingName }} Attribute
 */

/** @param {string} name  in camels */
const hyphened = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
/** @param {string} name  with hyphens */
const camels = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/**
 * What an element can be asked for: the tasks that draw, with the attributes that each reads.
 *
 * @type {{ task: string, verb: VerbName, made?: string, attributes: Record<string, Attribute> }[]}
 */
export const TASKS = ALL.filter(([, { task, draws }]) => task && draws).map(([verb, { task = '', made, settings, attributes = {} }]) => ({
  task,
  verb,
  made,
  attributes: Object.fromEntries([
    ...Object.entries(attributes).map(([name, reading]) => [name, { ...reading, property: camels(name) }]),
    ...ROWS.filter(([, { of, attribute }]) => attribute && of.split(' ').includes(settings ?? '')).map(([setting, { whole, number, over, initial }]) => (
      [hyphened(setting), { whole, number, over, initial, property: setting, setting }])),
  ]),
}));

/** All of them. @type {Record<string, Attribute>} */
export const ATTRIBUTES = Object.assign({}, ...TASKS.map(({ attributes }) => attributes));

/** The verbs that a model has. @param {Fitting} model */
export function verbsOf(model) {
  return ALL.filter(([, { fits }]) => fits(model));
}

// SPDX-License-Identifier: MIT
// @ts-check

/** The tasks of the element and their attributes, from the tables of verbs and settings. */

import { KINDS } from '../kinds/index.js';
import { ROWS } from '../settings.js';
import { ALL } from '../verbs/table.js';

/** @import { SettingName } from '../settings.js' */
/** @import { Reading, VerbName } from '../verbs/table.js' */

/**
 * An attribute of the element: how it is read, the property that reflects it, and the setting that receives its value, if any.
 *
 * @typedef {Reading & { property: string, setting?: SettingName }} Attribute
 */

/** @param {string} name  a name in camel case */
const hyphened = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
/** @param {string} name  a name with hyphens */
const camels = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/**
 * The tasks of the element, and the attributes that each task reads. A task has the name of its verb, in lower case with hyphens.
 *
 * @type {{ task: string, verb: VerbName, made?: string, inside?: string, attributes: Record<string, Attribute> }[]}
 */
export const TASKS = ALL.filter(([, { attributes }]) => attributes).map(([verb, { made, inside, attributes = {} }]) => ({
  task: hyphened(verb),
  verb,
  made,
  inside,
  attributes: Object.fromEntries([
    ...Object.entries(attributes).map(([name, reading]) => [name, { ...reading, property: camels(name) }]),
    ...ROWS.filter(
      ([, { of, attribute }]) => attribute && KINDS.some(({ verbs }) => of.split(' ').includes(verbs[verb]?.settings ?? '-')),
    ).map(([setting, { whole, number, over, initial, fits }]) => [
      hyphened(setting),
      { whole, number, over, initial, fits, property: setting, setting },
    ]),
  ]),
}));

/** All attributes, by name. @type {Record<string, Attribute>} */
export const ATTRIBUTES = Object.assign({}, ...TASKS.map(({ attributes }) => attributes));

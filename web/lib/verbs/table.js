// SPDX-License-Identifier: MIT
// @ts-check

/** The table of verbs. */

import { KINDS } from '../kinds/index.js';
import { ROWS } from '../settings.js';
import * as VERBS from './index.js';

/** @import { Fitting } from '../kinds/index.js' */
/** @import { Setting } from '../settings.js' */

/**
 * Describes how an attribute of the element is read: as a number in a range, or as a string. An invalid value counts as absent.
 *
 * @typedef {Pick<Setting, 'whole' | 'number' | 'over' | 'initial' | 'fits'> & {
 *   given?: (element: any, signal: AbortSignal, look: any) => unknown, read?: (text: string) => unknown }} Reading
 *   given: returns an argument that precedes the options, given an element and the `Look` of its model; read: converts the string to an
 *   option
 */

/**
 * @typedef {object} Verb
 * @property {boolean} draws
 * @property {string} [made]
 * @property {Record<string, Reading>} [attributes]
 * @property {string} [inside]
 * @property {number} [before]
 */

/** @typedef {keyof typeof VERBS} VerbName */

/** All verbs; the verbs that draw come first. @type {[VerbName, Verb][]} */
export const ALL = /** @type {any} */ (Object.entries(VERBS).sort(([, a], [, b]) => Number(b.draws) - Number(a.draws)));

/** Returns the row of a kind in the list of kinds. @param {string} kind */
const kindOf = (kind) => KINDS.find(({ name }) => name === kind);

/** Returns the names of the settings of a verb. @param {string | undefined} of  a word in the table of settings, column `of` */
const settingsOf = (of) => ROWS.filter((row) => row[1].of.split(' ').includes(of ?? '-')).map(([name]) => name);

/**
 * Returns the names of the options that a verb accepts if the model is of the given kind.
 * @param {VerbName} verb
 * @param {string} kind  `info.kind`
 * @returns {string[]} @internal
 * @internal
 */
export function optionsOf(verb, kind) {
  const { settings, names = [] } = kindOf(kind)?.verbs[verb] ?? {};
  return [...settingsOf(settings), ...names];
}

/**
 * Returns the names of the options of resume(): the settings of the kind's methods, and `at`, the position from which a text or a piece of
 * music is drawn again.
 * @param {string} kind `info.kind` @internal
 */
export function resumingOf(kind) {
  const words = Object.values(kindOf(kind)?.verbs ?? {}).map(({ settings }) => settings);
  return [...new Set([...words.flatMap(settingsOf), 'at'])];
}

/** Returns the names of the options that a saved run may contain. @param {string} kind  `info.kind` @internal */
export const savedOf = (kind) =>
  /** @type {VerbName[]} */ (Object.keys(kindOf(kind)?.verbs ?? {})).flatMap((verb) => optionsOf(verb, kind));

/** Returns the number of arguments that precede the options of a verb.
 * @param {VerbName} verb @param {string} kind  `info.kind` @internal */
export function argumentsOf(verb, kind) {
  const row = /** @type {Verb} */ (VERBS[verb]);
  return kindOf(kind)?.verbs[verb]?.before ?? row.before ?? 1;
}

/** Returns the verbs that a model has. @param {Fitting} model @internal */
export function verbsOf(model) {
  const { verbs } = model.kind;
  return ALL.filter(([name]) => verbs[name] && (verbs[name].when?.(model) ?? true));
}

// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The sweeps of the tests visit every kind of answer. The folder tests/kinds/NAME has the rows of one kind for all sweeps, in one file for
 * each folder of tests: js.js for tests/js, and so on. Each sweep has an export of the same name in every kind: its rows, or a text with
 * the reason why the kind has none. So a sweep names no kind, and a new kind is one folder. Nothing is computed on import, because a sweep
 * imports the rows of all sweeps: weight files and inputs are made by functions.
 */

import { KINDS } from '../../web/lib/kinds/list.js';

/** The kinds of the library. flow.test.js registers the kind triad, and may run in the same process. */
export const NAMES = KINDS.map(({ name }) => name).filter((name) => name !== 'triad');

/**
 * Returns the rows of every kind for a sweep.
 *
 * @template {object} Rows
 * @template {keyof Rows & string} Sweep
 * @param {Record<string, Rows>} all  the exports of each kind
 * @param {Sweep} sweep
 * @param {string} file             the file of a kind that exports the rows
 * @param {string[]} [names]
 * @returns {Record<string, Rows[Sweep]>}
 */
export function rows(all, sweep, file, names = NAMES) {
  const missing = names.filter((name) => all[name]?.[sweep] === undefined);
  if (missing.length > 0)
    throw new Error(`${missing.map((name) => `${name}/${file}`).join(', ')} must export ${sweep}: rows, or a text with the reason why not`);
  const unknown = Object.keys(all).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`there is no ${unknown.join(', ')}: remove its rows`);
  return Object.fromEntries(Object.entries(all).map(([name, own]) => [name, own[sweep]]));
}

/**
 * Returns the rows of all kinds, by the names that they have in their kinds, without the kinds that state a reason.
 *
 * @template Row
 * @param {Record<string, Record<string, Row> | string>} kinds
 * @returns {Record<string, Row>}
 */
export function flat(kinds) {
  /** @type {[string, Row][]} */
  const all = Object.values(kinds).flatMap((own) => (typeof own === 'string' ? [] : Object.entries(own)));
  const twice = all.find(([name], i) => all.findIndex(([other]) => other === name) < i);
  if (twice) throw new Error(`two kinds have a row ${twice[0]}`);
  return Object.fromEntries(all);
}

/**
 * Returns the rows of all kinds, by `KIND.ROW`, without the kinds that state a reason.
 *
 * @template Row
 * @param {Record<string, Record<string, Row> | string>} kinds
 * @returns {Record<string, Row>}
 */
export const named = (kinds) =>
  Object.fromEntries(
    Object.entries(kinds).flatMap(([kind, own]) =>
      typeof own === 'string' ? [] : Object.entries(own).map(([name, row]) => [`${kind}.${name}`, row]),
    ),
  );

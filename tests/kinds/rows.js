// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Test cases for every kind of model (picture, text, sound, ...). A test that covers all kinds is called a sweep, and its test cases are
 * called rows. The rows of one kind are in the folder tests/kinds/NAME: js.js has the rows for the sweeps in tests/js, browser.js has the
 * rows for the sweeps in tests/browser, and so on. Each of these files exports one value per sweep, under the name of the sweep: the rows,
 * or a string that says why this kind has none. The sweeps find these folders through the list of kinds, so adding a kind means
 * adding one folder.
 *
 * Each of these files contains rows for several sweeps, and every sweep imports the whole file. Importing a file must therefore compute
 * nothing. Rows contain functions that make the weight files and the inputs.
 */

import { KINDS } from '../../web/lib/kinds/list.js';

/** The names of the library's kinds. flow.test.js may add the kind triad to the list in the same process, so triad is removed here. */
export const NAMES = KINDS.map(({ name }) => name).filter((name) => name !== 'triad');

/**
 * Imports one file from each of several folders, by default from the folder of each kind. Returns an object whose keys are the names of the
 * folders and whose values are the exports of the files.
 *
 * @template File
 * @param {(name: string) => Promise<File>} of  imports the file of a folder
 * @param {string[]} [names]
 * @returns {Promise<Record<string, File>>}
 */
export const ofEach = async (of, names = NAMES) =>
  Object.fromEntries(await Promise.all(names.map(async (name) => /** @type {const} */ ([name, await of(name)]))));

/**
 * Returns the rows of a sweep, by kind. Throws if a kind exports nothing for the sweep.
 *
 * @template {object} Rows
 * @template {keyof Rows & string} Sweep
 * @param {Record<string, Rows>} all  the exports of each kind's file
 * @param {Sweep} sweep
 * @param {string} file             name of each kind's file, for the error message
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
 * Merges the rows of all kinds into one object, under the names of the rows. Kinds that have a string instead of rows are left out.
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
 * Merges the rows of all kinds into one object, under the names `KIND.ROW`. Kinds that have a string instead of rows are left out.
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

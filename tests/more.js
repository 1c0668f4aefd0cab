// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Registers tests that only `npm run test:all` runs. For each of these tests, `npm test` has a similar test of the same property, on
 * another page, model or language. The names of these tests begin with `more (FILE): `, because Node reports a test under the file that
 * calls test(), which is this file. ./build.sh test-sweep sets EVERY_TEST and runs the tests with this prefix.
 */

import { relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Whether this process is part of `npm run test:all`. */
export const EVERY = Boolean(process.env.EVERY_TEST);

/** The test file of this process. */
const FILE = relative(fileURLToPath(new URL('..', import.meta.url)), process.argv[1]);

/** Registers a test that only `npm run test:all` runs. @type {typeof test} */
export const more = /** @type {any} */ (
  (/** @type {string} */ name, /** @type {any[]} */ ...rest) => (EVERY ? test(`more (${FILE}): ${name}`, ...rest) : undefined)
);

/**
 * Registers a test that uses EVERY. `npm run test:all` selects the test by its name. The test then checks more pages, widths or values than
 * in `npm test`.
 */
export const longer = EVERY ? more : test;

/**
 * Returns `first` for every n-th test of a series (i = 0, n, ...), and more() for the others.
 *
 * @param {number} i @param {number} n
 * @param {typeof test} [first]  test(), or longer() if the tests use EVERY
 */
export const oneOf = (i, n, first = test) => (i % n === 0 ? first : more);

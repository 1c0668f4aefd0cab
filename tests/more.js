// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests that only `npm run test:all` runs. For each of them, `npm test` has a test that checks the same property on another page, model or
 * language. Their names begin with `more (their file): `, because Node reports the file that called test(), which is this one. ./build.sh
 * test-sweep sets EVERY_TEST and filters by that prefix.
 */

import { relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Whether these tests run. */
export const EVERY = Boolean(process.env.EVERY_TEST);

/** The test file of this process. */
const FILE = relative(fileURLToPath(new URL('..', import.meta.url)), process.argv[1]);

/** Registers a test that only `npm run test:all` runs. @type {typeof test} */
export const more = /** @type {any} */ (
  (/** @type {string} */ name, /** @type {any[]} */ ...rest) => (EVERY ? test(`more (${FILE}): ${name}`, ...rest) : undefined)
);

/** Registers a test that uses EVERY, because it checks more pages, widths or values in `npm run test:all`, which therefore runs it too. */
export const longer = EVERY ? more : test;

/**
 * Returns `first` for the first of every `n` tests of a kind, and more() for the others.
 *
 * @param {number} i @param {number} n
 * @param {typeof test} [first]  test(), or longer() if the tests use EVERY
 */
export const oneOf = (i, n, first = test) => (i % n === 0 ? first : more);

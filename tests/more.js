// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests that only `npm run test:all` runs. For each of them there is a test in `npm test` that checks the same property on another page,
 * model or language. Their names begin with `more (their file): `, because Node reports the file that called test(), which is this one;
 * ./build.sh test-sweep sets EVERY_TEST and filters by that prefix.
 */

import { relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Whether these tests run. */
export const EVERY = Boolean(process.env.EVERY_TEST);

/** The test file of this process. */
const FILE = relative(fileURLToPath(new URL('..', import.meta.url)), process.argv[1]);

/** test() for such a test. @type {typeof test} */
export const more = /** @type {any} */ (
  (/** @type {string} */ name, /** @type {any[]} */ ...rest) => (EVERY ? test(`more (${FILE}): ${name}`, ...rest) : undefined)
);

/** test() for the first of every `n` tests of a kind, more() for the others. @param {number} i @param {number} n */
export const oneOf = (i, n) => (i % n === 0 ? test : more);

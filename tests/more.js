// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests that `npm test` leaves out and `npm run test:all` makes: what they guard is guarded in `npm test` by a test of its kind, for another page, model or language. They are called
 * `more (their file): ...`, for Node says of a test in which file test() was called, which is this one; ./build.sh test-sweep sets EVERY_TEST and asks for that name.
 */

import { relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Whether they are made. */
export const EVERY = Boolean(process.env.EVERY_TEST);

/** The file that this process tests. */
const FILE = relative(fileURLToPath(new URL('..', import.meta.url)), process.argv[1]);

/** test(), for one of them. @type {typeof test} */
export const more = /** @type {any} */ (
  (/** @type {string} */ name, /** @type {any[]} */ ...rest) => (EVERY ? test(`more (${FILE}): ${name}`, ...rest) : undefined)
);

/** test() for the first of every `n` tests of a kind, more() for the others. @param {number} i @param {number} n */
export const oneOf = (i, n) => (i % n === 0 ? test : more);

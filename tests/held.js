// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Each group of test files (group.js) imports this module first. The module registers a test that ends only when begin() is called, so that
 * the tests that are registered later wait.
 */

import { describe, test } from 'node:test';

import { GROUP } from './report.js';

/** @type {() => void} */
export let begin = () => {};
const ready = new Promise((done) => {
  begin = () => done(undefined);
});
test(GROUP, () => ready);

/**
 * Imports a test file in a separate suite. If the import or a hook of the imported file fails, only the tests of the imported file
 * fail.
 *
 * @param {string} file  the name of the suite
 * @param {() => Promise<any>} load
 * @returns {Promise<void>}
 */
export const read = (file, load) =>
  new Promise((done) => {
    describe(file, () => load().finally(done));
  });

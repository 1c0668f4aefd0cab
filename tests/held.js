// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Each group of test files (group.js) imports this module first. The module registers a test that ends only when begin() is called, so that
 * the tests that are registered later wait.
 */

import { test } from 'node:test';

import { GROUP } from './report.js';

/** @type {() => void} */
export let begin = () => {};
const read = new Promise((done) => {
  begin = () => done(undefined);
});
test(GROUP, () => read);

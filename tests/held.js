// SPDX-License-Identifier: MIT
// @ts-check

/** The first import of a group of test files (group.js): a test that ends only when begin() is called, so that the tests after it wait. */

import { test } from 'node:test';

import { GROUP } from './report.js';

/** @type {() => void} */
export let begin = () => {};
const read = new Promise((done) => {
  begin = () => done(undefined);
});
test(GROUP, () => read);

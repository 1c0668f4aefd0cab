// SPDX-License-Identifier: MIT
// @ts-check

/** What a group of test files imports first (group.js): a test that ends, so that others begin, when begin() is called. */

import { test } from 'node:test';

import { GROUP } from './report.js';

/** @type {() => void} */
export let begin = () => {};
const read = new Promise((done) => {
  begin = () => done(undefined);
});
test(GROUP, () => read);

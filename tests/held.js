// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The first import of a group of test files (group.js). It registers a test that lasts until begin() is called, so that later tests wait.
 */

import { test } from 'node:test';

import { GROUP } from './report.js';

/** @type {() => void} */
export let begin = () => {};
const read = new Promise((done) => {
  begin = () => done(undefined);
});
test(GROUP, () => read);

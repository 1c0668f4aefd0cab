// SPDX-License-Identifier: MIT
// Starts a page: numbers its figures, lets code be copied, and keeps it for a visit without a connection.
// @ts-check
import { copyCode } from './copy.js';
import { workOffline } from './offline.js';
import { numberFigures } from './number.js';

/** @param {Promise<unknown>} [first] what the page waits for before it looks after the next visit */
export function startPage(first = Promise.resolve()) {
  numberFigures();
  copyCode();
  first.then(workOffline, workOffline);
}

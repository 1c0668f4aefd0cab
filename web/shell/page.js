// SPDX-License-Identifier: MIT
// Starts a page: numbers its figures, and keeps it for a visit without a connection.
// @ts-check
import { workOffline } from './offline.js';
import { numberFigures } from './number.js';

/** @param {Promise<unknown>} [first] what the page waits for before it looks after the next visit */
export function startPage(first = Promise.resolve()) {
  numberFigures();
  first.then(workOffline, workOffline);
}

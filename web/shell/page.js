// SPDX-License-Identifier: MIT
// What every page does once: numbers its figures, and keeps itself for a visit without a connection.
// @ts-check
import { workOffline } from './offline.js';
import { numberFigures } from './number.js';

/** @param {Promise<unknown>} [first] what the page waits for before it looks after the next visit */
export function startPage(first = Promise.resolve()) {
  numberFigures();
  first.then(workOffline, workOffline);
}

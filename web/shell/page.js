// SPDX-License-Identifier: MIT
// Starts a page: lets code be copied, keeps the place for who changes the language, and keeps it for a visit without a connection.
// @ts-check
import { copyCode } from './copy.js';
import { keepLanguage } from './language.js';
import { workOffline } from './offline.js';

/** @param {Promise<unknown>} [first] what the page waits for before it looks after the next visit */
export function startPage(first = Promise.resolve()) {
  copyCode();
  keepLanguage();
  first.then(workOffline, workOffline);
}

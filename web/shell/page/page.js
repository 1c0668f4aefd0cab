// SPDX-License-Identifier: MIT
// Starts a page: lets code be copied, keeps the place for who changes the language, and keeps the page, or its course, for a visit without a connection.
// @ts-check
import { keepCompositions } from './composition.js';
import { copyCode } from './copy.js';
import { offerCourses, refreshCourses } from './courses.js';
import { keepLanguage } from './language.js';
import { workOffline } from './offline.js';

/** For this time after that, the first figure has the processor and the connection to itself. */
const NEXT_VISIT_MS = 1000;

/** @param {Promise<unknown>} [first] what the page waits for before it looks after the next visit */
export function startPage(first = Promise.resolve()) {
  keepCompositions();
  copyCode();
  keepLanguage();
  offerCourses();
  const later = () => void setTimeout(() => workOffline().then(refreshCourses), NEXT_VISIT_MS);
  first.then(later, later);
}

// SPDX-License-Identifier: MIT
// Lets a visitor keep a course on the device. The code for that comes when the box is opened, or where a course is kept.
// @ts-check
import { make } from './dom.js';
import { COURSES } from './offline.js';
import { phrase } from './phrase.js';

const keeping = () => import('./page-keep.js');

/** Fills a box when it is opened. */
export function offerCourses() {
  for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.keep')))
    box.addEventListener(
      'toggle',
      () =>
        keeping().then(
          ({ fill }) => fill(box),
          () => box.append(make('p', {}, phrase`This takes a connection.`)),
        ),
      { once: true },
    );
}

/** Brings the courses that are kept to the newest release. */
export async function refreshCourses() {
  try {
    if (await caches.has(COURSES)) await (await keeping()).refresh();
  } catch {
    // No connection, or not allowed here: they stay as they are.
  }
}

// SPDX-License-Identifier: MIT
// Lets a visitor keep a course on the device. The code for that comes when the box is opened, or where a course is kept.
// @ts-check
import { make } from './dom.js';
import { COURSES } from './offline.js';
import { phrase } from './phrase.js';

const keeping = () => import('./page-keep.js');

/** Fills each box of a course when it is opened. */
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

/** Updates the stored courses to the newest release. */
export async function refreshCourses() {
  try {
    if (await caches.has(COURSES)) await (await keeping()).refresh();
  } catch {
    // Without a connection or permission, the courses stay as they are.
  }
}

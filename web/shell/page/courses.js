// SPDX-License-Identifier: MIT
// Lets visitors keep a course on their device. The code that stores a course is fetched when a visitor opens the box of the course. The
// code is also fetched on pages of a course that is already on the device.
// @ts-check
import { part } from '../library.js';
import { make } from './dom.js';
import { COURSES } from './offline.js';
import { phrase } from './phrase.js';

const keeping = () => part(() => import('./page-keep.js'));

/** Fills the box of a course. If the code cannot be fetched, the box gets a button that tries again. @param {HTMLElement} box */
async function fillBox(box) {
  const said = make('p', { class: 'keep-said', role: 'status' }, phrase`Measuring the course`);
  box.append(said);
  try {
    const { fill } = await keeping();
    await fill(box, said);
  } catch {
    said.textContent = phrase`This needs a connection.`;
    const retry = make('button', { type: 'button', class: 'button' }, phrase`Try again`);
    const tools = make('div', { class: 'take-tools' }, retry);
    retry.addEventListener('click', () => {
      said.remove();
      tools.remove();
      void fillBox(box);
    });
    box.append(tools);
  }
}

/** Fills the box of each course when the visitor opens it. */
export function offerCourses() {
  for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.keep')))
    box.addEventListener('toggle', () => fillBox(box), { once: true });
}

/** Updates the courses on this device to the newest release. */
export async function refreshCourses() {
  try {
    if (await caches.has(COURSES)) await (await keeping()).refresh();
  } catch {
    // Without a connection or permission, the courses stay as they are.
  }
}

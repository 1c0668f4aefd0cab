// SPDX-License-Identifier: MIT
// Starts a page: adds copy buttons, keeps the visitor's place when the language changes, and makes the page or its course available
// offline.
// @ts-check
import { part } from '../library.js';
import { copyCode } from './copy.js';
import { offerCourses, refreshCourses } from './courses.js';
import { make } from './dom.js';
import { fault } from './fault.js';
import { countAsSeen } from './in-sight.js';
import { keepKeys } from './keys.js';
import { keepLanguage } from './language.js';
import { workOffline } from './offline.js';
import { createPointing } from './pointing.js';
import { printAll } from './print.js';

/**
 * Delay before the page prepares the next visit, in milliseconds. Until then, only the first figure uses the processor and the connection.
 */
const NEXT_VISIT_MS = 1000;

const embedding = () => part(() => import('./page-embedding.js'));

/**
 * Shows only the figure that the address names. Other figures that this figure needs (usually the first one) run, but stay hidden.
 * Shows the whole page below an error message if the code that hides the rest cannot be fetched.
 */
async function showOne() {
  try {
    const { showBare } = await embedding();
    const figure = showBare();
    const needed = figure?.dataset.needs?.split(' ').map((id) => document.getElementById(id)) ?? [document.querySelector('main figure')];
    for (const one of needed) if (one) countAsSeen(one);
  } catch (error) {
    document.body.prepend(make('p', { class: 'notice', role: 'alert' }, `${fault(error)}.`));
    document.documentElement.classList.add('alone'); // the body is hidden until this class is set
  }
}

/**
 * Shows or hides the HTML code that embeds a figure. Ignores further clicks until the code is shown or hidden.
 *
 * @param {HTMLElement} button the button Embed below the figure
 */
async function toggle(button) {
  if (button.hasAttribute('aria-busy')) return;
  button.setAttribute('aria-busy', 'true');
  const place = button.parentElement;
  place?.parentElement?.querySelector('.embed-fault')?.remove();
  try {
    const { toggleEmbed } = await embedding();
    await toggleEmbed(button);
  } catch (error) {
    place?.after(make('p', { class: 'embed-fault', role: 'alert' }, `${fault(error)}.`));
  } finally {
    button.removeAttribute('aria-busy');
  }
}

/** @param {Promise<unknown>} [first] promise after which the page prepares the next visit */
export function startPage(first = Promise.resolve()) {
  if (document.documentElement.classList.contains('bare')) showOne();
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element && target.closest('.embed');
    if (button) void toggle(/** @type {HTMLElement} */ (button));
  });
  keepKeys();
  copyCode();
  keepLanguage();
  printAll();
  offerCourses();
  createPointing();
  const later = () => void setTimeout(() => workOffline().then(refreshCourses), NEXT_VISIT_MS);
  first.then(later, later);
}

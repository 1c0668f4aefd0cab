// SPDX-License-Identifier: MIT
// Shows the papers by year, each with the name of the system that implements it.
// @ts-check
import { make } from '../shell/page/dom.js';
import { pageAt, phrase } from '../shell/page/phrase.js';
import { PAPERS } from './papers.js';

/** @param {HTMLElement} root element to which the list items are appended */
export function createPapers(root) {
  for (const link of document.querySelectorAll('a[href="#papers"]'))
    link.addEventListener('click', () => /** @type {HTMLDetailsElement} */ (root.parentElement).setAttribute('open', ''));
  root.append(
    ...PAPERS.map(({ year, by, title, url, system, shownOn, page = shownOn }) =>
      make(
        'li',
        page ? {} : { class: 'to-come' },
        make('span', { class: 'year' }, String(year)),
        make('span', { class: 'paper' }, make('a', { href: url }, title), ` ${by}`),
        make(
          'span',
          { class: 'system' },
          page ? make('a', { href: pageAt(page) }, phrase(system)) : phrase`${phrase(system)}: not here yet`,
        ),
      ),
    ),
  );
}

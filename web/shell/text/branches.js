// SPDX-License-Identifier: MIT
// Shows the branches of a story as a list. Each branch is a line, indented by the number of forks before it. Pressing a line selects its
// branch.
// @ts-check
import { make, phrase } from '../index.js';
/** @import { Tale, Twig } from './tale.js' */

/** @param {HTMLElement} root a list @param {(end: Twig) => void} onChoose */
export function createBranches(root, onChoose) {
  return {
    /** @param {Tale} tale */
    show(tale) {
      const branches = tale.branches();
      root.hidden = branches.length < 2;
      const focused = [...root.children].indexOf(/** @type {Element} */ (document.activeElement?.closest('li')));
      root.replaceChildren(
        ...branches.map(({ end, depth, words, count, told }) => {
          const button = make(
            'button',
            { type: 'button', class: 'branch', ...(told && { 'aria-current': 'true' }) },
            make('span', { class: 'branch-words', lang: '' }, depth === 0 ? `${words.trim()} …` : `… ${words.trim()} …`),
            make('span', { class: 'branch-count' }, count === 1 ? phrase`1 token` : phrase`${count} tokens`),
          );
          button.addEventListener('click', () => onChoose(end));
          const item = make('li', {}, button);
          item.style.setProperty('--depth', String(depth));
          return item;
        }),
      );
      if (focused >= 0) root.children[focused]?.querySelector('button')?.focus();
    },
  };
}

// SPDX-License-Identifier: MIT
// Highlights a part of a figure while the pointer or the focus is on a term in the text: <a href="#figure-x" data-points="#figure-x
// .part">.
// @ts-check

/** Class of the highlighted part (figures.css). */
const LIT = 'pointed-at';

/** Listens for events on all terms of the page, including terms that are added later. */
export function createPointing() {
  /** @param {Event} event */
  const termOf = ({ target }) => (target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest('[data-points]')) : null);
  const clear = () => {
    for (const part of document.querySelectorAll(`.${LIT}`)) part.classList.remove(LIT);
  };
  /** @param {Event} event */
  const light = (event) => {
    const term = termOf(event);
    if (!term) return;
    clear();
    for (const part of document.querySelectorAll(term.dataset.points ?? '')) part.classList.add(LIT);
  };
  /** @param {Event} event */
  const leave = (event) => {
    if (termOf(event)) clear();
  };
  for (const name of ['pointerover', 'focusin']) document.addEventListener(name, light);
  for (const name of ['pointerout', 'focusout']) document.addEventListener(name, leave);
}

// SPDX-License-Identifier: MIT
// Shows one figure of the page and hides the rest, for the projector and for a frame in another page.
// @ts-check

/**
 * Hides everything that does not contain the figure. Texts that are for screen readers only stay.
 *
 * @param {Element | undefined} figure  undefined: shows the whole page again
 * @param {...Element} kept  children of the body that stay visible
 */
export function showAlone(figure, ...kept) {
  for (const element of document.querySelectorAll('.off-stage')) element.classList.remove('off-stage');
  if (!figure) return;
  for (let here = figure; here !== document.body; here = here.parentElement ?? document.body) {
    for (const other of here.parentElement?.children ?? [])
      if (other !== here && !kept.includes(other) && other.getAttribute('role') !== 'status') other.classList.add('off-stage');
  }
}

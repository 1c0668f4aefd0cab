// SPDX-License-Identifier: MIT
// Shows one figure of the page and hides everything else, for the projector and for a frame in another page.
// @ts-check

/**
 * Hides all elements that do not contain the figure. Does not hide text that only screen readers read.
 *
 * @param {Element | undefined} figure  the figure to show; undefined to show the whole page again
 * @param {...Element} kept  further elements that stay visible; they must be children of the body
 */
export function showAlone(figure, ...kept) {
  for (const element of document.querySelectorAll('.off-stage')) element.classList.remove('off-stage');
  if (!figure) return;
  for (let here = figure; here !== document.body; here = here.parentElement ?? document.body) {
    for (const other of here.parentElement?.children ?? [])
      if (other !== here && !kept.includes(other) && other.getAttribute('role') !== 'status') other.classList.add('off-stage');
  }
}

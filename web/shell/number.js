// SPDX-License-Identifier: MIT
// Figures are numbered by the page, in their order: captions begin with their number, and what is said of a figure elsewhere names it.
// @ts-check
import { phrase } from './phrase.js';

/** Numbers all figures with a caption; `<a data-figure="id">` anywhere becomes "Figure 2". */
export function numberFigures() {
  /** @type {Map<string, string>} */
  const names = new Map();
  const figures = [...document.querySelectorAll('figure[id]:has(figcaption)')];
  figures.forEach((figure, i) => {
    const name = figures.length > 1 ? phrase`Figure ${i + 1}` : phrase`Figure`;
    names.set(figure.id, name);
    const number = document.createElement('b');
    number.textContent = `${name}.`;
    figure.querySelector('figcaption')?.prepend(number, ' ');
  });
  for (const mention of document.querySelectorAll('[data-figure]')) {
    const { figure = '' } = /** @type {HTMLElement} */ (mention).dataset;
    mention.textContent = names.get(figure) ?? mention.textContent;
  }
}

// SPDX-License-Identifier: MIT
// The icons of the buttons, one sheet for all pages.
// @ts-check

const SVG = 'http://www.w3.org/2000/svg';
const SHEET = new URL('./icons.svg', import.meta.url).href;

/** @typedef {'run' | 'pause' | 'stop' | 'step' | 'dice' | 'pen' | 'picture' | 'film' | 'link'} IconName of a symbol in icons.svg */

/** @param {IconName} name */
export function createIcon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'glyph');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  svg.append(use);
  /** @param {IconName} symbol */
  const show = (symbol) => use.setAttribute('href', `${SHEET}#${symbol}`);
  show(name);
  return { svg, show };
}

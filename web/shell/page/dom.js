// SPDX-License-Identifier: MIT
// Contains helpers that find and create elements of the page.
// @ts-check

/**
 * Returns the element with this id. Throws if the element is missing, because the page's HTML is then wrong.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}`);
  return /** @type {T} */ (found);
}

/**
 * Creates an element: `make('p', { class: 'note', hidden: '' }, 'text', child)`.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * Creates an SVG element: `makeSvg('circle', { r: 4, class: 'on' })`.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Media query that matches if the visitor prefers reduced motion. */
const motion = matchMedia('(prefers-reduced-motion: reduce)');
export const reducedMotion = () => motion.matches;

/**
 * Returns a function that schedules `work` for the next animation frame. Several calls to the returned function before that frame run
 * `work` only once.
 * @param {() => void} work
 */
export function perFrame(work) {
  let due = false;
  return () => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      work();
    });
  };
}

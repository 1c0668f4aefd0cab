// SPDX-License-Identifier: MIT
// One figure of a page in other pages. PAGE/?figure=ID&bare shows that figure alone; the button below each figure shows the code of a frame with it. A page loads this
// file only for these.
// @ts-check
import { showAlone } from './alone.js';
import { copyCode } from './copy.js';
import { make } from './dom.js';
import { phrase } from './phrase.js';

/** Height that the frame adds to a figure, and the step to which its height is rounded, in CSS pixels. */
const [EDGES, STEP] = [64, 20];
/** Permissions that any figure may need: audio after a click, copying an address, full screen. */
const ALLOW = ['autoplay', 'clipboard-write', 'fullscreen'];

const { documentElement: root } = document;
const query = new URLSearchParams(location.search);

/** Returns the address of this page without the parameters of this visit, but with the model that it names. */
function pageAddress() {
  const address = new URL(location.href);
  const model = query.get('model');
  address.search = model ? String(new URLSearchParams({ model })) : '';
  address.hash = '';
  return address;
}

/**
 * Shows the figure that the address names, or the first one, with a link to its page.
 * @returns {HTMLElement | undefined} the figure, if the page has it
 */
export function showBare() {
  const id = query.get('figure');
  const figures = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('main figure[id]')]);
  const figure = id ? figures.find((one) => one.id === id) : figures[0];
  const address = pageAddress();
  address.hash = figure?.id ?? '';
  const link = make('a', { href: address.href, target: '_blank', rel: 'noopener' }, document.title);
  const foot = make('footer', { class: 'bare-foot' }, make('h1', {}, link)); // every document needs a heading
  if (figure) {
    document.body.append(foot);
    showAlone(figure, foot);
  } else {
    const ids = figures.map((one) => one.id).join(', ');
    document.body.replaceChildren(
      make('main', {}, make('p', { class: 'notice' }, phrase`This page has no figure “${id}”. Its figures are: ${ids}.`)),
      foot,
    );
  }
  root.classList.add('alone');
  return figure;
}

/** Returns the part of a figure's address that holds its current state. @param {string} id */
function stateOf(id) {
  const settings = history.state?.figures?.[id];
  return settings ? `${id}?${settings}` : '';
}

/** Returns the accessible name of a figure: its page and number. @param {Element} figure */
const titleOf = (figure) =>
  [document.title, figure.querySelector('figcaption b')?.textContent?.replace('.', '')].filter(Boolean).join(', ');

/** @param {string} text */
const quoted = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** Returns the HTML of an iframe with a figure, and its address. @param {HTMLElement} figure */
export function frameOf(figure) {
  const address = pageAddress();
  address.search += `${address.search ? '&' : '?'}figure=${figure.id}&bare`;
  address.hash = stateOf(figure.id);
  const height = STEP * Math.ceil((figure.offsetHeight + EDGES) / STEP);
  const allow = [...ALLOW, ...(figure.dataset.allow?.split(' ') ?? [])].join('; ');
  const code =
    `<iframe src="${quoted(address.href)}" title="${quoted(titleOf(figure))}" width="100%" height="${height}" ` +
    `style="border: 0" loading="lazy" allow="${allow}"></iframe>`;
  return { address: address.href, code };
}

/** Shows or hides the HTML code below the figure. @param {HTMLElement} button */
export function toggleEmbed(button) {
  const figure = /** @type {HTMLElement} */ (button.closest('figure'));
  const shown = figure.querySelector('.embed-code');
  shown?.remove();
  button.setAttribute('aria-expanded', String(!shown));
  if (shown) return;
  const { address, code } = frameOf(figure);
  const block = (/** @type {string} */ text, /** @type {string} */ label) =>
    make('pre', { tabindex: '0', role: 'group', 'aria-label': label }, make('code', {}, text));
  const codes = make(
    'div',
    { class: 'embed-code' },
    make(
      'p',
      {},
      phrase`For a web page or a course page, such as Moodle’s: paste this into its HTML. It shows the figure with its present settings.`,
    ),
    block(code, phrase`HTML of the frame`),
    make('p', {}, phrase`For slides, and for everything else that takes an address:`),
    block(address, phrase`Address of the figure`),
  );
  button.parentElement?.after(codes);
  copyCode(codes);
}

// SPDX-License-Identifier: MIT
// Embeds one figure of a page in other pages. PAGE/?figure=ID&bare shows only that figure. The button below each figure shows the HTML code
// of an iframe with the figure. Pages load this file only for such an address, or when a visitor presses the button.
// @ts-check
import { showAlone } from './alone.js';
import { copyCode } from './copy.js';
import { make } from './dom.js';
import { phrase } from './phrase.js';

/**
 * EDGES: height that the frame adds to a figure. STEP: frame heights are rounded up to a multiple of STEP. Both numbers are in CSS pixels.
 */
const [EDGES, STEP] = [48, 20];
/** Frame widths at which the height of a figure is measured, in CSS pixels. */
const WIDTHS = Array.from({ length: 18 }, (_, i) => 300 + 60 * i);
/** Permissions that every frame gets: audio, copying an address, and full screen. */
const ALLOW = ['autoplay', 'clipboard-write', 'fullscreen'];

const rounded = (/** @type {number} */ height) => STEP * Math.ceil(height / STEP);

const { documentElement: root } = document;
const query = new URLSearchParams(location.search);

/** Returns the address of this page. Keeps its ?model= parameter and removes the other parameters. */
function pageAddress() {
  const address = new URL(location.href);
  const model = query.get('model');
  address.search = model ? String(new URLSearchParams({ model })) : '';
  address.hash = '';
  return address;
}

/** Returns the link that is shown below a single figure. @param {HTMLElement} [figure] */
function footOf(figure) {
  const address = pageAddress();
  address.hash = figure?.id ?? '';
  const link = make('a', { href: address.href, target: '_blank', rel: 'noopener' }, document.title);
  return make('footer', { class: 'bare-foot' }, make('h1', {}, link)); // every document should have a heading
}

/**
 * Shows only the figure that the address names (default: the first figure), with a link to the page.
 * @returns {HTMLElement | undefined} the figure; undefined if the page does not have this figure
 */
export function showBare() {
  const id = query.get('figure');
  const figures = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('main figure[id]')]);
  const figure = id ? figures.find((one) => one.id === id) : figures[0];
  const foot = footOf(figure);
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

/** Returns the part of the address that describes a figure's current state. @param {string} id */
function stateOf(id) {
  const settings = history.state?.figures?.[id];
  return settings ? `${id}?${settings}` : '';
}

/** Returns the accessible name of a figure, made of the page's name and the figure's number. @param {Element} figure */
const titleOf = (figure) =>
  [document.title, figure.querySelector('figcaption b')?.textContent?.replace('.', '')].filter(Boolean).join(', ');

/** @param {string} text */
const quoted = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/**
 * Returns the height of a frame with this figure for each width in WIDTHS. Measures a copy of the figure, without its scripts, in an
 * invisible frame. No script lays out the canvases of the copy, so they keep the aspect ratios that they have on this page.
 * @param {HTMLElement} figure
 * @returns {Promise<number[] | undefined>} undefined if frames cannot be measured, for example in a sandboxed page
 */
async function heightsOf(figure) {
  const frame = make('iframe', { class: 'measuring', tabindex: '-1', 'aria-hidden': 'true', title: titleOf(figure) });
  const opened = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  document.body.append(frame);
  try {
    await opened; // in Firefox, document.open() replaces the document
    const there = frame.contentDocument;
    if (!there) return undefined;
    there.open();
    there.write('<!doctype html>'); // without a doctype, elements would have different sizes (quirks mode)
    there.close();
    there.documentElement.lang = root.lang;
    there.documentElement.className = `${root.className} bare alone`;
    const sheets = [...document.querySelectorAll('link[rel=stylesheet], style')].map(
      (sheet) => /** @type {HTMLElement} */ (sheet.cloneNode(true)),
    );
    const loaded = sheets
      .filter((sheet) => sheet.matches('link'))
      .map((sheet) => new Promise((resolve) => ['load', 'error'].forEach((name) => sheet.addEventListener(name, resolve))));
    for (const sheet of sheets) {
      // A document at about:blank has no base address.
      if (sheet instanceof HTMLLinkElement) sheet.href = new URL(sheet.href, location.href).href;
      there.head.append(sheet);
    }
    /** @type {Node} */
    let copy = figure.cloneNode(true);
    for (let here = figure.parentElement; here && here !== document.body; here = here.parentElement) {
      const around = here.cloneNode(false);
      around.appendChild(copy);
      copy = around;
    }
    there.body.className = document.body.className;
    there.body.append(copy, footOf(figure));
    await Promise.all(loaded);
    return WIDTHS.map((width) => {
      frame.style.width = `${width}px`;
      return rounded(there.body.offsetHeight + EDGES);
    });
  } finally {
    frame.remove();
  }
}

/**
 * Splits the widths into three ranges with one height each. Each height is enough for its whole range. The split minimises the unused
 * space.
 * @param {number[]} heights
 */
function rangesOf(heights) {
  const count = heights.length;
  let best = { cost: Infinity, ranges: [{ from: 0, to: 0, height: 0 }] };
  for (let first = 0; first < count; first++) {
    for (let second = first; second < count; second++) {
      const ranges = [
        [0, first],
        [first, second],
        [second, count],
      ].flatMap(([from, to]) => (from === to ? [] : [{ from, to, height: Math.max(...heights.slice(from, to)) }]));
      const cost = ranges.reduce((sum, { from, to, height }) => sum + (to - from) * height, 0);
      if (cost < best.cost) best = { cost, ranges };
    }
  }
  return best.ranges;
}

/**
 * Returns CSS that computes the height of a frame from the width of its container. Returns '' if the height is the same for every width.
 *
 * @param {ReturnType<typeof rangesOf>} ranges
 */
function heightIn(ranges) {
  const terms = ranges.slice(1).flatMap(({ from, height }, i) => {
    const change = ranges[i].height - height;
    // Between two measured widths, the larger of the two measured heights applies.
    const below = change > 0 ? WIDTHS[from] : WIDTHS[from - 1];
    return change === 0 ? [] : [` ${change > 0 ? '+' : '-'} clamp(0px, (${below}px - 100cqw) * 9999, ${Math.abs(change)}px)`];
  });
  return terms.length > 0 ? `calc(${ranges[ranges.length - 1].height}px${terms.join('')})` : '';
}

/** Returns the HTML code of an iframe with a figure, and the address of the iframe. @param {HTMLElement} figure */
async function frameOf(figure) {
  const address = pageAddress();
  address.search += `${address.search ? '&' : '?'}figure=${figure.id}&bare`;
  address.hash = stateOf(figure.id);
  const heights = (await heightsOf(figure)) ?? WIDTHS.map(() => rounded(figure.offsetHeight + EDGES));
  const ranges = rangesOf(heights);
  const height = heightIn(ranges);
  const allow = [...ALLOW, ...(figure.dataset.allow?.split(' ') ?? [])].join('; ');
  const iframe =
    `<iframe src="${quoted(address.href)}" title="${quoted(titleOf(figure))}" width="100%" height="${ranges[ranges.length - 1].height}" ` +
    `style="border: 0${height && `; height: ${height}`}" loading="lazy" allow="${allow}"></iframe>`;
  return { address: address.href, code: height ? `<div style="container-type: inline-size">${iframe}</div>` : iframe };
}

/** Shows or hides the HTML code below a figure. @param {HTMLElement} button */
export async function toggleEmbed(button) {
  const figure = /** @type {HTMLElement} */ (button.closest('figure'));
  const shown = figure.querySelector('.embed-code');
  if (shown) {
    shown.remove();
    button.setAttribute('aria-expanded', 'false');
    return;
  }
  const { address, code } = await frameOf(figure);
  const codes = make('div', { class: 'embed-code' });
  const block = (/** @type {string} */ text, /** @type {string} */ label) =>
    make('pre', { tabindex: '0', role: 'group', 'aria-label': label }, make('code', {}, text));
  codes.append(
    make(
      'p',
      {},
      phrase`To embed the figure in a web page or a course page (in Moodle, for example), paste this into its HTML. It shows the figure with its current settings.`,
    ),
    block(code, phrase`HTML of the frame`),
    make('p', {}, phrase`For slides and anything else that accepts an address:`),
    block(address, phrase`Address of the figure`),
  );
  button.parentElement?.after(codes);
  button.setAttribute('aria-expanded', 'true');
  copyCode(codes);
}

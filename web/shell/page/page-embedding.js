// SPDX-License-Identifier: MIT
// Shows one figure of a page inside other pages. PAGE/?figure=ID&bare shows that figure alone; the button below each figure shows the HTML
// of a frame with it. A page loads this file only for these purposes.
// @ts-check
import { showAlone } from './alone.js';
import { copyCode } from './copy.js';
import { make } from './dom.js';
import { phrase } from './phrase.js';

/** Height that the frame adds to a figure, and the step to which its height is rounded, in CSS pixels. */
const [EDGES, STEP] = [48, 20];
/** Widths of frames, in CSS pixels, at which a figure is measured. */
const WIDTHS = Array.from({ length: 18 }, (_, i) => 300 + 60 * i);
/** Permissions that any figure may need: audio after a click, copying an address, full screen. */
const ALLOW = ['autoplay', 'clipboard-write', 'fullscreen'];

const rounded = (/** @type {number} */ height) => STEP * Math.ceil(height / STEP);

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

/** Returns the link below a single figure. @param {HTMLElement} [figure] */
function footOf(figure) {
  const address = pageAddress();
  address.hash = figure?.id ?? '';
  const link = make('a', { href: address.href, target: '_blank', rel: 'noopener' }, document.title);
  return make('footer', { class: 'bare-foot' }, make('h1', {}, link)); // every document needs a heading
}

/**
 * Shows the figure that the address names, or the first one, with a link to its page.
 * @returns {HTMLElement | undefined} the figure, if the page has it
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

/**
 * Returns the height of a frame with this figure at each of WIDTHS. A copy of the figure, without its scripts, is measured in a frame out of sight. Canvases that a script lays
 * out keep the shape that they have here.
 * @param {HTMLElement} figure
 * @returns {Promise<number[] | undefined>} undefined if no frame can be measured, as in a sandboxed page
 */
async function heightsOf(figure) {
  const frame = make('iframe', { class: 'measuring', tabindex: '-1', 'aria-hidden': 'true', title: titleOf(figure) });
  const opened = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  document.body.append(frame);
  try {
    await opened; // in Firefox, the document that comes then is another one
    const there = frame.contentDocument;
    if (!there) return undefined;
    there.open();
    there.write('<!doctype html>'); // without it, elements have other sizes
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
      // about:blank has no base address.
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
 * Splits the widths into three ranges, each with one height that fits all of it, so that the frames have the least unused space.
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

/** Returns the height of a frame as CSS, by the width of its container; '' if it is the same for every width. @param {ReturnType<typeof rangesOf>} ranges */
function heightIn(ranges) {
  const terms = ranges.slice(1).flatMap(({ from, height }, i) => {
    const change = ranges[i].height - height;
    // Between two measured widths, the larger height.
    const below = change > 0 ? WIDTHS[from] : WIDTHS[from - 1];
    return change === 0 ? [] : [` ${change > 0 ? '+' : '-'} clamp(0px, (${below}px - 100cqw) * 9999, ${Math.abs(change)}px)`];
  });
  return terms.length > 0 ? `calc(${ranges[ranges.length - 1].height}px${terms.join('')})` : '';
}

/** Returns the HTML of an iframe with a figure, and its address. @param {HTMLElement} figure */
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

/** Shows or hides the HTML code below the figure. @param {HTMLElement} button */
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
      phrase`For a web page or a course page, such as Moodle’s: paste this into its HTML. It shows the figure with its current settings.`,
    ),
    block(code, phrase`HTML of the frame`),
    make('p', {}, phrase`For slides, and everything else that accepts an address:`),
    block(address, phrase`Address of the figure`),
  );
  button.parentElement?.after(codes);
  button.setAttribute('aria-expanded', 'true');
  copyCode(codes);
}

// SPDX-License-Identifier: MIT
// Settings in the address: behind the # stands a figure and everything that decides its picture or text; the history has those of every figure
// that was changed, so that Back goes back. Nothing behind the # leaves the page: browsers do not send it.
// @ts-check

/** @typedef {Record<string, string | number>} Settings */

/** Changes while something is dragged or typed become one step of the history if no more than this lies between them. */
const TYPING_MS = 1000;

/**
 * @typedef {Object} Kept a figure whose settings are kept
 * @property {() => Settings | null} settings
 * @property {(settings: URLSearchParams) => boolean | void} apply
 * @property {string | undefined} first the settings that it opens with
 * @property {string | undefined} now those that it has
 * @property {string | undefined} asked how the address that led to them had them
 * @property {string | undefined} wanted those that it is to have as soon as it can
 */
/** @type {Map<string, Kept>} */
const figures = new Map();
/** The opening of the page: a figure to scroll to on a first visit, and settings of figures.
 * @type {{ target: string, figures: Record<string, string> } | undefined} */
let opened;
let applying = false;
/** The last change, if it was one of many. @type {{ id: string, at: number } | null} */
let typing = null;

/** An element of the page in the address; '': none that can be read. @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Reads the address: the figure or other element of the page that it leads to, and settings for that. */
function read() {
  const [target, query = ''] = location.hash.slice(1).split(/\?(.*)/s);
  return { target: decoded(target), settings: new URLSearchParams(query) };
}

/** @param {Settings} settings */
const textOf = (settings) => String(new URLSearchParams(Object.entries(settings).map(([name, value]) => [name, String(value)])));

/** The address of a picture. @param {string} figure id @param {Settings} settings */
export const addressOf = (figure, settings) => `${location.href.split('#')[0]}#${figure}?${textOf(settings)}`;

/** Settings of figures by their ids, as the history has them for this entry. @returns {Record<string, string> | undefined} */
const remembered = () => history.state?.figures;

/** @param {'pushState' | 'replaceState'} how @param {string} [address] */
function remember(how, address) {
  /** @type {Record<string, string>} */
  const changed = {};
  for (const [id, text] of Object.entries(remembered() ?? {})) if (!figures.has(id)) changed[id] = text; // not there yet
  for (const [id, { first, now, wanted }] of figures) {
    const text = wanted ?? now;
    if (text !== undefined && text !== first) changed[id] = text;
  }
  try {
    history[how]({ figures: changed }, '', address);
  } catch {
    /* some browsers limit the number of changes in a while */
  }
}

/** Brings a figure to the settings that are wanted of it, if it can be done now. @param {Kept} figure */
function bring(figure) {
  if (figure.wanted === undefined) return;
  applying = true;
  try {
    if (figure.apply(new URLSearchParams(figure.wanted)) === false) return;
  } finally {
    applying = false;
  }
  const all = figure.settings();
  figure.asked = figure.wanted;
  figure.now = all ? textOf(all) : figure.wanted;
  figure.wanted = undefined;
}

/** The key under which the settings of the figures go to the same page in another language. */
const CARRIED = 'nextpixel-carried';

/** Takes the settings of all figures along to the next page. */
export function carry() {
  try {
    sessionStorage.setItem(CARRIED, JSON.stringify(remembered() ?? {}));
  } catch {
    /* not allowed: the address still has those of one figure */
  }
}

/** The settings that the last page gave along, once. @returns {Record<string, string> | undefined} */
function carried() {
  try {
    const text = sessionStorage.getItem(CARRIED);
    sessionStorage.removeItem(CARRIED);
    return text ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} id */
const scrollTo = (id) => document.getElementById(id)?.scrollIntoView({ behavior: 'instant' });

/** The address is another one, or another entry of the history is shown. */
function follow() {
  const state = remembered();
  typing = null;
  if (state) {
    for (const [id, figure] of figures) {
      const wanted = state[id] ?? figure.first;
      if (wanted === undefined || (figure.wanted === undefined ? [figure.now, figure.asked].includes(wanted) : wanted === figure.wanted))
        continue;
      figure.wanted = wanted;
      bring(figure);
    }
    return;
  }
  // A link within the page was followed, or an address was typed.
  const { target, settings } = read();
  const figure = figures.get(target);
  if (figure && settings.size > 0) {
    figure.wanted = String(settings);
    bring(figure);
    scrollTo(target);
  }
  remember('replaceState');
}

/** Listens, and marks this entry of the history: one that has no mark is that of a link. */
function open() {
  addEventListener('popstate', follow);
  addEventListener('hashchange', follow);
  const { target, settings } = read();
  const before = remembered();
  const asked = before === undefined && settings.size > 0;
  const wanted = before ?? { ...carried(), ...(asked && { [target]: String(settings) }) };
  try {
    history.replaceState({ figures: wanted }, '');
  } catch {
    /* as above */
  }
  return { target: asked ? target : '', figures: wanted };
}

/**
 * Keeps the settings of a figure in the address: brings the figure to those that the address has, now and whenever it leads there anew or the
 * visitor goes back, and writes them there when the visitor has changed them.
 *
 * @param {string} id of the figure
 * @param {Object} figure
 * @param {() => Settings | null} figure.settings everything that decides its picture or text; null: no address can hold it, or it is not there yet
 * @param {(settings: URLSearchParams) => boolean | void} figure.apply false: not yet; proceed() tries again
 */
export function keepInAddress(id, { settings, apply }) {
  opened ??= open();
  const all = settings();
  const first = all ? textOf(all) : undefined;
  /** @type {Kept} */
  const figure = { settings, apply, first, now: first, asked: undefined, wanted: (remembered() ?? opened.figures)[id] };
  figures.set(id, figure);
  if (opened.target === id) scrollTo(id);
  bring(figure);
  return {
    /** The visitor has changed something. @param {boolean} [often] while something is dragged or typed */
    changed(often = false) {
      const next = settings();
      if (applying || !next) return;
      const text = textOf(next);
      if (text === figure.now && figure.wanted === undefined) return;
      const at = performance.now();
      const same = often && typing?.id === id && at - typing.at < TYPING_MS;
      typing = often ? { id, at } : null;
      figure.now = text;
      figure.asked = figure.wanted = undefined;
      remember(same ? 'replaceState' : 'pushState', addressOf(id, next));
    },
    /** Stores the figure's current state as its settings: they have changed without an action of the visitor. */
    settle() {
      const all = settings();
      if (all && figure.now !== undefined) figure.now = textOf(all);
    },
    /** Tries again what could not be done: it may be possible now. */
    proceed() {
      if (figure.first === undefined) {
        const opened = settings();
        if (opened) figure.first = figure.now = textOf(opened);
      }
      bring(figure);
    },
  };
}

/** Shows the address of a figure's picture. @param {string} address */
export function showAddress(address) {
  try {
    history.replaceState(history.state, '', address);
  } catch {
    /* as above */
  }
}

/** A number of the settings within bounds, or else another. @param {URLSearchParams} settings @param {string} name @param {number} least @param {number} most @param {number} other */
export function numberIn(settings, name, least, most, other) {
  const text = settings.get(name);
  const n = text === null || text.trim() === '' ? NaN : Number(text);
  return n >= least && n <= most ? n : other;
}

/** A whole number of the settings. @type {typeof numberIn} */
export function wholeIn(settings, name, least, most, other) {
  const n = numberIn(settings, name, least, most, other);
  return Number.isInteger(n) ? n : other;
}

/** Bytes as text for an address. @param {Uint8Array} bytes */
export const toText = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** The bytes of such a text; null if it is not base64 of this many bytes. @param {string} text @param {number} count */
export function fromText(text, count) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    return bytes.length === count ? bytes : null;
  } catch {
    return null;
  }
}

// SPDX-License-Identifier: MIT
// Settings in the address: after the # there is a figure's id and everything that determines its picture or text. The history keeps the
// settings of every figure that was changed, so that Back restores them. Nothing after the # leaves the device: browsers do not send it.
// @ts-check

/** @typedef {Record<string, string | number>} Settings */

/** Maximum time in milliseconds between two changes (while dragging or typing) that share one history entry. */
const TYPING_MS = 1000;

/**
 * @typedef {Object} Kept a figure whose settings are in the address
 * @property {() => Settings | null} settings
 * @property {(settings: URLSearchParams) => boolean | void} apply
 * @property {string | undefined} first the figure's settings when the page opened
 * @property {string | undefined} now the current settings
 * @property {string | undefined} asked the settings as they were written in the address that was followed
 * @property {string | undefined} wanted the settings that the figure must still apply
 */
/** @type {Map<string, Kept>} */
const figures = new Map();
/** State at the opening of the page: the figure to scroll to on a first visit, and the settings of the figures.
 * @type {{ target: string, figures: Record<string, string> } | undefined} */
let opened;
let applying = false;
/** The last change, if it was made while dragging or typing. @type {{ id: string, at: number } | null} */
let typing = null;

/** Decodes the id of an element in the address; returns '' if it is malformed. @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Reads the address: the id of a figure or another element, and its settings. */
function read() {
  const [target, query = ''] = location.hash.slice(1).split(/\?(.*)/s);
  return { target: decoded(target), settings: new URLSearchParams(query) };
}

/** @param {Settings} settings */
const textOf = (settings) => String(new URLSearchParams(Object.entries(settings).map(([name, value]) => [name, String(value)])));

/** Returns the address of a figure with these settings. @param {string} figure id @param {Settings} settings */
export const addressOf = (figure, settings) => `${location.href.split('#')[0]}#${figure}?${textOf(settings)}`;

/** Returns the settings of the figures, by id, in the current history entry. @returns {Record<string, string> | undefined} */
const remembered = () => history.state?.figures;

/** @param {'pushState' | 'replaceState'} how @param {string} [address] */
function remember(how, address) {
  /** @type {Record<string, string>} */
  const changed = {};
  for (const [id, text] of Object.entries(remembered() ?? {})) if (!figures.has(id)) changed[id] = text; // a figure that is not built yet
  for (const [id, { first, now, wanted }] of figures) {
    const text = wanted ?? now;
    if (text !== undefined && text !== first) changed[id] = text;
  }
  try {
    history[how]({ figures: changed }, '', address);
  } catch {
    /* some browsers limit the number of history changes per time */
  }
}

/** Applies the wanted settings to a figure, if it is ready. @param {Kept} figure */
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

/** Key in sessionStorage of the settings that are passed to the same page in another language. */
const CARRIED = 'nextpixel-carried';

/** Stores the settings of all figures for the next page. */
export function carry() {
  try {
    sessionStorage.setItem(CARRIED, JSON.stringify(remembered() ?? {}));
  } catch {
    /* storage is not allowed: the address still has the settings of one figure */
  }
}

/** Returns the settings that the previous page stored, and deletes them. @returns {Record<string, string> | undefined} */
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

/** Handles a change of the address or of the history entry. */
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
  // The visitor followed a link within the page or typed an address.
  const { target, settings } = read();
  const figure = figures.get(target);
  if (figure && settings.size > 0) {
    figure.wanted = String(settings);
    bring(figure);
    scrollTo(target);
  }
  remember('replaceState');
}

/** Adds the listeners and marks the current history entry; an unmarked entry comes from a link. */
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
 * Synchronises a figure's settings with the address: applies the settings in the address, now and whenever the address or the history entry
 * changes, and writes the settings after the visitor has changed them.
 *
 * @param {string} id id of the figure
 * @param {Object} figure
 * @param {() => Settings | null} figure.settings returns all settings that determine the figure's content; null if an address cannot hold
 *   them or the figure is not ready
 * @param {(settings: URLSearchParams) => boolean | void} figure.apply applies the settings; returns false if the figure is not ready,
 *   proceed() then tries again
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
    /** Records a change made by the visitor. @param {boolean} [often] while something is dragged or typed */
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
    /** Stores the figure's current state as its settings, after a change that the visitor did not make. */
    settle() {
      const all = settings();
      if (all && figure.now !== undefined) figure.now = textOf(all);
    },
    /** Applies the settings that are still wanted, if the figure is ready now. */
    proceed() {
      if (figure.first === undefined) {
        const opened = settings();
        if (opened) figure.first = figure.now = textOf(opened);
      }
      bring(figure);
    },
  };
}

/** Shows the address of a figure's state in the address bar. @param {string} address */
export function showAddress(address) {
  try {
    history.replaceState(history.state, '', address);
  } catch {
    /* as above */
  }
}

/**
 * Reads a number of the settings; returns `other` if it is missing or out of bounds.
 * @param {URLSearchParams} settings
 * @param {string} name
 * @param {number} least
 * @param {number} most
 * @param {number} other
 */
export function numberIn(settings, name, least, most, other) {
  const text = settings.get(name);
  const n = text === null || text.trim() === '' ? NaN : Number(text);
  return n >= least && n <= most ? n : other;
}

/** Reads an integer of the settings; returns `other` if it is missing or out of bounds. @type {typeof numberIn} */
export function wholeIn(settings, name, least, most, other) {
  const n = numberIn(settings, name, least, most, other);
  return Number.isInteger(n) ? n : other;
}

/** Encodes bytes as base64 for an address. @param {Uint8Array} bytes */
export const toText = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Decodes the bytes of such a text; returns null unless it is base64 of `count` bytes. @param {string} text @param {number} count */
export function fromText(text, count) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    return bytes.length === count ? bytes : null;
  } catch {
    return null;
  }
}

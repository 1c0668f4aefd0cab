// SPDX-License-Identifier: MIT
// Stores the settings of figures in the page's address. The part after the # contains the id of a figure and all settings that determine
// its picture or text. Browsers do not send this part to the server. Each history entry stores the settings of every figure that the
// visitor has changed, so that the Back button can restore these settings.
// @ts-check

/** @typedef {Record<string, string | number>} Settings */

/** While the visitor drags or types, changes that follow each other within this many milliseconds share one history entry. */
const TYPING_MS = 1000;

/**
 * @typedef {Object} Kept a figure with settings that the address can hold
 * @property {() => Settings | null} settings
 * @property {(settings: URLSearchParams) => boolean | void} apply
 * @property {string | undefined} first settings that the figure had when the page opened
 * @property {string | undefined} now current settings
 * @property {string | undefined} asked settings as written in the link that the visitor followed
 * @property {string | undefined} wanted settings that have yet to be applied to the figure
 */
/** @type {Map<string, Kept>} */
const figures = new Map();
/**
 * State when the page opened: the id of the figure to scroll to (on a first visit), and the settings of the figures.
 * @type {{ target: string, figures: Record<string, string> } | undefined}
 */
let opened;
let applying = false;
/** The most recent change, if the visitor made this change while dragging or typing. @type {{ id: string, at: number } | null} */
let typing = null;

/** Decodes the element id in an address. Returns '' if the id is malformed. @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Reads the id of the target element (usually a figure) and the settings from the address. */
function read() {
  const [target, query = ''] = location.hash.slice(1).split(/\?(.*)/s);
  return { target: decoded(target), settings: new URLSearchParams(query) };
}

/** @param {Settings} settings */
const textOf = (settings) => String(new URLSearchParams(Object.entries(settings).map(([name, value]) => [name, String(value)])));

/** Returns the address of a figure with the given settings. @param {string} figure id @param {Settings} settings */
export const addressOf = (figure, settings) => `${location.href.split('#')[0]}#${figure}?${textOf(settings)}`;

/** Returns the settings of all figures in the current history entry, by id. @returns {Record<string, string> | undefined} */
const remembered = () => history.state?.figures;

/** @param {'pushState' | 'replaceState'} how @param {string} [address] */
function remember(how, address) {
  /** @type {Record<string, string>} */
  const changed = {};
  // Keeps the settings of figures that are not built yet.
  for (const [id, text] of Object.entries(remembered() ?? {})) if (!figures.has(id)) changed[id] = text;
  for (const [id, { first, now, wanted }] of figures) {
    const text = wanted ?? now;
    if (text !== undefined && text !== first) changed[id] = text;
  }
  try {
    history[how]({ figures: changed }, '', address);
  } catch {
    /* some browsers limit how often the history may change */
  }
}

/** Applies the wanted settings to a figure if it is ready. @param {Kept} figure */
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

/** Key in sessionStorage for the settings that the same page in another language will read. */
const CARRIED = 'nextpixel-carried';

/** Stores the settings of all figures, so that the same page in another language can read the settings. */
export function carry() {
  try {
    sessionStorage.setItem(CARRIED, JSON.stringify(remembered() ?? {}));
  } catch {
    /* the browser forbids storage; the address still has the settings of one figure */
  }
}

/** Returns the settings that the page in another language stored, and deletes them. @returns {Record<string, string> | undefined} */
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

/** Applies the settings after the address or the history entry has changed. */
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
  // The visitor followed a link within the page, or typed an address.
  const { target, settings } = read();
  const figure = figures.get(target);
  if (figure && settings.size > 0) {
    figure.wanted = String(settings);
    bring(figure);
    scrollTo(target);
  }
  remember('replaceState');
}

/** Adds the listeners, and stores the settings in the current history entry. Entries that links add have no stored settings. */
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
    /* some browsers limit how often the history may change */
  }
  return { target: asked ? target : '', figures: wanted };
}

/**
 * Keeps a figure's settings and the address in sync. Immediately applies the settings in the address, and applies them again
 * whenever the address or the history entry changes. Writes the settings to the address after the visitor has changed them.
 *
 * @param {string} id id of the figure
 * @param {Object} figure
 * @param {() => Settings | null} figure.settings returns all settings that determine the figure's content, or null if an address cannot
 *   hold them or the figure is not ready
 * @param {(settings: URLSearchParams) => boolean | void} figure.apply applies the settings. Returns false if the figure is not ready;
 *   proceed() then tries again later
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
    /** Records that the visitor has changed the settings. @param {boolean} [often] true while the visitor drags or types */
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
    /** Records settings that changed without any action by the visitor. */
    settle() {
      const all = settings();
      if (all && figure.now !== undefined) figure.now = textOf(all);
    },
    /** Applies any settings that are still waiting, if the figure is ready now. */
    proceed() {
      if (figure.first === undefined) {
        const opened = settings();
        if (opened) figure.first = figure.now = textOf(opened);
      }
      bring(figure);
    },
  };
}

/** Puts the address of a figure's state into the address bar. @param {string} address */
export function showAddress(address) {
  try {
    history.replaceState(history.state, '', address);
  } catch {
    /* some browsers limit how often the history may change */
  }
}

/**
 * Returns a number from the settings, or `other` if the number is missing or out of range.
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

/** Returns an integer from the settings, or `other` if the integer is missing or out of range. @type {typeof numberIn} */
export function wholeIn(settings, name, least, most, other) {
  const n = numberIn(settings, name, least, most, other);
  return Number.isInteger(n) ? n : other;
}

/** Encodes bytes as base64 with characters that an address may contain. @param {Uint8Array} bytes */
export const toText = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/**
 * Decodes the result of toText(). Returns null unless the text encodes exactly `count` bytes.
 * @param {string} text
 * @param {number} count
 */
export function fromText(text, count) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    return bytes.length === count ? bytes : null;
  } catch {
    return null;
  }
}

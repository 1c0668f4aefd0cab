// SPDX-License-Identifier: MIT
// A picture in the address: behind the # stands a figure and all that its picture follows from. What stands there never leaves the page,
// for browsers do not send it.
// @ts-check

/** @typedef {Record<string, string | number>} Settings */

/** What the address says: a figure, or any other place of the page, and settings for it. */
function read() {
  const [place, query = ''] = location.hash.slice(1).split(/\?(.*)/s);
  return { place: decodeURIComponent(place), settings: new URLSearchParams(query) };
}

/** The address of a picture. @param {string} figure id @param {Settings} settings */
export function addressOf(figure, settings) {
  const query = new URLSearchParams(Object.entries(settings).map(([name, value]) => [name, String(value)]));
  return `${location.href.split('#')[0]}#${figure}?${query}`;
}

/**
 * Calls back with the settings that the address has for a figure: now, and whenever it leads there anew.
 *
 * @param {string} figure id
 * @param {(settings: URLSearchParams) => void} apply
 * @returns {boolean} whether it had some
 */
export function onAddress(figure, apply) {
  const look = () => {
    const { place, settings } = read();
    if (place !== figure || settings.size === 0) return false;
    apply(settings);
    document.getElementById(figure)?.scrollIntoView({ behavior: 'instant' });
    return true;
  };
  addEventListener('hashchange', look);
  return look();
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
export const toText = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Bytes of such a text; null: it is not one of so many bytes. @param {string} text @param {number} count */
export function fromText(text, count) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    return bytes.length === count ? bytes : null;
  } catch {
    return null;
  }
}

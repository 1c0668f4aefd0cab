// SPDX-License-Identifier: MIT
// Selects the visitor's language. If a single figure is to be shown, hides everything else. Both must happen before the first paint, so the
// file is a classic script in the <head> of every page.
// @ts-check
{
  const KEPT = 'nextpixel-language'; // language.js uses the same key
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  const web = new URL('../../', script.src).href;

  /** Returns the address of this page in another language. @param {string | null} lang */
  const addressIn = (lang) =>
    [.../** @type {NodeListOf<HTMLLinkElement>} */ (document.head.querySelectorAll('link[rel="alternate"][hreflang]'))].find(
      ({ hreflang }) => hreflang === lang && lang !== root.lang,
    )?.href;
  /** Returns the language that the visitor chose on an earlier visit, or else the browser's language. */
  function preferred() {
    try {
      return localStorage.getItem(KEPT) ?? navigator.language.split('-')[0];
    } catch {
      return navigator.language.split('-')[0]; // the browser forbids storage
    }
  }

  /** @param {string} address */
  function turnTo(address) {
    root.hidden = true; // keeps the browser from painting this page
    location.replace(address + location.search + location.hash);
  }
  const asked = addressIn(query.get('lang')); // if the page does not exist in this language, language.js tells the visitor
  const other = query.has('lang') ? undefined : addressIn(preferred());
  const entered = !location.search && !location.hash && !document.referrer.startsWith(web);
  // ?lang=ko applies to every page. Without ?lang, only the front page switches to the visitor's language, and only for visitors who come
  // from another site.
  if (asked) turnTo(asked);
  else if (other && entered && script.dataset.entrance !== undefined && root.lang === 'en' && navigator.onLine) turnTo(other);
  else if (other) root.classList.add('other-language'); // emphasises the link to the other language

  if (query.has('bare')) root.classList.add('bare'); // page-embedding.js
}

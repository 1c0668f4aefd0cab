// SPDX-License-Identifier: MIT
// Runs before the first paint, and is therefore a classic script that the head of every page loads: the visitor's language, and one figure alone.
// @ts-check
{
  const KEPT = 'nextpixel-language'; // as in language.js
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  const web = new URL('../../', script.src).href;

  /** Returns the address of this page in another language. @param {string | null} lang */
  const addressIn = (lang) =>
    [.../** @type {NodeListOf<HTMLLinkElement>} */ (document.head.querySelectorAll('link[rel="alternate"][hreflang]'))].find(
      ({ hreflang }) => hreflang === lang && lang !== root.lang,
    )?.href;
  /** Returns the language that the visitor has chosen on a page, or else the browser's language. */
  function preferred() {
    try {
      return localStorage.getItem(KEPT) ?? navigator.language.split('-')[0];
    } catch {
      return navigator.language.split('-')[0]; // storage is not allowed
    }
  }

  /** @param {string} address */
  function turnTo(address) {
    root.hidden = true; // prevents this page from being painted
    location.replace(address + location.search + location.hash);
  }
  const asked = addressIn(query.get('lang')); // language.js reports a language that the page does not have
  const other = query.has('lang') ? undefined : addressIn(preferred());
  const entered = !location.search && !location.hash && !document.referrer.startsWith(web);
  // ?lang=ko applies to every page. An address without it keeps its language, except the front page for visitors from another site.
  if (asked) turnTo(asked);
  else if (other && entered && script.dataset.entrance !== undefined && root.lang === 'en' && navigator.onLine) turnTo(other);
  else if (other) root.classList.add('other-language'); // emphasises the link to the other language

  if (query.has('bare')) root.classList.add('bare'); // page-embedding.js
}

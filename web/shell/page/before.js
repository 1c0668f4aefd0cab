// SPDX-License-Identifier: MIT
// Runs before the first paint and is therefore a classic script in the head of every page. It selects the visitor's language and hides
// everything except a figure that is shown alone.
// @ts-check
{
  const KEPT = 'nextpixel-language'; // the key that language.js uses, too
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  const web = new URL('../../', script.src).href;

  /** Returns the address of this page in another language. @param {string | null} lang */
  const addressIn = (lang) =>
    [.../** @type {NodeListOf<HTMLLinkElement>} */ (document.head.querySelectorAll('link[rel="alternate"][hreflang]'))].find(
      ({ hreflang }) => hreflang === lang && lang !== root.lang,
    )?.href;
  /** Returns the language that the visitor has chosen on a page, otherwise the browser's language. */
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
  const asked = addressIn(query.get('lang')); // language.js reports a language in which the page does not exist
  const other = query.has('lang') ? undefined : addressIn(preferred());
  const entered = !location.search && !location.hash && !document.referrer.startsWith(web);
  // ?lang=ko applies to every page. Without ?lang, a page keeps its language, except that the front page switches for visitors from another
  // site.
  if (asked) turnTo(asked);
  else if (other && entered && script.dataset.entrance !== undefined && root.lang === 'en' && navigator.onLine) turnTo(other);
  else if (other) root.classList.add('other-language'); // emphasises the link to the other language

  if (query.has('bare')) root.classList.add('bare'); // page-embedding.js
}

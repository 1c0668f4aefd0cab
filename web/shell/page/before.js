// SPDX-License-Identifier: MIT
// Runs before the first paint, and is therefore a classic script that the head of every page loads: the visitor's language, and one figure alone.
// @ts-check
{
  const KEPT = 'nextpixel-language'; // as in language.js
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  const web = new URL('../../', script.src).href;

  /** The address of this page in another language. @param {string | null} lang */
  const addressIn = (lang) =>
    [.../** @type {NodeListOf<HTMLLinkElement>} */ (document.head.querySelectorAll('link[rel="alternate"][hreflang]'))].find(
      ({ hreflang }) => hreflang === lang && lang !== root.lang,
    )?.href;
  /** The language that the visitor has chosen on a page, or else that of the browser. */
  function preferred() {
    try {
      return localStorage.getItem(KEPT) ?? navigator.language.split('-')[0];
    } catch {
      return navigator.language.split('-')[0]; // storage is not allowed here
    }
  }

  /** @param {string} address */
  function turnTo(address) {
    root.hidden = true; // nothing of this page is painted
    location.replace(address + location.search + location.hash);
  }
  const asked = addressIn(query.get('lang'));
  const other = query.has('lang') ? undefined : addressIn(preferred());
  const entered = !location.search && !location.hash && !document.referrer.startsWith(web);
  // ?lang=ko is followed on every page. An address without it keeps its language, except that of the front page for visitors who come from elsewhere.
  if (asked) turnTo(asked);
  else if (other && entered && script.dataset.entrance !== undefined && root.lang === 'en' && navigator.onLine) turnTo(other);
  else if (other) root.classList.add('other-language'); // whose link is emphasised

  if (query.has('bare')) root.classList.add('bare'); // embedding.js
}

// SPDX-License-Identifier: MIT
// Lets visitors switch languages without losing their place on the page or the settings of the figures.
// @ts-check
import { carry } from './address.js';
import { asked } from './asked.js';
import { make } from './dom.js';
import { phrase, words } from './phrase.js';

/** Returns the id of the figure or section in the middle of the window, or '' at the top of the page. */
const inView = () =>
  [...document.querySelectorAll('main figure[id], main section[id]')]
    .filter((place) => scrollY > 0 && place.getBoundingClientRect().top < innerHeight / 2)
    .at(-1)?.id ?? '';

/** Key in localStorage for the language that the visitor has chosen. before.js reads it on the next visit. */
const KEPT = 'nextpixel-language';

/**
 * Tells the visitor if the page does not exist in the language that its address names (?lang=). If the page exists in this language,
 * before.js has already switched to that version.
 */
function reportLanguage() {
  const { lang: here, classList } = document.documentElement;
  if (classList.contains('bare')) return; // the page shows a single figure in a frame of another page
  const lang = new URLSearchParams(location.search).get('lang');
  const others = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('.masthead .language')]);
  const languages = [here, ...others.map(({ hreflang }) => hreflang)];
  if (lang === null || languages.includes(lang)) return;
  const text = phrase`The address asks for the language “${lang}”. This page exists in: ${languages.join(', ')}.`;
  document.querySelector('main')?.prepend(make('p', { class: 'notice', role: 'status' }, text));
}

/** Updates the links to other languages, and gives the library's elements the sentences of the page's language. */
export function keepLanguage() {
  reportLanguage();
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('.masthead .language'))) {
    for (const kind of ['pointerdown', 'click']) {
      link.addEventListener(kind, () => {
        const [id, here] = [inView(), location.hash.slice(1).split('?')[0]];
        link.hash = id && id !== here ? id : location.hash;
        link.search = asked ? String(new URLSearchParams({ model: asked })) : '';
        carry();
        try {
          localStorage.setItem(KEPT, link.hreflang);
        } catch {
          link.search += `${link.search ? '&' : '?'}lang=${link.hreflang}`; // the browser forbids storage
        }
      });
    }
  }
  if (words) {
    customElements.whenDefined('next-pixel').then((Element) => {
      Object.assign(Element, { words: JSON.parse(words ?? '{}') });
    });
  }
}

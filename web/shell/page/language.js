// SPDX-License-Identifier: MIT
// A link to the same page in another language keeps the place that the visitor looks at, and the settings of every figure.
// @ts-check
import { carry } from './address.js';
import { asked } from './asked.js';
import { words } from './phrase.js';

/** The figure or section in the middle of the window; '': the page is at its top. */
const inView = () =>
  [...document.querySelectorAll('main figure[id], main section[id]')]
    .filter((place) => scrollY > 0 && place.getBoundingClientRect().top < innerHeight / 2)
    .at(-1)?.id ?? '';

/** Where the language is stored that the visitor chose: before.js reads it on the next visit. */
const KEPT = 'nextpixel-language';

/** Maintains the links, and sets the language of the element, once a page has loaded it, and of chats. */
export function keepLanguage() {
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
          link.search += `${link.search ? '&' : '?'}lang=${link.hreflang}`; // storage is not allowed here: the address says it
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

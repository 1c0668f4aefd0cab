// SPDX-License-Identifier: MIT
// Redirects old addresses. All figures used to be on one page. Each figure's old address now leads to the page that contains the figure.
//
//     old figure                  new address
//     Figure 1   endings          image-transformer#figure-endings, and on the front page
//     Figure 2   attention        image-transformer#figure-attention
//     Figure 2b  local blocks     image-transformer#figure-geometry
//     Figure 3   in colour        colour#figure-colour
//     Figure 4   enlarged         colour#figure-superres
//     Figure 5   classes          image-transformer#figure-classes (digits), colour#figure-classes (emoji, photographs)
//     Figure 6   look-ahead       look-ahead#figure-ahead
//     embedding, the machine      image-transformer#embed, #machine
// @ts-check
import { pageAt } from '../shell/page/phrase.js';

/** Maps each page to the ids that its sections had on the single old page. @type {Record<string, string[]>} */
const PLACES = {
  'image-transformer': [
    'odds',
    'surprise',
    'attention',
    'geometry',
    'classes',
    'embed',
    'machine',
    'figure-1',
    'figure-2',
    'figure-geometry',
    'figure-5',
  ],
  colour: ['in-colour', 'colour', 'superres', 'enlarged', 'credits', 'photo-credits', 'figure-3', 'figure-4'],
  'look-ahead': ['ahead', 'figure-6'],
};
/** Maps the old ids of figures to the new ids, where these differ. @type {Record<string, string>} */
const NAMES = {
  'figure-1': 'figure-endings',
  'figure-2': 'figure-attention',
  'figure-3': 'figure-colour',
  'figure-4': 'figure-superres',
  'figure-5': 'figure-classes',
  'figure-6': 'figure-ahead',
  'in-colour': 'colour',
  enlarged: 'superres',
};

/** Redirects to the page that contains the requested section, unless that page is already open. */
export function leadOn() {
  const go = () => {
    const target = location.hash.slice(1);
    const page = Object.keys(PLACES).find((name) => PLACES[name].includes(target));
    if (page) location.replace(`${pageAt(page)}#${NAMES[target] ?? target}`);
  };
  addEventListener('hashchange', go);
  go();
}

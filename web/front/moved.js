// SPDX-License-Identifier: MIT
// The page was one once: addresses of that time lead to where their content went.
// @ts-check

/** Of each page, the places that the one page had. @type {Record<string, string[]>} */
const PLACES = {
  'image-transformer': ['odds', 'surprise', 'attention', 'geometry', 'classes', 'embed', 'machine', 'figure-1', 'figure-2', 'figure-geometry', 'figure-5'],
  colour: ['in-colour', 'colour', 'superres', 'enlarged', 'credits', 'photo-credits', 'figure-3', 'figure-4'],
  'look-ahead': ['ahead', 'figure-6'],
};
/** What goes by another name now. @type {Record<string, string>} */
const NAMES = {
  'figure-1': 'figure-endings', 'figure-2': 'figure-attention', 'figure-3': 'figure-colour', 'figure-4': 'figure-superres', 'figure-5': 'figure-classes',
  'figure-6': 'figure-ahead', 'in-colour': 'colour', enlarged: 'superres',
};

/** Leaves for the page that has what the address asks for, if it is not this one. */
export function leadOn() {
  const go = () => {
    const place = location.hash.slice(1);
    const page = Object.keys(PLACES).find((name) => PLACES[name].includes(place));
    if (page) location.replace(new URL(`../pages/${page}/#${NAMES[place] ?? place}`, import.meta.url));
  };
  addEventListener('hashchange', go);
  go();
}

// SPDX-License-Identifier: MIT
// Finds places of the manual by their words, in the index that ./build.sh manual makes.
// @ts-check

/** @typedef {[address: string, called: string, words: string]} Place */

/** The most places that are shown. */
const MOST = 12;

/** @type {Promise<Place[]> | undefined} */
let index;

/**
 * The places that have every word of a question, or words that begin so; those called so come first.
 *
 * @param {Place[]} places
 * @param {string} question
 */
export function find(places, question) {
  const asked = question.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
  if (asked.length === 0) return [];
  const rank = (/** @type {Place} */ [, called, words]) => {
    const name = called.toLowerCase();
    /** @type {number[]} */
    const marks = asked.map((word) => (name === word ? 4 : ` ${name}`.includes(` ${word}`) ? 3 : name.includes(word) ? 2 : ` ${words}`.includes(` ${word}`) ? 1 : 0));
    return marks.includes(0) ? 0 : marks.reduce((sum, mark) => sum + mark, 0);
  };
  return places.map((place) => ({ place, mark: rank(place) })).filter(({ mark }) => mark > 0).sort((a, b) => b.mark - a.mark).map(({ place }) => place);
}

/** Makes the field of the page search. */
export function searchManual() {
  const [field, list, said] = ['search', 'found', 'found-said'].map((id) => document.getElementById(id));
  if (!(field instanceof HTMLInputElement) || !list || !said) return;
  field.addEventListener('focus', () => { index ??= fetch(new URL('search.json', import.meta.url)).then((answer) => answer.json()); }, { once: true });
  field.addEventListener('input', async () => {
    const question = field.value;
    const places = await (index ??= fetch(new URL('search.json', import.meta.url)).then((answer) => answer.json())).catch(() => undefined);
    if (question !== field.value) return; // a later one is under way
    const found = places ? find(places, question) : [];
    said.textContent = !places ? 'The index cannot be loaded.' : question.trim() === '' ? '' : found.length === 0 ? 'Nothing found' :
      found.length > MOST ? `The first ${MOST} of ${found.length} places` : `${found.length} ${found.length === 1 ? 'place' : 'places'}`;
    list.replaceChildren(...found.slice(0, MOST).map(([address, called]) => {
      const link = document.createElement('a');
      link.href = address;
      link.textContent = called;
      const item = document.createElement('li');
      item.append(link, ` ${address.split('.html')[0]}`);
      return item;
    }));
  });
}

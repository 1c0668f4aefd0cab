// SPDX-License-Identifier: MIT
// Searches the manual by words, using the index that ./build.sh manual builds.
// @ts-check

/**
 * @typedef {[address: string, called: string, words: string, keywords?: string]} Place  called: title of the section; keywords: additional
 *   search words, which need not occur in the text
 */

/** Maximum number of results to show. */
const MOST = 12;

/** Maps words from readers' questions to the words that the manual uses for the same things. @type {Record<string, string>} */
const ALSO = {
  benchmark: 'numbers',
  benchmarks: 'numbers',
  cancel: 'abort',
  color: 'colour',
  colors: 'colours',
  cors: 'access-control-allow-origin',
  csp: 'content-security-policy',
  gray: 'grey',
  license: 'licence',
  nextjs: 'next',
  quantisation: 'quantis',
  quantization: 'quantis',
  quantized: 'quantis',
  ssr: 'server',
  webworker: 'worker',
  webworkers: 'worker',
};
/** Words to ignore in a question, because they do not narrow the search. */
const EMPTY = new Set([
  'a',
  'an',
  'and',
  'can',
  'do',
  'does',
  'for',
  'how',
  'i',
  'in',
  'is',
  'it',
  'my',
  'of',
  'on',
  'the',
  'to',
  'what',
  'with',
]);

/** @type {Promise<Place[] | undefined> | undefined} */
let index;

/** Loads the index. After a failure, the next call tries again. */
function fetched() {
  index ??= fetch(new URL('search.json', import.meta.url))
    .then((answer) => answer.json())
    .catch(() => {
      index = undefined;
    });
  return index;
}

/**
 * Returns the sections that match every word of a question. A section matches a word if it contains the word or a longer word that starts
 * with it. If no section matches all words, returns those that match the most words. Sections with matching titles come first.
 *
 * @param {Place[]} places
 * @param {string} question
 */
export function find(places, question) {
  const typed = question.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
  const telling = typed.filter((word) => !EMPTY.has(word));
  const asked = telling.length > 0 ? telling : typed;
  if (asked.length === 0) return [];
  /**
   * Returns a score for how well a section's title and words match a word.
   *
   * @param {string} name
   * @param {string} words
   * @param {string} word
   */
  const markOf = (name, words, word) =>
    name === word ? 4 : ` ${name}`.includes(` ${word}`) ? 3 : name.includes(word) ? 2 : ` ${words}`.includes(` ${word}`) ? 1 : 0;
  const rank = (/** @type {Place} */ [, called, words, keywords = '']) => {
    const name = called.toLowerCase();
    /** @type {number[]} */
    const marks = asked.map((word) =>
      Math.max(
        ` ${keywords} `.includes(` ${word} `) ? 3 : 0,
        markOf(name, words, word),
        Object.hasOwn(ALSO, word) ? markOf(name, words, ALSO[word]) : 0,
      ),
    );
    return { have: marks.filter((mark) => mark > 0).length, mark: marks.reduce((sum, mark) => sum + mark, 0) };
  };
  const ranked = places.map((place) => ({ place, ...rank(place) }));
  const most = ranked.reduce((all, { have }) => Math.max(all, have), 0);
  return ranked
    .filter(({ have }) => have === most && have > 0)
    .sort((a, b) => b.mark - a.mark)
    .map(({ place }) => place);
}

/** Makes the page's search field work. */
export function searchManual() {
  const [field, list, said] = ['search', 'found', 'found-said'].map((id) => document.getElementById(id));
  if (!(field instanceof HTMLInputElement) || !list || !said) return;
  field.addEventListener(
    'focus',
    () => {
      void fetched();
    },
    { once: true },
  );
  field.addEventListener('input', async () => {
    const question = field.value;
    const places = await fetched();
    if (question !== field.value) return; // the visitor has typed more in the meantime
    const found = places ? find(places, question) : [];
    said.textContent = !places
      ? 'The index cannot be loaded.'
      : question.trim() === ''
        ? ''
        : found.length === 0
          ? 'Nothing found'
          : found.length > MOST
            ? `The first ${MOST} of ${found.length} sections`
            : `${found.length} ${found.length === 1 ? 'section' : 'sections'}`;
    list.replaceChildren(
      ...found.slice(0, MOST).map(([address, called]) => {
        const link = document.createElement('a');
        link.href = address;
        link.textContent = called;
        const item = document.createElement('li');
        item.append(link, ` ${address.split('.html')[0]}`);
        return item;
      }),
    );
  });
}

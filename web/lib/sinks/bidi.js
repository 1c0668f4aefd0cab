// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Lays out text that is read from right to left, alone or mixed with text that is read from left to right. Computes the direction of each
 * character and the positions of the parts of a line. The rules are those of the Unicode Bidirectional Algorithm (UAX 9) for text without
 * explicit embeddings and isolates: P2, P3, W1 to W7, N0 to N2, I1, I2 and L2. A level is even for text that runs to the right, and odd for
 * text that runs to the left. A canvas applies the same rules to the text of one call, but does not report the positions of characters.
 */

const FROM_RIGHT = '\\u0590-\\u08ff\\u200f\\ufb1d-\\ufdff\\ufe70-\\ufeff\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}';
const ANY_FROM_RIGHT = new RegExp(`[${FROM_RIGHT}]`, 'u');

/** The classes of characters; the first class that matches is used. @type {[string, RegExp][]} */
const CLASSES = [
  ['NSM', /[\p{Mn}\p{Me}\u200b-\u200d\u2060\ufeff]/u],
  ['EN', /[0-9\u06f0-\u06f9\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089\uff10-\uff19]/u],
  ['AN', /[\u0600-\u0605\u0660-\u0669\u066b\u066c\u06dd]/u],
  ['ES', /[+\-\u2212\u207a\u207b]/u],
  ['ET', /[#%\u00b0\u00b1\u066a\u2030-\u2034]|\p{Sc}/u],
  ['CS', /[,./:\u00a0\u060c\u202f\u2044]/u],
  [
    'AL',
    /[\u0608\u060b\u060d\u061b-\u064a\u066d-\u066f\u0671-\u06d5\u06e5\u06e6\u06ee\u06ef\u06fa-\u07bf\u0860-\u08ff\ufb50-\ufd3d\ufd50-\ufdfc\ufe70-\ufefc\u{1ee00}-\u{1eeff}]/u,
  ],
  ['R', new RegExp(`(?=[${FROM_RIGHT}])[\\p{L}\\p{Nd}\\p{Nl}\\u05be\\u05c0\\u05c3\\u05c6\\u05f3\\u05f4\\u200f]`, 'u')],
  ['L', /[\p{L}\p{Mc}\p{Nd}\p{Nl}\u200e]/u],
];

/** The opening brackets, and the closing brackets in the same order. */
const OPENING = '([{\u2329\u27e8\u27ea\u3008\u300a\u300c\u300e\u3010\uff08\uff3b\uff5b';
const CLOSING = ')]}\u232a\u27e9\u27eb\u3009\u300b\u300d\u300f\u3011\uff09\uff3d\uff5d';

/** @param {string} character */
function classOfCharacter(character) {
  for (const [name, form] of CLASSES) if (form.test(character)) return name;
  return 'ON';
}

/** Returns whether any part of a text is read from right to left. If the result is false, all levels are 0. @param {string} text */
export function isBidirectional(text) {
  return ANY_FROM_RIGHT.test(text);
}

/**
 * Returns the level of each UTF-16 unit of a paragraph.
 *
 * @param {string} text
 * @returns {{ base: number, levels: number[] }} base: level of the paragraph, determined by its first letter; 0 if there is no letter
 */
export function levelsOf(text) {
  if (!isBidirectional(text)) return { base: 0, levels: new Array(text.length).fill(0) };
  /** @type {string[]} */
  const kinds = [];
  for (const character of text) {
    const kind = classOfCharacter(character);
    for (let i = 0; i < character.length; i++) kinds.push(i === 0 ? kind : 'same');
  }
  const first = kinds.find((kind) => kind === 'L' || kind === 'R' || kind === 'AL');
  const base = first === undefined || first === 'L' ? 0 : 1;
  const ground = base ? 'R' : 'L';
  for (let i = 0; i < kinds.length; i++) if (kinds[i] === 'same' || kinds[i] === 'NSM') kinds[i] = kinds[i - 1] ?? ground; // W1
  let strong = ground;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === 'L' || kinds[i] === 'R' || kinds[i] === 'AL') strong = kinds[i];
    else if (kinds[i] === 'EN' && strong === 'AL') kinds[i] = 'AN'; // W2
  }
  for (let i = 0; i < kinds.length; i++) if (kinds[i] === 'AL') kinds[i] = 'R'; // W3
  for (let i = 1; i + 1 < kinds.length; i++) {
    // W4
    const [before, after] = [kinds[i - 1], kinds[i + 1]];
    if (before === after && ((before === 'EN' && (kinds[i] === 'ES' || kinds[i] === 'CS')) || (before === 'AN' && kinds[i] === 'CS')))
      kinds[i] = before;
  }
  spans(
    kinds,
    (kind) => kind === 'ET',
    (from, to) => {
      if (kinds[from - 1] === 'EN' || kinds[to] === 'EN') kinds.fill('EN', from, to);
    },
  ); // W5
  strong = ground;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === 'L' || kinds[i] === 'R') strong = kinds[i];
    else if (kinds[i] === 'EN' && strong === 'L') kinds[i] = 'L'; // W7
  }
  const isStrong = (/** @type {string} */ kind) => ['L', 'R', 'EN', 'AN'].includes(kind);
  const side = (/** @type {string | undefined} */ kind) => (kind === undefined ? ground : kind === 'L' ? 'L' : 'R'); // numbers count as R
  for (const [open, close] of pairsOf(text, kinds)) {
    // N0
    const inside = kinds
      .slice(open + 1, close)
      .filter(isStrong)
      .map(side);
    if (inside.length === 0) continue;
    let before = open - 1; // each bracket of an earlier pair is strong now, so all these searches together take linear time
    while (before >= 0 && !isStrong(kinds[before])) before--;
    const other = !inside.includes(ground) && side(kinds[before]) !== ground;
    kinds[open] = kinds[close] = other ? inside[0] : ground;
  }
  spans(
    kinds,
    (kind) => !isStrong(kind),
    (from, to) => {
      // W6, N1, N2
      const [before, after] = [side(kinds[from - 1]), side(kinds[to])];
      kinds.fill(before === after ? before : ground, from, to);
    },
  );
  // I1, I2
  return { base, levels: kinds.map((kind) => (base ? (kind === 'R' ? 1 : 2) : kind === 'L' ? 0 : kind === 'R' ? 1 : 2)) };
}

/** Maximum number of brackets that are open at the same time; if there are more, the search for pairs ends (BD16). */
const MOST_OPEN = 63;

/**
 * Returns the pairs of brackets, ordered by the opening bracket.
 *
 * @param {string} text
 * @param {string[]} kinds
 */
function pairsOf(text, kinds) {
  /** @type {[number, number][]} */
  const pairs = [];
  /** @type {number[]} */
  let open = [];
  for (let i = 0; i < text.length; i++) {
    if (kinds[i] !== 'ON') continue;
    if (OPENING.includes(text[i]) && open.push(i) > MOST_OPEN) break;
    const match = CLOSING.indexOf(text[i]);
    const at = match < 0 ? -1 : open.map((one) => text[one]).lastIndexOf(OPENING[match]);
    if (at < 0) continue;
    pairs.push([open[at], i]);
    open = open.slice(0, at);
  }
  return pairs.sort(([a], [b]) => a - b);
}

/**
 * Calls `each` for each maximal run of values that `isOf` accepts.
 *
 * @param {string[]} kinds
 * @param {(kind: string) => boolean} isOf
 * @param {(from: number, to: number) => void} each
 */
function spans(kinds, isOf, each) {
  for (let from = 0; from < kinds.length; from++) {
    if (!isOf(kinds[from])) continue;
    let to = from + 1;
    while (to < kinds.length && isOf(kinds[to])) to++;
    each(from, to);
    from = to;
  }
}

/**
 * Places the parts of a line by rule L2: from the highest level down, every sequence at this level or above is reversed.
 *
 * @param {{ level: number, width: number }[]} parts  the parts in reading order
 * @param {number} base   level of the paragraph; a paragraph of level 1 begins at the right edge
 * @param {number} width  width of the line
 * @returns {number[]} the left edge of each part
 */
export function edgesOf(parts, base, width) {
  const order = parts.map((_, i) => i);
  for (let level = 2; level > 0; level--) {
    for (let from = 0; from < order.length; from++) {
      let to = from;
      while (to < order.length && parts[order[to]].level >= level) to++;
      if (to > from) order.splice(from, to - from, ...order.slice(from, to).reverse());
      from = to;
    }
  }
  let x = base ? width - parts.reduce((sum, part) => sum + part.width, 0) : 0;
  /** @type {number[]} */
  const edges = [];
  for (const i of order) {
    edges[i] = x;
    x += parts[i].width;
  }
  return edges;
}

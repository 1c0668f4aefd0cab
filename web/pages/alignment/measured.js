// SPDX-License-Identifier: MIT
// Translation quality of each kind of attention on the 1,000 held-out sentences, measured with `npm run eval -- FILE --lengths`. The table
// in weights/README.md has the same values.
// @ts-check

/** The held-out sentences are sorted by length and split into quarters. These are the numbers of words per sentence in each quarter. */
export const QUARTERS = ['5–9', '9–11', '11–14', '14–31'];

/** @type {{ kind: string, name: string, order: string, bleu: number, byLength: number[], entropy: number | null, ms: number }[]} */
export const MEASURED = [
  { kind: 'additive', name: 'additive', order: 'before', bleu: 36.2, byLength: [37.31, 37.47, 38.5, 33.26], entropy: 1.72, ms: 3.0 },
  { kind: 'general', name: 'general', order: 'after', bleu: 35.85, byLength: [37.45, 36.74, 37.0, 32.69], entropy: 0.15, ms: 2.3 },
  { kind: 'dot', name: 'dot', order: 'after', bleu: 32.33, byLength: [34.72, 35.12, 34.45, 27.57], entropy: 0.18, ms: 2.6 },
  { kind: 'scaled-dot', name: 'scaled dot', order: 'after', bleu: 35.49, byLength: [37.84, 36.16, 38.13, 31.95], entropy: 1.96, ms: 3.0 },
  { kind: 'cosine', name: 'cosine', order: 'after', bleu: 34.66, byLength: [36.89, 35.22, 37.55, 31.08], entropy: 1.9, ms: 2.2 },
  { kind: 'location', name: 'location', order: 'after', bleu: 30.51, byLength: [33.18, 31.89, 32.14, 27.09], entropy: 2.1, ms: 3.1 },
  { kind: 'local-m', name: 'local-m', order: 'after', bleu: 35.15, byLength: [36.65, 35.05, 36.61, 32.83], entropy: 0.13, ms: 3.1 },
  { kind: 'local-p', name: 'local-p', order: 'after', bleu: 34.31, byLength: [36.42, 34.45, 35.72, 31.15], entropy: 0.11, ms: 2.8 },
  { kind: 'none', name: 'none', order: '–', bleu: 17.49, byLength: [21.89, 19.66, 16.71, 14.2], entropy: null, ms: 2.2 },
];

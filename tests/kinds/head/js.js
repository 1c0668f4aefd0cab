// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `head` kind. Tests in tests/js run these cases (see tests/kinds/js.js). */

import { GOLDEN, ROOT } from '../../js/helpers.js';
import { grown, ids } from '../grown.js';
import { wordsOf } from '../inputs.js';

/** @import { Rows } from '../js.js' */

export const verbs = 'its verb draws nothing';
export const lists = 'its verb draws nothing';

const parents = `${ROOT}weights/parents-en.gguf`;

/** @type {Rows['waiting']} */
export const waiting = { parse: 'the words are given' };

/** @type {Rows['promises']} */
export const promises = {
  async parse(load) {
    return [...(await (await load(parents)).parse('Dogs bark.')).heads];
  },
};

/** @type {Rows['nested']} */
export const nested = {
  parse: { file: `${GOLDEN}tree-tiny.gguf`, input: () => [['a', 'b'], { pinned: [null, 1] }] },
};

/** @type {Rows['typed']} */
export const typed = {
  file: parents,
  read: {
    text: async (model, text) => (await model.parse(text)).heads,
    words: async (model, text) => (await model.parse(wordsOf(text))).heads,
  },
};

/** @type {Rows['slices']} */
export const slices = {
  'trees: the longest sentence': {
    file: () => grown('tree-tiny', {}, {}),
    encode: () => ({ features: ids(128 * 4, 40) }),
  },
};

export const runs = 'its verb returns a complete result';

/** @type {Rows['options']} */
export const options = { files: ['tree-tiny'] };

export const probabilities = 'its verb draws nothing';

export const keys = 'its keys are read by the same functions as those of tags';

export const evaluation = 'its data are those of tags';

export const holes = 'nested-inputs.test.js';

/** @type {Rows['tasks']} */
export const tasks = { answers: ['parse'] };

const tree = `${GOLDEN}tree-tiny.gguf`;

/** @type {Rows['doubling']} */
export const doubling = {
  'parse, a text': { file: tree, n: 1 << 18, make: (n) => ['ab c '.repeat(n / 5)] },
  'parse, a text without words': { file: tree, n: 1 << 18, make: (n) => [' \u200b'.repeat(n / 2)] },
  'parse, words': { file: tree, n: 1 << 18, make: (n) => [Array(n).fill('ab')] },
  'parse, a word': { file: tree, n: 1 << 14, make: (n) => [['a'.repeat(n)]] },
  'parse, pinned heads': { file: tree, n: 1 << 16, make: (n) => ['ab c', { pinned: Array(n).fill(1) }] },
};

/** @type {Rows['sheets']} */
export const sheets = {
  async ArcSheet({ canvas, doubled, list, painted, tall }) {
    const { ArcSheet } = await import('../../../web/lib/kinds/head/arc-sheet.js');
    // The parse has no marginals here, because their number is quadratic: one for every pair of words.
    for (const where of [canvas, tall])
      doubled(
        'heads',
        1 << 9,
        (count) => ({ words: list(count, () => 'word'), heads: list(count, (i) => i) }),
        (parse) => list(40, () => painted(new ArcSheet(where(), parse.words), [parse])),
      );
  },
};

/** @type {Rows['scaling']} */
export const scaling = {
  async 'pinned heads of a long sentence'({ doubled, list }) {
    const { conflictOf } = await import('../../../web/lib/kinds/head/pins.js');
    const words = list(1 << 17, () => 'word');
    for (const [name, head] of /** @type {[string, (i: number) => number][]} */ ([
      ['of the word before', (i) => i - 1],
      ['of the word behind', (i) => (i % 8 ? i + 1 : 0)],
      ['of one word', () => 1],
    ]))
      doubled(
        `heads ${name}`,
        1 << 15,
        (count) => new Map(list(count, (i) => [i + 2, head(i + 2)])),
        (pins) => conflictOf(pins, words),
      );
  },
};

export const readers = 'no module of the kind reads files';

export const bounds = 'no module or object of the kind keeps a map or a set';

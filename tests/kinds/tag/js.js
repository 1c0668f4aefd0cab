// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `tag` kind. Tests in tests/js run these cases (see tests/kinds/js.js). */

import { GOLDEN, ROOT } from '../../js/helpers.js';
import { grown, ids, metadataOf } from '../grown.js';
import { wordsOf } from '../inputs.js';

/** @import { Rows } from '../js.js' */

export const verbs = 'its verb draws nothing';
export const lists = 'its verb draws nothing';

const crf = `${ROOT}weights/crf-en.gguf`;

/** @type {Rows['waiting']} */
export const waiting = { tag: 'the words are given' };

/** @type {Rows['promises']} */
export const promises = {
  async tag(load) {
    return (await (await load(crf)).tag('Dogs bark.')).tags;
  },
};

/** @type {Rows['nested']} */
export const nested = {
  tag: { file: `${GOLDEN}chain-crf-tiny.gguf`, input: () => [['a', 'b'], { pinned: ['A', null] }] },
};

/** @param {any} model @param {string | string[]} given */
const tagged = async (model, given) => {
  const { tags, seen, nats } = await model.tag(given);
  return { tags, seen, nats };
};

/** @type {Rows['typed']} */
export const typed = { file: crf, read: { text: tagged, words: (model, text) => tagged(model, wordsOf(text)) } };

/** @type {Rows['slices']} */
export const slices = {
  'chains: the largest number of states, a long text': {
    file: () =>
      grown(
        'chain-crf-tiny',
        { 'chain.states': 256, 'chain.tags': Array.from({ length: 256 }, (_, i) => `t${i}`) },
        {
          'feature.weight': [metadataOf('chain-crf-tiny')['chain.features'], 256],
          'transition.weight': [256, 256],
          'start.weight': [256],
          'end.weight': [256],
        },
      ),
    encode: () => ({ features: ids(4000 * metadataOf('chain-crf-tiny')['chain.width'], 4) }),
  },
};

export const runs = 'its verb returns a complete result';

/** @type {Rows['options']} */
export const options = { files: ['chain-crf-tiny'] };

export const probabilities = 'its verb draws nothing';

/** @type {Rows['keys']} */
export const keys = {
  integers: { 'chain-hmm-tiny': 'more' },
  read: {
    'chain-crf-tiny': ['chain.templates', 'chain.tags'],
  },
  use: (model) => model.tag('a b'),
};

/** @type {Rows['evaluation']} */
export const evaluation = { measured: ['crf-en'], made: [['crf-en', 'held_out.py ud_ewt']] };

export const holes = 'nested-inputs.test.js';

/** @type {Rows['tasks']} */
export const tasks = { answers: ['tag'] };

const chain = `${GOLDEN}chain-crf-tiny.gguf`;

/** @type {Rows['doubling']} */
export const doubling = {
  'tag, a text': { file: chain, n: 1 << 16, make: (n) => ['ab c '.repeat(n / 5), { marginals: true }] },
  'tag, a text without words': { file: chain, n: 1 << 18, make: (n) => [' \u200b'.repeat(n / 2)] },
  'tag, words': { file: chain, n: 1 << 15, make: (n) => [Array.from({ length: n }, (_, i) => `word${i}`), { marginals: true }] },
  'tag, a word': { file: chain, n: 1 << 14, make: (n) => [['a'.repeat(n)]] },
  'tag, pinned tags': { file: chain, n: 1 << 14, make: (n) => [Array(n).fill('ab'), { pinned: Array(n).fill('A') }] },
};

/** @type {Rows['sheets']} */
export const sheets = {
  async TagSheet({ canvas, doubled, list, painted, tall }) {
    const { TagSheet } = await import('../../../web/lib/kinds/tag/tag-sheet.js');
    for (const [where, words] of /** @type {[() => any, (i: number) => string][]} */ ([
      [canvas, (i) => `word${i}`],
      [tall, (i) => `word${i}`],
      [tall, (i) => (i % 2 ? 'א' : 'a')],
    ]))
      doubled(
        'tags',
        1 << 12,
        (count) => list(count, words),
        (shown) => {
          const tagging = {
            names: ['NOUN'],
            best: { ids: new Uint32Array(shown.length) },
            marginals: new Float32Array(shown.length).fill(1),
          };
          painted(new TagSheet(where(), shown), [tagging]);
        },
      );
  },
};

export const scaling = 'its rows of doubling have all inputs';

export const readers = 'no module of the kind reads files';

export const bounds = 'no module or object of the kind keeps a map or a set';

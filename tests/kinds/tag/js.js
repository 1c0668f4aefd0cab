// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind tag for the sweeps in tests/js (tests/kinds/js.js documents them). */

import { GOLDEN, ROOT } from '../../js/helpers.js';
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

// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind caption for the sweeps in tests/js (tests/kinds/js.js documents them). */

import { GOLDEN, ROOT } from '../../js/helpers.js';
import { SIDE, toyCaption } from '../../js/toy-caption.js';
import { graded, patterned, plain } from '../inputs.js';

/** @import { Rows } from '../js.js' */

const photo = () => patterned(SIDE, SIDE, 3);

/** @type {Rows['verbs']} */
export const verbs = {
  caption: { file: () => toyCaption(), options: {}, input: photo },
  'caption, several': { file: () => toyCaption({ end: -3 }), options: { samples: 3, temperature: 1 }, input: photo },
  'caption, hard attention': { file: () => toyCaption({ hard: true }), options: { temperature: 1 }, input: photo },
  'caption, beams': { file: () => toyCaption(), options: { beams: 3 }, input: photo },
  'caption, given words': { file: () => toyCaption(), options: { forced: 'w1 w4 w2' }, input: photo },
  'caption, given places': { file: () => toyCaption(), options: { lookAt: [3, null, 5] }, input: photo },
};

/** @type {Rows['lists']} */
export const lists = {
  lookAt: {
    file: () => toyCaption(),
    begin: (model, options) => model.caption(photo(), options),
    options: () => ({ lookAt: [3, null, 5] }),
    change: ({ lookAt }) => lookAt.fill(9),
  },
};

/** @type {Rows['waiting']} */
export const waiting = {
  caption: { file: () => toyCaption(), ask: (model, options, input) => model.caption(input, options), forms: ['address'] },
  score: { file: () => toyCaption(), ask: (model, options, input) => model.score(input, { text: 'w1', ...options }), forms: ['address'] },
};

/** @type {Rows['promises']} */
export const promises = {
  async caption(load) {
    return (await load(`${ROOT}weights/captions.gguf`)).caption(plain(64, 64, 3)).text();
  },
};

/** @type {Rows['nested']} */
export const nested = {
  caption: {
    file: `${GOLDEN}show-attend-tell-soft.gguf`,
    input: ({ width, height }) => [graded(width, height, 3), { lookAt: [1, 2], samples: 2 }],
  },
};

const rgba = () => ({ data: Uint8Array.from({ length: 4 * SIDE * SIDE }, (_, i) => (i * 37) % 256), width: SIDE, height: SIDE });

/** @type {Rows['typed']} */
export const typed = {
  file: (said) => toyCaption({ words: ['', ...said, ...Array.from({ length: 11 - said.length }, (_, i) => `w${i}`)] }),
  read: {
    forced: (model, text) => model.caption(rgba(), { forced: text }).text(),
    score: async (model, text) => (await model.score(rgba(), { text })).nats,
  },
};

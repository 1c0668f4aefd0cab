// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind caption for the sweeps in tests/js (tests/kinds/js.js documents them). */

import { SIDE, toyCaption } from '../../js/toy-caption.js';
import { patterned } from '../inputs.js';

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

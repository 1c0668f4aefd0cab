// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind sign for the sweeps in tests/js (tests/kinds/js.js documents them). */

import { GOLDEN } from '../../js/helpers.js';
import { graded } from '../inputs.js';

/** @import { Rows } from '../js.js' */

export const verbs = 'its verb draws nothing';
export const lists = 'its verb draws nothing';

const snail = `${GOLDEN}snail-tiny.gguf`;
const two = (/** @type {unknown} */ image) => ({ support: ['a', 'b'].map((label) => ({ image, label })) });

/** @type {Rows['waiting']} */
export const waiting = {
  classify: { file: snail, ask: (model, options, input) => model.classify(input, { ...two(input), ...options }), forms: ['address'] },
};

/** @type {Rows['promises']} */
export const promises = {
  async classify(load) {
    const model = await load(snail);
    const image = graded(model.info.width, model.info.height, 1);
    return model.classify(image, two(image));
  },
};

/** @type {Rows['nested']} */
export const nested = {
  classify: {
    file: snail,
    input: ({ width, height }) => [[graded(width, height, 1)], two(graded(width, height, 1))],
  },
};

export const typed = 'no text';

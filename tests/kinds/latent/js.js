// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind latent for the sweeps in tests/js (tests/kinds/js.js documents them). */

import { GOLDEN } from '../../js/helpers.js';
import { few } from '../inputs.js';

/** @import { Rows } from '../js.js' */

const sagan = `${GOLDEN}sagan-tiny.gguf`;

/** @type {Rows['verbs']} */
export const verbs = {
  generate: { file: sagan, options: { samples: 3 } },
  walk: { file: sagan, options: { steps: 3 } },
};

/** @type {Rows['lists']} */
export const lists = {
  latent: {
    file: sagan,
    begin: (model, options) => model.generate(options),
    options: ({ latent }) => ({ latent: Array(latent).fill(0.5) }),
    change: ({ latent }) => latent.fill(-2),
  },
};

/** @type {Rows['waiting']} */
export const waiting = { generate: 'no input', walk: 'inputs are numbers' };

/** @type {Rows['promises']} */
export const promises = {
  async generate(load) {
    return few((await load(sagan)).generate({ seed: 1 }));
  },
};

/** @type {Rows['nested']} */
export const nested = {
  walk: { file: sagan, input: ({ latent }) => [Array(latent).fill(0.1), 2, { steps: 3 }] },
};

export const typed = 'labels';

// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind latent for the sweeps in tests/js (tests/kinds/js.js documents them). */

import { GOLDEN } from '../../js/helpers.js';

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

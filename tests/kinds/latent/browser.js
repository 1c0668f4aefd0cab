// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `latent` kind. Tests in tests/browser run these cases (see tests/kinds/browser.js). */

import { GOLDEN } from '../../js/helpers.js';

/** @import { Rows } from '../browser.js' */

/** @type {Rows['shown']} */
export const shown = {
  'sagan-emoji': { attributes: { task: 'generate' }, begin: (model, options) => model.generate(options) },
};

export const long = 'it takes no input';
export const inputs = 'it takes no input';

const sagan = `${GOLDEN}sagan-tiny.gguf`;

/** @type {Rows['order']} */
export const order = {
  generate: { file: sagan, attributes: {}, values: { label: '1' } },
  walk: { file: sagan, attributes: { steps: '4' }, values: { label: '1', from: '5', to: '6', steps: '3', shape: 'circle' } },
};

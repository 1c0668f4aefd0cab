// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the kind sign, for the tests in tests/browser that cover every kind (see tests/kinds/browser.js). */

import { GOLDEN } from '../../js/helpers.js';

/** @import { Rows } from '../browser.js' */

export const shown = 'its examples cannot be given as an attribute';

/** @type {Rows['long']} */
export const long = {
  'signs as photographs': {
    weights: 'snail-omniglot',
    ask: async (model, make) => {
      const [a, b, query] = [make.canvas(2000, 1500), make.canvas(1500, 2000), make.canvas(1600, 1600)];
      return model.classify(query, {
        support: [
          { image: a, label: 'a' },
          { image: b, label: 'b' },
        ],
      });
    },
  },
};

/** @type {Rows['inputs']} */
export const inputs = {
  classify: {
    takes: 'picture',
    weights: 'snail-omniglot',
    ask: async (model, image, { img }) =>
      (
        await model.classify(image, {
          support: [
            { image: img, label: 'a' },
            { image, label: 'b' },
          ],
        })
      ).probabilities.map((/** @type {any} */ { nats }) => nats),
  },
};

/** @type {Rows['order']} */
export const order = {
  classify: {
    file: `${GOLDEN}snail-tiny.gguf`,
    attributes: { src: '/web/pictures/seven.png' },
    inside: '<img src="/web/shell/icon-192.png" data-label="icon"><img src="/web/pictures/seven.png" data-label="seven">',
    values: { src: '/web/shell/icon-192.png' },
  },
};

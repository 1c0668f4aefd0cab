// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `sign` kind. Tests in tests/browser run these cases (see tests/kinds/browser.js). */

import { GOLDEN } from '../../js/helpers.js';

/** @import { Rows } from '../browser.js' */

const SEVEN = '/web/pictures/seven.png';
const EXAMPLES = `<img src="/web/shell/icon-192.png" data-label="icon"><img src="${SEVEN}" data-label="seven">`;

/** @type {Rows['shown']} */
export const shown = {
  'snail-omniglot': {
    attributes: { task: 'classify', src: SEVEN },
    inside: EXAMPLES,
    begin: (model, { signal }) => {
      const { width, height } = model.info;
      const [a, b] = [5, 18].map((at) => ({
        data: Uint8Array.from({ length: width * height }, (_, i) => (i % width >= at && i % width < at + 4 ? 0 : 255)), // a stroke
        width,
        height,
      }));
      const support = [
        { image: a, label: 'a' },
        { image: b, label: 'b' },
      ];
      return model.classify(a, { support, maps: true, signal });
    },
    ends: ({ classification }) => classification.probabilities.length === 2,
  },
};

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
    attributes: { src: SEVEN },
    inside: EXAMPLES,
    values: { src: '/web/shell/icon-192.png' },
  },
};

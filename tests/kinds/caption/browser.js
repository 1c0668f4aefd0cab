// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `caption` kind. Tests in tests/browser run these cases (see tests/kinds/browser.js). */

import { toyCaption } from '../../js/toy-caption.js';

/** @import { Rows } from '../browser.js' */

/** @type {Rows['shown']} */
export const shown = {
  captions: {
    attributes: { src: '/web/pictures/seven.png' },
    begin: (model, { signal }) => {
      const { width, height } = model.info;
      return model.caption({ data: new Uint8Array(3 * width * height), width, height }, { signal });
    },
  },
};

/** @type {Rows['long']} */
export const long = {
  'a canvas of the largest size, captioned': {
    weights: 'captions',
    ask: async (model, make) => model.caption(make.canvas(8192, 8192)).text(),
  },
};

/** @type {Rows['inputs']} */
export const inputs = {
  caption: { takes: 'picture', weights: 'captions', ask: async (model, image) => [...(await model.caption(image).input)] },
  score: { takes: 'picture', weights: 'captions', ask: async (model, image) => [(await model.score(image, { text: 'a dog' })).nats] },
};

/** @type {Rows['order']} */
export const order = { caption: { file: () => toyCaption(), attributes: { src: '/web/pictures/seven.png' } } };

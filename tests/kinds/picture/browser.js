// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `picture` kind. Tests in tests/browser run these cases (see tests/kinds/browser.js). */

import { GOLDEN } from '../../js/helpers.js';
import { toyModel } from '../../js/toy.js';

/** @import { Rows } from '../browser.js' */

/** @type {Rows['shown']} */
export const shown = {
  digits: { attributes: { task: 'generate' }, begin: (model, options) => model.generate(options), freed: true },
};

/** @type {Rows['long']} */
export const long = {
  'a photograph completed': {
    weights: 'cifar10',
    ask: async (model, make) => model.complete(await make.photograph(), { rows: 31, seed: 1 }).pictures(),
  },
  'a photograph enlarged': {
    weights: 'cifar10-sr',
    ask: async (model, make) => {
      for await (const step of model.superResolve(await make.photograph(), { seed: 1 })) return step;
    },
  },
  'a canvas of the largest size, scored': { weights: 'digits', ask: async (model, make) => model.score(make.canvas(8192, 8192)) },
  'a canvas of the largest size, aborted': {
    weights: 'digits',
    code: 'enough',
    ask: async (model, make) => {
      const stopper = new AbortController();
      const canvas = make.canvas(8192, 8192);
      setTimeout(() => stopper.abort(Object.assign(new Error('enough'), { code: 'enough' })), 50);
      return model.score(canvas, { signal: stopper.signal });
    },
  },
};

/** @type {Rows['inputs']} */
export const inputs = {
  complete: {
    takes: 'picture',
    weights: 'digits',
    ask: async (model, image) => [...(await model.complete(image, { rows: 20, seed: 1 }).input)],
  },
  score: { takes: 'picture', weights: 'digits', ask: async (model, image) => [(await model.score(image)).nats] },
  attention: {
    takes: 'picture',
    weights: 'digits',
    ask: async (model, image) =>
      (await model.attention(image, { row: 20, column: 3 })).flatMap((/** @type {any} */ { weights }) => [...weights]),
  },
  superResolve: {
    takes: 'picture',
    weights: 'emoji-sr',
    ask: async (model, image) => [...(await model.superResolve(image, { seed: 1 }).input)],
  },
  'score, input': {
    takes: 'picture',
    weights: 'emoji-sr',
    ask: async (model, image, { canvas }) => [(await model.score(canvas, { input: image })).nats],
  },
};

const classes = () => toyModel({ classes: ['one', 'two'] });

/** @type {Rows['order']} */
export const order = {
  complete: { file: classes, attributes: { src: '/web/pictures/seven.png', rows: '4', label: 'one' }, often: true },
  generate: { file: classes, attributes: {} },
  'super-resolve': {
    file: `${GOLDEN}palette-2d-sr.gguf`,
    attributes: { src: '/web/pictures/seven.png' },
    values: { label: '1' },
  },
};

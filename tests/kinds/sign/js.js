// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `sign` kind. Tests in tests/js run these cases (see tests/kinds/js.js). */

import { GOLDEN } from '../../js/helpers.js';
import { PIXELS, grown, ids } from '../grown.js';
import { graded, patterned } from '../inputs.js';

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

/** @type {Rows['slices']} */
export const slices = {
  'SNAIL: a 7 x 7 convolution over 64 channels of a 256 x 256 picture': {
    file: () =>
      grown(
        'snail-tiny',
        { 'snail.image.height': 256, 'snail.image.width': 256, 'snail.kernels': [7, 7, 3], 'snail.strides': [1, 1, 8] },
        {
          'embd.0.weight': [64, 49],
          'embd.0.bias': [64],
          'embd.1.weight': [64, 64 * 49],
          'embd.1.bias': [64],
          'embd.2.weight': [8, 64 * 9],
          'embd.out.weight': [24, 32 * 32 * 8],
        },
      ),
    encode: () => ({ support: ids(2 * PIXELS, 256), labels: ids(2, 2), query: ids(PIXELS, 256) }),
  },
  'SNAIL: a cheap first layer before an expensive one': {
    file: () =>
      grown(
        'snail-tiny',
        { 'snail.image.height': 256, 'snail.image.width': 256, 'snail.kernels': [1, 15, 3], 'snail.strides': [1, 1, 8] },
        {
          'embd.0.weight': [4, 1],
          'embd.0.bias': [4],
          'embd.1.weight': [512, 4 * 225],
          'embd.1.bias': [512],
          'embd.2.weight': [8, 512 * 9],
          'embd.out.weight': [24, 32 * 32 * 8],
        },
      ),
    encode: () => ({ support: ids(2 * PIXELS, 256), labels: ids(2, 2), query: ids(PIXELS, 256) }),
    alike: true,
  },
};

export const runs = 'its verb returns a complete result';

/** @type {Rows['options']} */
export const options = { files: ['snail-tiny'] };

export const probabilities = 'its verb draws nothing';

/** @type {Rows['keys']} */
export const keys = {
  integers: { 'snail-tiny': 'more' },
};

/** @type {Rows['evaluation']} */
export const evaluation = {
  odd: [['snail-omniglot', /not what such a model is measured on/]],
  made: [['snail-omniglot', 'prepare.py omniglot']],
};

/** @type {Rows['holes']} */
export const holes = {
  file: snail,
  said: /support\[1\]|query\[1\]/,
  calls: (model, hole) => {
    const image = graded(model.info.width, model.info.height, 1);
    const one = { image, label: 'a' };
    return [
      () => model.classify(image, { support: hole(one, one) }),
      () => model.classify(image, { support: hole(one, one, one) }),
      () => model.classify(hole(image, image, image), { support: [one, one] }),
    ];
  },
};

/** @type {Rows['tasks']} */
export const tasks = { answers: ['classify'] };

/** @type {Rows['doubling']} */
export const doubling = {
  'classify, pictures': {
    file: snail,
    n: 1 << 10,
    make: (n, { width, height }) => [Array(n).fill(graded(width, height, 1)), two(graded(width, height, 1))],
  },
  'classify, examples': {
    file: snail,
    n: 1 << 14,
    make: (n, { width, height }) => {
      const image = graded(width, height, 1);
      return [image, { support: Array.from({ length: n }, (_, i) => ({ image, label: i % 3 })) }];
    },
  },
  'classify, labels': {
    file: snail,
    n: 1 << 20,
    make: (n, { width, height }) => {
      const image = graded(width, height, 1);
      return [image, { support: ['a', 'b'].map((label) => ({ image, label: label.repeat(n) })) }];
    },
  },
  'classify, a picture': { file: snail, n: 1 << 20, make: (n) => [patterned(n / 256, 256, 1), two(patterned(n / 256, 256, 1))] },
};

/** @type {Rows['sheets']} */
export const sheets = {
  async ProbabilitySheet({ canvas, doubled, list, painted, tall }) {
    const { ProbabilitySheet } = await import('../../../web/lib/kinds/sign/probability-sheet.js');
    for (const where of [canvas, tall])
      doubled(
        'labels',
        1 << 14,
        (count) => ({ probabilities: list(count, (i) => ({ label: `label ${i}`, p: 0.5, nats: 1 })) }),
        (answer) => painted(new ProbabilitySheet(where()), [answer]),
      );
  },
};

export const scaling = 'its rows of doubling have all inputs';

export const readers = 'no module of the kind reads files';

export const bounds = 'no module or object of the kind keeps a map or a set';

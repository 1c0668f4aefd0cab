// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `caption` kind. Tests in tests/js run these cases (see tests/kinds/js.js). */

import { GOLDEN, ROOT } from '../../js/helpers.js';
import { SIDE, toyCaption } from '../../js/toy-caption.js';
import { PIXELS, grown, ids } from '../grown.js';
import { graded, patterned, plain, striped } from '../inputs.js';

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

/** @type {Rows['waiting']} */
export const waiting = {
  caption: { file: () => toyCaption(), ask: (model, options, input) => model.caption(input, options), forms: ['address'] },
  score: { file: () => toyCaption(), ask: (model, options, input) => model.score(input, { text: 'w1', ...options }), forms: ['address'] },
};

/** @type {Rows['promises']} */
export const promises = {
  async caption(load) {
    return (await load(`${ROOT}weights/captions.gguf`)).caption(plain(64, 64, 3)).text();
  },
};

/** @type {Rows['nested']} */
export const nested = {
  caption: {
    file: `${GOLDEN}show-attend-tell-soft.gguf`,
    input: ({ width, height }) => [graded(width, height, 3), { lookAt: [1, 2], samples: 2 }],
  },
};

const rgba = () => striped(SIDE, SIDE, 4);

/** @type {Rows['typed']} */
export const typed = {
  file: (said) => toyCaption({ words: ['', ...said, ...Array.from({ length: 11 - said.length }, (_, i) => `w${i}`)] }),
  read: {
    forced: (model, text) => model.caption(rgba(), { forced: text }).text(),
    score: async (model, text) => (await model.score(rgba(), { text })).nats,
  },
};

/** @type {Rows['slices']} */
export const slices = {
  'captions: an expensive convolution over a photograph': {
    file: () =>
      grown(
        'show-attend-tell-soft',
        {
          'show-attend-tell.image.height': 256,
          'show-attend-tell.image.width': 256,
          'show-attend-tell.kernels': [1, 15],
          'show-attend-tell.strides': [1, 8],
        },
        {
          'enc.blk.0.weight': [64, 3],
          'enc.blk.0.bias': [64],
          'enc.blk.1.weight': [512, 64 * 225],
          'enc.blk.1.bias': [512],
          'position.weight': [1024, 512],
          'init_h.weight': [20, 512],
          'init_c.weight': [20, 512],
          'attn_k.weight': [16, 512],
          'cell.weight': [80, 540],
          'head.weight': [12, 540],
        },
      ),
    encode: () => ({ image: ids(3 * PIXELS, 256) }),
    alike: true,
  },
};

/** @type {Rows['runs']} */
export const runs = {
  run: (model, options) => model.caption(patterned(model.info.width, model.info.height, 3), options),
  ids: ({ nats }) => [nats],
  saved: ['captions'],
  alike: /^captions-hard/,
};

/** @type {Rows['options']} */
export const options = { files: ['show-attend-tell-soft'] };

const described = (/** @type {any} */ model, /** @type {any} */ options) =>
  model.caption(striped(model.info.width, model.info.height, model.info.channels), options);
const unnamed = (/** @type {any} */ { nats }) => /** @type {[number[], number[]][]} */ ([[[-1], [nats]]]);

/** @type {Rows['probabilities']} */
export const probabilities = [
  ...[{}, { beams: 3 }, { temperature: 0.7 }].map((options) => ({
    file: `${GOLDEN}show-attend-tell-plain.gguf`,
    begin: described,
    ids: unnamed,
    options,
  })),
  { file: `${GOLDEN}show-attend-tell-soft.gguf`, begin: described, ids: unnamed, options: { samples: 3, temperature: 1 } },
];

/** @type {Rows['keys']} */
export const keys = {
  read: { 'show-attend-tell-soft': ['show-attend-tell.words'] },
};

/** @type {Rows['evaluation']} */
export const evaluation = { measured: ['captions'] };

export const holes = 'nested-inputs.test.js';

/** @type {Rows['tasks']} */
export const tasks = { draws: ['caption'] };

/** @type {Rows['doubling']} */
export const doubling = {
  'caption, a picture': { file: () => toyCaption(), n: 1 << 20, make: (n) => [patterned(n / 256, 256, 3)] },
  'caption, given words': { file: () => toyCaption(), n: 1 << 16, make: (n) => [photo(), { forced: 'w1 '.repeat(n / 3) }] },
  'caption, a word': { file: () => toyCaption(), n: 1 << 20, make: (n) => [photo(), { forced: 'w'.repeat(n) }] },
  'caption, locations': { file: () => toyCaption(), n: 1 << 18, make: (n) => [photo(), { lookAt: Array(n).fill(1) }] },
  'score, a picture': { file: () => toyCaption(), n: 1 << 20, make: (n) => [patterned(n / 256, 256, 3), { text: 'w1' }] },
  'score, words': { file: () => toyCaption(), n: 1 << 15, make: (n) => [photo(), { text: 'w1 '.repeat(n / 3) }] },
};

/** @type {Rows['sheets']} */
export const sheets = {
  async CaptionSheet({ canvas, doubled, list, painted }) {
    const { CaptionSheet } = await import('../../../web/lib/kinds/caption/caption-sheet.js');
    const scene = { picture: new Uint8Array(12), width: 2, height: 2, grid: { rows: 2, columns: 2 } };
    const steps = (/** @type {number} */ count) => list(count, () => ({ sample: 0, word: 'word', text: ' word' }));
    doubled('a caption', 1 << 15, steps, (all) => painted(new CaptionSheet(canvas(), { ...scene, before: '' }, { pace: 0 }), all));
    doubled(
      'a caption that goes on',
      1 << 15,
      (count) => 'word '.repeat(count),
      (before) => painted(new CaptionSheet(canvas(), { ...scene, before }, { pace: 0 }), steps(1)),
    );
  },
};

export const scaling = 'its rows of doubling have all inputs';

export const readers = 'no module of the kind reads files';

export const bounds = 'no module or object of the kind keeps a map or a set';

// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `code` kind. Tests in tests/browser run these cases (see tests/kinds/browser.js). */

import { GOLDEN } from '../../js/helpers.js';

/** @import { Rows } from '../browser.js' */

/** @type {Rows['shown']} */
export const shown = {
  'jukebox-small': {
    attributes: { task: 'generate', seconds: '0.05' },
    begin: (model, options) => model.generate({ ...options, seconds: 0.05 }),
  },
};

/** @type {Rows['long']} */
export const long = {
  'a minute of sound, encoded, which is too long': {
    weights: 'jukebox-codes',
    code: 'argument',
    ask: async (model, make) => model.encode(make.sound(60, 48000, 2)),
  },
  'seconds of sound at a rate with no common factor, encoded': {
    weights: 'jukebox-codes',
    ask: async (model, make) => model.encode(make.sound(4, 44101, 2)),
  },
};

/** @type {Rows['inputs']} */
export const inputs = {
  complete: {
    takes: 'sound',
    weights: 'jukebox-small',
    ask: async (model, sound) => (await model.complete(sound, { seconds: 0.1 }).input).samples.length,
  },
  encode: { takes: 'sound', weights: 'jukebox-small', ask: async (model, sound) => (await model.encode(sound)).heard.samples.length },
};

const jukebox = `${GOLDEN}jukebox-tiny.gguf`;
const spoken = { label: '1', speaker: '1' };

/** @type {Rows['order']} */
export const order = {
  generate: { file: jukebox, attributes: { seconds: '0.02' }, values: spoken },
  complete: { file: jukebox, attributes: { src: '/tone.wav', seconds: '0.02' }, values: { ...spoken, src: '/other-tone.wav' } },
};

// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases with models of the `sound` kind. Tests in tests/browser run these cases (see tests/kinds/browser.js). */

import { writeWav } from '../../../web/lib/media/wav.js';
import { GOLDEN } from '../../js/helpers.js';

/** @import { Rows } from '../browser.js' */

/** Returns a WAV file. @param {number} length */
const tone = (length) =>
  writeWav(
    Float32Array.from({ length }, (_, i) => Math.sin(i / 5) / 2),
    8000,
  );

/** @type {Rows['files']} */
export const files = { '/tone.wav': () => tone(20), '/other-tone.wav': () => tone(30) };

/** @type {Rows['shown']} */
export const shown = {
  wavenet: {
    attributes: { task: 'generate', seconds: '0.05' },
    begin: (model, options) => model.generate({ ...options, seconds: 0.05 }),
    freed: true,
  },
};

/** @type {Rows['long']} */
export const long = {
  'a minute of sound at 192 kHz, aborted': {
    weights: 'wavenet',
    code: 'enough',
    ask: async (model, make) => {
      const stopper = new AbortController();
      const sound = make.sound(60, 192000, 2);
      setTimeout(() => stopper.abort(Object.assign(new Error('enough'), { code: 'enough' })), 50);
      return model.score(sound, { signal: stopper.signal });
    },
  },
};

/** @type {Rows['inputs']} */
export const inputs = {
  complete: {
    takes: 'sound',
    weights: 'wavenet',
    ask: async (model, sound) => (await model.complete(sound, { seconds: 0.01 }).input).samples.length,
  },
  score: { takes: 'sound', weights: 'wavenet', ask: async (model, sound) => (await model.score(sound)).perElement.length },
};

const wavenet = `${GOLDEN}wavenet-tiny.gguf`;
const spoken = { label: '1', speaker: '1' };

/** @type {Rows['order']} */
export const order = {
  generate: { file: wavenet, attributes: { seconds: '0.005' }, values: spoken },
  complete: { file: wavenet, attributes: { src: '/tone.wav', seconds: '0.005' }, values: { ...spoken, src: '/other-tone.wav' } },
};

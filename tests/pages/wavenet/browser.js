// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `wavenet` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

import { writeWav } from '../../../web/lib/media/wav.js';
import { tone } from '../../kinds/inputs.js';

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'wavenet.gguf' };

/** @type {Rows['givenFiles']} */
export const givenFiles = {
  figure: '#figure-voice',
  said: '#voice-said',
  given: () => ['소리.wav', writeWav(tone(800).samples, 8000), 'audio/wav'],
  done: /of which 0\.10 s are the recording/,
};

/** @type {Rows['device']} */
export const device = { device: 'microphone', button: '#record', said: 'main' };

/** @type {Rows['figures']} */
export const figures = {
  B8: { shows: 'a causal convolution', at: 'figure-trees' },
  B9: { shows: 'dilated convolutions', at: 'figure-trees' },
  B10: { shows: 'a waveform, from seconds down to samples', at: 'figure-play' },
};

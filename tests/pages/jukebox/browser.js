// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `jukebox` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

import { writeWav } from '../../../web/lib/media/wav.js';
import { tone } from '../../kinds/inputs.js';

/** @import { Rows } from '../browser.js' */

/** @type {Rows['ownFile']} */
export const ownFile = { file: 'jukebox-codes.gguf', wrong: 'wavenet.gguf', said: /wavenet\.gguf speaks/ };

/** @type {Rows['givenFiles']} */
export const givenFiles = {
  figure: '#figure-stages',
  said: '#stages-note',
  refused: '#stages-said',
  given: () => ['소리.wav', writeWav(tone(800).samples, 8000), 'audio/wav'],
  done: /^소리\.wav, 0\.10 s/,
};

/** @type {Rows['device']} */
export const device = { device: 'microphone', button: '#record', said: '#stages-said' };

/** @type {Rows['figures']} */
export const figures = {
  B16: { shows: 'Jukebox: audio to codes, priors, codes back to audio', at: 'figure-stages' },
};

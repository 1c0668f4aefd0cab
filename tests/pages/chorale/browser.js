// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `chorale` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

import { writeNotes } from '../../../web/lib/kinds/note/midi.js';

/** @import { Rows } from '../browser.js' */

const tune = () =>
  writeNotes(/** @type {any} */ ([{ start: 0, length: 4, pitch: 67, velocity: 80, voice: 'soprano' }]), {
    ticks: 4,
    voices: ['soprano'],
    tempo: 100,
  });

/** @type {Rows['ownFile']} */
export const ownFile = {
  file: 'chorales.gguf',
  wrong: 'sparse-digits.gguf',
  said: /draws pictures: the pages on pictures/,
  elsewhere: { pages: ['sparse', 'wavenet'], said: /makes music/ },
};

/** @type {Rows['givenFiles']} */
export const givenFiles = {
  figure: '#figure-answer',
  said: '#answer-said',
  given: () => ['melody.MID', tune(), ''],
  done: /of which 1 note was given/,
};

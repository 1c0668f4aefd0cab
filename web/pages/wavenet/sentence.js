// SPDX-License-Identifier: MIT
// Translates the library's messages about a sound into the language of the page.
// @ts-check
import { phrase } from '../../shell/index.js';
/** @typedef {import('../../lib/media/waveform.js').Waveform} Waveform */

/** @param {Waveform} wave */
export function sentenceOf({ facts: { seconds, given, bits } }) {
  const before = given > 0 ? phrase`, of which ${given.toFixed(2)} s are the recording` : '';
  const cost = bits >= 0 ? phrase`, ${bits.toFixed(1)} bits a sample` : '';
  return phrase`A sound of ${seconds.toFixed(2)} s${before}${cost}.`;
}

/**
 * Describes the changes made to a sound before the model reads it. Returns '' if there are none.
 * @param {import('../../lib/media/heard.js').Heard} heard
 * @param {number} to sample rate of the model
 */
export function changeOf({ sampleRate: rate, channels }, to) {
  if (rate === to) return channels === 1 ? '' : phrase`The sound was mixed down to one channel of ${channels}.`;
  return channels === 1
    ? phrase`The sound was resampled from ${rate} to ${to} samples a second.`
    : phrase`The sound was resampled from ${rate} to ${to} samples a second, and mixed down to one channel of ${channels}.`;
}

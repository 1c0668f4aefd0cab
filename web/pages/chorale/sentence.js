// SPDX-License-Identifier: MIT
// Translates the names of the voices, and the library's messages about music, into the language of the page.
// @ts-check
import { phrase } from '../../shell/index.js';
/** @typedef {import('../../lib/kinds/note/roll.js').Roll} Roll */

/** Maps the library's voice names to names in the language of the page. @type {Record<string, string>} */
const VOICES = { soprano: phrase`soprano`, alto: phrase`alto`, tenor: phrase`tenor`, bass: phrase`bass` };

/** @param {string} voice */
export const voiceOf = (voice) => VOICES[voice] ?? voice;

/** @param {number} n */
const notesOf = (n) => (n === 1 ? phrase`1 note` : phrase`${n} notes`);

/** @param {Roll} roll */
export function sentenceOf({ facts: { notes, bars, given, nats } }) {
  const length = bars === 1 ? phrase`1 bar` : phrase`${bars} bars`;
  const sung = given === 0 ? '' : given === 1 ? phrase`, of which 1 note was given` : phrase`, of which ${given} notes were given`;
  const cost = nats >= 0 ? phrase`, ${nats.toFixed(2)} nats per drawn note` : '';
  return phrase`Music of ${notesOf(notes)} in ${length}${sung}${cost}.`;
}

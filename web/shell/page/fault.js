// SPDX-License-Identifier: MIT
// Describes an error to visitors. The library's messages are in English, so pages in other languages add a sentence in their own language
// before the message.
// @ts-check
import { phrase } from './phrase.js';

/** A sentence for each error code. @type {Record<string, string>} */
const SENTENCES = {
  argument: 'The input does not fit.',
  format: 'The file cannot be read.',
  unsupported: 'This browser or this page does not support it.',
  limit: 'It is too large.',
  memory: 'There is not enough memory.',
  numeric: 'The computation gave values that are not finite.',
  network: 'The file could not be fetched.',
  integrity: 'The file differs from the expected one.',
  trap: 'The computation was interrupted.',
  closed: 'The model is closed.',
};

/** @param {unknown} error @returns {string} */
export function fault(error) {
  const { code = '', message } = /** @type {{ code?: string, message: string }} */ (error);
  const sentence = SENTENCES[code];
  if (!sentence) return message; // an error of the browser or of the page itself has no sentence
  const lead = phrase(sentence);
  return lead === sentence ? message : `${lead} (${message})`;
}

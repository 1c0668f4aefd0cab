// SPDX-License-Identifier: MIT
// A text that is typed, or taken from examples below its field.
// @ts-check
import { byId, make } from '../index.js';

/** Milliseconds until somebody who types is taken to rest. */
const REST_MS = 150;

/**
 * @param {HTMLInputElement} input begins with the first example
 * @param {Object} options
 * @param {string} options.examples id of the list that gets their buttons
 * @param {string[]} options.texts of the examples
 * @param {string} options.lang of the examples
 * @param {string} [options.look] further classes of a button
 * @param {() => void} [options.onType] the text has changed, by a key or by an example
 * @param {() => void} options.onRest somebody who typed rests
 * @param {() => void} [options.onExample] the text of an example is there
 */
export function createTyping(input, { examples, texts, lang, look = '', onType = () => {}, onRest, onExample = onRest }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let resting;
  const changed = () => {
    clearTimeout(resting);
    onType();
  };
  input.addEventListener('input', () => {
    changed();
    resting = setTimeout(onRest, REST_MS);
  });
  byId(examples).append(
    ...texts.map((text) => {
      const button = make('button', { type: 'button', class: `${look} example`.trim(), lang }, text);
      button.addEventListener('click', () => {
        input.value = text;
        changed();
        onExample();
      });
      return make('li', {}, button);
    }),
  );
  input.value = texts[0];
}

// SPDX-License-Identifier: MIT
// Handles a text field, and the buttons below the field that fill in examples.
// @ts-check
import { byId, make } from '../index.js';

/** Typing counts as paused after this many milliseconds without a key press. */
const REST_MS = 150;

/**
 * @param {HTMLInputElement} input the field; it initially contains the first example
 * @param {Object} options
 * @param {string} options.examples id of the list that gets the example buttons
 * @param {string[]} options.texts texts of the examples
 * @param {string} options.lang language of the examples
 * @param {string} [options.look] additional classes of the buttons
 * @param {() => void} [options.onType] called after a key or an example has changed the text
 * @param {() => void} options.onRest called after typing has paused
 * @param {() => void} [options.onExample] called after the visitor has chosen an example
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

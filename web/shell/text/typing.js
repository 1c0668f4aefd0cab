// SPDX-License-Identifier: MIT
// A text that is typed, or chosen from examples below its field.
// @ts-check
import { byId, make } from '../index.js';

/** Milliseconds without a key after which typing counts as paused. */
const REST_MS = 150;

/**
 * @param {HTMLInputElement} input contains the first example at the start
 * @param {Object} options
 * @param {string} options.examples id of the list for the buttons of the examples
 * @param {string[]} options.texts texts of the examples
 * @param {string} options.lang language of the examples
 * @param {string} [options.look] additional classes of a button
 * @param {() => void} [options.onType] called when the text has changed, by a key or by an example
 * @param {() => void} options.onRest called when typing has paused
 * @param {() => void} [options.onExample] called when an example was chosen
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

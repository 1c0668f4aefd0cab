// SPDX-License-Identifier: MIT
// Keys of a composition belong to the text field: no handler of a page gets them. One place for all text fields of all pages.
// @ts-check
import { composing } from '../library.js';

/** Stops the propagation of these keys to all other listeners. The field still receives them. */
export function keepCompositions() {
  addEventListener(
    'keydown',
    (event) => {
      if (composing(event)) event.stopImmediatePropagation();
    },
    true,
  );
}

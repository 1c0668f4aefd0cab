// SPDX-License-Identifier: MIT
// Finds the key presses that are meant for the browser or an input method, and hides these key presses from the figures. All pages use this
// module.
// @ts-check
import { composing } from '../library.js';

/** Keys that move, zoom or delete. With Alt, Ctrl or Cmd, these keys are shortcuts of the browser, for example to go back or to zoom. */
const OF_BROWSER = /^(Arrow|Page|Home$|End$|Backspace$|Delete$|[-+=−0 ]$)/;

/** Returns whether a key is meant for the browser or for an input method that is composing text. @param {KeyboardEvent} event */
const isElsewhere = (event) => composing(event) || ((event.altKey || event.ctrlKey || event.metaKey) && OF_BROWSER.test(event.key));

/**
 * Stops key events that are not meant for the page before they reach any other listener. The browser and the focused text field still
 * receive the keys.
 */
export function keepKeys() {
  addEventListener(
    'keydown',
    (event) => {
      if (isElsewhere(event)) event.stopImmediatePropagation();
    },
    true,
  );
}

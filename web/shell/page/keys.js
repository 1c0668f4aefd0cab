// SPDX-License-Identifier: MIT
// Decides which keys are not meant for the page, so that no handler of a figure receives them. All pages use this function.
// @ts-check
import { composing } from '../library.js';

/** Keys that move, zoom or delete. With Alt, Ctrl or Cmd they belong to the browser: go back, go to the end of the page, enlarge. */
const OF_BROWSER = /^(Arrow|Page|Home$|End$|Backspace$|Delete$|[-+=−0 ]$)/;

/** Returns whether a key belongs to the browser, or to text that is being composed with an input method. @param {KeyboardEvent} event */
const isElsewhere = (event) => composing(event) || ((event.altKey || event.ctrlKey || event.metaKey) && OF_BROWSER.test(event.key));

/** Keeps the keys that are not meant for the page from all other listeners. The browser and the focused text field still receive them. */
export function keepKeys() {
  addEventListener(
    'keydown',
    (event) => {
      if (isElsewhere(event)) event.stopImmediatePropagation();
    },
    true,
  );
}

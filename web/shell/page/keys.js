// SPDX-License-Identifier: MIT
// Keys that are not meant for the page: no handler of a figure gets them. One place for all pages.
// @ts-check
import { composing } from '../library.js';

/** Keys that move, zoom or delete; with Alt, Ctrl or Cmd they are the browser's: back, to the end of the page, larger. */
const OF_BROWSER = /^(Arrow|Page|Home$|End$|Backspace$|Delete$|[-+=−0 ]$)/;

/** Tells whether a key belongs to a text that is being composed, or to the browser. @param {KeyboardEvent} event */
const isElsewhere = (event) => composing(event) || ((event.altKey || event.ctrlKey || event.metaKey) && OF_BROWSER.test(event.key));

/** Stops the propagation of these keys to all other listeners. The browser and a text field still receive them. */
export function keepKeys() {
  addEventListener(
    'keydown',
    (event) => {
      if (isElsewhere(event)) event.stopImmediatePropagation();
    },
    true,
  );
}

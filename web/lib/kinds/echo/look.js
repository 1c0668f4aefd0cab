// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Look } from '../looks.js' */

/** Echoes, as the element shows them. @type {Look} */
export const look = {
  sheet: true,
  doing: 'Listening',
  done: () => 'Heard',
  what: () => 'An echo',
};

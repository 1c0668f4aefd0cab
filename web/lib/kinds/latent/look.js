// SPDX-License-Identifier: MIT
// @ts-check

import { pictures } from '../common-looks.js';

/** @import { Look } from '../looks.js' */

/** Shows pictures drawn in one pass in the element; they have no probability. @type {Look} */
export const look = { ...pictures, done: () => 'Drawn' };

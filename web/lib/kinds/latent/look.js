// SPDX-License-Identifier: MIT
// @ts-check

import { pictures } from '../common-looks.js';

/** @import { Look } from '../looks.js' */

/** The element's look for pictures that are drawn in one pass and have no probability. @type {Look} */
export const look = { ...pictures, done: () => 'Drawn' };

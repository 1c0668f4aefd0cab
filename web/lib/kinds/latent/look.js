// SPDX-License-Identifier: MIT
// @ts-check

import { pictures } from '../common-looks.js';

/** @import { Look } from '../looks.js' */

/** How the element shows pictures that are drawn in one pass and have no probability: see looks.js. @type {Look} */
export const look = { ...pictures, done: () => 'Drawn' };

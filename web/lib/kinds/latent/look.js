// SPDX-License-Identifier: MIT
// @ts-check

import { pictures } from '../common-looks.js';

/** @import { Look } from '../looks.js' */

/** Pictures drawn in one pass, in the element. Such pictures have no probability. @type {Look} */
export const look = { ...pictures, done: () => 'Drawn' };

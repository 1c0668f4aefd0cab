// SPDX-License-Identifier: MIT
// @ts-check

import { pictures } from '../common-looks.js';

/** @import { Look } from '../looks.js' */

/** Shows pictures drawn in one pass, which have no probability, in the element. @type {Look} */
export const look = { ...pictures, done: () => 'Drawn' };

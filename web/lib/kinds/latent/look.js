// SPDX-License-Identifier: MIT
// @ts-check

import { pictures } from '../common-looks.js';

/** @import { Look } from '../looks.js' */

/** Pictures that are made at once, as the element shows them: they have no probability. @type {Look} */
export const look = { ...pictures, done: () => 'Drawn' };

// SPDX-License-Identifier: MIT
// @ts-check

import { look as picture } from '../picture/look.js';

/** @import { Look } from '../looks.js' */

/** Pictures that are made at once, as the element shows them: they have no probability. @type {Look} */
export const look = { ...picture, done: () => 'Drawn' };

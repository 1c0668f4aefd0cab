// SPDX-License-Identifier: MIT
// @ts-check

import { attributes as picture } from './complete.js';

export const draws = false;
export const made = 'A name';
export const attributes = { src: picture.src };

/** The examples are children of the <next-pixel> element. */
export const inside = 'support';

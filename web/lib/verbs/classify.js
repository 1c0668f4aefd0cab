// SPDX-License-Identifier: MIT
// @ts-check

import { attributes as picture } from './complete.js';

export const draws = false;
export const made = 'A name';
export const attributes = { src: picture.src };

/** The examples are child elements of the element. */
export const inside = 'support';

// SPDX-License-Identifier: MIT
// @ts-check

import { attributes as picture } from './complete.js';

export const draws = true;
export const made = '{pictures} enlarged from {src}';
export const attributes = { src: picture.src, tries: picture.tries };

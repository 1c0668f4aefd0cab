// SPDX-License-Identifier: MIT
// @ts-check

import { attributes as text } from './generate.js';

export const draws = false;
export const made = 'Words and their heads';
export const attributes = { prompt: text.prompt };

// SPDX-License-Identifier: MIT
// @ts-check

import { attributes as text } from './generate.js';

export const draws = true;
export const made = 'A translation';
export const attributes = { prompt: text.prompt };

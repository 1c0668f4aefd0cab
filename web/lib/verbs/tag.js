// SPDX-License-Identifier: MIT
// @ts-check

import { attributes as text } from './generate.js';

export const draws = false;
export const made = 'Tags of words';
export const attributes = { prompt: text.prompt };

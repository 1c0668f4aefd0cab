// SPDX-License-Identifier: MIT
// @ts-check

/** Exports code that only text models need. Pages without a text model do not load this file. */

export { readParts } from '../../load/split-files.js';
export { TextModel } from './text-model.js';
export { AlignedSheet } from './aligned-sheet.js';
export { TextSheet } from './text-sheet.js';
export { tokenizerOf } from './vocabulary-file.js';

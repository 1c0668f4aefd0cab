// SPDX-License-Identifier: MIT
// @ts-check

/** Code that only text models need: a separate file, which a page of pictures never fetches. */

export { readParts } from '../../load/split-files.js';
export { TextModel } from './text-model.js';
export { AlignedSheet } from './aligned-sheet.js';
export { TextSheet } from './text-sheet.js';
export { tokenizerOf } from './vocabulary-file.js';

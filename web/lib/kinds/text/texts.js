// SPDX-License-Identifier: MIT
// @ts-check

/** Code that only text models need, in a file of its own that pages of pictures do not fetch. */

export { readParts } from '../../load/split-files.js';
export { TextModel } from './text-model.js';
export { AlignedSheet } from './aligned-sheet.js';
export { TextSheet } from './text-sheet.js';
export { tokenizerOf } from './vocabulary-file.js';

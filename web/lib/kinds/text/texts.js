// SPDX-License-Identifier: MIT
// @ts-check

/** Code that only models of texts need: a file of its own, which a page of pictures never fetches. */

export { readParts } from '../../load/split-files.js';
export { TextModel } from './text-model.js';
export { AlignedSheet } from './aligned-sheet.js';
export { TextSheet } from './text-sheet.js';
export { tokenizerOf } from './vocabulary-file.js';

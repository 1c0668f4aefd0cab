// SPDX-License-Identifier: MIT
// @ts-check

/** Code that only models of texts need: a file of its own, which a page of pictures never fetches. */

export { Tokenizer } from './codecs/text.js';
export { readParts } from './parts.js';
export { TextModel } from './text-model.js';
export { AlignedSheet } from './sinks/aligned.js';
export { TextSheet } from './sinks/text.js';
export { tokenizerOf } from './vocabulary-file.js';

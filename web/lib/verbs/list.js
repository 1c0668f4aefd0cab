// SPDX-License-Identifier: MIT
// Generated from the files of web/lib/verbs by node web/tools/options.js.
// @ts-check

export * as attention from './attention.js';
export * as caption from './caption.js';
export * as chat from './chat.js';
export * as classify from './classify.js';
export * as complete from './complete.js';
export * as decode from './decode.js';
export * as encode from './encode.js';
export * as generate from './generate.js';
export * as parse from './parse.js';
export * as score from './score.js';
export * as superResolve from './super-resolve.js';
export * as tag from './tag.js';
export * as translate from './translate.js';
export * as walk from './walk.js';

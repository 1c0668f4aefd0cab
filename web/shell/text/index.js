// SPDX-License-Identifier: MIT
// Exports the modules that build text figures. web/dist/page-text.js is built from this file.
// @ts-check

export * from './heads.js';
export * from './maps.js';
export * from './matrix.js';
export * from './own.js';
export * from './page-view.js';
export * from './sentence.js';
export * from './shot.js';
export * from './tale.js';
export * from './translation.js';
export * from './tree.js';
export * from './words.js';
export * from './writing.js';

// SPDX-License-Identifier: MIT
// Exports the figure that completes a digit. Several pages share this figure. web/dist/page-completion.js is built from this file.
// @ts-check

export * from './describe.js';
export * from './endings.js';
export * from './figure.js';
export * from './pad.js';
export * from './panels.js';
export * from './shots.js';
export * from './state.js';
export * from './strip.js';
/** @typedef {import('./runner.js').Ending} Ending */

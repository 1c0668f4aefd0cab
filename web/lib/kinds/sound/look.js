// SPDX-License-Identifier: MIT
// @ts-check

/** How the element shows sounds: see looks.js. */
export { sounds as look } from '../common-looks.js';

// SPDX-License-Identifier: MIT
// @ts-check

/** How the element shows pictures: see looks.js. */
export { pictures as look } from '../common-looks.js';

// SPDX-License-Identifier: MIT
// @ts-check

/** Pictures in the element. */
export { pictures as look } from '../common-looks.js';

// SPDX-License-Identifier: MIT
// @ts-check

/** Sounds in the element. */
export { sounds as look } from '../common-looks.js';

// SPDX-License-Identifier: MIT
// @ts-check

/** Sounds, as the element shows them. */
export { sounds as look } from '../common-looks.js';

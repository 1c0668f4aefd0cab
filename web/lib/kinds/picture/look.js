// SPDX-License-Identifier: MIT
// @ts-check

/** Pictures, as the element shows them. */
export { pictures as look } from '../common-looks.js';

// SPDX-License-Identifier: MIT
// @ts-check

/** The element's look for pictures. */
export { pictures as look } from '../common-looks.js';

// SPDX-License-Identifier: MIT
// @ts-check

/** The element's look for sounds. */
export { sounds as look } from '../common-looks.js';

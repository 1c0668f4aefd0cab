// SPDX-License-Identifier: MIT
// @ts-check

/** Returns whether a typed text has no visible character. The result equals sentenceOf(text) === '' (web/lib/base/typed.js), but this
 * function is smaller.
 * @param {string} text */
export const isBlank = (text) => !/[^\s\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(text);

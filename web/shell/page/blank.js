// SPDX-License-Identifier: MIT
// @ts-check

/** Returns whether a typed text has no visible character: whether sentenceOf() (web/lib/base/typed.js), which is larger, would make it ''.
 * @param {string} text */
export const isBlank = (text) => !/[^\s\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(text);

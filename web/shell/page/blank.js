// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Returns whether the typed text contains no visible characters. Gives the same result as sentenceOf(text) === '' (web/lib/base/typed.js),
 * but is a smaller function.
 * @param {string} text
 */
export const isBlank = (text) => !/[^\s\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(text);

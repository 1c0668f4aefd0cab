// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Returns whether a token ends a sentence or a line. With reduced motion, a text appears sentence by sentence, and this function finds
 * where. @param {string} text
 */
export const endsSentence = (text) => /[.!?\n]["”’)]?\s*$/.test(text);

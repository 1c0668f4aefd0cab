// SPDX-License-Identifier: MIT
// @ts-check

/** Returns whether a token ends a sentence or a line. With reduced motion, a text appears a sentence at a time. @param {string} text */
export const endsSentence = (text) => /[.!?\n]["”’)]?\s*$/.test(text);

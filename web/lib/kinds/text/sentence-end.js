// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Returns whether a token ends a sentence or a line. For visitors who prefer reduced motion, text appears sentence by sentence; this
 * function finds the ends of the sentences. @param {string} text
 */
export const endsSentence = (text) => /[.!?\n]["”’)]?\s*$/.test(text);

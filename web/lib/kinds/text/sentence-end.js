// SPDX-License-Identifier: MIT
// @ts-check

/** Tells whether a token ends a sentence or a line. Where motion is not wanted, a text appears a sentence at a time. @param {string} text */
export const endsSentence = (text) => /[.!?\n]["”’)]?\s*$/.test(text);

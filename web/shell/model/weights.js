// SPDX-License-Identifier: MIT
// The addresses of the weights.
// @ts-check

/** Returns the address of a weight file. @param {string} file */
export const weights = (file) => new URL(`../../../weights/${file}`, import.meta.url).href;

// SPDX-License-Identifier: MIT
// Returns the addresses of weight files.
// @ts-check

/** Returns the address of a weight file. @param {string} file */
export const weights = (file) => new URL(`../../../weights/${file}`, import.meta.url).href;

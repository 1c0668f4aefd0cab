// SPDX-License-Identifier: MIT
// Where the weights lie.
// @ts-check

/** The address of a weight file. @param {string} file */
export const weights = (file) => new URL(`../../weights/${file}`, import.meta.url).href;

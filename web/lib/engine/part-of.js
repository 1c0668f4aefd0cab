// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Part } from './protocol.js' */

/**
 * Returns the part of a model to use if its kind uses only one: the first part that draws, or the first part if none draws.
 *
 * @param {Part[]} parts
 */
export const partOf = (parts) => parts.find(({ outputs }) => outputs > 0) ?? parts[0];

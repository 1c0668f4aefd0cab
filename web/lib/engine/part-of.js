// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Part } from './protocol.js' */

/** Returns the part of a model to use if its kind has only one: the first part that draws, or the first of all. @param {Part[]} parts */
export const partOf = (parts) => parts.find(({ outputs }) => outputs > 0) ?? parts[0];

// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Part } from './protocol.js' */

/** The part of a model that is used if a kind has only one: the first that draws, or the first. @param {Part[]} parts */
export const partOf = (parts) => parts.find(({ outputs }) => outputs > 0) ?? parts[0];

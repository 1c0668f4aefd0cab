// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Part } from './protocol.js' */

/**
 * Returns the main part of a model: the first part that draws, or the first part if none draws. Most kinds of model use only this part.
 *
 * @param {Part[]} parts
 */
export const partOf = (parts) => parts.find(({ outputs }) => outputs > 0) ?? parts[0];

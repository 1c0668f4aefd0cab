// SPDX-License-Identifier: MIT
// @ts-check

/** Functions that test a file or the ports of its parts. The kinds recognise their files with these functions. */

/** @import { Part } from '../engine/protocol.js' */
/** @import { Kind } from './index.js' */

/** Returns whether a part takes an input of this name. @param {Part} part @param {string} name */
export function takes(part, name) {
  return part.inputs.some((input) => input.name === name);
}

/** Returns whether a part produces a result of this name. @param {Part} part @param {string} name */
export function leaves(part, name) {
  return part.results.some((result) => result.name === name);
}

/** Returns whether a part reads a sequence of any length, such as a sentence, before the part draws. @param {Part} part */
export function reads(part) {
  return part.inputs.some(({ anyLength }) => anyLength);
}

/** Returns whether a model's file defines a picture size and has no text vocabulary. @type {Kind['says']} */
export const hasPictures = ({ tokenizerEntries }, number) => tokenizerEntries.length === 0 && Number(number('image.width')) > 0;

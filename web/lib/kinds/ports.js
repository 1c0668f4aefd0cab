// SPDX-License-Identifier: MIT
// @ts-check

/** Questions of kinds to the ports of a part. */

/** @import { Part } from '../engine/protocol.js' */

/** Tells whether a part takes an input of this name. @param {Part} part @param {string} name */
export function takes(part, name) {
  return part.inputs.some((input) => input.name === name);
}

/** Tells whether a part leaves a result of this name. @param {Part} part @param {string} name */
export function leaves(part, name) {
  return part.results.some((result) => result.name === name);
}

/** Tells whether a part reads a sequence of any length, such as a sentence, before it draws. @param {Part} part */
export function reads(part) {
  return part.inputs.some(({ anyLength }) => anyLength);
}

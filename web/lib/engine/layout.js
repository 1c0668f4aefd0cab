// SPDX-License-Identifier: MIT
// @ts-check

/** Reads and writes the structs of include/nextpixel.h, as abi.js lists them, in wasm32 memory. */

import { NX_ALIGN, NX_NAME_BYTES, STRUCTS } from './abi.js';

/** @typedef {keyof typeof STRUCTS} StructName */

/** An nx_problem consists of two strings, name and reason. */
export const PROBLEM_BYTES = 2 * NX_NAME_BYTES;

/**
 * @param {StructName} struct
 * @returns {number} bytes
 */
export function sizeOf(struct) {
  return 4 * Object.keys(STRUCTS[struct]).length;
}

/**
 * Structs and results are passed to and from the engine in one block of memory. This function returns the offset of each area of the block,
 * and the size of the block. The areas are: a struct of any type; two words for results; a shape; an error.
 *
 * @param {Record<string, Record<string, string>>} [structs]
 */
export function scratchAreas(structs = STRUCTS) {
  const bytes = (/** @type {string} */ struct) => 4 * Object.keys(structs[struct]).length;
  let end = 0;
  const area = (/** @type {number} */ size) => {
    const at = end;
    end = NX_ALIGN * Math.ceil((at + size) / NX_ALIGN);
    return at;
  };
  const [struct, result, shape, problem] = [Math.max(...Object.keys(structs).map(bytes)), 8, bytes('nx_shape'), PROBLEM_BYTES].map(area);
  return { struct, result, shape, problem, bytes: end };
}

/**
 * @param {DataView} view
 * @param {number} address
 * @param {StructName} struct
 * @returns {Record<string, number>}
 */
export function readStruct(view, address, struct) {
  /** @type {Record<string, number>} */
  const fields = {};
  let at = address;
  for (const [name, kind] of Object.entries(STRUCTS[struct])) {
    if (kind === 'f') fields[name] = view.getFloat32(at, true);
    else fields[name] = view.getUint32(at, true);
    at += 4;
  }
  return fields;
}

/**
 * @param {DataView} view
 * @param {number} address
 * @param {StructName} struct
 * @param {Record<string, number>} fields  a value for every field of the struct
 */
export function writeStruct(view, address, struct, fields) {
  let at = address;
  for (const [name, kind] of Object.entries(STRUCTS[struct])) {
    if (kind === 'f') view.setFloat32(at, fields[name], true);
    else view.setUint32(at, fields[name], true);
    at += 4;
  }
}

/**
 * Reads a string of at most NX_NAME_BYTES bytes, up to its terminating zero.
 *
 * @param {Uint8Array} memory
 * @param {number} address
 */
export function readName(memory, address) {
  const bytes = memory.slice(address, address + NX_NAME_BYTES); // a copy, because TextDecoder rejects shared memory in browsers
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/**
 * @param {Uint8Array} memory
 * @param {number} address
 * @returns {{ name: string, reason: string }}
 */
export function readProblem(memory, address) {
  return { name: readName(memory, address), reason: readName(memory, address + NX_NAME_BYTES) };
}

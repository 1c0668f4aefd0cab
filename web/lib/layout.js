// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The structs of include/nextpixel.h as they lie in wasm32 memory: fields of 32 bits in the header's order, no padding.
 */

/** Fields and their kinds, in order. u: uint32_t, size_t or a pointer; i: int32_t; f: float. */
export const STRUCTS = Object.freeze({
  nx_info: Object.freeze({
    height: 'u', width: 'u', channels: 'u', levels: 'u', elements: 'u', classes: 'u', blocks: 'u', heads: 'u',
    embedding: 'u', window: 'u', query_block: 'u', memory_block: 'u', parameters_low: 'u', parameters_high: 'u',
    positions: 'u', position_elements: 'u', outputs: 'u', palette: 'u', block_rows: 'u', block_cols: 'u',
    flange_rows: 'u', flange_cols: 'u', input_height: 'u', input_width: 'u', draft: 'u',
  }),
  nx_metadata: Object.freeze({
    key: 'u', key_bytes: 'u', type: 'u', item_type: 'u', count: 'u', value: 'u', value_bytes: 'u',
  }),
  nx_settings: Object.freeze({
    seed_low: 'u', seed_high: 'u', samples: 'u', first_sample: 'u', label: 'i',
    temperature: 'f', top_k: 'u', top_p: 'f', trace: 'u', look_ahead: 'u',
  }),
});

/** @typedef {keyof typeof STRUCTS} StructName */

/** NX_NAME_BYTES: nx_problem is two texts of this many bytes, name and reason. */
export const NAME_BYTES = 80;
export const PROBLEM_BYTES = 2 * NAME_BYTES;

/**
 * @param {StructName} struct
 * @returns {number} bytes
 */
export function sizeOf(struct) {
  return 4 * Object.keys(STRUCTS[struct]).length;
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
    else if (kind === 'i') fields[name] = view.getInt32(at, true);
    else fields[name] = view.getUint32(at, true);
    at += 4;
  }
  return fields;
}

/**
 * @param {DataView} view
 * @param {number} address
 * @param {StructName} struct
 * @param {Record<string, number>} fields  every field of the struct
 */
export function writeStruct(view, address, struct, fields) {
  let at = address;
  for (const [name, kind] of Object.entries(STRUCTS[struct])) {
    if (kind === 'f') view.setFloat32(at, fields[name], true);
    else if (kind === 'i') view.setInt32(at, fields[name], true);
    else view.setUint32(at, fields[name], true);
    at += 4;
  }
}

/**
 * @param {Uint8Array} memory
 * @param {number} address
 * @returns {{ name: string, reason: string }}
 */
export function readProblem(memory, address) {
  return { name: readText(memory, address, NAME_BYTES), reason: readText(memory, address + NAME_BYTES, NAME_BYTES) };
}

/**
 * A text up to its zero.
 *
 * @param {Uint8Array} memory
 * @param {number} address
 * @param {number} room  bytes
 */
function readText(memory, address, room) {
  const bytes = memory.subarray(address, address + room);
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}

// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The structs of include/nextpixel.h as they lie in wasm32 memory: fields of 32 bits in the header's order, no padding.
 */

/** Fields and their kinds, in order. u: uint32_t, size_t or a pointer; f: float. */
export const STRUCTS = Object.freeze({
  nx_part_info: Object.freeze({
    values: 'u', span: 'u', outputs: 'u', length: 'u', rewinds: 'u', inputs: 'u', maps: 'u', tables: 'u', ends: 'u', results: 'u',
    draft: 'u', parameters_low: 'u', parameters_high: 'u',
  }),
  nx_port: Object.freeze({
    name: 'u', values: 'u', 'dims[0]': 'u', 'dims[1]': 'u', 'dims[2]': 'u', 'dims[3]': 'u', optional: 'u', any_length: 'u', like: 'u',
  }),
  nx_result: Object.freeze({
    name: 'u', values: 'u', 'dims[0]': 'u', 'dims[1]': 'u', 'dims[2]': 'u', 'dims[3]': 'u', port: 'u',
  }),
  nx_map: Object.freeze({ name: 'u', port: 'u', rows: 'u', keys: 'u', queries: 'u' }),
  nx_table: Object.freeze({ name: 'u', rows: 'u', cols: 'u', data: 'u' }),
  nx_metadata: Object.freeze({
    key: 'u', key_bytes: 'u', type: 'u', item_type: 'u', count: 'u', value: 'u', value_bytes: 'u',
  }),
  nx_tensor_info: Object.freeze({ offset: 'u', rows: 'u', row_bytes: 'u' }),
  nx_candidate: Object.freeze({ parent: 'u', id: 'u', fate: 'u', nats: 'f', score: 'f' }),
  nx_shape: Object.freeze({
    length: 'u', 'counts[0]': 'u', 'counts[1]': 'u', 'counts[2]': 'u', 'counts[3]': 'u', 'counts[4]': 'u', 'counts[5]': 'u',
    'counts[6]': 'u', 'counts[7]': 'u',
  }),
  nx_settings: Object.freeze({
    seed_low: 'u', seed_high: 'u', samples: 'u', first_sample: 'u', origin: 'u',
    temperature: 'f', top_k: 'u', top_p: 'f', trace: 'u', look_ahead: 'u',
    typical_p: 'f', min_p: 'f', temperature_last: 'u', penalty_last: 'u', repetition: 'f', frequency: 'f', presence: 'f', look_up: 'u',
    biases: 'u',
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
    else view.setUint32(at, fields[name], true);
    at += 4;
  }
}

/**
 * A text that ends with a zero.
 *
 * @param {Uint8Array} memory
 * @param {number} address
 */
export function readName(memory, address) {
  return readText(memory, address, NAME_BYTES);
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
  const bytes = memory.slice(address, address + room); // browsers decode no memory that threads share
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}

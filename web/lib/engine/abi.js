// SPDX-License-Identifier: MIT
// Generated from include/nextpixel.h by node web/tools/abi.js. Edit that header, not this file.
// @ts-check

/** The structs of the C headers in wasm32 memory: 32-bit fields in order, without padding. u: uint32_t, size_t or a pointer; f: float. */
export const STRUCTS = /* @__PURE__ */ Object.freeze({
  nx_part_info: /* @__PURE__ */ Object.freeze({
    values: 'u', span: 'u', outputs: 'u', length: 'u', rewinds: 'u', inputs: 'u', maps: 'u', tables: 'u', ends: 'u', results: 'u',
    draft: 'u', grows: 'u', noisy: 'u', hidden_layers: 'u', hidden_width: 'u', parameters_low: 'u', parameters_high: 'u', name: 'u',
  }),
  nx_port: /* @__PURE__ */ Object.freeze({
    name: 'u', values: 'u', 'dims[0]': 'u', 'dims[1]': 'u', 'dims[2]': 'u', 'dims[3]': 'u', optional: 'u', any_length: 'u', like: 'u',
    noise: 'u',
  }),
  nx_result: /* @__PURE__ */ Object.freeze({
    name: 'u', values: 'u', 'dims[0]': 'u', 'dims[1]': 'u', 'dims[2]': 'u', 'dims[3]': 'u', rows: 'u', rows_of: 'u',
  }),
  nx_map: /* @__PURE__ */ Object.freeze({
    name: 'u', port: 'u', rows: 'u', keys: 'u', queries: 'u', asking: 'u',
  }),
  nx_table: /* @__PURE__ */ Object.freeze({
    name: 'u', rows: 'u', cols: 'u', data: 'u',
  }),
  nx_metadata: /* @__PURE__ */ Object.freeze({
    key: 'u', key_bytes: 'u', type: 'u', item_type: 'u', count: 'u', value: 'u', value_bytes: 'u',
  }),
  nx_tensor_info: /* @__PURE__ */ Object.freeze({
    offset: 'u', rows: 'u', row_bytes: 'u',
  }),
  nx_shape: /* @__PURE__ */ Object.freeze({
    length: 'u', 'counts[0]': 'u', 'counts[1]': 'u', 'counts[2]': 'u', 'counts[3]': 'u', 'counts[4]': 'u', 'counts[5]': 'u',
    'counts[6]': 'u', 'counts[7]': 'u', key_bits: 'u',
  }),
  nx_settings: /* @__PURE__ */ Object.freeze({
    seed_low: 'u', seed_high: 'u', samples: 'u', first_sample: 'u', origin: 'u', temperature: 'f', top_k: 'u', top_p: 'f', maps: 'u',
    look_ahead: 'u', typical_p: 'f', min_p: 'f', temperature_last: 'u', penalty_last: 'u', repetition: 'f', frequency: 'f', presence: 'f',
    look_up: 'u', biases: 'u', hidden: 'u',
  }),
  nx_candidate: /* @__PURE__ */ Object.freeze({
    parent: 'u', id: 'u', fate: 'u', nats: 'f', score: 'f',
  }),
});

export const NX_ABI_VERSION = 14;
export const NX_ALIGN = 16;
export const NX_MAX_SAMPLES = 64;
export const NX_MAX_LENGTH = 16777216;
export const NX_PORTS = 8;
export const NX_MAX_BIASES = 528384;
export const NX_MOST_BIAS = 1000000000;
export const NX_NAME_BYTES = 80;
export const NX_NONE = 4294967295;
export const NX_ENDED = 4294967294;
export const NX_CUT = 4294967295;
export const NX_MORE = 1;
export const NX_E_ARGUMENT = -1;

/** Number of 32-bit words of an nx_candidate, and the indices of two of its fields. */
export const CANDIDATE_WORDS = 5;
export const CANDIDATE_NATS = 3;
export const CANDIDATE_SCORE = 4;

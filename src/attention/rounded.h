/* SPDX-License-Identifier: MIT
 *
 * Attention over keys and values that are cached in 8 bits, for models whose weights are quantised. In attention.h's
 * terms; attention.c calls it.
 */
#ifndef NX_ROUNDED_H
#define NX_ROUNDED_H

#include "attention.h"
#include "kernels/dot.h"

uint64_t nx_rounded_cache_bytes(uint32_t slots, uint32_t heads, uint32_t key_length);
void nx_rounded_write(const nx_cache *cache, uint32_t position, const float *key, const float *value);
uint64_t nx_rounded_scratch_bytes(uint32_t window, uint32_t n_runs);
void nx_rounded_attend(float *out, const float *query, const nx_cache *cache, const nx_run *runs, uint32_t n_runs, void *scratch,
                       float *trace, uint32_t trace_stride);

/* 1 / sqrt(key_length) */
static inline float nx_score_scale(uint32_t key_length) {
    v128_t root = wasm_f32x4_sqrt(wasm_f32x4_splat((float)key_length));
    return wasm_f32x4_extract_lane(wasm_f32x4_div(wasm_f32x4_splat(1), root), 0);
}

/* Scores of the positions 4 group .. 4 group + 3, those outside the run made -infinity. */
v128_t nx_mask_group(v128_t scores, uint32_t group, nx_run run);

#endif

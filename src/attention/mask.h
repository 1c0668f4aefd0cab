/* SPDX-License-Identifier: MIT  The scale and the mask of scores. Every type of cache uses them. */
#ifndef NX_MASK_H
#define NX_MASK_H

#include "kernels/simd.h"
#include "pattern.h"

/* 1 / sqrt(key_length) */
static inline float nx_score_scale(uint32_t key_length) {
    v128_t root = wasm_f32x4_sqrt(wasm_f32x4_splat((float)key_length));
    return wasm_f32x4_extract_lane(wasm_f32x4_div(wasm_f32x4_splat(1), root), 0);
}

/* Returns the scores of four positions, from 4 * group on, with -infinity for positions outside the range. */
v128_t nx_mask_group(v128_t scores, uint32_t group, nx_range range);

#endif

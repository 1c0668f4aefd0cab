/* SPDX-License-Identifier: MIT  See mask.h. */
#include "mask.h"

v128_t nx_mask_group(v128_t scores, uint32_t group, nx_range range) {
    v128_t position = wasm_i32x4_add(wasm_i32x4_splat((int32_t)(4 * group)), wasm_i32x4_make(0, 1, 2, 3));
    v128_t inside = wasm_v128_and(wasm_u32x4_ge(position, wasm_i32x4_splat((int32_t)range.from)),
                                  wasm_u32x4_lt(position, wasm_i32x4_splat((int32_t)range.to)));
    return wasm_v128_bitselect(scores, wasm_f32x4_splat(-__builtin_inff()), inside);
}

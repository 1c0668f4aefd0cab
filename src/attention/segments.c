/* SPDX-License-Identifier: MIT  See segments.h. */
#include "attention/segments.h"

#include "kernels/elementary.h"

/* log(1 + e^x) */
NX_INLINE v128_t softplus(v128_t x) {
    v128_t tail = f32x4_exp(wasm_f32x4_neg(wasm_f32x4_abs(x)));
    return wasm_f32x4_add(wasm_f32x4_max(x, wasm_f32x4_splat(0)), f32x4_log(wasm_f32x4_add(wasm_f32x4_splat(1), tail)));
}

void nx_bits(float *p, const float *theta, uint32_t n) {
    for (uint32_t i = 0; i < n; i += 4) wasm_v128_store(p + i, f32x4_sigmoid(wasm_v128_load(theta + i)));
}

/* A step in each direction needs two softplus values, one for each value of the bit that the step reaches. One vector holds all four
 * values: two for f and two for b. */
void nx_segments(float *p, const float *theta, const float *A, uint32_t n, float *scratch) {
    const v128_t far = wasm_f32x4_make(A[3] - A[1], A[2] - A[0], A[3] - A[2], A[1] - A[0]);
    float f = theta[0], b = 0, *ahead = scratch, *behind = p;
    ahead[0] = f, behind[n - 1] = 0;
    for (uint32_t i = 1; i < n; i++) {
        float next = theta[n - i] + b;
        v128_t either = softplus(wasm_f32x4_add(wasm_f32x4_make(f, f, next, next), far));
        f = theta[i] + (A[1] - A[0] + (wasm_f32x4_extract_lane(either, 0) - wasm_f32x4_extract_lane(either, 1)));
        b = A[2] - A[0] + (wasm_f32x4_extract_lane(either, 2) - wasm_f32x4_extract_lane(either, 3));
        ahead[i] = f, behind[n - 1 - i] = b;
    }
    for (uint32_t i = 0; i < n; i += 4)
        wasm_v128_store(p + i, f32x4_sigmoid(wasm_f32x4_add(wasm_v128_load(behind + i), wasm_v128_load(ahead + i))));
}

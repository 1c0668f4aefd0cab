/* SPDX-License-Identifier: MIT
 *
 * The only file that depends on the instruction set. The code uses WebAssembly SIMD128 intrinsics. In a native build, the intrinsics come
 * from SIMDe and give the same results.
 *
 * To get equal results everywhere, the code follows these rules:
 *   - Multiplications and additions are separate operations in a fixed order, without fused multiply-add (-ffp-contract=off).
 *   - The code does not use libm.
 *   - The code does not use f32x4 min and max where NaN could occur.
 */
#ifndef NX_SIMD_H
#define NX_SIMD_H

#include <stdint.h>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>
#endif

/* Keeps the compiler from unrolling a loop whose body is already large. */
#if defined(__clang__)
#define NX_ROLLED _Pragma("clang loop unroll(disable)")
/* Unrolls a loop that needs its counter as a constant. */
#define NX_UNROLLED _Pragma("clang loop unroll(full)")
#else
#define NX_ROLLED
#define NX_UNROLLED
#endif

/* Makes clang keep a pointer in its own variable in a loop. Without this macro, clang would compute six pointers as offsets from one
 * advancing pointer, which costs one more instruction for each of them. */
#define NX_SEPARATE(pointer) __asm__("" : "+r"(pointer))

#define NX_INLINE static inline __attribute__((always_inline))

/* Prevents the inlining of long functions whose copies would cost more than the calls. */
#define NX_NOINLINE __attribute__((noinline))

/* Adds the lanes as (0 + 2) + (1 + 3). */
NX_INLINE float f32x4_sum(v128_t v) {
    v128_t pair = wasm_f32x4_add(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    return wasm_f32x4_extract_lane(pair, 0) + wasm_f32x4_extract_lane(pair, 1);
}

NX_INLINE int32_t i32x4_sum(v128_t v) {
    v128_t pair = wasm_i32x4_add(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    return wasm_i32x4_extract_lane(wasm_i32x4_add(pair, wasm_i32x4_shuffle(pair, pair, 1, 0, 3, 2)), 0);
}

/* Returns a vector whose lanes all hold the largest lane of v. */
NX_INLINE v128_t f32x4_largest(v128_t v) {
    v = wasm_f32x4_pmax(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    return wasm_f32x4_pmax(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2));
}

/* Returns the largest of four non-negative numbers. The numbers are compared as integers, so NaN is the largest. */
NX_INLINE float f32x4_largest_magnitude(v128_t v) {
    v = wasm_i32x4_max(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    return wasm_f32x4_extract_lane(wasm_i32x4_max(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2)), 0);
}

/* Copies x (n) to out. memcpy would be faster only if n were more than a few hundred. */
NX_INLINE void f32_copy(float *out, const float *x, uint32_t n) {
    for (; n >= 16; n -= 16, out += 16, x += 16)
        for (int v = 0; v < 16; v += 4) wasm_v128_store(out + v, wasm_v128_load(x + v));
    for (; n >= 4; n -= 4, out += 4, x += 4) wasm_v128_store(out, wasm_v128_load(x));
    for (; n; n--) *out++ = *x++;
}

NX_INLINE v128_t f32x4_mul_add(v128_t a, v128_t b, v128_t c) { return wasm_f32x4_add(wasm_f32x4_mul(a, b), c); }

#endif

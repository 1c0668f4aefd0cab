/* SPDX-License-Identifier: MIT
 *
 * The integer dot product of signed bytes (-128..127) and 14-bit numbers u (0..16383). dot.h describes the limits of the relaxed SIMD
 * instruction. The product is computed in two parts:
 *
 *   first = wide_dot(first, bytes, u, 0);  sum = wide_first(first);  sum = wide_dot(sum, bytes, u, 1)
 *
 * A vector of 16 bytes holds four lanes of four numbers each. Every lane is multiplied by the same four numbers u. With relaxed SIMD, each
 * part uses one of two seven-bit planes of u. With baseline SIMD, part 0 uses the bytes with odd indices, and part 1 uses the bytes with
 * even indices. Sums are exact modulo 2^32. If NX_WIDE_SUMS is 1, wide_first does nothing, and both parts may be added in any order.
 */
#ifndef NX_WIDE_H
#define NX_WIDE_H

#include "dot.h"

#define NX_WIDE_MOST 8191 /* signed numbers are -8191..8191; NX_WIDE_ZERO is added before they are stored */
#define NX_WIDE_ZERO 8192

#if defined(__wasm_relaxed_simd__)

typedef struct {
    uint8_t plane[2][4]; /* u / 128, u % 128 */
} nx_wide;

/* Stores four i32 lanes, each in 0..16383. */
NX_INLINE void wide_store(nx_wide *to, v128_t u) {
    v128_t planes = wasm_i16x8_narrow_i32x4(wasm_u32x4_shr(u, 7), wasm_v128_and(u, wasm_i32x4_splat(127)));
    wasm_v128_store64_lane(to, wasm_i8x16_narrow_i16x8(planes, planes), 0);
}

#if NX_PAIRS

#define NX_WIDE_SUMS 1

/* The sums of pairs fit, because 2 * 127 * 128 < 2^15. The widening product also multiplies part 0 by 128. */
NX_INLINE v128_t wide_dot(v128_t sum, v128_t bytes, const nx_wide *u, int part) {
    v128_t pairs = wasm_i16x8_relaxed_dot_i8x16_i7x16(bytes, wasm_v128_load32_splat(u->plane[part]));
    return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(pairs, wasm_i16x8_splat(part ? 1 : 128)));
}

NX_INLINE v128_t wide_first(v128_t sum) { return sum; }

#else

#define NX_WIDE_SUMS 2

NX_INLINE v128_t wide_dot(v128_t sum, v128_t bytes, const nx_wide *u, int part) {
    return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(bytes, wasm_v128_load32_splat(u->plane[part]), sum);
}

NX_INLINE v128_t wide_first(v128_t sum) { return wasm_i32x4_shl(sum, 7); }

#endif

#else

#define NX_WIDE_SUMS 1

typedef struct {
    int16_t pair[2][2]; /* u1 u3, u0 u2 */
} nx_wide;

NX_INLINE void wide_store(nx_wide *to, v128_t u) {
    v128_t order = wasm_i32x4_shuffle(u, u, 1, 3, 0, 2);
    wasm_v128_store64_lane(to, wasm_i16x8_narrow_i32x4(order, order), 0);
}

NX_INLINE v128_t wide_dot(v128_t sum, v128_t bytes, const nx_wide *u, int part) {
    v128_t half = wasm_i16x8_shr(part ? wasm_i16x8_shl(bytes, 8) : bytes, 8);
    return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(half, wasm_v128_load32_splat(u->pair[part])));
}

NX_INLINE v128_t wide_first(v128_t sum) { return sum; }

#endif

#endif

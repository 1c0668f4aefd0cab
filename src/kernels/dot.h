/* SPDX-License-Identifier: MIT
 *
 * The integer dot product that all quantised matrix products use. Relaxed SIMD and baseline SIMD use the same packed weights.
 *
 * Quantised weights (and cached keys and values) are bytes from 0 to 127. A byte is 64 plus a number from -64 to 63, or an unsigned number
 * of 4 or 6 bits. Quantised activations (and queries, and the weights of attention) are signed, -127..127. A vector of 16 weights holds
 * four lanes (rows, positions or channels) of four numbers each. Every lane is multiplied by the same four activations:
 *
 *   dot(sum, weights, activations)[lane] = sum[lane] + sum over i < 4 of weights[4 lane + i] activations[i]
 *
 * Relaxed SIMD has one instruction for this dot product. The specification does not define whether the second operand is signed, or whether
 * sums of pairs saturate at 16 bits. If the second operand is 0..127, neither matters, so the result is exact and the same on every
 * processor.
 *
 * Baseline SIMD has only 16-bit products. Read as 16-bit numbers, four weights are w0 + 256 w1 and w2 + 256 w3. The products use
 *   (w0 + 256 w1) a1 + w0 (256 a0 - a1) = 256 (w0 a0 + w1 a1)
 * The left side needs only w0 to be extracted, so one mask replaces two widening instructions. The sums stay 256 times too large until
 * dot_value shifts them back, which is exact. Once the zero point of the weights is subtracted, a sum over 1,024 products is below 2^31: it
 * is at most 1024 * 64 * 127 * 256.
 *
 * On some processors (x86 before AVX-VNNI), engines expand the instruction to five machine instructions. One of the five adds products in
 * pairs, in 16 bits. Another one adds the pairs by multiplying them by a vector of ones, which is loaded each time. For these engines, a
 * third build (NX_PAIRS) contains three of the five instructions directly, and sums of nibble products stay in 16 bits as long as they fit
 * (dot_pairs, up to NX_PAIRS_MOST products). Nothing saturates, so the sums equal the sums of the other builds on every machine.
 * web/lib/workers/simd.js detects these engines.
 *
 * The zero point z of the weights is subtracted once per sum, not once per weight, because sum (w - z) a = sum w a - z sum a. A sum
 * therefore begins with dot_start(z, sum a). All sums are computed modulo 2^32, because non-finite numbers are rounded to arbitrary
 * integers, whose sums may overflow.
 */
#ifndef NX_DOT_H
#define NX_DOT_H

#include "simd.h"

#define NX_WEIGHT_ZERO 64 /* a weight is stored as a byte: its number plus this constant */
#define NX_WEIGHT_MOST 63 /* numbers are rounded to -63..63, so that both signs have the same range */
#define NX_ACTIVATION_MOST 127
#ifndef NX_PAIRS
#define NX_PAIRS 0
#endif
#define NX_PAIRS_MOST 8 /* 8 * 2 * 15 * 127 < 2^15 */

/* 1 if the dot product is a single instruction, which is possible with relaxed SIMD. The product then takes half a cycle, but its addition
 * to a sum takes five cycles. Additions to the same sum therefore wait for each other, and spilling a sum to memory costs more than the
 * product. If the dot product consists of several instructions, these take most of the time. */
#if defined(__wasm_relaxed_simd__) && !NX_PAIRS
#define NX_ONE_DOT 1
#else
#define NX_ONE_DOT 0
#endif

#if defined(__wasm_relaxed_simd__)

/* Four activations, -127..127. */
typedef struct {
    int8_t number[4];
} nx_activations;

/* Stores four i32 lanes, each in -127..127, as bytes. */
NX_INLINE void activations_store(nx_activations *to, v128_t numbers) {
    v128_t words = wasm_i16x8_narrow_i32x4(numbers, numbers);
    wasm_v128_store32_lane(to, wasm_i8x16_narrow_i16x8(words, words), 0);
}

/* Stores 16 activations. */
NX_INLINE void activations_store_16(nx_activations *to, const v128_t numbers[4]) {
    v128_t first = wasm_i16x8_narrow_i32x4(numbers[0], numbers[1]), last = wasm_i16x8_narrow_i32x4(numbers[2], numbers[3]);
    wasm_v128_store(to, wasm_i8x16_narrow_i16x8(first, last));
}

NX_INLINE v128_t dot_value(v128_t sum) { return sum; }
NX_INLINE int32_t dot_first(uint32_t zero, int32_t sum) { return (int32_t)(0 - zero * (uint32_t)sum); }

#if NX_PAIRS

/* 2 * 127 * 127 < 2^15 */
NX_INLINE v128_t dot(v128_t sum, v128_t weights, const nx_activations *activations) {
    v128_t pairs = wasm_i16x8_relaxed_dot_i8x16_i7x16(wasm_v128_load32_splat(activations), weights);
    return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(pairs, wasm_i16x8_splat(1)));
}

/* Computes eight lanes of 16 bits, each with the sum of two products. */
NX_INLINE v128_t dot_pairs(v128_t sum, v128_t nibbles, const nx_activations *activations) {
    return wasm_i16x8_add(sum, wasm_i16x8_relaxed_dot_i8x16_i7x16(wasm_v128_load32_splat(activations), nibbles));
}

NX_INLINE v128_t dot_add_pairs(v128_t sum, v128_t pairs) { return wasm_i32x4_add(sum, wasm_i32x4_extadd_pairwise_i16x8(pairs)); }

#else

NX_INLINE v128_t dot(v128_t sum, v128_t weights, const nx_activations *activations) {
    return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(wasm_v128_load32_splat(activations), weights, sum);
}

#endif

#else

typedef struct {
    int16_t high[2]; /* a1, a3 */
    int16_t low[2];  /* 256 a0 - a1, 256 a2 - a3 */
} nx_activations;

NX_INLINE void activations_store(nx_activations *to, v128_t numbers) {
    v128_t high = wasm_i32x4_shuffle(numbers, numbers, 1, 3, 1, 3), even = wasm_i32x4_shuffle(numbers, numbers, 0, 2, 0, 2);
    v128_t low = wasm_i32x4_sub(wasm_i32x4_shl(even, 8), high);
    wasm_v128_store64_lane(to, wasm_i16x8_narrow_i32x4(wasm_i32x4_shuffle(high, low, 0, 1, 4, 5), high), 0);
}

NX_INLINE void activations_store_16(nx_activations *to, const v128_t numbers[4]) {
    for (int i = 0; i < 4; i++) activations_store(to + i, numbers[i]);
}

NX_INLINE v128_t dot(v128_t sum, v128_t weights, const nx_activations *activations) {
    v128_t high = wasm_i32x4_dot_i16x8(weights, wasm_v128_load32_splat(activations->high));
    v128_t low = wasm_i32x4_dot_i16x8(wasm_v128_and(weights, wasm_i16x8_splat(0xff)), wasm_v128_load32_splat(activations->low));
    return wasm_i32x4_add(sum, wasm_i32x4_add(high, low));
}

NX_INLINE v128_t dot_value(v128_t sum) { return wasm_i32x4_shr(sum, 8); }
NX_INLINE int32_t dot_first(uint32_t zero, int32_t sum) { return (int32_t)(0 - (zero * (uint32_t)sum << 8)); }

#endif

NX_INLINE v128_t dot_start(uint32_t zero, int32_t sum) { return wasm_i32x4_splat(dot_first(zero, sum)); }

#if !NX_PAIRS
NX_INLINE v128_t dot_pairs(v128_t sum, v128_t nibbles, const nx_activations *activations) { return dot(sum, nibbles, activations); }
NX_INLINE v128_t dot_add_pairs(v128_t sum, v128_t pairs) { return wasm_i32x4_add(sum, pairs); }
#endif

/* Returns the largest magnitude of n numbers, n % 4 == 0. Magnitudes are compared as integers, so NaN is the largest. The scale then
 * becomes NaN, and so does the output. The rounded integers themselves cannot represent NaN. */
NX_INLINE float largest_magnitude(const float *x, uint32_t n) {
    v128_t top = wasm_i32x4_splat(0);
    for (uint32_t i = 0; i < n; i += 4) top = wasm_i32x4_max(top, wasm_f32x4_abs(wasm_v128_load(x + i)));
    return f32x4_largest_magnitude(top);
}

/* Returns most / top, or 0 if `top` is too small to divide by; all numbers then become 0. */
NX_INLINE v128_t steps_per_unit(float most, float top) { return wasm_f32x4_splat(top > 0x1p-100f ? most / top : 0.0f); }

/* Rounds the products x * per_unit (magnitude at most 2^22) to the nearest integer, ties to even: after 1.5 * 2^23 is added, no fractional
 * bits are left. If a number is not finite, its result is arbitrary. */
NX_INLINE v128_t round_to_steps(v128_t x, v128_t per_unit) {
    v128_t sum = f32x4_mul_add(x, per_unit, wasm_f32x4_splat(0x1.8p23f));
    return wasm_i32x4_sub(sum, wasm_i32x4_splat(0x4b400000));
}

/* Rounds the n products x * per_unit to integers, and stores the integers as activations. Their magnitude must not exceed
 * NX_ACTIVATION_MOST. Returns the sum of the integers. n must be a multiple of 4. */
NX_INLINE int32_t activations_of(nx_activations *activations, const float *x, uint32_t n, v128_t per_unit) {
    v128_t total = wasm_i32x4_splat(0), numbers[4];
    uint32_t i = 0;
    for (; i + 16 <= n; i += 16, activations += 4) {
        for (int v = 0; v < 4; v++) {
            numbers[v] = round_to_steps(wasm_v128_load(x + i + 4 * v), per_unit);
            total = wasm_i32x4_add(total, numbers[v]);
        }
        activations_store_16(activations, numbers);
    }
    for (; i < n; i += 4) {
        numbers[0] = round_to_steps(wasm_v128_load(x + i), per_unit);
        total = wasm_i32x4_add(total, numbers[0]);
        activations_store(activations++, numbers[0]);
    }
    return i32x4_sum(total);
}

#endif

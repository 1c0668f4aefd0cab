/* SPDX-License-Identifier: MIT
 *
 * The integer dot product that everything quantised comes down to, in one packed form for two instruction sets.
 *
 * Stored numbers (weights, cached keys and values) are bytes 0..127: a number -64..63 plus 64, or a nibble 0..15.
 * Live numbers (activations, queries, probabilities) are signed, -127..127. A vector of 16 stored bytes holds four
 * lanes (rows, positions or channels) of four numbers each, and meets the same four live numbers in every lane:
 *
 *   dot(sum, stored, live)[lane] = sum[lane] + sum over i < 4 of stored[4 lane + i] live[i]
 *
 * Relaxed SIMD has an instruction for it. What that leaves open (how the top bit of its second operand is read, and
 * whether pairs saturate at 16 bits) cannot happen with a second operand of 0..127, so its result is exact and the same
 * on every processor.
 *
 * Baseline SIMD has 16-bit products. As 16-bit numbers the stored bytes are s0 + 256 s1 and s2 + 256 s3, so
 *   (s0 + 256 s1) l1 + s0 (256 l0 - l1) = 256 (s0 l0 + s1 l1)
 * needs one mask instead of two widenings. Its sums are 256 times as large until dot_value shifts them back, exactly;
 * without their bias they stay below 2^31 for 1,024 numbers: 1024 * 64 * 127 * 256.
 *
 * A bias of the stored numbers comes off once per sum: sum (s - z) l = sum s l - z sum l.
 */
#ifndef NX_DOT_H
#define NX_DOT_H

#include "simd.h"

#define NX_STORED_ZERO 64 /* a stored byte is the number plus this */
#define NX_STORED_MOST 63 /* numbers are rounded to -63..63, so that both signs reach equally far */
#define NX_LIVE_MOST 127

#if defined(__wasm_relaxed_simd__)

/* Four live numbers. */
typedef struct {
    int8_t number[4];
} nx_live;

/* Lanes of four i32 in -127..127. */
NX_INLINE void live_store(nx_live *to, v128_t numbers) {
    v128_t words = wasm_i16x8_narrow_i32x4(numbers, numbers);
    wasm_v128_store32_lane(to, wasm_i8x16_narrow_i16x8(words, words), 0);
}

NX_INLINE v128_t dot(v128_t sum, v128_t stored, const nx_live *live) {
    return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(wasm_v128_load32_splat(live), stored, sum);
}

NX_INLINE v128_t dot_value(v128_t sum) { return sum; }
NX_INLINE v128_t dot_start(int32_t value) { return wasm_i32x4_splat(value); }

#else

typedef struct {
    int16_t high[2]; /* l1, l3 */
    int16_t low[2];  /* 256 l0 - l1, 256 l2 - l3 */
} nx_live;

NX_INLINE void live_store(nx_live *to, v128_t numbers) {
    v128_t high = wasm_i32x4_shuffle(numbers, numbers, 1, 3, 1, 3),
           even = wasm_i32x4_shuffle(numbers, numbers, 0, 2, 0, 2);
    v128_t low = wasm_i32x4_sub(wasm_i32x4_shl(even, 8), high);
    wasm_v128_store64_lane(to, wasm_i16x8_narrow_i32x4(wasm_i32x4_shuffle(high, low, 0, 1, 4, 5), high), 0);
}

NX_INLINE v128_t dot(v128_t sum, v128_t stored, const nx_live *live) {
    v128_t high = wasm_i32x4_dot_i16x8(stored, wasm_v128_load32_splat(live->high));
    v128_t low = wasm_i32x4_dot_i16x8(wasm_v128_and(stored, wasm_i16x8_splat(0xff)), wasm_v128_load32_splat(live->low));
    return wasm_i32x4_add(sum, wasm_i32x4_add(high, low));
}

NX_INLINE v128_t dot_value(v128_t sum) { return wasm_i32x4_shr(sum, 8); }
NX_INLINE v128_t dot_start(int32_t value) { return wasm_i32x4_splat((int32_t)((uint32_t)value << 8)); }

#endif

/* The largest magnitude of n numbers, n % 4 == 0. Magnitudes are compared as integers, where not-a-number is the
 * largest: it becomes the scale and so reaches the output, for integers cannot carry it. */
NX_INLINE float largest_magnitude(const float *x, uint32_t n) {
    v128_t top = wasm_i32x4_splat(0);
    for (uint32_t i = 0; i < n; i += 4) top = wasm_i32x4_max(top, wasm_f32x4_abs(wasm_v128_load(x + i)));
    return f32x4_largest_magnitude(top);
}

/* most / top, or 0 for numbers too small to divide by, which all become 0. */
NX_INLINE v128_t steps_per_unit(float most, float top) { return wasm_f32x4_splat(top > 0x1p-100f ? most / top : 0.0f); }

/* To the nearest integer, ties to even; not-a-number becomes 0. */
NX_INLINE v128_t round_to_steps(v128_t x, v128_t per_unit) {
    return wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(wasm_f32x4_mul(x, per_unit)));
}

/* Rounds n numbers, n % 4 == 0, to live ones, their magnitudes at most NX_LIVE_MOST steps. Returns the sum of these. */
NX_INLINE int32_t live_of(nx_live *live, const float *x, uint32_t n, v128_t per_unit) {
    v128_t total = wasm_i32x4_splat(0);
    for (uint32_t i = 0; i < n; i += 4) {
        v128_t numbers = round_to_steps(wasm_v128_load(x + i), per_unit);
        total = wasm_i32x4_add(total, numbers);
        live_store(live++, numbers);
    }
    return i32x4_sum(total);
}

#endif

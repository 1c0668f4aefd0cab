/* SPDX-License-Identifier: MIT
 *
 * Loops that measure two limits of the machine for npm run bench: the speed of dot products without other work, and the speed of reading
 * memory.
 *
 * build.sh compiles this file three times: for baseline SIMD128, for relaxed SIMD, and with NX_PAIRS. With NX_PAIRS, several instructions
 * replace the single dot-product instruction of relaxed SIMD (src/kernels/dot.h). Weights are 8-bit integers. Each 32-bit lane of a vector
 * belongs to one row, so a vector holds four columns of four rows. The same four activations are loaded into every lane. The loops have no
 * scales, no tails and no bias. A real kernel has to handle all of these, so it is slower than these loops.
 */
#include <stdint.h>
#include <wasm_simd128.h>

#define EXPORT __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))

/* With relaxed SIMD, activations are 8-bit values 0..127. Otherwise, the same values are widened to 16 bits. In this benchmark, all
 * activations are zero, because multiplying zeros takes as long as multiplying other values. */
#define COLUMNS 1024

#ifdef __wasm_relaxed_simd__
typedef int8_t activation;
INLINE v128_t dot(v128_t w, const activation *x, v128_t sum) {
#ifdef NX_PAIRS
    v128_t pairs = wasm_i16x8_relaxed_dot_i8x16_i7x16(w, wasm_v128_load32_splat(x));
    return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(pairs, wasm_i16x8_splat(1)));
#else
    return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(w, wasm_v128_load32_splat(x), sum);
#endif
}
#else
typedef int16_t activation;
INLINE v128_t dot(v128_t w, const activation *x, v128_t sum) {
    v128_t low = wasm_i32x4_dot_i16x8(wasm_i16x8_extend_low_i8x16(w), wasm_v128_load32_splat(x));
    v128_t high = wasm_i32x4_dot_i16x8(wasm_i16x8_extend_high_i8x16(w), wasm_v128_load32_splat(x + 2));
    return wasm_i32x4_add(sum, wasm_i32x4_add(low, high));
}
#endif

/* The array is not static, because a compiler that sees no writes would treat the zeros as constants and remove the loads. The distance
 * between rows is not a power of two, because some first-level caches are slow at such distances. */
activation x[4][COLUMNS + 40];

/* Multiplies a tile of 16 rows (four vectors) by n columns of activations; n is a constant after inlining. Each iteration handles two
 * groups of four weights per row. If n is 1, the two groups have separate sums, because additions to only four sums would wait for each
 * other. */
INLINE v128_t tile(const int8_t *w, uint32_t bytes, uint32_t n) {
    v128_t sum[2][4][4];
    uint32_t parts = n == 1 ? 2 : 1;
    for (uint32_t part = 0; part < parts; part++)
        for (uint32_t j = 0; j < n; j++)
            for (int v = 0; v < 4; v++) sum[part][j][v] = wasm_i32x4_splat(0);
    for (uint32_t at = 0, c = 0; at < bytes; at += 128, c = (c + 8) % COLUMNS)
        for (uint32_t turn = 0; turn < 2; turn++)
            for (int v = 0; v < 4; v++) {
                v128_t weights = wasm_v128_load(w + at + 64 * turn + 16 * v);
                for (uint32_t j = 0; j < n; j++) {
                    v128_t *part = &sum[turn % parts][j][v];
                    *part = dot(weights, x[j] + c + 4 * turn, *part);
                }
            }
    v128_t total = wasm_i32x4_splat(0);
    for (uint32_t part = 0; part < parts; part++)
        for (uint32_t j = 0; j < n; j++)
            for (int v = 0; v < 4; v++) total = wasm_i32x4_add(total, sum[part][j][v]);
    return total;
}

/* Multiplies `bytes` weights (a multiple of 128) by one column, `times` times. This takes bytes * times multiply-adds. The sum is returned,
 * so the compiler cannot remove the work. */
EXPORT int32_t dot_one(const int8_t *w, uint32_t bytes, uint32_t times) {
    v128_t total = wasm_i32x4_splat(0);
    for (uint32_t i = 0; i < times; i++) total = wasm_i32x4_add(total, tile(w, bytes, 1));
    return wasm_i32x4_extract_lane(total, 0);
}

/* Multiplies the weights by four columns. Each weight is read once for all four columns. This takes bytes * times * 4 multiply-adds. */
EXPORT int32_t dot_four(const int8_t *w, uint32_t bytes, uint32_t times) {
    v128_t total = wasm_i32x4_splat(0);
    for (uint32_t i = 0; i < times; i++) total = wasm_i32x4_add(total, tile(w, bytes, 4));
    return wasm_i32x4_extract_lane(total, 0);
}

/* Reads the memory once and adds it up as 32-bit numbers. `bytes` must be a multiple of 128. */
EXPORT int32_t stream(const int8_t *memory, uint32_t bytes) {
    v128_t sum[8];
    for (int v = 0; v < 8; v++) sum[v] = wasm_i32x4_splat(0);
    for (uint32_t at = 0; at < bytes; at += 128)
        for (int v = 0; v < 8; v++) sum[v] = wasm_i32x4_add(sum[v], wasm_v128_load(memory + at + 16 * v));
    for (int v = 1; v < 8; v++) sum[0] = wasm_i32x4_add(sum[0], sum[v]);
    return wasm_i32x4_extract_lane(sum[0], 0);
}

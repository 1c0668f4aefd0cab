/* SPDX-License-Identifier: MIT  See noise.h. */
#include "noise.h"

#include <math.h>

#include "kernels/elementary.h"

/* Computes the high and the low 32 bits of the products of four 32-bit numbers with b. */
NX_INLINE void multiply(v128_t *high, v128_t *low, v128_t a, uint32_t b) {
    v128_t factor = wasm_i32x4_splat((int32_t)b);
    v128_t first = wasm_u64x2_extmul_low_u32x4(a, factor), last = wasm_u64x2_extmul_high_u32x4(a, factor);
    *low = wasm_i32x4_shuffle(first, last, 0, 2, 4, 6);
    *high = wasm_i32x4_shuffle(first, last, 1, 3, 5, 7);
}

void nx_philox(v128_t word[4], uint32_t key_low, uint32_t key_high) {
    for (int round = 0; round < 10; round++) {
        v128_t high, low, other_high, other_low;
        multiply(&high, &low, word[0], 0xD2511F53);
        multiply(&other_high, &other_low, word[2], 0xCD9E8D57);
        word[0] = wasm_v128_xor(wasm_v128_xor(other_high, word[1]), wasm_i32x4_splat((int32_t)key_low));
        word[1] = other_low;
        word[2] = wasm_v128_xor(wasm_v128_xor(high, word[3]), wasm_i32x4_splat((int32_t)key_high));
        word[3] = low;
        key_low += 0x9E3779B9;
        key_high += 0xBB67AE85;
    }
}

/* Transposes the matrix m. */
NX_INLINE void transpose(v128_t m[4]) {
    v128_t a = wasm_i32x4_shuffle(m[0], m[1], 0, 4, 1, 5), b = wasm_i32x4_shuffle(m[0], m[1], 2, 6, 3, 7);
    v128_t c = wasm_i32x4_shuffle(m[2], m[3], 0, 4, 1, 5), d = wasm_i32x4_shuffle(m[2], m[3], 2, 6, 3, 7);
    m[0] = wasm_i32x4_shuffle(a, c, 0, 1, 4, 5);
    m[1] = wasm_i32x4_shuffle(a, c, 2, 3, 6, 7);
    m[2] = wasm_i32x4_shuffle(b, d, 0, 1, 4, 5);
    m[3] = wasm_i32x4_shuffle(b, d, 2, 3, 6, 7);
}

void nx_add_gumbel(float *z, nx_noise noise, uint32_t first) {
    v128_t group = wasm_i32x4_add(wasm_i32x4_splat((int32_t)(first / 4)), wasm_i32x4_make(0, 1, 2, 3));
    v128_t word[4] = {group, wasm_i32x4_splat((int32_t)noise.position), wasm_i32x4_splat((int32_t)noise.sample),
                      wasm_i32x4_splat((int32_t)noise.stream)};
    nx_philox(word, noise.seed_low, noise.seed_high);
    transpose(word); /* each group of four values was in one lane of four vectors; now each group is one vector */
    for (int i = 0; i < 4; i++) {
        v128_t u = wasm_f32x4_convert_i32x4(wasm_u32x4_shr(word[i], 9));
        u = wasm_f32x4_mul(wasm_f32x4_add(u, wasm_f32x4_splat(0.5f)), wasm_f32x4_splat(0x1p-23f));
        v128_t gumbel = wasm_f32x4_neg(f32x4_log(wasm_f32x4_neg(f32x4_log(u))));
        wasm_v128_store(z + 4 * i, wasm_f32x4_add(wasm_v128_load(z + 4 * i), gumbel));
    }
}

/* Computes two standard normal deviates from two random words. */
static void box_muller(double z[2], uint32_t first, uint32_t second) {
    float u = ((float)(first >> 9) + 0.5f) * 0x1p-23f;
    double v = ((double)(second >> 9) + 0.5) * 0x1p-23, radius = sqrt(-2.0 * (double)f32_log(u)), sine, cosine;
    nx_f64_sincos(6.283185307179586 * v, &sine, &cosine);
    z[0] = radius * cosine;
    z[1] = radius * sine;
}

static uint32_t deviate_id(double z) {
    double at = 32768.5 + 8192 * z;
    return at < 0 ? 0 : at > 65535 ? 65535 : (uint32_t)at;
}

void nx_normals(uint32_t *ids, uint32_t n, nx_noise noise) {
    for (uint32_t at = 0; at < n; at += 16) {
        v128_t group = wasm_i32x4_add(wasm_i32x4_splat((int32_t)(at / 4)), wasm_i32x4_make(0, 1, 2, 3));
        v128_t word[4] = {group, wasm_i32x4_splat((int32_t)noise.position), wasm_i32x4_splat((int32_t)noise.sample),
                          wasm_i32x4_splat((int32_t)noise.stream)};
        nx_philox(word, noise.seed_low, noise.seed_high);
        transpose(word);
        for (uint32_t i = 0; i < 16 && at + i < n; i += 2) {
            uint32_t words[4];
            double z[2];
            wasm_v128_store(words, word[i / 4]);
            box_muller(z, words[i % 4], words[i % 4 + 1]);
            ids[at + i] = deviate_id(z[0]);
            if (at + i + 1 < n) ids[at + i + 1] = deviate_id(z[1]);
        }
    }
}

/* SPDX-License-Identifier: MIT  See noise.h. */
#include "noise.h"

#include "kernels/elementary.h"

void nx_philox(uint32_t out[4], const uint32_t counter[4], uint32_t key_low, uint32_t key_high) {
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53 * c0, b = (uint64_t)0xCD9E8D57 * c2;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ key_low;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ key_high;
        c3 = (uint32_t)a;
        key_low += 0x9E3779B9;
        key_high += 0xBB67AE85;
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

v128_t nx_gumbel(nx_noise noise, uint32_t group) {
    uint32_t word[4], counter[4] = {group, noise.position, noise.sample, 0};
    nx_philox(word, counter, noise.seed_low, noise.seed_high);
    v128_t u = wasm_f32x4_convert_i32x4(wasm_u32x4_shr(wasm_v128_load(word), 9));
    u = wasm_f32x4_mul(wasm_f32x4_add(u, wasm_f32x4_splat(0.5f)), wasm_f32x4_splat(0x1p-23f));
    return wasm_f32x4_neg(f32x4_log(wasm_f32x4_neg(f32x4_log(u))));
}

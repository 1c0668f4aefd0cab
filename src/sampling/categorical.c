/* SPDX-License-Identifier: MIT  See categorical.h. */
#include "categorical.h"

#include <string.h>

#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "nextpixel.h"

static const float minus_infinity = -__builtin_inff();

float nx_categorical_log_prob(const float *logits, uint32_t levels, uint32_t value) {
    return logits[value] - nx_log_sum_exp(logits, nx_stride(levels));
}

/* The index of the largest of V numbers, the lowest one of equals; 0 where not-a-number stands among them. */
static uint32_t argmax(const float *x, uint32_t levels) {
    v128_t top = wasm_v128_load(x);
    for (uint32_t v = 4; v < levels; v += 4) top = wasm_f32x4_pmax(top, wasm_v128_load(x + v));
    top = f32x4_largest(top);
    for (uint32_t v = 0; v < levels; v += 4) {
        uint32_t equal = wasm_i32x4_bitmask(wasm_f32x4_eq(wasm_v128_load(x + v), top));
        uint32_t at = v + (equal ? (uint32_t)__builtin_ctz(equal) : 0);
        if (equal) return at < levels ? at : 0; /* past V: all before are not-a-number */
    }
    return 0;
}

/* Sets the scaled logits z that the filter drops to -infinity. Takes the values in the order of their probability, k
 * times, then keeps the shortest beginning of that order with mass p. */
static void filter_values(float *z, uint32_t levels, nx_filter filter, float *mass) {
    uint32_t n = filter.top_k && filter.top_k < levels ? filter.top_k : levels;
    uint8_t order[NX_MAX_LEVELS];
    float total = 0, taken = 0;
    memcpy(mass, z, nx_stride(levels) * sizeof *z);
    nx_softmax(mass, nx_stride(levels));
    float remaining[NX_MAX_LEVELS];
    memcpy(remaining, z, nx_stride(levels) * sizeof *z);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = argmax(remaining, levels);
        if (remaining[v] == minus_infinity)
            n = i; /* only values of no mass are left */
        else
            order[i] = (uint8_t)v, total += mass[v], remaining[v] = minus_infinity;
    }
    uint32_t kept = n;
    if (filter.top_p < 1.0f)
        for (kept = 0; kept < n && (!kept || taken < filter.top_p * total); kept++) taken += mass[order[kept]];
    memcpy(remaining, z, levels * sizeof *z);
    for (uint32_t v = 0; v < levels; v++) z[v] = minus_infinity;
    for (uint32_t i = 0; i < kept; i++) z[order[i]] = remaining[order[i]];
}

uint32_t nx_categorical_sample(const float *logits, uint32_t levels, nx_filter filter, nx_noise noise, float *scratch) {
    uint32_t best = argmax(logits, levels), stride = nx_stride(levels);
    if (filter.temperature == 0.0f) return best;
    float *z = scratch;
    /* Relative to the best, so that the smallest temperature makes no infinity but -infinity. */
    v128_t top = wasm_f32x4_splat(logits[best]), temperature = wasm_f32x4_splat(filter.temperature);
    for (uint32_t v = 0; v < stride; v += 4)
        wasm_v128_store(z + v, wasm_f32x4_div(wasm_f32x4_sub(wasm_v128_load(logits + v), top), temperature));
    if (filter.top_k || filter.top_p < 1.0f) filter_values(z, levels, filter, scratch + stride);
    /* The likeliest value, whose z is 0, gets the least noise at worst; what not even the most noise lifts above that
     * needs none, which spares most values of a sharp distribution. */
    v128_t hopeless = wasm_f32x4_splat(NX_GUMBEL_LEAST - NX_GUMBEL_MOST);
    for (uint32_t v = 0; v < stride; v += 16) {
        v128_t largest = wasm_v128_load(z + v);
        for (int i = 4; i < 16; i += 4) largest = wasm_f32x4_pmax(largest, wasm_v128_load(z + v + i));
        if (wasm_v128_any_true(wasm_f32x4_gt(largest, hopeless))) nx_add_gumbel(z + v, noise, v);
    }
    return argmax(z, levels);
}

float nx_categorical_margin(const float *x, uint32_t levels, uint32_t best) {
    v128_t next = wasm_f32x4_splat(minus_infinity), lanes = wasm_i32x4_make(0, 1, 2, 3);
    for (uint32_t v = 0; v < levels; v += 4) {
        v128_t itself = wasm_i32x4_eq(wasm_i32x4_splat((int32_t)(best - v)), lanes);
        next =
            wasm_f32x4_pmax(next, wasm_v128_bitselect(wasm_f32x4_splat(minus_infinity), wasm_v128_load(x + v), itself));
    }
    return x[best] - wasm_f32x4_extract_lane(f32x4_largest(next), 0);
}

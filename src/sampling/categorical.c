/* SPDX-License-Identifier: MIT  See categorical.h. */
#include "categorical.h"

#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "order.h"

_Static_assert(sizeof(float) == sizeof(uint32_t), "scratch memory serves both");

static const float minus_infinity = -__builtin_inff();

float nx_categorical_log_prob(const float *logits, uint32_t values, uint32_t value) {
    return logits[value] - nx_log_sum_exp(logits, nx_stride(values));
}

/* Returns the index of the largest of V numbers: on ties, the lowest index; 0 if one of the numbers is NaN. */
NX_NOINLINE static uint32_t argmax(const float *x, uint32_t values) {
    v128_t top = wasm_v128_load(x);
    for (uint32_t v = 4; v < values; v += 4) top = wasm_f32x4_pmax(top, wasm_v128_load(x + v));
    top = f32x4_largest(top);
    for (uint32_t v = 0; v < values; v += 4) {
        uint32_t equal = wasm_i32x4_bitmask(wasm_f32x4_eq(wasm_v128_load(x + v), top));
        uint32_t at = v + (equal ? (uint32_t)__builtin_ctz(equal) : 0);
        if (equal) return at < values ? at : 0; /* the index is past V if all earlier numbers are NaN */
    }
    return 0;
}

void nx_categorical_top(const float *logits, uint32_t values, uint32_t k, uint32_t *ids, float *scratch) {
    uint32_t *heap = (uint32_t *)scratch;
    nx_heap_make(logits, heap, values);
    for (uint32_t i = 0; i < k; i++) ids[i] = nx_heap_pop(logits, heap, values - i);
}

/* Subtracts the largest number of z from all numbers, and divides the differences by T. */
static void temper(float *z, uint32_t stride, uint32_t values, float by) {
    v128_t top = wasm_f32x4_splat(z[argmax(z, values)]), temperature = wasm_f32x4_splat(by);
    for (uint32_t v = 0; v < stride; v += 4)
        wasm_v128_store(z + v, wasm_f32x4_div(wasm_f32x4_sub(wasm_v128_load(z + v), top), temperature));
}

/* Adds noise to the numbers of z, and returns the index of the largest sum. Before the call, the largest number of z must be 0. */
NX_NOINLINE static uint32_t gumbel_max(float *z, uint32_t values, nx_noise noise) {
    /* The most probable value has z = 0, so its z plus noise is at least NX_GUMBEL_LEAST. If even the largest possible noise cannot lift
     * another value above this bound, no noise is computed for that value. In a sharp distribution, this applies to most values. */
    v128_t hopeless = wasm_f32x4_splat(NX_GUMBEL_LEAST - NX_GUMBEL_MOST);
    for (uint32_t v = 0; v < values; v += 16) {
        v128_t largest = wasm_v128_load(z + v);
        for (int i = 4; i < 16; i += 4) largest = wasm_f32x4_pmax(largest, wasm_v128_load(z + v + i));
        if (wasm_v128_any_true(wasm_f32x4_gt(largest, hopeless))) nx_add_gumbel(z + v, noise, v);
    }
    return argmax(z, values);
}

uint32_t nx_categorical_draw(float *z, uint32_t values, float temperature, nx_noise noise) {
    if (temperature == 0.0f) return argmax(z, values);
    temper(z, nx_stride(values), values, temperature);
    return gumbel_max(z, values, noise);
}

uint32_t nx_categorical_sample(const float *logits, uint32_t values, const nx_settings *settings, nx_noise noise, float *scratch) {
    uint32_t best = argmax(logits, values), stride = nx_stride(values);
    int greedy = settings->temperature == 0.0f, tempered = !greedy && !(NX_TEXTS && settings->temperature_last);
    int typical = NX_TEXTS && settings->typical_p > 0;
    if (greedy && !typical) return best; /* all filters except typical_p keep the most probable value */
    float *z = scratch;
    /* The largest logit is subtracted before the division, so even the smallest temperature gives at worst -infinity, never infinity. */
    v128_t top = wasm_f32x4_splat(logits[best]), temperature = wasm_f32x4_splat(tempered ? settings->temperature : 1.0f);
    for (uint32_t v = 0; v < stride; v += 4)
        wasm_v128_store(z + v, wasm_f32x4_div(wasm_f32x4_sub(wasm_v128_load(logits + v), top), temperature));
    if (nx_filters(settings)) nx_filter_values(z, values, settings, scratch + stride, (uint32_t *)(scratch + 2 * stride));
    if (greedy) return argmax(z, values);
    if (!tempered || typical) temper(z, stride, values, tempered ? 1.0f : settings->temperature); /* the largest z may have been dropped */
    return gumbel_max(z, values, noise);
}

float nx_categorical_margin(const float *x, uint32_t values, uint32_t best) {
    v128_t next = wasm_f32x4_splat(minus_infinity), lanes = wasm_i32x4_make(0, 1, 2, 3);
    for (uint32_t v = 0; v < values; v += 4) {
        v128_t itself = wasm_i32x4_eq(wasm_i32x4_splat((int32_t)(best - v)), lanes);
        next = wasm_f32x4_pmax(next, wasm_v128_bitselect(wasm_f32x4_splat(minus_infinity), wasm_v128_load(x + v), itself));
    }
    return x[best] - wasm_f32x4_extract_lane(f32x4_largest(next), 0);
}

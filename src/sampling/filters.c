/* SPDX-License-Identifier: MIT  See filters.h. */
#include "filters.h"

#include <stddef.h>
#include <string.h>

#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "order.h"
#include "output.h"

static const float minus_infinity = -__builtin_inff();

static float sum_of(const float *x, uint32_t n) {
    v128_t sum = wasm_f32x4_splat(0);
    for (uint32_t v = 0; v < n; v += 4) sum = wasm_f32x4_add(sum, wasm_v128_load(x + v));
    return f32x4_sum(sum);
}

/* Drops all values except the first `kept` ones that were taken from the heap. */
static void drop_others(float *z, uint32_t values, const uint32_t *heap, uint32_t kept) {
    for (uint32_t i = kept; i < values; i++) z[heap[values - 1 - i]] = minus_infinity;
}

/* Applies top-k, then top-p. Top-k takes the k most probable values, or all values if k is 0. Top-p keeps the taken values in descending
 * order of probability until the kept mass is at least p times the total mass of the taken values. If all values are taken, the total mass
 * is summed in the order in which they are taken. For a large vocabulary, the total mass is summed in the order of the indices, so that
 * only the kept values need to be sorted. */
static void keep_probable(float *z, uint32_t values, uint32_t k, float p, float *mass, uint32_t *heap) {
    uint32_t n = k && k < values ? k : values, taken = 0;
    memcpy(mass, z, nx_stride(values) * sizeof *z);
    nx_softmax(mass, nx_stride(values));
    nx_heap_make(z, heap, values);
    float total = 0, sum = 0;
    if (NX_TEXTS && n == values && values > NX_MAX_LEVELS) {
        total = sum_of(mass, nx_stride(values));
        for (; taken < n && (!taken || sum < p * total); taken++) {
            if (z[heap[0]] == minus_infinity) break;
            sum += mass[nx_heap_pop(z, heap, values - taken)];
        }
        drop_others(z, values, heap, taken);
        return;
    }
    for (; taken < n; taken++) {
        if (z[heap[0]] == minus_infinity) break; /* only values without mass are left */
        total += mass[nx_heap_pop(z, heap, values - taken)];
    }
    /* heap[V - 1], heap[V - 2], ... are the values that were taken, in this order */
    uint32_t kept = taken;
    if (p < 1.0f)
        for (kept = 0; kept < taken && (!kept || sum < p * total); kept++) sum += mass[heap[values - 1 - kept]];
    drop_others(z, values, heap, kept);
}

/* Applies typical_p. Let l = ln sum e^z, so that -ln p = l - z, and let H = sum p (l - z). Keeps values in ascending order of |l - z - H|
 * until their total probability exceeds typical_p. nearness: nx_stride(V) numbers, overwritten with -|l - z - H|. */
static void keep_typical(float *z, uint32_t values, float p, float *nearness, uint32_t *heap) {
    v128_t log_sum = wasm_f32x4_splat(nx_log_sum_exp(z, nx_stride(values))), sum = wasm_f32x4_splat(0);
    v128_t dropped = wasm_f32x4_splat(minus_infinity);
    for (uint32_t v = 0; v < nx_stride(values); v += 4) {
        v128_t at = wasm_v128_load(z + v), nats = wasm_f32x4_sub(log_sum, at);
        v128_t term = wasm_f32x4_mul(f32x4_exp(wasm_f32x4_neg(nats)), nats);
        sum = wasm_f32x4_add(sum, wasm_v128_andnot(term, wasm_f32x4_eq(at, dropped))); /* 0 times infinity must be 0 */
    }
    v128_t entropy = wasm_f32x4_splat(f32x4_sum(sum));
    for (uint32_t v = 0; v < nx_stride(values); v += 4) {
        v128_t away = wasm_f32x4_sub(wasm_f32x4_sub(log_sum, wasm_v128_load(z + v)), entropy);
        wasm_v128_store(nearness + v, wasm_f32x4_neg(wasm_f32x4_abs(away)));
    }
    nx_heap_make(nearness, heap, values);
    uint32_t taken = 0;
    for (float mass = 0; taken < values && !(mass > p) && nearness[heap[0]] != minus_infinity; taken++) {
        v128_t nats = wasm_f32x4_sub(log_sum, wasm_f32x4_splat(z[nx_heap_pop(nearness, heap, values - taken)]));
        mass += wasm_f32x4_extract_lane(f32x4_exp(wasm_f32x4_neg(nats)), 0);
    }
    drop_others(z, values, heap, taken);
}

/* Applies min-p. A fraction below 2^-120 drops nothing. */
static void keep_likely(float *z, uint32_t values, float p) {
    if (p < 0x1p-120f) return;
    v128_t top = wasm_v128_load(z), least;
    for (uint32_t v = 4; v < values; v += 4) top = wasm_f32x4_pmax(top, wasm_v128_load(z + v));
    least = wasm_f32x4_add(f32x4_largest(top), wasm_f32x4_splat(f32_log(p)));
    for (uint32_t v = 0; v < values; v += 4) {
        v128_t at = wasm_v128_load(z + v);
        wasm_v128_store(z + v, wasm_v128_bitselect(wasm_f32x4_splat(minus_infinity), at, wasm_f32x4_lt(at, least)));
    }
}

/* The filters that follow top_p, in the order in which they are applied. Each filter has a setting in nx_settings from 0 to 1; 0 turns the
 * filter off. No filter ever drops the most probable value. */
static const struct {
    size_t number; /* offset of the setting in nx_settings */
    void (*keep)(float *z, uint32_t values, float number);
} later[] = {
    {offsetof(nx_settings, min_p), keep_likely},
};
enum { LATER = sizeof later / sizeof *later };

static float number_of(const nx_settings *s, uint32_t i) {
    float number;
    memcpy(&number, (const char *)s + later[i].number, sizeof number);
    return number;
}

static int is_typical(const nx_settings *s) { return NX_TEXTS && s->typical_p > 0 && s->typical_p < 1; }

int nx_filters_valid(const nx_settings *s) {
    int valid = s->top_p > 0 && s->top_p <= 1 && s->typical_p >= 0 && s->typical_p <= 1;
    if (!NX_TEXTS && s->typical_p > 0 && s->typical_p < 1) return 0;
    for (uint32_t i = 0; i < LATER; i++) valid &= number_of(s, i) >= 0 && number_of(s, i) <= (NX_TEXTS ? 1 : 0);
    return valid;
}

int nx_filters(const nx_settings *s) {
    int any = s->top_k || s->top_p < 1 || is_typical(s);
    for (uint32_t i = 0; NX_TEXTS && i < LATER; i++) any |= number_of(s, i) > 0;
    return any;
}

void nx_filter_values(float *z, uint32_t values, const nx_settings *s, float *mass, uint32_t *heap) {
    uint32_t k = s->top_k;
    if (is_typical(s)) {
        if (k) keep_probable(z, values, k, 1, mass, heap);
        keep_typical(z, values, s->typical_p, mass, heap);
        k = 0;
    }
    if (k || s->top_p < 1) keep_probable(z, values, k, s->top_p, mass, heap);
    for (uint32_t i = 0; NX_TEXTS && i < LATER; i++)
        if (number_of(s, i) > 0) later[i].keep(z, values, number_of(s, i));
}

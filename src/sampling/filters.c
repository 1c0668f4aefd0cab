/* SPDX-License-Identifier: MIT  See filters.h. */
#include "filters.h"

#include <string.h>

#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "order.h"
#include "output.h"

static const float minus_infinity = -__builtin_inff();

static int is_typical(const nx_filter *filter) { return NX_TEXTS && filter->typical_p > 0 && filter->typical_p < 1; }

int nx_filters(const nx_filter *filter) {
    return filter->top_k || filter->top_p < 1 || is_typical(filter) || (NX_TEXTS && filter->min_p > 0);
}

static float sum_of(const float *x, uint32_t n) {
    v128_t sum = wasm_f32x4_splat(0);
    for (uint32_t v = 0; v < n; v += 4) sum = wasm_f32x4_add(sum, wasm_v128_load(x + v));
    return f32x4_sum(sum);
}

/* Drops all but the `kept` values that were taken first off a heap of V. */
static void drop_others(float *z, uint32_t levels, const uint32_t *heap, uint32_t kept) {
    for (uint32_t i = kept; i < levels; i++) z[heap[levels - 1 - i]] = minus_infinity;
}

/* Top-k and top-p. Takes the values in the order of their probability, k times, then keeps the shortest beginning of that
 * order with mass p. Without k the mass of all is summed in that order too, but of many values in their own, so that only
 * those need to be put in order that are kept. */
static void keep_probable(float *z, uint32_t levels, uint32_t k, float p, float *mass, uint32_t *heap) {
    uint32_t n = k && k < levels ? k : levels, taken = 0;
    memcpy(mass, z, nx_stride(levels) * sizeof *z);
    nx_softmax(mass, nx_stride(levels));
    nx_heap_make(z, heap, levels);
    float total = 0, sum = 0;
    if (NX_TEXTS && n == levels && levels > NX_MAX_LEVELS) {
        total = sum_of(mass, nx_stride(levels));
        for (; taken < n && (!taken || sum < p * total); taken++) {
            if (z[heap[0]] == minus_infinity) break;
            sum += mass[nx_heap_pop(z, heap, levels - taken)];
        }
        drop_others(z, levels, heap, taken);
        return;
    }
    for (; taken < n; taken++) {
        if (z[heap[0]] == minus_infinity) break; /* only values of no mass are left */
        total += mass[nx_heap_pop(z, heap, levels - taken)];
    }
    /* heap[V - 1], heap[V - 2], ... are the values taken, in their order */
    uint32_t kept = taken;
    if (p < 1.0f)
        for (kept = 0; kept < taken && (!kept || sum < p * total); kept++) sum += mass[heap[levels - 1 - kept]];
    drop_others(z, levels, heap, kept);
}

/* Typical: with l = ln sum e^z, -ln p = l - z and H = sum p (l - z), takes the values in the order of |l - z - H|.
 * nearness (nx_stride(V)) overwritten: what puts them in that order. */
static void keep_typical(float *z, uint32_t levels, float p, float *nearness, uint32_t *heap) {
    v128_t log_sum = wasm_f32x4_splat(nx_log_sum_exp(z, nx_stride(levels))), sum = wasm_f32x4_splat(0);
    v128_t dropped = wasm_f32x4_splat(minus_infinity);
    for (uint32_t v = 0; v < nx_stride(levels); v += 4) {
        v128_t at = wasm_v128_load(z + v), nats = wasm_f32x4_sub(log_sum, at);
        v128_t term = wasm_f32x4_mul(f32x4_exp(wasm_f32x4_neg(nats)), nats);
        sum = wasm_f32x4_add(sum, wasm_v128_andnot(term, wasm_f32x4_eq(at, dropped))); /* 0 times infinity is 0 here */
    }
    v128_t entropy = wasm_f32x4_splat(f32x4_sum(sum));
    for (uint32_t v = 0; v < nx_stride(levels); v += 4) {
        v128_t away = wasm_f32x4_sub(wasm_f32x4_sub(log_sum, wasm_v128_load(z + v)), entropy);
        wasm_v128_store(nearness + v, wasm_f32x4_neg(wasm_f32x4_abs(away)));
    }
    nx_heap_make(nearness, heap, levels);
    uint32_t taken = 0;
    for (float mass = 0; taken < levels && !(mass > p) && nearness[heap[0]] != minus_infinity; taken++) {
        v128_t nats = wasm_f32x4_sub(log_sum, wasm_f32x4_splat(z[nx_heap_pop(nearness, heap, levels - taken)]));
        mass += wasm_f32x4_extract_lane(f32x4_exp(wasm_f32x4_neg(nats)), 0);
    }
    drop_others(z, levels, heap, taken);
}

static void keep_likely(float *z, uint32_t levels, float p) {
    v128_t top = wasm_v128_load(z), least;
    for (uint32_t v = 4; v < levels; v += 4) top = wasm_f32x4_pmax(top, wasm_v128_load(z + v));
    least = wasm_f32x4_add(f32x4_largest(top), wasm_f32x4_splat(f32_log(p)));
    for (uint32_t v = 0; v < levels; v += 4) {
        v128_t at = wasm_v128_load(z + v);
        wasm_v128_store(z + v, wasm_v128_bitselect(wasm_f32x4_splat(minus_infinity), at, wasm_f32x4_lt(at, least)));
    }
}

void nx_filter_values(float *z, uint32_t levels, const nx_filter *filter, float *mass, uint32_t *heap) {
    uint32_t k = filter->top_k;
    if (is_typical(filter)) {
        if (k) keep_probable(z, levels, k, 1, mass, heap);
        keep_typical(z, levels, filter->typical_p, mass, heap);
        k = 0;
    }
    if (k || filter->top_p < 1) keep_probable(z, levels, k, filter->top_p, mass, heap);
    if (NX_TEXTS && filter->min_p >= 0x1p-120f) keep_likely(z, levels, filter->min_p); /* below that, no mass is so little */
}

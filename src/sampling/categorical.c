/* SPDX-License-Identifier: MIT  See categorical.h. */
#include "categorical.h"

#include <string.h>

#include "kernels/elementary.h"
#include "kernels/kernels.h"

_Static_assert(sizeof(float) == sizeof(uint32_t), "scratch memory serves both");

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

/* ---- values in the order of their logits: the largest first, of equals the lowest value -------------------------------- */

/* A heap of values whose root is the first in that order. */
static int before(const float *x, uint32_t a, uint32_t b) { return x[a] > x[b] || (x[a] == x[b] && a < b); }

static void sift(const float *x, uint32_t *heap, uint32_t n, uint32_t at) {
    uint32_t moving = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(x, heap[child + 1], heap[child])) child++;
        if (!before(x, heap[child], moving)) break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

static void make_heap(const float *x, uint32_t *heap, uint32_t n) {
    for (uint32_t v = 0; v < n; v++) heap[v] = v;
    for (uint32_t at = n / 2; at-- > 0;) sift(x, heap, n, at);
}

/* Takes the root off a heap of n; it stands at heap[n - 1] afterwards. */
static uint32_t pop(const float *x, uint32_t *heap, uint32_t n) {
    uint32_t first = heap[0];
    heap[0] = heap[n - 1];
    heap[n - 1] = first;
    sift(x, heap, n - 1, 0);
    return first;
}

void nx_categorical_top(const float *logits, uint32_t levels, uint32_t k, uint32_t *values, float *scratch) {
    uint32_t *heap = (uint32_t *)scratch;
    make_heap(logits, heap, levels);
    for (uint32_t i = 0; i < k; i++) values[i] = pop(logits, heap, levels - i);
}

/* Sets the scaled logits z that the filter drops to -infinity. Takes the values in the order of their probability, k
 * times, then keeps the shortest beginning of that order with mass p. mass, heap (V) overwritten */
static void filter_values(float *z, uint32_t levels, nx_filter filter, float *mass, uint32_t *heap) {
    uint32_t n = filter.top_k && filter.top_k < levels ? filter.top_k : levels, taken = 0;
    memcpy(mass, z, nx_stride(levels) * sizeof *z);
    nx_softmax(mass, nx_stride(levels));
    make_heap(z, heap, levels);
    float total = 0, sum = 0;
    for (; taken < n; taken++) {
        if (z[heap[0]] == minus_infinity) break; /* only values of no mass are left */
        total += mass[pop(z, heap, levels - taken)];
    }
    /* heap[V - 1], heap[V - 2], ... are the values taken, in their order */
    uint32_t kept = taken;
    if (filter.top_p < 1.0f)
        for (kept = 0; kept < taken && (!kept || sum < filter.top_p * total); kept++) sum += mass[heap[levels - 1 - kept]];
    for (uint32_t i = kept; i < levels; i++) z[heap[levels - 1 - i]] = minus_infinity;
}

uint32_t nx_categorical_sample(const float *logits, uint32_t levels, nx_filter filter, nx_noise noise, float *scratch) {
    uint32_t best = argmax(logits, levels), stride = nx_stride(levels);
    if (filter.temperature == 0.0f) return best;
    float *z = scratch;
    /* Relative to the best, so that the smallest temperature makes no infinity but -infinity. */
    v128_t top = wasm_f32x4_splat(logits[best]), temperature = wasm_f32x4_splat(filter.temperature);
    for (uint32_t v = 0; v < stride; v += 4)
        wasm_v128_store(z + v, wasm_f32x4_div(wasm_f32x4_sub(wasm_v128_load(logits + v), top), temperature));
    if (filter.top_k || filter.top_p < 1.0f) filter_values(z, levels, filter, scratch + stride, (uint32_t *)(scratch + 2 * stride));
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
        next = wasm_f32x4_pmax(next, wasm_v128_bitselect(wasm_f32x4_splat(minus_infinity), wasm_v128_load(x + v), itself));
    }
    return x[best] - wasm_f32x4_extract_lane(f32x4_largest(next), 0);
}

/* SPDX-License-Identifier: MIT  See attention.h. */
#include "attention.h"

#include <string.h>

#include "kernels/simd.h"
#include "kernels/kernels.h"

uint64_t nx_cache_floats(uint32_t slots, uint32_t width) { return 2 * (uint64_t)slots * width; }

nx_cache nx_cache_at(float *memory, uint32_t slots, uint32_t width) {
    return (nx_cache){memory, memory + (size_t)slots * width, slots, width};
}

void nx_cache_write(const nx_cache *cache, uint32_t position, const float *key, const float *value) {
    size_t slot = position % cache->slots, width = cache->width;
    float *k = cache->keys + (slot & ~(size_t)3) * width + (slot & 3);
    for (size_t i = 0; i < width; i++) k[4 * i] = key[i];
    memcpy(cache->values + slot * width, value, width * sizeof *value);
}

uint64_t nx_attend_scratch_floats(uint32_t window, uint32_t n_runs) { return (uint64_t)window + 8 * (uint64_t)n_runs; }

/* weights[4 g + lane] = scaled score of the position 4 (from / 4 + g) + lane, -infinity outside the run. Returns how
 * many. */
static uint32_t scores(float *weights, const float *query, const nx_cache *cache, uint32_t key_length, uint32_t offset,
                       nx_run run) {
    uint32_t first = run.from / 4, groups = (run.to + 3) / 4 - first, slot_groups = cache->slots / 4;
    v128_t scale = wasm_f32x4_div(wasm_f32x4_splat(1), wasm_f32x4_sqrt(wasm_f32x4_splat((float)key_length)));
    v128_t minus_infinity = wasm_f32x4_splat(-__builtin_inff()), lanes = wasm_i32x4_make(0, 1, 2, 3);
    uint32_t slot_group = first % slot_groups;
    for (uint32_t g = 0; g < groups; g++) {
        const float *k = cache->keys + ((size_t)slot_group * cache->width + offset) * 4;
        v128_t even = wasm_f32x4_splat(0), odd = even; /* two sums, so that one addition need not wait for the other */
        for (uint32_t i = 0; i < key_length; i += 2) {
            even = f32x4_mul_add(wasm_v128_load(k + 4 * i), wasm_v128_load32_splat(query + i), even);
            odd = f32x4_mul_add(wasm_v128_load(k + 4 * i + 4), wasm_v128_load32_splat(query + i + 1), odd);
        }
        v128_t score = wasm_f32x4_mul(wasm_f32x4_add(even, odd), scale);
        if (g == 0 || g + 1 == groups) { /* only the ends can reach outside */
            v128_t position = wasm_i32x4_add(wasm_i32x4_splat((int32_t)(4 * (first + g))), lanes);
            v128_t inside = wasm_v128_and(wasm_u32x4_ge(position, wasm_i32x4_splat((int32_t)run.from)),
                                          wasm_u32x4_lt(position, wasm_i32x4_splat((int32_t)run.to)));
            score = wasm_v128_bitselect(score, minus_infinity, inside);
        }
        wasm_v128_store(weights + 4 * g, score);
        if (++slot_group == slot_groups) slot_group = 0;
    }
    return 4 * groups;
}

/* out (4 * vectors channels, vectors <= 4) = sum over the runs of weight * value, for the channels at `offset`. */
NX_INLINE void mix(float *out, const float *weights, const nx_cache *cache, uint32_t offset, const nx_run *runs,
                   uint32_t n_runs, uint32_t vectors) {
    v128_t sum[4];
    for (uint32_t v = 0; v < vectors; v++) sum[v] = wasm_f32x4_splat(0);
    for (uint32_t r = 0; r < n_runs; r++) {
        nx_run run = runs[r];
        const float *at = weights + run.from % 4;
        uint32_t slot = run.from % cache->slots;
        for (uint32_t j = run.from; j < run.to; j++) {
            const float *value = cache->values + (size_t)slot * cache->width + offset;
            v128_t weight = wasm_v128_load32_splat(at++);
            for (uint32_t v = 0; v < vectors; v++)
                sum[v] = f32x4_mul_add(wasm_v128_load(value + 4 * v), weight, sum[v]);
            if (++slot == cache->slots) slot = 0;
        }
        weights += 4 * ((run.to + 3) / 4 - run.from / 4);
    }
    for (uint32_t v = 0; v < vectors; v++) wasm_v128_store(out + 4 * v, sum[v]);
}

void nx_attend(float *out, const float *query, const nx_cache *cache, uint32_t heads, const nx_run *runs,
               uint32_t n_runs, float *scratch, float *trace, uint32_t trace_stride) {
    uint32_t key_length = cache->width / heads;
    for (uint32_t h = 0; h < heads; h++) {
        uint32_t offset = h * key_length, n = 0;
        for (uint32_t r = 0; r < n_runs; r++)
            n += scores(scratch + n, query + offset, cache, key_length, offset, runs[r]);
        nx_softmax(scratch, n);
        for (uint32_t r = 0, padded = 0, seen = 0; trace && r < n_runs; r++) {
            uint32_t length = runs[r].to - runs[r].from;
            memcpy(trace + (size_t)h * trace_stride + seen, scratch + padded + runs[r].from % 4,
                   length * sizeof *trace);
            seen += length;
            padded += 4 * ((runs[r].to + 3) / 4 - runs[r].from / 4);
        }
        uint32_t done = 0;
        for (; done + 16 <= key_length; done += 16)
            mix(out + offset + done, scratch, cache, offset + done, runs, n_runs, 4);
        for (; done < key_length; done += 4) mix(out + offset + done, scratch, cache, offset + done, runs, n_runs, 1);
    }
}

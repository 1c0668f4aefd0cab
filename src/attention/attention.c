/* SPDX-License-Identifier: MIT  See attention.h. Caches and attention in single precision are here; kv7.c and kv8.c have caches and
 * attention in 7 and 8 bits. */
#include "attention.h"

#include <string.h>

#include "gguf.h"
#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "kv7.h"
#include "kv8.h"
#include "mask.h"

uint64_t nx_cache_bytes(uint32_t type, uint32_t slots, uint32_t heads, uint32_t key_length) {
    if (NX_TEXTS && nx_is_kv8(type)) return nx_kv8_cache_bytes(type, slots, heads, key_length);
    if (type == NX_KV7) return nx_kv7_cache_bytes(slots, heads, key_length);
    return 2 * (uint64_t)slots * heads * key_length * sizeof(float);
}

void nx_cache_copy(const nx_cache *to, const nx_cache *from) {
    size_t floats = (size_t)from->n_kv_heads * from->key_length, all = from->slots * floats;
    if (NX_TEXTS && nx_is_kv8(from->type)) {
        nx_kv8_copy(to, from);
        return;
    }
    memcpy(to->memory, from->memory, all * sizeof(float));
    memcpy((float *)to->memory + to->slots * floats, (const float *)from->memory + all, all * sizeof(float));
}

void nx_cache_write(const nx_cache *cache, uint32_t position, const float *key, const float *value) {
    if (NX_TEXTS && nx_is_kv8(cache->type)) {
        nx_kv8_write(cache, position, key, value);
        return;
    }
    if (cache->type == NX_KV7) {
        nx_kv7_write(cache, position, key, value);
        return;
    }
    size_t slot = position % cache->slots, width = (size_t)cache->n_kv_heads * cache->key_length;
    float *keys = cache->memory, *values = keys + cache->slots * width;
    float *k = keys + (slot & ~(size_t)3) * width + (slot & 3);
    for (size_t i = 0; i < width; i++) k[4 * i] = key[i];
    memcpy(values + slot * width, value, width * sizeof *value);
}

uint64_t nx_attend_scratch_bytes(uint32_t window, uint32_t n_ranges) { /* an F32 cache needs less scratch memory than this */
    uint64_t rounded = nx_kv7_scratch_bytes(window, n_ranges), precise = NX_TEXTS ? nx_kv8_scratch_bytes(window, n_ranges) : 0;
    return rounded > precise ? rounded : precise;
}

/* Returns the number of groups of four positions that a range touches. */
static uint32_t range_groups(nx_range range) { return (range.to + 3) / 4 - range.from / 4; }

/* Computes scaled scores: weights[i] is the score of position 4 * (from / 4) + i, or -infinity outside the range. */
static void scores(float *weights, const float *query, const nx_cache *cache, uint32_t offset, nx_range range) {
    uint32_t first = range.from / 4, groups = range_groups(range), slot_groups = cache->slots / 4;
    size_t width = (size_t)cache->n_kv_heads * cache->key_length;
    v128_t scale = wasm_f32x4_splat(nx_score_scale(cache->key_length));
    uint32_t slot_group = first % slot_groups;
    for (uint32_t g = 0; g < groups; g++) {
        const float *k = (const float *)cache->memory + ((size_t)slot_group * width + offset) * 4;
        v128_t even = wasm_f32x4_splat(0), odd = even; /* two sums, so that an addition need not wait for the previous addition */
        for (uint32_t i = 0; i < cache->key_length; i += 2) {
            even = f32x4_mul_add(wasm_v128_load(k + 4 * i), wasm_v128_load32_splat(query + i), even);
            odd = f32x4_mul_add(wasm_v128_load(k + 4 * i + 4), wasm_v128_load32_splat(query + i + 1), odd);
        }
        v128_t score = wasm_f32x4_mul(wasm_f32x4_add(even, odd), scale);
        if (NX_TEXTS && cache->cap > 0) score = nx_capped(score, cache->cap);
        if (g == 0 || g + 1 == groups) score = nx_mask_group(score, first + g, range); /* all other groups are entirely inside the range */
        wasm_v128_store(weights + 4 * g, score);
        if (++slot_group == slot_groups) slot_group = 0;
    }
}

/* Computes the weighted sum of the values in the ranges. Writes 4 * `vectors` channels of the sum to `out`, beginning with channel `offset`
 * of the values. vectors: at most 4. */
NX_INLINE void mix(float *out, const float *weights, const nx_cache *cache, uint32_t offset, const nx_range *ranges, uint32_t n_ranges,
                   uint32_t vectors) {
    size_t width = (size_t)cache->n_kv_heads * cache->key_length;
    const float *values = (const float *)cache->memory + cache->slots * width + offset;
    v128_t sum[4];
    for (uint32_t v = 0; v < vectors; v++) sum[v] = wasm_f32x4_splat(0);
    for (uint32_t r = 0; r < n_ranges; r++) {
        nx_range range = ranges[r];
        const float *at = weights + range.from % 4;
        uint32_t slot = range.from % cache->slots;
        for (uint32_t j = range.from; j < range.to; j++) {
            const float *value = values + (size_t)slot * width;
            v128_t weight = wasm_v128_load32_splat(at++);
            for (uint32_t v = 0; v < vectors; v++) sum[v] = f32x4_mul_add(wasm_v128_load(value + 4 * v), weight, sum[v]);
            if (++slot == cache->slots) slot = 0;
        }
        weights += 4 * range_groups(range);
    }
    for (uint32_t v = 0; v < vectors; v++) wasm_v128_store(out + 4 * v, sum[v]);
}

/* Copies the weights of the visible positions, without the padding of the groups. */
static void copy_map(float *map, const float *weights, const nx_range *ranges, uint32_t n_ranges) {
    for (uint32_t r = 0; r < n_ranges; r++) {
        uint32_t length = ranges[r].to - ranges[r].from;
        memcpy(map, weights + ranges[r].from % 4, length * sizeof *map);
        map += length;
        weights += 4 * range_groups(ranges[r]);
    }
}

static void attend_f32(float *out, const float *query, const nx_cache *cache, uint32_t head, const nx_range *ranges, uint32_t n_ranges,
                       float *weights, float *map, uint32_t map_stride) {
    uint32_t key_length = cache->key_length, offset = head * key_length;
    for (uint32_t q = 0; q < cache->queries_per_kv; q++, out += key_length, query += key_length) {
        uint32_t n = 0, done = 0;
        for (uint32_t r = 0; r < n_ranges; r++) {
            scores(weights + n, query, cache, offset, ranges[r]);
            n += 4 * range_groups(ranges[r]);
        }
        nx_softmax(weights, n);
        if (map) copy_map(map + (size_t)q * map_stride, weights, ranges, n_ranges);
        for (; done + 16 <= key_length; done += 16) mix(out + done, weights, cache, offset + done, ranges, n_ranges, 4);
        for (; done < key_length; done += 4) mix(out + done, weights, cache, offset + done, ranges, n_ranges, 1);
    }
}

void nx_attend_head(float *out, const float *query, const nx_cache *cache, uint32_t head, const nx_range *ranges, uint32_t n_ranges,
                    void *scratch, float *map, uint32_t map_stride) {
    uint32_t first = head * cache->queries_per_kv;
    out += (size_t)first * cache->key_length;
    query += (size_t)first * cache->key_length;
    if (map) map += (size_t)first * map_stride;
    if (NX_TEXTS && nx_is_kv8(cache->type))
        nx_kv8_attend(out, query, cache, head, ranges, n_ranges, scratch, map, map_stride);
    else if (cache->type == NX_KV7)
        nx_kv7_attend(out, query, cache, head, ranges, n_ranges, scratch, map, map_stride);
    else
        attend_f32(out, query, cache, head, ranges, n_ranges, scratch, map, map_stride);
}

void nx_attend(float *out, const float *query, const nx_cache *cache, const nx_range *ranges, uint32_t n_ranges, void *scratch, float *map,
               uint32_t map_stride) {
    for (uint32_t h = 0; h < cache->n_kv_heads; h++) nx_attend_head(out, query, cache, h, ranges, n_ranges, scratch, map, map_stride);
}

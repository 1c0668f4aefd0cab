/* SPDX-License-Identifier: MIT
 *
 * Attention over keys and values of 8 bits, for models of language, whose queries and weights keep 14 bits. See tiles.h for the cache and
 * how work goes; here bytes are signed (kernels/wide.h).
 *
 * Behind the scales, a cache has key sums (H, S): 8192 times the sum of a position's key, which a query that is kept plus 8192 adds to
 * its product.
 *
 * It rounds keys and values to 8 bits, each head of each position with its own scale; the query to 14 bits; the
 * weights of the positions to 16383 steps.
 */
#include "kv8.h"

#include "kernels/wide.h"
#include "tiles.h"

#define BYTE_MOST 127.0f
#define WEIGHT_MOST 16383.0f

uint64_t nx_kv8_cache_bytes(uint32_t slots, uint32_t heads, uint32_t key_length) {
    return (uint64_t)ring_slots(slots) * heads * (2 * key_length + 3 * sizeof(float));
}

static int32_t *key_sums_of(const nx_cache *cache, uint32_t head) {
    size_t slots = ring_slots(cache->slots);
    return (int32_t *)((uint8_t *)cache->memory + 2 * slots * cache->n_kv_heads * (cache->key_length + sizeof(float))) + head * slots;
}

void nx_kv8_write(const nx_cache *cache, uint32_t position, const float *key, const float *value) {
    uint32_t slot = position % ring_slots(cache->slots), k = cache->key_length;
    for (uint32_t h = 0; h < cache->n_kv_heads; h++, key += k, value += k) {
        head_cache head = head_of(cache, h);
        int32_t sum;
        head.value_scales[slot] = store_bytes(head.values + value_byte(slot, k), value, k, 4, 16, BYTE_MOST, 0, NULL);
        head.key_scales[slot] = store_bytes(head.keys + key_byte(slot, k), key, k, 1, 4 * TILE, BYTE_MOST, 0, &sum);
        key_sums_of(cache, h)[slot] = sum * NX_WIDE_ZERO; /* at most 2^30 */
    }
}

void nx_kv8_copy(const nx_cache *to, const nx_cache *from) {
    size_t slots = ring_slots(from->slots), bytes = slots * from->key_length;
    for (uint32_t h = 0; h < from->n_kv_heads; h++) {
        head_cache t = head_of(to, h), f = head_of(from, h);
        memcpy(t.keys, f.keys, bytes);
        memcpy(t.values, f.values, bytes);
        memcpy(t.key_scales, f.key_scales, slots * sizeof *f.key_scales);
        memcpy(t.value_scales, f.value_scales, slots * sizeof *f.value_scales);
        memcpy(key_sums_of(to, h), key_sums_of(from, h), slots * sizeof(int32_t));
    }
}

/* weights[i] = score of the position TILE * (from / TILE) + i in bits (base 2), -infinity outside the range. Returns the
 * largest of them and `top`. */
NX_INLINE v128_t scores(float *weights, const nx_wide *query, float scale, const nx_cache *cache, const head_cache *head,
                        const int32_t *key_sums, nx_range range, v128_t top) {
    uint32_t first = range.from / TILE, tiles = range_tiles(range), ring_tiles = ring_slots(cache->slots) / TILE;
    uint32_t tile = first % ring_tiles, vectors = cache->key_length / 4;
    v128_t query_scale = wasm_f32x4_splat(scale);
    for (uint32_t t = 0; t < tiles; t++, weights += TILE) {
        const uint8_t *keys = head->keys + (size_t)tile * TILE * cache->key_length;
        v128_t sum[2][4];
        for (int i = 0; i < 4; i++) sum[0][i] = sum[1][i] = wasm_i32x4_splat(0);
        NX_ROLLED
        for (uint32_t c = 0; c < vectors; c++, keys += 64)
            for (int i = 0; i < 4; i++) {
                v128_t four = wasm_v128_load(keys + 16 * i);
                sum[0][i] = wide_dot(sum[0][i], four, query + c, 0);
                sum[1][i] = wide_dot(sum[1][i], four, query + c, 1);
            }
        for (int i = 0; i < 4; i++) {
            size_t slot = (size_t)tile * TILE + 4 * (size_t)i;
            v128_t product = wasm_i32x4_sub(wasm_i32x4_add(wide_first(sum[0][i]), sum[1][i]), wasm_v128_load(key_sums + slot));
            v128_t key_scale = wasm_f32x4_mul(wasm_v128_load(head->key_scales + slot), query_scale);
            int end = t == 0 || t + 1 == tiles;
            top = keep_scores(weights + 4 * i, wasm_f32x4_convert_i32x4(product), key_scale, (first + t) * (TILE / 4) + (uint32_t)i, end,
                              range, top);
        }
        if (++tile == ring_tiles) tile = 0;
    }
    return top;
}

/* The rounded weights of two tiles. */
typedef struct {
    nx_wide weight[2][TILE / 4];
    float scale;
} weight_block;

/* Scores of a range, from its first tile on, to rounded weights, whose powers are added to *sum. Returns the block after
 * the last one. */
NX_INLINE weight_block *round_weights(weight_block *to, float *weights, const nx_cache *cache, const head_cache *head, nx_range range,
                                      v128_t top, v128_t *sum) {
    uint32_t tiles = range_tiles(range), ring_tiles = ring_slots(cache->slots) / TILE, tile = range.from / TILE % ring_tiles;
    v128_t most = wasm_i32x4_splat((int32_t)WEIGHT_MOST);
    for (uint32_t t = 0; t < tiles; t += 2, weights += 2 * TILE, to++) {
        uint32_t both = t + 1 < tiles ? 2 : 1;
        float heaviest = weigh_two(weights, head, &tile, ring_tiles, t, tiles, top, sum);
        v128_t per_unit = steps_per_unit(WEIGHT_MOST, heaviest);
        to->scale = heaviest / WEIGHT_MOST;
        for (uint32_t i = 0; i < both * TILE; i += 4)
            wide_store(&to->weight[i / TILE][i % TILE / 4], wasm_v128_and(round_to_steps(wasm_v128_load(weights + i), per_unit), most));
    }
    return to;
}

/* out (4 * vectors channels, vectors <= 4) = scale * sum over the ranges of weight * value, for the vectors of channels
 * from `at`. Each block is an exact sum of integers; the blocks are added in single precision. */
NX_INLINE void mix(float *out, const weight_block *block, float scale, const nx_cache *cache, const head_cache *head, uint32_t at,
                   const nx_range *ranges, uint32_t n_ranges, uint32_t vectors) {
    uint32_t ring_tiles = ring_slots(cache->slots) / TILE, row = 4 * cache->key_length; /* bytes of four positions */
    v128_t sum[4];
    for (uint32_t v = 0; v < vectors; v++) sum[v] = wasm_f32x4_splat(0);
    for (uint32_t r = 0; r < n_ranges; r++) {
        uint32_t tiles = range_tiles(ranges[r]), tile = ranges[r].from / TILE % ring_tiles;
        for (uint32_t t = 0; t < tiles; t += 2, block++) {
            v128_t product[2][4];
            for (uint32_t v = 0; v < vectors; v++) product[0][v] = product[1][v] = wasm_i32x4_splat(0);
            for (uint32_t half = 0; half < 2 && t + half < tiles; half++) {
                const uint8_t *value = head->values + (size_t)tile * (TILE / 4) * row + 16 * at;
                NX_ROLLED
                for (uint32_t g = 0; g < TILE / 4; g++, value += row)
                    for (uint32_t v = 0; v < vectors; v++) {
                        v128_t four = wasm_v128_load(value + 16 * v);
                        product[0][v] = wide_dot(product[0][v], four, block->weight[half] + g, 0);
                        product[1][v] = wide_dot(product[1][v], four, block->weight[half] + g, 1);
                    }
                if (++tile == ring_tiles) tile = 0;
            }
            v128_t step = wasm_f32x4_splat(block->scale);
            for (uint32_t v = 0; v < vectors; v++) {
                v128_t whole = wasm_f32x4_convert_i32x4(wasm_i32x4_add(wide_first(product[0][v]), product[1][v]));
                sum[v] = f32x4_mul_add(whole, step, sum[v]);
            }
        }
    }
    for (uint32_t v = 0; v < vectors; v++) wasm_v128_store(out + 4 * v, wasm_f32x4_mul(sum[v], wasm_f32x4_splat(scale)));
}

uint64_t nx_kv8_scratch_bytes(uint32_t window, uint32_t n_ranges) { return tiles_scratch_bytes(window, n_ranges, sizeof(weight_block)); }

void nx_kv8_attend(float *out, const float *query, const nx_cache *cache, const nx_range *ranges, uint32_t n_ranges, void *scratch,
                   float *trace, uint32_t trace_stride) {
    uint32_t key_length = cache->key_length, vectors = key_length / 4, tiles = 0;
    for (uint32_t r = 0; r < n_ranges; r++) tiles += range_tiles(ranges[r]);
    float *weights = scratch;
    weight_block *blocks = (weight_block *)(weights + (size_t)tiles * TILE);
    nx_wide rounded_query[NX_MAX_KEY_LENGTH / 4];
    v128_t zero = wasm_i32x4_splat(NX_WIDE_ZERO), most = wasm_i32x4_splat(2 * NX_WIDE_ZERO - 1);
    for (uint32_t q = 0; q < cache->n_kv_heads * cache->queries_per_kv; q++, query += key_length, out += key_length) {
        head_cache head = head_of(cache, q / cache->queries_per_kv);
        float largest = largest_magnitude(query, key_length);
        v128_t per_unit = steps_per_unit(NX_WIDE_MOST, largest);
        for (uint32_t c = 0; c < key_length; c += 4)
            wide_store(rounded_query + c / 4,
                       wasm_v128_and(wasm_i32x4_add(round_to_steps(wasm_v128_load(query + c), per_unit), zero), most));
        float to_bits = nx_score_scale(key_length) * 0x1.715476p+0f; /* 1 / ln 2 */
        float scale = largest / NX_WIDE_MOST * to_bits, *at = weights;
        v128_t top = wasm_f32x4_splat(-__builtin_inff()), sum = wasm_f32x4_splat(0);
        for (uint32_t r = 0; r < n_ranges; at += TILE * range_tiles(ranges[r]), r++)
            top = scores(at, rounded_query, scale, cache, &head, key_sums_of(cache, q / cache->queries_per_kv), ranges[r], top);
        top = f32x4_largest(top);
        uint32_t traced = trace ? trace_powers(trace, weights, ranges, n_ranges, top) : 0;
        weight_block *next = blocks;
        at = weights;
        for (uint32_t r = 0; r < n_ranges; at += TILE * range_tiles(ranges[r]), r++)
            next = round_weights(next, at, cache, &head, ranges[r], top, &sum);
        float norm = 1 / f32x4_sum(sum);
        for (uint32_t i = 0; i < traced; i++) trace[i] *= norm;
        if (trace) trace += trace_stride;
        uint32_t done = 0;
        for (; done + 4 <= vectors; done += 4) mix(out + 4 * done, blocks, norm, cache, &head, done, ranges, n_ranges, 4);
        for (; done < vectors; done++) mix(out + 4 * done, blocks, norm, cache, &head, done, ranges, n_ranges, 1);
    }
}

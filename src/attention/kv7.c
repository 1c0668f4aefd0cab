/* SPDX-License-Identifier: MIT
 *
 * Attention over keys and values that are cached in 7 bits, for picture models. See tiles.h for the cache and the order of the work, and
 * kernels/dot.h for the product of bytes.
 *
 * Keys and values are rounded to 7 bits, with one scale per head and position. Queries are rounded to 8 bits, and attention weights are
 * rounded to 127 steps.
 *
 * Bottleneck. For 16 positions of a head of width 64 there are 128 products of 16 bytes, each with a load, and about 160 instructions for
 * scales, softmax and rounding. These instructions take about as long as the products: in `npm run bench -- --only ours,kernels`, attention
 * has half the throughput of a loop of dot products alone. Each vector of results has only one partial sum. With two partial sums, which
 * matmul.c uses for a single column, a 6 MB decoder was 5 % slower.
 */
#include "kv7.h"

#include "tiles.h"

uint64_t nx_kv7_cache_bytes(uint32_t slots, uint32_t heads, uint32_t key_length) {
    return 2 * (uint64_t)ring_slots(slots) * heads * (key_length + sizeof(float));
}

void nx_kv7_write(const nx_cache *cache, uint32_t position, const float *key, const float *value) {
    uint32_t slot = position % ring_slots(cache->slots), k = cache->key_length;
    for (uint32_t h = 0; h < cache->n_kv_heads; h++, key += k, value += k) {
        head_cache head = head_of(cache, h);
        head.key_scales[slot] = store_bytes(head.keys + key_byte(slot, k), key, k, 1, 4 * TILE, NX_WEIGHT_MOST, NX_WEIGHT_ZERO, NULL);
        head.value_scales[slot] = store_bytes(head.values + value_byte(slot, k), value, k, 4, 16, NX_WEIGHT_MOST, NX_WEIGHT_ZERO, NULL);
    }
}

/* Computes scores in bits (base 2): weights[i] is the score of position TILE * (from / TILE) + i, or -infinity outside the range. Returns,
 * in each lane, the maximum of `top` and these scores. */
NX_INLINE v128_t scores(float *weights, const nx_activations *query, int32_t query_sum, float scale, const nx_cache *cache,
                        const head_cache *head, nx_range range, v128_t top) {
    uint32_t first = range.from / TILE, tiles = range_tiles(range), vectors = cache->key_length / 4;
    ring_walk walk = walk_of(cache, range);
    v128_t query_scale = wasm_f32x4_splat(scale);
    for (uint32_t t = 0; t < tiles; t++, weights += TILE) {
        const uint8_t *keys = head->keys + (size_t)walk.tile * TILE * cache->key_length;
        v128_t sum[4];
        for (int i = 0; i < 4; i++) sum[i] = dot_start(NX_WEIGHT_ZERO, query_sum);
        NX_ROLLED
        for (uint32_t c = 0; c < vectors; c++, keys += 64)
            for (int i = 0; i < 4; i++) sum[i] = dot(sum[i], wasm_v128_load(keys + 16 * i), query + c);
        for (int i = 0; i < 4; i++) {
            v128_t key_scale = wasm_f32x4_mul(wasm_v128_load(head->key_scales + walk.tile * TILE + 4 * i), query_scale);
            v128_t product = wasm_f32x4_convert_i32x4(dot_value(sum[i]));
            int end = t == 0 || t + 1 == tiles;
            top = keep_scores(weights + 4 * i, product, key_scale, 0, (first + t) * (TILE / 4) + (uint32_t)i, end, range, top);
        }
        walk_on(&walk, 1);
    }
    return top;
}

/* The rounded weights of two tiles of positions. */
typedef struct {
    nx_activations activations[2][TILE / 4];
    float scale;
    int32_t sum;
} weight_block;

/* Converts the scores of a range, starting at its first tile, to rounded weights, and adds the powers 2^(score - top) to *sum. Returns a
 * pointer past the last block written. */
NX_INLINE weight_block *round_weights(weight_block *to, float *weights, const nx_cache *cache, const head_cache *head, nx_range range,
                                      v128_t top, v128_t *sum) {
    uint32_t tiles = range_tiles(range);
    ring_walk walk = walk_of(cache, range);
    for (uint32_t t = 0; t < tiles; t += 2, weights += 2 * TILE, to++) {
        uint32_t both = t + 1 < tiles ? 2 : 1;
        float most = weigh_two(weights, head, &walk, t, tiles, top, sum);
        to->scale = most / NX_ACTIVATION_MOST;
        to->sum = activations_of(to->activations[0], weights, both * TILE, steps_per_unit(NX_ACTIVATION_MOST, most));
    }
    return to;
}

/* Rounds the n numbers x to integers with one scale: x is approximately scale * integer. Returns the scale. */
static float round_activations(nx_activations *activations, int32_t *sum, const float *x, uint32_t n) {
    float top = largest_magnitude(x, n);
    *sum = activations_of(activations, x, n, steps_per_unit(NX_ACTIVATION_MOST, top));
    return top / NX_ACTIVATION_MOST;
}

/* Computes the weighted sum of the values in the ranges, times `scale`. Writes 4 * `vectors` channels of the sum to `out`, beginning with
 * channel 4 * `at` of the values. vectors: at most 4. Within a block, the sum is exact because it adds integers; the sums of the blocks are
 * added in single precision. */
NX_INLINE void mix(float *out, const weight_block *block, float scale, const nx_cache *cache, const head_cache *head, uint32_t at,
                   const nx_range *ranges, uint32_t n_ranges, uint32_t vectors) {
    uint32_t row = 4 * cache->key_length; /* size of four positions in bytes */
    v128_t sum[4];
    for (uint32_t v = 0; v < vectors; v++) sum[v] = wasm_f32x4_splat(0);
    for (uint32_t r = 0; r < n_ranges; r++) {
        uint32_t tiles = range_tiles(ranges[r]);
        ring_walk walk = walk_of(cache, ranges[r]);
        for (uint32_t t = 0; t < tiles; t += 2, block++) {
            v128_t product[4];
            for (uint32_t v = 0; v < vectors; v++) product[v] = dot_start(NX_WEIGHT_ZERO, block->sum);
            for (uint32_t half = 0; half < 2 && t + half < tiles; half++) {
                const uint8_t *value = head->values + (size_t)walk.tile * (TILE / 4) * row + 16 * at;
                NX_ROLLED
                for (uint32_t g = 0; g < TILE / 4; g++, value += row)
                    for (uint32_t v = 0; v < vectors; v++)
                        product[v] = dot(product[v], wasm_v128_load(value + 16 * v), block->activations[half] + g);
                walk_on(&walk, 1);
            }
            v128_t step = wasm_f32x4_splat(block->scale);
            for (uint32_t v = 0; v < vectors; v++) sum[v] = f32x4_mul_add(wasm_f32x4_convert_i32x4(dot_value(product[v])), step, sum[v]);
        }
    }
    for (uint32_t v = 0; v < vectors; v++) wasm_v128_store(out + 4 * v, wasm_f32x4_mul(sum[v], wasm_f32x4_splat(scale)));
}

uint64_t nx_kv7_scratch_bytes(uint32_t window, uint32_t n_ranges) { return tiles_scratch_bytes(window, n_ranges, sizeof(weight_block)); }

void nx_kv7_attend(float *out, const float *query, const nx_cache *cache, uint32_t index, const nx_range *ranges, uint32_t n_ranges,
                   void *scratch, float *map, uint32_t map_stride) {
    uint32_t key_length = cache->key_length, vectors = key_length / 4, tiles = 0;
    for (uint32_t r = 0; r < n_ranges; r++) tiles += range_tiles(ranges[r]);
    float *weights = scratch;
    weight_block *blocks = (weight_block *)(weights + (size_t)tiles * TILE);
    nx_activations rounded_query[NX_MAX_KEY_LENGTH / 4];
    head_cache head = head_of(cache, index);
    for (uint32_t q = 0; q < cache->queries_per_kv; q++, query += key_length, out += key_length) {
        int32_t query_sum;
        float to_bits = nx_score_scale(key_length) * 0x1.715476p+0f; /* 1 / ln 2 */
        float scale = round_activations(rounded_query, &query_sum, query, key_length) * to_bits, *at = weights;
        v128_t top = wasm_f32x4_splat(-__builtin_inff()), sum = wasm_f32x4_splat(0);
        for (uint32_t r = 0; r < n_ranges; at += TILE * range_tiles(ranges[r]), r++)
            top = scores(at, rounded_query, query_sum, scale, cache, &head, ranges[r], top);
        top = f32x4_largest(top);
        uint32_t mapped = map ? map_powers(map, weights, ranges, n_ranges, top) : 0;
        weight_block *next = blocks;
        at = weights;
        for (uint32_t r = 0; r < n_ranges; at += TILE * range_tiles(ranges[r]), r++)
            next = round_weights(next, at, cache, &head, ranges[r], top, &sum);
        float norm = 1 / f32x4_sum(sum);
        for (uint32_t i = 0; i < mapped; i++) map[i] *= norm;
        if (map) map += map_stride;
        uint32_t done = 0;
        for (; done + 4 <= vectors; done += 4) mix(out + 4 * done, blocks, norm, cache, &head, done, ranges, n_ranges, 4);
        switch (vectors - done) {
        case 3:
            mix(out + 4 * done, blocks, norm, cache, &head, done, ranges, n_ranges, 3);
            break;
        case 2:
            mix(out + 4 * done, blocks, norm, cache, &head, done, ranges, n_ranges, 2);
            break;
        case 1:
            mix(out + 4 * done, blocks, norm, cache, &head, done, ranges, n_ranges, 1);
            break;
        }
    }
}

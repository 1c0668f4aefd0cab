/* SPDX-License-Identifier: MIT
 *
 * Computes attention over keys and values that are cached in 8 bits, for language models. Queries and attention weights have 14 bits.
 * tiles.h describes the cache and the order of the work. The bytes of keys and values in the cache are signed (kernels/wide.h).
 *
 * In the cache, the scales are followed by key sums, shape (H, S). For each head and position, the key sum is 8192 times the sum of the
 * key's numbers. Key sums correct the products, because 8192 is added to each number of a query. In a wide cache, a second set of keys and
 * key sums comes after the first. This second set stores the rounding error of each 8-bit number, in steps that are FINE times smaller.
 *
 * Keys and values are rounded to 8 bits (keys of a wide cache to 16), with one scale per head and position. Queries are rounded to 14 bits,
 * and attention weights are rounded to 16383 steps.
 *
 * Bottleneck. For a head of width k, one position takes k multiply-adds for its score and k for its value. The 14-bit factor of each
 * multiply-add is split into two planes of seven bits. This makes 4 k products of bytes, or k / 4 instructions with 16 products each. Loads
 * and splats take 3 k / 16 instructions. The exponential, the rounding and the sums take about 15 instructions. At position 2,000 (k = 64,
 * V8, relaxed SIMD), computing the scores takes a third of the time, summing the values takes another third, and the steps in between take
 * a quarter. A multiply-add of attention therefore takes about as long as a multiply-add with 8-bit weights in blocks.c. The positions of a
 * prompt are computed together. This is faster than one token at a time for only one reason: the keys and values of a head stay in the
 * processor's cache. For the shape of SmolLM2 (135 M), a prompt of 4,000 tokens takes 12.2 times as many multiply-adds as a prompt of 500.
 */
#include "kv8.h"

#include "kernels/wide.h"
#include "tiles.h"

#define BYTE_MOST 127.0f
#define WEIGHT_MOST 16383.0f
#define BITS 0x1.715476p+0f /* bits per nat: 1 / ln 2 */
#define FINE 254.0f         /* the remainder is at most half a step, which is -127..127 finer steps */

uint64_t nx_kv8_cache_bytes(uint32_t type, uint32_t slots, uint32_t heads, uint32_t key_length) {
    uint64_t bytes = 2 * key_length + 3 * sizeof(float);
    if (type == NX_KV8_WIDE) bytes += key_length + sizeof(int32_t);
    return ring_slots(slots) * heads * bytes;
}

static int32_t *key_sums_of(const nx_cache *cache, uint32_t head) {
    size_t slots = ring_slots(cache->slots);
    return (int32_t *)((uint8_t *)cache->memory + 2 * slots * cache->n_kv_heads * (cache->key_length + sizeof(float))) + head * slots;
}

/* The first function returns the finer bytes of a head's keys in a wide cache; the second function returns the sums of these bytes. */
static uint8_t *fine_keys_of(const nx_cache *cache, uint32_t head) {
    return (uint8_t *)(key_sums_of(cache, 0) + (size_t)ring_slots(cache->slots) * cache->n_kv_heads) +
           (size_t)head * ring_slots(cache->slots) * cache->key_length;
}
static int32_t *fine_sums_of(const nx_cache *cache, uint32_t head) {
    return (int32_t *)fine_keys_of(cache, cache->n_kv_heads) + (size_t)head * ring_slots(cache->slots);
}

/* Subtracts `scale` times the bytes at `coarse` from the n numbers of a key, and stores the remainders. Returns the sum of the finer
 * bytes. */
static int32_t store_fine(uint8_t *fine, const uint8_t *coarse, const float *x, uint32_t n, float scale) {
    v128_t step = wasm_f32x4_splat(scale), per_unit = steps_per_unit(FINE, scale), most = wasm_i32x4_splat((int32_t)BYTE_MOST);
    int32_t total = 0;
    for (uint32_t c = 0; c < n; c += 4, coarse += 4 * TILE, fine += 4 * TILE) {
        v128_t bytes = wasm_i32x4_make((int8_t)coarse[0], (int8_t)coarse[1], (int8_t)coarse[2], (int8_t)coarse[3]);
        v128_t left = wasm_f32x4_sub(wasm_v128_load(x + c), wasm_f32x4_mul(wasm_f32x4_convert_i32x4(bytes), step));
        v128_t steps = wasm_i32x4_max(wasm_i32x4_min(round_to_steps(left, per_unit), most), wasm_i32x4_neg(most));
        int32_t four[4];
        wasm_v128_store(four, steps);
        for (uint32_t i = 0; i < 4; i++) {
            fine[i] = (uint8_t)four[i];
            total += four[i];
        }
    }
    return total;
}

void nx_kv8_write(const nx_cache *cache, uint32_t position, const float *key, const float *value) {
    uint32_t slot = position % ring_slots(cache->slots), k = cache->key_length;
    for (uint32_t h = 0; h < cache->n_kv_heads; h++, key += k, value += k) {
        head_cache head = head_of(cache, h);
        int32_t sum;
        head.value_scales[slot] = store_bytes(head.values + value_byte(slot, k), value, k, 4, 16, BYTE_MOST, 0, NULL);
        head.key_scales[slot] = store_bytes(head.keys + key_byte(slot, k), key, k, 1, 4 * TILE, BYTE_MOST, 0, &sum);
        key_sums_of(cache, h)[slot] = sum * NX_WIDE_ZERO; /* the magnitude is at most 2^30 */
        if (cache->type != NX_KV8_WIDE) continue;
        size_t at = key_byte(slot, k);
        fine_sums_of(cache, h)[slot] =
            store_fine(fine_keys_of(cache, h) + at, head.keys + at, key, k, head.key_scales[slot]) * NX_WIDE_ZERO;
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
        if (from->type != NX_KV8_WIDE) continue;
        memcpy(fine_keys_of(to, h), fine_keys_of(from, h), bytes);
        memcpy(fine_sums_of(to, h), fine_sums_of(from, h), slots * sizeof(int32_t));
    }
}

/* Computes product[i] from vector i of each of n groups: every lane multiplies its four bytes by the four numbers of the group, and adds
 * the products. The four vectors of a group are contiguous, and the groups are `step` bytes apart. All sums are exact. The function is not
 * inlined, so its sums and loads can use all registers. Keeping even one sum in memory costs a third of the loop's time. */
static NX_NOINLINE void products(v128_t product[4], const uint8_t *bytes, uint32_t step, const nx_wide *numbers, uint32_t n) {
    v128_t sum[2][4];
    for (int i = 0; i < 4; i++) sum[0][i] = sum[1][i] = wasm_i32x4_splat(0);
    NX_ROLLED
    for (; n; n--, bytes += step, numbers++)
        for (int i = 0; i < 4; i++) {
            v128_t four = wasm_v128_load(bytes + 16 * i);
            sum[0][i] = wide_dot(sum[0][i], four, numbers, 0);
            sum[1][i] = wide_dot(sum[1][i], four, numbers, 1);
        }
    for (int i = 0; i < 4; i++) product[i] = wasm_i32x4_add(wide_first(sum[0][i]), sum[1][i]);
}

/* Computes product[i] = query . key for the positions 4 i..4 i + 3 of a tile, in units of the rounding steps. */
NX_INLINE void key_products(v128_t product[4], const nx_wide *query, const uint8_t *keys, const int32_t *key_sums, uint32_t vectors) {
    products(product, keys, 4 * TILE, query, vectors);
    for (int i = 0; i < 4; i++) product[i] = wasm_f32x4_convert_i32x4(wasm_i32x4_sub(product[i], wasm_v128_load(key_sums + 4 * i)));
}

/* The bytes and key sums of one head. Item 0 is for the rounded keys. In a wide cache, item 1 is for the rounding errors of the keys. */
typedef struct {
    const uint8_t *bytes[2];
    const int32_t *sums[2];
} head_keys;

/* Computes scores in bits (base 2): weights[i] is the score of position TILE * (from / TILE) + i, or -infinity outside the range. Returns,
 * in each lane, the maximum of `top` and these scores. */
NX_INLINE v128_t scores(float *weights, const nx_wide *query, float scale, const nx_cache *cache, const head_cache *head,
                        const head_keys *keys, int wide, nx_range range, v128_t top) {
    uint32_t first = range.from / TILE, tiles = range_tiles(range), vectors = cache->key_length / 4;
    ring_walk walk = walk_of(cache, range);
    v128_t query_scale = wasm_f32x4_splat(scale);
    float cap = cache->cap * BITS;
    for (uint32_t t = 0; t < tiles; t++, weights += TILE) {
        size_t slot = (size_t)walk.tile * TILE;
        v128_t product[4], finer[4];
        key_products(product, query, keys->bytes[0] + slot * cache->key_length, keys->sums[0] + slot, vectors);
        if (wide) key_products(finer, query, keys->bytes[1] + slot * cache->key_length, keys->sums[1] + slot, vectors);
        for (int i = 0; i < 4; i++) {
            if (wide) product[i] = wasm_f32x4_add(product[i], wasm_f32x4_mul(finer[i], wasm_f32x4_splat(1 / FINE)));
            v128_t key_scale = wasm_f32x4_mul(wasm_v128_load(head->key_scales + slot + 4 * i), query_scale);
            int end = t == 0 || t + 1 == tiles;
            top = keep_scores(weights + 4 * i, product[i], key_scale, cap, (first + t) * (TILE / 4) + (uint32_t)i, end, range, top);
        }
        walk_on(&walk, 1);
    }
    return top;
}

/* The rounded weights of two tiles of positions. */
typedef struct {
    nx_wide weight[2][TILE / 4];
    float scale;
} weight_block;

/* Converts the scores of a range, starting at its first tile, to rounded weights, and adds the powers 2^(score - top) to *sum. Returns a
 * pointer past the last block written. */
NX_INLINE weight_block *round_weights(weight_block *to, float *weights, const nx_cache *cache, const head_cache *head, nx_range range,
                                      v128_t top, v128_t *sum) {
    uint32_t tiles = range_tiles(range);
    ring_walk walk = walk_of(cache, range);
    v128_t most = wasm_i32x4_splat((int32_t)WEIGHT_MOST);
    for (uint32_t t = 0; t < tiles; t += 2, weights += 2 * TILE, to++) {
        uint32_t both = t + 1 < tiles ? 2 : 1;
        float heaviest = weigh_two(weights, head, &walk, t, tiles, top, sum);
        v128_t per_unit = steps_per_unit(WEIGHT_MOST, heaviest);
        to->scale = heaviest / WEIGHT_MOST;
        for (uint32_t i = 0; i < both * TILE; i += 4)
            wide_store(&to->weight[i / TILE][i % TILE / 4], wasm_v128_and(round_to_steps(wasm_v128_load(weights + i), per_unit), most));
    }
    return to;
}

/* Computes the weighted sum of the values in the ranges, times `scale`. Writes 4 * `vectors` channels of the sum to `out`, beginning with
 * channel 4 * `at` of the values. vectors: at most 4. Within a block, the sum is exact because it adds integers; the sums of the blocks are
 * added in single precision. Four vectors are always read, which is safe because the scales follow the values. */
NX_INLINE void mix(float *out, const weight_block *block, float scale, const nx_cache *cache, const head_cache *head, uint32_t at,
                   const nx_range *ranges, uint32_t n_ranges, uint32_t vectors) {
    uint32_t row = 4 * cache->key_length; /* size of four positions in bytes */
    const uint8_t *values = head->values + 16 * at;
    v128_t sum[4];
    for (uint32_t v = 0; v < 4; v++) sum[v] = wasm_f32x4_splat(0);
    for (uint32_t r = 0; r < n_ranges; r++) {
        uint32_t tiles = range_tiles(ranges[r]);
        ring_walk walk = walk_of(cache, ranges[r]);
        for (uint32_t t = 0; t < tiles; t += 2, block++) {
            uint32_t both = t + 1 < tiles ? 2 : 1, together = walk.tile + both <= walk.ring ? both : 1;
            v128_t product[4], rest[4], step = wasm_f32x4_splat(block->scale);
            products(product, values + (size_t)walk.tile * (TILE / 4) * row, row, block->weight[0], together * (TILE / 4));
            if (together < both) { /* the ring wraps around between the two tiles */
                products(rest, values, row, block->weight[1], TILE / 4);
                for (uint32_t v = 0; v < 4; v++) product[v] = wasm_i32x4_add(product[v], rest[v]);
            }
            walk_on(&walk, both);
            for (uint32_t v = 0; v < 4; v++) sum[v] = f32x4_mul_add(wasm_f32x4_convert_i32x4(product[v]), step, sum[v]);
        }
    }
    for (uint32_t v = 0; v < vectors; v++) wasm_v128_store(out + 4 * v, wasm_f32x4_mul(sum[v], wasm_f32x4_splat(scale)));
}

uint64_t nx_kv8_scratch_bytes(uint32_t window, uint32_t n_ranges) { return tiles_scratch_bytes(window, n_ranges, sizeof(weight_block)); }

void nx_kv8_attend(float *out, const float *query, const nx_cache *cache, uint32_t index, const nx_range *ranges, uint32_t n_ranges,
                   void *scratch, float *map, uint32_t map_stride) {
    uint32_t key_length = cache->key_length, vectors = key_length / 4, tiles = 0;
    for (uint32_t r = 0; r < n_ranges; r++) tiles += range_tiles(ranges[r]);
    float *weights = scratch;
    weight_block *blocks = (weight_block *)(weights + (size_t)tiles * TILE);
    nx_wide rounded_query[NX_MAX_KEY_LENGTH / 4];
    v128_t zero = wasm_i32x4_splat(NX_WIDE_ZERO), most = wasm_i32x4_splat(2 * NX_WIDE_ZERO - 1);
    int wide = cache->type == NX_KV8_WIDE;
    head_cache head = head_of(cache, index);
    head_keys keys = {{head.keys, wide ? fine_keys_of(cache, index) : NULL},
                      {key_sums_of(cache, index), wide ? fine_sums_of(cache, index) : NULL}};
    for (uint32_t q = 0; q < cache->queries_per_kv; q++, query += key_length, out += key_length) {
        float largest = largest_magnitude(query, key_length);
        v128_t per_unit = steps_per_unit(NX_WIDE_MOST, largest);
        for (uint32_t c = 0; c < key_length; c += 4)
            wide_store(rounded_query + c / 4,
                       wasm_v128_and(wasm_i32x4_add(round_to_steps(wasm_v128_load(query + c), per_unit), zero), most));
        float to_bits = nx_score_scale(key_length) * BITS;
        float scale = largest / NX_WIDE_MOST * to_bits, *at = weights;
        v128_t top = wasm_f32x4_splat(-__builtin_inff()), sum = wasm_f32x4_splat(0);
        for (uint32_t r = 0; r < n_ranges; at += TILE * range_tiles(ranges[r]), r++)
            top = wide ? scores(at, rounded_query, scale, cache, &head, &keys, 1, ranges[r], top)
                       : scores(at, rounded_query, scale, cache, &head, &keys, 0, ranges[r], top);
        top = f32x4_largest(top);
        uint32_t mapped = map ? map_powers(map, weights, ranges, n_ranges, top) : 0;
        weight_block *next = blocks;
        at = weights;
        for (uint32_t r = 0; r < n_ranges; at += TILE * range_tiles(ranges[r]), r++)
            next = round_weights(next, at, cache, &head, ranges[r], top, &sum);
        float norm = 1 / f32x4_sum(sum);
        for (uint32_t i = 0; i < mapped; i++) map[i] *= norm;
        if (map) map += map_stride;
        for (uint32_t done = 0; done < vectors; done += 4)
            mix(out + 4 * done, blocks, norm, cache, &head, done, ranges, n_ranges, vectors - done < 4 ? vectors - done : 4);
    }
}

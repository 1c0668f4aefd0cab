/* SPDX-License-Identifier: MIT
 *
 * Code shared by the attention over 7-bit keys and values (kv7.c) and the attention over 8-bit keys and values (kv8.c): a cache of bytes,
 * and the order in which this cache is read.
 *
 * A cache of S slots (a multiple of 16) and H heads of width k consists of bytes followed by scales:
 *   keys                       shape (H, S/16, k/4, 4), vectors of 4 positions x 4 channels; a lane of a product is a position
 *   values                     shape (H, S/4, k/4), vectors of 4 channels x 4 positions; a lane of a product is a channel
 *   key scales, value scales   shape (H, S): for each position, the scale of its largest number in this head
 *
 * The functions work on tiles of 16 positions. Positions of a tile that the query does not see have the score -infinity and the weight 0.
 * The weights of the positions are multiplied by the scales of the values. The products are then rounded, with one scale for every two
 * tiles of a range.
 */
#ifndef NX_TILES_H
#define NX_TILES_H

#include <string.h>

#include "cache.h"
#include "kernels/dot.h"
#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "mask.h"

#define TILE 16 /* positions per tile */

static inline uint32_t ring_slots(uint32_t slots) { return (slots + TILE - 1) & ~(uint32_t)(TILE - 1); }
static inline uint32_t range_tiles(nx_range range) { return (range.to + TILE - 1) / TILE - range.from / TILE; }

/* A walk over the tiles of a range in the ring, where `tile` is the current tile. */
typedef struct {
    uint32_t tile, ring; /* ring: number of tiles in the cache */
} ring_walk;

NX_INLINE ring_walk walk_of(const nx_cache *cache, nx_range range) {
    uint32_t ring = ring_slots(cache->slots) / TILE;
    return (ring_walk){range.from / TILE % ring, ring};
}

/* Advances by n tiles; n must be at most the number of tiles in the ring. */
NX_INLINE void walk_on(ring_walk *walk, uint32_t n) {
    for (walk->tile += n; walk->tile >= walk->ring;) walk->tile -= walk->ring;
}

/* The bytes and scales of the keys and values of one head. key_byte and value_byte return the offset at which a slot begins. */
typedef struct {
    uint8_t *keys, *values;
    float *key_scales, *value_scales; /* shape (S) */
} head_cache;

static inline head_cache head_of(const nx_cache *cache, uint32_t head) {
    size_t slots = ring_slots(cache->slots), per_head = slots * cache->key_length, all = per_head * cache->n_kv_heads;
    uint8_t *keys = cache->memory;
    float *scales = (float *)(keys + 2 * all);
    return (head_cache){keys + head * per_head, keys + all + head * per_head, scales + head * slots,
                        scales + (cache->n_kv_heads + head) * slots};
}

static inline size_t key_byte(uint32_t slot, uint32_t k) { return (size_t)(slot - slot % TILE) * k + 4 * (slot % TILE); }
static inline size_t value_byte(uint32_t slot, uint32_t k) { return (size_t)(slot & ~3u) * k + slot % 4; }

/* Rounds n numbers to integers from -most to most, adds `zero` to each integer, and stores the results as bytes. The first four bytes are
 * stored at `to`, to + step, to + 2 step and to + 3 step. Each further group of four starts `next` bytes after the previous group. Returns
 * the scale. Writes the sum of the signed bytes to *sum, unless `sum` is null. */
NX_INLINE float store_bytes(uint8_t *to, const float *x, uint32_t n, uint32_t step, uint32_t next, float most, int32_t zero, int32_t *sum) {
    float top = largest_magnitude(x, n);
    v128_t per_unit = steps_per_unit(most, top);
    int32_t total = 0;
    for (uint32_t c = 0; c < n; c += 4, to += next) {
        int32_t four[4];
        wasm_v128_store(four, wasm_i32x4_add(round_to_steps(wasm_v128_load(x + c), per_unit), wasm_i32x4_splat(zero)));
        for (uint32_t i = 0; i < 4; i++) {
            to[step * i] = (uint8_t)four[i];
            total += (int8_t)to[step * i];
        }
    }
    if (sum) *sum = total;
    return top / most;
}

/* Stores the scores of four positions, the first of which is 4 * group. A score is product times scale, in bits (base 2); it is capped if
 * `cap` is not 0, and it is -infinity outside the range. end: 1 if some of the positions may be outside the range. Returns, in each lane,
 * the maximum of `top` and these scores. */
NX_INLINE v128_t keep_scores(float *scores, v128_t product, v128_t scale, float cap, uint32_t group, int end, nx_range range, v128_t top) {
    v128_t score = wasm_f32x4_mul(product, scale);
    if (cap > 0) score = nx_capped(score, cap);
    if (end) score = nx_mask_group(score, group, range);
    wasm_v128_store(scores, score);
    return wasm_f32x4_pmax(top, score); /* pmax ignores NaN, which appears again in the exponentials */
}

/* Computes the weights of one tile, 2^(score - top) times the scale of the position's value. Adds the powers 2^(score - top) to *sum. In
 * each lane, *largest becomes the largest weight so far; the comparison treats the bits of the weights as integers. end: 1 if some
 * positions of the tile may be invisible. */
NX_INLINE void weigh(float *weights, const float *scales, v128_t top, int end, v128_t *sum, v128_t *largest) {
    for (int i = 0; i < TILE; i += 4) {
        v128_t score = wasm_v128_load(weights + i), power = f32x4_exp2_coarse(wasm_f32x4_sub(score, top));
        v128_t weight = wasm_f32x4_mul(power, wasm_v128_load(scales + i));
        if (end) { /* an invisible slot may hold any value, so its weight must become 0 */
            v128_t visible = wasm_f32x4_ne(score, wasm_f32x4_splat(-__builtin_inff()));
            power = wasm_v128_and(power, visible);
            weight = wasm_v128_and(weight, visible);
        }
        *sum = wasm_f32x4_add(*sum, power);
        wasm_v128_store(weights + i, weight);
        *largest = wasm_i32x4_max(*largest, wasm_f32x4_abs(weight));
    }
}

/* Computes the weights of tile t and tile t + 1 (if it exists) in a range of `tiles` tiles. `walk` is at tile t. Returns the largest
 * weight. */
NX_INLINE float weigh_two(float *weights, const head_cache *head, ring_walk *walk, uint32_t t, uint32_t tiles, v128_t top, v128_t *sum) {
    v128_t largest = wasm_i32x4_splat(0);
    for (uint32_t half = 0; half < 2 && t + half < tiles; half++) {
        int end = t + half == 0 || t + half + 1 == tiles;
        weigh(weights + half * TILE, head->value_scales + walk->tile * TILE, top, end, sum, &largest);
        walk_on(walk, 1);
    }
    return f32x4_largest_magnitude(largest);
}

/* Returns the size in bytes of the scratch memory that attention needs for n_ranges ranges with `window` positions in total. The scratch
 * memory holds the weights of all tiles that the ranges can touch, and block_bytes bytes for every two tiles. */
static inline uint64_t tiles_scratch_bytes(uint32_t window, uint32_t n_ranges, size_t block_bytes) {
    uint64_t tiles = window / TILE + 2 * (uint64_t)n_ranges;
    return tiles * TILE * sizeof(float) + (tiles / 2 + n_ranges) * block_bytes;
}

/* Computes 2^(score - top) for the visible positions. Call this function before weigh_two() replaces the scores with weights. The caller
 * still has to multiply the map by a common factor. Returns the number of visible positions. */
static inline uint32_t map_powers(float *map, const float *scores, const nx_range *ranges, uint32_t n_ranges, v128_t top) {
    uint32_t n = 0;
    for (uint32_t r = 0; r < n_ranges; scores += TILE * range_tiles(ranges[r]), r++)
        for (uint32_t i = ranges[r].from; i < ranges[r].to; i++) {
            v128_t score = wasm_f32x4_splat(scores[i - ranges[r].from / TILE * TILE]);
            map[n++] = wasm_f32x4_extract_lane(f32x4_exp2_coarse(wasm_f32x4_sub(score, top)), 0);
        }
    return n;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * Attention over 8-bit keys and values. See rounded.h, and kernels/dot.h for stored and live numbers.
 *
 * A cache, of S slots (a multiple of 16), H heads of width k:
 *   keys (H, S/16, k/4, 4) vectors of 4 positions x 4 channels: a lane of a product is a position
 *   values (H, S/4, k/4) vectors of 4 channels x 4 positions: a lane of a product is a channel
 *   key scales, value scales (H, S): of each position
 * Work goes by tiles of 16 positions; what of a tile is not visible has the score -infinity and the weight 0.
 *
 * What is rounded: keys and values to 7 bits, each head of each position with its own scale; the query to 8 bits; the
 * weights of the positions, already times the scales of the values, to 127 steps, each two tiles of a run with their
 * own scale.
 */
#include "rounded.h"

#include <string.h>

#include "kernels/elementary.h"
#include "kernels/kernels.h"

#define TILE 16 /* positions */

static uint32_t ring_slots(uint32_t slots) { return (slots + TILE - 1) & ~(uint32_t)(TILE - 1); }
static uint32_t run_tiles(nx_run run) { return (run.to + TILE - 1) / TILE - run.from / TILE; }

typedef struct {
    uint8_t *keys, *values;           /* of one head */
    float *key_scales, *value_scales; /* (S) of one head */
} head_cache;

uint64_t nx_rounded_cache_bytes(uint32_t slots, uint32_t heads, uint32_t key_length) {
    return 2 * (uint64_t)ring_slots(slots) * heads * (key_length + sizeof(float));
}

static head_cache head_of(const nx_cache *cache, uint32_t head) {
    size_t slots = ring_slots(cache->slots), per_head = slots * cache->key_length, all = per_head * cache->heads;
    uint8_t *keys = cache->memory;
    float *scales = (float *)(keys + 2 * all);
    return (head_cache){keys + head * per_head, keys + all + head * per_head, scales + head * slots,
                        scales + (cache->heads + head) * slots};
}

/* Rounds n numbers; four go to the bytes at `to`, `step` bytes apart, the next four `next` bytes further on. */
NX_INLINE float store_rounded(uint8_t *to, const float *x, uint32_t n, uint32_t step, uint32_t next) {
    float top = largest_magnitude(x, n);
    v128_t per_unit = steps_per_unit(NX_STORED_MOST, top), zero = wasm_i32x4_splat(NX_STORED_ZERO);
    for (uint32_t c = 0; c < n; c += 4, to += next) {
        int32_t four[4];
        wasm_v128_store(four, wasm_i32x4_add(round_to_steps(wasm_v128_load(x + c), per_unit), zero));
        for (uint32_t i = 0; i < 4; i++) to[step * i] = (uint8_t)four[i];
    }
    return top / NX_STORED_MOST;
}

void nx_rounded_write(const nx_cache *cache, uint32_t position, const float *key, const float *value) {
    uint32_t slot = position % ring_slots(cache->slots), k = cache->key_length, in_tile = slot % TILE;
    size_t key_at = (size_t)(slot - in_tile) * k + 4 * in_tile, value_at = (size_t)(slot & ~3u) * k + slot % 4;
    for (uint32_t h = 0; h < cache->heads; h++, key += k, value += k) {
        head_cache head = head_of(cache, h);
        head.key_scales[slot] = store_rounded(head.keys + key_at, key, k, 1, 4 * TILE);
        head.value_scales[slot] = store_rounded(head.values + value_at, value, k, 4, 16);
    }
}

/* weights[i] = score of the position TILE * (from / TILE) + i in bits (base 2), -infinity outside the run. Returns the
 * largest of them and `top`. */
NX_INLINE v128_t scores(float *weights, const nx_live *query, int32_t query_sum, float scale, const nx_cache *cache, const head_cache *head,
                        nx_run run, v128_t top) {
    uint32_t first = run.from / TILE, tiles = run_tiles(run), ring_tiles = ring_slots(cache->slots) / TILE;
    uint32_t tile = first % ring_tiles, vectors = cache->key_length / 4;
    v128_t query_scale = wasm_f32x4_splat(scale);
    for (uint32_t t = 0; t < tiles; t++, weights += TILE) {
        const uint8_t *keys = head->keys + (size_t)tile * TILE * cache->key_length;
        v128_t sum[4];
        for (int i = 0; i < 4; i++) sum[i] = dot_start(NX_STORED_ZERO, query_sum);
        NX_ROLLED
        for (uint32_t c = 0; c < vectors; c++, keys += 64)
            for (int i = 0; i < 4; i++) sum[i] = dot(sum[i], wasm_v128_load(keys + 16 * i), query + c);
        for (int i = 0; i < 4; i++) {
            v128_t key_scale = wasm_f32x4_mul(wasm_v128_load(head->key_scales + tile * TILE + 4 * i), query_scale);
            v128_t product = wasm_f32x4_convert_i32x4(dot_value(sum[i]));
            v128_t score = wasm_f32x4_mul(product, key_scale);
            if (t == 0 || t + 1 == tiles) score = nx_mask_group(score, (first + t) * (TILE / 4) + (uint32_t)i, run);
            wasm_v128_store(weights + 4 * i, score);
            top = wasm_f32x4_pmax(top, score); /* passes over not-a-number, which the exponentials bring back */
        }
        if (++tile == ring_tiles) tile = 0;
    }
    return top;
}

/* The rounded weights of two tiles. */
typedef struct {
    nx_live live[2][TILE / 4];
    float scale;
    int32_t sum;
} weight_block;

/* weights: 2^(score - top), times the scale of the value, of one tile. Adds the powers to *sum and raises *largest,
 * bits of numbers, to the largest weight. `end`: some of the tile may not be visible. */
NX_INLINE void weigh(float *weights, const float *scales, v128_t top, int end, v128_t *sum, v128_t *largest) {
    for (int i = 0; i < TILE; i += 4) {
        v128_t score = wasm_v128_load(weights + i), power = f32x4_exp2_coarse(wasm_f32x4_sub(score, top));
        v128_t weight = wasm_f32x4_mul(power, wasm_v128_load(scales + i));
        if (end) { /* what stands in a slot that is not visible may be anything, and must not count */
            v128_t visible = wasm_f32x4_ne(score, wasm_f32x4_splat(-__builtin_inff()));
            power = wasm_v128_and(power, visible);
            weight = wasm_v128_and(weight, visible);
        }
        *sum = wasm_f32x4_add(*sum, power);
        wasm_v128_store(weights + i, weight);
        *largest = wasm_i32x4_max(*largest, wasm_f32x4_abs(weight));
    }
}

/* Scores of a run, from its first tile on, to rounded weights, whose powers are added to *sum. Returns the block after
 * the last one. */
NX_INLINE weight_block *round_weights(weight_block *to, float *weights, const nx_cache *cache, const head_cache *head, nx_run run,
                                      v128_t top, v128_t *sum) {
    uint32_t tiles = run_tiles(run), ring_tiles = ring_slots(cache->slots) / TILE, tile = run.from / TILE % ring_tiles;
    for (uint32_t t = 0; t < tiles; t += 2, weights += 2 * TILE, to++) {
        uint32_t both = t + 1 < tiles ? 2 : 1;
        v128_t largest = wasm_i32x4_splat(0);
        for (uint32_t half = 0; half < both; half++) {
            int end = t + half == 0 || t + half + 1 == tiles;
            weigh(weights + half * TILE, head->value_scales + tile * TILE, top, end, sum, &largest);
            if (++tile == ring_tiles) tile = 0;
        }
        float most = f32x4_largest_magnitude(largest);
        to->scale = most / NX_LIVE_MOST;
        to->sum = live_of(to->live[0], weights, both * TILE, steps_per_unit(NX_LIVE_MOST, most));
    }
    return to;
}

/* Rounds n numbers to live ones with a scale of their own, which it returns. */
static float round_live(nx_live *live, int32_t *sum, const float *x, uint32_t n) {
    float top = largest_magnitude(x, n);
    *sum = live_of(live, x, n, steps_per_unit(NX_LIVE_MOST, top));
    return top / NX_LIVE_MOST;
}

/* out (4 * vectors channels, vectors <= 4) = scale * sum over the runs of weight * value, for the vectors of channels
 * from `at`. Each block is an exact sum of integers; the blocks are added in single precision. */
NX_INLINE void mix(float *out, const weight_block *block, float scale, const nx_cache *cache, const head_cache *head, uint32_t at,
                   const nx_run *runs, uint32_t n_runs, uint32_t vectors) {
    uint32_t ring_tiles = ring_slots(cache->slots) / TILE, row = 4 * cache->key_length; /* bytes of four positions */
    v128_t sum[4];
    for (uint32_t v = 0; v < vectors; v++) sum[v] = wasm_f32x4_splat(0);
    for (uint32_t r = 0; r < n_runs; r++) {
        uint32_t tiles = run_tiles(runs[r]), tile = runs[r].from / TILE % ring_tiles;
        for (uint32_t t = 0; t < tiles; t += 2, block++) {
            v128_t product[4];
            for (uint32_t v = 0; v < vectors; v++) product[v] = dot_start(NX_STORED_ZERO, block->sum);
            for (uint32_t half = 0; half < 2 && t + half < tiles; half++) {
                const uint8_t *value = head->values + (size_t)tile * (TILE / 4) * row + 16 * at;
                NX_ROLLED
                for (uint32_t g = 0; g < TILE / 4; g++, value += row)
                    for (uint32_t v = 0; v < vectors; v++)
                        product[v] = dot(product[v], wasm_v128_load(value + 16 * v), block->live[half] + g);
                if (++tile == ring_tiles) tile = 0;
            }
            v128_t step = wasm_f32x4_splat(block->scale);
            for (uint32_t v = 0; v < vectors; v++) sum[v] = f32x4_mul_add(wasm_f32x4_convert_i32x4(dot_value(product[v])), step, sum[v]);
        }
    }
    for (uint32_t v = 0; v < vectors; v++) wasm_v128_store(out + 4 * v, wasm_f32x4_mul(sum[v], wasm_f32x4_splat(scale)));
}

uint64_t nx_rounded_scratch_bytes(uint32_t window, uint32_t n_runs) {
    uint64_t tiles = window / TILE + 2 * (uint64_t)n_runs; /* runs begin and end within a tile */
    return tiles * TILE * sizeof(float) + (tiles / 2 + n_runs) * sizeof(weight_block);
}

/* The scores of the visible positions of a run, without the padding of its tiles. Returns where the next run's go. */
static float *copy_scores(float *to, const float *weights, nx_run run) {
    memcpy(to, weights + run.from % TILE, (run.to - run.from) * sizeof *to);
    return to + (run.to - run.from);
}

/* Scores to weights, before they are rounded. */
static void finish_trace(float *trace, uint32_t n, v128_t top, float norm) {
    for (uint32_t i = 0; i < n; i++) {
        v128_t power = f32x4_exp2_coarse(wasm_f32x4_sub(wasm_f32x4_splat(trace[i]), top));
        trace[i] = norm * wasm_f32x4_extract_lane(power, 0);
    }
}

void nx_rounded_attend(float *out, const float *query, const nx_cache *cache, const nx_run *runs, uint32_t n_runs, void *scratch,
                       float *trace, uint32_t trace_stride) {
    uint32_t key_length = cache->key_length, vectors = key_length / 4, tiles = 0;
    for (uint32_t r = 0; r < n_runs; r++) tiles += run_tiles(runs[r]);
    float *weights = scratch;
    weight_block *blocks = (weight_block *)(weights + (size_t)tiles * TILE);
    nx_live rounded_query[NX_MAX_KEY_LENGTH / 4];
    for (uint32_t h = 0; h < cache->heads * cache->members; h++, query += key_length, out += key_length) {
        head_cache head = head_of(cache, h / cache->members);
        int32_t query_sum;
        float to_bits = nx_score_scale(key_length) * 0x1.715476p+0f; /* 1 / ln 2 */
        float scale = round_live(rounded_query, &query_sum, query, key_length) * to_bits, *at = weights;
        v128_t top = wasm_f32x4_splat(-__builtin_inff()), sum = wasm_f32x4_splat(0);
        for (uint32_t r = 0; r < n_runs; at += TILE * run_tiles(runs[r]), r++)
            top = scores(at, rounded_query, query_sum, scale, cache, &head, runs[r], top);
        top = f32x4_largest(top);
        weight_block *next = blocks;
        float *traced = trace;
        at = weights;
        for (uint32_t r = 0; r < n_runs; at += TILE * run_tiles(runs[r]), r++) {
            if (trace) traced = copy_scores(traced, at, runs[r]);
            next = round_weights(next, at, cache, &head, runs[r], top, &sum);
        }
        float norm = 1 / f32x4_sum(sum);
        if (trace) {
            finish_trace(trace, (uint32_t)(traced - trace), top, norm);
            trace += trace_stride;
        }
        uint32_t done = 0;
        for (; done + 4 <= vectors; done += 4) mix(out + 4 * done, blocks, norm, cache, &head, done, runs, n_runs, 4);
        switch (vectors - done) {
        case 3:
            mix(out + 4 * done, blocks, norm, cache, &head, done, runs, n_runs, 3);
            break;
        case 2:
            mix(out + 4 * done, blocks, norm, cache, &head, done, runs, n_runs, 2);
            break;
        case 1:
            mix(out + 4 * done, blocks, norm, cache, &head, done, runs, n_runs, 1);
            break;
        }
    }
}

/* SPDX-License-Identifier: MIT
 *
 * One attention over many patterns. A pattern says which cached positions a query sees; positions are indices in
 * generation order. Kept keys and values live in a ring of slots, position p in slot p mod slots, so that memory and
 * time per element do not grow with the image when the pattern is local.
 *
 * Query blocks. A pattern cuts the positions into query blocks, each contiguous in generation order. All queries of a
 * block see the same memory, and of their own block what comes before them; so one pass of many columns stays within
 * one block (nx_pattern_block_end) and shares one list of what is visible.
 */
#ifndef NX_ATTENTION_H
#define NX_ATTENTION_H

#include <stdint.h>

typedef enum {
    NX_FULL_CAUSAL, /* key j visible to query i:  j <= i */
    NX_LOCAL_1D,    /* j <= i and j >= l_q floor(i / l_q) - l_m   [Parmar 2018, section 3.3, figure 1 left] */
    NX_LOCAL_2D     /* blocks of rows and columns with flanges    [Parmar 2018, section 3.3, figure 1 right] */
} nx_pattern_kind;

/* Local 2D. Positions form a grid of rows and columns. It is cut into query blocks of block_rows x block_cols (smaller
 * at the far edges); generation runs over the blocks in raster order and in raster order within a block. With a block's
 * first row r0 and columns c0..c1-1, its queries see: the flange_rows rows above r0, columns c0 - flange_cols .. c1 +
 * flange_cols - 1; in the block's own rows the flange_cols columns left of c0; and of the block itself what is not
 * after the query. Never the right flange in its own rows, which is generated later. Everything is cut at the image's
 * edges. */
typedef struct {
    nx_pattern_kind kind;
    uint32_t positions;    /* n: positions of a complete sequence */
    uint32_t query_block;  /* l_q; n for full causal attention */
    uint32_t memory_block; /* l_m: positions just before the query block that it sees; 0 for full causal attention */
    uint32_t rows, cols;   /* local 2D only, as all that follows: rows * cols = n */
    uint32_t block_rows, block_cols, flange_rows, flange_cols;
} nx_pattern;

/* Visible positions from..to-1. */
typedef struct {
    uint32_t from, to;
} nx_range;

/* Query i sees these ranges: they ascend, neither touch nor overlap, and the last one ends with i itself. Returns their number. */
uint32_t nx_pattern_ranges(const nx_pattern *pattern, uint32_t i, nx_range *ranges);

/* The same positions one by one, ascending; keys: room for nx_pattern_window. Returns their number. */
uint32_t nx_pattern_keys(const nx_pattern *pattern, uint32_t i, uint32_t *keys);

/* An upper bound of nx_pattern_ranges. */
uint32_t nx_pattern_max_ranges(const nx_pattern *pattern);

/* The position after the last one of i's query block. */
uint32_t nx_pattern_block_end(const nx_pattern *pattern, uint32_t i);

/* The most positions that a query can see (for local 2D an upper bound: the uncut window). */
uint32_t nx_pattern_window(const nx_pattern *pattern);

/* Slots of the ring, a multiple of 4 that holds everything from the oldest visible position to the newest. */
uint32_t nx_pattern_slots(const nx_pattern *pattern);

/* The place of position i in the raster order of the grid. */
uint32_t nx_pattern_raster(const nx_pattern *pattern, uint32_t i);

#define NX_MAX_KEY_LENGTH 1024

/* Types of a cache besides NX_F32, which keeps keys and values as they are: in 7 bits for pictures (kv7.c), and in 8 for models
 * of language (kv8.c), wide: with keys of 16 bits, for models whose keys have a few channels far larger than the others. */
enum { NX_KV7 = 8, NX_KV8 = 64, NX_KV8_WIDE = 65 };
static inline int nx_is_kv8(uint32_t type) { return type == NX_KV8 || type == NX_KV8_WIDE; }

/* The cached keys and values of one layer of one sequence: `memory` has nx_cache_bytes. `queries_per_kv` queries, one after another, share
 * the keys and values of a head [Ainslie et al. 2023, arXiv:2305.13245]. Layout, NX_F32, width = heads * key_length:
 * keys (slots / 4, width, 4): four positions side by side, so that a lane is a position when scores are computed
 * values (slots, width): so that a lane is a channel when they are summed */
typedef struct {
    void *memory;
    uint32_t type, slots, n_kv_heads, key_length, queries_per_kv;
    float cap; /* of the scores, F32 and 8 bits: score becomes cap * tanh(score / cap) [Gemma Team 2024, section 2]; 0: none */
} nx_cache;

uint64_t nx_cache_bytes(uint32_t type, uint32_t slots, uint32_t heads, uint32_t key_length);

/* Stores the key and the value (heads * key_length) of a position. */
void nx_cache_write(const nx_cache *cache, uint32_t position, const float *key, const float *value);

/* Copies a cache, of floats or of 8 bits, into a longer one of the same kind, where no slot of it has been taken twice. */
void nx_cache_copy(const nx_cache *to, const nx_cache *from);

/* Bytes of scratch memory of nx_attend. */
uint64_t nx_attend_scratch_bytes(uint32_t window, uint32_t n_ranges);

/* Multi-head scaled dot-product attention of one query over the cached positions of the ranges:
 *   out_h = sum over j of softmax_j( q_h . k_hj / sqrt(key_length) ) v_hj
 *   [Vaswani 2017, eq. 1; Parmar 2018, eq. 1]
 * out, query   (heads * queries_per_kv * key_length); key_length % 4 == 0
 * scratch      nx_attend_scratch_bytes, overwritten
 * map        null, or receives the weights: head h at map + h * map_stride, one number for each visible position;
 *              of an 8-bit cache none is less than 2^-64 of the largest
 * Sums range over the positions in ascending order; they do not depend on the ring nor on other queries.
 * Cost: 2 * visible positions * width multiply-adds. */
void nx_attend(float *out, const float *query, const nx_cache *cache, const nx_range *ranges, uint32_t n_ranges, void *scratch, float *map,
               uint32_t map_stride);

#endif

/* SPDX-License-Identifier: MIT
 *
 * One attention over many patterns. A pattern says which cached positions a query sees; positions are indices in generation
 * order. Kept keys and values live in a ring of slots, position p in slot p mod slots, so that memory and time per element do not
 * grow with the image when the pattern is local.
 *
 * Query blocks. A pattern cuts the positions into query blocks of equal length. Within a block the first visible position is the
 * same for all queries, so one pass of many columns must stay within one block (nx_pattern_block_end).
 */
#ifndef NX_ATTENTION_H
#define NX_ATTENTION_H

#include <stdint.h>

typedef enum {
    NX_FULL_CAUSAL, /* key j visible to query i:  j <= i */
    NX_LOCAL_1D     /* j <= i and j >= l_q floor(i / l_q) - l_m   [Parmar 2018, section 3.3, figure 1 left] */
} nx_pattern_kind;

typedef struct {
    nx_pattern_kind kind;
    uint32_t positions;    /* n: positions of a complete sequence */
    uint32_t query_block;  /* l_q; n for full causal attention */
    uint32_t memory_block; /* l_m: positions just before the query block that it sees; 0 for full causal attention */
} nx_pattern;

/* The first position that query i sees; it sees all from there to i. */
uint32_t nx_pattern_first(const nx_pattern *pattern, uint32_t i);

/* The position after the last one of i's query block. */
uint32_t nx_pattern_block_end(const nx_pattern *pattern, uint32_t i);

/* The most positions that a query can see. */
uint32_t nx_pattern_window(const nx_pattern *pattern);

/* Slots of the ring, a multiple of 4 that holds the window. */
uint32_t nx_pattern_slots(const nx_pattern *pattern);

/* The cached keys and values of one layer of one sequence. heads share the layout: width = heads * key_length.
 * keys (slots / 4, width, 4): four positions side by side, so that a lane is a position when scores are computed
 * values (slots, width): so that a lane is a channel when they are summed */
typedef struct {
    float *keys, *values;
    uint32_t slots, width;
} nx_cache;

/* Numbers (floats) of a cache. */
uint64_t nx_cache_floats(uint32_t slots, uint32_t width);

/* A cache over `memory`, which has nx_cache_floats numbers. */
nx_cache nx_cache_at(float *memory, uint32_t slots, uint32_t width);

/* Stores the key and the value (width) of a position. */
void nx_cache_write(const nx_cache *cache, uint32_t position, const float *key, const float *value);

/* Floats of scratch memory of nx_attend for a window. */
uint64_t nx_attend_scratch_floats(uint32_t window);

/* Multi-head scaled dot-product attention of one query over the cached positions from..to-1:
 *   out_h = sum over j of softmax_j( q_h . k_hj / sqrt(key_length) ) v_hj      [Vaswani 2017, eq. 1; Parmar 2018, eq. 1]
 * out, query (heads * key_length); key_length % 4 == 0     scratch: nx_attend_scratch_floats(to - from), overwritten
 * trace: null, or receives the weights: head h at trace + h * trace_stride, to - from numbers
 * Sums run over the positions in ascending order; they do not depend on the ring nor on other queries.
 * Cost: 2 * (to - from) * width multiply-adds. */
void nx_attend(float *out, const float *query, const nx_cache *cache, uint32_t heads, uint32_t from, uint32_t to, float *scratch,
               float *trace, uint32_t trace_stride);

#endif

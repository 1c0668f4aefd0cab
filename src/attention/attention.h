/* SPDX-License-Identifier: MIT
 *
 * One attention function for many patterns (pattern.h) and every type of cache (cache.h).
 */
#ifndef NX_ATTENTION_H
#define NX_ATTENTION_H

#include "cache.h"
#include "pattern.h"

uint64_t nx_cache_bytes(uint32_t type, uint32_t slots, uint32_t heads, uint32_t key_length);

/* Stores the key and the value of a position, each of shape (heads * key_length). */
void nx_cache_write(const nx_cache *cache, uint32_t position, const float *key, const float *value);

/* Copies a cache (F32 or 8 bits) into a longer cache of the same type. The ring of `from` must not have wrapped around yet. */
void nx_cache_copy(const nx_cache *to, const nx_cache *from);

/* Returns the size of the scratch memory of nx_attend in bytes. */
uint64_t nx_attend_scratch_bytes(uint32_t window, uint32_t n_ranges);

/* Computes multi-head scaled dot-product attention of one query over the cached positions in `ranges`:
 *   out_h = sum over j of softmax_j( q_h . k_hj / sqrt(key_length) ) v_hj
 *   [Vaswani 2017, eq. 1; Parmar 2018, eq. 1]
 * out, query   shape (heads * queries_per_kv * key_length); key_length % 4 == 0
 * scratch      nx_attend_scratch_bytes bytes, overwritten
 * map          null, or receives the weights: head h at map + h * map_stride, one number for each visible position;
 *              with an 8-bit cache, every weight is at least 2^-64 times the largest weight
 * Sums run over the positions in ascending order, so the result depends neither on where the ring begins nor on other queries. Cost: 2 *
 * visible positions * width multiply-adds. */
void nx_attend(float *out, const float *query, const nx_cache *cache, const nx_range *ranges, uint32_t n_ranges, void *scratch, float *map,
               uint32_t map_stride);

/* Computes attention for the queries that share one head of keys and values; out, query and map are the arrays of all heads. If several
 * columns have the same past, compute one head for all columns before you compute the next head: the head's keys and values then stay in
 * the processor's cache. */
void nx_attend_head(float *out, const float *query, const nx_cache *cache, uint32_t head, const nx_range *ranges, uint32_t n_ranges,
                    void *scratch, float *map, uint32_t map_stride);

#endif

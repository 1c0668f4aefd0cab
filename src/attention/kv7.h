/* SPDX-License-Identifier: MIT
 *
 * Computes attention over keys and values that are cached in 7 bits, for picture models whose weights are quantised. attention.c calls it.
 */
#ifndef NX_KV7_H
#define NX_KV7_H

#include "cache.h"
#include "pattern.h"

uint64_t nx_kv7_cache_bytes(uint32_t slots, uint32_t heads, uint32_t key_length);
void nx_kv7_write(const nx_cache *cache, uint32_t position, const float *key, const float *value);
uint64_t nx_kv7_scratch_bytes(uint32_t window, uint32_t n_ranges);
/* Computes attention over the keys and values of one head, for all query heads that share them. out, query and map point to the first of
 * these query heads. */
void nx_kv7_attend(float *out, const float *query, const nx_cache *cache, uint32_t head, const nx_range *ranges, uint32_t n_ranges,
                   void *scratch, float *map, uint32_t map_stride);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Computes attention over keys and values that are cached in 8 bits, for language models. attention.c calls it.
 */
#ifndef NX_KV8_H
#define NX_KV8_H

#include "cache.h"
#include "pattern.h"

uint64_t nx_kv8_cache_bytes(uint32_t type, uint32_t slots, uint32_t heads, uint32_t key_length);
void nx_kv8_write(const nx_cache *cache, uint32_t position, const float *key, const float *value);
void nx_kv8_copy(const nx_cache *to, const nx_cache *from);
uint64_t nx_kv8_scratch_bytes(uint32_t window, uint32_t n_ranges);
/* Computes attention over the keys and values of one head, for all query heads that share them. out, query and map point to the first of
 * these query heads. */
void nx_kv8_attend(float *out, const float *query, const nx_cache *cache, uint32_t head, const nx_range *ranges, uint32_t n_ranges,
                   void *scratch, float *map, uint32_t map_stride);

#endif

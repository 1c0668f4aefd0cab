/* SPDX-License-Identifier: MIT
 *
 * Cached keys and values are in a ring of slots: position p is in slot p mod slots. With a local pattern, memory and time per element
 * therefore do not depend on the size of the image.
 */
#ifndef NX_CACHE_H
#define NX_CACHE_H

#include <stdint.h>

#define NX_MAX_KEY_LENGTH 1024

/* Types of caches. NX_F32 stores keys and values unchanged. The other types round keys and values: NX_KV7 to 7 bits, for pictures (kv7.c),
 * and NX_KV8 to 8 bits, for language models (kv8.c). NX_KV8_WIDE is NX_KV8 with 16-bit keys, for models whose keys have a few channels far
 * larger than the others. */
enum { NX_KV7 = 8, NX_KV8 = 64, NX_KV8_WIDE = 65 };
static inline int nx_is_kv8(uint32_t type) { return type == NX_KV8 || type == NX_KV8_WIDE; }

/* The cached keys and values of one layer of one sequence: `memory` has nx_cache_bytes bytes. `queries_per_kv` consecutive queries share
 * the keys and values of a head [Ainslie et al. 2023, arXiv:2305.13245]. Layout of NX_F32, where width = heads * key_length:
 *   keys     shape (slots / 4, width, 4): four positions side by side, so that each lane computes the score of one position
 *   values   shape (slots, width): a lane is a channel when values are summed */
typedef struct {
    void *memory;
    uint32_t type, slots, n_kv_heads, key_length, queries_per_kv;
    float cap; /* cap of the scores in F32 and 8-bit caches: a score s becomes cap * tanh(s / cap) [Gemma Team 2024, section 2]; 0: none */
} nx_cache;

#endif

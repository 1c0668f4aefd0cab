/* SPDX-License-Identifier: MIT
 *
 * A bump arena over one block that the caller provides. With base == NULL the arena only counts, so the same code first computes the size
 * of a model's or session's block and then lays out the block.
 */
#ifndef NX_ARENA_H
#define NX_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "nextpixel.h"

typedef struct {
    uint8_t *base; /* NULL: count only */
    uint64_t used; /* number of bytes used; cannot overflow, because callers bound every request */
    uint64_t size; /* size of the block in bytes */
} nx_arena;

/* Returns `bytes` bytes aligned to NX_ALIGN, or NULL while the arena only counts or when the block is too small (see nx_arena_full). */
void *nx_arena_take(nx_arena *arena, uint64_t bytes);

/* Returns n columns of `width` floats each, which are nx_stride(width) floats apart (kernels/kernels.h). */
float *nx_arena_columns(nx_arena *arena, uint32_t n, uint32_t width);

static inline int nx_arena_full(const nx_arena *arena) { return arena->base && arena->used > arena->size; }

#endif

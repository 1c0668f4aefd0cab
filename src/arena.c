/* SPDX-License-Identifier: MIT  See arena.h. */
#include "arena.h"

#include "kernels/kernels.h"

void *nx_arena_take(nx_arena *arena, uint64_t bytes) {
    uint64_t at = arena->used;
    arena->used = at + ((bytes + (NX_ALIGN - 1)) & ~(uint64_t)(NX_ALIGN - 1));
    return arena->base && arena->used <= arena->size ? (void *)((uintptr_t)arena->base + (size_t)at) : NULL;
}

float *nx_arena_columns(nx_arena *arena, uint32_t n, uint32_t width) {
    return nx_arena_take(arena, (uint64_t)n * nx_stride(width) * sizeof(float));
}

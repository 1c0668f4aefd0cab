/* SPDX-License-Identifier: MIT
 *
 * A picture of independent coins: p(x_i = 1) = sigma(b_i), whatever came before.
 */
#include <string.h>

#include "arch.h"
#include "kernels/kernels.h"
#include "layers/limits.h"
#include "reader.h"

#define ARCH "coins"

typedef struct {
    const float *bias; /* a number for each pixel */
} model;

static void configure(nx_reader *r, nx_plan *plan) {
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    uint32_t n =
        nx_read_u32(r, KEY("image.height"), 1, NX_MAX_SIDE, NX_REQUIRED) * nx_read_u32(r, KEY("image.width"), 1, NX_MAX_SIDE, NX_REQUIRED);
    nx_read_u32(r, KEY("image.channels"), 1, 1, 1);
    nx_read_u32(r, KEY("image.levels"), 2, 2, 2);
    m->bias = nx_read_vector(r, "coins.bias", n, 0);
    plan->weights = placed;
    plan->output = (nx_output){.kind = NX_BERNOULLI, .values = 2, .elements = 1};
    plan->length = n;
    plan->rewinds = n;
}

static uint64_t nothing(const void *opaque, const nx_shape *shape) {
    (void)opaque, (void)shape;
    return 0;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t columns) {
    (void)opaque, (void)shape, (void)columns;
    return 0;
}

static int forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *scratch) {
    const model *m = opaque;
    (void)slice, (void)scratch;
    for (uint32_t c = 0; parameters && c < n; c++) parameters[(size_t)c * nx_stride(1)] = m->bias[columns[c].position];
    return 0;
}

static const nx_part part = {.state_bytes = nothing, .scratch_bytes = scratch_bytes, .forward = forward};

const nx_arch nx_coins = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure};

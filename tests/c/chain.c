/* SPDX-License-Identifier: MIT  See chain.h. */
#include "chain.h"

#include <string.h>

#include "check.h"
#include "kernels/kernels.h"

typedef struct {
    uint32_t hash, entered;
} chain_state;

static uint32_t mix(uint32_t hash, uint32_t word) {
    hash = (hash ^ word) * 2654435761u;
    return hash ^ hash >> 15;
}

static chain_config *config_of(const void *m) { return *(chain_config *const *)m; }

static uint64_t encoder_output_bytes(const void *m, const nx_shape *shape) { return config_of(m)->source ? 8 + 4 * (uint64_t)shape->counts[0] : 0; }

static uint64_t state_bytes(const void *m, const nx_shape *shape) {
    (void)m, (void)shape;
    return sizeof(chain_state);
}

static uint64_t scratch_bytes(const void *m, const nx_shape *shape, uint32_t columns) {
    (void)m, (void)shape, (void)columns;
    return 16;
}

/* memory: items read, their hash, each of them. */
static int encode(const void *m, const nx_inputs *inputs, uint32_t slice, void *memory, void *scratch) {
    uint32_t *words = memory, n = inputs->shape.counts[0];
    (void)m, (void)scratch;
    if (slice >= n) return 0;
    words[0] = slice + 1;
    words[1] = mix(words[1] + slice, inputs->port[0][slice]);
    words[2 + slice] = inputs->port[0][slice];
    return slice + 1 < n;
}

static int forward(const void *m, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *scratch) {
    chain_config *c = config_of(m);
    uint32_t *done = scratch;
    if (slice && *done != slice) c->misused++;
    *done = slice + 1;
    if (slice + 1 < c->slices) return 1;
    for (uint32_t j = 0; j < n; j++) {
        const nx_column *column = columns + j;
        chain_state *s = column->state;
        if (s->entered != column->position) c->misused++;
        if (column->position) s->hash = mix(s->hash, column->ids[column->position - 1]);
        s->entered = column->position + 1;
        uint32_t source = c->source ? ((const uint32_t *)column->encoder_output)[1] : 0;
        for (uint32_t v = 0; v < CHAIN_VALUES && parameters; v++) {
            uint32_t bits = mix(mix(s->hash + source, column->position), v);
            parameters[(size_t)j * nx_stride(CHAIN_VALUES) + v] = c->flat ? 0 : (float)(bits >> 8) * 0x1p-24f * 6 + (v == CHAIN_END ? c->end : 0);
        }
    }
    return 0;
}

static const nx_part part = {.encoder_output_bytes = encoder_output_bytes, .state_bytes = state_bytes, .scratch_bytes = scratch_bytes, .encode = encode, .forward = forward};
static const nx_arch chain = {.name = "chain", .n_parts = 1, .parts = &part};

nx_model *chain_open(chain_config *config) {
    nx_model *model = memory_take(sizeof *model);
    chain_config **weights = memory_take(sizeof *weights);
    memset(model, 0, sizeof *model);
    *weights = config;
    model->arch = &chain;
    model->fingerprint = 77;
    model->plan[0] = (nx_plan){.weights = weights, .output = {.kind = NX_CATEGORICAL, .values = CHAIN_VALUES, .elements = 1}, .n_ends = 1};
    model->plan[0].ends[0] = CHAIN_END;
    if (config->source) {
        model->plan[0].encodes = 1;
        model->plan[0].n_inputs = 1;
        model->plan[0].inputs[0] = (nx_port){.name = "source", .values = 50, .dims = {CHAIN_SOURCE, 1, 1, 1}, .any_length = 1, .like = NX_NONE};
    }
    return model;
}

/* SPDX-License-Identifier: MIT  See hasher.h. */
#include "hasher.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "kernels/kernels.h"
#include "sampling/categorical.h"

/* A hash of all ids that a sequence has read and drawn before a position. If positions may be recomputed, the state keeps the hash of every
 * position. Otherwise, it keeps only the hash of the most recent position. */
typedef struct {
    uint32_t entered, hash[];
} hasher_state;

uint32_t hasher_hash(uint32_t hash, uint32_t word) {
    hash = (hash ^ word) * 2654435761u;
    return hash ^ hash >> 15;
}

static hasher_config *config_of(const void *m) { return *(hasher_config *const *)m; }

static uint64_t encoder_output_bytes(const void *m, const nx_shape *shape) { return config_of(m)->source ? 8 + 4 * (uint64_t)shape->counts[0] : 0; }

static uint64_t state_bytes(const void *m, const nx_shape *shape) {
    return sizeof(hasher_state) + 4 * (config_of(m)->again ? 1 + (uint64_t)shape->length : 1);
}

static uint64_t scratch_bytes(const void *m, const nx_shape *shape, uint32_t columns) {
    (void)m, (void)shape, (void)columns;
    return 16;
}

/* Writes to `memory` the number of items that have been read, their hash, and the items. */
static int encode(const void *m, const nx_inputs *inputs, uint32_t slice, void *memory, void *scratch) {
    uint32_t *words = memory, n = inputs->shape.counts[0];
    (void)m, (void)scratch;
    if (slice >= n) return 0;
    words[0] = slice + 1;
    words[1] = hasher_hash(words[1] + slice, inputs->port[0][slice]);
    words[2 + slice] = inputs->port[0][slice];
    return slice + 1 < n;
}

void hasher_place_logits(uint32_t hash, float *logits) {
    for (uint32_t v = 0; v < nx_stride(HASHER_PLACES); v++) logits[v] = v < HASHER_PLACES ? (float)(hasher_hash(hash, v) >> 8) * 0x1p-24f * 3 : -INFINITY;
}

/* Draws the location that a column attends to. */
static uint32_t place_of(const nx_column *column, uint32_t hash) {
    _Alignas(16) float z[(HASHER_PLACES + 15) / 16 * 16];
    hasher_place_logits(hash, z);
    return nx_categorical_draw(z, HASHER_PLACES, column->temperature, column->noise);
}

static float logit_of(const hasher_config *c, uint32_t seen, uint32_t v) {
    float end = v == HASHER_END ? c->end : 0, often = c->again && v < 4 ? 5 : 0;
    return c->flat && !c->noisy ? 0 : (float)(hasher_hash(seen, v) >> 8) * 0x1p-24f * 6 + end + often;
}

static int forward(const void *m, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *scratch) {
    hasher_config *c = config_of(m);
    uint32_t *done = scratch;
    if (slice && *done != slice) c->misused++;
    *done = slice + 1;
    if (slice + 1 < c->slices) return 1;
    for (uint32_t j = 0; j < n; j++) {
        const nx_column *column = columns + j;
        hasher_state *s = column->state;
        uint32_t at = column->position;
        if (c->again ? s->entered < at : s->entered != at) c->misused++;
        uint32_t *hash = s->hash + (c->again ? at : 0), before = hash[at && c->again ? -1 : 0], place = 0;
        *hash = at ? hasher_hash(before, column->ids[at - 1]) : 0;
        if (c->noisy) *hash = hasher_hash(*hash, place = place_of(column, *hash));
        s->entered = at + 1;
        uint32_t source = c->source ? ((const uint32_t *)column->encoder_output)[1] : 0, seen = c->flat ? place : hasher_hash(*hash + source, at);
        for (uint32_t v = 0; v < HASHER_VALUES && parameters; v++) parameters[(size_t)j * nx_stride(HASHER_VALUES) + v] = logit_of(c, seen, v);
    }
    return 0;
}

static const nx_part part = {.encoder_output_bytes = encoder_output_bytes, .state_bytes = state_bytes, .scratch_bytes = scratch_bytes, .encode = encode, .forward = forward};
static const nx_arch hasher = {.name = "hasher", .n_parts = 1, .parts = &part};

nx_model *hasher_open(hasher_config *config) {
    nx_model *model = memory_take(sizeof *model);
    hasher_config **weights = memory_take(sizeof *weights);
    memset(model, 0, sizeof *model);
    *weights = config;
    model->arch = &hasher;
    model->fingerprint = 77;
    model->plan[0] = (nx_plan){.weights = weights, .output = {.kind = NX_CATEGORICAL, .values = HASHER_VALUES, .elements = 1}, .n_ends = 1};
    model->plan[0].ends[0] = HASHER_END;
    model->plan[0].noisy = config->noisy != 0;
    model->plan[0].rewinds = config->again ? NX_MAX_LENGTH : 0;
    if (config->source) {
        model->plan[0].encodes = 1;
        model->plan[0].n_inputs = 1;
        model->plan[0].inputs[0] = (nx_port){.name = "source", .values = 50, .dims = {HASHER_SOURCE, 1, 1, 1}, .any_length = 1, .like = NX_NONE};
    }
    return model;
}

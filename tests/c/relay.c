/* SPDX-License-Identifier: MIT  See relay.h. */
#include "relay.h"

#include <string.h>

#include "check.h"

/* The memory of the first part: the number of words read, the sum of word / 3 over these words, and the sum of mark / 3. Then come the
 * marks of all words, and three floats for each word. */
typedef struct {
    uint32_t read, pad;
    float sums[2];
} relay_memory;

static uint64_t encoder_output_bytes(const void *m, const nx_shape *shape) {
    (void)m;
    return sizeof(relay_memory) + 16 * (uint64_t)shape->counts[0];
}

static uint64_t scratch_bytes(const void *m, const nx_shape *shape, uint32_t columns) {
    (void)m, (void)shape, (void)columns;
    return 16;
}

uint32_t relay_mark(const uint32_t *words, uint32_t i, float floats[3]) {
    uint32_t before = i ? words[i - 1] : 0;
    for (uint32_t j = 0; j < 3; j++) floats[j] = (float)words[i] / 7 + (float)(before * j);
    return (words[i] * 7 + before) % RELAY_MARKS;
}

static int encode(const void *m, const nx_inputs *inputs, uint32_t slice, void *memory, void *scratch) {
    relay_memory *r = memory;
    uint32_t n = inputs->shape.counts[0], *marks = (uint32_t *)(r + 1);
    (void)m, (void)scratch;
    if (slice >= n) return 0;
    if (inputs->port[0][slice] == RELAY_BREAKS) return -1;
    marks[slice] = relay_mark(inputs->port[0], slice, (float *)(marks + n) + 3 * slice);
    if (inputs->port[1] && inputs->port[1][slice] != RELAY_FREE) marks[slice] = inputs->port[1][slice];
    r->sums[0] += (float)inputs->port[0][slice] / 3;
    r->sums[1] += (float)marks[slice] / 3;
    r->read = slice + 1;
    return slice + 1 < n;
}

static const void *result(const void *m, const nx_shape *shape, const void *memory, uint32_t index, uint32_t *count) {
    const relay_memory *r = memory;
    uint32_t n = shape->counts[0], read = r->read < n ? r->read : n;
    const uint32_t *marks = (const uint32_t *)(r + 1);
    (void)m;
    *count = index == RELAY_OF_MARK ? read : index == RELAY_OF_FLOATS ? 3 * read : read == n ? 2 : 0;
    return index == RELAY_OF_MARK ? (const void *)marks : index == RELAY_OF_FLOATS ? marks + n : (const void *)r->sums;
}

nx_model *relay_open(hasher_config *config) {
    config->source = 1;
    nx_model *model = hasher_open(config);
    nx_part *parts = memory_take(2 * sizeof *parts);
    nx_arch *arch = memory_take(sizeof *arch);
    parts[0] = (nx_part){.encoder_output_bytes = encoder_output_bytes, .scratch_bytes = scratch_bytes, .encode = encode, .result = result};
    parts[1] = model->arch->parts[0];
    *arch = (nx_arch){.name = "relay", .n_parts = 2, .parts = parts};
    model->arch = arch;
    model->plan[1] = model->plan[0];
    model->plan[1].inputs[0].name = "marks";
    model->plan[0] = (nx_plan){.encodes = 1, .n_inputs = 2, .n_results = RELAY_RESULTS};
    model->plan[0].inputs[0] = (nx_port){.name = "words", .values = RELAY_VALUES, .dims = {RELAY_WORDS, 1, 1, 1}, .any_length = 1, .like = NX_NONE};
    model->plan[0].inputs[1] = (nx_port){.name = "hints", .values = RELAY_MARKS + 1, .dims = {RELAY_WORDS, 1, 1, 1}, .optional = 1, .any_length = 1, .like = 0};
    model->plan[0].results[RELAY_OF_MARK] = (nx_result){.name = "marks", .values = RELAY_MARKS, .dims = {RELAY_WORDS, 1, 1, 1}, .rows = NX_ROWS_OF_INPUT};
    model->plan[0].results[RELAY_OF_FLOATS] = (nx_result){.name = "floats", .dims = {RELAY_WORDS, 3, 1, 1}, .rows = NX_ROWS_OF_INPUT};
    model->plan[0].results[RELAY_OF_SUMS] = (nx_result){.name = "sums", .dims = {2, 1, 1, 1}};
    return model;
}

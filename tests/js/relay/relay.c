/* SPDX-License-Identifier: MIT
 *
 * A model of two parts for tests/js/parts.test.js. The first part has no sequence. This part reads words, one per chunk, and has three
 * results:
 *
 * - a mark for each word: (7 * word + previous word) mod 16
 * - two floats for each word
 * - a sum
 *
 * The second part reads marks and draws any number of ids. At each position, the mark is by far the most probable id.
 */
#include <string.h>

#include "arch.h"
#include "kernels/kernels.h"
#include "reader.h"

#define WORDS 20000u
#define VALUES 16u

typedef struct {
    uint32_t read, n;
    float sum;
} memory_head;

static uint64_t marks_bytes(const void *m, const nx_shape *shape) {
    (void)m;
    return sizeof(memory_head) + 12 * (uint64_t)shape->counts[0];
}

static uint64_t scratch_bytes(const void *m, const nx_shape *shape, uint32_t columns) {
    (void)m, (void)shape, (void)columns;
    return 16;
}

static int read_words(const void *m, const nx_inputs *inputs, uint32_t slice, void *memory, void *scratch) {
    memory_head *h = memory;
    const uint32_t *words = inputs->port[0];
    uint32_t *marks = (uint32_t *)(h + 1);
    float *floats;
    (void)m, (void)scratch;
    h->n = inputs->shape.counts[0];
    floats = (float *)(marks + h->n) + 2 * slice;
    marks[slice] = (7 * words[slice] + (slice ? words[slice - 1] : 0)) % VALUES;
    floats[0] = (float)words[slice] / 4;
    floats[1] = -(float)marks[slice];
    h->sum += floats[0];
    h->read = slice + 1;
    return slice + 1 < h->n;
}

static const void *result(const void *m, const nx_shape *shape, const void *memory, uint32_t index, uint32_t *count) {
    const memory_head *h = memory;
    const uint32_t *marks = (const uint32_t *)(h + 1);
    uint32_t n = shape->counts[0];
    (void)m;
    *count = index == 0 ? h->read : index == 1 ? 2 * h->read : h->read == n ? 1 : 0;
    return index == 0 ? (const void *)marks : index == 1 ? marks + n : (const void *)&h->sum;
}

static uint64_t copy_bytes(const void *m, const nx_shape *shape) {
    (void)m;
    return 4 * (uint64_t)shape->counts[0];
}

static uint64_t state_bytes(const void *m, const nx_shape *shape) {
    (void)m, (void)shape;
    return 16;
}

static int copy_marks(const void *m, const nx_inputs *inputs, uint32_t slice, void *memory, void *scratch) {
    (void)m, (void)slice, (void)scratch;
    memcpy(memory, inputs->port[0], 4 * inputs->shape.counts[0]);
    return 0;
}

static int forward(const void *m, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *scratch) {
    (void)m, (void)slice, (void)scratch;
    for (uint32_t c = 0; c < n && parameters; c++) {
        const uint32_t *marks = columns[c].encoder_output;
        for (uint32_t v = 0; v < VALUES; v++)
            parameters[c * nx_stride(VALUES) + v] = v == marks[columns[c].position % columns[c].inputs->shape.counts[0]] ? 20 : 0;
    }
    return 0;
}

static const nx_part parts[2] = {
    {.encoder_output_bytes = marks_bytes, .scratch_bytes = scratch_bytes, .encode = read_words, .result = result},
    {.encoder_output_bytes = copy_bytes, .state_bytes = state_bytes, .scratch_bytes = scratch_bytes, .encode = copy_marks, .forward = forward},
};

static void configure(nx_reader *r, nx_plan *plans) {
    void *placed = nx_arena_take(r->arena, 16);
    plans[0] = (nx_plan){.weights = placed, .encodes = 1, .n_inputs = 1, .n_results = 3};
    plans[0].inputs[0] = (nx_port){.name = "words", .values = 50, .dims = {WORDS, 1, 1, 1}, .any_length = 1, .like = NX_NONE};
    plans[0].results[0] = (nx_result){.name = "marks", .values = VALUES, .dims = {WORDS, 1, 1, 1}, .rows = NX_ROWS_OF_INPUT};
    plans[0].results[1] = (nx_result){.name = "floats", .dims = {WORDS, 2, 1, 1}, .rows = NX_ROWS_OF_INPUT};
    plans[0].results[2] = (nx_result){.name = "sum", .dims = {1, 1, 1, 1}};
    plans[1] = (nx_plan){.weights = placed, .encodes = 1, .n_inputs = 1, .output = {.kind = NX_CATEGORICAL, .values = VALUES, .elements = 1}};
    plans[1].inputs[0] = (nx_port){.name = "marks", .values = VALUES, .dims = {WORDS, 1, 1, 1}, .any_length = 1, .like = NX_NONE};
}

const nx_arch nx_relay = {.name = "relay", .n_parts = 2, .parts = parts, .configure = configure};

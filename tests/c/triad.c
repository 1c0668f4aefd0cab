/* SPDX-License-Identifier: MIT  See triad.h. */
#include "triad.h"

#include <string.h>

#include "kernels/kernels.h"
#include "reader.h"

static uint64_t scratch_bytes(const void *m, const nx_shape *shape, uint32_t columns) {
    (void)m, (void)shape, (void)columns;
    return 16;
}

/* ---- encoder; output: a head, the codes, their levels ------------------------------------------------------------------------- */

typedef struct {
    uint32_t n, pad[3]; /* number of codes so far */
} codes_head;

static uint32_t pairs_of(const nx_shape *shape) { return shape->counts[0] / 2; }

static uint64_t codes_bytes(const void *m, const nx_shape *shape) {
    (void)m;
    return sizeof(codes_head) + 12 * (uint64_t)pairs_of(shape);
}

static int read_sound(const void *m, const nx_inputs *inputs, uint32_t slice, void *output, void *scratch) {
    codes_head *h = output;
    uint32_t pairs = pairs_of(&inputs->shape), *codes = (uint32_t *)(h + 1);
    const uint32_t *pair = inputs->port[0] + 2 * (size_t)slice;
    const float *const *weight = m;
    (void)scratch;
    if (slice >= pairs) return 0;
    if ((pair[0] || pair[1]) && h->n < pairs) {
        float *levels = (float *)(codes + pairs) + 2 * (size_t)h->n;
        codes[h->n] = triad_code(pair[0], pair[1]);
        memcpy(levels, *weight + 2 * codes[h->n], 2 * sizeof *levels);
        h->n++;
    }
    return slice + 1 < pairs;
}

static const void *codes_result(const void *m, const nx_shape *shape, const void *output, uint32_t index, uint32_t *count) {
    const codes_head *h = output;
    const uint32_t *codes = (const uint32_t *)(h + 1);
    uint32_t n = h->n < pairs_of(shape) ? h->n : pairs_of(shape);
    (void)m;
    *count = index == TRIAD_OF_CODES ? n : 2 * n;
    return index == TRIAD_OF_CODES ? codes : codes + pairs_of(shape);
}

/* ---- prior ----------------------------------------------------------------------------------------------------------------------- */

static uint64_t copy_bytes(const void *m, const nx_shape *shape) {
    (void)m;
    return 4 * (uint64_t)shape->counts[0];
}

static int copy_codes(const void *m, const nx_inputs *inputs, uint32_t slice, void *output, void *scratch) {
    (void)m, (void)slice, (void)scratch;
    memcpy(output, inputs->port[0], 4 * (size_t)inputs->shape.counts[0]);
    return 0;
}

static uint64_t state_bytes(const void *m, const nx_shape *shape) {
    (void)m, (void)shape;
    return 16;
}

static int predict(const void *m, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *scratch) {
    const float *const *weight = m;
    (void)slice, (void)scratch;
    for (uint32_t j = 0; j < n && parameters; j++) {
        const nx_column *c = columns + j;
        const uint32_t *codes = c->encoder_output;
        uint32_t before = c->position ? c->ids[c->position - 1] : 0;
        float *logits = parameters + (size_t)j * nx_stride(TRIAD_VALUES);
        memcpy(logits, *weight + (size_t)before * TRIAD_VALUES, TRIAD_VALUES * sizeof *logits);
        logits[codes[c->position % c->inputs->shape.counts[0]] % TRIAD_VALUES] += 2;
    }
    return 0;
}

/* ---- decoder; output: the number of finished ids, then samples ----------------------------------------------------------------------- */

static uint64_t sound_bytes(const void *m, const nx_shape *shape) {
    (void)m;
    return 4 + 8 * (uint64_t)shape->counts[0];
}

static int speak(const void *m, const nx_inputs *inputs, uint32_t slice, void *output, void *scratch) {
    uint32_t n = inputs->shape.counts[0], *done = output, *sound = done + 1;
    const uint32_t *ids = inputs->port[0];
    const float *const *weight = m;
    (void)scratch;
    if (slice >= n) return 0;
    for (uint32_t k = 0; k < 2; k++)
        sound[2 * slice + k] =
            triad_sample(slice ? ids[slice - 1] : 0, ids[slice], slice + 1 < n ? ids[slice + 1] : 0, (*weight)[2 * ids[slice] + k]);
    *done = slice + 1;
    return slice + 1 < n;
}

static const void *sound_result(const void *m, const nx_shape *shape, const void *output, uint32_t index, uint32_t *count) {
    const uint32_t *done = output, n = shape->counts[0];
    (void)m, (void)index;
    *count = 2 * (*done < n ? *done : n);
    return done + 1;
}

/* ---- the file ------------------------------------------------------------------------------------------------------------------------------ */

/* Reads the plan of a part that has a single table, `name`. */
static const float **read_part(nx_reader *r, uint32_t part, const char *name, uint32_t cols) {
    const float **placed = nx_arena_take(r->arena, sizeof *placed);
    r->part = part;
    const float *table = nx_read_table(r, name, TRIAD_VALUES, cols);
    if (placed) *placed = table;
    return placed;
}

static nx_port port_of(const char *name, uint32_t values, uint32_t most) {
    return (nx_port){.name = name, .values = values, .dims = {most, 1, 1, 1}, .any_length = 1, .like = NX_NONE};
}

static void configure(nx_reader *r, nx_plan *plans) {
    nx_plan *p = plans + TRIAD_ENCODER;
    *p = (nx_plan){.weights = read_part(r, TRIAD_ENCODER, "enc.weight", 2), .encodes = 1, .n_inputs = 1, .n_results = 2};
    p->inputs[0] = port_of("sound", TRIAD_LEVELS, TRIAD_SOUND);
    p->results[TRIAD_OF_CODES] = (nx_result){.name = "codes", .values = TRIAD_VALUES, .dims = {TRIAD_CODES, 1, 1, 1}, .rows = NX_ROWS_COUNTED};
    p->results[TRIAD_OF_LEVELS] = (nx_result){.name = "levels", .dims = {TRIAD_CODES, 2, 1, 1}, .rows = NX_ROWS_OF_RESULT, .rows_of = TRIAD_OF_CODES};
    p = plans + TRIAD_PRIOR;
    *p = (nx_plan){.weights = read_part(r, TRIAD_PRIOR, "prior.weight", TRIAD_VALUES), .encodes = 1, .n_inputs = 1, .rewinds = NX_COLUMNS};
    p->output = (nx_output){.kind = NX_CATEGORICAL, .values = TRIAD_VALUES, .elements = 1};
    p->inputs[0] = port_of("codes", TRIAD_VALUES, TRIAD_CODES);
    p = plans + TRIAD_DECODER;
    *p = (nx_plan){.weights = read_part(r, TRIAD_DECODER, "dec.weight", 2), .encodes = 1, .n_inputs = 1, .n_results = 1};
    p->inputs[0] = port_of("prior", TRIAD_VALUES, TRIAD_CODES);
    p->results[0] = (nx_result){.name = "sound", .values = TRIAD_LEVELS, .dims = {TRIAD_CODES, 2, 1, 1}, .rows = NX_ROWS_OF_INPUT};
}

static const nx_part parts[TRIAD_PARTS] = {
    {.name = "encoder", .encoder_output_bytes = codes_bytes, .scratch_bytes = scratch_bytes, .encode = read_sound, .result = codes_result},
    {.name = "prior", .encoder_output_bytes = copy_bytes, .state_bytes = state_bytes, .scratch_bytes = scratch_bytes, .encode = copy_codes, .forward = predict},
    {.name = "decoder", .encoder_output_bytes = sound_bytes, .scratch_bytes = scratch_bytes, .encode = speak, .result = sound_result},
};

const nx_arch nx_triad = {.name = "triad", .n_parts = TRIAD_PARTS, .parts = parts, .configure = configure};

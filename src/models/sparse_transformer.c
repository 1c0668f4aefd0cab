/* SPDX-License-Identifier: MIT
 *
 * Sparse Transformer [Child, Gray, Radford, Sutskever 2019, arXiv:1904.10509] for grey pictures, texts and music: a decoder whose heads see
 * about sqrt(n) of the n positions before them. The work of attention in a step is therefore proportional to sqrt(n), not to n. For the
 * blocks and their patterns, see layers/sparse_blocks.h. This file adds the input and the output:
 *
 *   x = e[id] + row[i / w] + column[i % w]        blocks        W_out LN(x) + b
 *
 * The tables of positions are learned. A picture of width w has a table of its rows and a table of its columns. A text is divided into
 * blocks of w = l positions; one table has a row for each block, and the other has a row for each position within a block. Music is a text
 * of notes, with three additional tables of positions (sparse_transformer/notes.h).
 *
 * In a picture, position p reads pixel p - 1 (position 0 reads none) and corresponds to position p of the pattern. In a text, position p >
 * 0 reads id p - 1 and corresponds to position p - 1 of the pattern. The first id is given, and position 0 predicts nothing (as for other
 * text models, see layers/decoder.h).
 *
 * Letters: n: number of positions of the pattern. d: width of the model. V: number of values. P: number of parameters of the output.
 * J: number of columns of a pass.
 */
#include "layers/sparse_blocks.h"
#include "models/sparse_transformer/notes.h"

#include <string.h>

#include "kernels/kernels.h"
#include "layers/pictures.h"

#define ARCH "sparse-transformer"
#define MAX_CONTEXT 1048576

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

typedef struct {
    nx_sparse_blocks blocks;
    uint32_t width; /* w */
    nx_output output;
    nx_embedding values, rows, columns; /* shapes (V, d), (n / w, d), (w, d) */
    nx_norm last;                       /* shape (d) */
    nx_linear head;                     /* shape (P, d) */
    nx_notes notes;                     /* used for music, otherwise zeros */
} model;

static int is_text(const model *m) { return m->blocks.behind > 0; }
static int is_music(const model *m) { return m->notes.values > 0; }

/* Reads a picture's size and values. Returns the number of its pixels. */
static uint32_t read_picture(nx_reader *r, model *m) {
    uint32_t height = nx_read_u32(r, KEY("image.height"), 1, NX_MAX_SIDE, NX_REQUIRED);
    m->width = nx_read_u32(r, KEY("image.width"), 1, NX_MAX_SIDE, NX_REQUIRED);
    nx_read_u32(r, KEY("image.channels"), 1, 1, 1);
    nx_read_levels(r, ARCH, NX_DISCRETE_KINDS, &m->output);
    return height * m->width;
}

static void configure(nx_reader *r, nx_plan *plan) {
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    m->output = (nx_output){.kind = NX_CATEGORICAL, .elements = 1};
    m->blocks.behind = !nx_has_key(r, KEY("image.height"));
    uint32_t positions;
    r->packing = NX_BY_BLOCK; /* layer norms before each linear map leave outliers, for which rounding by row is not accurate enough */
    if (is_text(m)) {
        positions = nx_read_u32(r, KEY("context_length"), 1, MAX_CONTEXT, NX_REQUIRED);
        m->output.values = nx_read_vocabulary(r, "token_embd.weight");
    } else {
        positions = read_picture(r, m);
    }
    nx_sparse_blocks_read(r, &m->blocks, ARCH, "", positions);
    uint32_t d = m->blocks.d;
    if (is_text(m)) m->width = m->blocks.pattern.stride;
    if (r->status) return; /* the width may be zero if reading has failed */
    m->values = nx_read_embedding(r, "token_embd.weight", m->output.values, d);
    m->rows = nx_read_embedding(r, "position_row.weight", (positions - 1) / m->width + 1, d);
    m->columns = nx_read_embedding(r, "position_col.weight", m->width, d);
    m->last = nx_read_named_norm(r, "output_norm", d);
    m->head = nx_read_named_linear(r, "output", nx_output_parameters(&m->output), d);
    if (is_text(m) && nx_has_key(r, KEY("time_length"))) nx_notes_read(r, &m->notes, ARCH, m->output.values, d);

    plan->weights = placed;
    plan->output = m->output;
    plan->length = positions + m->blocks.behind;
    plan->rewinds = NX_SPARSE_SPARE;
    nx_plan_hidden(plan, m->blocks.n_blocks, d);
    plan->maps[plan->n_maps++] = nx_sparse_blocks_map(&m->blocks);
    if (is_text(m)) nx_read_ends(r, plan);
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

/* Returns the size of the state: the caches of all blocks and, for music, the state of the notes. */
static uint64_t state_bytes(const void *opaque, const nx_shape *shape) {
    const model *m = opaque;
    uint64_t caches = nx_sparse_blocks_state_bytes(&m->blocks, shape->length);
    return is_music(m) ? caches + nx_notes_bytes(&m->notes, shape->length) : caches;
}

typedef struct {
    float *x, *y;       /* shape (J, d); x: the residual stream, y: rows to add to the stream */
    void *blocks, *end; /* scratch memory: of the blocks, and of the last matrix product */
    uint64_t bytes;
} scratch;

static scratch scratch_at(const model *m, void *memory, uint32_t n) {
    nx_arena arena = {memory, 0, UINT64_MAX};
    scratch s;
    s.x = nx_arena_columns(&arena, n, m->blocks.d);
    s.y = nx_arena_columns(&arena, n, m->blocks.d);
    s.blocks = nx_arena_take(&arena, nx_sparse_blocks_scratch_bytes(&m->blocks, n));
    s.end = nx_arena_take(&arena, nx_input_bytes(m->blocks.d, n));
    s.bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t n) {
    (void)shape;
    return scratch_at(opaque, NULL, n).bytes;
}

/* ---- a pass ---------------------------------------------------------------------------------------------------------- */

static uint32_t pass_end(const void *opaque, uint32_t position) { return is_text(opaque) && position == 0 ? 1 : UINT32_MAX; }

static void embed(const model *m, float *x, float *y, const nx_column *column) {
    uint32_t at = column->position - m->blocks.behind, d = m->blocks.d;
    nx_embed(x, &m->rows, at / m->width);
    nx_embed(y, &m->columns, at % m->width);
    nx_add(x, y, d, 1);
    if (column->position == 0) return;
    uint32_t id = column->ids[column->position - 1];
    nx_embed(y, &m->values, id);
    nx_add(x, y, d, 1);
    if (!is_music(m)) return;
    uint64_t caches = nx_sparse_blocks_state_bytes(&m->blocks, column->inputs->shape.length);
    nx_notes_add(&m->notes, (uint8_t *)column->state + caches, at, id, x, y, d);
}

/* Computes position 0 of a text: all ids are equally probable, and all attention is on the start. */
static void start(const model *m, const nx_column *columns, uint32_t n, float *parameters) {
    nx_map map = nx_sparse_blocks_map(&m->blocks);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t keys = nx_map_keys(&map, &columns[j].inputs->shape), values = nx_stride(m->output.values);
        if (parameters) memset(parameters + (size_t)j * values, 0, values * sizeof *parameters);
        for (uint32_t row = 0; columns[j].maps && row < map.rows; row++) columns[j].maps[(size_t)row * keys] = 1;
    }
    for (uint32_t layer = 0; layer <= m->blocks.n_blocks; layer++) nx_keep_hidden(columns, n, layer, NULL, m->blocks.d);
}

static int forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *memory) {
    const model *m = opaque;
    uint32_t stride = nx_stride(m->blocks.d);
    (void)slice; /* a pass is short, so it has one slice */
    if (is_text(m) && columns[0].position == 0) {
        start(m, columns, n, parameters);
        return 0;
    }
    scratch s = scratch_at(m, memory, n);
    for (uint32_t j = 0; j < n; j++) embed(m, s.x + (size_t)j * stride, s.y, columns + j);
    nx_sparse_blocks_apply(&m->blocks, s.x, columns, n, s.blocks);
    if (!parameters) return 0;
    nx_norm_columns(&m->last, s.x, m->blocks.epsilon, m->blocks.d, n);
    nx_input input = nx_input_of(s.x, n, s.end);
    nx_apply(parameters, &m->head, &input);
    return 0;
}

static uint32_t keys(const void *opaque, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *list) {
    (void)shape, (void)map;
    return nx_sparse_blocks_keys(&((const model *)opaque)->blocks, row, position, list);
}

static const nx_part part = {
    .state_bytes = state_bytes,
    .scratch_bytes = scratch_bytes,
    .pass_end = pass_end,
    .forward = forward,
    .keys = keys,
};

const nx_arch nx_sparse_transformer = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure};

/* SPDX-License-Identifier: MIT  See prior.h. */
#include "prior.h"

#include <string.h>

#include "kernels/kernels.h"

#define MAX_UNITS 6

/* ---- the file ------------------------------------------------------------------------------------------------------------ */

static nx_name tensor(const char *name, const char *rest) { return nx_key(name, rest); }

static uint32_t add_port(nx_plan *plan, const char *name, uint32_t values) {
    plan->inputs[plan->n_inputs] = (nx_port){.name = name, .values = values, .dims = {1, 1, 1, 1}, .optional = 1, .like = NX_NONE};
    return plan->n_inputs++;
}

void nx_prior_read(nx_reader *r, nx_prior *p, nx_plan *plan, const char *arch, const char *name, uint32_t positions, uint32_t values,
                   uint32_t classes, uint32_t speakers) {
    p->class_port = p->speaker_port = p->above_port = NX_NONE;
    p->values = values;
    r->packing = NX_BY_BLOCK;
    nx_sparse_blocks_read(r, &p->blocks, nx_key(arch, name).text, tensor(name, "").text, positions);
    if (r->status) return; /* the stride may be zero if reading has failed */
    uint32_t d = p->blocks.d, l = p->blocks.pattern.stride;
    p->codes = nx_read_embedding(r, tensor(name, "token_embd.weight").text, values, d);
    p->rows = nx_read_embedding(r, tensor(name, "position_row.weight").text, (positions - 1) / l + 1, d);
    p->columns = nx_read_embedding(r, tensor(name, "position_col.weight").text, l, d);
    if (classes) {
        p->classes = nx_read_embedding(r, tensor(name, "class_embd.weight").text, classes, d);
        p->class_port = add_port(plan, "class", classes);
    }
    if (speakers) {
        p->speakers = nx_read_embedding(r, tensor(name, "speaker_embd.weight").text, speakers, d);
        p->speaker_port = add_port(plan, "speaker", speakers);
    }
    p->last = nx_read_named_norm(r, tensor(name, "output_norm").text, d);
    p->head = nx_read_named_linear(r, tensor(name, "output").text, values, d);
    plan->output = (nx_output){.kind = NX_CATEGORICAL, .values = values, .elements = 1};
    plan->length = positions;
    plan->rewinds = NX_SPARSE_SPARE;
    plan->maps[plan->n_maps++] = nx_sparse_blocks_map(&p->blocks);
}

void nx_prior_read_above(nx_reader *r, nx_prior *p, nx_plan *plan, const char *arch, const char *name, const char *port, uint32_t codes,
                         uint32_t ratio, uint32_t most) {
    uint32_t d = p->blocks.d, units = nx_read_u32(r, nx_key(arch, "conditioner_units").text, 1, MAX_UNITS, NX_REQUIRED), dilation = 1;
    nx_name cond = tensor(name, "cond.");
    if (!r->status && d > NX_STACK_WIDTH)
        nx_reader_fail(r, NX_E_LIMIT, nx_key(nx_key(arch, name).text, "embedding_length").text, "too large");
    if (r->status) return;
    p->above = nx_read_embedding(r, tensor(name, "cond.token_embd.weight").text, codes, d);
    nx_stack_add(r, &p->stack, cond.text, NX_STACK_THREE, 1, d, d);
    for (uint32_t i = 0; i < units; i++, dilation *= 3) nx_stack_add(r, &p->stack, cond.text, NX_STACK_UNIT, dilation, d, d);
    nx_stack_add(r, &p->stack, cond.text, NX_STACK_UP, ratio, d, d);
    p->norm = nx_read_named_norm(r, tensor(name, "cond.norm").text, d);
    p->above_port = plan->n_inputs;
    plan->inputs[plan->n_inputs++] = (nx_port){.name = port, .values = codes, .dims = {most, 1, 1, 1}, .any_length = 1, .like = NX_NONE};
    plan->encodes = 1;
}

/* ---- conditioning on the codes of the level above ------------------------------------------------------------------------- */

/* Returns the number of positions for which the codes of the level above provide a vector. */
static uint32_t below(const nx_prior *p, const nx_shape *shape) { return nx_stack_length(&p->stack, shape->counts[p->above_port]); }

static void rows_of(const nx_prior *p, const nx_shape *shape, void *output, float *rows[2]) {
    rows[0] = output;
    rows[1] = rows[0] + nx_stack_room(&p->stack, shape->counts[p->above_port]);
}

uint64_t nx_prior_encoder_output_bytes(const void *opaque, const nx_shape *shape) {
    const nx_prior *p = opaque;
    return p->above_port == NX_NONE ? 0 : 2 * nx_stack_room(&p->stack, shape->counts[p->above_port]) * sizeof(float);
}

int nx_prior_encode(const void *opaque, const nx_inputs *inputs, uint32_t slice, void *output, void *scratch) {
    const nx_prior *p = opaque;
    uint32_t n = inputs->shape.counts[p->above_port], d = p->blocks.d;
    float *rows[2];
    rows_of(p, &inputs->shape, output, rows);
    if (slice == 0)
        for (uint32_t i = 0; i < n; i++) nx_embed(rows[0] + (size_t)i * d, &p->above, inputs->port[p->above_port][i]);
    if (slice + 1 < nx_stack_run(&p->stack, n, rows, slice, scratch)) return 1;
    float *x = rows[p->stack.n % 2];
    for (uint32_t i = 0; i < below(p, &inputs->shape); i++, x += d) nx_norm_columns(&p->norm, x, p->blocks.epsilon, d, 1);
    return 0;
}

/* ---- memory ---------------------------------------------------------------------------------------------------------------- */

uint64_t nx_prior_state_bytes(const void *opaque, const nx_shape *shape) {
    return nx_sparse_blocks_state_bytes(&((const nx_prior *)opaque)->blocks, shape->length);
}

typedef struct {
    float *x, *y;       /* shape (J, d); x: the residual stream, y: rows to add to the stream */
    void *blocks, *end; /* scratch memory: of the blocks, and of the last matrix product */
    uint64_t bytes;
} scratch;

static scratch scratch_at(const nx_prior *p, void *memory, uint32_t n) {
    nx_arena arena = {memory, 0, UINT64_MAX};
    uint64_t d_bytes = (uint64_t)n * nx_stride(p->blocks.d) * 4;
    scratch s;
    s.x = nx_arena_take(&arena, d_bytes);
    s.y = nx_arena_take(&arena, d_bytes);
    s.blocks = nx_arena_take(&arena, nx_sparse_blocks_scratch_bytes(&p->blocks, n));
    s.end = nx_arena_take(&arena, nx_input_bytes(p->blocks.d, n));
    s.bytes = arena.used;
    return s;
}

uint64_t nx_prior_scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t n) {
    const nx_prior *p = opaque;
    uint64_t bytes = scratch_at(p, NULL, n).bytes, stack = p->above_port == NX_NONE ? 0 : nx_stack_scratch_bytes(&p->stack);
    (void)shape;
    return stack > bytes ? stack : bytes;
}

/* ---- a pass ---------------------------------------------------------------------------------------------------------------- */

/* Adds a row of a table to x. */
static void add_row(float *x, float *y, const nx_embedding *table, uint32_t row) {
    nx_embed(y, table, row);
    nx_add(x, y, table->cols, 1);
}

static void embed(const nx_prior *p, float *x, float *y, const nx_column *column) {
    uint32_t at = column->position, d = p->blocks.d, l = p->blocks.pattern.stride;
    const nx_inputs *inputs = column->inputs;
    nx_embed(x, &p->rows, at / l);
    add_row(x, y, &p->columns, at % l);
    if (at) add_row(x, y, &p->codes, column->ids[at - 1]);
    if (p->class_port != NX_NONE && inputs->port[p->class_port]) add_row(x, y, &p->classes, *inputs->port[p->class_port]);
    if (p->speaker_port != NX_NONE && inputs->port[p->speaker_port]) add_row(x, y, &p->speakers, *inputs->port[p->speaker_port]);
    if (p->above_port == NX_NONE || at >= below(p, &inputs->shape)) return;
    float *rows[2];
    rows_of(p, &inputs->shape, (void *)column->encoder_output, rows);
    nx_add(x, rows[p->stack.n % 2] + (size_t)at * d, d, 1);
}

int nx_prior_forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *memory) {
    const nx_prior *p = opaque;
    scratch s = scratch_at(p, memory, n);
    uint32_t stride = nx_stride(p->blocks.d);
    (void)slice; /* a pass is short, so it has one slice */
    for (uint32_t j = 0; j < n; j++) embed(p, s.x + (size_t)j * stride, s.y, columns + j);
    nx_sparse_blocks_apply(&p->blocks, s.x, columns, n, s.blocks);
    if (!parameters) return 0;
    nx_norm_columns(&p->last, s.x, p->blocks.epsilon, p->blocks.d, n);
    nx_input input = nx_input_of(s.x, n, s.end);
    nx_apply(parameters, &p->head, &input);
    return 0;
}

uint32_t nx_prior_keys(const void *opaque, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *keys) {
    (void)shape, (void)map;
    return nx_sparse_blocks_keys(&((const nx_prior *)opaque)->blocks, row, position, keys);
}

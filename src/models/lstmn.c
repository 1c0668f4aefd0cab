/* SPDX-License-Identifier: MIT
 *
 * The long short-term memory-network [Cheng, Dong, Lapata 2016, arXiv:1601.06733]: an LSTM with two tapes, which store the hidden state and
 * the cell of every word read so far. A plain LSTM uses only the previous state; this network attends to all states:
 *
 *   a_i  = v . tanh(W_h h_i + W_x x_t + W_s s_t-1),  i < t                        eq. 5
 *   p    = softmax of a                                                            eq. 6
 *   s_t  = sum of p_i h_i,  r_t = sum of p_i c_i                                   eq. 7; nothing before the first word: zeros
 *   i, f, o, g = sigma, sigma, sigma, tanh of W [s_t; x_t] + b                     eq. 8
 *   c_t  = sigma(f) r_t + sigma(i) tanh(g),  h_t = sigma(o) tanh(c_t)              eq. 9, 10
 *
 * The paper writes s and r as h and c with a tilde; s_0 = 0. If all attention is on i = t-1, the network is a plain LSTM. x_t is the word's
 * row in the table E times sqrt(d). The logits of the next id are E h_t.
 *
 * W_h h_i is stored with h_i. A word therefore takes three matrix products. Each earlier word adds 3 d multiply-adds and d evaluations of
 * tanh.
 *
 * As in decoders (layers/decoder.h), the first id is given. Position p > 0 reads id p-1, which is word t = p, and writes slot p of the
 * tape. Slot 0 is a row of zeros, which is part of the softmax if tape_start is "zero".
 *
 * Letters: T: largest number of positions. d: width of a word. V: number of ids in the vocabulary. J: number of columns of a pass.
 */
#include <string.h>

#include "attention/scores.h"
#include "kernels/cells.h"
#include "kernels/kernels.h"
#include "layers/decoder.h"
#include "reader.h"

#define ARCH "lstmn"

typedef struct {
    nx_decoder decoder;            /* d, V, and the table of ids, which is also the output matrix; its caches are not used */
    nx_matrix of_tape, of_x, of_s; /* shape (d, d): W_h, W_x, W_s */
    const float *v;                /* shape (d) */
    nx_linear cell;                /* shape (4d, 2d), applied to [s; x]; gates i, f, o, g */
    uint32_t first;                /* first slot of the tape in the softmax: 0 or 1 */
    float root;                    /* sqrt(d) */
} model;

static void configure(nx_reader *r, nx_plan *plan) {
    static const char *const starts[] = {"none", "zero"};
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    r->packing = NX_BY_BLOCK;
    uint32_t context = nx_read_u32(r, KEY("context_length"), 1, 65536, NX_REQUIRED);
    uint32_t d = m->decoder.d = nx_read_width(r, KEY("embedding_length"), 4096, NX_REQUIRED);
    m->first = !nx_read_choice(r, KEY("tape_start"), starts, 2);
    m->root = wasm_f32x4_extract_lane(wasm_f32x4_sqrt(wasm_f32x4_splat((float)d)), 0);
    m->decoder.n_blocks = m->decoder.heads = 1;
    nx_decoder_read(r, &m->decoder);
    m->of_tape = nx_read_matrix(r, "attn_h.weight", d, d);
    m->of_x = nx_read_matrix(r, "attn_x.weight", d, d);
    m->of_s = nx_read_matrix(r, "attn_summary.weight", d, d);
    m->v = nx_read_vector(r, "attn_v.weight", d, 0);
    m->cell = nx_read_named_linear(r, "cell", 4 * d, 2 * d);
    plan->weights = placed;
    nx_decoder_plan(r, &m->decoder, context, plan);
}

/* ---- the tape, and the scratch of a pass --------------------------------------------------------------------------------- */

/* The tape of a sequence: arrays of h, c, W_h h and s, each with T + 1 slots. */
typedef struct {
    float *h, *c, *key, *s;
    uint64_t bytes;
} tape;

static tape tape_at(const model *m, const nx_shape *shape, void *state) {
    uint64_t size = (shape->length + 1ull) * nx_stride(m->decoder.d) * sizeof(float);
    nx_arena arena = {state, 0, UINT64_MAX};
    tape t;
    t.h = nx_arena_take(&arena, size);
    t.c = nx_arena_take(&arena, size);
    t.key = nx_arena_take(&arena, size);
    t.s = nx_arena_take(&arena, size);
    t.bytes = arena.used;
    return t;
}

static uint64_t state_bytes(const void *opaque, const nx_shape *shape) { return tape_at(opaque, shape, NULL).bytes; }

static void grow(const void *m, const nx_shape *from_shape, const void *from, const nx_shape *to_shape, void *to) {
    tape old = tape_at(m, from_shape, (void *)from), grown = tape_at(m, to_shape, to);
    size_t bytes = (from_shape->length + 1ull) * nx_stride(((const model *)m)->decoder.d) * sizeof(float);
    memcpy(grown.h, old.h, bytes);
    memcpy(grown.c, old.c, bytes);
    memcpy(grown.key, old.key, bytes);
    memcpy(grown.s, old.s, bytes);
}

typedef struct {
    float *x, *s;         /* shape (J, d); x: the embedded words, s: s_t-1 */
    float *query, *added; /* shape (J, d): W_x x + W_s s */
    float *joined;        /* shape (J, 2d): [s; x] */
    float *gates;         /* shape (J, 4d) */
    float *h, *c, *key;   /* shape (J, d) */
    float *weights;       /* shape (T + 4) */
    void *matmul;
    uint64_t bytes;
} scratch;

static scratch scratch_at(const model *m, const nx_shape *shape, void *memory, uint32_t n) {
    uint32_t d = m->decoder.d;
    nx_arena arena = {memory, 0, UINT64_MAX};
    scratch s;
    s.x = nx_arena_columns(&arena, n, d);
    s.s = nx_arena_columns(&arena, n, d);
    s.query = nx_arena_columns(&arena, n, d);
    s.added = nx_arena_columns(&arena, n, d);
    s.h = nx_arena_columns(&arena, n, d);
    s.c = nx_arena_columns(&arena, n, d);
    s.key = nx_arena_columns(&arena, n, d);
    s.joined = nx_arena_columns(&arena, n, 2 * d);
    s.gates = nx_arena_columns(&arena, n, 4 * d);
    s.weights = nx_arena_columns(&arena, 1, shape->length + 4);
    s.matmul = nx_arena_take(&arena, nx_input_bytes(2 * d, n));
    s.bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t n) { return scratch_at(opaque, shape, NULL, n).bytes; }

/* ---- a step ---------------------------------------------------------------------------------------------------------------- */

/* Computes s_t, r_t and the attention weights of a column from the query of its word. */
static void remember(const model *m, const nx_column *column, const float *query, float *s, float *r, float *weights) {
    uint32_t d = m->decoder.d;
    tape t = tape_at(m, &column->inputs->shape, column->state);
    nx_window past = {m->first, column->position};
    nx_score_additive(weights, query, t.key, m->v, d, past);
    nx_score_softmax(weights, past);
    nx_score_sum(s, weights, t.h, d, past);
    nx_score_sum(r, weights, t.c, d, past);
    if (!column->maps) return;
    memcpy(column->maps, weights + past.from, (past.to - past.from) * sizeof *weights);
    column->maps[past.to - past.from] = 0; /* a word does not attend to itself */
}

/* Computes one word of each of n sequences. h: shape (J, d), written. */
static void step(const model *m, const nx_column *columns, uint32_t n, const scratch *s, float *h) {
    uint32_t d = m->decoder.d, width = nx_stride(d), wide = nx_stride(2 * d);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t p = columns[j].position;
        tape t = tape_at(m, &columns[j].inputs->shape, columns[j].state);
        float *x = s->x + (size_t)j * width;
        nx_decoder_embed(&m->decoder, s->added, columns[j].ids[p - 1]);
        memset(x, 0, d * sizeof *x);
        nx_add_scaled(x, s->added, m->root, d);
        memcpy(s->joined + (size_t)j * wide + d, x, d * sizeof *x);
        memset(s->s + (size_t)j * width, 0, d * sizeof *x);
        if (p > 1) memcpy(s->s + (size_t)j * width, t.s + (size_t)(p - 1) * width, d * sizeof *x);
    }
    nx_input input = nx_input_of(s->x, n, s->matmul);
    nx_matmul(s->query, &m->of_x, NULL, &input);
    input = nx_input_of(s->s, n, s->matmul);
    nx_matmul(s->added, &m->of_s, NULL, &input);
    nx_add(s->query, s->added, d, n);
    for (uint32_t j = 0; j < n; j++)
        remember(m, columns + j, s->query + (size_t)j * width, s->joined + (size_t)j * wide, s->c + (size_t)j * width, s->weights);
    input = nx_input_of(s->joined, n, s->matmul);
    nx_apply(s->gates, &m->cell, &input);
    nx_lstm(h, s->c, s->gates, d, n);
    nx_keep_hidden(columns, n, 0, s->x, d);
    nx_keep_hidden(columns, n, 1, h, d);
    input = nx_input_of(h, n, s->matmul);
    nx_matmul(s->key, &m->of_tape, NULL, &input);
    for (uint32_t j = 0; j < n; j++) {
        tape t = tape_at(m, &columns[j].inputs->shape, columns[j].state);
        size_t slot = (size_t)columns[j].position * width, column = (size_t)j * width;
        memcpy(t.h + slot, h + column, d * sizeof *h);
        memcpy(t.c + slot, s->c + column, d * sizeof *h);
        memcpy(t.key + slot, s->key + column, d * sizeof *h);
        memcpy(t.s + slot, s->joined + (size_t)j * wide, d * sizeof *h);
    }
}

/* Computes columns of different sequences together, and columns of the same sequence one by one. */
static int forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *memory) {
    const model *m = opaque;
    scratch s = scratch_at(m, &columns[0].inputs->shape, memory, n);
    (void)slice; /* a pass is short, so it has one slice */
    if (columns[0].position == 0) {
        nx_decoder_start(&m->decoder, columns, n, parameters);
        return 0;
    }
    for (uint32_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && columns[to].state != columns[to - 1].state;) to++;
        step(m, columns + from, to - from, &s, s.h + (size_t)from * nx_stride(m->decoder.d));
    }
    if (!parameters) return 0;
    nx_input input = nx_input_of(s.h, n, s.matmul);
    nx_matmul(parameters, &m->decoder.head, NULL, &input);
    return 0;
}

/* At position p > 0, word p-1 attends to the words before it, whose keys are 1..p-1, as in decoders. If the tape begins with a row of
 * zeros, the word also attends to this row, which is key 0. The word itself is key p; it is listed, but its weight is zero. */
static uint32_t keys(const void *opaque, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *list) {
    const model *m = opaque;
    uint32_t first = position ? m->first : 0;
    (void)shape, (void)map, (void)row;
    for (uint32_t i = first; i <= position; i++) list[i - first] = i;
    return position + 1 - first;
}

static const nx_part part = {
    .state_bytes = state_bytes,
    .grow = grow,
    .scratch_bytes = scratch_bytes,
    .pass_end = nx_decoder_pass_end,
    .forward = forward,
    .keys = keys,
};

const nx_arch nx_lstmn = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure, .streams = 1};

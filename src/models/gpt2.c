/* SPDX-License-Identifier: MIT
 *
 * GPT-2 [Radford et al. 2019, "Language models are unsupervised multitask learners", section 2.3], a decoder of
 *
 *   x = e[id] + p[position],   x = x + W_o attention(norm(x)) + b_o,   x = x + W_down gelu(W_up norm(x) + b_up) + b_down
 *
 * with layer norms [Ba, Kiros, Hinton 2016] before each map and after the last block, learned positions, and the queries, keys and
 * values of all heads from one matrix.
 *
 * The first id, which begins a text, is given: nothing comes before it, and position 0 tells nothing (all ids are equally
 * probable). Position p > 0 reads id p - 1, whose place among the learned positions is p - 1; so the last of T learned
 * positions still tells what comes after it, at position T.
 *
 * Letters: T learned positions, d width of the model, H heads of width k = d / H, F inner width of the feed-forward network, V
 * ids, N blocks; J is the number of columns of a pass.
 */
#include <string.h>

#include "arch.h"
#include "attention/attention.h"
#include "kernels/kernels.h"
#include "models/layers.h"
#include "reader.h"

#define KEY(name) "gpt2." name
#define MAX_CONTEXT 131072

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

typedef struct {
    nx_norm before_attention, before_inner;
    nx_linear qkv;      /* (3 d, d): queries, keys, values, of each all heads */
    nx_linear output;   /* (d, d) */
    nx_linear up, down; /* (F, d), (d, F) */
} block;

typedef struct {
    uint32_t d, heads, key_length, inner, n_blocks;
    float epsilon;
    nx_output distribution;
    nx_embedding ids;       /* (V, d) without data when tied */
    nx_embedding positions; /* (T, d) */
    nx_matrix head;         /* (V, d); tied: its rows are the ids' embeddings too */
    int tied;
    const block *blocks; /* (N) */
    nx_norm last;
} model;

/* ---- configure ------------------------------------------------------------------------------------------------------- */

static const block *read_blocks(nx_reader *r, const model *m) {
    block *blocks = nx_arena_take(r->arena, m->n_blocks * sizeof *blocks), unplaced;
    for (uint32_t i = 0; i < m->n_blocks && !r->status; i++) {
        block *b = blocks ? blocks + i : &unplaced;
        b->before_attention = nx_read_norm(r, "", i, "attn_norm", m->d);
        b->qkv = nx_read_linear(r, "", i, "attn_qkv", 3 * m->d, m->d);
        b->output = nx_read_linear(r, "", i, "attn_output", m->d, m->d);
        b->before_inner = nx_read_norm(r, "", i, "ffn_norm", m->d);
        b->up = nx_read_linear(r, "", i, "ffn_up", m->inner, m->d);
        b->down = nx_read_linear(r, "", i, "ffn_down", m->d, m->inner);
    }
    return blocks;
}

static void configure(nx_reader *r, nx_plan *plan) {
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    r->packing = NX_BY_BLOCK;
    uint32_t context = nx_read_u32(r, KEY("context_length"), 1, MAX_CONTEXT, NX_REQUIRED);
    m->n_blocks = nx_read_u32(r, KEY("block_count"), 1, 256, NX_REQUIRED);
    m->d = nx_read_u32(r, KEY("embedding_length"), 4, 16384, NX_REQUIRED);
    m->inner = nx_read_u32(r, KEY("feed_forward_length"), 4, 65536, 4 * m->d);
    m->heads = nx_read_u32(r, KEY("attention.head_count"), 1, 256, NX_REQUIRED);
    m->key_length = m->d / m->heads;
    m->epsilon = nx_read_f32(r, KEY("attention.layer_norm_epsilon"), 0, 1, 1e-5f);
    if (m->d % m->heads) nx_reader_fail(r, NX_E_FORMAT, KEY("attention.head_count"), "it does not divide the width of the model");
    if (m->key_length % 4 || m->key_length > NX_MAX_KEY_LENGTH || !m->key_length)
        nx_reader_fail(r, NX_E_UNSUPPORTED, KEY("attention.head_count"), "the width of a head is not a multiple of 4, or too large");
    if (m->inner % 4) nx_reader_fail(r, NX_E_UNSUPPORTED, KEY("feed_forward_length"), "a width is not a multiple of 4");

    uint32_t values = nx_read_vocabulary(r, "token_embd.weight");
    m->distribution = (nx_output){.kind = NX_CATEGORICAL, .levels = values, .elements = 1};
    m->tied = !nx_tensor_rows(r, "output.weight");
    if (!m->tied) m->ids = nx_read_embedding(r, "token_embd.weight", values, m->d);
    m->positions = nx_read_embedding(r, "position_embd.weight", context, m->d);
    m->blocks = read_blocks(r, m);
    m->last.gain = nx_read_vector(r, "output_norm.weight", m->d, 0);
    m->last.shift = nx_read_vector(r, "output_norm.bias", m->d, 0);
    m->head = nx_read_matrix(r, m->tied ? "token_embd.weight" : "output.weight", values, m->d);

    plan->weights = placed;
    plan->output = m->distribution;
    plan->length = context + 1;
    plan->rewinds = plan->length;
    nx_read_ends(r, plan);
    plan->maps[plan->n_maps++] = (nx_map){.name = "attention", .port = NX_NONE, .rows = m->n_blocks * m->heads, .keys = plan->length};
}

/* ---- memory: caches of keys and values, and the scratch of a pass ---------------------------------------------------- */

static nx_cache_form cache_form(const model *m) { return nx_cache_form_of(&m->blocks[0].qkv.weight, m->heads, m->key_length, 1); }

static uint64_t state_bytes(const void *opaque, const nx_shape *shape) {
    const model *m = opaque;
    return m->n_blocks * nx_cache_form_bytes(cache_form(m), shape->length);
}

/* Id p - 1 stands in slot p - 1. */
static nx_cache cache_at(const model *m, const nx_column *column, uint32_t index) {
    return nx_cache_of_block(cache_form(m), column->state, index, column->inputs->shape.length);
}

typedef struct {
    float *x, *y, *normed; /* (J, d) the residual stream, a sublayer's output, its input */
    float *qkv;            /* (J, 3 d) */
    float *mixed;          /* (J, d) */
    float *inner;          /* (J, F) */
    void *attend, *matmul;
} scratch;

static scratch scratch_at(const model *m, const nx_shape *shape, void *memory, uint32_t n, uint64_t *bytes) {
    nx_arena arena = {memory, 0, UINT64_MAX};
    uint64_t d_bytes = (uint64_t)n * nx_stride(m->d) * 4;
    scratch s;
    s.x = nx_arena_take(&arena, d_bytes);
    s.y = nx_arena_take(&arena, d_bytes);
    s.normed = nx_arena_take(&arena, d_bytes);
    s.qkv = nx_arena_take(&arena, (uint64_t)n * nx_stride(3 * m->d) * 4);
    s.mixed = nx_arena_take(&arena, d_bytes);
    s.inner = nx_arena_take(&arena, (uint64_t)n * nx_stride(m->inner) * 4);
    s.attend = nx_arena_take(&arena, nx_attend_scratch_bytes(shape->length, 1));
    s.matmul = nx_arena_take(&arena, nx_input_bytes(m->inner > m->d ? m->inner : m->d, n));
    if (bytes) *bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t n) {
    uint64_t bytes;
    scratch_at(opaque, shape, NULL, n, &bytes);
    return bytes;
}

/* ---- a pass ---------------------------------------------------------------------------------------------------------- */

static nx_input normed(const model *m, const scratch *s, const nx_norm *by, uint32_t n) {
    memcpy(s->normed, s->x, (size_t)n * nx_stride(m->d) * sizeof *s->x);
    nx_layer_norm(s->normed, by->gain, by->shift, m->epsilon, m->d, n);
    return nx_input_of(s->normed, n, s->matmul);
}

static void attention(const model *m, const block *b, uint32_t index, const scratch *s, const nx_column *columns, uint32_t n) {
    uint32_t width = nx_stride(3 * m->d), d = m->d;
    nx_input input = normed(m, s, &b->before_attention, n);
    nx_apply(s->qkv, &b->qkv, &input);
    nx_cache cache[NX_COLUMNS];
    for (uint32_t j = 0; j < n; j++) {
        const float *qkv = s->qkv + (size_t)j * width;
        cache[j] = cache_at(m, columns + j, index);
        nx_cache_write(&cache[j], columns[j].position - 1, qkv + d, qkv + 2 * d);
    }
    for (uint32_t j = 0; j < n; j++) {
        uint32_t window = columns[j].inputs->shape.length;
        nx_run past = {0, columns[j].position};
        float *trace = columns[j].trace ? columns[j].trace + (size_t)index * m->heads * window : NULL;
        nx_attend(s->mixed + (size_t)j * nx_stride(d), s->qkv + (size_t)j * width, &cache[j], &past, 1, s->attend, trace, window);
    }
    nx_input mixed = nx_input_of(s->mixed, n, s->matmul);
    nx_apply(s->y, &b->output, &mixed);
    nx_add(s->x, s->y, d, n);
}

static void feed_forward(const model *m, const block *b, const scratch *s, uint32_t n) {
    nx_input input = normed(m, s, &b->before_inner, n);
    nx_apply(s->inner, &b->up, &input);
    nx_gelu(s->inner, m->inner, n);
    nx_input inner = nx_input_of(s->inner, n, s->matmul);
    nx_apply(s->y, &b->down, &inner);
    nx_add(s->x, s->y, m->d, n);
}

/* Position 0, where nothing has come before, stands alone. */
static uint32_t pass_end(const void *opaque, uint32_t position) {
    (void)opaque;
    return position ? UINT32_MAX : 1;
}

static int forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *memory) {
    const model *m = opaque;
    uint32_t V = nx_stride(m->distribution.levels), d = nx_stride(m->d);
    (void)slice; /* a pass is short */
    if (columns[0].position == 0) {
        for (uint32_t j = 0; j < n; j++) {
            if (parameters) memset(parameters + (size_t)j * V, 0, V * sizeof *parameters);
            for (uint32_t row = 0; columns[j].trace && row < m->n_blocks * m->heads; row++)
                columns[j].trace[(size_t)row * columns[j].inputs->shape.length] = 1; /* all on the start */
        }
        return 0;
    }
    scratch s = scratch_at(m, &columns[0].inputs->shape, memory, n, NULL);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t place = columns[j].position - 1, id = columns[j].ids[place];
        if (m->tied)
            nx_matrix_row(s.x + (size_t)j * d, &m->head, id);
        else
            nx_embed(s.x + (size_t)j * d, &m->ids, id);
        nx_embed(s.y + (size_t)j * d, &m->positions, place);
    }
    nx_add(s.x, s.y, m->d, n);
    for (uint32_t i = 0; i < m->n_blocks; i++) {
        attention(m, m->blocks + i, i, &s, columns, n);
        feed_forward(m, m->blocks + i, &s, n);
    }
    if (!parameters) return 0;
    nx_input input = normed(m, &s, &m->last, n);
    nx_matmul(parameters, &m->head, NULL, &input);
    return 0;
}

/* The ids before this position, counted as the public header says: key j holds id j - 1, key 0 the start. */
static uint32_t keys(const void *opaque, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *list) {
    (void)opaque, (void)shape, (void)map, (void)row;
    list[0] = 0;
    for (uint32_t i = 0; i < position; i++) list[i] = i + 1;
    return position ? position : 1;
}

static const nx_part part = {
    .state_bytes = state_bytes,
    .scratch_bytes = scratch_bytes,
    .pass_end = pass_end,
    .forward = forward,
    .keys = keys,
};

const nx_arch nx_gpt2 = {.name = "gpt2", .n_parts = 1, .parts = &part, .configure = configure, .streams = 1};

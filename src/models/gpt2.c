/* SPDX-License-Identifier: MIT
 *
 * GPT-2 [Radford et al. 2019, "Language models are unsupervised multitask learners", section 2.3], a decoder that computes
 *
 *   x = e[id] + p[position],   x = x + W_o attention(norm(x)) + b_o,   x = x + W_down gelu(W_up norm(x) + b_up) + b_down
 *
 * It has layer norms [Ba, Kiros, Hinton 2016] before each sublayer and after the last block, learned positions, and one matrix for the
 * queries, keys and values of all heads.
 *
 * The first id is given. Position p > 0 reads id p - 1 (layers/decoder.h) and adds learned position p - 1. With T learned positions, the
 * last position that can be predicted is therefore T.
 *
 * Letters: T: number of learned positions. d: width of the model. H: number of heads. k = d / H: width of a head. F: inner width of the
 * feed-forward network. V: number of ids. N: number of blocks. J: number of columns of a pass.
 */
#include <string.h>

#include "arch.h"
#include "attention/attention.h"
#include "kernels/kernels.h"
#include "layers/decoder.h"
#include "layers/layers.h"
#include "reader.h"

#define ARCH "gpt2"
#define MAX_CONTEXT 131072

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

typedef struct {
    nx_norm before_attention, before_inner;
    nx_linear qkv;      /* shape (3 d, d): queries, keys and values of all heads */
    nx_linear output;   /* shape (d, d) */
    nx_linear up, down; /* shapes (F, d), (d, F) */
} block;

typedef struct {
    nx_decoder decoder;
    uint32_t inner;
    float epsilon;
    nx_embedding positions; /* shape (T, d) */
    const block *blocks;    /* shape (N) */
    nx_norm last;
} model;

/* ---- configure ------------------------------------------------------------------------------------------------------- */

static const block *read_blocks(nx_reader *r, const model *m) {
    uint32_t n_blocks = m->decoder.n_blocks, d = m->decoder.d;
    block *blocks = nx_arena_take(r->arena, n_blocks * sizeof *blocks), unplaced;
    for (uint32_t i = 0; i < n_blocks && !r->status; i++) {
        block *b = blocks ? blocks + i : &unplaced;
        b->before_attention = nx_read_norm(r, "", i, "attn_norm", d);
        b->qkv = nx_read_linear(r, "", i, "attn_qkv", 3 * d, d);
        b->output = nx_read_linear(r, "", i, "attn_output", d, d);
        b->before_inner = nx_read_norm(r, "", i, "ffn_norm", d);
        b->up = nx_read_linear(r, "", i, "ffn_up", m->inner, d);
        b->down = nx_read_linear(r, "", i, "ffn_down", d, m->inner);
    }
    return blocks;
}

static void configure(nx_reader *r, nx_plan *plan) {
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    nx_decoder *decoder = &m->decoder;
    r->packing = NX_BY_BLOCK;
    uint32_t context = nx_read_u32(r, KEY("context_length"), 1, MAX_CONTEXT, NX_REQUIRED);
    decoder->n_blocks = nx_read_u32(r, KEY("block_count"), 1, 256, NX_REQUIRED);
    uint32_t d = decoder->d = nx_read_u32(r, KEY("embedding_length"), 4, 16384, NX_REQUIRED);
    m->inner = nx_read_width(r, KEY("feed_forward_length"), 65536, 4 * d);
    decoder->heads = decoder->n_kv_heads = nx_read_u32(r, KEY("attention.head_count"), 1, 256, NX_REQUIRED);
    decoder->key_length = nx_head_width(r, KEY("attention.head_count"), d, decoder->heads);
    m->epsilon = nx_read_f32(r, KEY("attention.layer_norm_epsilon"), 0, 1, 1e-5f);

    nx_decoder_refuse(r, ARCH, 0);
    nx_decoder_read(r, decoder);
    m->positions = nx_read_embedding(r, "position_embd.weight", context, d);
    m->blocks = read_blocks(r, m);
    m->last = nx_read_named_norm(r, "output_norm", d);
    if (m->blocks && !r->status) nx_decoder_cache(decoder, &m->blocks[0].qkv.weight, 0);

    plan->weights = placed;
    nx_decoder_plan(r, decoder, context + 1, plan);
}

/* ---- the scratch memory of a pass ------------------------------------------------------------------------------------- */

typedef struct {
    float *x, *y, *normed; /* shape (J, d); x: the residual stream, y: a sublayer's output, normed: a sublayer's input */
    float *qkv;            /* shape (J, 3 d) */
    float *mixed;          /* shape (J, d) */
    float *inner;          /* shape (J, F) */
    void *attend, *matmul;
    uint64_t bytes;
} scratch;

static scratch scratch_at(const model *m, const nx_shape *shape, void *memory, uint32_t n) {
    nx_arena arena = {memory, 0, UINT64_MAX};
    uint32_t d = m->decoder.d;
    scratch s;
    s.x = nx_arena_columns(&arena, n, d);
    s.y = nx_arena_columns(&arena, n, d);
    s.normed = nx_arena_columns(&arena, n, d);
    s.qkv = nx_arena_columns(&arena, n, 3 * d);
    s.mixed = nx_arena_columns(&arena, n, d);
    s.inner = nx_arena_columns(&arena, n, m->inner);
    s.attend = nx_arena_take(&arena, nx_attend_scratch_bytes(shape->length, 1));
    s.matmul = nx_arena_take(&arena, nx_input_bytes(m->inner > d ? m->inner : d, n));
    s.bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t n) { return scratch_at(opaque, shape, NULL, n).bytes; }

/* ---- a pass ---------------------------------------------------------------------------------------------------------- */

/* Computes norm(x) and returns it as the input of linear maps. */
static nx_input normed(const model *m, const scratch *s, const nx_norm *norm, uint32_t n) {
    memcpy(s->normed, s->x, (size_t)n * nx_stride(m->decoder.d) * sizeof *s->x);
    nx_norm_columns(norm, s->normed, m->epsilon, m->decoder.d, n);
    return nx_input_of(s->normed, n, s->matmul);
}

static void attention(const model *m, const block *b, uint32_t index, const scratch *s, const nx_column *columns, uint32_t n) {
    uint32_t d = m->decoder.d, width = nx_stride(3 * d);
    nx_input input = normed(m, s, &b->before_attention, n);
    nx_apply(s->qkv, &b->qkv, &input);
    nx_qkv qkv = {s->qkv, s->qkv + d, s->qkv + 2 * d, width, width};
    nx_decoder_attend(&m->decoder, index, columns, n, 1, 0, &qkv, s->mixed, s->attend);
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
    nx_add(s->x, s->y, m->decoder.d, n);
}

static int forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *memory) {
    const model *m = opaque;
    uint32_t d = m->decoder.d;
    (void)slice; /* a pass is short, so it has one slice */
    if (columns[0].position == 0) {
        nx_decoder_start(&m->decoder, columns, n, parameters);
        return 0;
    }
    scratch s = scratch_at(m, &columns[0].inputs->shape, memory, n);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t before = columns[j].position - 1;
        nx_decoder_embed(&m->decoder, s.x + (size_t)j * nx_stride(d), columns[j].ids[before]);
        nx_embed(s.y + (size_t)j * nx_stride(d), &m->positions, before);
    }
    nx_add(s.x, s.y, d, n);
    nx_keep_hidden(columns, n, 0, s.x, d);
    for (uint32_t i = 0; i < m->decoder.n_blocks; i++) {
        attention(m, m->blocks + i, i, &s, columns, n);
        feed_forward(m, m->blocks + i, &s, n);
        nx_keep_hidden(columns, n, i + 1, s.x, d);
    }
    if (!parameters) return 0;
    nx_input input = normed(m, &s, &m->last, n);
    nx_matmul(parameters, &m->decoder.head, NULL, &input);
    return 0;
}

static const nx_part part = {
    .state_bytes = nx_decoder_state_bytes,
    .grow = nx_decoder_grow,
    .scratch_bytes = scratch_bytes,
    .pass_end = nx_decoder_pass_end,
    .forward = forward,
    .keys = nx_decoder_keys,
};

const nx_arch nx_gpt2 = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure, .streams = 1};

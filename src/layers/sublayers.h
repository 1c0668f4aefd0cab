/* SPDX-License-Identifier: MIT
 *
 * The blocks of a Transformer [Vaswani et al. 2017, arXiv:1706.03762, section 3.1], as the Transformer and the Image Transformer have them:
 * sublayers of attention and of a feed-forward network, around which the residual stream x goes.
 *
 *   attention(X, M) = W_o concat_h( softmax( (W_q X)_h (W_k M)_h^T / sqrt(k) ) (W_v M)_h )
 *   feed forward:     W_down ReLU(W_up x + b_up) + b_down
 *
 * Norms come after each sublayer ("post"), x = LN(x + f(x)), or before it ("pre"), x = x + f(LN(x)) [Xiong et al. 2020, arXiv:2002.04745].
 *
 * Letters: d width of the model, H heads of width k, F inner width of the feed-forward network, S positions of a source; J is the number of
 * columns of a pass.
 */
#ifndef NX_SUBLAYERS_H
#define NX_SUBLAYERS_H

#include <string.h>

#include "arch.h"
#include "kernels/kernels.h"
#include "models/layers.h"

typedef struct {
    nx_linear query, key, value; /* (H k, d)   W_q W_k W_v */
    nx_linear output;            /* (d, H k)   W_o joins the heads */
    nx_norm norm;                /* (d) */
} nx_attention_weights;

typedef struct {
    nx_linear up, down; /* (F, d), (d, F) */
    nx_norm norm;       /* (d) */
} nx_feed_forward;

typedef struct {
    nx_attention_weights self, cross; /* cross: of a decoder whose blocks attend to a source */
    nx_feed_forward feed_forward;
} nx_block;

/* The form of the blocks of a stack: d, H k and F, whether they have cross-attention, and whether the feed-forward network has to have
 * biases. */
typedef struct {
    uint32_t d, width, inner;
    int cross, biased;
} nx_block_form;

/* names: of the query, key, value and output projections and of the norm. */
static inline void nx_read_attention(nx_reader *r, const char *stack, uint32_t index, nx_attention_weights *w, const char *const *names,
                                     const nx_block_form *form) {
    w->query = nx_read_linear(r, stack, index, names[0], form->width, form->d);
    w->key = nx_read_linear(r, stack, index, names[1], form->width, form->d);
    w->value = nx_read_linear(r, stack, index, names[2], form->width, form->d);
    w->output = nx_read_linear(r, stack, index, names[3], form->d, form->width);
    w->norm = nx_read_norm(r, stack, index, names[4], form->d);
}

/* The n blocks of a stack, "enc." or "". */
static inline const nx_block *nx_read_blocks(nx_reader *r, const char *stack, uint32_t n, const nx_block_form *form) {
    static const char *const self[] = {"attn_q", "attn_k", "attn_v", "attn_output", "attn_norm"};
    static const char *const cross[] = {"cross_attn_q", "cross_attn_k", "cross_attn_v", "cross_attn_output", "cross_attn_norm"};
    nx_block *blocks = nx_arena_take(r->arena, n * sizeof *blocks), unplaced;
    for (uint32_t i = 0; i < n && !r->status; i++) {
        nx_block *b = blocks ? blocks + i : &unplaced;
        nx_linear (*const read)(nx_reader *, const char *, uint32_t, const char *, uint32_t, uint32_t) =
            form->biased ? nx_read_linear_with_bias : nx_read_linear;
        nx_read_attention(r, stack, i, &b->self, self, form);
        if (form->cross) nx_read_attention(r, stack, i, &b->cross, cross, form);
        b->feed_forward.up = read(r, stack, i, "ffn_up", form->inner, form->d);
        b->feed_forward.down = read(r, stack, i, "ffn_down", form->d, form->inner);
        b->feed_forward.norm = nx_read_norm(r, stack, i, "ffn_norm", form->d);
    }
    return blocks;
}

/* The working memory of the sublayers, for a pass of up to J columns, and how they norm. */
typedef struct {
    uint32_t d, width;          /* d, H k */
    int pre_norm;               /* norm before each sublayer instead of after it */
    float epsilon;              /* of the norms */
    float *y;                   /* (J, d) a sublayer's output */
    float *normed;              /* (J, d) a sublayer's input, pre-norm only */
    float *query, *key, *value; /* (J, H k) */
    float *mixed;               /* (J, H k) attention's output before W_o */
    float *inner;               /* (J, F) */
    void *attend, *matmul;
} nx_sublayers;

/* window: the most keys that a query sees, in so many ranges. */
static inline nx_sublayers nx_sublayers_at(nx_arena *arena, const nx_block_form *form, int pre_norm, float epsilon, uint32_t window,
                                           uint32_t n_ranges, uint32_t n) {
    uint64_t d_bytes = (uint64_t)n * nx_stride(form->d) * 4, width_bytes = (uint64_t)n * nx_stride(form->width) * 4;
    uint32_t widest = form->d > form->width ? form->d : form->width;
    nx_sublayers s = {.d = form->d, .width = form->width, .pre_norm = pre_norm, .epsilon = epsilon};
    s.y = nx_arena_take(arena, d_bytes);
    s.normed = nx_arena_take(arena, pre_norm ? d_bytes : 0);
    s.query = nx_arena_take(arena, width_bytes);
    s.key = nx_arena_take(arena, width_bytes);
    s.value = nx_arena_take(arena, width_bytes);
    s.mixed = nx_arena_take(arena, width_bytes);
    s.inner = nx_arena_take(arena, (uint64_t)n * nx_stride(form->inner) * 4);
    s.attend = nx_arena_take(arena, nx_attend_scratch_bytes(window, n_ranges));
    s.matmul = nx_arena_take(arena, nx_input_bytes(form->inner > widest ? form->inner : widest, n));
    return s;
}

/* out = W x + b of n columns. */
static inline void nx_project(const nx_sublayers *s, float *out, const nx_linear *linear, const float *x, uint32_t n) {
    nx_input input = nx_input_of(x, n, s->matmul);
    nx_apply(out, linear, &input);
}

/* A sublayer reads n columns of x (post-norm) or LN(x) (pre-norm). */
static inline nx_input nx_sublayer_input(const nx_sublayers *s, const float *x, const nx_norm *norm, uint32_t n) {
    if (s->pre_norm) {
        memcpy(s->normed, x, (size_t)n * nx_stride(s->d) * sizeof *x);
        nx_norm_columns(norm, s->normed, s->epsilon, s->d, n);
    }
    return nx_input_of(s->pre_norm ? s->normed : x, n, s->matmul);
}

/* Its last projection joins the residual stream: x = LN(x + W input) (post-norm) or x + W input (pre-norm). */
static inline void nx_sublayer_join(const nx_sublayers *s, float *x, const nx_linear *linear, const float *input, const nx_norm *norm,
                                    uint32_t n) {
    nx_project(s, s->y, linear, input, n);
    nx_add(x, s->y, s->d, n);
    if (!s->pre_norm) nx_norm_columns(norm, x, s->epsilon, s->d, n);
}

/* s->key and s->value (J, H k) of the columns of an input. */
static inline void nx_keys_and_values(const nx_sublayers *s, const nx_attention_weights *w, nx_input *input) {
    nx_apply(s->key, &w->key, input);
    nx_apply(s->value, &w->value, input);
}

/* Those of column j go to a cache. */
static inline void nx_keep(const nx_sublayers *s, const nx_cache *cache, uint32_t position, uint32_t j) {
    size_t at = (size_t)j * nx_stride(s->width);
    nx_cache_write(cache, position, s->key + at, s->value + at);
}

/* The keys and values of n columns x from position `at` on go to a cache: `own`, for the stack's own attention, which the norm may precede; or
 * for the attention of another stack. */
static inline void nx_fill_cache(const nx_sublayers *s, const nx_attention_weights *w, const float *x, uint32_t at, uint32_t n,
                                 const nx_cache *cache, int own) {
    nx_input input = own ? nx_sublayer_input(s, x, &w->norm, n) : nx_input_of(x, n, s->matmul);
    nx_keys_and_values(s, w, &input);
    for (uint32_t j = 0; j < n; j++) nx_keep(s, cache, at + j, j);
}

/* Attention of n columns x to all S positions of a cache that is complete: an encoder's own, or a decoder's to its output.
 * maps: null, or of each column null or weights to write, S for each head, `apart` from one another. */
static inline void nx_source_attention(const nx_sublayers *s, const nx_attention_weights *w, float *x, const nx_cache *cache, uint32_t S,
                                       uint32_t n, float *const *maps, uint32_t apart) {
    nx_range all = {0, S};
    nx_input input = nx_sublayer_input(s, x, &w->norm, n);
    nx_apply(s->query, &w->query, &input);
    for (uint32_t j = 0; j < n; j++) {
        size_t at = (size_t)j * nx_stride(s->width);
        nx_attend(s->mixed + at, s->query + at, cache, &all, 1, s->attend, maps ? maps[j] : NULL, apart);
    }
    nx_sublayer_join(s, x, &w->output, s->mixed, &w->norm, n);
}

static inline void nx_feed_forward_columns(const nx_sublayers *s, const nx_feed_forward *w, float *x, uint32_t n) {
    nx_input input = nx_sublayer_input(s, x, &w->norm, n);
    nx_apply(s->inner, &w->up, &input);
    nx_relu(s->inner, w->up.weight.rows, n);
    nx_sublayer_join(s, x, &w->down, s->inner, &w->norm, n);
}

#endif

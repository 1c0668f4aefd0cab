/* SPDX-License-Identifier: MIT
 *
 * The attention and feed-forward sublayers of Transformer blocks [Vaswani et al. 2017, arXiv:1706.03762, section 3.1]. Several models share
 * them. Each sublayer adds its output to the residual stream x.
 *
 *   attention(X, M) = W_o concat_h( softmax( (W_q X)_h (W_k M)_h^T / sqrt(k) ) (W_v M)_h )
 *   feed forward:     W_down ReLU(W_up x + b_up) + b_down
 *
 * Norms come after each sublayer ("post"), x = LN(x + f(x)), or before it ("pre"), x = x + f(LN(x)) [Xiong et al. 2020, arXiv:2002.04745].
 *
 * Letters: d: width of the model. H: number of heads. k: width of a head. F: inner width of the feed-forward network. S: number of
 * positions of a source. J: number of columns of a pass.
 */
#ifndef NX_SUBLAYERS_H
#define NX_SUBLAYERS_H

#include <string.h>

#include "arch.h"
#include "kernels/kernels.h"
#include "layers/layers.h"

typedef struct {
    nx_linear query, key, value; /* shape (H k, d): W_q, W_k, W_v */
    nx_linear output;            /* shape (d, H k): W_o joins the heads */
    nx_norm norm;                /* shape (d) */
} nx_attention_weights;

typedef struct {
    nx_linear up, down; /* shapes (F, d), (d, F) */
    nx_norm norm;       /* shape (d) */
} nx_feed_forward;

typedef struct {
    nx_attention_weights self, cross; /* cross: for a decoder whose blocks attend to a source */
    nx_feed_forward feed_forward;
} nx_block;

/* The shape of a stack's blocks. d: width of the model; width: H k; inner: F. cross: whether the blocks have cross-attention; biased:
 * whether the feed-forward network must have biases. */
typedef struct {
    uint32_t d, width, inner;
    int cross, biased;
} nx_block_form;

/* Reads the weights of an attention sublayer. names: the names of the query, key, value and output projections and of the norm. */
void nx_read_attention(nx_reader *r, const char *stack, uint32_t index, nx_attention_weights *w, const char *const *names,
                       const nx_block_form *form);

/* Reads the n blocks of a stack. stack: the prefix of its tensors' names, "enc." or "". */
const nx_block *nx_read_blocks(nx_reader *r, const char *stack, uint32_t n, const nx_block_form *form);

/* Settings of the norms, and the working memory of the sublayers for a pass of at most J columns. */
typedef struct {
    uint32_t d, width;          /* d, H k */
    int pre_norm;               /* 1: the norm is before each sublayer, not after it */
    float epsilon;              /* added to the variance in the norms */
    float *y;                   /* shape (J, d): a sublayer's output */
    float *normed;              /* shape (J, d): a sublayer's input, only with pre-norm */
    float *query, *key, *value; /* shape (J, H k) */
    float *mixed;               /* output of attention before W_o, shape (J, H k) */
    float *inner;               /* shape (J, F) */
    void *attend, *matmul;
} nx_sublayers;

/* Lays out the working memory. window: the largest number of keys that a query sees; n_ranges: the largest number of ranges that these keys
 * form. */
nx_sublayers nx_sublayers_at(nx_arena *arena, const nx_block_form *form, int pre_norm, float epsilon, uint32_t window, uint32_t n_ranges,
                             uint32_t n);

/* Computes out = W x + b for n columns. */
void nx_project(const nx_sublayers *s, float *out, const nx_linear *linear, const float *x, uint32_t n);

/* Returns the input of a sublayer: n columns of x (post-norm) or LN(x) (pre-norm). */
nx_input nx_sublayer_input(const nx_sublayers *s, const float *x, const nx_norm *norm, uint32_t n);

/* Applies the last projection of a sublayer, and adds the result to the residual stream: x = LN(x + W input) (post-norm) or x + W input
 * (pre-norm). */
void nx_sublayer_join(const nx_sublayers *s, float *x, const nx_linear *linear, const float *input, const nx_norm *norm, uint32_t n);

/* Computes s->key and s->value (J, H k) from the columns of an input. */
void nx_keys_and_values(const nx_sublayers *s, const nx_attention_weights *w, nx_input *input);

/* Stores the key and value of column j in a cache. */
void nx_keep(const nx_sublayers *s, const nx_cache *cache, uint32_t position, uint32_t j);

/* Stores the keys and values of n columns x in a cache, from position `at` on. own: 1 for the self-attention of the same stack, 0 for the
 * attention of another stack. If `own` is 1, pre-norm is applied to x first. */
void nx_fill_cache(const nx_sublayers *s, const nx_attention_weights *w, const float *x, uint32_t at, uint32_t n, const nx_cache *cache,
                   int own);

/* Computes the attention of n columns x to all S positions of a complete cache. In an encoder, the cache holds the encoder's own keys and
 * values; in a decoder, it holds keys and values of the encoder's output. maps: null, or one pointer per column. If a column's pointer is
 * not null, S weights for each head are written to it. The weights of successive heads begin `apart` floats apart. */
void nx_source_attention(const nx_sublayers *s, const nx_attention_weights *w, float *x, const nx_cache *cache, uint32_t S, uint32_t n,
                         float *const *maps, uint32_t apart);

void nx_feed_forward_columns(const nx_sublayers *s, const nx_feed_forward *w, float *x, uint32_t n);

#endif

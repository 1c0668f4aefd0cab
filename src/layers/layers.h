/* SPDX-License-Identifier: MIT
 *
 * Reads and applies the layers that most models have: linear maps, layer norms, and caches of keys and values.
 */
#ifndef NX_LAYERS_H
#define NX_LAYERS_H

#include "attention/attention.h"
#include "reader.h"

/* out = W in + b. */
typedef struct {
    nx_matrix weight;  /* shape (out, in) */
    const float *bias; /* shape (out), or null */
} nx_linear;

/* A layer norm. */
typedef struct {
    const float *weight, *bias; /* shape (d) */
} nx_norm;

/* Reads a linear map of a block. stack, index, part: the components of its name, such as "enc.", 7 and "attn_q" (see nx_block_name). The
 * bias may be absent. */
nx_linear nx_read_linear(nx_reader *r, const char *stack, uint32_t index, const char *part, uint32_t rows, uint32_t cols);

/* Reads a linear map whose bias is required. */
nx_linear nx_read_linear_with_bias(nx_reader *r, const char *stack, uint32_t index, const char *part, uint32_t rows, uint32_t cols);

nx_norm nx_read_norm(nx_reader *r, const char *stack, uint32_t index, const char *part, uint32_t d);

/* Reads a linear map that is not in a block. For example, the map "output" has the tensors "output.weight" and "output.bias". */
nx_linear nx_read_named_linear(nx_reader *r, const char *name, uint32_t rows, uint32_t cols);
nx_norm nx_read_named_norm(nx_reader *r, const char *name, uint32_t d);

/* Applies a layer norm to n columns in place. */
static inline void nx_norm_columns(const nx_norm *norm, float *x, float epsilon, uint32_t d, uint32_t n) {
    nx_layer_norm(x, norm->weight, norm->bias, epsilon, d, n);
}

static inline void nx_apply(float *out, const nx_linear *l, nx_input *input) { nx_matmul(out, &l->weight, l->bias, input); }

/* Computes out = W x + b for n columns. matmul: scratch memory of nx_input_bytes(columns of W, n) bytes. */
static inline void nx_apply_columns(float *out, const nx_linear *l, const float *x, uint32_t n, void *matmul) {
    nx_input input = nx_input_of(x, n, matmul);
    nx_apply(out, l, &input);
}

/* Encoders and passes are computed in slices. This is the approximate number of multiply-adds in a slice. Such a slice takes a few
 * milliseconds on a laptop and tens of milliseconds on a phone. The caller may stop after each slice. Slices are long enough that the cost
 * of the calls is negligible. */
#define NX_SLICE_PRODUCTS (1u << 26)

/* Returns how many steps fit in one slice, in the range 1..most. products: multiply-adds of one step. */
uint32_t nx_slice_steps(uint64_t products, uint32_t most);

/* Writes the hidden states x (n, nx_stride(d)) of layer `layer` for the columns that keep hidden states. If x is null, zeros are
 * written. */
void nx_write_hidden(const nx_column *columns, uint32_t n, uint32_t layer, const float *x, uint32_t d);
static inline void nx_keep_hidden(const nx_column *columns, uint32_t n, uint32_t layer, const float *x, uint32_t d) {
    if (NX_TEXTS) nx_write_hidden(columns, n, layer, x, d);
}

/* Declares in the plan that a pass keeps hidden states: the embedding, and the output of each of n layers of width d. */
static inline void nx_plan_hidden(nx_plan *plan, uint32_t n, uint32_t d) {
    if (NX_TEXTS) plan->hidden_layers = n + 1, plan->hidden_width = d;
}

/* The form of the caches, which is the same for all blocks. */
typedef struct {
    uint32_t type, n_kv_heads, key_length, queries_per_kv;
    float cap; /* cap of the scores; 0: none */
} nx_cache_form;

/* Returns the form of a cache. keys: the matrix that computes the keys. If the weights of this matrix are rounded, keys and values are
 * rounded to 8 bits; with `wide`, keys are rounded to 16 bits. If a head has few channels, its cache stays in single precision, because
 * rounding errors would not average out over the channels. Models with such heads are small, so their caches take hardly any memory. */
static inline nx_cache_form nx_cache_form_of(const nx_matrix *keys, int wide, uint32_t n_kv_heads, uint32_t key_length,
                                             uint32_t queries_per_kv) {
    uint32_t rounded = wide ? NX_KV8_WIDE : NX_KV8;
    return (nx_cache_form){nx_matrix_rounds(keys) && key_length >= 32 ? rounded : NX_F32, n_kv_heads, key_length, queries_per_kv, 0};
}

static inline uint32_t nx_cache_slots(uint32_t positions) { return (positions + 3) & ~3u; }

static inline uint64_t nx_cache_form_bytes(nx_cache_form form, uint32_t positions) {
    uint64_t bytes = nx_cache_bytes(form.type, nx_cache_slots(positions), form.n_kv_heads, form.key_length);
    return (bytes + NX_ALIGN - 1) & ~(uint64_t)(NX_ALIGN - 1);
}

/* Returns the cache of block `index`. caches: the memory of the caches of all blocks. */
nx_cache nx_cache_of_block(nx_cache_form form, const void *caches, uint32_t index, uint32_t positions);

#endif

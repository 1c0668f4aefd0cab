/* SPDX-License-Identifier: MIT
 *
 * The blocks of a Sparse Transformer [Child, Gray, Radford, Sutskever 2019, arXiv:1904.10509, equations 11 to 14]. Each block reads the
 * residual stream through a layer norm, and adds
 *
 *   a = W_o attention(LN(x))        b = W_down f(W_up LN(x + a))        x = x + a + b,        f(x) = x sigma(1.702 x)
 *
 * Attention uses the sets of attention/sparse.h, which the blocks combine in one of three ways. Interleaved (equation 6): blocks use the
 * sets in turn, beginning with A1. Merged (equation 7): every block sees the union of A1 and A2. By head (equation 8): the first half of
 * the heads uses A1, and the other half uses A2. A pattern with a third set A3 is always interleaved: its blocks use the three sets in
 * turn.
 *
 * Letters: d: width of the model. H: number of heads. k: width of a head. F: inner width of the feed-forward network. N: number of blocks.
 * J: number of columns of a pass.
 */
#ifndef NX_SPARSE_BLOCKS_H
#define NX_SPARSE_BLOCKS_H

#include "attention/sparse.h"
#include "layers/layers.h"

typedef struct {
    nx_norm attention_norm, inner_norm; /* shape (d) */
    nx_linear query, key, value;        /* shape (H k, d) */
    nx_linear output;                   /* shape (d, H k) */
    nx_linear up, down;                 /* shapes (F, d), (d, F) */
} nx_sparse_block;

typedef enum { NX_INTERLEAVED, NX_MERGED, NX_BY_HEAD } nx_sparse_combine;

typedef struct {
    uint32_t d, heads, key_length, inner, n_blocks;
    uint32_t behind; /* position p of a sequence is position p - behind of the pattern; earlier positions are not in the pattern */
    float epsilon;
    nx_sparse pattern; /* pattern of the longest sequence; the functions set its field `sets` for each block and head */
    nx_sparse_combine combine;
    uint32_t cache; /* type of the caches */
    const nx_sparse_block *blocks;
} nx_sparse_blocks;

/* Reads the keys of architecture `arch` and the tensors of `stack`, for sequences of `positions` positions. Leaves `behind` unchanged. */
void nx_sparse_blocks_read(nx_reader *r, nx_sparse_blocks *b, const char *arch, const char *stack, uint32_t positions);

/* The first function returns the size of the caches of a sequence with `length` positions. The second function returns the size of the
 * scratch memory for a pass of n columns. */
uint64_t nx_sparse_blocks_state_bytes(const nx_sparse_blocks *b, uint32_t length);
uint64_t nx_sparse_blocks_scratch_bytes(const nx_sparse_blocks *b, uint32_t n);

/* Applies all blocks to x (J, d), the residual stream of the columns. The caches are at the beginning of each column's state. */
void nx_sparse_blocks_apply(const nx_sparse_blocks *b, float *x, const nx_column *columns, uint32_t n, void *scratch);

/* The first function returns the map "attention", which has a row for each head of each block. The second function lists the keys of row
 * `row`; different rows may have different keys. */
nx_map nx_sparse_blocks_map(const nx_sparse_blocks *b);
uint32_t nx_sparse_blocks_keys(const nx_sparse_blocks *b, uint32_t row, uint32_t position, uint32_t *keys);

#endif

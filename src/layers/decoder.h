/* SPDX-License-Identifier: MIT
 *
 * The common part of text decoders: ids as input, attention of every block to earlier positions, and logits of the next id.
 *
 * In a model without a begin token (GPT-2, Llama) the first id is given. The first id has no past, so position 0 predicts nothing (all ids
 * are equally probable). Position p > 0 reads id p - 1, whose key and value are in slot p - 1, and sees slots 0..p - 1.
 *
 * Letters:
 *   d      width of the model
 *   H, G   number of heads of queries, and of keys and values; H / G queries share a key and a value [Ainslie et al. 2023,
 *          arXiv:2305.13245]
 *   k      width of every head
 *   V, N   number of ids, number of blocks
 *   J      number of columns of a pass
 */
#ifndef NX_DECODER_H
#define NX_DECODER_H

#include "arch.h"
#include "layers/layers.h"

/* The struct of each text decoder begins with this struct. The functions below take `decoder` as a void pointer, so the model's nx_part can
 * point to them. */
typedef struct {
    uint32_t d, heads, n_kv_heads, key_length, n_blocks;
    nx_output distribution;
    nx_embedding ids; /* shape (V, d); without data if `tied` is 1 */
    nx_matrix head;   /* shape (V, d); if `tied` is 1, its rows are also the embeddings of the ids */
    int tied;
    float score_cap;     /* cap of the scores, as in nx_cache; a model sets it before nx_decoder_cache */
    nx_cache_form cache; /* form of the keys and values of a block */
} nx_decoder;

/* Reads the table of ids and the output layer, "token_embd.weight" and "output.weight". If "output.weight" is missing, the two are tied:
 * the table is also the output matrix. */
void nx_decoder_read(nx_reader *r, nx_decoder *decoder);

/* Rejects a file that requests an unsupported computation through a key of other models, such as "attention.clamp_kqv". The functions here
 * ignore such keys, so the results would be wrong. scaled: whether the model itself reads the scales of embeddings, scores, residuals and
 * logits. */
void nx_decoder_refuse(nx_reader *r, const char *arch, int scaled);

/* Sets the form of the caches, which depends on the matrix that computes the keys. wide: whether keys may have a few channels far larger
 * than the others. */
void nx_decoder_cache(nx_decoder *decoder, const nx_matrix *keys, int wide);

/* Returns the width of a head, d / heads; reports an error for `key` if d is not a multiple of heads. */
uint32_t nx_head_width(nx_reader *r, const char *key, uint32_t d, uint32_t heads);

/* Fills the plan for `length` positions: the output distribution, the ids that end a text, and the map "attention". */
void nx_decoder_plan(nx_reader *r, const nx_decoder *decoder, uint32_t length, nx_plan *plan);

/* Functions for nx_part. The state consists of the caches of all blocks, and it can grow. Position 0 has no past and needs a separate pass.
 * The keys of the map "attention" are counted as in the public header: key j is id j - 1, and key 0 is the start. */
uint64_t nx_decoder_state_bytes(const void *decoder, const nx_shape *shape);
void nx_decoder_grow(const void *decoder, const nx_shape *from_shape, const void *from, const nx_shape *to_shape, void *to);
uint32_t nx_decoder_pass_end(const void *decoder, uint32_t position);
uint32_t nx_decoder_keys(const void *decoder, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *keys);

/* Computes position 0 of n sequences: all ids are equally probable, and all attention is on key 0, the start of the text. */
void nx_decoder_start(const nx_decoder *decoder, const nx_column *columns, uint32_t n, float *parameters);

/* Writes the embedding of an id to x, shape (d). */
void nx_decoder_embed(const nx_decoder *decoder, float *x, uint32_t id);

/* Queries, keys and values of the columns. The numbers of column j begin at query + j * query_stride, key + j * kv_stride and value + j *
 * kv_stride. */
typedef struct {
    const float *query, *key, *value; /* shapes (H k), (G k), (G k) */
    uint32_t query_stride, kv_stride;
} nx_qkv;

/* Stores the keys and values of the columns in the cache, and computes the attention of block `index`, with the heads concatenated. The
 * column of position p has slot p - `behind`.
 * behind    1 if position 0 has no key, otherwise 0
 * local     number of slots that a column attends to, up to and including its own slot; 0: all slots up to its own
 * out       shape (J, nx_stride(H k)), written */
void nx_decoder_attend(const nx_decoder *decoder, uint32_t index, const nx_column *columns, uint32_t n, uint32_t behind, uint32_t local,
                       const nx_qkv *qkv, float *out, void *scratch);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Reads keys and tensors, and checks them. See nx_reader in arch.h for the status, which stays set after a failure.
 */
#ifndef NX_READER_H
#define NX_READER_H

#include "arch.h"
#include "kernels/kernels.h"

/* Reads an unsigned integer in the range low..high. If the key is absent, returns `missing`, but fails if `missing` is below low. */
uint32_t nx_read_u32(nx_reader *reader, const char *key, uint32_t low, uint32_t high, uint32_t missing);
#define NX_REQUIRED 0u /* the value of `missing` for a required key; low must be above 0 */

/* Reads the width of a vector: a multiple of 4, up to `high`. */
uint32_t nx_read_width(nx_reader *reader, const char *key, uint32_t high, uint32_t missing);

/* Reads a finite float in the range low..high, or returns `missing` if the key is absent. */
float nx_read_f32(nx_reader *reader, const char *key, float low, float high, float missing);

/* Reads an array of at most `limit` integers into `numbers`. Each integer must be in the range low..high. Returns the number of integers; 0
 * if the key is absent. */
uint32_t nx_read_numbers(nx_reader *reader, const char *key, uint32_t low, uint32_t high, uint32_t *numbers, uint32_t limit);

/* Reads a string that must be one of n names. Returns its index, or index 0 if the key is absent. */
uint32_t nx_read_choice(nx_reader *reader, const char *key, const char *const *names, uint32_t n);

/* Returns whether a key exists; its value may have any type. */
int nx_has_key(const nx_reader *reader, const char *key);

/* Returns the number of items of an array of strings; 0 if the key is absent. */
uint32_t nx_read_strings(nx_reader *reader, const char *key, uint32_t limit);

/* A name with a block number, for example "enc.blk.7.attn_q.weight" for the stack "enc.", block 7, "attn_q" and ".weight". The stack may be
 * "". */
typedef struct {
    char text[64];
} nx_name;
nx_name nx_block_name(const char *stack, uint32_t block, const char *part, const char *kind);

/* Joins two pieces of a name: "output" and ".bias" become "output.bias". The result must fit in an nx_name. */
nx_name nx_joined(const char *first, const char *second);

/* A key of the architecture ARCH. Each source file of a model defines ARCH as the name of its architecture. */
#define KEY(name) ARCH "." name

/* Like KEY, but for an architecture that is known only at run time. "llama" and "block_count" become "llama.block_count". */
nx_name nx_key(const char *arch, const char *name);

/* Reads a weight matrix (rows, cols), and packs it for nx_matmul. */
nx_matrix nx_read_matrix(nx_reader *reader, const char *name, uint32_t rows, uint32_t cols);

/* Reads a table (rows, cols) whose rows are looked up; the table stays in the file's encoding. */
nx_embedding nx_read_embedding(nx_reader *reader, const char *name, uint32_t rows, uint32_t cols);

/* Reads a table (rows, cols) as floats, row-major without padding. */
const float *nx_read_table(nx_reader *reader, const char *name, uint32_t rows, uint32_t cols);

/* Reads a vector of nx_stride(n) floats, with zeros past n. If the vector is absent and optional, returns null. */
const float *nx_read_vector(nx_reader *reader, const char *name, uint32_t n, int optional);

/* Like nx_read_vector, but all values of the vector must be in the range low..high. */
const float *nx_read_vector_within(nx_reader *reader, const char *name, uint32_t n, float low, float high, int optional);

/* Returns the number of rows of a language model's table of ids. If the file has a tokenizer, the table must have as many rows as the
 * tokenizer has tokens. */
uint32_t nx_read_vocabulary(nx_reader *reader, const char *tensor);

/* Reads the ids that end a text, from tokenizer.ggml.eos_token_id and eot_token_id. */
void nx_read_ends(nx_reader *reader, nx_plan *plan);

/* The first function returns the number of columns of a tensor, and the second function returns the number of rows. Both return 0 if the
 * tensor is absent. These functions are used where variants of a model differ only in the shape of a tensor. */
uint32_t nx_tensor_columns(const nx_reader *reader, const char *name);
uint32_t nx_tensor_rows(const nx_reader *reader, const char *name);

/* Fails with a reason unless the status is already a failure. */
void nx_reader_fail(nx_reader *reader, nx_status status, const char *name, const char *reason);

#endif

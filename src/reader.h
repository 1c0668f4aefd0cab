/* SPDX-License-Identifier: MIT
 *
 * Checked reading of keys and tensors. See nx_reader in arch.h for the sticky status.
 */
#ifndef NX_READER_H
#define NX_READER_H

#include "arch.h"
#include "kernels/kernels.h"

/* An unsigned integer key in low..high. If it is absent: `missing` if that is at least low, otherwise a failure. */
uint32_t nx_read_u32(nx_reader *reader, const char *key, uint32_t low, uint32_t high, uint32_t missing);
#define NX_REQUIRED 0u /* for `missing`, where low > 0 */

/* The width of a vector: a multiple of 4, up to `high`. */
uint32_t nx_read_width(nx_reader *reader, const char *key, uint32_t high, uint32_t missing);

/* A finite float key in low..high, or `missing` when absent. */
float nx_read_f32(nx_reader *reader, const char *key, float low, float high, float missing);

/* A key that is an array of integers in low..high: up to `limit` of them in `numbers`. Returns how many; 0 when the key is absent. */
uint32_t nx_read_numbers(nx_reader *reader, const char *key, uint32_t low, uint32_t high, uint32_t *numbers, uint32_t limit);

/* A string key that must be one of n names: its index; index 0 when the key is absent. */
uint32_t nx_read_choice(nx_reader *reader, const char *key, const char *const *names, uint32_t n);

/* Returns whether a key exists, of any type. */
int nx_has_key(const nx_reader *reader, const char *key);

/* Items of an array-of-strings key; 0 when absent. */
uint32_t nx_read_strings(nx_reader *reader, const char *key, uint32_t limit);

/* A name with a block number in it: stack "enc." or "", 7, "attn_q", ".weight" make "enc.blk.7.attn_q.weight". */
typedef struct {
    char text[64];
} nx_name;
nx_name nx_block_name(const char *stack, uint32_t block, const char *part, const char *kind);

/* Two pieces of a name, together shorter than an nx_name: "output", ".bias" make "output.bias". */
nx_name nx_joined(const char *first, const char *second);

/* A key of the one architecture of a file, which defines ARCH as its name. */
#define KEY(name) ARCH "." name

/* A key of an architecture that is not known before: "llama", "block_count" make "llama.block_count". */
nx_name nx_key(const char *arch, const char *name);

/* A weight matrix (rows, cols), packed for nx_matmul. */
nx_matrix nx_read_matrix(nx_reader *reader, const char *name, uint32_t rows, uint32_t cols);

/* A table (rows, cols) whose rows are looked up; it stays in the file's encoding. */
nx_embedding nx_read_embedding(nx_reader *reader, const char *name, uint32_t rows, uint32_t cols);

/* A table (rows, cols) as floats, row-major without padding. */
const float *nx_read_table(nx_reader *reader, const char *name, uint32_t rows, uint32_t cols);

/* A vector of nx_stride(n) floats, zeros past n. If it is absent and optional: null. */
const float *nx_read_vector(nx_reader *reader, const char *name, uint32_t n, int optional);

/* The same, with all values in low..high. */
const float *nx_read_vector_within(nx_reader *reader, const char *name, uint32_t n, float low, float high, int optional);

/* Rows of the table of a language model's ids; if the file has a tokenizer, there must be as many as it has tokens. */
uint32_t nx_read_vocabulary(nx_reader *reader, const char *tensor);

/* The ids that end a text, from tokenizer.ggml.eos_token_id and eot_token_id. */
void nx_read_ends(nx_reader *reader, nx_plan *plan);

/* Columns or rows of a tensor, 0 if absent: for variants that are distinguished by a shape. */
uint32_t nx_tensor_columns(const nx_reader *reader, const char *name);
uint32_t nx_tensor_rows(const nx_reader *reader, const char *name);

/* Fails with a reason unless the status is already a failure. */
void nx_reader_fail(nx_reader *reader, nx_status status, const char *name, const char *reason);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Toy models: a writer of GGUF files in memory, and random image transformers of any configuration. The weights of a tensor follow from the
 * seed and its name, so two models that differ in one tensor agree in the others. It uses no libm: the files have the same bytes in every
 * build.
 */
#ifndef TOY_H
#define TOY_H

#include <stddef.h>
#include <stdint.h>

#include "attention/attention.h"
#include "gguf.h"
#include "nextpixel.h"
#include "picture.h"
#include "sampling/output.h"

/* ---- a GGUF file, field by field ------------------------------------------------------------------------------------------- */

typedef struct {
    uint8_t *bytes;
    size_t length, room;
} toy_file;

void put_bytes(toy_file *file, const void *bytes, size_t n);
void put_u32(toy_file *file, uint32_t value);
void put_u64(toy_file *file, uint64_t value);
void put_text(toy_file *file, const char *text); /* 64-bit length, bytes */
void put_header(toy_file *file, uint64_t tensors, uint64_t keys);
void put_key_text(toy_file *file, const char *key, const char *value);
void put_key_u32(toy_file *file, const char *key, uint32_t value);
void put_key_f32(toy_file *file, const char *key, float value);
void put_key_u64(toy_file *file, const char *key, uint64_t value);
void put_key_numbers(toy_file *file, const char *key, const uint32_t *numbers, uint32_t count);
void put_key_texts(toy_file *file, const char *key, uint32_t count); /* "0", "1", ... */

/* A tensor: its entry goes to the head of a file, its padded bytes to the data; values become those of their type after rounding. */
typedef struct toy_tensor toy_tensor;
void put_tensor(toy_file *head, toy_file *data, toy_tensor *tensor);

/* Checks that a file is refused with this status, and that the problem has a reason and names `named`. */
void toy_refused(const uint8_t *bytes, size_t length, nx_status status, const char *named);

/* ---- a model -------------------------------------------------------------------------------------------------------------- */

enum { TOY_LEARNED_HALF, TOY_LEARNED_WHOLE, TOY_SINUSOIDAL };

typedef struct {
    uint32_t height, width, channels, levels;
    uint32_t blocks, d, inner, heads, key_length;
    nx_pattern_kind pattern;
    uint32_t query_block, memory_block;                        /* of local 1D attention */
    uint32_t block_rows, block_cols, flange_rows, flange_cols; /* of local 2D attention */
    int position;
    int pre_norm;
    int palette; /* elements are indices of `levels` colours */
    nx_output_kind output;
    uint32_t mixtures;                                  /* of NX_DMOL */
    uint32_t input_height, input_width, encoder_blocks; /* of super-resolution, else 0 */
    uint32_t encoder_inner;                             /* 0: inner */
    int direct;                                         /* positions read the small picture directly */
    uint32_t classes;
    int biases;                                    /* biases in query, key, value and output */
    int headless;                                  /* no output.bias */
    uint32_t type;                                 /* type of the matrices: NX_F32, NX_F16, NX_Q8_0, NX_Q4_0 */
    uint32_t tables;                               /* type of the embeddings */
    float sharpness;                               /* deviation of the logits; 0: 1.5 */
    uint32_t neighbours, hidden, rank, draft_type; /* of a draft; no neighbours: none */
    float peak;                                    /* deviation of output.bias and draft.output.bias, which are equal; 0: 0.3 */
    uint64_t seed;
} toy_config;

struct toy_tensor {
    char name[48];
    uint32_t rows, cols, type;
    float *values; /* (rows, cols) as stored in the file */
};

typedef struct {
    toy_config config;
    uint8_t *bytes; /* exactly `length` of them */
    size_t length;
    size_t keys_end, data; /* offsets: end of the metadata, start of the tensors' data */
    uint32_t n_tensors;
    toy_tensor *tensor;
} toy;

/* A deliberate fault of a file. Names are of keys or tensors; null: none. */
typedef struct {
    const char *without;       /* left out */
    const char *twice;         /* written twice */
    const char *retyped;       /* a key written with another type */
    const char *reshaped;      /* a tensor with its two dimensions exchanged */
    const char *number, *text; /* a key with another value: */
    uint32_t value;            /*   of `number` */
    const char *words;         /*   of `text` */
    const char *poisoned;      /* a tensor whose last weight is replaced */
    float poison;
} toy_twist;

toy *toy_build(const toy_config *config, const toy_twist *twist);

/* Inner width of the encoder's feed-forward networks. */
uint32_t toy_encoder_inner(const toy_config *config);

/* Elements per position, positions per row, positions, width of the output layer; the pattern and the distribution. */
uint32_t toy_elements(const toy_config *config);
uint32_t toy_cols(const toy_config *config);
uint32_t toy_positions(const toy_config *config);
nx_output toy_output(const toy_config *config);
nx_pattern toy_pattern(const toy_config *config);

/* Appends the data of a tensor in its type and sets its values to the rounded ones. */
void toy_encode(toy_file *file, const toy_tensor *tensor);

/* Returns the tensor of a model with this name, or null. */
const toy_tensor *toy_find(const toy *model, const char *name);

/* Returns the weights of an F32 tensor inside the file, so that a test can change them. */
float *toy_inside(toy *model, const char *name);

/* Return the 8-bit value of a level, and the level of an 8-bit value, computed without the library. */
uint8_t toy_value(uint32_t level, uint32_t levels);
uint8_t toy_level(uint32_t value, uint32_t levels);

/* A set of configurations that together have every feature. Returns their number; `list` and `names` may be null. */
enum {
    TOY_PALETTE = 8,
    TOY_DMOL,
    TOY_DMOL_GREY,
    TOY_BERNOULLI,
    TOY_LOGISTIC,
    TOY_GAUSSIAN,
    TOY_SR_DMOL,
    TOY_SR_PALETTE,
    TOY_Q4_0,
    TOY_SR_Q8_0,
    TOY_DRAFT,
    TOY_DRAFT_LOCAL,
    TOY_DRAFT_PALETTE,
    TOY_DRAFT_Q4_0
};
uint32_t toy_configs(const toy_config **list, const char *const **names);

/* A model with direct enlargement (models/image_transformer/direct.h): into a palette, with rounded weights, or, with `mixtures`, into
 * levels, with an encoder too. */
toy *toy_direct(int mixtures, const toy_twist *twist);

/* ---- from the tests of a model to the tests of all ----------------------------------------------------------------------- */

enum {
    TOY_SEED = 1,   /* a small file from which the fuzzer starts (tests/fuzz/seeds.c), at most 16 KB */
    TOY_RUN = 2,    /* a subject of the tests of runs, searches and branches (subject.h) */
    TOY_SHAPED = 4, /* also run with penalties, biases and filters; one toy of each sort is enough */
    /* its beam search is compared with brute force: at most 30 positions of one id each, which has at most 40 values */
    TOY_SEARCH = 8,
    TOY_DAMPED = 16, /* the weights of its maps add up to at most 1: the paper damps them after the softmax, or no key is visible */
    TOY_FIXED = 32,  /* rows of its maps may not see their own position, and the first rows may see no position: fixed patterns, blocks */
    TOY_BITS = 64,   /* each weight of its maps is a separate probability, so they need not add up to 1 */
    TOY_PART = 256,  /* flags contain TOY_PART times the index of the part that runs */
};

/* Toys are found by name: tests/c/models/NAME.c defines `const toy_row NAME_toys[] = {`, the last row zeros. */
typedef struct {
    const char *name; /* the name in failure messages; a seed needs none */
    uint32_t uses;
    toy_file (*file)(uint32_t number);
    uint32_t number;
    nx_shape shape; /* for its runs: their length, and the number of items of inputs of any length */
} toy_row;

/* Row 0, 1, ... of the toys of all models, ordered by file; null after the last. */
const toy_row *toy_row_at(int i);

/* Opens a file; null after a failed check. */
nx_model *toy_file_open(const toy_file *file);

/* ---- use of the library in one call, with blocks of exactly the size that it asked for -------------------------------------- */

/* Opens a model; null after a failed check. */
nx_model *toy_open(const toy *model);

/* A session; null after a failed check. *bytes (may be null): its size. */
nx_session *toy_bare_session(const nx_model *model, const picture_settings *settings, size_t *bytes);

/* The same, conditioned on toy_input if the model takes an image. */
nx_session *toy_session(const nx_model *model, const picture_settings *settings, size_t *bytes);

/* An arbitrary image for picture_condition. Its number of values: 0 if the model takes none. */
uint32_t toy_input(const picture_info *info, uint8_t **values);

/* Settings for `samples` samples, seed `seed`, no label, temperature 1, no filter. */
picture_settings toy_settings(uint32_t samples, uint32_t seed);

/* Takes arbitrary bytes: sizes and opens them and, if the file is accepted, makes a short run that uses every function. Checks the
 * invariants of any file and returns the status of nx_model_size. Files that ask for more than `most` bytes are not run. */
nx_status toy_exercise(const uint8_t *bytes, size_t length, size_t most);

#endif

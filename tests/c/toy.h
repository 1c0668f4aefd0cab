/* SPDX-License-Identifier: MIT
 *
 * Makes toy models: writes GGUF files in memory, and makes random image transformers of any configuration. The weights of a tensor depend
 * only on the seed and the tensor's name, so models that differ in one tensor agree in all others. libm is not used, so the files have the
 * same bytes in every build.
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

/* A tensor. The entry of the tensor goes to the header of a file, and its padded bytes go to the data. Encoding a tensor rounds its
 * `values` to the tensor's type. */
typedef struct toy_tensor toy_tensor;
void put_tensor(toy_file *head, toy_file *data, toy_tensor *tensor);

/* Checks that a file is refused with this status. The reported problem must have the name `named` and a reason. */
void toy_refused(const uint8_t *bytes, size_t length, nx_status status, const char *named);

/* ---- a model -------------------------------------------------------------------------------------------------------------- */

enum { TOY_LEARNED_HALF, TOY_LEARNED_WHOLE, TOY_SINUSOIDAL };

typedef struct {
    uint32_t height, width, channels, levels;
    uint32_t blocks, d, inner, heads, key_length;
    nx_pattern_kind pattern;
    uint32_t query_block, memory_block;                        /* local 1D attention */
    uint32_t block_rows, block_cols, flange_rows, flange_cols; /* local 2D attention */
    int position;
    int pre_norm;
    int palette; /* whether elements are indices of `levels` colours */
    nx_output_kind output;
    uint32_t mixtures;                                  /* of NX_DMOL */
    uint32_t input_height, input_width, encoder_blocks; /* for super-resolution; otherwise 0 */
    uint32_t encoder_inner;                             /* 0 means the same as `inner` */
    int direct;                                         /* whether positions read the small picture directly */
    uint32_t classes;
    int biases;                                    /* whether query, key, value and output have biases */
    int headless;                                  /* whether the file lacks output.bias */
    uint32_t type;                                 /* type of the matrices: NX_F32, NX_F16, NX_Q8_0, NX_Q4_0 */
    uint32_t tables;                               /* type of the embeddings */
    float sharpness;                               /* standard deviation of the logits; 0 means 1.5 */
    uint32_t neighbours, hidden, rank, draft_type; /* sizes of the draft; 0 neighbours: no draft */
    float peak;                                    /* standard deviation of output.bias and of draft.output.bias; 0 means 0.3 */
    uint64_t seed;
} toy_config;

struct toy_tensor {
    char name[48];
    uint32_t rows, cols, type;
    float *values; /* shape (rows, cols): as stored in the file */
};

typedef struct {
    toy_config config;
    uint8_t *bytes; /* exactly `length` bytes */
    size_t length;
    size_t keys_end, data; /* offsets of the end of the metadata and of the start of the tensors' data */
    uint32_t n_tensors;
    toy_tensor *tensor;
} toy;

/* A deliberate fault in a file. Each field is the name of a key or a tensor; null means no fault of this kind. */
typedef struct {
    const char *without;       /* omitted */
    const char *twice;         /* a key that is written twice */
    const char *retyped;       /* a key written with another type */
    const char *reshaped;      /* a tensor with its two dimensions exchanged */
    const char *number, *text; /* a key whose value is replaced by: */
    uint32_t value;            /*   for `number` */
    const char *words;         /*   for `text` */
    const char *poisoned;      /* a tensor whose last weight is replaced by `poison` */
    float poison;
} toy_twist;

toy *toy_build(const toy_config *config, const toy_twist *twist);

/* Returns the inner width of the encoder's feed-forward networks. */
uint32_t toy_encoder_inner(const toy_config *config);

/* These functions return, in this order: the number of elements per position, the number of positions per row, the number of positions, the
 * output distribution, and the attention pattern. */
uint32_t toy_elements(const toy_config *config);
uint32_t toy_cols(const toy_config *config);
uint32_t toy_positions(const toy_config *config);
nx_output toy_output(const toy_config *config);
nx_pattern toy_pattern(const toy_config *config);

/* Appends a tensor's data, encoded in its type, and replaces its values by the encoded (rounded) ones. */
void toy_encode(toy_file *file, const toy_tensor *tensor);

/* Returns the model's tensor with the name `name`, or null. */
const toy_tensor *toy_find(const toy *model, const char *name);

/* Returns the weights of an F32 tensor inside the file, so that a test can change them. */
float *toy_inside(toy *model, const char *name);

/* The first function converts a level to an 8-bit value, and the second function does the reverse. Neither uses the library. */
uint8_t toy_value(uint32_t level, uint32_t levels);
uint8_t toy_level(uint32_t value, uint32_t levels);

/* Configurations that together cover every feature. Returns their number. `list` and `names` may be null. */
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

/* A model with direct enlargement (models/image_transformer/direct.h). If `mixtures` is 0, the model draws palette colours and has rounded
 * weights. If it is 1, the model draws levels and also has an encoder. */
toy *toy_direct(int mixtures, const toy_twist *twist);

/* ---- toys of one model that are used in the tests of all models ------------------------------------------------------------- */

enum {
    TOY_SEED = 1,   /* a small file from which the fuzzer starts (tests/fuzz/seeds.c), at most 16 KB */
    TOY_RUN = 2,    /* a subject of the tests of runs, searches and branches (subject.h) */
    TOY_SHAPED = 4, /* also runs with penalties, biases and filters; one toy of each kind is enough */
    /* the toy's beam search is compared with brute force: at most 30 positions, with one id each and at most 40 values per id */
    TOY_SEARCH = 8,
    TOY_DAMPED = 16, /* the weights of a row may add up to less than 1, for example if no key is visible */
    TOY_FIXED = 32,  /* for some sparse patterns: a position may not see itself, and the first positions may see nothing */
    TOY_BITS = 64,   /* each weight of a map is a separate probability, so a row need not add up to 1 */
    TOY_PART = 256,  /* the flags include TOY_PART times the index of the part that runs */
};

/* The build finds toys by name: tests/c/models/NAME.c defines `const toy_row NAME_toys[] = {`, and ends this array with a row of zeros. */
typedef struct {
    const char *name; /* name in failure messages; a toy that is only a seed needs none */
    uint32_t uses;
    toy_file (*file)(uint32_t number);
    uint32_t number;
    nx_shape shape; /* shape of the runs: their length, and the number of items of each input that may have any length */
} toy_row;

/* Returns row i of the joined arrays `NAME_toys`, or null after the last row. The rows are ordered by file. */
const toy_row *toy_row_at(int i);

/* Opens a file. Returns null after a failed check. */
nx_model *toy_file_open(const toy_file *file);

/* ---- shortcuts that call the library with blocks of exactly the required size ------------------------------------------------------- */

/* Opens a model. Returns null after a failed check. */
nx_model *toy_open(const toy *model);

/* Opens a session. Returns null after a failed check. `bytes` (may be null) receives the session's size. */
nx_session *toy_bare_session(const nx_model *model, const picture_settings *settings, size_t *bytes);

/* Opens a session like toy_bare_session. If the model takes an image, the session also gets the image of toy_input. */
nx_session *toy_session(const nx_model *model, const picture_settings *settings, size_t *bytes);

/* Makes an arbitrary image for picture_condition. Returns the number of values of the image; 0 if the model takes no image. */
uint32_t toy_input(const picture_info *info, uint8_t **values);

/* Returns settings for `samples` samples and the seed `seed`, with temperature 1, without a label or a filter. */
picture_settings toy_settings(uint32_t samples, uint32_t seed);

/* Opens arbitrary bytes as a file. If the file is accepted, makes a short run that calls every function. Checks invariants that must hold
 * for any file. Returns the status of nx_model_size. Models that need more than `most` bytes are not run. */
nx_status toy_exercise(const uint8_t *bytes, size_t length, size_t most);

#endif

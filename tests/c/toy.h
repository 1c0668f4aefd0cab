/* SPDX-License-Identifier: MIT
 *
 * Toy models: a writer of GGUF files in memory, and random image transformers of any configuration. The weights of a tensor
 * follow from the seed and its name, so that two models that differ in one tensor agree in the others. No libm: the files are
 * the same bytes in every build.
 */
#ifndef TOY_H
#define TOY_H

#include <stddef.h>
#include <stdint.h>

#include "gguf.h"
#include "nextpixel.h"

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

/* ---- a model -------------------------------------------------------------------------------------------------------------- */

enum { TOY_LEARNED_HALF, TOY_LEARNED_WHOLE, TOY_SINUSOIDAL };

typedef struct {
    uint32_t height, width, channels, levels;
    uint32_t blocks, d, inner, heads, key_length;
    int local;
    uint32_t query_block, memory_block; /* of local attention */
    int position;
    uint32_t classes;
    int biases;      /* in query, key, value and output */
    uint32_t type;   /* of the matrices: NX_F32, NX_F16, NX_Q8_0 */
    uint32_t tables; /* type of the embeddings */
    float sharpness; /* deviation of the logits; 0: 1.5 */
    uint64_t seed;
} toy_config;

typedef struct {
    char name[48];
    uint32_t rows, cols, type;
    float *values; /* (rows, cols) as the file holds them */
} toy_tensor;

typedef struct {
    toy_config config;
    uint8_t *bytes; /* exactly `length` of them */
    size_t length;
    size_t keys_end, data; /* offsets: end of the metadata, start of the tensors' data */
    uint32_t n_tensors;
    toy_tensor *tensor;
} toy;

/* What is wrong with a file on purpose. Names are of keys or tensors; null: nothing. */
typedef struct {
    const char *without;               /* left out */
    const char *twice;                 /* written twice */
    const char *retyped;               /* a key written with another type */
    const char *reshaped;              /* a tensor with its two dimensions exchanged */
    const char *number, *text;         /* a key with another value: */
    uint32_t value;                    /*   of `number` */
    const char *words;                 /*   of `text` */
    const char *poisoned;              /* a tensor whose last weight is */
    float poison;
} toy_twist;

toy *toy_build(const toy_config *config, const toy_twist *twist);

/* Appends the data of a tensor in its type and sets its values to what they became. */
void toy_encode(toy_file *file, const toy_tensor *tensor);

/* A tensor of a model, or null. */
const toy_tensor *toy_find(const toy *model, const char *name);

/* 8-bit value of a level, and the level of an 8-bit value, computed the long way. */
uint8_t toy_value(uint32_t level, uint32_t levels);
uint8_t toy_level(uint32_t value, uint32_t levels);

/* A spread of configurations that between them have every feature. Returns how many; `list` may be null. */
uint32_t toy_configs(const toy_config **list, const char *const **names);

/* ---- use of the library in one call, with blocks of exactly the size that it asked for -------------------------------------- */

/* Opens a model; null after a failed check. */
nx_model *toy_open(const toy *model);

/* A session; null after a failed check. *bytes (may be null): its size. */
nx_session *toy_session(const nx_model *model, const nx_settings *settings, size_t *bytes);

/* Settings of `samples` samples, seed `seed`, no label, temperature 1, no filter. */
nx_settings toy_settings(uint32_t samples, uint32_t seed);

/* Whatever bytes: size, open, and when the file is accepted a short run that uses every function. Checks what must hold of
 * any file and returns the status of nx_model_size. Files that ask for more than `most` bytes are not run. */
nx_status toy_exercise(const uint8_t *bytes, size_t length, size_t most);

#endif

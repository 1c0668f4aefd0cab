/* SPDX-License-Identifier: MIT  Random Transformers: an encoder and a decoder. */
#ifndef TOY_TRANSFORMER_H
#define TOY_TRANSFORMER_H

#include "nextpixel.h"
#include "toy.h"

enum { TOY_SINES, TOY_LEARNED, TOY_PLACELESS };

typedef struct {
    uint32_t values, length, encoder_blocks, blocks, d, inner, heads; /* inner: 0 means 4 d, and no key in the file */
    int pre_norm, position, biases;                                   /* biases: whether the projections of attention have biases */
    uint32_t end;                                                     /* the end id plus 1; 0 means no end id */
    uint32_t type;
    uint64_t seed;
} toy_transformer_config;

/* The tensors of a model in the file's order, and the file. */
typedef struct {
    toy_transformer_config config;
    toy_tensor *tensor;
    uint32_t n_tensors;
    toy_file file;
} toy_transformer;

toy_transformer *toy_transformer_build(const toy_transformer_config *config);
/* Rewrites the file after its tensors were changed. */
void toy_transformer_write(toy_transformer *model);
nx_model *toy_transformer_open(const toy_transformer *model);

#endif

/* SPDX-License-Identifier: MIT  Random models of the architecture gpt2. */
#ifndef TOY_GPT2_H
#define TOY_GPT2_H

#include "nextpixel.h"
#include "toy.h"

typedef struct {
    uint32_t values, length, blocks, d, inner, heads; /* length: number of learned positions; inner: 0 means 4 d, and no key in the file */
    int tied, bare;                                   /* bare: the linear maps have no biases */
    uint32_t end;                                     /* the end id plus 1; 0 means no end id */
    uint32_t type;
    uint64_t seed;
} toy_gpt2_config;

/* The tensors of a model in the file's order, and the file. */
typedef struct {
    toy_gpt2_config config;
    toy_tensor *tensor;
    uint32_t n_tensors;
    toy_file file;
} toy_gpt2;

toy_gpt2 *toy_gpt2_build(const toy_gpt2_config *config);
nx_model *toy_gpt2_open(const toy_gpt2 *model);

#endif

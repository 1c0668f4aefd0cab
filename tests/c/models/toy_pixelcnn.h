/* SPDX-License-Identifier: MIT  Random PixelCNNs, plain and gated. */
#ifndef TOY_PIXELCNN_H
#define TOY_PIXELCNN_H

#include "toy.h"

typedef struct {
    uint32_t gated, height, width, levels, blocks, d, input_kernel, kernel, head, classes;
    uint32_t bernoulli; /* 1: a single logit decides between two levels */
    uint32_t type;      /* type of the matrices */
    uint32_t classless; /* 1: the classes' rows are zeros */
    uint64_t seed;
    const char *number; /* null, or a key whose value is replaced */
    uint32_t value;
} toy_pixelcnn_config;

typedef struct {
    toy_pixelcnn_config config;
    toy_file file;
    uint32_t n_tensors;
    toy_tensor tensor[96];
} toy_pixelcnn;

toy_pixelcnn *toy_pixelcnn_build(const toy_pixelcnn_config *config);

/* Returns the opened model; null after a failed check. */
nx_model *toy_pixelcnn_open(const toy_pixelcnn *model);

/* Returns the values of a tensor as stored in the file; a missing tensor is a failed check. */
const float *toy_pixelcnn_values(const toy_pixelcnn *model, const char *name);

#endif

/* SPDX-License-Identifier: MIT  Random fully visible sigmoid belief networks. */
#ifndef TOY_FVSBN_H
#define TOY_FVSBN_H

#include "nextpixel.h"
#include "toy.h"

/* Makes a file of a model for height x width pixels, with weights of this type. Unless null, `weight` and `bias` receive the values as
 * stored in the file. `weight` has shape (n, n), with one row per source pixel, and `bias` has shape (n). */
toy_file toy_fvsbn_file(uint32_t height, uint32_t width, uint32_t type, uint64_t seed, float **weight, float **bias);

/* Returns the opened model; null after a failed check. */
nx_model *toy_fvsbn(uint32_t height, uint32_t width, uint32_t type, uint64_t seed);

#endif

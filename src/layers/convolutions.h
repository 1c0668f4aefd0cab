/* SPDX-License-Identifier: MIT
 *
 * A stack of convolutions. The stack converts a picture to a smaller picture with more channels. Kernels are square with odd sides. A
 * convolution may have a stride. All values outside the picture are zero. A relu follows each convolution.
 */
#ifndef NX_CONVOLUTIONS_H
#define NX_CONVOLUTIONS_H

#include "kernels/image.h"
#include "layers/layers.h"

#define NX_MAX_CONVOLUTIONS 8
#define NX_MAX_CHANNELS 2048u

typedef struct {
    nx_patches patches;
    nx_linear map;      /* shape (channels out, kernel * kernel * channels in) */
    uint32_t locations; /* number of locations of the output, rows * columns */
} nx_convolution;

typedef struct {
    uint32_t n;                    /* number of convolutions that are followed by a relu */
    uint32_t rows, cols, channels; /* size of the last convolution's output */
    uint32_t picture;              /* number of values of the largest picture, the input included */
    uint32_t widest;               /* number of values of the largest patch */
    nx_convolution at[NX_MAX_CONVOLUTIONS + 1];
} nx_convolutions;

/* Reads the keys "kernels" and "strides" of architecture `arch`, and the tensors "PREFIX0.weight", "PREFIX0.bias", "PREFIX1.weight", ...
 * The input of the stack is a picture (rows, cols, channels) without padding between its pixels. */
void nx_read_convolutions(nx_reader *r, nx_convolutions *c, const char *arch, const char *prefix, uint32_t rows, uint32_t cols,
                          uint32_t channels);

/* Reads a linear map of the stack's whole output, "NAME.weight" and "NAME.bias", and stores it as the convolution at[n]. */
void nx_read_last_convolution(nx_reader *r, nx_convolutions *c, const char *name, uint32_t outputs);

/* Returns the size of the scratch memory that a convolution of the stack needs. */
uint64_t nx_convolutions_bytes(const nx_convolutions *c);

/* The part of a convolution that one slice of an encoder computes: the locations first..past-1 of convolution `index`. A slice has as many
 * groups of NX_COLUMNS locations as NX_SLICE_PRODUCTS allows, and at least one group. Each slice takes milliseconds, regardless of the size
 * of the picture. */
typedef struct {
    uint32_t index, first, past;
} nx_convolution_slice;

/* nx_convolution_slices returns the number of slices of the first n convolutions. nx_convolution_slice_at returns the part that slice
 * `slice` computes; `slice` must be less than the number of slices. */
uint32_t nx_convolution_slices(const nx_convolutions *c, uint32_t n);
nx_convolution_slice nx_convolution_slice_at(const nx_convolutions *c, uint32_t slice);

/* Computes the output of one slice of a convolution from `picture`, and applies relu if part.index < c->n. out: shape (past - first,
 * nx_stride(channels out)), written. */
void nx_convolve_slice(float *out, const nx_convolutions *c, nx_convolution_slice part, const float *picture, void *scratch);

#endif

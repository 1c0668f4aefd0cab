/* SPDX-License-Identifier: MIT
 *
 * A stack of convolutions that turns a picture into a smaller one of more channels: odd square kernels, strides, zeros around, relu after each.
 */
#ifndef NX_CONVOLUTIONS_H
#define NX_CONVOLUTIONS_H

#include "kernels/image.h"
#include "layers/layers.h"

#define NX_MAX_CONVOLUTIONS 8
#define NX_MAX_CHANNELS 2048u

typedef struct {
    nx_patches patches;
    nx_linear map;      /* (channels out, kernel kernel channels in) */
    uint32_t locations; /* rows columns of its output */
} nx_convolution;

typedef struct {
    uint32_t n;                    /* convolutions with relu */
    uint32_t rows, cols, channels; /* of the last one's output */
    uint32_t picture;              /* numbers of the largest picture, the input included */
    uint32_t widest;               /* numbers of the largest patch */
    nx_convolution at[NX_MAX_CONVOLUTIONS + 1];
} nx_convolutions;

/* Reads the stack for a picture (rows, cols, channels) without padding between its pixels: the keys "kernels" and "strides" of architecture `arch`, the
 * tensors "PREFIX0.weight" and "PREFIX0.bias", "PREFIX1.weight", ... */
void nx_read_convolutions(nx_reader *r, nx_convolutions *c, const char *arch, const char *prefix, uint32_t rows, uint32_t cols,
                          uint32_t channels);

/* Reads a linear map of the stack's whole output, "NAME.weight" and "NAME.bias", as at[n]. */
void nx_read_last_convolution(nx_reader *r, nx_convolutions *c, const char *name, uint32_t outputs);

/* Scratch memory of a convolution of the stack. */
uint64_t nx_convolutions_bytes(const nx_convolutions *c);

/* out (n, nx_stride(channels out)) written: convolution i of `picture` at n <= NX_COLUMNS locations from `first` on, with relu if i < c->n. Returns n. */
uint32_t nx_convolve_columns(float *out, const nx_convolutions *c, uint32_t i, const float *picture, uint32_t first, void *scratch);

#endif

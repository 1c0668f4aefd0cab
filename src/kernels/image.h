/* SPDX-License-Identifier: MIT
 *
 * Functions for pictures of many channels: gathering the inputs of a two-dimensional convolution, pooling, and nearest-neighbour upscaling.
 *
 * A picture has shape (rows, cols). Its pixels are in raster order, and each pixel is a vector of `channels` numbers. Unless
 * nx_patches.pixel specifies otherwise, vectors are nx_stride(channels) numbers apart, like the columns of a matrix product (kernels.h). A
 * sequence of vectors, such as a sound, is a picture with one row. Outside the picture all values are zero.
 */
#ifndef NX_IMAGE_H
#define NX_IMAGE_H

#include <stdint.h>

#include "kernels.h"

/* The patches of a convolution. The output at location (r, c) is computed from a patch of `down` x `across` taps, in raster order.
 * Tap (i, j) is the pixel in row `r * stride_down + i * dilation - above` and column `c * stride_across + j * dilation - left`. For a k x k
 * square with a padding of e pixels: down = across = k, above = left = below = right = e. For k taps in one row: rows = down = 1, above =
 * below = 0. */
typedef struct {
    uint32_t rows, cols, channels;
    uint32_t pixel; /* distance between two pixels, in numbers, at least `channels`; 0: nx_stride(channels) */
    uint32_t down, across;
    uint32_t stride_down, stride_across, dilation; /* at least 1 */
    uint32_t above, left, below, right;            /* rows and columns of zeros around the picture */
} nx_patches;

/* These functions return the number of rows and the number of columns of the output, or 0 if no patch fits. The number of rows is (rows +
 * above + below - dilation (down - 1) - 1) / stride_down + 1, where the quotient is rounded down. The number of columns is computed in the
 * same way. */
uint32_t nx_patch_rows(const nx_patches *patches);
uint32_t nx_patch_cols(const nx_patches *patches);

/* Returns the number of values in a patch: down * across * channels. */
static inline uint32_t nx_patch_length(const nx_patches *p) { return p->down * p->across * p->channels; }

/* Concatenates the vectors at all taps of a location. out: shape (nx_patch_length), written. location: row * nx_patch_cols + column. */
void nx_patch_gather(float *out, const float *picture, const nx_patches *patches, uint32_t location);

/* Computes a convolution, out = weights * patch + bias, at n locations beginning with location `first`; n <= NX_COLUMNS. out: shape (n,
 * nx_stride(weights->rows)), written. weights: a matrix with nx_patch_length columns. scratch: nx_convolve_bytes bytes. The result at a
 * location does not depend on which other locations are computed in the same call. */
uint64_t nx_convolve_bytes(const nx_patches *patches);
void nx_convolve(float *out, const nx_matrix *weights, const float *bias, const float *picture, const nx_patches *patches, uint32_t first,
                 uint32_t n, void *scratch);

/* Computes the maximum over 2 x 2 pixels. out: shape (rows / 2, cols / 2), written. If the number of rows or columns is odd, the last row
 * or column is dropped. NaN counts as the largest. channels % 4 == 0 */
void nx_pool_largest(float *out, const float *picture, uint32_t rows, uint32_t cols, uint32_t channels);

/* Doubles the size of a picture by nearest-neighbour upscaling: every pixel is written four times. out: shape (2 rows, 2 cols), written. */
void nx_enlarge(float *out, const float *picture, uint32_t rows, uint32_t cols, uint32_t channels);

#endif

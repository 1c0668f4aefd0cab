/* SPDX-License-Identifier: MIT
 *
 * The common part of PixelCNN and gated PixelCNN: the description of the picture, the first convolution (over ids), and the last two
 * layers. PixelCNN and gated PixelCNN predict one grey pixel per position, in raster order.
 */
#ifndef NX_PIXELS_H
#define NX_PIXELS_H

#include <string.h>

#include "kernels/queue.h"
#include "layers/pictures.h"
#include "layers/layers.h"

#define NX_MAX_KERNEL 15 /* largest side of a convolution's kernel */

typedef struct {
    uint32_t width, n;             /* number of columns and number of pixels of the picture */
    uint32_t blocks;               /* number of layers after the first layer */
    uint32_t d;                    /* number of channels between layers */
    uint32_t input_kernel, kernel; /* kernel sides, odd: of the first convolution, and of the later convolutions */
    uint32_t head_length;          /* width of the layer before the output */
    nx_output output;              /* distribution of a pixel */
    nx_linear head, last;          /* shapes (head_length, d), (P, head_length) */
} nx_pixels;

/* Reads the keys of architecture `arch`; d must be a multiple of `unit`. */
void nx_pixels_read(nx_reader *r, nx_pixels *p, const char *arch, uint32_t unit);

/* Fills the plan: one pixel per position, and the map "field". weights: the weights of the model, null before they are allocated. */
void nx_pixels_plan(const nx_pixels *p, nx_plan *plan, const void *weights);

/* Returns the taps of a square of side k. above: number of rows above the pixel; left: number of taps in its own row; gap: distance between
 * the pixel and the last tap to its left. */
static inline nx_taps nx_pixels_taps(const nx_pixels *p, uint32_t k, uint32_t above, uint32_t left, uint32_t gap) {
    return (nx_taps){.width = p->width, .above = above, .across = k, .left = left, .gap = gap};
}

/* Computes parameters = W_last relu(W_head relu(x)). x: shape (n, d), overwritten. y: space for (n, nx_stride(head_length)). */
void nx_pixels_end(const nx_pixels *p, float *parameters, float *x, float *y, uint32_t n, void *matmul);

/* ---- the map "field": the pixels that affect a layer's values at a position ---------------------------------------------------- */

/* For each position i that has one of the marks `from`, marks all taps of position i + down with `to`. marks: sets of bits, shape (last +
 * 1) */
void nx_pixels_reach(const nx_taps *taps, uint32_t down, uint32_t *marks, uint32_t last, uint32_t from, uint32_t to);

/* Replaces the marks with a list of positions: the positions before `position` that have the mark `mark`, then `position` itself. Returns
 * the number of positions in the list. */
uint32_t nx_pixels_list(uint32_t *marks, uint32_t position, uint32_t mark);

/* Writes the weights of all rows of the map, for the columns that request maps. All positions in the field have the same weight. */
void nx_pixels_map(const nx_column *columns, uint32_t n, uint32_t rows, const void *m, uint32_t *list,
                   uint32_t (*keys)(const void *, const nx_shape *, uint32_t, uint32_t, uint32_t, uint32_t *));

#endif

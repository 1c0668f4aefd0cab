/* SPDX-License-Identifier: MIT
 *
 * Super-resolution that reads the small picture directly. This option of the Image Transformer is not in the paper. For each pixel, the
 * decoder reads features of the small picture. The same features determine a prior for the distribution of the pixel.
 *
 * Colours are z = (255 - v) / 255, so white and everything outside the picture are 0. Each pixel of the small picture corresponds to a cell
 * of K pixels of the large picture. Pixels are drawn in raster order, and k is the index of a pixel in its cell, also in raster order. 49
 * numbers are known before a pixel is drawn:
 *
 *   C (27)  the 3 x 3 pixels of the small picture around the pixel's cell
 *   r (3)   the mean colour that the remaining pixels of the cell need: clamp( (K z_cell - sum of z drawn in the cell) / (K - k), 0, 1 )
 *   N (18)  the colours of the pixels at the offsets (row, column) = (0,-1) (-1,0) (-1,-1) (-1,1) (0,-2) (-2,0)
 *   1
 *
 * All of these numbers are functions of the inputs and of the ids before the pixel, so they need no state. If there is an encoder, it reads
 * the whole small picture. Row e of the encoder's output is then added to the inputs of all pixels of cell e, and there is no
 * cross-attention.
 *
 *   input     x = x + E_k [C; r; 1] + U e_cell   and with a palette  + T_near(z_cell) + T_(V + near(r))
 *             near(z): the palette's colour nearest to z
 *   guess     M = A_k [C; r; N; 1] + W h,   s = softplus( w . h + b_k ),   h: what the output layer reads
 *   palette   logit_v = logit_v + s (2 p_v . M - |p_v|^2),   p_v: the colours of the palette
 *   mixtures  location_c = location_c + g_c (1 - 2 M_c - location_c),   g = s_c / (1 + s_c), one s for each channel
 *
 * All computations are in single precision, and features are added in order.
 */
#ifndef NX_DIRECT_H
#define NX_DIRECT_H

#include "arch.h"
#include "kernels/kernels.h"

#define NX_DIRECT_KNOWN 49 /* number of known features per pixel */

typedef struct {
    uint32_t height, width, rows, cols; /* height, width: size of the large picture; rows, cols: size of the small picture */
    uint32_t places, values, mixtures;  /* K; V; number of components of the mixture, or 0 with a palette */
    uint32_t d;                         /* width of the model */
    const float *input;                 /* shape (K 31, d): E; the 31 rows E_k of an index k are contiguous */
    const float *near;                  /* shape (2 V, d): T; null without a palette */
    const float *guess;                 /* shape (K 49, 3): A */
    const float *hidden;                /* shape (3, d): W */
    const float *certainty;             /* shape (1 or 3, d): w */
    const float *certainty_bias;        /* shape (K, 1 or 3): b */
    const float *colours;               /* shape (V, 3): the palette as in the file; null if ids are levels of the three channels */
    const float *squares;               /* shape (4, nx_stride(V)): three channels of the palette's colours, then |p|^2; or null */
} nx_direct;

/* Returns whether a file uses this option. */
int nx_direct_there(const nx_reader *reader);

/* Reads the weights. d: width of the model; palette: shape (V, 3), or null; mixtures: number of components of a mixture over a pixel, or 0.
 * The sides of the large picture must be multiples of the sides of the small picture. */
void nx_direct_read(nx_reader *reader, nx_direct *direct, uint32_t d, const float *palette, uint32_t values, uint32_t mixtures);

/* Computes the known features of the pixel at `position`.
 * known    (NX_DIRECT_KNOWN) written
 * small    (rows, cols, 3) levels of 256
 * ids      (position) colours, or (position, 3) levels */
void nx_direct_know(const nx_direct *direct, float *known, const uint32_t *small, const uint32_t *ids, uint32_t position);

/* Returns the index of the cell that contains the pixel at `position`. Cells are indexed in raster order. */
uint32_t nx_direct_cell(const nx_direct *direct, uint32_t position);

/* Adds the terms of the equation "input" (see above) to x, shape (d), but not the term U e_cell. */
void nx_direct_enter(const nx_direct *direct, float *x, const float *known, uint32_t position);

/* Adds the prior to the parameters that the output layer has computed. h (d): input of the output layer. */
void nx_direct_lead(const nx_direct *direct, float *parameters, const float *h, const float *known, uint32_t position);

#endif

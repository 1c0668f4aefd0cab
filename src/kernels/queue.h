/* SPDX-License-Identifier: MIT
 *
 * Computes causal convolutions one position at a time [Paine et al. 2016, arXiv:1611.09482; Ramachandran et al. 2017, arXiv:1704.06001].
 * The outputs of a layer at past positions stay in a queue, from which the taps of a convolution are gathered. A position thus costs one
 * product, and no product is computed twice. Outside the grid all values are zero.
 *
 * A queue is a ring of nx_taps_reach() + NX_COLUMNS slots. The additional NX_COLUMNS slots are needed for two reasons: a pass may write all
 * its columns before it reads any, and up to NX_COLUMNS positions may be recomputed.
 */
#ifndef NX_QUEUE_H
#define NX_QUEUE_H

#include <stdint.h>

#include "kernels.h"

#define NX_OUTSIDE 0xffffffffu

/* The taps of a masked convolution over a grid in raster order. The taps are in raster order, too. The first taps are directly above the
 * position: `above` rows with `across` taps each, centred on the position's column. Then come `left` taps in the position's own row; the
 * last tap is `gap` pixels to the left of the position. A k x k square with mask A has above = k/2, across = k, left = k/2, gap = 1; with
 * mask B it has left = k/2 + 1, gap = 0. */
typedef struct {
    uint32_t width; /* columns of the grid; 0: a single endless row */
    uint32_t above, across, left, gap;
} nx_taps;

static inline uint32_t nx_taps_count(const nx_taps *taps) { return taps->above * taps->across + taps->left; }

/* Returns the position that tap t reads for the output at `position`, or NX_OUTSIDE if the tap is outside the grid. */
uint32_t nx_tap_at(const nx_taps *taps, uint32_t t, uint32_t position);

/* Returns how many positions back the farthest tap is. */
uint32_t nx_taps_reach(const nx_taps *taps);

/* Functions for a queue of vectors with `channels` numbers:
 *   nx_queue_bytes    returns the size of the queue in bytes, a multiple of NX_ALIGN
 *   nx_queue_at       returns the address of a position's vector
 *   nx_queue_write    stores x (channels) at a position
 *   nx_queue_gather   concatenates the vectors at all taps of a position and writes the result to out (taps channels) */
uint64_t nx_queue_bytes(const nx_taps *taps, uint32_t channels);
float *nx_queue_at(const float *queue, const nx_taps *taps, uint32_t channels, uint32_t position);
void nx_queue_write(float *queue, const nx_taps *taps, uint32_t channels, uint32_t position, const float *x);
void nx_queue_gather(float *out, const float *queue, const nx_taps *taps, uint32_t channels, uint32_t position);

/* Computes a convolution whose inputs are ids; it needs no queue. For every tap t inside the grid, row t * values + ids[position of tap t]
 * of the table is added to out (table->cols). row: space for nx_stride(table->cols) numbers.    table->cols % 4 == 0 */
void nx_taps_add_rows(float *out, const nx_embedding *table, const nx_taps *taps, uint32_t values, const uint32_t *ids, uint32_t position,
                      float *row);

#endif

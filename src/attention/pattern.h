/* SPDX-License-Identifier: MIT
 *
 * Patterns define which cached positions a query sees. Positions are indices in generation order.
 *
 * Query blocks. A pattern divides the positions into query blocks, each contiguous in generation order. All queries of a block see the same
 * memory; each query also sees the earlier positions of the block. A pass of many columns therefore stays within one block
 * (nx_pattern_block_end) and uses one list of visible positions.
 */
#ifndef NX_PATTERN_H
#define NX_PATTERN_H

#include <stdint.h>

typedef enum {
    NX_FULL_CAUSAL, /* key j visible to query i:  j <= i */
    NX_LOCAL_1D,    /* j <= i and j >= l_q floor(i / l_q) - l_m   [Parmar 2018, section 3.3, figure 1 left] */
    NX_LOCAL_2D     /* blocks of rows and columns with flanges    [Parmar 2018, section 3.3, figure 1 right] */
} nx_pattern_kind;

/* Local 2D. Positions form a grid of rows and columns. The grid is divided into query blocks of block_rows x block_cols (smaller at the
 * right and bottom edges). Generation goes through the blocks in raster order, and through each block in raster order. Let r0 be a block's
 * first row and c0..c1-1 its columns. The queries of this block see:
 *   - the flange_rows rows above r0, in the columns c0 - flange_cols .. c1 + flange_cols - 1
 *   - the flange_cols columns left of c0, in the block's own rows
 *   - the positions of the block up to the query
 * In the block's own rows, the columns to the right of the block are never visible, because they are generated later. All areas are clipped
 * at the image's edges. */
typedef struct {
    nx_pattern_kind kind;
    uint32_t positions;    /* n: number of positions in a complete sequence */
    uint32_t query_block;  /* l_q; n for full causal attention */
    uint32_t memory_block; /* l_m: number of positions directly before the query block that its queries see; 0 for full causal attention */
    uint32_t rows, cols;   /* only for local 2D, as are the fields below; rows * cols = n */
    uint32_t block_rows, block_cols, flange_rows, flange_cols;
} nx_pattern;

/* A range of visible positions: from..to-1. */
typedef struct {
    uint32_t from, to;
} nx_range;

/* Lists the ranges of positions that query i sees, in ascending order. The ranges neither touch nor overlap, and the last range ends with
 * i. Returns the number of ranges. */
uint32_t nx_pattern_ranges(const nx_pattern *pattern, uint32_t i, nx_range *ranges);

/* Lists the positions of nx_pattern_ranges one by one, in ascending order. keys: space for nx_pattern_window positions. Returns the number
 * of positions. */
uint32_t nx_pattern_keys(const nx_pattern *pattern, uint32_t i, uint32_t *keys);

/* Returns an upper bound on the number of ranges that nx_pattern_ranges lists. */
uint32_t nx_pattern_max_ranges(const nx_pattern *pattern);

/* Returns the first position after i's query block. */
uint32_t nx_pattern_block_end(const nx_pattern *pattern, uint32_t i);

/* Returns the largest number of positions that a query can see (for local 2D an upper bound: the window without clipping). */
uint32_t nx_pattern_window(const nx_pattern *pattern);

/* Returns the number of slots in the ring of a cache (cache.h): a multiple of 4, enough for all positions from the oldest visible position
 * to the newest. */
uint32_t nx_pattern_slots(const nx_pattern *pattern);

/* Returns the raster index of position i in the grid. */
uint32_t nx_pattern_raster(const nx_pattern *pattern, uint32_t i);

#endif

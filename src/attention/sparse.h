/* SPDX-License-Identifier: MIT
 *
 * Sparse patterns [Child, Gray, Radford, Sutskever 2019, arXiv:1904.10509, section 4; blocks: Dhariwal et al. 2020, arXiv:2005.00341].
 * Query i sees one or more of the following sets. Each set has about sqrt(n) positions, none of them after i; l is the stride, and c is the
 * length of a summary:
 *
 *                A1, near                                      A2, far                                         A3, previous
 *   strided      the last l positions, including i                  every l-th position back from i, including i
 *   fixed        the positions of i's block of l, up to i           the last c positions of each block of l, up to i
 *   blocks       the positions of i's block of l, up to i           every l-th position back from i, including i    the whole previous block
 *
 * If the positions are written in rows of l, the sets of `blocks` are i's row, i's column and the previous row. In the paper's formula, the
 * strided A1 has l + 1 positions, from i - l to i. This library uses l positions, like the code that the authors released. The fixed A2 is
 * empty for the first l - c positions, and A3 is empty for the first l positions.
 *
 * A pattern also assigns a slot of the cache to each position, so that the positions of each set that a query sees are in contiguous slots.
 * The near sets and the previous block use a ring of the most recent positions. In the far sets of the patterns `strided` and `blocks`,
 * positions with the same residue modulo l are in contiguous slots. For the far set of the pattern `fixed`, only the last c positions of
 * each block are kept. If queries see both the near and the far set, all positions are kept, and position i has slot i.
 */
#ifndef NX_SPARSE_H
#define NX_SPARSE_H

#include "pattern.h"

typedef enum { NX_STRIDED, NX_FIXED, NX_BLOCKS } nx_sparse_kind;

enum { NX_NEAR = 1, NX_FAR = 2, NX_PREVIOUS = 4 }; /* A1, A2, A3 */

typedef struct {
    nx_sparse_kind kind;
    uint32_t positions; /* n, at least 1 */
    uint32_t stride;    /* l, at least 1 */
    uint32_t summary;   /* c, 1..l, of the fixed pattern */
    uint32_t sets;      /* NX_NEAR, NX_FAR, NX_NEAR | NX_FAR or, for blocks, NX_PREVIOUS */
} nx_sparse;

#define NX_NOT_KEPT 0xffffffffu
#define NX_SPARSE_SPARE 16 /* spare slots of a ring: the largest number of positions that can share a pass, or that can be recomputed */

/* Returns the slot of position i, to be taken modulo nx_sparse_slots; NX_NOT_KEPT if no query ever sees the position. */
uint32_t nx_sparse_slot(const nx_sparse *pattern, uint32_t i);

/* Lists the slots that query i sees, in the order of their positions. ranges: shape (nx_sparse_max_ranges), written. The ranges neither
 * touch nor overlap. Returns the number of ranges, which is 0 if the query sees no positions. In a range of a near set, slot numbers may
 * exceed nx_sparse_slots: nx_attend reduces them modulo the number of slots. */
uint32_t nx_sparse_ranges(const nx_sparse *pattern, uint32_t i, nx_range *ranges);

/* Lists the positions in the slots that query i sees, in ascending order. keys: shape (nx_sparse_window), written. Returns the number of
 * positions. */
uint32_t nx_sparse_keys(const nx_sparse *pattern, uint32_t i, uint32_t *keys);

/* nx_sparse_max_ranges returns the largest number of ranges that a query sees, and nx_sparse_window returns the largest number of
 * positions. */
uint32_t nx_sparse_max_ranges(const nx_sparse *pattern);
uint32_t nx_sparse_window(const nx_sparse *pattern);

/* Returns the number of slots of a cache, a multiple of 4. */
uint32_t nx_sparse_slots(const nx_sparse *pattern);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Sparse patterns [Child, Gray, Radford, Sutskever 2019, arXiv:1904.10509, section 4; blocks: Dhariwal et al. 2020, arXiv:2005.00341].
 * Among the positions up to its own, query i sees one of several sets (near, far) of about sqrt(n) each; l is the stride, c the summary:
 *
 *                A1, near                                      A2, far                                         A3, previous
 *   strided      the last l positions, i among them            every l-th position back from i, i among them
 *   fixed        those of i's block of l positions, up to i    the last c positions of each block of l, up to i
 *   blocks       those of i's block of l positions, up to i    every l-th position back from i, i among them   all of the block before i's
 *
 * With positions in rows of l, the sets of blocks are i's row, its column and the previous row. The paper's formula for the strided A1 is i
 * - l .. i, which are l + 1 positions; the authors' released code uses l, as here. The fixed A2 is empty for the first l - c positions, and
 * A3 for the first l.
 *
 * A pattern also defines slots: the slot of a position in a cache, so that the positions that a query sees of one set are contiguous there.
 * The near sets and the previous one keep the last positions in a ring; the far one of columns keeps the positions of a residue modulo l
 * contiguous, that of the fixed pattern keeps only the summaries. The union of both sets keeps the order of the positions.
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
    uint32_t sets;      /* NX_NEAR, NX_FAR, NX_NEAR | NX_FAR or, of blocks, NX_PREVIOUS */
} nx_sparse;

#define NX_NOT_KEPT 0xffffffffu
#define NX_SPARSE_SPARE 16 /* spare slots of a ring: the most positions that share a pass, or that may be entered again */

/* The slot of position i, to be taken modulo nx_sparse_slots; NX_NOT_KEPT if no query ever sees it. */
uint32_t nx_sparse_slot(const nx_sparse *pattern, uint32_t i);

/* The slots that query i sees, in the order of their positions: ranges (nx_sparse_max_ranges) written, which neither touch nor overlap.
 * Returns their number, 0 if the set is empty. A range of a near set counts slots without the modulo, as nx_attend expects. */
uint32_t nx_sparse_ranges(const nx_sparse *pattern, uint32_t i, nx_range *ranges);

/* The positions in these slots, ascending: keys (nx_sparse_window) written. Returns their number. */
uint32_t nx_sparse_keys(const nx_sparse *pattern, uint32_t i, uint32_t *keys);

/* The most ranges and the most positions that a query sees. */
uint32_t nx_sparse_max_ranges(const nx_sparse *pattern);
uint32_t nx_sparse_window(const nx_sparse *pattern);

/* Slots of a cache, a multiple of 4. */
uint32_t nx_sparse_slots(const nx_sparse *pattern);

#endif

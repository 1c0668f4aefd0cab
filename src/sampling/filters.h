/* SPDX-License-Identifier: MIT
 *
 * Filters of the values that may be drawn. They remove values of little mass: dropped values become -infinity. Each filter takes the
 * remaining values of the one before it as a distribution.
 */
#ifndef NX_FILTERS_H
#define NX_FILTERS_H

#include <stdint.h>

#include "nextpixel.h"

/* Returns whether the numbers of all filters are within their ranges, and this build has those that are on. */
int nx_filters_valid(const nx_settings *settings);

/* Returns whether a filter would drop anything. */
int nx_filters(const nx_settings *settings);

/* z (nx_stride(V), -infinity past V): logits relative to anything. In this order:
 *   top_k      keeps the k most probable values
 *   typical_p  keeps, of the values whose -ln p is nearest to the entropy, the fewest that hold more than this mass
 *              [Meister, Pimentel, Wiher, Cotterell 2023, arXiv:2202.00666]
 *   top_p      keeps the fewest most probable values that hold this mass [Holtzman et al. 2020, arXiv:1904.09751]
 *   min_p      keeps values at least this many times as probable as the most probable one [Nguyen et al. 2024,
 *              arXiv:2407.01082]
 * Of equals, the lowest values are kept. One more filter is a line of the table in filters.c. mass, heap (nx_stride(V)) overwritten. */
void nx_filter_values(float *z, uint32_t values, const nx_settings *settings, float *mass, uint32_t *heap);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Filters that restrict which values may be drawn. They drop improbable values by setting their logits to -infinity. Each filter treats the
 * values left by the previous filter as a distribution.
 */
#ifndef NX_FILTERS_H
#define NX_FILTERS_H

#include <stdint.h>

#include "nextpixel.h"

/* Returns whether the parameters of all filters are within their ranges, and whether this build has all filters that are on. */
int nx_filters_valid(const nx_settings *settings);

/* Returns whether a filter would drop any value. */
int nx_filters(const nx_settings *settings);

/* Applies the filters to the logits z (nx_stride(V), -infinity past V), to which any constant may have been added. The filters are, in this
 * order:
 *   top_k      keeps the k most probable values
 *   typical_p  keeps the fewest values with a total mass above typical_p, beginning with values whose -ln p is nearest to the entropy
 *              [Meister, Pimentel, Wiher, Cotterell 2023, arXiv:2202.00666]
 *   top_p      keeps the fewest values with a total mass of at least top_p, beginning with the most probable value [Holtzman et al. 2020,
 *              arXiv:1904.09751]
 *   min_p      keeps the values that are at least min_p times as probable as the most probable value [Nguyen et al. 2024, arXiv:2407.01082]
 * On ties, the lowest values are kept. To add a filter, add a line to the table in filters.c. mass, heap: shape (nx_stride(V)),
 * overwritten. */
void nx_filter_values(float *z, uint32_t values, const nx_settings *settings, float *mass, uint32_t *heap);

#endif

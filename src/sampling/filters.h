/* SPDX-License-Identifier: MIT
 *
 * Which values may be drawn. Filters take values of little mass away: what they drop becomes -infinity. Each looks at what
 * the one before it left, as a distribution of its own.
 */
#ifndef NX_FILTERS_H
#define NX_FILTERS_H

#include <stdint.h>

/* How probabilities are shaped before a value is drawn; see nx_settings. The first three stand first, and zeros in the others
 * turn these off. */
typedef struct {
    float temperature;         /* 0: the most probable value of those that are kept */
    uint32_t top_k;            /* 0: all */
    float top_p;               /* 1: all */
    float typical_p;           /* 0 or 1: all */
    float min_p;               /* 0: all */
    uint32_t temperature_last; /* 1: the filters look at the odds as the model gave them; 0: at the tempered ones */
} nx_filter;

/* Whether a filter would drop anything. */
int nx_filters(const nx_filter *filter);

/* z (nx_stride(V), -infinity past V): logits relative to anything. In this order:
 *   top_k      keeps the k most probable values
 *   typical_p  keeps, of the values whose -ln p is nearest to the entropy, the fewest that hold more than this mass
 *              [Meister, Pimentel, Wiher, Cotterell 2023, arXiv:2202.00666]
 *   top_p      keeps the fewest most probable values that hold this mass [Holtzman et al. 2020, arXiv:1904.09751]
 *   min_p      keeps values at least this many times as probable as the most probable one [Nguyen et al. 2024,
 *              arXiv:2407.01082]
 * Of equals, the lowest values are kept. mass, heap (nx_stride(V)) overwritten. */
void nx_filter_values(float *z, uint32_t levels, const nx_filter *filter, float *mass, uint32_t *heap);

#endif

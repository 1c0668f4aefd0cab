/* SPDX-License-Identifier: MIT
 *
 * Noise as a function: Philox4x32-10 [Salmon, Moraes, Dror, Shaw 2011], a counter-based generator. Nothing is consumed
 * and nothing is remembered, so neither batch nor worker nor order can change a result.
 */
#ifndef NX_NOISE_H
#define NX_NOISE_H

#include <stdint.h>

#include "kernels/simd.h"

/* Four random words of the counter and the key. */
void nx_philox(uint32_t out[4], const uint32_t counter[4], uint32_t key_low, uint32_t key_high);

typedef struct {
    uint32_t seed_low, seed_high; /* the key */
    uint32_t sample;              /* index of the sequence */
    uint32_t position;            /* index of the element in generation order; it implies the channel */
} nx_noise;

/* Standard Gumbel noise -ln(-ln u) of the values 4 group .. 4 group + 3.
 * Value v takes word v % 4 of the counter (v / 4, position, sample, 0). u = ((word >> 9) + 1/2) / 2^23 is exact
 * in single precision and lies strictly between 0 and 1, so the noise between NX_GUMBEL_LEAST and NX_GUMBEL_MOST. */
v128_t nx_gumbel(nx_noise noise, uint32_t group);

#define NX_GUMBEL_LEAST (-2.82f) /* -ln(24 ln 2) = -2.812 */
#define NX_GUMBEL_MOST 16.65f    /* -ln(-ln(1 - 2^-24)) = 16.636 */

#endif

/* SPDX-License-Identifier: MIT
 *
 * Noise as a function: Philox4x32-10 [Salmon, Moraes, Dror, Shaw 2011], a counter-based generator. Nothing is consumed
 * and nothing is remembered, so neither batch nor worker nor order can change a result.
 */
#ifndef NX_NOISE_H
#define NX_NOISE_H

#include <stdint.h>

/* Four random words of the counter and the key. */
void nx_philox(uint32_t out[4], const uint32_t counter[4], uint32_t key_low, uint32_t key_high);

typedef struct {
    uint32_t seed_low, seed_high; /* the key */
    uint32_t sample;              /* index of the sequence */
    uint32_t position;            /* index of the element in generation order; it implies the channel */
} nx_noise;

/* Standard Gumbel noise -ln(-ln u), one number for each value: out[v] for v < n, n % 4 == 0.
 * Value v takes word v % 4 of the counter (v / 4, position, sample, 0). u = ((word >> 9) + 1/2) / 2^23 is exact
 * in single precision and lies strictly between 0 and 1. */
void nx_gumbel(float *out, nx_noise noise, uint32_t n);

#endif

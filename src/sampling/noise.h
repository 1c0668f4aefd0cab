/* SPDX-License-Identifier: MIT
 *
 * Noise as a function: Philox4x32-10 [Salmon, Moraes, Dror, Shaw 2011], a counter-based generator. Nothing is consumed
 * and nothing is remembered, so neither batch nor worker nor order can change a result.
 */
#ifndef NX_NOISE_H
#define NX_NOISE_H

#include <stdint.h>

#include "kernels/simd.h"

/* Random words of four counters at once: lane i of words 0..3 is counter i, and becomes its four random words. */
void nx_philox(v128_t word[4], uint32_t key_low, uint32_t key_high);

typedef struct {
    uint32_t seed_low, seed_high; /* the key */
    uint32_t sample;              /* index of the sequence */
    uint32_t position;            /* index of the element: it implies its place within a position */
    uint32_t stream;              /* what it is for, so that two uses share no noise: elements of part i take stream i */
} nx_noise;

/* Adds standard Gumbel noise -ln(-ln u) of the values first .. first + 15 to the 16 numbers z, first % 4 == 0.
 * Value v takes word v % 4 of the counter (v / 4, position, sample, stream). u = ((word >> 9) + 1/2) / 2^23 is exact
 * in single precision and lies strictly between 0 and 1, so the noise between NX_GUMBEL_LEAST and NX_GUMBEL_MOST. */
void nx_add_gumbel(float *z, nx_noise noise, uint32_t first);

#define NX_GUMBEL_LEAST (-2.82f) /* -ln(24 ln 2) = -2.812 */
#define NX_GUMBEL_MOST 16.65f    /* -ln(-ln(1 - 2^-24)) = 16.636 */

#endif

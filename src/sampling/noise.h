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
    /* Its use, so that two uses share no noise. Part i draws its elements from stream i, and fills port j from stream NX_MAX_PARTS + NX_PORTS i + j;
     * from NX_STREAM_INSIDE + i its model draws while it computes a position (nx_column.noise). */
    uint32_t stream;
} nx_noise;

#define NX_STREAM_INSIDE 0x100u

/* Adds standard Gumbel noise -ln(-ln u) of the values first .. first + 15 to the 16 numbers z, first % 4 == 0.
 * Value v takes word v % 4 of the counter (v / 4, position, sample, stream). u = ((word >> 9) + 1/2) / 2^23 is exact
 * in single precision and lies strictly between 0 and 1, so the noise between NX_GUMBEL_LEAST and NX_GUMBEL_MOST. */
void nx_add_gumbel(float *z, nx_noise noise, uint32_t first);

#define NX_GUMBEL_LEAST (-2.82f) /* -ln(24 ln 2) = -2.812 */
#define NX_GUMBEL_MOST 16.65f    /* -ln(-ln(1 - 2^-24)) = 16.636 */

/* Standard normal deviates as ids, nearest to 32768 + 8192 z, cut off at 0 and 65535, which is 4 standard deviations away: ids (n) written.
 * A pair of them is sqrt(-2 ln u) (cos 2 pi v, sin 2 pi v) [Box, Muller 1958]. Ids 4 i and 4 i + 1 use words 0 and 1 of the counter (i,
 * position, sample, stream), the next two words 2 and 3; u and v are made of words as above. */
void nx_normals(uint32_t *ids, uint32_t n, nx_noise noise);

#endif

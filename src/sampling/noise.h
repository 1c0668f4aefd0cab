/* SPDX-License-Identifier: MIT
 *
 * Noise as a function of its indices: Philox4x32-10 [Salmon, Moraes, Dror, Shaw 2011], a counter-based generator. The generator has no
 * state, so results do not depend on the batch, the worker or the order of draws.
 */
#ifndef NX_NOISE_H
#define NX_NOISE_H

#include <stdint.h>

#include "kernels/simd.h"

/* Computes the random words of four counters. On entry, lane i of word[0] to word[3] holds counter i; on return, it holds the counter's
 * four random words. */
void nx_philox(v128_t word[4], uint32_t key_low, uint32_t key_high);

typedef struct {
    uint32_t seed_low, seed_high; /* the key */
    uint32_t sample;              /* index of the sequence */
    uint32_t position;            /* index of the element in the sequence (position * E + index in the position) */
    /* Identifies the use of the noise, so that two uses never share noise. Part i draws its elements from stream i, and fills port j from
     * stream NX_MAX_PARTS + NX_PORTS * i + j. The part's model draws from stream NX_STREAM_INSIDE + i while it computes a position
     * (nx_column.noise). */
    uint32_t stream;
} nx_noise;

#define NX_STREAM_INSIDE 0x100u

/* Adds standard Gumbel noise -ln(-ln u) to the 16 numbers z, which belong to the values first .. first + 15. `first` must be a multiple of
 * 4. Value v uses random word v % 4 of the counter (v / 4, position, sample, stream). u = ((word >> 9) + 1/2) / 2^23 is exact in single
 * precision and strictly between 0 and 1, so the noise is between NX_GUMBEL_LEAST and NX_GUMBEL_MOST. */
void nx_add_gumbel(float *z, nx_noise noise, uint32_t first);

#define NX_GUMBEL_LEAST (-2.82f) /* -ln(24 ln 2) = -2.812 */
#define NX_GUMBEL_MOST 16.65f    /* -ln(-ln(1 - 2^-24)) = 16.636 */

/* Writes standard normal deviates z as ids (n): the integer nearest to 32768 + 8192 z, clipped to 0..65535. The range covers 4 standard
 * deviations on either side. A pair of deviates is sqrt(-2 ln u) (cos 2 pi v, sin 2 pi v) [Box, Muller 1958]. The four random words of the
 * counter (i, position, sample, stream) yield the ids 4i to 4i + 3: two ids from words 0 and 1, and two from words 2 and 3. u and v
 * are computed from a word in the same way as u in nx_add_gumbel. */
void nx_normals(uint32_t *ids, uint32_t n, nx_noise noise);

#endif

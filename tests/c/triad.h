/* SPDX-License-Identifier: MIT
 *
 * The triad: an architecture of three parts to test the data flow from part to part, in C and in JavaScript.
 *
 *   encoder   reads `sound` two samples a slice; leaves `codes`, one for each pair that is not silent (both 0), and two `levels` of each code
 *   prior     reads `codes`; draws as many ids as one asks, which the code where the position stands makes likelier, and the id before
 *   decoder   reads `prior`, the ids; leaves `sound`, two samples of each id, one id a slice; a sample depends on its id and on both neighbours
 */
#ifndef TRIAD_H
#define TRIAD_H

#include "model.h"

#define TRIAD_SOUND 8000u /* the most samples that are read */
#define TRIAD_CODES (TRIAD_SOUND / 2)
#define TRIAD_LEVELS 256u /* upper bound of samples */
#define TRIAD_VALUES 16u  /* upper bound of codes and ids */

enum { TRIAD_ENCODER, TRIAD_PRIOR, TRIAD_DECODER, TRIAD_PARTS };
enum { TRIAD_OF_CODES, TRIAD_OF_LEVELS };

/* Tensors, F32: enc.weight (16, 2), the two levels of a code; prior.weight (16, 16), logits after an id; dec.weight (16, 2), the samples of
 * an id. */
extern const nx_arch nx_triad;

/* The code of a pair of samples, and the samples of an id between two others (dec: its row of dec.weight), computed directly. */
static inline uint32_t triad_code(uint32_t first, uint32_t second) { return (first + 3 * second) / 7 % TRIAD_VALUES; }
static inline uint32_t triad_sample(uint32_t before, uint32_t id, uint32_t after, float dec) {
    return (16 * id + 3 * before + 5 * after + (uint32_t)dec) % TRIAD_LEVELS;
}

/* A model of random weights (test_parts.c). */
nx_model *triad_open(void);

#endif

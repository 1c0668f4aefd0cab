/* SPDX-License-Identifier: MIT
 *
 * The triad: an architecture of three parts that tests the data flow between parts, in C and in JavaScript.
 *
 *   encoder   reads `sound`, two samples per slice. It skips pairs of samples that are both 0. Its results are `codes`, one for each
 *             pair that is not skipped, and `levels`, two for each code.
 *   prior     reads `codes` and draws any number of ids. The probabilities of an id depend on the code at its position and on the previous
 *             id.
 *   decoder   reads `prior` (the ids), one id per slice. Its result is `sound`: two samples for each id. The samples depend on the id
 *             and on the ids before and after it.
 */
#ifndef TRIAD_H
#define TRIAD_H

#include "model.h"

#define TRIAD_SOUND 8000u /* maximum number of samples of an input */
#define TRIAD_CODES (TRIAD_SOUND / 2)
#define TRIAD_LEVELS 256u /* every level is below this number */
#define TRIAD_VALUES 16u  /* every code and id is below this number */

enum { TRIAD_ENCODER, TRIAD_PRIOR, TRIAD_DECODER, TRIAD_PARTS };
enum { TRIAD_OF_CODES, TRIAD_OF_LEVELS };

/* The tensors, all of type F32:
 * - enc.weight (16, 2) has the two levels of each code
 * - prior.weight (16, 16) has the logits after each id
 * - dec.weight (16, 2) has the samples of each id */
extern const nx_arch nx_triad;

/* Reference functions. The first one returns the code of a pair of samples. The second one returns a sample of an id, given the ids before
 * and after it. `dec` is an entry of dec.weight. Its row is the id, and its column is the index of the sample, 0 or 1. */
static inline uint32_t triad_code(uint32_t first, uint32_t second) { return (first + 3 * second) / 7 % TRIAD_VALUES; }
static inline uint32_t triad_sample(uint32_t before, uint32_t id, uint32_t after, float dec) {
    return (16 * id + 3 * before + 5 * after + (uint32_t)dec) % TRIAD_LEVELS;
}

/* Opens a model with random weights (test_parts.c). */
nx_model *triad_open(void);

#endif

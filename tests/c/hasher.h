/* SPDX-License-Identifier: MIT
 *
 * The hasher is a toy part of a model. With it, the session tests cover features that no picture model has. The hasher reads each id only
 * once and cannot rewind, unless it is set to keep a state for each position. Some ids end samples. A forward pass is computed in several
 * slices. The hasher encodes an input of any length, item by item. The hasher itself has no maximum length, so a run may have any length.
 * At every position, the hasher may draw a location on which all later ids depend. The logits of the hasher depend on all ids that a
 * sequence has read and drawn. Any mix-up of sequences or positions therefore changes the logits.
 */
#ifndef HASHER_H
#define HASHER_H

#include "model.h"

#define HASHER_VALUES 300u /* more than 256, so an id does not fit in a byte */
#define HASHER_END 7u
#define HASHER_SOURCE 40u /* maximum number of items of the source */
#define HASHER_PLACES 20u /* number of locations that a noisy hasher draws from */

typedef struct {
    uint32_t slices;    /* number of slices of a forward pass */
    int source;         /* whether the hasher reads a source */
    int flat;           /* whether all ids are always equally probable */
    int noisy;          /* whether the hasher draws a location at every position; if flat is set too, ids depend only on this location */
    int again;          /* whether positions may be computed again; ids below 4 are then more probable than others */
    float end;          /* number added to the logit of the end id */
    uint32_t misused;   /* counts misuse: a position computed twice or out of order, or scratch memory lost between slices */
} hasher_config;

/* Combines a hash with one more number. */
uint32_t hasher_hash(uint32_t hash, uint32_t word);

/* Writes the nx_stride(HASHER_PLACES) logits from which the hasher draws a location. `hash` combines all earlier ids and locations. */
void hasher_place_logits(uint32_t hash, float *logits);

/* Opens a model with one part. While the model is in use, it reads `config` and counts misuses in `config->misused`. */
nx_model *hasher_open(hasher_config *config);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The hasher: a part for the tests of sessions, with what no picture has. Its state swallows every id once and cannot be entered again, unless
 * it keeps one for every position; ids end samples; a pass takes several slices; it reads a source of any length an item at a time, a run is
 * as long as one asks, and it may draw a place at every position, on which all that follows depends. Its logits follow from all that a sequence went through, so that whatever is mixed up shows.
 */
#ifndef HASHER_H
#define HASHER_H

#include "model.h"

#define HASHER_VALUES 300u /* more than a byte holds */
#define HASHER_END 7u
#define HASHER_SOURCE 40u /* the most items of the source */
#define HASHER_PLACES 20u /* that a noisy hasher draws from */

typedef struct {
    uint32_t slices;    /* of a pass */
    int source;         /* it reads a source */
    int flat;           /* all ids are equally probable, whatever came before */
    int noisy;          /* it draws a place at every position; flat: ids depend on this place alone */
    int again;          /* positions may be entered again, and ids below 4 are likelier than others */
    float end;          /* added to the logits of the end */
    uint32_t misused;   /* times that a position was entered twice, or out of order, or that scratch was lost between slices */
} hasher_config;

/* A hash and one more number. */
uint32_t hasher_hash(uint32_t hash, uint32_t word);

/* The logits (nx_stride(HASHER_PLACES)) of the place of a position, given a hash of all before it. */
void hasher_place_logits(uint32_t hash, float *logits);

/* A model of one part. `config` is read, and its count of misuses written, as long as the model is used. */
nx_model *hasher_open(hasher_config *config);

#endif

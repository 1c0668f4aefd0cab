/* SPDX-License-Identifier: MIT
 *
 * The hasher: a part for the tests of sessions, with features that no picture has. Its state takes each id once and cannot rewind, unless
 * it keeps one state per position. Ids end samples; a pass takes several chunks; it reads a source of any length item by item; a run is as
 * long as requested; and it may draw a location at every position, on which everything after it depends. Its logits follow from everything
 * that a sequence has read and drawn, so that any mix-up shows.
 */
#ifndef HASHER_H
#define HASHER_H

#include "model.h"

#define HASHER_VALUES 300u /* more than fits a byte */
#define HASHER_END 7u
#define HASHER_SOURCE 40u /* the most items of the source */
#define HASHER_PLACES 20u /* number of locations that a noisy hasher draws from */

typedef struct {
    uint32_t slices;    /* of a pass */
    int source;         /* it reads a source */
    int flat;           /* all ids are equally probable, independent of the past */
    int noisy;          /* it draws a location at every position; flat: ids depend only on this location */
    int again;          /* positions may be entered again, and ids below 4 are more probable than others */
    float end;          /* added to the logits of the end */
    uint32_t misused;   /* number of times a position was entered twice or out of order, or scratch was lost between chunks */
} hasher_config;

/* Combines a hash with one more number. */
uint32_t hasher_hash(uint32_t hash, uint32_t word);

/* The logits (nx_stride(HASHER_PLACES)) of the location of a position, given a hash of everything before it. */
void hasher_place_logits(uint32_t hash, float *logits);

/* A model of one part. `config` is read, and its count of misuses written, as long as the model is used. */
nx_model *hasher_open(hasher_config *config);

#endif

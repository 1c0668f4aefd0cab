/* SPDX-License-Identifier: MIT
 *
 * The chain: a part for the tests of sessions, with what no picture has. Its state swallows every id once and cannot be entered again, unless
 * it keeps one for every position; ids end samples; a pass takes several slices; it reads a source of any length an item at a time, a run is
 * as long as one asks, and it may draw a place at every position, on which all that follows depends. Its logits follow from all that a sequence went through, so that whatever is mixed up shows.
 */
#ifndef CHAIN_H
#define CHAIN_H

#include "model.h"

#define CHAIN_VALUES 300u /* more than a byte holds */
#define CHAIN_END 7u
#define CHAIN_SOURCE 40u /* the most items of the source */
#define CHAIN_PLACES 20u /* that a noisy chain draws from */

typedef struct {
    uint32_t slices;    /* of a pass */
    int source;         /* it reads a source */
    int flat;           /* all ids are equally probable, whatever came before */
    int noisy;          /* it draws a place at every position; flat: ids depend on this place alone */
    int again;          /* positions may be entered again, and ids below 4 are likelier than others */
    float end;          /* added to the logits of the end */
    uint32_t misused;   /* times that a position was entered twice, or out of order, or that scratch was lost between slices */
} chain_config;

/* A hash and one more number. */
uint32_t chain_hash(uint32_t hash, uint32_t word);

/* The logits (nx_stride(CHAIN_PLACES)) of the place of a position, given a hash of all before it. */
void chain_place_logits(uint32_t hash, float *logits);

/* A model of one part. `config` is read, and its count of misuses written, as long as the model is used. */
nx_model *chain_open(chain_config *config);

#endif

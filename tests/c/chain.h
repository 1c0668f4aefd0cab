/* SPDX-License-Identifier: MIT
 *
 * The chain: a part for the tests of sessions, with what no picture has. Its state swallows every id once and cannot be entered again;
 * ids end samples; a pass takes several slices; it reads a source of any length an item at a time, and a run is as long as one
 * asks. Its logits follow from all that a sequence went through, so that whatever is mixed up shows.
 */
#ifndef CHAIN_H
#define CHAIN_H

#include "model.h"

#define CHAIN_VALUES 300u /* more than a byte holds */
#define CHAIN_END 7u
#define CHAIN_SOURCE 40u /* the most items of the source */

typedef struct {
    uint32_t slices;    /* of a pass */
    int source;         /* it reads a source */
    int flat;           /* all ids are equally probable, whatever came before */
    float end;          /* added to the logits of the end */
    uint32_t misused;   /* times that a position was entered twice, or out of order, or that scratch was lost between slices */
} chain_config;

/* A model of one part. `config` is read, and its count of misuses written, as long as the model is used. */
nx_model *chain_open(chain_config *config);

#endif

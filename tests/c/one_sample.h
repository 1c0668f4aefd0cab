/* SPDX-License-Identifier: MIT
 *
 * Starts runs that draw one sample at temperature 1, with the first part of a model.
 */
#ifndef ONE_SAMPLE_H
#define ONE_SAMPLE_H

#include "nextpixel.h"

/* Starts a run of `length` positions; 0 means the maximum length of the part. `maps` says whether the run keeps the attention of each
 * position. */
nx_session *one_sample(const nx_model *model, uint32_t length, uint32_t maps);

/* Returns n random ids below `values`. */
uint32_t *some_ids(uint32_t n, uint32_t values, uint64_t seed);

/* Reads n ids one by one, and compares the logits of all positions except the first with `truth`, shape (n - 1, values). The largest error
 * must be below `tolerance` times the standard deviation of the logits. Then reads the ids in one call, which must give the same bits.
 * Failure messages and notes show the number `configuration`. Returns the session, which has read all ids. */
nx_session *check_logits(const nx_model *model, const uint32_t *ids, uint32_t n, uint32_t values, const double *truth, double tolerance,
                         int configuration);

#endif

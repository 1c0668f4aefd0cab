/* SPDX-License-Identifier: MIT
 *
 * Runs of one sample of a model's first part, at temperature 1.
 */
#ifndef ONE_SAMPLE_H
#define ONE_SAMPLE_H

#include "nextpixel.h"

/* length: positions, 0: those of the part; maps: whether the attention of each position is kept. */
nx_session *one_sample(const nx_model *model, uint32_t length, uint32_t maps);

/* Returns n random ids below `values`. */
uint32_t *some_ids(uint32_t n, uint32_t values, uint64_t seed);

/* Reads n ids one by one, and compares the logits (n - 1, values) of each one but the first with `truth`: the largest error is below
 * `tolerance` times the logits' deviation. Then reads them in one call, to the same bits. `configuration` is the number of the
 * configuration in messages. Returns the session, which has read all ids. */
nx_session *check_logits(const nx_model *model, const uint32_t *ids, uint32_t n, uint32_t values, const double *truth, double tolerance,
                         int configuration);

#endif

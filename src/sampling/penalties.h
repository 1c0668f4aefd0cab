/* SPDX-License-Identifier: MIT
 *
 * Changes logits before a value is drawn: biases, and penalties for recent ids of the sequence. Both depend only on the settings and on the
 * sequence's ids.
 */
#ifndef NX_PENALTIES_H
#define NX_PENALTIES_H

#include <stdint.h>

/* The penalty settings of nx_settings; zeros turn them off. */
typedef struct {
    float repetition, frequency, presence;
    uint32_t last;
} nx_penalties;

/* Returns whether the penalties change anything. */
int nx_penalizes(const nx_penalties *penalties);

/* Adds bias[i] to the logit of value[i], for i = 0..n-1 in this order. */
void nx_add_biases(float *logits, const uint32_t *value, const float *bias, uint32_t n);

/* Penalises each value that occurs c > 0 times among the `last` most recent ids. If the value's logit is above 0, it is divided by
 * `repetition`; otherwise it is multiplied by `repetition` [Keskar et al. 2019, arXiv:1909.05858, section 4.1]. Then c * frequency +
 * presence is subtracted from the logit.
 * ids      shape (count): the sequence so far
 * counts   shape (V), overwritten */
void nx_penalize(float *logits, uint32_t values, const uint32_t *ids, uint32_t count, const nx_penalties *penalties, uint32_t *counts);

#endif

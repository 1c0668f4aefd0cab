/* SPDX-License-Identifier: MIT
 *
 * The categorical output distribution: V logits, p(v) = e^logit_v / sum e^logit.
 * Arrays have nx_stride(V) numbers; logits past V are -infinity.
 */
#ifndef NX_CATEGORICAL_H
#define NX_CATEGORICAL_H

#include <stdint.h>

#include "filters.h"
#include "noise.h"

/* Returns the natural logarithm of the probability of `value`: logit - logsumexp. */
float nx_categorical_log_prob(const float *logits, uint32_t values, uint32_t value);

/* Draws the value with the largest sum of logit_v / T and Gumbel noise_v among the values that the filters keep. Ties go to the lowest
 * value. The result is a sample from softmax(logit / T) over the kept values [Gumbel-max: Maddison, Tarlow, Minka 2014, section 2].
 * scratch    3 * nx_stride(V) floats, overwritten
 * Cost: V steps; with a filter, V + kept * log V steps, where the filters keep `kept` values. */
uint32_t nx_categorical_sample(const float *logits, uint32_t values, const nx_settings *settings, nx_noise noise, float *scratch);

/* Draws a value without filters. z (nx_stride(V)) contains the logits and is overwritten. At temperature 0, the result is the most probable
 * value. */
uint32_t nx_categorical_draw(float *z, uint32_t values, float temperature, nx_noise noise);

/* Lists the k most probable values, the most probable first; ties go to the lowest value.
 * ids        (k) written
 * scratch    nx_stride(V) floats, overwritten */
void nx_categorical_top(const float *logits, uint32_t values, uint32_t k, uint32_t *ids, float *scratch);

/* Returns the difference between the largest of V numbers, which is at index `best`, and the second largest. To measure how certain a draw
 * of nx_categorical_sample was, pass the draw's `scratch` as x or, for a draw at temperature 0, the logits. */
float nx_categorical_margin(const float *x, uint32_t values, uint32_t best);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Output distributions. A model's output layer gives `parameters` numbers for each position. A position has one element, or the three
 * channels of a pixel. For each kind of distribution, nx_output_logits computes log-probabilities of the V values of one element, given the
 * elements before it. Temperature, filters, Gumbel noise and scores are therefore the same for all kinds (categorical.h).
 *
 * Level v of V represents the number x_v = 2 v / (V - 1) - 1 in [-1, 1]. Under a discretised density, the probability of level v is the
 * mass between x_v - 1/(V-1) and x_v + 1/(V-1). The first and the last level also include the tails.
 */
#ifndef NX_OUTPUT_H
#define NX_OUTPUT_H

#include <stdint.h>

#define NX_MAX_MIXTURES 16
#define NX_MAX_LEVELS 256 /* limit of the number of values, except for a categorical distribution */

/* Other code depends on this order: nx_output_names has the same order, nx_read_levels accepts only the first n_kinds kinds, and the kinds
 * before NX_DISCRETE_KINDS treat levels as categories, not as numbers. */
typedef enum {
    NX_CATEGORICAL, /* V logits per element */
    NX_BERNOULLI,   /* V = 2: one logit a; p(1) = 1 / (1 + e^-a) */
    NX_DMOL,        /* discretised mixture of K logistics over a pixel [Salimans 2017, section 2.1-2.2] */
    NX_LOGISTIC,    /* discretised logistic: a location and a log scale per element */
    NX_GAUSSIAN     /* discretised normal: a mean and a log standard deviation per element */
} nx_output_kind;
#define NX_OUTPUT_KINDS (NX_GAUSSIAN + 1)
#define NX_DISCRETE_KINDS NX_DMOL /* number of kinds before NX_DMOL */
_Static_assert(NX_CATEGORICAL < NX_DISCRETE_KINDS && NX_BERNOULLI < NX_DISCRETE_KINDS && NX_DISCRETE_KINDS == 2,
               "discrete kinds come first");

/* The name that weight files use for each kind of output. */
extern const char *const nx_output_names[NX_OUTPUT_KINDS];

typedef struct {
    nx_output_kind kind;
    uint32_t values;   /* V */
    uint32_t elements; /* number of elements per position: 1, or 3 for the mixture over a pixel */
    uint32_t mixtures; /* K of NX_DMOL */
} nx_output;

/* Returns the number of values that the output layer yields per position. NX_DMOL with three channels has 10 * K values: K mixture logits,
 * then K locations, K log scales and K coefficients for each channel, in the order [K | R: K K K | G: K K K | B: K K K]. NX_DMOL with one
 * channel has 3 * K values: [K | K | K]. */
uint32_t nx_output_parameters(const nx_output *output);

/* Returns 1 if all parameters of a position are finite. */
int nx_output_finite(const nx_output *output, const float *parameters);

/* Computes the log-probabilities of the values of element `index` of a position, up to a constant. earlier: ids of the elements 0..index-1
 * of this position. logits: shape (nx_stride(V)), written; -infinity past V. For NX_DMOL, a probability may have an error of e^-27, which
 * is noticeable only at temperatures above 2. */
void nx_output_logits(const nx_output *output, const float *parameters, const uint32_t *earlier, uint32_t index, float *logits);

/* Returns -ln p of element `index` of a position, given the elements before it. ids: elements 0..index of the position. logits: space for
 * nx_stride(V), overwritten. If the mass of a level is 1e-5 or less, NX_DMOL uses the density times the width of the level instead, as in
 * training. The result then differs slightly from the distribution that the run draws from. */
float nx_output_nats(const nx_output *output, const float *parameters, const uint32_t *ids, uint32_t index, float *logits);

#endif

/* SPDX-License-Identifier: MIT
 *
 * A second implementation of the library's arithmetic, with which the tests compare the library. The reference follows the formulas in
 * double precision, without blocks, caches or SIMD.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdint.h>

#include "sampling/filters.h"
#include "toy.h"

/* Computes out[r] = sum over c of weights[r][c] x[c]. Unless `size` is null, size[r] receives the sum of the magnitudes of these terms. */
void ref_matmul(double *out, double *size, const float *weights, uint32_t rows, uint32_t cols, const double *x);

/* Divides x into groups of `group` numbers (n % group == 0), and rounds the numbers of each group to multiples of its largest magnitude
 * divided by `steps`. Kernels use 127 steps for activations and queries, and 63 for the rows of Q8_0 weights and the keys and values of a
 * head. */
void ref_round(double *x, uint32_t n, uint32_t group, double steps);

/* Returns the values of Q8_0 weights, shape (rows, cols), after packing. The function computes in single precision like the library, so
 * that ties are rounded in the same way. */
float *ref_packed_q8(const float *values, uint32_t rows, uint32_t cols);

/* Decodes value i of a row in double precision, following the definition of the format. */
double ref_weight(const uint8_t *row, uint32_t type, uint32_t i);

void ref_layer_norm(double *x, const float *gain, const float *bias, double epsilon, uint32_t width);

/* Replaces x by its softmax. A score of -infinity is masked; if all scores are masked, all weights are zero. */
void ref_softmax(double *x, uint32_t n);
double ref_log_sum_exp(const double *x, uint32_t n);

/* Returns log Z of a chain of n bits, computed with the forward recursion over its states. `theta` holds the n scores of z_i = 1, and `A`
 * is the 2 x 2 matrix of transitions. `p` receives the n probabilities p(z_i = 1), computed with the backward recursion. */
double ref_segments(double *p, const double *theta, const double *A, uint32_t n);

/* Computes the attention of one head's query over the positions where `visible` is nonzero. `keys` and `values` each have the shape (n,
 * stride). Writes n numbers to `weights`, and key_length numbers to `out`. */
void ref_attention(double *out, double *weights, const double *query, const double *keys, const double *values, const uint8_t *visible,
                   uint32_t n, uint32_t stride, uint32_t key_length);

/* Computes the raster index of every position, by walking through the blocks in order. */
void ref_order(const nx_pattern *pattern, uint32_t *raster);

/* Returns whether key j is visible to query i, by the rules of attention/pattern.h; `raster` comes from ref_order(). */
int ref_visible(const nx_pattern *pattern, const uint32_t *raster, uint32_t i, uint32_t j);

/* Computes the outputs of a toy model for positions 0..n-1; attention is computed as products of whole matrices. `levels` must contain at
 * least (n - 1) * E levels, and `input` is the conditioning input. Writes the outputs, shape (n, P). If `weights` is not null, also writes
 * the attention weights, shape (blocks, heads, n, n). If `rounded` is 1, rounds the activations of quantised products to 8 bits, as the
 * library does. */
void ref_forward(double *outputs, double *weights, const toy *model, const uint32_t *levels, const uint8_t *input, int32_t label, uint32_t n,
                 int rounded);

/* Computes the V logits that the draft of a toy model predicts for a position of an image in raster order, given the levels of all
 * positions before it. */
void ref_draft(double *logits, const toy *model, const uint32_t *levels, uint32_t position, int rounded);

/* Computes the V log-probabilities, up to a constant, of element `index` of a position, given the levels of the previous elements. For a
 * categorical distribution, these are the logits. */
void ref_output(double *logits, const nx_output *output, const double *parameters, const uint32_t *earlier, uint32_t index);

/* If the mass of a level is at most this value (1e-5), the reference approximates the mass: it multiplies the width of the level by the
 * density at the middle of the level. A test computes log-probabilities with a slightly lower and a slightly higher bound. Levels for which
 * the results differ have a mass close to 1e-5. */
extern double ref_least_mass;

/* If 1, ref_output() does not approximate small masses of element `index` of a mixture, because draws do not approximate them either. Small
 * masses of earlier elements are still approximated. */
extern int ref_exact_mass;

/* Computes p(v) after temperature, top-k and top-p, in double precision. Of equally probable values, the lower one comes first. */
void ref_filter(double *p, const float *logits, uint32_t levels, double temperature, uint32_t top_k, double top_p);

/* Returns the settings of one sample with this temperature and these filters. */
#define FILTER(temperature_, top_k_, top_p_, typical_p_, min_p_, last) \
    {.temperature = temperature_, .top_k = top_k_, .top_p = top_p_, .typical_p = typical_p_, .min_p = min_p_, .temperature_last = last}

/* Computes p(v) in double precision after all filters of sampling/filters.h. Unlike the library, it sorts all values. */
void ref_chain(double *p, const float *logits, uint32_t levels, const nx_settings *filter);

/* Returns the number that a chi-squared variable with `freedom` degrees of freedom exceeds with probability 0.001. If `freedom` is at least
 * 3, the error of this approximation (Wilson and Hilferty) is below 2 %. */
double ref_chi_squared_limit(double freedom);

#endif

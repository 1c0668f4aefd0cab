/* SPDX-License-Identifier: MIT
 *
 * Attention to contiguous segments: in a chain of bits z_1 .. z_n, z_i = 1 if position i is attended to, with
 *
 *   p(z) = exp(sum of theta_i z_i + sum over i > 1 of A[z_i-1][z_i]) / Z
 *
 * [Kim, Denton, Hoang, Rush 2017, arXiv:1702.00887, section 3.1]. This model is the linear chain of forward_backward.h with two states, so
 * log-odds suffice. f_i and b_i are the log-odds of z_i = 1 after summing over the bits on the left and on the right; only f_i includes
 * theta_i:
 *
 *   f_1 = theta_1,  f_i = theta_i + g(f_i-1),        g(x) = A01 - A00 + log(1 + e^(x + A11 - A01)) - log(1 + e^(x + A10 - A00))
 *   b_n = 0,        b_i = g'(theta_i+1 + b_i+1),     g' is g with the transpose of A
 *   p(z_i = 1) = sigma(f_i + b_i)
 *
 * Therefore no normalisation is needed and nothing can underflow. Both directions run together, so each position takes only one exponential
 * and one logarithm of a vector. With A = 0 the result is sigma(theta_i).
 */
#ifndef NX_SEGMENTS_H
#define NX_SEGMENTS_H

#include <stdint.h>

/* Computes p (n) = p(z_i = 1).  theta (n), A (4): A00, A01, A10, A11, where Aij is the score of a step from i to j; scratch (n). All arrays
 * need space for three more numbers, which are overwritten. */
void nx_segments(float *p, const float *theta, const float *A, uint32_t n, float *scratch);

/* Computes p (n) = sigma(theta). Both arrays need space for three more numbers, which are overwritten. */
void nx_bits(float *p, const float *theta, uint32_t n);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The library's arithmetic once more, in double precision, as plainly as the formulas: no blocks, no caches, no SIMD. What the
 * tests compare with.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdint.h>

#include "toy.h"

/* out[r] = sum over c of weights[r][c] x[c]; *size (rows), may be null: the sum of the magnitudes. */
void ref_matmul(double *out, double *size, const float *weights, uint32_t rows, uint32_t cols, const double *x);

/* Rounds x to 8 bits per 32 numbers, as kernels.h says that a Q8_0 product does. n % 32 == 0 */
void ref_round_q8(double *x, uint32_t n);

void ref_layer_norm(double *x, const float *gain, const float *bias, double epsilon, uint32_t width);

/* -infinity masks; all masked: zeros. */
void ref_softmax(double *x, uint32_t n);
double ref_log_sum_exp(const double *x, uint32_t n);

/* Attention of one head's query over `n` keys and values (n, stride), the positions where `visible` is not zero.
 * weights (n) written, out (key_length) written */
void ref_attention(double *out, double *weights, const double *query, const double *keys, const double *values, const uint8_t *visible,
                   uint32_t n, uint32_t stride, uint32_t key_length);

/* Key j visible to query i; l_q = 0: full causal attention. */
int ref_visible(uint32_t l_q, uint32_t l_m, uint32_t i, uint32_t j);

/* The forward pass of elements 0..n-1 of a toy model with matrix attention.
 * levels (n - 1 at least) read    logits (n, V) written
 * weights (blocks, heads, n, n) written, may be null      rounded: Q8_0 products round x to 8 bits, as the library does */
void ref_forward(double *logits, double *weights, const toy *model, const uint8_t *levels, int32_t label, uint32_t n, int rounded);

/* p(v) after temperature, top-k and top-p, in double. order: ties go to the lower value. p (V) written */
void ref_filter(double *p, const float *logits, uint32_t levels, double temperature, uint32_t top_k, double top_p);

/* The number that a chi-squared variable of that many degrees of freedom exceeds with probability 0.001 (Wilson and Hilferty's
 * approximation, within 1 % from 3 degrees on). */
double ref_chi_squared_limit(double freedom);

#endif

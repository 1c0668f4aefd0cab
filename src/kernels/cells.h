/* SPDX-License-Identifier: MIT
 *
 * Cells of recurrent networks: element-wise operations on the matrix products of a step. kernels.h defines widths and columns.
 */
#ifndef NX_CELLS_H
#define NX_CELLS_H

#include <stdint.h>

/* Gated recurrent unit [Cho et al. 2014, arXiv:1406.1078], where the reset gate r is applied after the product:
 *   r = sigma(x_r + u_r),  z = sigma(x_z + u_z),  n = tanh(x_n + r u_n),  h = (1 - z) n + z h
 * h (n, nx_stride(width)) overwritten; x = W_i input + b_i and u = W_h h + b_h (n, nx_stride(3 width)) hold the parts r, z, n
 * consecutively.    width % 4 == 0 */
void nx_gru(float *h, const float *x, const float *u, uint32_t width, uint32_t n);

/* Long short-term memory [Hochreiter, Schmidhuber 1997; Gers et al. 2000]:
 *   c = sigma(f) c + sigma(i) tanh(g),  h = sigma(o) tanh(c)
 * c (n, nx_stride(width)) overwritten, h written; gates (n, nx_stride(4 width)) hold i, f, o, g in this order. width % 4 == 0 */
void nx_lstm(float *h, float *c, const float *gates, uint32_t width, uint32_t n);

/* x = tanh x.    width % 4 == 0 */
void nx_tanh(float *x, uint32_t width, uint32_t n);

#endif

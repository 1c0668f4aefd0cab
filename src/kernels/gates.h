/* SPDX-License-Identifier: MIT
 *
 * Gates that scale the output of a layer [van den Oord et al. 2016, arXiv:1606.05328, eq. 2]. Widths and columns are as in kernels.h.
 */
#ifndef NX_GATES_H
#define NX_GATES_H

#include <stdint.h>

/* Computes out = tanh(f) * sigma(g). out: shape (n, nx_stride(width)), written; fg: shape (n, nx_stride(2 width)), f and then g; width % 4
 * == 0 */
void nx_gate(float *out, const float *fg, uint32_t width, uint32_t n);

#endif

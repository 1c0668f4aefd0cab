/* SPDX-License-Identifier: MIT
 *
 * A stack of convolutions over a sequence of vectors, which is padded with zero vectors at both ends. The layers of a stack are
 *
 *   THREE   y_t = W [x_{t-1}; x_t; x_{t+1}] + b
 *   UNIT    y_t = x_t + W_mix relu(W relu[x_{t-d}; x_t; x_{t+d}] + b) + b_mix                dilation d; output channels = input channels
 *   DOWN    y_i = W [the 2 s vectors from s / 2 before block i to s / 2 after it] + b        blocks of s: a convolution of stride s
 *   UP      the s vectors from the middle of block j - 1 to the middle of block j = W [x_{j-1}; x_j] + b     transposed, stride s
 *
 * T is the number of input vectors, and C is the number of their channels.
 */
#ifndef NX_JUKEBOX_STACK_H
#define NX_JUKEBOX_STACK_H

#include "layers/layers.h"

#define NX_STACK_LAYERS 40
#define NX_STACK_WIDTH 1024 /* limit of the width of a vector */

typedef enum { NX_STACK_THREE, NX_STACK_UNIT, NX_STACK_DOWN, NX_STACK_UP } nx_stack_kind;

typedef struct {
    nx_stack_kind kind;
    uint32_t step;    /* s or d */
    uint32_t in, out; /* C */
    nx_linear conv, mix;
} nx_stack_layer;

typedef struct {
    uint32_t n;
    nx_stack_layer layers[NX_STACK_LAYERS];
} nx_stack;

/* Reads the next layer of a stack. If `name` is "enc.top.", the tensors of the first layer are "enc.top.blk.0.conv.weight" and so on. */
void nx_stack_add(nx_reader *r, nx_stack *stack, const char *name, nx_stack_kind kind, uint32_t step, uint32_t in, uint32_t out);

/* Returns the number of output vectors for T input vectors. The step of every DOWN layer must divide the number of its input vectors. */
uint32_t nx_stack_length(const nx_stack *stack, uint32_t T);

/* Returns the size in floats of each of the two buffers that a stack uses in turn. */
uint64_t nx_stack_room(const nx_stack *stack, uint32_t T);

/* Computes slice `slice` of a stack, or nothing if `slice` is past the last slice. All earlier slices must have been computed. rows: two
 * buffers of nx_stack_room floats; the first buffer contains the T input vectors, contiguous. Returns the number of slices. nx_stack_output
 * returns the address of the output vectors. */
uint32_t nx_stack_run(const nx_stack *stack, uint32_t T, float *rows[2], uint32_t slice, void *scratch);
uint64_t nx_stack_scratch_bytes(const nx_stack *stack);

static inline const float *nx_stack_output(const nx_stack *stack, float *rows[2]) { return rows[stack->n % 2]; }

#endif

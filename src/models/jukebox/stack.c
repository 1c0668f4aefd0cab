/* SPDX-License-Identifier: MIT  See stack.h. */
#include "stack.h"

#include <string.h>

#include "kernels/image.h"

#define SLICE 64 /* number of locations of a layer that are computed together */

void nx_stack_add(nx_reader *r, nx_stack *stack, const char *name, nx_stack_kind kind, uint32_t step, uint32_t in, uint32_t out) {
    nx_stack_layer *l = &stack->layers[stack->n];
    uint32_t taps = kind == NX_STACK_DOWN ? 2 * step : kind == NX_STACK_UP ? 2 : 3;
    if (r->status) return;
    *l = (nx_stack_layer){.kind = kind, .step = step, .in = in, .out = out};
    l->conv = nx_read_linear_with_bias(r, name, stack->n, "conv", kind == NX_STACK_UP ? step * out : out, taps * in);
    if (kind == NX_STACK_UNIT) l->mix = nx_read_linear_with_bias(r, name, stack->n, "mix", out, out);
    stack->n++;
}

static uint32_t length_behind(const nx_stack_layer *l, uint32_t T) {
    return l->kind == NX_STACK_DOWN ? T / l->step : l->kind == NX_STACK_UP ? T * l->step : T;
}

uint32_t nx_stack_length(const nx_stack *stack, uint32_t T) {
    for (uint32_t i = 0; i < stack->n; i++) T = length_behind(stack->layers + i, T);
    return T;
}

uint64_t nx_stack_room(const nx_stack *stack, uint32_t T) {
    uint64_t most = (uint64_t)T * stack->layers[0].in;
    for (uint32_t i = 0; i < stack->n; i++) {
        T = length_behind(stack->layers + i, T);
        if ((uint64_t)T * stack->layers[i].out > most) most = (uint64_t)T * stack->layers[i].out;
    }
    return (most + 15) & ~(uint64_t)15;
}

/* ---- a layer ----------------------------------------------------------------------------------------------------------- */

static nx_patches patches_of(const nx_stack_layer *l, uint32_t T) {
    nx_patches p = {.rows = 1, .cols = T, .channels = l->in, .pixel = l->in, .down = 1, .across = 3};
    p.stride_down = p.stride_across = p.dilation = p.left = p.right = 1;
    if (l->kind == NX_STACK_UNIT) p.dilation = p.left = p.right = l->step;
    if (l->kind == NX_STACK_UP) p.across = 2;
    if (l->kind == NX_STACK_DOWN) p.across = 2 * l->step, p.stride_across = l->step, p.left = p.right = l->step / 2;
    return p;
}

typedef struct {
    float *patch; /* shape (J, taps C) */
    float *out;   /* shape (J, rows of the product) */
    float *mixed; /* shape (J, C) */
    void *matmul;
    uint64_t bytes;
} scratch;

static scratch scratch_at(const nx_stack *stack, void *memory) {
    uint32_t cols = 0, rows = 0;
    nx_arena arena = {memory, 0, UINT64_MAX};
    for (uint32_t i = 0; i < stack->n; i++) {
        cols = nx_larger(cols, stack->layers[i].conv.weight.cols);
        rows = nx_larger(rows, stack->layers[i].conv.weight.rows);
    }
    scratch s;
    s.patch = nx_arena_take(&arena, NX_COLUMNS * (uint64_t)nx_stride(cols) * sizeof *s.patch);
    s.out = nx_arena_take(&arena, NX_COLUMNS * (uint64_t)nx_stride(rows) * sizeof *s.out);
    s.mixed = nx_arena_take(&arena, NX_COLUMNS * (uint64_t)nx_stride(rows) * sizeof *s.mixed);
    s.matmul = nx_arena_take(&arena, nx_input_bytes(cols, NX_COLUMNS));
    s.bytes = arena.used;
    return s;
}

uint64_t nx_stack_scratch_bytes(const nx_stack *stack) { return scratch_at(stack, NULL).bytes; }

/* Computes locations first..first+n-1 of a layer, n <= NX_COLUMNS. from: the input, shape (T, in); to: the output. */
static void locations(const nx_stack_layer *l, uint32_t T, float *to, const float *from, uint32_t first, uint32_t n, const scratch *s) {
    nx_patches p = patches_of(l, T);
    uint32_t length = nx_patch_length(&p), stride = nx_stride(length), rows = nx_stride(l->conv.weight.rows);
    for (uint32_t j = 0; j < n; j++) nx_patch_gather(s->patch + (size_t)j * stride, from, &p, first + j);
    if (l->kind == NX_STACK_UNIT) nx_relu(s->patch, length, n);
    nx_input input = nx_input_of(s->patch, n, s->matmul);
    nx_apply(s->out, &l->conv, &input);
    if (l->kind == NX_STACK_UP) {
        uint32_t half = l->step / 2, end = T * l->step;
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t k = 0; k < l->step; k++) { /* an index before the beginning wraps around to a number above `end` */
                uint32_t at = (first + j) * l->step + k - half;
                if (at < end) memcpy(to + (size_t)at * l->out, s->out + (size_t)j * rows + k * l->out, l->out * sizeof *to);
            }
        return;
    }
    const float *y = s->out;
    if (l->kind == NX_STACK_UNIT) {
        nx_relu(s->out, l->out, n);
        input = nx_input_of(s->out, n, s->matmul);
        nx_apply(s->mixed, &l->mix, &input);
        y = s->mixed;
    }
    for (uint32_t j = 0; j < n; j++) {
        float *at = to + (size_t)(first + j) * l->out;
        memcpy(at, y + (size_t)j * rows, l->out * sizeof *at);
        if (l->kind == NX_STACK_UNIT) nx_add(at, from + (size_t)(first + j) * l->in, l->out, 1);
    }
}

uint32_t nx_stack_run(const nx_stack *stack, uint32_t T, float *rows[2], uint32_t slice, void *memory) {
    uint32_t before = 0;
    for (uint32_t i = 0; i < stack->n; i++) {
        const nx_stack_layer *l = stack->layers + i;
        uint32_t total = l->kind == NX_STACK_UP ? T + 1 : length_behind(l, T), slices = (total + SLICE - 1) / SLICE;
        if (slice >= before && slice - before < slices) {
            scratch s = scratch_at(stack, memory);
            uint32_t first = (slice - before) * SLICE, end = first + SLICE < total ? first + SLICE : total;
            for (; first < end; first += NX_COLUMNS)
                locations(l, T, rows[(i + 1) % 2], rows[i % 2], first, end - first < NX_COLUMNS ? end - first : NX_COLUMNS, &s);
        }
        before += slices;
        T = length_behind(l, T);
    }
    return before;
}

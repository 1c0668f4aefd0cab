/* SPDX-License-Identifier: MIT
 *
 * PixelCNN and gated PixelCNN share the picture that they draw, their first convolution, over ids, and the two layers at their end.
 * Both predict one grey pixel a position, in raster order.
 */
#ifndef NX_PIXELS_H
#define NX_PIXELS_H

#include <string.h>

#include "kernels/queue.h"
#include "models/image.h"
#include "models/layers.h"

#define NX_MAX_KERNEL 15 /* side of a convolution */

typedef struct {
    uint32_t width, n;             /* columns of the picture, and its pixels */
    uint32_t blocks;               /* layers behind the first one */
    uint32_t d;                    /* width of what passes from layer to layer */
    uint32_t input_kernel, kernel; /* sides of the first convolution and of the others, odd */
    uint32_t head_length;          /* width of the layer before the output */
    nx_output output;              /* of a pixel */
    nx_linear head, last;          /* (head_length, d), (P, head_length) */
} nx_pixels;

/* The keys of architecture `arch`; d is a multiple of `unit`. */
static inline void nx_pixels_read(nx_reader *r, nx_pixels *p, const char *arch, uint32_t unit) {
    static const char *const outputs[] = {"categorical", "bernoulli"};
    uint32_t height = nx_read_u32(r, nx_key(arch, "image.height").text, 1, NX_MAX_SIDE, NX_REQUIRED);
    p->width = nx_read_u32(r, nx_key(arch, "image.width").text, 1, NX_MAX_SIDE, NX_REQUIRED);
    p->n = height * p->width;
    nx_read_u32(r, nx_key(arch, "image.channels").text, 1, 1, 1);
    p->output.values = nx_read_u32(r, nx_key(arch, "image.levels").text, 2, NX_MAX_LEVELS, NX_REQUIRED);
    p->output.kind = nx_read_choice(r, nx_key(arch, "output.type").text, outputs, 2) ? NX_BERNOULLI : NX_CATEGORICAL;
    p->output.elements = 1;
    if (p->output.kind == NX_BERNOULLI && p->output.values != 2)
        nx_reader_fail(r, NX_E_FORMAT, nx_key(arch, "image.levels").text, "a Bernoulli output has 2 levels");
    p->blocks = nx_read_u32(r, nx_key(arch, "block_count").text, 1, 256, NX_REQUIRED);
    p->d = nx_read_u32(r, nx_key(arch, "embedding_length").text, unit, 4096, NX_REQUIRED);
    p->input_kernel = nx_read_u32(r, nx_key(arch, "input_kernel").text, 3, NX_MAX_KERNEL, NX_REQUIRED);
    p->kernel = nx_read_u32(r, nx_key(arch, "kernel").text, 3, NX_MAX_KERNEL, NX_REQUIRED);
    p->head_length = nx_read_u32(r, nx_key(arch, "head_length").text, 4, 4096, NX_REQUIRED);
    if (p->d % unit || p->head_length % 4)
        nx_reader_fail(r, NX_E_UNSUPPORTED, nx_key(arch, p->d % unit ? "embedding_length" : "head_length").text,
                       "a width is not a multiple of 4");
    if (!(p->input_kernel & p->kernel & 1))
        nx_reader_fail(r, NX_E_UNSUPPORTED, nx_key(arch, p->kernel & 1 ? "input_kernel" : "kernel").text, "a kernel has no middle");
    p->head.weight = nx_read_matrix(r, "head.0.weight", p->head_length, p->d);
    p->head.bias = nx_read_vector(r, "head.0.bias", p->head_length, 0);
    p->last.weight = nx_read_matrix(r, "output.weight", nx_output_parameters(&p->output), p->head_length);
    p->last.bias = nx_read_vector(r, "output.bias", nx_output_parameters(&p->output), 0);
}

/* The taps of a square of side k: rows above the pixel's own, taps of its own row, and how far left of the pixel these end. */
static inline nx_taps nx_pixels_taps(const nx_pixels *p, uint32_t k, uint32_t above, uint32_t left, uint32_t gap) {
    return (nx_taps){.width = p->width, .above = above, .across = k, .left = left, .gap = gap};
}

/* out = W x + b over n columns. */
static inline void nx_pixels_apply(float *out, const nx_linear *l, const float *x, uint32_t n, void *matmul) {
    nx_input input = nx_input_of(x, n, matmul);
    nx_apply(out, l, &input);
}

/* parameters = W_last relu(W_head relu(x)); x (n, d) is overwritten, y: room for (n, nx_stride(head_length)). */
static inline void nx_pixels_end(const nx_pixels *p, float *parameters, float *x, float *y, uint32_t n, void *matmul) {
    nx_relu(x, p->d, n);
    nx_pixels_apply(y, &p->head, x, n, matmul);
    nx_relu(y, p->head_length, n);
    nx_pixels_apply(parameters, &p->last, y, n, matmul);
}

/* ---- the map "field": which pixels a layer's numbers at a position depend on ----------------------------------------------- */

/* Marks with `to` what the taps of all positions marked with `from` reach, seen from `down` positions further. marks (last + 1) */
static inline void nx_pixels_reach(const nx_taps *taps, uint32_t down, uint32_t *marks, uint32_t last, uint32_t from, uint32_t to) {
    uint32_t count = nx_taps_count(taps);
    for (uint32_t i = 0; i <= last; i++)
        for (uint32_t t = 0; t < count && (marks[i] & from); t++) {
            uint32_t at = nx_tap_at(taps, t, i + down);
            if (at != NX_OUTSIDE) marks[at] |= to;
        }
}

/* The positions with that mark, and `position` itself, as a list in place of the marks. Returns how many. */
static inline uint32_t nx_pixels_list(uint32_t *marks, uint32_t position, uint32_t mark) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < position; i++)
        if (marks[i] & mark) marks[count++] = i;
    marks[count++] = position;
    return count;
}

/* Weights of all rows of the map at the columns that want them: everything in the field weighs the same. */
static inline void nx_pixels_map(const nx_column *columns, uint32_t n, uint32_t rows, const void *m, uint32_t *list,
                                 uint32_t (*keys)(const void *, const nx_shape *, uint32_t, uint32_t, uint32_t, uint32_t *)) {
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t row = 0; row < rows && columns[j].maps; row++) {
            const nx_shape *shape = &columns[j].inputs->shape;
            uint32_t count = keys(m, shape, 0, row, columns[j].position, list);
            for (uint32_t k = 0; k < count; k++) columns[j].maps[(size_t)row * shape->length + k] = 1.0f / (float)count;
        }
}

#endif

/* SPDX-License-Identifier: MIT  See pixels.h. */
#include "pixels.h"

#include <string.h>

void nx_pixels_read(nx_reader *r, nx_pixels *p, const char *arch, uint32_t unit) {
    uint32_t height = nx_read_u32(r, nx_key(arch, "image.height").text, 1, NX_MAX_SIDE, NX_REQUIRED);
    p->width = nx_read_u32(r, nx_key(arch, "image.width").text, 1, NX_MAX_SIDE, NX_REQUIRED);
    p->n = height * p->width;
    nx_read_u32(r, nx_key(arch, "image.channels").text, 1, 1, 1);
    nx_read_levels(r, arch, NX_DISCRETE_KINDS, &p->output);
    p->blocks = nx_read_u32(r, nx_key(arch, "block_count").text, 1, 256, NX_REQUIRED);
    p->d = nx_read_u32(r, nx_key(arch, "embedding_length").text, unit, 4096, NX_REQUIRED);
    p->input_kernel = nx_read_u32(r, nx_key(arch, "input_kernel").text, 3, NX_MAX_KERNEL, NX_REQUIRED);
    p->kernel = nx_read_u32(r, nx_key(arch, "kernel").text, 3, NX_MAX_KERNEL, NX_REQUIRED);
    p->head_length = nx_read_width(r, nx_key(arch, "head_length").text, 4096, NX_REQUIRED);
    if (p->d % unit) nx_reader_fail(r, NX_E_UNSUPPORTED, nx_key(arch, "embedding_length").text, "a width is not a multiple of 4");
    if (!(p->input_kernel & p->kernel & 1))
        nx_reader_fail(r, NX_E_UNSUPPORTED, nx_key(arch, p->kernel & 1 ? "input_kernel" : "kernel").text, "a kernel size is even");
    p->head = nx_read_named_linear(r, "head.0", p->head_length, p->d);
    p->last = nx_read_named_linear(r, "output", nx_output_parameters(&p->output), p->head_length);
}

void nx_pixels_plan(const nx_pixels *p, nx_plan *plan, const void *weights) {
    plan->weights = weights;
    plan->output = p->output;
    plan->length = p->n;
    plan->rewinds = NX_COLUMNS;
    nx_plan_hidden(plan, p->blocks, p->d);
    plan->maps[plan->n_maps++] = (nx_map){.name = "field", .port = NX_NONE, .rows = p->blocks + 1, .keys = p->n};
}

void nx_pixels_end(const nx_pixels *p, float *parameters, float *x, float *y, uint32_t n, void *matmul) {
    nx_relu(x, p->d, n);
    nx_apply_columns(y, &p->head, x, n, matmul);
    nx_relu(y, p->head_length, n);
    nx_apply_columns(parameters, &p->last, y, n, matmul);
}

void nx_pixels_reach(const nx_taps *taps, uint32_t down, uint32_t *marks, uint32_t last, uint32_t from, uint32_t to) {
    uint32_t count = nx_taps_count(taps);
    for (uint32_t i = 0; i <= last; i++)
        for (uint32_t t = 0; t < count && (marks[i] & from); t++) {
            uint32_t at = nx_tap_at(taps, t, i + down);
            if (at != NX_OUTSIDE) marks[at] |= to;
        }
}

uint32_t nx_pixels_list(uint32_t *marks, uint32_t position, uint32_t mark) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < position; i++)
        if (marks[i] & mark) marks[count++] = i;
    marks[count++] = position;
    return count;
}

void nx_pixels_map(const nx_column *columns, uint32_t n, uint32_t rows, const void *m, uint32_t *list,
                   uint32_t (*keys)(const void *, const nx_shape *, uint32_t, uint32_t, uint32_t, uint32_t *)) {
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t row = 0; row < rows && columns[j].maps; row++) {
            const nx_shape *shape = &columns[j].inputs->shape;
            uint32_t count = keys(m, shape, 0, row, columns[j].position, list);
            for (uint32_t k = 0; k < count; k++) columns[j].maps[(size_t)row * shape->length + k] = 1.0f / (float)count;
        }
}

/* SPDX-License-Identifier: MIT  See layers.h. */
#include "layers.h"

#include <string.h>

static nx_linear read_linear(nx_reader *r, nx_name name, uint32_t rows, uint32_t cols, int optional) {
    nx_linear l;
    l.weight = nx_read_matrix(r, nx_joined(name.text, ".weight").text, rows, cols);
    l.bias = nx_read_vector(r, nx_joined(name.text, ".bias").text, rows, optional);
    return l;
}

nx_linear nx_read_linear(nx_reader *r, const char *stack, uint32_t index, const char *part, uint32_t rows, uint32_t cols) {
    return read_linear(r, nx_block_name(stack, index, part, ""), rows, cols, 1);
}

nx_linear nx_read_linear_with_bias(nx_reader *r, const char *stack, uint32_t index, const char *part, uint32_t rows, uint32_t cols) {
    return read_linear(r, nx_block_name(stack, index, part, ""), rows, cols, 0);
}

nx_linear nx_read_named_linear(nx_reader *r, const char *name, uint32_t rows, uint32_t cols) {
    return read_linear(r, nx_joined(name, ""), rows, cols, 0);
}

nx_norm nx_read_named_norm(nx_reader *r, const char *name, uint32_t d) {
    nx_norm n;
    n.weight = nx_read_vector(r, nx_joined(name, ".weight").text, d, 0);
    n.bias = nx_read_vector(r, nx_joined(name, ".bias").text, d, 0);
    return n;
}

nx_norm nx_read_norm(nx_reader *r, const char *stack, uint32_t index, const char *part, uint32_t d) {
    return nx_read_named_norm(r, nx_block_name(stack, index, part, "").text, d);
}

uint32_t nx_slice_steps(uint64_t products, uint32_t most) {
    uint64_t steps = NX_SLICE_PRODUCTS / (products + 1);
    return steps >= most ? most : steps ? (uint32_t)steps : 1;
}

nx_cache nx_cache_of_block(nx_cache_form form, const void *caches, uint32_t index, uint32_t positions) {
    uint8_t *memory = (uint8_t *)caches + index * nx_cache_form_bytes(form, positions);
    return (nx_cache){memory, form.type, nx_cache_slots(positions), form.n_kv_heads, form.key_length, form.queries_per_kv, form.cap};
}

void nx_write_hidden(const nx_column *columns, uint32_t n, uint32_t layer, const float *x, uint32_t d) {
    for (uint32_t j = 0; j < n; j++) {
        float *to = columns[j].hidden ? columns[j].hidden + (size_t)layer * d : NULL;
        if (to && x)
            memcpy(to, x + (size_t)j * nx_stride(d), d * sizeof *to);
        else if (to)
            memset(to, 0, d * sizeof *to);
    }
}

/* SPDX-License-Identifier: MIT  See convolutions.h. */
#include "convolutions.h"

static void read_convolution(nx_reader *r, nx_convolutions *c, uint32_t i, nx_patches patches, const char *name, uint32_t outputs) {
    nx_convolution *one = &c->at[i];
    one->patches = patches;
    one->locations = nx_patch_rows(&patches) * nx_patch_cols(&patches);
    one->map = nx_read_named_linear(r, name, outputs, nx_patch_length(&patches));
    c->picture = nx_larger(c->picture, one->locations * nx_stride(outputs));
    c->widest = nx_larger(c->widest, nx_patch_length(&patches));
}

void nx_read_convolutions(nx_reader *r, nx_convolutions *c, const char *arch, const char *prefix, uint32_t rows, uint32_t cols,
                          uint32_t channels) {
    nx_name kernels_key = nx_key(arch, "kernels"), strides_key = nx_key(arch, "strides");
    uint32_t kernels[NX_MAX_CONVOLUTIONS], strides[NX_MAX_CONVOLUTIONS];
    uint32_t n = nx_read_numbers(r, kernels_key.text, 1, 15, kernels, NX_MAX_CONVOLUTIONS);
    if (!n || nx_read_numbers(r, strides_key.text, 1, 8, strides, NX_MAX_CONVOLUTIONS) != n)
        nx_reader_fail(r, NX_E_FORMAT, strides_key.text, "not one for each kernel");
    c->picture = rows * cols * channels;
    for (uint32_t i = 0; i < n && !r->status; i++) {
        uint32_t k = kernels[i], edge = (k - 1) / 2;
        nx_patches patches = {rows, cols, channels, i ? 0 : channels, k, k, strides[i], strides[i], 1, edge, edge, edge, edge};
        char digit[2] = {(char)('0' + i)}; /* i < NX_MAX_CONVOLUTIONS */
        nx_name name = nx_joined(prefix, digit), weight = nx_joined(name.text, ".weight");
        uint32_t outputs = nx_tensor_rows(r, weight.text);
        if (!(k % 2)) nx_reader_fail(r, NX_E_UNSUPPORTED, kernels_key.text, "a kernel size is even");
        if (!outputs || outputs % 4 || outputs > NX_MAX_CHANNELS || k * k * channels > 16 * NX_MAX_CHANNELS)
            nx_reader_fail(r, NX_E_UNSUPPORTED, weight.text, "the number of channels is not supported");
        if (r->status) return;
        read_convolution(r, c, i, patches, name.text, outputs);
        rows = nx_patch_rows(&patches), cols = nx_patch_cols(&patches), channels = outputs;
    }
    c->n = n, c->rows = rows, c->cols = cols, c->channels = channels;
}

void nx_read_last_convolution(nx_reader *r, nx_convolutions *c, const char *name, uint32_t outputs) {
    nx_patches all = {c->rows, c->cols, c->channels, 0, c->rows, c->cols, 1, 1, 1, 0, 0, 0, 0};
    read_convolution(r, c, c->n, all, name, outputs);
}

uint64_t nx_convolutions_bytes(const nx_convolutions *c) {
    nx_patches widest = {.channels = c->widest, .down = 1, .across = 1};
    return nx_convolve_bytes(&widest);
}

/* ---- slices ----------------------------------------------------------------------------------------------------------- */

static uint32_t slice_locations(const nx_convolution *one) {
    uint64_t products = (uint64_t)NX_COLUMNS * one->map.weight.rows * one->map.weight.cols;
    return NX_COLUMNS * nx_slice_steps(products, one->locations);
}

static uint32_t slices_of(const nx_convolution *one) { return (one->locations + slice_locations(one) - 1) / slice_locations(one); }

uint32_t nx_convolution_slices(const nx_convolutions *c, uint32_t n) {
    uint32_t slices = 0;
    for (uint32_t i = 0; i < n; i++) slices += slices_of(&c->at[i]);
    return slices;
}

nx_convolution_slice nx_convolution_slice_at(const nx_convolutions *c, uint32_t slice) {
    uint32_t i = 0;
    for (; slice >= slices_of(&c->at[i]); i++) slice -= slices_of(&c->at[i]);
    uint32_t length = slice_locations(&c->at[i]), first = slice * length, left = c->at[i].locations - first;
    return (nx_convolution_slice){i, first, first + (left < length ? left : length)};
}

void nx_convolve_slice(float *out, const nx_convolutions *c, nx_convolution_slice part, const float *picture, void *scratch) {
    const nx_convolution *one = &c->at[part.index];
    uint32_t outputs = one->map.weight.rows;
    for (uint32_t at = part.first, n; at < part.past; at += n, out += (size_t)n * nx_stride(outputs)) {
        n = part.past - at < NX_COLUMNS ? part.past - at : NX_COLUMNS;
        nx_convolve(out, &one->map.weight, one->map.bias, picture, &one->patches, at, n, scratch);
        if (part.index < c->n) nx_relu(out, outputs, n);
    }
}

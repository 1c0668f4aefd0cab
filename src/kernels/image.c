/* SPDX-License-Identifier: MIT  See image.h. */
#include "image.h"

#include <string.h>

#include "simd.h"

static uint32_t locations(uint32_t size, uint32_t edges, uint32_t taps, uint32_t dilation, uint32_t stride) {
    uint32_t covered = dilation * (taps - 1) + 1;
    return size + edges < covered ? 0 : (size + edges - covered) / stride + 1;
}

uint32_t nx_patch_rows(const nx_patches *p) { return locations(p->rows, p->above + p->below, p->down, p->dilation, p->stride_down); }
uint32_t nx_patch_cols(const nx_patches *p) { return locations(p->cols, p->left + p->right, p->across, p->dilation, p->stride_across); }

/* Gathers the taps of one row of a patch. Tap 0 is in column `at` - p->left. */
static void gather_row(float *out, const float *row, const nx_patches *p, uint32_t pixel, uint32_t at) {
    uint32_t channels = p->channels;
    for (uint32_t j = 0; j < p->across;) {
        uint32_t column = at + j * p->dilation, n = 1;
        if (column < p->left || column - p->left >= p->cols) {
            memset(out, 0, channels * sizeof *out);
        } else {
            column -= p->left;
            if (pixel == channels && p->dilation == 1) /* the taps inside the picture are contiguous */
                n = p->across - j < p->cols - column ? p->across - j : p->cols - column;
            memcpy(out, row + (size_t)column * pixel, (size_t)n * channels * sizeof *out);
        }
        out += (size_t)n * channels;
        j += n;
    }
}

void nx_patch_gather(float *out, const float *picture, const nx_patches *p, uint32_t location) {
    uint32_t cols = nx_patch_cols(p), pixel = p->pixel ? p->pixel : nx_stride(p->channels), width = p->across * p->channels;
    uint32_t top = location / cols * p->stride_down, at = location % cols * p->stride_across;
    for (uint32_t i = 0; i < p->down; i++, out += width) {
        uint32_t row = top + i * p->dilation;
        if (row < p->above || row - p->above >= p->rows)
            memset(out, 0, width * sizeof *out);
        else
            gather_row(out, picture + (size_t)(row - p->above) * p->cols * pixel, p, pixel, at);
    }
}

uint64_t nx_convolve_bytes(const nx_patches *p) {
    uint32_t length = nx_patch_length(p);
    return NX_COLUMNS * (uint64_t)nx_stride(length) * sizeof(float) + nx_input_bytes(length, NX_COLUMNS);
}

void nx_convolve(float *out, const nx_matrix *weights, const float *bias, const float *picture, const nx_patches *p, uint32_t first,
                 uint32_t n, void *scratch) {
    float *patch = scratch;
    size_t stride = nx_stride(nx_patch_length(p));
    for (uint32_t j = 0; j < n; j++) nx_patch_gather(patch + j * stride, picture, p, first + j);
    nx_input input = nx_input_of(patch, n, patch + NX_COLUMNS * stride);
    nx_matmul(out, weights, bias, &input);
}

static v128_t larger(v128_t a, v128_t b) { return wasm_v128_bitselect(b, a, wasm_v128_or(wasm_f32x4_gt(b, a), wasm_f32x4_ne(b, b))); }

void nx_pool_largest(float *out, const float *picture, uint32_t rows, uint32_t cols, uint32_t channels) {
    size_t pixel = nx_stride(channels), row = cols * pixel;
    for (uint32_t r = 0; r + 1 < rows; r += 2)
        for (uint32_t c = 0; c + 1 < cols; c += 2, out += pixel) {
            const float *x = picture + r * row + c * pixel;
            for (uint32_t i = 0; i < channels; i += 4) {
                v128_t upper = larger(wasm_v128_load(x + i), wasm_v128_load(x + pixel + i));
                v128_t lower = larger(wasm_v128_load(x + row + i), wasm_v128_load(x + row + pixel + i));
                wasm_v128_store(out + i, larger(upper, lower));
            }
        }
}

void nx_enlarge(float *out, const float *picture, uint32_t rows, uint32_t cols, uint32_t channels) {
    size_t pixel = nx_stride(channels), bytes = channels * sizeof *out;
    for (uint32_t r = 0; r < 2 * rows; r++)
        for (uint32_t c = 0; c < 2 * cols; c++, out += pixel) memcpy(out, picture + ((size_t)(r / 2) * cols + c / 2) * pixel, bytes);
}

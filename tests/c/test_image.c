/* SPDX-License-Identifier: MIT
 *
 * Compares patches, convolutions, pooling and upscaling with loops over pixels in double precision.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kernels/image.h"
#include "reference.h"

/* Each entry lists the fields of nx_patches (kernels/image.h): rows, cols, channels, pixel; down, across; strides, dilation; above, left,
 * below, right. The cases include kernels of 3 x 3, 4 x 4 and 5 x 5, single rows, single pixels, patches larger than the picture, edges on
 * one side, and strides that skip pixels. */
static const nx_patches shapes[] = {
    {7, 7, 32, 0, 3, 3, 1, 1, 1, 1, 1, 1, 1},  {7, 5, 16, 0, 3, 3, 2, 2, 1, 1, 1, 1, 1}, {28, 28, 1, 1, 5, 5, 2, 2, 1, 2, 2, 2, 2},
    {8, 8, 12, 12, 4, 4, 2, 2, 1, 1, 1, 1, 1}, {4, 4, 20, 0, 4, 4, 1, 1, 1, 0, 0, 0, 0}, {1, 40, 8, 8, 1, 3, 1, 1, 9, 0, 9, 0, 9},
    {1, 33, 4, 0, 1, 4, 1, 2, 1, 0, 1, 0, 1},  {1, 1, 3, 0, 3, 3, 1, 1, 1, 1, 1, 1, 1}, {2, 3, 5, 7, 5, 5, 1, 1, 2, 4, 4, 4, 4},
    {6, 9, 1, 0, 1, 1, 3, 2, 1, 0, 0, 0, 0},   {9, 6, 2, 2, 3, 2, 1, 3, 2, 0, 3, 5, 0}, {3, 3, 4, 4, 5, 5, 1, 1, 1, 0, 0, 0, 0},
};
#define SHAPES (sizeof shapes / sizeof *shapes)

static float *random_picture(check_random *random, uint32_t pixels, uint32_t stride) {
    float *x = memory_take((size_t)pixels * stride * sizeof *x);
    for (uint32_t i = 0; i < pixels * stride; i++) x[i] = (float)random_normal(random);
    return x;
}

/* Returns the input value at tap (i, j) of location `place`, as image.h defines taps. */
static float tap(const nx_patches *p, const float *x, uint32_t place, uint32_t i, uint32_t j, uint32_t channel) {
    uint32_t pixel = p->pixel ? p->pixel : nx_stride(p->channels), cols = nx_patch_cols(p);
    int row = (int)(place / cols * p->stride_down + i * p->dilation) - (int)p->above;
    int col = (int)(place % cols * p->stride_across + j * p->dilation) - (int)p->left;
    if (row < 0 || col < 0 || row >= (int)p->rows || col >= (int)p->cols) return 0;
    return x[((size_t)row * p->cols + (size_t)col) * pixel + channel];
}

static void sizes(void) {
    static const uint32_t expected[SHAPES][2] = {{7, 7}, {4, 3}, {14, 14}, {4, 4}, {1, 1}, {1, 40}, {1, 16}, {1, 1}, {2, 3}, {2, 5}, {10, 3}, {0, 0}};
    for (uint32_t s = 0; s < SHAPES; s++) {
        check_at("shape %lld", s, 0, 0, 0);
        CHECK_INT(nx_patch_rows(&shapes[s]), expected[s][0]);
        CHECK_INT(nx_patch_cols(&shapes[s]), expected[s][1]);
    }
}

static void gathered(void) {
    check_random random = {71};
    for (uint32_t s = 0; s < SHAPES; s++) {
        size_t mark = memory_mark();
        const nx_patches *p = &shapes[s];
        uint32_t length = nx_patch_length(p);
        float *x = random_picture(&random, p->rows * p->cols, p->pixel ? p->pixel : nx_stride(p->channels));
        float *out = memory_take((length + 1) * sizeof *out);
        for (uint32_t place = 0; place < nx_patch_rows(p) * nx_patch_cols(p); place++) {
            const float *at = out;
            memset(out, 0xff, (length + 1) * sizeof *out);
            nx_patch_gather(out, x, p, place);
            check_at("shape %lld, place %lld", s, place, 0, 0);
            for (uint32_t i = 0; i < p->down; i++)
                for (uint32_t j = 0; j < p->across; j++)
                    for (uint32_t c = 0; c < p->channels; c++) CHECK(*at++ == tap(p, x, place, i, j, c));
            CHECK(*at != *at); /* the kernel writes nothing after its output */
        }
        memory_release(mark);
    }
}

/* Computing the same locations in groups of any size gives the same bits. Except for rounding errors, the results equal sums in double
 * precision. */
static void convolved(void) {
    check_random random = {72};
    for (uint32_t s = 0; s < SHAPES; s++) {
        size_t mark = memory_mark();
        const nx_patches *p = &shapes[s];
        uint32_t length = nx_patch_length(p), rows = 20, count = nx_patch_rows(p) * nx_patch_cols(p), stride = nx_stride(rows);
        float *x = random_picture(&random, p->rows * p->cols, p->pixel ? p->pixel : nx_stride(p->channels));
        float *w = random_picture(&random, rows, length), *bias = random_picture(&random, 1, stride);
        float *out = memory_take((size_t)(count + 1) * stride * sizeof *out), one[32];
        void *scratch = memory_take((size_t)nx_convolve_bytes(p)), *packed = memory_take((size_t)nx_matrix_bytes(0, rows, length));
        nx_matrix matrix = {0, rows, length, packed};
        nx_matrix_pack(&matrix, packed, (const uint8_t *)w, 0, 0, matrix.rows);
        for (uint32_t at = 0, n; at < count; at += n) {
            n = 1 + random_below(&random, NX_COLUMNS);
            if (n > count - at) n = count - at;
            nx_convolve(out + (size_t)at * stride, &matrix, bias, x, p, at, n, scratch);
        }
        for (uint32_t place = 0; place < count; place++) {
            nx_convolve(one, &matrix, bias, x, p, place, 1, scratch);
            check_at("shape %lld, place %lld", s, place, 0, 0);
            for (uint32_t r = 0; r < rows; r++) {
                const float *weight = w + (size_t)r * length;
                double sum = (double)bias[r], size = fabs(sum);
                for (uint32_t i = 0; i < p->down; i++)
                    for (uint32_t j = 0; j < p->across; j++)
                        for (uint32_t c = 0; c < p->channels; c++, weight++) {
                            double term = (double)*weight * (double)tap(p, x, place, i, j, c);
                            sum += term, size += fabs(term);
                        }
                CHECK_NEAR((double)one[r], sum, 1e-6 * size + 1e-30);
                CHECK(one[r] == out[(size_t)place * stride + r]);
            }
        }
        memory_release(mark);
    }
}

static void pooled(void) {
    static const uint32_t pictures[][3] = {{2, 2, 4}, {7, 6, 32}, {1, 8, 4}, {5, 5, 20}, {28, 28, 64}, {4, 3, 12}};
    check_random random = {73};
    for (uint32_t s = 0; s < sizeof pictures / sizeof *pictures; s++) {
        size_t mark = memory_mark();
        uint32_t rows = pictures[s][0], cols = pictures[s][1], channels = pictures[s][2], pixel = nx_stride(channels);
        float *x = random_picture(&random, rows * cols, pixel), *out = random_picture(&random, rows * cols / 4 + 1, pixel);
        float kept = out[(size_t)(rows / 2) * (cols / 2) * pixel];
        nx_pool_largest(out, x, rows, cols, channels);
        for (uint32_t r = 0; r < rows / 2; r++)
            for (uint32_t c = 0; c < cols / 2; c++)
                for (uint32_t i = 0; i < channels; i++) {
                    double most = -INFINITY;
                    for (uint32_t k = 0; k < 4; k++) {
                        double here = (double)x[((2 * r + k / 2) * (size_t)cols + 2 * c + k % 2) * pixel + i];
                        if (here > most) most = here;
                    }
                    check_at("picture %lld, row %lld, column %lld, channel %lld", s, r, c, i);
                    CHECK((double)out[((size_t)r * (cols / 2) + c) * pixel + i] == most);
                }
        CHECK(out[(size_t)(rows / 2) * (cols / 2) * pixel] == kept);
        memory_release(mark);
    }
    for (uint32_t k = 0; k < 4; k++) { /* a NaN at any location reaches the output */
        float x[4 * 16] = {0}, out[16];
        x[k * 16 + 2] = NAN;
        x[(3 - k) * 16 + 2] = 5;
        nx_pool_largest(out, x, 2, 2, 4);
        CHECK(out[0] == 0 && out[2] != out[2]);
    }
}

static void enlarged(void) {
    static const uint32_t pictures[][3] = {{1, 1, 1}, {4, 4, 32}, {3, 5, 20}, {1, 7, 3}};
    check_random random = {74};
    for (uint32_t s = 0; s < sizeof pictures / sizeof *pictures; s++) {
        size_t mark = memory_mark();
        uint32_t rows = pictures[s][0], cols = pictures[s][1], channels = pictures[s][2], pixel = nx_stride(channels);
        float *x = random_picture(&random, rows * cols, pixel), *out = memory_take((size_t)4 * rows * cols * pixel * sizeof *out);
        nx_enlarge(out, x, rows, cols, channels);
        for (uint32_t r = 0; r < 2 * rows; r++)
            for (uint32_t c = 0; c < 2 * cols; c++)
                for (uint32_t i = 0; i < channels; i++)
                    CHECK(out[((size_t)r * 2 * cols + c) * pixel + i] == x[((size_t)(r / 2) * cols + c / 2) * pixel + i]);
        memory_release(mark);
    }
}

const check_test image_tests[] = {
    {"number of locations of a convolution", sizes},
    {"what a patch holds", gathered},
    {"convolutions", convolved},
    {"the largest of four", pooled},
    {"nearest neighbours", enlarged},
    {0},
};

/* SPDX-License-Identifier: MIT  Compares recurrent cells with their equations in double precision. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kernels/cells.h"
#include "kernels/kernels.h"

static double sigma(double x) { return 1 / (1 + exp(-x)); }

static float *some(check_random *random, uint32_t width, uint32_t n) {
    float *x = memory_take((size_t)n * nx_stride(width) * sizeof *x);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < width; i++) x[j * nx_stride(width) + i] = (float)((i % 7 == 0 ? 20 : 2) * random_normal(random));
    return x;
}

static void gru(void) {
    check_random random = {1};
    for (uint32_t w = 4; w <= 2 * 16 + 12; w += 4)
        for (uint32_t n = 1; n <= NX_COLUMNS; n += 3) {
            size_t mark = memory_mark();
            uint32_t wide = nx_stride(3 * w), narrow = nx_stride(w);
            float *x = some(&random, 3 * w, n), *u = some(&random, 3 * w, n), *h = some(&random, w, n);
            float *before = memory_copy(h, (size_t)n * narrow * sizeof *h);
            nx_gru(h, x, u, w, n);
            check_at("width %lld, %lld columns", w, n, 0, 0);
            for (uint32_t j = 0; j < n; j++) {
                const float *xs = x + j * wide, *us = u + j * wide;
                for (uint32_t i = 0; i < w; i++) {
                    double r = sigma((double)xs[i] + (double)us[i]), z = sigma((double)xs[w + i] + (double)us[w + i]);
                    double fresh = tanh((double)xs[2 * w + i] + r * (double)us[2 * w + i]), old = (double)before[j * narrow + i];
                    CHECK_NEAR((double)h[j * narrow + i], (1 - z) * fresh + z * old, 4e-6 * (1 + fabs(old)));
                }
                float *alone = memory_copy(before + j * narrow, narrow * sizeof *alone);
                nx_gru(alone, xs, us, w, 1);
                CHECK_FLOATS(alone, h + j * narrow, w);
            }
            memory_release(mark);
        }
}

static void lstm(void) {
    check_random random = {2};
    for (uint32_t w = 4; w <= 2 * 16 + 12; w += 4)
        for (uint32_t n = 1; n <= NX_COLUMNS; n += 3) {
            size_t mark = memory_mark();
            uint32_t wide = nx_stride(4 * w), narrow = nx_stride(w);
            float *gates = some(&random, 4 * w, n), *c = some(&random, w, n), *h = some(&random, w, n);
            float *before = memory_copy(c, (size_t)n * narrow * sizeof *c);
            nx_lstm(h, c, gates, w, n);
            check_at("width %lld, %lld columns", w, n, 0, 0);
            for (uint32_t j = 0; j < n; j++) {
                const float *g = gates + j * wide;
                for (uint32_t i = 0; i < w; i++) {
                    double old = (double)before[j * narrow + i];
                    double cell = sigma((double)g[w + i]) * old + sigma((double)g[i]) * tanh((double)g[3 * w + i]);
                    CHECK_NEAR((double)c[j * narrow + i], cell, 2e-6 * (1 + fabs(old)));
                    CHECK_NEAR((double)h[j * narrow + i], sigma((double)g[2 * w + i]) * tanh(cell), 4e-6 * (1 + fabs(old)));
                }
                float *alone = memory_copy(before + j * narrow, narrow * sizeof *alone), *out = memory_take(narrow * sizeof *out);
                nx_lstm(out, alone, g, w, 1);
                CHECK_FLOATS(alone, c + j * narrow, w);
                CHECK_FLOATS(out, h + j * narrow, w);
            }
            memory_release(mark);
        }
}

static void hyperbolic(void) {
    check_random random = {3};
    enum { w = 20, n = 3 };
    float *x = some(&random, w, n), *before = memory_copy(x, (size_t)n * nx_stride(w) * sizeof *x);
    nx_tanh(x, w, n);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < w; i++) CHECK_NEAR((double)x[j * nx_stride(w) + i], tanh((double)before[j * nx_stride(w) + i]), 1e-6);
}

const check_test cells_tests[] = {
    {"a gated recurrent unit", gru},
    {"a long short-term memory", lstm},
    {"tanh of columns", hyperbolic},
    {0},
};

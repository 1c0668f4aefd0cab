/* SPDX-License-Identifier: MIT  Compares scores of a query, their softmax and their sum with the equations in double precision. */
#include <math.h>
#include <string.h>

#include "attention/scores.h"
#include "check.h"
#include "kernels/kernels.h"
#include "reference.h"

enum { MOST = 23 };

static float *some(check_random *random, uint32_t width, uint32_t n) {
    float *x = memory_take((size_t)n * nx_stride(width) * sizeof *x);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < width; i++) x[j * nx_stride(width) + i] = (float)random_normal(random);
    return x;
}

/* Tests dot products, additive scores, softmax, the Gaussian and the weighted sum over windows of every length. Memory outside the window
 * stays unchanged. */
static void windows(void) {
    check_random random = {1};
    for (uint32_t w = 4; w <= 44; w += 8)
        for (uint32_t from = 0; from < MOST; from += 3)
            for (uint32_t to = from; to <= MOST; to++) {
                size_t mark = memory_mark();
                nx_window window = {from, to};
                const float *keys = some(&random, w, MOST), *query = some(&random, w, 1), *v = some(&random, w, 1);
                float score[MOST + 3], weights[MOST + 3], out[44];
                double truth[MOST], bell[MOST];
                check_at("width %lld, %lld..%lld", w, from, to, 0);
                for (uint32_t i = 0; i < MOST; i++) score[i] = 7;
                nx_score_additive(score, query, keys, v, w, window);
                for (uint32_t i = 0; i < MOST; i++) {
                    double sum = 0;
                    for (uint32_t e = 0; e < w; e++) sum += (double)v[e] * tanh((double)query[e] + (double)keys[i * nx_stride(w) + e]);
                    CHECK_NEAR((double)score[i], i >= from && i < to ? sum : 7, 2e-5);
                }
                nx_score_dot(score, query, keys, 0.25f, w, window);
                for (uint32_t i = from; i < to; i++) {
                    double sum = 0;
                    for (uint32_t e = 0; e < w; e++) sum += (double)query[e] * (double)keys[i * nx_stride(w) + e];
                    CHECK_NEAR((double)score[i], sum / 4, 1e-5);
                    truth[i] = (double)score[i];
                }
                memcpy(weights, score, sizeof weights);
                nx_score_softmax(weights, window);
                ref_softmax(truth + from, to - from);
                for (uint32_t i = from; i < to; i++) CHECK_NEAR((double)weights[i], truth[i], 1e-6);
                nx_score_bell(weights, 6.3f, 1.5f, window);
                for (uint32_t i = from; i < to; i++) {
                    bell[i] = truth[i] * exp(-(i - 6.3) * (i - 6.3) / (2 * 1.5 * 1.5));
                    CHECK_NEAR((double)weights[i], bell[i], 1e-6);
                }
                nx_score_sum(out, weights, keys, w, window);
                for (uint32_t e = 0; e < w; e++) {
                    double sum = 0;
                    for (uint32_t i = from; i < to; i++) sum += bell[i] * (double)keys[i * nx_stride(w) + e];
                    CHECK_NEAR((double)out[e], sum, 1e-5);
                }
                memory_release(mark);
            }
}

/* A window has 2D + 1 positions. At the ends of the source, a window has fewer positions, but at least one. */
static void around(void) {
    for (uint32_t count = 1; count < 12; count++)
        for (uint32_t D = 1; D < 14; D++)
            for (uint32_t centre = 0; centre < count; centre++) {
                nx_window window = nx_window_around(centre, D, count);
                for (uint32_t i = 0; i < count; i++) {
                    uint32_t off = i > centre ? i - centre : centre - i;
                    CHECK_INT(i >= window.from && i < window.to, off <= D);
                }
                CHECK(window.to > window.from && window.to <= count);
            }
}

static void norms(void) {
    check_random random = {2};
    const float *x = some(&random, 20, 1);
    double square = 0;
    float zero[20] = {0};
    for (int i = 0; i < 20; i++) square += (double)x[i] * (double)x[i];
    CHECK_NEAR((double)nx_inverse_norm(x, 20), 1 / sqrt(square), 1e-6);
    CHECK_NEAR((double)nx_dot(x, x, 20), square, 1e-5);
    CHECK(nx_inverse_norm(zero, 20) == 0);
    zero[3] = NAN;
    CHECK(isnan(nx_inverse_norm(zero, 20)));
}

const check_test scores_tests[] = {
    {"scores, softmax, Gaussian and sum of a window", windows},
    {"a window about a centre", around},
    {"norms", norms},
    {0},
};

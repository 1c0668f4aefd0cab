/* SPDX-License-Identifier: MIT  Noise and the categorical distribution. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kernels/kernels.h"
#include "reference.h"
#include "sampling/categorical.h"
#include "sampling/noise.h"

/* ---- noise ----------------------------------------------------------------------------------------------------------------- */

/* Known answers of philox4x32-10 in the Random123 distribution (tests/kat_vectors). */
static void philox(void) {
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (int i = 0; i < 3; i++) {
        uint32_t word[4];
        nx_philox(word, known[i].counter, known[i].key[0], known[i].key[1]);
        check_at("vector %lld", i, 0, 0, 0);
        CHECK_BYTES(word, known[i].answer, sizeof word);
    }
}

/* The contract of nx_gumbel, word by word. */
#define GUMBEL_ERROR 1e-6 /* absolute, plus relative: two logarithms, the inner one accurate relative to itself */

static void gumbel_by_definition(void) {
    double worst = 0;
    for (uint32_t sample = 0; sample < 50; sample++) {
        nx_noise noise = {12345, 678, sample, 3 * sample + 1};
        float g[256], fewer[20];
        nx_gumbel(g, noise, 256);
        nx_gumbel(fewer, noise, 20);
        CHECK_FLOATS(fewer, g, 20); /* the noise of a value does not depend on how many there are */
        for (uint32_t v = 0; v < 256; v++) {
            uint32_t word[4], counter[4] = {v / 4, 3 * sample + 1, sample, 0};
            nx_philox(word, counter, 12345, 678);
            double u = ((word[v % 4] >> 9) + 0.5) / 8388608, truth = -log(-log(u));
            worst = fmax(worst, fabs((double)g[v] - truth) / (1 + fabs(truth)));
        }
    }
    check_note("  largest error of Gumbel noise, relative to 1 + |x|: %.3g", worst);
    CHECK(worst < GUMBEL_ERROR);
}

static void gumbel_moments(void) {
    enum { draws = 1 << 18 };
    double sum = 0, squares = 0, cubes = 0, least = 0, most = 0;
    for (uint32_t i = 0; i < draws / 256; i++) {
        float g[256];
        nx_gumbel(g, (nx_noise){99, 0, 0, i}, 256);
        for (int v = 0; v < 256; v++) {
            double x = (double)g[v];
            sum += x, squares += x * x, cubes += x * x * x;
            least = fmin(least, x), most = fmax(most, x);
        }
    }
    double mean = sum / draws, variance = squares / draws - mean * mean;
    /* Mean 0.5772 (Euler's constant), variance pi^2 / 6, fourth central moment 5.4 variance^2. Bounds: 4 standard errors. */
    CHECK_NEAR(mean, 0.57721566490153286, 4 * sqrt(1.6449340668482264 / draws));
    CHECK_NEAR(variance, 1.6449340668482264, 4 * 1.6449340668482264 * sqrt(4.4 / draws));
    /* u lies in [2^-24, 1 - 2^-24], so noise in [-2.81, 16.64] */
    check_note("  mean %.4f, variance %.4f, from %.3f to %.3f", mean, variance, least, most);
    CHECK(least > -2.82 && most < 16.64);
}

/* Seeds, samples and positions each make another noise; values that differ are nearly all different. */
static void noise_differs(void) {
    nx_noise noise[] = {{1, 2, 3, 4}, {2, 2, 3, 4}, {1, 3, 3, 4}, {1, 2, 4, 4}, {1, 2, 3, 5}, {2, 1, 3, 4}, {1, 2, 4, 3}};
    float g[7][256];
    for (int i = 0; i < 7; i++) nx_gumbel(g[i], noise[i], 256);
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < i; j++) {
            int same = 0;
            for (int v = 0; v < 256; v++) same += g[i][v] == g[j][v];
            CHECK(same <= 1);
        }
}

/* ---- the categorical distribution ------------------------------------------------------------------------------------------ */

static float *logits_of(uint32_t levels, double scale, check_random *random) {
    float *x = memory_take(nx_stride(levels) * sizeof *x);
    for (uint32_t v = 0; v < nx_stride(levels); v++) x[v] = v < levels ? (float)(scale * random_normal(random)) : -INFINITY;
    return x;
}

static uint32_t draw(const float *logits, uint32_t levels, nx_filter filter, uint32_t sample) {
    size_t mark = memory_mark();
    float *scratch = memory_take(2 * nx_stride(levels) * sizeof *scratch);
    uint32_t value = nx_categorical_sample(logits, levels, filter, (nx_noise){7, 8, sample, 9}, scratch);
    memory_release(mark);
    return value;
}

static void log_prob(void) {
    check_random random = {1};
    for (uint32_t levels = 2; levels <= 256; levels += levels < 40 ? 1 : 27) {
        static const double scales[] = {0, 1, 30, 1e4, 1e30};
        for (int s = 0; s < 5; s++) {
            float *x = logits_of(levels, scales[s], &random);
            double *wide = memory_take(levels * sizeof *wide), sum = 0;
            for (uint32_t v = 0; v < levels; v++) wide[v] = (double)x[v];
            double lse = ref_log_sum_exp(wide, levels);
            check_at("%lld levels, scale %lld", levels, s, 0, 0);
            for (uint32_t v = 0; v < levels; v++) {
                float p = nx_categorical_log_prob(x, levels, v);
                /* the logarithm and the difference: two roundings of the larger operand, and those inside logsumexp */
                CHECK_NEAR((double)p, wide[v] - lse, 2e-6 + 0x1p-23 * (fabs(wide[v]) + fabs(lse)));
                CHECK(p <= 0x1p-20f * fmaxf(1, fabsf((float)lse)));
                sum += exp((double)p);
            }
            if (s < 3) CHECK_NEAR(sum, 1, 1e-5);
        }
    }
}

static void finite(void) {
    check_random random = {2};
    for (uint32_t levels = 2; levels <= 20; levels++) {
        float *x = logits_of(levels, 1e38 / 6, &random);
        CHECK(nx_categorical_finite(x, levels));
        for (uint32_t v = 0; v < levels; v++) {
            static const float bad[] = {NAN, INFINITY, -INFINITY};
            for (int i = 0; i < 3; i++) {
                float kept = x[v];
                x[v] = bad[i];
                CHECK(!nx_categorical_finite(x, levels));
                x[v] = kept;
            }
        }
    }
}

static void temperature_zero(void) {
    check_random random = {3};
    for (uint32_t levels = 2; levels <= 256; levels += 5) {
        float *x = logits_of(levels, 3, &random);
        uint32_t best = 0;
        for (uint32_t v = 1; v < levels; v++)
            if (x[v] > x[best]) best = v;
        for (uint32_t sample = 0; sample < 4; sample++) {
            CHECK_INT(draw(x, levels, (nx_filter){0, 0, 1}, sample), best);
            CHECK_INT(draw(x, levels, (nx_filter){1e-40f, 0, 1}, sample), best); /* the smallest temperatures come to the same */
            CHECK_INT(draw(x, levels, (nx_filter){1, 1, 1}, sample), best);
            CHECK_INT(draw(x, levels, (nx_filter){1, 0, 1e-30f}, sample), best);
            /* a mass so small that it vanishes against the mass that top-k left */
            CHECK_INT(draw(x, levels, (nx_filter){1, 1, 1e-45f}, sample), best);
            CHECK_INT(draw(x, levels, (nx_filter){100, 1, 1e-45f}, sample), best);
        }
        uint32_t tie = random_below(&random, levels); /* ties go to the lowest value */
        x[tie] = x[best];
        CHECK_INT(draw(x, levels, (nx_filter){0, 0, 1}, 0), tie < best ? tie : best);
        CHECK_INT(draw(x, levels, (nx_filter){1, 1, 1}, 0), tie < best ? tie : best);
        CHECK_INT(draw(x, levels, (nx_filter){1, 0, 1e-30f}, 0), tie < best ? tie : best);
    }
}

/* The definition: argmax of logit / T + noise. Single precision decides as the formula says wherever it is not nearly a tie. */
static void gumbel_max(void) {
    check_random random = {4};
    int ties = 0;
    for (uint32_t sample = 0; sample < 3000; sample++) {
        size_t mark = memory_mark();
        uint32_t levels = 2 + sample % 255, best = 0, second = 0;
        float *x = logits_of(levels, 2, &random), *g = memory_take(nx_stride(levels) * sizeof *g);
        float temperature = 0.3f + (float)(sample % 7) / 4;
        nx_gumbel(g, (nx_noise){7, 8, sample, 9}, nx_stride(levels));
        double *z = memory_take(levels * sizeof *z);
        for (uint32_t v = 0; v < levels; v++) z[v] = (double)x[v] / (double)temperature + (double)g[v];
        for (uint32_t v = 1; v < levels; v++)
            if (z[v] > z[best]) best = v;
        second = best ? 0 : 1;
        for (uint32_t v = 0; v < levels; v++)
            if (v != best && z[v] > z[second]) second = v;
        check_at("sample %lld of %lld levels", sample, levels, 0, 0);
        if (z[best] - z[second] > 1e-4)
            CHECK_INT(draw(x, levels, (nx_filter){temperature, 0, 1}, sample), best);
        else
            ties++;
        memory_release(mark);
    }
    CHECK(ties < 10);
}

/* A filter only takes values away: a draw that it would have kept is the draw. */
static void filters_couple(void) {
    check_random random = {5};
    double p[256];
    int kept = 0;
    for (uint32_t sample = 0; sample < 1000; sample++) {
        size_t mark = memory_mark();
        uint32_t levels = 2 + random_below(&random, 255);
        float *x = logits_of(levels, 2, &random), temperature = 0.5f + (float)random_unit(&random);
        nx_filter filter = {temperature, random_below(&random, levels + 2), (float)(0.2 + 0.8 * random_unit(&random))};
        uint32_t free = draw(x, levels, (nx_filter){temperature, 0, 1}, sample), filtered = draw(x, levels, filter, sample);
        ref_filter(p, x, levels, (double)temperature, filter.top_k, (double)filter.top_p);
        CHECK(p[filtered] > 0);
        if (p[free] > 0) kept++, CHECK_INT(filtered, free);
        memory_release(mark);
    }
    CHECK(kept > 300);
}

/* Frequencies against probabilities: chi-squared over the values with at least 8 expected draws, the others together. */
static void frequencies_of(const float *x, uint32_t levels, nx_filter filter) {
    enum { draws = 20000 };
    double p[256], chi = 0, rest = 0, rest_seen = 0;
    int cells = 0, seen[256] = {0};
    ref_filter(p, x, levels, (double)filter.temperature, filter.top_k, (double)filter.top_p);
    for (uint32_t s = 0; s < draws; s++) {
        uint32_t v = draw(x, levels, filter, s);
        if (!CHECK(v < levels && p[v] > 0)) return;
        seen[v]++;
    }
    for (uint32_t v = 0; v < levels; v++) {
        double expected = p[v] * draws;
        if (expected < 8) {
            rest += expected, rest_seen += seen[v];
            continue;
        }
        chi += (seen[v] - expected) * (seen[v] - expected) / expected;
        cells++;
    }
    if (rest >= 8) chi += (rest_seen - rest) * (rest_seen - rest) / rest, cells++;
    if (cells < 2) return;
    check_note("  %u levels, T %.2f, top-k %u, top-p %.2f: chi-squared %.1f, limit %.1f", (unsigned)levels, (double)filter.temperature,
               (unsigned)filter.top_k, (double)filter.top_p, chi, ref_chi_squared_limit(cells - 1));
    CHECK(chi < ref_chi_squared_limit(cells - 1)); /* exceeded by chance once in 1000; the seed is fixed */
}

static void frequencies(void) {
    static const nx_filter filters[] = {{1, 0, 1}, {0.5f, 0, 1}, {2, 0, 1}, {1, 3, 1}, {1, 0, 0.7f}, {0.8f, 5, 0.9f}, {1.5f, 12, 0.5f}, {100, 0, 1}};
    check_random random = {6};
    for (int i = 0; i < 8; i++) {
        check_at("filter %lld", i, 0, 0, 0);
        frequencies_of(logits_of(16, 1.5, &random), 16, filters[i]);
    }
    frequencies_of(logits_of(2, 1, &random), 2, filters[0]);
    frequencies_of(logits_of(256, 1, &random), 256, filters[0]);
    float even[16]; /* equal logits: top-k and top-p keep the lowest values */
    for (int v = 0; v < 16; v++) even[v] = 3;
    frequencies_of(even, 16, (nx_filter){1, 4, 1});
    frequencies_of(even, 16, (nx_filter){1, 0, 0.4f});
}

const check_test sampling_tests[] = {
    {"Philox known answers", philox},
    {"Gumbel noise is its definition", gumbel_by_definition},
    {"Gumbel mean, variance and extremes", gumbel_moments},
    {"noise depends on seed, sample, position", noise_differs},
    {"log-probability", log_prob},
    {"finite logits", finite},
    {"temperature 0, tiny masses, ties", temperature_zero},
    {"a draw is argmax of logit / T + noise", gumbel_max},
    {"filters only take away", filters_couple},
    {"frequencies are probabilities", frequencies},
    {0},
};

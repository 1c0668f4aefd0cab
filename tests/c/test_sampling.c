/* SPDX-License-Identifier: MIT
 *
 * Tests the noise, the categorical distribution, and the output distributions that are reduced to a categorical distribution.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "reference.h"
#include "sampling/categorical.h"
#include "sampling/noise.h"
#include "sampling/output.h"
#include "sampling/penalties.h"

#define UNIT 0x1p-24 /* half a unit in the last place of single precision: the relative error of one operation */

/* ---- noise ----------------------------------------------------------------------------------------------------------------- */

/* Computes the random words of one counter in one lane. The other lanes have other counters. */
static void random_words(uint32_t word[4], const uint32_t counter[4], uint32_t lane, uint32_t key_low, uint32_t key_high) {
    uint32_t lanes[4][4];
    v128_t words[4];
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t l = 0; l < 4; l++) lanes[i][l] = counter[i] + (l - lane) * (i + 1);
        words[i] = wasm_v128_load(lanes[i]);
    }
    nx_philox(words, key_low, key_high);
    for (uint32_t i = 0; i < 4; i++) {
        wasm_v128_store(lanes[i], words[i]);
        word[i] = lanes[i][lane];
    }
}

/* Compares the generator with the known answers for philox4x32-10 from the Random123 distribution (tests/kat_vectors). */
static void philox(void) {
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (int i = 0; i < 3; i++) {
        for (uint32_t lane = 0; lane < 4; lane++) { /* the other lanes hold the following counters */
            uint32_t word[4];
            random_words(word, known[i].counter, lane, known[i].key[0], known[i].key[1]);
            check_at("vector %lld, lane %lld", i, lane, 0, 0);
            CHECK_BYTES(word, known[i].answer, sizeof word);
        }
    }
}

/* Writes the Gumbel noise of n values. */
static void gumbel(float *out, nx_noise noise, uint32_t n) {
    memset(out, 0, n * sizeof *out);
    for (uint32_t v = 0; v < n; v += 16) nx_add_gumbel(out + v, noise, v);
}

/* Compares nx_add_gumbel with its definition, word by word. */
#define GUMBEL_ERROR 1e-6 /* absolute plus relative error of two logarithms */

static void gumbel_by_definition(void) {
    double worst = 0;
    for (uint32_t sample = 0; sample < 50; sample++) {
        nx_noise noise = {12345, 678, sample, 3 * sample + 1, 0};
        float g[256];
        gumbel(g, noise, 256);
        for (uint32_t v = 0; v < 256; v++) {
            uint32_t word[4], counter[4] = {v / 4, 3 * sample + 1, sample, 0};
            random_words(word, counter, v % 4, 12345, 678);
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
        gumbel(g, (nx_noise){99, 0, 0, i, 0}, 256);
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
    /* u is in [2^-24, 1 - 2^-24], so the noise is in [-2.81, 16.64] */
    check_note("  mean %.4f, variance %.4f, from %.3f to %.3f", mean, variance, least, most);
    CHECK(least > (double)NX_GUMBEL_LEAST && most < (double)NX_GUMBEL_MOST);
    CHECK(-log(-log(0x1p-24)) > (double)NX_GUMBEL_LEAST && -log(-log(1 - 0x1p-24)) < (double)NX_GUMBEL_MOST);
}

/* Compares each value of nx_normals() with the definition. The values must not depend on the length n, and nothing may be written after
 * them. */
static void normals_by_definition(void) {
    for (uint32_t sample = 0; sample < 20; sample++) {
        nx_noise noise = {12345, 678, sample, 3 * sample + 1, 17};
        uint32_t ids[128], fewer[128];
        nx_normals(ids, 128, noise);
        fewer[sample] = 99;
        nx_normals(fewer, sample, noise);
        CHECK_BYTES(fewer, ids, sample * sizeof *ids);
        CHECK(fewer[sample] == 99);
        for (uint32_t i = 0; i < 128; i++) {
            uint32_t word[4], counter[4] = {i / 4, 3 * sample + 1, sample, 17};
            random_words(word, counter, i / 4 % 4, 12345, 678);
            double u = ((word[i % 4 / 2 * 2] >> 9) + 0.5) / 8388608, v = ((word[i % 4 / 2 * 2 + 1] >> 9) + 0.5) / 8388608;
            double z = sqrt(-2 * log(u)) * (i % 2 ? sin(2 * 3.141592653589793 * v) : cos(2 * 3.141592653589793 * v));
            CHECK_NEAR((double)ids[i], fmin(fmax(32768 + 8192 * z, 0), 65535), 0.51);
        }
    }
}

static void normals_moments(void) {
    enum { draws = 1 << 17 };
    double sum = 0, squares = 0, fourth = 0;
    for (uint32_t i = 0; i < draws / 256; i++) {
        uint32_t ids[256];
        nx_normals(ids, 256, (nx_noise){99, 0, i, 0, 17});
        for (int v = 0; v < 256; v++) {
            double z = ((double)ids[v] - 32768) / 8192;
            sum += z, squares += z * z, fourth += z * z * z * z;
        }
    }
    /* Mean 0, variance 1, fourth moment 3 (2.990 when truncated at 4). Bounds: 4 standard errors. */
    CHECK_NEAR(sum / draws, 0, 4 / sqrt(draws));
    CHECK_NEAR(squares / draws, 1, 4 * sqrt(2.0 / draws));
    CHECK_NEAR(fourth / draws, 2.99, 4 * sqrt(96.0 / draws));
}

/* Changing the seed, the sample, the position or the stream changes nearly all values of the noise. */
static void noise_differs(void) {
    nx_noise noise[] = {{1, 2, 3, 4, 0}, {2, 2, 3, 4, 0}, {1, 3, 3, 4, 0}, {1, 2, 4, 4, 0}, {1, 2, 3, 5, 0}, {2, 1, 3, 4, 0}, {1, 2, 4, 3, 0}, {1, 2, 3, 4, 1}};
    float g[8][256];
    for (int i = 0; i < 8; i++) gumbel(g[i], noise[i], 256);
    for (int i = 0; i < 8; i++)
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

static uint32_t draw(const float *logits, uint32_t levels, nx_settings filter, uint32_t sample) {
    size_t mark = memory_mark();
    float *scratch = memory_take(3 * nx_stride(levels) * sizeof *scratch);
    uint32_t value = nx_categorical_sample(logits, levels, &filter, (nx_noise){7, 8, sample, 9, 0}, scratch);
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
                /* two roundings (logarithm, difference) of the larger operand, and those inside logsumexp */
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
        nx_output output = {NX_CATEGORICAL, levels, 1, 0};
        CHECK(nx_output_finite(&output, x));
        for (uint32_t v = 0; v < levels; v++) {
            static const float bad[] = {NAN, INFINITY, -INFINITY};
            for (int i = 0; i < 3; i++) {
                float kept = x[v];
                x[v] = bad[i];
                CHECK(!nx_output_finite(&output, x));
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
            CHECK_INT(draw(x, levels, (nx_settings)FILTER(0, 0, 1, 0, 0, 0), sample), best);
            /* a very small temperature, top-k 1 and a very small top-p give the same result as temperature 0 */
            CHECK_INT(draw(x, levels, (nx_settings)FILTER(1e-40f, 0, 1, 0, 0, 0), sample), best);
            CHECK_INT(draw(x, levels, (nx_settings)FILTER(1, 1, 1, 0, 0, 0), sample), best);
            CHECK_INT(draw(x, levels, (nx_settings)FILTER(1, 0, 1e-30f, 0, 0, 0), sample), best);
            /* tests a top_p that is negligible next to the mass of the values that top-k keeps */
            CHECK_INT(draw(x, levels, (nx_settings)FILTER(1, 1, 1e-45f, 0, 0, 0), sample), best);
            CHECK_INT(draw(x, levels, (nx_settings)FILTER(100, 1, 1e-45f, 0, 0, 0), sample), best);
        }
        uint32_t tie = random_below(&random, levels); /* ties go to the lowest value */
        x[tie] = x[best];
        CHECK_INT(draw(x, levels, (nx_settings)FILTER(0, 0, 1, 0, 0, 0), 0), tie < best ? tie : best);
        CHECK_INT(draw(x, levels, (nx_settings)FILTER(1, 1, 1, 0, 0, 0), 0), tie < best ? tie : best);
        CHECK_INT(draw(x, levels, (nx_settings)FILTER(1, 0, 1e-30f, 0, 0, 0), 0), tie < best ? tie : best);
    }
}

/* Compares draws with the definition, the argmax of logit / T + noise. Single precision gives the same result unless two values nearly tie.
 * Half of the distributions are so sharp that no noise is computed for most values. */
static void gumbel_max(void) {
    check_random random = {4};
    int ties = 0;
    for (uint32_t sample = 0; sample < 3000; sample++) {
        size_t mark = memory_mark();
        uint32_t levels = 2 + sample % 255, best = 0, second = 0;
        float *x = logits_of(levels, sample % 2 ? 30 : 2, &random), *g = memory_take(nx_stride(levels) * sizeof *g);
        float temperature = 0.3f + (float)(sample % 7) / 4;
        gumbel(g, (nx_noise){7, 8, sample, 9, 0}, nx_stride(levels));
        double *z = memory_take(levels * sizeof *z);
        for (uint32_t v = 0; v < levels; v++) z[v] = (double)x[v] / (double)temperature + (double)g[v];
        for (uint32_t v = 1; v < levels; v++)
            if (z[v] > z[best]) best = v;
        second = best ? 0 : 1;
        for (uint32_t v = 0; v < levels; v++)
            if (v != best && z[v] > z[second]) second = v;
        check_at("sample %lld of %lld levels", sample, levels, 0, 0);
        uint32_t drawn = draw(x, levels, (nx_settings)FILTER(temperature, 0, 1, 0, 0, 0), sample);
        if (z[best] - z[second] > 1e-4)
            CHECK_INT(drawn, best);
        else
            ties++;
        float *own = memory_copy(x, nx_stride(levels) * sizeof *x);
        CHECK_INT(nx_categorical_draw(own, levels, 0, (nx_noise){7, 8, sample, 9, 0}), draw(x, levels, (nx_settings)FILTER(0, 0, 1, 0, 0, 0), sample));
        CHECK_INT(nx_categorical_draw(own, levels, temperature, (nx_noise){7, 8, sample, 9, 0}), drawn);
        memory_release(mark);
    }
    CHECK(ties < 10);
}

/* If a filter keeps the value that is drawn without the filter, the same value must be drawn with the filter. */
static void filters_couple(void) {
    check_random random = {5};
    double p[256];
    int kept = 0;
    for (uint32_t sample = 0; sample < 1000; sample++) {
        size_t mark = memory_mark();
        uint32_t levels = 2 + random_below(&random, 255);
        float *x = logits_of(levels, 2, &random), temperature = 0.5f + (float)random_unit(&random);
        nx_settings filter = FILTER(temperature, random_below(&random, levels + 2), (float)(0.2 + 0.8 * random_unit(&random)), 0, 0, 0);
        uint32_t free = draw(x, levels, (nx_settings)FILTER(temperature, 0, 1, 0, 0, 0), sample), filtered = draw(x, levels, filter, sample);
        ref_filter(p, x, levels, (double)temperature, filter.top_k, (double)filter.top_p);
        CHECK(p[filtered] > 0);
        if (p[free] > 0) kept++, CHECK_INT(filtered, free);
        memory_release(mark);
    }
    CHECK(kept > 300);
}

/* If the draft of a model has extreme weights, the draft's logits may be NaN. The drawn value must still be a valid level, because it is
 * used as an index into tables. */
static void draws_of_no_numbers(void) {
    static const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 0};
    static const nx_settings filters[] = {FILTER(0, 0, 1, 0, 0, 0), FILTER(1, 0, 1, 0, 0, 0), FILTER(0.5f, 2, 1, 0, 0, 0), FILTER(1, 0, 0.8f, 0, 0, 0), FILTER(1, 3, 0.5f, 0, 0, 0), FILTER(0.5f, 3, 0.5f, 0.5f, 0.5f, 1), FILTER(0, 0, 1, 0.5f, 0, 0)};
    check_random random = {13};
    for (uint32_t run = 0; run < 4000; run++) {
        size_t mark = memory_mark();
        uint32_t levels = run % 2 ? 2 + random_below(&random, 4) : 2 + random_below(&random, 20), choice = random_below(&random, 7);
        float *x = logits_of(levels, 1, &random);
        for (uint32_t v = 0; v < levels; v++) x[v] = bad[choice < 6 && random_below(&random, 3) ? choice : random_below(&random, 6)];
        if (choice == 0 && run % 3) for (uint32_t v = 0; v < levels; v++) x[v] = NAN;
        check_at("run %lld of %lld levels, filter %lld", run, levels, run % 7, 0);
        CHECK(draw(x, levels, filters[run % 7], run) < levels);
        memory_release(mark);
    }
}

/* Tests the margin of the largest value over the second largest. After a draw, the margin in the buffer shows how certain the draw was. */
static void margins(void) {
    static const struct {
        float x[6];
        uint32_t levels, best;
        float margin;
    } rows[] = {
        {{3, -1, 5.5f, 5.25f}, 4, 2, 0.25f}, {{3, -1, 5.5f, 5.25f, 100, 5.5f}, 6, 4, 94.5f}, {{2, 2}, 2, 0, 0}, {{2, 2}, 2, 1, 0}, {{2, -1}, 2, 0, 3},
        {{-2, -INFINITY, -9, -INFINITY}, 4, 0, 7}, {{-INFINITY, -2, -INFINITY}, 3, 1, INFINITY}, /* -INFINITY: a dropped value */
        {{-7, -9, -8, -20, -6.5f}, 5, 4, 0.5f},
    };
    float x[16];
    for (int i = 0; i < 8; i++) {
        for (uint32_t v = 0; v < 16; v++) x[v] = v < rows[i].levels ? rows[i].x[v] : -INFINITY;
        check_at("row %lld", i, 0, 0, 0);
        CHECK(nx_categorical_margin(x, rows[i].levels, rows[i].best) == rows[i].margin);
    }
    x[4] = NAN;
    CHECK(!(nx_categorical_margin(x, 5, 4) >= 0)); /* a NaN must not count as a certain draw */
    check_random random = {12};
    for (uint32_t sample = 0; sample < 300; sample++) {
        size_t mark = memory_mark();
        uint32_t levels = 2 + random_below(&random, 255), stride = nx_stride(levels);
        float *logits = logits_of(levels, 2, &random), *scratch = memory_take(3 * stride * sizeof *scratch), next = -INFINITY;
        nx_settings filter = FILTER(0.5f + (float)random_unit(&random), sample % 3 ? 0 : 1 + sample % 5, sample % 2 ? 1 : 0.9f, 0, 0, 0);
        uint32_t best = nx_categorical_sample(logits, levels, &filter, (nx_noise){7, 8, sample, 9, 0}, scratch);
        for (uint32_t v = 0; v < levels; v++)
            if (v != best) next = fmaxf(next, scratch[v]);
        check_at("sample %lld of %lld levels", sample, levels, 0, 0);
        CHECK(next <= scratch[best] && nx_categorical_margin(scratch, levels, best) == scratch[best] - next);
        memory_release(mark);
    }
}

/* Tests all filters together and each filter alone, with the temperature first or last, for few values and for many. The filters must keep
 * the same values as the reference. This comparison is skipped if a slightly different limit would keep other values. The drawn value must
 * be one of the kept values. If the filters keep the value that is drawn without filters, the filtered draw must give this value too. */
static void filters_by_definition(void) {
    static const uint32_t sizes[] = {2, 5, 16, 200, 256, 257, 1000, 3001};
    check_random random = {15};
    uint32_t checked = 0, dropped = 0, runs = check_every() ? 480 : 240;
    for (uint32_t run = 0; run < runs; run++) {
        size_t mark = memory_mark();
        uint32_t V = sizes[run % 8], way = run / 8 % 6, stride = nx_stride(V);
        float *x = logits_of(V, 0.5 + 2 * random_unit(&random), &random), temperature = 0.3f + 1.4f * (float)random_unit(&random);
        nx_settings filter = FILTER(temperature, 0, 1, 0, 0, run % 2), free = filter, low, high;
        if (way == 0 || way > 3) filter.top_k = 1 + random_below(&random, V);
        if (way == 1 || way > 3) filter.typical_p = 0.1f + 0.85f * (float)random_unit(&random);
        if (way == 2 || way > 3) filter.top_p = 0.1f + 0.85f * (float)random_unit(&random);
        if (way == 3 || way > 4) filter.min_p = 0.3f * (float)random_unit(&random);
        low = high = filter;
        low.typical_p *= 1 - 1e-4f, low.top_p *= filter.top_p < 1 ? 1 - 1e-4f : 1, low.min_p *= 1 + 1e-4f;
        high.typical_p *= 1 + 1e-4f, high.top_p *= filter.top_p < 1 ? 1 + 1e-4f : 1, high.min_p *= 1 - 1e-4f;
        double *p = memory_take(V * sizeof *p), *less = memory_take(V * sizeof *p), *more = memory_take(V * sizeof *p), by = run % 2 ? 1 : (double)temperature;
        ref_chain(p, x, V, &filter), ref_chain(less, x, V, &low), ref_chain(more, x, V, &high);
        int near = 0;
        for (uint32_t v = 0; v < V; v++) near |= (less[v] > 0) != (more[v] > 0);
        float *z = memory_take(stride * sizeof *z), *mass = memory_take(stride * sizeof *z);
        for (uint32_t v = 0; v < stride; v++) z[v] = v < V ? (float)((double)x[v] / by) : -INFINITY;
        CHECK(nx_filters(&filter) && !nx_filters(&free));
        nx_filter_values(z, V, &filter, mass, memory_take(stride * sizeof(uint32_t)));
        check_at("run %lld of %lld values, way %lld", run, V, way, 0);
        for (uint32_t v = 0; !near && v < V; v++) CHECK_INT(z[v] != -INFINITY, p[v] > 0);
        for (uint32_t v = 0; v < V; v++) dropped += p[v] == 0;
        checked += !near;
        for (uint32_t sample = 0; sample < 8; sample++) {
            uint32_t drawn = draw(x, V, filter, sample), without = draw(x, V, free, sample);
            CHECK(z[drawn] != -INFINITY || near);
            if (z[without] != -INFINITY && !near) CHECK_INT(drawn, without);
        }
        memory_release(mark);
    }
    check_note("  %u of %u checked value by value, %u values dropped", (unsigned)checked, (unsigned)runs, (unsigned)dropped);
    CHECK(checked > runs / 8 * 5);
}

/* Tests the filters on a distribution for which each step can be computed by hand. */
static void filters_by_hand(void) {
    static const float p[8] = {0.4f, 0.3f, 0.15f, 0.07f, 0.04f, 0.02f, 0.01f, 0.01f};
    static const struct {
        nx_settings filter;
        uint32_t kept; /* bit v is set if value v is kept */
    } rows[] = {
        {FILTER(1, 3, 1, 0, 0, 1), 0x07},          {FILTER(1, 0, 0.5f, 0, 0, 1), 0x03},        {FILTER(1, 0, 0.71f, 0, 0, 1), 0x07},
        {FILTER(1, 0, 1, 0, 0.3f, 1), 0x07},       {FILTER(1, 2, 0.5f, 0, 0, 1), 0x01},        /* 0.4 and 0.3 become 0.57 and 0.43 */
        {FILTER(1, 0, 0.85f, 0, 0.45f, 1), 0x03},  {FILTER(0.1f, 0, 0.5f, 0, 0, 1), 0x03},     /* the temperature is applied last */
        {FILTER(0.1f, 0, 0.5f, 0, 0, 0), 0x01},    /* the temperature is applied first: the most probable value has nearly all mass */
        /* entropy 1.505 nats. Surprisals: 0.916 (p = 0.4), 1.204 (0.3), 1.897 (0.15), 2.659, ... nats. The surprisal of p = 0.3 is nearest
         * to the entropy (0.30 nats away), then that of 0.15 (0.39 away), then that of 0.4 (0.59 away) */
        {FILTER(1, 0, 1, 0.2f, 0, 1), 0x02},       {FILTER(1, 0, 1, 0.31f, 0, 1), 0x06},       {FILTER(1, 0, 1, 0.46f, 0, 1), 0x07},
        {FILTER(0, 0, 1, 0.2f, 0, 1), 0x02},       /* temperature 0 takes the most probable of the typical values */
    };
    float x[16], mass[16];
    uint32_t heap[16];
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        nx_settings filter = rows[i].filter;
        for (int v = 0; v < 16; v++) x[v] = v < 8 ? logf(p[v]) : -INFINITY;
        uint32_t drawn = draw(x, 8, filter, i);
        check_at("row %lld", i, 0, 0, 0);
        CHECK(rows[i].kept >> drawn & 1);
        for (int v = 0; v < 8; v++) x[v] /= filter.temperature_last ? 1 : filter.temperature;
        nx_filter_values(x, 8, &filter, mass, heap);
        for (uint32_t v = 0; v < 8; v++) CHECK_INT(x[v] != -INFINITY, rows[i].kept >> v & 1);
    }
}

/* Compares nx_penalize() with the formula in penalties.h, in double precision. Also tests extreme values, and biases. */
static void penalties(void) {
    check_random random = {16};
    uint32_t ids[40], counts[50];
    for (uint32_t run = 0; run < 400; run++) {
        uint32_t V = 3 + random_below(&random, 48), count = random_below(&random, 40);
        nx_penalties p = {run % 3 ? 0.5f + (float)random_unit(&random) : 0, (float)random_normal(&random), (float)random_normal(&random),
                          run % 5 ? random_below(&random, 45) : 0};
        float *x = logits_of(V, 2, &random), before[64];
        memcpy(before, x, V * sizeof *x);
        for (uint32_t i = 0; i < count; i++) ids[i] = random_below(&random, V);
        CHECK_INT(nx_penalizes(&p), p.last > 0);
        nx_penalize(x, V, ids, count, &p, counts);
        for (uint32_t v = 0; v < V; v++) {
            int seen = 0;
            double truth = (double)before[v], by = p.repetition > 0 ? (double)p.repetition : 1;
            for (uint32_t i = 0; i < count; i++) seen += count - i <= p.last && ids[i] == v;
            if (seen) truth = (truth > 0 ? truth / by : truth * by) - seen * (double)p.frequency - (double)p.presence;
            check_at("run %lld, value %lld, seen %lld times", run, v, seen, 0);
            CHECK_NEAR((double)x[v], truth, 1e-5 * (1 + fabs(truth)));
            if (!seen) CHECK(x[v] == before[v]);
        }
    }
    static const float absurd[] = {3.4e38f, -3.4e38f, 1e-45f, 0};
    nx_penalties most = {0.01f, -100, -100, UINT32_MAX}, least = {100, 100, 100, UINT32_MAX};
    for (int i = 0; i < 4; i++) { /* values stay finite */
        float *x = logits_of(4, 0, &random);
        for (int v = 0; v < 4; v++) x[v] = absurd[i], ids[v] = (uint32_t)v;
        nx_penalize(x, 4, ids, 4, i % 2 ? &most : &least, counts);
        nx_add_biases(x, ids, (float[]){-1e9f, 1e9f, 0, 1}, 4);
        CHECK(nx_output_finite(&(nx_output){NX_CATEGORICAL, 4, 1, 0}, x));
    }
    float *x = logits_of(6, 1, &random), was = x[1];
    uint32_t biased[] = {2, 4, 2};
    float bias[] = {-1e9f, 0.5f, 3};
    nx_add_biases(x, biased, bias, 3);
    CHECK(x[1] == was && x[2] < -9e8f);
    for (uint32_t s = 0; s < 2000; s++) CHECK(draw(x, 6, (nx_settings)FILTER(100, 0, 1, 0, 0, 0), s) != 2); /* never */
    CHECK(!nx_penalizes(&(nx_penalties){1, 0, 0, 9}) && !nx_penalizes(&(nx_penalties){2, 1, 1, 0}));
}

/* Compares frequencies with probabilities by a chi-squared test. Each value with at least 8 expected draws is a cell; the other values form
 * one cell. */
static void frequencies_of(const float *x, uint32_t levels, nx_settings filter) {
    enum { draws = 20000 };
    double p[256], chi = 0, rest = 0, rest_seen = 0;
    int cells = 0, seen[256] = {0};
    ref_chain(p, x, levels, &filter);
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
    CHECK(chi < ref_chi_squared_limit(cells - 1)); /* by chance, one seed in 1000 exceeds this limit; the seed is fixed */
}

static void frequencies(void) {
    static const nx_settings filters[] = {FILTER(1, 0, 1, 0, 0, 0), FILTER(0.5f, 0, 1, 0, 0, 0), FILTER(2, 0, 1, 0, 0, 0), FILTER(1, 3, 1, 0, 0, 0), FILTER(1, 0, 0.7f, 0, 0, 0), FILTER(0.8f, 5, 0.9f, 0, 0, 0), FILTER(1.5f, 12, 0.5f, 0, 0, 0), FILTER(100, 0, 1, 0, 0, 0),
                                       FILTER(0.7f, 0, 0.8f, 0, 0, 1), FILTER(1.5f, 12, 0.9f, 0.9f, 0.02f, 1), FILTER(0.8f, 0, 1, 0.6f, 0, 0), FILTER(2, 0, 1, 0, 0.1f, 1), FILTER(0.3f, 0, 1, 0.3f, 0, 1)};
    check_random random = {6};
    for (int i = 0; i < 13; i++) {
        check_at("filter %lld", i, 0, 0, 0);
        frequencies_of(logits_of(16, 1.5, &random), 16, filters[i]);
    }
    frequencies_of(logits_of(2, 1, &random), 2, filters[0]);
    frequencies_of(logits_of(256, 1, &random), 256, filters[0]);
    float even[16]; /* all logits are equal, so top-k and top-p keep the lowest values */
    for (int v = 0; v < 16; v++) even[v] = 3;
    frequencies_of(even, 16, (nx_settings)FILTER(1, 4, 1, 0, 0, 0));
    frequencies_of(even, 16, (nx_settings)FILTER(1, 0, 0.4f, 0, 0, 0));
}

/* ---- output distributions ---------------------------------------------------------------------------------------------------- */

static const uint32_t some_levels[] = {2, 3, 4, 5, 16, 17, 255, 256};

/* Returns random parameters in the order that output.h defines: mixture logits, locations, log scales and coefficients. */
static float *parameters_of(const nx_output *o, double far, double least_scale, double most_scale, check_random *random) {
    uint32_t n = nx_output_parameters(o), K = o->kind == NX_DMOL ? o->mixtures : 1, first = o->kind == NX_DMOL ? K : 0;
    float *p = memory_take(n * sizeof *p);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t what = i < first ? 3 : (i - first) / K % (o->elements == 3 ? 3 : 2); /* 0: location, 1: log scale, 2: coefficient, 3: mixture logit */
        double log_scale = least_scale + (most_scale - least_scale) * random_unit(random);
        p[i] = (float)(o->kind < NX_DISCRETE_KINDS || what > 1 ? 2 * random_normal(random) : what == 1 ? log_scale : far * random_normal(random));
    }
    return p;
}

/* Bounds the single-precision error of the log-probability of level v. A location has an error of a few units in its last place. The
 * standardised distance z has an error of e^-s times the error of the location, and a rounding error of its own. For a logistic
 * distribution, the error of the log-mass is the error of z; for a normal distribution, it is |z| times the error of z. The log-mass is
 * also rounded. */
static double output_tolerance(const nx_output *o, const float *p, uint32_t v) {
    uint32_t K = o->kind == NX_DMOL ? o->mixtures : 1, channels = o->elements, stride = channels == 3 ? 3 * K : 2 * K;
    double worst = 0, x = 2.0 * v / (o->values - 1) - 1;
    for (uint32_t c = 0; c < channels; c++)
        for (uint32_t k = 0; k < K && o->kind > NX_BERNOULLI; k++) {
            const float *at = p + (o->kind == NX_DMOL ? K : 0) + c * stride + k;
            double inverse = exp(-fmax((double)at[K], -7)), size = fabs((double)at[0]) + c, z = (fabs(x - (double)at[0]) + c) * inverse;
            double moved = 4 * UNIT * (inverse * (size + 2) + 3 * z);
            worst = fmax(worst, channels * (o->kind == NX_GAUSSIAN ? moved * (z + inverse + 2) : moved));
        }
    /* if a level of a normal distribution is 0.2 standard deviations wide, its mass of 0.08 is the difference of two values near 0.5 */
    return worst + (o->kind == NX_GAUSSIAN ? 6e-6 : 3e-6);
}

/* Computes the reference's log-probabilities twice: with a slightly lower threshold of the rule for small masses (`truth`), and with a
 * slightly higher threshold (`above`). Where the two differ, single precision may take either branch of the rule. */
static void twins(const nx_output *o, const double *wide, const uint32_t *earlier, uint32_t index, double *truth, double *above) {
    ref_least_mass = 1e-5 * (1 - 3e-3);
    ref_output(truth, o, wide, earlier, index);
    ref_least_mass = 1e-5 * (1 + 3e-3);
    ref_output(above, o, wide, earlier, index);
    ref_least_mass = 1e-5;
    double lse = ref_log_sum_exp(truth, o->values), above_lse = ref_log_sum_exp(above, o->values);
    for (uint32_t v = 0; v < o->values; v++) truth[v] -= lse, above[v] -= above_lse;
}

/* For a mixture, the distribution of draws equals the exact masses of the reference, except for the error that output.h states. */
static void mixture_against_twin(const nx_output *o, const float *p, const double *wide, const uint32_t *earlier, uint32_t index) {
    double truth[NX_MAX_LEVELS], above[NX_MAX_LEVELS], actual[NX_MAX_LEVELS];
    float *out = memory_take(nx_stride(o->values) * sizeof *out);
    nx_output_logits(o, p, memory_copy(earlier, index * sizeof *earlier), index, out);
    for (uint32_t v = o->values; v < nx_stride(o->values); v++) CHECK(out[v] == -INFINITY);
    for (uint32_t v = 0; v < o->values; v++) actual[v] = (double)out[v];
    ref_exact_mass = 1;
    twins(o, wide, earlier, index, truth, above);
    ref_exact_mass = 0;
    double lse = ref_log_sum_exp(actual, o->values);
    for (uint32_t v = 0; v < o->values; v++) {
        double is = actual[v] - lse, should = truth[v], tolerance = output_tolerance(o, p, v) + 4 * UNIT * fabs(should);
        if (fabs(above[v] - should) > tolerance / 4) continue;
        CHECK(exp(is) >= exp(should - tolerance) - exp(-27));
        CHECK(is <= log(exp(should + tolerance) + exp(-27)));
    }
}

/* Compares the logits with the reference and, for a mixture, also the nats of every level. Returns the largest difference. A level is not
 * compared if its mass is close to ref_least_mass, because rounding then decides whether the mass is approximated. *near counts these
 * levels. */
static double against_twin(const nx_output *o, const float *p, const uint32_t *earlier, uint32_t index, uint32_t *near) {
    size_t mark = memory_mark();
    uint32_t V = o->values, n = nx_output_parameters(o);
    float *out = memory_take(nx_stride(V) * sizeof *out);
    double wide[NX_MAX_LEVELS], truth[NX_MAX_LEVELS], above[NX_MAX_LEVELS], actual[NX_MAX_LEVELS], worst = 0;
    for (uint32_t i = 0; i < n; i++) wide[i] = (double)p[i];
    if (o->kind == NX_DMOL) {
        mixture_against_twin(o, p, wide, earlier, index);
        uint32_t *levels = memory_take((index + 1) * sizeof *levels);
        memcpy(levels, earlier, index * sizeof *levels);
        for (uint32_t v = 0; v < V; v++) {
            levels[index] = v;
            actual[v] = -(double)nx_output_nats(o, p, levels, index, out);
        }
    } else {
        nx_output_logits(o, p, memory_copy(earlier, index * sizeof *earlier), index, out);
        for (uint32_t v = V; v < nx_stride(V); v++) CHECK(out[v] == -INFINITY);
        for (uint32_t v = 0; v < V; v++) actual[v] = (double)out[v];
    }
    twins(o, wide, earlier, index, truth, above);
    double lse = ref_log_sum_exp(actual, V);
    for (uint32_t v = 0; v < V; v++) {
        double tolerance = output_tolerance(o, p, v);
        if (fabs(above[v] - truth[v]) > tolerance / 4)
            ++*near;
        else {
            worst = fmax(worst, fabs(actual[v] - lse - truth[v]));
            CHECK_NEAR(actual[v] - lse, truth[v], tolerance + 4 * UNIT * fabs(truth[v]));
        }
    }
    memory_release(mark);
    return worst;
}

/* Ranges of parameters: likely locations and scales, narrow scales, wide scales, and locations far outside [-1, 1]. */
static const double ranges[][3] = {{1, -4, 0}, {0.7, -8, -6}, {1, 0, 5}, {30, -7, 3}, {1000, -9, 2}, {0.5, 5, 30}};

static void outputs_of(nx_output o, const char *name, check_random *random) {
    for (int r = 0; r < 6; r++) {
        double worst = 0;
        uint32_t near = 0, all = 0;
        for (int run = 0; run < (o.values > 100 ? 5 : 20); run++) {
            size_t mark = memory_mark();
            const float *p = parameters_of(&o, ranges[r][0], ranges[r][1], ranges[r][2], random);
            uint32_t earlier[3];
            for (int c = 0; c < 3; c++) earlier[c] = (random_below(random, 3) ? random_below(random, o.values) : random_below(random, 2) * (o.values - 1));
            check_at("%lld levels, %lld mixtures, range %lld, run %lld", o.values, o.mixtures, r, run);
            for (uint32_t e = 0; e < o.elements; e++, all += o.values) worst = fmax(worst, against_twin(&o, p, earlier, e, &near));
            memory_release(mark);
        }
        if (o.values == 256) check_note("  %s of 256 levels, range %d: within %.3g; %u of %u skipped", name, r, worst, (unsigned)near, (unsigned)all);
        CHECK(10 * near <= all);
        if (o.kind < NX_DISCRETE_KINDS) return; /* discrete kinds do not depend on the range */
    }
}

static void outputs(void) {
    check_random random = {7};
    for (int i = 0; i < 8; i++) {
        uint32_t V = some_levels[i], K = 1 + (uint32_t)i % 3 * 5;
        outputs_of((nx_output){NX_CATEGORICAL, V, 1, 0}, "categorical", &random);
        if (V == 2) outputs_of((nx_output){NX_BERNOULLI, V, 1, 0}, "bernoulli", &random);
        outputs_of((nx_output){NX_LOGISTIC, V, 1, 0}, "logistic", &random);
        outputs_of((nx_output){NX_GAUSSIAN, V, 1, 0}, "gaussian", &random);
        outputs_of((nx_output){NX_DMOL, V, 1, K}, "mixture for grey", &random);
        outputs_of((nx_output){NX_DMOL, V, 3, 1 + (uint32_t)i % 4 * 3}, "mixture for pixels", &random);
    }
    outputs_of((nx_output){NX_DMOL, 256, 3, NX_MAX_MIXTURES}, "mixture of 16", &random);
}

/* The masses of all levels add up to 1 for any location and scale. The rule for small masses replaces the mass of a narrow level by its
 * density times its width. This causes an error of 1.1e-5 for a logistic distribution, and of 2.1e-5 for a normal distribution. */
#define MASS_TOLERANCE 2e-5
#define NORMAL_MASS_TOLERANCE 3e-5

static void masses_sum_to_one(void) {
    check_random random = {8};
    static const nx_output_kind kinds[] = {NX_LOGISTIC, NX_GAUSSIAN, NX_DMOL};
    for (int i = 0; i < 3; i++) {
        double worst = 0;
        for (int run = 0; run < 700; run++) {
            nx_output o = {kinds[i], run % 3 ? 256 : 2 + random_below(&random, 255), kinds[i] == NX_DMOL && run % 2 ? 3 : 1, 1};
            if (kinds[i] == NX_DMOL && run % 5 == 0) o.mixtures = 1 + random_below(&random, NX_MAX_MIXTURES);
            size_t mark = memory_mark();
            float *p = parameters_of(&o, 1, -7, 3, &random), *out = memory_take(nx_stride(o.values) * sizeof *out);
            /* with several components, known channels change the weights of the components */
            uint32_t index = o.mixtures == 1 ? random_below(&random, o.elements) : 0;
            uint32_t earlier[2] = {random_below(&random, o.values), random_below(&random, o.values)};
            double sum = 0, weights = 0, top = -INFINITY;
            nx_output_logits(&o, p, earlier, index, out);
            for (uint32_t v = 0; v < o.values; v++) sum += exp((double)out[v]);
            for (uint32_t k = 0; k < o.mixtures && kinds[i] == NX_DMOL; k++) top = fmax(top, (double)p[k]);
            for (uint32_t k = 0; k < o.mixtures && kinds[i] == NX_DMOL; k++) weights += exp((double)p[k] - top);
            check_at("kind %lld, %lld levels, run %lld", kinds[i], o.values, run, 0);
            sum /= kinds[i] == NX_DMOL ? weights : 1;
            CHECK_NEAR(sum, 1, kinds[i] == NX_GAUSSIAN ? NORMAL_MASS_TOLERANCE : MASS_TOLERANCE);
            worst = fmax(worst, fabs(sum - 1));
            memory_release(mark);
        }
        check_note("  kind %d: 1 within %.3g", (int)kinds[i], worst);
    }
}

/* Finite parameters of any size give finite nats and a distribution from which a value can be drawn. */
static void output_ends(void) {
    static const float absurd[] = {0, 1, -1, 12, -7, -8, 1e3f, -1e4f, 1e4f, 1e6f, -1e10f, 1e19f, -1e30f, 1e38f, 3.4e38f, -3.4e38f, 1e-40f};
    static const nx_output kinds[] = {{NX_LOGISTIC, 256, 1, 0}, {NX_GAUSSIAN, 256, 1, 0}, {NX_GAUSSIAN, 3, 1, 0}, {NX_BERNOULLI, 2, 1, 0},
                                      {NX_DMOL, 256, 1, 2}, {NX_DMOL, 256, 3, 1}, {NX_DMOL, 16, 3, 3}, {NX_DMOL, 2, 3, 2}};
    check_random random = {9};
    for (int i = 0; i < 8; i++)
        for (int run = 0; run < 150; run++) {
            size_t mark = memory_mark();
            const nx_output *o = kinds + i;
            uint32_t n = nx_output_parameters(o), V = o->values;
            float *p = parameters_of(o, 1, -5, 1, &random), *out = memory_take(nx_stride(V) * sizeof *out);
            for (uint32_t changes = 1 + random_below(&random, n); changes; changes--) p[random_below(&random, n)] = absurd[random_below(&random, 17)];
            if (run < 17) p[0] = absurd[run]; /* also tests each extreme parameter alone */
            else if (run < 34 && n > 1) p[1] = absurd[run - 17];
            uint32_t earlier[3];
            CHECK(nx_output_finite(o, p));
            check_at("distribution %lld, run %lld", i, run, 0, 0);
            for (uint32_t e = 0; e < o->elements; e++) {
                nx_output_logits(o, p, earlier, e, out);
                for (uint32_t v = 0; v < V; v++) {
                    float log_p = nx_categorical_log_prob(out, V, v);
                    CHECK(isfinite(out[v]) && isfinite(log_p) && log_p <= 2e-5f);
                }
                uint32_t drawn = draw(out, V, (nx_settings)FILTER(run % 2 ? 1 : 0.5f, 0, run % 3 ? 1 : 0.9f, 0, 0, 0), (uint32_t)run);
                CHECK(drawn < V);
                earlier[e] = (run % 4 ? drawn : run % 8 ? 0 : V - 1);
            }
            for (uint32_t at = 0; at < n; at += 1 + n / 5) {
                static const float bad[] = {NAN, INFINITY, -INFINITY};
                float kept = p[at];
                p[at] = bad[run % 3];
                CHECK(!nx_output_finite(o, p));
                p[at] = kept;
            }
            memory_release(mark);
        }
}

/* If the location is far outside [-1, 1], the lowest or the highest level has all the mass. With the widest scale, each of these two levels
 * has half of the mass. With the narrowest scale, one level has all the mass. */
static void output_certainties(void) {
    float out[256];
    for (int kind = NX_LOGISTIC; kind <= NX_GAUSSIAN; kind++) {
        nx_output o = {(nx_output_kind)kind, 256, 1, 0};
        nx_output_logits(&o, (float[]){40, -3}, NULL, 0, out);
        CHECK(out[255] > -1e-6f && out[254] < -100);
        nx_output_logits(&o, (float[]){-40, -3}, NULL, 0, out);
        CHECK(out[0] > -1e-6f && out[1] < -100);
        nx_output_logits(&o, (float[]){0.2f, 40}, NULL, 0, out);
        CHECK_NEAR((double)out[0], log(0.5), 1e-6);
        CHECK_NEAR((double)out[255], log(0.5), 1e-6);
        CHECK(out[128] < -40);
        for (uint32_t v = 0; v < 256; v += 51) { /* the log scale is clamped to -7, so a level is 8.6 scales wide */
            nx_output_logits(&o, (float[]){2 * (float)v / 255 - 1, -30}, NULL, 0, out);
            check_at("kind %lld, level %lld", kind, v, 0, 0);
            CHECK_NEAR(exp((double)out[v]), kind == NX_LOGISTIC ? tanh(exp(7) / 510) + (v % 255 == 0) * (1 - tanh(exp(7) / 510)) / 2 : 1, 2e-5);
        }
    }
}

/* The nats of a mixture with one component equal the log-masses of a logistic distribution, bit for bit, although the mixture computes only
 * one level. */
static void one_component(void) {
    check_random random = {10};
    for (int i = 0; i < 8; i++)
        for (int run = 0; run < 20; run++) {
            size_t mark = memory_mark();
            uint32_t V = some_levels[i];
            nx_output o = {NX_DMOL, V, 1, 1}, one = {NX_LOGISTIC, V, 1, 0};
            float *p = parameters_of(&o, 1, -7, 1, &random), *sweep = memory_take(nx_stride(V) * sizeof *sweep);
            p[0] = 0;
            nx_output_logits(&one, p + 1, NULL, 0, sweep);
            check_at("%lld levels, run %lld", V, run, 0, 0);
            for (uint32_t v = 0; v < V; v++) CHECK(nx_output_nats(&o, p, &v, 0, NULL) == -sweep[v]);
            memory_release(mark);
        }
}

/* Draws pixels with few levels channel by channel, and compares their frequencies with the probabilities of the reference. */
static void pixels_follow(void) {
    enum { V = 4, cells = V * V * V, draws = 20000 };
    check_random random = {11};
    for (uint32_t K = 1; K <= 4; K++) {
        nx_output o = {NX_DMOL, V, 3, K};
        const float *p = parameters_of(&o, 0.6, -2.5, 0, &random);
        double wide[40], log_p[V], probability[cells], chi = 0, rest = 0, rest_seen = 0;
        float out[16];
        uint32_t seen[cells] = {0}, used = 0;
        for (uint32_t i = 0; i < 10 * K; i++) wide[i] = (double)p[i];
        for (uint32_t cell = 0; cell < cells; cell++) {
            uint32_t pixel[3] = {cell / V / V, cell / V % V, cell % V};
            double total = 0;
            for (uint32_t e = 0; e < 3; e++) {
                ref_output(log_p, &o, wide, pixel, e);
                total += log_p[pixel[e]] - ref_log_sum_exp(log_p, V);
            }
            probability[cell] = exp(total);
        }
        for (uint32_t s = 0; s < draws; s++) {
            uint32_t pixel[3];
            float scratch[48];
            for (uint32_t e = 0; e < 3; e++) {
                nx_output_logits(&o, p, pixel, e, out);
                pixel[e] = nx_categorical_sample(out, V, &(nx_settings)FILTER(1, 0, 1, 0, 0, 0), (nx_noise){5, K, s, e, 0}, scratch);
            }
            seen[(pixel[0] * V + pixel[1]) * V + pixel[2]]++;
        }
        for (uint32_t cell = 0; cell < cells; cell++) {
            double expected = probability[cell] * draws;
            if (expected < 8)
                rest += expected, rest_seen += seen[cell];
            else
                chi += (seen[cell] - expected) * (seen[cell] - expected) / expected, used++;
        }
        if (rest >= 8) chi += (rest_seen - rest) * (rest_seen - rest) / rest, used++;
        check_at("%lld mixtures", K, 0, 0, 0);
        check_note("  %u mixtures, %u cells: chi-squared %.1f, limit %.1f", (unsigned)K, (unsigned)used, chi, ref_chi_squared_limit(used - 1));
        CHECK(used > 10 && chi < ref_chi_squared_limit(used - 1)); /* by chance, one seed in 1000 exceeds this limit; the seed is fixed */
    }
}

const check_test sampling_tests[] = {
    {"Philox known answers", philox},
    {"Gumbel noise matches its definition", gumbel_by_definition},
    {"Gumbel mean, variance and extremes", gumbel_moments},
    {"normal deviates match their definition", normals_by_definition},
    {"normal mean, variance and fourth moment", normals_moments},
    {"noise depends on seed, sample, position", noise_differs},
    {"log-probability", log_prob},
    {"finite logits", finite},
    {"temperature 0, tiny masses, ties", temperature_zero},
    {"a draw is argmax of logit / T + noise", gumbel_max},
    {"filters only remove values", filters_couple},
    {"filters keep the values that their definitions keep", filters_by_definition},
    {"filters by hand", filters_by_hand},
    {"penalties and biases", penalties},
    {"draws from logits that are NaN", draws_of_no_numbers},
    {"margins of draws", margins},
    {"frequencies are probabilities", frequencies},
    {"output distributions match the reference", outputs},
    {"masses of all levels sum to 1", masses_sum_to_one},
    {"absurd parameters", output_ends},
    {"certain outputs", output_certainties},
    {"a mixture of one component is a logistic, bit for bit", one_component},
    {"pixels have the frequencies of their probabilities", pixels_follow},
    {0},
};

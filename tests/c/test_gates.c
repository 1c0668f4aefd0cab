/* SPDX-License-Identifier: MIT  Compares tanh, sigma and their gate with double precision. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kernels/elementary.h"
#include "kernels/gates.h"
#include "kernels/kernels.h"

/* The bounds that elementary.h states. */
#define TANH_RELATIVE 3e-7
#define SIGMOID_RELATIVE 3e-7
#define SWEEP 2003 /* every n-th float; n is prime, so that all low bits occur */

static float from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static uint32_t to_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static float tanh1(float x) { return wasm_f32x4_extract_lane(f32x4_tanh(wasm_f32x4_splat(x)), 0); }
static float sigmoid1(float x) { return wasm_f32x4_extract_lane(f32x4_sigmoid(wasm_f32x4_splat(x)), 0); }
static double sigma(double x) { return 1 / (1 + exp(-x)); }

static void tanh_accuracy(void) {
    double worst = 0;
    for (uint32_t bits = to_bits(1e-30f); bits <= to_bits(100); bits += SWEEP) {
        float x = from_bits(bits), y = tanh1(x);
        worst = fmax(worst, fabs((double)y / tanh((double)x) - 1));
        if (to_bits(tanh1(-x)) != to_bits(-y)) CHECK(0);
    }
    check_note("  largest relative error %.3g", worst);
    CHECK(worst < TANH_RELATIVE);
    CHECK(to_bits(tanh1(0)) == 0 && to_bits(tanh1(-0.0f)) == to_bits(-0.0f));
    CHECK(tanh1(1e30f) == 1 && tanh1(-1e30f) == -1 && tanh1(INFINITY) == 1 && tanh1(-INFINITY) == -1);
    CHECK(isnan(tanh1(NAN)) && isnan(tanh1(-NAN)));
    float x[4] = {-INFINITY, NAN, 0.1f, 3}, y[4]; /* lanes are independent */
    wasm_v128_store(y, f32x4_tanh(wasm_v128_load(x)));
    CHECK(y[0] == -1 && isnan(y[1]) && y[2] == tanh1(0.1f) && y[3] == tanh1(3));
}

static void sigmoid_accuracy(void) {
    double worst = 0;
    for (uint32_t bits = to_bits(1e-30f); bits <= to_bits(87); bits += SWEEP)
        for (int side = 0; side < 2; side++) {
            double x = (double)(side ? -from_bits(bits) : from_bits(bits));
            worst = fmax(worst, fabs((double)sigmoid1((float)x) / sigma(x) - 1));
        }
    check_note("  largest relative error %.3g", worst);
    CHECK(worst < SIGMOID_RELATIVE);
    CHECK(sigmoid1(0) == 0.5f && sigmoid1(100) == 1 && sigmoid1(INFINITY) == 1);
    CHECK(sigmoid1(-INFINITY) == sigmoid1(-87) && sigmoid1(-1e30f) == sigmoid1(-87) && sigmoid1(-87) >= 0x1p-126f);
    CHECK(isnan(sigmoid1(NAN)) && isnan(sigmoid1(-NAN)));
}

/* For each width and number of columns, each column gives the same result as when it is computed alone, and the padding has no effect. */
static void gate(void) {
    check_random random = {31};
    for (uint32_t width = 4; width <= 2 * 16 + 12; width += 4)
        for (uint32_t n = 1; n <= NX_COLUMNS; n += 3) {
            size_t mark = memory_mark();
            uint32_t wide = nx_stride(2 * width), narrow = nx_stride(width);
            float *fg = memory_take((size_t)n * wide * sizeof *fg), *out = memory_take((size_t)n * narrow * sizeof *out);
            for (uint32_t j = 0; j < n; j++)
                for (uint32_t i = 0; i < 2 * width; i++) fg[j * wide + i] = (float)((i % 5 == 0 ? 30 : 2) * random_normal(&random));
            nx_gate(out, fg, width, n);
            check_at("width %lld, %lld columns", width, n, 0, 0);
            for (uint32_t j = 0; j < n; j++) {
                float *alone = memory_take(narrow * sizeof *alone);
                for (uint32_t i = 0; i < width; i++) {
                    double truth = tanh((double)fg[j * wide + i]) * sigma((double)fg[j * wide + width + i]);
                    CHECK_NEAR((double)out[j * narrow + i], truth, 1e-6 * fabs(truth) + 0x1p-125);
                }
                nx_gate(alone, fg + j * wide, width, 1);
                CHECK_FLOATS(alone, out + j * narrow, width);
            }
            memory_release(mark);
        }
}

const check_test gates_tests[] = {
    {"tanh", tanh_accuracy},
    {"sigma", sigmoid_accuracy},
    {"tanh f times sigma g", gate},
    {0},
};

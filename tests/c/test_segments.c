/* SPDX-License-Identifier: MIT
 *
 * Compares the marginals of a chain of bits with a sum over all assignments and with derivatives of log Z. Also tests chains of any length.
 */
#include <math.h>

#include "attention/segments.h"
#include "check.h"
#include "reference.h"

enum { FEW = 8, LONG = 20000 };

static void some(check_random *random, double spread, double *theta, float *rounded, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) theta[i] = (double)(rounded[i] = (float)(spread * random_normal(random)));
}

/* Computes p, shape (n), and log Z as sums over all 2^n assignments. */
static double by_all(double *p, const double *theta, const double *A, uint32_t n) {
    double Z = 0;
    for (uint32_t i = 0; i < n; i++) p[i] = 0;
    for (uint32_t z = 0; z < 1u << n; z++) {
        double exponent = 0;
        for (uint32_t i = 0; i < n; i++) {
            exponent += z >> i & 1 ? theta[i] : 0;
            if (i) exponent += A[2 * (z >> (i - 1) & 1) + (z >> i & 1)];
        }
        Z += exp(exponent);
        for (uint32_t i = 0; i < n; i++) p[i] += z >> i & 1 ? exp(exponent) : 0;
    }
    for (uint32_t i = 0; i < n; i++) p[i] /= Z;
    return log(Z);
}

static void all_assignments(void) {
    check_random random = {1};
    double worst = 0;
    for (uint32_t n = 1; n <= FEW; n++)
        for (int k = 0; k < 60; k++) {
            double theta[FEW], A[4], truth[FEW], twin[FEW];
            float of_theta[FEW + 3] = {0}, of_A[4], p[FEW + 3], scratch[FEW + 3];
            some(&random, 2, theta, of_theta, n), some(&random, 1 + k % 4, A, of_A, 4);
            nx_segments(p, of_theta, of_A, n, scratch);
            CHECK_NEAR(ref_segments(twin, theta, A, n), by_all(truth, theta, A, n), 1e-9);
            for (uint32_t i = 0; i < n; i++) worst = fmax(worst, fabs((double)p[i] - truth[i])), CHECK_NEAR(twin[i], truth[i], 1e-9);
        }
    check_note("  largest error %.3g", worst);
    CHECK(worst < 2e-6);
}

/* d log Z / d theta_i = p(z_i = 1) */
static void slopes_of_log_z(void) {
    check_random random = {2};
    enum { n = 31 };
    double theta[n], A[4], p[n];
    float of_theta[n + 3] = {0}, of_A[4], found[n + 3], scratch[n + 3];
    some(&random, 2, theta, of_theta, n), some(&random, 2, A, of_A, 4);
    nx_segments(found, of_theta, of_A, n, scratch);
    for (uint32_t i = 0; i < n; i++) {
        double here = theta[i], step = 1e-5;
        theta[i] = here + step;
        double up = ref_segments(p, theta, A, n);
        theta[i] = here - step;
        CHECK_NEAR((double)found[i], (up - ref_segments(p, theta, A, n)) / (2 * step), 2e-6);
        theta[i] = here;
    }
}

static void without_transitions(void) {
    check_random random = {3};
    const float A[4] = {0};
    for (uint32_t n = 1; n < 40; n++) {
        double theta[40];
        float of_theta[43] = {0}, p[43], alone[43], scratch[43];
        some(&random, 5, theta, of_theta, n);
        nx_segments(p, of_theta, A, n, scratch), nx_bits(alone, of_theta, n);
        for (uint32_t i = 0; i < n; i++) CHECK_NEAR((double)p[i], 1 / (1 + exp(-theta[i])), 1e-6), CHECK_NEAR((double)alone[i], (double)p[i], 1e-6);
    }
}

/* Long chains and large scores do not overflow. Scores of -infinity, which are placed after the chain, are never read. */
static void any_length(void) {
    check_random random = {4};
    for (int k = 0; k < 6; k++) {
        static double theta[LONG], truth[LONG];
        static float of_theta[LONG + 3], p[LONG + 3], scratch[LONG + 3];
        double A[4];
        float of_A[4], spread = k % 2 ? 80 : 1;
        some(&random, (double)spread, theta, of_theta, LONG), some(&random, k < 4 ? 2 : 40, A, of_A, 4);
        for (uint32_t i = 7; i < LONG; i += 100) theta[i] = -INFINITY, of_theta[i] = -INFINITY;
        nx_segments(p, of_theta, of_A, LONG, scratch);
        CHECK(isfinite(ref_segments(truth, theta, A, LONG)));
        double worst = 0;
        for (uint32_t i = 0; i < LONG; i++) worst = fmax(worst, fabs((double)p[i] - truth[i]));
        check_note("  chain %d: largest error %.3g", k, worst);
        CHECK(worst < 1e-4);
        for (uint32_t i = 7; i < LONG; i += 100) CHECK(p[i] < 1e-30f);
    }
    float of_theta[8] = {0, 1, NAN, 1, 0}, A[4] = {0}, p[8], scratch[8];
    nx_segments(p, of_theta, A, 5, scratch);
    CHECK(isnan(p[2]) && isnan(p[0]) && isnan(p[4]));
}

const check_test segments_tests[] = {
    {"all assignments of up to eight bits", all_assignments},
    {"the derivative of log Z with respect to a score is its marginal", slopes_of_log_z},
    {"without transitions each marginal is sigma(score)", without_transitions},
    {"chains of twenty thousand, scores of any size", any_length},
    {0},
};

/* SPDX-License-Identifier: MIT */
#include "one_sample.h"

#include <math.h>

#include "check.h"

nx_session *one_sample(const nx_model *model, uint32_t length, uint32_t maps) {
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1, .maps = maps};
    nx_shape shape = {.length = length};
    nx_session *session = NULL;
    size_t bytes = 0;
    CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, &shape, &session), NX_OK);
    return session;
}

uint32_t *some_ids(uint32_t n, uint32_t values, uint64_t seed) {
    check_random random = {seed};
    uint32_t *ids = memory_take(n * sizeof *ids);
    for (uint32_t i = 0; i < n; i++) ids[i] = random_below(&random, values);
    return ids;
}

nx_session *check_logits(const nx_model *model, const uint32_t *ids, uint32_t n, uint32_t values, const double *truth, double tolerance,
                         int configuration) {
    float *nats = memory_take(n * sizeof *nats), *at_once = memory_take(n * sizeof *at_once),
          *output = memory_take(values * sizeof *output);
    double worst = 0, squares = 0;
    nx_session *session = one_sample(model, 0, 0);
    for (uint32_t p = 0; p < n; p++) {
        CHECK_INT(nx_session_put(model, session, ids + p, 1, 0, nats + p), NX_OK);
        CHECK_INT(nx_session_output(model, session, 0, output), NX_OK);
        for (uint32_t v = 0; p && v < values; v++) {
            double expected = truth[(p - 1) * values + v];
            worst = fmax(worst, fabs((double)output[v] - expected));
            squares += expected * expected;
        }
        check_at("configuration %lld, position %lld", configuration, p, 0, 0);
        if (!p) CHECK_NEAR((double)nats[0], log(values), 1e-5); /* the first position has no predecessor */
    }
    double deviation = sqrt(squares / ((n - 1) * values));
    check_note("  configuration %d: logits of deviation %.3g within %.3g", configuration, deviation, worst);
    CHECK(worst < deviation * tolerance);
    CHECK_INT(nx_session_put(model, one_sample(model, 0, 0), ids, n, 0, at_once), NX_OK);
    CHECK_FLOATS(at_once, nats, n);
    return session;
}

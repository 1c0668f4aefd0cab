/* SPDX-License-Identifier: MIT
 *
 * Models as a whole: causality, the cache, batches, patterns, labels, agreement with a reference in double precision, and
 * whether samples follow the probabilities that the model states.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kernels/kernels.h"
#include "reference.h"
#include "sampling/categorical.h"
#include "toy.h"

/* ---- runs ------------------------------------------------------------------------------------------------------------------ */

typedef struct {
    const toy_config *config;
    toy *toy;
    nx_model *model;
    uint32_t n, levels, window; /* elements, values per channel */
} subject;

static subject subject_of(const toy_config *c) {
    subject s = {c, toy_build(c, NULL), NULL, c->height * c->width * c->channels, c->levels, 0};
    s.model = toy_open(s.toy);
    if (s.model) {
        nx_info info;
        nx_model_info(s.model, &info);
        s.window = info.window;
    }
    return s;
}

/* Runs a test on every configuration of toy.c. */
static void each(void (*test)(const subject *, check_random *)) {
    const toy_config *list;
    check_random random = {1};
    for (uint32_t i = 0, n = toy_configs(&list, NULL); i < n; i++) {
        size_t mark = memory_mark();
        check_at("configuration %lld", i, 0, 0, 0);
        subject s = subject_of(list + i);
        if (s.model) test(&s, &random);
        memory_release(mark);
    }
}

static uint8_t *random_image(const subject *s, check_random *random) {
    uint8_t *values = memory_take(s->n);
    for (uint32_t i = 0; i < s->n; i++) values[i] = toy_value(random_below(random, s->levels), s->levels);
    return values;
}

/* All elements of an image one at a time, each through the cache: logits (n, V) and nats (n). */
typedef struct {
    float *logits, *nats;
} trail;

static trail trail_of(const subject *s, const uint8_t *values, int32_t label) {
    trail t = {memory_take((size_t)s->n * s->levels * sizeof(float)), memory_take(s->n * sizeof(float))};
    nx_settings settings = toy_settings(1, 0);
    settings.label = label;
    nx_session *session = toy_session(s->model, &settings, NULL);
    for (uint32_t i = 0; session && i < s->n; i++) {
        CHECK_INT(nx_session_prefill(s->model, session, values + i, 1, t.nats + i), NX_OK);
        CHECK_INT(nx_session_logits(s->model, session, 0, t.logits + (size_t)i * s->levels), NX_OK);
    }
    return t;
}

/* ---- one arithmetic, however the calls are made ------------------------------------------------------------------------------ */

static void cached_is_full(const subject *s, check_random *random) {
    const uint8_t *values = random_image(s, random);
    int32_t label = (int32_t)s->config->classes - 1;
    trail t = trail_of(s, values, label);
    nx_settings settings = toy_settings(3, 0);
    settings.label = label;
    float *nats = memory_take(s->n * sizeof *nats), *logits = memory_take(s->levels * sizeof *logits);

    nx_session *session = toy_session(s->model, &settings, NULL); /* all at once */
    CHECK_INT(nx_session_prefill(s->model, session, values, s->n, nats), NX_OK);
    CHECK_INT(nx_session_position(session), s->n);
    CHECK_FLOATS(nats, t.nats, s->n);
    CHECK_INT(nx_session_logits(s->model, session, 2, logits), NX_OK);
    CHECK_FLOATS(logits, t.logits + (size_t)(s->n - 1) * s->levels, s->levels);

    for (uint32_t i = 0; i < s->n; i += 1 + s->n / 20) { /* from the start to i, in passes as large as can be */
        size_t mark = memory_mark();
        session = toy_session(s->model, &settings, NULL);
        CHECK_INT(nx_session_prefill(s->model, session, values, i + 1, nats), NX_OK);
        CHECK_INT(nx_session_logits(s->model, session, 0, logits), NX_OK);
        CHECK_FLOATS(logits, t.logits + (size_t)i * s->levels, s->levels);
        memory_release(mark);
    }
    for (int run = 0; run < 6; run++) { /* in pieces of any size; every other run, some without nats */
        session = toy_session(s->model, &settings, NULL);
        for (uint32_t at = 0; at < s->n;) {
            uint32_t count = random_below(random, s->n - at + 1);
            int silent = run % 2 && random_below(random, 2);
            CHECK_INT(nx_session_prefill(s->model, session, values + at, count, silent ? NULL : nats), NX_OK);
            if (!silent) CHECK_FLOATS(nats, t.nats + at, count);
            if (silent && count) CHECK_INT(nx_session_logits(s->model, session, 0, logits), NX_E_ARGUMENT);
            at += count;
        }
    }
}

/* Steps in pieces; and what was drawn, fed in as known, costs the same nats and has the same logits. */
static void steps_are_prefill(const subject *s, check_random *random) {
    nx_settings settings = toy_settings(1, 17);
    settings.label = (int32_t)s->config->classes - 1;
    uint8_t *values = memory_take(s->n), *again = memory_take(s->n);
    float *nats = memory_take(s->n * sizeof *nats), *nats_again = memory_take(s->n * sizeof *nats), *logits = memory_take(s->levels * sizeof *logits);
    nx_session *session = toy_session(s->model, &settings, NULL);
    CHECK_INT(nx_session_step(s->model, session, s->n, values, nats), NX_OK);
    CHECK_INT(nx_session_position(session), s->n);
    for (uint32_t i = 0; i < s->n; i++) CHECK(values[i] == toy_value(toy_level(values[i], s->levels), s->levels));

    session = toy_session(s->model, &settings, NULL);
    for (uint32_t at = 0; at < s->n;) {
        uint32_t steps = random_below(random, s->n - at + 1);
        CHECK_INT(nx_session_step(s->model, session, steps, again + at, at % 2 ? nats_again + at : NULL), NX_OK);
        if (at % 2) CHECK_FLOATS(nats_again + at, nats + at, steps);
        at += steps;
    }
    CHECK_BYTES(again, values, s->n);

    trail t = trail_of(s, values, settings.label);
    CHECK_FLOATS(nats, t.nats, s->n);
    session = toy_session(s->model, &settings, NULL);
    for (uint32_t i = 0; i < s->n; i++) {
        uint8_t value;
        CHECK_INT(nx_session_step(s->model, session, 1, &value, NULL), NX_OK);
        CHECK_INT(nx_session_logits(s->model, session, 0, logits), NX_OK);
        CHECK_FLOATS(logits, t.logits + (size_t)i * s->levels, s->levels);
    }
    /* a completion whose known part is a beginning of a run goes on as that run did */
    for (uint32_t known = 0; known < s->n; known += 1 + s->n / 7) {
        session = toy_session(s->model, &settings, NULL);
        CHECK_INT(nx_session_prefill(s->model, session, values, known, known % 2 ? nats_again : NULL), NX_OK);
        CHECK_INT(nx_session_step(s->model, session, s->n - known, again + known, nats_again + known), NX_OK);
        CHECK_BYTES(again + known, values + known, s->n - known);
        CHECK_FLOATS(nats_again + known, nats + known, s->n - known);
    }
}

/* B samples together are B runs alone. */
static void batch_is_singles(const subject *s, check_random *random) {
    static const uint32_t sizes[] = {1, 5, 16, 37, 64};
    const uint8_t *known = random_image(s, random);
    uint32_t n_known = s->n / 3, steps = s->n - n_known;
    for (int i = 0; i < 5; i++) {
        uint32_t B = sizes[i];
        size_t mark = memory_mark();
        nx_settings settings = toy_settings(B, 3);
        settings.first_sample = 1000;
        settings.label = (int32_t)s->config->classes - 1;
        settings.temperature = 1.5f;
        settings.top_p = 0.98f;
        uint8_t *values = memory_take(steps * B), *one = memory_take(steps);
        float *nats = memory_take(steps * B * sizeof *nats), *one_nats = memory_take(steps * sizeof *nats);
        float *logits = memory_take(s->levels * sizeof *logits), *one_logits = memory_take(s->levels * sizeof *logits);
        nx_session *session = toy_session(s->model, &settings, NULL);
        CHECK_INT(nx_session_prefill(s->model, session, known, n_known, NULL), NX_OK);
        CHECK_INT(nx_session_step(s->model, session, steps, values, nats), NX_OK);
        int differ = 0;
        for (uint32_t b = 0; b < B; b += 1 + B / 5) {
            settings.samples = 1;
            settings.first_sample = 1000 + b;
            nx_session *single = toy_session(s->model, &settings, NULL);
            CHECK_INT(nx_session_prefill(s->model, single, known, n_known, NULL), NX_OK);
            CHECK_INT(nx_session_step(s->model, single, steps, one, one_nats), NX_OK);
            for (uint32_t t = 0; t < steps; t++) {
                CHECK_INT(values[t * B + b], one[t]);
                CHECK_FLOATS(nats + t * B + b, one_nats + t, 1);
            }
            CHECK_INT(nx_session_logits(s->model, session, b, logits), NX_OK);
            CHECK_INT(nx_session_logits(s->model, single, 0, one_logits), NX_OK);
            CHECK_FLOATS(logits, one_logits, s->levels);
        }
        for (uint32_t at = 0; at < steps * B; at++) differ |= values[at] != values[at / B * B];
        CHECK(B < 16 || differ); /* or the test shows nothing */
        memory_release(mark);
    }
}

/* Element j can only be seen from j + 1 on. */
static void causality(const subject *s, check_random *random) {
    uint8_t *values = random_image(s, random);
    trail before = trail_of(s, values, -1);
    for (uint32_t j = 0; j < s->n; j += 1 + s->n / 30) {
        size_t mark = memory_mark();
        uint8_t kept = values[j];
        uint32_t level = toy_level(kept, s->levels);
        values[j] = toy_value((level + 1 + random_below(random, s->levels - 1)) % s->levels, s->levels);
        trail after = trail_of(s, values, -1);
        check_at("element %lld of %lld", j, s->n, 0, 0);
        CHECK_FLOATS(after.logits, before.logits, (size_t)(j + 1) * s->levels);
        CHECK_FLOATS(after.nats, before.nats, j);
        if (j + 1 < s->n) CHECK(memcmp(after.logits + (j + 1) * s->levels, before.logits + (j + 1) * s->levels, s->levels * sizeof(float)));
        /* all at once, so that the changed element and those before it share a pass */
        nx_settings settings = toy_settings(1, 0);
        nx_session *session = toy_session(s->model, &settings, NULL);
        float *nats = memory_take(s->n * sizeof *nats);
        CHECK_INT(nx_session_prefill(s->model, session, values, s->n, nats), NX_OK);
        CHECK_FLOATS(nats, after.nats, s->n);
        values[j] = kept;
        memory_release(mark);
    }
}

static void cached(void) { each(cached_is_full); }
static void steps(void) { each(steps_are_prefill); }
static void batches(void) { each(batch_is_singles); }
static void causal(void) { each(causality); }

/* ---- patterns and labels ----------------------------------------------------------------------------------------------------- */

static void local_is_full(void) {
    check_random random = {2};
    for (int type = 0; type < 2; type++) {
        toy_config c = {.height = 5, .width = 7, .channels = 1, .levels = 6, .blocks = 3, .d = 32, .inner = 64, .heads = 2, .key_length = 16,
                        .position = TOY_SINUSOIDAL, .type = type ? NX_Q8_0 : NX_F32, .seed = 9};
        subject f = subject_of(&c);
        uint8_t *values = random_image(&f, &random);
        trail expected = trail_of(&f, values, -1);
        float *nats = memory_take(35 * sizeof *nats);
        c.local = 1;
        for (uint32_t l_q = 1; l_q <= 35; l_q++) {
            size_t mark = memory_mark();
            c.query_block = l_q;
            c.memory_block = l_q == 35 ? 0 : 35 - l_q % 2; /* l_q >= n; or a memory that reaches the start */
            subject s = subject_of(&c);
            nx_settings settings = toy_settings(1, 0);
            nx_session *session = toy_session(s.model, &settings, NULL);
            CHECK_INT(nx_session_prefill(s.model, session, values, 35, nats), NX_OK);
            check_at("l_q = %lld", l_q, 0, 0, 0);
            CHECK_FLOATS(nats, expected.nats, 35);
            CHECK_FLOATS(trail_of(&s, values, -1).logits, expected.logits, 35 * 6);
            memory_release(mark);
        }
    }
}

static void labels(void) {
    check_random random = {3};
    const toy_config *list;
    toy_configs(&list, NULL);
    for (uint32_t i = 0; i < 6; i++) {
        toy_config c = list[i];
        if (!c.classes) continue;
        subject with = subject_of(list + i);
        uint8_t *values = random_image(&with, &random);
        trail none = trail_of(&with, values, -1), first = trail_of(&with, values, 0), second = trail_of(&with, values, 1);
        CHECK(memcmp(none.logits, first.logits, c.levels * sizeof(float)) && memcmp(second.logits, first.logits, c.levels * sizeof(float)));
        c.classes = 0;
        subject without = subject_of(&c);
        trail plain = trail_of(&without, values, -1);
        check_at("configuration %lld", i, 0, 0, 0);
        CHECK_FLOATS(none.logits, plain.logits, (size_t)with.n * c.levels);
        nx_settings settings = toy_settings(1, 0);
        size_t bytes;
        settings.label = 0;
        CHECK_INT(nx_session_size(without.model, &settings, &bytes), NX_E_ARGUMENT);
        settings.label = (int32_t)with.config->classes;
        CHECK_INT(nx_session_size(with.model, &settings, &bytes), NX_E_ARGUMENT);
    }
}

/* Known values are any bytes; the model sees the nearest level. */
static void rounding(void) {
    for (uint32_t levels = 2; levels <= 256; levels += levels < 20 ? 1 : 47 - levels % 2) {
        toy_config c = {.height = 16, .width = 16, .channels = 1, .levels = levels, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
                        .position = TOY_SINUSOIDAL, .seed = 4};
        size_t mark = memory_mark();
        subject s = subject_of(&c);
        uint8_t values[256], nearest[256];
        float nats[256], expected[256];
        nx_settings settings = toy_settings(1, 0);
        for (uint32_t v = 0; v < 256; v++) values[v] = (uint8_t)v, nearest[v] = toy_value(toy_level(v, levels), levels);
        for (uint32_t v = 0; v < 256; v++)
            for (uint32_t l = 0; l < levels; l++) /* truly the nearest */
                CHECK(fabs(v - 255.0 * toy_level(v, levels) / (levels - 1)) <= fabs(v - 255.0 * l / (levels - 1)) + 1e-9);
        CHECK_INT(nx_session_prefill(s.model, toy_session(s.model, &settings, NULL), values, 256, nats), NX_OK);
        CHECK_INT(nx_session_prefill(s.model, toy_session(s.model, &settings, NULL), nearest, 256, expected), NX_OK);
        check_at("%lld levels", levels, 0, 0, 0);
        CHECK_FLOATS(nats, expected, 256);
        memory_release(mark);
    }
}

/* ---- against the reference in double precision --------------------------------------------------------------------------------- */

/* Rounding of single precision through at most three layers, for logits of about 1.5 deviation: 3e-6 was measured, see -v. */
#define LOGIT_TOLERANCE 1e-5
#define WEIGHT_TOLERANCE 5e-6 /* of an attention weight */
/* Q8_0: the reference rounds activations too, but one that lies close to the middle between two steps may round the other way there:
 * a step, 1/127 of a block's largest number, in one of many terms, then on through the layers and the later positions. Most logits
 * must be free of that. */
#define Q8_LOGIT_TOLERANCE 0.1
#define Q8_WEIGHT_TOLERANCE 0.02
/* Q8_0 against no rounding of activations at all: what 8-bit activations cost. */
#define Q8_ACTIVATION_COST 0.3

static double difference(const float *a, const double *b, size_t n) {
    double worst = 0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs((double)a[i] - b[i]));
    return worst;
}

static void agrees(const subject *s, check_random *random) {
    int q8 = s->config->type == NX_Q8_0;
    uint32_t n = s->n, rows = s->config->blocks * s->config->heads, exact = 0, all = 0;
    for (int32_t label = -1; label < (int32_t)s->config->classes && label < 2; label++) {
        const uint8_t *values = random_image(s, random);
        uint8_t *levels = memory_take(n);
        for (uint32_t i = 0; i < n; i++) levels[i] = toy_level(values[i], s->levels);
        double *logits = memory_take((size_t)n * s->levels * sizeof *logits), *weights = memory_take((size_t)rows * n * n * sizeof *weights);
        ref_forward(logits, weights, s->toy, levels, label, n, 1);
        trail t = trail_of(s, values, label);
        double worst = difference(t.logits, logits, (size_t)n * s->levels), worst_weight = 0, worst_nats = 0;
        CHECK(worst < (q8 ? Q8_LOGIT_TOLERANCE : LOGIT_TOLERANCE));
        for (uint32_t i = 0; i < n; i++) {
            exact += difference(t.logits + (size_t)i * s->levels, logits + (size_t)i * s->levels, s->levels) < LOGIT_TOLERANCE;
            const double *row = logits + (size_t)i * s->levels;
            worst_nats = fmax(worst_nats, fabs((double)t.nats[i] - (ref_log_sum_exp(row, s->levels) - row[levels[i]])));
        }
        all += n;
        CHECK(worst_nats < (q8 ? 2 * Q8_LOGIT_TOLERANCE : LOGIT_TOLERANCE));

        /* the attention weights of every position */
        nx_settings settings = toy_settings(1, 0);
        settings.label = label;
        settings.trace = 1;
        nx_session *session = toy_session(s->model, &settings, NULL);
        float *seen = memory_take((size_t)rows * s->window * sizeof *seen), *nats = memory_take(n * sizeof *nats);
        for (uint32_t i = 0, from = 99, to = 99; i < n; i++) {
            if (i % 5 == 4) continue; /* sometimes two in a pass: the last one counts */
            uint32_t at = nx_session_position(session);
            CHECK_INT(nx_session_prefill(s->model, session, values + at, i + 1 - at, nats + at), NX_OK);
            if (!CHECK_INT(nx_session_attention(s->model, session, 0, seen, &from, &to), NX_OK)) return;
            if (!CHECK(to == i + 1 && from <= i && to - from <= s->window)) return;
            for (uint32_t r = 0; r < rows; r++) {
                const double *truth = weights + ((size_t)r * n + i) * n;
                const float *row = seen + (size_t)r * (to - from);
                double sum = 0;
                for (uint32_t j = 0; j < n; j++) {
                    if (j < from || j >= to) {
                        CHECK(truth[j] == 0);
                        continue;
                    }
                    sum += (double)row[j - from];
                    worst_weight = fmax(worst_weight, fabs((double)row[j - from] - truth[j]));
                }
                CHECK_NEAR(sum, 1, 1e-6);
            }
        }
        CHECK_FLOATS(nats, t.nats, nx_session_position(session)); /* the trace changes nothing */
        CHECK(worst_weight < (q8 ? Q8_WEIGHT_TOLERANCE : WEIGHT_TOLERANCE));
        check_note("  %s, label %d: logits within %.3g, nats %.3g, attention %.3g", q8 ? "q8_0" : s->config->type ? "f16" : "f32", (int)label,
                   worst, worst_nats, worst_weight);
        if (q8) {
            ref_forward(logits, NULL, s->toy, levels, label, n, 0);
            worst = difference(t.logits, logits, (size_t)n * s->levels);
            check_note("  q8_0 against unrounded activations: logits within %.3g", worst);
            CHECK(worst < Q8_ACTIVATION_COST);
        }
    }
    check_note("  %u of %u positions within %.0e", (unsigned)exact, (unsigned)all, LOGIT_TOLERANCE);
    CHECK(2 * exact > all);
}

static void reference(void) { each(agrees); }

/* The last position of a batch, sample by sample: each has its own trace. */
static void traces_of_samples(void) {
    check_random random = {5};
    const toy_config *list;
    toy_configs(&list, NULL);
    subject s = subject_of(list + 3);
    const uint8_t *known = random_image(&s, &random);
    nx_settings settings = toy_settings(20, 6);
    settings.trace = 1;
    nx_session *batch = toy_session(s.model, &settings, NULL);
    uint32_t steps = 9, rows = s.config->blocks * s.config->heads, from, to;
    uint8_t *values = memory_take(steps * 20);
    float *weights = memory_take((size_t)rows * s.window * sizeof *weights), *alone = memory_take((size_t)rows * s.window * sizeof *alone);
    CHECK_INT(nx_session_prefill(s.model, batch, known, 30, NULL), NX_OK);
    /* before the first step all samples share what the known elements left */
    CHECK_INT(nx_session_attention(s.model, batch, 19, weights, &from, &to), NX_OK);
    CHECK_INT(to, 30);
    CHECK_INT(nx_session_step(s.model, batch, steps, values, NULL), NX_OK);
    settings.samples = 1;
    for (uint32_t b = 0; b < 20; b++) {
        settings.first_sample = b;
        nx_session *single = toy_session(s.model, &settings, NULL);
        CHECK_INT(nx_session_prefill(s.model, single, known, 30, NULL), NX_OK);
        CHECK_INT(nx_session_step(s.model, single, steps, values, NULL), NX_OK);
        CHECK_INT(nx_session_attention(s.model, single, 0, alone, &from, &to), NX_OK);
        CHECK_INT(nx_session_attention(s.model, batch, b, weights, &from, &to), NX_OK);
        CHECK_FLOATS(weights, alone, (size_t)rows * (to - from));
    }
}

/* ---- probability ----------------------------------------------------------------------------------------------------------- */

#define SUM_TOLERANCE 1e-5 /* of the probabilities of all images */

/* The images of a tiny model in an order, the first element counting slowest: their probabilities, and how many. */
static uint32_t all_images(const subject *s, double *probability) {
    uint32_t n_images = 1;
    uint8_t *values = memory_take(s->n);
    float *nats = memory_take(s->n * sizeof *nats);
    nx_settings settings = toy_settings(1, 0);
    for (uint32_t i = 0; i < s->n; i++) n_images *= s->levels;
    for (uint32_t image = 0; image < n_images; image++) {
        size_t mark = memory_mark();
        for (uint32_t i = s->n, rest = image; i-- > 0; rest /= s->levels) values[i] = toy_value(rest % s->levels, s->levels);
        nx_session *session = toy_session(s->model, &settings, NULL);
        CHECK_INT(nx_session_prefill(s->model, session, values, s->n, nats), NX_OK);
        double total = 0;
        for (uint32_t i = 0; i < s->n; i++) total += (double)nats[i];
        probability[image] = exp(-total);
        memory_release(mark);
    }
    return n_images;
}

static const toy_config tiny[] = {
    {.height = 2, .width = 3, .channels = 1, .levels = 2, .blocks = 2, .d = 8, .inner = 8, .heads = 2, .key_length = 4,
     .position = TOY_LEARNED_WHOLE, .sharpness = 1, .seed = 11},
    {.height = 1, .width = 2, .channels = 3, .levels = 3, .blocks = 2, .d = 12, .inner = 8, .heads = 1, .key_length = 8,
     .local = 1, .query_block = 2, .memory_block = 1, .position = TOY_SINUSOIDAL, .sharpness = 0.6f, .seed = 12},
    {.height = 2, .width = 2, .channels = 1, .levels = 4, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .key_length = 32,
     .position = TOY_LEARNED_HALF, .type = NX_Q8_0, .sharpness = 0.7f, .seed = 13},
    {.height = 1, .width = 1, .channels = 1, .levels = 256, .blocks = 1, .d = 16, .inner = 8, .heads = 2, .key_length = 8,
     .position = TOY_SINUSOIDAL, .seed = 14},
};

static void sums_to_one(void) {
    for (int i = 0; i < 4; i++) {
        subject s = subject_of(tiny + i);
        double *probability = memory_take(1000 * sizeof *probability), sum = 0;
        uint32_t n_images = all_images(&s, probability);
        for (uint32_t image = 0; image < n_images; image++) sum += probability[image];
        check_at("model %lld", i, 0, 0, 0);
        check_note("  %u images: 1 %+.3g", (unsigned)n_images, sum - 1);
        CHECK_NEAR(sum, 1, SUM_TOLERANCE);
    }
}

/* Whole images, drawn as a visitor would draw them, against their stated probabilities. */
static void images_follow(void) {
    for (int i = 0; i < 4; i++) {
        enum { batches_drawn = 320, samples = 64 };
        subject s = subject_of(tiny + i);
        double *probability = memory_take(1000 * sizeof *probability), chi = 0, rest = 0, rest_seen = 0, draws = batches_drawn * samples;
        uint32_t n_images = all_images(&s, probability), *seen = memory_take(n_images * sizeof *seen), cells = 0;
        uint8_t *values = memory_take(s.n * samples);
        memset(seen, 0, n_images * sizeof *seen);
        for (uint32_t batch = 0; batch < batches_drawn; batch++) {
            size_t mark = memory_mark();
            nx_settings settings = toy_settings(samples, 2026);
            settings.first_sample = batch * samples;
            nx_session *session = toy_session(s.model, &settings, NULL);
            CHECK_INT(nx_session_step(s.model, session, s.n, values, NULL), NX_OK);
            for (uint32_t b = 0; b < samples; b++) {
                uint32_t image = 0;
                for (uint32_t t = 0; t < s.n; t++) image = image * s.levels + toy_level(values[t * samples + b], s.levels);
                seen[image]++;
            }
            memory_release(mark);
        }
        for (uint32_t image = 0; image < n_images; image++) {
            double expected = probability[image] * draws;
            if (expected < 8) { /* too few for a cell of its own */
                rest += expected, rest_seen += seen[image];
                continue;
            }
            chi += (seen[image] - expected) * (seen[image] - expected) / expected;
            cells++;
        }
        if (rest >= 8) chi += (rest_seen - rest) * (rest_seen - rest) / rest, cells++;
        check_at("model %lld", i, 0, 0, 0);
        check_note("  %u draws, %u cells: chi-squared %.1f, limit %.1f", (unsigned)draws, (unsigned)cells, chi, ref_chi_squared_limit(cells - 1));
        CHECK(cells > 10 && chi < ref_chi_squared_limit(cells - 1)); /* exceeded by chance once in 1000; the seed is fixed */
    }
}

/* One element under temperature and filters, against the filtered distribution of its logits. */
static void filtered_element(void) {
    static const nx_filter filters[] = {{0.7f, 0, 1}, {1, 4, 1}, {1, 0, 0.8f}, {1.4f, 6, 0.7f}};
    check_random random = {7};
    const toy_config *list;
    toy_configs(&list, NULL);
    subject s = subject_of(list + 1);
    const uint8_t *known = random_image(&s, &random);
    for (int f = 0; f < 4; f++) {
        enum { sessions = 320, samples = 64, draws = sessions * samples };
        nx_settings settings = toy_settings(samples, 77);
        settings.temperature = filters[f].temperature;
        settings.top_k = filters[f].top_k;
        settings.top_p = filters[f].top_p;
        uint8_t values[samples];
        float logits[16], nats[samples];
        double p[16], chi = 0, plain[16];
        int cells = 0, seen[16] = {0};
        for (uint32_t batch = 0; batch < sessions; batch++) {
            size_t mark = memory_mark();
            settings.first_sample = batch * samples;
            nx_session *session = toy_session(s.model, &settings, NULL);
            CHECK_INT(nx_session_prefill(s.model, session, known, 9, NULL), NX_OK);
            CHECK_INT(nx_session_step(s.model, session, 1, values, nats), NX_OK);
            CHECK_INT(nx_session_logits(s.model, session, 5, logits), NX_OK);
            for (uint32_t b = 0; b < samples; b++) seen[toy_level(values[b], 16)]++;
            memory_release(mark);
        }
        ref_filter(p, logits, 16, (double)settings.temperature, settings.top_k, (double)settings.top_p);
        ref_filter(plain, logits, 16, 1, 0, 1);
        for (uint32_t b = 0; b < samples; b++) /* nats are of the model's own distribution, whatever the filter */
            CHECK_NEAR((double)nats[b], -log(plain[toy_level(values[b], 16)]), 2e-6);
        check_at("filter %lld", f, 0, 0, 0);
        for (int v = 0; v < 16; v++) {
            CHECK(p[v] > 0 || seen[v] == 0);
            if (p[v] * draws >= 8) chi += (seen[v] - p[v] * draws) * (seen[v] - p[v] * draws) / (p[v] * draws), cells++;
        }
        check_note("  chi-squared %.1f of %d cells, limit %.1f", chi, cells, ref_chi_squared_limit(cells - 1));
        CHECK(cells > 2 && chi < ref_chi_squared_limit(cells - 1));
    }
}

/* A draw is what the categorical sampler makes of the logits and of the noise at (seed, sample, position). */
static void draws_are_the_sampler(const subject *s, check_random *random) {
    (void)random;
    static const nx_filter filters[] = {{0, 0, 1}, {1, 0, 1}, {0.6f, 3, 0.9f}};
    for (int f = 0; f < 3; f++) {
        nx_settings settings = {.seed_low = 1, .seed_high = 2, .samples = 2, .first_sample = 30, .label = -1, .temperature = filters[f].temperature,
                                .top_k = filters[f].top_k, .top_p = filters[f].top_p};
        nx_session *session = toy_session(s->model, &settings, NULL);
        float *logits = memory_take(nx_stride(s->levels) * sizeof *logits), *scratch = memory_take(2 * nx_stride(s->levels) * sizeof *scratch);
        for (uint32_t i = 0; i < s->n; i++) {
            uint8_t values[2];
            float nats[2];
            CHECK_INT(nx_session_step(s->model, session, 1, values, nats), NX_OK);
            for (uint32_t b = 0; b < 2; b++) {
                for (uint32_t v = 0; v < nx_stride(s->levels); v++) logits[v] = -INFINITY;
                CHECK_INT(nx_session_logits(s->model, session, b, logits), NX_OK);
                uint32_t level = nx_categorical_sample(logits, s->levels, filters[f], (nx_noise){1, 2, 30 + b, i}, scratch);
                float expected = -nx_categorical_log_prob(logits, s->levels, level);
                CHECK_INT(values[b], toy_value(level, s->levels));
                CHECK_FLOATS(nats + b, &expected, 1);
            }
        }
    }
}

static void sampler(void) { each(draws_are_the_sampler); }

/* All logits equal: every value is as probable, and temperature 0 takes the lowest. */
static void ties(void) {
    toy_config c = tiny[0];
    c.sharpness = 1e-30f; /* the head's weights vanish against its bias */
    toy *m = toy_build(&c, NULL);
    memcpy(m->bytes + m->length - 8, (float[]){0.25f, 0.25f}, 8); /* output.bias is last */
    subject s = {&c, m, toy_open(m), 6, 2, 6};
    nx_settings settings = toy_settings(3, 1);
    settings.temperature = 0;
    uint8_t values[18], zeros[18] = {0};
    float nats[18];
    CHECK_INT(nx_session_step(s.model, toy_session(s.model, &settings, NULL), 6, values, nats), NX_OK);
    CHECK_BYTES(values, zeros, 18);
    for (int i = 0; i < 18; i++) CHECK_NEAR((double)nats[i], log(2), 2e-7);
}

const check_test model_tests[] = {
    {"a cached step is a full forward pass, bit for bit", cached},
    {"steps are a prefill of what they drew, bit for bit", steps},
    {"a batch is its single runs, bit for bit", batches},
    {"causality, bit for bit", causal},
    {"local is full when the block covers all, bit for bit", local_is_full},
    {"labels", labels},
    {"8-bit values are rounded to levels", rounding},
    {"logits, nats and attention against double precision", reference},
    {"traces of samples", traces_of_samples},
    {"probabilities of all images sum to 1", sums_to_one},
    {"images follow their probabilities", images_follow},
    {"an element follows its filtered distribution", filtered_element},
    {"a draw is the sampler's", sampler},
    {"ties go to the lowest value", ties},
    {0},
};

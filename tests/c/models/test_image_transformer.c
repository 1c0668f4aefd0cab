/* SPDX-License-Identifier: MIT
 *
 * Tests whole models. The models' outputs are compared with a reference in double precision. The frequencies of drawn images are compared
 * with the probabilities that the model assigns to them. Other tests cover causality, the cache, batches, patterns and labels.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kernels/kernels.h"
#include "model.h"
#include "session/draft.h"
#include "reference.h"
#include "sampling/categorical.h"
#include "toy.h"

/* ---- toys ------------------------------------------------------------------------------------------------------------------- */

/* Each toy model has a number. Numbers below DIRECT are indices of toy_configs. DIRECT and DIRECT + 1 identify two super-resolution models
 * (direct.h). SEEDS and higher numbers identify very small models. */
enum { DIRECT = 100, SEEDS = 200 };

static toy_file toy_number(uint32_t number) {
    static const toy_config small[] = {
        {.height = 2, .width = 3, .channels = 1, .levels = 2, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
         .position = TOY_SINUSOIDAL},
        {.height = 3, .width = 4, .channels = 1, .levels = 3, .blocks = 1, .d = 8, .inner = 8, .heads = 2, .key_length = 4,
         .position = TOY_LEARNED_HALF, .classes = 3},
        {.height = 3, .width = 3, .channels = 3, .levels = 4, .blocks = 2, .d = 4, .inner = 8, .heads = 1, .key_length = 8,
         .pattern = NX_LOCAL_1D, .query_block = 4, .memory_block = 5, .position = TOY_LEARNED_WHOLE, .biases = 1},
        {.height = 4, .width = 5, .channels = 1, .levels = 256, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
         .pattern = NX_LOCAL_1D, .query_block = 5, .memory_block = 0, .position = TOY_SINUSOIDAL, .type = NX_F16, .tables = NX_F16},
        {.height = 2, .width = 2, .channels = 1, .levels = 2, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .key_length = 32,
         .position = TOY_SINUSOIDAL, .classes = 1, .type = NX_Q8_0, .tables = NX_Q8_0},
        {.height = 3, .width = 5, .channels = 3, .levels = 5, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
         .pattern = NX_LOCAL_2D, .block_rows = 2, .block_cols = 2, .flange_rows = 1, .flange_cols = 1, .position = TOY_LEARNED_HALF,
         .pre_norm = 1, .palette = 1},
        {.height = 3, .width = 2, .channels = 3, .levels = 256, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
         .position = TOY_SINUSOIDAL, .output = NX_DMOL, .mixtures = 2, .input_height = 1, .input_width = 2, .encoder_blocks = 1},
        {.height = 3, .width = 2, .channels = 1, .levels = 16, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
         .position = TOY_SINUSOIDAL, .output = NX_GAUSSIAN},
        {.height = 2, .width = 4, .channels = 1, .levels = 2, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .key_length = 32,
         .pattern = NX_LOCAL_2D, .block_rows = 1, .block_cols = 2, .flange_rows = 1, .flange_cols = 3, .position = TOY_SINUSOIDAL,
         .output = NX_BERNOULLI, .type = NX_Q4_0},
        {.height = 4, .width = 5, .channels = 1, .levels = 4, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
         .pattern = NX_LOCAL_1D, .query_block = 7, .memory_block = 2, .position = TOY_SINUSOIDAL, .sharpness = 1, .neighbours = 3,
         .hidden = 4, .rank = 2, .peak = 4},
        {.height = 4, .width = 4, .channels = 3, .levels = 3, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .key_length = 32,
         .position = TOY_SINUSOIDAL, .palette = 1, .type = NX_Q8_0, .sharpness = 1, .neighbours = 2, .hidden = 32, .rank = 1,
         .draft_type = NX_Q8_0, .peak = 4},
    };
    const toy_config *configs;
    toy_configs(&configs, NULL);
    const toy *m = number >= SEEDS ? toy_build(small + (number - SEEDS), NULL) : number >= DIRECT ? toy_direct((int)(number - DIRECT), NULL) : toy_build(configs + number, NULL);
    return (toy_file){m->bytes, m->length, m->length};
}

const toy_row image_transformer_toys[] = {
    {"picture, full", TOY_RUN, toy_number, 1, {0}},
    {"picture, local", TOY_RUN, toy_number, 2, {0}},
    {"picture, 2d", TOY_RUN, toy_number, TOY_PALETTE, {0}},
    {"picture, pixels", TOY_RUN | TOY_SHAPED, toy_number, TOY_DMOL, {0}},
    {"picture, palette", TOY_RUN | TOY_SHAPED, toy_number, TOY_DRAFT_PALETTE, {0}},
    {"picture, sr", TOY_RUN, toy_number, TOY_SR_DMOL, {0}},
    {"picture, direct", TOY_RUN, toy_number, DIRECT + 0, {0}},
    {"picture, direct, pixels", TOY_RUN, toy_number, DIRECT + 1, {0}},
    {NULL, TOY_SEED, toy_number, SEEDS + 0, {0}},
    {NULL, TOY_SEED, toy_number, SEEDS + 1, {0}},
    {NULL, TOY_SEED, toy_number, SEEDS + 2, {0}},
    {NULL, TOY_SEED, toy_number, SEEDS + 3, {0}},
    {NULL, TOY_SEED, toy_number, SEEDS + 4, {0}},
    {NULL, TOY_SEED, toy_number, SEEDS + 5, {0}},
    {NULL, TOY_SEED, toy_number, SEEDS + 6, {0}},
    {NULL, TOY_SEED, toy_number, SEEDS + 7, {0}},
    {NULL, TOY_SEED, toy_number, SEEDS + 8, {0}},
    {NULL, TOY_SEED, toy_number, SEEDS + 9, {0}},
    {NULL, TOY_SEED, toy_number, SEEDS + 10, {0}},
    {0},
};

/* ---- runs ------------------------------------------------------------------------------------------------------------------ */

typedef struct {
    const toy_config *config;
    toy *toy;
    nx_model *model;
    nx_output distribution;
    uint32_t n, E, elements, levels, outputs, window; /* n: positions; E: elements per position; elements: n E; levels: V; outputs: P */
} subject;

static subject subject_of(const toy_config *c) {
    subject s = {.config = c, .toy = toy_build(c, NULL), .distribution = toy_output(c), .n = toy_positions(c), .E = toy_elements(c), .levels = c->levels};
    s.model = toy_open(s.toy);
    if (s.model) {
        picture_info info;
        picture_info_of(s.model, &info);
        s.elements = info.elements;
        s.outputs = info.outputs;
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

/* Converts a level to its 8-bit value; the indices of a palette stay unchanged. */
static uint8_t value_of(const subject *s, uint32_t level) { return s->config->palette ? (uint8_t)level : toy_value(level, s->levels); }
static uint8_t level_of(const subject *s, uint32_t value) { return s->config->palette ? (uint8_t)value : toy_level(value, s->levels); }

static uint8_t *random_image(const subject *s, check_random *random) {
    uint8_t *values = memory_take(s->elements);
    for (uint32_t i = 0; i < s->elements; i++) values[i] = value_of(s, random_below(random, s->levels));
    return values;
}

static float *floats(size_t n) { return memory_take(n * sizeof(float)); }

/* The results of a whole image, computed one position at a time through the cache: outputs of shape (n, P) and nats of shape (n, E). */
typedef struct {
    float *outputs, *nats;
} trail;

static trail trail_of(const subject *s, const uint8_t *values, int32_t label) {
    trail t = {floats((size_t)s->n * s->outputs), floats(s->elements)};
    picture_settings settings = toy_settings(1, 0);
    settings.label = label;
    nx_session *session = toy_session(s->model, &settings, NULL);
    for (uint32_t i = 0; session && i < s->n; i++) {
        CHECK_INT(picture_prefill(s->model, session, values + i * s->E, 1, t.nats + i * s->E), NX_OK);
        CHECK_INT(nx_session_output(s->model, session, 0, t.outputs + (size_t)i * s->outputs), NX_OK);
    }
    return t;
}

/* ---- results do not depend on how positions are divided into calls -------------------------------------------------------- */

static void cached_is_full(const subject *s, check_random *random) {
    const uint8_t *values = random_image(s, random);
    int32_t label = (int32_t)s->config->classes - 1;
    trail t = trail_of(s, values, label);
    picture_settings settings = toy_settings(3, 0);
    settings.label = label;
    float *nats = floats(s->elements), *output = floats(s->outputs);

    nx_session *session = toy_session(s->model, &settings, NULL); /* computes all positions in one call */
    CHECK_INT(picture_prefill(s->model, session, values, s->n, nats), NX_OK);
    CHECK_INT(nx_session_position(session), s->n);
    CHECK_FLOATS(nats, t.nats, s->elements);
    CHECK_INT(nx_session_output(s->model, session, 2, output), NX_OK);
    CHECK_FLOATS(output, t.outputs + (size_t)(s->n - 1) * s->outputs, s->outputs);

    for (uint32_t i = 0; i < s->n; i += 1 + s->n / 20) { /* computes the positions from the start to i in one call */
        size_t mark = memory_mark();
        session = toy_session(s->model, &settings, NULL);
        CHECK_INT(picture_prefill(s->model, session, values, i + 1, nats), NX_OK);
        CHECK_INT(nx_session_output(s->model, session, 0, output), NX_OK);
        CHECK_FLOATS(output, t.outputs + (size_t)i * s->outputs, s->outputs);
        memory_release(mark);
    }
    for (int run = 0; run < 6; run++) { /* calls of random sizes; every other run has some calls without nats */
        session = toy_session(s->model, &settings, NULL);
        for (uint32_t at = 0; at < s->n;) {
            uint32_t count = random_below(random, s->n - at + 1);
            int silent = run % 2 && random_below(random, 2);
            CHECK_INT(picture_prefill(s->model, session, values + at * s->E, count, silent ? NULL : nats), NX_OK);
            if (!silent) CHECK_FLOATS(nats, t.nats + at * s->E, count * s->E);
            if (silent && count) CHECK_INT(nx_session_output(s->model, session, 0, output), NX_E_ARGUMENT);
            at += count;
        }
    }
}

/* Draws values in several calls, and gives them to a second run as known values. Both runs must have the same nats and the same output. */
static void steps_are_prefill(const subject *s, check_random *random) {
    picture_settings settings = toy_settings(1, 17);
    settings.label = (int32_t)s->config->classes - 1;
    uint8_t *values = memory_take(s->elements), *again = memory_take(s->elements);
    float *nats = floats(s->elements), *nats_again = floats(s->elements), *output = floats(s->outputs);
    uint32_t E = s->E;
    nx_session *session = toy_session(s->model, &settings, NULL);
    CHECK_INT(picture_step(s->model, session, s->n, values, nats), NX_OK);
    CHECK_INT(nx_session_position(session), s->n);
    for (uint32_t i = 0; i < s->elements; i++) CHECK(values[i] == value_of(s, level_of(s, values[i])));

    session = toy_session(s->model, &settings, NULL);
    for (uint32_t at = 0; at < s->n;) {
        uint32_t steps = random_below(random, s->n - at + 1);
        CHECK_INT(picture_step(s->model, session, steps, again + at * E, at % 2 ? nats_again + at * E : NULL), NX_OK);
        if (at % 2) CHECK_FLOATS(nats_again + at * E, nats + at * E, steps * E);
        at += steps;
    }
    CHECK_BYTES(again, values, s->elements);

    trail t = trail_of(s, values, settings.label);
    CHECK_FLOATS(nats, t.nats, s->elements);
    session = toy_session(s->model, &settings, NULL);
    for (uint32_t i = 0; i < s->n; i++) {
        uint8_t value[3];
        CHECK_INT(picture_step(s->model, session, 1, value, NULL), NX_OK);
        CHECK_INT(nx_session_output(s->model, session, 0, output), NX_OK);
        CHECK_FLOATS(output, t.outputs + (size_t)i * s->outputs, s->outputs);
    }
    /* a run whose known values are the beginning of the first run must draw the rest of the first run */
    for (uint32_t known = 0; known < s->n; known += 1 + s->n / 7) {
        uint32_t left = s->n - known;
        session = toy_session(s->model, &settings, NULL);
        CHECK_INT(picture_prefill(s->model, session, values, known, known % 2 ? nats_again : NULL), NX_OK);
        CHECK_INT(picture_step(s->model, session, left, again + known * E, nats_again + known * E), NX_OK);
        CHECK_BYTES(again + known * E, values + known * E, left * E);
        CHECK_FLOATS(nats_again + known * E, nats + known * E, left * E);
    }
}

/* B samples that are drawn together equal the samples of B separate runs. */
static void batch_is_singles(const subject *s, check_random *random) {
    static const uint32_t sizes[] = {1, 5, 16, 37, 64};
    const uint8_t *known = random_image(s, random);
    uint32_t n_known = s->n / 3, steps = s->n - n_known, E = s->E;
    for (int i = 0; i < 5; i++) {
        uint32_t B = sizes[i];
        size_t mark = memory_mark();
        picture_settings settings = toy_settings(B, 3);
        settings.first_sample = 1000;
        settings.label = (int32_t)s->config->classes - 1;
        settings.temperature = 1.5f;
        settings.top_k = s->levels == 256 ? 20 : 0; /* with top-p alone, each draw would sort all levels */
        settings.top_p = 0.98f;
        uint8_t *values = memory_take(steps * B * E), *one = memory_take(steps * E);
        float *nats = floats(steps * B * E), *one_nats = floats(steps * E), *output = floats(s->outputs), *one_output = floats(s->outputs);
        nx_session *session = toy_session(s->model, &settings, NULL);
        CHECK_INT(picture_prefill(s->model, session, known, n_known, NULL), NX_OK);
        CHECK_INT(picture_step(s->model, session, steps, values, nats), NX_OK);
        int differ = 0;
        for (uint32_t b = 0; b < B; b += 1 + B / 5) {
            settings.samples = 1;
            settings.first_sample = 1000 + b;
            nx_session *single = toy_session(s->model, &settings, NULL);
            CHECK_INT(picture_prefill(s->model, single, known, n_known, NULL), NX_OK);
            CHECK_INT(picture_step(s->model, single, steps, one, one_nats), NX_OK);
            for (uint32_t t = 0; t < steps; t++) {
                CHECK_BYTES(values + (t * B + b) * E, one + t * E, E);
                CHECK_FLOATS(nats + (t * B + b) * E, one_nats + t * E, E);
            }
            CHECK_INT(nx_session_output(s->model, session, b, output), NX_OK);
            CHECK_INT(nx_session_output(s->model, single, 0, one_output), NX_OK);
            CHECK_FLOATS(output, one_output, s->outputs);
        }
        for (uint32_t at = 0; at < steps * B; at++) differ |= values[at * E] != values[at / B * B * E];
        CHECK(B < 16 || differ); /* if all samples were equal, the test would prove nothing */
        memory_release(mark);
    }
}

/* An element at position j affects only the output parameters of later positions (in generation order). Within a position, an element
 * changes the distribution of the later elements, but not the position's output parameters. */
static void causality(const subject *s, check_random *random) {
    uint8_t *values = random_image(s, random);
    trail before = trail_of(s, values, -1);
    uint32_t P = s->outputs;
    for (uint32_t j = 0; j < s->n; j += 1 + s->n / 30) {
        size_t mark = memory_mark();
        uint32_t at = j * s->E + random_below(random, s->E);
        uint8_t kept = values[at];
        values[at] = value_of(s, (level_of(s, kept) + 1 + random_below(random, s->levels - 1)) % s->levels);
        trail after = trail_of(s, values, -1);
        check_at("position %lld of %lld, element %lld", j, s->n, at, 0);
        CHECK_FLOATS(after.outputs, before.outputs, (size_t)(j + 1) * P);
        CHECK_FLOATS(after.nats, before.nats, at);
        if (j + 1 < s->n) CHECK(memcmp(after.outputs + (j + 1) * P, before.outputs + (j + 1) * P, P * sizeof(float)));
        /* computes all positions in one call, so that the changed element and the elements before it share a pass */
        picture_settings settings = toy_settings(1, 0);
        nx_session *session = toy_session(s->model, &settings, NULL);
        float *nats = floats(s->elements);
        CHECK_INT(picture_prefill(s->model, session, values, s->n, nats), NX_OK);
        CHECK_FLOATS(nats, after.nats, s->elements);
        values[at] = kept;
        memory_release(mark);
    }
}

static void cached(void) { each(cached_is_full); }
static void steps(void) { each(steps_are_prefill); }
static void batches(void) { each(batch_is_singles); }
static void causal(void) { each(causality); }

/* Tolerance for the single-precision error after at most three layers, for logits with a standard deviation of about 1.5. The measured
 * error was 3e-6 (see -v). */
#define LOGIT_TOLERANCE 1e-5

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
        c.pattern = NX_LOCAL_1D;
        for (uint32_t l_q = 1; l_q <= 35; l_q++) {
            size_t mark = memory_mark();
            c.query_block = l_q;
            c.memory_block = l_q == 35 ? 0 : 35 - l_q % 2; /* either l_q >= n, or the memory block reaches back to the start */
            subject s = subject_of(&c);
            picture_settings settings = toy_settings(1, 0);
            nx_session *session = toy_session(s.model, &settings, NULL);
            CHECK_INT(picture_prefill(s.model, session, values, 35, nats), NX_OK);
            check_at("l_q = %lld", l_q, 0, 0, 0);
            CHECK_FLOATS(nats, expected.nats, 35);
            CHECK_FLOATS(trail_of(&s, values, -1).outputs, expected.outputs, 35 * 6);
            memory_release(mark);
        }
    }
}

static void reopen(subject *s) { s->model = toy_open(s->toy); }

/* Makes all position embeddings equal. Positions then affect the model only through the generation order and the attention pattern. */
static void forget_places(subject *s) {
    static const char *const names[] = {"position_row.weight", "position_col.weight"};
    for (int i = 0; i < 2; i++) {
        const toy_tensor *t = toy_find(s->toy, names[i]);
        memset(toy_inside(s->toy, names[i]), 0, (size_t)t->rows * t->cols * sizeof(float));
    }
    reopen(s);
}

/* The queries of a block also see the flange, which is a margin around the block. If the flange covers the whole image, local 2D attention
 * equals full causal attention in the order of the blocks. This holds for any block size. */
static void grid_is_full(void) {
    static const int which[] = {1, TOY_PALETTE, TOY_DMOL, TOY_SR_DMOL, TOY_SR_PALETTE};
    check_random random = {8};
    const toy_config *list;
    toy_configs(&list, NULL);
    for (int i = 0; i < 5; i++) {
        toy_config c = list[which[i]];
        c.pattern = NX_FULL_CAUSAL;
        subject f = subject_of(&c);
        forget_places(&f);
        const uint8_t *values = random_image(&f, &random);
        trail expected = trail_of(&f, values, 0 < c.classes ? 0 : -1);
        c.pattern = NX_LOCAL_2D;
        c.flange_rows = c.height, c.flange_cols = toy_cols(&c);
        for (int run = 0; run < 12; run++) {
            size_t mark = memory_mark();
            c.block_rows = 1 + random_below(&random, c.height);
            c.block_cols = 1 + random_below(&random, toy_cols(&c));
            subject s = subject_of(&c);
            forget_places(&s);
            trail t = trail_of(&s, values, 0 < c.classes ? 0 : -1);
            check_at("configuration %lld, blocks of %lld x %lld", which[i], c.block_rows, c.block_cols, 0);
            CHECK_FLOATS(t.outputs, expected.outputs, (size_t)s.n * s.outputs);
            CHECK_FLOATS(t.nats, expected.nats, s.elements);
            memory_release(mark);
        }
    }
}

/* If blocks are one column wide, the generation order traverses the image column by column. If the two position tables are exchanged, the
 * transposed image in raster order must give the same result. */
static void grid_is_transposed(void) {
    check_random random = {9};
    toy_config c = {.height = 5, .width = 7, .channels = 1, .levels = 6, .blocks = 2, .d = 16, .inner = 24, .heads = 2, .key_length = 8,
                    .position = TOY_LEARNED_WHOLE, .seed = 20}, across = c;
    c.pattern = NX_LOCAL_2D;
    c.block_rows = c.flange_rows = 5, c.block_cols = 1, c.flange_cols = 7;
    across.height = 7, across.width = 5;
    subject s = subject_of(&c), t = subject_of(&across);
    memcpy(toy_inside(t.toy, "position_row.weight"), toy_inside(s.toy, "position_col.weight"), 7 * 16 * sizeof(float));
    memcpy(toy_inside(t.toy, "position_col.weight"), toy_inside(s.toy, "position_row.weight"), 5 * 16 * sizeof(float));
    reopen(&t);
    const uint8_t *values = random_image(&s, &random);
    trail a = trail_of(&s, values, -1), b = trail_of(&t, values, -1);
    CHECK_FLOATS(a.outputs, b.outputs, (size_t)s.n * s.outputs);
    CHECK_FLOATS(a.nats, b.nats, s.elements);
    uint32_t raster[35];
    picture_order(s.model, raster);
    for (uint32_t i = 0; i < 35; i++) CHECK_INT(raster[i], i % 5 * 7 + i / 5);
}

/* ---- super-resolution -------------------------------------------------------------------------------------------------------- */

/* Computes the outputs, of shape (n, P), for the image `values`, given the small image `input`. */
static float *given(const subject *s, const uint8_t *values, const uint8_t *input, uint32_t count) {
    picture_settings settings = toy_settings(1, 0);
    nx_session *session = toy_bare_session(s->model, &settings, NULL);
    float *outputs = floats((size_t)s->n * s->outputs), nats[3];
    CHECK_INT(picture_condition(s->model, session, input, count), NX_OK);
    for (uint32_t i = 0; i < s->n; i++) {
        CHECK_INT(picture_prefill(s->model, session, values + i * s->E, 1, nats), NX_OK);
        CHECK_INT(nx_session_output(s->model, session, 0, outputs + (size_t)i * s->outputs), NX_OK);
    }
    return outputs;
}

static double apart(const float *a, const float *b, size_t n) {
    double worst = 0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    return worst;
}

/* Every position sees every pixel of the small image. Without position embeddings, the order of the pixels makes no difference. */
static void small_image(void) {
    static const int which[] = {TOY_SR_DMOL, TOY_SR_PALETTE};
    check_random random = {10};
    const toy_config *list;
    toy_configs(&list, NULL);
    for (int i = 0; i < 2; i++) {
        subject s = subject_of(list + which[i]);
        picture_info info;
        uint8_t *input;
        picture_info_of(s.model, &info);
        const uint8_t *values = random_image(&s, &random);
        uint32_t count = toy_input(&info, &input), channels = info.channels, pixels = count / channels;
        size_t all = (size_t)s.n * s.outputs;
        const float *plain = given(&s, values, input, count);
        check_at("configuration %lld", which[i], 0, 0, 0);
        CHECK_FLOATS(given(&s, values, input, count), plain, all);
        for (uint32_t at = 0; at < count; at++) {
            uint8_t *other = memory_copy(input, count);
            other[at] = (uint8_t)(other[at] + 100);
            const float *changed = given(&s, values, other, count);
            for (uint32_t p = 0; p < s.n; p++) CHECK(apart(changed + p * s.outputs, plain + p * s.outputs, s.outputs) > 0);
        }
        uint8_t *shuffled = memory_copy(input, count);
        for (uint32_t p = pixels - 1; p > 0; p--)
            for (uint32_t c = 0, q = random_below(&random, p); c < channels; c++) { /* a permutation in which no pixel keeps its position */
                uint8_t kept = shuffled[p * channels + c];
                shuffled[p * channels + c] = shuffled[q * channels + c];
                shuffled[q * channels + c] = kept;
            }
        CHECK(apart(given(&s, values, shuffled, count), plain, all) > 1e-3);
        static const char *const tables[] = {"enc.position_row.weight", "enc.position_col.weight"};
        for (int t = 0; t < 2; t++) {
            const toy_tensor *table = toy_find(s.toy, tables[t]);
            memset(toy_inside(s.toy, tables[t]), 0, (size_t)table->rows * table->cols * sizeof(float));
        }
        reopen(&s);
        double worst = apart(given(&s, values, shuffled, count), given(&s, values, input, count), all);
        check_note("  without places: within %.3g", worst);
        CHECK(worst < LOGIT_TOLERANCE);
    }
}

/* Copies of a run share its encoded small image. A different image needs a new run. */
static void conditioned_runs(void) {
    const toy_config *list;
    toy_configs(&list, NULL);
    subject s = subject_of(list + TOY_SR_PALETTE);
    picture_settings settings = toy_settings(20, 4);
    uint8_t *first = memory_take(20 * s.elements), *second = memory_take(20 * s.elements), input[18] = {0};
    CHECK_INT(picture_step(s.model, toy_session(s.model, &settings, NULL), s.n, first, NULL), NX_OK);
    nx_session *session = toy_bare_session(s.model, &settings, NULL);
    CHECK_INT(picture_condition(s.model, session, input, 18), NX_OK);
    CHECK_INT(picture_step(s.model, session, s.n, second, NULL), NX_OK);
    CHECK(memcmp(first, second, 20 * s.elements));
}

static void labels(void) {
    check_random random = {3};
    const toy_config *list;
    for (uint32_t i = 0, n = toy_configs(&list, NULL); i < n; i++) {
        toy_config c = list[i];
        if (!c.classes) continue;
        subject with = subject_of(list + i);
        uint8_t *values = random_image(&with, &random);
        trail none = trail_of(&with, values, -1), first = trail_of(&with, values, 0), second = trail_of(&with, values, 1);
        CHECK(memcmp(none.outputs, first.outputs, with.outputs * sizeof(float)));
        CHECK(memcmp(second.outputs, first.outputs, with.outputs * sizeof(float)));
        c.classes = 0;
        subject without = subject_of(&c);
        trail plain = trail_of(&without, values, -1);
        check_at("configuration %lld", i, 0, 0, 0);
        CHECK_FLOATS(none.outputs, plain.outputs, (size_t)with.n * with.outputs);
        picture_settings settings = toy_settings(1, 0);
        size_t bytes;
        settings.label = 0;
        CHECK_INT(picture_size(without.model, &settings, &bytes), NX_E_ARGUMENT);
        settings.label = (int32_t)with.config->classes;
        CHECK_INT(picture_size(with.model, &settings, &bytes), NX_E_ARGUMENT);
    }
}

/* A known value may be any byte. The model rounds the byte to the nearest level. */
static void rounding(void) {
    for (uint32_t levels = 2; levels <= 256; levels += levels < 20 ? 1 : 47 - levels % 2) {
        toy_config c = {.height = 16, .width = 16, .channels = 1, .levels = levels, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
                        .position = TOY_SINUSOIDAL, .seed = 4};
        size_t mark = memory_mark();
        subject s = subject_of(&c);
        uint8_t values[256], nearest[256];
        float nats[256], expected[256];
        picture_settings settings = toy_settings(1, 0);
        for (uint32_t v = 0; v < 256; v++) values[v] = (uint8_t)v, nearest[v] = toy_value(toy_level(v, levels), levels);
        for (uint32_t v = 0; v < 256; v++)
            for (uint32_t l = 0; l < levels; l++) /* checks that this level is the nearest */
                CHECK(fabs(v - 255.0 * toy_level(v, levels) / (levels - 1)) <= fabs(v - 255.0 * l / (levels - 1)) + 1e-9);
        CHECK_INT(picture_prefill(s.model, toy_session(s.model, &settings, NULL), values, 256, nats), NX_OK);
        CHECK_INT(picture_prefill(s.model, toy_session(s.model, &settings, NULL), nearest, 256, expected), NX_OK);
        check_at("%lld levels", levels, 0, 0, 0);
        CHECK_FLOATS(nats, expected, 256);
        memory_release(mark);
    }
}

/* ---- compared with the reference in double precision ----------------------------------------------------------------------------- */

#define WEIGHT_TOLERANCE 5e-6 /* tolerance for an attention weight */
/* For quantised weights, the reference rounds like the library, but numbers close to the midpoint of two steps may be rounded in the other
 * direction. The difference is one step: 1/127 or 1/63 of the largest value in a block or head. It propagates through the layers and to
 * later positions. */
#define Q8_LOGIT_TOLERANCE 0.1
#define Q8_WEIGHT_TOLERANCE 0.02
/* Tolerance for the difference from a computation without rounding. */
#define Q8_ACTIVATION_COST 0.3

static double difference(const float *a, const double *b, size_t n) {
    double worst = 0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs((double)a[i] - b[i]));
    return worst;
}

static double mean_difference(const float *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fabs((double)a[i] - b[i]) / (double)n;
    return sum;
}

static int is_quantised(const subject *s) { return s->config->type == NX_Q8_0 || s->config->type == NX_Q4_0; }

/* Computes -log p of a position's E levels with the reference distribution, and returns the largest difference from `nats`. For a
 * discretised density with log scale s, an error of x in the location changes the nats by e^-s x, which can be large. The difference is
 * therefore divided by 1 + nats. */
static double nats_difference(const subject *s, const double *output, const uint32_t *levels, const float *nats) {
    double log_p[NX_MAX_LEVELS], worst = 0;
    for (uint32_t e = 0; e < s->E; e++) {
        ref_output(log_p, &s->distribution, output, levels, e);
        double truth = ref_log_sum_exp(log_p, s->levels) - log_p[levels[e]];
        worst = fmax(worst, fabs((double)nats[e] - truth) / (s->distribution.kind > NX_BERNOULLI ? 1 + truth : 1));
    }
    return worst;
}

static void agrees(const subject *s, check_random *random) {
    int q8 = is_quantised(s);
    uint32_t n = s->n, P = s->outputs, rows = s->config->blocks * s->config->heads, exact = 0, all = 0;
    uint32_t *raster = memory_take(n * sizeof *raster);
    nx_pattern pattern = toy_pattern(s->config);
    picture_info info;
    uint8_t *input;
    picture_info_of(s->model, &info);
    toy_input(&info, &input);
    ref_order(&pattern, raster);
    for (int32_t label = -1; label < (int32_t)s->config->classes && label < 2; label++) {
        const uint8_t *values = random_image(s, random);
        uint32_t *levels = memory_take(s->elements * sizeof *levels);
        for (uint32_t i = 0; i < s->elements; i++) levels[i] = level_of(s, values[i]);
        double *outputs = memory_take((size_t)n * P * sizeof *outputs), *weights = memory_take((size_t)rows * n * n * sizeof *weights);
        double *own = memory_take(P * sizeof *own), worst_nats = 0, worst_own = 0, worst_weight = 0;
        ref_forward(outputs, weights, s->toy, levels, input, label, n, 1);
        trail t = trail_of(s, values, label);
        double worst = difference(t.outputs, outputs, (size_t)n * P);
        CHECK(worst < (q8 ? Q8_LOGIT_TOLERANCE : LOGIT_TOLERANCE));
        for (uint32_t i = 0; i < n; i++) {
            const float *row = t.outputs + (size_t)i * P;
            exact += difference(row, outputs + (size_t)i * P, P) < LOGIT_TOLERANCE;
            for (uint32_t p = 0; p < P; p++) own[p] = (double)row[p];
            worst_nats = fmax(worst_nats, nats_difference(s, outputs + (size_t)i * P, levels + i * s->E, t.nats + i * s->E));
            worst_own = fmax(worst_own, nats_difference(s, own, levels + i * s->E, t.nats + i * s->E));
        }
        all += n;
        CHECK(worst_nats < (q8 ? 2 * Q8_LOGIT_TOLERANCE : LOGIT_TOLERANCE));
        CHECK(worst_own < LOGIT_TOLERANCE);

        /* the run keeps the attention weights of every position */
        picture_settings settings = toy_settings(1, 0);
        settings.label = label;
        settings.maps = 1;
        nx_session *session = toy_session(s->model, &settings, NULL);
        float *seen = floats((size_t)rows * s->window), *nats = floats(s->elements);
        uint32_t *keys = memory_take(s->window * sizeof *keys), count = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (i % 5 == 4) continue; /* sometimes two positions share a pass; only the last of them is compared */
            uint32_t at = nx_session_position(session), visible = 0;
            CHECK_INT(picture_prefill(s->model, session, values + at * s->E, i + 1 - at, nats + at * s->E), NX_OK);
            if (!CHECK_INT(picture_attention(s->model, session, 0, seen, keys, &count), NX_OK)) return;
            for (uint32_t j = 0; j < n; j++) /* lists all visible keys, in ascending order */
                if (ref_visible(&pattern, raster, i, j) && !CHECK(visible < count && keys[visible++] == j)) return;
            if (!CHECK(visible == count && count <= s->window && keys[count - 1] == i)) return;
            for (uint32_t r = 0; r < rows; r++) {
                const double *truth = weights + ((size_t)r * n + i) * n;
                const float *row = seen + (size_t)r * count;
                double sum = 0;
                for (uint32_t k = 0; k < count; k++) {
                    sum += (double)row[k];
                    worst_weight = fmax(worst_weight, fabs((double)row[k] - truth[keys[k]]));
                }
                CHECK_NEAR(sum, 1, 1e-6);
            }
        }
        CHECK_FLOATS(nats, t.nats, nx_session_position(session) * s->E); /* maps do not change the nats */
        CHECK(worst_weight < (q8 ? Q8_WEIGHT_TOLERANCE : WEIGHT_TOLERANCE));
        check_note("  type %u, output %d, label %d: output within %.3g, nats %.3g (%.3g of its own output), attention %.3g", (unsigned)s->config->type,
                   (int)s->distribution.kind, (int)label, worst, worst_nats, worst_own, worst_weight);
        if (q8) {
            double explained = mean_difference(t.outputs, outputs, (size_t)n * P);
            ref_forward(outputs, NULL, s->toy, levels, input, label, n, 0);
            worst = difference(t.outputs, outputs, (size_t)n * P);
            double cost = mean_difference(t.outputs, outputs, (size_t)n * P);
            check_note("  quantised, against no rounding: output within %.3g, mean %.3g; against the rounding reference mean %.3g", worst, cost, explained);
            CHECK(worst < Q8_ACTIVATION_COST);
            CHECK(explained < 0.1 * cost); /* the rounding reference explains nearly all of the difference */
        }
    }
    check_note("  %u of %u positions within %.0e", (unsigned)exact, (unsigned)all, LOGIT_TOLERANCE);
    CHECK(q8 ? 2 * exact > all : exact == all);
}

static void reference(void) {
    each(agrees);
    /* the small image has many more pixels than the positions that a query sees, and the encoder's last pass is not full */
    check_random random = {11};
    toy_config c = {.height = 4, .width = 8, .channels = 1, .levels = 3, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
                    .pattern = NX_LOCAL_1D, .query_block = 16, .memory_block = 0, .position = TOY_LEARNED_WHOLE, .input_height = 19,
                    .input_width = 21, .encoder_blocks = 1, .seed = 19};
    subject s = subject_of(&c);
    check_at("a small image of 399 pixels", 0, 0, 0, 0);
    agrees(&s, &random);
    cached_is_full(&s, &random);
}

/* Compares the draft of a model with the reference at every position of an image, given only the values before it. */
static void draft_agrees(const toy_config *c, check_random *random) {
    subject s = subject_of(c);
    if (!s.model || !CHECK(s.model->plan[0].draft)) return;
    uint32_t V = s.levels, exact = 0, outside = 0;
    int q8 = c->draft_type == NX_Q8_0 || c->draft_type == NX_Q4_0;
    uint32_t *levels = memory_take(s.n * sizeof *levels);
    float *logits = floats(nx_stride(V)), *offset = toy_inside(s.toy, "draft.offset.weight");
    double *truth = memory_take(V * sizeof *truth), all = 0;
    for (uint32_t i = 0; i < s.n; i++) levels[i] = random_below(random, V);
    for (uint32_t i = 0; i < s.n; i++) {
        size_t mark = memory_mark();
        void *scratch = memory_take(nx_draft_scratch_bytes(s.model->plan[0].draft));
        nx_draft_logits(s.model->plan[0].draft, memory_copy(levels, i * sizeof *levels), i, logits, scratch);
        ref_draft(truth, s.toy, levels, i, 1);
        double worst = difference(logits, truth, V);
        all = fmax(all, worst);
        exact += worst < LOGIT_TOLERANCE;
        for (uint32_t v = V; v < nx_stride(V); v++) CHECK(logits[v] == -INFINITY);
        for (uint32_t o = 0; o < c->neighbours; o++)
            outside += (float)(i / c->width) + offset[2 * o] < 0 || (float)(i % c->width) + offset[2 * o + 1] < 0;
        memory_release(mark);
    }
    check_note("  draft of type %u: within %.3g, %u of %u positions within %.0e", (unsigned)c->draft_type, all, (unsigned)exact, (unsigned)s.n, LOGIT_TOLERANCE);
    CHECK(all < (q8 ? Q8_LOGIT_TOLERANCE : LOGIT_TOLERANCE)); /* the same tolerance as for the model's logits */
    CHECK(q8 ? 10 * exact > 9 * s.n : exact == s.n);
    CHECK(outside > 0 && outside < s.n * c->neighbours);
}

static void drafts(void) {
    const toy_config *list;
    check_random random = {13};
    toy_configs(&list, NULL);
    for (int i = TOY_DRAFT; i <= TOY_DRAFT_Q4_0; i++) {
        check_at("configuration %lld", i, 0, 0, 0);
        draft_agrees(list + i, &random);
    }
    /* drafts from the smallest to the largest size; the images include one with a single row, one with a single column, and some that are
     * wider than the distance to the farthest neighbour */
    static const uint32_t shapes[][6] = {{1, 40, 2, 1, 4, 1}, {40, 1, 256, 32, 4, 1}, {20, 18, 256, 32, 256, 3}, {3, 40, 2, 32, 20, 256}};
    for (int i = 0; i < 4; i++) {
        size_t mark = memory_mark();
        toy_config c = {.height = shapes[i][0], .width = shapes[i][1], .channels = 1, .levels = shapes[i][2], .blocks = 1, .d = 4, .inner = 4, .heads = 1,
                        .key_length = 4, .position = TOY_SINUSOIDAL, .neighbours = shapes[i][3], .hidden = shapes[i][4], .rank = shapes[i][5], .seed = 23};
        check_at("shape %lld", i, 0, 0, 0);
        draft_agrees(&c, &random);
        memory_release(mark);
    }
}

/* At the last position of a batch, attention maps differ between samples. */
static void maps_of_samples(void) {
    check_random random = {5};
    const toy_config *list;
    toy_configs(&list, NULL);
    subject s = subject_of(list + 3);
    const uint8_t *known = random_image(&s, &random);
    picture_settings settings = toy_settings(20, 6);
    settings.maps = 1;
    nx_session *batch = toy_session(s.model, &settings, NULL);
    uint32_t steps = 9, rows = s.config->blocks * s.config->heads, count, *keys = memory_take(s.window * sizeof *keys);
    uint8_t *values = memory_take(steps * 20);
    float *weights = floats((size_t)rows * s.window), *alone = floats((size_t)rows * s.window);
    CHECK_INT(picture_prefill(s.model, batch, known, 30, NULL), NX_OK);
    /* before the first step all samples share the state of the known elements */
    CHECK_INT(picture_attention(s.model, batch, 19, weights, keys, &count), NX_OK);
    CHECK_INT(keys[count - 1], 29);
    CHECK_INT(picture_step(s.model, batch, steps, values, NULL), NX_OK);
    settings.samples = 1;
    for (uint32_t b = 0; b < 20; b++) {
        settings.first_sample = b;
        nx_session *single = toy_session(s.model, &settings, NULL);
        CHECK_INT(picture_prefill(s.model, single, known, 30, NULL), NX_OK);
        CHECK_INT(picture_step(s.model, single, steps, values, NULL), NX_OK);
        CHECK_INT(picture_attention(s.model, single, 0, alone, keys, &count), NX_OK);
        CHECK_INT(picture_attention(s.model, batch, b, weights, keys, &count), NX_OK);
        CHECK_FLOATS(weights, alone, (size_t)rows * count);
    }
}

/* ---- probability ----------------------------------------------------------------------------------------------------------- */

#define SUM_TOLERANCE 1e-5 /* tolerance for the sum of the probabilities of all images */

/* Computes the probability of every image that a tiny model can draw, in lexicographic order of the levels. Returns the number of
 * images. */
static uint32_t all_images(const subject *s, double *probability) {
    uint32_t n_images = 1;
    uint8_t *values = memory_take(s->elements);
    float *nats = floats(s->elements);
    picture_settings settings = toy_settings(1, 0);
    for (uint32_t i = 0; i < s->elements; i++) n_images *= s->levels;
    for (uint32_t image = 0; image < n_images; image++) {
        size_t mark = memory_mark();
        for (uint32_t i = s->elements, rest = image; i-- > 0; rest /= s->levels) values[i] = value_of(s, rest % s->levels);
        nx_session *session = toy_session(s->model, &settings, NULL);
        CHECK_INT(picture_prefill(s->model, session, values, s->n, nats), NX_OK);
        double total = 0;
        for (uint32_t i = 0; i < s->elements; i++) total += (double)nats[i];
        probability[image] = exp(-total);
        memory_release(mark);
    }
    return n_images;
}

#define TINY 8
static const toy_config tiny[TINY] = {
    {.height = 2, .width = 3, .channels = 1, .levels = 2, .blocks = 2, .d = 8, .inner = 8, .heads = 2, .key_length = 4,
     .position = TOY_LEARNED_WHOLE, .sharpness = 1, .seed = 11},
    {.height = 1, .width = 2, .channels = 3, .levels = 3, .blocks = 2, .d = 12, .inner = 8, .heads = 1, .key_length = 8,
     .pattern = NX_LOCAL_1D, .query_block = 2, .memory_block = 1, .position = TOY_SINUSOIDAL, .sharpness = 0.6f, .seed = 12},
    {.height = 2, .width = 2, .channels = 1, .levels = 4, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .key_length = 32,
     .position = TOY_LEARNED_HALF, .type = NX_Q8_0, .sharpness = 0.7f, .seed = 13},
    {.height = 1, .width = 1, .channels = 1, .levels = 256, .blocks = 1, .d = 16, .inner = 8, .heads = 2, .key_length = 8,
     .position = TOY_SINUSOIDAL, .seed = 14},
    {.height = 1, .width = 2, .channels = 3, .levels = 3, .blocks = 1, .d = 8, .inner = 8, .heads = 1, .key_length = 8,
     .position = TOY_LEARNED_WHOLE, .output = NX_DMOL, .mixtures = 2, .sharpness = 0.5f, .seed = 15},
    {.height = 2, .width = 2, .channels = 3, .levels = 4, .blocks = 1, .d = 8, .inner = 8, .heads = 1, .key_length = 8,
     .pattern = NX_LOCAL_2D, .block_rows = 2, .block_cols = 1, .flange_rows = 0, .flange_cols = 1, .position = TOY_LEARNED_HALF,
     .pre_norm = 1, .palette = 1, .sharpness = 0.6f, .seed = 16},
    {.height = 2, .width = 4, .channels = 1, .levels = 2, .blocks = 1, .d = 8, .inner = 8, .heads = 2, .key_length = 4,
     .pattern = NX_LOCAL_2D, .block_rows = 1, .block_cols = 3, .flange_rows = 1, .flange_cols = 1, .position = TOY_LEARNED_WHOLE,
     .output = NX_BERNOULLI, .input_height = 1, .input_width = 2, .encoder_blocks = 1, .seed = 17},
    {.height = 2, .width = 2, .channels = 1, .levels = 5, .blocks = 1, .d = 8, .inner = 8, .heads = 1, .key_length = 8,
     .position = TOY_SINUSOIDAL, .output = NX_LOGISTIC, .sharpness = 0.5f, .seed = 18},
};

static void sums_to_one(void) {
    for (int i = 0; i < TINY; i++) {
        subject s = subject_of(tiny + i);
        double *probability = memory_take(1000 * sizeof *probability), sum = 0;
        uint32_t n_images = all_images(&s, probability);
        for (uint32_t image = 0; image < n_images; image++) sum += probability[image];
        check_at("model %lld", i, 0, 0, 0);
        check_note("  %u images: 1 %+.3g", (unsigned)n_images, sum - 1);
        CHECK_NEAR(sum, 1, SUM_TOLERANCE);
    }
}

/* Draws whole images with the calls that a web page makes, and compares their frequencies with the model's probabilities. */
static void images_follow(void) {
    for (int i = 0; i < TINY; i++) {
        enum { samples = 64 };
        uint32_t batches_drawn = i < 4 ? 320 : 160;
        subject s = subject_of(tiny + i);
        double *probability = memory_take(1000 * sizeof *probability), chi = 0, rest = 0, rest_seen = 0, draws = batches_drawn * samples;
        uint32_t n_images = all_images(&s, probability), *seen = memory_take(n_images * sizeof *seen), cells = 0;
        uint8_t *values = memory_take(s.elements * samples);
        memset(seen, 0, n_images * sizeof *seen);
        for (uint32_t batch = 0; batch < batches_drawn; batch++) {
            size_t mark = memory_mark();
            picture_settings settings = toy_settings(samples, 2026);
            settings.first_sample = batch * samples;
            nx_session *session = toy_session(s.model, &settings, NULL);
            CHECK_INT(picture_step(s.model, session, s.n, values, NULL), NX_OK);
            for (uint32_t b = 0; b < samples; b++) {
                uint32_t image = 0;
                for (uint32_t t = 0; t < s.elements; t++)
                    image = image * s.levels + level_of(&s, values[(t / s.E * samples + b) * s.E + t % s.E]);
                seen[image]++;
            }
            memory_release(mark);
        }
        for (uint32_t image = 0; image < n_images; image++) {
            double expected = probability[image] * draws;
            if (expected < 8) { /* too few expected draws for a separate cell */
                rest += expected, rest_seen += seen[image];
                continue;
            }
            chi += (seen[image] - expected) * (seen[image] - expected) / expected;
            cells++;
        }
        if (rest >= 8) chi += (rest_seen - rest) * (rest_seen - rest) / rest, cells++;
        check_at("model %lld", i, 0, 0, 0);
        check_note("  %u draws, %u cells: chi-squared %.1f, limit %.1f", (unsigned)draws, (unsigned)cells, chi, ref_chi_squared_limit(cells - 1));
        CHECK(cells > 10 && chi < ref_chi_squared_limit(cells - 1)); /* by chance, one seed in 1000 exceeds this limit */
    }
}

/* Draws one element many times with a temperature and filters, and compares the frequencies of its values with the filtered distribution of
 * the logits. */
static void filtered_element(void) {
    static const nx_settings filters[] = {FILTER(0.7f, 0, 1, 0, 0, 0), FILTER(1, 4, 1, 0, 0, 0), FILTER(1, 0, 0.8f, 0, 0, 0), FILTER(1.4f, 6, 0.7f, 0, 0, 0)};
    check_random random = {7};
    const toy_config *list;
    toy_configs(&list, NULL);
    subject s = subject_of(list + 1);
    const uint8_t *known = random_image(&s, &random);
    for (int f = 0; f < 4; f++) {
        enum { sessions = 320, samples = 64, draws = sessions * samples };
        picture_settings settings = toy_settings(samples, 77);
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
            CHECK_INT(picture_prefill(s.model, session, known, 9, NULL), NX_OK);
            CHECK_INT(picture_step(s.model, session, 1, values, nats), NX_OK);
            CHECK_INT(nx_session_output(s.model, session, 5, logits), NX_OK);
            for (uint32_t b = 0; b < samples; b++) seen[toy_level(values[b], 16)]++;
            memory_release(mark);
        }
        ref_filter(p, logits, 16, (double)settings.temperature, settings.top_k, (double)settings.top_p);
        ref_filter(plain, logits, 16, 1, 0, 1);
        for (uint32_t b = 0; b < samples; b++) /* nats come from the model's own distribution, whatever the filter is */
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

/* Every drawn element must equal the result of the categorical sampler for the output's logits and the noise at (seed, sample, element). */
static void draws_are_the_sampler(const subject *s, check_random *random) {
    (void)random;
    static const nx_settings filters[] = {FILTER(0, 0, 1, 0, 0, 0), FILTER(1, 0, 1, 0, 0, 0), FILTER(0.6f, 3, 0.9f, 0, 0, 0)};
    for (int f = 0; f < 3; f++) {
        picture_settings settings = {.seed_low = 1, .seed_high = 2, .samples = 2, .first_sample = 30, .label = -1, .temperature = filters[f].temperature,
                                .top_k = filters[f].top_k, .top_p = filters[f].top_p};
        nx_session *session = toy_session(s->model, &settings, NULL);
        float *logits = floats(nx_stride(s->levels)), *scratch = floats(3 * nx_stride(s->levels)), *output = floats(s->outputs);
        for (uint32_t i = 0; i < s->n; i++) {
            uint8_t values[6];
            uint32_t levels[3];
            float nats[6];
            CHECK_INT(picture_step(s->model, session, 1, values, nats), NX_OK);
            for (uint32_t b = 0; b < 2; b++) {
                CHECK_INT(nx_session_output(s->model, session, b, output), NX_OK);
                for (uint32_t e = 0; e < s->E; e++) {
                    nx_output_logits(&s->distribution, output, levels, e, logits);
                    levels[e] = nx_categorical_sample(logits, s->levels, &filters[f], (nx_noise){1, 2, 30 + b, i * s->E + e, 0}, scratch);
                    float expected = nx_output_nats(&s->distribution, output, levels, e, logits);
                    CHECK_INT(values[b * s->E + e], value_of(s, levels[e]));
                    CHECK_FLOATS(nats + b * s->E + e, &expected, 1);
                }
            }
        }
    }
}

static void sampler(void) { each(draws_are_the_sampler); }

/* If all logits are equal, every value is equally probable, and temperature 0 takes the lowest value. */
static void ties(void) {
    toy_config c = tiny[0];
    c.sharpness = 1e-30f; /* the output weights are negligible next to the bias */
    toy *m = toy_build(&c, NULL);
    memcpy(m->bytes + m->length - 8, (float[]){0.25f, 0.25f}, 8); /* output.bias is the last tensor */
    subject s = {.model = toy_open(m)};
    picture_settings settings = toy_settings(3, 1);
    settings.temperature = 0;
    uint8_t values[18], zeros[18] = {0};
    float nats[18];
    CHECK_INT(picture_step(s.model, toy_session(s.model, &settings, NULL), 6, values, nats), NX_OK);
    CHECK_BYTES(values, zeros, 18);
    for (int i = 0; i < 18; i++) CHECK_NEAR((double)nats[i], log(2), 2e-7);
}

const check_test image_transformer_tests[] = {
    {"a cached step equals a full forward pass, bit for bit", cached},
    {"drawn steps equal the same values given as known, bit for bit", steps},
    {"a batch equals its single runs, bit for bit", batches},
    {"causality, bit for bit", causal},
    {"local attention is full attention when the block covers all positions, bit for bit", local_is_full},
    {"a grid is full attention when the flange covers all positions, bit for bit", grid_is_full},
    {"a grid of columns is the transposed image, bit for bit", grid_is_transposed},
    {"every position sees the whole small image and its positions", small_image},
    {"runs with a small image", conditioned_runs},
    {"labels", labels},
    {"8-bit values are rounded to levels", rounding},
    {"logits, nats and attention equal the reference in double precision", reference},
    {"drafts equal the reference in double precision", drafts},
    {"maps of samples", maps_of_samples},
    {"probabilities of all images sum to 1", sums_to_one},
    {"images have the frequencies of their probabilities", images_follow},
    {"an element has the frequencies of its filtered distribution", filtered_element},
    {"a draw equals the sampler's", sampler},
    {"ties go to the lowest value", ties},
    {0},
};

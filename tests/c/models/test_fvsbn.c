/* SPDX-License-Identifier: MIT  Compares the FVSBN with its equation: a_i = b_i + sum over j < i of W_ij x_j, p(x_i = 1) = sigma(a_i). */
#include <math.h>
#include <string.h>

#include "check.h"
#include "models/toy_fvsbn.h"
#include "session/session.h"

toy_file toy_fvsbn_file(uint32_t height, uint32_t width, uint32_t type, uint64_t seed, float **weight, float **bias) {
    uint32_t n = height * width;
    check_random random = {seed};
    toy_tensor w = {.name = "fvsbn.weight", .rows = n, .cols = n, .type = type, .values = memory_take(n * n * sizeof(float))};
    toy_tensor b = {.name = "fvsbn.bias", .rows = 1, .cols = n, .type = NX_F32, .values = memory_take(n * sizeof(float))};
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < n; i++) w.values[j * n + i] = i > j ? (float)random_normal(&random) : 0;
    for (uint32_t i = 0; i < n; i++) b.values[i] = 0.5f * (float)random_normal(&random);
    toy_file head = {0}, data = {0};
    put_header(&head, 2, 5);
    put_key_text(&head, "general.architecture", "fvsbn");
    put_key_u32(&head, "fvsbn.image.height", height);
    put_key_u32(&head, "fvsbn.image.width", width);
    put_key_u32(&head, "fvsbn.image.channels", 1);
    put_key_u32(&head, "fvsbn.image.levels", 2);
    put_tensor(&head, &data, &w);
    put_tensor(&head, &data, &b);
    while (head.length % 32) put_bytes(&head, "", 1);
    put_bytes(&head, data.bytes, data.length);
    if (weight) *weight = w.values;
    if (bias) *bias = b.values;
    return head;
}

nx_model *toy_fvsbn(uint32_t height, uint32_t width, uint32_t type, uint64_t seed) {
    toy_file file = toy_fvsbn_file(height, width, type, seed, NULL, NULL);
    return toy_file_open(&file);
}

static toy_file toy_number(uint32_t number) {
    return number ? toy_fvsbn_file(3, 4, NX_F16, 1, NULL, NULL) : toy_fvsbn_file(4, 5, NX_F16, 3, NULL, NULL);
}

const toy_row fvsbn_toys[] = {
    {"fvsbn", TOY_RUN, toy_number, 0, {0}},
    {NULL, TOY_SEED, toy_number, 1, {0}},
    {0},
};

static nx_session *session_of(const nx_model *model, uint32_t samples, uint32_t seed) {
    nx_settings settings = {.seed_low = seed, .samples = samples, .temperature = 1, .top_p = 1};
    nx_session *session = NULL;
    size_t bytes = 0;
    CHECK_INT(nx_session_size(model, 0, &settings, NULL, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, NULL, &session), NX_OK);
    return session;
}

/* The zeros that the file stores on and above the diagonal do not count as parameters. */
static void parameters(void) {
    nx_part_info part;
    CHECK_INT(nx_model_part(toy_fvsbn(3, 4, NX_F16, 1), 0, &part), NX_OK);
    CHECK(part.parameters_low == 12 * 11 / 2 + 12 && part.parameters_high == 0);
}

/* The probabilities of all images of nine pixels add up to 1. */
static void distribution(void) {
    const nx_model *model = toy_fvsbn(3, 3, NX_F32, 1);
    double total = 0;
    for (uint32_t image = 0; image < 512; image++) {
        size_t mark = memory_mark();
        uint32_t ids[9];
        float nats[9];
        double sum = 0;
        for (uint32_t i = 0; i < 9; i++) ids[i] = image >> i & 1;
        CHECK_INT(nx_session_put(model, session_of(model, 1, 0), ids, 9, 0, nats), NX_OK);
        for (uint32_t i = 0; i < 9; i++) sum += (double)nats[i];
        total += exp(-sum);
        memory_release(mark);
    }
    CHECK_NEAR(total, 1, 1e-5);
}

/* The sums, which are updated pixel by pixel, equal the product of the matrix and the image for every type of weights. This also holds
 * while an image is drawn. */
static void sums(void) {
    static const uint32_t types[] = {NX_F32, NX_F16, NX_Q8_0, NX_Q4_0};
    check_random random = {2};
    for (int t = 0; t < 4; t++)
        for (int run = 0; run < 4; run++) {
            size_t mark = memory_mark();
            float *weight, *bias;
            toy_file file = toy_fvsbn_file(4, 8, types[t], 3 + (uint64_t)run, &weight, &bias); /* 32 pixels: one quantised block */
            const nx_model *model = toy_file_open(&file);
            uint32_t ids[32], drawn[32];
            float nats[32], output, drawn_nats[32];
            nx_session *session = session_of(model, 1, (uint32_t)run);
            if (run % 2) CHECK_INT(nx_session_draw(model, session_of(model, 1, (uint32_t)run), 32, drawn, drawn_nats, NULL), NX_OK);
            for (uint32_t i = 0; i < 32; i++) {
                double a = (double)bias[i];
                ids[i] = run % 2 ? drawn[i] : random_below(&random, 2);
                for (uint32_t j = 0; j < i; j++) a += (double)weight[j * 32 + i] * ids[j];
                CHECK_INT(nx_session_put(model, session, ids + i, 1, 0, nats + i), NX_OK);
                CHECK_INT(nx_session_output(model, session, 0, &output), NX_OK);
                check_at("type %lld, run %lld, pixel %lld", types[t], run, i, 0);
                CHECK_NEAR((double)output, a, 1e-5);
                CHECK_NEAR((double)nats[i], log1p(exp(ids[i] ? -a : a)), 1e-5);
            }
            if (run % 2) CHECK_FLOATS(nats, drawn_nats, 32);
            memory_release(mark);
        }
}

/* If a pixel is changed, no output at or before its position changes. */
static void causality(void) {
    const nx_model *model = toy_fvsbn(4, 4, NX_F16, 5);
    uint32_t ids[16];
    float nats[16], changed[16];
    for (uint32_t i = 0; i < 16; i++) ids[i] = i % 3 == 0;
    CHECK_INT(nx_session_put(model, session_of(model, 1, 0), ids, 16, 0, nats), NX_OK);
    for (uint32_t at = 0; at < 16; at++) {
        ids[at] ^= 1;
        CHECK_INT(nx_session_put(model, session_of(model, 1, 0), ids, 16, 0, changed), NX_OK);
        CHECK_FLOATS(changed, nats, at);
        for (uint32_t i = at; i < 16; i++) CHECK(changed[i] < nats[i] || changed[i] > nats[i]); /* no weight is zero */
        ids[at] ^= 1;
    }
}

/* Inconsistent files are refused. */
static void refused_files(void) {
    static const struct {
        const char *key;
        uint32_t value;
        nx_status status;
    } rows[] = {{"fvsbn.image.height", 0, NX_E_FORMAT}, {"fvsbn.image.height", 257, NX_E_LIMIT}, {"fvsbn.image.height", 3, NX_E_FORMAT},
                {"fvsbn.image.channels", 3, NX_E_LIMIT}, {"fvsbn.image.levels", 16, NX_E_LIMIT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        toy_file file = toy_fvsbn_file(4, 4, NX_F32, 1, NULL, NULL);
        size_t key = strlen(rows[i].key), at = 0, bytes;
        while (memcmp(file.bytes + at, rows[i].key, key)) at++;
        memcpy(file.bytes + at + key + 4, &rows[i].value, 4);
        check_at("row %lld", (long long)i, 0, 0, 0);
        CHECK_INT(nx_model_size(file.bytes, file.length, &bytes, NULL), rows[i].status);
    }
}

const check_test fvsbn_tests[] = {
    {"the probabilities of all images add up to 1", distribution},
    {"running sums equal the matrix product", sums},
    {"no pixel depends on later ones", causality},
    {"the zeros of the matrix are not parameters", parameters},
    {"invalid files are refused", refused_files},
    {0},
};

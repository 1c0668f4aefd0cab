/* SPDX-License-Identifier: MIT  The coins against their equation: p(x_i = 1) = sigma(b_i). */
#include <math.h>

#include "check.h"
#include "session/session.h"
#include "toy.h"

enum { HEIGHT = 3, WIDTH = 5, N = HEIGHT * WIDTH };

static toy_file file_of(float **bias) {
    check_random random = {1};
    toy_tensor b = {.name = "coins.bias", .rows = 1, .cols = N, .type = NX_F32, .values = memory_take(N * sizeof(float))};
    for (uint32_t i = 0; i < N; i++) b.values[i] = (float)random_normal(&random);
    toy_file head = {0}, data = {0};
    put_header(&head, 1, 3);
    put_key_text(&head, "general.architecture", "coins");
    put_key_u32(&head, "coins.image.height", HEIGHT);
    put_key_u32(&head, "coins.image.width", WIDTH);
    put_tensor(&head, &data, &b);
    while (head.length % 32) put_bytes(&head, "", 1);
    put_bytes(&head, data.bytes, data.length);
    if (bias) *bias = b.values;
    return head;
}

static toy_file toy_number(uint32_t number) {
    (void)number;
    return file_of(NULL);
}

const toy_row coins_toys[] = {{"coins", TOY_RUN, toy_number, 0, {0}}, {NULL, TOY_SEED, toy_number, 0, {0}}, {0}};

static void equation(void) {
    float *bias, nats[N];
    toy_file file = file_of(&bias);
    const nx_model *model = toy_file_open(&file);
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    nx_session *session = NULL;
    uint32_t ids[N];
    size_t bytes = 0;
    CHECK_INT(nx_session_size(model, 0, &settings, NULL, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, NULL, &session), NX_OK);
    for (uint32_t i = 0; i < N; i++) ids[i] = i % 3 == 0;
    CHECK_INT(nx_session_put(model, session, ids, N, 0, nats), NX_OK);
    for (uint32_t i = 0; i < N; i++) CHECK_NEAR((double)nats[i], log1p(exp((double)(ids[i] ? -bias[i] : bias[i]))), 1e-5);
}

const check_test coins_tests[] = {
    {"the nats of coins", equation},
    {0},
};

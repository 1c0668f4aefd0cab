/* SPDX-License-Identifier: MIT
 *
 * Tests functions that only C programs can call: names, default settings, and the reasons why settings are refused.
 */
#include <string.h>

#include "check.h"
#include "nextpixel.h"
#include "toy.h"

static void names(void) {
    CHECK(!strcmp(nx_version(), NX_VERSION));
    CHECK(!strcmp(nx_status_name(NX_OK), "NX_OK") && !strcmp(nx_status_name(NX_MORE), "NX_MORE"));
    CHECK(!strcmp(nx_status_name(NX_E_ARGUMENT), "NX_E_ARGUMENT") && !strcmp(nx_status_name(NX_E_FORMAT), "NX_E_FORMAT"));
    CHECK(!strcmp(nx_status_name(NX_E_UNSUPPORTED), "NX_E_UNSUPPORTED") && !strcmp(nx_status_name(NX_E_LIMIT), "NX_E_LIMIT"));
    CHECK(!strcmp(nx_status_name(NX_E_MEMORY), "NX_E_MEMORY") && !strcmp(nx_status_name(NX_E_NUMERIC), "NX_E_NUMERIC"));
    CHECK(!strcmp(nx_status_name(NX_E_STATE), "NX_E_STATE"));
    CHECK(!strcmp(nx_status_name(2), "unknown") && !strcmp(nx_status_name(-8), "unknown"));
}

/* Sets one field of the settings or of the shape to a number that may be out of range. */
static void spoil(nx_settings *s, nx_shape *shape, uint32_t *part, check_random *random) {
    static const uint32_t numbers[] = {0, 1, 2, 8, 15, 16, 17, 64, 65, 1000, 528384, 528385, 0x1000000, 0x1000001, 0xffffffbf, 0xffffffc0, 0xffffffff};
    static const float floats[] = {-101, -1, -0.001f, 0, 0.005f, 0.01f, 0.5f, 1, 1.001f, 100, 101, __builtin_inff(), __builtin_nanf("")};
    uint32_t number = numbers[random_below(random, sizeof numbers / sizeof *numbers)];
    float x = floats[random_below(random, sizeof floats / sizeof *floats)];
    uint32_t *fields[] = {&s->samples, &s->first_sample, &s->origin, &s->top_k, &s->maps, &s->look_ahead, &s->temperature_last, &s->penalty_last, &s->look_up,
                          &s->biases, &shape->length, &shape->counts[0], &shape->counts[1], &shape->key_bits, part};
    float *real[] = {&s->temperature, &s->top_p, &s->typical_p, &s->min_p, &s->repetition, &s->frequency, &s->presence};
    if (random_below(random, 3)) *fields[random_below(random, sizeof fields / sizeof *fields)] = number;
    else *real[random_below(random, sizeof real / sizeof *real)] = x;
}

/* nx_session_problem reports a reason if and only if no session can be opened with the settings. */
static void reasons(void) {
    check_random random = {3};
    uint32_t refused = 0, taken = 0;
    for (int i = 0; i < 60; i++) {
        const toy_row *row = toy_row_at(i);
        if (!row) break;
        size_t mark = memory_mark();
        toy_file file = row->file(row->number);
        const nx_model *model = toy_file_open(&file);
        for (int round = 0; model && round < 200; round++) {
            nx_settings settings;
            nx_shape shape = row->shape;
            nx_problem problem = {"", ""};
            uint32_t part = row->uses / TOY_PART;
            size_t bytes;
            nx_settings_init(&settings);
            for (uint32_t n = random_below(&random, 3); n; n--) spoil(&settings, &shape, &part, &random);
            nx_status status = nx_session_size(model, part, &settings, &shape, &bytes);
            check_at("toy %lld, round %lld", i, round, 0, 0);
            CHECK_INT(nx_session_problem(model, part, &settings, &shape, &problem), status);
            CHECK(status ? *problem.reason != 0 : !*problem.reason);
            CHECK(memchr(problem.name, 0, sizeof problem.name) && memchr(problem.reason, 0, sizeof problem.reason));
            status ? refused++ : taken++;
        }
        memory_release(mark);
    }
    CHECK(refused > 1000 && taken > 1000);
}

/* The error names the invalid field. */
static void named(void) {
    const toy_row *row = toy_row_at(0);
    toy_file file = row->file(row->number);
    const nx_model *model = toy_file_open(&file);
    static const struct {
        const char *name;
        size_t at;
        float value; /* value of a float field; otherwise 0, and `word` is used */
        uint32_t word;
    } wrong[] = {
        {"samples", offsetof(nx_settings, samples), 0, 0},         {"samples", offsetof(nx_settings, samples), 0, 65},
        {"temperature", offsetof(nx_settings, temperature), -1, 0}, {"top_p", offsetof(nx_settings, top_p), 2, 0},
        {"maps", offsetof(nx_settings, maps), 0, 2},               {"look_ahead", offsetof(nx_settings, look_ahead), 0, 17},
        {"min_p", offsetof(nx_settings, min_p), 1.5f, 0},          {"repetition", offsetof(nx_settings, repetition), 0.001f, 0},
        {"presence", offsetof(nx_settings, presence), 101, 0},     {"biases", offsetof(nx_settings, biases), 0, NX_MAX_BIASES + 1},
        {"hidden", offsetof(nx_settings, hidden), 0, 2},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        nx_settings settings;
        nx_problem problem = {"", ""};
        nx_settings_init(&settings);
        uint32_t bits = wrong[i].word;
        if (wrong[i].value != 0) memcpy(&bits, &wrong[i].value, 4);
        memcpy((uint8_t *)&settings + wrong[i].at, &bits, 4);
        CHECK_INT(nx_session_problem(model, 0, &settings, &row->shape, &problem), NX_E_ARGUMENT);
        check_at("row %lld", (long long)i, 0, 0, 0);
        CHECK(!strcmp(problem.name, wrong[i].name));
    }
    nx_settings zeros = {0};
    nx_problem problem = {"", ""};
    CHECK_INT(nx_session_problem(model, 0, &zeros, &row->shape, &problem), NX_E_ARGUMENT);
    CHECK(!strcmp(problem.name, "samples") && !strcmp(problem.reason, "must be from 1 to 64"));
}

const check_test native_tests[] = {
    {"version and names", names},
    {"a reason for each refusal", reasons},
    {"the error names the invalid field", named},
    {0},
};

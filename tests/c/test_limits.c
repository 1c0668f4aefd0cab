/* SPDX-License-Identifier: MIT
 *
 * Sets each numeric argument of every public function to its limits and beyond. A function must refuse a number beyond its limits, and must
 * not access memory outside its blocks; the sanitizers check this. Other tests cover numbers within their limits.
 */
#include <string.h>

#include "check.h"
#include "models/toy_llama.h"
#include "session/session.h"
#include "toy.h"
#include "triad.h"

/* Invalid indices and counts: the smallest invalid index of a part, the smallest invalid index of a port, and much larger numbers. */
static const uint32_t beyond[] = {NX_MAX_PARTS, NX_PORTS, 100, 1000, 0x7fffffff, 0x80000000, NX_NONE - 1, NX_NONE};
enum { BEYOND = sizeof beyond / sizeof *beyond };

static toy_file text_file(void) {
    toy_llama_config c = {.values = 40, .length = 30, .blocks = 1, .d = 16, .inner = 16, .heads = 2, .groups = 1, .seed = 6};
    return toy_llama_build(&c)->file;
}

static nx_model *text_model(void) {
    toy_file file = text_file();
    return toy_file_open(&file);
}

static const nx_settings plain = {.samples = 2, .temperature = 1, .top_p = 1};

static nx_session *open_part(const nx_model *model, uint32_t part, const nx_settings *settings, const nx_shape *shape, size_t *bytes) {
    nx_session *session = NULL;
    CHECK_INT(nx_session_size(model, part, settings, shape, bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(*bytes), *bytes, model, part, settings, shape, &session), NX_OK);
    return session;
}

static void descriptions(void) {
    const nx_model *const models[] = {triad_open(), text_model()};
    for (int m = 0; m < 2; m++) {
        const nx_model *model = models[m];
        uint32_t parts = nx_model_parts(model), id;
        nx_part_info info;
        nx_port port;
        nx_result result;
        nx_map map;
        nx_table table;
        nx_metadata entry;
        nx_tensor_info tensor;
        CHECK_INT(nx_model_metadata(model, nx_model_metadata_count(model), &entry), NX_E_ARGUMENT);
        CHECK_INT(nx_model_tensor(model, nx_model_tensors(model), &tensor), NX_E_ARGUMENT);
        for (uint32_t part = 0; part < parts; part++) {
            CHECK_INT(nx_model_part(model, part, &info), NX_OK);
            CHECK_INT(nx_model_port(model, part, info.inputs, &port), NX_E_ARGUMENT);
            CHECK_INT(nx_model_result(model, part, info.results, &result), NX_E_ARGUMENT);
            CHECK_INT(nx_model_map(model, part, info.maps, &map), NX_E_ARGUMENT);
            CHECK_INT(nx_model_table(model, part, info.tables, &table), NX_E_ARGUMENT);
            CHECK_INT(nx_model_end(model, part, info.ends, &id), NX_E_ARGUMENT);
        }
        for (uint32_t i = 0; i <= BEYOND; i++)
            for (uint32_t j = 0; j <= BEYOND; j++) {
                uint32_t part = i ? beyond[i - 1] : parts, index = j ? beyond[j - 1] : 0;
                check_at("part %lld, index %lld", part, index, 0, 0);
                CHECK_INT(nx_model_part(model, part, &info), NX_E_ARGUMENT);
                for (uint32_t own = 0; own < 2; own++, part = 0) { /* own = 1 tests part 0, which exists, with an invalid index */
                    if (own && !j) continue;
                    CHECK_INT(nx_model_port(model, part, index, &port), NX_E_ARGUMENT);
                    CHECK_INT(nx_model_result(model, part, index, &result), NX_E_ARGUMENT);
                    CHECK_INT(nx_model_map(model, part, index, &map), NX_E_ARGUMENT);
                    CHECK_INT(nx_model_table(model, part, index, &table), NX_E_ARGUMENT);
                    CHECK_INT(nx_model_end(model, part, index, &id), NX_E_ARGUMENT);
                }
                if (index) CHECK_INT(nx_model_metadata(model, index == 100 ? 1000 : index + 1000 * (index < 1000), &entry), NX_E_ARGUMENT);
                if (index) CHECK_INT(nx_model_tensor(model, index, &tensor), NX_E_ARGUMENT);
            }
    }
}

/* Opens a file that was truncated to various lengths. nx_model_head_size() and nx_model_begin() also get various values for the length of
 * the whole file. */
static void files(void) {
    toy_file file = text_file();
    nx_problem problem;
    size_t bytes = 0, head = 0, lengths[] = {0, 1, 3, 4, 23, 24, file.length / 2, file.length - 1, file.length, file.length + 1, (size_t)NX_NONE, SIZE_MAX};
    CHECK_INT(nx_model_size(file.bytes, file.length, &bytes, &problem), NX_OK);
    for (uint32_t i = 0; i < 9; i++) {
        size_t mark = memory_mark(), present = lengths[i];
        uint8_t *own = memory_copy(file.bytes, present);
        nx_model *model;
        CHECK_INT(nx_model_size(own, present, &bytes, &problem) == NX_OK, present == file.length);
        CHECK_INT(nx_model_open(memory_take(64), 64, own, present, &model, &problem) < 0, 1);
        for (uint32_t j = 0; j < sizeof lengths / sizeof *lengths; j++) {
            check_at("%lld bytes of %lld", (long long)present, (long long)lengths[j], 0, 0);
            nx_status status = nx_model_head_size(own, present, lengths[j], &bytes, &problem);
            CHECK(lengths[j] == file.length && present >= file.length / 2 ? status == NX_OK || status == NX_MORE : status != NX_OK || lengths[j] > file.length);
            CHECK(nx_model_begin(memory_take(64), 64, own, present, lengths[j], &model, &problem) != NX_OK);
        }
        memory_release(mark);
    }
    CHECK_INT(nx_model_head_size(file.bytes, file.length, file.length, &head, &problem), NX_OK);
    nx_model *model;
    CHECK_INT(nx_model_begin(memory_take(head), head, file.bytes, file.length, file.length, &model, &problem), NX_OK);
    uint32_t tensors = nx_model_tensors(model);
    nx_tensor_info first;
    CHECK_INT(nx_model_tensor(model, 0, &first), NX_OK);
    for (uint32_t i = 0; i <= BEYOND; i++) {
        uint32_t n = i ? beyond[i - 1] : tensors;
        const uint8_t *data = file.bytes + first.offset;
        CHECK_INT(nx_model_tensor(model, n < 100 && i ? 1000 : n, &first) ? NX_E_ARGUMENT : NX_OK, NX_E_ARGUMENT);
        CHECK_INT(nx_model_tensor(model, 0, &first), NX_OK);
        CHECK_INT(nx_model_feed(model, n, 0, 1, data, &problem), NX_E_ARGUMENT);
        CHECK_INT(nx_model_feed(model, 0, n, 1, data, &problem), NX_E_ARGUMENT);
        CHECK_INT(nx_model_feed(model, 0, 0, n > first.rows ? n : first.rows + 1, data, &problem), NX_E_ARGUMENT);
        CHECK_INT(nx_model_feed(model, 0, n, NX_NONE - n + 2, data, &problem), NX_E_ARGUMENT); /* the sum of row and count wraps around */
    }
}

static void sessions(void) {
    const nx_model *model = text_model();
    size_t bytes = 0;
    nx_session *session;
    nx_settings most = {.samples = NX_MAX_SAMPLES, .temperature = 100, .top_p = 1, .first_sample = NX_NONE - NX_MAX_SAMPLES, .origin = NX_NONE - 30, .look_ahead = 16,
                        .look_up = 1, .maps = 1, .top_k = NX_NONE, .penalty_last = NX_NONE, .biases = NX_MAX_BIASES, .seed_low = NX_NONE, .seed_high = NX_NONE};
    nx_shape shape = {.length = 30, .key_bits = 16};
    CHECK_INT(nx_session_size(model, 0, &most, &shape, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &most, &shape, &session), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes - 1, model, 0, &most, &shape, &session), NX_E_MEMORY);
    CHECK_INT(nx_session_open(memory_take(1), 0, model, 0, &most, &shape, &session), NX_E_MEMORY);
    for (uint32_t i = 0; i < BEYOND; i++) {
        uint32_t n = beyond[i];
        check_at("%lld", n, 0, 0, 0);
        CHECK_INT(nx_session_size(model, n, &plain, &shape, &bytes), NX_E_ARGUMENT);
        CHECK_INT(nx_session_open(memory_take(16), 16, model, n, &plain, &shape, &session), NX_E_ARGUMENT);
#define REFUSED(where, field, value) { nx_settings s = plain; nx_shape t = shape; (void)s, (void)t; where.field = value; CHECK_INT(nx_session_size(model, 0, &s, &t, &bytes), NX_E_ARGUMENT); }
        if (n > NX_MAX_SAMPLES) REFUSED(s, samples, n)
        if (n > NX_NONE - NX_MAX_SAMPLES) REFUSED(s, first_sample, n)
        if (n > NX_NONE - 30) REFUSED(s, origin, n)
        REFUSED(s, maps, n)
        if (n > NX_COLUMNS) REFUSED(s, look_ahead, n)
        REFUSED(s, temperature_last, n)
        REFUSED(s, look_up, n)
        if (n > NX_MAX_BIASES) REFUSED(s, biases, n)
        if (n > 30) REFUSED(t, length, n)
        REFUSED(t, counts[0], n)
        REFUSED(t, counts[NX_PORTS - 1], n)
        if (n != 8) REFUSED(t, key_bits, n)
#undef REFUSED
    }
    nx_settings none = plain;
    none.samples = 0;
    CHECK_INT(nx_session_size(model, 0, &none, &shape, &bytes), NX_E_ARGUMENT);
}

/* Tests a run of a text model in which half of the positions are known and half are drawn. Output buffers have the size stated in the
 * manual. If an argument is refused, nothing may be written. Calls with such an argument therefore get a buffer of size zero. */
static void runs(void) {
    const nx_model *model = text_model();
    nx_shape shape = {.length = 20};
    nx_settings settings = plain;
    settings.maps = 1, settings.biases = 2;
    size_t bytes, size;
    nx_session *session = open_part(model, 0, &settings, &shape, &bytes), *other, *to = open_part(model, 0, &settings, &shape, &size);
    uint32_t drawn, count, over, nothing[1], *ids = memory_take(2 * 20 * sizeof *ids);
    float no_weights[1], *nats = memory_take(2 * 20 * sizeof *nats);
    CHECK_INT(nx_session_draw(model, session, 10, ids, nats, &drawn), NX_OK);
    void *before = memory_copy(session, bytes);
    for (uint32_t i = 0; i < BEYOND; i++) {
        uint32_t n = beyond[i], many = n < 20 ? n + 20 : n;
        check_at("%lld", n, 0, 0, 0);
        CHECK_INT(nx_session_input(model, session, n, nothing, 1), NX_E_ARGUMENT);
        CHECK_INT(nx_session_put(model, session, nothing, many, 0, nats), NX_E_ARGUMENT);
        CHECK_INT(nx_session_put(model, session, (uint32_t[]){n < 40 ? 40 : n}, 1, 0, nats), NX_E_ARGUMENT);
        CHECK_INT(nx_session_draw(model, session, many, nothing, NULL, &drawn), NX_E_ARGUMENT);
        CHECK_INT(nx_session_resample(model, session, (uint32_t[]){0, n}), NX_E_ARGUMENT);
        CHECK_INT(nx_session_top(model, session, n < 41 ? 41 : n, nothing, no_weights), NX_E_ARGUMENT);
        CHECK_INT(nx_session_bias(model, session, nothing, no_weights, n), NX_E_ARGUMENT);
        CHECK_INT(nx_session_bias(model, session, (uint32_t[]){n < 40 ? 40 : n}, (float[]){0}, 1), NX_E_ARGUMENT);
        CHECK_INT(nx_session_ahead(model, session, n < 11 ? 11 : n, 0, (uint8_t *)nothing), NX_E_ARGUMENT);
        CHECK_INT(nx_session_ahead(model, session, 1, many, (uint8_t *)nothing), NX_E_ARGUMENT);
        CHECK_INT(nx_session_map(model, session, n, 0, 0, nothing, no_weights, &count), NX_E_ARGUMENT);
        CHECK_INT(nx_session_map(model, session, 0, n, 0, nothing, no_weights, &count), NX_E_ARGUMENT);
        CHECK_INT(nx_session_map(model, session, 0, 0, n, nothing, no_weights, &count), NX_E_ARGUMENT);
        CHECK_INT(nx_session_result(model, session, n, 0, 1, nothing), NX_E_ARGUMENT);
        CHECK_INT(nx_session_result_count(model, session, n, &count), NX_E_ARGUMENT);
        CHECK_INT(nx_session_branch(model, to, session, n, 0), NX_E_ARGUMENT);
        CHECK_INT(nx_session_branch(model, to, session, 0, many), NX_E_ARGUMENT);
        if (n > 30) CHECK_INT(nx_session_grown_size(model, session, n, &size), NX_E_ARGUMENT);
        if (n > 30) CHECK_INT(nx_session_grow(nothing, 4, model, session, n, &other), NX_E_ARGUMENT);
        CHECK_INT(nx_session_check(model, before, n < bytes ? n : bytes - 1), NX_E_STATE);
    }
    CHECK_INT(nx_session_grow(nothing, 4, model, session, 30, &other), NX_E_MEMORY);
    CHECK_INT(nx_session_grown_size(model, session, 20, &size), NX_E_ARGUMENT);
    CHECK_INT(nx_session_put(model, session, nothing, 0, 0, NULL), NX_OK);
    CHECK_INT(nx_session_draw(model, session, 0, nothing, NULL, NULL), NX_OK);
    CHECK_BYTES(session, before, bytes);
    settings.temperature = 101;
    CHECK_INT(nx_session_search(model, to, 2.1f, NULL, &count, &over), NX_E_ARGUMENT);
    CHECK_INT(nx_session_check(model, session, bytes), NX_OK);
    CHECK_INT(nx_session_check(model, nothing, 0), NX_E_STATE);
}

/* Reads the results of a part without a sequence. */
static void results(void) {
    const nx_model *model = triad_open();
    nx_settings one = plain;
    one.samples = 1;
    size_t bytes;
    uint32_t sound[8] = {1, 2, 3, 4, 0, 0, 5, 6}, nothing[1], count;
    nx_session *session = open_part(model, TRIAD_ENCODER, &one, &(nx_shape){.counts = {8}}, &bytes);
    CHECK_INT(nx_session_input(model, session, 0, sound, 8), NX_OK);
    while (nx_session_encode(model, session) == NX_MORE) {}
    CHECK_INT(nx_session_result_count(model, session, TRIAD_OF_CODES, &count), NX_OK);
    CHECK_INT(count, 3);
    for (uint32_t i = 0; i < BEYOND; i++) {
        uint32_t n = beyond[i];
        check_at("%lld", n, 0, 0, 0);
        CHECK_INT(nx_session_result(model, session, TRIAD_OF_CODES, n, 0, nothing), NX_E_ARGUMENT);
        CHECK_INT(nx_session_result(model, session, TRIAD_OF_CODES, 0, n, nothing), NX_E_ARGUMENT);
        CHECK_INT(nx_session_result(model, session, TRIAD_OF_CODES, 2, n, nothing), NX_E_ARGUMENT);
        CHECK_INT(nx_session_result(model, session, n, 0, 1, nothing), NX_E_ARGUMENT);
        CHECK_INT(nx_session_input(model, session, 0, nothing, n), NX_E_ARGUMENT);
    }
    CHECK_INT(nx_session_result(model, session, TRIAD_OF_CODES, 3, 0, nothing), NX_OK);
}

const check_test limits_tests[] = {
    {"descriptions of a model", descriptions},
    {"files and their pieces", files},
    {"settings and shapes", sessions},
    {"runs", runs},
    {"results", results},
    {0},
};

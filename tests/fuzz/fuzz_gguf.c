/* SPDX-License-Identifier: MIT
 *
 * Fuzzes the code that reads files and saved sessions. Run it with ./build.sh fuzz [seconds].
 *
 * An input is a file. Processing it must take at most three seconds and 256 MB. The file is checked, opened and run (toy_exercise). The
 * last bytes of the input then determine how two sessions are damaged. One session draws with every option that changes the distribution.
 * The results of the other session are read. If the check accepts a damaged session, the session must continue safely.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "model.h"
#include "session/session.h"
#include "toy.h"

#define MOST (1u << 17) /* models and sessions that need more bytes than this are not run; the seeds need less */
#define STEPS 6u        /* number of steps after the damage */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Damages a session. Every four bytes of the input specify a location (in the header or anywhere) and the value to write there. */
static void damage_session(uint8_t *block, size_t bytes, const uint8_t *data, size_t size) {
    const uint8_t *end = data + size;
    for (int i = 0; i < 3 && end - data >= 8; i++) {
        uint32_t word, value;
        memcpy(&word, end -= 4, 4);
        memcpy(&value, end -= 4, 4);
        size_t at = 4 * (word & 1 ? (word >> 1) % 48 : (word >> 1) % (bytes / 4));
        memcpy(block + at, &value, 4);
    }
}

static void fuzz_session(const nx_model *model, const uint8_t *data, size_t size) {
    picture_settings settings = toy_settings(size & 4 ? 1 : 2, 1);
    picture_info info;
    size_t bytes;
    settings.maps = size & 1;
    settings.look_ahead = 16;
    picture_info_of(model, &info);
    if (picture_size(model, &settings, &bytes) || bytes > MOST || info.input_height * info.input_width > 400) return;
    nx_session *session = toy_session(model, &settings, NULL);
    uint32_t known = info.positions < 10 ? info.positions / 2 : 5, E = info.position_elements;
    uint8_t *values = memory_take(STEPS * NX_MAX_SAMPLES * E), ahead[STEPS];
    float *nats = memory_take(STEPS * NX_MAX_SAMPLES * E * sizeof *nats), *output = memory_take(info.outputs * sizeof *output);
    float *weights = memory_take((size_t)info.rows * info.window * sizeof *weights);
    uint32_t *keys = memory_take(info.window * sizeof *keys), count;
    memset(values, 1, STEPS * NX_MAX_SAMPLES * E);
    picture_prefill(model, session, values, known, nats);
    if (size & 2) picture_step(model, session, info.positions - known < 4 ? 1 : 4, values, nats);
    damage_session((uint8_t *)session, bytes, data, size);
    if (nx_session_check(model, session, bytes) != NX_OK) return;
    picture_prefill(model, session, values, 2, nats);
    uint32_t at = nx_session_position(session), left = info.positions - at;
    picture_step(model, session, left < STEPS ? left : STEPS, values, nats);
    nx_session_ahead(model, session, at, nx_session_position(session) - at, ahead);
    nx_session_output(model, session, 1, output);
    picture_attention(model, session, 1, weights, keys, &count);
}

/* Returns the settings of a draw. The last bytes of the input determine the settings. Most of the settings are within their ranges. */
static nx_settings shaping_of(const uint8_t *data, size_t size) {
    uint8_t by[12] = {0};
    memcpy(by, data + (size < 12 ? 0 : size - 12), size < 12 ? size : 12);
    nx_settings s = {
        .seed_low = by[0], .samples = 1 + by[1] % 3, .temperature = (float)(by[2] % 8) / 4, .top_k = by[3] % 6, .maps = by[4] & 1};
    s.top_p = by[5] & 1 ? 1 : (float)(1 + by[5]) / 256, s.typical_p = (float)(by[6] % 5) / 4, s.min_p = by[7] & 1 ? 0 : (float)by[7] / 255;
    s.temperature_last = by[8] & 1, s.penalty_last = by[8] >> 1 & 7, s.repetition = by[9] & 1 ? 0 : (float)(1 + by[9]) / 64;
    s.frequency = (float)(by[10] - 128) / 32, s.presence = (float)(by[11] - 128) / 32, s.biases = by[11] & 3;
    s.look_ahead = by[1] % 3 ? 0 : 8, s.look_up = by[10] & 1;
    return s;
}

/* Gives a random number of random ids to every port. An optional port gets ids only if a bit of the input is set. Returns whether the run
 * can begin. */
static int give(const nx_model *model, nx_session *session, const nx_shape *shape, const uint8_t *data, size_t size) {
    nx_port port;
    for (uint32_t i = 0; nx_model_port(model, 0, i, &port) == NX_OK; i++) {
        if (port.optional && data[(size - 1 + i) % size] & 1) continue;
        if (!port.any_length) return 0;
        uint32_t count = shape->counts[port.like == NX_NONE ? i : port.like] * port.dims[1] * port.dims[2] * port.dims[3];
        uint32_t *ids = memory_take(count * sizeof *ids);
        for (uint32_t j = 0; j < count; j++) ids[j] = data[(size + j) % size] % port.values;
        if (nx_session_input(model, session, i, ids, count)) return 0;
    }
    return 1;
}

/* Sets and encodes all inputs of the model. Returns whether the run can begin. */
static int reads(const nx_model *model, nx_session *session, const nx_shape *shape, const uint8_t *data, size_t size) {
    if (!give(model, session, shape, data, size)) return 0;
    nx_status status;
    while ((status = nx_session_encode(model, session)) == NX_MORE) {}
    return status == NX_OK;
}

/* Reads the first and the last row of every map. */
static void look(const nx_model *model, const nx_session *session, const nx_shape *shape) {
    uint32_t count;
    nx_map map;
    for (uint32_t i = 0; nx_model_map(model, 0, i, &map) == NX_OK; i++) {
        size_t mark = memory_mark();
        uint32_t rows = map.rows * (map.queries ? nx_map_queries(&map, shape) : 1), *keys = memory_take(map.keys * sizeof *keys);
        float *weights = memory_take(map.keys * sizeof *weights);
        nx_session_map(model, session, 0, i, 0, keys, weights, &count);
        nx_session_map(model, session, 0, i, rows - 1, keys, weights, &count);
        nx_session_map(model, session, 0, i, rows, keys, weights, &count);
        memory_release(mark);
    }
}

/* Briefly runs any model that has one element per position: gives known ids, reads the most probable ids and the maps, draws, forks beams,
 * damages the session, and continues. */
static void fuzz_run(const nx_model *model, const uint8_t *data, size_t size) {
    nx_settings settings = shaping_of(data, size);
    nx_part_info part;
    nx_session *session = NULL;
    size_t bytes;
    nx_model_part(model, 0, &part);
    nx_shape shape = {.length = part.length && part.length < 20 ? part.length : 20};
    nx_port port;
    for (uint32_t i = 0; nx_model_port(model, 0, i, &port) == NX_OK; i++)
        if (port.any_length) shape.counts[i] = 1 + data[size - 1] % (port.dims[0] < 20 ? port.dims[0] : 20);
    if (part.span != 1 || nx_session_size(model, 0, &settings, &shape, &bytes) || bytes > MOST) return;
    if (nx_session_open(memory_take(bytes), bytes, model, 0, &settings, &shape, &session)) return;
    uint32_t ids[3 * 20], parents[3] = {1 % settings.samples, 0, 0}, biased[3] = {0, 1, 0}, drawn,
                          known = shape.length < 12 ? shape.length / 2 : 6;
    float nats[3 * 20], biases[3] = {1, -1e9f, 2};
    for (uint32_t i = 0; i < 20; i++) ids[i] = i % 3 % part.values;
    if (!reads(model, session, &shape, data, size)) return;
    if (nx_session_bias(model, session, biased, biases, settings.biases < part.values ? settings.biases : 0)) return;
    if (nx_session_put(model, session, ids, known, 0, nats)) return;
    for (int part_of = 0; part_of < 2; part_of++) {
        uint32_t left = shape.length - nx_session_position(session);
        nx_session_draw(model, session, left < 5 ? left : 5, ids, nats, &drawn);
        nx_session_top(model, session, 1, ids, nats);
        for (uint32_t b = 0; b < 3; b++) ids[b] = 1 % part.values;
        nx_session_advance(model, session, parents, ids);
        nx_session_resample(model, session, parents);
        look(model, session, &shape);
        if (part_of) return;
        damage_session((uint8_t *)session, bytes, data, size);
        if (nx_session_check(model, session, bytes) != NX_OK) return;
    }
}

/* Runs a beam search with any model that has one element per position, and damages the session between two steps. */
static void fuzz_search(const nx_model *model, const uint8_t *data, size_t size) {
    nx_settings settings = {.samples = 1 + data[size - 1] % 3, .temperature = 1, .top_p = 1};
    nx_candidate candidates[3 * (1 + 8)];
    nx_part_info part;
    nx_session *session = NULL;
    size_t bytes;
    uint32_t count, over = 0;
    nx_model_part(model, 0, &part);
    nx_shape shape = {.length = part.length && part.length < 20 ? part.length : 20};
    nx_port port;
    for (uint32_t i = 0; nx_model_port(model, 0, i, &port) == NX_OK; i++)
        if (port.any_length) shape.counts[i] = 1;
    if (part.span != 1 || nx_session_size(model, 0, &settings, &shape, &bytes) || bytes > MOST) return;
    if (nx_session_open(memory_take(bytes), bytes, model, 0, &settings, &shape, &session) || !reads(model, session, &shape, data, size))
        return;
    for (int step = 0; step < 6 && !over; step++) {
        if (nx_session_search(model, session, (float)(data[0] % 21) / 10, candidates, &count, &over)) return;
        CHECK(count >= 1 && count <= settings.samples * (1 + part.ends));
        if (step != 2) continue;
        damage_session((uint8_t *)session, bytes, data, size);
        if (nx_session_check(model, session, bytes) != NX_OK) return;
        if (session->settings.samples > 3) return; /* more samples would exceed the array */
    }
}

/* Returns the number of values of a result. */
static uint32_t result_numbers(const nx_result *result, const nx_shape *shape) {
    return (result->rows == NX_ROWS_OF_INPUT ? shape->counts[result->rows_of] : result->dims[0]) * result->dims[1] * result->dims[2] *
           result->dims[3];
}

/* Reads random ranges of every result of `session`; some ranges extend past the end. `whole` is null or a completely encoded session that
 * must have the same values. `done` is 1 if every range within the results must be available. */
static void read_results(const nx_model *model, const nx_session *session, const nx_session *whole, int done, const nx_shape *shape,
                         check_random *random) {
    nx_result result;
    for (uint32_t i = 0; nx_model_result(model, 0, i, &result) == NX_OK; i++) {
        size_t mark = memory_mark();
        uint32_t n = result_numbers(&result, shape), from = random_below(random, n + 2),
                 count = random_below(random, n - (from < n ? from : n) + 2);
        uint32_t *out = memory_take(count * sizeof *out), *same = memory_take(count * sizeof *same);
        nx_status status = nx_session_result(model, session, i, from, count, out);
        uint32_t there = 0;
        if (done) CHECK_INT(nx_session_result_count(model, session, i, &there), NX_OK), CHECK_INT(there, n);
        if (done) CHECK_INT(status, from <= n && count <= n - from ? NX_OK : NX_E_ARGUMENT);
        for (uint32_t j = 0; !status && result.values && j < count; j++) CHECK(!whole || out[j] < result.values);
        if (!status && whole && CHECK_INT(nx_session_result(model, whole, i, from, count, same), NX_OK))
            CHECK_BYTES(out, same, count * sizeof *out);
        memory_release(mark);
    }
}

/* Encodes the inputs of a part that has no sequence. After each slice, ranges of the results are read, and the session is saved and
 * restored. The results must equal those of an undisturbed run. Finally, the function damages a copy of the session that it made between
 * two slices. */
static void fuzz_results(const nx_model *model, const uint8_t *data, size_t size) {
    const nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    check_random random = {check_hash(0, data + (size < 12 ? 0 : size - 12), size < 12 ? size : 12)};
    nx_shape shape = {0};
    nx_part_info part;
    nx_port port;
    nx_session *whole = NULL, *session = NULL;
    nx_status status, expected;
    size_t bytes;
    nx_model_part(model, 0, &part);
    if (part.values) return;
    for (uint32_t i = 0; nx_model_port(model, 0, i, &port) == NX_OK; i++)
        if (port.any_length)
            shape.counts[i] =
                port.like == NX_NONE ? 1 + random_below(&random, port.dims[0] < 600 ? port.dims[0] : 600) : shape.counts[port.like];
    if (nx_session_size(model, 0, &settings, &shape, &bytes) || bytes > MOST) return;
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, &shape, &whole), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, &shape, &session), NX_OK);
    if (!give(model, whole, &shape, data, size) || !CHECK(give(model, session, &shape, data, size))) return;
    uint8_t *damaged = memory_copy(session, bytes);
    while ((expected = nx_session_encode(model, whole)) == NX_MORE) {}
    CHECK(expected == NX_OK || expected == NX_E_NUMERIC);
    do {
        CHECK_INT(nx_session_check(model, session, bytes), NX_OK);
        nx_session *restored = memory_copy(session, bytes);
        memset(session, 0xff, bytes);
        session = restored;
        if (random_below(&random, 3) == 0) memcpy(damaged, session, bytes);
        status = nx_session_encode(model, session);
        read_results(model, session, expected ? NULL : whole, status == NX_OK, &shape, &random);
    } while (status == NX_MORE);
    CHECK_INT(status, expected);
    damage_session(damaged, bytes, data, size);
    if (nx_session_check(model, damaged, bytes) != NX_OK) return;
    session = (nx_session *)damaged;
    for (int slice = 0; slice < 100 && nx_session_encode(model, session) == NX_MORE; slice++)
        read_results(model, session, NULL, 0, &shape, &random);
    read_results(model, session, NULL, 0, &shape, &random);
}

/* Opens the same file piece by piece. If the whole file was accepted, the model is complete after the last piece, and has the same
 * fingerprint. Otherwise, an error is returned. */
static void fuzz_feed(const nx_model *whole, const uint8_t *data, size_t size) {
    size_t bytes, present = size - (size > 100 ? data[size - 1] % 100u : 0);
    nx_model *model = NULL;
    nx_tensor_info info;
    nx_status status = nx_model_head_size(data, present, size, &bytes, NULL);
    if (status || bytes > MOST) return;
    CHECK_INT(nx_model_begin(memory_take(bytes), bytes, data, present, size, &model, NULL), NX_OK);
    for (uint32_t t = 0; nx_model_tensor(model, t, &info) == NX_OK && status >= 0; t++)
        for (uint32_t row = 0, n = 1 + size % 5; row < info.rows && info.row_bytes && status >= 0; row += n) {
            uint32_t rows = info.rows - row < n ? info.rows - row : n;
            status = nx_model_feed(model, t, row, rows, data + info.offset + (size_t)row * info.row_bytes, NULL);
        }
    if (whole)
        CHECK(status == NX_OK && model->fingerprint == whole->fingerprint);
    else
        CHECK(status == NX_E_NUMERIC || status == NX_E_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t mark = memory_mark(), bytes;
    nx_model *model;
    if (toy_exercise(data, size, MOST) == NX_OK && nx_model_size(data, size, &bytes, NULL) == NX_OK && bytes <= MOST &&
        nx_model_open(memory_take(bytes), bytes, data, size, &model, NULL) == NX_OK) {
        fuzz_session(model, data, size);
        fuzz_run(model, data, size);
        fuzz_search(model, data, size);
        fuzz_results(model, data, size);
        fuzz_feed(model, data, size);
    } else
        fuzz_feed(NULL, data, size);
    memory_release(mark);
    if (check_failures()) abort();
    return 0;
}

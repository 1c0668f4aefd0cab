/* SPDX-License-Identifier: MIT
 *
 * Tests sessions of a part without a sequence. The model is the relay (relay.h). Interrupting, copying and reading the session must not
 * change any bit of the results. The session must draw nothing, and the ids of its first result must be a valid input of the next part.
 */
#include <string.h>

#include "check.h"
#include "relay.h"
#include "session/session.h"

#define WORDS 11u

static hasher_config config;
static const nx_settings plain = {.samples = 1, .temperature = 1, .top_p = 1};
static const uint32_t some[WORDS] = {3, 14, 15, 9, 26, 5, 35, 8, 48, 0, 1};

static const nx_model *model_of(void) {
    config = (hasher_config){.slices = 1, .end = 1};
    return relay_open(&config);
}

static nx_session *open_part(const nx_model *model, uint32_t part, const nx_settings *settings, const nx_shape *shape, size_t *bytes) {
    nx_session *session = NULL;
    size_t size = 0;
    if (!CHECK_INT(nx_session_size(model, part, settings, shape, &size), NX_OK)) return NULL;
    CHECK_INT(nx_session_open(memory_take(size), size, model, part, settings, shape, &session), NX_OK);
    if (bytes) *bytes = size;
    return session;
}

/* Opens a session of the first part and sets `words` as the input. */
static nx_session *given(const nx_model *model, const uint32_t *words, uint32_t n, size_t *bytes) {
    nx_session *session = open_part(model, 0, &plain, &(nx_shape){.counts = {n}}, bytes);
    if (session) CHECK_INT(nx_session_input(model, session, 0, words, n), NX_OK);
    return session;
}

static nx_status encode_all(const nx_model *model, nx_session *session) {
    nx_status status = NX_MORE;
    for (int calls = 0; status == NX_MORE && CHECK(calls < 1000); calls++) status = nx_session_encode(model, session);
    return status;
}

/* All results for an input of WORDS words. */
typedef struct {
    uint32_t marks[WORDS];
    float floats[3 * WORDS], sums[2];
} results;

static results read_all(const nx_model *model, const nx_session *session) {
    results r;
    CHECK_INT(nx_session_result(model, session, RELAY_OF_MARK, 0, WORDS, r.marks), NX_OK);
    CHECK_INT(nx_session_result(model, session, RELAY_OF_FLOATS, 0, 3 * WORDS, r.floats), NX_OK);
    CHECK_INT(nx_session_result(model, session, RELAY_OF_SUMS, 0, 2, r.sums), NX_OK);
    return r;
}

static void described(void) {
    const nx_model *model = model_of();
    nx_part_info info;
    CHECK_INT(nx_model_parts(model), 2);
    CHECK_INT(nx_model_part(model, 0, &info), NX_OK);
    CHECK(!info.values && !info.span && !info.outputs && !info.length && !info.draft && !info.ends && info.inputs == 2 && info.results == 3);
    CHECK_INT(nx_model_part(model, 1, &info), NX_OK);
    CHECK(info.values == HASHER_VALUES && info.results == 0);
    nx_result result;
    nx_port port;
    CHECK_INT(nx_model_result(model, 0, RELAY_OF_FLOATS, &result), NX_OK);
    CHECK(!strcmp(result.name, "floats") && result.values == 0 && result.dims[0] == RELAY_WORDS && result.dims[1] == 3 && result.rows == NX_ROWS_OF_INPUT && result.rows_of == 0);
    CHECK_INT(nx_model_result(model, 0, RELAY_OF_MARK, &result), NX_OK);
    CHECK_INT(nx_model_port(model, 1, 0, &port), NX_OK);
    CHECK(!strcmp(result.name, port.name) && result.values == port.values && port.like == NX_NONE); /* the port accepts this result */
    CHECK_INT(nx_model_port(model, 0, 1, &port), NX_OK);
    CHECK_INT(port.like, 0);
    CHECK_INT(nx_model_result(model, 0, RELAY_RESULTS, &result), NX_E_ARGUMENT);
    CHECK_INT(nx_model_result(model, 1, 0, &result), NX_E_ARGUMENT);
    CHECK_INT(nx_model_result(model, 2, 0, &result), NX_E_ARGUMENT);
}

static void sizes(void) {
    const nx_model *model = model_of();
    size_t bytes = 0, least;
    nx_settings s = plain;
#define STATUS(settings, status, ...) CHECK_INT(nx_session_size(model, 0, settings, &(nx_shape){__VA_ARGS__}, &bytes), status)
    CHECK_INT(nx_session_size(model, 0, &plain, NULL, &bytes), NX_OK);
    STATUS(&plain, NX_OK, .counts = {RELAY_WORDS});
    STATUS(&plain, NX_E_ARGUMENT, .counts = {RELAY_WORDS + 1});
    STATUS(&plain, NX_E_ARGUMENT, .length = 1); /* this part has no positions */
    STATUS(&plain, NX_OK, .counts = {3});
    least = bytes;
    STATUS(&plain, NX_OK, .counts = {3, 3});
    CHECK_INT(bytes, least); /* the size is the same, because it includes one hint per word, whether the hint is given or not */
    STATUS(&plain, NX_E_ARGUMENT, .counts = {3, 2});
    STATUS(&plain, NX_E_ARGUMENT, .counts = {0, 2}); /* a count of 0 means the maximum number of words */
    STATUS(&plain, NX_E_ARGUMENT, .counts = {3, 3, 1});
    s.samples = 2;
    STATUS(&s, NX_E_ARGUMENT, .counts = {3});
    s = plain, s.biases = 1;
    STATUS(&s, NX_E_ARGUMENT, .counts = {3});
#undef STATUS
    nx_session *session;
    uint8_t *block = memory_take(least);
    CHECK_INT(nx_session_open(block, least - 1, model, 0, &plain, &(nx_shape){.counts = {3}}, &session), NX_E_MEMORY);
    CHECK_INT(nx_session_open(block, least, model, 0, &plain, &(nx_shape){.counts = {3}}, &session), NX_OK);
    CHECK_INT(nx_session_input(model, session, 1, some, 2), NX_E_ARGUMENT);
    CHECK_INT(nx_session_input(model, session, 0, some, 3), NX_OK);
}

/* Results grow slice by slice, and any range of the available results can be read. */
static void ranges(void) {
    const nx_model *model = model_of();
    nx_session *session = open_part(model, 0, &plain, &(nx_shape){.counts = {WORDS}}, NULL);
    uint32_t mark[WORDS + 1];
    float floats[3], all[3 * WORDS];
    CHECK_INT(nx_session_result(model, session, RELAY_OF_MARK, 0, 0, mark), NX_E_ARGUMENT);
    CHECK_INT(nx_session_encode(model, session), NX_E_ARGUMENT); /* the words are required, whereas the hints are optional */
    CHECK_INT(nx_session_input(model, session, 0, some, WORDS), NX_OK);
    for (uint32_t i = 0; i < WORDS; i++) {
        check_at("word %lld", i, 0, 0, 0);
        CHECK_INT(nx_session_encode(model, session), i + 1 < WORDS ? NX_MORE : NX_OK);
        CHECK_INT(nx_session_result(model, session, RELAY_OF_MARK, i, 1, mark), NX_OK);
        CHECK_INT(*mark, relay_mark(some, i, floats));
        CHECK_INT(nx_session_result(model, session, RELAY_OF_MARK, i, 2, mark), NX_E_ARGUMENT);
        CHECK_INT(nx_session_result(model, session, RELAY_OF_MARK, i + 1, 0, mark), NX_OK);
        CHECK_INT(nx_session_result(model, session, RELAY_OF_MARK, i + 2, 0, mark), NX_E_ARGUMENT);
        CHECK_INT(nx_session_result(model, session, RELAY_OF_FLOATS, 3 * i, 3, all + 3 * i), NX_OK);
        CHECK_FLOATS(all + 3 * i, floats, 3);
        CHECK_INT(nx_session_result(model, session, RELAY_OF_SUMS, 0, 2, floats), i + 1 < WORDS ? NX_E_ARGUMENT : NX_OK);
    }
    CHECK_INT(nx_session_result(model, session, RELAY_OF_MARK, 1, UINT32_MAX, mark), NX_E_ARGUMENT);
    CHECK_INT(nx_session_result(model, session, RELAY_OF_MARK, UINT32_MAX, 2, mark), NX_E_ARGUMENT);
    CHECK_INT(nx_session_result(model, session, RELAY_RESULTS, 0, 0, mark), NX_E_ARGUMENT);
    CHECK_INT(nx_session_encode(model, session), NX_OK);
    results r = read_all(model, session);
    CHECK_FLOATS(r.floats, all, 3 * WORDS);
}

/* A copy of a session can be made after any slice. The copy continues and gives the same bits as an uninterrupted session. */
static void interrupted(void) {
    const nx_model *model = model_of();
    size_t bytes;
    nx_session *session = given(model, some, WORDS, &bytes);
    CHECK_INT(encode_all(model, session), NX_OK);
    results all = read_all(model, session);
    for (uint32_t at = 0; at <= WORDS; at++) {
        size_t mark = memory_mark();
        check_at("after %lld slices", at, 0, 0, 0);
        nx_session *one = given(model, some, WORDS, NULL);
        for (uint32_t i = 0; i < at; i++) nx_session_encode(model, one);
        CHECK_INT(nx_session_check(model, one, bytes), NX_OK);
        nx_session *copy = memory_copy(one, bytes);
        memset(one, 0xff, bytes); /* overwrites the abandoned session */
        CHECK_INT(encode_all(model, copy), NX_OK);
        results r = read_all(model, copy);
        CHECK_BYTES(&r, &all, sizeof r);
        if (at < WORDS) CHECK_INT(nx_session_input(model, given(model, some, WORDS, NULL), 0, some, WORDS), NX_E_ARGUMENT);
        nx_session *branch = open_part(model, 0, &plain, &(nx_shape){.counts = {WORDS}}, NULL);
        CHECK_INT(nx_session_branch(model, branch, copy, 0, 0), NX_OK);
        CHECK_INT(encode_all(model, branch), NX_OK);
        r = read_all(model, branch);
        CHECK_BYTES(&r, &all, sizeof r);
        memory_release(mark);
    }
}

static void hinted(void) {
    const nx_model *model = model_of();
    nx_session *session = given(model, some, WORDS, NULL);
    uint32_t hints[WORDS];
    for (uint32_t i = 0; i < WORDS; i++) hints[i] = i == 4 ? 2 : RELAY_FREE;
    CHECK_INT(nx_session_input(model, session, 1, hints, WORDS - 1), NX_E_ARGUMENT);
    CHECK_INT(nx_session_input(model, session, 1, hints, WORDS), NX_OK);
    CHECK_INT(encode_all(model, session), NX_OK);
    results r = read_all(model, session);
    float floats[3];
    for (uint32_t i = 0; i < WORDS; i++) CHECK_INT(r.marks[i], i == 4 ? 2 : relay_mark(some, i, floats));
}

/* Once a value is not finite, the session returns an error and no results. */
static void broken(void) {
    const nx_model *model = model_of();
    uint32_t words[WORDS], mark;
    memcpy(words, some, sizeof words);
    words[3] = RELAY_BREAKS;
    size_t bytes;
    nx_session *session = given(model, words, WORDS, &bytes);
    CHECK_INT(encode_all(model, session), NX_E_NUMERIC);
    CHECK_INT(nx_session_encode(model, session), NX_E_NUMERIC);
    CHECK_INT(nx_session_result(model, session, RELAY_OF_MARK, 0, 1, &mark), NX_E_NUMERIC);
    CHECK_INT(nx_session_put(model, session, &mark, 0, 0, NULL), NX_E_NUMERIC);
    CHECK_INT(nx_session_check(model, session, bytes), NX_OK);
    CHECK_INT(nx_session_result(model, memory_copy(session, bytes), RELAY_OF_MARK, 0, 1, &mark), NX_E_NUMERIC);
}

/* A part without a sequence has neither known nor drawn ids. */
static void nothing_drawn(void) {
    const nx_model *model = model_of();
    size_t bytes;
    nx_session *session = given(model, some, WORDS, &bytes);
    CHECK_INT(encode_all(model, session), NX_OK);
    results before = read_all(model, session);
    nx_session *copy = memory_copy(session, bytes);
    uint32_t ids[4] = {0}, drawn = 9, count, over, keys[4];
    float nats[4];
    nx_candidate candidates[4];
    CHECK_INT(nx_session_put(model, session, ids, 1, 0, nats), NX_E_ARGUMENT);
    CHECK_INT(nx_session_put(model, session, ids, 0, 0, nats), NX_E_ARGUMENT);
    CHECK_INT(nx_session_draw(model, session, 1, ids, nats, &drawn), NX_E_ARGUMENT);
    CHECK_INT(drawn, 0);
    CHECK_INT(nx_session_draw(model, session, 0, ids, nats, NULL), NX_E_ARGUMENT);
    CHECK_INT(nx_session_resample(model, session, ids), NX_E_ARGUMENT);
    CHECK_INT(nx_session_top(model, session, 1, ids, nats), NX_E_ARGUMENT);
    CHECK_INT(nx_session_advance(model, session, ids, ids), NX_E_ARGUMENT);
    CHECK_INT(nx_session_search(model, session, 0, candidates, &count, &over), NX_E_ARGUMENT);
    CHECK_INT(nx_session_bias(model, session, ids, nats, 1), NX_E_ARGUMENT);
    CHECK_INT(nx_session_output(model, session, 0, nats), NX_E_ARGUMENT);
    CHECK_INT(nx_session_map(model, session, 0, 0, 0, keys, nats, &count), NX_E_ARGUMENT);
    CHECK_INT(nx_session_ahead(model, session, 0, 1, (uint8_t *)ids), NX_E_ARGUMENT);
    CHECK_INT(nx_session_position(session), 0);
    CHECK_BYTES(session, copy, bytes);
    results after = read_all(model, session);
    CHECK_BYTES(&after, &before, sizeof after);
}

/* The ids of a result are an input of the next part, and the run of that part depends on them. */
static void relayed(void) {
    const nx_model *model = model_of();
    nx_session *first = given(model, some, WORDS, NULL);
    CHECK_INT(encode_all(model, first), NX_OK);
    results r = read_all(model, first);
    uint32_t ids[2][12], drawn;
    for (int i = 0; i < 2; i++) {
        nx_session *second = open_part(model, 1, &plain, &(nx_shape){.length = 12, .counts = {WORDS}}, NULL);
        r.marks[5] = (r.marks[5] + (uint32_t)i) % RELAY_MARKS;
        CHECK_INT(nx_session_result(model, second, 0, 0, 0, ids), NX_E_ARGUMENT); /* this part has no results */
        CHECK_INT(nx_session_input(model, second, 0, r.marks, WORDS), NX_OK);
        CHECK_INT(encode_all(model, second), NX_OK);
        memset(ids[i], 0xff, sizeof ids[i]);
        CHECK_INT(nx_session_draw(model, second, 12, ids[i], NULL, &drawn), NX_OK);
    }
    CHECK(memcmp(ids[0], ids[1], sizeof ids[0]));
    CHECK_INT(config.misused, 0);
}

/* A damaged session is either refused or continues safely. */
static void damaged(void) {
    const nx_model *model = model_of();
    check_random random = {5};
    size_t bytes;
    uint32_t passed = 0, words = 0;
    nx_session *session = given(model, some, WORDS, &bytes);
    for (int i = 0; i < 6; i++) nx_session_encode(model, session);
    for (int round = 0; round < 3000; round++) {
        size_t mark = memory_mark();
        nx_session *copy = memory_copy(session, bytes);
        uint32_t word = random_below(&random, 2) ? random_below(&random, WORDS + 2) : random_bits(&random), out[3 * RELAY_WORDS];
        size_t where = 4 * (size_t)random_below(&random, round % 2 ? sizeof(struct nx_session) / 4 : (uint32_t)bytes / 4);
        memcpy((uint8_t *)copy + where, &word, 4);
        if (nx_session_check(model, copy, bytes) == NX_OK) {
            passed++;
            nx_session_draw(model, copy, 1, out, (float *)out, NULL);
            if (copy->slices < 1000000 && encode_all(model, copy) == NX_OK)
                for (uint32_t i = 0; i < 3; i++) words += nx_session_result(model, copy, i, 0, 2, out) == NX_OK;
        }
        memory_release(mark);
    }
    check_note("  %u of 3000 pass", (unsigned)passed);
    CHECK(passed > 100 && passed < 2900 && words > 0);
}

const check_test results_tests[] = {
    {"parts and results", described},
    {"sizes without a sequence", sizes},
    {"read in ranges", ranges},
    {"interrupted, copied, branched", interrupted},
    {"a port with the same items as another port", hinted},
    {"numbers that break", broken},
    {"nothing is drawn", nothing_drawn},
    {"ids of a result are the input of the next part", relayed},
    {"damaged states", damaged},
    {0},
};

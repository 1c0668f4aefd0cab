/* SPDX-License-Identifier: MIT  Tests the data flow from part to part, with the triad (triad.h). */
#include "triad.h"

#include <string.h>

#include "check.h"
#include "reader.h"
#include "sampling/categorical.h"
#include "session/session.h"
#include "toy.h"

#define SAMPLES 61u /* number of samples of the sound: thirty pairs and one single sample */
#define DRAWN 40u

static float *dec; /* tensor dec.weight of the current model */

static toy_file file_of(void) {
    static const char *const names[] = {"enc.weight", "prior.weight", "dec.weight"};
    static const uint32_t cols[] = {2, TRIAD_VALUES, 2};
    check_random random = {31};
    toy_file head = {0}, data = {0};
    put_header(&head, 3, 1);
    put_key_text(&head, "general.architecture", "triad");
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t all = TRIAD_VALUES * cols[i];
        toy_tensor t = {.rows = TRIAD_VALUES, .cols = cols[i], .values = memory_take(all * sizeof(float))};
        memcpy(t.name, names[i], strlen(names[i]) + 1);
        for (uint32_t j = 0; j < all; j++) t.values[j] = i == 2 ? (float)random_below(&random, 50) : (float)random_normal(&random);
        if (i == 2) dec = t.values;
        put_tensor(&head, &data, &t);
    }
    while (head.length % 32) put_bytes(&head, "", 1);
    put_bytes(&head, data.bytes, data.length);
    return head;
}

/* Opens the triad. nx_model_open cannot do so, because the triad is not in the table of architectures. */
nx_model *triad_open(void) {
    toy_file file = file_of();
    nx_arena arena = {memory_take(1 << 16), 0, 1 << 16};
    nx_gguf *gguf = memory_take(sizeof *gguf);
    nx_model *model = memory_take(sizeof *model);
    memset(model, 0, sizeof *model);
    if (!CHECK_INT(nx_gguf_parse(gguf, file.bytes, file.length, file.length, NULL), NX_OK)) return NULL;
    nx_reader reader = {.file = gguf, .arena = &arena, .packing = NX_BY_ROW};
    nx_triad.configure(&reader, model->plan);
    if (!CHECK_INT(reader.status, NX_OK) || !CHECK(!nx_arena_full(&arena))) return NULL;
    memcpy(model->parameters, reader.parameters, sizeof model->parameters);
    model->arch = &nx_triad;
    model->fingerprint = 78;
    return model;
}

static nx_settings settings_of(uint32_t samples, uint32_t first) { return (nx_settings){.seed_low = 32, .samples = samples, .first_sample = first, .temperature = 1, .top_p = 1}; }

/* Opens a session of a part whose only input is `count` ids. */
static nx_session *given(const nx_model *model, uint32_t part, const nx_settings *settings, uint32_t length, const uint32_t *ids, uint32_t count, size_t *bytes) {
    nx_shape shape = {.length = length, .counts = {count}};
    nx_session *session = NULL;
    if (!CHECK_INT(nx_session_size(model, part, settings, &shape, bytes), NX_OK)) return NULL;
    CHECK_INT(nx_session_open(memory_take(*bytes), *bytes, model, part, settings, &shape, &session), NX_OK);
    CHECK_INT(nx_session_input(model, session, 0, ids, count), NX_OK);
    return session;
}

static void encode_all(const nx_model *model, nx_session *session) {
    nx_status status;
    while ((status = nx_session_encode(model, session)) == NX_MORE) {}
    CHECK_INT(status, NX_OK);
}

/* Writes a sound with silent passages. */
static void sound_of(uint32_t *sound) {
    check_random random = {33};
    for (uint32_t i = 0; i < SAMPLES; i++) sound[i] = i / 8 % 2 ? 0 : random_below(&random, TRIAD_LEVELS);
}

/* Computes the codes of the sound without the library. Returns the number of codes. */
static uint32_t codes_by_hand(const uint32_t *sound, uint32_t *codes) {
    uint32_t n = 0;
    for (uint32_t i = 0; i + 1 < SAMPLES; i += 2)
        if (sound[i] || sound[i + 1]) codes[n++] = triad_code(sound[i], sound[i + 1]);
    return n;
}

static void described(void) {
    static const char *const names[] = {"encoder", "prior", "decoder"};
    static const uint32_t weights[] = {32, 256, 32}, results[] = {2, 0, 1};
    const nx_model *model = triad_open();
    nx_part_info info;
    nx_result codes, levels;
    nx_port port;
    CHECK_INT(nx_model_parts(model), 3);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_INT(nx_model_part(model, i, &info), NX_OK);
        CHECK(!strcmp(info.name, names[i]) && info.parameters_low == weights[i] && !info.parameters_high && info.results == results[i] && !info.noisy);
    }
    CHECK_INT(nx_model_result(model, TRIAD_ENCODER, TRIAD_OF_CODES, &codes), NX_OK);
    CHECK_INT(nx_model_result(model, TRIAD_ENCODER, TRIAD_OF_LEVELS, &levels), NX_OK);
    CHECK(codes.rows == NX_ROWS_COUNTED && levels.rows == NX_ROWS_OF_RESULT && levels.rows_of == TRIAD_OF_CODES);
    CHECK_INT(nx_model_port(model, TRIAD_PRIOR, 0, &port), NX_OK);
    CHECK(!strcmp(codes.name, port.name) && codes.values == port.values && codes.dims[0] == port.dims[0]); /* the prior reads the codes */
    CHECK_INT(nx_model_port(model, TRIAD_DECODER, 0, &port), NX_OK);
    CHECK(!strcmp(names[TRIAD_PRIOR], port.name) && port.values == TRIAD_VALUES); /* the prior's ids are an input of the decoder */
}

/* The number of codes grows while the sound is read, and is final after the last sample. */
static void counted(void) {
    const nx_model *model = triad_open();
    uint32_t sound[SAMPLES], expected[SAMPLES], codes[SAMPLES], n, count = 99, last = 0;
    float levels[2 * SAMPLES];
    size_t bytes;
    nx_settings settings = settings_of(1, 0);
    sound_of(sound);
    n = codes_by_hand(sound, expected);
    nx_session *session = given(model, TRIAD_ENCODER, &settings, 0, sound, SAMPLES, &bytes);
    CHECK_INT(nx_session_result_count(model, session, TRIAD_OF_CODES, &count), NX_E_ARGUMENT); /* the encoder has read nothing yet */
    nx_status status = NX_MORE;
    for (uint32_t slice = 0; status == NX_MORE; slice++) {
        status = nx_session_encode(model, session);
        CHECK_INT(nx_session_result_count(model, session, TRIAD_OF_CODES, &count), NX_OK);
        check_at("slice %lld", slice, 0, 0, 0);
        CHECK(count >= last && count <= last + 1);
        CHECK_INT(nx_session_result(model, session, TRIAD_OF_CODES, 0, count, codes), NX_OK);
        CHECK_BYTES(codes, expected, count * sizeof *codes);
        CHECK_INT(nx_session_result(model, session, TRIAD_OF_CODES, 0, count + 1, codes), NX_E_ARGUMENT);
        last = count;
    }
    CHECK_INT(status, NX_OK);
    CHECK(n > 10 && n < SAMPLES / 2 - 5);
    CHECK_INT(count, n);
    CHECK_INT(nx_session_result_count(model, session, TRIAD_OF_LEVELS, &count), NX_OK);
    CHECK_INT(count, 2 * n);
    CHECK_INT(nx_session_result(model, session, TRIAD_OF_LEVELS, 0, count, levels), NX_OK);
    CHECK_INT(nx_session_result_count(model, session, 2, &count), NX_E_ARGUMENT);
    CHECK_INT(nx_session_result_count(model, session, UINT32_MAX, &count), NX_E_ARGUMENT);
    CHECK_INT(nx_session_check(model, session, bytes), NX_OK);
    session->broken = 1;
    CHECK_INT(nx_session_result_count(model, session, TRIAD_OF_CODES, &count), NX_E_NUMERIC);
    for (uint32_t i = 0; i < SAMPLES; i++) sound[i] = 0;
    session = given(model, TRIAD_ENCODER, &settings, 0, sound, SAMPLES, &bytes);
    encode_all(model, session);
    CHECK_INT(nx_session_result_count(model, session, TRIAD_OF_CODES, &count), NX_OK);
    CHECK_INT(count, 0); /* silence */
}

/* Draws the ids of one sample of the prior, given the codes of the sound. */
static void draw_ids(const nx_model *model, uint32_t sample, uint32_t *ids) {
    uint32_t sound[SAMPLES], codes[SAMPLES], drawn;
    size_t bytes;
    nx_settings settings = settings_of(1, sample);
    sound_of(sound);
    nx_session *prior = given(model, TRIAD_PRIOR, &settings, DRAWN, codes, codes_by_hand(sound, codes), &bytes);
    encode_all(model, prior);
    CHECK_INT(nx_session_draw(model, prior, DRAWN, ids, NULL, &drawn), NX_OK);
}

static void sound_by_hand(const uint32_t *ids, uint32_t *sound) {
    for (uint32_t i = 0; i < 2 * DRAWN; i++)
        sound[i] = triad_sample(i > 1 ? ids[i / 2 - 1] : 0, ids[i / 2], i / 2 + 1 < DRAWN ? ids[i / 2 + 1] : 0, dec[2 * ids[i / 2] + i % 2]);
}

/* Runs all parts: the encoder computes codes from a sound, the prior draws ids from the codes, and the decoder computes a sound from the
 * ids. */
static void flows(void) {
    const nx_model *model = triad_open();
    uint32_t ids[DRAWN], other[DRAWN], sound[2 * DRAWN], expected[2 * DRAWN], differ = 0, count;
    size_t bytes;
    nx_settings settings = settings_of(1, 0);
    draw_ids(model, 0, ids);
    draw_ids(model, 1, other);
    for (uint32_t i = 0; i < DRAWN; i++) differ += ids[i] != other[i];
    CHECK(differ > DRAWN / 4);
    nx_session *decoder = given(model, TRIAD_DECODER, &settings, 0, ids, DRAWN, &bytes);
    encode_all(model, decoder);
    CHECK_INT(nx_session_result_count(model, decoder, 0, &count), NX_OK);
    CHECK_INT(count, 2 * DRAWN);
    CHECK_INT(nx_session_result(model, decoder, 0, 0, 2 * DRAWN, sound), NX_OK);
    sound_by_hand(ids, expected);
    CHECK_BYTES(sound, expected, sizeof sound);
}

/* Each part of a model draws with its own stream of random numbers. */
static void streams(void) {
    const nx_model *model = triad_open();
    uint32_t sound[SAMPLES], codes[SAMPLES], n, ids[1], differ = 0, drawn;
    float z[TRIAD_VALUES], own[TRIAD_VALUES];
    size_t bytes;
    nx_settings settings = settings_of(1, 0);
    sound_of(sound);
    n = codes_by_hand(sound, codes);
    nx_session *prior = given(model, TRIAD_PRIOR, &settings, DRAWN, codes, n, &bytes);
    encode_all(model, prior);
    for (uint32_t p = 0; p < DRAWN; p++) {
        CHECK_INT(nx_session_draw(model, prior, 1, ids, NULL, &drawn), NX_OK);
        CHECK_INT(nx_session_output(model, prior, 0, z), NX_OK);
        float *first = memory_copy(z, sizeof z), *second = memory_copy(z, sizeof z);
        memcpy(own, z, sizeof own);
        CHECK_INT(*ids, nx_categorical_draw(first, TRIAD_VALUES, 1, (nx_noise){32, 0, 0, p, TRIAD_PRIOR}));
        differ += *ids != nx_categorical_draw(second, TRIAD_VALUES, 1, (nx_noise){32, 0, 0, p, 0});
    }
    CHECK(differ > DRAWN / 4);
}

/* While the prior draws, sessions of the decoder decode the ids that are already drawn, piece by piece. Each session also reads one id
 * before its piece and one id after it. Every session is saved after each slice and continued in a copy. The resulting sound must equal the
 * sound of a single run over all ids. */
static void side_by_side(void) {
    enum { PIECE = 5 };
    const nx_model *model = triad_open();
    uint32_t sound[SAMPLES], codes[SAMPLES], ids[DRAWN], alone[DRAWN], heard[2 * DRAWN], expected[2 * DRAWN], made = 0;
    nx_settings settings = settings_of(1, 0);
    size_t bytes, piece_bytes = 0;
    sound_of(sound);
    nx_session *prior = given(model, TRIAD_PRIOR, &settings, DRAWN, codes, codes_by_hand(sound, codes), &bytes), *piece = NULL;
    encode_all(model, prior);
    uint32_t drawn = 0, from = 0, to = 0, one;
    while (made < DRAWN) {
        if (drawn < DRAWN) {
            CHECK_INT(nx_session_draw(model, prior, 1, ids + drawn, NULL, &one), NX_OK);
            CHECK_INT(nx_session_check(model, prior, bytes), NX_OK);
            prior = memory_copy(prior, bytes);
            drawn++;
        }
        if (!piece && (drawn == DRAWN || made + PIECE < drawn)) { /* opens the next piece, which includes one id after it */
            from = made ? made - 1 : 0;
            to = made + PIECE < DRAWN ? made + PIECE + 1 : DRAWN;
            piece = given(model, TRIAD_DECODER, &settings, 0, ids + from, to - from, &piece_bytes);
        }
        if (!piece) continue;
        nx_status status = nx_session_encode(model, piece);
        CHECK_INT(nx_session_check(model, piece, piece_bytes), NX_OK);
        piece = memory_copy(piece, piece_bytes);
        if (status == NX_MORE) continue;
        uint32_t until = made + PIECE < DRAWN ? made + PIECE : DRAWN;
        CHECK_INT(nx_session_result(model, piece, 0, 2 * (made - from), 2 * (until - made), heard + 2 * made), NX_OK);
        made = until;
        piece = NULL;
    }
    draw_ids(model, 0, alone);
    CHECK_BYTES(ids, alone, sizeof ids);
    sound_by_hand(ids, expected);
    CHECK_BYTES(heard, expected, sizeof heard);
}

const check_test parts_tests[] = {
    {"names, weights and rows of results", described},
    {"the number of rows of a result is counted while it runs", counted},
    {"data flow from part to part", flows},
    {"each part has its own noise stream", streams},
    {"side by side", side_by_side},
    {0},
};

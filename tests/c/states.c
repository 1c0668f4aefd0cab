/* SPDX-License-Identifier: MIT  See states.h. */
#include "states.h"

#include <string.h>

#include "check.h"
#include "model.h"
#include "session/session.h"

#define MOST_BYTES (1u << 18) /* sessions of more bytes are skipped */
#define SLICES 4000u          /* more slices than the encoder of any toy has */
#define CALLS 6

/* ---- the stages of a run ---------------------------------------------------------------------------------------------------- */

static uint32_t numbers_of(const nx_port *port, const nx_shape *shape, uint32_t i) {
    return (port->any_length ? shape->counts[i] : port->dims[0]) * port->dims[1] * port->dims[2] * port->dims[3];
}

static void keep(states_subject *s, const nx_session *session) {
    if (s->n_stages == STATES_STAGES) return;
    CHECK_INT(nx_session_check(s->model, session, s->bytes), NX_OK);
    s->stage[s->n_stages++] = memory_copy(session, s->bytes);
}

/* Sets every input. Odd-numbered variants omit the optional inputs. */
static void give(const states_subject *s, nx_session *session, uint32_t variant) {
    nx_port port;
    for (uint32_t i = 0; nx_model_port(s->model, s->part, i, &port) == NX_OK; i++) {
        if (port.optional && variant % 2) continue;
        uint32_t count = numbers_of(&port, &s->shape, i), *ids = memory_take(count * sizeof *ids);
        for (uint32_t j = 0; j < count; j++) ids[j] = (j * 7 + 3) % port.values % 200;
        CHECK_INT(nx_session_input(s->model, session, i, ids, count), NX_OK);
    }
}

/* Saves the session at each stage: after its inputs, after some slices of encoding, and after known positions, drawn positions, or steps of
 * a search. */
static void stages(states_subject *s, uint32_t variant) {
    const nx_model *model = s->model;
    nx_session *session = NULL;
    nx_part_info part;
    nx_status status = NX_MORE;
    nx_model_part(model, s->part, &part);
    CHECK_INT(nx_session_open(memory_take(s->bytes), s->bytes, model, s->part, &s->settings, &s->shape, &session), NX_OK);
    keep(s, session);
    give(s, session, variant);
    for (uint32_t slice = 0; status == NX_MORE; slice++) {
        if (slice < 3 || (slice & (slice - 1)) == 0) keep(s, session);
        status = nx_session_encode(model, session);
    }
    keep(s, session);
    if (status != NX_OK || !part.values) return;
    uint32_t length = s->shape.length ? s->shape.length : part.length, known = length < 12 ? length / 3 : 4, B = s->settings.samples, over = 0, count;
    uint32_t *ids = memory_take((size_t)length * B * part.span * sizeof *ids);
    for (uint32_t i = 0; i < known * part.span; i++) ids[i] = (i * 5 + 1) % part.values;
    CHECK_INT(nx_session_put(model, session, ids, known, 0, NULL), NX_OK);
    keep(s, session);
    nx_candidate *candidates = memory_take(B * (1 + part.ends) * sizeof *candidates);
    for (uint32_t step = 0; step < 6 && nx_session_position(session) < length && !over; step++) {
        if (variant == 3 && part.span == 1 && !part.noisy)
            status = nx_session_search(model, session, 0.5f, candidates, &count, &over);
        else
            status = nx_session_draw(model, session, step < 4 || length - nx_session_position(session) < 3 ? 1 : 3, ids, NULL, NULL);
        if (status < 0) return;
        keep(s, session);
    }
    if (part.span == 1 && nx_session_position(session) < length && variant < 3) {
        float *nats = memory_take(B * sizeof *nats);
        if (nx_session_top(model, session, 1, ids, nats) == NX_OK) keep(s, session);
    }
}

int states_make(states_subject *s, const toy_row *row, const nx_model *model, uint32_t part, uint32_t variant) {
    nx_part_info info;
    nx_port port;
    nx_model_part(model, part, &info);
    if (variant >= (info.values ? STATES_VARIANTS : 2u)) return 0;
    *s = (states_subject){.model = model, .part = part, .settings = {.seed_low = 7, .samples = 1, .temperature = 1, .top_p = 1}};
    s->settings.maps = variant == 1;
    s->settings.hidden = (variant == 1 || variant == 3) && info.hidden_layers;
    if (variant == 0) s->settings.look_ahead = 8, s->settings.look_up = 1;
    if (variant >= 2) s->settings.samples = 3;
    if (variant == 2) s->settings.biases = 2, s->settings.penalty_last = 4, s->settings.repetition = 1.5f, s->settings.min_p = 0.1f;
    if (part == row->uses / TOY_PART) s->shape = row->shape;
    if (info.values && !s->shape.length) s->shape.length = info.length ? info.length : 20;
    for (uint32_t i = 0; nx_model_port(model, part, i, &port) == NX_OK; i++)
        if (port.any_length && !s->shape.counts[i]) s->shape.counts[i] = port.like == NX_NONE ? (port.dims[0] < 7 ? port.dims[0] : 7) : s->shape.counts[port.like];
    if (nx_session_size(model, part, &s->settings, &s->shape, &s->bytes) || s->bytes > MOST_BYTES) return 0;
    stages(s, variant);
    return s->n_stages > 0;
}

/* ---- damage ------------------------------------------------------------------------------------------------------------------- */

/* Reads choices from the bytes of an input, starting at its beginning. After the end of the input, all choices are zero. */
typedef struct {
    const uint8_t *at, *end;
} choices;

static uint32_t next(choices *c, uint32_t n) {
    uint32_t value = 0;
    for (uint32_t most = n - 1, shift = 0; most; most >>= 8, shift += 8) value |= (uint32_t)(c->at < c->end ? *c->at++ : 0) << shift;
    return value % n;
}

static uint32_t word_of(choices *c, uint32_t now) {
    static const uint32_t words[] = {0, 1, 2, 3, 7, 15, 16, 17, 63, 64, 65, 255, 256, 257, 65535, 65536, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
                                     0x3f800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7149f2ca, 0xf149f2ca};
    switch (next(c, 4)) {
    case 0:
        return now + next(c, 16) - 8;
    case 1:
        return words[next(c, sizeof words / sizeof *words)];
    case 2:
        return next(c, 256);
    default:
        return next(c, 0xffffffff);
    }
}

static void damage(choices *c, uint8_t *block, size_t bytes) {
    for (uint32_t i = next(c, 5); i; i--) {
        uint32_t *words = (uint32_t *)block, header = sizeof(struct nx_session) / 4, n = (uint32_t)bytes / 4;
        uint32_t at = next(c, 3) ? next(c, header) : next(c, n);
        words[at] = word_of(c, words[at]);
    }
}

/* ---- the calls that follow ------------------------------------------------------------------------------------------------------ */

static void look(const states_subject *s, const nx_session *session, choices *c) {
    nx_map map;
    nx_result result;
    nx_part_info part;
    uint32_t count;
    nx_model_part(s->model, session->part, &part);
    for (uint32_t i = 0; nx_model_map(s->model, session->part, i, &map) == NX_OK; i++) {
        uint32_t *keys = memory_take(map.keys * sizeof *keys);
        float *weights = memory_take(map.keys * sizeof *weights);
        nx_session_map(s->model, session, next(c, 3), i, next(c, 2) ? next(c, 256) : 0, keys, weights, &count);
    }
    for (uint32_t i = 0; nx_model_result(s->model, session->part, i, &result) == NX_OK; i++) {
        if (nx_session_result_count(s->model, session, i, &count)) continue;
        uint32_t *numbers = memory_take(count * sizeof *numbers);
        nx_status status = nx_session_result(s->model, session, i, 0, count, numbers);
        for (uint32_t j = 0; !status && result.values && j < count; j++) CHECK(numbers[j] < result.values);
    }
    if (part.values) nx_session_probabilities(s->model, (nx_session *)session, next(c, 3), next(c, 3), memory_take(part.values * sizeof(float)));
    float *output = memory_take((part.outputs + 1) * sizeof *output);
    nx_session_output(s->model, session, next(c, 3), output);
    uint32_t position = nx_session_position(session);
    uint8_t *ahead = memory_take(position);
    nx_session_ahead(s->model, session, 0, position, ahead);
}

static nx_session *branched(const states_subject *s, const nx_session *from, choices *c) {
    nx_settings settings = from->settings;
    nx_session *to = NULL;
    size_t bytes;
    if (next(c, 2)) settings.maps = 1;
    if (next(c, 2)) settings.hidden = s->model->plan[from->part].hidden_layers > 0;
    if (nx_session_size(s->model, from->part, &settings, &from->shape, &bytes) || bytes > 4 * MOST_BYTES) return NULL;
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, s->model, from->part, &settings, &from->shape, &to), NX_OK);
    uint32_t position = next(c, 2) ? nx_session_position(from) : next(c, 32);
    return nx_session_branch(s->model, to, from, next(c, 3), position) == NX_OK ? to : NULL;
}

static nx_session *grown(const states_subject *s, const nx_session *from, choices *c) {
    nx_session *to = NULL;
    size_t bytes;
    uint32_t length = from->shape.length + next(c, 9);
    if (nx_session_grown_size(s->model, from, length, &bytes) || bytes > 4 * MOST_BYTES) return NULL;
    return nx_session_grow(memory_take(bytes), bytes, s->model, from, length, &to) == NX_OK ? to : NULL;
}

/* Makes one call, whose kind is chosen by `c`. Returns the session to use for the next call. */
static nx_session *call(const states_subject *s, nx_session *session, choices *c) {
    const nx_model *model = s->model;
    uint32_t B = session->settings.samples, left = session->shape.length - session->position, n = next(c, 18), drawn, count, over;
    nx_part_info part;
    nx_model_part(model, session->part, &part);
    uint32_t room = (n + 1) * B * (part.span ? part.span : 1);
    uint32_t *ids = memory_take(room * sizeof *ids), parents[NX_MAX_SAMPLES];
    float *nats = memory_take(room * sizeof *nats);
    nx_session *other;
    for (uint32_t i = 0; i < room; i++) ids[i] = part.values ? i % 3 % part.values : 0;
    for (uint32_t b = 0; b < B; b++) parents[b] = next(c, 4) % B;
    switch (next(c, 13)) {
    case 0: {
        nx_status status = NX_MORE;
        for (uint32_t slice = 0; status == NX_MORE; slice++) {
            if (!CHECK(slice < SLICES)) break;
            status = nx_session_encode(model, session);
        }
        break;
    }
    case 1:
        nx_session_put(model, session, ids, n < left ? n : left, 0, next(c, 2) ? nats : NULL);
        break;
    case 2:
        nx_session_put(model, session, ids, n < left ? n : left, 1, next(c, 2) ? nats : NULL);
        break;
    case 3:
    case 4:
        nx_session_draw(model, session, n < left ? n : left, ids, next(c, 2) ? nats : NULL, &drawn);
        break;
    case 5:
        nx_session_top(model, session, n && n <= part.values ? n : 1, memory_take((n + 1) * B * sizeof *ids), memory_take((n + 1) * B * sizeof *nats));
        break;
    case 6:
        nx_session_advance(model, session, parents, ids);
        break;
    case 7:
        nx_session_search(model, session, (float)next(c, 21) / 10, memory_take(B * (1 + part.ends) * sizeof(nx_candidate)), &count, &over);
        break;
    case 8:
        nx_session_resample(model, session, parents);
        break;
    case 9:
        nx_session_rewind(model, session, next(c, session->position + 2));
        break;
    case 10:
        if ((other = branched(s, session, c))) return other;
        break;
    case 11:
        if ((other = grown(s, session, c))) return other;
        break;
    default: {
        nx_settings settings = session->settings;
        settings.temperature = (float)next(c, 4) / 2, settings.top_k = next(c, 5), settings.look_ahead = next(c, 18), settings.typical_p = (float)next(c, 3) / 3;
        settings.look_up = next(c, 2), settings.penalty_last = next(c, 8), settings.frequency = 1;
        nx_session_retune(model, session, &settings);
    }
    }
    return session;
}

/* Returns the number of bytes that belong to a session. */
static size_t bytes_of(const nx_model *model, const nx_session *session) {
    size_t bytes = 0;
    CHECK_INT(nx_session_size(model, session->part, &session->settings, &session->shape, &bytes), NX_OK);
    return bytes;
}

int states_restore(const states_subject *s, const uint8_t *data, size_t size) {
    size_t mark = memory_mark();
    choices c = {data, data + size};
    nx_session *session = memory_copy(s->stage[next(&c, s->n_stages)], s->bytes);
    damage(&c, (uint8_t *)session, s->bytes);
    int accepted = nx_session_check(s->model, session, s->bytes) == NX_OK;
    for (uint32_t i = 0; accepted && i < CALLS && (i == 0 || c.at < c.end); i++) {
        session = call(s, session, &c);
        look(s, session, &c);
        CHECK_INT(nx_session_check(s->model, session, bytes_of(s->model, session)), NX_OK);
    }
    memory_release(mark);
    return accepted;
}

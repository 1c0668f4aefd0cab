/* SPDX-License-Identifier: MIT
 *
 * The tests of runs, searches and branches are repeated for several models, which are called subjects. The subjects are the hashers
 * (hasher.h), the second part of the triad (triad.h) and the toys of every model (toy.h). This header lists the subjects and has functions
 * that run them.
 */
#ifndef TEST_SUBJECT_H
#define TEST_SUBJECT_H

#include "check.h"
#include "hasher.h"
#include "session/session.h"
#include "toy.h"
#include "triad.h"

#define LENGTH 30u

/* A model, the part that the tests run, and the shape of the runs. */
typedef struct {
    const nx_model *model;
    nx_shape shape;
    uint32_t part; /* the part that draws */
    uint32_t values, span, length, rewinds;
    int damped; /* TOY_DAMPED */
    int bits;   /* TOY_BITS */
    int fixed;  /* TOY_FIXED */
    int noisy;  /* nx_plan.noisy */
    const char *name;
} subject;

static hasher_config hasher_settings; /* configuration of the current hasher */

/* The numbers of the first subjects: the hashers, and the second part of the triad (triad.h). Higher numbers are the toys of all models
 * (toy.h), including toys that only other tests use. */
enum { HASHER, HASHER_SLICED, HASHER_WITH_SOURCE, HASHER_AGAIN, HASHER_NOISY, HASHER_NOISY_AGAIN, HASHERS, TRIAD = HASHERS, OWN };

/* Returns toy_row.uses of subject number `which`, or 0 if there is no such subject. */
static inline uint32_t uses_of(int which) {
    if (which < HASHERS) return TOY_RUN | TOY_SEARCH | (which == HASHER_SLICED || which == HASHER_NOISY_AGAIN ? TOY_SHAPED : 0);
    if (which == TRIAD) return TOY_RUN | TOY_SEARCH;
    const toy_row *row = toy_row_at(which - OWN);
    return row ? row->uses : 0;
}

static inline subject subject_of(int which) {
    static const char *const hashers[] = {"hasher", "hasher in slices", "hasher with a source", "hasher that is entered again", "noisy hasher", "noisy hasher that is entered again"};
    subject s = {0};
    if (which < HASHERS) {
        int noisy = which == HASHER_NOISY || which == HASHER_NOISY_AGAIN, again = which == HASHER_AGAIN || which == HASHER_NOISY_AGAIN;
        int source = which == HASHER_WITH_SOURCE || which == HASHER_NOISY;
        hasher_settings = (hasher_config){.slices = which == HASHER_SLICED || which == HASHER_NOISY ? 3 : 1, .source = source, .noisy = noisy, .again = again, .end = 1};
        s.name = hashers[which];
        s.model = hasher_open(&hasher_settings);
        s.shape.length = LENGTH;
        if (source) s.shape.counts[0] = 11;
    } else if (which == TRIAD) {
        s.name = "prior of the triad";
        s.model = triad_open();
        s.part = TRIAD_PRIOR;
        s.shape = (nx_shape){.length = LENGTH, .counts = {9}};
    } else {
        const toy_row *row = toy_row_at(which - OWN);
        toy_file file = row->file(row->number);
        s.name = row->name;
        s.model = toy_file_open(&file);
        s.shape = row->shape;
        s.part = row->uses / TOY_PART;
        s.damped = (row->uses & TOY_DAMPED) != 0, s.bits = (row->uses & TOY_BITS) != 0;
        s.fixed = (row->uses & TOY_FIXED) != 0;
    }
    nx_part_info info;
    if (!s.model || !CHECK_INT(nx_model_part(s.model, s.part, &info), NX_OK)) return s;
    s.values = info.values;
    s.span = info.span;
    s.length = s.shape.length ? s.shape.length : info.length;
    CHECK(s.length <= LENGTH || !(uses_of(which) & TOY_SEARCH)); /* the brute-force search in the test holds at most LENGTH positions */
    s.rewinds = info.rewinds;
    s.noisy = s.model->plan[s.part].noisy != 0;
    return s;
}

static inline subject subject_named(const char *name) {
    for (int i = OWN; uses_of(i); i++) {
        const char *own = toy_row_at(i - OWN)->name;
        if (own && !strcmp(own, name)) return subject_of(i);
    }
    CHECK(!"there is a subject of that name");
    return subject_of(HASHER);
}

static int shaped; /* whether runs use every option that changes the drawn distribution */

static inline nx_settings settings_of(uint32_t samples, uint32_t first, uint32_t seed) {
    nx_settings s = {.seed_low = seed, .samples = samples, .first_sample = first, .temperature = 1, .top_p = 1};
    if (shaped) {
        s.temperature = 1.3f, s.top_p = 0.97f, s.typical_p = 0.98f, s.min_p = 0.01f, s.temperature_last = seed % 2;
        s.penalty_last = 7, s.repetition = 1.4f, s.frequency = 0.5f, s.presence = 0.25f, s.biases = 3;
    }
    return s;
}

static inline nx_session *bare(const subject *s, const nx_settings *settings, size_t *bytes) {
    size_t size = 0;
    nx_session *session = NULL;
    if (!CHECK_INT(nx_session_size(s->model, s->part, settings, &s->shape, &size), NX_OK)) return NULL;
    CHECK_INT(nx_session_open(memory_take(size), size, s->model, s->part, settings, &s->shape, &session), NX_OK);
    uint32_t ids[] = {1, 0};
    float biases[] = {0.75f, -1.5f};
    if (settings->biases) CHECK_INT(nx_session_bias(s->model, session, ids, biases, 2), NX_OK);
    if (bytes) *bytes = size;
    return session;
}

/* Starts a run: sets all inputs, always to the same ids, and encodes them. */
static inline nx_session *start(const subject *s, const nx_settings *settings, size_t *bytes) {
    nx_session *session = bare(s, settings, bytes);
    nx_port port;
    for (uint32_t i = 0; session && nx_model_port(s->model, s->part, i, &port) == NX_OK; i++) {
        uint32_t count = (port.any_length ? s->shape.counts[i] : port.dims[0]) * port.dims[1] * port.dims[2] * port.dims[3];
        uint32_t *ids = memory_take(count * sizeof *ids);
        for (uint32_t j = 0; j < count; j++) ids[j] = (j * 37 + 1) % port.values;
        CHECK_INT(nx_session_input(s->model, session, i, ids, count), NX_OK);
    }
    while (session && nx_session_encode(s->model, session) == NX_MORE) {}
    return session;
}

/* Draws `steps` positions. A position may take several calls. Returns the number of calls. */
static inline uint32_t draw(const subject *s, nx_session *session, uint32_t steps, uint32_t *ids, float *nats) {
    uint32_t width = session->settings.samples * s->span, done = 0, drawn = 0;
    nx_status status = NX_MORE;
    for (int calls = 0; status == NX_MORE && CHECK(calls < 1000); calls++) {
        status = nx_session_draw(s->model, session, steps - done, ids + (size_t)done * width, nats ? nats + (size_t)done * width : NULL, &drawn);
        done += drawn;
    }
    CHECK_INT(status, NX_OK);
    return done;
}

static inline void put(const subject *s, nx_session *session, const uint32_t *ids, uint32_t count, int each, float *nats) {
    uint32_t first = nx_session_position(session), B = session->settings.samples, width = (each ? B : 1) * s->span;
    nx_status status = NX_MORE;
    for (int calls = 0; status == NX_MORE && CHECK(calls < 1000); calls++) {
        uint32_t done = nx_session_position(session) - first;
        status = nx_session_put(s->model, session, ids + (size_t)done * width, count - done, each, nats ? nats + (size_t)done * B * s->span : NULL);
    }
    CHECK_INT(status, NX_OK);
}

/* A complete run of `samples` samples: ids and nats, shape (length, samples, span). */
typedef struct {
    uint32_t *ids, n;
    float *nats;
} run;

static inline run room_of(const subject *s, uint32_t samples) {
    size_t all = (size_t)s->length * samples * s->span;
    run r = {memory_take(all * sizeof(uint32_t)), 0, memory_take(all * sizeof(float))};
    return r;
}

static inline run whole(const subject *s, const nx_settings *settings) {
    run r = room_of(s, settings->samples);
    r.n = draw(s, start(s, settings, NULL), s->length, r.ids, r.nats);
    return r;
}

static inline const uint32_t *at(const subject *s, const run *r, uint32_t samples, uint32_t position, uint32_t sample) {
    return r->ids + ((size_t)position * samples + sample) * s->span;
}

/* Runs `test` on each subject whose uses_of() includes `use`. If penalties, biases and filters are on, only one subject of each kind is
 * used. `end` is the value of hasher_config.end for the hashers. */
static inline void for_those(uint32_t use, void (*test)(const subject *s), float end) {
    uint32_t uses;
    for (int i = 0; (uses = uses_of(i)); i++) {
        if (!(uses & use) || (shaped && !(uses & TOY_SHAPED))) continue;
        size_t mark = memory_mark();
        subject s = subject_of(i);
        if (i < HASHERS) hasher_settings.end = end;
        if (s.model) test(&s);
        if (i < HASHERS) CHECK_INT(hasher_settings.misused, 0);
        if (check_failures()) check_say("    of the %s", s.name);
        memory_release(mark);
    }
}

static inline void for_every(void (*test)(const subject *s)) { for_those(TOY_RUN, test, 1); }

/* Like for_those(TOY_RUN, ...), but the hashers never draw the end id. */
static inline void for_every_endless(void (*test)(const subject *s)) { for_those(TOY_RUN, test, -100); }

/* Runs each test of the null-terminated array `tests`. All sessions use penalties and biases. Penalties and biases depend only on the ids
 * of the sequence, so the results must not depend on how the computation is divided. */
static inline void shape_each(void (*const *tests)(void)) {
    for (shaped = 1; *tests; tests++) (*tests)();
    shaped = 0;
}

#endif

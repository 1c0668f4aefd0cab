/* SPDX-License-Identifier: MIT
 *
 * What a session guarantees of any model, on the hasher (hasher.h) and on the toys of every model (toy.h): known ids at any time, ends,
 * slices, beams, branches, other settings midway; the same bits however it is done.
 */
#include <math.h>
#include <string.h>

#include "hasher.h"
#include "check.h"
#include "models/toy_llama.h"
#include "models/toy_transformer.h"
#include "sampling/categorical.h"
#include "session/session.h"
#include "toy.h"
#include "triad.h"

#define LENGTH 30u

/* ---- any model -------------------------------------------------------------------------------------------------------------- */

/* A model with a shape, and a class for the inputs that want one. */
typedef struct {
    const nx_model *model;
    nx_shape shape;
    uint32_t part; /* the one that draws */
    uint32_t values, span, length, rewinds;
    int damped; /* TOY_DAMPED */
    int bits;   /* TOY_BITS */
    int fixed;  /* TOY_FIXED */
    int noisy;  /* nx_plan.noisy */
    const char *name;
} subject;

static hasher_config hasher_settings; /* of the hasher in use */

/* The hashers, the second part of the triad (triad.h), then the toys of all models (toy.h), of which some are for other uses. */
enum { HASHER, HASHER_SLICED, HASHER_WITH_SOURCE, HASHER_AGAIN, HASHER_NOISY, HASHER_NOISY_AGAIN, HASHERS, TRIAD = HASHERS, OWN };

/* toy_row.uses of subject 0, 1, ...; 0: there are no more. */
static uint32_t uses_of(int which) {
    if (which < HASHERS) return TOY_RUN | TOY_SEARCH | (which == HASHER_SLICED || which == HASHER_NOISY_AGAIN ? TOY_SHAPED : 0);
    if (which == TRIAD) return TOY_RUN | TOY_SEARCH;
    const toy_row *row = toy_row_at(which - OWN);
    return row ? row->uses : 0;
}

static subject subject_of(int which) {
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
    CHECK(s.length <= LENGTH || !(uses_of(which) & TOY_SEARCH)); /* what is found by hand has as much room */
    s.rewinds = info.rewinds;
    s.noisy = s.model->plan[s.part].noisy != 0;
    return s;
}

static subject subject_named(const char *name) {
    for (int i = OWN; uses_of(i); i++) {
        const char *own = toy_row_at(i - OWN)->name;
        if (own && !strcmp(own, name)) return subject_of(i);
    }
    CHECK(!"there is a subject of that name");
    return subject_of(HASHER);
}

static int shaped; /* with all that changes the odds of what is drawn */

static nx_settings settings_of(uint32_t samples, uint32_t first, uint32_t seed) {
    nx_settings s = {.seed_low = seed, .samples = samples, .first_sample = first, .temperature = 1, .top_p = 1};
    if (shaped) {
        s.temperature = 1.3f, s.top_p = 0.97f, s.typical_p = 0.98f, s.min_p = 0.01f, s.temperature_last = seed % 2;
        s.penalty_last = 7, s.repetition = 1.4f, s.frequency = 0.5f, s.presence = 0.25f, s.biases = 3;
    }
    return s;
}

static nx_session *bare(const subject *s, const nx_settings *settings, size_t *bytes) {
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

/* With every input given, the same ids always, and encoded. */
static nx_session *start(const subject *s, const nx_settings *settings, size_t *bytes) {
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

/* Draws `steps` positions, call after call where a position takes several. Returns how many there were. */
static uint32_t draw(const subject *s, nx_session *session, uint32_t steps, uint32_t *ids, float *nats) {
    uint32_t width = session->settings.samples * s->span, done = 0, drawn = 0;
    nx_status status = NX_MORE;
    for (int calls = 0; status == NX_MORE && CHECK(calls < 1000); calls++) {
        status = nx_session_draw(s->model, session, steps - done, ids + (size_t)done * width, nats ? nats + (size_t)done * width : NULL, &drawn);
        done += drawn;
    }
    CHECK_INT(status, NX_OK);
    return done;
}

static void put(const subject *s, nx_session *session, const uint32_t *ids, uint32_t count, int each, float *nats) {
    uint32_t first = nx_session_position(session), B = session->settings.samples, width = (each ? B : 1) * s->span;
    nx_status status = NX_MORE;
    for (int calls = 0; status == NX_MORE && CHECK(calls < 1000); calls++) {
        uint32_t done = nx_session_position(session) - first;
        status = nx_session_put(s->model, session, ids + (size_t)done * width, count - done, each, nats ? nats + (size_t)done * B * s->span : NULL);
    }
    CHECK_INT(status, NX_OK);
}

/* A whole run of `samples`: ids and nats (length, samples, span). */
typedef struct {
    uint32_t *ids, n;
    float *nats;
} run;

static run room_of(const subject *s, uint32_t samples) {
    size_t all = (size_t)s->length * samples * s->span;
    run r = {memory_take(all * sizeof(uint32_t)), 0, memory_take(all * sizeof(float))};
    return r;
}

static run whole(const subject *s, const nx_settings *settings) {
    run r = room_of(s, settings->samples);
    r.n = draw(s, start(s, settings, NULL), s->length, r.ids, r.nats);
    return r;
}

static const uint32_t *at(const subject *s, const run *r, uint32_t samples, uint32_t position, uint32_t sample) {
    return r->ids + ((size_t)position * samples + sample) * s->span;
}

/* A test of each subject that is of `use`; shaped runs are tried on one of each sort. `end`: hasher_config.end of hashers. */
static void for_those(uint32_t use, void (*test)(const subject *s), float end) {
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

static void for_every(void (*test)(const subject *s)) { for_those(TOY_RUN, test, 1); }

/* Of hashers that end nowhere. */
static void for_every_endless(void (*test)(const subject *s)) { for_those(TOY_RUN, test, -100); }

/* ---- division --------------------------------------------------------------------------------------------------------------- */

/* Together, alone, position by position, in fives: one result. */
static void division(const subject *s) {
    nx_settings settings = settings_of(5, 0, 3);
    run all = whole(s, &settings);
    for (uint32_t b = 0; b < 5; b++) {
        nx_settings one = settings_of(1, b, 3);
        for (uint32_t step = 1; step <= 5; step += 4) {
            nx_session *session = start(s, &one, NULL);
            run r = room_of(s, 1);
            uint32_t n = 0, got = step;
            for (; n < s->length && got; n += got) {
                uint32_t left = s->length - n;
                got = draw(s, session, left < step ? left : step, r.ids + n * s->span, r.nats + n * s->span);
            }
            CHECK(n <= all.n);
            for (uint32_t p = 0; p < all.n; p++) {
                check_at("sample %lld, position %lld, steps of %lld", b, p, step, 0);
                for (uint32_t e = 0; e < s->span; e++) CHECK_INT(at(s, &all, 5, p, b)[e], p < n ? r.ids[p * s->span + e] : NX_NONE);
                if (p < n) CHECK_FLOATS(r.nats + p * s->span, all.nats + ((size_t)p * 5 + b) * s->span, s->span);
            }
        }
    }
}

static void divided(void) { for_every(division); }

/* Guesses are made and drawn with the same odds as without: the same ids. */
static void shaped_ahead(void) {
    uint32_t guessed = 0;
    for (shaped = 0; shaped < 2; shaped++) {
        subject s = subject_named("picture, palette");
        for (uint32_t seed = 0; seed < 6; seed++) {
            nx_settings settings = settings_of(1, 0, seed);
            run plain = whole(&s, &settings);
            settings.look_ahead = 8;
            nx_session *session = start(&s, &settings, NULL);
            run r = room_of(&s, 1);
            uint8_t *ahead = memory_take(s.length);
            CHECK_INT(draw(&s, session, s.length, r.ids, r.nats), plain.n);
            CHECK_BYTES(r.ids, plain.ids, plain.n * sizeof *r.ids);
            CHECK_FLOATS(r.nats, plain.nats, plain.n);
            CHECK_INT(nx_session_ahead(s.model, session, 0, s.length, ahead), NX_OK);
            for (uint32_t p = 0; shaped && p < s.length; p++) guessed += ahead[p] > 0;
        }
    }
    shaped = 0;
    check_note("  %u positions guessed with penalties", (unsigned)guessed);
    CHECK(guessed > 0);
}

static uint32_t guessed_ahead; /* positions, of all models */

/* Guesses from the text so far: the same ids and nats, in fewer passes where the text repeats itself. */
static void look_up(const subject *s) {
    for (uint32_t seed = 0; seed < 8; seed++) {
        nx_settings settings = settings_of(1, 0, seed);
        settings.temperature = (float)(seed % 4) / 4;
        shaped = seed > 3;
        run plain = whole(s, &settings);
        settings.look_ahead = seed % 2 ? 16 : 5, settings.look_up = 1;
        size_t bytes;
        nx_session *session = start(s, &settings, &bytes);
        run r = room_of(s, 1);
        uint8_t *ahead = memory_take(s->length);
        uint32_t half = plain.n / 2, n = draw(s, session, half, r.ids, r.nats);
        CHECK_INT(nx_session_check(s->model, session, bytes), NX_OK);
        nx_session *copy = memory_copy(session, bytes); /* another place, the same run */
        n += draw(s, copy, s->length - n, r.ids + n * s->span, r.nats + n * s->span);
        check_at("seed %lld", seed, 0, 0, 0);
        CHECK_INT(n, plain.n);
        CHECK_BYTES(r.ids, plain.ids, n * s->span * sizeof *r.ids);
        CHECK_FLOATS(r.nats, plain.nats, n * s->span);
        CHECK_INT(nx_session_ahead(s->model, copy, 0, n, ahead), NX_OK);
        for (uint32_t p = 0; p < n; p++) {
            CHECK(ahead[p] == 0 || (ahead[p] == ahead[p - 1] + 1 && (s->span == 1 && ahead[p] < settings.look_ahead)));
            if (!s->model->plan[s->part].draft) guessed_ahead += ahead[p] > 0;
        }
    }
    shaped = 0;
}

static void looked_up(void) {
    guessed_ahead = 0;
    for_every(look_up);
    check_note("  %u positions guessed", (unsigned)guessed_ahead);
    CHECK(guessed_ahead > 100);
}

/* Which positions are guessed, by hand: known ids begin the text, and a bias says how it goes on. */
static void looked_up_where(void) {
    subject s = subject_named("llama");
    s.shape.length = 60;
    nx_settings settings = settings_of(1, 0, 1);
    settings.look_ahead = 8, settings.look_up = 1, settings.biases = 1, settings.temperature = 0;
    nx_session *session = NULL;
    size_t bytes = 0;
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &s.shape, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, s.model, s.part, &settings, &s.shape, &session), NX_OK);
    uint32_t five = 5, ids[40];
    float always = 1e9f;
    CHECK_INT(nx_session_bias(s.model, session, &five, &always, 1), NX_OK);
    uint8_t ahead[40], expected[40] = {0, 0, 0, 0, 1, 2, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1};
    uint32_t known[] = {1, 2};
    CHECK_INT(nx_session_put(s.model, session, known, 2, 0, NULL), NX_OK);
    CHECK_INT(draw(&s, session, 40, ids, NULL), 40);
    CHECK_INT(nx_session_ahead(s.model, session, 2, 40, ahead), NX_OK);
    /* 1 2 | 5 5 5: its last two are the two before; two guesses. Then five agree, then more than the window of eight has room for */
    for (int i = 0; i < 30; i++) check_at("position %lld", i, 0, 0, 0), CHECK_INT(ahead[i], expected[i]);
}

/* ---- known ids -------------------------------------------------------------------------------------------------------------- */

/* What was drawn, put: to all, one each, with nats or without, in one call or several, and drawn on from any point. */
static void putting(const subject *s) {
    nx_settings settings = settings_of(3, 0, 4);
    run all = whole(s, &settings);
    for (uint32_t known = 0; known <= all.n; known += 1 + known / 2) {
        for (int way = 0; way < 4; way++) {
            size_t mark = memory_mark();
            nx_session *session = start(s, &settings, NULL);
            run r = room_of(s, 3);
            uint32_t width = 3 * s->span, half = way > 1 ? known / 2 : 0;
            int ended = 0;
            if (half) CHECK_INT(draw(s, session, half, r.ids, r.nats), half); /* drawn, then known, then drawn */
            put(s, session, all.ids + half * width, known - half, 1, way % 2 ? NULL : r.nats + half * width);
            CHECK_INT(nx_session_position(session), known);
            check_at("%lld known, way %lld", known, way, 0, 0);
            if (way % 2 == 0) CHECK_FLOATS(r.nats, all.nats, known * width);
            for (uint32_t b = 0; b < 3; b++) /* what is known ends nothing */
                for (uint32_t p = half; p < known; p++) ended |= s->model->plan[s->part].n_ends && *at(s, &all, 3, p, b) == HASHER_END;
            if (!ended && known < all.n) {
                uint32_t n = draw(s, session, s->length - known, r.ids + known * width, r.nats + known * width);
                CHECK_INT(n, all.n - known);
                CHECK_BYTES(r.ids + known * width, all.ids + known * width, n * width * sizeof *r.ids);
                CHECK_FLOATS(r.nats + known * width, all.nats + known * width, n * width);
            }
            memory_release(mark);
        }
    }
}

/* Ended samples take nothing but NX_NONE, so the ids of a whole run can be put to one that ended nowhere only where none did. */
static void known_at_any_time(void) { for_every_endless(putting); }

/* The same to all is one each. */
static void to_all(const subject *s) {
    nx_settings settings = settings_of(3, 0, 5), one = settings_of(1, 0, 9);
    run known = whole(s, &one);
    uint32_t count = known.n / 2, width = 3 * s->span, *each = memory_take((count ? count : 1) * width * sizeof *each);
    for (uint32_t p = 0; p < count; p++)
        for (uint32_t b = 0; b < 3; b++) memcpy(each + (p * 3 + b) * s->span, known.ids + p * s->span, s->span * sizeof *each);
    run a = room_of(s, 3), b = room_of(s, 3);
    nx_session *first = start(s, &settings, NULL), *second = start(s, &settings, NULL);
    put(s, first, known.ids, count, 0, a.nats);
    put(s, second, each, count, 1, b.nats);
    CHECK_FLOATS(a.nats, b.nats, count * width);
    if (!s->noisy) CHECK_FLOATS(a.nats, a.nats + s->span, count ? s->span : 0);
    uint32_t n = draw(s, first, s->length - count, a.ids, a.nats), m = draw(s, second, s->length - count, b.ids, b.nats);
    CHECK_INT(n, m);
    CHECK_BYTES(a.ids, b.ids, n * width * sizeof *a.ids);
    /* once they differ, what is the same to all still costs each its own */
    nx_session *third = start(s, &settings, NULL), *alone[3];
    if (s->length < 8) return;
    uint32_t few[8 * NX_MAX_SPAN];
    CHECK_INT(draw(s, third, 2, few, NULL), 2);
    put(s, third, known.ids, 3, 0, a.nats);
    for (uint32_t sample = 0; sample < 3; sample++) {
        nx_settings single = settings_of(1, sample, 5);
        alone[sample] = start(s, &single, NULL);
        CHECK_INT(draw(s, alone[sample], 2, few, NULL), 2);
        put(s, alone[sample], known.ids, 3, 0, b.nats);
        for (uint32_t p = 0; p < 3; p++) CHECK_FLOATS(a.nats + (p * 3 + sample) * s->span, b.nats + p * s->span, s->span);
    }
}

static void the_same_to_all(void) { for_every_endless(to_all); }

static void refused_ids(void) {
    subject s = subject_of(HASHER);
    nx_settings settings = settings_of(2, 0, 1);
    nx_session *session = start(&s, &settings, NULL);
    uint32_t ids[2 * LENGTH + 2] = {1, 2, HASHER_VALUES, 3}, none[] = {NX_NONE, NX_NONE}, drawn;
    float nats[2 * LENGTH];
    CHECK_INT(nx_session_put(s.model, session, ids, 3, 0, nats), NX_E_ARGUMENT); /* an id that is none, behind two that are */
    CHECK_INT(nx_session_put(s.model, session, none, 1, 0, nats), NX_E_ARGUMENT);
    CHECK_INT(nx_session_put(s.model, session, none, 1, 1, nats), NX_E_ARGUMENT); /* nobody ended */
    CHECK_INT(nx_session_put(s.model, session, ids, LENGTH + 1, 0, nats), NX_E_ARGUMENT);
    CHECK_INT(nx_session_position(session), 0);
    CHECK_INT(nx_session_draw(s.model, session, LENGTH + 1, ids, nats, &drawn), NX_E_ARGUMENT);
    CHECK_INT(drawn, 0);
}

/* ---- ends ------------------------------------------------------------------------------------------------------------------- */

/* Samples end by themselves, change no other, and may be put nothing more. */
static void ends(void) {
    subject s = subject_of(HASHER);
    enum { B = 8 };
    nx_settings settings = settings_of(B, 0, 11);
    hasher_settings.end = 5;
    run all = whole(&s, &settings);
    uint32_t last[B], longest = 0, shortest = LENGTH;
    for (uint32_t b = 0; b < B; b++) {
        for (last[b] = 0; last[b] < all.n && *at(&s, &all, B, last[b], b) != HASHER_END;) last[b]++;
        for (uint32_t p = last[b] + 1; p < all.n; p++) CHECK(*at(&s, &all, B, p, b) == NX_NONE && all.nats[p * B + b] == 0);
        if (last[b] > longest) longest = last[b];
        if (last[b] < shortest) shortest = last[b];
    }
    check_note("  ends between %u and %u", (unsigned)shortest, (unsigned)longest);
    CHECK(longest < LENGTH - 1 && shortest + 2 < longest && all.n == longest + 1); /* all ended before the length */
    nx_session *session = start(&s, &settings, NULL);
    uint32_t ids[2 * B], wrong[B], drawn = 77;
    float nats[2 * B];
    CHECK_INT(nx_session_draw(s.model, session, shortest + 1, all.ids, all.nats, &drawn), NX_OK);
    for (uint32_t b = 0; b < B; b++) ids[b] = last[b] <= shortest ? NX_NONE : 5, wrong[b] = 5;
    CHECK_INT(nx_session_put(s.model, session, wrong, 1, 1, nats), NX_E_ARGUMENT); /* to one that ended */
    CHECK_INT(nx_session_put(s.model, session, ids, 1, 1, nats), NX_OK);
    for (uint32_t b = 0; b < B; b++) CHECK(last[b] <= shortest ? nats[b] == 0 : nats[b] > 0);
    CHECK_INT(nx_session_put(s.model, session, wrong, 1, 0, nats), NX_OK); /* to those that live */
    for (uint32_t b = 0; b < B; b++) CHECK(last[b] <= shortest ? nats[b] == 0 : nats[b] > 0);
    size_t bytes;
    nx_session_size(s.model, s.part, &settings, &s.shape, &bytes);
    CHECK_INT(nx_session_check(s.model, session, bytes), NX_OK);
    /* all at their end: nothing is drawn, and that is no error */
    hasher_settings.end = 1000;
    nx_session *short_one = start(&s, &settings, NULL);
    CHECK_INT(nx_session_draw(s.model, short_one, 2, ids, nats, &drawn), NX_OK);
    CHECK_INT(drawn, 1);
    CHECK_INT(nx_session_draw(s.model, short_one, 1, ids, nats, &drawn), NX_OK);
    CHECK_INT(drawn, 0);
    /* known ends end nothing */
    hasher_settings.end = -100;
    nx_session *known = start(&s, &settings, NULL);
    uint32_t end = HASHER_END;
    CHECK_INT(nx_session_put(s.model, known, &end, 1, 0, NULL), NX_OK);
    CHECK_INT(nx_session_draw(s.model, known, 1, ids, nats, &drawn), NX_OK);
    CHECK(drawn == 1 && ids[0] != NX_NONE);
    CHECK_INT(hasher_settings.misused, 0);
}

/* ---- slices ----------------------------------------------------------------------------------------------------------------- */

/* A copy made after any call, within a position too, goes on to the same bits. */
static void copies(const subject *s) {
    nx_settings settings = settings_of(3, 0, 6);
    run all = whole(s, &settings);
    size_t bytes;
    nx_session *session = start(s, &settings, &bytes);
    uint32_t width = 3 * s->span, done = 0, drawn;
    for (uint32_t call = 0; done < all.n && CHECK(call < 2000); call++) {
        size_t mark = memory_mark();
        CHECK_INT(nx_session_check(s->model, session, bytes), NX_OK);
        if (call % 4 == 3 || s->length > 100) {
            nx_session *copy = memory_copy(session, bytes);
            run r = room_of(s, 3);
            uint32_t n = draw(s, copy, s->length - done, r.ids, r.nats);
            check_at("call %lld, position %lld", call, done, 0, 0);
            CHECK_INT(n, all.n - done);
            CHECK_BYTES(r.ids, all.ids + done * width, n * width * sizeof *r.ids);
            CHECK_FLOATS(r.nats, all.nats + done * width, n * width);
        }
        uint32_t ids[3 * NX_MAX_SPAN];
        nx_status status = nx_session_draw(s->model, session, 1, ids, NULL, &drawn);
        CHECK(status == NX_OK || (status == NX_MORE && !drawn));
        done += drawn;
        memory_release(mark);
    }
}

static void copied(void) { for_every(copies); }

/* A pass that takes slices says so, and is neither begun anew nor cut short by a call for fewer positions. */
static void interrupted(void) {
    subject s = subject_of(HASHER_SLICED);
    nx_settings settings = settings_of(2, 0, 7);
    nx_session *session = start(&s, &settings, NULL);
    uint32_t known[6] = {3, 1, 4, 1, 5, 9}, ids[8], top[4], parents[2] = {0, 1}, next[2] = {1, 2}, drawn;
    float nats[12], costs[4];
    CHECK_INT(nx_session_put(s.model, session, known, 6, 0, nats), NX_MORE);
    CHECK_INT(nx_session_position(session), 0);
    CHECK_INT(nx_session_put(s.model, session, known, 5, 0, nats), NX_E_ARGUMENT);
    CHECK_INT(nx_session_retune(s.model, session, &settings), NX_E_ARGUMENT);
    CHECK_INT(nx_session_put(s.model, session, known, 6, 0, nats), NX_MORE);
    CHECK_INT(nx_session_put(s.model, session, known, 6, 0, nats), NX_OK);
    CHECK_INT(nx_session_position(session), 6);
    int calls = 1;
    while (nx_session_top(s.model, session, 2, top, costs) == NX_MORE) calls++;
    CHECK_INT(calls, 3);
    CHECK_INT(nx_session_top(s.model, session, 2, top, costs), NX_OK); /* it is there now */
    CHECK_INT(nx_session_resample(s.model, session, parents), NX_OK);
    CHECK_INT(nx_session_advance(s.model, session, parents, next), NX_OK);
    uint32_t done = 0;
    for (calls = 1; nx_session_draw(s.model, session, 2 - done, ids, nats, &drawn) == NX_MORE; calls++) done += drawn;
    CHECK_INT(nx_session_draw(s.model, session, 1, ids, nats, &drawn), NX_MORE);
    CHECK_INT(nx_session_resample(s.model, session, parents), NX_E_ARGUMENT); /* within a position */
    CHECK_INT(calls, 5); /* three slices a position, and the last one of the first begins the second */
    CHECK_INT(hasher_settings.misused, 0);
}

/* ---- the source ------------------------------------------------------------------------------------------------------------- */

static void sources(void) {
    subject s = subject_of(HASHER_WITH_SOURCE);
    nx_settings settings = settings_of(1, 0, 8);
    size_t before = 0, bytes = 0;
    uint32_t ids[HASHER_SOURCE + 1] = {0}, drawn, first[LENGTH], second[LENGTH];
    for (uint32_t n = 1; n <= HASHER_SOURCE; n += 13) {
        s.shape.counts[0] = n;
        CHECK_INT(nx_session_size(s.model, s.part, &settings, &s.shape, &bytes), NX_OK);
        CHECK(bytes > before); /* a longer source takes more */
        before = bytes;
        nx_session *session = bare(&s, &settings, NULL);
        CHECK_INT(nx_session_encode(s.model, session), NX_E_ARGUMENT);
        CHECK_INT(nx_session_draw(s.model, session, 1, ids, NULL, &drawn), NX_E_ARGUMENT);
        CHECK_INT(nx_session_input(s.model, session, 0, ids, n + 1), NX_E_ARGUMENT);
        CHECK_INT(nx_session_input(s.model, session, 0, ids, n - 1), NX_E_ARGUMENT);
        CHECK_INT(nx_session_input(s.model, session, 1, ids, n), NX_E_ARGUMENT);
        ids[n - 1] = 50;
        CHECK_INT(nx_session_input(s.model, session, 0, ids, n), NX_E_ARGUMENT);
        ids[n - 1] = 0;
        CHECK_INT(nx_session_input(s.model, session, 0, ids, n), NX_OK);
        CHECK_INT(nx_session_input(s.model, session, 0, ids, n), NX_E_ARGUMENT);
        CHECK_INT(nx_session_put(s.model, session, ids, 1, 0, NULL), NX_E_ARGUMENT); /* not encoded yet */
        for (uint32_t i = 1; i < n; i++) CHECK_INT(nx_session_encode(s.model, session), NX_MORE);
        CHECK_INT(nx_session_encode(s.model, session), NX_OK);
        CHECK_INT(nx_session_encode(s.model, session), NX_OK);
        draw(&s, session, LENGTH, n == 1 ? first : second, NULL);
    }
    CHECK(memcmp(first, second, sizeof first));
    nx_shape shape = {.length = 5, .counts = {HASHER_SOURCE + 1}};
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &shape, &bytes), NX_E_ARGUMENT);
    shape.counts[0] = 0;
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &shape, &bytes), NX_OK); /* the most */
    shape.counts[1] = 1;
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &shape, &bytes), NX_E_ARGUMENT); /* no such port */
    shape = (nx_shape){.length = 0};
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &shape, &bytes), NX_E_ARGUMENT); /* it has no length of its own */
    shape.length = NX_MAX_LENGTH + 1;
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &shape, &bytes), NX_E_ARGUMENT);
    shape.length = NX_MAX_LENGTH;
    settings.samples = 64;
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &shape, &bytes), NX_E_LIMIT); /* more than a block may have */
    CHECK_INT(nx_session_size(s.model, 1, &settings, &shape, &bytes), NX_E_ARGUMENT); /* no such part */
    settings.origin = UINT32_MAX - 3;
    shape.length = 5;
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &shape, &bytes), NX_E_ARGUMENT); /* the noise of the last would have no index */
}

/* ---- beams ------------------------------------------------------------------------------------------------------------------ */

static void tops(const subject *s) {
    nx_settings settings = settings_of(2, 0, 12);
    nx_session *session = start(s, &settings, NULL), *plain = start(s, &settings, NULL);
    uint32_t V = s->values, *ids = memory_take(2 * V * sizeof *ids), few[4], drawn, drawn_ids[2 * NX_MAX_SPAN], expected_ids[2 * NX_MAX_SPAN];
    float *nats = memory_take(2 * V * sizeof *nats), few_nats[4], drawn_nats[2 * NX_MAX_SPAN], expected_nats[2 * NX_MAX_SPAN];
    if (s->span > 1) {
        CHECK_INT(nx_session_top(s->model, session, 1, ids, nats), NX_E_ARGUMENT);
        return;
    }
    CHECK_INT(nx_session_top(s->model, session, 0, ids, nats), NX_E_ARGUMENT);
    CHECK_INT(nx_session_top(s->model, session, V + 1, ids, nats), NX_E_ARGUMENT);
    for (uint32_t p = 0; p < s->length && p < 6; p++) {
        nx_status status;
        while ((status = nx_session_top(s->model, session, V, ids, nats)) == NX_MORE) {}
        CHECK_INT(status, NX_OK);
        CHECK_INT(nx_session_position(session), p);
        for (uint32_t b = 0; b < 2; b++) {
            uint64_t sum = 0;
            double mass = 0;
            for (uint32_t i = 0; i < V; i++) {
                uint32_t k = b * V + i;
                sum += ids[k];
                mass += exp(-(double)nats[k]);
                CHECK(i == 0 || nats[k - 1] < nats[k] || (nats[k - 1] == nats[k] && ids[k - 1] < ids[k]) || nats[k] - nats[k - 1] > -1e-6f);
            }
            CHECK_INT(sum, (uint64_t)V * (V - 1) / 2); /* each id once */
            CHECK_NEAR(mass, 1, 1e-4);
        }
        CHECK_INT(nx_session_top(s->model, session, 2, few, few_nats), NX_OK);
        CHECK(few[0] == ids[0] && few[1] == ids[1] && few[2] == ids[V] && few[3] == ids[V + 1] && few_nats[3] == nats[V + 1]);
        /* having looked changes nothing */
        draw(s, plain, 1, expected_ids, expected_nats);
        if (p % 2) {
            CHECK_INT(nx_session_draw(s->model, session, 1, drawn_ids, drawn_nats, &drawn), NX_OK);
            CHECK_BYTES(drawn_ids, expected_ids, 2 * sizeof *ids);
        } else {
            CHECK_INT(nx_session_put(s->model, session, expected_ids, 1, 1, drawn_nats), NX_OK);
        }
        CHECK_FLOATS(drawn_nats, expected_nats, 2);
    }
}

static void top_ids(void) { for_every_endless(tops); }

/* Beams that fork and die at random are, at the end, the same as separate sequences with the same ids. */
static void beams(const subject *s) {
    enum { B = 6 };
    check_random random = {9};
    nx_settings settings = settings_of(B, 0, 13), one = settings_of(1, 0, 13);
    if (s->noisy) settings.temperature = one.temperature = 0;
    size_t bytes;
    nx_session *session = start(s, &settings, &bytes);
    if (s->span > 1) return;
    uint32_t steps = s->length < 14 ? s->length : 14, history[B][14], top[B * 2], parents[B], ids[B];
    float nats[B * 2], *output = memory_take(s->model->plan[s->part].output.values * sizeof *output), *alone = memory_take(s->model->plan[s->part].output.values * sizeof *alone);
    for (uint32_t p = 0; p < steps; p++) {
        uint32_t old[B][14];
        nx_status status;
        while ((status = nx_session_top(s->model, session, 2, top, nats)) == NX_MORE) {}
        CHECK_INT(status, NX_OK);
        memcpy(old, history, sizeof old);
        for (uint32_t b = 0; b < B; b++) {
            parents[b] = p % 4 == 3 ? 2 : random_below(&random, B);
            ids[b] = random_below(&random, 3) ? top[2 * parents[b] + random_below(&random, 2)] : random_below(&random, s->values);
            if (session->shape.length && top[2 * parents[b]] == NX_NONE) ids[b] = NX_NONE;
            memcpy(history[b], old[parents[b]], sizeof history[b]);
            history[b][p] = ids[b];
        }
        while ((status = nx_session_advance(s->model, session, parents, ids)) == NX_MORE) {}
        CHECK_INT(status, NX_OK);
        CHECK_INT(nx_session_check(s->model, session, bytes), NX_OK);
    }
    if (steps == s->length) steps--; /* one is left, to look at */
    uint32_t left = s->length - nx_session_position(session);
    for (uint32_t b = 0; b < B && left; b++) {
        nx_session *single = start(s, &one, NULL);
        nx_status status;
        uint32_t first, own[B];
        float cost, costs[B];
        if (history[b][13 < steps ? 13 : steps - 1] == NX_NONE) continue;
        put(s, single, history[b], steps, 0, NULL);
        while ((status = nx_session_top(s->model, single, 1, &first, &cost)) == NX_MORE) {}
        while ((status = nx_session_top(s->model, session, 1, own, costs)) == NX_MORE) {}
        CHECK_INT(status, NX_OK);
        if (own[b] == NX_NONE) continue; /* it ended */
        check_at("beam %lld", b, 0, 0, 0);
        CHECK_INT(own[b], first);
        CHECK_FLOATS(costs + b, &cost, 1);
        CHECK_INT(nx_session_output(s->model, single, 0, alone), NX_OK);
        CHECK_INT(nx_session_output(s->model, session, b, output), NX_OK);
        CHECK_FLOATS(output, alone, 1);
    }
    uint32_t bad[B] = {0, 1, 2, 3, 4, B};
    if (left) CHECK_INT(nx_session_advance(s->model, session, bad, ids), NX_E_ARGUMENT);
}

static void searched(void) { for_every(beams); }

/* Samples that become others at random are, at the end, the same as separate sequences with the same ids, each with its own noise. */
static void resamples(const subject *s) {
    enum { B = 5, EVERY = 3, STEPS = 4 * EVERY };
    check_random random = {21};
    nx_settings settings = settings_of(B, 2, 13);
    if (s->noisy) settings.temperature = 0;
    size_t bytes;
    nx_session *session = start(s, &settings, &bytes);
    uint32_t span = s->span, parents[B], bad[B] = {0, 1, 2, 3, B}, ids[EVERY * B * NX_MAX_SPAN];
    uint32_t history[B][STEPS * NX_MAX_SPAN], old[B][STEPS * NX_MAX_SPAN];
    for (uint32_t b = 0; b < B; b++) parents[b] = B - 1 - b;
    CHECK_INT(nx_session_resample(s->model, session, parents), NX_OK); /* all are the same yet */
    for (uint32_t p = 0; p < STEPS; p += EVERY) {
        if (draw(s, session, EVERY, ids, NULL) < EVERY) return; /* all have ended */
        for (uint32_t i = 0; i < EVERY; i++)
            for (uint32_t b = 0; b < B; b++) memcpy(history[b] + (p + i) * span, ids + (i * B + b) * span, span * sizeof *ids);
        for (uint32_t b = 0; b < B; b++) parents[b] = p / EVERY % 4 == 3 ? 2 : random_below(&random, B);
        CHECK_INT(nx_session_resample(s->model, session, bad), NX_E_ARGUMENT);
        CHECK_INT(nx_session_resample(s->model, session, parents), NX_OK);
        CHECK_INT(nx_session_check(s->model, session, bytes), NX_OK);
        memcpy(old, history, sizeof old);
        for (uint32_t b = 0; b < B; b++) memcpy(history[b], old[parents[b]], sizeof history[b]);
    }
    uint32_t left = s->length - STEPS < EVERY ? s->length - STEPS : EVERY, more[EVERY * NX_MAX_SPAN];
    float nats[EVERY * B * NX_MAX_SPAN], costs[EVERY * NX_MAX_SPAN];
    uint32_t drawn = draw(s, session, left, ids, nats);
    for (uint32_t b = 0; b < B; b++) {
        nx_settings one = settings_of(1, 2 + b, 13);
        one.temperature = settings.temperature;
        nx_session *single = start(s, &one, NULL);
        int over = 0;
        for (uint32_t i = 0; i < STEPS; i++) over |= history[b][i * span] == NX_NONE || nx_ends(&s->model->plan[s->part], history[b][i * span]);
        if (over) { /* and stays so */
            for (uint32_t i = 0; i < drawn; i++) CHECK_INT(ids[(i * B + b) * span], NX_NONE);
            continue;
        }
        put(s, single, history[b], STEPS, 0, NULL);
        uint32_t n = draw(s, single, left, more, costs);
        for (uint32_t i = 0; i < n; i++) {
            check_at("sample %lld, position %lld", b, STEPS + i, 0, 0);
            CHECK_BYTES(ids + (i * B + b) * span, more + i * span, span * sizeof *more);
            CHECK_FLOATS(nats + (i * B + b) * span, costs + i * span, span);
        }
    }
}

static void resampled(void) { for_every(resamples); }

/* A sample that becomes another goes on as a branch of it with its own noise does, be it that the model draws too. */
static void resamples_as_branches(const subject *s) {
    enum { B = 4 };
    nx_settings settings = settings_of(B, 3, 22);
    nx_session *session = start(s, &settings, NULL), *branch[B];
    uint32_t parents[B] = {2, 1, 2, 0}, half = s->length / 2, left = s->length - half;
    run r = room_of(s, B), alone = room_of(s, 1);
    if (draw(s, session, half, r.ids, NULL) < half) return;
    for (uint32_t b = 0; b < B; b++) {
        nx_settings one = settings_of(1, 3 + b, 22);
        branch[b] = bare(s, &one, NULL);
        CHECK_INT(nx_session_branch(s->model, branch[b], session, parents[b], half), NX_OK);
    }
    CHECK_INT(nx_session_resample(s->model, session, parents), NX_OK);
    uint32_t n = draw(s, session, left, r.ids, r.nats);
    for (uint32_t b = 0; b < B; b++) {
        uint32_t own = draw(s, branch[b], left, alone.ids, alone.nats);
        CHECK(own <= n);
        for (uint32_t p = 0; p < own; p++) {
            check_at("sample %lld, position %lld", b, half + p, 0, 0);
            CHECK_BYTES(at(s, &r, B, p, b), alone.ids + p * s->span, s->span * sizeof *r.ids);
            CHECK_FLOATS(r.nats + (p * B + b) * s->span, alone.nats + p * s->span, s->span);
        }
    }
}

static void resampled_as_branched(void) { for_every(resamples_as_branches); }

/* ---- noise inside ------------------------------------------------------------------------------------------------------------- */

/* A hasher whose ids depend on its last place alone, which depends on its noise alone. */
static subject flat_noisy(int which) {
    subject s = subject_of(which);
    hasher_settings.flat = 1, hasher_settings.end = -100;
    return s;
}

/* The place is drawn with noise of its sample at its position, counted from the origin, and of a stream of its own. */
static void places(void) {
    for (uint32_t origin = 0; origin < 3; origin++) {
        subject s = flat_noisy(HASHER_NOISY);
        nx_settings settings = settings_of(3, 5, 23);
        settings.origin = origin, settings.seed_high = 6;
        nx_session *session = start(&s, &settings, NULL);
        uint32_t hash[3] = {0}, ids[3], top[3], differ = 0;
        float nats[3], logits[nx_stride(HASHER_VALUES)];
        for (uint32_t p = 0; p < LENGTH; p++) {
            CHECK_INT(draw(&s, session, 1, ids, nats), 1);
            for (uint32_t b = 0; b < 3; b++) {
                _Alignas(16) float z[nx_stride(HASHER_PLACES)];
                nx_noise noise = {23, 6, 5 + b, origin + p, NX_STREAM_INSIDE};
                hasher_place_logits(hash[b], z);
                top[b] = nx_categorical_draw(z, HASHER_PLACES, 1, noise);
                hash[b] = hasher_hash(hasher_hash(hash[b], top[b]), ids[b]);
                CHECK_INT(nx_session_output(s.model, session, b, logits), NX_OK);
                check_at("origin %lld, position %lld, sample %lld", origin, p, b, 0);
                for (uint32_t v = 0; v < 3; v++) CHECK(logits[v] == (float)(hasher_hash(top[b], v) >> 8) * 0x1p-24f * 6 + (v == HASHER_END ? -100 : 0));
            }
            differ += top[0] != top[1];
        }
        CHECK(differ > LENGTH / 2);
    }
}

/* No noise, no difference: at temperature 0 all samples draw the likeliest places, and share their slot. */
static void placed_coldly(void) {
    subject s = subject_of(HASHER_NOISY);
    nx_settings settings = settings_of(3, 0, 24);
    settings.temperature = 0;
    uint32_t known[5] = {1, 2, 3, 4, 5};
    nx_session *session = start(&s, &settings, NULL);
    float nats[15];
    put(&s, session, known, 5, 0, nats);
    CHECK(!session->forked && nats[0] == nats[1] && nats[13] == nats[14]);
    settings.temperature = 1;
    session = start(&s, &settings, NULL);
    put(&s, session, known, 5, 0, nats);
    CHECK(session->forked && nats[12] != nats[13] && nats[13] != nats[14]);
}

/* What would mix the noise of two samples is refused. */
static void refused_noise(void) {
    subject s = subject_of(HASHER_NOISY_AGAIN);
    nx_settings settings = settings_of(2, 0, 25), other = settings;
    nx_session *session = start(&s, &settings, NULL), *branch = bare(&s, &settings, NULL);
    uint32_t parents[2] = {1, 1}, ids[2], count, over;
    float nats[2];
    nx_candidate candidates[4];
    CHECK_INT(nx_session_search(s.model, session, 0, candidates, &count, &over), NX_E_ARGUMENT);
    CHECK_INT(nx_session_top(s.model, session, 1, ids, nats), NX_OK);
    CHECK_INT(nx_session_resample(s.model, session, parents), NX_E_ARGUMENT);
    CHECK_INT(nx_session_branch(s.model, branch, session, 1, 0), NX_OK);
    CHECK_INT(branch->computed, 0); /* it is computed anew */
    other.temperature = 0.5f;
    CHECK_INT(nx_session_retune(s.model, session, &other), NX_E_ARGUMENT);
    other = settings, other.seed_low++;
    CHECK_INT(nx_session_retune(s.model, session, &other), NX_E_ARGUMENT);
    other = settings, other.top_k = 3;
    CHECK_INT(nx_session_retune(s.model, session, &other), NX_OK);
    s = subject_of(HASHER_NOISY);
    session = start(&s, &settings, NULL), branch = bare(&s, &settings, NULL);
    while (nx_session_top(s.model, session, 1, ids, nats) == NX_MORE) {}
    CHECK_INT(nx_session_branch(s.model, branch, session, 1, 0), NX_E_ARGUMENT); /* a position that cannot be entered again */
}

/* ---- a search ----------------------------------------------------------------------------------------------------------------- */

#define MOST_BEAMS 64u

static double length_penalty(uint32_t n, double alpha) { return pow((5.0 + n) / 6, alpha); }

/* A hypothesis of the search by hand. */
typedef struct {
    uint32_t ids[LENGTH], n;
    float nats;
} hypothesis;

/* The search step by step, against one by hand, whose every hypothesis is put to a run of its own at every step. Now and then the session
 * is copied elsewhere, and goes on from there. Returns the score of what it found, and its ids. */
static float search_by_hand(const subject *s, uint32_t beams, float alpha, uint32_t *ids, uint32_t *n_ids) {
    nx_settings settings = settings_of(beams, 0, 3), one = settings_of(1, 0, 3);
    if (s->noisy) settings.temperature = one.temperature = 0;
    size_t bytes;
    nx_session *session = start(s, &settings, &bytes);
    uint32_t V = s->values, room = beams * (1 + s->model->plan[s->part].n_ends), living = 1, found = 0, over = 0, count;
    hypothesis *own = memory_take(beams * sizeof *own), *next = memory_take(beams * sizeof *next), best = {{0}, 0, 0};
    nx_candidate *candidates = memory_take(room * sizeof *candidates), *expected = memory_take((size_t)beams * V * sizeof *expected);
    uint32_t *top = memory_take(V * sizeof *top);
    float *costs = memory_take(V * sizeof *costs), least = 0;
    own[0] = (hypothesis){{0}, 0, 0};
    for (uint32_t p = 0; !over; p++) {
        uint32_t n = 0, kept = 0;
        for (uint32_t b = 0; b < living; b++) { /* every continuation of every one, those that cost the same in their order */
            size_t mark = memory_mark();
            nx_session *alone = start(s, &one, NULL);
            put(s, alone, own[b].ids, own[b].n, 0, NULL);
            while (nx_session_top(s->model, alone, V, top, costs) == NX_MORE) {}
            for (uint32_t i = 0; i < V; i++) {
                nx_candidate c = {b, top[i], NX_CUT, own[b].nats + (costs[i] > 0 ? costs[i] : 0), 0};
                uint32_t at_place = n++;
                for (; at_place && c.nats < expected[at_place - 1].nats; at_place--) expected[at_place] = expected[at_place - 1];
                expected[at_place] = c;
            }
            memory_release(mark);
        }
        if (n > room) n = room;
        for (uint32_t i = 0; i < n; i++) {
            nx_candidate *c = expected + i;
            hypothesis h = own[c->parent];
            h.ids[h.n++] = c->id, h.nats = c->nats;
            c->score = (float)((double)c->nats / length_penalty(p + 1, (double)alpha));
            if (nx_ends(&s->model->plan[s->part], c->id)) {
                if (i >= beams) continue;
                c->fate = NX_ENDED;
                if (!found++ || c->score < least) least = c->score, best = h;
            } else if (kept < beams)
                c->fate = kept, next[kept++] = h;
        }
        nx_status status;
        while ((status = nx_session_search(s->model, session, alpha, candidates, &count, &over)) == NX_MORE) {}
        CHECK_INT(status, NX_OK);
        check_at("step %lld of a search with %lld beams, alpha %lld tenths", p, beams, (long long)(alpha * 10), 0);
        if (!CHECK_INT(count, n)) return 0;
        for (uint32_t i = 0; i < n; i++) {
            CHECK_INT(candidates[i].parent, expected[i].parent), CHECK_INT(candidates[i].id, expected[i].id);
            CHECK_INT(candidates[i].fate, expected[i].fate), CHECK_FLOATS(&candidates[i].nats, &expected[i].nats, 1);
            CHECK_NEAR((double)candidates[i].score, (double)expected[i].score, 1e-5 * (1 + (double)expected[i].score));
        }
        living = kept;
        memcpy(own, next, kept * sizeof *own);
        int beaten = found && living && (double)least <= (double)own[0].nats / length_penalty(s->length, (double)alpha);
        CHECK_INT(over, !living || found >= beams || beaten || p + 1 == s->length);
        CHECK_INT(nx_session_check(s->model, session, bytes), NX_OK);
        if (p % 3 == 1) session = memory_copy(session, bytes);
    }
    CHECK_INT(nx_session_search(s->model, session, alpha, candidates, &count, &over), NX_E_ARGUMENT);
    if (!found) best = own[0], least = (float)((double)best.nats / length_penalty(best.n, (double)alpha));
    memcpy(ids, best.ids, best.n * sizeof *ids);
    *n_ids = best.n;
    return least;
}

/* Runs of 14 positions at most, with one to five beams. */
static void by_hand_of(const subject *whole_one) {
    static const uint32_t beams[] = {1, 2, 4, 5};
    subject s = *whole_one;
    s.shape.length = s.length = s.length < 14 ? s.length : 14;
    for (int k = 0; k < 4; k++) {
        size_t mark = memory_mark();
        uint32_t ids[LENGTH], n;
        hasher_settings.end = k % 2 ? 4 : 1;
        search_by_hand(&s, beams[k], k == 1 ? 0 : k == 2 ? 1.5f : 0.6f, ids, &n);
        memory_release(mark);
    }
}

static void by_hand(void) { for_those(TOY_SEARCH, by_hand_of, 1); }

/* One beam is the most probable id at every step. */
static void one_beam_of(const subject *whole_one) {
    subject s = *whole_one;
    if (s.length > LENGTH) s.shape.length = s.length = LENGTH;
    nx_settings settings = settings_of(1, 0, 3);
    settings.temperature = 0;
    run greedy = whole(&s, &settings);
    uint32_t ids[LENGTH], n;
    search_by_hand(&s, 1, 0.6f, ids, &n);
    CHECK_INT(n, greedy.n);
    CHECK_BYTES(ids, greedy.ids, n * sizeof *ids);
}

static void one_beam(void) { for_those(TOY_SEARCH, one_beam_of, 1); }

/* With beams enough for every beginning there is, what is found is the best of all sequences. */
static void exhaustive(void) {
    enum { V = 5, T = 4, END = 2 };
    toy_transformer_config c = {.values = V, .length = T, .encoder_blocks = 1, .blocks = 1, .d = 16, .inner = 16, .heads = 2, .end = END + 1, .seed = 11};
    for (c.seed = 11; c.seed < 15; c.seed++)
        for (int tenths = 0; tenths <= 20; tenths += 10) {
            size_t mark = memory_mark();
            subject s = {.model = toy_transformer_open(toy_transformer_build(&c)), .shape = {.length = T, .counts = {4}}, .values = V, .span = 1, .length = T};
            nx_settings one = settings_of(1, 0, 3);
            double least = 1e9;
            uint32_t ids[LENGTH], n, best[T] = {0};
            for (uint32_t code = 0; code < V * V * V * V; code++) { /* every sequence up to its end */
                uint32_t word[T] = {code % V, code / V % V, code / V / V % V, code / V / V / V};
                size_t inside = memory_mark();
                float nats[T], total = 0;
                put(&s, start(&s, &one, NULL), word, T, 0, nats);
                for (n = 0; n < T;) {
                    total += nats[n] > 0 ? nats[n] : 0;
                    if (word[n++] == END) break;
                }
                double score = (double)total / length_penalty(n, tenths / 10.0);
                if (word[n - 1] == END && score < least) least = score, memcpy(best, word, sizeof best);
                memory_release(inside);
            }
            double found = (double)search_by_hand(&s, MOST_BEAMS, (float)tenths / 10, ids, &n); /* 4 + 16 + 64 beginnings */
            CHECK_NEAR(found, least, 1e-5);
            CHECK_BYTES(ids, best, n * sizeof *ids);
            memory_release(mark);
        }
}

static void refused_searches(void) {
    subject s = subject_named("transformer with an end");
    nx_settings settings = settings_of(3, 0, 3);
    nx_candidate candidates[6];
    uint32_t count, over, ids[3], drawn;
    const float wrong[] = {-0.1f, 2.1f, NAN, INFINITY};
    nx_session *session = start(&s, &settings, NULL), *drawing = start(&s, &settings, NULL), *empty = bare(&s, &settings, NULL);
    for (int i = 0; i < 4; i++) CHECK_INT(nx_session_search(s.model, session, wrong[i], candidates, &count, &over), NX_E_ARGUMENT);
    CHECK_INT(nx_session_search(s.model, session, 0.6f, candidates, &count, &over), NX_OK);
    CHECK_INT(count, 6);
    CHECK_INT(nx_session_draw(s.model, drawing, 1, ids, NULL, &drawn), NX_OK);
    CHECK_INT(nx_session_search(s.model, drawing, 0.6f, candidates, &count, &over), NX_E_ARGUMENT); /* they differ */
    CHECK_INT(nx_session_search(s.model, empty, 0.6f, candidates, &count, &over), NX_E_ARGUMENT); /* nothing was read */
    s = subject_named("picture, pixels");
    CHECK_INT(nx_session_search(s.model, start(&s, &settings, NULL), 0.6f, candidates, &count, &over), NX_E_ARGUMENT); /* three ids at once */
}

/* ---- branches and other settings ------------------------------------------------------------------------------------------------ */

static void branches(const subject *s) {
    nx_settings settings = settings_of(3, 0, 14), one = settings_of(1, 1, 14);
    run all = whole(s, &settings);
    uint32_t until = all.n > 20 ? 20 : all.n / 2, width = 3 * s->span;
    if (until < 3) return;
    nx_session *from = start(s, &settings, NULL);
    CHECK_INT(draw(s, from, until, all.ids, all.nats), until);
    for (uint32_t back = 0; back <= until; back++) {
        size_t mark = memory_mark(), bytes;
        nx_session *to = bare(s, &one, &bytes);
        run r = room_of(s, 1);
        uint32_t at_position = until - back;
        nx_status status = nx_session_branch(s->model, to, from, 1, at_position);
        check_at("%lld back from %lld, of %lld rewinds", back, until, s->rewinds, 0);
        CHECK_INT(status, back <= s->rewinds ? NX_OK : NX_E_ARGUMENT);
        if (!status) {
            CHECK_INT(nx_session_check(s->model, to, bytes), NX_OK);
            CHECK_INT(nx_session_position(to), at_position);
            uint32_t n = draw(s, to, s->length - at_position, r.ids, r.nats);
            for (uint32_t p = 0; p < n && at_position + p < until; p++) {
                CHECK_BYTES(r.ids + p * s->span, all.ids + (at_position + p) * width + s->span, s->span * sizeof *r.ids);
                CHECK_FLOATS(r.nats + p * s->span, all.nats + (at_position + p) * width + s->span, s->span);
            }
            CHECK_INT(nx_session_branch(s->model, to, from, 1, at_position), NX_E_ARGUMENT); /* it is no longer new */
        }
        memory_release(mark);
    }
    run rest = room_of(s, 3), whole_run = whole(s, &settings); /* the one that was left goes on as it would have */
    uint32_t n = draw(s, from, s->length - until, rest.ids, rest.nats);
    CHECK_BYTES(rest.ids, whole_run.ids + until * width, n * width * sizeof *rest.ids);
    nx_session *to = bare(s, &one, NULL);
    CHECK_INT(nx_session_branch(s->model, to, from, 3, 0), NX_E_ARGUMENT);
    CHECK_INT(nx_session_branch(s->model, to, from, 0, s->length + 1), NX_E_ARGUMENT);
}

static void branched(void) { for_every(branches); }

/* A run that was taken back goes on as one that put the ids before it, under other settings too. */
static void rewinds(const subject *s) {
    nx_part_info info;
    CHECK_INT(nx_model_part(s->model, s->part, &info), NX_OK);
    nx_settings settings = settings_of(1, 0, 15), other = settings_of(1, 0, 16);
    run all = whole(s, &settings);
    uint32_t until = all.n > 20 ? 20 : all.n;
    if (until < 3) return;
    for (uint32_t back = 0; back <= until; back++) {
        size_t mark = memory_mark();
        nx_session *session = start(s, &settings, NULL), *plain = start(s, &other, NULL);
        run r = room_of(s, 1), p = room_of(s, 1);
        CHECK_INT(draw(s, session, until, r.ids, r.nats), until);
        uint32_t from = until - back;
        nx_status status = nx_session_rewind(s->model, session, from);
        check_at("%lld back from %lld, of %lld rewinds", back, until, s->rewinds, 0);
        CHECK_INT(status, info.noisy || back > s->rewinds ? NX_E_ARGUMENT : NX_OK);
        if (!status) {
            CHECK_INT(nx_session_position(session), from);
            CHECK_INT(nx_session_rewind(s->model, session, from + 1), NX_E_ARGUMENT);
            CHECK_INT(nx_session_retune(s->model, session, &other), NX_OK);
            put(s, plain, all.ids, from, 0, NULL);
            uint32_t n = draw(s, session, s->length - from, r.ids, r.nats);
            CHECK_INT(draw(s, plain, s->length - from, p.ids, p.nats), n);
            CHECK_BYTES(r.ids, p.ids, n * s->span * sizeof *r.ids);
            CHECK_FLOATS(r.nats, p.nats, n * s->span);
        }
        memory_release(mark);
    }
}

static void rewound(void) { for_every(rewinds); }

/* What a run becomes in a longer block; the old one is then overwritten. */
static nx_session *grow(const subject *s, nx_session *from, uint32_t length, size_t *bytes) {
    size_t size = 0, old = 0;
    nx_session *to = NULL;
    CHECK_INT(nx_session_size(s->model, s->part, &from->settings, &from->shape, &old), NX_OK);
    CHECK_INT(nx_session_grown_size(s->model, from, length, &size), NX_OK);
    void *block = memory_take(size);
    memset(block, 0xa5, size); /* whatever was there before */
    CHECK_INT(nx_session_grow(block, size - 1, s->model, from, length, &to), NX_E_MEMORY);
    CHECK_INT(nx_session_grow(block, size, s->model, from, length, &to), NX_OK);
    CHECK_INT(nx_session_check(s->model, to, size), NX_OK);
    memset(from, 0x5a, old);
    if (bytes) *bytes = size;
    return to;
}

/* Every map of the last position of every sample, weights of all rows one after another. Returns how many. */
static uint32_t all_maps(const subject *s, const nx_session *session, uint32_t samples, float *weights) {
    uint32_t n = 0, count = 0, *keys = memory_take(4096 * sizeof *keys);
    nx_map map;
    for (uint32_t m = 0; nx_model_map(s->model, s->part, m, &map) == NX_OK; m++)
        for (uint32_t b = 0; b < samples; b++)
            for (uint32_t row = 0; row < map.rows * (map.queries ? nx_map_queries(&map, &s->shape) : 1); row++, n += count)
                CHECK_INT(nx_session_map(s->model, session, b, m, row, keys, weights + n, &count), NX_OK);
    return n;
}

static uint32_t runs_grown;

/* A run that begins short and is made longer whenever it is full, to the bit the run that was long from the beginning: its ids, nats, maps and
 * branches, with guesses and without. */
static void grows(const subject *s) {
    nx_part_info info;
    CHECK_INT(nx_model_part(s->model, s->part, &info), NX_OK);
    nx_settings settings = settings_of(3, 0, 18), alone = settings_of(1, 1, 18);
    if (!info.grows) {
        size_t bytes;
        CHECK_INT(nx_session_grown_size(s->model, start(s, &alone, NULL), s->length + 1, &bytes), NX_E_ARGUMENT);
        return;
    }
    for (uint32_t way = 0; way < 12; way++) {
        size_t mark = memory_mark(), bytes = 0;
        nx_settings own = way % 3 ? alone : settings;
        if (way % 3 == 2) own.look_ahead = 8, own.look_up = 1;
        own.maps = way % 2;
        uint32_t samples = own.samples, width = samples * s->span, step = 1 + 5 * (way / 4), n = 0, half = s->length / 2;
        run all = whole(s, &own), r = room_of(s, samples);
        subject small = *s;
        small.shape.length = 1 + way;
        if (small.shape.length >= s->length || all.n < s->length / 4) continue; /* it ends too soon to tell */
        nx_session *session = start(&small, &own, NULL), *long_one = start(s, &own, NULL);
        check_at("way %lld", way, 0, 0, 0);
        while (n < all.n) {
            uint32_t room = session->shape.length;
            if (n == room) {
                uint32_t longer = room + step < s->length ? room + step : s->length;
                session = grow(s, session, longer, &bytes);
                runs_grown++;
                continue;
            }
            uint32_t left = (room < all.n ? room : all.n) - n, drawn = draw(s, session, left, r.ids + n * width, r.nats + n * width);
            CHECK_INT(drawn, left);
            if (own.maps) {
                float *a = memory_take(1 << 20), *b = memory_take(1 << 20);
                CHECK_INT(draw(s, long_one, left, all.ids + n * width, all.nats + n * width), left);
                uint32_t weights = all_maps(s, session, samples, a);
                CHECK_INT(all_maps(s, long_one, samples, b), weights);
                CHECK_BYTES(a, b, weights * sizeof *a);
                if (session->shape.length < s->length) { /* what there was to see is still there */
                    session = grow(s, session, session->shape.length + 1, &bytes);
                    CHECK_INT(all_maps(s, session, samples, b), weights);
                    CHECK_BYTES(a, b, weights * sizeof *a);
                }
            }
            n += left;
        }
        CHECK_BYTES(r.ids, all.ids, n * width * sizeof *r.ids);
        CHECK_BYTES(r.nats, all.nats, n * width * sizeof *r.nats);
        /* A branch of it goes on as it would have. */
        if (s->rewinds >= s->length && half < n && session->shape.length > small.shape.length) {
            nx_settings sample = own;
            sample.samples = 1, sample.first_sample = own.first_sample + samples - 1, sample.maps = 0;
            subject grown = *s;
            grown.shape = session->shape;
            nx_session *branch = bare(&grown, &sample, NULL);
            CHECK_INT(nx_session_branch(s->model, branch, session, samples - 1, half), NX_OK);
            run b = room_of(s, 1);
            uint32_t more = draw(s, branch, session->shape.length - half, b.ids, b.nats);
            for (uint32_t p = 0; p < more && half + p < n; p++) CHECK_INT(b.ids[p], at(s, &all, samples, half + p, samples - 1)[0]);
        }
        memory_release(mark);
    }
    /* Beams, whose slots are in another order; and what does not grow. */
    subject small = *s;
    small.shape.length = 4;
    nx_session *shorter = start(&small, &settings, NULL), *longer = start(s, &settings, NULL);
    nx_session *both[] = {shorter, longer};
    uint32_t ids[3] = {1, 0, 1}, parents[3] = {0, 0, 0};
    for (uint32_t p = 0; p < 8 && p < s->length; p++) {
        float *logits[2];
        if (p == 4) both[0] = grow(s, both[0], s->length, NULL);
        for (uint32_t b = 0; b < 3; b++) ids[b] = (p + b) % 2, parents[b] = (2 * b + p) % 3;
        for (int i = 0; i < 2; i++) CHECK_INT(nx_session_advance(s->model, both[i], parents, ids), NX_OK);
        for (uint32_t b = 0; b < 3; b++) {
            for (int i = 0; i < 2; i++) {
                logits[i] = memory_take(info.outputs * sizeof(float));
                CHECK_INT(nx_session_output(s->model, both[i], b, logits[i]), NX_OK);
            }
            CHECK_BYTES(logits[0], logits[1], info.outputs * sizeof(float));
        }
    }
    size_t bytes;
    nx_candidate candidates[64];
    uint32_t count, over;
    if (s->noisy) settings.temperature = 0; /* a search is of what does not draw */
    nx_session *search = start(&small, &settings, NULL);
    CHECK_INT(nx_session_grown_size(s->model, search, 4, &bytes), NX_E_ARGUMENT);
    CHECK_INT(nx_session_grown_size(s->model, search, info.length + 1, &bytes), NX_E_ARGUMENT);
    CHECK_INT(nx_session_grown_size(s->model, search, 5, &bytes), NX_OK);
    CHECK_INT(nx_session_search(s->model, search, 0, candidates, &count, &over), NX_OK);
    CHECK_INT(nx_session_grown_size(s->model, search, 5, &bytes), NX_E_ARGUMENT);
}

static void grown(void) {
    runs_grown = 0;
    for_every(grows);
    if (!shaped) check_note("  %u times", (unsigned)runs_grown);
    CHECK(runs_grown > 100);
}

/* After the settings change, as if the run so far had been known and they had been so from the start. */
static void retunes(const subject *s) {
    nx_settings settings = settings_of(2, 0, 15), other = settings;
    other.temperature = 0.5f, other.top_k = 3, other.seed_low = 99;
    nx_session *session = start(s, &settings, NULL), *fresh = start(s, &other, NULL);
    uint32_t half = s->length / 2, width = 2 * s->span;
    run r = room_of(s, 2), expected = room_of(s, 2);
    if (draw(s, session, half, r.ids, r.nats) < half) return;
    for (uint32_t i = 0; i < half * width; i++)
        if (r.ids[i] == NX_NONE || (s->model->plan[s->part].n_ends && r.ids[i] == HASHER_END)) return;
    put(s, fresh, r.ids, half, 1, NULL);
    CHECK_INT(nx_session_retune(s->model, session, &other), s->noisy ? NX_E_ARGUMENT : NX_OK);
    if (s->noisy) return;
    uint32_t n = draw(s, session, s->length - half, r.ids, r.nats);
    CHECK_INT(draw(s, fresh, s->length - half, expected.ids, expected.nats), n);
    CHECK_BYTES(r.ids, expected.ids, n * width * sizeof *r.ids);
    CHECK_FLOATS(r.nats, expected.nats, n * width);
    nx_settings wrong[7];
    for (int i = 0; i < 7; i++) wrong[i] = settings;
    wrong[0].samples = 3, wrong[1].first_sample = 1, wrong[2].origin = 1, wrong[3].maps = 1, wrong[4].temperature = -1, wrong[5].top_p = 0, wrong[6].biases++;
    for (int i = 0; i < 7; i++) CHECK_INT(nx_session_retune(s->model, session, wrong + i), NX_E_ARGUMENT);
}

static void retuned(void) { for_every_endless(retunes); }

/* The noise of a position does not depend on where a session began. */
static void origins(void) {
    subject s = subject_of(HASHER);
    hasher_settings.flat = 1; /* ids follow from the noise alone */
    hasher_settings.end = 0;
    nx_settings settings = settings_of(2, 0, 16);
    run all = whole(&s, &settings);
    for (uint32_t origin = 1; origin < 6; origin += 2) {
        nx_settings later = settings;
        later.origin = origin;
        run r = whole(&s, &later);
        uint32_t n = all.n - origin < r.n ? all.n - origin : r.n;
        CHECK(n > 3);
        for (uint32_t p = 0; p < n; p++)
            for (uint32_t b = 0; b < 2; b++)
                if (*at(&s, &all, 2, p + origin, b) != NX_NONE) CHECK_INT(*at(&s, &r, 2, p, b), *at(&s, &all, 2, p + origin, b));
    }
}

/* ---- maps ------------------------------------------------------------------------------------------------------------------- */

/* Every row of every map, of every sample: weights of what came before or of the source, which add up to 1 (to 1 at most where a paper damps them); looking changes
 * nothing. Rows of a TOY_FIXED need not see their own position, and at first see nothing. */
static void mapped(const subject *s) {
    nx_settings settings = settings_of(3, 0, 17);
    run plain = whole(s, &settings), mapped = room_of(s, 3);
    settings.maps = 1;
    nx_session *session = start(s, &settings, NULL);
    uint32_t n = s->length < 12 ? s->length : 12, row, count;
    for (uint32_t p = 0; p < n && p < plain.n; p++) {
        nx_map map;
        CHECK_INT(draw(s, session, 1, mapped.ids + p * 3 * s->span, NULL), 1);
        for (uint32_t m = 0; nx_model_map(s->model, s->part, m, &map) == NX_OK; m++) {
            size_t mark = memory_mark();
            uint32_t *keys = memory_take(map.keys * sizeof *keys);
            float *weights = memory_take(map.keys * sizeof *weights);
            for (uint32_t b = 0; b < 3; b++)
                for (row = 0; row < map.rows * (map.queries ? nx_map_queries(&map, &s->shape) : 1); row++) {
                    double sum = 0;
                    CHECK_INT(nx_session_map(s->model, session, b, m, row, keys, weights, &count), NX_OK);
                    check_at("position %lld, map %lld, row %lld, sample %lld", p, m, row, b);
                    CHECK(count >= (s->fixed ? 0 : 1) && count <= map.keys);
                    if (!count) continue;
                    if (map.port == NX_NONE) CHECK(s->fixed ? keys[count - 1] <= p : keys[count - 1] == p);
                    else CHECK_INT(count, s->shape.counts[map.port] ? s->shape.counts[map.port] : map.keys);
                    for (uint32_t k = 0; k < count; k++) {
                        sum += (double)weights[k];
                        CHECK(weights[k] >= 0 && weights[k] < 1 + 1e-4f && (!k || keys[k] > keys[k - 1]));
                    }
                    if (s->damped) CHECK(sum < 1 + 1e-4);
                    else if (!s->bits) CHECK_NEAR(sum, 1, 1e-4);
                }
            CHECK_INT(nx_session_map(s->model, session, 0, m, row, keys, weights, &count), NX_E_ARGUMENT);
            CHECK_INT(nx_session_map(s->model, session, 3, m, 0, keys, weights, &count), NX_E_ARGUMENT);
            memory_release(mark);
        }
    }
    CHECK_BYTES(mapped.ids, plain.ids, (n < plain.n ? n : plain.n) * 3 * s->span * sizeof *plain.ids);
    CHECK_INT(nx_session_map(s->model, session, 0, 9, 0, &row, NULL, &count), NX_E_ARGUMENT);
}

static void maps(void) { for_every(mapped); }

/* ---- penalties and biases --------------------------------------------------------------------------------------------------- */

/* All of the above with them: they follow from the ids of the sequence, so however it is done they are the same. */
static void shaped_runs(void) {
    static void (*const tests[])(void) = {divided, known_at_any_time, the_same_to_all, copied, searched, resampled, branched, grown, retuned, top_ids};
    shaped = 1;
    for (uint32_t i = 0; i < sizeof tests / sizeof *tests; i++) tests[i]();
    shaped = 0;
}

/* What they do to a run: the ids are those of an argmax over logits that were changed by hand. Nats are the model's own. */
static void shaping(void) {
    subject s = subject_named("llama");
    toy_llama_config loose = {.values = 40, .length = 30, .blocks = 1, .d = 16, .inner = 16, .heads = 2, .groups = 1, .seed = 6};
    s.model = toy_llama_open(toy_llama_build(&loose)); /* untied: one that does not merely repeat what it read */
    nx_settings settings = settings_of(1, 0, 19);
    settings.temperature = 0, settings.penalty_last = 5, settings.repetition = 1.5f, settings.frequency = 0.3f, settings.presence = 0.2f;
    settings.biases = 2;
    size_t bytes;
    nx_session *session = start(&s, &settings, &bytes);
    uint32_t biased[3] = {3, 9, 50}, drawn_ids[27], differ = 0, drawn;
    float biases[3] = {2, -1e9f, 0}, nats[27], logits[40];
    CHECK_INT(nx_session_bias(s.model, session, biased, biases, 3), NX_E_ARGUMENT); /* more than there is room for */
    CHECK_INT(nx_session_bias(s.model, session, biased + 1, biases, 2), NX_E_ARGUMENT); /* no such id */
    CHECK_INT(nx_session_bias(s.model, session, biased, (float[]){0, NAN}, 2), NX_E_ARGUMENT);
    CHECK_INT(nx_session_bias(s.model, session, biased, (float[]){-1.1e9f, 0}, 2), NX_E_ARGUMENT);
    CHECK_INT(nx_session_bias(s.model, session, biased, biases, 2), NX_OK);
    for (uint32_t p = 0; p < 27; p++) {
        CHECK_INT(nx_session_draw(s.model, session, 1, drawn_ids + p, nats + p, &drawn), NX_OK);
        CHECK_INT(nx_session_output(s.model, session, 0, logits), NX_OK);
        double shaped_logit[40], sum = 0;
        uint32_t best = 0, plain = 0;
        for (uint32_t v = 0; v < 40; v++) {
            uint32_t seen = 0;
            double x = (double)logits[v] + (v == 3 ? 2 : v == 9 ? -1e9 : 0);
            for (uint32_t i = p > 5 ? p - 5 : 0; i < p; i++) seen += drawn_ids[i] == v;
            if (seen) x = (x > 0 ? x / 1.5 : x * 1.5) - 0.3 * seen - 0.2;
            shaped_logit[v] = x;
            sum += exp((double)logits[v]);
            if (shaped_logit[v] > shaped_logit[best]) best = v;
            if (logits[v] > logits[plain]) plain = v;
        }
        check_at("position %lld", p, 0, 0, 0);
        CHECK_INT(drawn_ids[p], best);
        CHECK_NEAR((double)nats[p], log(sum) - (double)logits[best], 1e-4);
        differ += best != plain;
    }
    check_note("  %u of 27 ids are not the model's first", (unsigned)differ);
    CHECK(differ > 5);
    /* a saved one has its biases; a wrong one is found */
    CHECK_INT(nx_session_check(s.model, session, bytes), NX_OK);
    nx_layout l = nx_layout_of(s.model, session);
    l.biased[1] = 40;
    CHECK_INT(nx_session_check(s.model, session, bytes), NX_E_STATE);
    l.biased[1] = 9, l.bias[0] = INFINITY;
    CHECK_INT(nx_session_check(s.model, session, bytes), NX_E_STATE);
    /* fewer replace them all */
    CHECK_INT(nx_session_bias(s.model, session, biased, biases, 1), NX_OK);
    CHECK(l.bias[0] == 2 && l.bias[1] == 0);
}

static void shaping_ranges(void) {
    subject s = subject_of(HASHER);
    size_t bytes;
    nx_settings good = settings_of(1, 0, 1), t;
#define STATUS(change, status) t = good, t.change, CHECK_INT(nx_session_size(s.model, s.part, &t, &s.shape, &bytes), status)
    STATUS(typical_p = 1, NX_OK);
    STATUS(typical_p = 1.01f, NX_E_ARGUMENT);
    STATUS(typical_p = NAN, NX_E_ARGUMENT);
    STATUS(min_p = 1, NX_OK);
    STATUS(min_p = -0.1f, NX_E_ARGUMENT);
    STATUS(min_p = NAN, NX_E_ARGUMENT);
    STATUS(temperature_last = 2, NX_E_ARGUMENT);
    STATUS(penalty_last = UINT32_MAX, NX_OK);
    STATUS(repetition = 0.01f, NX_OK);
    STATUS(repetition = 0.001f, NX_E_ARGUMENT);
    STATUS(repetition = -1, NX_E_ARGUMENT);
    STATUS(repetition = 101, NX_E_ARGUMENT);
    STATUS(repetition = NAN, NX_E_ARGUMENT);
    STATUS(frequency = -100, NX_OK);
    STATUS(frequency = 101, NX_E_ARGUMENT);
    STATUS(frequency = INFINITY, NX_E_ARGUMENT);
    STATUS(presence = NAN, NX_E_ARGUMENT);
    STATUS(biases = NX_MAX_BIASES, NX_OK);
    STATUS(biases = NX_MAX_BIASES + 1, NX_E_ARGUMENT);
#undef STATUS
}

/* ---- damage ----------------------------------------------------------------------------------------------------------------- */

/* A damaged state of a part with ends, slices and a source is refused or goes on without harm. */
static void damaged(void) {
    check_random random = {21};
    for (int i = 0; i < HASHERS; i++) {
        subject s = subject_of(i);
        nx_settings settings = settings_of(3, 0, 2);
        size_t bytes;
        hasher_settings.end = 2;
        nx_session *session = start(&s, &settings, &bytes);
        uint32_t ids[3 * LENGTH], drawn, parents[3] = {0, 0, 1}, passed = 0;
        float nats[3 * LENGTH];
        nx_session_draw(s.model, session, 6, ids, nats, &drawn);
        for (int round = 0; round < 3000; round++) {
            size_t mark = memory_mark();
            nx_session *copy = memory_copy(session, bytes);
            uint32_t word = random_below(&random, 2) ? random_below(&random, LENGTH + 2) : random_bits(&random);
            size_t where = 4 * (size_t)random_below(&random, round % 2 ? sizeof(struct nx_session) / 4 : (uint32_t)bytes / 4);
            memcpy((uint8_t *)copy + where, &word, 4);
            if (nx_session_check(s.model, copy, bytes) == NX_OK) {
                passed++;
                uint32_t left = s.length - nx_session_position(copy), steps = left < 3 ? left : 3, top[6], next[3] = {1, 2, 3};
                nx_session_draw(s.model, copy, steps, ids, nats, &drawn);
                nx_session_top(s.model, copy, 2, top, nats);
                nx_session_advance(s.model, copy, parents, next);
                nx_session_resample(s.model, copy, parents);
                nx_session_put(s.model, copy, next, 1, 0, nats);
                nx_session_encode(s.model, copy);
            }
            memory_release(mark);
        }
        check_note("  %s: %u of 3000 pass", s.name, (unsigned)passed);
        CHECK(passed > 100 && passed < 2900);
    }
}

const check_test runs_tests[] = {
    {"however it is divided", divided},
    {"known ids at any time", known_at_any_time},
    {"the same ids to all", the_same_to_all},
    {"ids that are refused", refused_ids},
    {"ends", ends},
    {"copies at any moment", copied},
    {"passes that are interrupted", interrupted},
    {"a source of any length", sources},
    {"the most probable ids", top_ids},
    {"beams are separate sequences", searched},
    {"samples that become others", resampled},
    {"samples that go on as branches", resampled_as_branched},
    {"places that a model draws", places},
    {"places at temperature 0", placed_coldly},
    {"noise that is not mixed", refused_noise},
    {"a search, by hand", by_hand},
    {"a search with one beam", one_beam},
    {"a search through everything", exhaustive},
    {"searches that are refused", refused_searches},
    {"branches", branched},
    {"runs taken back", rewound},
    {"runs that grow", grown},
    {"other settings midway", retuned},
    {"origins", origins},
    {"maps", maps},
    {"look-ahead with penalties", shaped_ahead},
    {"look-ahead from the text so far", looked_up},
    {"what is looked up", looked_up_where},
    {"all of it with penalties and biases", shaped_runs},
    {"penalties and biases of a run", shaping},
    {"ranges of penalties and filters", shaping_ranges},
    {"damaged states with ends and slices", damaged},
    {0},
};

/* SPDX-License-Identifier: MIT
 *
 * Tests sessions of every kind of model (subject.h): known ids at any time, samples that end, encoded sources and damaged states. Results
 * must not depend on how a run is divided into calls and slices. test_searches.c tests searches; test_branches.c tests branches and
 * settings.
 */
#include <math.h>
#include <string.h>

#include "models/toy_llama.h"
#include "models/toy_transformer.h"
#include "sampling/categorical.h"
#include "subject.h"

/* ---- division --------------------------------------------------------------------------------------------------------------- */

/* Samples have the same ids and nats whether they are drawn together, alone, position by position, or in groups of five. */
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

/* Speculative decoding uses the same noise for drafts and for draws, so the ids are the same as without speculative decoding. */
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
    check_note("  %u positions drafted with penalties", (unsigned)guessed);
    CHECK(guessed > 0);
}

static uint32_t guessed_ahead; /* number of positions that were computed ahead from drafts, over all models */

/* With drafts that repeat earlier text (lookup decoding), a run has the same ids and nats as without drafts. If the text repeats itself,
 * the run needs fewer passes. */
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
        nx_session *copy = memory_copy(session, bytes); /* the rest of the run continues in a copy */
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

/* The drafted positions equal the positions that the test itself computes. Known ids begin the text, and a bias determines how it
 * continues. */
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
    /* The text is 1 2 | 5 5 5 ... At first the last two ids match earlier ids, so two ids are drafted. Later, the last five ids match.
     * After that, the match is longer than the window of eight positions. */
    for (int i = 0; i < 30; i++) check_at("position %lld", i, 0, 0, 0), CHECK_INT(ahead[i], expected[i]);
}

/* ---- known ids -------------------------------------------------------------------------------------------------------------- */

/* Drawn ids can be given to another run as known ids. They may be one list for all samples or one list per sample. They may be given with
 * or without nats, and in one call or in several calls. Drawing can continue after any of these ids. */
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
            if (half) CHECK_INT(draw(s, session, half, r.ids, r.nats), half); /* the run draws, then takes known ids, then draws again */
            put(s, session, all.ids + half * width, known - half, 1, way % 2 ? NULL : r.nats + half * width);
            CHECK_INT(nx_session_position(session), known);
            check_at("%lld known, way %lld", known, way, 0, 0);
            if (way % 2 == 0) CHECK_FLOATS(r.nats, all.nats, known * width);
            for (uint32_t b = 0; b < 3; b++) /* known end ids do not end a sample */
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

/* Samples that have ended accept only NX_NONE. Drawn ids can therefore be reused as known ids only if no sample has ended. In this test,
 * the hashers never end a sample. */
static void known_at_any_time(void) { for_every_endless(putting); }

/* Giving one id for all samples has the same result as giving this id to each sample separately. */
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
    /* once the samples differ, a shared pass still computes the nats of each sample */
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
    CHECK_INT(nx_session_put(s.model, session, ids, 3, 0, nats), NX_E_ARGUMENT); /* two valid ids, then an invalid one */
    CHECK_INT(nx_session_put(s.model, session, none, 1, 0, nats), NX_E_ARGUMENT);
    CHECK_INT(nx_session_put(s.model, session, none, 1, 1, nats), NX_E_ARGUMENT); /* NX_NONE is refused before any sample has ended */
    CHECK_INT(nx_session_put(s.model, session, ids, LENGTH + 1, 0, nats), NX_E_ARGUMENT);
    CHECK_INT(nx_session_position(session), 0);
    CHECK_INT(nx_session_draw(s.model, session, LENGTH + 1, ids, nats, &drawn), NX_E_ARGUMENT);
    CHECK_INT(drawn, 0);
}

/* ---- ends ------------------------------------------------------------------------------------------------------------------- */

/* Samples end independently. A sample that has ended does not affect other samples and accepts no more ids. */
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
    CHECK(longest < LENGTH - 1 && shortest + 2 < longest && all.n == longest + 1); /* all samples ended before the maximum length */
    nx_session *session = start(&s, &settings, NULL);
    uint32_t ids[2 * B], wrong[B], drawn = 77;
    float nats[2 * B];
    CHECK_INT(nx_session_draw(s.model, session, shortest + 1, all.ids, all.nats, &drawn), NX_OK);
    for (uint32_t b = 0; b < B; b++) ids[b] = last[b] <= shortest ? NX_NONE : 5, wrong[b] = 5;
    CHECK_INT(nx_session_put(s.model, session, wrong, 1, 1, nats), NX_E_ARGUMENT); /* an id is refused for a sample that has ended */
    CHECK_INT(nx_session_put(s.model, session, ids, 1, 1, nats), NX_OK);
    for (uint32_t b = 0; b < B; b++) CHECK(last[b] <= shortest ? nats[b] == 0 : nats[b] > 0);
    CHECK_INT(nx_session_put(s.model, session, wrong, 1, 0, nats), NX_OK); /* only samples that have not ended take the ids */
    for (uint32_t b = 0; b < B; b++) CHECK(last[b] <= shortest ? nats[b] == 0 : nats[b] > 0);
    size_t bytes;
    nx_session_size(s.model, s.part, &settings, &s.shape, &bytes);
    CHECK_INT(nx_session_check(s.model, session, bytes), NX_OK);
    /* once all samples have ended, drawing returns no ids and no error */
    hasher_settings.end = 1000;
    nx_session *short_one = start(&s, &settings, NULL);
    CHECK_INT(nx_session_draw(s.model, short_one, 2, ids, nats, &drawn), NX_OK);
    CHECK_INT(drawn, 1);
    CHECK_INT(nx_session_draw(s.model, short_one, 1, ids, nats, &drawn), NX_OK);
    CHECK_INT(drawn, 0);
    /* known end ids do not end a sample */
    hasher_settings.end = -100;
    nx_session *known = start(&s, &settings, NULL);
    uint32_t end = HASHER_END;
    CHECK_INT(nx_session_put(s.model, known, &end, 1, 0, NULL), NX_OK);
    CHECK_INT(nx_session_draw(s.model, known, 1, ids, nats, &drawn), NX_OK);
    CHECK(drawn == 1 && ids[0] != NX_NONE);
    CHECK_INT(hasher_settings.misused, 0);
}

/* ---- slices ----------------------------------------------------------------------------------------------------------------- */

/* A session may be copied after any call, even one that ends within a position. The copy must continue with the same bits as an
 * uninterrupted run. */
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

/* A pass that is computed in slices reports that it is incomplete. A later call that requests fewer positions does not restart or shorten
 * the pass. */
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
    CHECK_INT(nx_session_top(s.model, session, 2, top, costs), NX_OK); /* the most probable ids are available at this point */
    CHECK_INT(nx_session_resample(s.model, session, parents), NX_OK);
    CHECK_INT(nx_session_advance(s.model, session, parents, next), NX_OK);
    uint32_t done = 0;
    for (calls = 1; nx_session_draw(s.model, session, 2 - done, ids, nats, &drawn) == NX_MORE; calls++) done += drawn;
    CHECK_INT(nx_session_draw(s.model, session, 1, ids, nats, &drawn), NX_MORE);
    CHECK_INT(nx_session_resample(s.model, session, parents), NX_E_ARGUMENT); /* resampling is refused in the middle of a position */
    CHECK_INT(calls, 5); /* three slices per position; the call that ends position 0 also begins position 1 */
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
        CHECK(bytes > before); /* a longer source needs more memory */
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
        CHECK_INT(nx_session_put(s.model, session, ids, 1, 0, NULL), NX_E_ARGUMENT); /* the source is not encoded yet */
        for (uint32_t i = 1; i < n; i++) CHECK_INT(nx_session_encode(s.model, session), NX_MORE);
        CHECK_INT(nx_session_encode(s.model, session), NX_OK);
        CHECK_INT(nx_session_encode(s.model, session), NX_OK);
        draw(&s, session, LENGTH, n == 1 ? first : second, NULL);
    }
    CHECK(memcmp(first, second, sizeof first));
    nx_shape shape = {.length = 5, .counts = {HASHER_SOURCE + 1}};
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &shape, &bytes), NX_E_ARGUMENT);
    shape.counts[0] = 0;
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &shape, &bytes), NX_OK); /* a count of 0 means the maximum length */
    shape.counts[1] = 1;
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &shape, &bytes), NX_E_ARGUMENT); /* the run has no such port */
    shape = (nx_shape){.length = 0};
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &shape, &bytes), NX_E_ARGUMENT); /* this model has no default length */
    shape.length = NX_MAX_LENGTH + 1;
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &shape, &bytes), NX_E_ARGUMENT);
    shape.length = NX_MAX_LENGTH;
    settings.samples = 64;
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &shape, &bytes), NX_E_LIMIT); /* the block would be too large */
    CHECK_INT(nx_session_size(s.model, 1, &settings, &shape, &bytes), NX_E_ARGUMENT); /* the model has no such part */
    settings.origin = UINT32_MAX - 3;
    shape.length = 5;
    /* the index of the last position's noise would not fit in 32 bits */
    CHECK_INT(nx_session_size(s.model, s.part, &settings, &shape, &bytes), NX_E_ARGUMENT);
}

/* ---- noise inside the model ----------------------------------------------------------------------------------------------------- */

/* Returns a hasher whose ids depend only on the most recent location. Its locations depend only on the noise. */
static subject flat_noisy(int which) {
    subject s = subject_of(which);
    hasher_settings.flat = 1, hasher_settings.end = -100;
    return s;
}

/* The noise with which a location is drawn comes from a separate stream. It depends on the sample and on the position, which is counted
 * from the origin. */
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

/* At temperature 0 all samples draw the most probable locations, so they share one slot. */
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

/* Settings that would mix the noise of two samples are refused. */
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
    CHECK_INT(branch->computed, 0); /* the branch recomputes this position */
    other.temperature = 0.5f;
    CHECK_INT(nx_session_retune(s.model, session, &other), NX_E_ARGUMENT);
    other = settings, other.seed_low++;
    CHECK_INT(nx_session_retune(s.model, session, &other), NX_E_ARGUMENT);
    other = settings, other.top_k = 3;
    CHECK_INT(nx_session_retune(s.model, session, &other), NX_OK);
    s = subject_of(HASHER_NOISY);
    session = start(&s, &settings, NULL), branch = bare(&s, &settings, NULL);
    while (nx_session_top(s.model, session, 1, ids, nats) == NX_MORE) {}
    CHECK_INT(nx_session_branch(s.model, branch, session, 1, 0), NX_E_ARGUMENT); /* this position cannot be recomputed */
}

/* ---- penalties and biases -------------------------------------------------------------------------------------------------- */

static void shaped_runs(void) { shape_each((void (*const[])(void)){divided, known_at_any_time, the_same_to_all, copied, NULL}); }

/* ---- damage ----------------------------------------------------------------------------------------------------------------- */

/* A damaged session of a hasher must either be refused or continue safely. Together, the hashers cover end ids, slices and sources. */
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
    {"the same bits however the run is divided", divided},
    {"known ids at any time", known_at_any_time},
    {"the same ids for all samples", the_same_to_all},
    {"invalid ids are refused", refused_ids},
    {"ends", ends},
    {"copies made at any moment", copied},
    {"interrupted passes", interrupted},
    {"a source of any length", sources},
    {"locations that a model draws", places},
    {"places at temperature 0", placed_coldly},
    {"settings that would mix noise are refused", refused_noise},
    {"speculative decoding with penalties", shaped_ahead},
    {"drafts from the text so far", looked_up},
    {"positions of drafts from the text so far", looked_up_where},
    {"all of these with penalties and biases", shaped_runs},
    {"damaged states with ends and chunks", damaged},
    {0},
};

/* SPDX-License-Identifier: MIT
 *
 * Tests three features with every kind of model (subject.h): beams, lists of the most probable ids, and searches. Each step of a search is
 * compared with a separate computation, and the final result is compared with an exhaustive search.
 */
#include <math.h>
#include <string.h>

#include "models/toy_llama.h"
#include "models/toy_transformer.h"
#include "sampling/categorical.h"
#include "subject.h"

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
            CHECK_INT(sum, (uint64_t)V * (V - 1) / 2); /* each id occurs once */
            CHECK_NEAR(mass, 1, 1e-4);
        }
        CHECK_INT(nx_session_top(s->model, session, 2, few, few_nats), NX_OK);
        CHECK(few[0] == ids[0] && few[1] == ids[1] && few[2] == ids[V] && few[3] == ids[V + 1] && few_nats[3] == nats[V + 1]);
        /* reading the most probable ids changes nothing */
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

/* Beams fork and end at random. Each beam equals a separate sequence with the same ids. */
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
    if (steps == s->length) steps--; /* leaves one position, so that there is an output to read */
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
        if (own[b] == NX_NONE) continue; /* this beam ended */
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

/* Samples become copies of other samples at random. Each sample must equal a separate sequence with the same ids, drawn with this sample's
 * noise. */
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
    CHECK_INT(nx_session_resample(s->model, session, parents), NX_OK); /* samples can be resampled even while they are all equal */
    for (uint32_t p = 0; p < STEPS; p += EVERY) {
        if (draw(s, session, EVERY, ids, NULL) < EVERY) return; /* all samples have ended */
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
        if (over) { /* a sample that has ended stays ended in all later steps */
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

/* If sample b becomes a copy of another sample, it continues like a branch of that sample, but with the noise of index b. This also holds
 * for a noisy model, which draws a location at each position. */
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

/* ---- a search ----------------------------------------------------------------------------------------------------------------- */

#define MOST_BEAMS 64u

static double length_penalty(uint32_t n, double alpha) { return pow((5.0 + n) / 6, alpha); }

/* A hypothesis of the brute-force search. */
typedef struct {
    uint32_t ids[LENGTH], n;
    float nats;
} hypothesis;

/* Compares each step of the search with the test's own search, which continues every hypothesis in a separate run. Some steps continue in a
 * copy of the session. Returns the score and the ids of the result. */
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
        for (uint32_t b = 0; b < living; b++) { /* lists all continuations of all hypotheses, and sorts them by cost with a stable sort */
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

/* Searches at most 14 positions with one to five beams. */
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

/* A search with one beam takes the most probable id at every step. */
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

/* If there are as many beams as prefixes, the search finds the best of all sequences. */
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
            for (uint32_t code = 0; code < V * V * V * V; code++) { /* lists all sequences up to their ends */
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
            double found = (double)search_by_hand(&s, MOST_BEAMS, (float)tenths / 10, ids, &n); /* there are 4 + 16 + 64 prefixes */
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
    CHECK_INT(nx_session_search(s.model, drawing, 0.6f, candidates, &count, &over), NX_E_ARGUMENT); /* the samples differ */
    CHECK_INT(nx_session_search(s.model, empty, 0.6f, candidates, &count, &over), NX_E_ARGUMENT); /* the run has no position yet */
    s = subject_named("picture, pixels");
    /* this model draws three ids per position */
    CHECK_INT(nx_session_search(s.model, start(&s, &settings, NULL), 0.6f, candidates, &count, &over), NX_E_ARGUMENT);
}

/* ---- penalties and biases -------------------------------------------------------------------------------------------------- */

static void shaped_runs(void) { shape_each((void (*const[])(void)){searched, resampled, top_ids, NULL}); }

const check_test searches_tests[] = {
    {"the most probable ids", top_ids},
    {"beams are separate sequences", searched},
    {"samples that become copies of others", resampled},
    {"samples that continue as branches", resampled_as_branched},
    {"a search, by hand", by_hand},
    {"a search with one beam", one_beam},
    {"a search through everything", exhaustive},
    {"invalid searches are refused", refused_searches},
    {"all of these with penalties and biases", shaped_runs},
    {0},
};

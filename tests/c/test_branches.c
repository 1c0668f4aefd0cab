/* SPDX-License-Identifier: MIT
 *
 * Tests these features with every kind of model (subject.h): branches, runs that grow, runs that are rewound, changed settings, maps,
 * penalties and biases.
 */
#include <math.h>
#include <string.h>

#include "models/toy_llama.h"
#include "models/toy_transformer.h"
#include "sampling/categorical.h"
#include "subject.h"

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
            CHECK_INT(nx_session_branch(s->model, to, from, 1, at_position), NX_E_ARGUMENT); /* only a new session can become a branch */
        }
        memory_release(mark);
    }
    run rest = room_of(s, 3), whole_run = whole(s, &settings); /* `rest` is the original run, which continues unchanged */
    uint32_t n = draw(s, from, s->length - until, rest.ids, rest.nats);
    CHECK_BYTES(rest.ids, whole_run.ids + until * width, n * width * sizeof *rest.ids);
    nx_session *to = bare(s, &one, NULL);
    CHECK_INT(nx_session_branch(s->model, to, from, 3, 0), NX_E_ARGUMENT);
    CHECK_INT(nx_session_branch(s->model, to, from, 0, s->length + 1), NX_E_ARGUMENT);
}

static void branched(void) { for_every(branches); }

/* A run that was rewound continues like a run that was given the earlier ids as known ids. This also holds if the settings are changed. */
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

/* Continues a run in a longer block, and then overwrites the old block. */
static nx_session *grow(const subject *s, nx_session *from, uint32_t length, size_t *bytes) {
    size_t size = 0, old = 0;
    nx_session *to = NULL;
    CHECK_INT(nx_session_size(s->model, s->part, &from->settings, &from->shape, &old), NX_OK);
    CHECK_INT(nx_session_grown_size(s->model, from, length, &size), NX_OK);
    void *block = memory_take(size);
    memset(block, 0xa5, size); /* arbitrary previous contents */
    CHECK_INT(nx_session_grow(block, size - 1, s->model, from, length, &to), NX_E_MEMORY);
    CHECK_INT(nx_session_grow(block, size, s->model, from, length, &to), NX_OK);
    CHECK_INT(nx_session_check(s->model, to, size), NX_OK);
    memset(from, 0x5a, old);
    if (bytes) *bytes = size;
    return to;
}

/* Writes the hidden states, if the run keeps them. Then writes the weights of all maps, row by row, at the last position of every sample.
 * Returns the number of values written. */
static uint32_t all_maps(const subject *s, const nx_session *session, uint32_t samples, float *weights) {
    uint32_t n = 0, count = 0, *keys = memory_take(4096 * sizeof *keys);
    nx_part_info info;
    nx_map map;
    CHECK_INT(nx_model_part(s->model, s->part, &info), NX_OK);
    for (uint32_t layer = 0; session->settings.hidden && layer < info.hidden_layers; layer++)
        for (uint32_t b = 0; b < samples; b++, n += info.hidden_width)
            CHECK_INT(nx_session_hidden(s->model, session, b, layer, weights + n), NX_OK);
    for (uint32_t m = 0; nx_model_map(s->model, s->part, m, &map) == NX_OK; m++)
        for (uint32_t b = 0; b < samples; b++)
            for (uint32_t row = 0; row < map.rows * (map.queries ? nx_map_queries(&map, &s->shape) : 1); row++, n += count)
                CHECK_INT(nx_session_map(s->model, session, b, m, row, keys, weights + n, &count), NX_OK);
    return n;
}

static uint32_t runs_grown;

/* A run that starts short and is extended whenever it is full is bit-identical to a run that was long from the beginning. Its ids, nats,
 * maps and branches are compared, with and without drafts. */
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
        own.hidden = way % 2 && info.hidden_layers;
        uint32_t samples = own.samples, width = samples * s->span, step = 1 + 5 * (way / 4), n = 0, half = s->length / 2;
        run all = whole(s, &own), r = room_of(s, samples);
        subject small = *s;
        small.shape.length = 1 + way;
        if (small.shape.length >= s->length || all.n < s->length / 4) continue; /* the run ends too early to show a difference */
        nx_session *session = start(&small, &own, NULL), *long_one = start(s, &own, NULL);
        float *a = memory_take(1 << 20), *b = memory_take(1 << 20);
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
                CHECK_INT(draw(s, long_one, left, all.ids + n * width, all.nats + n * width), left);
                uint32_t weights = all_maps(s, session, samples, a);
                CHECK_INT(all_maps(s, long_one, samples, b), weights);
                CHECK_BYTES(a, b, weights * sizeof *a);
                if (session->shape.length < s->length) { /* earlier maps are still available */
                    session = grow(s, session, session->shape.length + 1, &bytes);
                    CHECK_INT(all_maps(s, session, samples, b), weights);
                    CHECK_BYTES(a, b, weights * sizeof *a);
                }
            }
            n += left;
        }
        CHECK_BYTES(r.ids, all.ids, n * width * sizeof *r.ids);
        CHECK_BYTES(r.nats, all.nats, n * width * sizeof *r.nats);
        /* A branch from the middle of the run must draw the same ids as the run. */
        if (s->rewinds >= s->length && half < n && session->shape.length > small.shape.length) {
            nx_settings sample = own;
            sample.samples = 1, sample.first_sample = own.first_sample + samples - 1, sample.maps = sample.hidden = 0;
            subject grown = *s;
            grown.shape = session->shape;
            nx_session *branch = bare(&grown, &sample, NULL);
            CHECK_INT(nx_session_branch(s->model, branch, session, samples - 1, half), NX_OK);
            run of_branch = room_of(s, 1);
            uint32_t more = draw(s, branch, session->shape.length - half, of_branch.ids, of_branch.nats);
            for (uint32_t p = 0; p < more && half + p < n; p++) CHECK_INT(of_branch.ids[p], at(s, &all, samples, half + p, samples - 1)[0]);
        }
        memory_release(mark);
    }
    /* Tests the growth of a search whose beams have changed slots. Also tests runs that cannot grow. */
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
    if (s->noisy) settings.temperature = 0; /* a noisy part allows searches only at temperature 0 */
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

/* A run whose settings are changed continues like a new run that has the new settings, and whose known ids are the ids drawn so far. */
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
    nx_settings wrong[8];
    for (int i = 0; i < 8; i++) wrong[i] = settings;
    wrong[0].samples = 3, wrong[1].first_sample = 1, wrong[2].origin = 1, wrong[3].maps = 1, wrong[4].temperature = -1, wrong[5].top_p = 0, wrong[6].biases++, wrong[7].hidden = 1;
    for (int i = 0; i < 8; i++) CHECK_INT(nx_session_retune(s->model, session, wrong + i), NX_E_ARGUMENT);
}

static void retuned(void) { for_every_endless(retunes); }

/* The noise of a position does not depend on where a session began. */
static void origins(void) {
    subject s = subject_of(HASHER);
    hasher_settings.flat = 1; /* the ids of this hasher depend only on the noise */
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

/* For every sample and map, every row has weights over earlier positions or over the source. The weights of a row add up to 1, or to less
 * if the model's equations reduce them after the softmax. Reading maps changes nothing. In a TOY_FIXED model, some rows do not see their
 * own position, and the first rows see no position at all. */
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

/* ---- hidden states ---------------------------------------------------------------------------------------------------------- */

static uint32_t with_hidden;

/* The hidden states of every sample at every position equal the hidden states of a run that got the same ids in one call. Keeping hidden
 * states does not change any result. A branch begins with the hidden states of the original run. */
static void hides(const subject *s) {
    nx_part_info info;
    nx_settings settings = settings_of(3, 0, 19), one = settings_of(1, 0, 19);
    size_t bytes;
    CHECK_INT(nx_model_part(s->model, s->part, &info), NX_OK);
    settings.hidden = one.hidden = 1;
    if (!info.hidden_layers) {
        CHECK_INT(nx_session_size(s->model, s->part, &settings, &s->shape, &bytes), NX_E_ARGUMENT);
        return;
    }
    with_hidden++;
    uint32_t n = s->length < 9 ? s->length : 9, w = info.hidden_width;
    nx_settings without = settings;
    without.hidden = 0;
    run plain = whole(s, &without), kept = room_of(s, 3);
    nx_session *session = start(s, &settings, NULL);
    float *a = memory_take(w * sizeof *a), *b = memory_take(w * sizeof *b);
    CHECK_INT(nx_session_hidden(s->model, session, 0, 0, a), NX_E_ARGUMENT); /* no position is computed yet */
    for (uint32_t p = 0; p < n && p < plain.n; p++) {
        CHECK_INT(draw(s, session, 1, kept.ids + p * 3 * s->span, kept.nats + p * 3 * s->span), 1);
        for (uint32_t sample = 0; sample < 3; sample++) {
            size_t mark = memory_mark();
            uint32_t *own = memory_take((p + 1) * s->span * sizeof *own), ended = 0;
            for (uint32_t i = 0; i <= p; i++) {
                memcpy(own + i * s->span, at(s, &kept, 3, i, sample), s->span * sizeof *own);
                ended |= own[i * s->span] == NX_NONE;
            }
            nx_session *alone = start(s, &one, NULL);
            if (!ended) put(s, alone, own, p + 1, 0, NULL);
            for (uint32_t layer = 0; !ended && layer < info.hidden_layers; layer++) {
                check_at("position %lld, sample %lld, layer %lld", p, sample, layer, 0);
                CHECK_INT(nx_session_hidden(s->model, session, sample, layer, a), NX_OK);
                CHECK_INT(nx_session_hidden(s->model, alone, 0, layer, b), NX_OK);
                CHECK_BYTES(a, b, w * sizeof *a);
                for (uint32_t i = 0; i < w; i++) CHECK(isfinite(a[i]));
            }
            memory_release(mark);
        }
        CHECK_INT(nx_session_hidden(s->model, session, 3, 0, a), NX_E_ARGUMENT);
        CHECK_INT(nx_session_hidden(s->model, session, 0, info.hidden_layers, a), NX_E_ARGUMENT);
    }
    CHECK_BYTES(kept.ids, plain.ids, (n < plain.n ? n : plain.n) * 3 * s->span * sizeof *plain.ids);
    CHECK_BYTES(kept.nats, plain.nats, (n < plain.n ? n : plain.n) * 3 * s->span * sizeof *plain.nats);
    nx_session *branch = bare(s, &one, NULL);
    uint32_t here = nx_session_position(session);
    CHECK_INT(nx_session_branch(s->model, branch, session, 2, here), NX_OK);
    CHECK_INT(nx_session_hidden(s->model, session, 2, info.hidden_layers - 1, a), NX_OK);
    if (nx_session_hidden(s->model, branch, 0, info.hidden_layers - 1, b) == NX_OK && !s->noisy) CHECK_BYTES(a, b, w * sizeof *a);
    CHECK_INT(nx_session_hidden(s->model, start(s, &without, NULL), 0, 0, a), NX_E_ARGUMENT);
}

static void hidden_states(void) {
    with_hidden = 0;
    for_every(hides);
    if (!shaped) check_note("  of %u subjects", (unsigned)with_hidden);
    CHECK(with_hidden > 20);
}

/* ---- distributions ---------------------------------------------------------------------------------------------------------- */

/* For every drawn element, the model's own distribution adds up to 1 and agrees with the element's nats. */
static void distribution(const subject *s) {
    nx_settings settings = settings_of(3, 0, 5);
    settings.temperature = 0.7f, settings.top_k = 3;
    nx_session *session = start(s, &settings, NULL);
    uint32_t ids[3 * NX_MAX_SPAN], steps = s->length < 6 ? s->length : 6;
    float nats[3 * NX_MAX_SPAN], *p = memory_take(s->values * sizeof *p);
    if (!session) return;
    CHECK_INT(nx_session_probabilities(s->model, session, 0, 0, p), NX_E_ARGUMENT);
    for (uint32_t i = 0; i < steps && draw(s, session, 1, ids, nats); i++) {
        for (uint32_t j = 0; j < 3 * s->span; j++) {
            nx_status status = nx_session_probabilities(s->model, session, j / s->span, j % s->span, p);
            double sum = 0;
            CHECK_INT(status, ids[j] == NX_NONE ? NX_E_ARGUMENT : NX_OK);
            if (status) continue;
            for (uint32_t v = 0; v < s->values; v++) sum += (double)p[v];
            CHECK_NEAR(sum, 1, 1e-4);
            CHECK_NEAR(-log((double)p[ids[j]]), nats[j], 1e-3 * (1 + (double)nats[j]));
        }
        CHECK_INT(nx_session_probabilities(s->model, session, 3, 0, p), NX_E_ARGUMENT);
        CHECK_INT(nx_session_probabilities(s->model, session, 0, s->span, p), NX_E_ARGUMENT);
    }
}

static void distributions(void) { for_every(distribution); }

/* ---- penalties and biases --------------------------------------------------------------------------------------------------- */

/* Checks the effect of penalties and biases on a run. The test itself changes the logits in the same way, and each drawn id must be the
 * argmax of the changed logits. The nats come from the model's unchanged distribution. */
static void shaping(void) {
    subject s = subject_named("llama");
    toy_llama_config loose = {.values = 40, .length = 30, .blocks = 1, .d = 16, .inner = 16, .heads = 2, .groups = 1, .seed = 6};
    s.model = toy_llama_open(toy_llama_build(&loose)); /* this model is not tied, because a tied model would only repeat its input */
    nx_settings settings = settings_of(1, 0, 19);
    settings.temperature = 0, settings.penalty_last = 5, settings.repetition = 1.5f, settings.frequency = 0.3f, settings.presence = 0.2f;
    settings.biases = 2;
    size_t bytes;
    nx_session *session = start(&s, &settings, &bytes);
    uint32_t biased[3] = {3, 9, 50}, drawn_ids[27], differ = 0, drawn;
    float biases[3] = {2, -1e9f, 0}, nats[27], logits[40];
    CHECK_INT(nx_session_bias(s.model, session, biased, biases, 3), NX_E_ARGUMENT); /* this list is longer than the capacity */
    CHECK_INT(nx_session_bias(s.model, session, biased + 1, biases, 2), NX_E_ARGUMENT); /* this list has an id that does not exist */
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
    check_note("  %u of 27 ids are not the model's most probable ones", (unsigned)differ);
    CHECK(differ > 5);
    /* a saved run keeps its biases; an invalid bias is detected */
    CHECK_INT(nx_session_check(s.model, session, bytes), NX_OK);
    nx_layout l = nx_layout_of(s.model, session);
    l.biased[1] = 40;
    CHECK_INT(nx_session_check(s.model, session, bytes), NX_E_STATE);
    l.biased[1] = 9, l.bias[0] = INFINITY;
    CHECK_INT(nx_session_check(s.model, session, bytes), NX_E_STATE);
    /* a shorter list replaces the whole list */
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

static void shaped_runs(void) { shape_each((void (*const[])(void)){branched, grown, retuned, NULL}); }

const check_test branches_tests[] = {
    {"branches", branched},
    {"runs taken back", rewound},
    {"runs that grow", grown},
    {"other settings midway", retuned},
    {"origins", origins},
    {"maps", maps},
    {"hidden states", hidden_states},
    {"distributions", distributions},
    {"all of these with penalties and biases", shaped_runs},
    {"penalties and biases of a run", shaping},
    {"ranges of penalties and filters", shaping_ranges},
    {0},
};

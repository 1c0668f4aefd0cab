/* SPDX-License-Identifier: MIT  Patterns, the ring of cached keys and values, and attention against a twin in double precision. */
#include <math.h>
#include <string.h>

#include "attention/attention.h"
#include "check.h"
#include "reference.h"

#define UNIT 0x1p-24
#define EXP_RELATIVE 2e-7 /* of e^x, see elementary.h */

/* ---- patterns -------------------------------------------------------------------------------------------------------------- */

static nx_pattern full(uint32_t n) { return (nx_pattern){NX_FULL_CAUSAL, n, n, 0}; }
static nx_pattern local(uint32_t n, uint32_t l_q, uint32_t l_m) { return (nx_pattern){NX_LOCAL_1D, n, l_q, l_m}; }

/* A pattern must be what the mask of its definition says. */
static void pattern_of(const nx_pattern *p, uint32_t l_q, uint32_t l_m) {
    uint32_t window = 0, n = p->positions;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = nx_pattern_first(p, i), end = nx_pattern_block_end(p, i);
        for (uint32_t j = 0; j < n; j++) CHECK((j >= first && j <= i) == ref_visible(l_q, l_m, i, j));
        CHECK(end > i && end <= n && nx_pattern_first(p, end - 1) == first && nx_pattern_block_end(p, end - 1) == end);
        CHECK(end == n || l_q == 0 || end % l_q == 0);
        if (i + 1 - first > window) window = i + 1 - first;
        /* all that the block's columns write and see fits the ring at once */
        CHECK(end - first <= nx_pattern_slots(p));
    }
    CHECK(nx_pattern_window(p) >= window && nx_pattern_window(p) <= n);
    CHECK(nx_pattern_slots(p) % 4 == 0 && nx_pattern_slots(p) >= nx_pattern_window(p));
}

static void patterns(void) {
    for (uint32_t n = 1; n <= 26; n++) {
        nx_pattern p = full(n);
        check_at("full, n = %lld", n, 0, 0, 0);
        pattern_of(&p, 0, 0);
        for (uint32_t l_q = 1; l_q <= n; l_q++)
            for (uint32_t l_m = 0; l_m <= n; l_m++) {
                p = local(n, l_q, l_m);
                check_at("n = %lld, l_q = %lld, l_m = %lld", n, l_q, l_m, 0);
                pattern_of(&p, l_q, l_m);
            }
    }
    nx_pattern largest = local(196608, 196608, 196608), small = local(196608, 1, 0);
    CHECK_INT(nx_pattern_window(&largest), 196608);
    CHECK_INT(nx_pattern_block_end(&largest, 196607), 196608);
    CHECK_INT(nx_pattern_window(&small), 1);
}

/* ---- attention ------------------------------------------------------------------------------------------------------------- */

/* A sequence of n random queries, keys and values of heads * key_length numbers. */
typedef struct {
    uint32_t n, heads, key_length, width;
    float *query, *key, *value;
} sequence;

static float *draw(size_t n, double scale, check_random *random) {
    float *x = memory_take(n * sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = (float)(scale * random_normal(random));
    return x;
}

static sequence sequence_of(uint32_t n, uint32_t heads, uint32_t key_length, double scale, check_random *random) {
    sequence s = {n, heads, key_length, heads * key_length, NULL, NULL, NULL};
    s.query = draw((size_t)n * s.width, scale, random);
    s.key = draw((size_t)n * s.width, scale, random);
    s.value = draw((size_t)n * s.width, 1, random);
    for (size_t i = 0; i < (size_t)n * s.width; i += 97) s.value[i] *= 1000; /* outliers */
    return s;
}

/* All of a sequence through a cache of `slots`, one query after another. The cache begins as not-a-number everywhere, which no
 * result may show. out (n, width), trace (n, heads, n) or null */
static void attend_all(float *out, float *trace, const sequence *s, const nx_pattern *pattern, uint32_t slots) {
    nx_cache cache = nx_cache_at(memory_take(nx_cache_floats(slots, s->width) * sizeof(float)), slots, s->width);
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t from = nx_pattern_first(pattern, i);
        size_t at = (size_t)i * s->width, mark = memory_mark();
        float *scratch = memory_take(nx_attend_scratch_floats(i + 1 - from) * sizeof *scratch);
        nx_cache_write(&cache, i, s->key + at, s->value + at);
        nx_attend(out + at, s->query + at, &cache, s->heads, from, i + 1, scratch, trace ? trace + (size_t)i * s->heads * s->n : NULL, s->n);
        memory_release(mark);
    }
}

/* Against dense attention under the mask. A score is key_length / 2 + 3 roundings of magnitudes off, which moves its weight
 * relatively as much, and so does the largest score; then softmax (see test_kernels.c) and the sum over the positions. */
static void compare(const sequence *s, const nx_pattern *pattern, uint32_t l_q, uint32_t l_m, const float *out, const float *trace) {
    uint32_t n = s->n;
    size_t all = (size_t)n * s->width;
    double *q = memory_take(all * sizeof *q), *k = memory_take(all * sizeof *k), *v = memory_take(all * sizeof *v);
    double *weights = memory_take(n * sizeof *weights), *truth = memory_take(s->key_length * sizeof *truth);
    uint8_t *visible = memory_take(n);
    for (size_t i = 0; i < all; i++) q[i] = (double)s->query[i], k[i] = (double)s->key[i], v[i] = (double)s->value[i];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = nx_pattern_first(pattern, i), count = i + 1 - from;
        for (uint32_t j = 0; j < n; j++) visible[j] = (uint8_t)ref_visible(l_q, l_m, i, j);
        for (uint32_t h = 0; h < s->heads; h++) {
            size_t at = (size_t)i * s->width + h * s->key_length;
            ref_attention(truth, weights, q + at, k + h * s->key_length, v + h * s->key_length, visible, n, s->width, s->key_length);
            double worst = 0, spread = 0;
            for (uint32_t j = from; j <= i; j++) {
                double magnitude = 0;
                for (uint32_t c = 0; c < s->key_length; c++) magnitude += fabs(q[at + c] * k[(size_t)j * s->width + h * s->key_length + c]);
                worst = fmax(worst, magnitude / sqrt(s->key_length));
                spread = fmax(spread, fmin(100, log(1 / fmax(weights[j], 1e-44))));
            }
            double relative = UNIT * (2 * worst * (s->key_length / 2 + 3) + spread + count / 4 + 8) + 2 * EXP_RELATIVE;
            const float *row = trace + ((size_t)i * s->heads + h) * n;
            double sum = 0;
            for (uint32_t j = 0; j < count; j++) {
                sum += (double)row[j];
                CHECK_NEAR((double)row[j], weights[from + j], relative * weights[from + j] + 2e-38);
            }
            CHECK_NEAR(sum, 1, UNIT * (count / 4 + 8));
            for (uint32_t c = 0; c < s->key_length; c++) {
                double size = 0;
                for (uint32_t j = 0; j < n; j++) size += weights[j] * fabs(v[(size_t)j * s->width + h * s->key_length + c]);
                CHECK_NEAR((double)out[at + c], truth[c], (relative + UNIT * count) * size + 1e-34);
            }
        }
    }
}

static void attention_of(const nx_pattern *pattern, uint32_t l_q, uint32_t l_m, uint32_t heads, uint32_t key_length, double scale,
                         check_random *random) {
    size_t mark = memory_mark();
    uint32_t n = pattern->positions;
    sequence s = sequence_of(n, heads, key_length, scale, random);
    size_t all = (size_t)n * s.width;
    float *out = memory_take(all * sizeof *out), *ringless = memory_take(all * sizeof *out);
    float *trace = memory_take((size_t)n * heads * n * sizeof *trace);
    attend_all(out, trace, &s, pattern, nx_pattern_slots(pattern));
    compare(&s, pattern, l_q, l_m, out, trace);
    /* neither the ring nor the trace can be seen in the result */
    attend_all(ringless, NULL, &s, pattern, (n + 3) & ~3u);
    CHECK_FLOATS(ringless, out, all);
    memory_release(mark);
}

static void random_patterns(void) {
    check_random random = {1};
    for (int i = 0; i < 150; i++) {
        uint32_t n = 1 + random_below(&random, 50), heads = 1 + random_below(&random, 3), key_length = 4 * (1 + random_below(&random, 10));
        uint32_t l_q = 1 + random_below(&random, n), l_m = random_below(&random, n + 1);
        nx_pattern p = i % 4 ? local(n, l_q, l_m) : full(n);
        if (i % 4 == 0) l_q = l_m = 0;
        check_at("n = %lld, l_q = %lld, l_m = %lld, width %lld", n, l_q, l_m, heads * key_length);
        attention_of(&p, l_q, l_m, heads, key_length, 1, &random);
    }
}

/* l_m = l_q: a block sees itself and the whole previous block. */
static void same_blocks(void) {
    check_random random = {2};
    for (uint32_t l = 1; l <= 24; l++) {
        nx_pattern p = local(61, l, l);
        check_at("l_q = l_m = %lld", l, 0, 0, 0);
        attention_of(&p, l, l, 2, 8, 1, &random);
    }
}

static void real_size(void) {
    check_random random = {3};
    nx_pattern p = full(256), q = local(256, 56, 56);
    check_at("full, 256 positions, 4 heads of 32", 0, 0, 0, 0);
    attention_of(&p, 0, 0, 4, 32, 1.5, &random);
    check_at("local, 256 positions, 4 heads of 32", 0, 0, 0, 0);
    attention_of(&q, 56, 56, 4, 32, 1.5, &random);
}

/* Scores of hundreds and thousands, where a naive e^x overflows. */
static void large_scores(void) {
    check_random random = {4};
    for (int i = 0; i < 12; i++) {
        nx_pattern p = local(40, 9, 13);
        attention_of(&p, 9, 13, 2, 12, i < 6 ? 10 : 60, &random);
    }
}

/* A local pattern whose memory reaches back to the start is full attention. */
static void local_is_full(void) {
    check_random random = {5};
    sequence s = sequence_of(45, 2, 12, 1, &random);
    nx_pattern f = full(45);
    float *expected = memory_take(45 * 24 * sizeof *expected), *out = memory_take(45 * 24 * sizeof *out);
    attend_all(expected, NULL, &s, &f, 48);
    for (uint32_t l_q = 1; l_q <= 45; l_q++) {
        nx_pattern p = local(45, l_q, 45);
        attend_all(out, NULL, &s, &p, nx_pattern_slots(&p));
        check_at("l_q = %lld", l_q, 0, 0, 0);
        CHECK_FLOATS(out, expected, 45 * 24);
    }
}

/* What only one position is to be seen of is that position's value, exactly. */
static void one_position(void) {
    check_random random = {6};
    sequence s = sequence_of(30, 3, 4, 100, &random);
    nx_pattern p = local(30, 1, 0);
    float *out = memory_take(30 * 12 * sizeof *out);
    attend_all(out, NULL, &s, &p, 4);
    CHECK_FLOATS(out, s.value, 30 * 12);
}

const check_test attention_tests[] = {
    {"patterns are their masks", patterns},
    {"random patterns, through the ring", random_patterns},
    {"l_m = l_q", same_blocks},
    {"real sizes", real_size},
    {"large scores", large_scores},
    {"local is full when the block covers all, bit for bit", local_is_full},
    {"one visible position", one_position},
    {0},
};

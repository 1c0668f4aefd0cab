/* SPDX-License-Identifier: MIT
 *
 * Tests attention patterns and the ring of cached keys and values. Compares attention with a reference in double precision.
 */
#include <math.h>
#include <string.h>

#include "attention/attention.h"
#include "check.h"
#include "reference.h"

#define UNIT 0x1p-24
#define EXP_RELATIVE 2e-7 /* relative error of e^x, see elementary.h */
#define COARSE_EXP2_RELATIVE 3e-6

/* ---- patterns -------------------------------------------------------------------------------------------------------------- */

static nx_pattern full(uint32_t n) { return (nx_pattern){.kind = NX_FULL_CAUSAL, .positions = n, .query_block = n}; }
static nx_pattern local(uint32_t n, uint32_t l_q, uint32_t l_m) {
    return (nx_pattern){.kind = NX_LOCAL_1D, .positions = n, .query_block = l_q, .memory_block = l_m};
}
static nx_pattern grid(uint32_t rows, uint32_t cols, uint32_t block_rows, uint32_t block_cols, uint32_t flange_rows, uint32_t flange_cols) {
    return (nx_pattern){.kind = NX_LOCAL_2D, .positions = rows * cols, .query_block = rows * cols, .rows = rows, .cols = cols,
                        .block_rows = block_rows, .block_cols = block_cols, .flange_rows = flange_rows, .flange_cols = flange_cols};
}

/* Returns the ranges of a query. The buffer has room for exactly as many ranges as nx_pattern_max_ranges returns. */
static nx_range *ranges_of(const nx_pattern *p, uint32_t i, uint32_t *n_ranges) {
    nx_range *ranges = memory_take(nx_pattern_max_ranges(p) * sizeof *ranges);
    *n_ranges = nx_pattern_ranges(p, i, ranges);
    return ranges;
}

/* Checks that a pattern matches its definition. Returns the largest number of ranges that any query has. */
static uint32_t pattern_of(const nx_pattern *p) {
    uint32_t n = p->positions, slots = nx_pattern_slots(p), most_ranges = 0, most_seen = 0;
    size_t mark = memory_mark();
    uint32_t *raster = memory_take(n * sizeof *raster);
    uint8_t *seen = memory_take(n);
    ref_order(p, raster);
    for (uint32_t i = 0; i < n; i++) {
        size_t inner = memory_mark();
        uint32_t n_ranges, count = 0, end = nx_pattern_block_end(p, i);
        const nx_range *ranges = ranges_of(p, i, &n_ranges);
        CHECK_INT(nx_pattern_raster(p, i), raster[i]);
        memset(seen, 0, n);
        for (uint32_t r = 0; r < n_ranges; r++) {
            CHECK(ranges[r].from < ranges[r].to && (r == 0 || ranges[r - 1].to < ranges[r].from)); /* ranges neither touch nor overlap */
            for (uint32_t j = ranges[r].from; j < ranges[r].to; j++) seen[j]++, count++;
        }
        CHECK(n_ranges >= 1 && n_ranges <= nx_pattern_max_ranges(p) && ranges[n_ranges - 1].to == i + 1);
        for (uint32_t j = 0; j < n; j++) {
            if (seen[j] != ref_visible(p, raster, i, j)) CHECK_INT(seen[j], ref_visible(p, raster, i, j));
            if (seen[j]) CHECK(j <= i);
        }
        /* a block is contiguous; its positions see the same memory, which stays in the ring while a pass writes the block */
        CHECK(end > i && end <= n && nx_pattern_block_end(p, end - 1) == end);
        if (i == 0 || nx_pattern_block_end(p, i - 1) == i)
            CHECK(end - ranges[0].from <= slots);
        else {
            uint32_t n_before;
            const nx_range *before = ranges_of(p, i - 1, &n_before);
            CHECK(n_before == n_ranges && !memcmp(before, ranges, (n_ranges - 1) * sizeof *ranges) && before[n_ranges - 1].from == ranges[n_ranges - 1].from);
            CHECK_INT(nx_pattern_block_end(p, i - 1), end);
        }
        if (n_ranges > most_ranges) most_ranges = n_ranges;
        if (count > most_seen) most_seen = count;
        memory_release(inner);
    }
    CHECK(nx_pattern_window(p) >= most_seen && nx_pattern_window(p) <= n);
    CHECK(p->kind == NX_LOCAL_2D || nx_pattern_window(p) < most_seen + p->query_block);
    CHECK(slots % 4 == 0 && slots < n + 4 && (p->kind == NX_LOCAL_2D || slots >= nx_pattern_window(p)));
    memory_release(mark);
    return most_ranges;
}

static void patterns(void) {
    for (uint32_t n = 1; n <= 22; n++) {
        nx_pattern p = full(n);
        check_at("full, n = %lld", n, 0, 0, 0);
        pattern_of(&p);
        for (uint32_t l_q = 1; l_q <= n; l_q++)
            for (uint32_t l_m = 0; l_m <= n; l_m++) {
                p = local(n, l_q, l_m);
                check_at("n = %lld, l_q = %lld, l_m = %lld", n, l_q, l_m, 0);
                pattern_of(&p);
            }
    }
    nx_pattern largest = local(196608, 196608, 196608), small = local(196608, 1, 0);
    CHECK_INT(nx_pattern_window(&largest), 196608);
    CHECK_INT(nx_pattern_block_end(&largest, 196607), 196608);
    CHECK_INT(nx_pattern_window(&small), 1);
}

static nx_pattern random_grid(uint32_t most_rows, uint32_t most_cols, check_random *random) {
    uint32_t rows = 1 + random_below(random, most_rows), cols = 1 + random_below(random, most_cols);
    uint32_t block_rows = 1 + random_below(random, rows), block_cols = 1 + random_below(random, cols);
    /* flanges of every size; small flanges are more frequent, because they give many short ranges */
    uint32_t flange_rows = random_below(random, 2 + random_below(random, rows)), flange_cols = random_below(random, 2 + random_below(random, cols));
    return grid(rows, cols, block_rows, block_cols, flange_rows < rows ? flange_rows : rows, flange_cols < cols ? flange_cols : cols);
}

static uint32_t grid_of(const nx_pattern *p) {
    check_at("%lld positions, %lld columns, blocks of %lld, flanges of %lld", p->positions, p->cols, p->block_rows * 1000 + p->block_cols,
             p->flange_rows * 1000 + p->flange_cols);
    return pattern_of(p);
}

static void grids(void) {
    check_random random = {7};
    for (uint32_t rows = 1; rows <= 4; rows++)
        for (uint32_t cols = 1; cols <= 5; cols++)
            for (uint32_t block = 0; block < rows * cols; block++)
                for (uint32_t flange = 0; flange < (rows + 1) * (cols + 1); flange++) { /* tests every geometry up to 4 x 5 */
                    nx_pattern p = grid(rows, cols, 1 + block % rows, 1 + block / rows, flange % (rows + 1), flange / (rows + 1));
                    grid_of(&p);
                }
    uint32_t most = 0, bound = 0;
    for (int i = 0; i < 120; i++) {
        nx_pattern p = random_grid(13, 21, &random);
        uint32_t ranges = grid_of(&p);
        if (ranges > most) most = ranges, bound = nx_pattern_max_ranges(&p);
    }
    check_note("  at most %u ranges; bound there %u", (unsigned)most, (unsigned)bound);
    nx_pattern published = grid(16, 48, 4, 16, 4, 32); /* in each direction, half of the size in the paper */
    grid_of(&published);
}

/* Checks some positions of the largest images, where rows * columns is large. */
static void large_grids(void) {
    check_random random = {8};
    for (int i = 0; i < 200; i++) {
        nx_pattern p = i < 8 ? grid(256, 768, i & 1 ? 1 : 256, i & 2 ? 1 : 768, i & 4 ? 256 : 0, i & 4 ? 768 : 0) : random_grid(256, 768, &random);
        uint32_t n = p.positions, max_ranges = nx_pattern_max_ranges(&p), slots = nx_pattern_slots(&p), window = nx_pattern_window(&p);
        CHECK(window >= 1 && window <= n && slots % 4 == 0 && slots < n + 4);
        for (int look = 0; look < 12; look++) {
            size_t mark = memory_mark();
            uint32_t at = look == 0 ? n - 1 : look == 1 ? 0 : random_below(&random, n), n_ranges, count = 0, end = nx_pattern_block_end(&p, at);
            const nx_range *ranges = ranges_of(&p, at, &n_ranges);
            for (uint32_t r = 0; r < n_ranges; r++) count += ranges[r].to - ranges[r].from;
            check_at("grid %lld, position %lld of %lld", i, at, n, 0);
            CHECK(n_ranges >= 1 && n_ranges <= max_ranges && count <= window && ranges[n_ranges - 1].to == at + 1);
            CHECK(end > at && end <= n && end - ranges[0].from <= slots && nx_pattern_raster(&p, at) < n);
            memory_release(mark);
        }
    }
}

/* ---- attention ------------------------------------------------------------------------------------------------------------- */

/* Random queries, keys and values of a sequence of n positions. Each query, key or value has heads * key_length numbers. */
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

/* Computes the attention of a whole sequence, query by query, with a cache of this type that has `slots` slots. All slots start as NaN,
 * which must not reach any result. `out` has the shape (n, width); `map` is null or has the shape (n, heads, n). */
static void attend_all(float *out, float *map, const sequence *s, const nx_pattern *pattern, uint32_t type, uint32_t slots) {
    nx_cache cache = {memory_take(nx_cache_bytes(type, slots, s->heads, s->key_length)), type, slots, s->heads, s->key_length, 1, 0};
    for (uint32_t i = 0; i < s->n; i++) {
        size_t at = (size_t)i * s->width, mark = memory_mark();
        uint32_t n_ranges, count = 0;
        const nx_range *ranges = ranges_of(pattern, i, &n_ranges);
        for (uint32_t r = 0; r < n_ranges; r++) count += ranges[r].to - ranges[r].from;
        void *scratch = memory_take(nx_attend_scratch_bytes(count, n_ranges));
        nx_cache_write(&cache, i, s->key + at, s->value + at);
        nx_attend(out + at, s->query + at, &cache, ranges, n_ranges, scratch, map ? map + (size_t)i * s->heads * s->n : NULL, s->n);
        memory_release(mark);
    }
}

/* Returns the largest magnitude of a head's values, which determines the size of a rounding step. */
static double value_scale(const double *v, uint32_t key_length) {
    double top = 0;
    for (uint32_t c = 0; c < key_length; c++) top = fmax(top, fabs(v[c]));
    return top;
}

/* The largest integers to which a cache type rounds queries, cached keys and values, and attention weights. */
typedef struct {
    double query, cached, weights;
} roundings;

static roundings roundings_of(uint32_t type) {
    return nx_is_kv8(type) ? (roundings){8191, 127, 16383} : (roundings){127, 63, 127};
}

/* Rounds the values of each head to multiples of m / steps, where m is the largest magnitude in the head. The function uses single
 * precision like the library. In double precision, a number near the midpoint of two steps could be rounded to the other step. */
static void round_heads(double *x, size_t n, uint32_t key_length, float steps) {
    for (size_t h = 0; h < n; h += key_length) {
        float top = 0;
        for (size_t i = h; i < h + key_length; i++) top = fmaxf(top, fabsf((float)x[i]));
        float inverse = top > 0x1p-100f ? steps / top : 0;
        for (size_t i = h; i < h + key_length; i++) {
            float scaled = (float)x[i] * inverse;
            x[i] = ((double)scaled + 0x1.8p52 - 0x1.8p52) * (double)(top / steps);
        }
    }
}

/* Rounds keys as a wide cache does: rounds the keys once, and then rounds the remainders in finer steps. */
static void round_keys_twice(double *x, size_t n, uint32_t key_length) {
    for (size_t h = 0; h < n; h += key_length) {
        float top = 0;
        for (size_t i = h; i < h + key_length; i++) top = fmaxf(top, fabsf((float)x[i]));
        float scale = top / 127, inverse = top > 0x1p-100f ? 127 / top : 0, finer = scale > 0x1p-100f ? 254 / scale : 0;
        for (size_t i = h; i < h + key_length; i++) {
            float scaled = (float)x[i] * inverse, coarse = (float)((double)scaled + 0x1.8p52 - 0x1.8p52);
            float product = coarse * scale, left = (float)x[i] - product, steps = left * finer;
            double fine = fmin(fmax((double)steps + 0x1.8p52 - 0x1.8p52, -127), 127);
            x[i] = ((double)coarse + fine / 254) * (double)scale;
        }
    }
}

/* Compares attention with dense attention under a mask. A score has an error of key_length / 2 + 3 roundings. The softmax subtracts the
 * largest score, which has an error of the same size. An error in a score causes a relative error of the same size in the weight. The
 * softmax (see test_kernels.c) and the sum over the positions add their own errors.
 * With an 8-bit cache, the comparison uses rounded queries, keys and values. A score then has an error of five roundings. Each product of a
 * weight and a value scale has an error of half a step. The size of the step depends on the largest of 32 neighbouring products. */
static void compare(const sequence *s, const nx_pattern *pattern, uint32_t type, const float *out, const float *map) {
    uint32_t n = s->n;
    size_t all = (size_t)n * s->width;
    double *q = memory_take(all * sizeof *q), *k = memory_take(all * sizeof *k), *v = memory_take(all * sizeof *v);
    double *weights = memory_take(n * sizeof *weights), *weighted = memory_take(n * sizeof *weighted), *truth = memory_take(s->key_length * sizeof *truth);
    uint8_t *visible = memory_take(n);
    uint32_t *raster = memory_take(n * sizeof *raster);
    ref_order(pattern, raster);
    for (size_t i = 0; i < all; i++) q[i] = (double)s->query[i], k[i] = (double)s->key[i], v[i] = (double)s->value[i];
    roundings steps = roundings_of(type);
    if (type != NX_F32) {
        round_heads(q, all, s->key_length, (float)steps.query);
        if (type == NX_KV8_WIDE) round_keys_twice(k, all, s->key_length);
        else round_heads(k, all, s->key_length, (float)steps.cached);
        round_heads(v, all, s->key_length, (float)steps.cached);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = 0;
        for (uint32_t j = 0; j < n; j++) count += visible[j] = (uint8_t)ref_visible(pattern, raster, i, j);
        for (uint32_t h = 0; h < s->heads; h++) {
            size_t at = (size_t)i * s->width + h * s->key_length;
            ref_attention(truth, weights, q + at, k + h * s->key_length, v + h * s->key_length, visible, n, s->width, s->key_length);
            double worst = 0, spread = 0, moved = 0; /* moved: how much rounding the weights changes a channel at most */
            for (uint32_t j = 0; j <= i; j++) {
                double magnitude = 0;
                if (!visible[j]) continue;
                for (uint32_t c = 0; c < s->key_length; c++) magnitude += fabs(q[at + c] * k[(size_t)j * s->width + h * s->key_length + c]);
                worst = fmax(worst, magnitude / sqrt(s->key_length));
                spread = fmax(spread, fmin(100, log(1 / fmax(weights[j], 1e-44))));
                weighted[j] = weights[j] * value_scale(v + (size_t)j * s->width + h * s->key_length, s->key_length);
            }
            for (uint32_t j = 0; type != NX_F32 && j <= i; j++) {
                double largest = 0;
                for (uint32_t near = j < 31 ? 0 : j - 31; near <= i && near < j + 32; near++)
                    if (visible[near]) largest = fmax(largest, weighted[near]);
                if (visible[j]) moved += 0.501 * largest / steps.weights;
            }
            double relative = UNIT * (2 * worst * (s->key_length / 2 + 3) + spread + count / 4 + 8) + 2 * (type != NX_F32 ? COARSE_EXP2_RELATIVE : EXP_RELATIVE);
            double floor = type != NX_F32 ? 0x1.01p-64 : 2e-38; /* the coarse power of two has no value below this */
            const float *row = map + ((size_t)i * s->heads + h) * n;
            double sum = 0;
            for (uint32_t j = 0; j <= i; j++) {
                if (!visible[j]) continue;
                sum += (double)*row;
                CHECK_NEAR((double)*row++, weights[j], relative * weights[j] + floor);
            }
            CHECK_NEAR(sum, 1, UNIT * (count / 4 + 8));
            for (uint32_t c = 0; c < s->key_length; c++) {
                double size = 0;
                for (uint32_t j = 0; j < n; j++) size += weights[j] * fabs(v[(size_t)j * s->width + h * s->key_length + c]);
                CHECK_NEAR((double)out[at + c], truth[c], (relative + UNIT * (count + 4)) * size + moved + 1e-34);
            }
        }
    }
}

static void attention_of(const nx_pattern *pattern, uint32_t heads, uint32_t key_length, double scale, check_random *random) {
    uint32_t n = pattern->positions;
    static const uint32_t types[] = {NX_F32, NX_KV7, NX_KV8, NX_KV8_WIDE};
    for (int t = 0; t < 4; t++) {
        uint32_t type = types[t];
        size_t mark = memory_mark();
        sequence s = sequence_of(n, heads, key_length, scale, random);
        size_t all = (size_t)n * s.width;
        float *out = memory_take(all * sizeof *out), *ringless = memory_take(all * sizeof *out);
        float *map = memory_take((size_t)n * heads * n * sizeof *map);
        attend_all(out, map, &s, pattern, type, nx_pattern_slots(pattern));
        compare(&s, pattern, type, out, map);
        /* the result is the same without the ring and without the map */
        attend_all(ringless, NULL, &s, pattern, type, (n + 3) & ~3u);
        CHECK_FLOATS(ringless, out, all);
        memory_release(mark);
    }
}

static void random_patterns(void) {
    check_random random = {1};
    for (int i = 0; i < 150; i++) {
        uint32_t n = 1 + random_below(&random, 50), heads = 1 + random_below(&random, 3), key_length = 4 * (1 + random_below(&random, 10));
        uint32_t l_q = 1 + random_below(&random, n), l_m = random_below(&random, n + 1);
        nx_pattern p = i % 4 ? local(n, l_q, l_m) : full(n);
        check_at("n = %lld, l_q = %lld, l_m = %lld, width %lld", n, l_q, l_m, heads * key_length);
        attention_of(&p, heads, key_length, 1, &random);
    }
}

/* With l_m = l_q, a block sees itself and the whole previous block. */
static void same_blocks(void) {
    check_random random = {2};
    for (uint32_t l = 1; l <= 24; l++) {
        nx_pattern p = local(61, l, l);
        check_at("l_q = l_m = %lld", l, 0, 0, 0);
        attention_of(&p, 2, 8, 1, &random);
    }
}

static void real_size(void) {
    check_random random = {3};
    nx_pattern p = full(256), q = local(256, 56, 56);
    check_at("full, 256 positions, 4 heads of 32", 0, 0, 0, 0);
    attention_of(&p, 4, 32, 1.5, &random);
    check_at("local, 256 positions, 4 heads of 32", 0, 0, 0, 0);
    attention_of(&q, 4, 32, 1.5, &random);
}

/* Scores of hundreds and thousands are handled correctly, although a naive e^x would overflow. */
static void large_scores(void) {
    check_random random = {4};
    for (int i = 0; i < 12; i++) {
        nx_pattern p = local(40, 9, 13);
        attention_of(&p, 2, 12, i < 6 ? 10 : 60, &random);
    }
}

/* A local pattern with a memory block that reaches back to the start is full attention. */
static void local_is_full_in(uint32_t type) {
    check_random random = {5};
    sequence s = sequence_of(45, 2, 12, 1, &random);
    nx_pattern f = full(45);
    float *expected = memory_take(45 * 24 * sizeof *expected), *out = memory_take(45 * 24 * sizeof *out);
    attend_all(expected, NULL, &s, &f, type, 48);
    for (uint32_t l_q = 1; l_q <= 45; l_q++) {
        nx_pattern p = local(45, l_q, 45);
        attend_all(out, NULL, &s, &p, type, nx_pattern_slots(&p));
        check_at("l_q = %lld", l_q, 0, 0, 0);
        CHECK_FLOATS(out, expected, 45 * 24);
    }
}

static void local_is_full(void) {
    local_is_full_in(NX_F32);
    local_is_full_in(NX_KV7);
    local_is_full_in(NX_KV8);
    local_is_full_in(NX_KV8_WIDE);
}

/* Tests the ring with random ranges of every length and position. Some patterns have blocks of one position, so that nearly every range has
 * one element. */
static void random_grids(void) {
    check_random random = {9};
    for (int i = 0; i < 90; i++) {
        nx_pattern p = random_grid(8, 9, &random);
        if (i % 6 == 0) p.block_rows = p.block_cols = 1;
        check_at("%lld positions, %lld columns, blocks of %lld, flanges of %lld", p.positions, p.cols, p.block_rows * 1000 + p.block_cols,
                 p.flange_rows * 1000 + p.flange_cols);
        attention_of(&p, 1 + random_below(&random, 2), 4 * (1 + random_below(&random, 5)), i % 10 ? 1 : 10, &random);
    }
}

/* A flange that covers the image gives full causal attention, in the order of the blocks. */
static void grid_is_full(void) {
    check_random random = {10};
    for (int i = 0; i < 40; i++) {
        size_t mark = memory_mark();
        nx_pattern p = random_grid(7, 9, &random);
        p.flange_rows = p.rows, p.flange_cols = p.cols;
        uint32_t n = p.positions;
        nx_pattern f = full(n);
        sequence s = sequence_of(n, 2, 12, 1, &random);
        float *expected = memory_take((size_t)n * 24 * sizeof *expected), *out = memory_take((size_t)n * 24 * sizeof *out);
        uint32_t type = i % 3 == 0 ? NX_F32 : i % 3 == 1 ? NX_KV7 : NX_KV8;
        attend_all(expected, NULL, &s, &f, type, nx_pattern_slots(&f));
        attend_all(out, NULL, &s, &p, type, nx_pattern_slots(&p));
        check_at("%lld positions, %lld columns, blocks of %lld x %lld", n, p.cols, p.block_rows, p.block_cols);
        CHECK_FLOATS(out, expected, (size_t)n * 24);
        memory_release(mark);
    }
}

/* If only one position is visible, the result is exactly the value of that position. */
static void one_position(void) {
    check_random random = {6};
    sequence s = sequence_of(30, 3, 4, 100, &random);
    nx_pattern p = local(30, 1, 0);
    float *out = memory_take(30 * 12 * sizeof *out);
    attend_all(out, NULL, &s, &p, NX_F32, 4);
    CHECK_FLOATS(out, s.value, 30 * 12);
}

/* Queries that share keys and values get the same results as queries with separate copies of these keys and values. */
static void grouped_queries(void) {
    static const uint32_t types[] = {NX_F32, NX_KV7, NX_KV8, NX_KV8_WIDE};
    check_random random = {11};
    for (int t = 0; t < 4; t++)
        for (uint32_t members = 1; members <= 4; members++) {
            uint32_t heads = 2, k = 12, n = 37, width = heads * k;
            nx_cache cache = {memory_take(nx_cache_bytes(types[t], 40, heads, k)), types[t], 40, heads, k, members, 0}, alone = cache;
            alone.queries_per_kv = 1;
            for (uint32_t i = 0; i < n; i++) nx_cache_write(&cache, i, draw(width, 1, &random), draw(width, 1, &random));
            nx_range run = {0, n};
            float *query = draw((size_t)width * members, 1, &random), *out = memory_take(width * members * sizeof *out);
            float *map = memory_take(heads * members * n * sizeof *map), *row = memory_take(heads * n * sizeof *row);
            void *scratch = memory_take(nx_attend_scratch_bytes(n, 1));
            nx_attend(out, query, &cache, &run, 1, scratch, map, n);
            for (uint32_t m = 0; m < members; m++) {
                float one[24], answer[24];
                for (uint32_t h = 0; h < heads; h++) memcpy(one + h * k, query + (h * members + m) * k, k * sizeof *one);
                nx_attend(answer, one, &alone, &run, 1, scratch, row, n);
                check_at("type %lld, %lld members, member %lld", types[t], members, m, 0);
                for (uint32_t h = 0; h < heads; h++) {
                    CHECK_FLOATS(out + (h * members + m) * k, answer + h * k, k);
                    CHECK_FLOATS(map + (h * members + m) * n, row + h * n, n);
                }
            }
        }
}

const check_test attention_tests[] = {
    {"queries that share keys and values", grouped_queries},

    {"patterns match their rules", patterns},
    {"grids match their rules, in the order of their blocks", grids},
    {"the largest grids", large_grids},
    {"random patterns, through the ring", random_patterns},
    {"l_m = l_q", same_blocks},
    {"real sizes", real_size},
    {"large scores", large_scores},
    {"local attention is full attention when the block covers all positions, bit for bit", local_is_full},
    {"one visible position", one_position},
    {"random grids, through the ring", random_grids},
    {"a grid is full attention when the flange covers all positions, bit for bit", grid_is_full},
    {0},
};

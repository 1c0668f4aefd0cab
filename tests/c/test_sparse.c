/* SPDX-License-Identifier: MIT
 *
 * Compares sparse patterns with their definition, and attention over sparse patterns with dense attention under a mask.
 */
#include <math.h>
#include <string.h>

#include "attention/sparse.h"
#include "check.h"
#include "kernels/kernels.h"
#include "reference.h"

/* Tolerance of attention in single precision over at most 60 positions, if the scores have a standard deviation of about 1. */
#define TOLERANCE 4e-6
/* Tolerance for the error from rounding queries, keys, values and weights to 7 bits, if the values have a standard deviation of 1. The
 * measured error was 0.032. */
#define ROUNDED_TOLERANCE 0.06

/* ---- the definition --------------------------------------------------------------------------------------------------------- */

static int sees(const nx_sparse *p, uint32_t sets, uint32_t i, uint32_t j) {
    uint32_t l = p->stride;
    int near = p->kind == NX_STRIDED ? j + l > i : i / l == j / l;
    int far = p->kind != NX_FIXED ? (i - j) % l == 0 : j % l >= l - p->summary;
    int previous = i / l == j / l + 1;
    return j <= i && (((sets & NX_NEAR) && near) || ((sets & NX_FAR) && far) || ((sets & NX_PREVIOUS) && previous));
}

/* Returns whether the sets are stored in a ring of the most recent positions. */
static int in_ring(const nx_sparse *p) { return p->sets == NX_NEAR || p->sets == NX_PREVIOUS; }

/* A pattern matches its definition. The pattern's slots are a permutation of the positions. A ring has the slots that its set needs, and
 * spare slots for one more pass. */
static void pattern_of(const nx_sparse *p) {
    size_t mark = memory_mark();
    uint32_t n = p->positions, slots = nx_sparse_slots(p), window = nx_sparse_window(p), most = 0, empty = 0;
    uint32_t *keys = memory_take(window * sizeof *keys);
    nx_range *ranges = memory_take(nx_sparse_max_ranges(p) * sizeof *ranges);
    uint8_t *taken = memory_take(slots);
    memset(taken, 0, slots);
    check_at("kind %lld, n = %lld, l = %lld, sets and c %lld", p->kind, n, p->stride, p->sets * 100 + p->summary);
    CHECK(slots % 4 == 0);
    if (in_ring(p)) CHECK(slots >= n || slots >= (p->sets == NX_NEAR ? 1 : 2) * p->stride + NX_SPARSE_SPARE);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = nx_sparse_keys(p, i, keys), n_ranges = nx_sparse_ranges(p, i, ranges), k = 0, next = 0, slot = nx_sparse_slot(p, i);
        for (uint32_t j = 0; j < n; j++)
            if (sees(p, p->sets, i, j) && CHECK(next < count)) CHECK_INT(keys[next++], j);
        CHECK_INT(next, count);
        CHECK(n_ranges <= nx_sparse_max_ranges(p) && count <= window);
        for (uint32_t r = 0; r < n_ranges; r++) {
            CHECK(ranges[r].from < ranges[r].to && (r == 0 || ranges[r - 1].to < ranges[r].from));
            for (uint32_t s = ranges[r].from; s < ranges[r].to && CHECK(k < count); s++) CHECK_INT(s, nx_sparse_slot(p, keys[k++]));
        }
        CHECK_INT(k, count);
        if (slot != NX_NOT_KEPT && !in_ring(p) && CHECK(slot < slots)) CHECK(!taken[slot]++);
        if (slot == NX_NOT_KEPT)
            for (uint32_t later = i; later < n; later++) CHECK(!sees(p, p->sets, later, i));
        if (count > most) most = count;
        empty += count == 0;
        if (p->sets == NX_NEAR && p->kind == NX_STRIDED) CHECK_INT(count, i + 1 < p->stride ? i + 1 : p->stride); /* this set has l positions */
    }
    uint32_t first = p->sets == NX_PREVIOUS ? p->stride : p->stride - p->summary;
    CHECK_INT(empty, p->sets == NX_PREVIOUS || (p->sets == NX_FAR && p->kind == NX_FIXED) ? (first < n ? first : n) : 0);
    CHECK(p->sets == (NX_NEAR | NX_FAR) || most == window || (most == 0 && window == 1));
    memory_release(mark);
}

static void each_pattern(uint32_t most, void (*of)(const nx_sparse *)) {
    for (uint32_t n = 1; n <= most; n++)
        for (uint32_t l = 1; l <= n; l++)
            for (uint32_t sets = NX_NEAR; sets <= (NX_NEAR | NX_FAR); sets++) {
                of(&(nx_sparse){NX_STRIDED, n, l, 0, sets});
                for (uint32_t c = 1; c <= l; c++) of(&(nx_sparse){NX_FIXED, n, l, c, sets});
                of(&(nx_sparse){NX_BLOCKS, n, l, 0, sets == (NX_NEAR | NX_FAR) ? NX_PREVIOUS : sets});
            }
}

static void definition(void) {
    each_pattern(19, pattern_of);
    pattern_of(&(nx_sparse){NX_STRIDED, 400, 20, 0, NX_FAR});
    pattern_of(&(nx_sparse){NX_STRIDED, 390, 7, 0, NX_FAR});
    pattern_of(&(nx_sparse){NX_STRIDED, 400, 20, 0, NX_NEAR | NX_FAR});
    pattern_of(&(nx_sparse){NX_FIXED, 400, 32, 8, NX_FAR});
    pattern_of(&(nx_sparse){NX_BLOCKS, 390, 7, 0, NX_FAR});
    pattern_of(&(nx_sparse){NX_BLOCKS, 400, 32, 0, NX_PREVIOUS});
}

/* With stride 1, A2 is the full set; with a stride of the whole length, A1 is the full set. Both cases are dense attention. */
static void full_attention(void) {
    for (uint32_t n = 1; n <= 40; n++) {
        nx_sparse near = {NX_STRIDED, n, n, 0, NX_NEAR}, block = {NX_FIXED, n, n, 1, NX_NEAR}, far = {NX_STRIDED, n, 1, 0, NX_FAR};
        const nx_sparse *all[] = {&near, &block, &far};
        for (uint32_t i = 0; i < n; i++)
            for (int p = 0; p < 3; p++) {
                nx_range range;
                uint32_t keys[40];
                CHECK_INT(nx_sparse_keys(all[p], i, keys), i + 1);
                CHECK_INT(nx_sparse_ranges(all[p], i, &range), 1);
                CHECK_INT(range.to - range.from, i + 1);
                CHECK_INT(keys[0], 0);
            }
    }
}

/* Returns whether each position reaches all earlier positions through two layers. `residual` adds the identity to each layer. */
static int reaches_all(const nx_sparse *p, uint32_t first, uint32_t second, int residual) {
    for (uint32_t i = 0; i < p->positions; i++)
        for (uint32_t k = 0; k <= i; k++) {
            int reached = 0;
            for (uint32_t j = k; j <= i; j++)
                reached |= (sees(p, second, i, j) || (residual && i == j)) && (sees(p, first, j, k) || (residual && j == k));
            if (!reached) return 0;
        }
    return 1;
}

static void two_layers(void) {
    for (uint32_t n = 9; n <= 40; n++)
        for (uint32_t l = 3; 2 * l < n; l++) {
            nx_sparse p = {NX_STRIDED, n, l, 0, 0};
            CHECK(reaches_all(&p, NX_NEAR, NX_FAR, 0) && reaches_all(&p, NX_FAR, NX_NEAR, 0));
            p.kind = NX_BLOCKS; /* this pattern has a third set, the previous row; the first two sets alone do not reach all positions */
            CHECK(!reaches_all(&p, NX_NEAR, NX_FAR, 1) && !reaches_all(&p, NX_FAR, NX_NEAR, 1));
            for (uint32_t c = 1; c < l; c++) {
                p = (nx_sparse){NX_FIXED, n, l, c, 0};
                check_at("n = %lld, l = %lld, c = %lld", n, l, c, 0);
                CHECK(reaches_all(&p, NX_NEAR, NX_FAR, 1)); /* this is why the interleaving begins with A1 */
                CHECK(!reaches_all(&p, NX_FAR, NX_NEAR, 1));
                CHECK(!reaches_all(&p, NX_NEAR, NX_FAR, 0) && !reaches_all(&p, NX_FAR, NX_NEAR, 0));
                CHECK(reaches_all(&p, NX_NEAR | NX_FAR, NX_NEAR | NX_FAR, 0));
            }
        }
}

/* ---- attention -------------------------------------------------------------------------------------------------------------- */

enum { HEADS = 2, KEY = 8, WIDTH = HEADS * KEY };

static float *draw(size_t n, check_random *random) {
    float *x = memory_take(n * sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = (float)random_normal(random);
    return x;
}

/* Writes positions one by one into the pattern's slots. The attention must equal masked dense attention, which is computed in double
 * precision. The result must also be bit-identical to attention over a cache that contains only the visible positions in order, because
 * slots only permute positions. */
static void attention_of(const nx_sparse *p) {
    static const uint32_t types[] = {NX_F32, NX_KV7, NX_KV8};
    check_random random = {p->positions * 1000003u + p->stride * 1009u + p->summary * 31u + p->sets};
    uint32_t n = p->positions, window = nx_sparse_window(p), most = nx_sparse_max_ranges(p);
    check_at("kind %lld, n = %lld, l = %lld, sets and c %lld", p->kind, n, p->stride, p->sets * 100 + p->summary);
    for (int t = 0; t < 3; t++) {
        size_t mark = memory_mark();
        uint32_t type = types[t], slots = nx_sparse_slots(p), room = (window + 15) & ~15u;
        float *query = draw((size_t)n * WIDTH, &random), *key = draw((size_t)n * WIDTH, &random), *value = draw((size_t)n * WIDTH, &random);
        nx_cache cache = {memory_take(nx_cache_bytes(type, slots, HEADS, KEY)), type, slots, HEADS, KEY, 1, 0};
        nx_range *ranges = memory_take(most * sizeof *ranges);
        uint32_t *keys = memory_take(window * sizeof *keys);
        double *q = memory_take((size_t)n * WIDTH * sizeof *q), *k = memory_take((size_t)n * WIDTH * sizeof *k), *v = memory_take((size_t)n * WIDTH * sizeof *v);
        double *weights = memory_take(n * sizeof *weights), truth[KEY];
        uint8_t *visible = memory_take(n);
        void *scratch = memory_take(nx_attend_scratch_bytes(window, most));
        float *map = memory_take(HEADS * window * sizeof *map);
        for (size_t i = 0; i < (size_t)n * WIDTH; i++) q[i] = (double)query[i], k[i] = (double)key[i], v[i] = (double)value[i];
        for (uint32_t i = 0; i < n; i++) {
            float out[WIDTH], alone[WIDTH];
            uint32_t slot = nx_sparse_slot(p, i), n_ranges = nx_sparse_ranges(p, i, ranges), count = nx_sparse_keys(p, i, keys);
            if (slot != NX_NOT_KEPT) nx_cache_write(&cache, slot, key + (size_t)i * WIDTH, value + (size_t)i * WIDTH);
            if (!n_ranges) continue;
            nx_attend(out, query + (size_t)i * WIDTH, &cache, ranges, n_ranges, scratch, map, window);
            for (uint32_t j = 0; j < n; j++) visible[j] = (uint8_t)sees(p, p->sets, i, j);
            for (uint32_t h = 0; h < HEADS; h++) {
                ref_attention(truth, weights, q + (size_t)i * WIDTH + h * KEY, k + h * KEY, v + h * KEY, visible, n, WIDTH, KEY);
                for (uint32_t c = 0; c < KEY; c++) CHECK_NEAR((double)out[h * KEY + c], truth[c], type == NX_F32 ? TOLERANCE : ROUNDED_TOLERANCE);
                for (uint32_t j = 0; j < count && type == NX_F32; j++) CHECK_NEAR((double)map[h * window + j], weights[keys[j]], TOLERANCE);
            }
            if (p->sets != NX_FAR) continue; /* a near set begins anywhere in a tile, so its sums have another order */
            size_t inner = memory_mark();
            nx_cache own = {memory_take(nx_cache_bytes(type, room, HEADS, KEY)), type, room, HEADS, KEY, 1, 0};
            for (uint32_t j = 0; j < count; j++) nx_cache_write(&own, j, key + (size_t)keys[j] * WIDTH, value + (size_t)keys[j] * WIDTH);
            nx_attend(alone, query + (size_t)i * WIDTH, &own, &(nx_range){0, count}, 1, scratch, NULL, 0);
            CHECK_FLOATS(alone, out, WIDTH);
            memory_release(inner);
        }
        memory_release(mark);
    }
}

static void sparse_is_dense_with_a_mask(void) {
    each_pattern(9, attention_of);
    for (uint32_t sets = NX_NEAR; sets <= (NX_NEAR | NX_FAR); sets++) {
        attention_of(&(nx_sparse){NX_STRIDED, 60, 5, 0, sets});
        attention_of(&(nx_sparse){NX_STRIDED, 60, 13, 0, sets});
        attention_of(&(nx_sparse){NX_FIXED, 60, 8, 3, sets});
        attention_of(&(nx_sparse){NX_FIXED, 60, 17, 5, sets});
        attention_of(&(nx_sparse){NX_BLOCKS, 60, 8, 0, sets == (NX_NEAR | NX_FAR) ? NX_PREVIOUS : sets});
        attention_of(&(nx_sparse){NX_BLOCKS, 60, 13, 0, sets == (NX_NEAR | NX_FAR) ? NX_PREVIOUS : sets});
    }
}

const check_test sparse_tests[] = {
    {"sets, slots and runs match the definition", definition},
    {"stride 1, and a stride of the whole length, are dense attention", full_attention},
    {"two layers reach all earlier positions", two_layers},
    {"sparse is dense with a mask, in permuted slots", sparse_is_dense_with_a_mask},
    {0},
};

/* SPDX-License-Identifier: MIT  See trees.h. */
#include "attention/trees.h"

#include <math.h>
#include <string.h>

#include "kernels/elementary.h"
#include "kernels/kernels.h"

/* Tables with one number for each span of words i .. j. Word indices start at 0. A row of a table holds all spans with the same start
 * (entry [i][j] of the table) or all spans with the same end (entry [j][i]). The terms of a sum are therefore contiguous: they come from
 * one row of one table and one row of another table. */
typedef struct {
    float *right_starts, *right_ends, *left_starts, *left_ends; /* complete spans, each stored twice */
    float *going_right, *going_left;                            /* incomplete: I_right [i][j], I_left [j][i] */
} tables;

typedef struct {
    tables log;   /* tables of logarithms of the sums */
    tables mass;  /* outside values accumulated so far; a complete span has two entries, whose sum is its value */
    float *inner; /* I [i][j] */
    float *terms;
    uint32_t stride;
} room;

static uint32_t padded(uint32_t n) { return (n + 3) & ~3u; }

static tables tables_at(float **next, size_t each) {
    tables t = {*next, *next + each, *next + 2 * each, *next + 3 * each, *next + 4 * each, *next + 5 * each};
    *next += 6 * each;
    return t;
}

static room room_of(const nx_trees *trees) {
    room r = {.stride = padded(trees->words)};
    float *next = trees->charts;
    r.log = tables_at(&next, (size_t)trees->words * r.stride);
    r.mass = tables_at(&next, (size_t)trees->words * r.stride);
    r.inner = next;
    r.terms = next + (size_t)trees->words * r.stride;
    return r;
}

uint64_t nx_tree_bytes(uint32_t words) { return (13 * (uint64_t)words + 1) * padded(words) * sizeof(float); }

/* Initialises the tables: a single word is a complete span, so the diagonals hold log 1 = 0. */
void nx_tree_begin(const nx_trees *trees) { memset(trees->charts, 0, nx_tree_bytes(trees->words)); }

static float arc(const nx_trees *trees, uint32_t head, uint32_t child) {
    return trees->scores[(size_t)(head + 1) * nx_tree_stride(trees->words) + child + 1];
}

static float root(const nx_trees *trees, uint32_t child) { return trees->scores[child + 1]; }

/* ---- one sum ----------------------------------------------------------------------------------------------------------- */

/* A sum of `count` terms x[t] + y[t], and the two arrays to which the outside mass of each term is added. */
typedef struct {
    const float *x, *y;
    float *to_x, *to_y;
    uint32_t count;
} sum;

/* Writes the terms, padded with -infinity to a multiple of four. */
static void write_terms(float *terms, const sum *s) {
    for (uint32_t t = 0; t < s->count; t++) terms[t] = s->x[t] + s->y[t];
    for (uint32_t t = s->count; t < padded(s->count); t++) terms[t] = -INFINITY;
}

static float total_of(const nx_trees *trees, const float *terms, uint32_t count) {
    float largest = terms[0];
    for (uint32_t t = 1; t < count; t++)
        if (terms[t] > largest) largest = terms[t];
    return trees->best || largest == -INFINITY ? largest : nx_log_sum_exp(terms, padded(count));
}

/* Replaces each term with its share of the sum. */
static void share(const nx_trees *trees, float *terms, uint32_t count, float total) {
    uint32_t t = 0;
    if (trees->best) {
        while (t + 1 < count && terms[t] < total) t++;
        memset(terms, 0, count * sizeof *terms);
        terms[t] = 1;
        return;
    }
    for (; t < count; t += 4) wasm_v128_store(terms + t, f32x4_exp(wasm_f32x4_sub(wasm_v128_load(terms + t), wasm_f32x4_splat(total))));
}

static float add(const nx_trees *trees, const room *r, sum s) {
    write_terms(r->terms, &s);
    return total_of(trees, r->terms, s.count);
}

static void hand_on(const nx_trees *trees, const room *r, sum s, float total, float mass) {
    if (!(mass > 0)) return;
    write_terms(r->terms, &s);
    share(trees, r->terms, s.count, total);
    for (uint32_t t = 0; t < s.count; t++) {
        s.to_x[t] += mass * r->terms[t];
        s.to_y[t] += mass * r->terms[t];
    }
}

/* ---- the three sums of a span ------------------------------------------------------------------------------------------- */

/* Returns the terms of I(i, j), which are C_right(i, k) + C_left(k + 1, j) for i <= k < j. */
static sum between(const room *r, uint32_t i, uint32_t j) {
    size_t start = (size_t)i * r->stride + i, end = (size_t)j * r->stride + i + 1;
    return (sum){r->log.right_starts + start, r->log.left_ends + end, r->mass.right_starts + start, r->mass.left_ends + end, j - i};
}

/* Returns the terms of C_right(i, j), which are I_right(i, k) + C_right(k, j) for i < k <= j. */
static sum rightward(const room *r, uint32_t i, uint32_t j) {
    size_t start = (size_t)i * r->stride + i + 1, end = (size_t)j * r->stride + i + 1;
    return (sum){r->log.going_right + start, r->log.right_ends + end, r->mass.going_right + start, r->mass.right_ends + end, j - i};
}

/* Returns the terms of C_left(i, j), which are C_left(i, k) + I_left(k, j) for i <= k < j. */
static sum leftward(const room *r, uint32_t i, uint32_t j) {
    size_t start = (size_t)i * r->stride + i, end = (size_t)j * r->stride + i;
    return (sum){r->log.left_starts + start, r->log.going_left + end, r->mass.left_starts + start, r->mass.going_left + end, j - i};
}

/* ---- inside -------------------------------------------------------------------------------------------------------------- */

void nx_tree_inside(const nx_trees *trees, uint32_t width) {
    room r = room_of(trees);
    for (uint32_t i = 0, j = width; j < trees->words; i++, j++) {
        size_t start = (size_t)i * r.stride + j, end = (size_t)j * r.stride + i;
        float inner = r.inner[start] = add(trees, &r, between(&r, i, j));
        r.log.going_right[start] = inner + arc(trees, i, j);
        r.log.going_left[end] = inner + arc(trees, j, i);
        r.log.right_starts[start] = r.log.right_ends[end] = add(trees, &r, rightward(&r, i, j));
        r.log.left_starts[start] = r.log.left_ends[end] = add(trees, &r, leftward(&r, i, j));
    }
}

/* Writes s[0][r] + C_left(1, r) + C_right(r, n), for every r. */
static void write_roots(const nx_trees *trees, const room *r) {
    uint32_t n = trees->words;
    for (uint32_t i = 0; i < padded(n); i++)
        r->terms[i] = i < n ? root(trees, i) + r->log.left_starts[i] + r->log.right_ends[(size_t)(n - 1) * r->stride + i] : -INFINITY;
}

float nx_tree_total(const nx_trees *trees) {
    room r = room_of(trees);
    write_roots(trees, &r);
    return total_of(trees, r.terms, trees->words);
}

/* ---- outside ------------------------------------------------------------------------------------------------------------- */

void nx_tree_outside_root(const nx_trees *trees, float total, float *marginals) {
    room r = room_of(trees);
    uint32_t n = trees->words;
    write_roots(trees, &r);
    share(trees, r.terms, n, total);
    for (uint32_t i = 0; i < n; i++) {
        marginals[i + 1] = r.terms[i];
        r.mass.left_starts[i] += r.terms[i];
        r.mass.right_ends[(size_t)(n - 1) * r.stride + i] += r.terms[i];
    }
}

void nx_tree_outside(const nx_trees *trees, uint32_t width, float *marginals) {
    room r = room_of(trees);
    uint32_t stride = nx_tree_stride(trees->words);
    for (uint32_t i = 0, j = width; j < trees->words; i++, j++) {
        size_t start = (size_t)i * r.stride + j, end = (size_t)j * r.stride + i;
        hand_on(trees, &r, rightward(&r, i, j), r.log.right_starts[start], r.mass.right_starts[start] + r.mass.right_ends[end]);
        hand_on(trees, &r, leftward(&r, i, j), r.log.left_starts[start], r.mass.left_starts[start] + r.mass.left_ends[end]);
        float right = r.mass.going_right[start], left = r.mass.going_left[end];
        marginals[(size_t)(i + 1) * stride + j + 1] = right;
        marginals[(size_t)(j + 1) * stride + i + 1] = left;
        hand_on(trees, &r, between(&r, i, j), r.inner[start], right + left);
    }
}

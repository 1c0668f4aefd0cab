/* SPDX-License-Identifier: MIT  See sparse.h. */
#include "sparse.h"

static uint32_t min(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* For NX_STRIDED and NX_BLOCKS, returns how many slots of the far set hold the positions with the same residue modulo the stride: 4, 8, or
 * a multiple of 16 (whole tiles). The slots of a residue therefore begin at the start of a tile or fit into one tile. For this reason, the
 * rounding of sums does not depend on the capacity of the sequence. */
static uint32_t residue_slots(const nx_sparse *p) {
    uint32_t rows = (p->positions - 1) / p->stride + 1;
    return rows <= 4 ? 4 : rows <= 8 ? 8 : (rows + 15) & ~15u;
}

/* Returns the number of summaries among the positions 0..i. */
static uint32_t summaries(const nx_sparse *p, uint32_t i) {
    uint32_t offset = i % p->stride + 1, others = p->stride - p->summary;
    return i / p->stride * p->summary + (offset > others ? offset - others : 0);
}

uint32_t nx_sparse_slot(const nx_sparse *p, uint32_t i) {
    if (p->sets != NX_FAR) return i;
    if (p->kind != NX_FIXED) return i % p->stride * residue_slots(p) + i / p->stride;
    return i % p->stride < p->stride - p->summary ? NX_NOT_KEPT : summaries(p, i) - 1;
}

/* Appends the positions `from` to `to` - 1 as a range, or extends the previous range if the two ranges touch. Returns the number of
 * ranges. */
static uint32_t append(nx_range *ranges, uint32_t n, uint32_t from, uint32_t to) {
    if (n && ranges[n - 1].to >= from) {
        ranges[n - 1].to = to;
        return n;
    }
    ranges[n] = (nx_range){from, to};
    return n + 1;
}

/* Returns the first position of the near set, A1. */
static uint32_t near_from(const nx_sparse *p, uint32_t i) {
    if (p->kind != NX_STRIDED) return i - i % p->stride;
    return i < p->stride ? 0 : i + 1 - p->stride;
}

uint32_t nx_sparse_ranges(const nx_sparse *p, uint32_t i, nx_range *ranges) {
    uint32_t l = p->stride, near = near_from(p, i), n = 0;
    if (p->sets == NX_PREVIOUS) return near ? append(ranges, 0, near - l, near) : 0;
    if (p->sets == NX_FAR && p->kind != NX_FIXED) {
        uint32_t slot = nx_sparse_slot(p, i);
        return append(ranges, 0, slot - i / l, slot + 1);
    }
    if (p->sets == NX_FAR) return summaries(p, i) ? append(ranges, 0, 0, summaries(p, i)) : 0;
    for (uint32_t row = 0; row < i / l && (p->sets & NX_FAR); row++) {
        uint32_t from = row * l + (p->kind == NX_FIXED ? l - p->summary : i % l), to = p->kind == NX_FIXED ? (row + 1) * l : from + 1;
        if (from < near) n = append(ranges, n, from, min(to, near));
    }
    return append(ranges, n, near, i + 1);
}

uint32_t nx_sparse_keys(const nx_sparse *p, uint32_t i, uint32_t *keys) {
    uint32_t n = 0, l = p->stride, near = near_from(p, i);
    for (uint32_t row = 0; row <= i / l && (p->sets & NX_FAR); row++) {
        uint32_t end = p->sets & NX_NEAR ? near : i + 1; /* stops before the near set if queries see the near set */
        uint32_t from = row * l + (p->kind == NX_FIXED ? l - p->summary : i % l), to = p->kind == NX_FIXED ? (row + 1) * l : from + 1;
        for (uint32_t j = from; j < to && j < end; j++) keys[n++] = j;
    }
    for (uint32_t j = near; j <= i && (p->sets & NX_NEAR); j++) keys[n++] = j;
    for (uint32_t j = near < l ? near : near - l; j < near && p->sets == NX_PREVIOUS; j++) keys[n++] = j;
    return n;
}

uint32_t nx_sparse_max_ranges(const nx_sparse *p) { return p->sets == (NX_NEAR | NX_FAR) ? (p->positions - 1) / p->stride + 1 : 1; }

uint32_t nx_sparse_window(const nx_sparse *p) {
    uint64_t n = p->positions, near = p->sets & NX_NEAR || (p->sets == NX_PREVIOUS && n > p->stride) ? p->stride : 0;
    uint64_t far = p->kind == NX_FIXED ? summaries(p, p->positions - 1) : (n - 1) / p->stride + 1;
    uint64_t window = near + (p->sets & NX_FAR ? far : 0);
    return !window ? 1 : window < n ? (uint32_t)window : p->positions; /* at least 1, even if the set is always empty */
}

uint32_t nx_sparse_slots(const nx_sparse *p) {
    uint64_t all = p->positions, slots = all;
    if (p->sets == NX_NEAR) slots = (uint64_t)p->stride + NX_SPARSE_SPARE;
    if (p->sets == NX_PREVIOUS) slots = 2 * (uint64_t)p->stride + NX_SPARSE_SPARE;
    if (p->sets != NX_FAR) return (uint32_t)(((slots < all ? slots : all) + 3) & ~3u);
    slots = p->kind != NX_FIXED ? (uint64_t)p->stride * residue_slots(p) : summaries(p, p->positions - 1);
    return ((uint32_t)slots + 3) & ~3u;
}

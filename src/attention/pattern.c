/* SPDX-License-Identifier: MIT  Computes the positions that a query sees, and the order in which positions are generated. See pattern.h. */
#include "pattern.h"

#include <stddef.h>

static uint32_t min(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t minus(uint32_t a, uint32_t b) { return a > b ? a - b : 0; } /* returns a - b, but at least zero */

/* A block of the grid: rows r0..r1-1 and columns c0..c1-1. The block's first position in generation order is `start`. */
typedef struct {
    uint32_t r0, r1, c0, c1, start;
} grid_block;

/* Returns the block that contains this row and column of the grid. In generation order, the rows of blocks above this block come first,
 * then the blocks to the left of this block. */
static grid_block block_at(const nx_pattern *p, uint32_t row, uint32_t col) {
    grid_block b;
    b.r0 = row - row % p->block_rows;
    b.r1 = min(b.r0 + p->block_rows, p->rows);
    b.c0 = col - col % p->block_cols;
    b.c1 = min(b.c0 + p->block_cols, p->cols);
    b.start = b.r0 * p->cols + (b.r1 - b.r0) * b.c0;
    return b;
}

/* Returns the block that contains position i. */
static grid_block block_of(const nx_pattern *p, uint32_t i) {
    uint32_t row = i / (p->block_rows * p->cols) * p->block_rows;
    uint32_t height = min(p->block_rows, p->rows - row);
    return block_at(p, row, (i - row * p->cols) / height);
}

static uint32_t block_end(const grid_block *b) { return b->start + (b->r1 - b->r0) * (b->c1 - b->c0); }

/* The visible positions, listed as ranges or individually. */
typedef struct {
    nx_range *ranges;
    uint32_t *keys; /* null: ranges are listed, not keys */
    uint32_t n;     /* number of ranges or keys listed so far */
} listing;

/* Appends the positions from..to-1; if this range begins where the last listed range ends, the two ranges are merged. */
static void append(listing *l, uint32_t from, uint32_t to) {
    if (l->keys)
        for (; from < to; from++) l->keys[l->n++] = from;
    else if (l->n && l->ranges[l->n - 1].to == from)
        l->ranges[l->n - 1].to = to;
    else
        l->ranges[l->n++] = (nx_range){from, to};
}

/* Appends the visible positions in rows r0..r1-1 and columns c0..c1-1. Rows r0 and r1-1 must be in the same row of blocks. */
static void append_area(const nx_pattern *p, listing *l, uint32_t r0, uint32_t r1, uint32_t c0, uint32_t c1) {
    for (uint32_t col = c0; col < c1;) {
        grid_block b = block_at(p, r0, col);
        uint32_t end = min(b.c1, c1), width = b.c1 - b.c0;
        for (uint32_t row = r0; row < r1; row++) {
            uint32_t line = b.start + (row - b.r0) * width - b.c0;
            append(l, line + col, line + end);
        }
        col = end;
    }
}

static uint32_t list_visible(const nx_pattern *p, uint32_t i, listing l) {
    if (p->kind != NX_LOCAL_2D) {
        append(&l, minus(i - i % p->query_block, p->memory_block), i + 1);
        return l.n;
    }
    grid_block own = block_of(p, i);
    uint32_t left = minus(own.c0, p->flange_cols), right = min(own.c1 + p->flange_cols, p->cols);
    for (uint32_t row = minus(own.r0, p->flange_rows); row < own.r0;) {
        uint32_t end = row - row % p->block_rows + p->block_rows; /* end of the row of blocks that contains `row`; at most own.r0 */
        append_area(p, &l, row, end, left, right);
        row = end;
    }
    append_area(p, &l, own.r0, own.r1, left, own.c0);
    append(&l, own.start, i + 1);
    return l.n;
}

uint32_t nx_pattern_ranges(const nx_pattern *pattern, uint32_t i, nx_range *ranges) {
    return list_visible(pattern, i, (listing){ranges, NULL, 0});
}

uint32_t nx_pattern_keys(const nx_pattern *pattern, uint32_t i, uint32_t *keys) {
    return list_visible(pattern, i, (listing){NULL, keys, 0});
}

uint32_t nx_pattern_max_ranges(const nx_pattern *p) {
    if (p->kind != NX_LOCAL_2D) return 1;
    /* the largest number of blocks that a row of the window intersects; each block adds one range */
    uint32_t blocks = min(2 * (p->flange_cols / p->block_cols) + 4, p->cols / p->block_cols + 1);
    return (min(p->flange_rows, p->rows) + p->block_rows) * blocks + 1;
}

uint32_t nx_pattern_block_end(const nx_pattern *pattern, uint32_t i) {
    if (pattern->kind == NX_LOCAL_2D) {
        grid_block own = block_of(pattern, i);
        return block_end(&own);
    }
    uint64_t end = (uint64_t)i - i % pattern->query_block + pattern->query_block;
    return end < pattern->positions ? (uint32_t)end : pattern->positions;
}

uint32_t nx_pattern_window(const nx_pattern *p) {
    uint64_t window = p->kind == NX_LOCAL_2D ? (uint64_t)(p->block_rows + p->flange_rows) * min(p->block_cols + 2 * p->flange_cols, p->cols)
                                             : (uint64_t)p->query_block + p->memory_block;
    return window < p->positions ? (uint32_t)window : p->positions;
}

uint32_t nx_pattern_slots(const nx_pattern *p) {
    uint64_t slots = nx_pattern_window(p);
    if (p->kind == NX_LOCAL_2D) /* the ring keeps whole rows of blocks, from the row of blocks that contains the top of the flange */
        slots = (uint64_t)((p->flange_rows + p->block_rows - 1) / p->block_rows + 1) * p->block_rows * p->cols;
    if (slots > p->positions) slots = p->positions;
    return ((uint32_t)slots + 3) & ~3u;
}

uint32_t nx_pattern_raster(const nx_pattern *pattern, uint32_t i) {
    if (pattern->kind != NX_LOCAL_2D) return i;
    grid_block b = block_of(pattern, i);
    uint32_t width = b.c1 - b.c0, inside = i - b.start;
    return (b.r0 + inside / width) * pattern->cols + b.c0 + inside % width;
}

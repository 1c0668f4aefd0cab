/* SPDX-License-Identifier: MIT  See queue.h. */
#include "queue.h"

#include <string.h>

uint32_t nx_tap_at(const nx_taps *taps, uint32_t t, uint32_t position) {
    uint32_t rows_up = 0, column = taps->width ? position % taps->width : position, from;
    uint32_t whole = taps->above * taps->across, half = taps->across / 2;
    if (t < whole) { /* tap t is in one of the whole rows above the position */
        rows_up = taps->above - t / taps->across;
        from = column + t % taps->across;
        if (from < half || from - half >= taps->width || position / taps->width < rows_up) return NX_OUTSIDE;
        return position - rows_up * taps->width - column + (from - half);
    }
    uint32_t back = taps->left - 1 - (t - whole) + taps->gap;
    return back > column ? NX_OUTSIDE : position - back;
}

uint32_t nx_taps_reach(const nx_taps *taps) {
    uint32_t rows = taps->above ? taps->above * taps->width + taps->across / 2 : 0, own = taps->left ? taps->left - 1 + taps->gap : 0;
    return rows > own ? rows : own;
}

static uint32_t slots(const nx_taps *taps) { return nx_taps_reach(taps) + NX_COLUMNS; }

uint64_t nx_queue_bytes(const nx_taps *taps, uint32_t channels) { return (uint64_t)slots(taps) * nx_stride(channels) * sizeof(float); }

float *nx_queue_at(const float *queue, const nx_taps *taps, uint32_t channels, uint32_t position) {
    return (float *)queue + (size_t)(position % slots(taps)) * nx_stride(channels);
}

void nx_queue_write(float *queue, const nx_taps *taps, uint32_t channels, uint32_t position, const float *x) {
    memcpy(nx_queue_at(queue, taps, channels, position), x, channels * sizeof *x);
}

static float *zeros(float *out, uint32_t count, uint32_t channels) {
    if (count) memset(out, 0, (size_t)count * channels * sizeof *out);
    return out + (size_t)count * channels;
}

/* Gathers the vectors of the positions first..first+count-1, with one copy per contiguous run. */
static float *gather(float *out, const float *queue, const nx_taps *taps, uint32_t channels, uint32_t first, uint32_t count) {
    uint32_t ring = slots(taps), slot = first % ring, stride = nx_stride(channels);
    for (uint32_t n; count; count -= n, slot = slot + n == ring ? 0 : slot + n, out += n * channels) {
        n = stride > channels ? 1 : count < ring - slot ? count : ring - slot;
        f32_copy(out, queue + (size_t)slot * stride, n * channels);
    }
    return out;
}

/* Copies whole rows of taps, which are contiguous, because locating each tap separately (nx_tap_at) takes longer than copying its
 * vector. */
void nx_queue_gather(float *out, const float *queue, const nx_taps *taps, uint32_t channels, uint32_t position) {
    uint32_t width = taps->width, row = width ? position / width : 0, column = width ? position % width : position;
    uint32_t half = taps->across / 2, farthest = taps->left - 1 + taps->gap, outside;
    for (uint32_t up = taps->above; up > 0; up--) {
        uint32_t from = half > column ? half - column : 0, to = width - column + half < taps->across ? width - column + half : taps->across;
        if (row < up) from = to = taps->across;
        out = zeros(out, from, channels);
        out = gather(out, queue, taps, channels, position - up * width + from - half, to - from);
        out = zeros(out, taps->across - to, channels);
    }
    outside = taps->left == 0 || farthest <= column ? 0 : farthest - column < taps->left ? farthest - column : taps->left;
    out = zeros(out, outside, channels);
    gather(out, queue, taps, channels, position - farthest + outside, taps->left - outside);
}

void nx_taps_add_rows(float *out, const nx_embedding *table, const nx_taps *taps, uint32_t values, const uint32_t *ids, uint32_t position,
                      float *row) {
    uint32_t count = nx_taps_count(taps);
    for (uint32_t t = 0; t < count; t++) {
        uint32_t at = nx_tap_at(taps, t, position);
        if (at == NX_OUTSIDE) continue;
        nx_embed(row, table, t * values + ids[at]);
        nx_add(out, row, table->cols, 1);
    }
}

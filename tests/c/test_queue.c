/* SPDX-License-Identifier: MIT  Compares convolutions from a queue with convolutions over the whole grid. */
#include <string.h>

#include "check.h"
#include "kernels/queue.h"

/* Grids of one column, grids narrower and wider than the kernel, and an endless row. */
static const uint32_t widths[] = {0, 1, 2, 3, 5, 8, 17};

/* Masks A and B of 3 x 3 and of 7 x 7 pixels, a mask of only the rows above the pixel, and three masks of only the pixel's own row. */
static const nx_taps masks[] = {{0, 1, 3, 1, 1}, {0, 1, 3, 2, 0}, {0, 3, 7, 3, 1}, {0, 3, 7, 4, 0}, {0, 2, 5, 0, 0}, {0, 0, 0, 3, 0}, {0, 0, 0, 3, 1}, {0, 0, 0, 1, 0}};

/* Returns whether the mask, as queue.h defines it, contains the tap that is `up` rows up and `right` columns to the right. */
static int is_tap(const nx_taps *taps, int up, int right) {
    int half = (int)taps->across / 2;
    if (up > 0) return up <= (int)taps->above && right >= -half && right <= half;
    return up == 0 && right <= -(int)taps->gap && right > -(int)(taps->gap + taps->left);
}

/* Checks the row and column of every tap. Taps must be in raster order, and each must occur once. A tap beyond the edge of the grid must be
 * NX_OUTSIDE, not a position in another row. */
static void places(void) {
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
            nx_taps taps = masks[m];
            taps.width = widths[w];
            if (!taps.width && taps.above) continue;
            int columns = taps.width ? (int)taps.width : 60;
            for (int position = 0; position < 60; position++) {
                uint32_t t = 0, farthest = 0;
                check_at("width %lld, mask %lld, position %lld", widths[w], m, position, 0);
                for (int up = (int)taps.above; up >= 0; up--)
                    for (int right = -20; right <= 20; right++) {
                        if (!is_tap(&taps, up, right)) continue;
                        int row = position / columns - up, column = position % columns + right;
                        uint32_t expected = row < 0 || column < 0 || column >= columns ? NX_OUTSIDE : (uint32_t)(row * columns + column);
                        CHECK_INT(nx_tap_at(&taps, t++, (uint32_t)position), expected);
                        if (expected != NX_OUTSIDE && (uint32_t)position - expected > farthest) farthest = (uint32_t)position - expected;
                    }
                CHECK_INT(nx_taps_count(&taps), t);
                CHECK(farthest <= nx_taps_reach(&taps));
            }
        }
}

/* Writes positions to the queue in passes of any size, and writes some positions again. The gathered values must equal the values in
 * `grid`, an array of all positions. */
static void gathered(void) {
    check_random random = {32};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
            for (uint32_t channels = 1; channels <= 33; channels += 16) {
                size_t mark = memory_mark();
                nx_taps taps = masks[m];
                taps.width = widths[w];
                if (!taps.width && taps.above) continue;
                uint32_t n = 90, count = nx_taps_count(&taps), most = 0;
                float *grid = memory_take((size_t)n * channels * sizeof *grid), *out = memory_take((size_t)count * channels * sizeof *out);
                float *queue = memory_take((size_t)nx_queue_bytes(&taps, channels));
                CHECK_INT(nx_queue_bytes(&taps, channels), (uint64_t)(nx_taps_reach(&taps) + 16) * nx_stride(channels) * 4);
                while (most < n) {
                    uint32_t back = random_below(&random, NX_COLUMNS + 1), pass = 1 + random_below(&random, NX_COLUMNS);
                    uint32_t at = most < back ? 0 : most - back;
                    if (pass > n - at) pass = n - at;
                    for (uint32_t p = at; p < at + pass; p++) {
                        for (uint32_t c = 0; c < channels; c++) grid[p * channels + c] = (float)random_normal(&random);
                        nx_queue_write(queue, &taps, channels, p, grid + p * channels);
                    }
                    for (uint32_t p = at; p < at + pass; p++) {
                        nx_queue_gather(out, queue, &taps, channels, p);
                        check_at("width %lld, mask %lld, %lld channels, position %lld", widths[w], m, channels, p);
                        for (uint32_t t = 0; t < count; t++) {
                            uint32_t from = nx_tap_at(&taps, t, p);
                            for (uint32_t c = 0; c < channels; c++)
                                CHECK(out[t * channels + c] == (from == NX_OUTSIDE ? 0 : grid[from * channels + c]));
                        }
                    }
                    if (at + pass > most) most = at + pass;
                }
                memory_release(mark);
            }
}

/* Compares the sums of nx_taps_add_rows() with sums in double precision. */
static void rows_of_ids(void) {
    check_random random = {33};
    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
        for (uint32_t width = 4; width <= 36; width += 16) {
            nx_taps taps = masks[m];
            taps.width = 7;
            uint32_t values = 3, rows = nx_taps_count(&taps) * values, ids[40];
            float *table = memory_take((size_t)rows * width * sizeof *table), *row = memory_take(nx_stride(width) * sizeof *row);
            float *out = memory_take(nx_stride(width) * sizeof *out);
            nx_embedding weights = {0, rows, width, (const uint8_t *)table};
            for (uint32_t i = 0; i < rows * width; i++) table[i] = (float)random_normal(&random);
            for (uint32_t i = 0; i < 40; i++) ids[i] = random_below(&random, values);
            for (uint32_t p = 0; p < 40; p++) {
                for (uint32_t i = 0; i < width; i++) out[i] = (float)i;
                nx_taps_add_rows(out, &weights, &taps, values, ids, p, row);
                check_at("mask %lld, width %lld, position %lld", m, width, p, 0);
                for (uint32_t i = 0; i < width; i++) {
                    double sum = i, size = i;
                    for (uint32_t t = 0; t < nx_taps_count(&taps); t++) {
                        uint32_t from = nx_tap_at(&taps, t, p);
                        double w = from == NX_OUTSIDE ? 0 : (double)table[(size_t)(t * values + ids[from]) * width + i];
                        sum += w, size += w < 0 ? -w : w;
                    }
                    CHECK_NEAR((double)out[i], sum, 2e-6 * size + 1e-30);
                }
            }
        }
}

const check_test queue_tests[] = {
    {"where the taps are", places},
    {"what is gathered from the queue", gathered},
    {"rows of a table at the taps", rows_of_ids},
    {0},
};

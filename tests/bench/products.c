/* SPDX-License-Identifier: MIT
 *
 * The matrix products of one step of a model with nothing else of it, for npm run bench: weights of Q8_0, a column each, in the order in which
 * the model has them. To round its column belongs to a product; gates, queues and sums do not. And the convolutions of a picture made at once:
 * to gather and to round what each place sees belongs to them, norms do not. Compiled for each build, as ceiling.c.
 */
#include <string.h>

#include "gguf.h"
#include "kernels/image.h"
#include "kernels/kernels.h"

#define EXPORT __attribute__((visibility("default")))
#define MOST 256          /* products */
#define WIDEST 4096       /* numbers of a column */
#define MEMORY (3u << 18) /* of packed weights */

static nx_matrix matrices[MOST];
static uint32_t count;
static _Alignas(128) uint8_t memory[MEMORY];
static uint64_t used;
static _Alignas(128) float x[WIDEST], out[WIDEST], bias[WIDEST];
static _Alignas(128) uint8_t rounded[8 * WIDEST], row[WIDEST / 32 * 34];

/* Packs a (rows, cols) matrix of made-up numbers, cols a multiple of 32. Returns 0 where there is no room. */
static int pack(nx_matrix *packed, uint32_t rows, uint32_t cols) {
    nx_matrix m = {.type = nx_matrix_form(NX_Q8_0, NX_BY_ROW), .rows = rows, .cols = cols};
    uint64_t bytes = (nx_matrix_bytes(m.type, rows, cols) + 127) & ~(uint64_t)127;
    if (rows > WIDEST - 16 || cols > WIDEST || cols % 32 || nx_input_bytes(cols, 1) > sizeof rounded || bytes > MEMORY - used) return 0;
    m.packed = memory + used;
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t i = 0; i < cols / 32 * 34; i++) row[i] = (uint8_t)(i * 37 + r * 101);
        for (uint32_t b = 0; b < cols / 32; b++) row[34 * b] = 0, row[34 * b + 1] = 0x20; /* the scale, 1/128 as a half */
        nx_matrix_pack(&m, memory + used, row, NX_Q8_0, r, 1);
    }
    used += bytes;
    *packed = m;
    return 1;
}

/* One more product. Returns 0 where there is no room. */
EXPORT uint32_t add(uint32_t rows, uint32_t cols) {
    if (count == MOST || !pack(&matrices[count], rows, cols)) return 0;
    count++;
    for (uint32_t i = 0; i < WIDEST; i++) x[i] = (float)(i % 13) - 6;
    return 1;
}

/* All of them, `times` over. A column that the one before it read too is rounded anew, as it is in a layer. */
EXPORT float products(uint32_t times) {
    for (uint32_t i = 0; i < times; i++)
        for (uint32_t k = 0; k < count; k++) {
            nx_input input = nx_input_of(x, 1, rounded);
            nx_matmul(out, matrices + k, bias, &input);
            x[k % 16] = out[k % 16] > 0 ? 1 : -1; /* no product is like the one before */
        }
    return out[0];
}

#define PICTURE (1u << 16) /* numbers of a picture */
#define DEEPEST 256u       /* channels that a convolution makes */

static nx_matrix kernels[MOST];
static nx_patches seen[MOST];
static uint32_t convolved;
static _Alignas(128) float picture[PICTURE], places[NX_COLUMNS * DEEPEST];
static _Alignas(128) uint8_t scratch[1u << 17];

/* One more convolution of 3 x 3 at every place of a picture of side x side, 9 * channels a multiple of 32. Returns 0 where there is no room. */
EXPORT uint32_t add_convolution(uint32_t rows, uint32_t channels, uint32_t side) {
    nx_patches p = {side, side, channels, 0, 3, 3, 1, 1, 1, 1, 1, 1, 1};
    if (convolved == MOST || rows > DEEPEST || channels > DEEPEST || (uint64_t)side * side * nx_stride(channels) > PICTURE || nx_convolve_bytes(&p) > sizeof scratch) return 0;
    if (!pack(&kernels[convolved], rows, 9 * channels)) return 0;
    seen[convolved++] = p;
    for (uint32_t i = 0; i < PICTURE; i++) picture[i] = (float)(i % 13) - 6;
    return 1;
}

/* All of them, `times` over, NX_COLUMNS places at once, as a picture is drawn. */
EXPORT float convolutions(uint32_t times) {
    for (uint32_t i = 0; i < times; i++)
        for (uint32_t k = 0; k < convolved; k++) {
            uint32_t all = seen[k].rows * seen[k].cols;
            for (uint32_t first = 0; first < all; first += NX_COLUMNS)
                nx_convolve(places, kernels + k, bias, picture, seen + k, first, all - first < NX_COLUMNS ? all - first : NX_COLUMNS, scratch);
            picture[k % 16] = places[k % 16] > 0 ? 1 : -1;
        }
    return places[0];
}

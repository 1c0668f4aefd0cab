/* SPDX-License-Identifier: MIT
 *
 * For npm run bench, computes only the matrix products of one model step, in the order of the model. The weights are Q8_0 or Q4_0, and the
 * products have one or several columns. The time includes rounding the columns, but not the gates, queues and sums between products. This
 * file can also compute the convolutions of a model that draws a picture in one pass. The time of the convolutions includes gathering and
 * rounding the inputs of each location, but not norms. Like ceiling.c, this file is compiled for each build.
 */
#include <string.h>

#include "gguf.h"
#include "kernels/image.h"
#include "kernels/kernels.h"

#define EXPORT __attribute__((visibility("default")))
#define MOST 256          /* maximum number of products */
#define WIDEST 4096       /* largest number of values in a column */
#define MEMORY (7u << 20) /* bytes of packed weights */

static nx_matrix matrices[MOST];
static uint32_t count;
static _Alignas(128) uint8_t memory[MEMORY];
static uint64_t used;
static _Alignas(128) float x[NX_COLUMNS * WIDEST], out[NX_COLUMNS * WIDEST], bias[WIDEST];
static _Alignas(128) uint8_t rounded[8 * NX_COLUMNS * WIDEST], row[WIDEST / 32 * 34];

/* Packs a matrix of `rows` rows and `cols` columns. The matrix has arbitrary values of the tensor type `type`; cols must be a multiple of
 * 32. Returns 0 if the memory is full. */
static int pack(nx_matrix *packed, uint32_t rows, uint32_t cols, uint32_t type) {
    nx_matrix m = {.type = nx_matrix_form(type, NX_BY_ROW), .rows = rows, .cols = cols};
    uint64_t bytes = (nx_matrix_bytes(m.type, rows, cols) + 127) & ~(uint64_t)127;
    uint32_t block = type == NX_Q8_0 ? 34 : 18;
    if (rows > WIDEST - 16 || cols > WIDEST || cols % 32 || nx_input_bytes(cols, NX_COLUMNS) > sizeof rounded || bytes > MEMORY - used) return 0;
    m.packed = memory + used;
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t i = 0; i < cols / 32 * block; i++) row[i] = (uint8_t)(i * 37 + r * 101);
        for (uint32_t b = 0; b < cols / 32; b++) row[block * b] = 0, row[block * b + 1] = 0x20; /* the scale is 1/128 in half precision */
        nx_matrix_pack(&m, memory + used, row, type, r, 1);
    }
    used += bytes;
    *packed = m;
    return 1;
}

/* Adds a product to the list that products() runs. `four` says whether its weights have 4 bits. Returns 0 if the memory is full. */
EXPORT uint32_t add(uint32_t rows, uint32_t cols, uint32_t four) {
    if (count == MOST || !pack(&matrices[count], rows, cols, four ? NX_Q4_0 : NX_Q8_0)) return 0;
    count++;
    for (uint32_t i = 0; i < NX_COLUMNS * WIDEST; i++) x[i] = (float)(i % 13) - 6;
    return 1;
}

/* Runs all products with n columns, `times` times. Each product rounds its columns again. In a real layer, the columns are rounded once for
 * all products that read them. */
EXPORT float products(uint32_t times, uint32_t n) {
    for (uint32_t i = 0; i < times; i++)
        for (uint32_t k = 0; k < count; k++) {
            nx_input input = nx_input_of(x, n, rounded);
            nx_matmul(out, matrices + k, bias, &input);
            x[k % 16] = out[k % 16] > 0 ? 1 : -1; /* changes the input between products */
        }
    return out[0];
}

#define PICTURE (1u << 16) /* largest number of values in a picture */
#define DEEPEST 256u       /* output channels of a convolution */

static nx_matrix kernels[MOST];
static nx_patches seen[MOST];
static uint32_t convolved;
static _Alignas(128) float picture[PICTURE], places[NX_COLUMNS * DEEPEST];
static _Alignas(128) uint8_t scratch[1u << 17];

/* Adds a convolution to the list that convolutions() runs. A convolution computes 3 x 3 taps at every location of a picture of side x side
 * pixels. 9 * channels must be a multiple of 32. Returns 0 if the memory is full. */
EXPORT uint32_t add_convolution(uint32_t rows, uint32_t channels, uint32_t side) {
    nx_patches p = {side, side, channels, 0, 3, 3, 1, 1, 1, 1, 1, 1, 1};
    if (convolved == MOST || rows > DEEPEST || channels > DEEPEST || (uint64_t)side * side * nx_stride(channels) > PICTURE || nx_convolve_bytes(&p) > sizeof scratch) return 0;
    if (!pack(&kernels[convolved], rows, 9 * channels, NX_Q8_0)) return 0;
    seen[convolved++] = p;
    for (uint32_t i = 0; i < PICTURE; i++) picture[i] = (float)(i % 13) - 6;
    return 1;
}

/* Runs all convolutions `times` times. Each call computes NX_COLUMNS locations together, as the engine does when it draws a picture. */
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

/* SPDX-License-Identifier: MIT
 *
 * Measures the kernels that contain no matrix product, for npm run bench. The speed of each kernel is compared with an upper bound; all
 * data are in the first-level cache. For gates (gated PixelCNN, src/kernels/gates.c) and cells (recurrent networks, src/kernels/cells.c),
 * the bound is the speed of computing only their tanh and sigma. For kernels that gather the taps of a convolution (src/kernels/queue.c,
 * image.c), the bound is the speed of copying the same number of bytes. The sizes are taken from weights/gated-pixelcnn-digits.gguf,
 * weights/pixelcnn-digits.gguf, weights/seq2seq-additive.gguf and weights/lstmn.gguf.
 */
#include <string.h>

#include "kernels/cells.h"
#include "kernels/elementary.h"
#include "kernels/gates.h"
#include "kernels/image.h"
#include "kernels/queue.h"

#define EXPORT __attribute__((visibility("default")))

#define WIDTH 32u /* width of a stack */
#define SIDE 28u
#define CHANNELS 32u
#define POSITION (9 * SIDE + 14) /* all taps are inside the picture */

static const nx_taps taps = {.width = SIDE, .above = 1, .across = 3, .left = 2, .gap = 0}; /* mask B of 3 x 3 */
#define COUNT 5u

static _Alignas(16) float fg[2 * WIDTH * NX_COLUMNS], gated[WIDTH * NX_COLUMNS], gathered[COUNT * CHANNELS];
static _Alignas(16) float queue[(SIDE + 1 + NX_COLUMNS) * CHANNELS];

/* Returns how many numbers a gate processes per call. */
EXPORT uint32_t gate_numbers(void) { return WIDTH * NX_COLUMNS; }

/* Runs the gate kernel `times` times. */
EXPORT void gate(uint32_t times) {
    for (uint32_t i = 0; i < times; i++) {
        nx_gate(gated, fg, WIDTH, NX_COLUMNS);
        fg[i % WIDTH] = gated[i % WIDTH]; /* changes the input between calls */
    }
}

/* Computes as many tanh and sigma values as the gate kernel, on numbers that stay in registers. Eight vectors are computed at a time, so no
 * vector has to wait for another. Adding 0.5 keeps the numbers from becoming subnormal, because subnormal numbers are slow. */
EXPORT float gate_ceiling(uint32_t times) {
    v128_t x[8];
    for (int v = 0; v < 8; v++) x[v] = wasm_f32x4_splat(0.25f * (float)(v + 1));
    for (uint32_t i = 0; i < times * (WIDTH * NX_COLUMNS / 32); i++)
        for (int v = 0; v < 8; v++) x[v] = wasm_f32x4_add(wasm_f32x4_mul(f32x4_tanh(x[v]), f32x4_sigmoid(x[v])), wasm_f32x4_splat(0.5f));
    for (int v = 1; v < 8; v++) x[0] = wasm_f32x4_add(x[0], x[v]);
    return wasm_f32x4_extract_lane(x[0], 0);
}

#define STATES 256u /* width of the decoder's state */
#define MEMORY 160u

static _Alignas(16) float of_input[4 * STATES], of_state[4 * STATES], state[STATES], cell[MEMORY];

/* Returns the number of state values that one call updates. */
EXPORT uint32_t gru_numbers(void) { return STATES; }
EXPORT uint32_t lstm_numbers(void) { return MEMORY; }

EXPORT void gru(uint32_t times) {
    for (uint32_t i = 0; i < times; i++) {
        nx_gru(state, of_input, of_state, STATES, 1);
        of_state[i % STATES] = state[i % STATES];
    }
}

EXPORT void lstm(uint32_t times) {
    for (uint32_t i = 0; i < times; i++) {
        nx_lstm(state, cell, of_input, MEMORY, 1);
        of_input[i % MEMORY] = state[i % MEMORY];
    }
}

/* For each of `numbers` values, computes tanh `tanhs` times and sigma `sigmas` times. Processes eight vectors at a time, as gate_ceiling
 * does. */
static float bare(uint32_t times, uint32_t numbers, uint32_t tanhs, uint32_t sigmas) {
    v128_t x[8];
    for (int v = 0; v < 8; v++) x[v] = wasm_f32x4_splat(0.25f * (float)(v + 1));
    for (uint32_t i = 0; i < times * (numbers / 32); i++) {
        for (uint32_t k = 0; k < sigmas; k++)
            for (int v = 0; v < 8; v++) x[v] = wasm_f32x4_add(f32x4_sigmoid(x[v]), wasm_f32x4_splat(0.5f));
        for (uint32_t k = 0; k < tanhs; k++)
            for (int v = 0; v < 8; v++) x[v] = wasm_f32x4_add(f32x4_tanh(x[v]), wasm_f32x4_splat(0.5f));
    }
    for (int v = 1; v < 8; v++) x[0] = wasm_f32x4_add(x[0], x[v]);
    return wasm_f32x4_extract_lane(x[0], 0);
}

EXPORT float gru_ceiling(uint32_t times) { return bare(times, STATES, 1, 2); }
EXPORT float lstm_ceiling(uint32_t times) { return bare(times, MEMORY, 2, 3); }

/* Returns how many bytes a call gathers: one vector per tap. */
EXPORT uint32_t gather_bytes(void) { return sizeof gathered; }

EXPORT float gather(uint32_t times) {
    float sum = 0;
    for (uint32_t i = 0; i < times; i++) {
        nx_queue_gather(gathered, queue, &taps, CHANNELS, POSITION + i % 4);
        sum += gathered[i % CHANNELS];
    }
    return sum;
}

EXPORT float gather_ceiling(uint32_t times) {
    float sum = 0;
    for (uint32_t i = 0; i < times; i++) {
        memcpy(gathered, queue + 4 * (i % 4), sizeof gathered);
        sum += gathered[i % CHANNELS];
    }
    return sum;
}

/* Gathers one patch of 3 x 3 taps at a time, at every location of a picture with 64 channels, including the edge. */
#define PICTURE 7
#define DEPTH 64
static _Alignas(16) float picture[PICTURE * PICTURE * DEPTH], patch[9 * DEPTH];
static const nx_patches patches = {PICTURE, PICTURE, DEPTH, DEPTH, 3, 3, 1, 1, 1, 1, 1, 1, 1};

EXPORT uint32_t patch_bytes(void) { return sizeof patch; }

EXPORT float gather_patch(uint32_t times) {
    float sum = 0;
    for (uint32_t i = 0; i < times; i++) {
        nx_patch_gather(patch, picture, &patches, i % (PICTURE * PICTURE));
        sum += patch[i % DEPTH];
    }
    return sum;
}

EXPORT float gather_patch_ceiling(uint32_t times) {
    float sum = 0;
    for (uint32_t i = 0; i < times; i++) {
        memcpy(patch, picture + 4 * (i % 4), sizeof patch);
        sum += patch[i % DEPTH];
    }
    return sum;
}

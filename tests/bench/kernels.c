/* SPDX-License-Identifier: MIT
 *
 * Kernels that no matrix product hides, for npm run bench, each beside what the machine can do at most: the gates of gated PixelCNN
 * (src/kernels/gates.c) beside tanh and sigma with nothing around them, and the gathering of a convolution's taps (src/kernels/queue.c)
 * beside one copy of as many bytes, both from the first-level cache. Sizes are those of weights/gated-pixelcnn-digits.gguf and
 * weights/pixelcnn-digits.gguf.
 */
#include <string.h>

#include "kernels/elementary.h"
#include "kernels/gates.h"
#include "kernels/queue.h"

#define EXPORT __attribute__((visibility("default")))

#define WIDTH 32u /* of a stack */
#define SIDE 28u
#define CHANNELS 32u
#define POSITION (9 * SIDE + 14) /* all taps are inside the picture */

static const nx_taps taps = {.width = SIDE, .above = 1, .across = 3, .left = 2, .gap = 0}; /* mask B of 3 x 3 */
#define COUNT 5u

static _Alignas(16) float fg[2 * WIDTH * NX_COLUMNS], gated[WIDTH * NX_COLUMNS], gathered[COUNT * CHANNELS];
static _Alignas(16) float queue[(SIDE + 1 + NX_COLUMNS) * CHANNELS];

/* Numbers that a gate lets through in a call. */
EXPORT uint32_t gate_numbers(void) { return WIDTH * NX_COLUMNS; }

/* The kernel, `times` over. */
EXPORT void gate(uint32_t times) {
    for (uint32_t i = 0; i < times; i++) {
        nx_gate(gated, fg, WIDTH, NX_COLUMNS);
        fg[i % WIDTH] = gated[i % WIDTH]; /* no call is like the one before */
    }
}

/* As many of tanh and of sigma, of numbers that never leave their registers: eight vectors at a time, so that none waits for another. What
 * is added keeps them from running down to subnormals, which are slow. */
EXPORT float gate_ceiling(uint32_t times) {
    v128_t x[8];
    for (int v = 0; v < 8; v++) x[v] = wasm_f32x4_splat(0.25f * (float)(v + 1));
    for (uint32_t i = 0; i < times * (WIDTH * NX_COLUMNS / 32); i++)
        for (int v = 0; v < 8; v++) x[v] = wasm_f32x4_add(wasm_f32x4_mul(f32x4_tanh(x[v]), f32x4_sigmoid(x[v])), wasm_f32x4_splat(0.5f));
    for (int v = 1; v < 8; v++) x[0] = wasm_f32x4_add(x[0], x[v]);
    return wasm_f32x4_extract_lane(x[0], 0);
}

/* Bytes that are gathered in a call: a vector at every tap. */
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

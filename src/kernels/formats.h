/* SPDX-License-Identifier: MIT
 *
 * Decodes the weights of GGUF files, block by block. For every quantised type, nx_unpack unpacks 32 weights to integers. Each group of 16
 * integers has one scale and one offset: weight[i] = scale[i / 16] number[i] + offset[i / 16].
 */
#ifndef NX_FORMATS_H
#define NX_FORMATS_H

#include <stdint.h>
#include <string.h>

#include "kernels.h"

/* Loads an unaligned half-precision number. */
static inline float nx_load_half(const uint8_t *p) {
    uint16_t half;
    memcpy(&half, p, sizeof half);
    return nx_half_to_float(half);
}

/* Loads an unaligned BF16 number, which is the upper half of a float. */
static inline float nx_load_bf16(const uint8_t *p) {
    uint16_t half;
    memcpy(&half, p, sizeof half);
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

typedef struct {
    int8_t number[32];
    float scale[2], offset[2]; /* exact, because they are products of half-precision numbers and small integers */
} nx_weights;

/* Unpacks weights 32 b .. 32 b + 31 of a row of a quantised type. The range of the numbers depends on the form that tensor_types.h
 * specifies for the type. Numbers of 8 bits are signed bytes. For types without an offset, the numbers are -8..7 (4 bits) or -32..31 (6
 * bits). For types with an offset, the numbers are 0..15 (4 bits; Q3_K: -4..15) or 0..63 (6 bits). */
void nx_unpack(nx_weights *weights, const uint8_t *row, uint32_t type, uint32_t b);

#endif

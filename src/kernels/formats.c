/* SPDX-License-Identifier: MIT
 *
 * Decodes the tensor types of GGUF. See formats.h.
 *
 * Blocks of 32 values; d and m are half-precision numbers:
 *   Q4_0 { d; byte q[16] }                 d (q - 8); byte j holds q of value j (low nibble) and q of value 16 + j (high nibble)
 *   Q4_1 { d, m; byte q[16] }              d q + m
 *   Q5_0 { d; u32 h; byte q[16] }          d (q + 16 h_j - 16), where h_j is bit j of h
 *   Q5_1 { d, m; u32 h; byte q[16] }       d (q + 16 h_j) + m
 *   Q8_0 { d; int8 q[32] }                 d q
 *   IQ4_NL { d; byte q[16] }               d t_q, where t has sixteen levels that are closer together near zero
 *   MXFP4 { byte e; byte q[16] }           2^(e - 127) f_q, where f has the numbers with a sign, two exponent bits and one mantissa bit
 * Blocks of 256 values, in two groups of 128 or four groups of 64; a byte holds bits of several values of a group:
 *   Q2_K { byte s[16]; byte q[64]; d, m }  d (s & 15) q - m (s >> 4); a byte s for every 16 values
 *   Q3_K { byte h[32]; byte q[64]; byte s[12]; d }   d (s - 32) (q - 4 + 4 h); a 6-bit s for every 16 values
 *   Q4_K { d, m; byte s[12]; byte q[128] } d s q - m t; a 6-bit s and a 6-bit t for every 32 values
 *   Q5_K { d, m; byte s[12]; byte h[32]; byte q[128] }   as Q4_K, with q + 16 h in place of q
 *   Q6_K { byte q[128]; byte h[64]; int8 s[16]; d }      d s (q + 16 h - 32); an s for every 16 values
 *   IQ4_XS { d; u16 h; byte l[4]; byte q[128] }      d (s - 32) t_q; an s for every 32 values, with four bits in l and two bits in h
 */
#include "formats.h"

#include <string.h>

#include "gguf.h"
#include "kernels.h"

float nx_half_to_float(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, mantissa = half & 1023, bits;
    if (exponent == 31)
        bits = 0x7f800000 | mantissa << 13;
    else if (exponent)
        bits = (exponent + 112) << 23 | mantissa << 13;
    else { /* zero or subnormal: mantissa * 2^-24, exact in f32 */
        float value = (float)mantissa * 0x1p-24f;
        memcpy(&bits, &value, 4);
    }
    bits |= sign;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

uint16_t nx_float_to_half(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size >= 0x477ff000) return (uint16_t)(sign | 0x7bff);
    if (size < 0x38800000) { /* subnormal: adding 1.5 * 2^23 rounds to units of 2^-24 */
        float magnitude, sum;
        memcpy(&magnitude, &size, 4);
        sum = magnitude * 0x1p24f + 0x1.8p23f;
        memcpy(&bits, &sum, 4);
        return (uint16_t)(sign | (bits - 0x4b400000));
    }
    return (uint16_t)(sign | (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13);
}

/* Unpacks two nibbles per byte: the low nibbles are values 0..15, and the high nibbles are values 16..31. Subtracts `minus` from each
 * value. */
static void nibbles(int8_t *number, const uint8_t *pairs, int32_t minus) {
    for (uint32_t i = 0; i < 16; i++) {
        number[i] = (int8_t)((pairs[i] & 15) - minus);
        number[16 + i] = (int8_t)((pairs[i] >> 4) - minus);
    }
}

/* The levels of IQ4_NL and IQ4_XS, and the doubled levels of MXFP4. */
static const int8_t iq4_levels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
static const int8_t fp4_levels[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

static void levels(int8_t *number, const uint8_t *pairs, const int8_t *level) {
    for (uint32_t i = 0; i < 16; i++) {
        number[i] = level[pairs[i] & 15];
        number[16 + i] = level[pairs[i] >> 4];
    }
}

/* Returns 2^(e - 128), e < 255, which is half of an E8M0 scale. The result is subnormal below 2^-126. */
static float half_of_power(uint32_t e) {
    uint32_t bits = e < 2 ? 0x200000u << e : (e - 1) << 23;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void whole(nx_weights *w, float scale, float offset) {
    w->scale[0] = w->scale[1] = scale;
    w->offset[0] = w->offset[1] = offset;
}

/* Adds the fifth bit to each of the 32 values. */
static void fifth(nx_weights *w, const uint8_t *bits) {
    for (uint32_t i = 0; i < 32; i++) w->number[i] = (int8_t)(w->number[i] + (bits[i / 8] >> i % 8 & 1) * 16);
}

/* Reads the scale and the offset of group s in a block of Q4_K or Q5_K; a group has 32 values. All scales and offsets have six bits and
 * share twelve bytes: the first four pairs are contiguous, and the other four pairs use the remaining bits. */
static void scale_of_32(nx_weights *w, const uint8_t *block, uint32_t s) {
    const uint8_t *bytes = block + 4;
    uint32_t scale = s < 4 ? bytes[s] & 63 : (bytes[s + 4] & 15) | (uint32_t)bytes[s - 4] >> 6 << 4;
    uint32_t offset = s < 4 ? bytes[s + 4] & 63 : (uint32_t)bytes[s + 4] >> 4 | (uint32_t)bytes[s] >> 6 << 4;
    whole(w, nx_load_half(block) * (float)scale, -(nx_load_half(block + 2) * (float)offset));
}

/* Returns scale s (0..15) of a block of Q3_K. Each scale has six bits: the low four bits are in the first eight bytes, and the high two
 * bits are in the last four bytes. */
static int32_t scale_of_16(const uint8_t *bytes, uint32_t s) {
    uint32_t low = s < 8 ? bytes[s] & 15 : (uint32_t)bytes[s - 8] >> 4;
    return (int32_t)(low | ((uint32_t)bytes[8 + s % 4] >> s / 4 * 2 & 3) << 4) - 32;
}

/* Unpacks part `s` of the eight parts of a block of 256 values. */
static void unpack_k(nx_weights *w, const uint8_t *block, uint32_t type, uint32_t s) {
    uint32_t half = s / 4, shift = s % 4 * 2; /* half: one of two groups of 128 values that share bytes */
    switch (type) {
    case NX_Q2_K:
        for (uint32_t i = 0; i < 32; i++) w->number[i] = (int8_t)(block[16 + 32 * half + i] >> shift & 3);
        for (uint32_t h = 0; h < 2; h++) {
            w->scale[h] = nx_load_half(block + 80) * (float)(block[2 * s + h] & 15);
            w->offset[h] = -(nx_load_half(block + 82) * (float)(block[2 * s + h] >> 4));
        }
        return;
    case NX_Q3_K:
        for (uint32_t i = 0; i < 32; i++) w->number[i] = (int8_t)((block[32 + 32 * half + i] >> shift & 3) - (block[i] >> s & 1 ? 0 : 4));
        whole(w, 0, 0);
        for (uint32_t h = 0; h < 2; h++) w->scale[h] = nx_load_half(block + 108) * (float)scale_of_16(block + 96, 2 * s + h);
        return;
    case NX_Q6_K:
        for (uint32_t i = 0; i < 32; i++) {
            uint32_t low = block[64 * half + s % 2 * 32 + i] >> s % 4 / 2 * 4 & 15, high = block[128 + 32 * half + i] >> shift & 3;
            w->number[i] = (int8_t)((int32_t)(low | high << 4) - 32);
        }
        whole(w, 0, 0);
        for (uint32_t h = 0; h < 2; h++) w->scale[h] = nx_load_half(block + 208) * (float)(int8_t)block[192 + 2 * s + h];
        return;
    case NX_IQ4_XS: {
        uint32_t high = (uint32_t)(block[2] | block[3] << 8) >> 2 * s & 3, low = block[4 + s / 2] >> s % 2 * 4 & 15;
        levels(w->number, block + 8 + 16 * s, iq4_levels);
        whole(w, nx_load_half(block) * (float)((int32_t)(low | high << 4) - 32), 0);
        return;
    }
    default: { /* Q4_K, Q5_K */
        const uint8_t *pairs = block + (type == NX_Q5_K ? 48 : 16) + s / 2 * 32;
        for (uint32_t i = 0; i < 32; i++) {
            uint32_t more = type == NX_Q5_K ? (uint32_t)block[16 + i] >> s & 1 : 0;
            w->number[i] = (int8_t)((pairs[i] >> s % 2 * 4 & 15) | more << 4);
        }
        scale_of_32(w, block, s);
    }
    }
}

void nx_unpack(nx_weights *w, const uint8_t *row, uint32_t type, uint32_t b) {
    const nx_type *t = nx_type_of(type);
    if (NX_TEXTS && t->values == 256) {
        unpack_k(w, row + (size_t)(b / 8) * t->bytes, type, b % 8);
        return;
    }
    const uint8_t *block = row + (size_t)b * t->bytes;
    if (NX_TEXTS && type == NX_MXFP4) {
        levels(w->number, block + 1, fp4_levels);
        whole(w, half_of_power(block[0]), 0);
        return;
    }
    whole(w, nx_load_half(block), t->scales == 2 ? nx_load_half(block + 2) : 0);
    switch (type) {
    case NX_Q8_0:
        memcpy(w->number, block + 2, 32);
        return;
    case NX_Q4_0:
        nibbles(w->number, block + 2, 8);
        return;
    case NX_IQ4_NL:
        if (NX_TEXTS) levels(w->number, block + 2, iq4_levels);
        return;
    case NX_Q4_1:
        if (NX_TEXTS) nibbles(w->number, block + 4, 0);
        return;
    case NX_Q5_0:
        if (NX_TEXTS) nibbles(w->number, block + 6, 16), fifth(w, block + 2);
        return;
    default: /* Q5_1 */
        if (NX_TEXTS) nibbles(w->number, block + 8, 0), fifth(w, block + 4);
    }
}

void nx_dequantize(float *out, const uint8_t *weights, uint32_t type, uint32_t n) {
    if (type == NX_F32)
        memcpy(out, weights, (size_t)n * 4);
    else if (type == NX_F16)
        for (uint32_t i = 0; i < n; i++) out[i] = nx_load_half(weights + 2 * (size_t)i);
    else if (type == NX_BF16)
        for (uint32_t i = 0; i < n; i++) out[i] = nx_load_bf16(weights + 2 * (size_t)i);
    else
        for (uint32_t b = 0; b < n / 32; b++) {
            nx_weights w;
            nx_unpack(&w, weights, type, b);
            for (uint32_t i = 0; i < 32; i++) {
                float value = w.scale[i / 16] * (float)w.number[i], offset = w.offset[i / 16];
                *out++ = offset < 0 || offset > 0 ? value + offset : value;
            }
        }
}

void nx_embed(float *out, const nx_embedding *table, uint32_t row) {
    nx_dequantize(out, table->data + row * nx_row_bytes(table->type, table->cols), table->type, table->cols);
}

/* SPDX-License-Identifier: MIT
 *
 * The matrix product, where nearly all the time goes. See kernels.h.
 *
 * Layout. A lane is a row: a v128 of weights holds one column (F32) or four columns (Q8_0) of four rows, so no sum ever
 * crosses lanes and the activations are loaded as splats. A tile is 16 rows, four vectors, times one to four columns of
 * activations.
 *
 * F32:   [rows/16][cols][16] floats
 * Q8_0:  [rows/16][cols/32] blocks of { float scale[16]; int8 weight[8][4][16]; } where weight[g][v] holds, for the
 * rows 4v..4v+3 of the tile and the columns 4g..4g+3 of the block: r0c0 r0c1 r1c0 r1c1 r2c0 r2c1 r3c0 r3c1, then the
 * same for c2 and c3. Widened to 16 bits, each half meets a pair of activations, (x0 x1) or (x2 x3), in one
 * i32x4.dot_i16x8.
 */
#include <string.h>

#include "gguf.h"
#include "kernels.h"

#define TILE 16  /* rows */
#define BLOCK 32 /* columns that share a scale */

typedef struct {
    float scale[TILE];
    int8_t weight[BLOCK / 4][4][16];
} q8_block;

static uint32_t tiles(uint32_t rows) { return (rows + TILE - 1) / TILE; }

uint32_t nx_matrix_packed_type(uint32_t type) { return type == NX_Q8_0 || type == NX_Q4_0 ? NX_Q8_0 : NX_F32; }

uint64_t nx_matrix_bytes(uint32_t type, uint32_t rows, uint32_t cols) {
    uint64_t per_tile = nx_matrix_packed_type(type) == NX_Q8_0 ? (uint64_t)(cols / BLOCK) * sizeof(q8_block)
                                                               : (uint64_t)cols * TILE * sizeof(float);
    return tiles(rows) * per_tile;
}

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

static float load_half(const uint8_t *p) {
    uint16_t half;
    memcpy(&half, p, 2);
    return nx_half_to_float(half);
}

static uint32_t block_bytes(uint32_t type) { return type == NX_Q4_0 ? Q4_0_BYTES : Q8_0_BYTES; }

/* Value `i` of a block of the file, before it is scaled. */
static int8_t quantised(const uint8_t *block, uint32_t type, uint32_t i) {
    if (type == NX_Q8_0) return (int8_t)block[2 + i];
    uint8_t pair = block[2 + i % 16];
    return (int8_t)((i < 16 ? pair & 15 : pair >> 4) - 8);
}

void nx_dequantize(float *out, const uint8_t *weights, uint32_t type, uint32_t n) {
    if (type == NX_F32)
        memcpy(out, weights, (size_t)n * 4);
    else if (type == NX_F16)
        for (uint32_t i = 0; i < n; i++) out[i] = load_half(weights + 2 * (size_t)i);
    else
        for (uint32_t i = 0; i < n; i++) {
            const uint8_t *block = weights + (size_t)(i / BLOCK) * block_bytes(type);
            out[i] = load_half(block) * (float)quantised(block, type, i % BLOCK);
        }
}

static void pack_f32(float *packed, const uint8_t *weights, uint32_t type, uint32_t rows, uint32_t cols) {
    memset(packed, 0, nx_matrix_bytes(type, rows, cols));
    size_t size = type == NX_F16 ? 2 : 4;
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < cols; c++)
            nx_dequantize(packed + ((size_t)(r / TILE) * cols + c) * TILE + r % TILE,
                          weights + ((size_t)r * cols + c) * size, type, 1);
}

static void pack_q8(q8_block *packed, const uint8_t *weights, uint32_t type, uint32_t rows, uint32_t cols) {
    uint32_t blocks = cols / BLOCK;
    memset(packed, 0, nx_matrix_bytes(type, rows, cols));
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t b = 0; b < blocks; b++) {
            const uint8_t *from = weights + ((size_t)r * blocks + b) * block_bytes(type);
            q8_block *to = packed + (size_t)(r / TILE) * blocks + b;
            uint32_t t = r % TILE;
            to->scale[t] = load_half(from);
            for (uint32_t c = 0; c < BLOCK; c++)
                to->weight[c / 4][t / 4][(c % 4 / 2) * 8 + (t % 4) * 2 + c % 2] = quantised(from, type, c);
        }
}

void nx_matrix_pack(void *packed, const uint8_t *weights, uint32_t type, uint32_t rows, uint32_t cols) {
    if (nx_matrix_packed_type(type) == NX_Q8_0)
        pack_q8(packed, weights, type, rows, cols);
    else
        pack_f32(packed, weights, type, rows, cols);
}

/* One tile of 16 rows for n columns, n a constant after inlining. */
NX_INLINE void tile_f32(float *out, uint32_t out_stride, const float *w, const float *x, uint32_t x_stride,
                        uint32_t cols, uint32_t n) {
    v128_t sum[4][4];
    for (uint32_t j = 0; j < n; j++)
        for (int v = 0; v < 4; v++) sum[j][v] = wasm_f32x4_splat(0);
    for (uint32_t c = 0; c < cols; c++, w += TILE)
        for (uint32_t j = 0; j < n; j++) {
            v128_t xc = wasm_v128_load32_splat(x + (size_t)j * x_stride + c);
            for (int v = 0; v < 4; v++) sum[j][v] = f32x4_mul_add(wasm_v128_load(w + 4 * v), xc, sum[j][v]);
        }
    for (uint32_t j = 0; j < n; j++)
        for (int v = 0; v < 4; v++) wasm_v128_store(out + (size_t)j * out_stride + 4 * v, sum[j][v]);
}

static void matmul_f32(float *out, const nx_matrix *m, const float *x, uint32_t n) {
    uint32_t out_stride = nx_stride(m->rows), x_stride = nx_stride(m->cols);
    for (uint32_t t = 0; t < tiles(m->rows); t++) {
        const float *w = (const float *)m->packed + (size_t)t * m->cols * TILE;
        for (uint32_t j = 0; j < n; j += 4) {
            float *o = out + (size_t)j * out_stride + t * TILE;
            const float *xj = x + (size_t)j * x_stride;
            switch (n - j) {
            case 1:
                tile_f32(o, out_stride, w, xj, x_stride, m->cols, 1);
                break;
            case 2:
                tile_f32(o, out_stride, w, xj, x_stride, m->cols, 2);
                break;
            case 3:
                tile_f32(o, out_stride, w, xj, x_stride, m->cols, 3);
                break;
            default:
                tile_f32(o, out_stride, w, xj, x_stride, m->cols, 4);
            }
        }
    }
}

/* Activations rounded to 8 bits per block of 32, kept in 16 for the dot instruction. cols % 32 == 0. */
static void quantize(int16_t *q, float *scale, const float *x, uint32_t cols) {
    for (uint32_t b = 0; b < cols / BLOCK; b++, x += BLOCK, q += BLOCK) {
        /* Magnitudes are compared as integers, where not-a-number is the largest: it becomes the scale and so reaches
         * the output, for 8-bit integers cannot carry it. */
        v128_t largest = wasm_i32x4_splat(0);
        for (int i = 0; i < BLOCK; i += 4) largest = wasm_i32x4_max(largest, wasm_f32x4_abs(wasm_v128_load(x + i)));
        largest = wasm_i32x4_max(largest, wasm_i32x4_shuffle(largest, largest, 2, 3, 0, 1));
        largest = wasm_i32x4_max(largest, wasm_i32x4_shuffle(largest, largest, 1, 0, 3, 2));
        float top = wasm_f32x4_extract_lane(largest, 0);
        scale[b] = top / 127.0f;
        v128_t inverse = wasm_f32x4_splat(top > 0x1p-100f ? 127.0f / top : 0.0f);
        for (int i = 0; i < BLOCK; i += 8) {
            v128_t low = wasm_f32x4_nearest(wasm_f32x4_mul(wasm_v128_load(x + i), inverse));
            v128_t high = wasm_f32x4_nearest(wasm_f32x4_mul(wasm_v128_load(x + i + 4), inverse));
            wasm_v128_store(q + i,
                            wasm_i16x8_narrow_i32x4(wasm_i32x4_trunc_sat_f32x4(low), wasm_i32x4_trunc_sat_f32x4(high)));
        }
    }
}

NX_INLINE void tile_q8(float *out, uint32_t out_stride, const q8_block *w, const int16_t *q, const float *scale,
                       uint32_t cols, uint32_t n) {
    uint32_t blocks = cols / BLOCK;
    v128_t sum[4][4];
    for (uint32_t j = 0; j < n; j++)
        for (int v = 0; v < 4; v++) sum[j][v] = wasm_f32x4_splat(0);
    for (uint32_t b = 0; b < blocks; b++, w++) {
        v128_t dot[4][4];
        for (uint32_t j = 0; j < n; j++)
            for (int v = 0; v < 4; v++) dot[j][v] = wasm_i32x4_splat(0);
        for (int g = 0; g < BLOCK / 4; g++)
            for (int v = 0; v < 4; v++) {
                v128_t bytes = wasm_v128_load(w->weight[g][v]);
                v128_t first = wasm_i16x8_extend_low_i8x16(bytes), second = wasm_i16x8_extend_high_i8x16(bytes);
                for (uint32_t j = 0; j < n; j++) {
                    const int16_t *x = q + (size_t)j * cols + b * BLOCK + 4 * g;
                    v128_t a = wasm_i32x4_dot_i16x8(first, wasm_v128_load32_splat(x));
                    v128_t c = wasm_i32x4_dot_i16x8(second, wasm_v128_load32_splat(x + 2));
                    dot[j][v] = wasm_i32x4_add(dot[j][v], wasm_i32x4_add(a, c));
                }
            }
        for (uint32_t j = 0; j < n; j++) {
            v128_t xs = wasm_v128_load32_splat(scale + (size_t)j * blocks + b);
            for (int v = 0; v < 4; v++) {
                v128_t s = wasm_f32x4_mul(wasm_v128_load(w->scale + 4 * v), xs);
                sum[j][v] = f32x4_mul_add(wasm_f32x4_convert_i32x4(dot[j][v]), s, sum[j][v]);
            }
        }
    }
    for (uint32_t j = 0; j < n; j++)
        for (int v = 0; v < 4; v++) wasm_v128_store(out + (size_t)j * out_stride + 4 * v, sum[j][v]);
}

static void matmul_q8(float *out, const nx_matrix *m, const float *x, uint32_t n, void *scratch) {
    uint32_t out_stride = nx_stride(m->rows), x_stride = nx_stride(m->cols), blocks = m->cols / BLOCK;
    int16_t *q = scratch;
    float *scale = (float *)(q + (size_t)n * m->cols);
    for (uint32_t j = 0; j < n; j++)
        quantize(q + (size_t)j * m->cols, scale + (size_t)j * blocks, x + (size_t)j * x_stride, m->cols);
    for (uint32_t t = 0; t < tiles(m->rows); t++) {
        const q8_block *w = (const q8_block *)m->packed + (size_t)t * blocks;
        for (uint32_t j = 0; j < n; j += 4) {
            float *o = out + (size_t)j * out_stride + t * TILE;
            const int16_t *qj = q + (size_t)j * m->cols;
            const float *sj = scale + (size_t)j * blocks;
            switch (n - j) {
            case 1:
                tile_q8(o, out_stride, w, qj, sj, m->cols, 1);
                break;
            case 2:
                tile_q8(o, out_stride, w, qj, sj, m->cols, 2);
                break;
            case 3:
                tile_q8(o, out_stride, w, qj, sj, m->cols, 3);
                break;
            default:
                tile_q8(o, out_stride, w, qj, sj, m->cols, 4);
            }
        }
    }
}

uint64_t nx_matmul_scratch_bytes(uint32_t cols, uint32_t n) {
    return (uint64_t)n * (cols * sizeof(int16_t) + (cols / BLOCK + 1) * sizeof(float));
}

void nx_matmul(float *out, const nx_matrix *matrix, const float *x, uint32_t n, void *scratch) {
    if (matrix->type == NX_Q8_0)
        matmul_q8(out, matrix, x, n, scratch);
    else
        matmul_f32(out, matrix, x, n);
}

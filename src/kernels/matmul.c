/* SPDX-License-Identifier: MIT
 *
 * Computes matrix products, on which a model spends nearly all of its time. See kernels.h.
 *
 * Layout. Each lane computes one row. A v128 of weights holds four rows of one column (F32) or of four columns (quantised), and activations
 * are broadcast to all lanes. Sums therefore never cross lanes. A tile is 16 rows (four vectors) times one to four columns of activations.
 *
 * F32:   [rows/16][cols][16] floats; F16 and BF16 have the same layout with 16-bit numbers, which are widened when they are used.
 * Q8_0:  [rows/16] { float scale[16]; byte weight[cols/4][4][16]; } where weight[g][v] holds the quantised weights (dot.h)
 *        of the tile's rows 4v..4v+3 in the columns 4g..4g+3, row by row.
 * Q4_0:  [rows/16][cols/32] blocks of { float scale[16]; byte weight[4][4][16]; } where the low nibbles of
 *        weight[g][v] are the columns 4g..4g+3 of the block, and the high nibbles are the columns 4g+16..4g+19. Rows are as in Q8_0.
 *
 * In the file, weights of Q8_0 have 8 bits, and every 32 weights have a scale. In memory, these weights have 7 bits and one scale per row,
 * so the product with a row is a single sum of integers. This sum needs only dot products, which saves the most time if several columns
 * share the weights. Weights of Q4_0 are packed exactly. For the forms whose blocks keep their scales, see blocks.c.
 *
 * Bottlenecks (npm run bench -- --only products, V8 on an Intel Xeon with AVX-VNNI). One column, Q8_0: if the matrix stays in a cache, the
 * product is almost as fast as a loop of dot products alone. Memory bandwidth limits a whole decoder of 6 MB, because one byte is read for
 * each weight.
 * Several columns: a dot product takes half a cycle and its addition takes five cycles, so ten sums are needed to hide the latency. V8 has
 * 15 registers for vectors: twelve hold sums (six columns times two vectors of rows), two hold weights, and one holds activations. The loop
 * alone reaches 94 billion multiply-adds per second at 2.95 GHz, and a loop with eight sums reaches 73 billion. Sixteen columns are
 * therefore processed in groups of 6, 6 and 4. A whole product of 256 x 256 reaches only 73 billion, for two reasons. Rounding the
 * activations takes 7 % of the time (0.85 cycles per value). Initial values, scales, stores and the exit from the loop cost about 70 cycles
 * for every block of 8 rows and 6 columns.
 * Q4_0: 32 weights take one load, two masks and one shift in addition to two products. In each block, the scales of a vector of rows take
 * six instructions. If the weights are in a cache, one column reaches 0.6 of the throughput of Q8_0. The only gain of Q4_0 is therefore
 * that fewer bytes are read.
 */
#include <string.h>

#include "blocks.h"
#include "dot.h"
#include "formats.h"
#include "gguf.h"
#include "kernels.h"

#define TILE NX_TILE
#define BLOCK NX_BLOCK
#define GROUPS (BLOCK / 4)
#define EXACT 1024 /* an integer sum over this many columns always fits a lane and is exact in single precision (dot.h) */

typedef struct {
    float scale[TILE];
    uint8_t weight[GROUPS / 2][4][16];
} q4_block;

static uint32_t tiles(uint32_t rows) { return (rows + TILE - 1) / TILE; }

uint32_t nx_matrix_form(uint32_t type, uint32_t packing) {
    uint32_t form = nx_block_form(type);
    if (packing == NX_BY_ROW) {
        if (type == NX_F16) return NX_F32;
        if (type == NX_Q8_0 || type == NX_Q4_0) return type;
    }
    return form ? form : type;
}

static uint64_t tile_bytes(uint32_t form, uint32_t cols) {
    switch (form) {
    case NX_Q8_0:
        return TILE * (sizeof(float) + (uint64_t)cols);
    case NX_Q4_0:
        return cols / BLOCK * (uint64_t)sizeof(q4_block);
    case NX_F32:
        return cols * (uint64_t)TILE * sizeof(float);
    case NX_F16:
    case NX_BF16:
        return cols * (uint64_t)TILE * sizeof(uint16_t);
    default:
        return NX_TEXTS ? nx_blocks_tile_bytes(form, cols) : 0;
    }
}

uint64_t nx_matrix_bytes(uint32_t form, uint32_t rows, uint32_t cols) { return tiles(rows) * tile_bytes(form, cols); }

/* Packs row t of a tile of 32-bit or 16-bit numbers. If the tile has the form F32, F16 numbers of the file are converted. */
static void pack_numbers(uint8_t *tile, uint32_t t, const uint8_t *from, uint32_t form, uint32_t type, uint32_t cols) {
    for (uint32_t c = 0; c < cols; c++) {
        if (form == NX_F32 && type == NX_F16)
            ((float *)tile)[(size_t)c * TILE + t] = nx_load_half(from + 2 * (size_t)c);
        else if (form == NX_F32)
            memcpy((float *)tile + (size_t)c * TILE + t, from + 4 * (size_t)c, 4);
        else
            memcpy((uint16_t *)tile + (size_t)c * TILE + t, from + 2 * (size_t)c, 2);
    }
}

static int32_t largest_of_block(const uint8_t *block) {
    int32_t most = 0;
    for (uint32_t c = 0; c < BLOCK; c++) {
        int32_t q = (int8_t)block[2 + c];
        if (q < 0) q = -q;
        if (q > most) most = q;
    }
    return most;
}

/* Packs row t of a tile from a row of Q8_0, in steps of 1/63 of its largest weight. */
static void pack_q8_row(uint8_t *tile, uint32_t t, const uint8_t *from, uint32_t blocks) {
    float top = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        float scale = nx_load_half(from + b * Q8_0_BYTES), size = scale < 0 ? -scale : scale;
        float largest = size * (float)largest_of_block(from + b * Q8_0_BYTES);
        if (largest > top) top = largest;
    }
    ((float *)tile)[t] = top / NX_WEIGHT_MOST;
    v128_t per_unit = steps_per_unit(NX_WEIGHT_MOST, top);
    uint8_t *to = tile + TILE * sizeof(float) + t * 4;
    for (uint32_t b = 0; b < blocks; b++, from += Q8_0_BYTES)
        for (uint32_t c = 0; c < BLOCK; c++) {
            float weight = nx_load_half(from) * (float)(int8_t)from[2 + c];
            v128_t q = round_to_steps(wasm_f32x4_splat(weight), per_unit);
            to[(b * GROUPS + c / 4) * 4 * TILE + c % 4] = (uint8_t)(wasm_i32x4_extract_lane(q, 0) + NX_WEIGHT_ZERO);
        }
}

/* Packs row t from a block of Q4_0, whose byte j holds value j in its low nibble and value 16 + j in its high nibble. */
static void pack_q4_row(q4_block *to, uint32_t t, const uint8_t *from) {
    to->scale[t] = nx_load_half(from);
    for (uint32_t c = 0; c < BLOCK / 2; c++) to->weight[c / 4][t / 4][t % 4 * 4 + c % 4] = from[2 + c];
}

void nx_matrix_pack(const nx_matrix *m, void *packed, const uint8_t *weights, uint32_t type, uint32_t first, uint32_t count) {
    uint64_t step = tile_bytes(m->type, m->cols), row = nx_row_bytes(type, m->cols);
    if (first == 0) memset(packed, 0, tiles(m->rows) * step); /* padding rows have a scale of zero */
    for (uint32_t r = first; r < first + count; r++, weights += row) {
        uint8_t *tile = (uint8_t *)packed + r / TILE * step;
        if (!nx_matrix_rounds(m))
            pack_numbers(tile, r % TILE, weights, m->type, type, m->cols);
        else if (m->type == NX_Q8_0)
            pack_q8_row(tile, r % TILE, weights, m->cols / BLOCK);
        else if (m->type == NX_Q4_0)
            for (uint32_t b = 0; b < m->cols / BLOCK; b++) pack_q4_row((q4_block *)tile + b, r % TILE, weights + (size_t)b * Q4_0_BYTES);
        else if (NX_TEXTS)
            nx_blocks_pack_row(tile, r % TILE, weights, m->type, type, m->cols);
    }
}

nx_matrix nx_matrix_rows(const nx_matrix *m, uint32_t first, uint32_t count) {
    const uint8_t *packed = m->packed;
    return (nx_matrix){m->type, count, m->cols, packed ? packed + first / TILE * tile_bytes(m->type, m->cols) : NULL};
}

void nx_matrix_row(float *out, const nx_matrix *matrix, uint32_t row) {
    const uint8_t *tile = (const uint8_t *)matrix->packed + row / TILE * tile_bytes(matrix->type, matrix->cols);
    uint32_t t = row % TILE;
    const float *scale = (const float *)tile;
    const uint16_t *halves = (const uint16_t *)tile;
    const uint8_t *q8 = tile + TILE * sizeof(float) + t * 4;
    if (NX_TEXTS && matrix->type >= NX_BLOCKS_8) {
        nx_blocks_row(out, tile, t, matrix->type, matrix->cols);
        return;
    }
    for (uint32_t c = 0; c < matrix->cols; c++) {
        if (matrix->type == NX_F32) {
            out[c] = scale[(size_t)c * TILE + t];
        } else if (matrix->type == NX_F16) {
            out[c] = nx_half_to_float(halves[(size_t)c * TILE + t]);
        } else if (matrix->type == NX_BF16) {
            out[c] = nx_load_bf16((const uint8_t *)(halves + (size_t)c * TILE + t));
        } else if (matrix->type == NX_Q8_0) {
            out[c] = scale[t] * (float)((int32_t)q8[(size_t)(c / 4) * 4 * TILE + c % 4] - NX_WEIGHT_ZERO);
        } else {
            const q4_block *b = (const q4_block *)tile + c / BLOCK;
            uint32_t at = c % (BLOCK / 2), pair = b->weight[at / 4][t / 4][t % 4 * 4 + at % 4];
            out[c] = b->scale[t] * (float)((int32_t)(c % BLOCK < BLOCK / 2 ? pair & 15 : pair >> 4) - 8);
        }
    }
}

/* ---- the product of one tile with n columns: n is a constant after inlining, so the sums stay in registers ---- */

typedef struct {
    float *out; /* shape (n, out_stride) */
    const float *bias;
    uint32_t out_stride, cols;
    const float *x; /* shape (n, x_stride) */
    uint32_t x_stride;
    const nx_activations *activations; /* shape (n, cols / 4) */
    const float *scale;                /* shape (n) */
    const int32_t *sum;                /* shape (n, sums_of(cols)): sums of the activations: one per block, then one per EXACT columns */
} tile_work;

static uint32_t sums_of(uint32_t cols) { return cols / BLOCK + (cols + EXACT - 1) / EXACT; }

NX_INLINE void store_tile(const tile_work *w, v128_t sum[4][4], uint32_t n) {
    for (uint32_t j = 0; j < n; j++)
        for (int v = 0; v < 4; v++) wasm_v128_store(w->out + (size_t)j * w->out_stride + 4 * v, sum[j][v]);
}

NX_INLINE void zero(v128_t sum[4][4], uint32_t n) {
    for (uint32_t j = 0; j < n; j++)
        for (int v = 0; v < 4; v++) sum[j][v] = wasm_f32x4_splat(0);
}

NX_INLINE v128_t load_bias(const tile_work *w, int v) { return wasm_v128_load(w->bias + 4 * v); }

NX_INLINE void tile_f32(const tile_work *w, const float *weights, uint32_t n) {
    v128_t sum[4][4];
    for (uint32_t j = 0; j < n; j++)
        for (int v = 0; v < 4; v++) sum[j][v] = load_bias(w, v);
    for (uint32_t c = 0; c < w->cols; c++, weights += TILE)
        for (uint32_t j = 0; j < n; j++) {
            v128_t xc = wasm_v128_load32_splat(w->x + (size_t)j * w->x_stride + c);
            for (int v = 0; v < 4; v++) sum[j][v] = f32x4_mul_add(wasm_v128_load(weights + 4 * v), xc, sum[j][v]);
        }
    store_tile(w, sum, n);
}

/* Multiplies a tile of 16-bit weights. */
NX_INLINE void tile_16(const tile_work *w, const uint16_t *weights, uint32_t type, uint32_t n) {
    v128_t sum[4][4];
    for (uint32_t j = 0; j < n; j++)
        for (int v = 0; v < 4; v++) sum[j][v] = load_bias(w, v);
    for (uint32_t c = 0; c < w->cols; c++, weights += TILE) {
        v128_t wide[4];
        for (int v = 0; v < 4; v++)
            wide[v] = type == NX_F16 ? load_halves(weights + 4 * v) : wasm_i32x4_shl(wasm_u32x4_load16x4(weights + 4 * v), 16);
        for (uint32_t j = 0; j < n; j++) {
            v128_t xc = wasm_v128_load32_splat(w->x + (size_t)j * w->x_stride + c);
            for (int v = 0; v < 4; v++) sum[j][v] = f32x4_mul_add(wide[v], xc, sum[j][v]);
        }
    }
    store_tile(w, sum, n);
}

/* A product with n columns has 4 n vectors of sums, and each addition to a vector waits for the previous addition. With one column, four
 * vectors are too few to hide the latency, so the product keeps two sets of sums. The sums are integers, so their order does not matter.
 */
NX_INLINE uint32_t parts(uint32_t n) { return n == 1 ? 2 : 1; }

typedef struct {
    v128_t of[2][4][4];
} product_sums;

/* Sets the starting sums. total: for each column, the sum of its activations. */
NX_INLINE void start_sums(product_sums *product, uint32_t zero, const int32_t *total, uint32_t n) {
    for (uint32_t j = 0; j < n; j++)
        for (int v = 0; v < 4; v++) {
            product->of[0][j][v] = dot_start(zero, total[j]);
            product->of[1][j][v] = dot_start(0, 0);
        }
}

NX_INLINE v128_t product_value(const product_sums *product, uint32_t j, int v, uint32_t n) {
    v128_t sum = product->of[0][j][v];
    return wasm_f32x4_convert_i32x4(dot_value(parts(n) == 2 ? wasm_i32x4_add(sum, product->of[1][j][v]) : sum));
}

/* Adds the products of groups g and g + GROUPS / 2 of a block to the sums. */
NX_INLINE void add_q4_groups(product_sums *product, const q4_block *block, const nx_activations *activations, uint32_t activations_stride,
                             uint32_t g, uint32_t n) {
    v128_t nibble = wasm_i8x16_splat(15);
    for (int v = 0; v < 4; v++) {
        v128_t pairs = wasm_v128_load(block->weight[g][v]);
        v128_t low = wasm_v128_and(pairs, nibble), high = wasm_v128_and(wasm_u16x8_shr(pairs, 4), nibble);
        for (uint32_t j = 0; j < n; j++) {
            v128_t *first = &product->of[0][j][v], *last = &product->of[parts(n) - 1][j][v];
            const nx_activations *at = activations + (size_t)j * activations_stride + g;
            *first = dot(*first, low, at);
            *last = dot(*last, high, at + GROUPS / 2);
        }
    }
}

/* The loop is unrolled for one column, because otherwise each iteration would move sums between registers and memory. For several columns,
 * the unrolled code would be too long to be faster. */
NX_INLINE void add_q4(product_sums *product, const q4_block *block, const nx_activations *activations, uint32_t activations_stride,
                      uint32_t n) {
    if (n == 1) {
        for (uint32_t g = 0; g < GROUPS / 2; g++) add_q4_groups(product, block, activations, activations_stride, g, n);
    } else {
        NX_ROLLED
        for (uint32_t g = 0; g < GROUPS / 2; g++) add_q4_groups(product, block, activations, activations_stride, g, n);
    }
}

/* Adds one block of 32 columns: sum[j][v] += integer product * scale of the row. */
NX_INLINE void add_q4_block(const tile_work *w, v128_t sum[4][4], uint32_t b, const q4_block *block, uint32_t n) {
    uint32_t blocks = w->cols / BLOCK;
    const nx_activations *activations = w->activations + (size_t)b * GROUPS;
    int32_t total[4];
    for (uint32_t j = 0; j < n; j++) total[j] = w->sum[(size_t)j * sums_of(w->cols) + b];
    product_sums product;
    start_sums(&product, 8, total, n);
    add_q4(&product, block, activations, blocks * GROUPS, n);
    for (int v = 0; v < 4; v++) {
        v128_t row = wasm_v128_load(block->scale + 4 * v);
        for (uint32_t j = 0; j < n; j++) sum[j][v] = f32x4_mul_add(product_value(&product, j, v, n), row, sum[j][v]);
    }
}

/* Computes out = sum * scale + bias, where each column has its own scale. */
NX_INLINE void finish_tile(const tile_work *w, v128_t sum[4][4], uint32_t n) {
    for (uint32_t j = 0; j < n; j++)
        for (int v = 0; v < 4; v++) sum[j][v] = f32x4_mul_add(sum[j][v], wasm_v128_load32_splat(w->scale + j), load_bias(w, v));
    store_tile(w, sum, n);
}

NX_INLINE void tile_q4(const tile_work *w, const q4_block *weights, uint32_t n) {
    v128_t sum[4][4];
    zero(sum, n);
    for (uint32_t b = 0; b < w->cols / BLOCK; b++) add_q4_block(w, sum, b, weights + b, n);
    finish_tile(w, sum, n);
}

/* Returns how many of the four vectors of a Q8_0 tile are processed together for n columns. A vector holds four rows. For three or four
 * columns, the result is 2, so that the sums fit in the registers. For Q4_0, all four vectors are processed together, because a tile's
 * weights are unpacked once for all columns. */
NX_INLINE int vectors(uint32_t n) { return n > 2 ? 2 : 4; }

/* Computes partial products of vectors(n) vectors of a tile, beginning with vector `at`. The sums are over the weights' columns `from` to
 * `to` - 1, at most EXACT columns. The loop loads the weights of a group, then the activations of one column at a time. With more live
 * values than registers, V8 would spill the sums. For a single column, each iteration processes four groups. */
NX_INLINE void product_q8(product_sums *product, const tile_work *w, const uint8_t *weight, uint32_t from, uint32_t to, int at,
                          uint32_t n) {
    uint32_t groups = w->cols / 4, turns = n == 1 ? 4 : 1;
    int32_t total[4];
    const nx_activations *activations[4];
    for (uint32_t j = 0; j < n; j++) {
        total[j] = w->sum[(size_t)j * sums_of(w->cols) + w->cols / BLOCK + from / EXACT];
        activations[j] = w->activations + (size_t)j * groups + from / 4;
    }
    start_sums(product, NX_WEIGHT_ZERO, total, n);
    weight += (size_t)from * TILE + 16 * (size_t)at;
    NX_ROLLED
    for (uint32_t c = from; c < to; c += 4 * turns, weight += 4 * TILE * turns) {
        for (uint32_t turn = 0; turn < turns; turn++) {
            v128_t weights[4];
            for (int v = 0; v < vectors(n); v++) weights[v] = wasm_v128_load(weight + 4 * TILE * turn + 16 * v);
            for (uint32_t j = 0; j < n; j++)
                for (int v = 0; v < vectors(n); v++) {
                    v128_t *part = &product->of[turn % parts(n)][j][v];
                    *part = dot(*part, weights[v], activations[j] + turn);
                }
        }
        for (uint32_t j = 0; j < n; j++) activations[j] += turns;
    }
}

/* Sums over more than EXACT columns are kept in `out`. In variables, they would take registers from the loop of product_q8. */
NX_INLINE void tile_q8(const tile_work *w, const float *weights, uint32_t n) {
    const uint8_t *weight = (const uint8_t *)(weights + TILE);
    NX_ROLLED
    for (int at = 0; at < 4; at += vectors(n)) {
        NX_ROLLED
        for (uint32_t from = 0, to; from < w->cols; from = to) {
            product_sums product;
            to = w->cols - from < EXACT ? w->cols : from + EXACT;
            product_q8(&product, w, weight, from, to, at, n);
            for (int v = 0; v < vectors(n); v++) {
                v128_t row = wasm_v128_load(weights + 4 * (at + v)), bias = load_bias(w, at + v);
                for (uint32_t j = 0; j < n; j++) {
                    float *out = w->out + (size_t)j * w->out_stride + 4 * (at + v);
                    v128_t sum = product_value(&product, j, v, n);
                    if (from) sum = wasm_f32x4_add(wasm_v128_load(out), sum);
                    if (to == w->cols) sum = f32x4_mul_add(wasm_f32x4_mul(sum, row), wasm_v128_load32_splat(w->scale + j), bias);
                    wasm_v128_store(out, sum);
                }
            }
        }
    }
}

/* Multiplies two tiles by one column of at most EXACT values. The results are bit-identical to those of tile_q8. The two tiles share the
 * loads of the activations and the fixed cost of a short row. */
NX_INLINE void two_tiles_q8(const tile_work *w, const uint8_t *weights, const uint8_t *others) {
    v128_t sum[2][4];
    for (int k = 0; k < 2; k++)
        for (int v = 0; v < 4; v++) sum[k][v] = dot_start(NX_WEIGHT_ZERO, w->sum[w->cols / BLOCK]);
    const uint8_t *of[2] = {weights + TILE * sizeof(float), others + TILE * sizeof(float)};
    const nx_activations *activations = w->activations;
    NX_ROLLED
    for (uint32_t c = 0; c < w->cols; c += 8, activations += 2, of[0] += 8 * TILE, of[1] += 8 * TILE)
        for (int turn = 0; turn < 2; turn++)
            for (int k = 0; k < 2; k++)
                for (int v = 0; v < 4; v++)
                    sum[k][v] = dot(sum[k][v], wasm_v128_load(of[k] + 4 * TILE * turn + 16 * v), activations + turn);
    for (int k = 0; k < 2; k++)
        for (int v = 0; v < 4; v++) {
            v128_t row = wasm_v128_load((k ? others : weights) + 16 * v);
            v128_t bias = load_bias(w, 4 * k + v);
            v128_t value = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(dot_value(sum[k][v])), row);
            wasm_v128_store(w->out + TILE * k + 4 * v, f32x4_mul_add(value, wasm_v128_load32_splat(w->scale), bias));
        }
}

/* Multiplies six columns, two vectors of rows at a time. Because this function is not inlined, V8 has registers for all values in the
 * loop. */
static NX_NOINLINE void six_q8(const tile_work *work, const float *scales) {
    tile_work copy = *work, *w = &copy; /* without this copy, each store makes clang load the fields again */
    NX_ROLLED
    for (int at = 0; at < 4; at += 2, scales += 8) { /* two vectors of rows take 32 bytes, both in the scales and in the weights */
        const nx_activations *activations[6];
        v128_t sum[6][2];
        for (uint32_t j = 0; j < 6; j++) {
            activations[j] = w->activations + (size_t)j * (w->cols / 4);
            v128_t start = dot_start(NX_WEIGHT_ZERO, w->sum[(size_t)j * sums_of(w->cols) + w->cols / BLOCK]);
            for (int v = 0; v < 2; v++) sum[j][v] = start;
        }
        const uint8_t *weight = (const uint8_t *)(scales + TILE), *end = weight + (size_t)w->cols * TILE;
        NX_SEPARATE(weight);
        NX_SEPARATE(end);
        for (uint32_t j = 0; j < 6; j++) NX_SEPARATE(activations[j]);
        NX_ROLLED
        for (; weight < end; weight += 4 * TILE) {
            v128_t weights[2];
            for (int v = 0; v < 2; v++) weights[v] = wasm_v128_load(weight + 16 * v);
            for (uint32_t j = 0; j < 6; j++)
                for (int v = 0; v < 2; v++) sum[j][v] = dot(sum[j][v], weights[v], activations[j]);
            for (uint32_t j = 0; j < 6; j++) activations[j]++;
        }
        NX_UNROLLED
        for (int v = 0; v < 2; v++) {
            v128_t row = wasm_v128_load(scales + 4 * v), bias = load_bias(w, at + v);
            for (uint32_t j = 0; j < 6; j++) {
                v128_t value = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(dot_value(sum[j][v])), row);
                value = f32x4_mul_add(value, wasm_v128_load32_splat(w->scale + j), bias);
                wasm_v128_store(w->out + (size_t)j * w->out_stride + 4 * (at + v), value);
            }
        }
    }
}

NX_INLINE void tile(const tile_work *w, const void *weights, uint32_t type, uint32_t n) {
    if (type == NX_F32)
        tile_f32(w, weights, n);
    else if (type == NX_F16 || type == NX_BF16)
        tile_16(w, weights, type, n);
    else if (type == NX_Q8_0)
        tile_q8(w, weights, n);
    else
        tile_q4(w, weights, n);
}

/* The scratch memory of an input holds the activations of all columns, then their sums (tile_work), then their scales. activations_in and
 * sums_in return the addresses of the activations and of the sums. */
static const nx_activations *activations_in(const nx_input *input) { return input->scratch; }
static const int32_t *sums_in(const nx_input *input, uint32_t blocks) {
    return (const int32_t *)(activations_in(input) + (size_t)input->n * blocks * GROUPS);
}

static const float no_bias[2 * TILE];

/* Inlined, so that `type` is a compile-time constant. Each call of `tile` passes a constant number of columns. */
NX_INLINE void matmul(float *out, const nx_matrix *m, const float *bias, const nx_input *input, uint32_t type) {
    uint32_t out_stride = nx_stride(m->rows), x_stride = nx_stride(m->cols), blocks = m->cols / BLOCK;
    uint64_t step = tile_bytes(type, m->cols);
    int short_q8 = NX_TEXTS && type == NX_Q8_0 && m->cols <= EXACT; /* the build without language models omits this path, to save bytes */
    int twos = short_q8 && input->n == 1, sixes = short_q8 && NX_ONE_DOT;
    for (uint32_t t = 0; t < tiles(m->rows); t++) {
        const uint8_t *weights = (const uint8_t *)m->packed + t * step;
        for (uint32_t j = 0, n; j < input->n; j += n) {
            n = sixes && input->n - j >= 6 ? 6 : 4;
            tile_work w = {.out = out + (size_t)j * out_stride + t * TILE,
                           .bias = bias ? bias + t * TILE : no_bias,
                           .out_stride = out_stride,
                           .cols = m->cols,
                           .x = input->x + (size_t)j * x_stride,
                           .x_stride = x_stride};
            if (type == NX_Q8_0 || type == NX_Q4_0) {
                const int32_t *sums = sums_in(input, blocks);
                w.activations = activations_in(input) + (size_t)j * blocks * GROUPS;
                w.scale = (const float *)(sums + (size_t)input->n * sums_of(m->cols)) + j;
                w.sum = sums + (size_t)j * sums_of(m->cols);
            }
            if (twos && t + 1 < tiles(m->rows)) {
                two_tiles_q8(&w, weights, weights + step);
                t++;
                break;
            }
            if (n == 6) {
                six_q8(&w, (const float *)weights);
                continue;
            }
            switch (input->n - j) {
            case 1:
                tile(&w, weights, type, 1);
                break;
            case 2:
                tile(&w, weights, type, 2);
                break;
            case 3:
                tile(&w, weights, type, 3);
                break;
            default:
                tile(&w, weights, type, 4);
            }
        }
    }
}

uint64_t nx_input_bytes(uint32_t cols, uint32_t n) {
    uint64_t blocks = (uint64_t)n * (cols / BLOCK),
             by_row = blocks * GROUPS * sizeof(nx_activations) + n * (sums_of(cols) * (uint64_t)sizeof(int32_t) + sizeof(float));
    uint64_t by_block = NX_TEXTS ? nx_blocks_input_bytes(cols, n) : 0;
    return by_row > by_block ? by_row : by_block;
}

nx_input nx_input_of(const float *x, uint32_t n, void *scratch) { return (nx_input){x, n, NX_NOT_ROUNDED, scratch}; }

/* Rounds each column to integers, and stores the integers (the activations), their sums, and the scale of the column. */
static void round_by_row(nx_input *input, uint32_t cols) {
    uint32_t blocks = cols / BLOCK;
    nx_activations *activations = input->scratch;
    int32_t *sum = (int32_t *)(activations + (size_t)input->n * blocks * GROUPS);
    float *scale = (float *)(sum + (size_t)input->n * sums_of(cols));
    for (uint32_t j = 0; j < input->n; j++, sum += sums_of(cols)) {
        const float *x = input->x + (size_t)j * nx_stride(cols);
        float top = largest_magnitude(x, cols);
        scale[j] = top / NX_ACTIVATION_MOST;
        for (uint32_t b = 0; b < blocks; b++, x += BLOCK, activations += GROUPS) {
            int32_t *all = sum + blocks + b / (EXACT / BLOCK);
            sum[b] = activations_of(activations, x, BLOCK, steps_per_unit(NX_ACTIVATION_MOST, top));
            *all = (int32_t)((b % (EXACT / BLOCK) ? (uint32_t)*all : 0) + (uint32_t)sum[b]); /* modulo 2^32: see dot.h */
        }
    }
    input->rounded = NX_ROUNDED_BY_ROW;
}

void nx_matmul(float *out, const nx_matrix *matrix, const float *bias, nx_input *input) {
    switch (matrix->type) {
    case NX_F32:
        matmul(out, matrix, bias, input, NX_F32);
        return;
    case NX_F16:
        if (NX_TEXTS) matmul(out, matrix, bias, input, NX_F16);
        return;
    case NX_BF16:
        if (NX_TEXTS) matmul(out, matrix, bias, input, NX_BF16);
        return;
    case NX_Q8_0:
    case NX_Q4_0:
        if (input->rounded != NX_ROUNDED_BY_ROW) round_by_row(input, matrix->cols);
        if (matrix->type == NX_Q8_0)
            matmul(out, matrix, bias, input, NX_Q8_0);
        else
            matmul(out, matrix, bias, input, NX_Q4_0);
        return;
    default:
        if (NX_TEXTS) nx_blocks_matmul(out, matrix, bias, input);
    }
}

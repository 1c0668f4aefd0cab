/* SPDX-License-Identifier: MIT
 *
 * Matrix products for language models: every 32 or 16 weights of a row have their own scale, as in the file. See kernels.h and, for
 * quantised weights and activations, dot.h. A lane holds one row; a tile is 16 rows.
 *
 * 4 and 6 bits: [rows/16][cols/32] blocks of
 *   half scale[1 or 2][16], half offset[1 or 2][16] (in some forms), byte nibbles[4][4][16] or sixes[2][4][3][16]
 * The halves of nibbles[g][v] are the groups g and g + 4 of four columns of the rows 4v..4v+3. The low six bits of sixes[h][v][i] are the
 * group 4h + i. The two bits above are bits 2i and 2i + 1 of the group 4h + 3. Numbers are stored with an added constant. The constant is
 * the zero of the numbers (4 bits: 8, 6 bits: 32) if the form has no offsets; otherwise it is 0, except for Q3_K in blocks of 24 bytes,
 * which have offsets and the constant 4. The stored
 * numbers are multiplied by 8-bit activations, with a scale for every 32 numbers of a column.
 *
 * 8 bits: [rows/16] { float constant[16]; [cols/32] blocks of { half scale[16]; int8 weight[8][4][16]; } }
 * Signed weights use both signs of a byte, so activations must be 0..127 for an exact dot product everywhere. The activations are therefore
 * rounded to 14 bits with one scale per column, x = step (u - 8192), and u is split into two planes of seven bits. Rounding to 14 bits
 * changes a product by less than sqrt(cols) / 28,000 times the column's length, even with outliers. The added 8192 contributes a constant,
 * the sum of scale * weight over the row, times 8192.
 *
 * Bottleneck. V8 allocates 15 vector registers and keeps clang's loops unchanged. Sums that do not fit are spilled to memory at each
 * product, and a shift by a loop counter costs three more instructions. Four columns are therefore computed for two vectors of rows (8
 * bits) or for one vector at a time, and the shifts that unpack weights are constants. For 16 weights, 8 bits then cost a load and two
 * products; 4 bits cost half a load, a mask, half a shift and a product; 6 bits cost 3/4 of a load, 11/4 instructions to unpack, and a
 * product. Each scale of a vector of rows costs seven instructions, and 6 bits with two scales need one for every 16 columns. If the
 * weights do not fit in the caches, memory bandwidth is the limit, and one column of 8 bits nearly reaches it.
 */
#include "blocks.h"

#include <string.h>

#include "formats.h"
#include "gguf.h"
#include "threads.h"
#include "wide.h"

#define TILE NX_TILE
#define BLOCK NX_BLOCK
#define GROUPS (BLOCK / 4)

_Static_assert(GROUPS <= NX_PAIRS_MOST, "a block's sums of pairs fit");

/* ---- forms: constants after inlining ----------------------------------------------------------------------------------- */

NX_INLINE uint32_t scales_of(uint32_t form) { return form == NX_BLOCKS_4_HALVES || form == NX_BLOCKS_6_HALVES ? 2 : 1; }
NX_INLINE uint32_t offsets_of(uint32_t form) {
    return form == NX_BLOCKS_4_HALVES ? 2 : form == NX_BLOCKS_4_OFFSET || form == NX_BLOCKS_6_OFFSET ? 1 : 0;
}
NX_INLINE uint32_t six_bits(uint32_t form) { return form == NX_BLOCKS_6_OFFSET || form == NX_BLOCKS_6_HALVES; }

/* Returns the constant that is added to the numbers of a form before they are stored. Forms that store their own offsets include this
 * constant in them. */
NX_INLINE uint32_t zero_of(uint32_t form) { return form == NX_BLOCKS_4 ? 8 : form == NX_BLOCKS_6_HALVES ? 32 : 0; }

NX_INLINE uint32_t low_at(uint32_t form) { return 2 * TILE * (scales_of(form) + offsets_of(form)); }

NX_INLINE uint32_t block_bytes(uint32_t form) {
    if (form == NX_BLOCKS_8) return 2 * TILE + TILE * BLOCK;
    return low_at(form) + TILE * BLOCK / 2 + (six_bits(form) ? TILE * BLOCK / 4 : 0);
}

static uint32_t tile_head(uint32_t form) { return form == NX_BLOCKS_8 ? TILE * sizeof(float) : 0; }

uint64_t nx_blocks_tile_bytes(uint32_t form, uint32_t cols) { return tile_head(form) + (uint64_t)(cols / BLOCK) * block_bytes(form); }

uint32_t nx_block_form(uint32_t type) { return nx_type_of(type)->form; }

/* ---- packing ----------------------------------------------------------------------------------------------------------- */

/* Sets number `c` of row t. */
static void store_number(uint8_t *block, uint32_t t, uint32_t c, uint32_t number, uint32_t form) {
    uint32_t v = t / 4, g = c / 4;
    uint8_t *to = block + low_at(form) + t % 4 * 4 + c % 4;
    if (form == NX_BLOCKS_8)
        to[(g * 4 + v) * 16] = (uint8_t)number;
    else if (!six_bits(form))
        to[(g % 4 * 4 + v) * 16] |= (uint8_t)(number << g / 4 * 4);
    else
        for (uint32_t i = 0, three = (g / 4 * 4 + v) * 3; i < 3; i++)
            to[(three + i) * 16] |= (uint8_t)(g % 4 == i ? number : g % 4 == 3 ? number >> 2 * i << 6 : 0);
}

static uint32_t stored_number(const uint8_t *block, uint32_t t, uint32_t c, uint32_t form) {
    uint32_t v = t / 4, g = c / 4;
    const uint8_t *at = block + low_at(form) + t % 4 * 4 + c % 4;
    if (form == NX_BLOCKS_8) return at[(g * 4 + v) * 16];
    if (!six_bits(form)) return at[(g % 4 * 4 + v) * 16] >> g / 4 * 4 & 15;
    at += (g / 4 * 4 + v) * 3 * 16;
    return g % 4 < 3 ? at[g % 4 * 16] & 63 : (uint32_t)(at[0] >> 6 | at[16] >> 6 << 2 | at[32] >> 6 << 4);
}

/* Returns the address of half-precision number `index` of row t: scales come first, then offsets. */
static uint16_t *half_at(const uint8_t *block, uint32_t index, uint32_t t) { return (uint16_t *)block + index * TILE + t; }

/* Packs a row of Q8_0 or Q4_0 with unchanged values: a half-precision scale, then four columns (or pairs of columns) at a time. */
static void pack_as_it_stands(uint8_t *tile, uint32_t t, const uint8_t *weights, uint32_t form, uint32_t cols) {
    uint8_t *block = tile + tile_head(form);
    uint32_t groups = form == NX_BLOCKS_8 ? GROUPS : GROUPS / 2;
    float constant = 0;
    for (uint32_t b = 0; b < cols / BLOCK; b++, block += block_bytes(form), weights += 2 + 4 * groups) {
        v128_t sum = wasm_i32x4_splat(0);
        memcpy(half_at(block, 0, t), weights, 2);
        for (uint32_t g = 0; g < groups; g++) {
            uint8_t *to = block + low_at(form) + (g * 4 + t / 4) * 16 + t % 4 * 4;
            memcpy(to, weights + 2 + 4 * g, 4);
            sum = wasm_i32x4_add(sum, wasm_i32x4_extend_low_i16x8(wasm_i16x8_extend_low_i8x16(wasm_v128_load32_zero(to))));
        }
        constant += nx_half_to_float(*half_at(block, 0, t)) * (float)i32x4_sum(sum);
    }
    if (form == NX_BLOCKS_8) ((float *)tile)[t] = constant;
}

void nx_blocks_pack_row(uint8_t *tile, uint32_t t, const uint8_t *weights, uint32_t form, uint32_t type, uint32_t cols) {
    if (type == NX_Q8_0 || type == NX_Q4_0) {
        pack_as_it_stands(tile, t, weights, form, cols);
        return;
    }
    uint8_t *block = tile + tile_head(form);
    float constant = 0;
    int32_t zero = type == NX_Q3_K ? 4 : (int32_t)zero_of(form);
    for (uint32_t b = 0; b < cols / BLOCK; b++, block += block_bytes(form)) {
        nx_weights w;
        nx_unpack(&w, weights, type, b);
        for (uint32_t i = 0; i < scales_of(form); i++) *half_at(block, i, t) = nx_float_to_half(w.scale[i]);
        for (uint32_t i = 0; i < offsets_of(form); i++) {
            float scale = nx_half_to_float(*half_at(block, i, t)), offset = type == NX_Q3_K ? -4 * scale : w.offset[i];
            *half_at(block, scales_of(form) + i, t) = nx_float_to_half(offset);
        }
        int32_t sum = 0;
        for (uint32_t c = 0; c < BLOCK; c++) {
            store_number(block, t, c, (uint32_t)(w.number[c] + zero) & 0xff, form);
            sum += w.number[c];
        }
        constant += nx_half_to_float(*half_at(block, 0, t)) * (float)sum;
    }
    if (form == NX_BLOCKS_8) ((float *)tile)[t] = constant;
}

void nx_blocks_row(float *out, const uint8_t *tile, uint32_t t, uint32_t form, uint32_t cols) {
    const uint8_t *block = tile + tile_head(form);
    for (uint32_t c = 0; c < cols; c++) {
        uint32_t half = c % BLOCK / (BLOCK / 2), number = stored_number(block, t, c % BLOCK, form);
        float scale = nx_half_to_float(*half_at(block, scales_of(form) == 2 ? half : 0, t));
        out[c] = scale * (form == NX_BLOCKS_8 ? (float)(int8_t)number : (float)((int32_t)number - (int32_t)zero_of(form)));
        if (offsets_of(form)) out[c] += nx_half_to_float(*half_at(block, scales_of(form) + (offsets_of(form) == 2 ? half : 0), t));
        if (c % BLOCK == BLOCK - 1) block += block_bytes(form);
    }
}

/* ---- inputs ------------------------------------------------------------------------------------------------------------ */

typedef struct {
    const void *activations; /* (n, cols / 4) wide or nx_activations */
    const float *scale;      /* (n) or (n, cols / 32) */
    const int32_t *sum;      /* (n, cols / 32, 2) sums of the activations of each half of a block */
} rounded;

uint64_t nx_blocks_input_bytes(uint32_t cols, uint32_t n) {
    uint64_t blocks = (uint64_t)n * (cols / BLOCK),
             activations = GROUPS * (sizeof(nx_wide) > sizeof(nx_activations) ? sizeof(nx_wide) : sizeof(nx_activations));
    return blocks * (activations + 2 * sizeof(int32_t) + sizeof(float)) + n * sizeof(float);
}

/* Rounds to 14 bits, with one step per column. */
static rounded round_wide(nx_input *input, uint32_t cols) {
    nx_wide *to = input->scratch;
    float *scale = (float *)(to + (size_t)input->n * (cols / 4));
    rounded r = {to, scale, NULL};
    if (input->rounded == NX_ROUNDED_WIDE) return r;
    input->rounded = NX_ROUNDED_WIDE;
    v128_t zero = wasm_i32x4_splat(NX_WIDE_ZERO), most = wasm_i32x4_splat(2 * NX_WIDE_ZERO - 1);
    for (uint32_t j = 0; j < input->n; j++) {
        const float *x = input->x + (size_t)j * nx_stride(cols);
        float top = largest_magnitude(x, cols);
        v128_t per_unit = steps_per_unit(NX_WIDE_MOST, top);
        scale[j] = top / NX_WIDE_MOST;
        for (uint32_t c = 0; c < cols; c += 4)
            wide_store(to++, wasm_v128_and(wasm_i32x4_add(round_to_steps(wasm_v128_load(x + c), per_unit), zero), most));
    }
    return r;
}

/* Rounds to 8 bits, with one step per block. */
static rounded round_by_block(nx_input *input, uint32_t cols) {
    uint32_t blocks = input->n * (cols / BLOCK);
    nx_activations *activations = input->scratch;
    int32_t *sum = (int32_t *)(activations + (size_t)blocks * GROUPS);
    float *scale = (float *)(sum + 2 * (size_t)blocks);
    rounded r = {activations, scale, sum};
    if (input->rounded == NX_ROUNDED_BY_BLOCK) return r;
    input->rounded = NX_ROUNDED_BY_BLOCK;
    for (uint32_t j = 0; j < input->n; j++) {
        const float *x = input->x + (size_t)j * nx_stride(cols);
        for (uint32_t b = 0; b < cols / BLOCK; b++, x += BLOCK, activations += GROUPS, sum += 2) {
            float top = largest_magnitude(x, BLOCK);
            v128_t per_unit = steps_per_unit(NX_ACTIVATION_MOST, top);
            *scale++ = top / NX_ACTIVATION_MOST;
            sum[0] = activations_of(activations, x, BLOCK / 2, per_unit);
            sum[1] = activations_of(activations + GROUPS / 2, x + BLOCK / 2, BLOCK / 2, per_unit);
        }
    }
    return r;
}

/* ---- the product of one tile: form and n are constants after inlining -------------------------------------------------- */

typedef struct {
    float *out;
    const float *bias;
    uint32_t out_stride, blocks;
    rounded x; /* starts at the first column */
} tile_work;

NX_INLINE v128_t load_bias(const tile_work *w, int v) { return wasm_v128_load(w->bias + 4 * v); }

/* Returns how many vectors of rows are processed together: as many as have their sums in registers, so that products of different vectors
 * overlap. */
NX_INLINE int vectors(uint32_t form, uint32_t n) { return n == 1 ? 4 : form == NX_BLOCKS_8 || (form == NX_BLOCKS_4 && !NX_PAIRS) ? 2 : 1; }

/* Adds a block to `sum`: sum[j][at + v] += scale of the rows * integer dot product, for each column j < n and the vectors of rows v that are
 * processed together. The loops stay rolled, so that few loaded values are live and the sums stay in registers. */
NX_INLINE void wide_vectors(v128_t sum[4][4], const uint8_t *block, const nx_wide *const x[4], int at, uint32_t n) {
    v128_t part[2][4][4];
    const uint8_t *weight = block + 2 * TILE + 16 * at;
    for (uint32_t j = 0; j < n; j++)
        for (int v = 0; v < vectors(NX_BLOCKS_8, n); v++) part[0][j][v] = part[1][j][v] = wasm_i32x4_splat(0);
    if (n == 1) { /* both parts together */
        NX_ROLLED
        for (uint32_t g = 0; g < GROUPS; g++)
            for (int v = 0; v < 4; v++) {
                v128_t four = wasm_v128_load(weight + (g * 4 + (uint32_t)v) * 16);
                v128_t *first = &part[0][0][v], *second = &part[NX_WIDE_SUMS - 1][0][v];
                *first = wide_dot(*first, four, x[0] + g, 0);
                *second = wide_dot(*second, four, x[0] + g, 1);
            }
        for (int v = 0; v < 4 && NX_WIDE_SUMS == 2; v++) part[0][0][v] = wasm_i32x4_add(wide_first(part[0][0][v]), part[1][0][v]);
    } else { /* one part after the other, so that the sums fit the registers */
        NX_UNROLLED
        for (int p = 0; p < 2; p++) {
            NX_ROLLED
            for (uint32_t g = 0; g < GROUPS; g++) {
                v128_t four[2];
                NX_UNROLLED
                for (int v = 0; v < 2; v++) four[v] = wasm_v128_load(weight + (g * 4 + (uint32_t)v) * 16);
                NX_UNROLLED
                for (uint32_t j = 0; j < n; j++)
                    for (int v = 0; v < 2; v++) part[0][j][v] = wide_dot(part[0][j][v], four[v], x[j] + g, p);
            }
            if (p) break;
            NX_UNROLLED
            for (uint32_t j = 0; j < n; j++)
                for (int v = 0; v < 2; v++) part[0][j][v] = wide_first(part[0][j][v]);
        }
    }
    NX_UNROLLED
    for (int v = 0; v < vectors(NX_BLOCKS_8, n); v++) {
        v128_t scale = load_halves((const uint16_t *)block + 4 * (at + v));
        NX_UNROLLED
        for (uint32_t j = 0; j < n; j++) sum[j][at + v] = f32x4_mul_add(wasm_f32x4_convert_i32x4(part[0][j][v]), scale, sum[j][at + v]);
    }
}

/* out = (sum - 8192 constant) step + bias. */
NX_INLINE void wide_tile(const tile_work *w, const uint8_t *tile, uint32_t n) {
    v128_t sum[4][4];
    const nx_wide *x[4];
    for (uint32_t j = 0; j < n; j++) {
        x[j] = (const nx_wide *)w->x.activations + (size_t)j * w->blocks * GROUPS;
        for (int v = 0; v < 4; v++) sum[j][v] = wasm_f32x4_splat(0);
    }
    const uint8_t *block = tile + TILE * sizeof(float), *end = block + (size_t)w->blocks * block_bytes(NX_BLOCKS_8);
    for (; block < end; block += block_bytes(NX_BLOCKS_8)) {
        NX_ROLLED
        for (int at = 0; at < 4; at += vectors(NX_BLOCKS_8, n)) wide_vectors(sum, block, x, at, n);
        for (uint32_t j = 0; j < n; j++) x[j] += GROUPS;
    }
    for (int v = 0; v < 4; v++) {
        v128_t constant = wasm_f32x4_mul(wasm_v128_load((const float *)tile + 4 * v), wasm_f32x4_splat((float)NX_WIDE_ZERO));
        for (uint32_t j = 0; j < n; j++) {
            v128_t product = wasm_f32x4_sub(sum[j][v], constant), step = wasm_v128_load32_splat(w->x.scale + j);
            wasm_v128_store(w->out + (size_t)j * w->out_stride + 4 * v, f32x4_mul_add(product, step, load_bias(w, v)));
        }
    }
}

/* The same block in up to four columns. */
typedef struct {
    const nx_activations *activations[4];
    const float *scale[4];
    const int32_t *sum[4];
} column_blocks;

/* Returns whether products of a block are summed in pairs first. */
NX_INLINE int in_pairs(uint32_t form) { return NX_PAIRS && !six_bits(form); }

/* Adds the products of group g of the columns. */
NX_INLINE void add_group(v128_t part[4], v128_t numbers, const column_blocks *x, uint32_t g, uint32_t form, uint32_t n) {
    NX_UNROLLED
    for (uint32_t j = 0; j < n; j++)
        part[j] = in_pairs(form) ? dot_pairs(part[j], numbers, x->activations[j] + g) : dot(part[j], numbers, x->activations[j] + g);
}

/* Adds the groups g and g + 4 of both halves, which `nibbles` holds. */
NX_INLINE void add_nibbles(v128_t part[4], const uint8_t *nibbles, const column_blocks *x, uint32_t g, uint32_t from, uint32_t to,
                           uint32_t form, uint32_t n) {
    v128_t both = wasm_v128_load(nibbles), mask = wasm_i8x16_splat(15);
    if (from == 0) add_group(part, wasm_v128_and(both, mask), x, g, form, n);
    if (to == 2) add_group(part, wasm_v128_and(wasm_u16x8_shr(both, 4), mask), x, g + GROUPS / 2, form, n);
}

/* Adds the four groups of half h. */
NX_INLINE void add_sixes(v128_t part[4], const uint8_t *sixes, const column_blocks *x, uint32_t h, uint32_t form, uint32_t n) {
    v128_t a = wasm_v128_load(sixes), b = wasm_v128_load(sixes + 16), c = wasm_v128_load(sixes + 32), mask = wasm_i8x16_splat(63);
    v128_t last = wasm_v128_and(wasm_u16x8_shr(a, 6), wasm_i8x16_splat(3));
    last = wasm_v128_or(last, wasm_v128_and(wasm_u16x8_shr(b, 4), wasm_i8x16_splat(12)));
    last = wasm_v128_or(last, wasm_v128_and(wasm_u16x8_shr(c, 2), wasm_i8x16_splat(48)));
    uint32_t g = h * (GROUPS / 2);
    add_group(part, wasm_v128_and(a, mask), x, g, form, n);
    add_group(part, wasm_v128_and(b, mask), x, g + 1, form, n);
    add_group(part, wasm_v128_and(c, mask), x, g + 2, form, n);
    add_group(part, last, x, g + 3, form, n);
}

/* Returns the sums with which the halves from..to-1 of a block start. */
NX_INLINE v128_t start_of(const column_blocks *x, uint32_t j, uint32_t zero, uint32_t from, uint32_t to) {
    uint32_t sum = 0; /* modulo 2^32: see dot.h */
    for (uint32_t h = from; h < to; h++) sum += (uint32_t)x->sum[j][h];
    return dot_start(zero, (int32_t)sum);
}

/* Computes part[v][j] = integer products of the halves from..to-1, for the vectors from `at` on. */
NX_INLINE void halves_of_block(v128_t part[4][4], const uint8_t *low, const column_blocks *x, int at, uint32_t from, uint32_t to,
                               uint32_t form, uint32_t n) {
    NX_UNROLLED
    for (uint32_t j = 0; j < n; j++) {
        v128_t start = in_pairs(form) ? wasm_i16x8_splat(0) : start_of(x, j, zero_of(form), from, to);
        NX_UNROLLED
        for (int v = 0; v < vectors(form, n); v++) part[v][j] = start;
    }
    if (six_bits(form)) {
        NX_ROLLED
        for (uint32_t h = from; h < to; h++) {
            NX_UNROLLED
            for (int v = 0; v < vectors(form, n); v++) add_sixes(part[v], low + (h * 4 + (uint32_t)(at + v)) * 48, x, h, form, n);
        }
    } else {
        NX_ROLLED
        for (uint32_t g = 0; g < GROUPS / 2; g++) {
            NX_UNROLLED
            for (int v = 0; v < vectors(form, n); v++)
                add_nibbles(part[v], low + (g * 4 + (uint32_t)(at + v)) * 16, x, g, from, to, form, n);
        }
    }
    for (uint32_t j = 0; in_pairs(form) && j < n; j++) {
        v128_t start = start_of(x, j, zero_of(form), from, to);
        NX_UNROLLED
        for (int v = 0; v < vectors(form, n); v++) part[v][j] = dot_add_pairs(start, part[v][j]);
    }
}

/* Adds to sum[j][at + v] the integer product part[v][j] * scale `index` of the rows * scale of the column. */
NX_INLINE void add_part(v128_t sum[4][4], v128_t part[4][4], const uint8_t *block, uint32_t index, const column_blocks *x, int at,
                        uint32_t form, uint32_t n) {
    NX_UNROLLED
    for (int v = 0; v < vectors(form, n); v++) {
        v128_t scale = load_halves((const uint16_t *)block + index * TILE + 4 * (at + v));
        NX_UNROLLED
        for (uint32_t j = 0; j < n; j++) {
            v128_t product = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(dot_value(part[v][j])), wasm_v128_load32_splat(x->scale[j]));
            sum[j][at + v] = f32x4_mul_add(product, scale, sum[j][at + v]);
        }
    }
}

/* Adds the numbers that share scale h. */
NX_INLINE void add_halves(v128_t sum[4][4], const uint8_t *block, const column_blocks *x, int at, uint32_t h, uint32_t form, uint32_t n) {
    v128_t part[4][4];
    halves_of_block(part, block + low_at(form), x, at, h, h + 2 / scales_of(form), form, n);
    add_part(sum, part, block, h, x, at, form, n);
}

/* Adds to sum[j][at + v] offset h of the rows * sum of the corresponding activations. */
NX_INLINE void add_offset(v128_t sum[4][4], const uint8_t *block, const column_blocks *x, int at, uint32_t h, uint32_t form, uint32_t n) {
    NX_UNROLLED
    for (int v = 0; v < vectors(form, n); v++) {
        v128_t offset = load_halves((const uint16_t *)block + (scales_of(form) + h) * TILE + 4 * (at + v));
        NX_UNROLLED
        for (uint32_t j = 0; j < n; j++) {
            uint32_t all = (uint32_t)x->sum[j][h]; /* modulo 2^32, as in start_of */
            if (offsets_of(form) == 1) all += (uint32_t)x->sum[j][1];
            sum[j][at + v] = f32x4_mul_add(offset, wasm_f32x4_splat(*x->scale[j] * (float)(int32_t)all), sum[j][at + v]);
        }
    }
}

/* Adds a block to the sums. The halves are unrolled for one column; for several columns a loop costs less than the larger code. */
NX_INLINE void small_vectors(v128_t sum[4][4], const uint8_t *block, const column_blocks *x, int at, uint32_t form, uint32_t n) {
    uint32_t scales = scales_of(form);
    if (n == 1 || !six_bits(form)) {
        NX_UNROLLED
        for (uint32_t h = 0; h < scales; h++) add_halves(sum, block, x, at, h, form, n);
    } else {
        NX_ROLLED
        for (uint32_t h = 0; h < scales; h++) add_halves(sum, block, x, at, h, form, n);
    }
    NX_UNROLLED
    for (uint32_t h = 0; h < offsets_of(form); h++) add_offset(sum, block, x, at, h, form, n);
}

NX_INLINE void small_tile(const tile_work *w, const uint8_t *tile, uint32_t form, uint32_t n) {
    v128_t sum[4][4];
    column_blocks x;
    for (uint32_t j = 0; j < n; j++) {
        x.activations[j] = (const nx_activations *)w->x.activations + (size_t)j * w->blocks * GROUPS;
        x.scale[j] = w->x.scale + (size_t)j * w->blocks;
        x.sum[j] = w->x.sum + (size_t)j * w->blocks * 2;
        for (int v = 0; v < 4; v++) sum[j][v] = load_bias(w, v);
    }
    const uint8_t *end = tile + (size_t)w->blocks * block_bytes(form);
    for (; tile < end; tile += block_bytes(form)) {
        NX_ROLLED
        for (int at = 0; at < 4; at += vectors(form, n)) small_vectors(sum, tile, &x, at, form, n);
        for (uint32_t j = 0; j < n; j++) x.activations[j] += GROUPS, x.scale[j]++, x.sum[j] += 2;
    }
    for (uint32_t j = 0; j < n; j++)
        for (int v = 0; v < 4; v++) wasm_v128_store(w->out + (size_t)j * w->out_stride + 4 * v, sum[j][v]);
}

/* Each form and number of columns has its own function, because engines would spill the vectors of a single large function to memory. */
typedef void tile_function(const tile_work *w, const uint8_t *tile);

#define TILE_OF(form, n)                                                                                                                   \
    static void tile_##n##_##form(const tile_work *w, const uint8_t *tile) { small_tile(w, tile, form, n); }
#define SMALL(form) TILE_OF(form, 1) TILE_OF(form, 4)
SMALL(NX_BLOCKS_4)
SMALL(NX_BLOCKS_4_OFFSET)
TILE_OF(NX_BLOCKS_4_HALVES, 1) /* few files have these types, so their columns are computed one by one */
SMALL(NX_BLOCKS_6_OFFSET)
SMALL(NX_BLOCKS_6_HALVES)
static void tile_1_NX_BLOCKS_8(const tile_work *w, const uint8_t *tile) { wide_tile(w, tile, 1); }
static void tile_4_NX_BLOCKS_8(const tile_work *w, const uint8_t *tile) { wide_tile(w, tile, 4); }

typedef struct {
    const nx_matrix *matrix;
    float *out;
    const float *bias;
    uint32_t n;
    rounded x;
} product;

static const float no_bias[TILE];

/* Multiplies the tiles from..to-1; no other thread writes these rows. */
static void multiply_tiles(const void *context, uint32_t from, uint32_t to) {
#define TILES(form) [form - NX_BLOCKS_8] = {tile_1_##form, tile_4_##form}
    static tile_function *const functions[][2] = {TILES(NX_BLOCKS_8),        TILES(NX_BLOCKS_4),
                                                  TILES(NX_BLOCKS_4_OFFSET), {tile_1_NX_BLOCKS_4_HALVES, NULL},
                                                  TILES(NX_BLOCKS_6_OFFSET), TILES(NX_BLOCKS_6_HALVES)};
    const product *p = context;
    const nx_matrix *m = p->matrix;
    tile_function *const *of = functions[m->type - NX_BLOCKS_8];
    int eight = m->type == NX_BLOCKS_8;
    size_t column = (size_t)(m->cols / 4) * (eight ? sizeof(nx_wide) : sizeof(nx_activations));
    uint32_t out_stride = nx_stride(m->rows), blocks = m->cols / BLOCK;
    uint64_t step = nx_blocks_tile_bytes(m->type, m->cols);
    for (uint32_t t = from; t < to; t++)
        for (uint32_t j = 0, n; j < p->n; j += n) {
            n = p->n - j < 4 || !of[1] ? 1 : 4;
            tile_work w = {p->out + (size_t)j * out_stride + t * TILE, p->bias ? p->bias + t * TILE : no_bias, out_stride, blocks, p->x};
            w.x.activations = (const uint8_t *)p->x.activations + j * column;
            w.x.scale += eight ? j : (size_t)j * blocks;
            if (!eight) w.x.sum += (size_t)j * blocks * 2;
            of[n == 4](&w, (const uint8_t *)m->packed + t * step);
        }
}

void nx_blocks_matmul(float *out, const nx_matrix *m, const float *bias, nx_input *input) {
    product p = {m, out, bias, input->n, m->type == NX_BLOCKS_8 ? round_wide(input, m->cols) : round_by_block(input, m->cols)};
    nx_share_work(multiply_tiles, &p, (m->rows + TILE - 1) / TILE);
}

/* SPDX-License-Identifier: MIT
 *
 * Matrix products for language models: every 32 or 16 weights of a row have their own scale, as in the file. See kernels.h and, for
 * quantised weights and activations, dot.h. A lane holds one row; a tile is 16 rows.
 *
 * Layout of 4-bit and 6-bit weights: [rows/16][cols/32] blocks of
 *   half scale[1 or 2][16], half offset[1 or 2][16] (in some forms), byte nibbles[4][4][16] or sixes[2][4][3][16]
 * A group is four columns of a block; index v selects the rows 4v..4v+3. The low nibbles of nibbles[g][v] are the numbers of group g, and
 * the high nibbles are the numbers of group g + 4. In each byte of sixes[h][v][i], the low six bits are a number of group 4h + i. The high
 * two bits are bits 2i and 2i + 1 of a number of group 4h + 3. A constant is added to each number before it is stored. If the form has no
 * offsets, the constant is 8 (4 bits) or 32 (6 bits). Otherwise the constant is 0, except for Q3_K in blocks of 24 bytes, where the
 * constant is 4. The stored numbers are multiplied by 8-bit activations. Every 32 activations of a column have their own scale.
 *
 * Layout of 8-bit weights: [rows/16] { float constant[16]; [cols/32] blocks of { half scale[16]; int8 weight[8][4][16]; } }
 * The weights are signed bytes, so dot products are exact on every machine only if activations are 0..127. An activation x is therefore
 * rounded to scale * (u - 8192), where `scale` belongs to the column and u is a 14-bit integer. Then u is split into two planes of seven
 * bits. Rounding to 14 bits changes a product by less than sqrt(cols) / 28,000 times the norm of the column, even with outliers. The added
 * 8192 contributes a constant to each product: 8192 times the sum of scale * weight over the row.
 *
 * Bottlenecks. V8 allocates 15 vector registers and keeps clang's loops unchanged. Sums that do not fit are spilled to memory at each
 * product. A shift by a loop counter takes three instructions more than a shift by a constant, so weights are unpacked with constant
 * shifts. For one column, the weights come from memory, and memory bandwidth limits the product. Products with 8-bit weights nearly reach
 * this limit. Several columns share a block, whose scales and numbers are unpacked once for all of them. Each iteration multiplies two
 * vectors of weights (eight rows) by six columns. The loop needs all 15 registers: twelve for the sums (enough to hide the latency of the
 * product), two for weights and one for an activation. The loop takes one group of weights per iteration. With two groups per iteration, V8
 * spills sums, and the loop reaches only 0.85 of the speed. An integer sum has 16 products in a block of 8-bit weights, 8 in other blocks
 * with one scale, and 4 in blocks with two scales. Converting, scaling and adding an integer sum takes five instructions, a load and a
 * store. 4-bit weights need half as many products as 8-bit weights, but because of these instructions they are no faster.
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

/* ---- properties of forms: constants after inlining ----------------------------------------------------------------------------------- */

NX_INLINE uint32_t scales_of(uint32_t form) { return form == NX_BLOCKS_4_HALVES || form == NX_BLOCKS_6_HALVES ? 2 : 1; }
NX_INLINE uint32_t offsets_of(uint32_t form) {
    return form == NX_BLOCKS_4_HALVES ? 2 : form == NX_BLOCKS_4_OFFSET || form == NX_BLOCKS_6_OFFSET ? 1 : 0;
}
NX_INLINE uint32_t six_bits(uint32_t form) { return form == NX_BLOCKS_6_OFFSET || form == NX_BLOCKS_6_HALVES; }

/* Returns the constant that is added to the numbers of a form before they are stored. If a form stores offsets, the constant is already
 * part of the offsets, and 0 is returned. */
#define ZERO_4 8
#define ZERO_6 32
NX_INLINE uint32_t zero_of(uint32_t form) { return form == NX_BLOCKS_4 ? ZERO_4 : form == NX_BLOCKS_6_HALVES ? ZERO_6 : 0; }

NX_INLINE uint32_t low_at(uint32_t form) { return 2 * TILE * (scales_of(form) + offsets_of(form)); }

NX_INLINE uint32_t block_bytes(uint32_t form) {
    if (form == NX_BLOCKS_8) return 2 * TILE + TILE * BLOCK;
    return low_at(form) + TILE * BLOCK / 2 + (six_bits(form) ? TILE * BLOCK / 4 : 0);
}

static uint32_t tile_head(uint32_t form) { return form == NX_BLOCKS_8 ? TILE * sizeof(float) : 0; }

uint64_t nx_blocks_tile_bytes(uint32_t form, uint32_t cols) { return tile_head(form) + (uint64_t)(cols / BLOCK) * block_bytes(form); }

uint32_t nx_block_form(uint32_t type) { return nx_type_of(type)->form; }

/* ---- packing ----------------------------------------------------------------------------------------------------------- */

/* Stores the number in column `c` of row t. */
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

/* Packs a row of Q8_0 or Q4_0 without changing its values. For each block, copies the half-precision scale, then the numbers, four bytes at
 * a time. Four bytes hold four columns of Q8_0, or four pairs of columns of Q4_0. */
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

/* Constants of a block of 8-bit activations. Lane 1 belongs to the whole block; lanes 2 and 3 belong to its two halves. */
typedef struct {
    int32_t start[4]; /* lane 0: 0; lanes 1 to 3: initial values of the integer sums for weights whose zero is 8, 32 and 32 (dot.h) */
    float factor[4];  /* lane 0: the scale; lanes 1 to 3: the scale times the sums of the activations */
} block_facts;

typedef struct {
    const void *activations;  /* nx_wide or nx_activations, shape (n, cols / 4) */
    const float *scale;       /* scales of wide activations, shape (n) */
    const block_facts *facts; /* facts of 8-bit activations, shape (cols / 32, n) */
} rounded;

uint64_t nx_blocks_input_bytes(uint32_t cols, uint32_t n) {
    uint64_t blocks = (uint64_t)n * (cols / BLOCK),
             activations = GROUPS * (sizeof(nx_wide) > sizeof(nx_activations) ? sizeof(nx_wide) : sizeof(nx_activations));
    return blocks * (activations + sizeof(block_facts)) + n * sizeof(float);
}

/* Rounds the input to 14 bits. Each column has its own scale. */
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

/* Rounds the input to 8 bits. Each block has its own scale. */
static rounded round_by_block(nx_input *input, uint32_t cols) {
    uint32_t blocks = cols / BLOCK;
    nx_activations *activations = input->scratch;
    block_facts *facts = (block_facts *)(activations + (size_t)input->n * blocks * GROUPS);
    rounded r = {activations, NULL, facts};
    if (input->rounded == NX_ROUNDED_BY_BLOCK) return r;
    input->rounded = NX_ROUNDED_BY_BLOCK;
    for (uint32_t j = 0; j < input->n; j++) {
        const float *x = input->x + (size_t)j * nx_stride(cols);
        for (uint32_t b = 0; b < blocks; b++, x += BLOCK, activations += GROUPS) {
            block_facts *of = facts + (size_t)b * input->n + j;
            float top = largest_magnitude(x, BLOCK);
            v128_t per_unit = steps_per_unit(NX_ACTIVATION_MOST, top);
            int32_t first = activations_of(activations, x, BLOCK / 2, per_unit);
            int32_t last = activations_of(activations + GROUPS / 2, x + BLOCK / 2, BLOCK / 2, per_unit);
            int32_t all = (int32_t)((uint32_t)first + (uint32_t)last); /* addition modulo 2^32: see dot.h */
            wasm_v128_store(of->start, wasm_i32x4_make(0, dot_first(ZERO_4, all), dot_first(ZERO_6, first), dot_first(ZERO_6, last)));
            v128_t sums = wasm_f32x4_convert_i32x4(wasm_i32x4_make(1, all, first, last));
            wasm_v128_store(of->factor, wasm_f32x4_mul(sums, wasm_f32x4_splat(top / NX_ACTIVATION_MOST)));
        }
    }
    return r;
}

/* ---- one column: form is a constant after inlining ---------------------------------------------------------------------- */

typedef struct {
    float *out;
    const float *bias;
    uint32_t blocks, n, column; /* n: columns of the input */
    rounded x;
} tile_work;

NX_INLINE v128_t load_bias(const tile_work *w, int v) { return wasm_v128_load(w->bias + 4 * v); }

/* out = (sum - 8192 constant) step + bias. */
NX_INLINE void store_wide(float *out, const v128_t sum[4], const uint8_t *tile, const float *scale, const float *bias) {
    for (int v = 0; v < 4; v++) {
        v128_t constant = wasm_f32x4_mul(wasm_v128_load((const float *)tile + 4 * v), wasm_f32x4_splat((float)NX_WIDE_ZERO));
        v128_t product = wasm_f32x4_sub(sum[v], constant);
        wasm_v128_store(out + 4 * v, f32x4_mul_add(product, wasm_v128_load32_splat(scale), wasm_v128_load(bias + 4 * v)));
    }
}

/* Adds the products of a block and a column to the sums of 16 rows. The loops are not unrolled. Unrolled loops would load more values at a
 * time, and the sums would not stay in registers. */
NX_INLINE void add_wide(v128_t sum[4], const uint8_t *block, const nx_wide *x) {
    v128_t part[2][4];
    for (int v = 0; v < 4; v++) part[0][v] = part[1][v] = wasm_i32x4_splat(0);
    NX_ROLLED
    for (uint32_t g = 0; g < GROUPS; g++)
        for (int v = 0; v < 4; v++) {
            v128_t four = wasm_v128_load(block + 2 * TILE + (g * 4 + (uint32_t)v) * 16);
            v128_t *first = &part[0][v], *second = &part[NX_WIDE_SUMS - 1][v];
            *first = wide_dot(*first, four, x + g, 0);
            *second = wide_dot(*second, four, x + g, 1);
        }
    for (int v = 0; v < 4; v++) {
        if (NX_WIDE_SUMS == 2) part[0][v] = wasm_i32x4_add(wide_first(part[0][v]), part[1][v]);
        sum[v] = f32x4_mul_add(wasm_f32x4_convert_i32x4(part[0][v]), load_halves((const uint16_t *)block + 4 * v), sum[v]);
    }
}

static void tile_NX_BLOCKS_8(const tile_work *w, const uint8_t *tile) {
    v128_t sum[4];
    const nx_wide *x = (const nx_wide *)w->x.activations + (size_t)w->column * w->blocks * GROUPS;
    for (int v = 0; v < 4; v++) sum[v] = wasm_f32x4_splat(0);
    const uint8_t *block = tile + TILE * sizeof(float), *end = block + (size_t)w->blocks * block_bytes(NX_BLOCKS_8);
    for (; block < end; block += block_bytes(NX_BLOCKS_8), x += GROUPS) add_wide(sum, block, x);
    store_wide(w->out, sum, tile, w->x.scale + w->column, w->bias);
}

/* Returns whether the products of a block are first summed in pairs. */
NX_INLINE int in_pairs(uint32_t form) { return NX_PAIRS && !six_bits(form); }

/* Adds the products of a group. */
NX_INLINE void add_group(v128_t *part, v128_t numbers, const nx_activations *x, uint32_t form) {
    *part = in_pairs(form) ? dot_pairs(*part, numbers, x) : dot(*part, numbers, x);
}

/* Adds the products of the low nibbles (a group g) if `from` is 0, and the products of the high nibbles (group g + 4) if `to` is 2. */
NX_INLINE void add_nibbles(v128_t *part, const uint8_t *nibbles, const nx_activations *x, uint32_t from, uint32_t to, uint32_t form) {
    v128_t both = wasm_v128_load(nibbles), mask = wasm_i8x16_splat(15);
    if (from == 0) add_group(part, wasm_v128_and(both, mask), x, form);
    if (to == 2) add_group(part, wasm_v128_and(wasm_u16x8_shr(both, 4), mask), x + GROUPS / 2, form);
}

/* Unpacks four groups. */
NX_INLINE void load_sixes(v128_t numbers[4], const uint8_t *sixes) {
    v128_t a = wasm_v128_load(sixes), b = wasm_v128_load(sixes + 16), c = wasm_v128_load(sixes + 32), mask = wasm_i8x16_splat(63);
    v128_t last = wasm_v128_and(wasm_u16x8_shr(a, 6), wasm_i8x16_splat(3));
    last = wasm_v128_or(last, wasm_v128_and(wasm_u16x8_shr(b, 4), wasm_i8x16_splat(12)));
    numbers[3] = wasm_v128_or(last, wasm_v128_and(wasm_u16x8_shr(c, 2), wasm_i8x16_splat(48)));
    numbers[0] = wasm_v128_and(a, mask), numbers[1] = wasm_v128_and(b, mask), numbers[2] = wasm_v128_and(c, mask);
}

/* Returns the lane of block_facts that holds the values for half h. */
NX_INLINE uint32_t start_at(uint32_t form, uint32_t h) { return form == NX_BLOCKS_4 ? 1 : form == NX_BLOCKS_6_HALVES ? 2 + h : 0; }

/* Adds the products of the weights that share scale h: one half of the block, or both. */
NX_INLINE void add_halves(v128_t sum[4], const uint8_t *block, const nx_activations *x, const block_facts *facts, uint32_t h,
                          uint32_t form) {
    uint32_t from = h, to = h + 2 / scales_of(form);
    const uint8_t *low = block + low_at(form);
    v128_t part[4], start = wasm_v128_load32_splat(facts->start + start_at(form, h));
    NX_UNROLLED
    for (int v = 0; v < 4; v++) part[v] = in_pairs(form) ? wasm_i16x8_splat(0) : start;
    if (six_bits(form)) {
        NX_ROLLED
        for (uint32_t half = from; half < to; half++) {
            NX_UNROLLED
            for (int v = 0; v < 4; v++) {
                v128_t numbers[4];
                load_sixes(numbers, low + (half * 4 + (uint32_t)v) * 48);
                for (uint32_t g = 0; g < 4; g++) add_group(&part[v], numbers[g], x + half * (GROUPS / 2) + g, form);
            }
        }
    } else {
        NX_ROLLED
        for (uint32_t g = 0; g < GROUPS / 2; g++) {
            NX_UNROLLED
            for (int v = 0; v < 4; v++) add_nibbles(&part[v], low + (g * 4 + (uint32_t)v) * 16, x + g, from, to, form);
        }
    }
    NX_UNROLLED
    for (int v = 0; v < 4; v++) {
        if (in_pairs(form)) part[v] = dot_add_pairs(start, part[v]);
        v128_t product = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(dot_value(part[v])), wasm_v128_load32_splat(facts->factor));
        sum[v] = f32x4_mul_add(product, load_halves((const uint16_t *)block + h * TILE + 4 * v), sum[v]);
    }
}

/* For each row, adds an offset times the sum of the activations to which this offset applies. h: index of the offset in the block. */
NX_INLINE void add_offset(v128_t sum[4], const uint8_t *block, const block_facts *facts, uint32_t h, uint32_t form) {
    v128_t factor = wasm_v128_load32_splat(facts->factor + (offsets_of(form) == 1 ? 1 : 2 + h));
    NX_UNROLLED
    for (int v = 0; v < 4; v++) {
        v128_t offset = load_halves((const uint16_t *)block + (scales_of(form) + h) * TILE + 4 * v);
        sum[v] = f32x4_mul_add(offset, factor, sum[v]);
    }
}

NX_INLINE void small_tile(const tile_work *w, const uint8_t *tile, uint32_t form) {
    v128_t sum[4];
    const nx_activations *x = (const nx_activations *)w->x.activations + (size_t)w->column * w->blocks * GROUPS;
    const block_facts *facts = w->x.facts + w->column;
    for (int v = 0; v < 4; v++) sum[v] = load_bias(w, v);
    const uint8_t *end = tile + (size_t)w->blocks * block_bytes(form);
    for (; tile < end; tile += block_bytes(form), x += GROUPS, facts += w->n) {
        NX_UNROLLED
        for (uint32_t h = 0; h < scales_of(form); h++) add_halves(sum, tile, x, facts, h, form);
        NX_UNROLLED
        for (uint32_t h = 0; h < offsets_of(form); h++) add_offset(sum, tile, facts, h, form);
    }
    for (int v = 0; v < 4; v++) wasm_v128_store(w->out + 4 * v, sum[v]);
}

/* Each form has its own function, because engines would spill the vectors of a single large function to memory. */
typedef void tile_function(const tile_work *w, const uint8_t *tile);

#define TILE_OF(form)                                                                                                                      \
    static void tile_##form(const tile_work *w, const uint8_t *tile) { small_tile(w, tile, form); }
TILE_OF(NX_BLOCKS_4)
TILE_OF(NX_BLOCKS_4_OFFSET)
TILE_OF(NX_BLOCKS_4_HALVES)
TILE_OF(NX_BLOCKS_6_OFFSET)
TILE_OF(NX_BLOCKS_6_HALVES)

/* ---- several columns: they share the unpacked block --------------------------------------------------------------------- */

/* A block whose numbers are bytes, in the order of NX_BLOCKS_8. */
typedef struct {
    v128_t factor[8]; /* scales of the rows, then their offsets */
    uint8_t number[GROUPS * 4 * 16];
} open_block;

static void load_factors(open_block *to, const uint8_t *block, uint32_t count) {
    NX_ROLLED
    for (uint32_t i = 0; i < 4 * count; i++) to->factor[i] = load_halves((const uint16_t *)block + 4 * i);
}

static void unpack_block(open_block *to, const uint8_t *block, uint32_t form) {
    const uint8_t *low = block + low_at(form);
    load_factors(to, block, scales_of(form) + offsets_of(form));
    NX_ROLLED
    for (uint32_t i = 0; i < 8 && six_bits(form); i++) {
        v128_t numbers[4];
        load_sixes(numbers, low + 48 * i);
        for (uint32_t g = 0; g < 4; g++) wasm_v128_store(to->number + ((i / 4 * 4 + g) * 4 + i % 4) * 16, numbers[g]);
    }
    NX_ROLLED
    for (uint32_t i = 0; i < 16 * 16 && !six_bits(form); i += 16) {
        v128_t both = wasm_v128_load(low + i), mask = wasm_i8x16_splat(15);
        wasm_v128_store(to->number + i, wasm_v128_and(both, mask));
        wasm_v128_store(to->number + i + 256, wasm_v128_and(wasm_u16x8_shr(both, 4), mask));
    }
}

/* Adds the products of n columns and the groups from `weight` to `end`. The columns are `stride` bytes apart. p: part 0 or 1 of wide
 * activations; -1: other activations. */
NX_INLINE void add_products(v128_t part[6][2], const uint8_t *weight, const uint8_t *end, const uint8_t *column, size_t stride, int p,
                            int pairs, uint32_t n) {
    const uint8_t *x[6];
    NX_UNROLLED
    for (uint32_t j = 0; j < n; j++) {
        x[j] = column + j * stride;
        NX_SEPARATE(x[j]);
    }
    NX_SEPARATE(weight);
    NX_SEPARATE(end);
    size_t step = p >= 0 ? sizeof(nx_wide) : sizeof(nx_activations);
    NX_ROLLED
    do {
        v128_t four[2];
        NX_UNROLLED
        for (int v = 0; v < 2; v++) four[v] = wasm_v128_load(weight + 16 * v);
        NX_UNROLLED
        for (uint32_t j = 0; j < n; j++) {
            NX_UNROLLED
            for (int v = 0; v < 2; v++) {
                v128_t *sum = &part[j][v];
                if (p >= 0)
                    *sum = wide_dot(*sum, four[v], (const nx_wide *)x[j], p);
                else if (pairs)
                    *sum = dot_pairs(*sum, four[v], (const nx_activations *)x[j]);
                else
                    *sum = dot(*sum, four[v], (const nx_activations *)x[j]);
            }
            x[j] += step;
        }
        weight += 4 * TILE;
    } while (weight < end);
}

/* Adds a block of 8-bit weights to the sums of n columns. */
NX_INLINE void wide_block(v128_t (*sum)[4], const open_block *open, const uint8_t *weight, const uint8_t *x, size_t stride, uint32_t n) {
    NX_ROLLED
    for (int at = 0; at < 4; at += 2, weight += 32) {
        v128_t part[6][2];
        const uint8_t *end = weight + GROUPS * 4 * TILE;
        NX_UNROLLED
        for (uint32_t j = 0; j < n; j++) part[j][0] = part[j][1] = wasm_i32x4_splat(0);
        add_products(part, weight, end, x, stride, 0, 0, n);
        NX_UNROLLED
        for (uint32_t j = 0; j < n; j++) NX_UNROLLED
        for (int v = 0; v < 2; v++) part[j][v] = wide_first(part[j][v]);
        add_products(part, weight, end, x, stride, 1, 0, n);
        NX_UNROLLED
        for (int v = 0; v < 2; v++) NX_UNROLLED
        for (uint32_t j = 0; j < n; j++)
            sum[j][at + v] = f32x4_mul_add(wasm_f32x4_convert_i32x4(part[j][v]), open->factor[at + v], sum[j][at + v]);
    }
}

/* Adds an unpacked block with 4-bit or 6-bit weights to the sums of n columns. */
NX_INLINE void small_block(v128_t (*sum)[4], const open_block *open, const uint8_t *x, size_t stride, const block_facts *facts,
                           uint32_t form, int pairs, uint32_t n) {
    uint32_t scales = scales_of(form), groups = GROUPS / scales;
    NX_ROLLED
    for (int at = 0; at < 4; at += 2) {
        const uint8_t *weight = open->number + 16 * at, *column = x;
        NX_ROLLED
        for (uint32_t h = 0; h < scales; h++, column += groups * sizeof(nx_activations)) {
            v128_t part[6][2];
            const int32_t *start = facts->start + start_at(form, h);
            NX_UNROLLED
            for (uint32_t j = 0; j < n; j++)
                part[j][0] = part[j][1] = pairs ? wasm_i16x8_splat(0) : wasm_v128_load32_splat(start + j * (sizeof *facts / 4));
            const uint8_t *end = weight + groups * 4 * TILE;
            add_products(part, weight, end, column, stride, -1, pairs, n);
            weight = end;
            NX_UNROLLED
            for (uint32_t j = 0; j < n; j++) NX_UNROLLED
            for (int v = 0; v < 2; v++) {
                v128_t total = part[j][v], factor = wasm_v128_load32_splat(facts[j].factor);
                if (pairs) total = dot_add_pairs(wasm_v128_load32_splat(start + j * (sizeof *facts / 4)), total);
                total = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(dot_value(total)), factor);
                sum[j][at + v] = f32x4_mul_add(total, open->factor[4 * (int)h + at + v], sum[j][at + v]);
            }
        }
        if (offsets_of(form)) NX_UNROLLED
        for (uint32_t j = 0; j < n; j++) NX_UNROLLED
        for (int v = 0; v < 2; v++)
            sum[j][at + v] = f32x4_mul_add(open->factor[4 + at + v], wasm_v128_load32_splat(facts[j].factor + 1), sum[j][at + v]);
    }
}

/* The compiler removes functions that `together` and in_pairs never select in this build. */
#define BLOCK_OF(n)                                                                                                                        \
    static NX_NOINLINE void wide_##n(v128_t(*sum)[4], const open_block *open, const uint8_t *weight, const uint8_t *x, size_t stride) {    \
        wide_block(sum, open, weight, x, stride, n);                                                                                       \
    }                                                                                                                                      \
    static NX_NOINLINE void small_##n(v128_t(*sum)[4], const open_block *open, const uint8_t *x, size_t stride, const block_facts *facts,  \
                                      uint32_t form) {                                                                                     \
        small_block(sum, open, x, stride, facts, form, 0, n);                                                                              \
    }
BLOCK_OF(4)
BLOCK_OF(6)
static NX_NOINLINE void small_4_pairs(v128_t (*sum)[4], const open_block *open, const uint8_t *x, size_t stride, const block_facts *facts,
                                      uint32_t form) {
    small_block(sum, open, x, stride, facts, form, 1, 4);
}

/* Returns the number of columns that are computed together next; their sums must fit in the registers. A result of 1 means that the columns
 * are computed one by one. rest: number of remaining columns. */
static uint32_t together(uint32_t rest) { return rest < 4 ? 1 : NX_ONE_DOT && rest >= 6 && rest / 2 != 4 ? 6 : 4; }

typedef struct {
    const nx_matrix *matrix;
    float *out;
    const float *bias;
    uint32_t n;
    rounded x;
} product;

static const float no_bias[TILE];

/* Multiplies a tile by the columns `from` to `to` - 1, except for the last columns if these must be computed one by one. Returns the first
 * column that remains. */
static uint32_t multiply_columns(const product *p, const uint8_t *tile, uint32_t t, uint32_t from, uint32_t to) {
    const nx_matrix *m = p->matrix;
    uint32_t form = m->type, blocks = m->cols / BLOCK, out_stride = nx_stride(m->rows), n = 0;
    const float *bias = p->bias ? p->bias + t * TILE : no_bias;
    while (to - from - n >= 4) n += together(to - from - n);
    v128_t sum[NX_COLUMNS][4];
    for (uint32_t j = 0; j < n; j++)
        for (int v = 0; v < 4; v++) sum[j][v] = form == NX_BLOCKS_8 ? wasm_f32x4_splat(0) : wasm_v128_load(bias + 4 * v);
    size_t step = GROUPS * (form == NX_BLOCKS_8 ? sizeof(nx_wide) : sizeof(nx_activations)), stride = blocks * step;
    const uint8_t *x = (const uint8_t *)p->x.activations + from * stride, *block = tile + tile_head(form);
    for (uint32_t b = 0; n && b < blocks; b++, block += block_bytes(form), x += step) {
        open_block open;
        if (form == NX_BLOCKS_8)
            load_factors(&open, block, 1);
        else
            unpack_block(&open, block, form);
        for (uint32_t j = 0, six; j < n; j += six ? 6 : 4) {
            const uint8_t *of = x + j * stride;
            six = together(n - j) == 6;
            if (form == NX_BLOCKS_8)
                (six ? wide_6 : wide_4)(sum + j, &open, block + 2 * TILE, of, stride);
            else
                (six              ? small_6
                 : in_pairs(form) ? small_4_pairs
                                  : small_4)(sum + j, &open, of, stride, p->x.facts + (size_t)b * p->n + from + j, form);
        }
    }
    for (uint32_t j = 0; j < n; j++) {
        float *out = p->out + (size_t)(from + j) * out_stride + t * TILE;
        if (form == NX_BLOCKS_8)
            store_wide(out, sum[j], tile, p->x.scale + from + j, bias);
        else
            for (int v = 0; v < 4; v++) wasm_v128_store(out + 4 * v, sum[j][v]);
    }
    return from + n;
}

/* Multiplies the tiles `from` to `to` - 1. Threads never write the same rows. */
static void multiply_tiles(const void *context, uint32_t from, uint32_t to) {
    static tile_function *const functions[] = {tile_NX_BLOCKS_8,        tile_NX_BLOCKS_4,        tile_NX_BLOCKS_4_OFFSET,
                                               tile_NX_BLOCKS_4_HALVES, tile_NX_BLOCKS_6_OFFSET, tile_NX_BLOCKS_6_HALVES};
    const product *p = context;
    const nx_matrix *m = p->matrix;
    uint32_t form = m->type;
    for (uint32_t t = from; t < to; t++) {
        const uint8_t *tile = (const uint8_t *)m->packed + t * nx_blocks_tile_bytes(form, m->cols);
        for (uint32_t first = 0; first < p->n; first += NX_COLUMNS) {
            uint32_t end = p->n - first < NX_COLUMNS ? p->n : first + NX_COLUMNS, j = first;
            /* few files have NX_BLOCKS_4_HALVES, so its columns are computed one by one */
            if (form != NX_BLOCKS_4_HALVES) j = multiply_columns(p, tile, t, first, end);
            for (; j < end; j++) {
                tile_work w = {p->out + (size_t)j * nx_stride(m->rows) + t * TILE,
                               p->bias ? p->bias + t * TILE : no_bias,
                               m->cols / BLOCK,
                               p->n,
                               j,
                               p->x};
                functions[form - NX_BLOCKS_8](&w, tile);
            }
        }
    }
}

void nx_blocks_matmul(float *out, const nx_matrix *m, const float *bias, nx_input *input) {
    product p = {m, out, bias, input->n, m->type == NX_BLOCKS_8 ? round_wide(input, m->cols) : round_by_block(input, m->cols)};
    nx_share_work(multiply_tiles, &p, (m->rows + TILE - 1) / TILE);
}

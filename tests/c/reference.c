/* SPDX-License-Identifier: MIT  See reference.h. */
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

void ref_matmul(double *out, double *size, const float *weights, uint32_t rows, uint32_t cols, const double *x) {
    for (uint32_t r = 0; r < rows; r++) {
        double sum = 0, magnitude = 0;
        for (uint32_t c = 0; c < cols; c++) {
            double product = (double)weights[(size_t)r * cols + c] * x[c];
            sum += product;
            magnitude += fabs(product);
        }
        out[r] = sum;
        if (size) size[r] = magnitude;
    }
}

void ref_round(double *x, uint32_t n, uint32_t group, double steps) {
    for (uint32_t b = 0; b < n; b += group) {
        double largest = 0;
        for (uint32_t i = b; i < b + group; i++) largest = fmax(largest, fabs(x[i]));
        for (uint32_t i = b; largest > 0 && i < b + group; i++) x[i] = rint(x[i] * steps / largest) * largest / steps;
    }
}

/* Returns the value of an IEEE half-precision number. */
static double half_at(const uint8_t *bytes) {
    int bits = bytes[0] | bytes[1] << 8, exponent = bits >> 10 & 31;
    double size = exponent ? ldexp(1024 + (bits & 1023), exponent - 25) : ldexp(bits & 1023, -24);
    return bits & 0x8000 ? -size : size;
}

/* Returns `count` bits, beginning with bit `from`. Bit 0 is the lowest bit of the first byte. */
static int bits_at(const uint8_t *bytes, uint32_t from, uint32_t count) {
    int value = 0;
    for (uint32_t i = 0; i < count; i++) value |= (bytes[(from + i) / 8] >> (from + i) % 8 & 1) << i;
    return value;
}

/* Returns the nibble of value i (0..31). Values 0 to 15 are the low nibbles of sixteen bytes, and values 16 to 31 are the high nibbles of
 * the same bytes. */
static int nibble_at(const uint8_t *bytes, uint32_t i) { return bits_at(bytes, 8 * (i % 16) + (i < 16 ? 0 : 4), 4); }

/* A block of Q4_K or Q5_K has eight groups of 32 values. Returns the 6-bit scale (which = 0) or offset (which = 1) of one group. For the
 * last four groups, the four low bits are in the last four bytes, and the two high bits are the highest bits of the first eight bytes. */
static int packed_six(const uint8_t *bytes, uint32_t part, uint32_t which) {
    if (part < 4) return bits_at(bytes, 8 * (part + 4 * which), 6);
    return bits_at(bytes, 8 * (part + 4) + 4 * which, 4) + 16 * bits_at(bytes, 8 * (part - 4 + 4 * which) + 6, 2);
}

/* The levels of IQ4_NL. */
static const int iq4_levels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

/* Returns the value of a 4-bit float: a sign, two exponent bits with a bias of 1, and one mantissa bit [OCP Microscaling Formats 1.0,
 * section 5.3.3]. */
static double fp4(int bits) {
    int exponent = bits >> 1 & 3, mantissa = bits & 1;
    double size = exponent ? ldexp(1 + mantissa / 2.0, exponent - 1) : mantissa / 2.0;
    return bits & 8 ? -size : size;
}

double ref_weight(const uint8_t *row, uint32_t type, uint32_t i) {
    float single = 0;
    const uint8_t *b;
    uint32_t in = i % 256, part = in / 32, side = in / 128, place = in % 32, quarter = part % 4;
    switch (type) {
    case NX_F32: memcpy(&single, row + 4 * i, 4); return (double)single;
    case NX_F16: return half_at(row + 2 * i);
    case NX_BF16: memcpy((uint8_t *)&single + 2, row + 2 * i, 2); return (double)single;
    case NX_Q4_0: b = row + i / 32 * 18; return half_at(b) * (nibble_at(b + 2, i % 32) - 8);
    case NX_Q4_1: b = row + i / 32 * 20; return half_at(b) * nibble_at(b + 4, i % 32) + half_at(b + 2);
    case NX_Q5_0: b = row + i / 32 * 22; return half_at(b) * (nibble_at(b + 6, i % 32) + 16 * bits_at(b + 2, i % 32, 1) - 16);
    case NX_Q5_1: b = row + i / 32 * 24; return half_at(b) * (nibble_at(b + 8, i % 32) + 16 * bits_at(b + 4, i % 32, 1)) + half_at(b + 2);
    case NX_Q8_0: b = row + i / 32 * 34; return half_at(b) * (int8_t)b[2 + i % 32];
    case NX_IQ4_NL: b = row + i / 32 * 18; return half_at(b) * iq4_levels[nibble_at(b + 2, i % 32)];
    case NX_MXFP4: b = row + i / 32 * 17; return ldexp(fp4(nibble_at(b + 1, i % 32)), b[0] - 127);
    case NX_IQ4_XS: {
        b = row + i / 256 * 136;
        int scale = bits_at(b + 4, 4 * part, 4) + 16 * bits_at(b + 2, 2 * part, 2) - 32;
        return half_at(b) * scale * iq4_levels[nibble_at(b + 8 + 16 * part, place)];
    }
    case NX_Q2_K:
        b = row + i / 256 * 84;
        return half_at(b + 80) * bits_at(b + in / 16, 0, 4) * bits_at(b + 16 + 32 * side + place, 2 * quarter, 2) - half_at(b + 82) * bits_at(b + in / 16, 4, 4);
    case NX_Q3_K: {
        b = row + i / 256 * 110;
        uint32_t s = in / 16;
        int scale = bits_at(b + 96 + s % 8, s < 8 ? 0 : 4, 4) + 16 * bits_at(b + 104 + s % 4, 2 * (s / 4), 2) - 32;
        return half_at(b + 108) * scale * (bits_at(b + 32 + 32 * side + place, 2 * quarter, 2) + 4 * bits_at(b + place, part, 1) - 4);
    }
    case NX_Q4_K:
        b = row + i / 256 * 144;
        return half_at(b) * packed_six(b + 4, part, 0) * bits_at(b + 16 + 32 * (in / 64) + place, 4 * (part % 2), 4) - half_at(b + 2) * packed_six(b + 4, part, 1);
    case NX_Q5_K:
        b = row + i / 256 * 176;
        return half_at(b) * packed_six(b + 4, part, 0) * (bits_at(b + 48 + 32 * (in / 64) + place, 4 * (part % 2), 4) + 16 * bits_at(b + 16 + place, part, 1)) -
               half_at(b + 2) * packed_six(b + 4, part, 1);
    case NX_Q6_K:
        b = row + i / 256 * 210;
        return half_at(b + 208) * (int8_t)b[192 + in / 16] *
               (bits_at(b + 64 * side + 32 * (quarter % 2) + place, quarter / 2 * 4, 4) + 16 * bits_at(b + 128 + 32 * side + place, 2 * quarter, 2) - 32);
    }
    return NAN;
}

void ref_layer_norm(double *x, const float *gain, const float *bias, double epsilon, uint32_t width) {
    double mean = 0, variance = 0;
    for (uint32_t i = 0; i < width; i++) mean += x[i] / width;
    for (uint32_t i = 0; i < width; i++) variance += (x[i] - mean) * (x[i] - mean) / width;
    for (uint32_t i = 0; i < width; i++) x[i] = (x[i] - mean) / sqrt(variance + epsilon) * (double)gain[i] + (double)bias[i];
}

static double largest(const double *x, uint32_t n) {
    double top = -INFINITY;
    for (uint32_t i = 0; i < n; i++) top = fmax(top, x[i]);
    return top;
}

void ref_softmax(double *x, uint32_t n) {
    double top = largest(x, n), sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += x[i] = x[i] == -INFINITY ? 0 : exp(x[i] - top);
    for (uint32_t i = 0; i < n && sum > 0; i++) x[i] /= sum;
}

double ref_log_sum_exp(const double *x, uint32_t n) {
    double top = largest(x, n), sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += exp(x[i] - top);
    return top + log(sum);
}

double ref_segments(double *p, const double *theta, const double *A, uint32_t n) {
    size_t mark = memory_mark();
    double *alpha = memory_take(2 * n * sizeof *alpha), beta[2] = {0};
    alpha[0] = 0, alpha[1] = theta[0];
    for (uint32_t i = 1; i < n; i++)
        for (int to = 0; to < 2; to++) {
            double ways[2] = {alpha[2 * i - 2] + A[to], alpha[2 * i - 1] + A[2 + to]};
            alpha[2 * i + to] = ref_log_sum_exp(ways, 2) + (to ? theta[i] : 0);
        }
    double log_z = ref_log_sum_exp(alpha + 2 * n - 2, 2);
    for (uint32_t i = n; i-- > 0;) {
        double here = theta[i], next[2] = {beta[0], beta[1]};
        p[i] = exp(alpha[2 * i + 1] + beta[1] - log_z); /* theta may be the same array as p */
        for (int from = 0; from < 2; from++) {
            double ways[2] = {A[2 * from] + next[0], A[2 * from + 1] + here + next[1]};
            beta[from] = ref_log_sum_exp(ways, 2);
        }
    }
    memory_release(mark);
    return log_z;
}

void ref_attention(double *out, double *weights, const double *query, const double *keys, const double *values, const uint8_t *visible,
                   uint32_t n, uint32_t stride, uint32_t key_length) {
    for (uint32_t j = 0; j < n; j++) {
        double score = 0;
        for (uint32_t c = 0; c < key_length; c++) score += query[c] * keys[(size_t)j * stride + c];
        weights[j] = visible[j] ? score / sqrt(key_length) : -INFINITY;
    }
    ref_softmax(weights, n);
    for (uint32_t c = 0; c < key_length; c++) {
        out[c] = 0;
        for (uint32_t j = 0; j < n; j++) out[c] += weights[j] * values[(size_t)j * stride + c];
    }
}

void ref_order(const nx_pattern *p, uint32_t *raster) {
    uint32_t n = 0;
    for (; p->kind != NX_LOCAL_2D && n < p->positions; n++) raster[n] = n;
    for (uint32_t r0 = 0; n < p->positions; r0 += p->block_rows)
        for (uint32_t c0 = 0; c0 < p->cols; c0 += p->block_cols)
            for (uint32_t r = r0; r < r0 + p->block_rows && r < p->rows; r++)
                for (uint32_t c = c0; c < c0 + p->block_cols && c < p->cols; c++) raster[n++] = r * p->cols + c;
}

int ref_visible(const nx_pattern *p, const uint32_t *raster, uint32_t i, uint32_t j) {
    if (p->kind == NX_FULL_CAUSAL) return j <= i;
    if (p->kind == NX_LOCAL_1D) return j <= i && (int64_t)j >= (int64_t)p->query_block * (i / p->query_block) - (int64_t)p->memory_block;
    int64_t row = raster[i] / p->cols, col = raster[i] % p->cols, key_row = raster[j] / p->cols, key_col = raster[j] % p->cols;
    int64_t r0 = row - row % p->block_rows, c0 = col - col % p->block_cols, c1 = c0 + p->block_cols, left = c0 - p->flange_cols;
    if (key_row < r0) return key_row >= r0 - p->flange_rows && key_col >= left && key_col < c1 + p->flange_cols;
    if (key_row >= r0 + p->block_rows || key_col >= c1) return 0;
    if (key_col < c0) return key_col >= left;
    return key_row < row || (key_row == row && key_col <= col);
}

/* ---- the model ------------------------------------------------------------------------------------------------------------- */

static const float *table(const toy *m, const char *name) {
    const toy_tensor *t = toy_find(m, name);
    return t ? t->values : NULL;
}

/* The prefix in the names of a layer's tensors, such as enc.blk.7 in "enc.blk.7.attn_q.weight". If `stack` is null, the names have no
 * prefix, as in "output.weight". */
typedef struct {
    const char *stack;
    uint32_t block;
} layer;

static const toy_tensor *part_of(const toy *m, layer l, const char *part, const char *kind) {
    char name[48];
    if (l.stack)
        snprintf(name, sizeof name, "%sblk.%u.%s%s", l.stack, (unsigned)l.block, part, kind);
    else
        snprintf(name, sizeof name, "%s%s", part, kind);
    return toy_find(m, name);
}

float *ref_packed_q8(const float *values, uint32_t rows, uint32_t cols) {
    float *packed = memory_take((size_t)rows * cols * sizeof *packed);
    for (uint32_t r = 0; r < rows; r++, values += cols) {
        float top = 0;
        for (uint32_t c = 0; c < cols; c++) top = fmaxf(top, fabsf(values[c]));
        float inverse = top > 0x1p-100f ? 63.0f / top : 0;
        for (uint32_t c = 0; c < cols; c++) {
            float scaled = values[c] * inverse;
            packed[(size_t)r * cols + c] = (float)((double)scaled + 0x1.8p52 - 0x1.8p52) * (top / 63.0f); /* ties to even */
        }
    }
    return packed;
}

static int is_quantised(uint32_t type) { return type == NX_Q8_0 || type == NX_Q4_0; }

/* Computes out = W x + b for n rows of x. */
static void project(double *out, const toy *m, layer l, const char *part, const double *x, uint32_t rows, uint32_t cols, uint32_t n, int rounded) {
    const toy_tensor *t = part_of(m, l, part, ".weight"), *bias = part_of(m, l, part, ".bias");
    double *copy = memory_take(cols * sizeof *copy);
    const float *weights = t->values;
    if (rounded && t->type == NX_Q8_0) weights = ref_packed_q8(weights, rows, cols);
    for (uint32_t i = 0; i < n; i++, out += rows, x += cols) {
        memcpy(copy, x, cols * sizeof *copy);
        if (rounded && is_quantised(t->type)) ref_round(copy, cols, cols, 127);
        ref_matmul(out, NULL, weights, rows, cols, copy);
        for (uint32_t r = 0; bias && r < rows; r++) out[r] += (double)bias->values[r];
    }
}

static void normalise(double *h, const toy *m, layer l, const char *part, uint32_t n) {
    const float *gain = part_of(m, l, part, ".weight")->values, *bias = part_of(m, l, part, ".bias")->values;
    for (uint32_t i = 0; i < n; i++) ref_layer_norm(h + i * m->config.d, gain, bias, 1e-6, m->config.d);
}

/* Returns the input of a sublayer: h, or the norm of h. */
static double *input_of(double *h, const toy *m, layer l, const char *norm, uint32_t n) {
    double *x = memory_copy(h, (size_t)n * m->config.d * sizeof *h);
    if (m->config.pre_norm) normalise(x, m, l, norm, n);
    return x;
}

/* Adds the output of a sublayer to h. */
static void join(double *h, const double *y, const toy *m, layer l, const char *norm, uint32_t n) {
    for (uint32_t i = 0; i < n * m->config.d; i++) h[i] += y[i];
    if (!m->config.pre_norm) normalise(h, m, l, norm, n);
}

/* Rounds the attention weights of one query in one head, as attention/kv7.c does: multiplies the weights by the scales of the values, and
 * rounds the products to 127 steps. A run of visible positions is divided into groups of 32 positions. The first group begins at a multiple
 * of 16. Each group has its own steps. `values` has the shape (n, stride) and is already rounded. */
static void round_weights(double *weights, const double *values, const uint8_t *visible, uint32_t n, uint32_t stride, uint32_t key_length) {
    double *scale = memory_take(n * sizeof *scale), block[32];
    for (uint32_t j = 0; j < n; j++) {
        scale[j] = 0;
        for (uint32_t c = 0; c < key_length; c++) scale[j] = fmax(scale[j], fabs(values[(size_t)j * stride + c]) / 63);
    }
    for (uint32_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && visible[to] == visible[from]; to++) {}
        for (uint32_t first = from / 16 * 16; visible[from] && first < to; first += 32) {
            for (uint32_t i = 0; i < 32; i++) block[i] = first + i < from || first + i >= to ? 0 : weights[first + i] * scale[first + i];
            ref_round(block, 32, 32, 127);
            for (uint32_t i = 0; i < 32; i++)
                if (first + i >= from && first + i < to && scale[first + i] > 0) weights[first + i] = block[i] / scale[first + i];
        }
    }
}

/* Computes the attention of the n rows of h to `memory`, shape (keys, d), or to h itself if `memory` is null. A row of h attends only to
 * keys whose entry in `visible`, shape (n, keys), is nonzero. Unless null, `kept` receives the weights, shape (heads, n, keys). */
static void attention(double *h, const toy *m, layer l, const char *cross, uint32_t n, double *memory, uint32_t keys, const uint8_t *visible,
                      double *kept, int rounded) {
    const toy_config *g = &m->config;
    uint32_t d = g->d, width = g->heads * g->key_length;
    char name[5][24];
    static const char *const parts[] = {"attn_q", "attn_k", "attn_v", "attn_output", "attn_norm"};
    for (int p = 0; p < 5; p++) snprintf(name[p], sizeof name[p], "%s%s", cross, parts[p]);
    double *x = input_of(h, m, l, name[4], n), *q = memory_take(n * width * sizeof *q), *k = memory_take(keys * width * sizeof *k),
           *v = memory_take(keys * width * sizeof *v), *mixed = memory_take(n * width * sizeof *mixed), *y = memory_take(n * d * sizeof *y),
           *row = memory_take(keys * sizeof *row);
    if (!memory) memory = x;
    int rounded_cache = rounded && is_quantised(part_of(m, (layer){"", 0}, "attn_k", ".weight")->type);
    project(q, m, l, name[0], x, width, d, n, rounded);
    project(k, m, l, name[1], memory, width, d, keys, rounded);
    project(v, m, l, name[2], memory, width, d, keys, rounded);
    if (rounded_cache) {
        ref_round(q, n * width, g->key_length, 127);
        ref_round(k, keys * width, g->key_length, 63);
        ref_round(v, keys * width, g->key_length, 63);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t a = 0; a < g->heads; a++) {
            uint32_t at = a * g->key_length;
            ref_attention(mixed + i * width + at, kept ? kept + ((size_t)a * n + i) * keys : row, q + i * width + at, k + at, v + at,
                          visible + (size_t)i * keys, keys, width, g->key_length);
            if (rounded_cache) {
                if (kept) memcpy(row, kept + ((size_t)a * n + i) * keys, keys * sizeof *row);
                round_weights(row, v + at, visible + (size_t)i * keys, keys, width, g->key_length);
                for (uint32_t c = 0; c < g->key_length; c++) {
                    double *out = mixed + i * width + at + c;
                    *out = 0;
                    for (uint32_t j = 0; j < keys; j++) *out += row[j] * v[(size_t)j * width + at + c];
                }
            }
        }
    project(y, m, l, name[3], mixed, d, width, n, rounded);
    join(h, y, m, l, name[4], n);
}

static void feed_forward(double *h, const toy *m, layer l, uint32_t n, int rounded) {
    uint32_t d = m->config.d, F = *l.stack ? toy_encoder_inner(&m->config) : m->config.inner;
    double *x = input_of(h, m, l, "ffn_norm", n), *inner = memory_take((size_t)n * F * sizeof *inner), *y = memory_take(n * d * sizeof *y);
    project(inner, m, l, "ffn_up", x, F, d, n, rounded);
    for (uint32_t i = 0; i < n * F; i++) inner[i] = fmax(inner[i], 0);
    project(y, m, l, "ffn_down", inner, d, F, n, rounded);
    join(h, y, m, l, "ffn_norm", n);
}

/* Each half of a sinusoidal position embedding with d values encodes one coordinate: the row or the column. Returns value c of the half
 * that encodes coordinate p. */
static double sinusoid(uint32_t p, uint32_t c, uint32_t d) {
    uint32_t F = d / 4, f = c % F;
    double w = F > 1 ? pow(10000, -(double)f / (F - 1)) : 1;
    return c < F ? sin(p * w) : cos(p * w);
}

/* Returns dimension c of the embedding of a position in the stack "enc." or "". */
static double position(const toy *m, const char *stack, uint32_t place, uint32_t cols_in_row, uint32_t c) {
    const toy_config *g = &m->config;
    uint32_t row = place / cols_in_row, col = place % cols_in_row, half = g->d / 2;
    if (g->position == TOY_SINUSOIDAL) return c < half ? sinusoid(row, c, g->d) : sinusoid(col, c - half, g->d);
    const float *rows = table(m, *stack ? "enc.position_row.weight" : "position_row.weight");
    const float *cols = table(m, *stack ? "enc.position_col.weight" : "position_col.weight");
    if (g->position == TOY_LEARNED_WHOLE) return (double)rows[row * g->d + c] + (double)cols[col * g->d + c];
    return c < half ? (double)rows[row * half + c] : (double)cols[col * half + c - half];
}

/* Computes h = W p + b, a vector of d values. p contains the C levels of a pixel, scaled to [-1, 1]. */
static void pixel(double *h, const toy *m, const char *part, const uint32_t *levels, uint32_t n_levels) {
    double x[3];
    for (uint32_t c = 0; c < m->config.channels; c++) x[c] = 2.0 * levels[c] / (n_levels - 1) - 1;
    project(h, m, (layer){NULL, 0}, part, x, m->config.d, m->config.channels, 1, 0);
}

/* Computes the encoder's output, of shape (S, d). */
static double *encode(const toy *m, const uint8_t *input, int rounded) {
    const toy_config *g = &m->config;
    uint32_t S = g->input_height * g->input_width, d = g->d;
    double *h = memory_take((size_t)S * d * sizeof *h);
    uint8_t *visible = memory_take((size_t)S * S);
    memset(visible, 1, (size_t)S * S);
    for (uint32_t i = 0; i < S; i++) {
        uint32_t values[3] = {0};
        for (uint32_t c = 0; c < g->channels; c++) values[c] = input[i * g->channels + c];
        pixel(h + i * d, m, "enc.pixel_embd", values, 256);
        for (uint32_t c = 0; c < d; c++) h[i * d + c] += position(m, "enc.", i, g->input_width, c);
    }
    for (uint32_t b = 0; b < g->encoder_blocks; b++) {
        attention(h, m, (layer){"enc.", b}, "", S, NULL, S, visible, NULL, rounded);
        feed_forward(h, m, (layer){"enc.", b}, S, rounded);
    }
    if (g->pre_norm) normalise(h, m, (layer){NULL, 0}, "enc.output_norm", S);
    return h;
}

/* Computes the input of position i, a vector of d values. The position is at raster index `place`, the position before it at raster index
 * `before`. */
static void embed(double *h, const toy *m, const uint32_t *levels, int32_t label, uint32_t i, uint32_t place, uint32_t before) {
    const toy_config *g = &m->config;
    uint32_t d = g->d, channel = g->palette ? 0 : before % toy_cols(g) % g->channels;
    const float *values = table(m, "token_embd.weight"), *classes = table(m, "class_embd.weight");
    memset(h, 0, d * sizeof *h);
    if (i && g->output == NX_DMOL) pixel(h, m, "pixel_embd", levels + (size_t)(i - 1) * g->channels, g->levels);
    for (uint32_t c = 0; c < d; c++) {
        if (i && g->output != NX_DMOL) h[c] = sqrt(d) * (double)values[(channel * g->levels + levels[i - 1]) * d + c];
        h[c] += position(m, "", place, toy_cols(g), c);
        if (classes && label >= 0) h[c] += (double)classes[(uint32_t)label * d + c];
    }
}

void ref_forward(double *outputs, double *weights, const toy *m, const uint32_t *levels, const uint8_t *input, int32_t label, uint32_t n,
                 int rounded) {
    const toy_config *g = &m->config;
    uint32_t d = g->d, S = g->input_height * g->input_width;
    nx_pattern pattern = toy_pattern(g);
    nx_output distribution = toy_output(g);
    size_t mark = memory_mark();
    double *h = memory_take(n * d * sizeof *h), *source = S ? encode(m, input, rounded) : NULL;
    uint8_t *visible = memory_take((size_t)n * n), *all = memory_take((size_t)n * S);
    uint32_t *raster = memory_take(pattern.positions * sizeof *raster);
    ref_order(&pattern, raster);
    memset(all, 1, (size_t)n * S);
    for (uint32_t i = 0; i < n; i++) {
        embed(h + i * d, m, levels, label, i, raster[i], i ? raster[i - 1] : 0);
        for (uint32_t j = 0; j < n; j++) visible[i * n + j] = (uint8_t)ref_visible(&pattern, raster, i, j);
    }
    for (uint32_t b = 0; b < g->blocks; b++) {
        layer l = {"", b};
        attention(h, m, l, "", n, NULL, n, visible, weights ? weights + (size_t)b * g->heads * n * n : NULL, rounded);
        if (S) attention(h, m, l, "cross_", n, source, S, all, NULL, rounded);
        feed_forward(h, m, l, n, rounded);
    }
    if (g->pre_norm) normalise(h, m, (layer){NULL, 0}, "output_norm", n);
    project(outputs, m, (layer){NULL, 0}, "output", h, nx_output_parameters(&distribution), d, n, rounded);
    memory_release(mark);
}

void ref_draft(double *logits, const toy *m, const uint32_t *levels, uint32_t position, int rounded) {
    const toy_config *g = &m->config;
    const float *offset = table(m, "draft.offset.weight"), *e = table(m, "draft.token_embd.weight"), *N = table(m, "draft.neighbour.weight");
    const float *rows = table(m, "draft.position_row.weight"), *cols = table(m, "draft.position_col.weight");
    int64_t row = position / g->width, col = position % g->width;
    size_t mark = memory_mark();
    double *hidden = memory_take(g->hidden * sizeof *hidden);
    for (uint32_t i = 0; i < g->hidden; i++) {
        hidden[i] = (double)rows[row * g->hidden + i] + (double)cols[col * g->hidden + i];
        for (uint32_t o = 0; o < g->neighbours; o++) {
            int64_t r = row + (int64_t)offset[2 * o], c = col + (int64_t)offset[2 * o + 1];
            if (r < 0 || c < 0 || c >= g->width) continue;
            uint32_t v = levels[r * g->width + c];
            for (uint32_t k = 0; k < g->rank; k++) hidden[i] += (double)N[(o * g->hidden + i) * g->rank + k] * (double)e[v * g->rank + k];
        }
        hidden[i] = fmax(hidden[i], 0);
    }
    project(logits, m, (layer){NULL, 0}, "draft.output", hidden, g->levels, g->hidden, 1, rounded);
    memory_release(mark);
}

/* ---- distributions --------------------------------------------------------------------------------------------------------- */

static double softplus(double z) { return fmax(z, 0) + log1p(exp(-fabs(z))); }

/* Returns ln of the cumulative distribution function of the standard normal distribution. Far below the mean, where erfc vanishes, the
 * function uses the asymptotic series. */
static double normal_log_cdf(double z) {
    if (z > -30) return log(erfc(-z / sqrt(2)) / 2);
    return -z * z / 2 - log(-z * sqrt(2 * 3.14159265358979324)) + log1p(-1 / (z * z) + 3 / (z * z * z * z));
}

double ref_least_mass = 1e-5;
int ref_exact_mass;

/* Computes V log-masses of a discretised logistic or normal distribution, with the rule for small masses that training uses [Salimans 2017,
 * and its code]. If `exact` is 1, computes the masses of a logistic distribution without this rule. */
static void discretised(double *out, uint32_t levels, int gaussian, double mean, double log_scale, int exact) {
    double s = fmax(log_scale, -7), half = 1.0 / (levels - 1), scale = exp(-s);
    for (uint32_t v = 0; v < levels; v++) {
        double z = (2.0 * v / (levels - 1) - 1 - mean) * scale, low = z - half * scale, high = z + half * scale, mass;
        double density = gaussian ? -z * z / 2 - log(sqrt(2 * 3.14159265358979324)) : -z - 2 * softplus(-z);
        if (gaussian) /* computes the difference on the side where both values are small */
            mass = (z > 0 ? erfc(low / sqrt(2)) - erfc(high / sqrt(2)) : erfc(-high / sqrt(2)) - erfc(-low / sqrt(2))) / 2;
        else
            mass = 1 / (1 + exp(-high)) - 1 / (1 + exp(-low));
        if (v == 0)
            out[v] = gaussian ? normal_log_cdf(high) : -softplus(-high);
        else if (v == levels - 1)
            out[v] = gaussian ? normal_log_cdf(-low) : -softplus(low);
        else if (exact) /* sigma(high) - sigma(low) = (1 - e^(low - high)) sigma(high) sigma(-low) */
            out[v] = log(-expm1(-2 * half * scale)) - softplus(-high) - softplus(low);
        else
            out[v] = mass > ref_least_mass ? log(mass) : density - s + log(2 * half);
    }
}

void ref_output(double *logits, const nx_output *o, const double *parameters, const uint32_t *earlier, uint32_t index) {
    uint32_t V = o->values, K = o->mixtures, per_channel = o->elements == 3 ? 3 * K : 2 * K;
    static double component[NX_MAX_MIXTURES][NX_MAX_LEVELS]; /* the array is too large for the stack */
    double weight[NX_MAX_MIXTURES], terms[NX_MAX_MIXTURES], x[3];
    switch (o->kind) {
    case NX_CATEGORICAL:
        memcpy(logits, parameters, V * sizeof *logits);
        return;
    case NX_BERNOULLI: /* ln(1 - p), ln p */
        logits[0] = -softplus(parameters[0]);
        logits[1] = -softplus(-parameters[0]);
        return;
    case NX_LOGISTIC:
    case NX_GAUSSIAN:
        discretised(logits, V, o->kind == NX_GAUSSIAN, parameters[0], parameters[1], 0);
        return;
    case NX_DMOL: break;
    }
    for (uint32_t c = 0; c < index; c++) x[c] = 2.0 * earlier[c] / (V - 1) - 1;
    for (uint32_t k = 0; k < K; k++) {
        const double *R = parameters + K + k, *G = R + 3 * K, *B = G + 3 * K;
        weight[k] = parameters[k];
        for (uint32_t c = 0; c <= index; c++) {
            double mean = parameters[K + c * per_channel + k], log_scale = parameters[K + c * per_channel + K + k];
            if (c == 1) mean += tanh(R[2 * K]) * x[0];
            if (c == 2) mean += tanh(G[2 * K]) * x[0] + tanh(B[2 * K]) * x[1];
            discretised(component[k], V, 0, mean, log_scale, ref_exact_mass && c == index);
            if (c < index) weight[k] += component[k][earlier[c]];
        }
    }
    double total = ref_log_sum_exp(weight, K);
    for (uint32_t v = 0; v < V; v++) {
        for (uint32_t k = 0; k < K; k++) terms[k] = weight[k] - total + component[k][v];
        logits[v] = ref_log_sum_exp(terms, K);
    }
}

void ref_filter(double *p, const float *logits, uint32_t levels, double temperature, uint32_t top_k, double top_p) {
    uint8_t taken[NX_MAX_LEVELS] = {0};
    double total = 0, mass = 0;
    for (uint32_t v = 0; v < levels; v++) p[v] = (double)logits[v] / temperature;
    ref_softmax(p, levels);
    if (!top_k || top_k > levels) top_k = levels;
    for (int pass = 0; pass < 2; pass++) { /* pass 0: the mass of the k most probable values; pass 1: as many of them as needed */
        memset(taken, 0, sizeof taken);
        for (uint32_t i = 0; i < top_k; i++) {
            uint32_t best = levels;
            for (uint32_t v = 0; v < levels; v++)
                if (!taken[v] && (best == levels || p[v] > p[best])) best = v;
            if (pass && i && mass >= top_p * total && top_p < 1) break;
            taken[best] = 1;
            *(pass ? &mass : &total) += p[best];
        }
    }
    double kept = 0;
    for (uint32_t v = 0; v < levels; v++) kept += taken[v] ? p[v] : 0;
    for (uint32_t v = 0; v < levels; v++) p[v] = taken[v] ? p[v] / kept : 0;
}

/* Orders the values by `score`, the largest first; of equal scores, the lowest value first. */
static void ref_order_by(const double *score, uint32_t n, uint32_t *order) {
    for (uint32_t v = 0; v < n; v++) {
        uint32_t at = v;
        for (; at > 0 && score[v] > score[order[at - 1]]; at--) order[at] = order[at - 1];
        order[at] = v;
    }
}

/* Keeps values in the given order until their mass reaches a bound or, if `more` is 1, exceeds it. At least one value and at most `most`
 * values are kept. */
static void ref_keep(double *p, uint32_t n, const uint32_t *order, uint32_t most, double mass, int more) {
    double sum = 0, kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        int enough = i >= most || (i && (more ? sum > mass : sum >= mass && mass < 1));
        sum += p[order[i]];
        if (enough) p[order[i]] = 0;
        kept += p[order[i]];
    }
    for (uint32_t v = 0; v < n; v++) p[v] /= kept;
}

static void ref_temper(double *p, uint32_t n, double temperature) {
    for (uint32_t v = 0; v < n; v++) p[v] = p[v] > 0 ? log(p[v]) / temperature : -INFINITY;
    ref_softmax(p, n);
}

void ref_chain(double *p, const float *logits, uint32_t levels, const nx_settings *filter) {
    size_t mark = memory_mark();
    uint32_t *order = memory_take(levels * sizeof *order);
    double *score = memory_take(levels * sizeof *score), entropy = 0, best = 0, kept = 0, temperature = (double)filter->temperature;
    for (uint32_t v = 0; v < levels; v++) p[v] = (double)logits[v];
    ref_softmax(p, levels);
    if (!filter->temperature_last) ref_temper(p, levels, temperature);
    ref_order_by(p, levels, order);
    if (filter->top_k) ref_keep(p, levels, order, filter->top_k, 2, 0);
    if (filter->typical_p > 0 && filter->typical_p < 1) {
        for (uint32_t v = 0; v < levels; v++) entropy -= p[v] > 0 ? p[v] * log(p[v]) : 0;
        for (uint32_t v = 0; v < levels; v++) score[v] = p[v] > 0 ? -fabs(-log(p[v]) - entropy) : -INFINITY;
        ref_order_by(score, levels, order);
        ref_keep(p, levels, order, levels, (double)filter->typical_p, 1);
    }
    ref_order_by(p, levels, order);
    ref_keep(p, levels, order, levels, (double)filter->top_p, 0);
    for (uint32_t v = 0; v < levels; v++) best = fmax(best, p[v]);
    for (uint32_t v = 0; v < levels; v++) {
        if (p[v] < (double)filter->min_p * best) p[v] = 0;
        kept += p[v];
    }
    for (uint32_t v = 0; v < levels; v++) p[v] /= kept;
    if (filter->temperature_last) ref_temper(p, levels, temperature);
    memory_release(mark);
}

double ref_chi_squared_limit(double freedom) {
    double z = 3.0902323061678132, a = 2 / (9 * freedom), root = 1 - a + z * sqrt(a);
    return freedom * root * root * root;
}

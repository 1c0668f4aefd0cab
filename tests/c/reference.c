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

void ref_round_q8(double *x, uint32_t n) {
    for (uint32_t b = 0; b < n; b += 32) {
        double largest = 0;
        for (uint32_t i = b; i < b + 32; i++) largest = fmax(largest, fabs(x[i]));
        for (uint32_t i = b; largest > 0 && i < b + 32; i++) x[i] = rint(x[i] * 127 / largest) * largest / 127;
    }
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

int ref_visible(uint32_t l_q, uint32_t l_m, uint32_t i, uint32_t j) {
    return j <= i && (!l_q || (int64_t)j >= (int64_t)l_q * (i / l_q) - (int64_t)l_m);
}

/* ---- the model ------------------------------------------------------------------------------------------------------------- */

static const float *table(const toy *m, const char *name) {
    const toy_tensor *t = toy_find(m, name);
    return t ? t->values : NULL;
}

#define NO_BLOCK UINT32_MAX

static const toy_tensor *part_of(const toy *m, uint32_t block, const char *part, const char *suffix) {
    char name[48];
    if (block == NO_BLOCK)
        snprintf(name, sizeof name, "%s%s", part, suffix);
    else
        snprintf(name, sizeof name, "blk.%u.%s%s", (unsigned)block, part, suffix);
    return toy_find(m, name);
}

/* out = W x + b for n rows of x. */
static void project(double *out, const toy *m, uint32_t block, const char *part, const double *x, uint32_t rows, uint32_t cols, uint32_t n,
                    int rounded) {
    const toy_tensor *t = part_of(m, block, part, ".weight"), *bias = part_of(m, block, part, ".bias");
    double *copy = memory_take(cols * sizeof *copy);
    for (uint32_t i = 0; i < n; i++, out += rows, x += cols) {
        memcpy(copy, x, cols * sizeof *copy);
        if (rounded && t->type == NX_Q8_0) ref_round_q8(copy, cols);
        ref_matmul(out, NULL, t->values, rows, cols, copy);
        for (uint32_t r = 0; bias && r < rows; r++) out[r] += (double)bias->values[r];
    }
}

static void normalise(double *h, const toy *m, uint32_t block, const char *part, uint32_t n) {
    const float *gain = part_of(m, block, part, ".weight")->values, *bias = part_of(m, block, part, ".bias")->values;
    for (uint32_t i = 0; i < n; i++) ref_layer_norm(h + i * m->config.d, gain, bias, 1e-6, m->config.d);
}

/* One number of the sinusoidal positions: dimension c of half a vector of d numbers, for position p of an axis. */
static double sinusoid(uint32_t p, uint32_t c, uint32_t d) {
    uint32_t F = d / 4, f = c % F;
    double w = F > 1 ? pow(10000, -(double)f / (F - 1)) : 1;
    return c < F ? sin(p * w) : cos(p * w);
}

static double position(const toy *m, uint32_t i, uint32_t c) {
    const toy_config *g = &m->config;
    uint32_t per_row = g->width * g->channels, row = i / per_row, col = i % per_row, half = g->d / 2;
    const float *rows = table(m, "position_row.weight"), *cols = table(m, "position_col.weight");
    if (g->position == TOY_SINUSOIDAL) return c < half ? sinusoid(row, c, g->d) : sinusoid(col, c - half, g->d);
    if (g->position == TOY_LEARNED_WHOLE) return (double)rows[row * g->d + c] + (double)cols[col * g->d + c];
    return c < half ? (double)rows[row * half + c] : (double)cols[col * half + c - half];
}

void ref_forward(double *logits, double *weights, const toy *m, const uint8_t *levels, int32_t label, uint32_t n, int rounded) {
    const toy_config *g = &m->config;
    uint32_t d = g->d, width = g->heads * g->key_length;
    size_t mark = memory_mark();
    double *h = memory_take(n * d * sizeof *h), *q = memory_take(n * width * sizeof *q), *k = memory_take(n * width * sizeof *k),
           *v = memory_take(n * width * sizeof *v), *mixed = memory_take(n * width * sizeof *mixed), *y = memory_take(n * d * sizeof *y),
           *inner = memory_take((size_t)n * g->inner * sizeof *inner), *row = memory_take(n * sizeof *row);
    uint8_t *visible = memory_take(n);
    const float *embedding = table(m, "token_embd.weight"), *classes = table(m, "class_embd.weight");

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < d; c++) {
            double x = position(m, i, c);
            if (i) x += sqrt(d) * (double)embedding[(((i - 1) % g->channels) * g->levels + levels[i - 1]) * d + c];
            if (classes && label >= 0) x += (double)classes[(uint32_t)label * d + c];
            h[i * d + c] = x;
        }
    for (uint32_t b = 0; b < g->blocks; b++) {
        project(q, m, b, "attn_q", h, width, d, n, rounded);
        project(k, m, b, "attn_k", h, width, d, n, rounded);
        project(v, m, b, "attn_v", h, width, d, n, rounded);
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < n; j++) visible[j] = (uint8_t)ref_visible(g->local ? g->query_block : 0, g->memory_block, i, j);
            for (uint32_t a = 0; a < g->heads; a++) {
                uint32_t at = a * g->key_length;
                double *kept = weights ? weights + (((size_t)b * g->heads + a) * n + i) * n : row;
                ref_attention(mixed + i * width + at, kept, q + i * width + at, k + at, v + at, visible, n, width, g->key_length);
            }
        }
        project(y, m, b, "attn_output", mixed, d, width, n, rounded);
        for (uint32_t i = 0; i < n * d; i++) h[i] += y[i];
        normalise(h, m, b, "attn_norm", n);
        project(inner, m, b, "ffn_up", h, g->inner, d, n, rounded);
        for (uint32_t i = 0; i < n * g->inner; i++) inner[i] = fmax(inner[i], 0);
        project(y, m, b, "ffn_down", inner, d, g->inner, n, rounded);
        for (uint32_t i = 0; i < n * d; i++) h[i] += y[i];
        normalise(h, m, b, "ffn_norm", n);
    }
    project(logits, m, NO_BLOCK, "output", h, g->levels, d, n, rounded);
    memory_release(mark);
}

/* ---- distributions --------------------------------------------------------------------------------------------------------- */

void ref_filter(double *p, const float *logits, uint32_t levels, double temperature, uint32_t top_k, double top_p) {
    uint8_t taken[NX_MAX_LEVELS] = {0};
    double total = 0, mass = 0;
    for (uint32_t v = 0; v < levels; v++) p[v] = (double)logits[v] / temperature;
    ref_softmax(p, levels);
    if (!top_k || top_k > levels) top_k = levels;
    for (int pass = 0; pass < 2; pass++) { /* the mass of the k most probable; then of these until there is enough */
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

double ref_chi_squared_limit(double freedom) {
    double z = 3.0902323061678132, a = 2 / (9 * freedom), root = 1 - a + z * sqrt(a);
    return freedom * root * root * root;
}

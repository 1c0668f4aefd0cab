/* SPDX-License-Identifier: MIT
 *
 * Compares the Llama family with its equations in double precision. In the equations, each token attends to all earlier tokens, without a
 * cache.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "gguf.h"
#include "kernels/kernels.h"
#include "models/toy_llama.h"
#include "one_sample.h"
#include "reference.h"
#include "session/session.h"

/* Tolerance for the single-precision error after two blocks, for logits with a standard deviation of about 1. */
#define TOLERANCE 2e-5
/* Tolerance for the error from rounding activations, keys, values and Q8_0 weights, relative to the standard deviation of the logits. The
 * measured error was 0.14. */
#define ROUNDED_TOLERANCE 0.25

/* ---- toys ------------------------------------------------------------------------------------------------------------------- */

static const char *const names[] = {"llama",   "qwen2",  "qwen3",   "gemma3",  "gemma2", "gemma",   "olmo2",
                                    "exaone4", "exaone", "smollm3", "granite", "phi3",   "ernie4_5"};

/* The multipliers and caps of the granite toys, and the caps of gemma2. */
static const float embedding_scale = 3, residual_scale = 0.4f, attention_scale = 0.3f, logit_scale = 2.5f, score_cap = 1.5f, logit_cap = 2;

static int norms_after(const toy_llama_config *c) { return c->kin == OLMO2 || c->kin == EXAONE4; }
static int norms_both(const toy_llama_config *c) { return c->kin == GEMMA3 || c->kin == GEMMA2; }
static int norms_heads(const toy_llama_config *c) { return c->kin == QWEN3 || c->kin == GEMMA3 || c->kin == EXAONE4; }
static int is_gemma(const toy_llama_config *c) { return c->kin >= GEMMA3 && c->kin <= GEMMA; }

static uint32_t key_length_of(const toy_llama_config *c) { return c->key_length ? c->key_length : c->d / c->heads; }

static void add(toy_llama *m, const char *name, uint32_t rows, uint32_t cols, uint32_t type, double mean, double spread) {
    toy_tensor *t = m->tensor + m->n_tensors++;
    check_random random = {m->config.seed ^ check_hash(0, name, strlen(name))};
    strcpy(t->name, name);
    t->rows = rows, t->cols = cols, t->type = type;
    t->values = memory_take((size_t)rows * cols * sizeof *t->values);
    for (uint32_t i = 0; i < rows * cols; i++) t->values[i] = (float)(mean + spread * random_normal(&random));
}

toy_llama *toy_llama_build(const toy_llama_config *c) {
    toy_llama *m = memory_take(sizeof *m);
    uint32_t k = key_length_of(c), type = c->type, d = c->d;
    *m = (toy_llama){.config = *c, .tensor = memory_take((4 + 20 * c->blocks) * sizeof *m->tensor)};
    double into_d = 1 / sqrt((double)d);
    add(m, "token_embd.weight", c->values, d, type, 0, 1);
    for (uint32_t b = 0; b < c->blocks; b++) {
        char name[48];
#define ADD(part, ...) sprintf(name, "blk.%u." part, (unsigned)b), add(m, name, __VA_ARGS__)
        uint32_t H = c->heads * k, G = c->groups * k;
        if (!norms_after(c)) ADD("attn_norm.weight", 1, d, NX_F32, 1, 0.2);
        if (c->joined)
            ADD("attn_qkv.weight", H + 2 * G, d, type, 0, 1.5 * into_d);
        else {
            ADD("attn_q.weight", H, d, type, 0, 1.5 * into_d);
            ADD("attn_k.weight", G, d, type, 0, 1.5 * into_d);
            ADD("attn_v.weight", G, d, type, 0, into_d);
        }
        ADD("attn_output.weight", d, H, type, 0, 1 / sqrt((double)H));
        if (c->biases) {
            ADD("attn_q.bias", 1, c->heads * k, NX_F32, 0, 0.3);
            ADD("attn_k.bias", 1, c->groups * k, NX_F32, 0, 0.3);
            ADD("attn_v.bias", 1, c->groups * k, NX_F32, 0, 0.3);
        }
        if (c->biases > 1) {
            ADD("attn_output.bias", 1, d, NX_F32, 0, 0.3);
            ADD("ffn_gate.bias", 1, c->inner, NX_F32, 0, 0.3);
            ADD("ffn_up.bias", 1, c->inner, NX_F32, 0, 0.3);
            ADD("ffn_down.bias", 1, d, NX_F32, 0, 0.3);
        }
        if (norms_heads(c) || c->kin == OLMO2) {
            ADD("attn_q_norm.weight", 1, norms_heads(c) ? k : H, NX_F32, 1, 0.2);
            ADD("attn_k_norm.weight", 1, norms_heads(c) ? k : G, NX_F32, 1, 0.2);
        }
        if (norms_after(c) || norms_both(c)) {
            ADD("post_attention_norm.weight", 1, d, NX_F32, 1, 0.2);
            ADD("post_ffw_norm.weight", 1, d, NX_F32, 1, 0.2);
        }
        if (!norms_after(c)) ADD("ffn_norm.weight", 1, d, NX_F32, 1, 0.2);
        if (!c->joined) ADD("ffn_gate.weight", c->inner, d, type, 0, into_d);
        ADD("ffn_up.weight", c->joined ? 2 * c->inner : c->inner, d, type, 0, into_d);
        ADD("ffn_down.weight", d, c->inner, type, 0, 1 / sqrt((double)c->inner));
#undef ADD
    }
    if (c->stretched) {
        uint32_t half = (c->rotated ? c->rotated : k) / 2;
        add(m, c->kin == PHI3 ? "rope_factors_short.weight" : "rope_freqs.weight", 1, half, NX_F32, 0, 1);
        float *stretch = m->tensor[m->n_tensors - 1].values;
        for (uint32_t i = 0; i < half; i++) stretch[i] = 1 + stretch[i] * stretch[i];
    }
    add(m, "output_norm.weight", 1, d, NX_F32, 1, 0.2);
    if (!c->tied) add(m, "output.weight", c->values, d, type, 0, into_d);
    toy_file head = {0}, data = {0};
    char name[64];
    uint32_t keys = 9 + (c->key_length > 0) + (c->rotated > 0) + (c->end > 0) + (c->base > 0) + 2 * (c->scaling > 0) + (c->tokens > 0) +
                    (c->window > 0) + (c->pattern > 0) + (c->yarn > 0) + 2 * (c->turns[0] > 0) + 4 * (c->kin == GRANITE) + 2 * (c->kin == GEMMA2) +
                    2 * (c->kin == PHI3 && c->stretched);
#define KEY(kind, text, value) sprintf(name, "%s." text, names[c->kin]), put_key_##kind(&head, name, value)
    put_header(&head, m->n_tensors, keys);
    put_key_text(&head, "general.architecture", names[c->kin]);
    KEY(u32, "context_length", c->length);
    KEY(u32, "block_count", c->blocks);
    KEY(u32, "embedding_length", d);
    KEY(u32, "feed_forward_length", c->inner);
    KEY(u32, "attention.head_count", c->heads);
    KEY(u32, "attention.head_count_kv", c->groups);
    KEY(f32, "attention.layer_norm_rms_epsilon", 1e-5f);
    KEY(u32, "vocab_size", c->values);
    if (c->key_length) KEY(u32, "attention.key_length", c->key_length);
    if (c->rotated) KEY(u32, "rope.dimension_count", c->rotated);
    if (c->end) put_key_u32(&head, "tokenizer.ggml.eos_token_id", c->end - 1);
    if (c->base > 0) KEY(f32, "rope.freq_base", c->base);
    if (c->scaling > 0) KEY(text, "rope.scaling.type", c->yarn ? "yarn" : "linear");
    if (c->scaling > 0) KEY(f32, "rope.scaling.factor", c->scaling);
    if (c->window) KEY(u32, "attention.sliding_window", c->window);
    if (c->pattern) KEY(u32, "attention.sliding_window_pattern", c->pattern);
    if (c->yarn) KEY(u32, "rope.scaling.original_context_length", c->yarn);
    if (c->turns[0] > 0) {
        KEY(f32, "rope.scaling.yarn_beta_fast", c->turns[0]);
        KEY(f32, "rope.scaling.yarn_beta_slow", c->turns[1]);
    }
    if (c->kin == GRANITE) {
        KEY(f32, "embedding_scale", embedding_scale);
        KEY(f32, "residual_scale", residual_scale);
        KEY(f32, "attention.scale", attention_scale);
        KEY(f32, "logit_scale", logit_scale);
    }
    if (c->kin == GEMMA2) {
        KEY(f32, "attn_logit_softcapping", score_cap);
        KEY(f32, "final_logit_softcapping", logit_cap);
    }
    if (c->kin == PHI3 && c->stretched) {
        KEY(u32, "rope.scaling.original_context_length", c->length / 2);
        KEY(f32, "rope.scaling.attn_factor", 1.25f);
    }
    if (c->tokens) put_key_texts(&head, "tokenizer.ggml.tokens", c->tokens);
#undef KEY
    for (uint32_t i = 0; i < m->n_tensors; i++) put_tensor(&head, &data, m->tensor + i);
    while (head.length % 32) put_bytes(&head, "", 1);
    put_bytes(&head, data.bytes, data.length);
    m->file = head;
    return m;
}

nx_model *toy_llama_open(const toy_llama *m) { return toy_file_open(&m->file); }

static toy_file toy_number(uint32_t number) {
    static const toy_llama_config configs[] = {
        {.values = 40, .length = 60, .blocks = 2, .d = 32, .inner = 64, .heads = 4, .groups = 2, .tied = 1, .seed = 5},
        /* keys and values are rounded too */
        {.values = 40, .length = 60, .blocks = 2, .d = 32, .inner = 64, .heads = 4, .groups = 2, .key_length = 32, .tied = 1, .type = NX_Q8_0, .seed = 5},
        {.values = 9, .length = 12, .blocks = 1, .d = 8, .inner = 4, .heads = 2, .groups = 1, .biases = 1, .end = 3, .seed = 1},
        {.values = 16, .length = 9, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .groups = 1, .tied = 1, .rotated = 6, .base = 100, .type = NX_Q8_0, .seed = 2},
        {.values = 7, .length = 10, .blocks = 1, .d = 8, .inner = 4, .heads = 1, .groups = 1, .biases = 2, .stretched = 1, .scaling = 2, .tokens = 7, .seed = 3},
        {.values = 9, .length = 12, .blocks = 2, .d = 8, .inner = 8, .heads = 2, .groups = 2, .tied = 1, .biases = 1, .kin = QWEN2, .end = 2, .seed = 4},
        {.values = 12, .length = 12, .blocks = 1, .d = 32, .inner = 32, .heads = 2, .groups = 1, .biases = 1, .kin = QWEN2, .type = NX_Q4_0, .seed = 5},
        {.values = 30, .length = 40, .blocks = 1, .d = 32, .inner = 32, .heads = 2, .groups = 1, .key_length = 32, .tied = 1, .kin = QWEN3, .type = NX_Q8_0, .seed = 6},
        {.values = 30, .length = 40, .blocks = 6, .d = 16, .inner = 16, .heads = 2, .groups = 1, .key_length = 16, .tied = 1, .kin = GEMMA3, .window = 4, .seed = 7},
        {.values = 12, .length = 24, .blocks = 2, .d = 32, .inner = 32, .heads = 2, .groups = 1, .key_length = 32, .tied = 1, .kin = GEMMA2, .window = 4, .type = NX_Q8_0, .seed = 8},
        {.values = 9, .length = 20, .blocks = 1, .d = 16, .inner = 16, .heads = 1, .groups = 1, .kin = PHI3, .window = 5, .joined = 1, .stretched = 1, .seed = 9},
        {.values = 9, .length = 12, .blocks = 1, .d = 8, .inner = 8, .heads = 1, .groups = 1, .tied = 1, .kin = GRANITE, .yarn = 6, .scaling = 2, .seed = 10},
        {.values = 9, .length = 12, .blocks = 4, .d = 16, .inner = 8, .heads = 1, .groups = 1, .tied = 1, .kin = EXAONE4, .window = 3, .pattern = 2, .seed = 11},
    };
    return toy_llama_build(configs + number)->file;
}

/* Runs are shorter than the context. */
const toy_row llama_toys[] = {
    {"llama", TOY_RUN | TOY_SHAPED | TOY_SEARCH, toy_number, 0, {.length = 27}},
    {"llama, rounded", TOY_RUN, toy_number, 1, {.length = 27}},
    {"llama, rounded, keys of 16 bits", TOY_RUN, toy_number, 1, {.length = 27, .key_bits = 16}},
    {NULL, TOY_SEED, toy_number, 2, {0}},
    {NULL, TOY_SEED, toy_number, 3, {0}},
    {NULL, TOY_SEED, toy_number, 4, {0}},
    {NULL, TOY_SEED, toy_number, 5, {0}},
    {NULL, TOY_SEED, toy_number, 6, {0}},
    {"qwen3", TOY_RUN | TOY_SEED, toy_number, 7, {.length = 27}},
    {"gemma3", TOY_RUN, toy_number, 8, {.length = 27}},
    {"gemma2", TOY_RUN | TOY_SEED, toy_number, 9, {.length = 17}},
    {NULL, TOY_SEED, toy_number, 10, {0}},
    {NULL, TOY_SEED, toy_number, 11, {0}},
    {NULL, TOY_SEED, toy_number, 12, {0}},
    {0},
};

/* ---- the reference ---------------------------------------------------------------------------------------------------------- */

static const float *weights(const toy_llama *m, const char *format, uint32_t block) {
    char name[48];
    sprintf(name, format, (unsigned)block);
    for (uint32_t i = 0; i < m->n_tensors; i++)
        if (!strcmp(m->tensor[i].name, name)) return m->tensor[i].values;
    return NULL;
}

static void rms_norm(double *out, const double *x, const float *gain, uint32_t d) {
    double squares = 0;
    for (uint32_t i = 0; i < d; i++) squares += x[i] * x[i];
    for (uint32_t i = 0; i < d; i++) out[i] = (double)gain[i] * x[i] / sqrt(squares / d + 1e-5);
}

static void linear(double *out, const float *w, const float *bias, uint32_t rows, uint32_t cols, const double *x) {
    ref_matmul(out, NULL, w, rows, cols, x);
    for (uint32_t r = 0; bias && r < rows; r++) out[r] += (double)bias[r];
}

/* Computes the rotation angles of a position, one for each pair of rotated dimensions. `local` says whether the block sees only the most
 * recent ids. */
static void angles_of(const toy_llama *m, double *angle, uint32_t position, int local) {
    const toy_llama_config *c = &m->config;
    uint32_t rotated = c->rotated ? c->rotated : key_length_of(c);
    int apart = local && (c->kin == GEMMA3 || c->kin == OLMO2);
    double base = apart && c->kin == GEMMA3 ? 10000 : c->base > 0 ? (double)c->base : c->kin == GEMMA3 ? 1e6 : 10000;
    double scaling = c->scaling > 0 && !apart ? (double)c->scaling : 1, pi = acos(-1);
    const float *stretch = apart ? NULL : weights(m, c->kin == PHI3 ? "rope_factors_short.weight" : "rope_freqs.weight", 0);
    for (uint32_t i = 0; i < rotated / 2; i++) {
        double frequency = pow(base, -2.0 * i / rotated), share = 1; /* share: weight of the scaled frequency in the interpolation */
        /* `share` depends on how many full turns a pair makes over the training positions: it is 1 below turns[1] turns, and 0 above
         * turns[0] turns */
        if (c->yarn && !apart) {
            double pair[2], fast = c->turns[0] > 0 ? (double)c->turns[0] : 32, slow = c->turns[0] > 0 ? (double)c->turns[1] : 1;
            for (int e = 0; e < 2; e++) pair[e] = fmax(0, rotated * log(c->yarn / ((e ? slow : fast) * 2 * pi)) / (2 * log(base)));
            double first = floor(pair[0]), last = fmin(floor(pair[1]) + 1, rotated - 1);
            share = fmin(1, fmax(0, (i - first) / (last - first)));
        }
        angle[i] = position * frequency * (share / scaling + 1 - share) / (stretch ? (double)stretch[i] : 1);
    }
}

static void rotate(const toy_llama *m, double *heads, uint32_t n, uint32_t position, int local) {
    const toy_llama_config *c = &m->config;
    uint32_t k = key_length_of(c), rotated = c->rotated ? c->rotated : k;
    int halves = c->kin != LLAMA && c->kin != SMOLLM3 && c->kin != GRANITE && c->kin != ERNIE4_5;
    double angle[64], length = c->yarn ? 1 + 0.1 * log((double)c->scaling) : c->kin == PHI3 && c->stretched ? 1.25 : 1;
    angles_of(m, angle, position, local);
    for (uint32_t h = 0; h < n; h++)
        for (uint32_t i = 0; i < rotated / 2; i++) {
            uint32_t first = h * k + (halves ? i : 2 * i), second = halves ? first + rotated / 2 : first + 1;
            double a = heads[first], b = heads[second];
            heads[first] = length * (a * cos(angle[i]) - b * sin(angle[i]));
            heads[second] = length * (a * sin(angle[i]) + b * cos(angle[i]));
        }
}

/* Normalises queries or keys (n heads of k numbers) if the architecture normalises them. */
static void norm_heads(const toy_llama *m, const char *name, uint32_t block, double *x, uint32_t n, uint32_t k) {
    const toy_llama_config *c = &m->config;
    for (uint32_t h = 0; norms_heads(c) && h < n; h++) rms_norm(x + h * k, x + h * k, weights(m, name, block), k);
    if (c->kin == OLMO2) rms_norm(x, x, weights(m, name, block), n * k);
}

/* Adds y to x. Before that, y is normalised or scaled if the architecture requires it. */
static void add_to(const toy_llama *m, double *x, double *y, const float *norm, uint32_t d) {
    if (norm) rms_norm(y, y, norm, d);
    for (uint32_t e = 0; e < d; e++) x[e] += y[e] * (m->config.kin == GRANITE ? (double)residual_scale : 1);
}

static double gate_of(const toy_llama_config *c, double x) {
    if (!is_gemma(c)) return x / (1 + exp(-x));
    return x / 2 * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}

static double capped(double x, double cap) { return cap > 0 ? cap * tanh(x / cap) : x; }

/* Computes the logits after each of n ids, shape (n, V). */
static double *twin(const toy_llama *m, const uint32_t *ids, uint32_t n) {
    const toy_llama_config *c = &m->config;
    uint32_t d = c->d, k = key_length_of(c), H = c->heads, G = c->groups;
    double *x = memory_take(n * d * sizeof *x), *out = memory_take((size_t)n * c->values * sizeof *out), *h = memory_take(d * sizeof *h), *y = memory_take(d * sizeof *y);
    double *q = memory_take(H * k * sizeof *q), *keys = memory_take(n * G * k * sizeof *keys), *values = memory_take(n * G * k * sizeof *values);
    double *mixed = memory_take(H * k * sizeof *mixed), *gate = memory_take(c->inner * sizeof *gate), *up = memory_take(c->inner * sizeof *up), *score = memory_take(n * sizeof *score);
    const float *embedding = weights(m, "token_embd.weight", 0), *head = weights(m, "output.weight", 0);
    double begins = is_gemma(c) ? sqrt(d) : c->kin == GRANITE ? (double)embedding_scale : 1;
    double per_score = c->kin == GRANITE ? (double)attention_scale : 1 / sqrt((double)k), cap = c->kin == GEMMA2 ? (double)score_cap : 0;
    uint32_t period = c->pattern ? c->pattern : c->kin == GEMMA3 ? 6 : c->kin == GEMMA2 ? 2 : c->kin == PHI3 ? UINT32_MAX : 4;
    for (uint32_t i = 0; i < n * d; i++) x[i] = begins * (double)embedding[ids[i / d] * d + i % d];
    for (uint32_t b = 0; b < c->blocks; b++) {
        const float *norm = weights(m, "blk.%u.attn_norm.weight", b), *inner_norm = weights(m, "blk.%u.ffn_norm.weight", b);
        const float *wq = weights(m, "blk.%u.attn_q.weight", b), *wk = weights(m, "blk.%u.attn_k.weight", b), *wv = weights(m, "blk.%u.attn_v.weight", b);
        const float *wgate = weights(m, "blk.%u.ffn_gate.weight", b), *wup = weights(m, "blk.%u.ffn_up.weight", b);
        if (c->joined) {
            wq = weights(m, "blk.%u.attn_qkv.weight", b), wk = wq + H * k * d, wv = wk + G * k * d;
            wgate = wup, wup = wgate + c->inner * d;
        }
        int local = c->window && (b + 1) % period, turned = c->kin == SMOLLM3 ? (b + 1) % 4 != 0 : c->kin == EXAONE4 && c->window ? local : 1;
        for (uint32_t i = 0; i < n; i++) {
            memcpy(h, x + i * d, d * sizeof *h);
            if (norm) rms_norm(h, h, norm, d);
            linear(keys + i * G * k, wk, weights(m, "blk.%u.attn_k.bias", b), G * k, d, h);
            linear(values + i * G * k, wv, weights(m, "blk.%u.attn_v.bias", b), G * k, d, h);
            norm_heads(m, "blk.%u.attn_k_norm.weight", b, keys + i * G * k, G, k);
            if (turned) rotate(m, keys + i * G * k, G, i, local);
        }
        for (uint32_t i = 0; i < n; i++) {
            memcpy(h, x + i * d, d * sizeof *h);
            if (norm) rms_norm(h, h, norm, d);
            linear(q, wq, weights(m, "blk.%u.attn_q.bias", b), H * k, d, h);
            norm_heads(m, "blk.%u.attn_q_norm.weight", b, q, H, k);
            if (turned) rotate(m, q, H, i, local);
            uint32_t from = local && i + 1 > c->window ? i + 1 - c->window : 0;
            for (uint32_t a = 0; a < H; a++) {
                uint32_t g = a * G / H;
                for (uint32_t j = from; j <= i; j++) {
                    score[j] = 0;
                    for (uint32_t e = 0; e < k; e++) score[j] += q[a * k + e] * keys[(j * G + g) * k + e] * per_score;
                    score[j] = capped(score[j], cap);
                }
                ref_softmax(score + from, i + 1 - from);
                for (uint32_t e = 0; e < k; e++) {
                    mixed[a * k + e] = 0;
                    for (uint32_t j = from; j <= i; j++) mixed[a * k + e] += score[j] * values[(j * G + g) * k + e];
                }
            }
            linear(y, weights(m, "blk.%u.attn_output.weight", b), weights(m, "blk.%u.attn_output.bias", b), d, H * k, mixed);
            add_to(m, x + i * d, y, weights(m, "blk.%u.post_attention_norm.weight", b), d);
            memcpy(h, x + i * d, d * sizeof *h);
            if (inner_norm) rms_norm(h, h, inner_norm, d);
            linear(gate, wgate, weights(m, "blk.%u.ffn_gate.bias", b), c->inner, d, h);
            linear(up, wup, weights(m, "blk.%u.ffn_up.bias", b), c->inner, d, h);
            for (uint32_t e = 0; e < c->inner; e++) gate[e] = gate_of(c, gate[e]) * up[e];
            linear(y, weights(m, "blk.%u.ffn_down.weight", b), weights(m, "blk.%u.ffn_down.bias", b), d, c->inner, gate);
            add_to(m, x + i * d, y, weights(m, "blk.%u.post_ffw_norm.weight", b), d);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        double *logits = out + (size_t)i * c->values;
        rms_norm(h, x + i * d, weights(m, "output_norm.weight", 0), d);
        linear(logits, head ? head : embedding, NULL, c->values, d, h);
        for (uint32_t v = 0; v < c->values; v++)
            logits[v] = capped(c->kin == GRANITE ? logits[v] / (double)logit_scale : logits[v], c->kin == GEMMA2 ? (double)logit_cap : 0);
    }
    return out;
}

/* ---- tests ------------------------------------------------------------------------------------------------------------------ */

static const toy_llama_config configs[] = {
    {.values = 37, .length = 40, .blocks = 2, .d = 16, .inner = 20, .heads = 4, .groups = 4, .seed = 1},
    {.values = 50, .length = 33, .blocks = 2, .d = 24, .inner = 36, .heads = 6, .groups = 2, .tied = 1, .base = 500000, .seed = 2},
    {.values = 300, .length = 30, .blocks = 1, .d = 12, .inner = 16, .heads = 2, .groups = 1, .key_length = 8, .rotated = 4, .biases = 1, .type = NX_F16, .seed = 3},
    {.values = 64, .length = 24, .blocks = 2, .d = 64, .inner = 96, .heads = 4, .groups = 2, .tied = 1, .biases = 1, .type = NX_Q8_0, .seed = 4},
    {.values = 70, .length = 24, .blocks = 2, .d = 64, .inner = 64, .heads = 2, .groups = 2, .type = NX_Q4_0, .seed = 5},
    {.values = 40, .length = 20, .blocks = 1, .d = 32, .inner = 32, .heads = 2, .groups = 1, .tied = 1, .type = NX_Q4_0, .seed = 6},
    {.values = 37, .length = 40, .blocks = 2, .d = 16, .inner = 20, .heads = 2, .groups = 1, .scaling = 4, .seed = 7},
    {.values = 37, .length = 40, .blocks = 1, .d = 32, .inner = 20, .heads = 2, .groups = 2, .stretched = 1, .base = 500000, .biases = 2, .seed = 8},
    {.values = 50, .length = 33, .blocks = 2, .d = 24, .inner = 36, .heads = 3, .groups = 1, .tied = 1, .base = 1000000, .biases = 1, .kin = QWEN2, .seed = 9},
    {.values = 50, .length = 33, .blocks = 1, .d = 32, .inner = 36, .heads = 2, .groups = 2, .rotated = 12, .scaling = 2, .biases = 1, .kin = QWEN2, .seed = 10},
    {.values = 64, .length = 24, .blocks = 2, .d = 64, .inner = 96, .heads = 4, .groups = 2, .tied = 1, .biases = 1, .kin = QWEN2, .type = NX_Q8_0, .seed = 11},
    {.values = 40, .length = 30, .blocks = 2, .d = 32, .inner = 36, .heads = 2, .groups = 1, .kin = QWEN3, .seed = 12},
    {.values = 40, .length = 30, .blocks = 6, .d = 32, .inner = 36, .heads = 2, .groups = 1, .tied = 1, .kin = GEMMA3, .window = 7, .seed = 13},
    {.values = 40, .length = 30, .blocks = 3, .d = 32, .inner = 36, .heads = 2, .groups = 1, .tied = 1, .kin = GEMMA2, .window = 7, .seed = 14},
    {.values = 64, .length = 24, .blocks = 2, .d = 64, .inner = 96, .heads = 2, .groups = 1, .tied = 1, .kin = GEMMA2, .window = 9, .type = NX_Q8_0, .seed = 15},
    {.values = 40, .length = 30, .blocks = 1, .d = 32, .inner = 36, .heads = 2, .groups = 2, .tied = 1, .kin = GEMMA, .seed = 16},
    {.values = 40, .length = 30, .blocks = 2, .d = 24, .inner = 36, .heads = 3, .groups = 1, .kin = OLMO2, .seed = 17},
    {.values = 40, .length = 30, .blocks = 4, .d = 24, .inner = 36, .heads = 3, .groups = 3, .kin = OLMO2, .window = 6, .yarn = 12, .scaling = 3, .seed = 18},
    {.values = 40, .length = 30, .blocks = 2, .d = 32, .inner = 36, .heads = 2, .groups = 1, .kin = EXAONE4, .stretched = 1, .seed = 19},
    {.values = 40, .length = 30, .blocks = 4, .d = 32, .inner = 36, .heads = 2, .groups = 1, .kin = EXAONE4, .window = 6, .stretched = 1, .seed = 20},
    {.values = 40, .length = 30, .blocks = 3, .d = 32, .inner = 36, .heads = 2, .groups = 1, .kin = EXAONE4, .window = 6, .pattern = 2, .seed = 21},
    {.values = 40, .length = 30, .blocks = 1, .d = 32, .inner = 36, .heads = 2, .groups = 1, .tied = 1, .kin = EXAONE, .stretched = 1, .seed = 22},
    {.values = 40, .length = 30, .blocks = 5, .d = 32, .inner = 36, .heads = 2, .groups = 1, .tied = 1, .kin = SMOLLM3, .base = 5000000, .seed = 23},
    {.values = 40, .length = 30, .blocks = 2, .d = 32, .inner = 36, .heads = 4, .groups = 2, .tied = 1, .kin = GRANITE, .seed = 24},
    {.values = 40, .length = 30, .blocks = 2, .d = 32, .inner = 32, .heads = 2, .groups = 2, .kin = PHI3, .joined = 1, .seed = 25},
    {.values = 40, .length = 60, .blocks = 2, .d = 64, .inner = 48, .heads = 2, .groups = 1, .rotated = 24, .kin = PHI3, .joined = 1, .stretched = 1, .window = 11, .biases = 0, .seed = 26},
    {.values = 64, .length = 24, .blocks = 2, .d = 64, .inner = 96, .heads = 2, .groups = 1, .kin = PHI3, .joined = 1, .type = NX_Q4_0, .seed = 27},
    {.values = 40, .length = 30, .blocks = 1, .d = 24, .inner = 36, .heads = 2, .groups = 1, .key_length = 16, .tied = 1, .kin = ERNIE4_5, .base = 500000, .seed = 28},
    {.values = 40, .length = 40, .blocks = 1, .d = 64, .inner = 36, .heads = 2, .groups = 1, .base = 100, .yarn = 20, .scaling = 2, .seed = 29},
    {.values = 40, .length = 40, .blocks = 1, .d = 64, .inner = 36, .heads = 2, .groups = 1, .base = 100, .yarn = 20, .turns = {2, 0.25f}, .scaling = 2, .seed = 31},
};

static void logits(void) {
    check_random random = {8};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        size_t mark = memory_mark();
        const toy_llama_config *c = configs + i;
        toy_llama *m = toy_llama_build(c);
        nx_model *model = toy_llama_open(m);
        if (!model) return;
        int rounded = c->type == NX_Q8_0 || c->type == NX_Q4_0;
        uint32_t n = c->kin == PHI3 && c->stretched ? c->length / 2 : c->length, V = c->values, *ids = memory_take(n * sizeof *ids);
        for (uint32_t p = 0; p < n; p++) ids[p] = random_below(&random, V);
        check_logits(model, ids, n, V, twin(m, ids, n), rounded ? ROUNDED_TOLERANCE : TOLERANCE, (int)i);
        memory_release(mark);
    }
}

/* Returns the address of a key's type in the metadata of a file. */
static uint8_t *type_of(const toy_llama *m, const char *key) {
    size_t n = strlen(key), at = 0;
    while (memcmp(m->file.bytes + at, key, n) || m->file.bytes[at + n] > 12 || m->file.bytes[at + n + 1] || m->file.bytes[at - 8] != n) at++;
    return m->file.bytes + at + n;
}

static void refused(const toy_llama *m, nx_status status, const char *named) {
    toy_refused(m->file.bytes, m->file.length, status, named);
}

/* Inconsistent files are refused, and the error names the key that is wrong. */
static void refused_files(void) {
    static const struct {
        const char *key;
        uint32_t value;
        nx_status status;
        const char *named; /* name that the error message contains; null: the key */
    } rows[] = {
        {"llama.context_length", 0, NX_E_FORMAT, NULL},
        {"llama.context_length", UINT32_MAX, NX_E_LIMIT, NULL},
        {"llama.block_count", 0, NX_E_FORMAT, NULL},
        {"llama.block_count", 3, NX_E_FORMAT, "blk.2.attn_norm.weight"},
        {"llama.embedding_length", 18, NX_E_UNSUPPORTED, NULL},
        {"llama.embedding_length", 32, NX_E_FORMAT, "token_embd.weight"},
        {"llama.attention.head_count", 0, NX_E_FORMAT, NULL},
        {"llama.attention.head_count", 3, NX_E_LIMIT, "llama.attention.head_count_kv"}, /* the file has 4 heads of keys and values */
        {"llama.attention.head_count_kv", 3, NX_E_FORMAT, NULL}, /* 3 does not divide the 4 heads */
        {"llama.attention.head_count_kv", 5, NX_E_LIMIT, NULL},
        {"llama.attention.head_count_kv", 0, NX_E_FORMAT, NULL},
        {"llama.feed_forward_length", 24, NX_E_FORMAT, "blk.0.ffn_gate.weight"},
        {"llama.rope.freq_base", 0, NX_E_FORMAT, NULL},
        {"llama.rope.freq_base", 0x7fc00000, NX_E_FORMAT, NULL}, /* this base is NaN */
        {"llama.rope.freq_base", 0x7f800000, NX_E_FORMAT, NULL}, /* infinity */
        {"llama.rope.freq_base", 0xc61c4000, NX_E_FORMAT, NULL}, /* -10,000 */
        {"llama.rope.scaling.factor", 0, NX_E_FORMAT, NULL},
        {"llama.rope.scaling.factor", 0x7fc00000, NX_E_FORMAT, NULL},
        {"llama.rope.scaling.factor", 0x7f800000, NX_E_FORMAT, NULL},
        {"llama.rope.dimension_count", 3, NX_E_FORMAT, NULL},
        {"llama.rope.dimension_count", 6, NX_E_LIMIT, NULL}, /* a head has only 4 numbers */
        {"llama.rope.dimension_count", 0, NX_E_FORMAT, NULL},
    };
    toy_llama_config c = configs[0];
    c.end = 3, c.base = 10000, c.scaling = 2, c.rotated = 4;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        toy_llama *m = toy_llama_build(&c);
        memcpy(type_of(m, rows[i].key) + 4, &rows[i].value, 4);
        check_at("row %lld", (long long)i, 0, 0, 0);
        refused(m, rows[i].status, rows[i].named ? rows[i].named : rows[i].key);
    }
    for (uint32_t type = 0; type < 8; type++) { /* types up to BOOL; only as U32 or I32 is the stored number valid */
        toy_llama *m = toy_llama_build(&c);
        if (type == GGUF_U32 || type == GGUF_I32) continue;
        *type_of(m, "llama.context_length") = (uint8_t)type;
        size_t bytes;
        check_at("type %lld", type, 0, 0, 0);
        CHECK(nx_model_size(m->file.bytes, m->file.length, &bytes, NULL) < 0);
    }
    toy_llama *other = toy_llama_build(&c); /* the end id becomes 37, which is not in the vocabulary, so no token ends a text */
    uint32_t beyond = 37, end;
    *type_of(other, "llama.context_length") = GGUF_I32;
    memcpy(type_of(other, "tokenizer.ggml.eos_token_id") + 4, &beyond, 4);
    nx_model *model = toy_llama_open(other);
    CHECK(model && nx_model_end(model, 0, 0, &end) == NX_E_ARGUMENT);
    toy_llama *m = toy_llama_build(&c); /* writes another scaling method whose name has the same length */
    memcpy(type_of(m, "llama.rope.scaling.type") + 12, "su!!!!", 6);
    refused(m, NX_E_UNSUPPORTED, "llama.rope.scaling.type");
}

/* Tests a file with a context of 2^60 (a 64-bit number), and files whose width is not divisible by the number of heads. */
static void refused_lengths(void) {
    toy_llama_config c = configs[0];
    toy_file head = {0};
    put_header(&head, 0, 2);
    put_key_text(&head, "general.architecture", "llama");
    put_key_u64(&head, "llama.context_length", (uint64_t)1 << 60);
    toy_llama m = {.config = c, .file = head};
    refused(&m, NX_E_LIMIT, "llama.context_length");
    c = configs[0], c.heads = 3, c.groups = 1, c.key_length = 4; /* 16 / 3 is not an integer, but the head width is declared */
    CHECK(toy_llama_open(toy_llama_build(&c)) != NULL);
    toy_llama *uneven = toy_llama_build(&c);
    type_of(uneven, "llama.attention.key_length")[-1] = 'g'; /* renames the key, so the width of a head is no longer declared */
    refused(uneven, NX_E_FORMAT, "llama.attention.head_count");
    c = configs[2], c.heads = 4, c.groups = 2, c.key_length = 0, c.rotated = 0; /* 12 / 4 = 3 numbers for each head */
    toy_llama *narrow = toy_llama_build(&c);
    refused(narrow, NX_E_UNSUPPORTED, "llama.attention.head_count");
}

/* The tokenizer's vocabulary must be as long as the table of embeddings. */
static void vocabularies(void) {
    toy_llama_config c = configs[0];
    c.tokens = c.values;
    CHECK(toy_llama_open(toy_llama_build(&c)) != NULL);
    c.tokens = c.values - 1;
    refused(toy_llama_build(&c), NX_E_FORMAT, "tokenizer.ggml.tokens");
    c.tokens = c.values + 1;
    refused(toy_llama_build(&c), NX_E_FORMAT, "tokenizer.ggml.tokens");
    /* as many values as in Gemma 3 4B */
    toy_llama_config gemma = {.values = 262208, .length = 8, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .groups = 1, .tied = 1, .seed = 1};
    CHECK(toy_llama_open(toy_llama_build(&gemma)) != NULL);
    c.tokens = c.values;
    toy_llama *m = toy_llama_build(&c);
    uint64_t many = (uint64_t)1 << 60;
    memcpy(type_of(m, "tokenizer.ggml.tokens") + 8, &many, 8);
    size_t bytes;
    CHECK_INT(nx_model_size(m->file.bytes, m->file.length, &bytes, NULL), NX_E_FORMAT);
}

/* Writes the header of a file with Q4_K tensors, without their data. Each block has 10 * 2^24 weights of 0.5625 bytes. */
static toy_file head_of_blocks(uint32_t blocks, uint64_t *length) {
    static const struct {
        const char *part;
        uint32_t rows, cols, type;
    } maps[] = {{"attn_norm", 1, 4096, NX_F32}, {"attn_q", 4096, 4096, NX_Q4_K}, {"attn_k", 4096, 4096, NX_Q4_K}, {"attn_v", 4096, 4096, NX_Q4_K},
                {"attn_output", 4096, 4096, NX_Q4_K}, {"ffn_norm", 1, 4096, NX_F32}, {"ffn_gate", 8192, 4096, NX_Q4_K}, {"ffn_up", 8192, 4096, NX_Q4_K},
                {"ffn_down", 4096, 8192, NX_Q4_K}};
    toy_file head = {0};
    uint64_t offset = 0;
    put_header(&head, 2 + 9 * blocks, 6);
    put_key_text(&head, "general.architecture", "llama");
    put_key_u32(&head, "llama.context_length", 16);
    put_key_u32(&head, "llama.block_count", blocks);
    put_key_u32(&head, "llama.embedding_length", 4096);
    put_key_u32(&head, "llama.feed_forward_length", 8192);
    put_key_u32(&head, "llama.attention.head_count", 4);
    for (uint32_t i = 0; i < 2 + 9 * blocks; i++) {
        char name[48] = "output_norm.weight";
        uint32_t own = i < 2 ? 0 : (i - 2) % 9, type = i == 1 ? NX_Q4_K : maps[own].type, dims = 2;
        uint64_t dim[] = {maps[own].cols, i == 1 ? 256 : maps[own].rows}, bytes;
        if (i == 1) strcpy(name, "token_embd.weight");
        if (i > 1) sprintf(name, "blk.%u.%s.weight", (unsigned)((i - 2) / 9), maps[own].part);
        bytes = strlen(name);
        put_bytes(&head, &bytes, 8);
        put_bytes(&head, name, strlen(name));
        put_bytes(&head, &dims, 4);
        put_bytes(&head, dim, 16);
        put_bytes(&head, &type, 4);
        put_bytes(&head, &offset, 8);
        offset += dim[0] * dim[1] * (type == NX_F32 ? 4 : 0) + (type == NX_F32 ? 0 : dim[0] * dim[1] / 256 * 144);
    }
    *length = (head.length + 31) / 32 * 32 + offset;
    return head;
}

/* The size of a model larger than 2 GiB is reported correctly. If the model does not fit in the memory of a web page, the error states the
 * model's size. */
static void large_models(void) {
    uint64_t length;
    size_t bytes = 0;
    nx_problem problem = {"", ""};
    toy_file head = head_of_blocks(29, &length);
    CHECK(length > (uint64_t)1 << 31);
    CHECK_INT(nx_model_head_size(head.bytes, head.length, (size_t)length, &bytes, &problem), NX_OK);
    CHECK(bytes > length && bytes > (uint64_t)1 << 31);
    head = head_of_blocks(42, &length);
    CHECK(length < GGUF_MAX_BYTES);
    CHECK_INT(nx_model_head_size(head.bytes, head.length, (size_t)length, &bytes, &problem), NX_E_MEMORY);
    if (!CHECK(!strcmp(problem.reason, "a page has 4096 MiB of memory, and its weights want 4202"))) check_say("    %s", problem.reason);
}

/* Files with invalid frequency divisors are refused. */
static void stretches(void) {
    static const float wrong[] = {0, 0.5f, -1, 1e7f, NAN, INFINITY};
    for (int i = 0; i < 6; i++) {
        toy_llama *m = toy_llama_build(&configs[7]);
        nx_gguf file;
        nx_tensor tensor;
        CHECK_INT(nx_gguf_parse(&file, m->file.bytes, m->file.length, m->file.length, NULL), NX_OK);
        CHECK(nx_gguf_tensor(&file, "rope_freqs.weight", &tensor));
        memcpy((uint8_t *)tensor.data + 8, wrong + i, 4);
        check_at("number %lld", i, 0, 0, 0);
        refused(m, i < 4 ? NX_E_FORMAT : NX_E_NUMERIC, "rope_freqs.weight");
    }
}

/* A tensor of an unsupported type is ignored if the model does not need it. If the model needs the tensor, the error states the tensor's
 * name and type. */
static void refused_types(void) {
    static const struct {
        uint32_t type;
        const char *reason;
    } rows[] = {{17, "its type is IQ2_XS, which is not read"}, {26, "its type is I32, which is not read"}, {77, "its type is 77, which is not read"},
                {UINT32_MAX, "its type is 4294967295, which is not read"}};
    static const char *const parts[] = {"blk.1.ffn_up.weight", "token_embd.weight", "output_norm.weight"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            toy_llama *m = toy_llama_build(&configs[0]);
            nx_problem problem = {"", ""};
            size_t at = 0, bytes, name = strlen(parts[k]);
            while (memcmp(m->file.bytes + at, parts[k], name)) at++;
            uint32_t dims = m->file.bytes[at + name];
            memcpy(m->file.bytes + at + name + 4 + 8 * dims, &rows[i].type, 4);
            check_at("row %lld of %s", (long long)i, 0, 0, 0);
            CHECK_INT(nx_model_size(m->file.bytes, m->file.length, &bytes, &problem), NX_E_UNSUPPORTED);
            if (!CHECK(!strcmp(problem.name, parts[k]) && !strcmp(problem.reason, rows[i].reason))) check_say("    names %s: %s", problem.name, problem.reason);
        }
}

/* ---- a trained model -------------------------------------------------------------------------------------------------------- */

/* The text that the test of karpathy/llama2.c (MIT) expects from its model stories260K: 200 greedy steps without a prompt. */
static const char stories_text[] =
    "Once upon a time, there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big, red ball. She wanted to "
    "play with it, but it was too high.\nLily's mom said, \"Lily, let's go to the park.\" Lily was sad and didn't know what to do. She said, \"I want "
    "to play with your ball, but I can't find it.\"\nLily was sad and didn't know what to do. She said, \"I'm sorry, Lily. I didn't know what to "
    "do.\"\nLily didn't want to help her mom, so she";

/* Opens the model in F32, F16 or Q8_0. The F16 and Q8_0 files are opened unchanged. (The weights of the Q8_0 file are rounded as the
 * converter rounds them.) For F32, the F16 weights are widened. */
static nx_model *stories_in(uint32_t type) {
    size_t length = 0;
    uint8_t *bytes = check_read_file(type == NX_Q8_0 ? "tests/golden/stories260K-q8_0.gguf" : "tests/golden/stories260K.gguf", &length);
    nx_gguf *file = memory_take(sizeof *file);
    if (!CHECK(bytes) || !CHECK_INT(nx_gguf_parse(file, bytes, length, length, NULL), NX_OK)) return NULL;
    if (type != NX_F32) return toy_open(&(toy){.bytes = bytes, .length = length});
    toy_file head = {0}, data = {0};
    put_bytes(&head, bytes, file->keys_end);
    for (uint32_t i = 0; i < file->n_tensors; i++) {
        nx_tensor t;
        toy_tensor own = {.type = type};
        nx_gguf_tensor_at(file, i, &t);
        const uint8_t *name = bytes + file->tensor[i];
        if (!CHECK(name[0] < sizeof own.name)) return NULL;
        memcpy(own.name, name + 8, name[0]);
        own.cols = t.dim[0], own.rows = t.dim[1];
        own.values = memory_take((size_t)own.rows * own.cols * sizeof(float));
        nx_dequantize(own.values, t.data, t.type, own.rows * own.cols);
        put_tensor(&head, &data, &own);
    }
    while (head.length % 32) put_bytes(&head, "", 1);
    put_bytes(&head, data.bytes, data.length);
    return toy_open(&(toy){.bytes = memory_copy(head.bytes, head.length), .length = head.length});
}

/* Appends the text of an id in a SentencePiece vocabulary. */
static void append_token(const nx_model *model, char *text, size_t room, uint32_t id) {
    nx_metadata entry;
    uint64_t n;
    for (uint32_t i = 0; nx_model_metadata(model, i, &entry) == NX_OK; i++)
        if (entry.key_bytes == 21 && !memcmp(entry.key, "tokenizer.ggml.tokens", 21)) break;
    const uint8_t *at = entry.value;
    for (uint32_t i = 0; i < id; i++, at += 8 + n) memcpy(&n, at, 8);
    memcpy(&n, at, 8);
    char *to = text + strlen(text);
    for (at += 8; n && to < text + room - 1; n--, at++) {
        if (n == 6 && at[0] == '<' && at[1] == '0') { /* the token is a single byte, which in this text is always a line end */
            *to++ = '\n', *to = 0;
            return;
        }
        if (n >= 3 && !memcmp(at, "\xe2\x96\x81", 3)) {
            if (to > text) *to++ = ' ';
            n -= 2, at += 2;
        } else
            *to++ = (char)*at;
        *to = 0;
    }
}

static void stories_text_of(uint32_t type) {
    nx_model *model = stories_in(type);
    if (!model) return;
    nx_settings settings = {.samples = 1, .temperature = 0, .top_p = 1};
    nx_session *session = NULL;
    size_t bytes = 0;
    CHECK_INT(nx_session_size(model, 0, &settings, NULL, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, NULL, &session), NX_OK);
    uint32_t begin = 1, ids[200], drawn = 0;
    char text[1200] = "";
    CHECK_INT(nx_session_put(model, session, &begin, 1, 0, NULL), NX_OK);
    CHECK_INT(nx_session_draw(model, session, 200, ids, NULL, &drawn), NX_OK);
    CHECK_INT(drawn, 200);
    for (uint32_t i = 0; i < drawn; i++) append_token(model, text, sizeof text, ids[i]);
    if (!CHECK(!strcmp(text, stories_text))) check_say("    %s", text);
}

static void stories(void) {
    stories_text_of(NX_F32);
    stories_text_of(NX_F16);
    stories_text_of(NX_Q8_0);
}

const check_test llama_tests[] = {
    {"logits equal the reference in double precision", logits},
    {"stories260K writes its known story", stories},
    {"invalid files are refused", refused_files},
    {"invalid lengths are refused", refused_lengths},
    {"vocabularies", vocabularies},
    {"models of gigabytes", large_models},
    {"divisors of frequencies", stretches},
    {"unsupported types are refused", refused_types},
    {0},
};

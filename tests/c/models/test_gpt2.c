/* SPDX-License-Identifier: MIT
 *
 * Compares GPT-2 with its equations in double precision. Also runs a model from another project, and compares its outputs with the outputs
 * that the project recorded.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "gguf.h"
#include "kernels/kernels.h"
#include "models/toy_gpt2.h"
#include "one_sample.h"
#include "reference.h"
#include "session/session.h"

/* Tolerance for the single-precision error after two blocks, relative to the standard deviation of the logits. */
#define TOLERANCE 2e-5
/* Tolerance for the error from rounding activations, keys, values and weights, relative to the standard deviation of the logits. */
#define ROUNDED_TOLERANCE 0.25
/* Tolerance for the difference from recorded logits, with F32 weights. */
#define RECORDED_TOLERANCE 1e-4
/* The tolerance for GELU, relative to max(1, |x|). It allows for a few roundings. */
#define GELU_TOLERANCE 4e-7

/* ---- toys ------------------------------------------------------------------------------------------------------------------- */

static void add(toy_gpt2 *m, const char *name, uint32_t rows, uint32_t cols, uint32_t type, double mean, double spread) {
    toy_tensor *t = m->tensor + m->n_tensors++;
    check_random random = {m->config.seed ^ check_hash(0, name, strlen(name))};
    strcpy(t->name, name);
    t->rows = rows, t->cols = cols, t->type = type;
    t->values = memory_take((size_t)rows * cols * sizeof *t->values);
    for (uint32_t i = 0; i < rows * cols; i++) t->values[i] = (float)(mean + spread * random_normal(&random));
}

toy_gpt2 *toy_gpt2_build(const toy_gpt2_config *c) {
    toy_gpt2 *m = memory_take(sizeof *m);
    uint32_t type = c->type, d = c->d, inner = c->inner ? c->inner : 4 * d;
    double into_d = 1 / sqrt((double)d);
    *m = (toy_gpt2){.config = *c, .tensor = memory_take((5 + 12 * c->blocks) * sizeof *m->tensor)};
    add(m, "token_embd.weight", c->values, d, type, 0, 1);
    add(m, "position_embd.weight", c->length, d, NX_F32, 0, 0.7);
    for (uint32_t b = 0; b < c->blocks; b++) {
        char name[48];
#define ADD(part, ...) sprintf(name, "blk.%u." part, (unsigned)b), add(m, name, __VA_ARGS__)
#define ADD_MAP(part, rows, cols, spread) \
    do { \
        ADD(part ".weight", rows, cols, type, 0, spread); \
        if (!c->bare) ADD(part ".bias", 1, rows, NX_F32, 0, 0.3); \
    } while (0)
#define ADD_NORM(part) ADD(part ".weight", 1, d, NX_F32, 1, 0.2), ADD(part ".bias", 1, d, NX_F32, 0, 0.2)
        ADD_NORM("attn_norm");
        ADD_MAP("attn_qkv", 3 * d, d, 1.5 * into_d);
        ADD_MAP("attn_output", d, d, into_d);
        ADD_NORM("ffn_norm");
        ADD_MAP("ffn_up", inner, d, into_d);
        ADD_MAP("ffn_down", d, inner, 1 / sqrt((double)inner));
#undef ADD_NORM
#undef ADD_MAP
#undef ADD
    }
    add(m, "output_norm.weight", 1, d, NX_F32, 1, 0.2);
    add(m, "output_norm.bias", 1, d, NX_F32, 0, 0.2);
    if (!c->tied) add(m, "output.weight", c->values, d, type, 0, into_d);
    toy_file head = {0}, data = {0};
    put_header(&head, m->n_tensors, 6 + (c->inner > 0) + (c->end > 0));
    put_key_text(&head, "general.architecture", "gpt2");
    put_key_u32(&head, "gpt2.context_length", c->length);
    put_key_u32(&head, "gpt2.block_count", c->blocks);
    put_key_u32(&head, "gpt2.embedding_length", d);
    put_key_u32(&head, "gpt2.attention.head_count", c->heads);
    put_key_f32(&head, "gpt2.attention.layer_norm_epsilon", 1e-5f);
    if (c->inner) put_key_u32(&head, "gpt2.feed_forward_length", c->inner);
    if (c->end) put_key_u32(&head, "tokenizer.ggml.eos_token_id", c->end - 1);
    for (uint32_t i = 0; i < m->n_tensors; i++) put_tensor(&head, &data, m->tensor + i);
    while (head.length % 32) put_bytes(&head, "", 1);
    put_bytes(&head, data.bytes, data.length);
    m->file = head;
    return m;
}

nx_model *toy_gpt2_open(const toy_gpt2 *m) { return toy_file_open(&m->file); }

static toy_file toy_number(uint32_t number) {
    static const toy_gpt2_config configs[] = {
        {.values = 40, .length = 26, .blocks = 2, .d = 32, .heads = 4, .seed = 6},
        {.values = 9, .length = 12, .blocks = 1, .d = 8, .inner = 4, .heads = 2, .end = 3, .seed = 1},
        {.values = 7, .length = 9, .blocks = 2, .d = 4, .heads = 1, .tied = 1, .bare = 1, .type = NX_F16, .seed = 2},
        {.values = 16, .length = 9, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .type = NX_Q8_0, .seed = 3},
    };
    return toy_gpt2_build(configs + number)->file;
}

const toy_row gpt2_toys[] = {
    {"gpt2", TOY_RUN, toy_number, 0, {0}},
    {NULL, TOY_SEED, toy_number, 1, {0}},
    {NULL, TOY_SEED, toy_number, 2, {0}},
    {NULL, TOY_SEED, toy_number, 3, {0}},
    {0},
};

/* ---- the reference ---------------------------------------------------------------------------------------------------------- */

static const float *weights(const toy_gpt2 *m, const char *format, uint32_t block) {
    char name[48];
    sprintf(name, format, (unsigned)block);
    for (uint32_t i = 0; i < m->n_tensors; i++)
        if (!strcmp(m->tensor[i].name, name)) return m->tensor[i].values;
    return NULL;
}

static void norm(const toy_gpt2 *m, double *out, const double *x, const char *gain, const char *bias, uint32_t block) {
    memcpy(out, x, m->config.d * sizeof *x);
    ref_layer_norm(out, weights(m, gain, block), weights(m, bias, block), 1e-5, m->config.d);
}

static void map(const toy_gpt2 *m, double *out, const char *weight, const char *bias, uint32_t block, uint32_t rows, uint32_t cols, const double *x) {
    const float *b = weights(m, bias, block);
    ref_matmul(out, NULL, weights(m, weight, block), rows, cols, x);
    for (uint32_t r = 0; b && r < rows; r++) out[r] += (double)b[r];
}

static double gelu(double x) { return x / 2 * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x))); }

/* Computes the logits after each of n ids, shape (n, V). */
static double *twin(const toy_gpt2 *m, const uint32_t *ids, uint32_t n) {
    const toy_gpt2_config *c = &m->config;
    uint32_t d = c->d, H = c->heads, k = d / H, inner = c->inner ? c->inner : 4 * d;
    double *x = memory_take(n * d * sizeof *x), *out = memory_take((size_t)n * c->values * sizeof *out), *h = memory_take(d * sizeof *h), *y = memory_take(d * sizeof *y);
    double *qkv = memory_take(n * 3 * d * sizeof *qkv), *mixed = memory_take(d * sizeof *mixed), *wide = memory_take(inner * sizeof *wide), *score = memory_take(n * sizeof *score);
    const float *embedding = weights(m, "token_embd.weight", 0), *places = weights(m, "position_embd.weight", 0), *head = weights(m, "output.weight", 0);
    for (uint32_t i = 0; i < n * d; i++) x[i] = (double)embedding[ids[i / d] * d + i % d] + (double)places[i];
    for (uint32_t b = 0; b < c->blocks; b++) {
        for (uint32_t i = 0; i < n; i++) {
            norm(m, h, x + i * d, "blk.%u.attn_norm.weight", "blk.%u.attn_norm.bias", b);
            map(m, qkv + i * 3 * d, "blk.%u.attn_qkv.weight", "blk.%u.attn_qkv.bias", b, 3 * d, d, h);
        }
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t a = 0; a < H; a++) {
                const double *query = qkv + i * 3 * d + a * k;
                for (uint32_t j = 0; j <= i; j++) {
                    score[j] = 0;
                    for (uint32_t e = 0; e < k; e++) score[j] += query[e] * qkv[j * 3 * d + d + a * k + e] / sqrt((double)k);
                }
                ref_softmax(score, i + 1);
                for (uint32_t e = 0; e < k; e++) {
                    mixed[a * k + e] = 0;
                    for (uint32_t j = 0; j <= i; j++) mixed[a * k + e] += score[j] * qkv[j * 3 * d + 2 * d + a * k + e];
                }
            }
            map(m, y, "blk.%u.attn_output.weight", "blk.%u.attn_output.bias", b, d, d, mixed);
            for (uint32_t e = 0; e < d; e++) x[i * d + e] += y[e];
            norm(m, h, x + i * d, "blk.%u.ffn_norm.weight", "blk.%u.ffn_norm.bias", b);
            map(m, wide, "blk.%u.ffn_up.weight", "blk.%u.ffn_up.bias", b, inner, d, h);
            for (uint32_t e = 0; e < inner; e++) wide[e] = gelu(wide[e]);
            map(m, y, "blk.%u.ffn_down.weight", "blk.%u.ffn_down.bias", b, d, inner, wide);
            for (uint32_t e = 0; e < d; e++) x[i * d + e] += y[e];
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        norm(m, h, x + i * d, "output_norm.weight", "output_norm.bias", 0);
        ref_matmul(out + (size_t)i * c->values, NULL, head ? head : embedding, c->values, d, h);
    }
    return out;
}

/* ---- tests ------------------------------------------------------------------------------------------------------------------ */

static const toy_gpt2_config configs[] = {
    {.values = 37, .length = 40, .blocks = 2, .d = 16, .inner = 20, .heads = 4, .seed = 1},
    {.values = 50, .length = 33, .blocks = 2, .d = 24, .heads = 2, .tied = 1, .seed = 2},
    {.values = 300, .length = 30, .blocks = 1, .d = 12, .heads = 3, .bare = 1, .type = NX_F16, .seed = 3},
    {.values = 64, .length = 24, .blocks = 2, .d = 64, .inner = 96, .heads = 4, .tied = 1, .type = NX_Q8_0, .seed = 4},
    {.values = 70, .length = 24, .blocks = 2, .d = 64, .inner = 64, .heads = 2, .type = NX_Q4_0, .seed = 5},
};

/* Computes the positions one by one and compares the logits with the reference. Then computes all positions in one call, which must give
 * the same bits for the last position. */
static void logits(void) {
    check_random random = {8};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        size_t mark = memory_mark();
        const toy_gpt2_config *c = configs + i;
        toy_gpt2 *m = toy_gpt2_build(c);
        nx_model *model = toy_gpt2_open(m);
        if (!model) return;
        int rounded = c->type == NX_Q8_0 || c->type == NX_Q4_0;
        uint32_t n = c->length + 1, V = c->values, *ids = memory_take(n * sizeof *ids);
        for (uint32_t p = 0; p < n; p++) ids[p] = random_below(&random, V);
        nx_session *session = check_logits(model, ids, n, V, twin(m, ids, n - 1), rounded ? ROUNDED_TOLERANCE : TOLERANCE, (int)i);
        CHECK_INT(nx_session_put(model, session, ids, 1, 0, NULL), NX_E_ARGUMENT); /* the model has no more learned positions */
        memory_release(mark);
    }
}

/* Changing the id at one position changes the nats of this position and of all later positions, but no earlier nats. */
static void causality(void) {
    toy_gpt2 *m = toy_gpt2_build(&configs[0]);
    nx_model *model = toy_gpt2_open(m);
    if (!model) return;
    enum { n = 41 };
    uint32_t ids[n], moved = 17;
    float nats[n], other[n];
    for (uint32_t i = 0; i < n; i++) ids[i] = i * 7 % 37;
    CHECK_INT(nx_session_put(model, one_sample(model, 0, 0), ids, n, 0, nats), NX_OK);
    ids[moved] = (ids[moved] + 5) % 37;
    CHECK_INT(nx_session_put(model, one_sample(model, 0, 0), ids, n, 0, other), NX_OK);
    CHECK_FLOATS(other, nats, moved);
    for (uint32_t i = moved; i < n; i++) CHECK(other[i] != nats[i]);
}

/* Compares GELU with its formula. Also tests very large arguments. */
static void gelu_alone(void) {
    float x[4800] = {0}, far[16] = {1e30f, -1e30f, INFINITY, 3e38f, -3e38f, -40, 40, -0.0f};
    double worst = 0;
    for (int i = 0; i < 4800; i++) x[i] = (float)(i - 2400) / 200;
    nx_gelu(x, 2400, 2);
    for (int i = 0; i < 4800; i++) {
        double at = (double)((float)(i - 2400) / 200);
        worst = fmax(worst, fabs((double)x[i] - gelu(at)) / fmax(1, fabs(at)));
    }
    check_note("  largest error %.3g, relative to max(1, |x|)", worst);
    CHECK(worst < GELU_TOLERANCE);
    nx_gelu(far, 8, 1);
    CHECK(far[0] == 1e30f && fabsf(far[1]) < 1 && far[2] == INFINITY && far[3] == 3e38f && fabsf(far[4]) < 10 && fabsf(far[5]) < 1e-6f && far[6] == 40 && far[7] == 0);
}

static void refused_files(void) {
    static const struct {
        const char *key;
        uint32_t value;
        nx_status status;
        const char *named; /* name that the error message contains; null: the key */
    } rows[] = {
        {"gpt2.context_length", 0, NX_E_FORMAT, NULL},
        {"gpt2.context_length", UINT32_MAX, NX_E_LIMIT, NULL},
        {"gpt2.context_length", 41, NX_E_FORMAT, "position_embd.weight"},
        {"gpt2.block_count", 0, NX_E_FORMAT, NULL},
        {"gpt2.block_count", 3, NX_E_FORMAT, "blk.2.attn_norm.weight"},
        {"gpt2.embedding_length", 32, NX_E_FORMAT, "token_embd.weight"},
        {"gpt2.embedding_length", 0, NX_E_FORMAT, NULL},
        {"gpt2.attention.head_count", 0, NX_E_FORMAT, NULL},
        {"gpt2.attention.head_count", 3, NX_E_FORMAT, NULL},       /* the width, 16, is not a multiple of 3 */
        {"gpt2.attention.head_count", 8, NX_E_UNSUPPORTED, NULL},  /* a head would have only two values */
        {"gpt2.attention.head_count", 32, NX_E_FORMAT, NULL},      /* a head would have no value */
        {"gpt2.feed_forward_length", 18, NX_E_UNSUPPORTED, NULL},
        {"gpt2.feed_forward_length", 24, NX_E_FORMAT, "blk.0.ffn_up.weight"},
        {"gpt2.attention.layer_norm_epsilon", 0x7fc00000, NX_E_FORMAT, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        toy_gpt2_config c = configs[0];
        c.end = 3;
        toy_gpt2 *m = toy_gpt2_build(&c);
        size_t key = strlen(rows[i].key), at = 0;
        while (memcmp(m->file.bytes + at, rows[i].key, key) || m->file.bytes[at + key] > 12 || m->file.bytes[at + key + 1]) at++;
        memcpy(m->file.bytes + at + key + 4, &rows[i].value, 4);
        check_at("row %lld", (long long)i, 0, 0, 0);
        toy_refused(m->file.bytes, m->file.length, rows[i].status, rows[i].named ? rows[i].named : rows[i].key);
    }
}

static const float *tensor(const nx_gguf *file, const char *name, uint32_t i, nx_tensor *t) {
    char text[32];
    sprintf(text, i ? "%s_%u" : "%s", name, (unsigned)i);
    return nx_gguf_tensor(file, text, t) ? memory_copy(t->data, t->bytes) : NULL;
}

/* Draws every sequence of a batch that was recorded with gpt-nano-sort, a model of karpathy/minGPT. */
static void recorded(void) {
    const char *path = NULL;
    for (int i = 0; (path = check_argument(".golden.gguf", i)) && !strstr(path, "gpt-nano-sort"); i++) {}
    if (!path) return check_note("  no golden file was given, so nothing was compared");
    char base[300];
    if (!CHECK(strlen(path) < sizeof base)) return;
    strcpy(base, path), strcpy(base + strlen(path) - strlen(".golden.gguf"), ".gguf");
    size_t length = 0, golden_length = 0;
    uint8_t *file = check_read_file(base, &length), *golden = check_read_file(path, &golden_length);
    nx_gguf *g = memory_take(sizeof *g);
    nx_tensor t;
    if (!CHECK(file && golden) || !CHECK_INT(nx_gguf_parse(g, golden, golden_length, golden_length, NULL), NX_OK)) return;
    nx_model *model = toy_open(&(toy){.bytes = file, .length = length});
    if (!model) return;
    double worst = 0;
    uint32_t compared = 0;
    for (uint32_t s = 0; s < 3; s++) {
        const float *values = tensor(g, "values", s, &t), *logits = tensor(g, "logits", s, &t);
        if (!CHECK(values && logits && t.dim[0] == 3 && t.dim[1] == 12)) return;
        nx_session *session = one_sample(model, 0, 0);
        for (uint32_t p = 0; p < 12; p++) {
            uint32_t id = (uint32_t)values[p];
            float cost, row[3];
            CHECK_INT(nx_session_put(model, session, &id, 1, 0, &cost), NX_OK);
            CHECK_INT(nx_session_output(model, session, 0, row), NX_OK);
            for (uint32_t v = 0; v < 3; v++, compared++) worst = fmax(worst, fabs((double)row[v] - (double)logits[3 * p + v]));
        }
    }
    check_note("  %u recorded logits within %.3g", (unsigned)compared, worst);
    CHECK(worst < RECORDED_TOLERANCE);
}

const check_test gpt2_tests[] = {
    {"logits equal the reference in double precision", logits},
    {"causality", causality},
    {"GELU", gelu_alone},
    {"invalid files are refused", refused_files},
    {"gpt-nano-sort draws its recorded sequences", recorded},
    {0},
};

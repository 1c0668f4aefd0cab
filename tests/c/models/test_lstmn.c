/* SPDX-License-Identifier: MIT
 *
 * Compares the memory network with its equations in double precision, and tests properties that follow from them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "kernels/kernels.h"
#include "one_sample.h"
#include "reference.h"
#include "session/session.h"
#include "toy.h"

/* Tolerance for the single-precision error over a text. */
#define TOLERANCE 1e-4
#define MAP_TOLERANCE 3e-5
/* Tolerance for the error from rounding activations and weights. */
#define ROUNDED_TOLERANCE 0.3
#define ROUNDED_MAP_TOLERANCE 0.1

typedef struct {
    uint32_t values, length, d;
    int zero;
    uint32_t end; /* the end id plus 1; 0 means no end id */
    uint32_t type;
    uint64_t seed;
} config;

typedef struct {
    config c;
    toy_tensor tensor[8];
    uint32_t n_tensors;
    toy_file file;
} lstmn;

static void add(lstmn *m, const char *name, uint32_t rows, uint32_t cols, uint32_t type, double spread) {
    toy_tensor *t = m->tensor + m->n_tensors++;
    check_random random = {m->c.seed ^ check_hash(0, name, strlen(name))};
    strcpy(t->name, name);
    t->rows = rows, t->cols = cols, t->type = type;
    t->values = memory_take((size_t)rows * cols * sizeof *t->values);
    for (uint32_t i = 0; i < rows * cols; i++) t->values[i] = (float)(spread * random_normal(&random));
}

static toy_file *written(lstmn *m) {
    const config *c = &m->c;
    toy_file head = {0}, data = {0};
    put_header(&head, m->n_tensors, 4 + (c->end > 0));
    put_key_text(&head, "general.architecture", "lstmn");
    put_key_u32(&head, "lstmn.context_length", c->length);
    put_key_u32(&head, "lstmn.embedding_length", c->d);
    put_key_text(&head, "lstmn.tape_start", c->zero ? "zero" : "none");
    if (c->end) put_key_u32(&head, "tokenizer.ggml.eos_token_id", c->end - 1);
    for (uint32_t i = 0; i < m->n_tensors; i++) put_tensor(&head, &data, m->tensor + i);
    while (head.length % 32) put_bytes(&head, "", 1);
    put_bytes(&head, data.bytes, data.length);
    m->file = head;
    return &m->file;
}

static lstmn *build(const config *c) {
    lstmn *m = memory_take(sizeof *m);
    memset(m, 0, sizeof *m);
    m->c = *c;
    double root = sqrt((double)c->d);
    add(m, "token_embd.weight", c->values, c->d, c->type, 1.4 / root);
    add(m, "attn_h.weight", c->d, c->d, c->type, 2 / root), add(m, "attn_x.weight", c->d, c->d, c->type, 1 / root);
    add(m, "attn_summary.weight", c->d, c->d, c->type, 1 / root), add(m, "attn_v.weight", 1, c->d, NX_F32, 1);
    add(m, "cell.weight", 4 * c->d, 2 * c->d, c->type, 1.4 / root), add(m, "cell.bias", 1, 4 * c->d, NX_F32, 0.3);
    written(m);
    return m;
}

static nx_model *opened(lstmn *m) { return toy_file_open(written(m)); }

static const config configs[] = {
    {.values = 31, .length = 40, .d = 12, .seed = 1},
    {.values = 31, .length = 40, .d = 20, .zero = 1, .seed = 2},
    {.values = 40, .length = 30, .d = 32, .type = NX_F16, .seed = 3},
    {.values = 40, .length = 30, .d = 32, .type = NX_Q8_0, .seed = 4},
    {.values = 25, .length = 30, .d = 16, .end = 3, .seed = 5},
    {.values = 7, .length = 9, .d = 4, .zero = 1, .seed = 6},
};
#define CONFIGS (sizeof configs / sizeof *configs)

static toy_file toy_number(uint32_t number) { return build(configs + number)->file; }

const toy_row lstmn_toys[] = {
    {"lstmn", TOY_RUN | TOY_DAMPED, toy_number, 0, {.length = 27}},
    {"lstmn, from a row of zeros", TOY_RUN, toy_number, 1, {.length = 33}},
    {"lstmn, rounded", TOY_RUN | TOY_DAMPED, toy_number, 3, {.length = 27}},
    {"lstmn with an end", TOY_SEARCH, toy_number, 4, {.length = 14}},
    {NULL, TOY_SEED, toy_number, 5, {0}},
    {0},
};

static const float *tensor(const lstmn *m, const char *name) {
    for (uint32_t i = 0; i < m->n_tensors; i++)
        if (!strcmp(m->tensor[i].name, name)) return m->tensor[i].values;
    return NULL;
}

static double sigma(double x) { return 1 / (1 + exp(-x)); }

/* Computes the logits, shape (n, V), for each of n ids given the earlier ids. Also computes the attention weights over the tape, shape (n,
 * n + 1). Slot 0 of the tape is the start. If `last` is set, all attention is on the previous step, which makes the network a plain
 * LSTM. */
static void twin(const lstmn *m, const uint32_t *ids, uint32_t n, int last, double *logits, double *weights) {
    uint32_t d = m->c.d, first = m->c.zero ? 0 : 1;
    double *h = memory_take((n + 1) * d * sizeof *h), *c = memory_take((n + 1) * d * sizeof *c), s[64] = {0}, r[64], x[64], of_h[64], of_x[64], of_s[64];
    memset(h, 0, d * sizeof *h), memset(c, 0, d * sizeof *c);
    memset(logits, 0, m->c.values * sizeof *logits);
    for (uint32_t i = 0; i < n * (n + 1); i++) weights[i] = 0;
    for (uint32_t t = 1; t < n; t++) {
        double *a = weights + t * (n + 1);
        for (uint32_t e = 0; e < d; e++) x[e] = sqrt((double)d) * (double)tensor(m, "token_embd.weight")[ids[t - 1] * d + e];
        ref_matmul(of_x, NULL, tensor(m, "attn_x.weight"), d, d, x), ref_matmul(of_s, NULL, tensor(m, "attn_summary.weight"), d, d, s);
        for (uint32_t i = first; i < t; i++) {
            ref_matmul(of_h, NULL, tensor(m, "attn_h.weight"), d, d, h + i * d);
            for (uint32_t e = 0; e < d; e++) a[i] += (double)tensor(m, "attn_v.weight")[e] * tanh(of_h[e] + of_x[e] + of_s[e]);
            if (last && i + 1 < t) a[i] = -INFINITY;
        }
        ref_softmax(a + first, t > first ? t - first : 0);
        for (uint32_t e = 0; e < d; e++) {
            s[e] = r[e] = 0;
            for (uint32_t i = first; i < t; i++) s[e] += a[i] * h[i * d + e], r[e] += a[i] * c[i * d + e];
        }
        for (uint32_t e = 0; e < d; e++) {
            double gate[4];
            for (uint32_t g = 0; g < 4; g++) {
                const float *row = tensor(m, "cell.weight") + (g * d + e) * 2 * d;
                gate[g] = (double)tensor(m, "cell.bias")[g * d + e];
                for (uint32_t k = 0; k < d; k++) gate[g] += (double)row[k] * s[k] + (double)row[d + k] * x[k];
            }
            c[t * d + e] = sigma(gate[1]) * r[e] + sigma(gate[0]) * tanh(gate[3]);
            h[t * d + e] = sigma(gate[2]) * tanh(c[t * d + e]);
        }
        ref_matmul(logits + (size_t)t * m->c.values, NULL, tensor(m, "token_embd.weight"), m->c.values, d, h + t * d);
    }
}

/* Computes the positions one by one, and compares the logits and all weights with the reference. A word must attend only to the words
 * before it. Computing all positions in one call must give the same bits. */
static void logits(void) {
    for (size_t i = 0; i < CONFIGS; i++) {
        size_t mark = memory_mark();
        const config *c = configs + i;
        lstmn *m = build(c);
        nx_model *model = opened(m);
        if (!model) return;
        uint32_t n = c->length, V = c->values, first = c->zero ? 0 : 1, *keys = memory_take(n * sizeof *keys), count;
        const uint32_t *ids = some_ids(n, V, 20);
        double *truth = memory_take((size_t)n * V * sizeof *truth), *weights = memory_take((size_t)n * (n + 1) * sizeof *weights), worst = 0, worst_map = 0;
        float *row = memory_take((V + n) * sizeof *row), *nats = memory_take(n * sizeof *nats), *at_once = memory_take(n * sizeof *at_once);
        twin(m, ids, n, 0, truth, weights);
        nx_session *session = one_sample(model, n, 1);
        for (uint32_t p = 0; p < n; p++) {
            CHECK_INT(nx_session_put(model, session, ids + p, 1, 0, nats + p), NX_OK);
            CHECK_INT(nx_session_output(model, session, 0, row), NX_OK);
            for (uint32_t v = 0; v < V; v++) worst = fmax(worst, fabs((double)row[v] - truth[(size_t)p * V + v]));
            CHECK_INT(nx_session_map(model, session, 0, 0, 0, keys, row, &count), NX_OK);
            CHECK_INT(count, p ? p + 1 - first : 1);
            for (uint32_t k = 0; p && k < count; k++) { /* the last key is the word itself, which has no weight */
                CHECK_INT(keys[k], k + first);
                worst_map = fmax(worst_map, fabs((double)row[k] - weights[p * (n + 1) + keys[k]]));
            }
        }
        CHECK_INT(nx_session_put(model, one_sample(model, n, 0), ids, n, 0, at_once), NX_OK);
        CHECK_FLOATS(at_once, nats, n);
        check_note("  configuration %d: logits within %.3g, weights %.3g", (int)i, worst, worst_map);
        CHECK(worst < (c->type == NX_Q8_0 ? ROUNDED_TOLERANCE : TOLERANCE));
        CHECK(worst_map < (c->type == NX_Q8_0 ? ROUNDED_MAP_TOLERANCE : MAP_TOLERANCE));
        memory_release(mark);
    }
}

/* With all attention on the previous step, the network is an LSTM. In a text of two words, each word has at most one predecessor. All
 * attention is then on the previous step, whatever the weights are. (weights/train/test_attention.py tests this for a whole text.) */
static void lstm(void) {
    const config *c = configs;
    lstmn *m = build(c);
    nx_model *model = opened(m);
    enum { n = 3 };
    const uint32_t *ids = some_ids(n, c->values, 4);
    double truth[n * 31], weights[n * (n + 1)];
    float row[31], nats;
    twin(m, ids, n, 1, truth, weights);
    nx_session *session = one_sample(model, n, 0);
    for (uint32_t p = 0; p < n; p++) {
        CHECK_INT(nx_session_put(model, session, ids + p, 1, 0, &nats), NX_OK);
        CHECK_INT(nx_session_output(model, session, 0, row), NX_OK);
        for (uint32_t v = 0; v < c->values; v++) CHECK_NEAR((double)row[v], truth[p * c->values + v], TOLERANCE);
    }
}

/* Changing later words must not change earlier outputs. Changing the first word must change the last output. The size of the state grows
 * with the length of the text. */
static void causality(void) {
    const config *c = configs;
    nx_model *model = opened(build(c));
    if (!model) return;
    enum { n = 30, moved = 11 };
    uint32_t ids[n];
    float nats[n], other[n];
    memcpy(ids, some_ids(n, c->values, 3), sizeof ids);
    CHECK_INT(nx_session_put(model, one_sample(model, n, 0), ids, n, 0, nats), NX_OK);
    ids[moved] = (ids[moved] + 5) % c->values;
    CHECK_INT(nx_session_put(model, one_sample(model, n, 0), ids, n, 0, other), NX_OK);
    CHECK_FLOATS(other, nats, moved);
    for (uint32_t p = moved; p < n; p++) CHECK(other[p] != nats[p]);
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    size_t bytes[3];
    for (uint32_t k = 0; k < 3; k++) {
        nx_shape shape = {.length = 10 + 10 * k};
        CHECK_INT(nx_session_size(model, 0, &settings, &shape, bytes + k), NX_OK);
    }
    CHECK(bytes[1] - bytes[0] >= 10 * 4 * 16 * sizeof(float)); /* the state of ten more words: h, c, W_h h and s */
    CHECK_NEAR((double)(bytes[2] - bytes[1]), (double)(bytes[1] - bytes[0]), 256);
}

static void refusals(void) {
    lstmn *m = build(configs);
    for (size_t i = 0; i + 40 < m->file.length; i++)
        if (!memcmp(m->file.bytes + i, "lstmn.tape_start", 16)) memcpy(m->file.bytes + i + 16 + 4 + 8, "nine", 4);
    toy_refused(m->file.bytes, m->file.length, NX_E_UNSUPPORTED, "lstmn.tape_start");
    config c = configs[0];
    c.d = 10, m = build(&c);
    toy_refused(m->file.bytes, m->file.length, NX_E_UNSUPPORTED, "lstmn.embedding_length");
    m = build(configs), m->n_tensors--, written(m);
    toy_refused(m->file.bytes, m->file.length, NX_E_FORMAT, "cell.bias");
}

const check_test lstmn_tests[] = {
    {"logits and weights equal the reference, also in one call", logits},
    {"with only one word to attend to, the network is an LSTM", lstm},
    {"causality, and a state that grows with the text", causality},
    {"invalid files are refused", refusals},
    {0},
};

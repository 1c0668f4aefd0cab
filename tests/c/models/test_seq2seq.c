/* SPDX-License-Identifier: MIT
 *
 * Compares the recurrent encoder-decoder with its equations in double precision, for each type of attention.
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

/* Tolerance for the single-precision error over a sentence. */
#define TOLERANCE 1e-4
#define MAP_TOLERANCE 3e-5
/* Tolerance for the error from rounding activations and weights. */
#define ROUNDED_TOLERANCE 0.3
#define ROUNDED_MAP_TOLERANCE 0.1

/* ---- toys ------------------------------------------------------------------------------------------------------------------- */

typedef enum { NONE, ADDITIVE, DOT, SCALED_DOT, GENERAL, COSINE, LOCATION } score_kind;
typedef enum { GLOBAL, LOCAL_M, LOCAL_P } range_kind;
typedef enum { SIMPLE, SIGMOID, SEGMENTATION } structure_kind;

typedef struct {
    uint32_t values, length, d, e, A, D, positions;
    score_kind score;
    range_kind range;
    structure_kind structure;
    int before, feeds;
    uint32_t end; /* the end id plus 1; 0 means no end id */
    uint32_t type;
    uint64_t seed;
} config;

typedef struct {
    config c;
    toy_tensor tensor[24];
    uint32_t n_tensors;
    toy_file file;
} seq2seq;

static void add(seq2seq *m, const char *name, uint32_t rows, uint32_t cols, uint32_t type, double mean, double spread) {
    toy_tensor *t = m->tensor + m->n_tensors++;
    check_random random = {m->c.seed ^ check_hash(0, name, strlen(name))};
    strcpy(t->name, name);
    t->rows = rows, t->cols = cols, t->type = type;
    t->values = memory_take((size_t)rows * cols * sizeof *t->values);
    for (uint32_t i = 0; i < rows * cols; i++) t->values[i] = (float)(mean + spread * random_normal(&random));
}

static void add_map(seq2seq *m, const char *name, uint32_t rows, uint32_t cols, double spread, int bias) {
    char full[48];
    sprintf(full, "%s.weight", name), add(m, full, rows, cols, m->c.type, 0, spread / sqrt((double)cols));
    sprintf(full, "%s.bias", name);
    if (bias) add(m, full, 1, rows, NX_F32, 0, 0.3);
}

static toy_file *written(seq2seq *m) {
    static const char *const scores[] = {"none", "additive", "dot", "scaled-dot", "general", "cosine", "location"};
    static const char *const ranges[] = {"global", "local-m", "local-p"};
    static const char *const structures[] = {"simple", "sigmoid", "segmentation"};
    const config *c = &m->c;
    toy_file head = {0}, data = {0};
    put_header(&head, m->n_tensors, 8 + (c->D > 0) + (c->A > 0) + (c->positions > 0) + (c->feeds > 0) + (c->structure > 0) + (c->end > 0));
    put_key_text(&head, "general.architecture", "seq2seq");
    put_key_u32(&head, "seq2seq.context_length", c->length);
    put_key_u32(&head, "seq2seq.embedding_length", c->d);
    put_key_u32(&head, "seq2seq.encoder.state_length", c->e);
    put_key_text(&head, "seq2seq.cell", "gru");
    put_key_text(&head, "seq2seq.attention.score", scores[c->score]);
    put_key_text(&head, "seq2seq.attention.order", c->before ? "before" : "after");
    put_key_text(&head, "seq2seq.attention.range", ranges[c->range]);
    if (c->D) put_key_u32(&head, "seq2seq.attention.window", c->D);
    if (c->A) put_key_u32(&head, "seq2seq.attention.length", c->A);
    if (c->positions) put_key_u32(&head, "seq2seq.attention.positions", c->positions);
    if (c->structure) put_key_text(&head, "seq2seq.attention.structure", structures[c->structure]);
    if (c->feeds) put_key_u32(&head, "seq2seq.input_feeding", 1);
    if (c->end) put_key_u32(&head, "tokenizer.ggml.eos_token_id", c->end - 1);
    for (uint32_t i = 0; i < m->n_tensors; i++) put_tensor(&head, &data, m->tensor + i);
    while (head.length % 32) put_bytes(&head, "", 1);
    put_bytes(&head, data.bytes, data.length);
    m->file = head;
    return &m->file;
}

static seq2seq *build(const config *c) {
    seq2seq *m = memory_take(sizeof *m);
    memset(m, 0, sizeof *m);
    m->c = *c;
    uint32_t h = 2 * c->e;
    add(m, "token_embd.weight", c->values, c->d, c->type, 0, 1.4 / sqrt((double)c->d));
    add_map(m, "enc.fwd.input", 3 * c->e, c->d, 1.4, 1), add_map(m, "enc.fwd.state", 3 * c->e, c->e, 1.4, 1);
    add_map(m, "enc.bwd.input", 3 * c->e, c->d, 1.4, 1), add_map(m, "enc.bwd.state", 3 * c->e, c->e, 1.4, 1);
    add_map(m, "init", h, h, 1.4, 1);
    add_map(m, "dec.input", 3 * h, c->d + (c->before ? h : c->feeds ? c->d : 0), 1.4, 1), add_map(m, "dec.state", 3 * h, h, 1.4, 1);
    if (c->score == ADDITIVE || c->score == LOCATION) add_map(m, "attn_q", c->score == LOCATION ? c->positions : c->A, h, 2.5, 0);
    if (c->score == ADDITIVE || c->score == GENERAL) add_map(m, "attn_k", c->score == ADDITIVE ? c->A : h, h, 2, 0);
    if (c->score == ADDITIVE) add(m, "attn_v.weight", 1, c->A, NX_F32, 0, 1);
    if (c->score == COSINE) add(m, "attn_scale.weight", 1, 1, NX_F32, 5, 0);
    if (c->range == LOCAL_P) add_map(m, "attn_position", c->A, h, 2, 0), add(m, "attn_centre.weight", 1, c->A, NX_F32, 0, 1);
    if (c->structure != SIMPLE) add(m, "attn_bias.weight", 1, 1, NX_F32, -1, 0);
    if (c->structure == SEGMENTATION) add(m, "attn_transition.weight", 2, 2, NX_F32, 0, 1.5);
    add_map(m, "output", c->d, c->score == NONE ? h : 2 * h, 1.4, 1);
    written(m);
    return m;
}

static nx_model *opened(seq2seq *m) { return toy_file_open(written(m)); }

static const config configs[] = {
    {.values = 31, .length = 30, .d = 12, .e = 8, .seed = 1},
    {.values = 31, .length = 30, .d = 12, .e = 8, .score = ADDITIVE, .A = 20, .before = 1, .seed = 2},
    {.values = 40, .length = 33, .d = 16, .e = 12, .score = ADDITIVE, .A = 8, .feeds = 1, .seed = 3},
    {.values = 31, .length = 30, .d = 12, .e = 8, .score = DOT, .seed = 4},
    {.values = 31, .length = 30, .d = 8, .e = 12, .score = SCALED_DOT, .before = 1, .seed = 5},
    {.values = 31, .length = 30, .d = 12, .e = 8, .score = GENERAL, .feeds = 1, .type = NX_F16, .seed = 6},
    {.values = 31, .length = 30, .d = 12, .e = 8, .score = COSINE, .seed = 7},
    {.values = 31, .length = 30, .d = 12, .e = 8, .score = LOCATION, .positions = 11, .seed = 8},
    {.values = 31, .length = 30, .d = 12, .e = 8, .score = LOCATION, .range = LOCAL_M, .D = 2, .positions = 11, .seed = 9},
    {.values = 31, .length = 30, .d = 12, .e = 8, .score = DOT, .range = LOCAL_M, .D = 1, .seed = 10},
    {.values = 31, .length = 30, .d = 12, .e = 8, .score = GENERAL, .range = LOCAL_P, .D = 2, .A = 12, .seed = 11},
    {.values = 31, .length = 30, .d = 12, .e = 8, .score = ADDITIVE, .range = LOCAL_P, .D = 4, .A = 12, .before = 1, .seed = 12},
    {.values = 40, .length = 24, .d = 32, .e = 32, .score = ADDITIVE, .A = 32, .before = 1, .type = NX_Q8_0, .seed = 13},
    {.values = 40, .length = 24, .d = 32, .e = 32, .score = GENERAL, .range = LOCAL_P, .D = 3, .A = 32, .feeds = 1, .type = NX_Q8_0, .seed = 14},
    {.values = 25, .length = 30, .d = 16, .e = 8, .score = GENERAL, .feeds = 1, .end = 3, .seed = 15},
    {.values = 25, .length = 30, .d = 32, .e = 32, .score = ADDITIVE, .A = 32, .before = 1, .end = 3, .type = NX_Q8_0, .seed = 16},
    {.values = 7, .length = 9, .d = 4, .e = 4, .score = LOCATION, .range = LOCAL_P, .D = 1, .A = 4, .positions = 5, .end = 1, .seed = 17},
    {.values = 7, .length = 9, .d = 4, .e = 4, .score = COSINE, .seed = 18},
    {.values = 31, .length = 30, .d = 12, .e = 8, .score = GENERAL, .structure = SIGMOID, .seed = 19},
    {.values = 31, .length = 30, .d = 12, .e = 8, .score = ADDITIVE, .A = 20, .before = 1, .structure = SEGMENTATION, .seed = 20},
    {.values = 31, .length = 30, .d = 12, .e = 8, .score = LOCATION, .positions = 11, .structure = SEGMENTATION, .seed = 21},
    {.values = 40, .length = 24, .d = 32, .e = 32, .score = GENERAL, .feeds = 1, .structure = SEGMENTATION, .type = NX_Q8_0, .seed = 22},
    {.values = 25, .length = 30, .d = 16, .e = 8, .score = GENERAL, .structure = SEGMENTATION, .end = 3, .seed = 23},
    {.values = 7, .length = 9, .d = 4, .e = 4, .score = DOT, .structure = SEGMENTATION, .seed = 24},
    {.values = 7, .length = 9, .d = 4, .e = 4, .score = GENERAL, .structure = SIGMOID, .end = 1, .seed = 25},
};
#define CONFIGS (sizeof configs / sizeof *configs)

static toy_file toy_number(uint32_t number) { return build(configs + number)->file; }

/* A source of 19 words takes more than one slice of the encoder. */
const toy_row seq2seq_toys[] = {
    {"seq2seq, additive before the step", TOY_RUN | TOY_SHAPED, toy_number, 1, {.length = 27, .counts = {19}}},
    {"seq2seq, general, fed", TOY_RUN, toy_number, 5, {.length = 27, .counts = {19}}},
    {"seq2seq, local-p, rounded", TOY_RUN | TOY_DAMPED, toy_number, 13, {.length = 23, .counts = {19}}},
    {"seq2seq, segments", TOY_RUN | TOY_SHAPED | TOY_BITS, toy_number, 19, {.length = 27, .counts = {19}}},
    {"seq2seq, segments, rounded", TOY_RUN | TOY_BITS, toy_number, 21, {.length = 23, .counts = {19}}},
    {"seq2seq without attention", TOY_RUN, toy_number, 0, {.length = 27, .counts = {19}}},
    {"seq2seq with an end", TOY_SEARCH, toy_number, 14, {.length = 14, .counts = {9}}},
    {"seq2seq with an end, rounded", TOY_SEARCH, toy_number, 15, {.length = 14, .counts = {9}}},
    {"seq2seq, segments, with an end", TOY_SEARCH, toy_number, 22, {.length = 14, .counts = {9}}},
    {NULL, TOY_SEED, toy_number, 16, {0}},
    {NULL, TOY_SEED, toy_number, 17, {0}},
    {NULL, TOY_SEED, toy_number, 2, {0}},
    {NULL, TOY_SEED, toy_number, 23, {0}},
    {NULL, TOY_SEED, toy_number, 24, {0}},
    {0},
};

static float *tensor(const seq2seq *m, const char *name) {
    for (uint32_t i = 0; i < m->n_tensors; i++)
        if (!strcmp(m->tensor[i].name, name)) return (float *)m->tensor[i].values;
    return NULL;
}

/* ---- the reference ---------------------------------------------------------------------------------------------------------- */

static double sigma(double x) { return 1 / (1 + exp(-x)); }

/* Computes out = W x + b, a vector of `rows` values, from the tensors "NAME.weight" and, if it exists, "NAME.bias". */
static void mapped(double *out, const seq2seq *m, const char *name, const char *part, uint32_t rows, uint32_t cols, const double *x) {
    char full[64];
    sprintf(full, "%s%s.weight", name, part);
    ref_matmul(out, NULL, tensor(m, full), rows, cols, x);
    sprintf(full, "%s%s.bias", name, part);
    const float *bias = tensor(m, full);
    for (uint32_t r = 0; bias && r < rows; r++) out[r] += (double)bias[r];
}

static void gru(const seq2seq *m, const char *name, uint32_t width, uint32_t inputs, const double *x, double *h) {
    double of_x[400], of_h[400];
    mapped(of_x, m, name, ".input", 3 * width, inputs, x), mapped(of_h, m, name, ".state", 3 * width, width, h);
    for (uint32_t i = 0; i < width; i++) {
        double r = sigma(of_x[i] + of_h[i]), z = sigma(of_x[width + i] + of_h[width + i]);
        h[i] = (1 - z) * tanh(of_x[2 * width + i] + r * of_h[2 * width + i]) + z * h[i];
    }
}

static void word(const seq2seq *m, double *x, uint32_t id) {
    for (uint32_t i = 0; i < m->c.d; i++) x[i] = id == NX_NONE ? 0 : sqrt((double)m->c.d) * (double)tensor(m, "token_embd.weight")[id * m->c.d + i];
}

typedef struct {
    double *logits, *weights, *centre; /* shapes (n, V), (n, S), (n); a centre is a position in the source, at most that of the last word */
} twin_run;

/* Converts the scores of S bits z_i to the probabilities p(z_i = 1). */
static void expected(const seq2seq *m, double *a, uint32_t S) {
    const double bias = (double)tensor(m, "attn_bias.weight")[0];
    double A[4] = {0};
    for (int i = 0; i < 4 && m->c.structure == SEGMENTATION; i++) A[i] = (double)tensor(m, "attn_transition.weight")[i];
    for (uint32_t i = 0; i < S; i++) a[i] += bias;
    if (m->c.structure == SIGMOID)
        for (uint32_t i = 0; i < S; i++) a[i] = sigma(a[i]);
    else ref_segments(a, a, A, S);
}

/* Computes the S weights and the context (2e numbers) of a state at position p from the equations. For the additive score, W_q and W_k are
 * one matrix that multiplies [s; h]. */
static double attended(const seq2seq *m, const double *s, const double *h, uint32_t S, uint32_t p, double *a, double *context) {
    const config *c = &m->c;
    uint32_t w = 2 * c->e, A = c->A, middle = p < S ? p : S - 1;
    double centre = middle, inner[400];
    if (c->range == LOCAL_P) {
        double sum = 0;
        mapped(inner, m, "attn_position", "", A, w, s);
        for (uint32_t i = 0; i < A; i++) sum += (double)tensor(m, "attn_centre.weight")[i] * tanh(inner[i]);
        centre = S * sigma(sum), middle = (uint32_t)fmin(floor(centre), S - 1);
    }
    for (uint32_t i = 0; i < S; i++) {
        const double *key = h + (size_t)i * w;
        double dot = 0, ss = 0, hh = 0, of_s[400], of_h[400];
        for (uint32_t e = 0; e < w; e++) dot += s[e] * key[e], ss += s[e] * s[e], hh += key[e] * key[e];
        switch (c->score) {
        case ADDITIVE:
            a[i] = 0;
            for (uint32_t r = 0; r < A; r++) {
                double sum = 0; /* multiplies a row of [W_q W_k] by [s; h] */
                for (uint32_t e = 0; e < 2 * w; e++)
                    sum += (double)tensor(m, e < w ? "attn_q.weight" : "attn_k.weight")[r * w + e % w] * (e < w ? s[e] : key[e - w]);
                a[i] += (double)tensor(m, "attn_v.weight")[r] * tanh(sum);
            }
            break;
        case GENERAL:
            mapped(of_h, m, "attn_k", "", w, w, key), a[i] = 0;
            for (uint32_t e = 0; e < w; e++) a[i] += s[e] * of_h[e];
            break;
        case COSINE: a[i] = ss > 0 && hh > 0 ? (double)tensor(m, "attn_scale.weight")[0] * dot / sqrt(ss * hh) : 0; break;
        case LOCATION:
            mapped(of_s, m, "attn_q", "", c->positions, w, s);
            a[i] = i < c->positions ? of_s[i] : -INFINITY;
            break;
        default: a[i] = c->score == SCALED_DOT ? dot / sqrt((double)w) : dot;
        }
        if (c->range != GLOBAL && (i > middle ? i - middle : middle - i) > c->D) a[i] = -INFINITY;
    }
    if (c->structure != SIMPLE) expected(m, a, S);
    else ref_softmax(a, S);
    for (uint32_t e = 0; e < w; e++) context[e] = 0;
    for (uint32_t i = 0; i < S; i++) {
        if (c->range == LOCAL_P) a[i] *= exp(-pow(i - centre, 2) / (2 * pow(c->D / 2.0, 2)));
        for (uint32_t e = 0; e < w; e++) context[e] += a[i] * h[(size_t)i * w + e];
    }
    return fmin(centre, S - 1);
}

/* Computes the logits of each of n ids, given the ids before it. */
static twin_run twin(const seq2seq *m, const uint32_t *source, uint32_t S, const uint32_t *ids, uint32_t n) {
    const config *c = &m->c;
    uint32_t e = c->e, w = 2 * e, d = c->d;
    twin_run t = {memory_take((size_t)n * c->values * sizeof(double)), memory_take((size_t)n * S * sizeof(double)), memory_take(n * sizeof(double))};
    double *h = memory_take((size_t)S * w * sizeof *h), x[400], state[400] = {0}, s[400], fed[400] = {0}, joined[400], out[400];
    for (uint32_t i = 0; i < S; i++) word(m, x, source[i]), gru(m, "enc.fwd", e, d, x, state), memcpy(h + (size_t)i * w, state, e * sizeof *h);
    memset(state, 0, sizeof state);
    for (uint32_t i = S; i-- > 0;) word(m, x, source[i]), gru(m, "enc.bwd", e, d, x, state), memcpy(h + (size_t)i * w + e, state, e * sizeof *h);
    memcpy(joined, h + (size_t)(S - 1) * w, e * sizeof *h), memcpy(joined + e, h + e, e * sizeof *h);
    mapped(s, m, "init", "", w, w, joined);
    for (uint32_t i = 0; i < w; i++) s[i] = tanh(s[i]);
    for (uint32_t p = 0; p < n; p++) {
        word(m, x, p ? ids[p - 1] : NX_NONE);
        if (c->before) t.centre[p] = attended(m, s, h, S, p, t.weights + (size_t)p * S, x + d), memcpy(joined, x + d, w * sizeof *x);
        if (c->feeds) memcpy(x + d, fed, d * sizeof *x);
        gru(m, "dec", w, d + (c->before ? w : c->feeds ? d : 0), x, s);
        if (!c->before && c->score != NONE) t.centre[p] = attended(m, s, h, S, p, t.weights + (size_t)p * S, joined);
        memcpy(joined + (c->score == NONE ? 0 : w), s, w * sizeof *s);
        mapped(out, m, "output", "", d, c->score == NONE ? w : 2 * w, joined);
        for (uint32_t i = 0; i < d; i++) fed[i] = tanh(out[i]);
        ref_matmul(t.logits + (size_t)p * c->values, NULL, tensor(m, "token_embd.weight"), c->values, d, fed);
    }
    return t;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------------- */

static nx_session *session_of(const nx_model *model, const uint32_t *source, uint32_t S, uint32_t maps) {
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1, .maps = maps};
    nx_shape shape = {.counts = {S}};
    nx_session *session = NULL;
    size_t bytes = 0;
    CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, &shape, &session), NX_OK);
    CHECK_INT(nx_session_input(model, session, 0, source, S), NX_OK);
    nx_status status;
    while ((status = nx_session_encode(model, session)) == NX_MORE) {}
    CHECK_INT(status, NX_OK);
    return session;
}

/* Computes the logits of n known ids, in order. Unless null, `weights` receives the attention weights over the source, shape (n, S), and
 * `centres` receives the centres, shape (n). */
static float *run(const nx_model *model, const uint32_t *source, uint32_t S, const uint32_t *ids, uint32_t n, float *weights, float *centres) {
    nx_session *session = session_of(model, source, S, weights != NULL);
    nx_part_info part;
    CHECK_INT(nx_model_part(model, 0, &part), NX_OK);
    float *all = memory_take((size_t)n * part.outputs * sizeof *all);
    uint32_t *keys = memory_take((size_t)part.length * sizeof *keys), count;
    float nats;
    for (uint32_t p = 0; p < n; p++) {
        CHECK_INT(nx_session_put(model, session, ids + p, 1, 0, &nats), NX_OK);
        CHECK_INT(nx_session_output(model, session, 0, all + (size_t)p * part.outputs), NX_OK);
        if (!weights) continue;
        CHECK_INT(nx_session_map(model, session, 0, 0, 0, keys, weights + (size_t)p * S, &count), NX_OK);
        CHECK_INT(count, S);
        if (!centres) continue;
        float *between = memory_take(S * sizeof *between);
        CHECK_INT(nx_session_map(model, session, 0, 1, 0, keys, between, &count), NX_OK);
        CHECK_INT(count, S);
        centres[p] = 0;
        for (uint32_t k = 0; k < S; k++) centres[p] += (float)k * between[k];
    }
    return all;
}

/* Reads the map named "alone" at n positions, shape (n, S). */
static void alone_of(const nx_model *model, const uint32_t *source, uint32_t S, const uint32_t *ids, uint32_t n, float *alone) {
    nx_session *session = session_of(model, source, S, 1);
    uint32_t *keys = memory_take((size_t)S * sizeof *keys), count;
    float nats;
    for (uint32_t p = 0; p < n; p++) {
        CHECK_INT(nx_session_put(model, session, ids + p, 1, 0, &nats), NX_OK);
        CHECK_INT(nx_session_map(model, session, 0, 1, 0, keys, alone + (size_t)p * S, &count), NX_OK);
        CHECK_INT(count, S);
    }
}

/* ---- tests ------------------------------------------------------------------------------------------------------------------ */

/* Computes the positions one by one, for sources of all lengths, and compares the logits with the reference. Computing all positions in one
 * call must give the same bits. */
static void logits(void) {
    for (size_t i = 0; i < CONFIGS; i++) {
        const config *c = configs + i;
        const uint32_t lengths[] = {1, 2, 7, 16, 17, c->length};
        int rounded = c->type == NX_Q8_0;
        double worst = 0, worst_map = 0;
        for (int l = 0; l < 6; l++) {
            size_t mark = memory_mark();
            seq2seq *m = build(c);
            nx_model *model = opened(m);
            if (!model) return;
            uint32_t n = c->length, S = lengths[l] < n ? lengths[l] : n;
            const uint32_t *source = some_ids(S, c->values, 10 + l), *ids = some_ids(n, c->values, 20 + l);
            float *weights = memory_take((size_t)n * S * sizeof *weights), *centres = memory_take(n * sizeof *centres);
            float *single = memory_take(n * sizeof *single), *at_once = memory_take(n * sizeof *at_once);
            twin_run truth = twin(m, source, S, ids, n);
            check_at("configuration %lld, %lld words in the source", (long long)i, S, 0, 0);
            const float *output = run(model, source, S, ids, n, c->score == NONE ? NULL : weights, c->range == GLOBAL ? NULL : centres);
            for (uint32_t v = 0; v < n * c->values; v++) worst = fmax(worst, fabs((double)output[v] - truth.logits[v]));
            for (uint32_t p = 0; p < n && c->score != NONE; p++) {
                if (c->range != GLOBAL) worst_map = fmax(worst_map, fabs((double)centres[p] - truth.centre[p]));
                for (uint32_t k = 0; k < S; k++) worst_map = fmax(worst_map, fabs((double)weights[p * S + k] - truth.weights[p * S + k]));
            }
            nx_session *stepping = session_of(model, source, S, 0);
            for (uint32_t p = 0; p < n; p++) CHECK_INT(nx_session_put(model, stepping, ids + p, 1, 0, single + p), NX_OK);
            CHECK_INT(nx_session_put(model, session_of(model, source, S, 0), ids, n, 0, at_once), NX_OK);
            CHECK_FLOATS(at_once, single, n);
            memory_release(mark);
        }
        check_note("  configuration %d: logits within %.3g, weights %.3g", (int)i, worst, worst_map);
        CHECK(worst < (rounded ? ROUNDED_TOLERANCE : TOLERANCE));
        CHECK(worst_map < (rounded ? ROUNDED_MAP_TOLERANCE : MAP_TOLERANCE));
    }
}

enum { S = 13, N = 18 };

/* Checks that two files, which describe the same computation in two ways, give the same logits. The logits may differ by at most `off`; 0
 * means bit for bit. */
static void same(seq2seq *a, seq2seq *b, double off) {
    nx_model *one = opened(a), *other = opened(b);
    if (!one || !other) return;
    const uint32_t *source = some_ids(S, a->c.values, 1), *ids = some_ids(N, a->c.values, 2);
    const float *x = run(one, source, S, ids, N, NULL, NULL), *y = run(other, source, S, ids, N, NULL, NULL);
    if (off > 0)
        for (uint32_t i = 0; i < N * a->c.values; i++) CHECK_NEAR((double)x[i], (double)y[i], off);
    else CHECK_FLOATS(x, y, (size_t)N * a->c.values);
}

/* W_k = scale I */
static void diagonal(seq2seq *m, double scale) {
    uint32_t w = 2 * m->c.e;
    for (uint32_t i = 0; i < w * w; i++) tensor(m, "attn_k.weight")[i] = i % (w + 1) ? 0 : (float)scale;
}

static void scores_are_one_another(void) {
    config c = configs[3], other = c;
    other.score = GENERAL;
    seq2seq *general = build(&other);
    /* with the identity matrix, the general score is the dot score; with the identity / sqrt(width), it is the scaled-dot score */
    diagonal(general, 1), same(build(&c), general, 0);
    c.score = SCALED_DOT;
    diagonal(general, 1 / sqrt(2.0 * c.e)), same(build(&c), general, TOLERANCE);
    c = configs[3], other = c, other.score = COSINE;
    seq2seq *cosine = build(&other);
    tensor(cosine, "attn_scale.weight")[0] = 0;
    c.score = GENERAL, general = build(&c), diagonal(general, 0);
    same(general, cosine, 0); /* all scores are zero in both files, so the context is the mean of the annotations */
}

/* Local attention with a window that covers the whole source equals global attention. */
static void window_that_covers_all(void) {
    for (size_t i = 0; i < CONFIGS; i++) {
        config c = configs[i], local = c;
        if (c.score == NONE || c.range != GLOBAL || c.structure != SIMPLE || c.length < N) continue;
        local.range = LOCAL_M, local.D = S;
        check_at("configuration %lld", (long long)i, 0, 0, 0);
        same(build(&c), build(&local), 0);
    }
}

/* If the centre of local-p is at an end of the source, the window is cut off there, but it is never empty. Multiplied by the Gaussian, the
 * weights do not add up to 1. */
static void window_at_both_ends(void) {
    for (int last = 0; last < 2; last++) {
        seq2seq *m = build(configs + 10);
        const uint32_t *source = some_ids(S, m->c.values, 1), *ids = some_ids(N, m->c.values, 2);
        float weights[N * S], centres[N], *of_state = tensor(m, "attn_position.weight");
        for (uint32_t i = 0; i < m->c.A; i++) tensor(m, "attn_centre.weight")[i] = 0;
        run(opened(m), source, S, ids, N, weights, centres);
        for (uint32_t p = 0; p < N; p++) CHECK_NEAR((double)centres[p], 0.5 * S, 1e-5); /* sigma(0) */
        /* the centre moves to one end or the other, depending on the sign of the state's first number */
        for (uint32_t i = 0; i < m->c.A; i++) tensor(m, "attn_centre.weight")[i] = 300;
        for (uint32_t i = 0; i < m->c.A * 2 * m->c.e; i++) of_state[i] = i % (2 * m->c.e) ? 0 : last ? 1e3f : -1e3f;
        run(opened(m), source, S, ids, N, weights, centres);
        for (uint32_t p = 0; p < N; p++) {
            double sum = 0;
            uint32_t inside = 0, at = centres[p] < 0.5f * S ? 0 : S - 1;
            CHECK(centres[p] < 0.01f || centres[p] > S - 1.01f);
            for (uint32_t k = 0; k < S; k++) {
                sum += (double)weights[p * S + k], inside += weights[p * S + k] > 0;
                if ((k > at ? k - at : at - k) > m->c.D) CHECK(weights[p * S + k] == 0);
            }
            CHECK(inside >= 1 && inside <= m->c.D + 1);
            CHECK(sum > 0 && sum < 1 + 1e-6);
        }
    }
}

/* Without transitions, the bits of a chain are independent. For a source of one word, the weight is sigma of the word's score. The map
 * "alone" is the map without transitions. */
static void chains_without_transitions(void) {
    config c = configs[18], chained = c;
    chained.structure = SEGMENTATION;
    seq2seq *a = build(&c), *b = build(&chained);
    memset(tensor(b, "attn_transition.weight"), 0, 4 * sizeof(float));
    same(a, b, TOLERANCE);
    const uint32_t *source = some_ids(S, c.values, 1), *ids = some_ids(N, c.values, 2);
    float bits[N * S], chain[N * S], alone[N * S];
    for (int sticky = 0; sticky < 2; sticky++) {
        float *A = tensor(b, "attn_transition.weight");
        A[0] = A[3] = 3 * (float)sticky;
        nx_model *independent = opened(a), *model = opened(b);
        if (!independent || !model) return;
        for (uint32_t length = 1; length <= S; length += S - 1) {
            run(independent, source, length, ids, N, bits, NULL), run(model, source, length, ids, N, chain, NULL), alone_of(model, source, length, ids, N, alone);
            double moved = 0;
            for (uint32_t i = 0; i < N * length; i++) {
                CHECK_NEAR((double)alone[i], (double)bits[i], MAP_TOLERANCE);
                moved = fmax(moved, fabs((double)chain[i] - (double)bits[i]));
            }
            CHECK(sticky && length > 1 ? moved > 0.1 : moved < MAP_TOLERANCE);
        }
    }
}

/* The location score has a fixed number of rows, one per source position. If the source has fewer words, the softmax ignores the remaining
 * rows. If the source has more words, the remaining words get no weight. */
static void location_beyond_its_rows(void) {
    seq2seq *m = build(configs + 7);
    nx_model *model = opened(m);
    if (!model) return;
    const uint32_t *ids = some_ids(N, m->c.values, 2);
    float weights[N * 30];
    for (uint32_t length = 1; length < 20; length++) {
        const uint32_t *source = some_ids(length, m->c.values, 1);
        run(model, source, length, ids, N, weights, NULL);
        for (uint32_t p = 0; p < N; p++) {
            double sum = 0;
            for (uint32_t k = 0; k < length; k++) {
                sum += (double)weights[p * length + k];
                CHECK((weights[p * length + k] > 0) == (k < m->c.positions));
            }
            CHECK_NEAR(sum, 1, 1e-6);
        }
    }
}

/* Changing later words must not change earlier outputs. Every word of the source affects every position, even without attention. */
static void causality(void) {
    for (size_t i = 0; i < CONFIGS; i++) {
        size_t mark = memory_mark();
        const config *c = configs + i;
        nx_model *model = opened(build(c));
        if (!model) return;
        enum { n = 9, longest = 9, moved = 4 };
        uint32_t ids[n], source[longest];
        float nats[n], other[n];
        memcpy(ids, some_ids(n, c->values, 3), sizeof ids), memcpy(source, some_ids(longest, c->values, 4), sizeof source);
        CHECK_INT(nx_session_put(model, session_of(model, source, longest, 0), ids, n, 0, nats), NX_OK);
        ids[moved] = (ids[moved] + 5) % c->values;
        CHECK_INT(nx_session_put(model, session_of(model, source, longest, 0), ids, n, 0, other), NX_OK);
        check_at("configuration %lld", (long long)i, 0, 0, 0);
        CHECK_FLOATS(other, nats, moved);
        for (uint32_t p = moved; p < n; p++) CHECK(other[p] != nats[p]);
        memory_release(mark);
    }
}

static void refused(const config *c, nx_status status, const char *named) {
    seq2seq *m = build(c);
    toy_refused(m->file.bytes, m->file.length, status, named);
}

static void refusals(void) {
    config c = configs[10];
    c.D = 0;
    refused(&c, NX_E_FORMAT, "seq2seq.attention.window"); /* missing */
    seq2seq *m = build(configs + 10);
    for (size_t i = 0; i + 32 < m->file.length; i++) /* sets the window to zero; its number follows the key and the key's type */
        if (!memcmp(m->file.bytes + i, "seq2seq.attention.window", 24)) memset(m->file.bytes + i + 28, 0, 4);
    toy_refused(m->file.bytes, m->file.length, NX_E_FORMAT, "seq2seq.attention.window");
    m = build(configs + 3);
    for (size_t i = 0; i + 40 < m->file.length; i++) /* makes the score unknown: the string follows the key, its type and its length */
        if (!memcmp(m->file.bytes + i, "seq2seq.attention.score", 23)) memcpy(m->file.bytes + i + 23 + 4 + 8, "dut", 3);
    toy_refused(m->file.bytes, m->file.length, NX_E_UNSUPPORTED, "seq2seq.attention.score");
    m = build(configs + 3);
    for (size_t i = 0; i + 40 < m->file.length; i++)
        if (!memcmp(m->file.bytes + i, "seq2seq.attention.score", 23)) memcpy(m->file.bytes + i, "seq2seq.attention.scorf", 23);
    toy_refused(m->file.bytes, m->file.length, NX_E_FORMAT, "seq2seq.attention.score");
    c = configs[1], c.feeds = 1;
    refused(&c, NX_E_UNSUPPORTED, "seq2seq.input_feeding");
    c = configs[0], c.before = 1;
    refused(&c, NX_E_UNSUPPORTED, "seq2seq.attention.order");
    c = configs[0], c.range = LOCAL_M, c.D = 2;
    refused(&c, NX_E_UNSUPPORTED, "seq2seq.attention.range");
    c = configs[0], c.structure = SIGMOID;
    refused(&c, NX_E_UNSUPPORTED, "seq2seq.attention.structure");
    c = configs[9], c.structure = SEGMENTATION;
    refused(&c, NX_E_UNSUPPORTED, "seq2seq.attention.structure");
    c = configs[1], c.A = 18;
    refused(&c, NX_E_UNSUPPORTED, "seq2seq.attention.length");
    c = configs[1], c.d = 10;
    refused(&c, NX_E_UNSUPPORTED, "seq2seq.embedding_length");
    m = build(configs + 7);
    for (size_t i = 0; i + 40 < m->file.length; i++)
        if (!memcmp(m->file.bytes + i, "seq2seq.attention.positions", 27)) m->file.bytes[i] = 'x';
    toy_refused(m->file.bytes, m->file.length, NX_E_FORMAT, "seq2seq.attention.positions");
}

const check_test seq2seq_tests[] = {
    {"logits, weights and centres of every score equal the reference, also in one call", logits},
    {"general with the identity matrix is dot; with that matrix over the root of the width, it is scaled dot", scores_are_one_another},
    {"a window that covers the source gives global attention", window_that_covers_all},
    {"the window of local-p at both ends", window_at_both_ends},
    {"a chain of bits without transitions is sigma, and so is the map of each bit alone", chains_without_transitions},
    {"sources longer and shorter than the rows of the location score", location_beyond_its_rows},
    {"causality", causality},
    {"invalid files are refused", refusals},
    {0},
};

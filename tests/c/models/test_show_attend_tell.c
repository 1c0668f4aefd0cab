/* SPDX-License-Identifier: MIT  Compares Show, Attend and Tell with its equations in double precision. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "kernels/kernels.h"
#include "one_sample.h"
#include "reference.h"
#include "sampling/categorical.h"
#include "session/session.h"
#include "toy.h"

/* Tolerance for the single-precision error over a sentence. */
#define TOLERANCE 1e-4
#define MAP_TOLERANCE 3e-5
/* Tolerance for the error from rounding activations and weights. */
#define ROUNDED_TOLERANCE 0.3
#define ROUNDED_MAP_TOLERANCE 0.1

/* ---- toys ------------------------------------------------------------------------------------------------------------------- */

#define COLOURS 3u
#define MOST 3

typedef struct {
    uint32_t values, length, height, width, kernels[MOST], strides[MOST], channels[MOST]; /* lists end at the first zero */
    uint32_t E, H, T, A;
    int selects, hard;
    uint32_t end; /* the end id plus 1; 0 means no end id */
    uint32_t type;
    uint64_t seed;
} config;

typedef struct {
    config c;
    toy_tensor tensor[24];
    uint32_t n_tensors;
    toy_file file;
} teller;

static void add(teller *m, const char *name, uint32_t rows, uint32_t cols, uint32_t type, double spread) {
    toy_tensor *t = m->tensor + m->n_tensors++;
    check_random random = {m->c.seed ^ check_hash(0, name, strlen(name))};
    strcpy(t->name, name);
    t->rows = rows, t->cols = cols, t->type = type;
    t->values = memory_take((size_t)rows * cols * sizeof *t->values);
    for (uint32_t i = 0; i < rows * cols; i++) t->values[i] = (float)(spread * random_normal(&random));
}

/* Returns the type of a matrix: F32 if its rows do not divide into the 32-weight blocks of Q8_0. */
static uint32_t type_for(const config *c, uint32_t cols) { return c->type == NX_Q8_0 && cols % 32 ? NX_F32 : c->type; }

static void add_map(teller *m, const char *name, uint32_t rows, uint32_t cols, double spread, int bias) {
    char full[48];
    sprintf(full, "%s.weight", name), add(m, full, rows, cols, type_for(&m->c, cols), spread / sqrt((double)cols));
    sprintf(full, "%s.bias", name);
    if (bias) add(m, full, 1, rows, NX_F32, 0.3);
}

static uint32_t layers(const config *c) { return 1 + (c->kernels[1] > 0) + (c->kernels[2] > 0); }

static toy_file *written(teller *m) {
    const config *c = &m->c;
    toy_file head = {0}, data = {0};
    put_header(&head, m->n_tensors, 12 + (c->end > 0));
    put_key_text(&head, "general.architecture", "show-attend-tell");
    put_key_u32(&head, "show-attend-tell.context_length", c->length);
    put_key_u32(&head, "show-attend-tell.image.height", c->height);
    put_key_u32(&head, "show-attend-tell.image.width", c->width);
    put_key_numbers(&head, "show-attend-tell.kernels", c->kernels, layers(c));
    put_key_numbers(&head, "show-attend-tell.strides", c->strides, layers(c));
    put_key_u32(&head, "show-attend-tell.embedding_length", c->E);
    put_key_u32(&head, "show-attend-tell.state_length", c->H);
    put_key_u32(&head, "show-attend-tell.head_length", c->T);
    put_key_u32(&head, "show-attend-tell.attention.length", c->A);
    put_key_text(&head, "show-attend-tell.attention.type", c->hard ? "hard" : "soft");
    put_key_u32(&head, "show-attend-tell.attention.selector", (uint32_t)c->selects);
    if (c->end) put_key_u32(&head, "tokenizer.ggml.eos_token_id", c->end - 1);
    for (uint32_t i = 0; i < m->n_tensors; i++) put_tensor(&head, &data, m->tensor + i);
    while (head.length % 32) put_bytes(&head, "", 1);
    put_bytes(&head, data.bytes, data.length);
    m->file = head;
    return &m->file;
}

static uint32_t rounded_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/* Returns the number of rows or columns of cells after this many convolutions. */
static uint32_t rows_of(const config *c, uint32_t n) { return n ? rounded_up(rows_of(c, n - 1), c->strides[n - 1]) : c->height; }
static uint32_t cols_of(const config *c, uint32_t n) { return n ? rounded_up(cols_of(c, n - 1), c->strides[n - 1]) : c->width; }
static uint32_t cells(const config *c) { return rows_of(c, layers(c)) * cols_of(c, layers(c)); }
static uint32_t depth(const config *c, uint32_t n) { return n ? c->channels[n - 1] : COLOURS; }

static teller *build(const config *c) {
    teller *m = memory_take(sizeof *m);
    memset(m, 0, sizeof *m);
    m->c = *c;
    uint32_t D = depth(c, layers(c));
    for (uint32_t i = 0; i < layers(c); i++) {
        char name[24];
        sprintf(name, "enc.blk.%u", i);
        add_map(m, name, c->channels[i], c->kernels[i] * c->kernels[i] * depth(c, i), 1.5, 1);
    }
    add(m, "position.weight", cells(c), D, NX_F32, 0.5);
    add_map(m, "init_h", c->H, D, 1.4, 1), add_map(m, "init_c", c->H, D, 1.4, 1);
    add_map(m, "attn_k", c->A, D, 2, 0), add_map(m, "attn_q", c->A, c->H, 2.5, 0), add(m, "attn_v.weight", 1, c->A, NX_F32, 1);
    if (c->selects) add_map(m, "selector", 1, c->H, 2, 1);
    add(m, "token_embd.weight", c->values, c->E, c->type, 1);
    add_map(m, "cell", 4 * c->H, c->E + D + c->H, 1.6, 1);
    add_map(m, "head", c->T, c->H + D + c->E, 1.4, 1), add_map(m, "output", c->values, c->T, 2, 1);
    written(m);
    return m;
}

static nx_model *opened(teller *m) { return toy_file_open(written(m)); }

static const config configs[] = {
    {.values = 31, .length = 30, .height = 9, .width = 12, .kernels = {3}, .strides = {3}, .channels = {8}, .E = 8, .H = 12, .T = 8, .A = 12, .seed = 1},
    {.values = 31, .length = 30, .height = 13, .width = 10, .kernels = {5, 3, 1}, .strides = {2, 2, 1}, .channels = {8, 12, 20}, .E = 8, .H = 16, .T = 12, .A = 8, .selects = 1, .seed = 2},
    {.values = 40, .length = 24, .height = 16, .width = 16, .kernels = {5, 3}, .strides = {2, 2}, .channels = {32, 32}, .E = 32, .H = 32, .T = 32, .A = 32, .selects = 1, .type = NX_Q8_0, .seed = 3},
    {.values = 31, .length = 30, .height = 12, .width = 9, .kernels = {3, 3}, .strides = {2, 1}, .channels = {16, 12}, .E = 12, .H = 20, .T = 8, .A = 16, .selects = 1, .type = NX_F16, .seed = 4},
    {.values = 25, .length = 30, .height = 8, .width = 8, .kernels = {3}, .strides = {2}, .channels = {16}, .E = 8, .H = 16, .T = 16, .A = 8, .selects = 1, .end = 3, .seed = 5},
    {.values = 7, .length = 9, .height = 5, .width = 4, .kernels = {3}, .strides = {2}, .channels = {4}, .E = 4, .H = 4, .T = 4, .A = 4, .end = 1, .seed = 6},
    {.values = 7, .length = 9, .height = 1, .width = 1, .kernels = {1}, .strides = {1}, .channels = {4}, .E = 4, .H = 4, .T = 4, .A = 4, .selects = 1, .seed = 7},
    {.values = 31, .length = 30, .height = 13, .width = 10, .kernels = {5, 3, 1}, .strides = {2, 2, 1}, .channels = {8, 12, 20}, .E = 8, .H = 16, .T = 12, .A = 8, .selects = 1, .hard = 1, .seed = 8},
    {.values = 40, .length = 24, .height = 16, .width = 16, .kernels = {5, 3}, .strides = {2, 2}, .channels = {32, 32}, .E = 32, .H = 32, .T = 32, .A = 32, .hard = 1, .end = 3, .type = NX_Q8_0, .seed = 9},
    {.values = 7, .length = 9, .height = 5, .width = 4, .kernels = {3}, .strides = {2}, .channels = {4}, .E = 4, .H = 4, .T = 4, .A = 4, .hard = 1, .end = 1, .seed = 10},
};
#define CONFIGS (sizeof configs / sizeof *configs)

static toy_file toy_number(uint32_t number) { return build(configs + number)->file; }

const toy_row show_attend_tell_toys[] = {
    {"show, attend and tell without a selector", TOY_RUN | TOY_SHAPED, toy_number, 0, {.length = 27, .counts = {0, 5}}},
    {"show, attend and tell", TOY_RUN, toy_number, 1, {.length = 27, .counts = {0, 5}}},
    {"show, attend and tell, rounded", TOY_RUN, toy_number, 2, {.length = 23, .counts = {0, 5}}},
    {"show, attend and tell with an end", TOY_SEARCH, toy_number, 4, {.length = 14, .counts = {0, 5}}},
    {"show, attend and tell, hard", TOY_RUN | TOY_SHAPED, toy_number, 7, {.length = 27, .counts = {0, 5}}},
    {"show, attend and tell, hard, rounded", TOY_RUN | TOY_SEARCH, toy_number, 8, {.length = 23, .counts = {0, 5}}},
    {NULL, TOY_SEED, toy_number, 5, {0}},
    {NULL, TOY_SEED, toy_number, 9, {0}},
    {NULL, TOY_SEED, toy_number, 6, {0}},
    {0},
};

static float *tensor(const teller *m, const char *name) {
    for (uint32_t i = 0; i < m->n_tensors; i++)
        if (!strcmp(m->tensor[i].name, name)) return (float *)m->tensor[i].values;
    return NULL;
}

/* ---- the reference ---------------------------------------------------------------------------------------------------------- */

static double sigma(double x) { return 1 / (1 + exp(-x)); }

/* Computes out = W x + b, a vector of `rows` values, from the tensors "NAME.weight" and, if it exists, "NAME.bias". */
static void mapped(double *out, const teller *m, const char *name, uint32_t rows, uint32_t cols, const double *x) {
    char full[64];
    sprintf(full, "%s.weight", name);
    ref_matmul(out, NULL, tensor(m, full), rows, cols, x);
    sprintf(full, "%s.bias", name);
    const float *bias = tensor(m, full);
    for (uint32_t r = 0; bias && r < rows; r++) out[r] += (double)bias[r];
}

/* Computes the annotations of a picture, shape (L, D), by the definition of a convolution. */
static double *annotations(const teller *m, const uint32_t *picture) {
    const config *c = &m->c;
    double *x = memory_take((size_t)c->height * c->width * COLOURS * sizeof *x), patch[800];
    for (uint32_t i = 0; i < c->height * c->width * COLOURS; i++) x[i] = (255 - (double)picture[i]) / 255;
    for (uint32_t l = 0; l < layers(c); l++) {
        uint32_t rows = rows_of(c, l + 1), cols = cols_of(c, l + 1), in = depth(c, l), out = c->channels[l], k = c->kernels[l];
        double *y = memory_take((size_t)rows * cols * out * sizeof *y);
        for (uint32_t at = 0; at < rows * cols; at++) {
            for (uint32_t tap = 0; tap < k * k; tap++)
                for (uint32_t e = 0; e < in; e++) {
                    int row = (int)(at / cols * c->strides[l] + tap / k) - (int)(k / 2),
                        col = (int)(at % cols * c->strides[l] + tap % k) - (int)(k / 2);
                    int inside = row >= 0 && col >= 0 && row < (int)rows_of(c, l) && col < (int)cols_of(c, l);
                    patch[tap * in + e] = inside ? x[((uint32_t)row * cols_of(c, l) + (uint32_t)col) * in + e] : 0;
                }
            char name[24];
            sprintf(name, "enc.blk.%u", l);
            mapped(y + (size_t)at * out, m, name, out, k * k * in, patch);
            for (uint32_t e = 0; e < out; e++) y[(size_t)at * out + e] = fmax(0, y[(size_t)at * out + e]);
        }
        x = y;
    }
    for (uint32_t i = 0; i < cells(c) * depth(c, layers(c)); i++) x[i] += (double)tensor(m, "position.weight")[i];
    return x;
}

typedef struct {
    double *logits, *weights; /* shapes (n, V), (n, L) */
} twin_run;

/* Computes the logits of each of n ids, given the ids before it and, for hard attention, the drawn locations. */
static twin_run twin(const teller *m, const uint32_t *picture, const uint32_t *ids, uint32_t n, const uint32_t *places) {
    const config *c = &m->c;
    uint32_t L = cells(c), D = depth(c, layers(c)), E = c->E, H = c->H, A = c->A;
    twin_run t = {memory_take((size_t)n * c->values * sizeof(double)), memory_take((size_t)n * L * sizeof(double))};
    double *a = annotations(m, picture), mean[100] = {0}, h[100], state[100], z[100], joined[300], gates[400], of_h[100], of_a[100],
           out[100];
    for (uint32_t i = 0; i < L * D; i++) mean[i % D] += a[i] / L;
    mapped(h, m, "init_h", H, D, mean), mapped(state, m, "init_c", H, D, mean);
    for (uint32_t i = 0; i < H; i++) h[i] = tanh(h[i]), state[i] = tanh(state[i]);
    for (uint32_t p = 0; p < n; p++) {
        double *weights = t.weights + (size_t)p * L, y[100] = {0}, share = 1;
        for (uint32_t e = 0; p && e < E; e++) y[e] = (double)tensor(m, "token_embd.weight")[ids[p - 1] * E + e];
        mapped(of_h, m, "attn_q", A, H, h);
        for (uint32_t i = 0; i < L; i++) {
            mapped(of_a, m, "attn_k", A, D, a + (size_t)i * D), weights[i] = 0;
            for (uint32_t e = 0; e < A; e++) weights[i] += (double)tensor(m, "attn_v.weight")[e] * tanh(of_a[e] + of_h[e]);
        }
        ref_softmax(weights, L);
        if (c->selects) mapped(&share, m, "selector", 1, H, h), share = sigma(share);
        for (uint32_t e = 0; e < D; e++) {
            z[e] = 0;
            for (uint32_t i = 0; i < L; i++) z[e] += share * (c->hard ? i == places[p] : weights[i]) * a[(size_t)i * D + e];
        }
        memcpy(joined, y, E * sizeof *y), memcpy(joined + E, z, D * sizeof *z), memcpy(joined + E + D, h, H * sizeof *h);
        mapped(gates, m, "cell", 4 * H, E + D + H, joined);
        for (uint32_t i = 0; i < H; i++) {
            state[i] = sigma(gates[H + i]) * state[i] + sigma(gates[i]) * tanh(gates[3 * H + i]);
            h[i] = sigma(gates[2 * H + i]) * tanh(state[i]);
        }
        memcpy(joined, h, H * sizeof *h), memcpy(joined + H, z, D * sizeof *z), memcpy(joined + H + D, y, E * sizeof *y);
        mapped(out, m, "head", c->T, H + D + E, joined);
        for (uint32_t i = 0; i < c->T; i++) out[i] = tanh(out[i]);
        mapped(t.logits + (size_t)p * c->values, m, "output", c->values, c->T, out);
    }
    return t;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------------- */

static uint32_t bytes_of(const config *c) { return c->height * c->width * COLOURS; }

static nx_session *opened_session(const nx_model *model, const config *c, const uint32_t *picture, const nx_settings *settings) {
    nx_shape shape = {0};
    nx_session *session = NULL;
    size_t bytes = 0;
    CHECK_INT(nx_session_size(model, 0, settings, &shape, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, settings, &shape, &session), NX_OK);
    CHECK_INT(nx_session_input(model, session, 0, picture, bytes_of(c)), NX_OK);
    nx_status status;
    uint32_t slices = 1;
    while ((status = nx_session_encode(model, session)) == NX_MORE) slices++;
    CHECK_INT(status, NX_OK);
    CHECK(slices > layers(c) + 1); /* each convolution, the keys, and the initial state take at least one slice each */
    return session;
}

static nx_session *session_of(const nx_model *model, const config *c, const uint32_t *picture, uint32_t maps) {
    nx_settings settings = {.samples = 1, .seed_low = 4, .temperature = 1, .top_p = 1, .maps = maps};
    return opened_session(model, c, picture, &settings);
}

/* Reads the weights over the cells at the last position of a sample. For hard attention, returns the one location that is attended to. */
static uint32_t look(const nx_model *model, const config *c, const nx_session *session, uint32_t sample, float *weights) {
    uint32_t *keys = memory_take(cells(c) * sizeof *keys), count, place = 0, places = 0;
    float *shown = memory_take(cells(c) * sizeof *shown);
    CHECK_INT(nx_session_map(model, session, sample, 0, 0, keys, weights, &count), NX_OK);
    CHECK_INT(count, cells(c));
    for (uint32_t i = 0; i < count; i++) CHECK_INT(keys[i], i);
    if (!c->hard) return 0;
    CHECK_INT(nx_session_map(model, session, sample, 1, 0, keys, shown, &count), NX_OK);
    for (uint32_t i = 0; i < count; i++)
        if (shown[i] != 0) place = i, places++, CHECK(shown[i] == 1);
    CHECK_INT(places, 1);
    return place;
}

/* Computes the logits of n known ids, in order. Unless null, `weights` receives the weights over the cells, shape (n, L), and `places`
 * receives the attended locations, shape (n). */
static float *run(const nx_model *model, const config *c, const uint32_t *picture, const uint32_t *ids, uint32_t n, float *weights,
                  uint32_t *places) {
    nx_session *session = session_of(model, c, picture, weights != NULL);
    float *all = memory_take((size_t)n * c->values * sizeof *all), nats;
    for (uint32_t p = 0; p < n; p++) {
        CHECK_INT(nx_session_put(model, session, ids + p, 1, 0, &nats), NX_OK);
        CHECK_INT(nx_session_output(model, session, 0, all + (size_t)p * c->values), NX_OK);
        uint32_t place = weights ? look(model, c, session, 0, weights + (size_t)p * cells(c)) : 0;
        if (places) places[p] = place;
    }
    return all;
}

/* ---- tests ------------------------------------------------------------------------------------------------------------------ */

/* Computes the positions one by one and compares the logits with the reference. Computing all positions in one call must give the same
 * bits. The attention weights of each position must add up to 1. */
static void logits(void) {
    for (size_t i = 0; i < CONFIGS; i++) {
        const config *c = configs + i;
        size_t mark = memory_mark();
        teller *m = build(c);
        nx_model *model = opened(m);
        if (!model) return;
        double worst = 0, worst_map = 0;
        uint32_t n = c->length, L = cells(c);
        const uint32_t *picture = some_ids(bytes_of(c), 256, 10 + i), *ids = some_ids(n, c->values, 20 + i);
        float *weights = memory_take((size_t)n * L * sizeof *weights), *single = memory_take(n * sizeof *single),
              *at_once = memory_take(n * sizeof *at_once);
        uint32_t *places = memory_take(n * sizeof *places);
        check_at("configuration %lld", (long long)i, 0, 0, 0);
        const float *output = run(model, c, picture, ids, n, weights, places);
        twin_run truth = twin(m, picture, ids, n, places);
        for (uint32_t v = 0; v < n * c->values; v++) worst = fmax(worst, fabs((double)output[v] - truth.logits[v]));
        for (uint32_t p = 0; p < n; p++) {
            double sum = 0;
            for (uint32_t k = 0; k < L; k++) {
                sum += (double)weights[p * L + k];
                worst_map = fmax(worst_map, fabs((double)weights[p * L + k] - truth.weights[p * L + k]));
            }
            CHECK_NEAR(sum, 1, 1e-6);
        }
        nx_session *stepping = session_of(model, c, picture, 0);
        for (uint32_t p = 0; p < n; p++) CHECK_INT(nx_session_put(model, stepping, ids + p, 1, 0, single + p), NX_OK);
        CHECK_INT(nx_session_put(model, session_of(model, c, picture, 0), ids, n, 0, at_once), NX_OK);
        CHECK_FLOATS(at_once, single, n);
        check_note("  configuration %d: logits within %.3g, weights %.3g", (int)i, worst, worst_map);
        CHECK(worst < (c->type == NX_Q8_0 ? ROUNDED_TOLERANCE : TOLERANCE));
        CHECK(worst_map < (c->type == NX_Q8_0 ? ROUNDED_MAP_TOLERANCE : MAP_TOLERANCE));
        memory_release(mark);
    }
}

enum { N = 9 };

static void zero(const teller *m, const char *name, uint32_t n) { memset(tensor(m, name), 0, n * sizeof(float)); }

/* If the selector is closed, the picture has no effect except on the initial state: two pictures with the same initial state give the same
 * outputs. */
static void shut_selector(void) {
    const config *c = configs + 1;
    teller *m = build(c);
    uint32_t *one = some_ids(bytes_of(c), 256, 1), *other = some_ids(bytes_of(c), 256, 2), *ids = some_ids(N, c->values, 3);
    zero(m, "init_h.weight", c->H * depth(c, layers(c))), zero(m, "init_c.weight", c->H * depth(c, layers(c)));
    nx_model *open = opened(m);
    const float *x = run(open, c, one, ids, N, NULL, NULL), *y = run(open, c, other, ids, N, NULL, NULL);
    for (uint32_t p = 0; p < N; p++) CHECK(memcmp(x + p * c->values, y + p * c->values, c->values * sizeof *x) != 0);
    zero(m, "selector.weight", c->H), tensor(m, "selector.bias")[0] = -200;
    nx_model *shut = opened(m);
    CHECK_FLOATS(run(shut, c, one, ids, N, NULL, NULL), run(shut, c, other, ids, N, NULL, NULL), N * c->values);
}

/* If the scores are sharp, the context is the annotation of a single cell, so the contents of the other cells do not matter. In this test, each cell is
 * one pixel. */
static void one_cell_alone(void) {
    config c = configs[6];
    c.height = c.width = 4, c.H = c.A = 8;
    teller *m = build(&c);
    uint32_t *picture = some_ids(bytes_of(&c), 256, 1), *ids = some_ids(N, c.values, 3), D = c.channels[0];
    zero(m, "init_h.weight", c.H * D), zero(m, "init_c.weight", c.H * D);
    for (uint32_t i = 0; i < D; i++)
        tensor(m, "enc.blk.0.bias")[i] = i ? 2 : 0; /* scores read channel 0; a bias keeps the other channels above zero */
    zero(m, "enc.blk.0.weight", COLOURS), zero(m, "attn_q.weight", c.A * c.H), zero(m, "attn_k.weight", c.A * D);
    /* makes the arguments of tanh +-1000, so that the scores are sharp */
    for (uint32_t i = 0; i < cells(&c); i++) tensor(m, "position.weight")[i * D] = i == 5 ? 1 : -1;
    for (uint32_t i = 0; i < c.A; i++) tensor(m, "attn_k.weight")[i * D] = 1000, tensor(m, "attn_v.weight")[i] = 1000;
    nx_model *model = opened(m);
    float weights[N * 16];
    const float *x = run(model, &c, picture, ids, N, weights, NULL);
    for (uint32_t p = 0; p < N; p++)
        for (uint32_t i = 0; i < 16; i++) CHECK(weights[p * 16 + i] == (i == 5));
    for (uint32_t i = 0; i < bytes_of(&c); i++)
        if (i / COLOURS != 5) picture[i] = 255 - picture[i];
    CHECK_FLOATS(run(model, &c, picture, ids, N, NULL, NULL), x, N * c.values);
    picture[5 * COLOURS] = 255 - picture[5 * COLOURS];
    CHECK(memcmp(run(model, &c, picture, ids, N, NULL, NULL), x, N * c.values * sizeof *x) != 0);
}

/* With forced attention, each of the first positions sees only one cell, for both kinds of attention. At later positions, the model itself
 * chooses the cells, as it does everywhere without forced attention. */
static void light(void) {
    for (int hard = 0; hard < 2; hard++) {
        config c = configs[hard ? 7 : 1];
        nx_model *model = opened(build(&c));
        uint32_t *picture = some_ids(bytes_of(&c), 256, 1), *ids = some_ids(N, c.values, 3), lit[4] = {5, cells(&c), 11, 5};
        nx_settings settings = {.samples = 1, .seed_low = 4, .temperature = 1, .top_p = 1, .maps = 1};
        nx_shape shape = {.counts = {0, 4}};
        size_t bytes = 0;
        nx_session *session = NULL;
        CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_OK);
        CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, &shape, &session), NX_OK);
        CHECK_INT(nx_session_input(model, session, 0, picture, bytes_of(&c)), NX_OK);
        CHECK_INT(nx_session_input(model, session, 1, lit, 4), NX_OK);
        while (nx_session_encode(model, session) == NX_MORE) {}
        nx_session *dark = opened_session(model, &c, picture, &settings);
        float nats, own, weights[16];
        uint32_t differ = 0;
        for (uint32_t p = 0; p < N; p++) {
            CHECK_INT(nx_session_put(model, session, ids + p, 1, 0, &nats), NX_OK);
            CHECK_INT(nx_session_put(model, dark, ids + p, 1, 0, &own), NX_OK);
            differ += nats != own;
            if (hard && p < 4 && p != 1) CHECK_INT(look(model, &c, session, 0, weights), lit[p]);
        }
        CHECK(differ > 5);
    }
}

/* ---- hard attention ---------------------------------------------------------------------------------------------------------- */

static config hardened(int hard) {
    config c = configs[7];
    c.hard = hard;
    return c;
}

/* If the weights of soft attention are one-hot, hard attention selects the same cell for any noise. Soft and hard attention then give the
 * same bits. */
static void soft_of_one_place(void) {
    config soft = hardened(0), hard = hardened(1);
    uint32_t *picture = some_ids(bytes_of(&soft), 256, 1), *ids = some_ids(N, soft.values, 3);
    float *output[2], weights[N * 12];
    CHECK_INT(cells(&soft), 12);
    for (int i = 0; i < 2; i++) {
        teller *m = build(i ? &hard : &soft);
        for (uint32_t e = 0; e < soft.A; e++) tensor(m, "attn_v.weight")[e] *= 1e7f;
        output[i] = run(opened(m), i ? &hard : &soft, picture, ids, N, weights, NULL);
        for (uint32_t k = 0; k < N * 12; k++) CHECK(weights[k] == 0 || weights[k] == 1);
    }
    CHECK_FLOATS(output[0], output[1], N * soft.values);
}

/* A location is drawn from the weights. The noise depends on the seed, the sample and the position, and comes from the random stream for
 * draws inside a pass. The words, known or drawn, do not affect the noise. At temperature 0, the most probable location is taken. */
static void places(void) {
    enum { B = 3 };
    config c = hardened(1);
    nx_model *model = opened(build(&c));
    uint32_t *picture = some_ids(bytes_of(&c), 256, 1), *ids = some_ids(N, c.values, 3), L = cells(&c), differ = 0;
    for (int cold = 0; cold < 2; cold++) {
        nx_settings settings = {.samples = B,
                                .first_sample = 2,
                                .seed_low = 7,
                                .seed_high = 8,
                                .origin = 1,
                                .temperature = cold ? 0 : 1,
                                .top_p = 1,
                                .maps = 1};
        nx_session *session = opened_session(model, &c, picture, &settings);
        for (uint32_t p = 0; p < N; p++) {
            CHECK_INT(nx_session_put(model, session, ids + p, 1, 0, NULL), NX_OK);
            uint32_t seen[B];
            for (uint32_t b = 0; b < B; b++) {
                _Alignas(16) float weights[16], z[16];
                seen[b] = look(model, &c, session, b, weights);
                for (uint32_t i = 0; i < 16; i++) z[i] = i < L ? logf(weights[i]) : -INFINITY;
                nx_noise noise = {7, 8, 2 + b, 1 + p, NX_STREAM_INSIDE};
                check_at("cold %lld, position %lld, sample %lld", cold, p, b, 0);
                CHECK_INT(seen[b], nx_categorical_draw(z, L, settings.temperature, noise));
            }
            if (!cold) differ += seen[0] != seen[1];
        }
    }
    CHECK(differ > 2);
}

/* The mean of the contexts that hard attention draws approaches the context of soft attention: after 4,096 draws, at most one value of the
 * mean differs by more than three standard deviations. */
static void mean_of_places(void) {
    enum { B = 64, SEEDS = 64, ALL = B * SEEDS };
    config c = hardened(1);
    teller *m = build(&c);
    nx_model *model = opened(m);
    uint32_t *picture = some_ids(bytes_of(&c), 256, 1), L = cells(&c), D = depth(&c, layers(&c)), id = 5, often[16] = {0}, off = 0;
    double *a = annotations(m, picture);
    float weights[16];
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        size_t mark = memory_mark();
        nx_settings settings = {.samples = B, .seed_low = seed, .temperature = 1, .top_p = 1, .maps = 1};
        nx_session *session = opened_session(model, &c, picture, &settings);
        CHECK_INT(nx_session_put(model, session, &id, 1, 0, NULL), NX_OK);
        for (uint32_t b = 0; b < B; b++) often[look(model, &c, session, b, weights)]++;
        memory_release(mark);
    }
    for (uint32_t e = 0; e < D; e++) {
        double soft = 0, square = 0, hard = 0;
        for (uint32_t i = 0; i < L; i++) {
            double x = a[(size_t)i * D + e];
            soft += (double)weights[i] * x, square += (double)weights[i] * x * x, hard += x * often[i] / ALL;
        }
        off += fabs(hard - soft) > 3 * sqrt(fmax(square - soft * soft, 0) / ALL) + 1e-6;
    }
    CHECK(off <= 1);
}

/* Changing later words must not change earlier outputs. */
static void causality(void) {
    for (size_t i = 0; i < CONFIGS; i++) {
        size_t mark = memory_mark();
        const config *c = configs + i;
        nx_model *model = opened(build(c));
        if (!model) return;
        enum { moved = 4 };
        uint32_t *ids = some_ids(N, c->values, 3), *picture = some_ids(bytes_of(c), 256, 4);
        float nats[N], other[N];
        CHECK_INT(nx_session_put(model, session_of(model, c, picture, 0), ids, N, 0, nats), NX_OK);
        ids[moved] = (ids[moved] + 5) % c->values;
        CHECK_INT(nx_session_put(model, session_of(model, c, picture, 0), ids, N, 0, other), NX_OK);
        check_at("configuration %lld", (long long)i, 0, 0, 0);
        CHECK_FLOATS(other, nats, moved);
        for (uint32_t p = moved; p < N; p++) CHECK(other[p] != nats[p]);
        memory_release(mark);
    }
}

static void refused(const config *c, nx_status status, const char *named) {
    teller *m = build(c);
    toy_refused(m->file.bytes, m->file.length, status, named);
}

/* Checks that the file is refused if `from` is replaced by `to`, which has the same length. */
static void refused_with(const char *from, const char *to, nx_status status, const char *named) {
    teller *m = build(configs + 1);
    for (size_t i = 0; i + strlen(from) < m->file.length; i++)
        if (!memcmp(m->file.bytes + i, from, strlen(from))) {
            memcpy(m->file.bytes + i, to, strlen(to));
            break;
        }
    toy_refused(m->file.bytes, m->file.length, status, named);
}

static void refusals(void) {
    config c = configs[1];
    c.kernels[1] = 4;
    refused(&c, NX_E_UNSUPPORTED, "show-attend-tell.kernels");
    c = configs[1], c.channels[2] = 18;
    refused(&c, NX_E_UNSUPPORTED, "enc.blk.2.weight");
    c = configs[1], c.H = 18;
    refused(&c, NX_E_UNSUPPORTED, "show-attend-tell.state_length");
    c = configs[1], c.E = 6;
    refused(&c, NX_E_UNSUPPORTED, "show-attend-tell.embedding_length");
    c = configs[0], c.height = c.width = 70, c.strides[0] = 1;
    refused(&c, NX_E_LIMIT, "show-attend-tell.strides");
    refused_with("attention.type", "attention.tipe", NX_E_FORMAT, "show-attend-tell.attention.type");
    refused_with("soft", "sofa", NX_E_UNSUPPORTED, "show-attend-tell.attention.type");
    refused_with("show-attend-tell.strides", "show-attend-tell.stripes", NX_E_FORMAT, "show-attend-tell.strides");
    refused_with("position.weight", "position.height", NX_E_FORMAT, "position.weight");
    refused_with("selector.bias", "selector.bios", NX_E_FORMAT, "selector.bias");
}

const check_test show_attend_tell_tests[] = {
    {"logits and weights equal the reference, also in one call", logits},
    {"a closed selector removes the picture", shut_selector},
    {"with sharp scores only one cell is seen", one_cell_alone},
    {"a light by hand", light},
    {"soft attention to one location is hard attention", soft_of_one_place},
    {"locations are drawn with separate noise", places},
    {"the mean of drawn contexts is the soft context", mean_of_places},
    {"causality", causality},
    {"invalid files are refused", refusals},
    {0},
};

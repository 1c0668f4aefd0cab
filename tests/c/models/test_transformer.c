/* SPDX-License-Identifier: MIT
 *
 * Compares the Transformer with its equations in double precision, and tests properties that follow from them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "kernels/kernels.h"
#include "models/toy_transformer.h"
#include "one_sample.h"
#include "reference.h"
#include "session/session.h"

/* Tolerance for the single-precision error after two or three blocks, relative to the standard deviation of the logits. */
#define TOLERANCE 2e-5
/* Tolerance for the error from rounding activations, keys, values and weights, relative to the standard deviation of the logits. */
#define ROUNDED_TOLERANCE 0.25
/* Tolerance for the weights of a map. */
#define MAP_TOLERANCE 5e-5
#define ROUNDED_MAP_TOLERANCE 0.1

/* ---- toys ------------------------------------------------------------------------------------------------------------------- */

static void add(toy_transformer *m, const char *name, uint32_t rows, uint32_t cols, uint32_t type, double mean, double spread) {
    toy_tensor *t = m->tensor + m->n_tensors++;
    check_random random = {m->config.seed ^ check_hash(0, name, strlen(name))};
    strcpy(t->name, name);
    t->rows = rows, t->cols = cols, t->type = type;
    t->values = memory_take((size_t)rows * cols * sizeof *t->values);
    for (uint32_t i = 0; i < rows * cols; i++) t->values[i] = (float)(mean + spread * random_normal(&random));
}

static void add_norm(toy_transformer *m, const char *stack, const char *name) {
    char full[48];
    sprintf(full, "%s%s.weight", stack, name), add(m, full, 1, m->config.d, NX_F32, 1, 0.2);
    sprintf(full, "%s%s.bias", stack, name), add(m, full, 1, m->config.d, NX_F32, 0, 0.2);
}

static void add_map(toy_transformer *m, const char *stack, const char *name, uint32_t rows, uint32_t cols, double spread, int bias) {
    char full[48];
    sprintf(full, "%s%s.weight", stack, name), add(m, full, rows, cols, m->config.type, 0, spread / sqrt((double)cols));
    sprintf(full, "%s%s.bias", stack, name);
    if (bias) add(m, full, 1, rows, NX_F32, 0, 0.3);
}

static uint32_t inner_of(const toy_transformer_config *c) { return c->inner ? c->inner : 4 * c->d; }

static void add_stack(toy_transformer *m, const char *stack, uint32_t blocks, int decodes) {
    const toy_transformer_config *c = &m->config;
    char name[48];
    sprintf(name, "%sposition_embd.weight", stack);
    if (c->position == TOY_LEARNED) add(m, name, c->length, c->d, NX_F32, 0, 0.7);
    for (uint32_t b = 0; b < blocks; b++) {
        static const char *const kinds[] = {"attn", "cross_attn"}, *const parts[] = {"q", "k", "v", "output"};
        for (int kind = 0; kind <= decodes; kind++) {
            for (int i = 0; i < 4; i++)
                sprintf(name, "blk.%u.%s_%s", (unsigned)b, kinds[kind], parts[i]), add_map(m, stack, name, c->d, c->d, i < 2 ? 1.5 : 1, c->biases);
            sprintf(name, "blk.%u.%s_norm", (unsigned)b, kinds[kind]), add_norm(m, stack, name);
        }
        sprintf(name, "blk.%u.ffn_up", (unsigned)b), add_map(m, stack, name, inner_of(c), c->d, 1, 1);
        sprintf(name, "blk.%u.ffn_down", (unsigned)b), add_map(m, stack, name, c->d, inner_of(c), 1, 1);
        sprintf(name, "blk.%u.ffn_norm", (unsigned)b), add_norm(m, stack, name);
    }
    if (c->pre_norm) add_norm(m, stack, "output_norm");
}

void toy_transformer_write(toy_transformer *m) {
    static const char *const positions[] = {"sinusoidal", "learned", "none"};
    const toy_transformer_config *c = &m->config;
    toy_file head = {0}, data = {0};
    put_header(&head, m->n_tensors, 10 + (c->inner > 0) + (c->end > 0));
    put_key_text(&head, "general.architecture", "transformer");
    put_key_u32(&head, "transformer.context_length", c->length);
    put_key_u32(&head, "transformer.block_count", c->blocks);
    put_key_u32(&head, "transformer.encoder.block_count", c->encoder_blocks);
    put_key_u32(&head, "transformer.embedding_length", c->d);
    put_key_u32(&head, "transformer.attention.head_count", c->heads);
    put_key_f32(&head, "transformer.attention.layer_norm_epsilon", 1e-6f);
    put_key_text(&head, "transformer.norm", c->pre_norm ? "pre" : "post");
    put_key_text(&head, "transformer.position.type", positions[c->position]);
    put_key_text(&head, "transformer.activation", "relu");
    if (c->inner) put_key_u32(&head, "transformer.feed_forward_length", c->inner);
    if (c->end) put_key_u32(&head, "tokenizer.ggml.eos_token_id", c->end - 1);
    for (uint32_t i = 0; i < m->n_tensors; i++) put_tensor(&head, &data, m->tensor + i);
    while (head.length % 32) put_bytes(&head, "", 1);
    put_bytes(&head, data.bytes, data.length);
    m->file = head;
}

toy_transformer *toy_transformer_build(const toy_transformer_config *c) {
    toy_transformer *m = memory_take(sizeof *m);
    *m = (toy_transformer){.config = *c, .tensor = memory_take((7 + 26 * (c->blocks + c->encoder_blocks)) * sizeof *m->tensor)};
    add(m, "token_embd.weight", c->values, c->d, c->type, 0, 1 / sqrt((double)c->d));
    add_stack(m, "enc.", c->encoder_blocks, 0);
    add_stack(m, "", c->blocks, 1);
    toy_transformer_write(m);
    return m;
}

nx_model *toy_transformer_open(const toy_transformer *m) { return toy_file_open(&m->file); }

static toy_file toy_number(uint32_t number) {
    static const toy_transformer_config configs[] = {
        {.values = 40, .length = 40, .encoder_blocks = 2, .blocks = 2, .d = 32, .inner = 64, .heads = 4, .seed = 7},
        {.values = 40, .length = 40, .encoder_blocks = 2, .blocks = 2, .d = 64, .inner = 64, .heads = 2, .pre_norm = 1, .type = NX_Q8_0, .seed = 7},
        {.values = 25, .length = 30, .encoder_blocks = 1, .blocks = 2, .d = 32, .inner = 32, .heads = 4, .end = 3, .seed = 8},
        {.values = 25, .length = 30, .encoder_blocks = 1, .blocks = 2, .d = 32, .inner = 32, .heads = 1, .end = 3, .type = NX_Q8_0, .seed = 8},
        {.values = 9, .length = 12, .encoder_blocks = 1, .blocks = 1, .d = 8, .inner = 4, .heads = 2, .end = 3, .seed = 1},
        {.values = 7, .length = 9, .encoder_blocks = 1, .blocks = 1, .d = 4, .heads = 1, .pre_norm = 1, .biases = 1, .position = TOY_LEARNED, .type = NX_F16, .seed = 2},
        {.values = 12, .length = 20, .encoder_blocks = 1, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .end = 1, .position = TOY_PLACELESS, .type = NX_Q8_0, .seed = 3},
    };
    return toy_transformer_build(configs + number)->file;
}

/* A source of 19 words takes more than one slice of the encoder. */
const toy_row transformer_toys[] = {
    {"transformer", TOY_RUN | TOY_SHAPED, toy_number, 0, {.length = 27, .counts = {19}}},
    {"transformer, rounded", TOY_RUN, toy_number, 1, {.length = 27, .counts = {19}}},
    {"transformer with an end", TOY_SEARCH, toy_number, 2, {.length = 14, .counts = {9}}},
    {"transformer with an end, rounded", TOY_SEARCH, toy_number, 3, {.length = 14, .counts = {9}}},
    {NULL, TOY_SEED, toy_number, 4, {0}},
    {NULL, TOY_SEED, toy_number, 5, {0}},
    {NULL, TOY_SEED, toy_number, 6, {0}},
    {0},
};

static float *tensor(const toy_transformer *m, const char *name) {
    for (uint32_t i = 0; i < m->n_tensors; i++)
        if (!strcmp(m->tensor[i].name, name)) return m->tensor[i].values;
    return NULL;
}

/* ---- the reference ---------------------------------------------------------------------------------------------------------- */

/* The state of a stack: x, of shape (n, d), and the weights of all attention layers, if they are requested. */
typedef struct {
    const toy_transformer *m;
    const char *stack;
    uint32_t n;
    double *x;
} working;

static const float *weights(const working *w, const char *rest, int block, const char *kind) {
    char name[64];
    if (block < 0) sprintf(name, "%s%s%s", w->stack, rest, kind);
    else sprintf(name, "%sblk.%d.%s%s", w->stack, block, rest, kind);
    return tensor(w->m, name);
}

/* Computes out = W x + b, of shape (n, rows). */
static double *mapped(const working *w, const char *rest, int block, const double *x, uint32_t n, uint32_t rows, uint32_t cols) {
    const float *matrix = weights(w, rest, block, ".weight"), *bias = weights(w, rest, block, ".bias");
    double *out = memory_take((size_t)n * rows * sizeof *out);
    for (uint32_t i = 0; i < n; i++) {
        ref_matmul(out + i * rows, NULL, matrix, rows, cols, x + i * cols);
        for (uint32_t r = 0; bias && r < rows; r++) out[i * rows + r] += (double)bias[r];
    }
    return out;
}

static double *normed(const working *w, const char *rest, int block, const double *x) {
    uint32_t d = w->m->config.d;
    double *out = memory_take(w->n * d * sizeof *out);
    memcpy(out, x, w->n * d * sizeof *out);
    for (uint32_t i = 0; i < w->n; i++) ref_layer_norm(out + i * d, weights(w, rest, block, ".weight"), weights(w, rest, block, ".bias"), 1e-6, d);
    return out;
}

/* Computes x + f, with the norm before or after the addition. */
static void joined(working *w, const char *norm, int block, const double *f) {
    for (uint32_t i = 0; i < w->n * w->m->config.d; i++) w->x[i] += f[i];
    if (!w->m->config.pre_norm) w->x = normed(w, norm, block, w->x);
}

/* Computes the attention of x to `memory`, of shape (n_memory, d). If memory is null, x attends to itself: each row attends to the rows up
 * to its own position (causal = 1), or to all rows. Unless null, `map` receives the weights, shape (heads, n, keys). */
static void attended(working *w, const char *kind, int block, const double *memory, uint32_t n_memory, int causal, double *map) {
    const toy_transformer_config *c = &w->m->config;
    uint32_t d = c->d, k = d / c->heads;
    char name[32], norm[32];
#define PART(part) (sprintf(name, "%s_" part, kind), name)
    sprintf(norm, "%s_norm", kind);
    const double *x = c->pre_norm ? normed(w, norm, block, w->x) : w->x, *from = memory ? memory : x;
    uint32_t m = memory ? n_memory : w->n;
    double *q = mapped(w, PART("q"), block, x, w->n, d, d), *keys = mapped(w, PART("k"), block, from, m, d, d), *values = mapped(w, PART("v"), block, from, m, d, d);
    double *mixed = memory_take(w->n * d * sizeof *mixed), *score = memory_take(m * sizeof *score);
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t h = 0; h < c->heads; h++) {
            uint32_t seen = causal ? i + 1 : m;
            for (uint32_t j = 0; j < seen; j++) {
                score[j] = 0;
                for (uint32_t e = h * k; e < h * k + k; e++) score[j] += q[i * d + e] * keys[j * d + e] / sqrt((double)k);
            }
            ref_softmax(score, seen);
            for (uint32_t e = h * k; e < h * k + k; e++) {
                mixed[i * d + e] = 0;
                for (uint32_t j = 0; j < seen; j++) mixed[i * d + e] += score[j] * values[j * d + e];
            }
            for (uint32_t j = 0; map && j < seen; j++) map[(h * w->n + i) * m + j] = score[j];
        }
    joined(w, norm, block, mapped(w, PART("output"), block, mixed, w->n, d, d));
#undef PART
}

static void fed_forward(working *w, int block) {
    const toy_transformer_config *c = &w->m->config;
    double *inner = mapped(w, "ffn_up", block, c->pre_norm ? normed(w, "ffn_norm", block, w->x) : w->x, w->n, inner_of(c), c->d);
    for (uint32_t i = 0; i < w->n * inner_of(c); i++) inner[i] = fmax(inner[i], 0);
    joined(w, "ffn_norm", block, mapped(w, "ffn_down", block, inner, w->n, c->d, inner_of(c)));
}

/* Embeds n ids and adds the embeddings of their positions. NX_NONE stands for no id. */
static working begun(const toy_transformer *m, const char *stack, const uint32_t *ids, uint32_t n) {
    const toy_transformer_config *c = &m->config;
    working w = {m, stack, n, memory_take(n * c->d * sizeof(double))};
    const float *table = tensor(m, "token_embd.weight"), *places = weights(&w, "position_embd", -1, ".weight");
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t e = 0; e < c->d; e++) {
            double angle = i / pow(10000, (double)(e / 2 * 2) / c->d), place = e % 2 ? cos(angle) : sin(angle);
            if (c->position != TOY_SINES) place = c->position == TOY_LEARNED ? (double)places[i * c->d + e] : 0;
            w.x[i * c->d + e] = place + (ids[i] == NX_NONE ? 0 : sqrt((double)c->d) * (double)table[ids[i] * c->d + e]);
        }
    return w;
}

typedef struct {
    double *logits;                          /* shape (n, V) */
    double *attention, *source, *encoder;    /* shapes (blocks, heads, n, n), (blocks, heads, n, S), (encoder_blocks, heads, S, S) */
} twin_run;

/* Computes the encoder's output, shape (S, d). */
static double *twin_encode(const toy_transformer *m, const uint32_t *source, uint32_t S, double *maps) {
    const toy_transformer_config *c = &m->config;
    working w = begun(m, "enc.", source, S);
    for (uint32_t b = 0; b < c->encoder_blocks; b++) {
        attended(&w, "attn", (int)b, NULL, 0, 0, maps ? maps + (size_t)b * c->heads * S * S : NULL);
        fed_forward(&w, (int)b);
    }
    return c->pre_norm ? normed(&w, "output_norm", -1, w.x) : w.x;
}

/* Computes the logits of each of n ids, given the ids before it. */
static twin_run twin(const toy_transformer *m, const uint32_t *source, uint32_t S, const uint32_t *ids, uint32_t n) {
    const toy_transformer_config *c = &m->config;
    twin_run t = {.attention = memory_take((size_t)c->blocks * c->heads * n * n * sizeof(double)), .source = memory_take((size_t)c->blocks * c->heads * n * S * sizeof(double))};
    t.encoder = memory_take((size_t)c->encoder_blocks * c->heads * S * S * sizeof(double));
    double *memory = twin_encode(m, source, S, t.encoder);
    uint32_t *shifted = memory_take(n * sizeof *shifted);
    for (uint32_t i = 0; i < n; i++) shifted[i] = i ? ids[i - 1] : NX_NONE;
    working w = begun(m, "", shifted, n);
    for (uint32_t b = 0; b < c->blocks; b++) {
        attended(&w, "attn", (int)b, NULL, 0, 1, t.attention + (size_t)b * c->heads * n * n);
        attended(&w, "cross_attn", (int)b, memory, S, 0, t.source + (size_t)b * c->heads * n * S);
        fed_forward(&w, (int)b);
    }
    if (c->pre_norm) w.x = normed(&w, "output_norm", -1, w.x);
    t.logits = memory_take((size_t)n * c->values * sizeof(double));
    for (uint32_t i = 0; i < n; i++) ref_matmul(t.logits + (size_t)i * c->values, NULL, tensor(m, "token_embd.weight"), c->values, c->d, w.x + i * c->d);
    return t;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------------- */

static const toy_transformer_config configs[] = {
    {.values = 37, .length = 40, .encoder_blocks = 2, .blocks = 2, .d = 16, .inner = 20, .heads = 4, .seed = 1},
    {.values = 50, .length = 33, .encoder_blocks = 3, .blocks = 2, .d = 24, .heads = 2, .pre_norm = 1, .biases = 1, .seed = 2},
    {.values = 300, .length = 30, .encoder_blocks = 1, .blocks = 2, .d = 12, .heads = 3, .position = TOY_LEARNED, .type = NX_F16, .seed = 3},
    {.values = 64, .length = 24, .encoder_blocks = 2, .blocks = 2, .d = 64, .inner = 96, .heads = 2, .type = NX_Q8_0, .seed = 4},
    {.values = 70, .length = 24, .encoder_blocks = 2, .blocks = 1, .d = 64, .inner = 64, .heads = 4, .pre_norm = 1, .biases = 1, .type = NX_Q8_0, .seed = 5},
    {.values = 40, .length = 26, .encoder_blocks = 1, .blocks = 1, .d = 20, .inner = 8, .heads = 1, .position = TOY_PLACELESS, .seed = 6},
    {.values = 40, .length = 26, .encoder_blocks = 1, .blocks = 2, .d = 32, .inner = 32, .heads = 1, .type = NX_Q4_0, .seed = 7},
};
#define CONFIGS (sizeof configs / sizeof *configs)

static nx_session *bare(const nx_model *model, uint32_t S, uint32_t length, uint32_t maps) {
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1, .maps = maps};
    nx_shape shape = {.length = length, .counts = {S}};
    nx_session *session = NULL;
    size_t bytes = 0;
    CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, &shape, &session), NX_OK);
    return session;
}

static nx_session *session_of(const nx_model *model, const uint32_t *source, uint32_t S, uint32_t maps) {
    nx_session *session = bare(model, S, 0, maps);
    CHECK_INT(nx_session_input(model, session, 0, source, S), NX_OK);
    nx_status status;
    while ((status = nx_session_encode(model, session)) == NX_MORE) {}
    CHECK_INT(status, NX_OK);
    return session;
}

/* Returns the logits, shape (n, V), of n known ids, in order. Unless null, `nats` receives n numbers. */
static float *logits_of(const nx_model *model, nx_session *session, const uint32_t *ids, uint32_t n, uint32_t V, float *nats) {
    float *all = memory_take((size_t)n * V * sizeof *all), cost;
    for (uint32_t p = 0; p < n; p++) {
        CHECK_INT(nx_session_put(model, session, ids + p, 1, 0, nats ? nats + p : &cost), NX_OK);
        CHECK_INT(nx_session_output(model, session, 0, all + (size_t)p * V), NX_OK);
    }
    return all;
}

/* ---- tests ------------------------------------------------------------------------------------------------------------------ */

/* Computes the positions one by one, for sources of all lengths, and compares the logits with the reference. Then computes all positions in
 * one call, which must give the same bits for the last position. */
static void logits(void) {
    for (size_t i = 0; i < CONFIGS; i++) {
        const toy_transformer_config *c = configs + i;
        const uint32_t lengths[] = {1, 2, 7, 16, 17, c->length};
        int rounded = c->type == NX_Q8_0 || c->type == NX_Q4_0;
        double worst = 0, squares = 0, count = 0;
        for (int l = 0; l < 6; l++) {
            size_t mark = memory_mark();
            toy_transformer *m = toy_transformer_build(c);
            nx_model *model = toy_transformer_open(m);
            if (!model) return;
            uint32_t n = c->length, V = c->values, S = lengths[l];
            const uint32_t *source = some_ids(S, V, 10 + l), *ids = some_ids(n, V, 20 + l);
            float *nats = memory_take(n * sizeof *nats);
            const double *truth = twin(m, source, S, ids, n).logits;
            nx_session *session = session_of(model, source, S, 0);
            const float *output = logits_of(model, session, ids, n, V, nats);
            for (uint32_t v = 0; v < n * V; v++) {
                worst = fmax(worst, fabs((double)output[v] - truth[v]));
                squares += truth[v] * truth[v], count++;
            }
            CHECK_INT(nx_session_put(model, session, ids, 1, 0, NULL), NX_E_ARGUMENT); /* there are no more positions */
            float *at_once = memory_take(n * sizeof *at_once);
            check_at("configuration %lld, %lld words in the source", (long long)i, S, 0, 0);
            CHECK_INT(nx_session_put(model, session_of(model, source, S, 0), ids, n, 0, at_once), NX_OK);
            CHECK_FLOATS(at_once, nats, n);
            memory_release(mark);
        }
        double deviation = sqrt(squares / count);
        check_note("  configuration %d: logits of deviation %.3g within %.3g", (int)i, deviation, worst);
        CHECK(worst < deviation * (rounded ? ROUNDED_TOLERANCE : TOLERANCE));
    }
}

/* Compares every weight of every map. The encoder's attention maps are available before any output, and are the same for all samples. */
static void maps(void) {
    for (size_t i = 0; i < CONFIGS; i++) {
        size_t mark = memory_mark();
        const toy_transformer_config *c = configs + i;
        toy_transformer *m = toy_transformer_build(c);
        nx_model *model = toy_transformer_open(m);
        if (!model) return;
        enum { n = 9, S = 19 };
        const uint32_t *source = some_ids(S, c->values, 1), *ids = some_ids(n, c->values, 2);
        twin_run truth = twin(m, source, S, ids, n);
        nx_session *session = session_of(model, source, S, 1);
        uint32_t keys[64], count, rows = c->blocks * c->heads;
        float row[64];
        double worst[3] = {0};
        for (uint32_t r = 0; r < c->encoder_blocks * c->heads * S; r++) {
            if (!CHECK_INT(nx_session_map(model, session, 0, 2, r, keys, row, &count), NX_OK) || !CHECK_INT(count, S)) return;
            for (uint32_t j = 0; j < S; j++) worst[2] = fmax(worst[2], fabs((double)row[j] - truth.encoder[(size_t)r * S + j])), CHECK_INT(keys[j], j);
        }
        CHECK_INT(nx_session_map(model, session, 0, 2, c->encoder_blocks * c->heads * S, keys, row, &count), NX_E_ARGUMENT);
        CHECK_INT(nx_session_map(model, session, 0, 0, 0, keys, row, &count), NX_E_ARGUMENT); /* nothing has been computed yet */
        for (uint32_t p = 0; p < n; p++) {
            CHECK_INT(nx_session_put(model, session, ids + p, 1, 0, NULL), NX_OK);
            for (uint32_t r = 0; r < rows; r++) {
                CHECK_INT(nx_session_map(model, session, 0, 0, r, keys, row, &count), NX_OK);
                CHECK_INT(count, p + 1);
                for (uint32_t j = 0; j < count; j++) worst[0] = fmax(worst[0], fabs((double)row[j] - truth.attention[((size_t)r * n + p) * n + j]));
                CHECK_INT(nx_session_map(model, session, 0, 1, r, keys, row, &count), NX_OK);
                CHECK_INT(count, S);
                for (uint32_t j = 0; j < count; j++) worst[1] = fmax(worst[1], fabs((double)row[j] - truth.source[((size_t)r * n + p) * S + j]));
            }
        }
        check_note("  configuration %d: weights within %.3g over the target, %.3g over the source, %.3g in the encoder", (int)i, worst[0], worst[1], worst[2]);
        int rounded = c->type == NX_Q8_0 || c->type == NX_Q4_0;
        for (int k = 0; k < 3; k++) CHECK(worst[k] < (rounded ? ROUNDED_MAP_TOLERANCE : MAP_TOLERANCE));
        memory_release(mark);
    }
}

/* Changing later words must not change earlier outputs. Changing an earlier word, or any word of the source, must change some later
 * output. */
static void causality(void) {
    for (size_t i = 0; i < CONFIGS; i++) {
        size_t mark = memory_mark();
        const toy_transformer_config *c = configs + i;
        nx_model *model = toy_transformer_open(toy_transformer_build(c));
        if (!model) return;
        enum { n = 20, S = 18, moved = 11 };
        uint32_t ids[n], source[S];
        float nats[n], other[n];
        memcpy(ids, some_ids(n, c->values, 3), sizeof ids), memcpy(source, some_ids(S, c->values, 4), sizeof source);
        CHECK_INT(nx_session_put(model, session_of(model, source, S, 0), ids, n, 0, nats), NX_OK);
        ids[moved] = (ids[moved] + 5) % c->values;
        CHECK_INT(nx_session_put(model, session_of(model, source, S, 0), ids, n, 0, other), NX_OK);
        CHECK_FLOATS(other, nats, moved);
        for (uint32_t p = moved; p < n; p++) CHECK(other[p] != nats[p]);
        for (uint32_t s = 0; s < S; s += 17) { /* the first and last word of the source affect every position */
            float without[n];
            uint32_t was = source[s];
            source[s] = (was + 7) % c->values;
            CHECK_INT(nx_session_put(model, session_of(model, source, S, 0), ids, n, 0, without), NX_OK);
            for (uint32_t p = 0; p < n; p++) CHECK(without[p] != other[p]);
            source[s] = was;
        }
        memory_release(mark);
    }
}

/* Without position embeddings, a source sentence is a bag of words. If it is shuffled, the decoder reads the same numbers, but adds them in
 * another order. With position embeddings, the numbers differ. */
static void permutation(void) {
    for (int position = TOY_SINES; position <= TOY_PLACELESS; position++) {
        size_t mark = memory_mark();
        toy_transformer_config c = configs[0];
        c.position = position;
        nx_model *model = toy_transformer_open(toy_transformer_build(&c));
        if (!model) return;
        enum { n = 12, S = 19 };
        const uint32_t *ids = some_ids(n, c.values, 5), *source = some_ids(S, c.values, 6);
        uint32_t shuffled[S], keys[S], count;
        float here[S], there[S];
        for (uint32_t s = 0; s < S; s++) shuffled[s] = source[s * 7 % S]; /* 7 and 19 have no common divisor */
        nx_session *first = session_of(model, source, S, 1), *second = session_of(model, shuffled, S, 1);
        double worst = 0;
        for (uint32_t r = 0; r < c.encoder_blocks * c.heads; r++) /* query s of the shuffled sentence is query 7 s of the original */
            for (uint32_t s = 0; s < S; s++) {
                CHECK_INT(nx_session_map(model, first, 0, 2, r * S + s * 7 % S, keys, here, &count), NX_OK);
                CHECK_INT(nx_session_map(model, second, 0, 2, r * S + s, keys, there, &count), NX_OK);
                for (uint32_t j = 0; j < S; j++) worst = fmax(worst, fabs((double)here[j * 7 % S] - (double)there[j]));
            }
        const float *a = logits_of(model, first, ids, n, c.values, NULL), *b = logits_of(model, second, ids, n, c.values, NULL);
        double apart = 0;
        for (uint32_t v = 0; v < n * c.values; v++) apart = fmax(apart, fabs((double)a[v] - (double)b[v]));
        check_note("  positions of kind %d: maps within %.3g, logits within %.3g", position, worst, apart);
        if (position == TOY_PLACELESS) CHECK(worst < 1e-5 && apart < 1e-4);
        else CHECK(worst > 0.01 && apart > 0.01);
        memory_release(mark);
    }
}

/* Heads are independent: the maps of a model with two heads must equal the maps of two models with one head each. In the model with two
 * heads, the queries and keys of a head depend on only one half of the channels. All three models have only one block, and no norms,
 * because norms would mix the two halves. */
static void heads(void) {
    toy_transformer_config c = {.values = 30, .length = 20, .encoder_blocks = 1, .blocks = 1, .d = 16, .inner = 8, .heads = 2, .seed = 9, .position = TOY_PLACELESS};
    enum { S = 13, d = 16, half = 8 };
    toy_transformer *whole = toy_transformer_build(&c);
    float *q = tensor(whole, "enc.blk.0.attn_q.weight"), *k = tensor(whole, "enc.blk.0.attn_k.weight"), *table = tensor(whole, "token_embd.weight");
    for (uint32_t r = 0; r < d; r++)
        for (uint32_t e = 0; e < d; e++)
            if (r / half != e / half) q[r * d + e] = k[r * d + e] = 0; /* block-diagonal */
    toy_transformer_write(whole);
    nx_model *model = toy_transformer_open(whole);
    const uint32_t *source = some_ids(S, c.values, 7);
    nx_session *session = session_of(model, source, S, 1);
    for (uint32_t h = 0; h < 2; h++) {
        toy_transformer_config narrow = c;
        narrow.d = half, narrow.heads = 1;
        toy_transformer *one = toy_transformer_build(&narrow);
        float *own_q = tensor(one, "enc.blk.0.attn_q.weight"), *own_k = tensor(one, "enc.blk.0.attn_k.weight"), *own_table = tensor(one, "token_embd.weight");
        for (uint32_t r = 0; r < half; r++)
            for (uint32_t e = 0; e < half; e++) {
                own_q[r * half + e] = q[(h * half + r) * d + h * half + e];
                own_k[r * half + e] = k[(h * half + r) * d + h * half + e];
            }
        /* an input is the table's row times the square root of the width, and here the width is halved */
        for (uint32_t v = 0; v < c.values; v++)
            for (uint32_t e = 0; e < half; e++) own_table[v * half + e] = (float)(sqrt(2.0) * (double)table[v * d + h * half + e]);
        toy_transformer_write(one);
        nx_model *alone = toy_transformer_open(one);
        nx_session *other = session_of(alone, source, S, 1);
        double worst = 0;
        for (uint32_t s = 0; s < S; s++) {
            uint32_t keys[S], count;
            float here[S], there[S];
            CHECK_INT(nx_session_map(model, session, 0, 2, h * S + s, keys, here, &count), NX_OK);
            CHECK_INT(nx_session_map(alone, other, 0, 2, s, keys, there, &count), NX_OK);
            for (uint32_t j = 0; j < S; j++) worst = fmax(worst, fabs((double)here[j] - (double)there[j]));
        }
        check_note("  head %u within %.3g", (unsigned)h, worst);
        CHECK(worst < 1e-5);
    }
}

/* The results for a source do not change after a run with a longer source, or in a session with a larger capacity: padding has no effect. A
 * run that is shorter than the model's context gives the same results as the beginning of a longer run. */
static void no_padding(void) {
    for (size_t i = 0; i < CONFIGS; i++) {
        size_t mark = memory_mark();
        const toy_transformer_config *c = configs + i;
        nx_model *model = toy_transformer_open(toy_transformer_build(c));
        if (!model) return;
        enum { n = 10, S = 5 };
        const uint32_t *ids = some_ids(n, c->values, 8), *source = some_ids(S, c->values, 9);
        float nats[n], other[n];
        CHECK_INT(nx_session_put(model, session_of(model, source, S, 0), ids, n, 0, nats), NX_OK);
        nx_session *narrow = bare(model, S, n, 0);
        CHECK_INT(nx_session_input(model, narrow, 0, source, S), NX_OK);
        uint32_t slices = 1;
        while (nx_session_encode(model, narrow) == NX_MORE) slices++;
        CHECK_INT(slices, 1 + 2 * c->encoder_blocks + c->blocks); /* each step reads up to 16 words */
        CHECK_INT(nx_session_put(model, narrow, ids, n, 0, other), NX_OK);
        CHECK_FLOATS(other, nats, n);
        CHECK_INT(nx_session_put(model, narrow, ids, 1, 0, other), NX_E_ARGUMENT);
        memory_release(mark);
    }
}

/* If a branch with maps is made from a run without maps, the branch has the encoder's maps too. */
static void branches(void) {
    const toy_transformer_config *c = configs;
    nx_model *model = toy_transformer_open(toy_transformer_build(c));
    if (!model) return;
    enum { n = 8, S = 18 };
    const uint32_t *ids = some_ids(n, c->values, 8), *source = some_ids(S, c->values, 9);
    float expected[S], row[S], nats[n], other[n];
    uint32_t keys[S], count;
    nx_session *mapped = session_of(model, source, S, 1);
    CHECK_INT(nx_session_put(model, mapped, ids, n, 0, nats), NX_OK);
    for (uint32_t maps = 0; maps < 2; maps++) {
        nx_session *from = session_of(model, source, S, maps), *to = bare(model, S, 0, 1);
        CHECK_INT(nx_session_put(model, from, ids, n, 0, NULL), NX_OK);
        CHECK_INT(nx_session_branch(model, to, from, 0, 3), NX_OK);
        for (uint32_t r = 0; r < c->encoder_blocks * c->heads * S; r++) {
            CHECK_INT(nx_session_map(model, mapped, 0, 2, r, keys, expected, &count), NX_OK);
            CHECK_INT(nx_session_map(model, to, 0, 2, r, keys, row, &count), NX_OK);
            CHECK_FLOATS(row, expected, S);
        }
        CHECK_INT(nx_session_put(model, to, ids + 3, n - 3, 0, other), NX_OK);
        CHECK_FLOATS(other, nats + 3, n - 3);
    }
}

static void refused_files(void) {
    static const struct {
        const char *key;
        uint32_t value;
        nx_status status;
        const char *named; /* name that the error message contains; null: the key */
    } rows[] = {
        {"transformer.context_length", 0, NX_E_FORMAT, NULL},
        {"transformer.context_length", UINT32_MAX, NX_E_LIMIT, NULL},
        {"transformer.context_length", 41, NX_E_FORMAT, "enc.position_embd.weight"},
        {"transformer.block_count", 0, NX_E_FORMAT, NULL},
        {"transformer.block_count", 257, NX_E_LIMIT, NULL},
        {"transformer.block_count", 3, NX_E_FORMAT, "blk.2.attn_q.weight"},
        {"transformer.encoder.block_count", 0, NX_E_FORMAT, NULL},
        {"transformer.encoder.block_count", 3, NX_E_FORMAT, "enc.blk.2.attn_q.weight"},
        {"transformer.embedding_length", 32, NX_E_FORMAT, "token_embd.weight"},
        {"transformer.embedding_length", 0, NX_E_FORMAT, NULL},
        {"transformer.attention.head_count", 0, NX_E_FORMAT, NULL},
        {"transformer.attention.head_count", 3, NX_E_FORMAT, NULL},      /* the width, 16, is not a multiple of 3 */
        {"transformer.attention.head_count", 8, NX_E_UNSUPPORTED, NULL}, /* a head would have only two values */
        {"transformer.attention.head_count", 32, NX_E_FORMAT, NULL},     /* a head would have no value */
        {"transformer.feed_forward_length", 18, NX_E_UNSUPPORTED, NULL},
        {"transformer.feed_forward_length", 24, NX_E_FORMAT, "enc.blk.0.ffn_up.weight"},
        {"transformer.attention.layer_norm_epsilon", 0x7fc00000, NX_E_FORMAT, NULL},
    };
    static const struct {
        const char *key, *was, *word;
    } words[] = {
        {"transformer.norm", "post", "past"},
        {"transformer.position.type", "learned", "earned!"},
        {"transformer.activation", "relu", "gelu"},
    };
    toy_transformer_config c = configs[0];
    c.end = 3, c.position = TOY_LEARNED;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        toy_transformer *m = toy_transformer_build(&c);
        size_t key = strlen(rows[i].key), at = 0;
        while (memcmp(m->file.bytes + at, rows[i].key, key) || m->file.bytes[at + key] > 12 || m->file.bytes[at + key + 1]) at++;
        memcpy(m->file.bytes + at + key + 4, &rows[i].value, 4);
        check_at("row %lld", (long long)i, 0, 0, 0);
        toy_refused(m->file.bytes, m->file.length, rows[i].status, rows[i].named ? rows[i].named : rows[i].key);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        toy_transformer *m = toy_transformer_build(&c);
        size_t at = 0;
        while (memcmp(m->file.bytes + at, words[i].key, strlen(words[i].key))) at++;
        at += strlen(words[i].key) + 12; /* skips the type and the length that follow the key */
        CHECK(!memcmp(m->file.bytes + at, words[i].was, strlen(words[i].was)));
        memcpy(m->file.bytes + at, words[i].word, strlen(words[i].word));
        toy_refused(m->file.bytes, m->file.length, NX_E_UNSUPPORTED, words[i].key);
    }
    for (size_t length = 0; length < 4000; length += 97) { /* truncated */
        toy_transformer *m = toy_transformer_build(&c);
        size_t size;
        CHECK(nx_model_size(m->file.bytes, length, &size, NULL) < 0);
    }
}

/* The attention maps of a long source can have 2^30 weights. The library computes sizes in 64 bits without overflow, so it refuses such a
 * run. */
static void absurd_sizes(void) {
    toy_transformer_config c = {.values = 8, .length = 32768, .encoder_blocks = 1, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .seed = 3};
    nx_model *model = toy_transformer_open(toy_transformer_build(&c));
    if (!model) return;
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    nx_shape shape = {.length = 10, .counts = {32768}};
    size_t bytes;
    CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_OK);
    settings.maps = 1; /* 2^30 weights */
    CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_E_LIMIT);
    shape.counts[0] = 32769;
    CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_E_ARGUMENT);
    shape.counts[0] = 3;
    CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_OK);
    CHECK(bytes < 1 << 16);
}

/* Prints a hash of all results of a run (samples, their nats, maps, and a search), which build.sh compares between builds. */
static void one_result(void) {
    uint64_t hash = 0;
    for (size_t i = 0; i < CONFIGS; i++) {
        size_t mark = memory_mark(), bytes;
        toy_transformer_config c = configs[i];
        c.end = 3;
        toy_transformer *m = toy_transformer_build(&c);
        nx_model *model = toy_transformer_open(m);
        if (!model) return;
        enum { S = 19, n = 14, B = 3 };
        nx_settings settings = {.seed_low = 5, .samples = B, .temperature = 1, .top_p = 0.95f, .maps = 1};
        nx_shape shape = {.length = n, .counts = {S}};
        uint32_t ids[n * B], drawn = 0, keys[64], count, over = 0, rows = c.heads * c.encoder_blocks * S;
        float nats[n * B], row[64];
        nx_candidate candidates[2 * B];
        hash = check_hash(hash, m->file.bytes, m->file.length);
        for (int search = 0; search < 2; search++) {
            nx_session *session = NULL;
            CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_OK);
            CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, &shape, &session), NX_OK);
            CHECK_INT(nx_session_input(model, session, 0, some_ids(S, c.values, 5), S), NX_OK);
            while (nx_session_encode(model, session) == NX_MORE) {}
            for (uint32_t r = 0; r < rows && !search; r++) {
                CHECK_INT(nx_session_map(model, session, 0, 2, r, keys, row, &count), NX_OK);
                hash = check_hash(hash, row, count * sizeof *row);
            }
            if (!search) {
                CHECK_INT(nx_session_draw(model, session, n, ids, nats, &drawn), NX_OK);
                hash = check_hash(check_hash(hash, ids, drawn * B * sizeof *ids), nats, drawn * B * sizeof *nats);
                CHECK_INT(nx_session_map(model, session, 1, 1, 0, keys, row, &count), NX_OK);
                hash = check_hash(hash, row, count * sizeof *row);
            }
            for (over = !search; !over;) {
                CHECK_INT(nx_session_search(model, session, 0.6f, candidates, &count, &over), NX_OK);
                hash = check_hash(hash, candidates, count * sizeof *candidates);
            }
        }
        memory_release(mark);
    }
    check_say("hash %08x%08x", (unsigned)(hash >> 32), (unsigned)hash);
}

const check_test transformer_tests[] = {
    {"logits equal the reference in double precision", logits},
    {"maps equal the reference in double precision", maps},
    {"causality, and the source affects everything", causality},
    {"without positions, a sentence is a bag of words", permutation},
    {"heads work apart", heads},
    {"nothing is padded", no_padding},
    {"branches have the encoder's maps", branches},
    {"invalid files are refused", refused_files},
    {"absurd sizes", absurd_sizes},
    {"one result everywhere", one_result},
    {0},
};

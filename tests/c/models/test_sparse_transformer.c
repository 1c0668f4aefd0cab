/* SPDX-License-Identifier: MIT
 *
 * Compares Sparse Transformers with a reference in double precision. The reference uses dense attention under a mask, without a cache.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "gguf.h"
#include "kernels/kernels.h"
#include "one_sample.h"
#include "reference.h"
#include "session/session.h"
#include "toy.h"

/* Tolerance for the single-precision error after three blocks, relative to the standard deviation of the outputs. */
#define TOLERANCE 2e-5
/* Tolerance for the error from rounding activations, keys, values and weights, relative to the standard deviation of the outputs. */
#define ROUNDED_TOLERANCE 0.3
/* The tolerance for x sigma(1.702 x), relative to max(1, |x|): a few roundings. */
#define GELU_TOLERANCE 4e-7

/* ---- toys ------------------------------------------------------------------------------------------------------------------- */

enum { INTERLEAVED, MERGED, BY_HEAD };
enum { STRIDED, FIXED, BLOCKS };

typedef struct {
    uint32_t height, width; /* 0 for a text of `length` ids */
    uint32_t length, levels, blocks, d, inner, heads, key_length;
    uint32_t kind, stride, summary, combine;
    uint32_t bernoulli, end, type;
    uint32_t time_length, bar, chord; /* for music: ticks that the tables cover (0: no music), ticks per bar, chord embeddings */
    uint64_t seed;
    uint32_t spoilt, spoil; /* `spoil` replaces the last number of the array NOTES[spoilt - 1] */
    const char *number; /* a key, without the architecture, whose value is replaced */
    uint32_t value;
} config;

typedef struct {
    config c;
    toy_file file;
    uint32_t n_tensors;
    toy_tensor tensor[72];
} made;

static void add(made *m, const char *name, uint32_t rows, uint32_t cols, uint32_t type, double mean, double spread) {
    toy_tensor *t = m->tensor + m->n_tensors++;
    check_random random = {m->c.seed ^ check_hash(0, name, strlen(name))};
    strcpy(t->name, name);
    t->rows = rows, t->cols = cols;
    t->type = (type == NX_Q8_0 || type == NX_Q4_0) && cols % 32 ? NX_F32 : type;
    t->values = memory_take((size_t)rows * cols * sizeof *t->values);
    for (size_t i = 0; i < (size_t)rows * cols; i++) t->values[i] = (float)(mean + spread * random_normal(&random));
}

static uint32_t places_of(const config *c) { return c->height ? c->height * c->width : c->length; }
static uint32_t columns_of(const config *c) { return c->height ? c->width : c->stride; }
static uint32_t outputs_of(const config *c) { return c->bernoulli ? 1 : c->levels; }

enum { VOICES = 3 };

/* In music models, every fourth id is a wait, and all other ids except 0 are notes of three voices. */
static uint32_t ticks_of(uint32_t id) { return id % 4 == 3 ? 1 + id % 5 : 0; }
static uint32_t voice_of(uint32_t id) { return id % 4 == 3 || !id ? 0 : 1 + id % VOICES; }

static const char *const NOTES[] = {"notes.id_ticks", "notes.id_voices", "notes.id_pitches"};

/* Writes the meaning of the ids, in three arrays. */
static void put_notes(made *m) {
    const config *c = &m->c;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t numbers[40];
        char key[64] = "sparse-transformer.";
        for (uint32_t id = 0; id < c->levels; id++) numbers[id] = k == 0 ? ticks_of(id) : k == 1 ? voice_of(id) : voice_of(id) ? 40 + id : 0;
        if (c->spoilt == k + 1) numbers[c->levels - 1] = c->spoil;
        put_key_numbers(&m->file, strcat(key, NOTES[k]), numbers, c->levels - (c->spoilt == k + 1 && c->spoil == NX_NONE));
    }
}

static void add_notes(made *m) {
    const config *c = &m->c;
    add(m, "time_bar.weight", (c->time_length - 1) / c->bar + 1, c->d, NX_F32, 0, 0.5);
    add(m, "time_tick.weight", c->bar, c->d, NX_F32, 0, 0.5);
    add(m, "chord_embd.weight", c->chord, c->d, NX_F32, 0, 0.5);
    add(m, "sounding_embd.weight", c->levels, c->d, NX_F32, 0, 0.5);
}

static made *build(const config *c) {
    made *m = memory_take(sizeof *m);
    memset(m, 0, sizeof *m);
    m->c = *c;
    uint32_t d = c->d, width = c->heads * c->key_length;
    double into_d = 1 / sqrt((double)d);
    add(m, "token_embd.weight", c->levels, d, NX_F32, 0, 0.7);
    add(m, "position_row.weight", (places_of(c) - 1) / columns_of(c) + 1, d, NX_F32, 0, 0.5);
    add(m, "position_col.weight", columns_of(c), d, NX_F32, 0, 0.5);
    for (uint32_t b = 0; b < c->blocks; b++) {
        char name[48];
#define ADD(part, ...) sprintf(name, "blk.%u." part, (unsigned)b), add(m, name, __VA_ARGS__)
        ADD("attn_norm.weight", 1, d, NX_F32, 1, 0.2);
        ADD("attn_norm.bias", 1, d, NX_F32, 0, 0.2);
        ADD("attn_q.weight", width, d, c->type, 0, 1.5 * into_d);
        ADD("attn_k.weight", width, d, c->type, 0, 1.5 * into_d);
        ADD("attn_v.weight", width, d, c->type, 0, into_d);
        ADD("attn_output.weight", d, width, c->type, 0, 1 / sqrt((double)width));
        ADD("ffn_norm.weight", 1, d, NX_F32, 1, 0.2);
        ADD("ffn_norm.bias", 1, d, NX_F32, 0, 0.2);
        ADD("ffn_up.weight", c->inner, d, c->type, 0, into_d);
        ADD("ffn_up.bias", 1, c->inner, NX_F32, 0, 0.3);
        ADD("ffn_down.weight", d, c->inner, c->type, 0, 1 / sqrt((double)c->inner));
        ADD("ffn_down.bias", 1, d, NX_F32, 0, 0.3);
#undef ADD
    }
    add(m, "output_norm.weight", 1, d, NX_F32, 1, 0.2);
    add(m, "output_norm.bias", 1, d, NX_F32, 0, 0.2);
    add(m, "output.weight", outputs_of(c), d, c->type, 0, into_d);
    add(m, "output.bias", 1, outputs_of(c), NX_F32, 0, 0.3);
    if (c->time_length) add_notes(m);
    static const char *const ways[] = {"interleaved", "merged", "heads"}, *const kinds[] = {"strided", "fixed", "blocks"};
    const struct {
        const char *key;
        uint32_t value;
        int there;
    } keys[] = {{"image.height", c->height, c->height > 0}, {"image.width", c->width, c->height > 0}, {"image.levels", c->levels, c->height > 0},
                {"context_length", c->length, !c->height}, {"block_count", c->blocks, 1}, {"embedding_length", d, 1},
                {"feed_forward_length", c->inner, 1}, {"attention.head_count", c->heads, 1}, {"attention.key_length", c->key_length, 1},
                {"attention.stride", c->stride, 1}, {"attention.summary", c->summary, c->kind == FIXED},
                {"time_length", c->time_length, c->time_length > 0}, {"notes.bar", c->bar, c->bar > 0}, {"notes.ticks", 4, c->bar > 0}};
    uint32_t n = 4;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) n += keys[i].there > 0;
    toy_file data = {0};
    put_header(&m->file, m->n_tensors, n + (c->end > 0) + (c->time_length ? 3 : 0));
    put_key_text(&m->file, "general.architecture", "sparse-transformer");
    put_key_text(&m->file, "sparse-transformer.attention.pattern", kinds[c->kind]);
    put_key_text(&m->file, "sparse-transformer.attention.combine", ways[c->combine]);
    put_key_text(&m->file, "sparse-transformer.output.type", c->bernoulli ? "bernoulli" : "categorical");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char key[64] = "sparse-transformer.";
        if (keys[i].there) put_key_u32(&m->file, strcat(key, keys[i].key), c->number && !strcmp(c->number, keys[i].key) ? c->value : keys[i].value);
    }
    if (c->time_length) put_notes(m);
    if (c->end) put_key_u32(&m->file, "tokenizer.ggml.eos_token_id", c->end - 1);
    for (uint32_t i = 0; i < m->n_tensors; i++) put_tensor(&m->file, &data, m->tensor + i);
    while (m->file.length % 32) put_bytes(&m->file, "", 1);
    put_bytes(&m->file, data.bytes, data.length);
    return m;
}

static const config toys[] = {
    {.height = 5, .width = 6, .levels = 3, .blocks = 2, .d = 16, .inner = 8, .heads = 2, .key_length = 8, .stride = 6, .seed = 61},
    {.height = 6, .width = 6, .levels = 2, .bernoulli = 1, .blocks = 3, .d = 64, .inner = 32, .heads = 2, .key_length = 32, .stride = 5, .combine = BY_HEAD, .type = NX_Q8_0, .seed = 62},
    {.length = 40, .levels = 30, .blocks = 3, .d = 16, .inner = 12, .heads = 2, .key_length = 8, .kind = FIXED, .stride = 7, .summary = 2, .seed = 63},
    {.length = 40, .levels = 30, .blocks = 2, .d = 64, .inner = 32, .heads = 3, .key_length = 32, .kind = FIXED, .stride = 8, .summary = 3, .combine = BY_HEAD, .type = NX_Q8_0, .seed = 64},
    {.length = 40, .levels = 30, .blocks = 2, .d = 16, .inner = 12, .heads = 1, .key_length = 12, .kind = FIXED, .stride = 6, .summary = 2, .combine = MERGED, .seed = 65},
    {.height = 3, .width = 3, .levels = 2, .bernoulli = 1, .blocks = 2, .d = 4, .inner = 4, .heads = 1, .key_length = 4, .stride = 3, .seed = 66},
    {.height = 2, .width = 4, .levels = 4, .blocks = 1, .d = 8, .inner = 4, .heads = 2, .key_length = 4, .stride = 5, .combine = BY_HEAD, .type = NX_F16, .seed = 67},
    {.length = 9, .levels = 12, .blocks = 2, .d = 8, .inner = 4, .heads = 1, .key_length = 4, .kind = FIXED, .stride = 4, .summary = 1, .end = 2, .seed = 68},
    {.length = 40, .levels = 30, .blocks = 2, .d = 64, .inner = 32, .heads = 2, .key_length = 32, .kind = FIXED, .stride = 8, .summary = 3, .combine = BY_HEAD, .type = NX_Q8_0,
     .time_length = 40, .bar = 6, .chord = 3, .seed = 74},
    {.length = 9, .levels = 8, .blocks = 1, .d = 8, .inner = 4, .heads = 1, .key_length = 4, .stride = 3, .time_length = 5, .bar = 2, .chord = 1, .end = 1, .seed = 75},
    {.length = 9, .levels = 5, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .key_length = 32, .stride = 3, .combine = MERGED, .type = NX_Q8_0, .seed = 69},
    {.length = 40, .levels = 30, .blocks = 4, .d = 16, .inner = 12, .heads = 2, .key_length = 8, .kind = BLOCKS, .stride = 7, .seed = 76},
    {.height = 6, .width = 6, .levels = 3, .blocks = 3, .d = 64, .inner = 32, .heads = 2, .key_length = 32, .kind = BLOCKS, .stride = 6, .type = NX_Q8_0, .seed = 77},
};

static toy_file toy_number(uint32_t number) { return build(toys + number)->file; }

const toy_row sparse_transformer_toys[] = {
    {"sparse picture", TOY_RUN | TOY_SEARCH, toy_number, 0, {0}},
    {"sparse picture, rounded", TOY_RUN, toy_number, 1, {0}},
    {"sparse text", TOY_RUN | TOY_FIXED | TOY_SHAPED | TOY_SEARCH, toy_number, 2, {.length = 27}},
    {"sparse text, rounded", TOY_RUN | TOY_FIXED, toy_number, 3, {.length = 30}},
    {"sparse text, merged", TOY_RUN | TOY_FIXED, toy_number, 4, {.length = 27}},
    {"sparse music", TOY_RUN | TOY_FIXED | TOY_SHAPED | TOY_SEARCH, toy_number, 8, {.length = 30}},
    {NULL, TOY_SEED, toy_number, 5, {0}},
    {NULL, TOY_SEED, toy_number, 6, {0}},
    {NULL, TOY_SEED, toy_number, 7, {0}},
    {NULL, TOY_SEED, toy_number, 9, {0}},
    {NULL, TOY_SEED, toy_number, 10, {0}},
    {0},
};

/* ---- the reference ---------------------------------------------------------------------------------------------------------- */

static const float *weights(const made *m, const char *format, uint32_t block) {
    char name[48];
    sprintf(name, format, (unsigned)block);
    for (uint32_t i = 0; i < m->n_tensors; i++)
        if (!strcmp(m->tensor[i].name, name)) return m->tensor[i].values;
    return NULL;
}

static void norm(const made *m, double *out, const double *x, const char *gain, const char *bias, uint32_t block) {
    memcpy(out, x, m->c.d * sizeof *x);
    ref_layer_norm(out, weights(m, gain, block), weights(m, bias, block), 1e-5, m->c.d);
}

/* Returns whether position i sees position j, by the definitions in section 4.2 of the paper. As in the library, the strided set A1 has l
 * positions. The pattern "blocks" uses the three sets of Jukebox in turn, one per block. */
static int sees(const config *c, uint32_t block, uint32_t head, uint32_t i, uint32_t j) {
    int near = c->kind != STRIDED ? i / c->stride == j / c->stride : j + c->stride > i;
    int far = c->kind == FIXED ? j % c->stride >= c->stride - c->summary : (i - j) % c->stride == 0;
    if (j > i) return 0;
    if (c->kind == BLOCKS) return block % 3 == 2 ? i / c->stride == j / c->stride + 1 : block % 3 ? far : near;
    if (c->combine == MERGED) return near || far;
    if (c->combine == INTERLEAVED) return block % 2 ? far : near;
    return head < c->heads - c->heads / 2 ? near : far;
}

/* Adds the extra embeddings of music to the embedding of position i. */
static void add_places(const made *m, double *x, const uint32_t *ids, uint32_t i) {
    const config *c = &m->c;
    const float *bars = weights(m, "time_bar.weight", 0), *ticks = weights(m, "time_tick.weight", 0), *chords = weights(m, "chord_embd.weight", 0);
    const float *sounding = weights(m, "sounding_embd.weight", 0);
    uint32_t time = 0, chord = 0, last[VOICES] = {0};
    for (uint32_t j = 0; j <= i; j++) {
        time += ticks_of(ids[j]);
        chord = ticks_of(ids[j]) || !j ? 0 : chord + 1;
        if (voice_of(ids[j])) last[voice_of(ids[j]) - 1] = ids[j] + 1;
    }
    uint32_t bar = time / c->bar, most = (c->time_length - 1) / c->bar;
    for (uint32_t e = 0; e < c->d; e++) {
        x[e] += (double)bars[(bar < most ? bar : most) * c->d + e] + (double)ticks[time % c->bar * c->d + e];
        x[e] += (double)chords[(chord < c->chord ? chord : c->chord - 1) * c->d + e];
        for (uint32_t v = 0; v < VOICES; v++)
            if (last[v]) x[e] += (double)sounding[(last[v] - 1) * c->d + e];
    }
}

/* Computes the prediction of each of n positions, shape (n, P). Position i of a picture reads id i - 1; position i of a text reads id i. */
static double *twin(const made *m, const uint32_t *ids, uint32_t n) {
    const config *c = &m->c;
    uint32_t d = c->d, k = c->key_length, width = c->heads * k, P = outputs_of(c), columns = columns_of(c);
    double *x = memory_take(n * d * sizeof *x), *out = memory_take((size_t)n * P * sizeof *out), *h = memory_take(d * sizeof *h), *y = memory_take(d * sizeof *y);
    double *q = memory_take(n * width * sizeof *q), *keys = memory_take(n * width * sizeof *q), *v = memory_take(n * width * sizeof *q);
    double *mixed = memory_take(width * sizeof *mixed), *wide = memory_take(c->inner * sizeof *wide), *score = memory_take(n * sizeof *score);
    const float *tokens = weights(m, "token_embd.weight", 0), *rows = weights(m, "position_row.weight", 0), *cols = weights(m, "position_col.weight", 0);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t e = 0; e < d; e++) {
            x[i * d + e] = (double)rows[i / columns * d + e] + (double)cols[i % columns * d + e];
            if (i || !c->height) x[i * d + e] += (double)tokens[ids[c->height ? i - 1 : i] * d + e];
        }
    for (uint32_t i = 0; i < n && c->time_length; i++) add_places(m, x + i * d, ids, i);
    for (uint32_t b = 0; b < c->blocks; b++) {
        for (uint32_t i = 0; i < n; i++) {
            norm(m, h, x + i * d, "blk.%u.attn_norm.weight", "blk.%u.attn_norm.bias", b);
            ref_matmul(q + i * width, NULL, weights(m, "blk.%u.attn_q.weight", b), width, d, h);
            ref_matmul(keys + i * width, NULL, weights(m, "blk.%u.attn_k.weight", b), width, d, h);
            ref_matmul(v + i * width, NULL, weights(m, "blk.%u.attn_v.weight", b), width, d, h);
        }
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t a = 0; a < c->heads; a++) {
                uint32_t seen = 0;
                for (uint32_t j = 0; j <= i; j++) {
                    score[j] = 0;
                    for (uint32_t e = 0; e < k; e++) score[j] += q[i * width + a * k + e] * keys[j * width + a * k + e] / sqrt((double)k);
                    if (sees(c, b, a, i, j)) seen++;
                    else score[j] = -1e30;
                }
                ref_softmax(score, i + 1);
                for (uint32_t e = 0; e < k; e++) {
                    mixed[a * k + e] = 0;
                    /* the sum stays zero if no key is visible */
                    for (uint32_t j = 0; j <= i && seen; j++) mixed[a * k + e] += score[j] * v[j * width + a * k + e];
                }
            }
            ref_matmul(y, NULL, weights(m, "blk.%u.attn_output.weight", b), d, width, mixed);
            for (uint32_t e = 0; e < d; e++) x[i * d + e] += y[e];
            norm(m, h, x + i * d, "blk.%u.ffn_norm.weight", "blk.%u.ffn_norm.bias", b);
            ref_matmul(wide, NULL, weights(m, "blk.%u.ffn_up.weight", b), c->inner, d, h);
            for (uint32_t e = 0; e < c->inner; e++) {
                double u = wide[e] + (double)weights(m, "blk.%u.ffn_up.bias", b)[e];
                wide[e] = u / (1 + exp(-1.702 * u));
            }
            ref_matmul(y, NULL, weights(m, "blk.%u.ffn_down.weight", b), d, c->inner, wide);
            for (uint32_t e = 0; e < d; e++) x[i * d + e] += y[e] + (double)weights(m, "blk.%u.ffn_down.bias", b)[e];
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        norm(m, h, x + i * d, "output_norm.weight", "output_norm.bias", 0);
        ref_matmul(out + (size_t)i * P, NULL, weights(m, "output.weight", 0), P, d, h);
        for (uint32_t p = 0; p < P; p++) out[(size_t)i * P + p] += (double)weights(m, "output.bias", 0)[p];
    }
    return out;
}

/* ---- tests ------------------------------------------------------------------------------------------------------------------ */

/* Computes the positions one by one and compares the outputs with the reference. Computing all positions in one call, or in a shorter run,
 * must give the same bits. */
static void compare(const config *c, long long row) {
    size_t mark = memory_mark();
    check_random random = {8};
    made *m = build(c);
    nx_model *model = toy_file_open(&m->file);
    if (!model) return;
    int rounded = c->type == NX_Q8_0 || c->type == NX_Q4_0;
    uint32_t behind = !c->height, n = places_of(c) + behind, P = outputs_of(c), *ids = memory_take(n * sizeof *ids), part = n / 2 + 1;
    float *nats = memory_take(n * sizeof *nats), *output = memory_take(P * sizeof *output);
    double worst = 0, squares = 0;
    for (uint32_t p = 0; p < n; p++) ids[p] = random_below(&random, c->levels);
    const double *truth = twin(m, ids, places_of(c));
    nx_session *session = one_sample(model, 0, 0);
    check_at("configuration %lld", row, 0, 0, 0);
    for (uint32_t p = 0; p < n; p++) {
        CHECK_INT(nx_session_put(model, session, ids + p, 1, 0, nats + p), NX_OK);
        CHECK_INT(nx_session_output(model, session, 0, output), NX_OK);
        if (behind && !p) CHECK_NEAR((double)nats[0], log(c->levels), 1e-5); /* the first position has no predecessor */
        for (uint32_t v = 0; p >= behind && v < P; v++) {
            double expected = truth[(size_t)(p - behind) * P + v];
            worst = fmax(worst, fabs((double)output[v] - expected));
            squares += expected * expected;
        }
    }
    double deviation = sqrt(squares / (places_of(c) * P));
    check_note("  configuration %d: outputs of deviation %.3g within %.3g", (int)row, deviation, worst);
    CHECK(worst < deviation * (rounded ? ROUNDED_TOLERANCE : TOLERANCE));
    CHECK_INT(nx_session_put(model, session, ids, 1, 0, NULL), NX_E_ARGUMENT); /* the model has no more learned positions */
    float *at_once = memory_take(n * sizeof *at_once);
    CHECK_INT(nx_session_put(model, one_sample(model, 0, 0), ids, n, 0, at_once), NX_OK);
    CHECK_FLOATS(at_once, nats, n);
    if (behind) { /* pictures have only one length */
        CHECK_INT(nx_session_put(model, one_sample(model, part, 0), ids, part, 0, at_once), NX_OK);
        CHECK_FLOATS(at_once, nats, part);
    }
    memory_release(mark);
}

static void equations(void) {
    for (uint32_t i = 0; i < sizeof toys / sizeof *toys; i++) compare(toys + i, i);
    long long row = 100;
    for (uint32_t kind = STRIDED; kind <= BLOCKS; kind++)
        for (uint32_t combine = INTERLEAVED; combine <= (kind == BLOCKS ? INTERLEAVED : BY_HEAD); combine++)
            for (uint32_t stride = 1; stride <= 56; stride += stride < 3 ? 1 : 11) {
                config c = {.length = 56, .levels = 9, .blocks = 3, .d = 12, .inner = 8, .heads = 3, .key_length = 8, .kind = kind,
                            .stride = stride, .summary = (stride + 2) / 3, .combine = combine, .seed = 70};
                compare(&c, row++);
                c.height = 7, c.width = 8;
                compare(&c, row++);
            }
    config long_one = {.length = 300, .levels = 9, .blocks = 2, .d = 64, .inner = 32, .heads = 2, .key_length = 32, .stride = 17, .type = NX_Q8_0, .seed = 71};
    compare(&long_one, row);
}

/* Changing later ids must not change any bit of an earlier output. Changing an earlier id must change every later output that it can reach
 * through the attention of two blocks. */
static void causality(void) {
    config c = toys[0];
    c.levels = 5;
    nx_model *model = toy_file_open(&build(&c)->file);
    if (!model) return;
    enum { n = 30 };
    uint32_t ids[n];
    float nats[n], other[n];
    for (uint32_t i = 0; i < n; i++) ids[i] = i * 7 % 5;
    CHECK_INT(nx_session_put(model, one_sample(model, 0, 0), ids, n, 0, nats), NX_OK);
    for (uint32_t moved = 0; moved < n; moved++) {
        ids[moved] = (ids[moved] + 2) % 5;
        CHECK_INT(nx_session_put(model, one_sample(model, 0, 0), ids, n, 0, other), NX_OK);
        ids[moved] = (ids[moved] + 3) % 5;
        CHECK_FLOATS(other, nats, moved);
        for (uint32_t i = moved; i < n; i++) CHECK(other[i] != nats[i]);
    }
}

/* With a stride as long as the sequence, A1 is the whole past. With stride 1, A2 is the whole past. Both settings therefore give dense
 * attention. */
static void dense(void) {
    config near = {.height = 6, .width = 9, .levels = 4, .blocks = 1, .d = 16, .inner = 8, .heads = 2, .key_length = 8, .stride = 54, .seed = 72};
    config both = near;
    both.stride = 1, both.combine = MERGED;
    enum { n = 54 };
    uint32_t ids[n];
    float one[n], other[n];
    for (uint32_t i = 0; i < n; i++) ids[i] = i * 5 % 4;
    const nx_model *a = toy_file_open(&build(&near)->file), *b = toy_file_open(&build(&both)->file);
    if (!a || !b) return;
    CHECK_INT(nx_session_put(a, one_sample(a, 0, 0), ids, n, 0, one), NX_OK);
    CHECK_INT(nx_session_put(b, one_sample(b, 0, 0), ids, n, 0, other), NX_OK);
    CHECK_FLOATS(other, one, n);
}

/* The memory size of a sequence depends on which positions the pattern needs: a ring and the summaries, or all positions. */
static void memory_of_a_run(void) {
    size_t bytes[3], longer[3];
    for (uint32_t combine = INTERLEAVED; combine <= BY_HEAD; combine++)
        for (int twice = 0; twice < 2; twice++) {
            config c = {.length = twice ? 2048 : 1024, .levels = 4, .blocks = 2, .d = 16, .inner = 8, .heads = 2, .key_length = 8, .kind = FIXED,
                        .stride = 32, .summary = 4, .combine = combine, .seed = 73};
            nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
            CHECK_INT(nx_session_size(toy_file_open(&build(&c)->file), 0, &settings, NULL, (twice ? longer : bytes) + combine), NX_OK);
        }
    check_note("  1,024 and 2,048 positions: interleaved %zu and %zu bytes, merged %zu and %zu", bytes[0], longer[0], bytes[1], longer[1]);
    CHECK(bytes[INTERLEAVED] < bytes[MERGED] / 3 && longer[INTERLEAVED] < longer[MERGED] / 3);
}

static double gelu(double x) { return x / (1 + exp(-1.702 * x)); }

/* Compares the kernel for x sigma(1.702 x) with the formula in double precision, also for very large x. The kernel's values must differ
 * from those of GELU with tanh. */
static void gelu_alone(void) {
    float x[4800] = {0}, tanh_form[16] = {1, 1, 1, 1}, far[16] = {1e30f, -1e30f, INFINITY, 3e38f, -40, 40, -0.0f};
    double worst = 0;
    for (int i = 0; i < 4800; i++) x[i] = (float)(i - 2400) / 200;
    nx_gelu_sigmoid(x, 2400, 2);
    for (int i = 0; i < 4800; i++) {
        double at = (double)((float)(i - 2400) / 200);
        worst = fmax(worst, fabs((double)x[i] - gelu(at)) / fmax(1, fabs(at)));
    }
    check_note("  largest error %.3g, relative to max(1, |x|)", worst);
    CHECK(worst < GELU_TOLERANCE);
    nx_gelu_sigmoid(far, 8, 1);
    CHECK(far[0] == 1e30f && fabsf(far[1]) < 1 && far[2] == INFINITY && far[3] == 3e38f && fabsf(far[4]) < 1e-6f && far[5] == 40 && far[6] == 0);
    nx_gelu(tanh_form, 4, 1);
    CHECK(fabs((double)tanh_form[0] - gelu(1)) > 0.001);
}

static void refused_files(void) {
    static const struct {
        uint32_t toy;
        const char *key;
        uint32_t value;
        nx_status status;
        const char *named; /* name that the error message contains; null: the key */
    } rows[] = {
        {0, "attention.stride", 0, NX_E_FORMAT, NULL},
        {0, "attention.stride", 31, NX_E_LIMIT, NULL}, /* the stride is larger than the context */
        {2, "attention.stride", 0, NX_E_FORMAT, NULL},
        {2, "attention.stride", 41, NX_E_LIMIT, NULL},
        {2, "attention.stride", 8, NX_E_FORMAT, "position_row.weight"},
        {2, "attention.summary", 0, NX_E_FORMAT, NULL},
        {2, "attention.summary", 8, NX_E_LIMIT, NULL},
        {2, "context_length", 0, NX_E_FORMAT, NULL},
        {2, "context_length", 60, NX_E_FORMAT, "position_row.weight"},
        {2, "context_length", UINT32_MAX, NX_E_LIMIT, NULL},
        {0, "image.height", 0, NX_E_FORMAT, NULL},
        {0, "image.width", 257, NX_E_LIMIT, NULL},
        {0, "image.levels", 300, NX_E_LIMIT, NULL},
        {1, "image.levels", 3, NX_E_FORMAT, NULL}, /* a Bernoulli output has 2 levels */
        {0, "block_count", 0, NX_E_FORMAT, NULL},
        {0, "block_count", 3, NX_E_FORMAT, "blk.2.attn_norm.weight"},
        {0, "embedding_length", 18, NX_E_UNSUPPORTED, NULL},
        {0, "feed_forward_length", 10, NX_E_UNSUPPORTED, NULL},
        {0, "attention.key_length", 6, NX_E_UNSUPPORTED, NULL},
        {0, "attention.head_count", 0, NX_E_FORMAT, NULL},
        {6, "attention.head_count", 1, NX_E_FORMAT, NULL}, /* the block has two sets, but only one head */
        {12, "attention.stride", 0, NX_E_FORMAT, NULL},
        {8, "time_length", 0, NX_E_FORMAT, NULL},
        {8, "time_length", 200, NX_E_FORMAT, "time_bar.weight"},
        {8, "time_length", UINT32_MAX, NX_E_LIMIT, NULL},
        {8, "notes.bar", 0, NX_E_FORMAT, NULL},
        {8, "notes.bar", 5000, NX_E_LIMIT, NULL},
        {8, "notes.ticks", 0, NX_E_FORMAT, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        config c = toys[rows[i].toy];
        c.number = rows[i].key, c.value = rows[i].value;
        char key[64] = "sparse-transformer.";
        check_at("row %lld", (long long)i, 0, 0, 0);
        const made *m = build(&c);
        toy_refused(m->file.bytes, m->file.length, rows[i].status, rows[i].named ? rows[i].named : strcat(key, rows[i].key));
    }
    config three = toys[12]; /* a pattern of three sets cannot be merged */
    three.combine = MERGED;
    const made *m = build(&three);
    toy_refused(m->file.bytes, m->file.length, NX_E_UNSUPPORTED, "sparse-transformer.attention.combine");
}

/* Each array in NOTES must have one number per id, and each number must be within the range of its array. Otherwise the file is refused. */
static void refused_notes(void) {
    static const struct {
        uint32_t spoilt, spoil;
        nx_status status;
    } rows[] = {{1, 4096, NX_E_LIMIT}, {2, 17, NX_E_LIMIT}, {3, 128, NX_E_LIMIT}, {1, NX_NONE, NX_E_FORMAT}, {2, NX_NONE, NX_E_FORMAT}, {3, NX_NONE, NX_E_FORMAT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        config c = toys[9];
        c.spoilt = rows[i].spoilt, c.spoil = rows[i].spoil;
        char key[64] = "sparse-transformer.";
        check_at("row %lld", (long long)i, 0, 0, 0);
        const made *m = build(&c);
        toy_refused(m->file.bytes, m->file.length, rows[i].status, strcat(key, NOTES[c.spoilt - 1]));
    }
}

/* A branch that begins in the middle of a chord must continue with the same bits as the original run. */
static void branch_in_a_chord(void) {
    nx_model *model = toy_file_open(&build(toys + 8)->file);
    if (!model) return;
    enum { n = 24 };
    static const uint32_t ids[n] = {0, 1, 2, 4, 3, 5, 6, 8, 7, 9, 10, 12, 13, 11, 14, 16, 15, 17, 18, 20, 19, 21, 22, 23};
    float nats[n], again[n];
    nx_session *whole = one_sample(model, 0, 0);
    CHECK_INT(nx_session_put(model, whole, ids, n, 0, nats), NX_OK);
    for (uint32_t at = n - 15; at < n; at++) {
        nx_session *branch = one_sample(model, 0, 0);
        CHECK_INT(nx_session_branch(model, branch, whole, 0, at), NX_OK);
        CHECK_INT(nx_session_put(model, branch, ids + at, n - at, 0, again), NX_OK);
        CHECK_FLOATS(again, nats + at, n - at);
    }
}

const check_test sparse_transformer_tests[] = {
    {"outputs equal the equations under a mask", equations},
    {"causality, bit for bit", causality},
    {"a stride of 1, and a stride of the whole length, are dense attention", dense},
    {"what a run keeps", memory_of_a_run},
    {"x sigma(1.702 x)", gelu_alone},
    {"contradictory files are refused", refused_files},
    {"files without the meaning of ids are refused", refused_notes},
    {"a branch in a chord", branch_in_a_chord},
    {0},
};

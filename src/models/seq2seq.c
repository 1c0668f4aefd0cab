/* SPDX-License-Identifier: MIT
 *
 * Translates with recurrent networks: an encoder reads a sentence, and a decoder writes its translation. The decoder may attend to the
 * encoder's states with one of the attention mechanisms that preceded the Transformer [Sutskever, Vinyals, Le 2014, arXiv:1409.3215;
 * Bahdanau, Cho, Bengio 2015, arXiv:1409.0473; Luong, Pham, Manning 2015, arXiv:1508.04025]:
 *
 *   encoder   h_i = [fwd_i; bwd_i],  fwd_i = GRU(x_i, fwd_i-1),  bwd_i = GRU(x_i, bwd_i+1)
 *   start     s = tanh(W_init [fwd_S-1; bwd_0] + b_init)
 *   decoder   "after" (Luong):     s_p = GRU(y_p, s_p-1), then a, c of s_p           with feeding: GRU([y_p; t_p-1], s_p-1)
 *             "before" (Bahdanau): a, c of s_p-1, then s_p = GRU([y_p; c], s_p-1)
 *   output    t_p = tanh(W_output [c; s_p] + b_output),  logits = E t_p              without attention: tanh(W_output s_p + b_output)
 *   context   a = softmax over i of score(s, h_i),  c = sum of a_i h_i
 *
 *   additive    v . tanh(W_q s + W_k h_i)        Luong's "concat", because W [s; h] = W_q s + W_k h
 *   dot, scaled-dot, general                     s . h_i,  s . h_i / sqrt(2e),  s . W_k h_i
 *   cosine      beta cos(s, h_i)                 0 if either vector is zero
 *   location    (W_q s)_i                        rows beyond the source are cut before the softmax; words beyond the rows get no weight
 *
 *   local-m     only the words i with |i - min(p, S-1)| <= D
 *   local-p     only the words i with |i - floor(centre)| <= D, centre = S sigma(v_p . tanh(W_p s)); after the softmax, a_i is multiplied
 *               by exp(-(i - centre)^2 / (2 (D/2)^2)), without normalising again
 *
 *   sigmoid, segmentation   replace the softmax by one bit per word, which says whether the word is attended to. a_i is the expectation of
 *               the bit, so the weights need not add up to 1 [Kim, Denton, Hoang, Rush 2017, arXiv:1702.00887]. sigmoid: a_i =
 *               sigma(score + bias); segmentation: a_i are the marginals of a chain of bits (attention/segments.h)
 *
 * The same table E of V rows serves the source, the target and the output; the input for an id is its row times sqrt(d). At position 0, y
 * is zero. Values that are the same for every output word are computed once per sentence: W_k h_i, or h_i / |h_i|. A step then takes S
 * scores and, above all, the matrix products with the state, with the input, and with the table.
 *
 * Letters:
 *   T   largest number of positions of a source or a target
 *   S   number of positions of the current source
 *   d   width of a word
 *   e   width of one direction of the encoder
 *   A   inner width of the networks that compute scores
 *   V   number of ids
 *   J   number of columns of a pass
 */
#include <string.h>

#include "arch.h"
#include "attention/scores.h"
#include "attention/segments.h"
#include "kernels/cells.h"
#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "layers/layers.h"
#include "reader.h"

#define ARCH "seq2seq"
#define MAX_CONTEXT 32768
#define SLOTS (NX_COLUMNS + 1) /* slots of the ring of states: the previous state, and each position that a run may go back */

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

typedef struct {
    nx_linear input, state; /* shapes (3 width, inputs), (3 width, width): gates r, z, n */
    uint32_t width;
} cell;

typedef struct {
    uint32_t d, e, values;
    enum { NONE, ADDITIVE, DOT, SCALED_DOT, GENERAL, COSINE, LOCATION } score;
    enum { AFTER, BEFORE } order;
    enum { GLOBAL, LOCAL_M, LOCAL_P } range;
    enum { SIMPLE, SIGMOID, SEGMENTATION } structure;
    int feeds;
    uint32_t D, A, positions; /* D: window; A: inner width of additive scores and of local-p; positions: rows of location scores */
    nx_matrix table;          /* shape (V, d): E */
    cell forward, backward, decoder;
    nx_linear start, output; /* shapes (2e, 2e), (d, 4e or 2e) */
    nx_matrix query, key;    /* W_q, shape (A or positions, 2e); W_k, shape (A or 2e, 2e) */
    nx_matrix position;      /* W_p (A, 2e) */
    const float *v, *centre; /* shape (A) */
    const float *bias;       /* shape (1): bias in the scores of attention bits */
    const float *transition; /* shape (2, 2): A[from][to], where 1 means attended */
    float root, beta;        /* sqrt(d); the scale of dots and cosines */
    uint32_t width;          /* width of a key: A or 2e */
} model;

static float square_root(float x) { return wasm_f32x4_extract_lane(wasm_f32x4_sqrt(wasm_f32x4_splat(x)), 0); }

static cell read_cell(nx_reader *r, const char *name, uint32_t width, uint32_t inputs) {
    cell c = {.width = width};
    c.input = nx_read_named_linear(r, nx_joined(name, ".input").text, 3 * width, inputs);
    c.state = nx_read_named_linear(r, nx_joined(name, ".state").text, 3 * width, width);
    return c;
}

static void read_attention(nx_reader *r, model *m) {
    uint32_t h = 2 * m->e;
    m->width = m->score == ADDITIVE ? m->A : h;
    m->beta = m->score == SCALED_DOT ? 1 / square_root((float)h) : 1;
    if (m->score == ADDITIVE) m->query = nx_read_matrix(r, "attn_q.weight", m->A, h);
    if (m->score == LOCATION) m->query = nx_read_matrix(r, "attn_q.weight", m->positions, h);
    if (m->score == ADDITIVE || m->score == GENERAL) m->key = nx_read_matrix(r, "attn_k.weight", m->width, h);
    if (m->score == ADDITIVE) m->v = nx_read_vector(r, "attn_v.weight", m->A, 0);
    if (m->score == COSINE) m->v = nx_read_vector(r, "attn_scale.weight", 1, 0);
    if (m->structure != SIMPLE) m->bias = nx_read_vector(r, "attn_bias.weight", 1, 0);
    if (m->structure == SEGMENTATION) m->transition = nx_read_table(r, "attn_transition.weight", 2, 2);
    if (m->range != LOCAL_P) return;
    m->position = nx_read_matrix(r, "attn_position.weight", m->A, h);
    m->centre = nx_read_vector(r, "attn_centre.weight", m->A, 0);
}

static void configure(nx_reader *r, nx_plan *plan) {
    static const char *const scores[] = {"none", "additive", "dot", "scaled-dot", "general", "cosine", "location"};
    static const char *const orders[] = {"after", "before"}, *const ranges[] = {"global", "local-m", "local-p"}, *const cells[] = {"gru"};
    static const char *const structures[] = {"simple", "sigmoid", "segmentation"};
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    r->packing = NX_BY_BLOCK;
    uint32_t context = nx_read_u32(r, KEY("context_length"), 1, MAX_CONTEXT, NX_REQUIRED);
    m->d = nx_read_width(r, KEY("embedding_length"), 4096, NX_REQUIRED);
    m->e = nx_read_width(r, KEY("encoder.state_length"), 4096, NX_REQUIRED);
    m->root = square_root((float)m->d);
    nx_read_choice(r, KEY("cell"), cells, 1);
    if (!nx_has_key(r, KEY("attention.score"))) nx_reader_fail(r, NX_E_FORMAT, KEY("attention.score"), "the key is missing");
    m->score = nx_read_choice(r, KEY("attention.score"), scores, 7);
    m->order = nx_read_choice(r, KEY("attention.order"), orders, 2);
    m->range = nx_read_choice(r, KEY("attention.range"), ranges, 3);
    m->structure = nx_read_choice(r, KEY("attention.structure"), structures, 3);
    m->feeds = (int)nx_read_u32(r, KEY("input_feeding"), 0, 1, 0);
    if (m->range != GLOBAL) m->D = nx_read_u32(r, KEY("attention.window"), 1, MAX_CONTEXT, NX_REQUIRED);
    m->A = m->score == ADDITIVE || m->range == LOCAL_P ? nx_read_width(r, KEY("attention.length"), 4096, NX_REQUIRED) : 4;
    if (m->score == LOCATION) m->positions = nx_read_u32(r, KEY("attention.positions"), 1, MAX_CONTEXT, NX_REQUIRED);
    if (m->feeds && m->order == BEFORE)
        nx_reader_fail(r, NX_E_UNSUPPORTED, KEY("input_feeding"), "the context is fed already, before the step");
    if (m->score == NONE && m->order == BEFORE)
        nx_reader_fail(r, NX_E_UNSUPPORTED, KEY("attention.order"), "there is no attention to come before the step");
    if (m->score == NONE && m->range != GLOBAL)
        nx_reader_fail(r, NX_E_UNSUPPORTED, KEY("attention.range"), "there is no attention to have a range");
    if (m->score == NONE && m->structure != SIMPLE)
        nx_reader_fail(r, NX_E_UNSUPPORTED, KEY("attention.structure"), "there is no attention to have a structure");
    if (m->range != GLOBAL && m->structure != SIMPLE)
        nx_reader_fail(r, NX_E_UNSUPPORTED, KEY("attention.structure"), "bits cover all words, not a window");

    uint32_t values = m->values = nx_read_vocabulary(r, "token_embd.weight"), h = 2 * m->e;
    m->table = nx_read_matrix(r, "token_embd.weight", values, m->d);
    m->forward = read_cell(r, "enc.fwd", m->e, m->d);
    m->backward = read_cell(r, "enc.bwd", m->e, m->d);
    m->start = nx_read_named_linear(r, "init", h, h);
    m->decoder = read_cell(r, "dec", h, m->d + (m->order == BEFORE ? h : m->feeds ? m->d : 0));
    read_attention(r, m);
    m->output = nx_read_named_linear(r, "output", m->d, m->score == NONE ? h : 2 * h);

    plan->weights = placed;
    plan->encodes = 1;
    plan->output = (nx_output){.kind = NX_CATEGORICAL, .values = values, .elements = 1};
    plan->length = context;
    plan->rewinds = NX_COLUMNS;
    nx_plan_hidden(plan, 1, m->d);
    plan->inputs[plan->n_inputs++] =
        (nx_port){.name = "source", .values = values, .dims = {context, 1, 1, 1}, .any_length = 1, .like = NX_NONE};
    nx_read_ends(r, plan);
    if (m->score != NONE) plan->maps[plan->n_maps++] = (nx_map){.name = "source", .port = 0, .rows = 1, .keys = context};
    if (m->range != GLOBAL) plan->maps[plan->n_maps++] = (nx_map){.name = "centre", .port = 0, .rows = 1, .keys = context};
    if (m->structure == SEGMENTATION) plan->maps[plan->n_maps++] = (nx_map){.name = "alone", .port = 0, .rows = 1, .keys = context};
}

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

/* The encoder's output, which the decoder reads. */
typedef struct {
    float *h;     /* shape (S, 2e): annotations */
    float *keys;  /* shape (S, A or 2e): W_k h_i, or h_i / |h_i|, or h_i itself, depending on the score */
    float *start; /* shape (2e) */
    uint64_t bytes;
} encoder_output;

static int has_keys(const model *m) { return m->score == ADDITIVE || m->score == GENERAL || m->score == COSINE; }

static encoder_output source_at(const model *m, const nx_shape *shape, const void *output) {
    uint32_t S = shape->counts[0];
    nx_arena arena = {(void *)output, 0, UINT64_MAX};
    encoder_output s;
    s.h = nx_arena_columns(&arena, S, 2 * m->e);
    s.keys = has_keys(m) ? nx_arena_columns(&arena, S, m->width) : s.h;
    s.start = nx_arena_columns(&arena, 1, 2 * m->e);
    s.bytes = arena.used;
    return s;
}

static uint64_t encoder_output_bytes(const void *opaque, const nx_shape *shape) { return source_at(opaque, shape, NULL).bytes; }

/* Returns the number of floats in a slot of the ring. A slot holds s_p and, with input feeding, t_p. */
static uint32_t slot_floats(const model *m) { return nx_stride(2 * m->e) + (m->feeds ? nx_stride(m->d) : 0); }
static float *slot_at(const model *m, void *state, uint32_t position) { return (float *)state + position % SLOTS * slot_floats(m); }

static uint64_t state_bytes(const void *opaque, const nx_shape *shape) {
    (void)shape;
    return (uint64_t)SLOTS * slot_floats(opaque) * sizeof(float);
}

/* The ring has the same length in every run, so the state is copied unchanged. */
static void grow(const void *m, const nx_shape *from_shape, const void *from, const nx_shape *to_shape, void *to) {
    (void)to_shape;
    memcpy(to, from, state_bytes(m, from_shape));
}

typedef struct {
    float *x;           /* shape (J, inputs of the decoder): the input of a decoder step; in the encoder, the embedded words */
    float *s;           /* shape (J, 2e): states */
    float *of_x, *of_s; /* shape (J, 6e): W_i x, W_h s */
    float *query;       /* shape (J, A or positions or 2e) */
    float *joined;      /* shape (J, 4e): [c; s] */
    float *t;           /* shape (J, d) */
    float *word;        /* shape (d) */
    float *weights;     /* shape (S) */
    float *theta;       /* shape (S): scores of bits */
    float *ahead;       /* shape (S) */
    void *matmul;
    uint64_t bytes;
} scratch;

static scratch scratch_at(const model *m, const nx_shape *shape, void *memory, uint32_t n) {
    uint32_t h = 2 * m->e, inputs = m->decoder.input.weight.cols, query = nx_larger(h, nx_larger(m->A, m->positions));
    nx_arena arena = {memory, 0, UINT64_MAX};
    scratch s;
    s.x = nx_arena_columns(&arena, n, inputs);
    s.s = nx_arena_columns(&arena, n, h);
    s.of_x = nx_arena_columns(&arena, n, 3 * h);
    s.of_s = nx_arena_columns(&arena, n, 3 * h);
    s.query = nx_arena_columns(&arena, n, query);
    s.joined = nx_arena_columns(&arena, n, 2 * h);
    s.t = nx_arena_columns(&arena, n, m->d);
    s.word = nx_arena_columns(&arena, 1, m->d);
    s.weights = nx_arena_columns(&arena, 1, shape->counts[0] + 3);
    s.theta = nx_arena_columns(&arena, 1, shape->counts[0] + 3);
    s.ahead = nx_arena_columns(&arena, 1, shape->counts[0] + 3);
    s.matmul = nx_arena_take(&arena, nx_input_bytes(nx_larger(nx_larger(inputs, 2 * h), m->d), n));
    s.bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t n) { return scratch_at(opaque, shape, NULL, n).bytes; }

/* ---- the encoder ----------------------------------------------------------------------------------------------------- */

/* Writes sqrt(d) E[id] to x, shape (d). If id is NX_NONE, writes zeros. */
static void embed(const model *m, const scratch *s, float *x, uint32_t id) {
    memset(x, 0, m->d * sizeof *x);
    if (id == NX_NONE) return;
    nx_matrix_row(s->word, &m->table, id);
    nx_add_scaled(x, s->word, m->root, m->d);
}

/* Reads the next n words in one direction of the encoder, in which `done` words have been read. The backward direction counts words from
 * the end of the source. */
static void read_words(const model *m, const cell *c, int backward, const uint32_t *ids, uint32_t S, uint32_t done, uint32_t n,
                       const scratch *s, const encoder_output *out) {
    uint32_t e = m->e, h_stride = nx_stride(2 * e);
    for (uint32_t j = 0; j < n; j++) embed(m, s, s->x + (size_t)j * nx_stride(m->d), ids[backward ? S - 1 - done - j : done + j]);
    nx_input words = nx_input_of(s->x, n, s->matmul);
    nx_apply(s->of_x, &c->input, &words);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t at = backward ? S - 1 - done - j : done + j;
        float *h = out->h + (size_t)at * h_stride + (backward ? e : 0);
        memset(s->s, 0, e * sizeof *s->s);
        if (done + j) memcpy(s->s, backward ? h + h_stride : h - h_stride, e * sizeof *s->s);
        nx_input before = nx_input_of(s->s, 1, s->matmul);
        nx_apply(s->of_s, &c->state, &before);
        nx_gru(s->s, s->of_x + (size_t)j * nx_stride(3 * e), s->of_s, e, 1);
        memcpy(h, s->s, e * sizeof *h);
    }
}

static void make_keys(const model *m, uint32_t at, uint32_t n, const scratch *s, const encoder_output *out) {
    const float *h = out->h + (size_t)at * nx_stride(2 * m->e);
    float *keys = out->keys + (size_t)at * nx_stride(m->width);
    nx_input input = nx_input_of(h, n, s->matmul);
    if (m->score != COSINE) nx_matmul(keys, &m->key, NULL, &input);
    for (uint32_t j = 0; m->score == COSINE && j < n; j++, h += nx_stride(m->width), keys += nx_stride(m->width)) {
        memset(keys, 0, m->width * sizeof *keys);
        nx_add_scaled(keys, h, nx_inverse_norm(h, m->width), m->width);
    }
}

/* Computes the initial state of the decoder from [fwd_S-1; bwd_0], the final states of both directions. */
static void make_start(const model *m, uint32_t S, const scratch *s, const encoder_output *out) {
    uint32_t e = m->e;
    memcpy(s->s, out->h + (size_t)(S - 1) * nx_stride(2 * e), e * sizeof *s->s);
    memcpy(s->s + e, out->h + e, e * sizeof *s->s);
    nx_input last = nx_input_of(s->s, 1, s->matmul);
    nx_apply(out->start, &m->start, &last);
    nx_tanh(out->start, 2 * e, 1);
}

/* The slices compute, in this order: the states of the forward direction, the states of the backward direction, the keys (if there are
 * any), and the initial state of the decoder. Each of the first three steps computes up to 16 words per slice. */
static int encode(const void *opaque, const nx_inputs *inputs, uint32_t slice, void *output, void *scratch_memory) {
    const model *m = opaque;
    uint32_t S = inputs->shape.counts[0], passes = (S + NX_COLUMNS - 1) / NX_COLUMNS, steps = has_keys(m) ? 3 : 2;
    scratch s = scratch_at(m, &inputs->shape, scratch_memory, NX_COLUMNS);
    encoder_output out = source_at(m, &inputs->shape, output);
    uint32_t step = slice / passes, at = slice % passes * NX_COLUMNS, n = S - at < NX_COLUMNS ? S - at : NX_COLUMNS;
    if (step < 2)
        read_words(m, step ? &m->backward : &m->forward, (int)step, inputs->port[0], S, at, n, &s, &out);
    else if (step < steps)
        make_keys(m, at, n, &s, &out);
    else
        make_start(m, S, &s, &out);
    return slice < steps * passes;
}

/* ---- the decoder ----------------------------------------------------------------------------------------------------- */

/* Returns floor(x) as an index into a list of `count` items. The result is at most the last index; for NaN, it is the last index. */
static uint32_t floor_within(float x, uint32_t count) { return x < (float)count ? (uint32_t)x : count - 1; }

/* Writes the map "centre": a point between two words, encoded as two weights that add up to 1. map: shape (S), written. */
static void show_centre(float *map, float centre, uint32_t S) {
    uint32_t low = floor_within(centre, S);
    float beyond = low + 1 < S ? centre - (float)low : 0;
    memset(map, 0, S * sizeof *map);
    map[low] = 1 - beyond;
    if (low + 1 < S) map[low + 1] = beyond;
}

/* Converts the scores of the S words to weights. The weight of a word is the expectation of its bit. Only the first `scored` words have a
 * score; the other words get weight 0. alone: null, or (for segmentation) receives the expectations that the bits would have without their
 * neighbours, shape (S). */
static void weigh_bits(const model *m, const scratch *s, uint32_t scored, uint32_t S, float *alone) {
    for (uint32_t i = 0; i < S; i++) s->theta[i] = i < scored ? s->weights[i] + m->bias[0] : -__builtin_inff();
    if (m->structure == SIGMOID)
        nx_bits(s->weights, s->theta, S);
    else
        nx_segments(s->weights, s->theta, m->transition, S, s->ahead);
    if (!alone || m->structure == SIGMOID) return;
    nx_bits(s->ahead, s->theta, S);
    memcpy(alone, s->ahead, S * sizeof *alone);
}

/* Computes the contexts c of n states (J, 2e), and stores each c in the first half of a row of s->joined (J, 4e). */
static void attend(const model *m, const nx_column *columns, const float *states, uint32_t n, const scratch *s) {
    uint32_t h = 2 * m->e, S = columns[0].inputs->shape.counts[0];
    encoder_output source = source_at(m, &columns[0].inputs->shape, columns[0].encoder_output);
    float centre[NX_COLUMNS] = {0};
    nx_input input = nx_input_of(states, n, s->matmul);
    if (m->range == LOCAL_P) {
        nx_matmul(s->query, &m->position, NULL, &input);
        nx_tanh(s->query, m->A, n);
        for (uint32_t j = 0; j < n; j++) {
            v128_t x = wasm_f32x4_splat(nx_dot(s->query + (size_t)j * nx_stride(m->A), m->centre, m->A));
            centre[j] = (float)S * wasm_f32x4_extract_lane(f32x4_sigmoid(x), 0);
        }
    }
    if (m->score == ADDITIVE || m->score == LOCATION) nx_matmul(s->query, &m->query, NULL, &input);
    for (uint32_t j = 0; j < n; j++) {
        const float *state = states + (size_t)j * nx_stride(h), *query = s->query + (size_t)j * nx_stride(m->query.rows);
        uint32_t p = columns[j].position, scored = m->score == LOCATION && m->positions < S ? m->positions : S;
        nx_window window = {0, S};
        if (m->range == LOCAL_M) centre[j] = (float)(p < S ? p : S - 1);
        if (m->range != GLOBAL) window = nx_window_around(floor_within(centre[j], S), m->D, S);
        if (window.to > scored) window.to = nx_larger(scored, window.from);
        memset(s->weights, 0, S * sizeof *s->weights);
        if (m->score == ADDITIVE)
            nx_score_additive(s->weights, query, source.keys, m->v, m->A, window);
        else if (m->score == LOCATION)
            memcpy(s->weights + window.from, query + window.from, (window.to - window.from) * sizeof *query);
        else
            nx_score_dot(s->weights, state, source.keys, m->score == COSINE ? m->v[0] * nx_inverse_norm(state, h) : m->beta, h, window);
        if (m->structure != SIMPLE)
            weigh_bits(m, s, window.to, S, columns[j].maps ? columns[j].maps + S : NULL);
        else
            nx_score_softmax(s->weights, window);
        if (m->range == LOCAL_P) nx_score_bell(s->weights, centre[j], 0.5f * (float)m->D, window);
        nx_score_sum(s->joined + (size_t)j * nx_stride(2 * h), s->weights, source.h, h, window);
        if (!columns[j].maps) continue;
        memset(columns[j].maps, 0, S * sizeof *columns[j].maps);
        memcpy(columns[j].maps + window.from, s->weights + window.from, (window.to - window.from) * sizeof *s->weights);
        if (m->range != GLOBAL) show_centre(columns[j].maps + S, centre[j], S);
    }
}

/* Computes one position p in each of n sequences from the previous states. Stores the states s_p, and writes the vectors t_p to t, shape
 * (J, d). */
static void step(const model *m, const nx_column *columns, uint32_t n, const scratch *s, float *t) {
    uint32_t h = 2 * m->e, d = m->d, inputs = nx_stride(m->decoder.input.weight.cols);
    const float *start = source_at(m, &columns[0].inputs->shape, columns[0].encoder_output).start;
    for (uint32_t j = 0; j < n; j++) {
        uint32_t at = columns[j].position;
        float *x = s->x + (size_t)j * inputs;
        const float *before = at ? slot_at(m, columns[j].state, at - 1) : start;
        embed(m, s, x, at ? columns[j].ids[at - 1] : NX_NONE);
        memcpy(s->s + (size_t)j * nx_stride(h), before, h * sizeof *x);
        if (m->feeds && at) memcpy(x + d, before + nx_stride(h), d * sizeof *x);
        if (m->feeds && !at) memset(x + d, 0, d * sizeof *x);
        nx_keep_hidden(columns + j, 1, 0, x, d);
    }
    if (m->order == BEFORE) {
        attend(m, columns, s->s, n, s);
        for (uint32_t j = 0; j < n; j++) memcpy(s->x + (size_t)j * inputs + d, s->joined + (size_t)j * nx_stride(2 * h), h * sizeof *s->x);
    }
    nx_input input = nx_input_of(s->x, n, s->matmul);
    nx_apply(s->of_x, &m->decoder.input, &input);
    input = nx_input_of(s->s, n, s->matmul);
    nx_apply(s->of_s, &m->decoder.state, &input);
    nx_gru(s->s, s->of_x, s->of_s, h, n);
    if (m->order == AFTER && m->score != NONE) attend(m, columns, s->s, n, s);
    for (uint32_t j = 0; j < n; j++) {
        const float *state = s->s + (size_t)j * nx_stride(h);
        memcpy(slot_at(m, columns[j].state, columns[j].position), state, h * sizeof *state);
        memcpy(s->joined + (size_t)j * nx_stride(2 * h) + h, state, h * sizeof *state);
    }
    input = nx_input_of(m->score == NONE ? s->s : s->joined, n, s->matmul);
    nx_apply(t, &m->output, &input);
    nx_tanh(t, d, n);
    nx_keep_hidden(columns, n, 1, t, d);
    for (uint32_t j = 0; m->feeds && j < n; j++)
        memcpy(slot_at(m, columns[j].state, columns[j].position) + nx_stride(h), t + (size_t)j * nx_stride(d), d * sizeof *t);
}

/* Computes columns of different sequences together, and columns of the same sequence one by one. */
static int forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *memory) {
    const model *m = opaque;
    scratch s = scratch_at(m, &columns[0].inputs->shape, memory, n);
    (void)slice; /* a pass is short, so it has one slice */
    for (uint32_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && columns[to].state != columns[to - 1].state;) to++;
        step(m, columns + from, to - from, &s, s.t + (size_t)from * nx_stride(m->d));
    }
    if (!parameters) return 0;
    nx_input input = nx_input_of(s.t, n, s.matmul);
    nx_matmul(parameters, &m->table, NULL, &input);
    return 0;
}

/* Lists the keys of a map: all positions of the source. Positions outside the window have weight zero. */
static uint32_t keys(const void *opaque, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *list) {
    (void)opaque, (void)map, (void)row, (void)position;
    for (uint32_t i = 0; i < shape->counts[0]; i++) list[i] = i;
    return shape->counts[0];
}

static const nx_part part = {
    .encoder_output_bytes = encoder_output_bytes,
    .state_bytes = state_bytes,
    .grow = grow,
    .scratch_bytes = scratch_bytes,
    .encode = encode,
    .forward = forward,
    .keys = keys,
};

const nx_arch nx_seq2seq = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure, .streams = 1};

/* SPDX-License-Identifier: MIT
 *
 * Show, attend and tell: describes a picture in a sentence, and attends to one part of the picture for each word [Xu, Ba, Kiros, Cho,
 * Courville, Salakhutdinov, Zemel, Bengio 2015, arXiv:1502.03044]. h and c are the state after the previous step:
 *
 *   picture     a_i = conv(picture)_i + position_i,  relu after each convolution, zeros outside the picture;
 *               the values of the picture are (255 - byte) / 255
 *   start       h = tanh(W_h mean a + b_h),  c = tanh(W_c mean a + b_c)
 *   attention   alpha = softmax over i of v . tanh(W_k a_i + W_q h)
 *   context     soft: z = sum of alpha_i a_i;   hard: z = a_s, with location s drawn from alpha; at temperature 0, s is the most probable
 *               location; if attention is forced to a location s, z = a_s for soft and hard
 *   selector    z is multiplied by sigma(w . h + b): how much the word depends on the picture
 *   cell        i, f, o, g = W [y; z; h] + b;  c = sigma(f) c + sigma(i) tanh(g),  h = sigma(o) tanh(c)
 *   word        logits = W_o tanh(W_t [h; z; y] + b_t) + b_o,  with the new h; y is the vector of the previous word, zeros at position 0
 *
 * W_k a_i is computed once per picture.
 *
 * Letters:
 *   L, D         number of cells of the last convolution, number of channels of a cell
 *   E, H, A, T   width of a word, of the state, of the attention, of the layer before the words
 *   V            number of ids
 *   J            number of columns of a pass
 */
#include <math.h>
#include <string.h>

#include "arch.h"
#include "attention/scores.h"
#include "kernels/cells.h"
#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "layers/convolutions.h"
#include "layers/pictures.h"
#include "reader.h"
#include "sampling/categorical.h"

#define ARCH "show-attend-tell"
#define MAX_CONTEXT 4096u
#define MAX_LENGTH 2048u /* limit of the length of any vector */
#define MAX_CELLS 4096u
#define COLOURS 3u
#define IMAGE 0 /* ports */
#define LIGHT 1
#define SLOTS (NX_COLUMNS + 1) /* slots of the ring of states: the previous state, and each position that a run may go back */

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t height, width;
    nx_convolutions encoder;
    uint32_t L, D, E, H, A, T, values;
    int selects, hard;
    const float *position;        /* shape (L, D) */
    nx_linear start_h, start_c;   /* shape (H, D) */
    nx_matrix key, query;         /* W_k (A, D), W_q (A, H) */
    const float *v;               /* shape (A) */
    nx_linear selector;           /* shape (1, H) */
    nx_embedding words;           /* shape (V, E) */
    nx_linear cell, head, output; /* shapes (4H, E + D + H), (T, H + D + E), (V, T) */
} model;

static void read_encoder(nx_reader *r, model *m) {
    nx_read_convolutions(r, &m->encoder, ARCH, "enc.blk.", m->height, m->width, COLOURS);
    m->L = m->encoder.rows * m->encoder.cols, m->D = m->encoder.channels;
    if (!r->status && m->L > MAX_CELLS) nx_reader_fail(r, NX_E_LIMIT, KEY("strides"), "the output of the last convolution is too large");
}

static void configure(nx_reader *r, nx_plan *plan) {
    static const char *const attentions[] = {"soft", "hard"};
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    uint32_t context = nx_read_u32(r, KEY("context_length"), 1, MAX_CONTEXT, NX_REQUIRED);
    m->height = nx_read_u32(r, KEY("image.height"), 1, NX_MAX_SIDE, NX_REQUIRED);
    m->width = nx_read_u32(r, KEY("image.width"), 1, NX_MAX_SIDE, NX_REQUIRED);
    nx_read_u32(r, KEY("image.channels"), COLOURS, COLOURS, COLOURS);
    m->E = nx_read_width(r, KEY("embedding_length"), MAX_LENGTH, NX_REQUIRED);
    m->H = nx_read_width(r, KEY("state_length"), MAX_LENGTH, NX_REQUIRED);
    m->T = nx_read_width(r, KEY("head_length"), MAX_LENGTH, NX_REQUIRED);
    m->A = nx_read_width(r, KEY("attention.length"), MAX_LENGTH, NX_REQUIRED);
    if (!nx_has_key(r, KEY("attention.type"))) nx_reader_fail(r, NX_E_FORMAT, KEY("attention.type"), "the key is missing");
    m->hard = nx_read_choice(r, KEY("attention.type"), attentions, 2) == 1;
    m->selects = (int)nx_read_u32(r, KEY("attention.selector"), 0, 1, 0);
    m->values = nx_read_vocabulary(r, "token_embd.weight");
    if (!r->status && nx_has_key(r, KEY("words")) && nx_read_strings(r, KEY("words"), NX_MAX_VALUES) != m->values)
        nx_reader_fail(r, NX_E_FORMAT, KEY("words"), "not a word for each row of token_embd.weight");
    if (!r->status) read_encoder(r, m); /* matrices packed by row are the fastest, and accurate enough for an encoder of pictures */
    if (r->status) return;
    r->packing = NX_BY_BLOCK;
    m->position = nx_read_table(r, "position.weight", m->L, m->D);
    m->start_h = nx_read_named_linear(r, "init_h", m->H, m->D);
    m->start_c = nx_read_named_linear(r, "init_c", m->H, m->D);
    m->key = nx_read_matrix(r, "attn_k.weight", m->A, m->D);
    m->query = nx_read_matrix(r, "attn_q.weight", m->A, m->H);
    m->v = nx_read_vector(r, "attn_v.weight", m->A, 0);
    if (m->selects) m->selector = nx_read_named_linear(r, "selector", 1, m->H);
    m->words = nx_read_embedding(r, "token_embd.weight", m->values, m->E);
    m->cell = nx_read_named_linear(r, "cell", 4 * m->H, m->E + m->D + m->H);
    m->head = nx_read_named_linear(r, "head", m->T, m->H + m->D + m->E);
    m->output = nx_read_named_linear(r, "output", m->values, m->T);

    plan->weights = placed;
    plan->encodes = 1;
    plan->output = (nx_output){.kind = NX_CATEGORICAL, .values = m->values, .elements = 1};
    plan->length = context;
    plan->rewinds = NX_COLUMNS;
    plan->n_inputs = 2;
    plan->inputs[IMAGE] = (nx_port){.name = "image", .values = 256, .dims = {m->height, m->width, COLOURS, 1}, .like = NX_NONE};
    /* Forces the location that each of the first positions attends to. The id L means that a position's location is not forced. Positions
     * after the last given location are not forced either. */
    plan->inputs[LIGHT] =
        (nx_port){.name = "light", .values = m->L + 1, .dims = {context, 1, 1, 1}, .optional = 1, .any_length = 1, .like = NX_NONE};
    nx_read_ends(r, plan);
    plan->noisy = (uint32_t)m->hard;
    plan->maps[plan->n_maps++] = (nx_map){.name = "image", .port = IMAGE, .rows = 1, .keys = m->L};
    if (m->hard) plan->maps[plan->n_maps++] = (nx_map){.name = "place", .port = IMAGE, .rows = 1, .keys = m->L};
}

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

/* The encoder's output for the decoder, and the values that the encoder keeps between two slices. */
typedef struct {
    float *a;          /* shape (L, D): annotations */
    float *keys;       /* shape (L, A): W_k a_i */
    float *h, *c;      /* shape (H): the initial state of the decoder */
    float *picture[2]; /* input and output of a convolution */
    uint64_t bytes;
} encoder_output;

static encoder_output seen_at(const model *m, const void *output) {
    nx_arena arena = {(void *)output, 0, UINT64_MAX};
    encoder_output s;
    s.a = nx_arena_columns(&arena, m->L, m->D);
    s.keys = nx_arena_columns(&arena, m->L, m->A);
    s.h = nx_arena_columns(&arena, 1, m->H);
    s.c = nx_arena_columns(&arena, 1, m->H);
    for (int i = 0; i < 2; i++) s.picture[i] = nx_arena_take(&arena, (uint64_t)m->encoder.picture * sizeof(float));
    s.bytes = arena.used;
    return s;
}

static uint64_t encoder_output_bytes(const void *opaque, const nx_shape *shape) {
    (void)shape;
    return seen_at(opaque, NULL).bytes;
}

/* Returns the slot of `position` in the ring. The slot holds h and c after this position. */
static float *slot_at(const model *m, void *state, uint32_t position) { return (float *)state + position % SLOTS * 2 * nx_stride(m->H); }

static uint64_t state_bytes(const void *opaque, const nx_shape *shape) {
    (void)shape;
    return (uint64_t)SLOTS * 2 * nx_stride(((const model *)opaque)->H) * sizeof(float);
}

/* The ring has the same length in every run, so the state is copied unchanged. */
static void grow(const void *m, const nx_shape *from_shape, const void *from, const nx_shape *to_shape, void *to) {
    (void)to_shape;
    memcpy(to, from, state_bytes(m, from_shape));
}

typedef struct {
    float *h, *c;   /* shape (J, H) */
    float *z;       /* shape (J, D) */
    float *y;       /* shape (J, E) */
    float *joined;  /* shape (J, E + D + H) */
    float *gates;   /* shape (J, 4H) */
    float *query;   /* shape (J, A) */
    float *t;       /* shape (J, T) */
    float *share;   /* shape (J, 1): output of the selector */
    float *weights; /* shape (L) */
    float *drawn;   /* shape (L) */
    void *product;
    uint64_t bytes;
} scratch;

static scratch scratch_at(const model *m, void *memory, uint32_t n) {
    nx_arena arena = {memory, 0, UINT64_MAX};
    uint64_t convolve = nx_convolutions_bytes(&m->encoder),
             step = nx_input_bytes(nx_larger(m->E + m->D + m->H, m->T), n < NX_COLUMNS ? NX_COLUMNS : n);
    uint32_t joined = nx_stride(m->E + m->D + m->H);
    scratch s;
    s.h = nx_arena_columns(&arena, n, m->H);
    s.c = nx_arena_columns(&arena, n, m->H);
    s.z = nx_arena_columns(&arena, n, m->D);
    s.y = nx_arena_columns(&arena, n, m->E);
    s.joined = nx_arena_take(&arena, (uint64_t)n * joined * sizeof(float));
    s.gates = nx_arena_columns(&arena, n, 4 * m->H);
    s.query = nx_arena_columns(&arena, n, m->A);
    s.t = nx_arena_columns(&arena, n, m->T);
    s.share = nx_arena_columns(&arena, n, 1);
    s.weights = nx_arena_columns(&arena, 1, m->L + 3);
    s.drawn = nx_arena_columns(&arena, 1, m->L);
    s.product = nx_arena_take(&arena, convolve > step ? convolve : step);
    s.bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t n) {
    (void)shape;
    return scratch_at(opaque, NULL, n).bytes;
}

/* ---- the encoder ----------------------------------------------------------------------------------------------------- */

/* The slices compute, in this order: the convolutions, one by one; the keys, NX_COLUMNS per slice; the initial state. */
static int encode(const void *opaque, const nx_inputs *inputs, uint32_t slice, void *output, void *memory) {
    const model *m = opaque;
    scratch s = scratch_at(m, memory, NX_COLUMNS);
    encoder_output out = seen_at(m, output);
    for (uint32_t i = 0; !slice && i < m->height * m->width * COLOURS; i++) out.picture[0][i] = (255 - (float)inputs->port[IMAGE][i]) / 255;
    uint32_t convolved = nx_convolution_slices(&m->encoder, m->encoder.n);
    if (slice < convolved) {
        nx_convolution_slice part = nx_convolution_slice_at(&m->encoder, slice);
        int last = part.index + 1 == m->encoder.n;
        float *written =
            (last ? out.a : out.picture[(part.index + 1) % 2]) + (size_t)part.first * nx_stride(m->encoder.at[part.index].map.weight.rows);
        nx_convolve_slice(written, &m->encoder, part, out.picture[part.index % 2], s.product);
        for (uint32_t at = part.first; last && at < part.past; at++, written += nx_stride(m->D))
            nx_add_scaled(written, m->position + (size_t)at * m->D, 1, m->D);
        return 1;
    }
    uint32_t keyed = (m->L + NX_COLUMNS - 1) / NX_COLUMNS, at = (slice - convolved) * NX_COLUMNS;
    if (slice - convolved > keyed) return 0;
    if (at < m->L) {
        nx_input input = nx_input_of(out.a + (size_t)at * nx_stride(m->D), m->L - at < NX_COLUMNS ? m->L - at : NX_COLUMNS, s.product);
        nx_matmul(out.keys + (size_t)at * nx_stride(m->A), &m->key, NULL, &input);
        return 1;
    }
    memset(s.z, 0, nx_stride(m->D) * sizeof *s.z);
    for (uint32_t i = 0; i < m->L; i++) nx_add_scaled(s.z, out.a + (size_t)i * nx_stride(m->D), 1 / (float)m->L, m->D);
    nx_apply_columns(out.h, &m->start_h, s.z, 1, s.product);
    nx_apply_columns(out.c, &m->start_c, s.z, 1, s.product);
    nx_tanh(out.h, m->H, 1);
    nx_tanh(out.c, m->H, 1);
    return 0;
}

/* ---- the decoder ----------------------------------------------------------------------------------------------------- */

/* Returns the only location that a column attends to, or L if the column attends to all locations. scores: shape (L). */
static uint32_t place_of(const model *m, const nx_column *column, const float *scores, float *drawn) {
    const uint32_t *light = column->inputs->port[LIGHT];
    if (light && column->position < column->inputs->shape.counts[LIGHT] && light[column->position] < m->L) return light[column->position];
    if (!m->hard) return m->L;
    memcpy(drawn, scores, m->L * sizeof *drawn);
    for (uint32_t i = m->L; i < nx_stride(m->L); i++) drawn[i] = -INFINITY;
    return nx_categorical_draw(drawn, m->L, column->temperature, column->noise);
}

/* Computes z (J, D) for the n states in s->h. */
static void attend(const model *m, const nx_column *columns, const encoder_output *seen, uint32_t n, const scratch *s) {
    nx_window all = {0, m->L};
    nx_input input = nx_input_of(s->h, n, s->product);
    nx_matmul(s->query, &m->query, NULL, &input);
    if (m->selects) nx_apply(s->share, &m->selector, &input);
    for (uint32_t j = 0; j < n; j++) {
        float *z = s->z + (size_t)j * nx_stride(m->D), *map = columns[j].maps;
        nx_score_additive(s->weights, s->query + (size_t)j * nx_stride(m->A), seen->keys, m->v, m->A, all);
        uint32_t place = place_of(m, columns + j, s->weights, s->drawn);
        if (place == m->L || map) nx_score_softmax(s->weights, all);
        if (map) memcpy(map, s->weights, m->L * sizeof *map);
        if (map && m->hard) memset(map + m->L, 0, m->L * sizeof *map), map[m->L + place] = 1;
        if (place < m->L)
            memcpy(z, seen->a + (size_t)place * nx_stride(m->D), m->D * sizeof *z);
        else
            nx_score_sum(z, s->weights, seen->a, m->D, all);
        if (!m->selects) continue;
        v128_t share = f32x4_sigmoid(wasm_f32x4_splat(s->share[(size_t)j * nx_stride(1)]));
        for (uint32_t e = 0; e < m->D; e += 4) wasm_v128_store(z + e, wasm_f32x4_mul(share, wasm_v128_load(z + e)));
    }
}

/* Computes one position of each of n sequences: the next states and t (J, T), from the previous states. */
static void step(const model *m, const nx_column *columns, uint32_t n, const scratch *s, float *t) {
    uint32_t E = m->E, D = m->D, H = m->H, joined = nx_stride(E + D + H);
    encoder_output seen = seen_at(m, columns[0].encoder_output);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t at = columns[j].position;
        const float *before = at ? slot_at(m, columns[j].state, at - 1) : NULL;
        float *y = s->y + (size_t)j * nx_stride(E);
        memcpy(s->h + (size_t)j * nx_stride(H), before ? before : seen.h, H * sizeof *y);
        memcpy(s->c + (size_t)j * nx_stride(H), before ? before + nx_stride(H) : seen.c, H * sizeof *y);
        memset(y, 0, E * sizeof *y);
        if (at && columns[j].ids[at - 1] != NX_NONE) nx_embed(y, &m->words, columns[j].ids[at - 1]);
    }
    attend(m, columns, &seen, n, s);
    for (uint32_t j = 0; j < n; j++) {
        float *x = s->joined + (size_t)j * joined;
        memcpy(x, s->y + (size_t)j * nx_stride(E), E * sizeof *x);
        memcpy(x + E, s->z + (size_t)j * nx_stride(D), D * sizeof *x);
        memcpy(x + E + D, s->h + (size_t)j * nx_stride(H), H * sizeof *x);
    }
    nx_apply_columns(s->gates, &m->cell, s->joined, n, s->product);
    nx_lstm(s->h, s->c, s->gates, H, n);
    for (uint32_t j = 0; j < n; j++) {
        float *slot = slot_at(m, columns[j].state, columns[j].position), *x = s->joined + (size_t)j * joined;
        memcpy(slot, s->h + (size_t)j * nx_stride(H), H * sizeof *slot);
        memcpy(slot + nx_stride(H), s->c + (size_t)j * nx_stride(H), H * sizeof *slot);
        memcpy(x, slot, H * sizeof *x);
        memcpy(x + H, s->z + (size_t)j * nx_stride(D), D * sizeof *x);
        memcpy(x + H + D, s->y + (size_t)j * nx_stride(E), E * sizeof *x);
    }
    nx_apply_columns(t, &m->head, s->joined, n, s->product);
    nx_tanh(t, m->T, n);
}

/* Computes columns of different sequences together, and columns of the same sequence one by one. */
static int forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *memory) {
    const model *m = opaque;
    scratch s = scratch_at(m, memory, n);
    (void)slice; /* a pass is short, so it has one slice */
    for (uint32_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && columns[to].state != columns[to - 1].state;) to++;
        step(m, columns + from, to - from, &s, s.t + (size_t)from * nx_stride(m->T));
    }
    if (parameters) nx_apply_columns(parameters, &m->output, s.t, n, s.product);
    return 0;
}

/* The keys are all cells of the picture. */
static uint32_t keys(const void *opaque, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *list) {
    const model *m = opaque;
    (void)shape, (void)map, (void)row, (void)position;
    for (uint32_t i = 0; i < m->L; i++) list[i] = i;
    return m->L;
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

const nx_arch nx_show_attend_tell = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure};

/* SPDX-License-Identifier: MIT
 *
 * SNAIL, a simple neural attentive learner [Mishra, Rohaninejad, Chen, Abbeel 2018, arXiv:1707.03141], which classifies characters after
 * seeing one example of each character. The input is a sequence of examples followed by a query. Each example is an embedded picture with
 * its one-hot label; the query's label consists of zeros. Layers append channels to x, where x_t is step t:
 *
 *   embed       relu(W * picture + b) four times, then a linear map of the whole output
 *               the convolutions have strides; the paper uses pooling instead
 *   dense R     tanh(W_f [x_{t-R}; x_t]) sigma(W_g [x_{t-R}; x_t]), where x of a step before the first is zeros
 *   attend      softmax over steps s <= t of q_t . k_s / sqrt(k), times v_s; the weights of each query sum to 1
 *
 *   attend, dense 2, 4, .. 2^L, attend, dense 2, 4, .. 2^L, attend; odds = log softmax(W_o x), over the labels of the examples
 *
 * Batch norms are folded into the convolutions. There may be several queries. Each query is treated as the only step after the examples: it
 * sees all examples and itself, but no other query.
 *
 * N: examples. Q: queries. T = N + Q: steps in memory. The map has the weights of the queries over the examples. The weight of a query on
 * itself is 1 minus the sum of these weights.
 */
#include <math.h>
#include <string.h>

#include "kernels/gates.h"
#include "layers/convolutions.h"
#include "layers/pictures.h"

#define ARCH "snail"
#define MAX_WAYS 128u
#define MAX_LENGTH 2048u /* limit of the length of any vector */
#define MAX_LAYERS 9u
#define MAX_BLOCKS 4
#define EXAMPLES 1024u
#define QUERIES 64u
#define GROUP 64u /* maximum number of steps per slice */

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

enum { SUPPORT, LABELS, QUERY };

/* A layer. A layer with no rows in `gate` is attention, with key length k and value length v. Otherwise the layer is dense, with reach
 * `reach` and v channels. */
typedef struct {
    nx_linear q, k, v, gate;
    uint32_t from, reach, keys, values; /* from: number of channels that the layer reads; it appends `values` channels */
} layer;

typedef struct {
    uint32_t height, width, ways, label_length, embedding_length, n_layers, channels; /* channels: final number of channels of x */
    /* keys: length of the longest key; reads: largest number of channels that a layer reads from one step (attention) or two steps
     * (dense) */
    uint32_t keys, reads;
    uint32_t attentions;
    nx_convolutions embedding; /* the last map is the linear map of the whole picture */
    layer layers[MAX_BLOCKS * (MAX_LAYERS + 1)];
    nx_linear output;
} model;

/* "embd.", 3, ".gate" make "embd.3.gate". n < 10 */
static nx_name numbered(const char *before, uint32_t n, const char *after) {
    char digit[2] = {(char)('0' + n)};
    return nx_joined(nx_joined(before, digit).text, after);
}

static void read_embedding(nx_reader *r, model *m) {
    nx_convolutions *c = &m->embedding;
    nx_read_convolutions(r, c, ARCH, "embd.", m->height, m->width, 1);
    if (!r->status && (uint64_t)c->rows * c->cols * c->channels > 32 * MAX_LENGTH)
        nx_reader_fail(r, NX_E_LIMIT, KEY("strides"), "the output of the last convolution is too large");
    if (!r->status) nx_read_last_convolution(r, c, "embd.out", m->embedding_length);
}

static void read_layers(nx_reader *r, model *m) {
    uint32_t keys[MAX_BLOCKS], values[MAX_BLOCKS], layers = nx_read_u32(r, KEY("layers"), 1, MAX_LAYERS, NX_REQUIRED);
    uint32_t D = nx_read_width(r, KEY("dense_length"), MAX_LENGTH, NX_REQUIRED);
    uint32_t n = nx_read_numbers(r, KEY("key_length"), 4, NX_MAX_KEY_LENGTH, keys, MAX_BLOCKS);
    if (!n || nx_read_numbers(r, KEY("value_length"), 4, NX_MAX_KEY_LENGTH, values, MAX_BLOCKS) != n)
        nx_reader_fail(r, NX_E_FORMAT, KEY("value_length"), "not one for each key length");
    m->channels = m->embedding_length + m->label_length;
    for (uint32_t b = 0; b < n && !r->status; b++) {
        layer *l = &m->layers[m->n_layers++];
        if (keys[b] % 4 || values[b] % 4) nx_reader_fail(r, NX_E_UNSUPPORTED, KEY("key_length"), "not a multiple of 4");
        if (values[b] > keys[b]) nx_reader_fail(r, NX_E_UNSUPPORTED, KEY("value_length"), "the values are wider than the keys");
        l->from = m->channels, l->keys = keys[b], l->values = values[b];
        l->q = nx_read_linear_with_bias(r, "", b, "attn.q", keys[b], l->from);
        l->k = nx_read_linear_with_bias(r, "", b, "attn.k", keys[b], l->from);
        l->v = nx_read_linear_with_bias(r, "", b, "attn.v", values[b], l->from);
        m->keys = nx_larger(m->keys, keys[b]);
        m->channels += values[b];
        for (uint32_t i = 0; i < layers && b + 1 < n; i++) {
            l = &m->layers[m->n_layers++];
            l->from = m->channels, l->reach = 2u << i, l->values = D;
            l->gate = nx_read_linear_with_bias(r, "", b, numbered("", i, ".gate").text, 2 * D, 2 * l->from);
            m->channels += D;
        }
    }
    m->attentions = n;
    m->reads = nx_larger(nx_larger(2 * m->channels, 2 * D), nx_larger(m->keys, m->ways));
    if (m->channels > 4 * MAX_LENGTH) nx_reader_fail(r, NX_E_LIMIT, KEY("layers"), "too many channels");
    m->output = nx_read_named_linear(r, "output", m->ways, m->channels);
}

static void configure(nx_reader *r, nx_plan *plan) {
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    m->height = nx_read_u32(r, KEY("image.height"), 1, NX_MAX_SIDE, NX_REQUIRED);
    m->width = nx_read_u32(r, KEY("image.width"), 1, NX_MAX_SIDE, NX_REQUIRED);
    m->ways = nx_read_u32(r, KEY("ways"), 1, MAX_WAYS, NX_REQUIRED);
    m->label_length = nx_read_u32(r, KEY("label_length"), 1, MAX_WAYS, NX_REQUIRED);
    m->embedding_length = nx_read_u32(r, KEY("embedding_length"), 1, MAX_LENGTH, NX_REQUIRED);
    if (m->label_length < m->ways) nx_reader_fail(r, NX_E_FORMAT, KEY("label_length"), "fewer than there are ways");
    if (m->embedding_length % 4 || m->label_length % 4) nx_reader_fail(r, NX_E_UNSUPPORTED, KEY("embedding_length"), "not a multiple of 4");
    if (!r->status) read_embedding(r, m);
    if (!r->status) read_layers(r, m);
    plan->weights = placed;
    plan->encodes = 1;
    plan->n_inputs = 3;
    plan->inputs[SUPPORT] =
        (nx_port){.name = "support", .values = 256, .dims = {EXAMPLES, m->height, m->width, 1}, .any_length = 1, .like = NX_NONE};
    plan->inputs[LABELS] = (nx_port){.name = "labels", .values = m->ways, .dims = {EXAMPLES, 1, 1, 1}, .any_length = 1, .like = SUPPORT};
    plan->inputs[QUERY] =
        (nx_port){.name = "query", .values = 256, .dims = {QUERIES, m->height, m->width, 1}, .any_length = 1, .like = NX_NONE};
    plan->n_results = 1;
    plan->results[0] = (nx_result){.name = "odds", .dims = {QUERIES, m->ways, 1, 1}, .rows = NX_ROWS_OF_INPUT, .rows_of = QUERY};
    plan->n_maps = 1;
    plan->maps[0] =
        (nx_map){.name = "attention", .port = SUPPORT, .rows = m->attentions, .keys = EXAMPLES, .queries = QUERIES, .asking = QUERY};
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t *done;
    float *picture[2]; /* input and output of a convolution */
    float *x;          /* shape (T, nx_stride(channels)): examples, then queries */
    void *cache;       /* cache of the current attention layer, with N + 1 slots; the last slot is for a query */
    float *odds;       /* shape (Q, ways) */
    uint64_t bytes;
} room;

static uint32_t examples_of(const nx_shape *shape) { return shape->counts[SUPPORT]; }
static uint32_t steps_of(const nx_shape *shape) { return shape->counts[SUPPORT] + shape->counts[QUERY]; }

static nx_cache cache_of(const nx_shape *shape, void *memory, uint32_t keys) {
    return (nx_cache){memory, NX_F32, nx_cache_slots(examples_of(shape) + 1), 1, keys, 1, 0};
}

static room lay_out(const model *m, const nx_shape *shape, void *output) {
    nx_arena arena = {output, 0, UINT64_MAX};
    room r = {.done = nx_arena_take(&arena, sizeof *r.done)};
    for (int i = 0; i < 2; i++) r.picture[i] = nx_arena_take(&arena, (uint64_t)m->embedding.picture * sizeof(float));
    r.x = nx_arena_columns(&arena, steps_of(shape), m->channels);
    r.cache = nx_arena_take(&arena, nx_cache_bytes(NX_F32, nx_cache_slots(examples_of(shape) + 1), 1, m->keys));
    r.odds = nx_arena_take(&arena, (uint64_t)shape->counts[QUERY] * m->ways * sizeof *r.odds);
    r.bytes = arena.used;
    return r;
}

static uint64_t encoder_output_bytes(const void *opaque, const nx_shape *shape) { return lay_out(opaque, shape, NULL).bytes; }

/* J = NX_COLUMNS. */
typedef struct {
    float *column;    /* shape (J, reads) */
    float *q, *k, *v; /* shape (J, 2 D or keys) */
    float *value;     /* shape (keys): a value padded with zeros */
    float *weights;   /* shape (N + 1) */
    void *patches, *input, *attend;
    uint64_t bytes;
} workspace;

static workspace scratch_of(const model *m, const nx_shape *shape, void *scratch) {
    nx_arena arena = {scratch, 0, UINT64_MAX};
    workspace w = {0};
    uint32_t N = examples_of(shape), wide = nx_stride(m->reads) * NX_COLUMNS;
    w.column = nx_arena_take(&arena, wide * sizeof(float));
    w.q = nx_arena_take(&arena, wide * sizeof(float));
    w.k = nx_arena_take(&arena, wide * sizeof(float));
    w.v = nx_arena_take(&arena, wide * sizeof(float));
    w.value = nx_arena_columns(&arena, 1, m->keys);
    w.weights = nx_arena_take(&arena, nx_cache_slots(N + 1) * sizeof(float));
    w.patches = nx_arena_take(&arena, nx_convolutions_bytes(&m->embedding));
    w.input = nx_arena_take(&arena, nx_input_bytes(m->reads, NX_COLUMNS));
    w.attend = nx_arena_take(&arena, nx_attend_scratch_bytes(nx_cache_slots(N + 1), 1));
    w.bytes = arena.used;
    return w;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t columns) {
    (void)columns;
    return scratch_of(opaque, shape, NULL).bytes;
}

/* ---- the passes ------------------------------------------------------------------------------------------------------ */

/* Computes slice `slice` of the embedding of a step. The last slice also appends the label if the step is an example. */
static void embed(const model *m, const nx_inputs *inputs, const room *r, uint32_t step, uint32_t slice, const workspace *w) {
    uint32_t N = examples_of(&inputs->shape), pixels = m->height * m->width;
    const uint32_t *ids = step < N ? inputs->port[SUPPORT] + (size_t)step * pixels : inputs->port[QUERY] + (size_t)(step - N) * pixels;
    float *x = r->x + (size_t)step * nx_stride(m->channels);
    for (uint32_t i = 0; !slice && i < pixels; i++) r->picture[0][i] = (float)ids[i] / 255.0f;
    nx_convolution_slice part = nx_convolution_slice_at(&m->embedding, slice);
    float *out = r->picture[(part.index + 1) % 2];
    nx_convolve_slice(out + (size_t)part.first * nx_stride(m->embedding.at[part.index].map.weight.rows), &m->embedding, part,
                      r->picture[part.index % 2], w->patches);
    if (part.index < m->embedding.n) return;
    memcpy(x, out, m->embedding_length * sizeof *x);
    memset(x + m->embedding_length, 0, m->label_length * sizeof *x);
    if (step < N) x[m->embedding_length + inputs->port[LABELS][step]] = 1;
}

/* Copies the first `width` channels of n steps to contiguous columns, which a matrix product needs. */
static nx_input gather(const model *m, const float *x, uint32_t first, uint32_t n, uint32_t width, const workspace *w) {
    for (uint32_t j = 0; j < n; j++)
        memcpy(w->column + (size_t)j * nx_stride(width), x + (size_t)(first + j) * nx_stride(m->channels), width * sizeof *x);
    return nx_input_of(w->column, n, w->input);
}

/* Computes n steps, beginning with step `first`. The n steps must all be examples, or all be queries. */
static void dense(const model *m, const layer *l, const room *r, uint32_t N, uint32_t first, uint32_t n, const workspace *w) {
    uint32_t stride = nx_stride(m->channels), both = nx_stride(2 * l->from);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t t = first + j < N ? first + j : N; /* every query is at position N */
        float *column = w->column + (size_t)j * both;
        if (t < l->reach)
            memset(column, 0, l->from * sizeof *column);
        else
            memcpy(column, r->x + (size_t)(t - l->reach) * stride, l->from * sizeof *column);
        memcpy(column + l->from, r->x + (size_t)(first + j) * stride, l->from * sizeof *column);
    }
    nx_input input = nx_input_of(w->column, n, w->input);
    nx_apply(w->q, &l->gate, &input);
    nx_gate(w->k, w->q, l->values, n);
    for (uint32_t j = 0; j < n; j++)
        memcpy(r->x + (size_t)(first + j) * stride + l->from, w->k + (size_t)j * nx_stride(l->values), l->values * sizeof(float));
}

/* Computes attention for n steps, beginning with `first`. map: null, or the destination of the queries' weights (Q, N). */
static void attend(const model *m, const layer *l, const room *r, const nx_shape *shape, uint32_t first, uint32_t n, float *map,
                   const workspace *w) {
    uint32_t N = examples_of(shape);
    nx_cache cache = cache_of(shape, r->cache, l->keys);
    nx_input input = gather(m, r->x, first, n, l->from, w);
    nx_apply(w->q, &l->q, &input);
    nx_apply(w->k, &l->k, &input);
    nx_apply(w->v, &l->v, &input);
    memset(w->value, 0, l->keys * sizeof(float));
    for (uint32_t j = 0; j < n; j++) {
        uint32_t t = first + j < N ? first + j : N;
        nx_range range = {0, t + 1};
        float *query = w->q + (size_t)j * nx_stride(l->keys), *key = w->k + (size_t)j * nx_stride(l->keys);
        memcpy(w->value, w->v + (size_t)j * nx_stride(l->values), l->values * sizeof(float));
        nx_cache_write(&cache, t, key, w->value);
        nx_attend(key, query, &cache, &range, 1, w->attend, w->weights, N + 1);
        memcpy(r->x + (size_t)(first + j) * nx_stride(m->channels) + l->from, key, l->values * sizeof(float));
        if (map && t == N) memcpy(map + (size_t)(first + j - N) * N, w->weights, N * sizeof *map);
    }
}

/* Computes log p of a query's labels; -infinity for labels without an example. Returns 0 if a logit is not finite. */
static int answer(const model *m, const nx_inputs *inputs, const room *r, uint32_t query, const workspace *w) {
    uint32_t N = examples_of(&inputs->shape), stride = nx_stride(m->ways);
    uint8_t there[MAX_WAYS] = {0};
    nx_input input = gather(m, r->x, N + query, 1, m->channels, w);
    float *logits = w->q, whole;
    nx_apply(logits, &m->output, &input);
    for (uint32_t i = 0; i < N; i++) there[inputs->port[LABELS][i]] = 1;
    for (uint32_t i = 0; i < stride; i++) {
        if (i >= m->ways || !there[i])
            logits[i] = -INFINITY;
        else if (logits[i] - logits[i] != 0)
            return 0;
    }
    whole = nx_log_sum_exp(logits, stride);
    for (uint32_t i = 0; i < m->ways; i++) r->odds[(size_t)query * m->ways + i] = logits[i] - whole;
    return 1;
}

/* Returns the attention map of layer `index`. */
static float *map_of(const model *m, const nx_inputs *inputs, uint32_t index) {
    uint32_t before = 0;
    for (uint32_t i = 0; i < index; i++) before += m->layers[i].keys > 0;
    return inputs->maps ? inputs->maps + (size_t)before * inputs->shape.counts[QUERY] * examples_of(&inputs->shape) : NULL;
}

/* Returns the number of steps that one slice of a layer computes. A layer has at most m->reads^2 weights. */
static uint32_t group_of(const model *m) {
    return NX_COLUMNS * nx_slice_steps((uint64_t)NX_COLUMNS * m->reads * m->reads, GROUP / NX_COLUMNS);
}

/* The slices compute, in this order: the convolutions of each picture; for each layer, one group of steps per slice; and the answers. */
static int encode(const void *opaque, const nx_inputs *inputs, uint32_t slice, void *output, void *scratch) {
    const model *m = opaque;
    const nx_shape *shape = &inputs->shape;
    room r = lay_out(m, shape, output);
    workspace w = scratch_of(m, shape, scratch);
    uint32_t N = examples_of(shape), T = steps_of(shape), group = group_of(m), groups = (T + group - 1) / group;
    uint32_t each = nx_convolution_slices(&m->embedding, m->embedding.n + 1);
    if (slice / each < T) {
        embed(m, inputs, &r, slice / each, slice % each, &w);
        return 1;
    }
    slice -= each * T;
    uint32_t index = slice / groups, at = slice % groups * group, past = T - at < group ? T : at + group;
    if (index > m->n_layers) return 0;
    if (index == m->n_layers) {
        for (uint32_t i = 0; i < T - N; i++)
            if (!answer(m, inputs, &r, i, &w)) return -1;
        *r.done = 1;
        return 0;
    }
    const layer *l = &m->layers[index];
    for (uint32_t n; at < past; at += n) {
        uint32_t end = at < N && N < past ? N : past; /* examples and queries never share a pass */
        n = end - at < NX_COLUMNS ? end - at : NX_COLUMNS;
        if (l->keys)
            attend(m, l, &r, shape, at, n, map_of(m, inputs, index), &w);
        else
            dense(m, l, &r, N, at, n, &w);
    }
    return 1;
}

static uint32_t keys(const void *opaque, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *list) {
    (void)opaque, (void)map, (void)row, (void)position;
    for (uint32_t i = 0; i < examples_of(shape); i++) list[i] = i;
    return examples_of(shape);
}

static const void *result(const void *opaque, const nx_shape *shape, const void *output, uint32_t index, uint32_t *count) {
    const model *m = opaque;
    room r = lay_out(m, shape, (void *)output);
    (void)index;
    *count = *r.done ? shape->counts[QUERY] * m->ways : 0;
    return r.odds;
}

static const nx_part part = {
    .encoder_output_bytes = encoder_output_bytes, .scratch_bytes = scratch_bytes, .encode = encode, .keys = keys, .result = result};

const nx_arch nx_snail = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure};

/* SPDX-License-Identifier: MIT
 *
 * Finds the heads of words with a projective tree: one word of a sentence depends on the root, and every other word depends on another
 * word, its head [Eisner 1996; Kim et al. 2017, arXiv:1702.00887, section 3.2]. The scores s of the arcs are computed from a few features
 * of each word:
 *
 *   x_0 = root, x_m = sum over the features f of word m of W[f],   + sine and cosine of the position, as in the Transformer
 *   for each block   x = x + W_down ReLU(W_up [LN(x)_m-1; LN(x)_m; LN(x)_m+1] + b_up) + b_down         zeros beyond the ends
 *                    x = x + attention(LN(x), LN(x))                                                     not in the last block
 *   y = LN(x),   s[h][m] = (W_h y_h + b_h) . (W_c y_m + b_c) / sqrt(d) + distance[m - h]                 distances are clamped to -R..R
 *
 * Arcs from the root have no distance term. The sums over all trees are then computed as attention/trees.h describes. Before that, the
 * scores of each word are centred: the log-sum-exp of a word's scores over all heads is subtracted from these scores and added to log Z.
 * The centred scores are log probabilities of a softmax, so sums over trees stay small even in long sentences.
 *
 * Heads may be pinned. If the heads of all words are pinned, the result is the negative log-probability of the pinned tree in nats. If only
 * some heads are pinned, the results are the best heads and the marginals of the other words. If no tree satisfies the pins, the results
 * are not finite.
 *
 * n: words; T = n + 1: words and root. d: width. F: features per word, given as ids below V; id 0 means no feature. Results:
 *   heads       the head of each word in the most probable tree given the pins; words count from 1, and 0 is the root
 *   marginals   p(head of m = h | x, pins), one row of 129 numbers for each word, with zeros after the first n + 1 numbers
 *   nats        three numbers: log Z, -log p(pins | x), and -log p(most probable tree | x)
 */
#include "attention/trees.h"

#include <math.h>
#include <string.h>

#include "arch.h"
#include "attention/scores.h"
#include "kernels/elementary.h"
#include "layers/decoder.h"
#include "layers/sublayers.h"
#include "reader.h"

#define ARCH "tree"
#define MAX_WIDTH 256
#define MAX_BLOCKS 64
#define LENGTH 128u
#define PLACES (LENGTH + 1) /* number of possible heads: the root and every word */
#define OPEN PLACES         /* the value of a word's pin that means "not pinned" */
#define EPSILON 1e-6f

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

enum { FEATURES, PINS };
enum { HEADS, MARGINALS, NATS };

typedef struct {
    nx_feed_forward feed_forward; /* shape of `up`: (inner, 3 d) */
    nx_attention_weights self;    /* weights of attention; the last block has no attention */
} block;

typedef struct {
    uint32_t d, inner, width, n_blocks, reach, length;
    nx_cache_form cache;
    nx_embedding feature;      /* shape (V, d) */
    const float *root;         /* shape (d) */
    const float *distance;     /* shape (2 R + 1): for the distances -R .. R */
    const double *frequencies; /* shape (d / 2) */
    const block *blocks;
    nx_norm last;
    nx_linear head, child; /* shape (d, d) */
    float scale;           /* 1 / sqrt(d) */
} model;

static block read_block(nx_reader *r, const model *m, uint32_t i) {
    static const char *const names[] = {"attn_q", "attn_k", "attn_v", "attn_output", "attn_norm"};
    nx_block_form form = {.d = m->d, .width = m->d, .inner = m->inner};
    block b;
    memset(&b, 0, sizeof b);
    b.feed_forward.norm = nx_read_norm(r, "", i, "ffn_norm", m->d);
    b.feed_forward.up = nx_read_linear_with_bias(r, "", i, "ffn_up", m->inner, 3 * m->d);
    b.feed_forward.down = nx_read_linear_with_bias(r, "", i, "ffn_down", m->d, m->inner);
    if (i + 1 < m->n_blocks) nx_read_attention(r, "", i, &b.self, names, &form);
    return b;
}

static void configure(nx_reader *r, nx_plan *plan) {
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    r->packing = NX_BY_BLOCK;
    uint32_t values = nx_read_u32(r, KEY("features"), 1, NX_MAX_VALUES, NX_REQUIRED);
    m->width = nx_read_u32(r, KEY("width"), 1, MAX_WIDTH, NX_REQUIRED);
    m->d = nx_read_u32(r, KEY("embedding_length"), 4, 4096, NX_REQUIRED);
    m->inner = nx_read_width(r, KEY("feed_forward_length"), 16384, NX_REQUIRED);
    m->n_blocks = nx_read_u32(r, KEY("block_count"), 1, MAX_BLOCKS, NX_REQUIRED);
    m->reach = nx_read_u32(r, KEY("reach"), 1, LENGTH, NX_REQUIRED);
    m->length = nx_read_u32(r, KEY("context_length"), 1, LENGTH, LENGTH);
    uint32_t heads = nx_read_u32(r, KEY("attention.head_count"), 1, 256, NX_REQUIRED);
    uint32_t k = nx_head_width(r, KEY("attention.head_count"), m->d, heads);
    if (r->status) return;
    m->cache = (nx_cache_form){NX_F32, heads, k, 1, 0};
    m->scale = 1 / wasm_f32x4_extract_lane(wasm_f32x4_sqrt(wasm_f32x4_splat((float)m->d)), 0);
    double *frequencies = nx_arena_take(r->arena, m->d / 2 * sizeof *frequencies);
    for (uint32_t i = 0; frequencies && i < m->d / 2; i++)
        frequencies[i] = nx_f64_exp(-9.21034037197618273608 * (2.0 * i / m->d)); /* ln 10000 */
    m->frequencies = frequencies;
    m->feature = nx_read_embedding(r, "feature.weight", values, m->d);
    m->root = nx_read_vector(r, "root.weight", m->d, 0);
    m->distance = nx_read_vector(r, "distance.weight", 2 * m->reach + 1, 0);
    block *blocks = nx_arena_take(r->arena, m->n_blocks * sizeof *blocks), unplaced;
    for (uint32_t i = 0; i < m->n_blocks && !r->status; i++) *(blocks ? blocks + i : &unplaced) = read_block(r, m, i);
    m->blocks = blocks;
    m->last = nx_read_named_norm(r, "output_norm", m->d);
    m->head = nx_read_named_linear(r, "head", m->d, m->d);
    m->child = nx_read_named_linear(r, "child", m->d, m->d);
    plan->weights = placed;
    plan->encodes = 1;
    plan->n_inputs = 2;
    plan->inputs[FEATURES] =
        (nx_port){.name = "features", .values = values, .dims = {m->length, m->width, 1, 1}, .any_length = 1, .like = NX_NONE};
    plan->inputs[PINS] =
        (nx_port){.name = "heads", .values = OPEN + 1, .dims = {m->length, 1, 1, 1}, .optional = 1, .any_length = 1, .like = FEATURES};
    plan->n_results = 3;
    plan->results[HEADS] =
        (nx_result){.name = "heads", .values = PLACES, .dims = {m->length, 1, 1, 1}, .rows = NX_ROWS_OF_INPUT, .rows_of = FEATURES};
    plan->results[MARGINALS] =
        (nx_result){.name = "marginals", .dims = {m->length, PLACES, 1, 1}, .rows = NX_ROWS_OF_INPUT, .rows_of = FEATURES};
    plan->results[NATS] = (nx_result){.name = "nats", .dims = {3, 1, 1, 1}};
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

typedef struct {
    double centred, centred_pinned; /* sums of the log sums that were subtracted from the scores: without the pins, and with the pins */
    double total[3];                /* log sums over trees of the centred scores, for FREE, PINNED and BEST */
    float nats[3];
    uint32_t done;
} head;

typedef struct {
    head *head;
    /* shape (T, nx_stride(d)); x: the residual stream, y: LN(x) for a feed-forward network, z: LN(x) for attention and scores */
    float *x, *y, *z;
    float *as_head, *as_child; /* shape (T, nx_stride(d)) */
    void *cache;               /* cache of one block */
    float *free, *scores;      /* shape (T, nx_tree_stride(n)): scores without and with the pins */
    float *arrived;            /* shape (T, nx_tree_stride(n)): outside values */
    float *charts;
    float *marginals; /* shape (n, PLACES) */
    uint32_t *heads;  /* shape (n) */
    uint64_t bytes;
} room;

static uint32_t words_of(const nx_shape *shape) { return shape->counts[FEATURES]; }

static room lay_out(const model *m, const nx_shape *shape, void *output) {
    nx_arena arena = {output, 0, UINT64_MAX};
    uint32_t n = words_of(shape);
    uint64_t columns = (uint64_t)(n + 1) * nx_stride(m->d) * sizeof(float), square = (uint64_t)(n + 1) * nx_tree_stride(n) * sizeof(float);
    room r = {.head = nx_arena_take(&arena, sizeof(head))};
    r.x = nx_arena_take(&arena, columns);
    r.y = nx_arena_take(&arena, columns);
    r.z = nx_arena_take(&arena, columns);
    r.as_head = nx_arena_take(&arena, columns);
    r.as_child = nx_arena_take(&arena, columns);
    r.cache = nx_arena_take(&arena, nx_cache_form_bytes(m->cache, n + 1));
    r.free = nx_arena_take(&arena, square);
    r.scores = nx_arena_take(&arena, square);
    r.arrived = nx_arena_take(&arena, square);
    r.charts = nx_arena_take(&arena, nx_tree_bytes(n));
    r.marginals = nx_arena_take(&arena, (uint64_t)n * PLACES * sizeof *r.marginals);
    r.heads = nx_arena_take(&arena, n * sizeof *r.heads);
    r.bytes = arena.used;
    return r;
}

static uint64_t encoder_output_bytes(const void *opaque, const nx_shape *shape) { return lay_out(opaque, shape, NULL).bytes; }

/* J = NX_COLUMNS. */
typedef struct {
    float *three;               /* shape (J, 3 d): the vectors of each word's left neighbour, of the word, and of its right neighbour */
    float *inner;               /* shape (J, inner) */
    float *query, *key, *value; /* shape (J, d) */
    void *attend, *matmul;
    uint64_t bytes;
} scratch;

static scratch scratch_at(const model *m, const nx_shape *shape, void *memory) {
    nx_arena arena = {memory, 0, UINT64_MAX};
    uint64_t columns = (uint64_t)NX_COLUMNS * nx_stride(m->d) * sizeof(float);
    uint32_t widest = 3 * m->d > m->inner ? 3 * m->d : m->inner;
    scratch s = {.three = nx_arena_columns(&arena, NX_COLUMNS, 3 * m->d)};
    s.inner = nx_arena_columns(&arena, NX_COLUMNS, m->inner);
    s.query = nx_arena_take(&arena, columns);
    s.key = nx_arena_take(&arena, columns);
    s.value = nx_arena_take(&arena, columns);
    s.attend = nx_arena_take(&arena, nx_attend_scratch_bytes(words_of(shape) + 1, 1));
    s.matmul = nx_arena_take(&arena, nx_input_bytes(widest, NX_COLUMNS));
    s.bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t columns) {
    (void)columns;
    return scratch_at(opaque, shape, NULL).bytes;
}

/* Computes out = LN(x) for n columns. */
static void normed(const model *m, const nx_norm *norm, const float *x, float *out, uint32_t n) {
    memcpy(out, x, (size_t)n * nx_stride(m->d) * sizeof *x);
    nx_norm_columns(norm, out, EPSILON, m->d, n);
}

/* Computes x and y for n places, beginning with place `at`. Place 0 is the root, and all other places are words. row: shape (d),
 * overwritten. */
static void embed(const model *m, const nx_inputs *inputs, const room *r, float *row, uint32_t at, uint32_t n) {
    uint32_t stride = nx_stride(m->d);
    for (uint32_t place = at; place < at + n; place++) {
        float *x = r->x + (size_t)place * stride;
        const uint32_t *ids = place ? inputs->port[FEATURES] + (size_t)(place - 1) * m->width : NULL;
        memset(x, 0, stride * sizeof *x);
        if (!place) memcpy(x, m->root, m->d * sizeof *x);
        for (uint32_t f = 0; ids && f < m->width; f++) {
            if (!ids[f]) continue;
            nx_embed(row, &m->feature, ids[f]);
            for (uint32_t c = 0; c < m->d; c++) x[c] += row[c];
        }
        for (uint32_t c = 0; c < m->d; c += 2) {
            double sine, cosine;
            nx_f64_sincos(place * m->frequencies[c / 2], &sine, &cosine);
            x[c] += (float)sine;
            x[c + 1] += (float)cosine;
        }
    }
    normed(m, &m->blocks[0].feed_forward.norm, r->x + (size_t)at * stride, r->y + (size_t)at * stride, n);
}

/* Computes x from y, and z from x. */
static void feed_forward(const model *m, const room *r, const scratch *s, uint32_t index, uint32_t at, uint32_t n, uint32_t T) {
    const nx_feed_forward *w = &m->blocks[index].feed_forward;
    uint32_t d = m->d, stride = nx_stride(d), wide = nx_stride(3 * d);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t tap = 0; tap < 3; tap++) {
            uint32_t place = at + j + tap; /* the position of the tap, plus one */
            float *to = s->three + (size_t)j * wide + (size_t)tap * d;
            if (place && place <= T)
                memcpy(to, r->y + (size_t)(place - 1) * stride, d * sizeof *to);
            else
                memset(to, 0, d * sizeof *to);
        }
    nx_input input = nx_input_of(s->three, n, s->matmul);
    nx_apply(s->inner, &w->up, &input);
    nx_relu(s->inner, m->inner, n);
    input = nx_input_of(s->inner, n, s->matmul);
    nx_apply(s->query, &w->down, &input);
    nx_add(r->x + (size_t)at * stride, s->query, d, n);
    const nx_norm *next = index + 1 < m->n_blocks ? &m->blocks[index].self.norm : &m->last;
    normed(m, next, r->x + (size_t)at * stride, r->z + (size_t)at * stride, n);
}

static nx_cache cache_at(const model *m, const room *r, uint32_t T) { return nx_cache_of_block(m->cache, r->cache, 0, T); }

/* Computes keys and values from z. */
static void keep(const model *m, const room *r, const scratch *s, uint32_t index, uint32_t at, uint32_t n, uint32_t T) {
    const nx_attention_weights *w = &m->blocks[index].self;
    uint32_t stride = nx_stride(m->d);
    nx_cache cache = cache_at(m, r, T);
    nx_input input = nx_input_of(r->z + (size_t)at * stride, n, s->matmul);
    nx_apply(s->key, &w->key, &input);
    nx_apply(s->value, &w->value, &input);
    for (uint32_t j = 0; j < n; j++) nx_cache_write(&cache, at + j, s->key + (size_t)j * stride, s->value + (size_t)j * stride);
}

/* Computes x from z, and the next y from x. */
static void attend(const model *m, const room *r, const scratch *s, uint32_t index, uint32_t at, uint32_t n, uint32_t T) {
    const nx_attention_weights *w = &m->blocks[index].self;
    uint32_t stride = nx_stride(m->d);
    nx_cache cache = cache_at(m, r, T);
    nx_range all = {0, T};
    nx_input input = nx_input_of(r->z + (size_t)at * stride, n, s->matmul);
    nx_apply(s->query, &w->query, &input);
    for (uint32_t j = 0; j < n; j++) {
        size_t column = (size_t)j * stride;
        nx_attend(s->value + column, s->query + column, &cache, &all, 1, s->attend, NULL, 0);
    }
    input = nx_input_of(s->value, n, s->matmul);
    nx_apply(s->key, &w->output, &input);
    nx_add(r->x + (size_t)at * stride, s->key, m->d, n);
    normed(m, &m->blocks[index + 1].feed_forward.norm, r->x + (size_t)at * stride, r->y + (size_t)at * stride, n);
}

static void project(const model *m, const room *r, const scratch *s, uint32_t at, uint32_t n) {
    size_t column = (size_t)at * nx_stride(m->d);
    nx_input input = nx_input_of(r->z + column, n, s->matmul);
    nx_apply(r->as_head + column, &m->head, &input);
    nx_apply(r->as_child + column, &m->child, &input);
}

/* ---- scores --------------------------------------------------------------------------------------------------------------- */

static float distance(const model *m, uint32_t h, uint32_t c) {
    uint32_t apart = c > h ? c - h : h - c, clipped = apart < m->reach ? apart : m->reach;
    return h ? m->distance[c > h ? m->reach + clipped : m->reach - clipped] : 0;
}

/* Centres the scores of a dependent, which are `stride` numbers apart: subtracts their log sum from each of them. Returns the log sum, or
 * -infinity if no head is possible. */
static float centre(float *scores, uint32_t stride, uint32_t T) {
    float row[(PLACES + 3) & ~3u];
    uint32_t padded = (T + 3) & ~3u;
    int possible = 0;
    for (uint32_t h = 0; h < padded; h++) {
        row[h] = h < T ? scores[(size_t)h * stride] : -INFINITY;
        possible |= row[h] > -INFINITY;
    }
    if (!possible) return -INFINITY;
    float sum = nx_log_sum_exp(row, padded);
    for (uint32_t h = 0; h < T; h++) scores[(size_t)h * stride] -= sum;
    return sum;
}

/* Computes the scores of a dependent, without and with its pin. */
static void score(const model *m, const room *r, const uint32_t *pins, uint32_t child, uint32_t T) {
    uint32_t stride = nx_tree_stride(T - 1), d = nx_stride(m->d);
    float row[PLACES];
    nx_score_dot(row, r->as_child + (size_t)child * d, r->as_head, m->scale, m->d, (nx_window){0, T});
    for (uint32_t h = 0; h < T; h++) {
        int pinned = pins && pins[child - 1] != OPEN && pins[child - 1] != h;
        size_t at = (size_t)h * stride + child;
        r->free[at] = h == child ? -INFINITY : row[h] + distance(m, h, child);
        r->scores[at] = pinned ? -INFINITY : r->free[at];
    }
    r->head->centred += (double)centre(r->free + child, stride, T);
    r->head->centred_pinned += (double)centre(r->scores + child, stride, T);
}

/* ---- trees ---------------------------------------------------------------------------------------------------------------- */

/* Computes slice `step` of a run. A run computes a sum or a maximum over all trees. A run has n - 1 slices for the inside pass, one for the
 * root, and n - 1 for the outside pass. For the scores without pins, only the inside pass and the root are needed. Returns 0 if there is no
 * tree. */
static int step_of(const room *r, uint32_t step, uint32_t n, const float *scores, int best, int outside, double *total) {
    nx_trees trees = {n, best, scores, r->charts};
    if (step == 0) nx_tree_begin(&trees);
    if (step + 1 < n) {
        nx_tree_inside(&trees, step + 1);
    } else if (step + 1 == n) {
        float sum = nx_tree_total(&trees);
        if (sum - sum != 0) return 0;
        *total += (double)sum;
        memset(r->arrived, 0, (size_t)(n + 1) * nx_tree_stride(n) * sizeof(float));
        if (outside) nx_tree_outside_root(&trees, sum, r->arrived);
    } else if (outside) {
        nx_tree_outside(&trees, 2 * n - 1 - step, r->arrived);
    }
    return 1;
}

/* Copies p(head | word) of each word, normalised over the heads. Without normalisation, rounding errors would accumulate and the sum would
 * not be 1. */
static void take_marginals(const room *r, uint32_t n) {
    uint32_t stride = nx_tree_stride(n);
    for (uint32_t c = 1; c <= n; c++) {
        float *row = r->marginals + (size_t)(c - 1) * PLACES, sum = 0;
        for (uint32_t h = 0; h <= n; h++) sum += r->arrived[(size_t)h * stride + c];
        for (uint32_t h = 0; h <= n; h++) row[h] = r->arrived[(size_t)h * stride + c] / sum;
    }
}

static void take_heads(const room *r, uint32_t n) {
    uint32_t stride = nx_tree_stride(n);
    for (uint32_t c = 1; c <= n; c++) {
        uint32_t h = 0;
        while (h < n && r->arrived[(size_t)h * stride + c] == 0) h++;
        r->heads[c - 1] = h;
    }
}

/* ---- encode --------------------------------------------------------------------------------------------------------------- */

enum { FREE, PINNED, BEST }; /* three runs over all trees */

/* Computes one pass of a stage. A stage covers all T columns or only the words. */
static void columns(const model *m, const nx_inputs *inputs, const room *r, void *memory, uint32_t stage, uint32_t pass) {
    scratch s = scratch_at(m, &inputs->shape, memory);
    uint32_t T = words_of(&inputs->shape) + 1, at = pass * NX_COLUMNS, n = T - at < NX_COLUMNS ? T - at : NX_COLUMNS;
    uint32_t last = 3 * m->n_blocks - 1, index = (stage - 1) / 3; /* stages 1 to 3 N - 2 belong to the blocks */
    if (stage == 0)
        embed(m, inputs, r, s.query, at, n);
    else if (stage == last)
        project(m, r, &s, at, n);
    else if (stage > last)
        for (uint32_t j = 0; j < n; j++) {
            if (at + j) score(m, r, inputs->port[PINS], at + j, T);
        }
    else if (stage % 3 == 1)
        feed_forward(m, r, &s, index, at, n, T);
    else if (stage % 3 == 2)
        keep(m, r, &s, index, at, n, T);
    else
        attend(m, r, &s, index, at, n, T);
}

/* Computes one slice of the three runs: FREE (only if there are pins), PINNED and BEST, in this order. Returns 1, 0 or -1 like
 * nx_part.encode. */
static int sum_trees(const nx_inputs *inputs, const room *r, uint32_t slice) {
    const uint32_t *pins = inputs->port[PINS];
    uint32_t n = words_of(&inputs->shape), whole = 2 * n - 1, first = pins ? n : 0;
    head *h = r->head;
    int run = slice < first ? FREE : slice - first < whole ? PINNED : BEST;
    uint32_t step = run == FREE ? slice : (slice - first) % whole;
    if (run == BEST && slice - first >= 2 * whole) return 0;
    if (!step_of(r, step, n, run == FREE ? r->free : r->scores, run == BEST, run != FREE, &h->total[run])) return -1;
    if (step + 1 < whole || run == FREE) return 1;
    if (run == PINNED) {
        take_marginals(r, n);
        return 1;
    }
    take_heads(r, n);
    double log_z = pins ? h->total[FREE] + h->centred : h->total[PINNED] + h->centred_pinned;
    h->nats[0] = (float)log_z;
    h->nats[1] = (float)(log_z - h->total[PINNED] - h->centred_pinned);
    h->nats[2] = (float)(log_z - h->total[BEST] - h->centred_pinned);
    h->done = 1;
    return 0;
}

static int encode(const void *opaque, const nx_inputs *inputs, uint32_t slice, void *output, void *memory) {
    const model *m = opaque;
    room r = lay_out(m, &inputs->shape, output);
    uint32_t passes = (words_of(&inputs->shape) + NX_COLUMNS) / NX_COLUMNS, before = (3 * m->n_blocks + 1) * passes;
    if (slice >= before) return sum_trees(inputs, &r, slice - before);
    columns(m, inputs, &r, memory, slice / passes, slice % passes);
    return 1;
}

static const void *result(const void *opaque, const nx_shape *shape, const void *output, uint32_t index, uint32_t *count) {
    room r = lay_out(opaque, shape, (void *)output);
    uint32_t n = r.head->done ? words_of(shape) : 0;
    *count = index == HEADS ? n : index == MARGINALS ? n * PLACES : n ? 3 : 0;
    return index == HEADS ? (const void *)r.heads : index == MARGINALS ? r.marginals : r.head->nats;
}

static const nx_part part = {
    .encoder_output_bytes = encoder_output_bytes, .scratch_bytes = scratch_bytes, .encode = encode, .result = result};

const nx_arch nx_tree = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure};

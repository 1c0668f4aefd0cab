/* SPDX-License-Identifier: MIT
 *
 * Tags words with a linear chain: a hidden Markov model [Rabiner 1989], a maximum-entropy Markov model [McCallum, Freitag, Pereira 2000] or
 * a conditional random field [Lafferty, McCallum, Pereira 2001]. The scores of a word's tags are computed from a few features of the word:
 *
 *   U_t[c] = sum over the features f of word t of W[f][c]
 *   crf   p(z | x) = exp(start[z_1] + sum U_t[z_t] + sum A[z_t-1][z_t] + end[z_T]) / Z(x)            one Z for the whole chain
 *   memm  p(z | x) = product over t of softmax over c of (U_t[c] + A[z_t-1][c])                      one Z for each previous tag
 *   hmm   p(z, x) = p(z_1) product of p(z_t | z_t-1) p(x_t | z_t); U, A, start and end are the logarithms of these probabilities
 *
 * The same code computes all three models, as a CRF (attention/forward_backward.h). For a given x, an HMM is equivalent to a CRF with the
 * same weights. An MEMM is also equivalent to a CRF. The Z of step t + 1 depends only on z_t and on word t + 1, so it can be moved into the
 * potentials of position t:
 *
 *   U_t[k] - log sum over c of e^(A[k][c] + U_t+1[c])
 *
 * The Z of the first step is the sum over c of e^(start[c] + U_1[c]), and its logarithm is subtracted from U_1. The Z of the whole chain is
 * then 1. The normalisation of every step causes the label bias: a tag with a single successor passes all its mass to that successor,
 * regardless of the word.
 *
 * Tags may be pinned. If all tags are pinned, the result is the negative log-probability of this tagging in nats. If only some tags are
 * pinned, the results are the best tags and the marginals of the other words.
 *
 * T: words. C: tags. F: features per word, given as ids below V; id 0 means no feature. Results:
 *   tags        the best tags given the pins (Viterbi)
 *   marginals   p(z_t = c | x, pins)
 *   nats        three numbers: log Z, -log p(pins | x), and -log p(best tags | x)
 */
#include <math.h>
#include <string.h>

#include "arch.h"
#include "attention/forward_backward.h"
#include "kernels/kernels.h"
#include "reader.h"

#define ARCH "chain"
#define MAX_WIDTH 256
#define LENGTH 131072u
#define BLOCK 256u /* words per slice */

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

enum { CRF, MEMM, HMM };
enum { FEATURES, PINS };
enum { TAGS, MARGINALS, NATS };

typedef struct {
    uint32_t type, states, stride, width;
    nx_embedding feature; /* shape (V, C) */
    nx_chain_weights chain;
} model;

/* Reads a vector and pads it to the stride. there: whether the vector is in the file; if not, it is zero. */
static const float *read_row(nx_reader *r, const char *name, uint32_t states, int there) {
    const float *numbers = there ? nx_read_table(r, name, 1, states) : NULL;
    float *row = nx_arena_take(r->arena, nx_chain_stride(states) * sizeof *row), zeros[NX_MAX_STATES] = {0};
    if (row && (numbers || !there)) nx_chain_pad_row(row, there ? numbers : zeros, states);
    return row;
}

static void configure(nx_reader *r, nx_plan *plan) {
    static const char *const types[] = {"crf", "memm", "hmm"};
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    m->type = nx_read_choice(r, KEY("type"), types, 3);
    m->states = nx_read_u32(r, KEY("states"), 1, NX_MAX_STATES, NX_REQUIRED);
    m->width = nx_read_u32(r, KEY("width"), 1, MAX_WIDTH, NX_REQUIRED);
    uint32_t values = nx_read_u32(r, KEY("features"), 1, NX_MAX_VALUES, NX_REQUIRED), C = m->states;
    uint32_t length = nx_read_u32(r, KEY("context_length"), 1, NX_MAX_LENGTH, LENGTH);
    if (!r->status && nx_has_key(r, KEY("tags")) && nx_read_strings(r, KEY("tags"), NX_MAX_STATES) != C)
        nx_reader_fail(r, NX_E_FORMAT, KEY("tags"), "not as many tags as states");
    m->stride = nx_chain_stride(C);
    m->feature = nx_read_embedding(r, "feature.weight", values, C);
    const float *transition = nx_read_table(r, "transition.weight", C, C);
    float *rows = nx_arena_take(r->arena, (uint64_t)C * m->stride * sizeof *rows);
    float *reversed = nx_arena_take(r->arena, (uint64_t)C * m->stride * sizeof *reversed);
    if (rows && reversed && transition) nx_chain_pad(rows, reversed, transition, C);
    m->chain = (nx_chain_weights){C, rows, reversed, read_row(r, "start.weight", C, 1), read_row(r, "end.weight", C, m->type != MEMM)};
    plan->weights = placed;
    plan->encodes = 1;
    plan->n_inputs = 2;
    plan->inputs[FEATURES] =
        (nx_port){.name = "features", .values = values, .dims = {length, m->width, 1, 1}, .any_length = 1, .like = NX_NONE};
    plan->inputs[PINS] =
        (nx_port){.name = "tags", .values = C + 1, .dims = {length, 1, 1, 1}, .optional = 1, .any_length = 1, .like = FEATURES};
    plan->n_results = 3;
    plan->results[TAGS] =
        (nx_result){.name = "tags", .values = C, .dims = {length, 1, 1, 1}, .rows = NX_ROWS_OF_INPUT, .rows_of = FEATURES};
    plan->results[MARGINALS] = (nx_result){.name = "marginals", .dims = {length, C, 1, 1}, .rows = NX_ROWS_OF_INPUT, .rows_of = FEATURES};
    plan->results[NATS] = (nx_result){.name = "nats", .dims = {3, 1, 1, 1}};
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

typedef struct {
    double log_z, pinned, best; /* partial sums of: log Z of all taggings; log Z of the taggings with the pinned tags; the best score */
    float nats[3];
    uint32_t done;
} head;

typedef struct {
    head *head;
    float *potential; /* shape (T, stride): U; for an MEMM, normalise() later subtracts the log-sums */
    float *alpha;     /* shape (T, stride): alpha, given the pins */
    float *log_z;     /* shape (T) */
    float *free;      /* shape (stride): alpha without pins, at the latest position */
    float *best;      /* shape (stride): Viterbi scores at the latest position */
    float *beta;      /* shape (stride): beta at the latest position */
    float *marginals; /* shape (T, C) */
    uint32_t *tags;   /* shape (T) */
    uint16_t *from;   /* shape (T, stride) */
    uint64_t bytes;
} room;

static room lay_out(const model *m, const nx_shape *shape, void *output) {
    nx_arena arena = {output, 0, UINT64_MAX};
    uint64_t T = shape->counts[FEATURES], row = m->stride * sizeof(float);
    room r = {.head = nx_arena_take(&arena, sizeof(head))};
    r.potential = nx_arena_take(&arena, T * row);
    r.alpha = nx_arena_take(&arena, T * row);
    r.log_z = nx_arena_take(&arena, T * sizeof *r.log_z);
    r.free = nx_arena_take(&arena, row);
    r.best = nx_arena_take(&arena, row);
    r.beta = nx_arena_take(&arena, row);
    r.marginals = nx_arena_take(&arena, T * m->states * sizeof *r.marginals);
    r.tags = nx_arena_take(&arena, T * sizeof *r.tags);
    r.from = nx_arena_take(&arena, T * m->stride * sizeof *r.from);
    r.bytes = arena.used;
    return r;
}

static uint64_t encoder_output_bytes(const void *opaque, const nx_shape *shape) { return lay_out(opaque, shape, NULL).bytes; }

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t columns) {
    (void)shape, (void)columns;
    return 2 * nx_stride(((const model *)opaque)->states) * sizeof(float);
}

/* ---- the three passes: emissions; forward and Viterbi; backward ---------------------------------------------------------------- */

/* Computes U_t, the sum of the table rows of the word's features. The rows are added in the order of the features. */
static void emit(const model *m, const uint32_t *ids, float *u, float *row) {
    for (uint32_t c = 0; c < m->stride; c++) u[c] = c < m->states ? 0 : -INFINITY;
    for (uint32_t f = 0; f < m->width; f++) {
        if (!ids[f]) continue;
        nx_embed(row, &m->feature, ids[f]);
        for (uint32_t c = 0; c < m->states; c++) u[c] += row[c];
    }
}

/* Subtracts the log-sums of an MEMM from its potentials at t. Call this function for the positions in ascending order, because position t
 * needs the original potentials of position t + 1. */
static void normalise(const model *m, const room *r, uint32_t t, uint32_t n, float *row) {
    float *u = r->potential + (size_t)t * m->stride;
    if (t == 0) {
        float first = nx_chain_log_sum(m->chain.start, u, m->states, row);
        for (uint32_t c = 0; c < m->states; c++) u[c] -= first;
    }
    if (t + 1 < n) {
        nx_chain_follow(&m->chain, u + m->stride, row);
        for (uint32_t c = 0; c < m->states; c++) u[c] -= row[c];
    }
}

/* Returns the potentials at t. If the tag at t is pinned, only that tag is possible. */
static const float *pin(const model *m, const float *u, const uint32_t *pins, uint32_t t, float *row) {
    if (!pins || pins[t] >= m->states) return u;
    for (uint32_t c = 0; c < m->stride; c++) row[c] = c == pins[t] ? u[c] : -INFINITY;
    return row;
}

static void enter(const model *m, const room *r, const uint32_t *pins, uint32_t t, uint32_t n, float *row) {
    const float *before = t ? r->alpha + (size_t)(t - 1) * m->stride : NULL, *u = r->potential + (size_t)t * m->stride;
    if (m->type == MEMM) normalise(m, r, t, n, row);
    if (pins) {
        float *next = row + nx_stride(m->states);
        r->head->log_z += (double)nx_chain_forward(&m->chain, t ? r->free : NULL, u, next);
        memcpy(r->free, next, m->stride * sizeof *next);
    }
    u = pin(m, u, pins, t, row);
    r->log_z[t] = nx_chain_forward(&m->chain, before, u, r->alpha + (size_t)t * m->stride);
    r->head->pinned += (double)r->log_z[t];
    float *next = row + nx_stride(m->states);
    r->head->best += (double)nx_chain_viterbi(&m->chain, t ? r->best : NULL, u, next, r->from + (size_t)t * m->stride);
    memcpy(r->best, next, m->stride * sizeof *next);
}

/* Completes log Z and the best score after the last word. Then computes the three results h->nats, and returns 0 if one of them is not
 * finite. */
static int end(const model *m, const room *r, const uint32_t *pins, uint32_t n, float *row) {
    head *h = r->head;
    const float *last = r->alpha + (size_t)(n - 1) * m->stride;
    uint32_t tag = nx_chain_largest(m->chain.end, r->best, m->states);
    h->pinned += (double)nx_chain_log_sum(m->chain.end, last, m->states, row);
    h->best += (double)(m->chain.end[tag] + r->best[tag]);
    if (pins)
        h->log_z += (double)nx_chain_log_sum(m->chain.end, r->free, m->states, row);
    else
        h->log_z = h->pinned;
    h->nats[0] = (float)h->log_z;
    h->nats[1] = (float)(h->log_z - h->pinned);
    h->nats[2] = (float)(h->log_z - h->best);
    return h->nats[0] - h->nats[0] == 0 && h->nats[1] - h->nats[1] == 0 && h->nats[2] - h->nats[2] == 0;
}

static void leave(const model *m, const room *r, const uint32_t *pins, uint32_t t, uint32_t n, float *row) {
    float *next = row + nx_stride(m->states), *alpha = r->alpha + (size_t)t * m->stride;
    if (t + 1 == n) {
        memcpy(r->beta, m->chain.end, m->stride * sizeof *next);
        r->tags[t] = nx_chain_largest(m->chain.end, r->best, m->states);
    } else {
        const float *u = pin(m, r->potential + (size_t)(t + 1) * m->stride, pins, t + 1, row);
        uint32_t tag = r->tags[t + 1] < m->states ? r->tags[t + 1] : 0, from = r->from[(size_t)(t + 1) * m->stride + tag];
        nx_chain_backward(&m->chain, r->beta, u, r->log_z[t + 1], next, row);
        memcpy(r->beta, next, m->stride * sizeof *next);
        r->tags[t] = from < m->states ? from : 0;
    }
    for (uint32_t c = 0; c < m->stride; c++) row[c] = alpha[c] + r->beta[c];
    nx_softmax(row, m->stride); /* corrects rounding errors, which accumulate along the chain: without them, the sum would be 1 */
    memcpy(r->marginals + (size_t)t * m->states, row, m->states * sizeof *row);
}

static int encode(const void *opaque, const nx_inputs *inputs, uint32_t slice, void *output, void *scratch) {
    const model *m = opaque;
    room r = lay_out(m, &inputs->shape, output);
    const uint32_t *pins = inputs->port[PINS];
    uint32_t n = inputs->shape.counts[FEATURES], blocks = (n + BLOCK - 1) / BLOCK, pass = slice / blocks, block = slice % blocks;
    if (pass > 2) return 0;
    if (pass == 2) block = blocks - 1 - block;
    uint32_t first = block * BLOCK, past = n - first < BLOCK ? n : first + BLOCK;
    if (pass == 0)
        for (uint32_t t = first; t < past; t++)
            emit(m, inputs->port[FEATURES] + (size_t)t * m->width, r.potential + (size_t)t * m->stride, scratch);
    else if (pass == 1)
        for (uint32_t t = first; t < past; t++) enter(m, &r, pins, t, n, scratch);
    else
        for (uint32_t t = past; t-- > first;) leave(m, &r, pins, t, n, scratch);
    if (pass == 1 && past == n && !end(m, &r, pins, n, scratch)) return -1;
    r.head->done = pass == 2 && first == 0;
    return !r.head->done;
}

static const void *result(const void *opaque, const nx_shape *shape, const void *output, uint32_t index, uint32_t *count) {
    const model *m = opaque;
    room r = lay_out(m, shape, (void *)output);
    uint32_t n = r.head->done ? shape->counts[FEATURES] : 0;
    *count = index == TAGS ? n : index == MARGINALS ? n * m->states : n ? 3 : 0;
    return index == TAGS ? (const void *)r.tags : index == MARGINALS ? r.marginals : r.head->nats;
}

static const nx_part part = {
    .encoder_output_bytes = encoder_output_bytes, .scratch_bytes = scratch_bytes, .encode = encode, .result = result};

const nx_arch nx_chain = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure};

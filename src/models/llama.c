/* SPDX-License-Identifier: MIT
 *
 * The Llama family of language models [Touvron et al. 2023, arXiv:2302.13971 and 2307.09288], a decoder of
 *
 *   x = x + W_o attention(norm(x)),   x = x + W_down ( silu(W_gate h) * W_up h ),  h = norm(x)
 *
 * with root-mean-square norms [Zhang, Sennrich 2019], rotary positions [Su et al. 2021, section 3.2] and queries that share
 * keys and values [Ainslie et al. 2023]. Any linear map may have a bias. Its kin say their name before their keys and differ in this:
 *
 *   qwen2    turns other pairs of numbers [Yang et al. 2024, arXiv:2407.10671]
 *   qwen3    does so too, and norms the queries and the keys of each head before it turns them [Yang et al. 2025, arXiv:2505.09388]
 *   gemma3   as qwen3; x begins as sqrt(d) times the embedding, what a sublayer adds is normed too, W_down gets gelu(W_gate h) * W_up h, and
 *            attention is local in five of six blocks: to the last `window` ids, with rotary frequencies of their own
 *            [Gemma Team 2025, arXiv:2503.19786, section 2]
 *
 * The first id is given, and position p > 0 reads id p - 1 (layers/decoder.h), whose rotary position is p - 1.
 *
 * Letters: T positions, d width of the model, H heads of width k for queries, G for keys and values (H/G queries share
 * one), F inner width of the feed-forward network, V ids, N blocks; J is the number of columns of a pass.
 */
#include <string.h>

#include "arch.h"
#include "attention/attention.h"
#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "layers/decoder.h"
#include "layers/layers.h"
#include "reader.h"

#define MAX_CONTEXT 0x100000 /* a run takes memory for its own length */

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

typedef struct {
    const float *attention_norm;        /* (d) */
    nx_linear query, key, value;        /* (H k, d), (G k, d), (G k, d) */
    const float *query_norm, *key_norm; /* (k) or null */
    nx_linear output;                   /* (d, H k) */
    const float *after_attention;       /* (d) norm of what attention adds, or null */
    const float *inner_norm;            /* (d) */
    nx_linear gate, up, down;           /* (F, d), (F, d), (d, F) */
    const float *after_inner;           /* (d) or null */
} block;

/* The differences between models of the family. */
typedef struct {
    const char *name;
    int halves;     /* a pair to turn is (i, i + rotated / 2); else (2 i, 2 i + 1) */
    int head_norms; /* of queries and keys */
    int gemma;      /* the rest of what gemma3 has */
} kind;

/* Every sixth block of gemma3 is global. */
#define PERIOD 6

typedef struct {
    nx_decoder decoder;
    uint32_t inner, rotated; /* rotated: of the k numbers of a head */
    kind kind;
    uint32_t window;            /* of local attention; 0: there is none */
    float epsilon, root;        /* root: of d */
    const double *frequency[2]; /* (rotated / 2) angle of a position; in local blocks */
    const float *stretch;       /* (rotated / 2) by which frequencies are divided, or null */
    const block *blocks;        /* (N) */
    const float *last_norm;     /* (d) */
} model;

/* ---- configure ------------------------------------------------------------------------------------------------------- */

static const float *read_norm(nx_reader *r, uint32_t index, const char *part, uint32_t d) {
    return nx_read_vector(r, nx_block_name("", index, part, ".weight").text, d, 0);
}

static const block *read_blocks(nx_reader *r, const model *m) {
    const nx_decoder *decoder = &m->decoder;
    block *blocks = nx_arena_take(r->arena, decoder->n_blocks * sizeof *blocks), unplaced;
    if (blocks) memset(blocks, 0, decoder->n_blocks * sizeof *blocks);
    uint32_t d = decoder->d, query = decoder->heads * decoder->key_length, key = decoder->n_kv_heads * decoder->key_length;
    for (uint32_t i = 0; i < decoder->n_blocks && !r->status; i++) {
        block *b = blocks ? blocks + i : &unplaced;
        b->attention_norm = read_norm(r, i, "attn_norm", d);
        b->query = nx_read_linear(r, "", i, "attn_q", query, d);
        b->key = nx_read_linear(r, "", i, "attn_k", key, d);
        b->value = nx_read_linear(r, "", i, "attn_v", key, d);
        if (m->kind.head_norms) {
            b->query_norm = read_norm(r, i, "attn_q_norm", decoder->key_length);
            b->key_norm = read_norm(r, i, "attn_k_norm", decoder->key_length);
        }
        if (m->kind.gemma) {
            b->after_attention = read_norm(r, i, "post_attention_norm", d);
            b->after_inner = read_norm(r, i, "post_ffw_norm", d);
        }
        b->output = nx_read_linear(r, "", i, "attn_output", d, query);
        b->inner_norm = read_norm(r, i, "ffn_norm", d);
        b->gate = nx_read_linear(r, "", i, "ffn_gate", m->inner, d);
        b->up = nx_read_linear(r, "", i, "ffn_up", m->inner, d);
        b->down = nx_read_linear(r, "", i, "ffn_down", d, m->inner);
    }
    return blocks;
}

/* A width, which has to be a multiple of 4. */
static uint32_t read_width(nx_reader *r, const char *key, uint32_t low, uint32_t most, uint32_t missing) {
    uint32_t width = nx_read_u32(r, key, low, most, missing);
    if (width % 4) nx_reader_fail(r, NX_E_UNSUPPORTED, key, "a width is not a multiple of 4");
    return width;
}

/* The rotary frequencies base^(-2i / rotated), divided by one number for all (linear scaling, so that more positions fit into
 * the angles of training [Chen et al. 2023, arXiv:2306.15595]) and, where the file has them, by one each. */
static const double *frequencies(nx_reader *r, const model *m, float base, double scale) {
    uint32_t half = m->rotated / 2;
    double *frequency = nx_arena_take(r->arena, half * sizeof *frequency), log_base = nx_f64_log((double)base);
    for (uint32_t i = 0; frequency && i < half; i++) frequency[i] = nx_f64_exp(-log_base * (2.0 * i / m->rotated)) / scale;
    return frequency;
}

static void read_frequencies(nx_reader *r, const char *arch, model *m) {
    static const char *const scalings[] = {"linear", "none"};
    double scale = 1;
    float base = nx_read_f32(r, nx_key(arch, "rope.freq_base").text, 1, 1e9f, m->kind.gemma ? 1e6f : 1e4f);
    if (nx_read_choice(r, nx_key(arch, "rope.scaling.type").text, scalings, 2) == 0) {
        nx_name key = nx_key(arch, nx_has_key(r, nx_key(arch, "rope.scaling.factor").text) ? "rope.scaling.factor" : "rope.scale_linear");
        scale = (double)nx_read_f32(r, key.text, 1, 1e6f, 1);
    }
    m->frequency[0] = frequencies(r, m, base, scale);
    if (m->window) m->frequency[1] = frequencies(r, m, nx_read_f32(r, nx_key(arch, "rope.freq_base_swa").text, 1, 1e9f, 1e4f), 1);
    m->stretch = nx_read_vector_within(r, "rope_freqs.weight", m->rotated / 2, 1, 1e6f, 1);
}

/* Refuses files whose metadata ask for something that would be computed wrongly here. */
static void refuse_others(nx_reader *r, const char *arch, const model *m) {
    nx_name experts = nx_key(arch, "expert_count"), value = nx_key(arch, "attention.value_length");
    uint32_t key_length = m->decoder.key_length;
    if (nx_read_u32(r, experts.text, 0, UINT32_MAX, 0)) nx_reader_fail(r, NX_E_UNSUPPORTED, experts.text, "a mixture of experts");
    if (nx_read_u32(r, value.text, 0, UINT32_MAX, key_length) != key_length)
        nx_reader_fail(r, NX_E_UNSUPPORTED, value.text, "values of another width than keys");
}

/* Reads the window of local attention, and refuses scores that are capped, which are not computed here. */
static void read_window(nx_reader *r, const char *arch, model *m) {
    nx_name window = nx_key(arch, "attention.sliding_window"), cap = nx_key(arch, "attn_logit_softcapping");
    m->window = nx_read_u32(r, window.text, 1, MAX_CONTEXT, NX_REQUIRED);
    if (nx_has_key(r, cap.text)) nx_reader_fail(r, NX_E_UNSUPPORTED, cap.text, "scores that are capped");
}

static void configure(nx_reader *r, nx_plan *plan, const kind *of) {
    const char *arch = of->name;
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    nx_decoder *decoder = &m->decoder;
    r->packing = NX_BY_BLOCK;
    nx_name heads = nx_key(arch, "attention.head_count"), kv_heads = nx_key(arch, "attention.head_count_kv");
    nx_name key_length = nx_key(arch, "attention.key_length"), rotated = nx_key(arch, "rope.dimension_count");
    uint32_t context = nx_read_u32(r, nx_key(arch, "context_length").text, 1, MAX_CONTEXT, NX_REQUIRED);
    decoder->n_blocks = nx_read_u32(r, nx_key(arch, "block_count").text, 1, 256, NX_REQUIRED);
    uint32_t d = decoder->d = read_width(r, nx_key(arch, "embedding_length").text, 4, 16384, NX_REQUIRED);
    m->inner = read_width(r, nx_key(arch, "feed_forward_length").text, 4, 65536, NX_REQUIRED);
    uint32_t n_heads = decoder->heads = nx_read_u32(r, heads.text, 1, 256, NX_REQUIRED);
    decoder->n_kv_heads = nx_read_u32(r, kv_heads.text, 1, n_heads, n_heads);
    if (n_heads % decoder->n_kv_heads) nx_reader_fail(r, NX_E_FORMAT, kv_heads.text, "it does not divide the number of heads");
    if (!nx_has_key(r, key_length.text) && d % n_heads)
        nx_reader_fail(r, NX_E_FORMAT, heads.text, "it does not divide the width of the model");
    if (!nx_has_key(r, key_length.text) && d / n_heads % 4)
        nx_reader_fail(r, NX_E_UNSUPPORTED, heads.text, "the width of a head is not a multiple of 4");
    decoder->key_length = read_width(r, key_length.text, 4, NX_MAX_KEY_LENGTH, d / n_heads);
    m->rotated = nx_read_u32(r, rotated.text, 2, decoder->key_length, decoder->key_length);
    if (m->rotated % 2) nx_reader_fail(r, NX_E_FORMAT, rotated.text, "it is odd");
    m->kind = *of;
    if (of->head_norms && decoder->key_length % 16) nx_reader_fail(r, NX_E_UNSUPPORTED, key_length.text, "it is not a multiple of 16");
    if (of->gemma) read_window(r, arch, m);
    m->root = wasm_f32x4_extract_lane(wasm_f32x4_sqrt(wasm_f32x4_splat((float)d)), 0);
    m->epsilon = nx_read_f32(r, nx_key(arch, "attention.layer_norm_rms_epsilon").text, 0, 1, 1e-5f);
    refuse_others(r, arch, m);
    read_frequencies(r, arch, m);

    nx_decoder_read(r, decoder);
    m->blocks = read_blocks(r, m);
    m->last_norm = nx_read_vector(r, "output_norm.weight", d, 0);
    /* Biases of keys, which Qwen 2 has, are tens to hundreds in a few channels: one scale of 8 bits for a head would round away the rest. */
    if (m->blocks && !r->status) nx_decoder_cache(decoder, &m->blocks[0].key.weight, m->blocks[0].key.bias != NULL);

    plan->weights = placed;
    nx_decoder_plan(r, decoder, context, plan);
}

static void configure_llama(nx_reader *r, nx_plan *plan) { configure(r, plan, &(kind){.name = "llama"}); }
static void configure_qwen2(nx_reader *r, nx_plan *plan) { configure(r, plan, &(kind){.name = "qwen2", .halves = 1}); }
static void configure_qwen3(nx_reader *r, nx_plan *plan) { configure(r, plan, &(kind){.name = "qwen3", .halves = 1, .head_norms = 1}); }
static void configure_gemma3(nx_reader *r, nx_plan *plan) {
    configure(r, plan, &(kind){.name = "gemma3", .halves = 1, .head_norms = 1, .gemma = 1});
}

/* ---- the scratch memory of a pass ------------------------------------------------------------------------------------- */

typedef struct {
    float *x, *y, *normed;      /* (J, d) the residual stream, a sublayer's output, its input */
    float *query, *key, *value; /* (J, H k), (J, G k), (J, G k) */
    float *mixed;               /* (J, H k) */
    float *gate, *up;           /* (J, F) */
    float *turn;                /* (J, 2, k / 2) cosines and sines of the rotary angles; then those of local blocks */
    void *attend, *matmul;
} scratch;

static scratch scratch_at(const model *m, const nx_shape *shape, void *memory, uint32_t n, uint64_t *bytes) {
    const nx_decoder *decoder = &m->decoder;
    uint32_t query = decoder->heads * decoder->key_length, key = decoder->n_kv_heads * decoder->key_length, widest = decoder->d;
    if (query > widest) widest = query;
    if (m->inner > widest) widest = m->inner;
    nx_arena arena = {memory, 0, UINT64_MAX};
    uint64_t d_bytes = (uint64_t)n * nx_stride(decoder->d) * 4, query_bytes = (uint64_t)n * nx_stride(query) * 4;
    uint64_t key_bytes = (uint64_t)n * nx_stride(key) * 4, inner_bytes = (uint64_t)n * nx_stride(m->inner) * 4;
    scratch s;
    s.x = nx_arena_take(&arena, d_bytes);
    s.y = nx_arena_take(&arena, d_bytes);
    s.normed = nx_arena_take(&arena, d_bytes);
    s.query = nx_arena_take(&arena, query_bytes);
    s.key = nx_arena_take(&arena, key_bytes);
    s.value = nx_arena_take(&arena, key_bytes);
    s.mixed = nx_arena_take(&arena, query_bytes);
    s.gate = nx_arena_take(&arena, inner_bytes);
    s.up = nx_arena_take(&arena, inner_bytes);
    s.turn = nx_arena_take(&arena, (uint64_t)n * decoder->key_length * (m->window ? 8 : 4));
    s.attend = nx_arena_take(&arena, nx_attend_scratch_bytes(shape->length, 1));
    s.matmul = nx_arena_take(&arena, nx_input_bytes(widest, n));
    if (bytes) *bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t n) {
    uint64_t bytes;
    scratch_at(opaque, shape, NULL, n, &bytes);
    return bytes;
}

/* ---- a pass ---------------------------------------------------------------------------------------------------------- */

/* Cosines, then sines, of position * frequency. */
static void angles(const model *m, float *turn, uint32_t position, int local) {
    uint32_t half = m->rotated / 2;
    for (uint32_t i = 0; i < half; i++) {
        double sine, cosine, angle = position * m->frequency[local][i];
        nx_f64_sincos(m->stretch && !local ? angle / (double)m->stretch[i] : angle, &sine, &cosine);
        turn[i] = (float)cosine;
        turn[half + i] = (float)sine;
    }
}

/* Turns the pairs of each of n heads by their angles: (a, b) becomes (a cos - b sin, a sin + b cos). */
static void rotate(const model *m, float *heads, uint32_t n, const float *turn) {
    uint32_t half = m->rotated / 2, step = m->kind.halves ? 1 : 2, apart = m->kind.halves ? half : 1;
    for (uint32_t h = 0; h < n; h++, heads += m->decoder.key_length)
        for (uint32_t i = 0; i < half; i++) {
            float *at = heads + step * i, a = at[0], b = at[apart];
            at[0] = a * turn[i] - b * turn[half + i];
            at[apart] = a * turn[half + i] + b * turn[i];
        }
}

/* Tells whether a block sees only the last ids. */
static int is_local(const model *m, uint32_t index) { return m->window && (index + 1) % PERIOD; }

/* x += y, or += norm(y). */
static void join(const model *m, const scratch *s, const float *norm, uint32_t n) {
    if (norm) nx_rms_norm(s->y, s->y, norm, m->epsilon, m->decoder.d, n);
    nx_add(s->x, s->y, m->decoder.d, n);
}

static void attention(const model *m, const block *b, uint32_t index, const scratch *s, const nx_column *columns, uint32_t n) {
    const nx_decoder *decoder = &m->decoder;
    uint32_t query = nx_stride(decoder->heads * decoder->key_length), key = nx_stride(decoder->n_kv_heads * decoder->key_length);
    nx_rms_norm(s->normed, s->x, b->attention_norm, m->epsilon, decoder->d, n);
    nx_input input = nx_input_of(s->normed, n, s->matmul);
    nx_apply(s->query, &b->query, &input);
    nx_apply(s->key, &b->key, &input);
    nx_apply(s->value, &b->value, &input);
    for (uint32_t j = 0; j < n; j++) {
        int local = is_local(m, index);
        const float *turn = s->turn + ((size_t)local * n + j) * decoder->key_length;
        if (b->query_norm) { /* heads stand one after another, each as wide as its stride */
            float *queries = s->query + (size_t)j * query, *keys = s->key + (size_t)j * key;
            nx_rms_norm(queries, queries, b->query_norm, m->epsilon, decoder->key_length, decoder->heads);
            nx_rms_norm(keys, keys, b->key_norm, m->epsilon, decoder->key_length, decoder->n_kv_heads);
        }
        rotate(m, s->query + (size_t)j * query, decoder->heads, turn);
        rotate(m, s->key + (size_t)j * key, decoder->n_kv_heads, turn);
    }
    nx_decoder_attend(decoder, index, columns, n, 1, is_local(m, index) ? m->window : 0, &(nx_qkv){s->query, s->key, s->value, query, key},
                      s->mixed, s->attend);
    nx_input mixed = nx_input_of(s->mixed, n, s->matmul);
    nx_apply(s->y, &b->output, &mixed);
    join(m, s, b->after_attention, n);
}

static void feed_forward(const model *m, const block *b, const scratch *s, uint32_t n) {
    nx_rms_norm(s->normed, s->x, b->inner_norm, m->epsilon, m->decoder.d, n);
    nx_input input = nx_input_of(s->normed, n, s->matmul);
    nx_apply(s->gate, &b->gate, &input);
    nx_apply(s->up, &b->up, &input);
    if (m->kind.gemma) {
        nx_gelu(s->gate, m->inner, n);
        nx_multiply(s->gate, s->up, m->inner, n);
    } else
        nx_silu_times(s->gate, s->up, m->inner, n);
    nx_input inner = nx_input_of(s->gate, n, s->matmul);
    nx_apply(s->y, &b->down, &inner);
    join(m, s, b->after_inner, n);
}

static int forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *memory) {
    const model *m = opaque;
    const nx_decoder *decoder = &m->decoder;
    (void)slice; /* a pass is short */
    if (columns[0].position == 0) {
        nx_decoder_start(decoder, columns, n, parameters);
        return 0;
    }
    scratch s = scratch_at(m, &columns[0].inputs->shape, memory, n, NULL);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t before = columns[j].position - 1;
        float *x = s.x + (size_t)j * nx_stride(decoder->d);
        nx_decoder_embed(decoder, x, columns[j].ids[before]);
        for (uint32_t i = 0; m->kind.gemma && i < decoder->d; i++) x[i] *= m->root;
        for (int local = 0; local <= (m->window > 0); local++)
            angles(m, s.turn + ((size_t)local * n + j) * decoder->key_length, before, local);
    }
    for (uint32_t i = 0; i < decoder->n_blocks; i++) {
        attention(m, m->blocks + i, i, &s, columns, n);
        feed_forward(m, m->blocks + i, &s, n);
    }
    if (!parameters) return 0;
    nx_rms_norm(s.normed, s.x, m->last_norm, m->epsilon, decoder->d, n);
    nx_input input = nx_input_of(s.normed, n, s.matmul);
    nx_matmul(parameters, &decoder->head, NULL, &input);
    return 0;
}

/* Key j holds id j - 1, key 0 the start; of a local block, those of the last ids. */
static uint32_t local_keys(const void *opaque, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *keys) {
    const model *m = opaque;
    uint32_t count = nx_decoder_keys(&m->decoder, shape, map, row, position, keys);
    if (!is_local(m, row / m->decoder.heads) || position <= m->window) return count;
    for (uint32_t i = 0; i < m->window; i++) keys[i] = position - m->window + i + 1;
    return m->window;
}

static const nx_part part = {
    .state_bytes = nx_decoder_state_bytes,
    .grow = nx_decoder_grow,
    .scratch_bytes = scratch_bytes,
    .pass_end = nx_decoder_pass_end,
    .forward = forward,
    .keys = nx_decoder_keys,
};

const nx_arch nx_llama = {.name = "llama", .n_parts = 1, .parts = &part, .configure = configure_llama, .streams = 1};
static const nx_part gemma3_part = {
    .state_bytes = nx_decoder_state_bytes,
    .grow = nx_decoder_grow,
    .scratch_bytes = scratch_bytes,
    .pass_end = nx_decoder_pass_end,
    .forward = forward,
    .keys = local_keys,
};

const nx_arch nx_qwen2 = {.name = "qwen2", .n_parts = 1, .parts = &part, .configure = configure_qwen2, .streams = 1};
const nx_arch nx_qwen3 = {.name = "qwen3", .n_parts = 1, .parts = &part, .configure = configure_qwen3, .streams = 1};
const nx_arch nx_gemma3 = {.name = "gemma3", .n_parts = 1, .parts = &gemma3_part, .configure = configure_gemma3, .streams = 1};

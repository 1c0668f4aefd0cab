/* SPDX-License-Identifier: MIT
 *
 * The Llama family of language models [Touvron et al. 2023, arXiv:2302.13971 and 2307.09288], decoders that compute
 *
 *   x = x + W_o attention(norm(x)),   x = x + W_down ( silu(W_gate h) * W_up h ),  h = norm(x)
 *
 * They have root-mean-square norms [Zhang, Sennrich 2019], rotary positions [Su et al. 2021, section 3.2] and queries that share keys and
 * values [Ainslie et al. 2023]. Any linear map may have a bias. The matrices of queries, keys and values may be stored as one matrix. The
 * gate and up matrices may also be stored as one matrix. Each related architecture has its own key prefix and one line in `kinds` below,
 * which lists how the architecture differs from Llama:
 *
 *   qwen2, exaone   rotate other pairs of numbers than llama [Yang et al. 2024, arXiv:2407.10671; LG AI Research 2024, arXiv:2412.04862]
 *   qwen3     as qwen2; also normalises the queries and the keys of each head before it rotates them [Yang et al. 2025, arXiv:2505.09388]
 *   gemma     as qwen2; x begins as sqrt(d) times the embedding, W_down gets gelu(W_gate h) * W_up h [Gemma Team 2024, arXiv:2403.08295]
 *   gemma2    as gemma; also normalises the output of each sublayer, caps scores and logits, and in every second block attends only to the
 *             last `window` ids [Gemma Team 2024, arXiv:2408.00118, section 2]
 *   gemma3    as gemma2, but without caps and with the norms of qwen3; five of six blocks are local and have their own rotary frequencies
 *             [Gemma Team 2025, arXiv:2503.19786, section 2]
 *   olmo2     as qwen2; normalises the output of each sublayer instead of its input (h = x); also normalises all queries of a position
 *             together, and all keys of a position together [OLMo Team 2024, arXiv:2501.00656, section 2]
 *   exaone4   as olmo2, with the norms of qwen3; if there is a window, three of four blocks are local, and only local blocks have rotary
 *             positions [LG AI Research 2025, arXiv:2507.11407, section 2]
 *   smollm3   every fourth block has no rotary positions [Yang et al. 2025, arXiv:2501.18795]
 *   granite   scales embeddings, scores, sublayer outputs and logits [IBM 2024; Yang et al. 2022, arXiv:2203.03466]
 *   phi3      as qwen2; all blocks may be local; each rotary frequency may have its own divisor for a short context; the model's context is
 *             then limited to this length [Abdin et al. 2024, arXiv:2404.14219; Ding et al. 2024, arXiv:2402.13753]
 *   ernie4_5  as llama, under a different name
 *
 * The first id is given, and position p > 0 reads id p - 1 (layers/decoder.h), whose rotary position is p - 1.
 *
 * Letters:
 *   T      number of positions
 *   d      width of the model
 *   H, G   number of heads of queries, and of keys and values; H / G queries share a key and a value
 *   k      width of every head
 *   F      inner width of the feed-forward network
 *   V, N   number of ids, number of blocks
 *   J      number of columns of a pass
 */
#include <string.h>

#include "arch.h"
#include "attention/attention.h"
#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "layers/decoder.h"
#include "layers/layers.h"
#include "reader.h"

#define MAX_CONTEXT 0x100000 /* limit of the context; a run allocates memory only for its own length */

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

typedef struct {
    int local, turned;                  /* local: the block sees only the most recent ids; turned: it has rotary positions */
    const float *attention_norm;        /* shape (d), or null */
    nx_linear query, key, value;        /* shapes (H k, d), (G k, d), (G k, d) */
    const float *query_norm, *key_norm; /* shape (k), or over all heads (H k) and (G k), or null */
    nx_linear output;                   /* shape (d, H k) */
    const float *after_attention;       /* shape (d): norm of the output of attention; null: none */
    const float *inner_norm;            /* shape (d), or null */
    nx_linear gate, up, down;           /* shapes (F, d), (F, d), (d, F) */
    const float *after_inner;           /* shape (d), or null */
} block;

enum { OF_EACH_HEAD = 1, OVER_ALL_HEADS };

/* The differences between an architecture of the family and Llama. A field that is 0 means that the architecture does as Llama does. */
typedef struct {
    const char *name;
    int halves;      /* 1: the rotated pairs are (i, i + rotated / 2); 0: they are (2 i, 2 i + 1) */
    int norms;       /* norms of queries and keys: OF_EACH_HEAD or OVER_ALL_HEADS; 0: none */
    int only_after;  /* 1: norms after sublayers, not before them */
    int also_after;  /* 1: norms both before and after sublayers */
    int gemma;       /* 1: x begins as sqrt(d) times the embedding, and gelu replaces silu */
    int scaled;      /* 1: the file has multipliers of embeddings, scores, sublayer outputs and logits */
    float caps[2];   /* caps of scores and of logits, if the file has no keys for them */
    uint32_t period; /* if there is a window, one block in every `period` blocks is global */
    int apart;       /* 1: local blocks have their own rotary frequencies */
    int global_bare; /* 1: if there is a window, global blocks have no rotary positions */
    uint32_t bare;   /* one block in every `bare` blocks has no rotary positions */
} kind;

static const kind kinds[] = {
    {.name = "llama"},
    {.name = "qwen2", .halves = 1},
    {.name = "qwen3", .halves = 1, .norms = OF_EACH_HEAD},
    {.name = "gemma3", .halves = 1, .norms = OF_EACH_HEAD, .also_after = 1, .gemma = 1, .period = 6, .apart = 1},
    {.name = "gemma2", .halves = 1, .also_after = 1, .gemma = 1, .caps = {50, 30}, .period = 2},
    {.name = "gemma", .halves = 1, .gemma = 1},
    {.name = "olmo2", .halves = 1, .norms = OVER_ALL_HEADS, .only_after = 1, .period = 4, .apart = 1},
    {.name = "exaone4", .halves = 1, .norms = OF_EACH_HEAD, .only_after = 1, .period = 4, .global_bare = 1},
    {.name = "exaone", .halves = 1},
    {.name = "smollm3", .bare = 4},
    {.name = "granite", .scaled = 1},
    {.name = "phi3", .halves = 1, .period = UINT32_MAX},
    {.name = "ernie4_5"},
};
#define KINDS (sizeof kinds / sizeof *kinds)

typedef struct {
    nx_decoder decoder;
    uint32_t inner, rotated; /* rotated: number of rotated values of a head, at most k */
    kind kind;
    uint32_t window; /* window of local attention; 0: none */
    float epsilon;
    struct {
        float embedding, query, added, logits;
    } scale;                    /* 0: none */
    float logit_cap;            /* 0: none */
    int unturned;               /* 1: the file turns rotary positions off in all blocks */
    const double *frequency[2]; /* shape (rotated / 2): angles per position; [0]: global blocks, [1]: local blocks */
    double length;              /* factor of the cosines and sines, which changes the lengths of queries and keys */
    const float *stretch;       /* shape (rotated / 2): divisors of the frequencies, or null */
    const block *blocks;        /* shape (N) */
    const float *last_norm;     /* shape (d) */
} model;

/* ---- configure ------------------------------------------------------------------------------------------------------- */

static const float *read_norm(nx_reader *r, uint32_t index, const char *part, uint32_t d) {
    return nx_read_vector(r, nx_block_name("", index, part, ".weight").text, d, 0);
}

/* Splits a matrix that consists of n joined matrices. rows: the number of rows of each matrix, in order. */
static void read_joined(nx_reader *r, uint32_t index, const char *part, nx_linear *const maps[], const uint32_t *rows, uint32_t n,
                        uint32_t d) {
    uint32_t all = 0, first = 0;
    nx_name name = nx_block_name("", index, part, ".weight");
    for (uint32_t i = 0; i < n; all += rows[i++])
        if (rows[i] % 16) nx_reader_fail(r, NX_E_UNSUPPORTED, name.text, "the joined maps do not have multiples of 16 rows");
    nx_linear joined = nx_read_linear(r, "", index, part, all, d);
    for (uint32_t i = 0; i < n && !r->status; first += rows[i++])
        *maps[i] = (nx_linear){nx_matrix_rows(&joined.weight, first, rows[i]), joined.bias ? joined.bias + first : NULL};
}

static void read_attention(nx_reader *r, block *b, const model *m, uint32_t i) {
    const nx_decoder *decoder = &m->decoder;
    uint32_t d = decoder->d, k = decoder->key_length, rows[] = {decoder->heads * k, decoder->n_kv_heads * k, decoder->n_kv_heads * k};
    if (nx_tensor_rows(r, nx_block_name("", i, "attn_qkv", ".weight").text))
        read_joined(r, i, "attn_qkv", (nx_linear *[]){&b->query, &b->key, &b->value}, rows, 3, d);
    else {
        b->query = nx_read_linear(r, "", i, "attn_q", rows[0], d);
        b->key = nx_read_linear(r, "", i, "attn_k", rows[1], d);
        b->value = nx_read_linear(r, "", i, "attn_v", rows[2], d);
    }
    if (m->kind.norms) {
        b->query_norm = read_norm(r, i, "attn_q_norm", m->kind.norms == OVER_ALL_HEADS ? rows[0] : k);
        b->key_norm = read_norm(r, i, "attn_k_norm", m->kind.norms == OVER_ALL_HEADS ? rows[1] : k);
    }
}

static void read_feed_forward(nx_reader *r, block *b, const model *m, uint32_t i) {
    uint32_t d = m->decoder.d, rows[] = {m->inner, m->inner};
    if (nx_tensor_rows(r, nx_block_name("", i, "ffn_up", ".weight").text) == 2 * m->inner)
        read_joined(r, i, "ffn_up", (nx_linear *[]){&b->gate, &b->up}, rows, 2, d);
    else {
        b->gate = nx_read_linear(r, "", i, "ffn_gate", m->inner, d);
        b->up = nx_read_linear(r, "", i, "ffn_up", m->inner, d);
    }
    b->down = nx_read_linear(r, "", i, "ffn_down", d, m->inner);
}

/* Returns whether a block sees only the latest ids. The file's list of blocks determines this; without a list, one in every `period` blocks
 * is global. */
static int is_local(nx_reader *r, const model *m, uint32_t index) {
    nx_name pattern = nx_key(m->kind.name, "attention.sliding_window_pattern");
    nx_metadata entry;
    if (!nx_gguf_find(r->file, pattern.text, &entry)) return (index + 1) % m->kind.period != 0;
    if (entry.type == GGUF_ARRAY && entry.item_type == GGUF_BOOL && entry.count > index) return ((const uint8_t *)entry.value)[index] != 0;
    return (index + 1) % nx_read_u32(r, pattern.text, 1, 256, 1) != 0;
}

static const block *read_blocks(nx_reader *r, const model *m) {
    const nx_decoder *decoder = &m->decoder;
    const kind *of = &m->kind;
    block *blocks = nx_arena_take(r->arena, decoder->n_blocks * sizeof *blocks), unplaced;
    if (blocks) memset(blocks, 0, decoder->n_blocks * sizeof *blocks);
    uint32_t d = decoder->d;
    for (uint32_t i = 0; i < decoder->n_blocks && !r->status; i++) {
        block *b = blocks ? blocks + i : &unplaced;
        b->local = m->window && is_local(r, m, i);
        b->turned = !m->unturned && (of->global_bare && m->window ? b->local : !of->bare || (i + 1) % of->bare);
        if (!of->only_after) b->attention_norm = read_norm(r, i, "attn_norm", d);
        read_attention(r, b, m, i);
        if (of->only_after || of->also_after) {
            b->after_attention = read_norm(r, i, "post_attention_norm", d);
            b->after_inner = read_norm(r, i, "post_ffw_norm", d);
        }
        b->output = nx_read_linear(r, "", i, "attn_output", d, decoder->heads * decoder->key_length);
        if (!of->only_after) b->inner_norm = read_norm(r, i, "ffn_norm", d);
        read_feed_forward(r, b, m, i);
    }
    return blocks;
}

/* Computes the rotary frequencies base^(-2i / rotated), divided by a common factor and, if the file has them, by individual factors. With a
 * common factor above 1, more positions fit into the range of angles seen in training (linear scaling [Chen et al. 2023,
 * arXiv:2306.15595]). The frequencies of pairs up to `first` are unchanged. The frequencies of pair `last` and all later pairs are divided
 * by the common factor. The frequencies between these pairs are interpolated [YaRN: Peng et al. 2023, arXiv:2309.00071, section 3.2]. */
static const double *frequencies(nx_reader *r, const model *m, float base, double scale, double first, double last) {
    uint32_t half = m->rotated / 2;
    double *frequency = nx_arena_take(r->arena, half * sizeof *frequency), log_base = nx_f64_log((double)base);
    for (uint32_t i = 0; frequency && i < half; i++) {
        double own = nx_f64_exp(-log_base * (2.0 * i / m->rotated)), share = (i - first) / (last - first > 0.001 ? last - first : 0.001);
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        frequency[i] = last > 0 ? own / scale * share + own * (1 - share) : own / scale;
    }
    return frequency;
}

/* Returns the index of the rotary pair that makes `turns` full rotations over `length` positions. The index may be fractional. */
static double pair_of(const model *m, float base, uint32_t length, double turns) {
    double ratio = length / (turns * 6.28318530717958647692);
    double pair = ratio > 1 ? m->rotated * nx_f64_log(ratio) / (2 * nx_f64_log((double)base)) : 0;
    return pair < m->rotated ? pair : m->rotated; /* for a base of 1 the index is infinite */
}

/* Rejects a file in which a rotary key has a value other than the default. */
static void refuse_unless(nx_reader *r, nx_name key, float plain, const char *reason) {
    float value = nx_read_f32(r, key.text, -1e9f, 1e9f, plain);
    if (value < plain || value > plain) nx_reader_fail(r, NX_E_UNSUPPORTED, key.text, reason);
}

static double rounded_down(double x) { return (double)(uint32_t)x; }

/* Reads the rotary frequencies, and shortens *context if the file has divisors for a short context. */
static void read_frequencies(nx_reader *r, const char *arch, model *m, uint32_t *context) {
    static const char *const scalings[] = {"linear", "none", "yarn", "longrope"};
    double scale = 1, first = 0, last = 0;
    float base = nx_read_f32(r, nx_key(arch, "rope.freq_base").text, 1, 1e9f, m->kind.apart && m->kind.gemma ? 1e6f : 1e4f);
    uint32_t scaling = nx_read_choice(r, nx_key(arch, "rope.scaling.type").text, scalings, 4);
    nx_name original = nx_key(arch, "rope.scaling.original_context_length"), longer = nx_key(arch, "rope.scaling.attn_factor");
    nx_name fast = nx_key(arch, "rope.scaling.yarn_beta_fast"), slow = nx_key(arch, "rope.scaling.yarn_beta_slow");
    uint32_t trained = nx_read_u32(r, original.text, 1, UINT32_MAX, *context);
    if (scaling == 0 || scaling == 2) {
        nx_name key = nx_key(arch, nx_has_key(r, nx_key(arch, "rope.scaling.factor").text) ? "rope.scaling.factor" : "rope.scale_linear");
        scale = (double)nx_read_f32(r, key.text, 1, 1e6f, 1);
    }
    m->length = 1;
    const char *own = scaling == 2 ? "YaRN with a factor of its own" : "a factor of the rotary angles that is not supported";
    int has_short = nx_tensor_columns(r, "rope_factors_short.weight") != 0;
    if (!has_short) refuse_unless(r, longer, 1, own);
    refuse_unless(r, nx_key(arch, "rope.scaling.yarn_attn_factor"), 1, own);
    if (scaling != 2) refuse_unless(r, nx_key(arch, "rope.scaling.yarn_ext_factor"), 0, own);
    if (scaling == 2) {
        float turns[] = {nx_read_f32(r, fast.text, 1e-3f, 1e6f, 32), nx_read_f32(r, slow.text, 1e-3f, 1e6f, 1)};
        if (turns[0] <= turns[1]) nx_reader_fail(r, NX_E_FORMAT, fast.text, "it is not larger than yarn_beta_slow");
        refuse_unless(r, nx_key(arch, "rope.scaling.yarn_ext_factor"), 1, own);
        refuse_unless(r, nx_key(arch, "rope.scaling.yarn_log_multiplier"), 0, own);
        first = rounded_down(pair_of(m, base, trained, (double)turns[0]));
        last = rounded_down(pair_of(m, base, trained, (double)turns[1])) + 1;
        if (last > m->rotated - 1) last = m->rotated - 1;
        m->length = 1 + 0.1 * nx_f64_log(scale);
    }
    m->frequency[0] = frequencies(r, m, base, scale, first, last);
    nx_name swa = nx_key(arch, "rope.freq_base_swa");
    if (m->window && !m->kind.apart) refuse_unless(r, swa, base, "local blocks with their own rotary frequencies");
    if (m->window && m->kind.apart)
        m->frequency[1] = frequencies(r, m, nx_read_f32(r, swa.text, 1, 1e9f, m->kind.gemma ? 1e4f : base), 1, 0, 0);
    m->stretch = nx_read_vector_within(r, "rope_freqs.weight", m->rotated / 2, 1, 1e6f, 1);
    if (!has_short) return;
    m->stretch = nx_read_vector_within(r, "rope_factors_short.weight", m->rotated / 2, 1, 1e6f, 1);
    m->length = (double)nx_read_f32(r, longer.text, 0, 1e3f, 1);
    if (trained < *context) *context = trained; /* a longer context needs other divisors, and switching to them would change cached keys */
}

/* Rejects a file that needs a computation that is not implemented, such as a mixture of experts. */
static void refuse_others(nx_reader *r, const char *arch, const model *m) {
    nx_name experts = nx_key(arch, "expert_count"), value = nx_key(arch, "attention.value_length");
    uint32_t key_length = m->decoder.key_length;
    nx_decoder_refuse(r, arch, m->kind.scaled);
    if (nx_read_u32(r, experts.text, 0, UINT32_MAX, 0)) nx_reader_fail(r, NX_E_UNSUPPORTED, experts.text, "a mixture of experts");
    if (nx_read_u32(r, value.text, 0, UINT32_MAX, key_length) != key_length)
        nx_reader_fail(r, NX_E_UNSUPPORTED, value.text, "the values have another width than the keys");
}

static float root_of(uint32_t n) { return wasm_f32x4_extract_lane(wasm_f32x4_sqrt(wasm_f32x4_splat((float)n)), 0); }

/* Reads the multipliers, the caps and the window of local attention. */
static void read_scales(nx_reader *r, const char *arch, model *m) {
    const kind *of = &m->kind;
    if (of->gemma) m->scale.embedding = root_of(m->decoder.d);
    if (of->scaled) {
        nx_metadata turned;
        float logits = nx_read_f32(r, nx_key(arch, "logit_scale").text, 1e-6f, 1e6f, 0);
        m->scale.embedding = nx_read_f32(r, nx_key(arch, "embedding_scale").text, 0, 1e6f, 0);
        m->scale.query = nx_read_f32(r, nx_key(arch, "attention.scale").text, 0, 1e6f, 0) * root_of(m->decoder.key_length);
        m->scale.added = nx_read_f32(r, nx_key(arch, "residual_scale").text, 0, 1e6f, 0);
        m->scale.logits = logits > 0 ? 1 / logits : 0;
        m->unturned = nx_gguf_find(r->file, nx_key(arch, "rope.scaling.finetuned").text, &turned) && turned.type == GGUF_BOOL &&
                      !*(const uint8_t *)turned.value;
    }
    m->decoder.score_cap = nx_read_f32(r, nx_key(arch, "attn_logit_softcapping").text, 0, 1e6f, of->caps[0]);
    m->logit_cap = nx_read_f32(r, nx_key(arch, "final_logit_softcapping").text, 0, 1e6f, of->caps[1]);
    if (of->period) {
        uint32_t missing = of->caps[0] > 0 ? 4096 : NX_REQUIRED;
        m->window = nx_read_u32(r, nx_key(arch, "attention.sliding_window").text, of->gemma ? 1 : 0, MAX_CONTEXT, missing);
    }
}

static void configure(nx_reader *r, nx_plan *plan) {
    const char *names[KINDS];
    for (uint32_t i = 0; i < KINDS; i++) names[i] = kinds[i].name;
    const kind *of = kinds + nx_read_choice(r, "general.architecture", names, KINDS);
    const char *arch = of->name;
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    nx_decoder *decoder = &m->decoder;
    r->packing = NX_BY_BLOCK;
    nx_name heads = nx_key(arch, "attention.head_count"), kv_heads = nx_key(arch, "attention.head_count_kv");
    nx_name key_length = nx_key(arch, "attention.key_length"), rotated = nx_key(arch, "rope.dimension_count");
    uint32_t context = nx_read_u32(r, nx_key(arch, "context_length").text, 1, MAX_CONTEXT, NX_REQUIRED);
    decoder->n_blocks = nx_read_u32(r, nx_key(arch, "block_count").text, 1, 256, NX_REQUIRED);
    uint32_t d = decoder->d = nx_read_width(r, nx_key(arch, "embedding_length").text, 16384, NX_REQUIRED);
    m->inner = nx_read_width(r, nx_key(arch, "feed_forward_length").text, 65536, NX_REQUIRED);
    uint32_t n_heads = decoder->heads = nx_read_u32(r, heads.text, 1, 256, NX_REQUIRED);
    decoder->n_kv_heads = nx_read_u32(r, kv_heads.text, 1, n_heads, n_heads);
    if (n_heads % decoder->n_kv_heads) nx_reader_fail(r, NX_E_FORMAT, kv_heads.text, "it does not divide the number of heads");
    if (!nx_has_key(r, key_length.text) && d % n_heads)
        nx_reader_fail(r, NX_E_FORMAT, heads.text, "it does not divide the width of the model");
    if (!nx_has_key(r, key_length.text) && d / n_heads % 4)
        nx_reader_fail(r, NX_E_UNSUPPORTED, heads.text, "the width of a head is not a multiple of 4");
    decoder->key_length = nx_read_width(r, key_length.text, NX_MAX_KEY_LENGTH, d / n_heads);
    m->rotated = nx_read_u32(r, rotated.text, 2, decoder->key_length, decoder->key_length);
    if (m->rotated % 2) nx_reader_fail(r, NX_E_FORMAT, rotated.text, "it is odd");
    m->kind = *of;
    if (of->norms == OF_EACH_HEAD && decoder->key_length % 16)
        nx_reader_fail(r, NX_E_UNSUPPORTED, key_length.text, "it is not a multiple of 16");
    read_scales(r, arch, m);
    m->epsilon = nx_read_f32(r, nx_key(arch, "attention.layer_norm_rms_epsilon").text, 0, 1, 1e-5f);
    refuse_others(r, arch, m);
    read_frequencies(r, arch, m, &context);

    nx_decoder_read(r, decoder);
    m->blocks = read_blocks(r, m);
    m->last_norm = nx_read_vector(r, "output_norm.weight", d, 0);
    /* Biases of keys, as in Qwen 2, have magnitudes of tens to hundreds in a few channels. With one 8-bit scale per head, the other
     * channels would be rounded to zero. */
    if (m->blocks && !r->status) nx_decoder_cache(decoder, &m->blocks[0].key.weight, m->blocks[0].key.bias != NULL);

    plan->weights = placed;
    nx_decoder_plan(r, decoder, context, plan);
}

/* ---- the scratch memory of a pass ------------------------------------------------------------------------------------- */

typedef struct {
    float *x, *y, *normed;      /* shape (J, d); x: the residual stream, y: a sublayer's output, normed: a sublayer's input */
    float *query, *key, *value; /* shapes (J, H k), (J, G k), (J, G k) */
    float *mixed;               /* shape (J, H k) */
    float *gate, *up;           /* shape (J, F) */
    float *turn;                /* shape (J, 2, k / 2): cosines and sines of the rotary angles; then the same for local blocks */
    void *attend, *matmul;
    uint64_t bytes;
} scratch;

static scratch scratch_at(const model *m, const nx_shape *shape, void *memory, uint32_t n) {
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
    s.turn = nx_arena_take(&arena, (uint64_t)n * decoder->key_length * (m->window && m->kind.apart ? 8 : 4));
    s.attend = nx_arena_take(&arena, nx_attend_scratch_bytes(shape->length, 1));
    s.matmul = nx_arena_take(&arena, nx_input_bytes(widest, n));
    s.bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t n) { return scratch_at(opaque, shape, NULL, n).bytes; }

/* ---- a pass ---------------------------------------------------------------------------------------------------------- */

/* Computes the cosines, then the sines, of position * frequency. */
static void angles(const model *m, float *turn, uint32_t position, int local) {
    uint32_t half = m->rotated / 2;
    for (uint32_t i = 0; i < half; i++) {
        double sine, cosine, angle = position * m->frequency[local][i];
        nx_f64_sincos(m->stretch && !local ? angle / (double)m->stretch[i] : angle, &sine, &cosine);
        turn[i] = (float)(cosine * m->length);
        turn[half + i] = (float)(sine * m->length);
    }
}

/* Rotates the pairs of each of n heads by their angles: (a, b) becomes (a cos - b sin, a sin + b cos). */
static void rotate(const model *m, float *heads, uint32_t n, const float *turn) {
    uint32_t half = m->rotated / 2, step = m->kind.halves ? 1 : 2, apart = m->kind.halves ? half : 1;
    for (uint32_t h = 0; h < n; h++, heads += m->decoder.key_length)
        for (uint32_t i = 0; i < half; i++) {
            float *at = heads + step * i, a = at[0], b = at[apart];
            at[0] = a * turn[i] - b * turn[half + i];
            at[apart] = a * turn[half + i] + b * turn[i];
        }
}

/* Multiplies x by factor, unless factor is 0. */
static void scale(float *x, float factor, uint32_t width, uint32_t n) {
    for (size_t i = 0; factor > 0 && i < (size_t)n * nx_stride(width); i++) x[i] *= factor;
}

/* x += y, or += norm(y). */
static void join(const model *m, const scratch *s, const float *norm, uint32_t n) {
    if (norm) nx_rms_norm(s->y, s->y, norm, m->epsilon, m->decoder.d, n);
    scale(s->y, m->scale.added, m->decoder.d, n);
    nx_add(s->x, s->y, m->decoder.d, n);
}

/* Returns norm(x) as an input for nx_apply, or x itself if `norm` is null. */
static nx_input read_stream(const model *m, const scratch *s, const float *norm, uint32_t n) {
    if (norm) nx_rms_norm(s->normed, s->x, norm, m->epsilon, m->decoder.d, n);
    return nx_input_of(norm ? s->normed : s->x, n, s->matmul);
}

static void attention(const model *m, const block *b, uint32_t index, const scratch *s, const nx_column *columns, uint32_t n) {
    const nx_decoder *decoder = &m->decoder;
    uint32_t k = decoder->key_length, H = decoder->heads, G = decoder->n_kv_heads, query = nx_stride(H * k), key = nx_stride(G * k);
    nx_input input = read_stream(m, s, b->attention_norm, n);
    nx_apply(s->query, &b->query, &input);
    nx_apply(s->key, &b->key, &input);
    nx_apply(s->value, &b->value, &input);
    if (m->kind.norms == OVER_ALL_HEADS) {
        nx_rms_norm(s->query, s->query, b->query_norm, m->epsilon, H * k, n);
        nx_rms_norm(s->key, s->key, b->key_norm, m->epsilon, G * k, n);
    }
    for (uint32_t j = 0; j < n; j++) {
        const float *turn = s->turn + ((size_t)(b->local && m->kind.apart) * n + j) * k;
        float *queries = s->query + (size_t)j * query, *keys = s->key + (size_t)j * key;
        if (m->kind.norms == OF_EACH_HEAD) { /* heads are consecutive, and each is as wide as its stride */
            nx_rms_norm(queries, queries, b->query_norm, m->epsilon, k, H);
            nx_rms_norm(keys, keys, b->key_norm, m->epsilon, k, G);
        }
        if (!b->turned) continue;
        rotate(m, queries, H, turn);
        rotate(m, keys, G, turn);
    }
    scale(s->query, m->scale.query, H * k, n);
    nx_decoder_attend(decoder, index, columns, n, 1, b->local ? m->window : 0, &(nx_qkv){s->query, s->key, s->value, query, key}, s->mixed,
                      s->attend);
    nx_input mixed = nx_input_of(s->mixed, n, s->matmul);
    nx_apply(s->y, &b->output, &mixed);
    join(m, s, b->after_attention, n);
}

static void feed_forward(const model *m, const block *b, const scratch *s, uint32_t n) {
    nx_input input = read_stream(m, s, b->inner_norm, n);
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
    (void)slice; /* a pass is short, so it has one slice */
    if (columns[0].position == 0) {
        nx_decoder_start(decoder, columns, n, parameters);
        return 0;
    }
    scratch s = scratch_at(m, &columns[0].inputs->shape, memory, n);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t before = columns[j].position - 1;
        float *x = s.x + (size_t)j * nx_stride(decoder->d);
        nx_decoder_embed(decoder, x, columns[j].ids[before]);
        scale(x, m->scale.embedding, decoder->d, 1);
        for (int local = 0; local <= (m->frequency[1] != NULL); local++)
            angles(m, s.turn + ((size_t)local * n + j) * decoder->key_length, before, local);
    }
    nx_keep_hidden(columns, n, 0, s.x, decoder->d);
    for (uint32_t i = 0; i < decoder->n_blocks; i++) {
        attention(m, m->blocks + i, i, &s, columns, n);
        feed_forward(m, m->blocks + i, &s, n);
        nx_keep_hidden(columns, n, i + 1, s.x, decoder->d);
    }
    if (!parameters) return 0;
    nx_rms_norm(s.normed, s.x, m->last_norm, m->epsilon, decoder->d, n);
    nx_input input = nx_input_of(s.normed, n, s.matmul);
    nx_matmul(parameters, &decoder->head, NULL, &input);
    scale(parameters, m->scale.logits, decoder->distribution.values, n);
    if (m->logit_cap > 0) nx_soft_cap(parameters, m->logit_cap, decoder->distribution.values, n);
    return 0;
}

/* Lists the keys: key j is id j - 1, and key 0 is the start. A local block attends only to the last `window` ids. */
static uint32_t local_keys(const void *opaque, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *keys) {
    const model *m = opaque;
    uint32_t count = nx_decoder_keys(&m->decoder, shape, map, row, position, keys);
    if (!m->blocks[row / m->decoder.heads].local || position <= m->window) return count;
    for (uint32_t i = 0; i < m->window; i++) keys[i] = position - m->window + i + 1;
    return m->window;
}

static const nx_part part = {
    .state_bytes = nx_decoder_state_bytes,
    .grow = nx_decoder_grow,
    .scratch_bytes = scratch_bytes,
    .pass_end = nx_decoder_pass_end,
    .forward = forward,
    .keys = local_keys,
};

#define KIN .n_parts = 1, .parts = &part, .configure = configure, .streams = 1
const nx_arch nx_llama = {.name = "llama", KIN};
const nx_arch nx_qwen2 = {.name = "qwen2", KIN};
const nx_arch nx_qwen3 = {.name = "qwen3", KIN};
const nx_arch nx_gemma3 = {.name = "gemma3", KIN};
const nx_arch nx_gemma2 = {.name = "gemma2", KIN};
const nx_arch nx_gemma = {.name = "gemma", KIN};
const nx_arch nx_olmo2 = {.name = "olmo2", KIN};
const nx_arch nx_exaone4 = {.name = "exaone4", KIN};
const nx_arch nx_exaone = {.name = "exaone", KIN};
const nx_arch nx_smollm3 = {.name = "smollm3", KIN};
const nx_arch nx_granite = {.name = "granite", KIN};
const nx_arch nx_phi3 = {.name = "phi3", KIN};
const nx_arch nx_ernie4_5 = {.name = "ernie4_5", KIN};

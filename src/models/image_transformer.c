/* SPDX-License-Identifier: MIT
 *
 * Image Transformer [Parmar, Vaswani, Uszkoreit, Kaiser, Shazeer, Ku, Tran 2018, arXiv:1802.05751]: a decoder of
 * self-attention blocks that predicts an image position by position, optionally above an encoder that has read a small
 * image (super-resolution).
 *
 * A position is one channel of a pixel (C per pixel, one table of values per channel), a pixel as an entry of a
 * palette, or a whole pixel whose three channels share a mixture of logistics.
 *
 * Letters: n positions, d width of the model, H heads of width k, F inner width of the feed-forward network, V levels,
 * C channels, N blocks, E elements per position, P output parameters per position, S positions of the encoder. Shapes
 * are (rows, columns), row-major; J is the number of columns of a pass.
 */
#include "models/models.h"

#include <string.h>

#include "attention/attention.h"
#include "kernels/elementary.h"
#include "reader.h"

#define KEY(name) "image-transformer." name

/* ---- config and weights
 * ------------------------------------------------------------------------------------------------ */

typedef struct {
    nx_matrix query, key, value;                     /* (H k, d)   W_q W_k W_v */
    const float *query_bias, *key_bias, *value_bias; /* (H k) or null */
    nx_matrix output;                                /* (d, H k)   W_o joins the heads */
    const float *output_bias;                        /* (d) or null */
    const float *gain, *shift;                       /* (d)        layer norm of eq. 1 */
} attention_weights;

typedef struct {
    nx_matrix up, down;               /* (F, d), (d, F): W_2 and W_1 of eq. 2 */
    const float *up_bias, *down_bias; /* (F), (d) */
    const float *gain, *shift;        /* (d)        layer norm of eq. 2 */
} feed_forward_weights;

typedef struct {
    attention_weights self, cross; /* cross: to the encoder's output, only when there is an encoder */
    feed_forward_weights feed_forward;
} block;

typedef struct {
    uint32_t n, d, heads, key_length, inner, n_blocks;
    uint32_t cols;   /* positions in a row of the image */
    uint32_t tables; /* tables of values: C, or 1 with a palette */
    int pre_norm;    /* norm before each sublayer and once at the end, instead of after each */
    float epsilon;
    nx_pattern pattern;
    nx_output output;
    const float *values; /* (tables V, d)  each row times sqrt(d); null when pixels enter as numbers */
    nx_matrix pixel;     /* (d, C) and (d): the embedding of a pixel as numbers in [-1, 1] */
    const float *pixel_bias;
    const float *row_position;             /* (height, d)  of image rows, zeros where the column's half stands */
    const float *col_position;             /* (cols, d)    of columns and channels, likewise */
    const float *classes;                  /* (classes, d) or null */
    const block *blocks;                   /* (N) */
    const float *final_gain, *final_shift; /* (d)  pre-norm only */
    nx_matrix head;                        /* (P, d) */
    const float *head_bias;                /* (P) or null */

    /* the encoder */
    uint32_t source, source_cols, n_encoder_blocks; /* S, columns, blocks; 0: none */
    nx_matrix source_pixel;                         /* (d, C), (d) */
    const float *source_pixel_bias, *source_row_position, *source_col_position;
    const block *encoder_blocks;
    const float *source_gain, *source_shift; /* (d)  pre-norm only */
} model;

/* ---- configure
 * --------------------------------------------------------------------------------------------------------- */

/* Positions of one axis as `rows` vectors of d numbers. "learned" tables of d/2 columns fill the half that starts at
 * `half`, of d columns the whole. "sinusoidal": sin(p w_f), then cos(p w_f), f < F = d/4, w_f = 10000^(-f / (F - 1)),
 * in that half. Row and column vectors are added, which for halves is concatenation. */
static const float *positions(nx_reader *reader, const char *name, int sinusoidal, uint32_t rows, uint32_t d,
                              uint32_t half) {
    const float *learned = NULL;
    uint32_t cols = 0;
    if (!sinusoidal) {
        cols = tensor_columns(reader, name) == d ? d : d / 2;
        learned = read_table(reader, name, rows, cols);
    }
    float *table = reader->status ? NULL : arena_take(reader->arena, (uint64_t)rows * d * sizeof *table);
    if (!table || arena_full(reader->arena)) return NULL;
    memset(table, 0, (size_t)rows * d * sizeof *table);
    for (uint32_t p = 0; p < rows; p++) {
        float *row = table + (size_t)p * d;
        if (!sinusoidal) {
            memcpy(row + (cols == d ? 0 : half), learned + (size_t)p * cols, cols * sizeof *row);
            continue;
        }
        uint32_t frequencies = d / 4;
        for (uint32_t f = 0; f < frequencies; f++) {
            double step = frequencies > 1 ? (double)f / (frequencies - 1) : 0, sine, cosine;
            f64_sincos(p * f64_exp(-9.21034037197618273608 * step), &sine, &cosine); /* ln 10000 */
            row[half + f] = (float)sine;
            row[half + frequencies + f] = (float)cosine;
        }
    }
    return table;
}

/* Where the tensors of a block are: "enc.blk.7.attn_q.weight". */
typedef struct {
    nx_reader *reader;
    const char *stack; /* "enc." or "" */
    uint32_t index;
} block_reader;

static nx_matrix matrix_of(const block_reader *r, const char *rest, uint32_t rows, uint32_t cols) {
    return read_matrix(r->reader, block_name(r->stack, r->index, rest, ".weight").text, rows, cols);
}

static const float *vector_of(const block_reader *r, const char *rest, const char *kind, uint32_t n, int optional) {
    return read_vector(r->reader, block_name(r->stack, r->index, rest, kind).text, n, optional);
}

/* names: of the query, key, value and output projections and of the norm. */
static void read_attention(const block_reader *r, attention_weights *w, const char *const *names, const model *m) {
    uint32_t d = m->d, width = m->heads * m->key_length;
    w->query = matrix_of(r, names[0], width, d);
    w->key = matrix_of(r, names[1], width, d);
    w->value = matrix_of(r, names[2], width, d);
    w->output = matrix_of(r, names[3], d, width);
    w->query_bias = vector_of(r, names[0], ".bias", width, 1);
    w->key_bias = vector_of(r, names[1], ".bias", width, 1);
    w->value_bias = vector_of(r, names[2], ".bias", width, 1);
    w->output_bias = vector_of(r, names[3], ".bias", d, 1);
    w->gain = vector_of(r, names[4], ".weight", d, 0);
    w->shift = vector_of(r, names[4], ".bias", d, 0);
}

static void read_feed_forward(const block_reader *r, feed_forward_weights *w, const model *m) {
    w->up = matrix_of(r, "ffn_up", m->inner, m->d);
    w->up_bias = vector_of(r, "ffn_up", ".bias", m->inner, 0);
    w->down = matrix_of(r, "ffn_down", m->d, m->inner);
    w->down_bias = vector_of(r, "ffn_down", ".bias", m->d, 0);
    w->gain = vector_of(r, "ffn_norm", ".weight", m->d, 0);
    w->shift = vector_of(r, "ffn_norm", ".bias", m->d, 0);
}

/* A stack of blocks; `crossed`: with attention to the encoder. */
static const block *read_blocks(nx_reader *reader, const char *stack, uint32_t n, int crossed, const model *m) {
    static const char *const self[] = {"attn_q", "attn_k", "attn_v", "attn_output", "attn_norm"};
    static const char *const cross[] = {"cross_attn_q", "cross_attn_k", "cross_attn_v", "cross_attn_output",
                                        "cross_attn_norm"};
    block *blocks = arena_take(reader->arena, n * sizeof *blocks), unplaced;
    for (uint32_t i = 0; i < n && !reader->status; i++) {
        block *b = blocks ? blocks + i : &unplaced;
        block_reader r = {reader, stack, i};
        read_attention(&r, &b->self, self, m);
        if (crossed) read_attention(&r, &b->cross, cross, m);
        read_feed_forward(&r, &b->feed_forward, m);
    }
    return blocks;
}

static void read_pattern(nx_reader *r, model *m, nx_info *info) {
    static const char *const patterns[] = {"full", "local-1d", "local-2d"};
    nx_pattern *p = &m->pattern;
    *p = (nx_pattern){.kind = NX_FULL_CAUSAL, .positions = m->n, .query_block = m->n};
    switch (read_choice(r, KEY("attention.pattern"), patterns, 3)) {
    case NX_LOCAL_1D:
        p->kind = NX_LOCAL_1D;
        info->query_block = p->query_block = read_u32(r, KEY("attention.query_block"), 1, m->n, NX_REQUIRED);
        info->memory_block = p->memory_block = read_u32(r, KEY("attention.memory_block"), 0, m->n, p->query_block);
        break;
    case NX_LOCAL_2D:
        p->kind = NX_LOCAL_2D;
        p->rows = info->height;
        p->cols = m->cols;
        info->block_rows = p->block_rows = read_u32(r, KEY("attention.block_rows"), 1, p->rows, NX_REQUIRED);
        info->block_cols = p->block_cols = read_u32(r, KEY("attention.block_cols"), 1, p->cols, NX_REQUIRED);
        info->flange_rows = p->flange_rows = read_u32(r, KEY("attention.flange_rows"), 0, p->rows, 0);
        info->flange_cols = p->flange_cols = read_u32(r, KEY("attention.flange_cols"), 0, p->cols, 0);
        break;
    }
    info->window = nx_pattern_window(p);
}

/* What a position is, and its distribution. */
static void read_elements(nx_reader *r, model *m, nx_info *info) {
    static const char *const outputs[] = {"categorical", "bernoulli", "dmol", "logistic", "gaussian"};
    nx_output *o = &m->output;
    uint32_t channels = info->channels = read_u32(r, KEY("image.channels"), 1, 3, NX_REQUIRED);
    if (channels == 2) reader_fail(r, NX_E_UNSUPPORTED, KEY("image.channels"), "the number of channels is not 1 or 3");
    o->levels = info->levels = read_u32(r, KEY("image.levels"), 2, NX_MAX_LEVELS, NX_REQUIRED);
    o->kind = (nx_output_kind)read_choice(r, KEY("output.type"), outputs, 5);
    o->elements = 1;
    if (o->kind == NX_BERNOULLI && o->levels != 2)
        reader_fail(r, NX_E_FORMAT, KEY("image.levels"), "a Bernoulli output has 2 levels");
    info->palette = tensor_columns(r, "palette.weight") > 0;
    if (o->kind == NX_DMOL) {
        o->elements = channels;
        o->mixtures = read_u32(r, KEY("output.mixtures"), 1, NX_MAX_MIXTURES, NX_REQUIRED);
    }
    if (info->palette && (channels != 3 || o->kind != NX_CATEGORICAL))
        reader_fail(r, NX_E_UNSUPPORTED, "palette.weight", "a palette needs three channels and a categorical output");
    m->tables = info->palette ? 1 : channels;
    m->cols = info->width * (info->palette ? 1 : channels / o->elements);
    m->n = info->positions = info->height * m->cols;
    info->position_elements = o->elements;
    info->elements = m->n * o->elements;
    info->outputs = nx_output_parameters(o);
}

/* The inputs of the decoder: values, or pixels as numbers; positions; classes. */
static void read_inputs(nx_reader *r, model *m, nx_info *info, int sinusoidal) {
    if (m->output.kind == NX_DMOL) {
        m->pixel = read_matrix(r, "pixel_embd.weight", m->d, info->channels);
        m->pixel_bias = read_vector(r, "pixel_embd.bias", m->d, 0);
    } else {
        float *values = (float *)read_table(r, "token_embd.weight", m->tables * info->levels, m->d);
        if (values && !arena_full(r->arena)) {
            float root = wasm_f32x4_extract_lane(wasm_f32x4_sqrt(wasm_f32x4_splat((float)m->d)), 0);
            for (size_t i = 0; i < (size_t)m->tables * info->levels * m->d; i++) values[i] *= root;
        }
        m->values = values;
    }
    m->row_position = positions(r, "position_row.weight", sinusoidal, info->height, m->d, 0);
    m->col_position = positions(r, "position_col.weight", sinusoidal, m->cols, m->d, m->d / 2);
    info->classes = read_strings(r, KEY("classes"), NX_MAX_CLASSES);
    if (info->classes) m->classes = read_table(r, "class_embd.weight", info->classes, m->d);
}

static void read_encoder(nx_reader *r, model *m, nx_info *info, int sinusoidal) {
    info->input_height = read_u32(r, KEY("input.height"), 0, NX_MAX_SIDE, 0);
    info->input_width =
        read_u32(r, KEY("input.width"), info->input_height > 0, info->input_height ? NX_MAX_SIDE : 0, 0);
    m->source = info->input_height * info->input_width;
    m->source_cols = info->input_width;
    if (!m->source) return;
    m->n_encoder_blocks = read_u32(r, KEY("encoder.block_count"), 1, 256, NX_REQUIRED);
    m->source_pixel = read_matrix(r, "enc.pixel_embd.weight", m->d, info->channels);
    m->source_pixel_bias = read_vector(r, "enc.pixel_embd.bias", m->d, 0);
    m->source_row_position = positions(r, "enc.position_row.weight", sinusoidal, info->input_height, m->d, 0);
    m->source_col_position = positions(r, "enc.position_col.weight", sinusoidal, info->input_width, m->d, m->d / 2);
    m->encoder_blocks = read_blocks(r, "enc.", m->n_encoder_blocks, 0, m);
    if (!m->pre_norm) return;
    m->source_gain = read_vector(r, "enc.output_norm.weight", m->d, 0);
    m->source_shift = read_vector(r, "enc.output_norm.bias", m->d, 0);
}

static const void *configure(nx_reader *r, nx_info *info) {
    static const char *const norms[] = {"post", "pre"}, *const position_types[] = {"learned", "sinusoidal"};
    model local, *placed = arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);

    info->height = read_u32(r, KEY("image.height"), 1, NX_MAX_SIDE, NX_REQUIRED);
    info->width = read_u32(r, KEY("image.width"), 1, NX_MAX_SIDE, NX_REQUIRED);
    read_elements(r, m, info);
    info->blocks = m->n_blocks = read_u32(r, KEY("block_count"), 1, 256, NX_REQUIRED);
    info->embedding = m->d = read_u32(r, KEY("embedding_length"), 4, 8192, NX_REQUIRED);
    info->heads = m->heads = read_u32(r, KEY("attention.head_count"), 1, 256, NX_REQUIRED);
    m->inner = read_u32(r, KEY("feed_forward_length"), 4, 65536, NX_REQUIRED);
    m->key_length = read_u32(r, KEY("attention.key_length"), 4, NX_MAX_KEY_LENGTH, m->d / m->heads);
    if (m->d % 4 || m->key_length % 4 || m->inner % 4)
        reader_fail(r, NX_E_UNSUPPORTED, KEY("embedding_length"), "a width is not a multiple of 4");
    m->epsilon = read_f32(r, KEY("attention.layer_norm_epsilon"), 0, 1, 1e-6f);
    m->pre_norm = (int)read_choice(r, KEY("norm"), norms, 2);
    int sinusoidal = (int)read_choice(r, KEY("position.type"), position_types, 2);
    read_pattern(r, m, info);
    read_inputs(r, m, info, sinusoidal);
    read_encoder(r, m, info, sinusoidal);
    m->blocks = read_blocks(r, "", m->n_blocks, m->source > 0, m);
    if (m->pre_norm) {
        m->final_gain = read_vector(r, "output_norm.weight", m->d, 0);
        m->final_shift = read_vector(r, "output_norm.bias", m->d, 0);
    }
    m->head = read_matrix(r, "output.weight", info->outputs, m->d);
    m->head_bias = read_vector(r, "output.bias", info->outputs, 1);
    return placed;
}

/* ---- memory: caches of keys and values, and the scratch of a pass
 * ------------------------------------------------------------ */

/* Keys and values are rounded where the weights that make them are. */
static uint32_t cache_type(const model *m) { return m->blocks[0].self.key.type == NX_F32 ? NX_F32 : NX_Q8_0; }

static uint64_t block_cache_bytes(const model *m, uint32_t slots) {
    return (nx_cache_bytes(cache_type(m), slots, m->heads, m->key_length) + NX_ALIGN - 1) & ~(uint64_t)(NX_ALIGN - 1);
}

/* The cache of block `index` among those of all blocks. */
static nx_cache cache_at(const model *m, const void *caches, uint32_t index, uint32_t slots) {
    uint8_t *memory = (uint8_t *)caches + index * block_cache_bytes(m, slots);
    return (nx_cache){memory, cache_type(m), slots, m->heads, m->key_length};
}

static uint64_t cache_bytes(const void *opaque) {
    const model *m = opaque;
    return m->n_blocks * block_cache_bytes(m, nx_pattern_slots(&m->pattern));
}

typedef struct {
    float *x;                   /* (J, d) the residual stream */
    float *y;                   /* (J, d) a sublayer's output */
    float *normed;              /* (J, d) a sublayer's input, pre-norm only */
    float *query, *key, *value; /* (J, H k) */
    float *mixed;               /* (J, H k) attention's output before W_o */
    float *inner;               /* (J, F) */
    nx_run *runs;               /* what the pass's queries see */
    void *attend;
    void *matmul;
} scratch;

static scratch scratch_at(const model *m, void *memory, uint32_t n, uint64_t *bytes) {
    uint32_t attention = m->heads * m->key_length, widest = m->d, window = nx_pattern_window(&m->pattern);
    if (attention > widest) widest = attention;
    if (m->inner > widest) widest = m->inner;
    if (m->source > window) window = m->source;
    nx_arena arena = {memory, 0, UINT64_MAX};
    uint64_t d_bytes = (uint64_t)n * nx_stride(m->d) * 4, attention_bytes = (uint64_t)n * nx_stride(attention) * 4;
    uint32_t n_runs = nx_pattern_max_runs(&m->pattern);
    scratch s;
    s.x = arena_take(&arena, d_bytes);
    s.y = arena_take(&arena, d_bytes);
    s.normed = arena_take(&arena, m->pre_norm ? d_bytes : 0);
    s.query = arena_take(&arena, attention_bytes);
    s.key = arena_take(&arena, attention_bytes);
    s.value = arena_take(&arena, attention_bytes);
    s.mixed = arena_take(&arena, attention_bytes);
    s.inner = arena_take(&arena, (uint64_t)n * nx_stride(m->inner) * 4);
    s.runs = arena_take(&arena, n_runs * sizeof *s.runs);
    s.attend = arena_take(&arena, nx_attend_scratch_bytes(window, n_runs));
    s.matmul = arena_take(&arena, nx_input_bytes(widest, n));
    if (bytes) *bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, uint32_t n) {
    uint64_t bytes;
    scratch_at(opaque, NULL, n, &bytes);
    return bytes;
}

/* What the encoder leaves for the decoder, and its own working memory. */
typedef struct {
    void *cross; /* (N) caches of S slots: keys and values of the encoder's output for each decoder block */
    float *x;    /* (S, d) the encoder's residual stream */
    void *cache; /* one cache of S slots, for the encoder's own attention */
} condition_memory;

static uint32_t source_slots(const model *m) { return (m->source + 3) & ~3u; }

static condition_memory condition_at(const model *m, void *memory, uint64_t *bytes) {
    nx_arena arena = {memory, 0, UINT64_MAX};
    condition_memory c;
    c.cross = arena_take(&arena, m->source ? m->n_blocks * block_cache_bytes(m, source_slots(m)) : 0);
    c.x = arena_take(&arena, (uint64_t)m->source * nx_stride(m->d) * 4);
    c.cache = arena_take(&arena, m->source ? block_cache_bytes(m, source_slots(m)) : 0);
    if (bytes) *bytes = arena.used;
    return c;
}

static uint64_t condition_bytes(const void *opaque) {
    uint64_t bytes;
    condition_at(opaque, NULL, &bytes);
    return bytes;
}

static const nx_pattern *pattern(const void *opaque) { return &((const model *)opaque)->pattern; }
static const nx_output *output(const void *opaque) { return &((const model *)opaque)->output; }

/* ---- sublayers
 * --------------------------------------------------------------------------------------------------------------- */

/* A sublayer reads x (post-norm) or LN(x) (pre-norm). */
static const float *sublayer_input(const model *m, const scratch *s, const float *x, const float *gain,
                                   const float *shift, uint32_t n) {
    if (!m->pre_norm) return x;
    memcpy(s->normed, x, (size_t)n * nx_stride(m->d) * sizeof *x);
    nx_layer_norm(s->normed, gain, shift, m->epsilon, m->d, n);
    return s->normed;
}

/* Its output y joins the residual stream: x = LN(x + y) (post-norm) or x + y (pre-norm). */
static void sublayer_output(const model *m, const scratch *s, float *x, const float *gain, const float *shift,
                            uint32_t n) {
    nx_add(x, s->y, m->d, n);
    if (!m->pre_norm) nx_layer_norm(x, gain, shift, m->epsilon, m->d, n);
}

static void project(float *out, const nx_matrix *matrix, const float *bias, const float *x, uint32_t n,
                    const scratch *s) {
    nx_input input = nx_input_of(x, n, s->matmul);
    nx_matmul(out, matrix, bias, &input);
}

static void keys_and_values(const attention_weights *w, const scratch *s, nx_input *input) {
    nx_matmul(s->key, &w->key, w->key_bias, input);
    nx_matmul(s->value, &w->value, w->value_bias, input);
}

/* Equation 1, multi-headed, for the columns of a pass:  x = LN( x + W_o [ softmax(q K^T / sqrt(k)) V ] ). */
static void self_attention(const model *m, const attention_weights *w, uint32_t index, const scratch *s,
                           const nx_column *columns, uint32_t n, uint32_t n_runs) {
    uint32_t width = m->heads * m->key_length, stride = nx_stride(width), window = nx_pattern_window(&m->pattern);
    nx_input input = nx_input_of(sublayer_input(m, s, s->x, w->gain, w->shift, n), n, s->matmul);
    nx_matmul(s->query, &w->query, w->query_bias, &input);
    keys_and_values(w, s, &input);

    nx_cache cache[NX_COLUMNS];
    for (uint32_t j = 0; j < n; j++) {
        cache[j] = cache_at(m, columns[j].cache, index, nx_pattern_slots(&m->pattern));
        nx_cache_write(&cache[j], columns[j].position, s->key + (size_t)j * stride, s->value + (size_t)j * stride);
    }
    for (uint32_t j = 0; j < n; j++) {
        float *trace = columns[j].trace ? columns[j].trace + (size_t)index * m->heads * window : NULL;
        s->runs[n_runs - 1].to = columns[j].position + 1; /* the columns differ in where they end only */
        nx_attend(s->mixed + (size_t)j * stride, s->query + (size_t)j * stride, &cache[j], s->runs, n_runs, s->attend,
                  trace, window);
    }
    project(s->y, &w->output, w->output_bias, s->mixed, n, s);
    sublayer_output(m, s, s->x, w->gain, w->shift, n);
}

/* Attention of the columns x over all S positions of a cache that is complete: the encoder's own, or the decoder's to
 * its output. */
static void source_attention(const model *m, const attention_weights *w, const scratch *s, float *x,
                             const nx_cache *cache, uint32_t n) {
    uint32_t stride = nx_stride(m->heads * m->key_length);
    nx_run all = {0, m->source};
    project(s->query, &w->query, w->query_bias, sublayer_input(m, s, x, w->gain, w->shift, n), n, s);
    for (uint32_t j = 0; j < n; j++)
        nx_attend(s->mixed + (size_t)j * stride, s->query + (size_t)j * stride, cache, &all, 1, s->attend, NULL, 0);
    project(s->y, &w->output, w->output_bias, s->mixed, n, s);
    sublayer_output(m, s, x, w->gain, w->shift, n);
}

/* Equation 2:  x = LN( x + W_1 ReLU(W_2 x) ). */
static void feed_forward(const model *m, const feed_forward_weights *w, const scratch *s, float *x, uint32_t n) {
    project(s->inner, &w->up, w->up_bias, sublayer_input(m, s, x, w->gain, w->shift, n), n, s);
    nx_relu(s->inner, m->inner, n);
    project(s->y, &w->down, w->down_bias, s->inner, n, s);
    sublayer_output(m, s, x, w->gain, w->shift, n);
}

/* ---- the encoder
 * ----------------------------------------------------------------------------------------------------------------- */

/* out (d) = W p + b for a pixel p of C levels, as numbers in [-1, 1]. */
static void embed_pixel(float *out, const nx_matrix *matrix, const float *bias, const uint8_t *pixel, uint32_t levels,
                        const scratch *s) {
    float numbers[16] = {0};
    for (uint32_t c = 0; c < matrix->cols; c++) numbers[c] = (float)pixel[c] * (2.0f / (float)(levels - 1)) - 1;
    project(out, matrix, bias, numbers, 1, s);
}

/* Fills `cache` with the keys and values of all S columns of x; `normed`: whether they are sublayer inputs that the
 * norm precedes. */
static void fill_cache(const model *m, const attention_weights *w, const scratch *s, const float *x,
                       const nx_cache *cache, int normed) {
    uint32_t stride = nx_stride(m->heads * m->key_length), x_stride = nx_stride(m->d);
    for (uint32_t at = 0; at < m->source; at += NX_COLUMNS) {
        uint32_t n = m->source - at < NX_COLUMNS ? m->source - at : NX_COLUMNS;
        const float *columns = x + (size_t)at * x_stride;
        if (normed) columns = sublayer_input(m, s, columns, w->gain, w->shift, n);
        nx_input input = nx_input_of(columns, n, s->matmul);
        keys_and_values(w, s, &input);
        for (uint32_t j = 0; j < n; j++)
            nx_cache_write(cache, at + j, s->key + (size_t)j * stride, s->value + (size_t)j * stride);
    }
}

/* Reads the small image (S, C) and leaves its keys and values for every decoder block. */
static void condition(const void *opaque, void *memory, const uint8_t *values, void *scratch_memory) {
    const model *m = opaque;
    scratch s = scratch_at(m, scratch_memory, NX_COLUMNS, NULL);
    condition_memory c = condition_at(m, memory, NULL);
    uint32_t x_stride = nx_stride(m->d), channels = m->source_pixel.cols;
    for (uint32_t i = 0; i < m->source; i++) {
        float *x = c.x + (size_t)i * x_stride;
        embed_pixel(x, &m->source_pixel, m->source_pixel_bias, values + (size_t)i * channels, 256, &s);
        nx_add(x, m->source_row_position + (size_t)(i / m->source_cols) * m->d, m->d, 1);
        nx_add(x, m->source_col_position + (size_t)(i % m->source_cols) * m->d, m->d, 1);
    }
    nx_cache cache = cache_at(m, c.cache, 0, source_slots(m));
    for (uint32_t b = 0; b < m->n_encoder_blocks; b++) {
        const block *layer = m->encoder_blocks + b;
        fill_cache(m, &layer->self, &s, c.x, &cache, 1);
        for (uint32_t at = 0; at < m->source; at += NX_COLUMNS) {
            uint32_t n = m->source - at < NX_COLUMNS ? m->source - at : NX_COLUMNS;
            float *x = c.x + (size_t)at * x_stride;
            source_attention(m, &layer->self, &s, x, &cache, n);
            feed_forward(m, &layer->feed_forward, &s, x, n);
        }
    }
    if (m->pre_norm) nx_layer_norm(c.x, m->source_gain, m->source_shift, m->epsilon, m->d, m->source);
    for (uint32_t b = 0; b < m->n_blocks; b++) {
        cache = cache_at(m, c.cross, b, source_slots(m));
        fill_cache(m, &m->blocks[b].cross, &s, c.x, &cache, 0);
    }
}

/* ---- the decoder
 * ----------------------------------------------------------------------------------------------------------------- */

/* The decoder's input at one position: the embedding of the position before it in generation order (zeros before the
 * first: the input is shifted right by one), plus the place of the position itself, plus the class. */
static void embed(const model *m, float *x, const nx_column *column, const scratch *s) {
    uint32_t i = column->position, d = m->d, place = nx_pattern_raster(&m->pattern, i);
    memcpy(x, m->row_position + (size_t)(place / m->cols) * d, d * sizeof *x);
    nx_add(x, m->col_position + (size_t)(place % m->cols) * d, d, 1);
    if (i > 0 && m->output.kind == NX_DMOL) {
        embed_pixel(s->y, &m->pixel, m->pixel_bias, column->values + (size_t)(i - 1) * m->output.elements,
                    m->output.levels, s);
        nx_add(x, s->y, d, 1);
    } else if (i > 0) {
        uint32_t table = nx_pattern_raster(&m->pattern, i - 1) % m->cols % m->tables;
        nx_add(x, m->values + (size_t)(table * m->output.levels + column->values[i - 1]) * d, d, 1);
    }
    if (m->classes && column->label >= 0) nx_add(x, m->classes + (size_t)column->label * d, d, 1);
}

static void forward(const void *opaque, const nx_column *columns, uint32_t n, float *parameters, void *memory) {
    const model *m = opaque;
    scratch s = scratch_at(m, memory, n, NULL);
    uint32_t n_runs = nx_pattern_runs(&m->pattern, columns[n - 1].position, s.runs);
    for (uint32_t j = 0; j < n; j++) embed(m, s.x + (size_t)j * nx_stride(m->d), columns + j, &s);
    for (uint32_t i = 0; i < m->n_blocks; i++) {
        const block *b = m->blocks + i;
        self_attention(m, &b->self, i, &s, columns, n, n_runs);
        if (m->source) {
            void *condition = (void *)columns[0].condition; /* read only from here on, but a cache is a cache */
            nx_cache cache = cache_at(m, condition_at(m, condition, NULL).cross, i, source_slots(m));
            source_attention(m, &b->cross, &s, s.x, &cache, n);
        }
        feed_forward(m, &b->feed_forward, &s, s.x, n);
    }
    if (!parameters) return;
    if (m->pre_norm) nx_layer_norm(s.x, m->final_gain, m->final_shift, m->epsilon, m->d, n);
    project(parameters, &m->head, m->head_bias, s.x, n, &s);
}

const nx_arch nx_image_transformer = {
    .name = "image-transformer",
    .configure = configure,
    .pattern = pattern,
    .output = output,
    .cache_bytes = cache_bytes,
    .scratch_bytes = scratch_bytes,
    .condition_bytes = condition_bytes,
    .condition = condition,
    .forward = forward,
};

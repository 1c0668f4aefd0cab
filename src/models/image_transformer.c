/* SPDX-License-Identifier: MIT
 *
 * Image Transformer [Parmar, Vaswani, Uszkoreit, Kaiser, Shazeer, Ku, Tran 2018, arXiv:1802.05751]: a decoder of self-attention
 * blocks that predicts an image element by element, in raster order (rows, columns, channels within a pixel).
 *
 * Letters: n elements, d width of the model, H heads of width k, F inner width of the feed-forward network, V levels of a
 * channel, C channels, N blocks. Shapes are (rows, columns), row-major; J is the number of columns of a pass.
 */
#include "models/models.h"

#include <string.h>

#include "attention/attention.h"
#include "kernels/elementary.h"
#include "reader.h"

#define KEY(name) "image-transformer." name

/* ---- config and weights ------------------------------------------------------------------------------------------------ */

typedef struct {
    nx_matrix query, key, value;                /* (H k, d)      W_q W_k W_v */
    const float *query_bias, *key_bias, *value_bias; /* (H k) or null */
    nx_matrix output;                           /* (d, H k)      joins the heads */
    const float *output_bias;                   /* (d) or null */
    const float *attention_gain, *attention_shift; /* (d)        layer norm of eq. 1 */
    nx_matrix up, down;                         /* (F, d), (d, F): W_2 and W_1 of eq. 2 */
    const float *up_bias, *down_bias;           /* (F), (d) */
    const float *ffn_gain, *ffn_shift;          /* (d)           layer norm of eq. 2 */
} block;

typedef struct {
    uint32_t n, d, heads, key_length, inner, levels, channels, width, n_blocks;
    float epsilon;
    nx_pattern pattern;
    const float *values;       /* (C V, d)  one table per channel, each row times sqrt(d) */
    const float *row_position; /* (height, d)     of image rows, zeros where the column's half stands */
    const float *col_position; /* (width C, d)    of columns and channels, likewise */
    const float *classes;      /* (classes, d) or null */
    const block *blocks;       /* (N) */
    nx_matrix head;            /* (V, d) */
    const float *head_bias;    /* (V), -infinity past V */
} model;

/* ---- configure --------------------------------------------------------------------------------------------------------- */

/* Positions of one axis as `rows` vectors of d numbers. "learned" tables of d/2 columns fill the half that starts at `half`, of d
 * columns the whole. "sinusoidal": sin(p w_f), then cos(p w_f), f < F = d/4, w_f = 10000^(-f / (F - 1)), in that half.
 * Row and column vectors are added, which for halves is concatenation. */
static const float *positions(nx_reader *reader, const char *name, int sinusoidal, uint32_t rows, uint32_t d, uint32_t half) {
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

static void read_block(nx_reader *r, block *b, uint32_t i, const model *m) {
    uint32_t d = m->d, attention = m->heads * m->key_length, inner = m->inner;
#define NAME(rest) block_name(i, rest).text
    b->query = read_matrix(r, NAME("attn_q.weight"), attention, d);
    b->key = read_matrix(r, NAME("attn_k.weight"), attention, d);
    b->value = read_matrix(r, NAME("attn_v.weight"), attention, d);
    b->output = read_matrix(r, NAME("attn_output.weight"), d, attention);
    b->query_bias = read_vector(r, NAME("attn_q.bias"), attention, 0, 1);
    b->key_bias = read_vector(r, NAME("attn_k.bias"), attention, 0, 1);
    b->value_bias = read_vector(r, NAME("attn_v.bias"), attention, 0, 1);
    b->output_bias = read_vector(r, NAME("attn_output.bias"), d, 0, 1);
    b->attention_gain = read_vector(r, NAME("attn_norm.weight"), d, 0, 0);
    b->attention_shift = read_vector(r, NAME("attn_norm.bias"), d, 0, 0);
    b->up = read_matrix(r, NAME("ffn_up.weight"), inner, d);
    b->up_bias = read_vector(r, NAME("ffn_up.bias"), inner, 0, 0);
    b->down = read_matrix(r, NAME("ffn_down.weight"), d, inner);
    b->down_bias = read_vector(r, NAME("ffn_down.bias"), d, 0, 0);
    b->ffn_gain = read_vector(r, NAME("ffn_norm.weight"), d, 0, 0);
    b->ffn_shift = read_vector(r, NAME("ffn_norm.bias"), d, 0, 0);
#undef NAME
}

static void read_pattern(nx_reader *r, model *m, nx_info *info) {
    static const char *const patterns[] = {"full", "local-1d"};
    m->pattern = (nx_pattern){NX_FULL_CAUSAL, m->n, m->n, 0};
    if (read_choice(r, KEY("attention.pattern"), patterns, 2) == NX_LOCAL_1D) {
        m->pattern.kind = NX_LOCAL_1D;
        info->query_block = m->pattern.query_block = read_u32(r, KEY("attention.query_block"), 1, m->n, NX_REQUIRED);
        info->memory_block = m->pattern.memory_block = read_u32(r, KEY("attention.memory_block"), 0, m->n, m->pattern.query_block);
    }
    info->window = nx_pattern_window(&m->pattern);
}

static const void *configure(nx_reader *r, nx_info *info) {
    static const char *const norms[] = {"post"}, *const position_types[] = {"learned", "sinusoidal"}, *const outputs[] = {"categorical"};
    model local, *placed = arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);

    info->height = read_u32(r, KEY("image.height"), 1, NX_MAX_SIDE, NX_REQUIRED);
    info->width = m->width = read_u32(r, KEY("image.width"), 1, NX_MAX_SIDE, NX_REQUIRED);
    info->channels = m->channels = read_u32(r, KEY("image.channels"), 1, 3, NX_REQUIRED);
    info->levels = m->levels = read_u32(r, KEY("image.levels"), 2, NX_MAX_LEVELS, NX_REQUIRED);
    if (m->channels == 2) reader_fail(r, NX_E_UNSUPPORTED, KEY("image.channels"), "the number of channels is not 1 or 3");
    info->elements = m->n = info->height * m->width * m->channels;
    info->blocks = m->n_blocks = read_u32(r, KEY("block_count"), 1, 256, NX_REQUIRED);
    info->embedding = m->d = read_u32(r, KEY("embedding_length"), 4, 8192, NX_REQUIRED);
    info->heads = m->heads = read_u32(r, KEY("attention.head_count"), 1, 256, NX_REQUIRED);
    m->inner = read_u32(r, KEY("feed_forward_length"), 4, 65536, NX_REQUIRED);
    m->key_length = read_u32(r, KEY("attention.key_length"), 4, 1024, m->d / m->heads);
    if (m->d % 4 || m->key_length % 4 || m->inner % 4)
        reader_fail(r, NX_E_UNSUPPORTED, KEY("embedding_length"), "a width is not a multiple of 4");
    m->epsilon = read_f32(r, KEY("attention.layer_norm_epsilon"), 0, 1, 1e-6f);
    read_choice(r, KEY("norm"), norms, 1);
    read_choice(r, KEY("output.type"), outputs, 1);
    read_pattern(r, m, info);

    float *values = (float *)read_table(r, "token_embd.weight", m->channels * m->levels, m->d);
    if (values && !arena_full(r->arena)) {
        float root = wasm_f32x4_extract_lane(wasm_f32x4_sqrt(wasm_f32x4_splat((float)m->d)), 0);
        for (size_t i = 0; i < (size_t)m->channels * m->levels * m->d; i++) values[i] *= root;
    }
    m->values = values;
    int sinusoidal = (int)read_choice(r, KEY("position.type"), position_types, 2);
    m->row_position = positions(r, "position_row.weight", sinusoidal, info->height, m->d, 0);
    m->col_position = positions(r, "position_col.weight", sinusoidal, m->width * m->channels, m->d, m->d / 2);
    info->classes = read_strings(r, KEY("classes"), NX_MAX_CLASSES);
    if (info->classes) m->classes = read_table(r, "class_embd.weight", info->classes, m->d);

    block *blocks = arena_take(r->arena, m->n_blocks * sizeof *blocks), unplaced;
    m->blocks = blocks;
    for (uint32_t i = 0; i < m->n_blocks && !r->status; i++) read_block(r, blocks ? blocks + i : &unplaced, i, m);
    m->head = read_matrix(r, "output.weight", m->levels, m->d);
    m->head_bias = read_vector(r, "output.bias", m->levels, -__builtin_inff(), 0);
    return placed;
}

/* ---- state: one cache of keys and values per block, and the scratch memory of a pass ------------------------------------- */

static uint64_t block_cache_floats(const model *m) {
    return nx_cache_floats(nx_pattern_slots(&m->pattern), m->heads * m->key_length);
}

static uint64_t cache_bytes(const void *opaque) {
    const model *m = opaque;
    return m->n_blocks * block_cache_floats(m) * sizeof(float);
}

typedef struct {
    float *x;                 /* (J, d) the residual stream */
    float *y;                 /* (J, d) a sublayer's output */
    float *query, *key, *value; /* (J, H k) */
    float *mixed;             /* (J, H k) attention's output before W_o */
    float *inner;             /* (J, F) */
    float *weights;           /* (window + 8) attention weights of one head */
    void *matmul;
} scratch;

static scratch scratch_at(const model *m, void *memory, uint32_t n, uint64_t *bytes) {
    uint32_t attention = m->heads * m->key_length, widest = m->d;
    if (attention > widest) widest = attention;
    if (m->inner > widest) widest = m->inner;
    nx_arena arena = {memory, 0, UINT64_MAX};
    uint64_t d_bytes = (uint64_t)n * nx_stride(m->d) * 4, attention_bytes = (uint64_t)n * nx_stride(attention) * 4;
    scratch s;
    s.x = arena_take(&arena, d_bytes);
    s.y = arena_take(&arena, d_bytes);
    s.query = arena_take(&arena, attention_bytes);
    s.key = arena_take(&arena, attention_bytes);
    s.value = arena_take(&arena, attention_bytes);
    s.mixed = arena_take(&arena, attention_bytes);
    s.inner = arena_take(&arena, (uint64_t)n * nx_stride(m->inner) * 4);
    s.weights = arena_take(&arena, nx_attend_scratch_floats(nx_pattern_window(&m->pattern)) * 4);
    s.matmul = arena_take(&arena, nx_matmul_scratch_bytes(widest, n));
    if (bytes) *bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, uint32_t n) {
    uint64_t bytes;
    scratch_at(opaque, NULL, n, &bytes);
    return bytes;
}

static uint32_t pass_end(const void *opaque, uint32_t position) {
    const model *m = opaque;
    return nx_pattern_block_end(&m->pattern, position);
}

static uint32_t first_visible(const void *opaque, uint32_t position) {
    const model *m = opaque;
    return nx_pattern_first(&m->pattern, position);
}

/* ---- the forward pass ------------------------------------------------------------------------------------------------------ */

/* The decoder's input for one element: the embedding of the element before it (zeros before the first: the input is shifted
 * right by one), plus the position of the element itself, plus the class. */
static void embed(const model *m, float *x, const nx_column *column) {
    uint32_t i = column->position, d = m->d, per_row = m->width * m->channels;
    const float *row = m->row_position + (size_t)(i / per_row) * d, *col = m->col_position + (size_t)(i % per_row) * d;
    for (uint32_t c = 0; c < d; c++) x[c] = row[c] + col[c];
    if (i > 0) {
        uint32_t channel = (i - 1) % m->channels, value = column->values[i - 1];
        nx_add(x, m->values + (size_t)(channel * m->levels + value) * d, d, 1);
    }
    if (m->classes && column->label >= 0) nx_add(x, m->classes + (size_t)column->label * d, d, 1);
}

static void project(float *out, const nx_matrix *matrix, const float *bias, const float *x, uint32_t n, void *scratch_memory) {
    nx_matmul(out, matrix, x, n, scratch_memory);
    if (bias) nx_add_bias(out, bias, matrix->rows, n);
}

/* Equation 1, multi-headed:  x = LN( x + W_o [ softmax(q K^T / sqrt(k)) V ] ). */
static void attention_sublayer(const model *m, const block *b, uint32_t index, const scratch *s, const nx_column *columns, uint32_t n) {
    uint32_t width = m->heads * m->key_length, stride = nx_stride(width), window = nx_pattern_window(&m->pattern);
    project(s->query, &b->query, b->query_bias, s->x, n, s->matmul);
    project(s->key, &b->key, b->key_bias, s->x, n, s->matmul);
    project(s->value, &b->value, b->value_bias, s->x, n, s->matmul);

    nx_cache cache[NX_COLUMNS];
    for (uint32_t j = 0; j < n; j++) {
        float *memory = (float *)columns[j].cache + index * block_cache_floats(m);
        cache[j] = nx_cache_at(memory, nx_pattern_slots(&m->pattern), width);
        nx_cache_write(&cache[j], columns[j].position, s->key + (size_t)j * stride, s->value + (size_t)j * stride);
    }
    for (uint32_t j = 0; j < n; j++) {
        uint32_t i = columns[j].position;
        float *trace = columns[j].trace ? columns[j].trace + (size_t)index * m->heads * window : NULL;
        nx_attend(s->mixed + (size_t)j * stride, s->query + (size_t)j * stride, &cache[j], m->heads, nx_pattern_first(&m->pattern, i), i + 1,
                  s->weights, trace, window);
    }
    project(s->y, &b->output, b->output_bias, s->mixed, n, s->matmul);
    nx_add(s->x, s->y, m->d, n);
    nx_layer_norm(s->x, b->attention_gain, b->attention_shift, m->epsilon, m->d, n);
}

/* Equation 2:  x = LN( x + W_1 ReLU(W_2 x) ). */
static void feed_forward_sublayer(const model *m, const block *b, const scratch *s, uint32_t n) {
    nx_matmul(s->inner, &b->up, s->x, n, s->matmul);
    nx_add_bias_relu(s->inner, b->up_bias, m->inner, n);
    project(s->y, &b->down, b->down_bias, s->inner, n, s->matmul);
    nx_add(s->x, s->y, m->d, n);
    nx_layer_norm(s->x, b->ffn_gain, b->ffn_shift, m->epsilon, m->d, n);
}

static void forward(const void *opaque, const nx_column *columns, uint32_t n, float *logits, void *memory) {
    const model *m = opaque;
    scratch s = scratch_at(m, memory, n, NULL);
    for (uint32_t j = 0; j < n; j++) embed(m, s.x + (size_t)j * nx_stride(m->d), columns + j);
    for (uint32_t i = 0; i < m->n_blocks; i++) {
        attention_sublayer(m, m->blocks + i, i, &s, columns, n);
        feed_forward_sublayer(m, m->blocks + i, &s, n);
    }
    if (!logits) return;
    nx_matmul(logits, &m->head, s.x, n, s.matmul);
    /* over the whole stride, for the bias is -infinity past the levels */
    nx_add_bias(logits, m->head_bias, nx_stride(m->levels), n);
}

const nx_arch nx_image_transformer = {
    .name = "image-transformer",
    .configure = configure,
    .cache_bytes = cache_bytes,
    .scratch_bytes = scratch_bytes,
    .pass_end = pass_end,
    .first_visible = first_visible,
    .forward = forward,
};

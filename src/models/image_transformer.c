/* SPDX-License-Identifier: MIT
 *
 * Image Transformer [Parmar, Vaswani, Uszkoreit, Kaiser, Shazeer, Ku, Tran 2018, arXiv:1802.05751]: a decoder of self-attention blocks that
 * predicts one position of an image after another. For super-resolution, an encoder reads the small image, or each pixel is conditioned on
 * the small image directly (direct.h, which is not in the paper), or both.
 *
 * A position is one of three things:
 *   - one channel of a pixel; a pixel then has C positions, and each channel has its own table of values
 *   - a pixel whose value is a colour of a palette
 *   - a whole pixel whose three channels share a mixture of logistics
 *
 * Letters (shapes are (rows, columns), row-major):
 *   n, S      number of positions of the picture, and of the encoder
 *   d         width of the model
 *   H, k      number of heads, width of a head
 *   F         inner width of the feed-forward network
 *   V, C, N   number of levels, of channels, of blocks
 *   E, P      number of elements per position, and of output parameters per position
 *   J         number of columns of a pass
 */
#include <string.h>

#include "arch.h"
#include "attention/attention.h"
#include "kernels/elementary.h"
#include "layers/sublayers.h"
#include "models/image_transformer/direct.h"
#include "layers/pictures.h"
#include "reader.h"
#include "session/draft.h"

#define ARCH "image-transformer"
#define SPARE_SLOTS 16 /* spare slots of a ring, if the pattern is local */

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t n, d, heads, key_length, n_blocks;
    uint32_t height, width, channels; /* height and width in pixels, and C */
    uint32_t cols;                    /* positions per row of the image */
    uint32_t tables;                  /* number of tables of values: C, or 1 with a palette */
    int pre_norm;                     /* 1: norms before each sublayer and at the end; 0: norms after each sublayer */
    float epsilon;
    nx_pattern pattern;
    nx_output output;
    nx_embedding values;              /* shape (tables V, d); without data if pixels are input as numbers */
    float root;                       /* sqrt(d), the factor of a row of values */
    nx_linear pixel;                  /* shape (d, C): embeds a pixel whose channels are numbers in [-1, 1] */
    const float *row_position;        /* shape (height, d): embeddings of image rows, with zeros in the half that belongs to columns */
    const float *col_position;        /* shape (cols, d): embeddings of columns and channels, with zeros in the half that belongs to rows */
    nx_embedding classes;             /* shape (classes, d); or no data */
    uint32_t class_port, source_port; /* NX_NONE: there is no such port */
    nx_block_form form;               /* form of the decoder's blocks */
    nx_cache_form cache;              /* form of the keys and values of a block */
    const nx_block *blocks;           /* shape (N) */
    nx_norm last;                     /* shape (d), only with pre-norm */
    nx_linear head;                   /* shape (P, d) */

    /* the encoder */
    uint32_t source, source_cols, n_encoder_blocks; /* S; number of columns of the source; number of encoder blocks; 0: no encoder */
    nx_block_form source_form;
    nx_linear source_pixel; /* shape (d, C) */
    const float *source_row_position, *source_col_position;
    const nx_block *encoder_blocks;
    nx_norm source_last; /* shape (d), only with pre-norm */

    nx_direct direct;  /* places == 0: not used */
    nx_linear context; /* shape (d, d): U of direct.h, if there is an encoder */
} model;

/* Returns whether the decoder's blocks attend to the encoder's output. If they do not, each row of the encoder's output is added to the
 * pixels of its cell (direct.h). */
static int crossed(const model *m) { return m->source && !m->direct.places; }

/* ---- configure ------------------------------------------------------------------------------------------------------- */

/* Reads the embeddings of an axis as `rows` vectors of d numbers. Learned tables of d/2 columns fill the half that starts at `half`;
 * learned tables of d columns fill the whole vector. Sinusoidal embeddings fill the half that starts at `half` with sin(p w_f), then cos(p
 * w_f), f < F = d/4, w_f = 10000^(-f / (F - 1)). The vectors of the rows and of the columns are added. If each vector fills only its own
 * half, the sum is the concatenation of the two halves. */
static const float *positions(nx_reader *reader, const char *name, int sinusoidal, uint32_t rows, uint32_t d, uint32_t half) {
    const float *learned = NULL;
    uint32_t cols = 0;
    if (!sinusoidal) {
        cols = nx_tensor_columns(reader, name) == d ? d : d / 2;
        learned = nx_read_table(reader, name, rows, cols);
    }
    float *table = reader->status ? NULL : nx_arena_take(reader->arena, (uint64_t)rows * d * sizeof *table);
    if (!table || nx_arena_full(reader->arena)) return NULL;
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
            nx_f64_sincos(p * nx_f64_exp(-9.21034037197618273608 * step), &sine, &cosine); /* ln 10000 */
            row[half + f] = (float)sine;
            row[half + frequencies + f] = (float)cosine;
        }
    }
    return table;
}

static void read_pattern(nx_reader *r, model *m) {
    static const char *const patterns[] = {"full", "local-1d", "local-2d"};
    nx_pattern *p = &m->pattern;
    *p = (nx_pattern){.kind = NX_FULL_CAUSAL, .positions = m->n, .query_block = m->n};
    switch (nx_read_choice(r, KEY("attention.pattern"), patterns, 3)) {
    case NX_LOCAL_1D:
        p->kind = NX_LOCAL_1D;
        p->query_block = nx_read_u32(r, KEY("attention.query_block"), 1, m->n, NX_REQUIRED);
        p->memory_block = nx_read_u32(r, KEY("attention.memory_block"), 0, m->n, p->query_block);
        break;
    case NX_LOCAL_2D:
        p->kind = NX_LOCAL_2D;
        p->rows = m->height;
        p->cols = m->cols;
        p->block_rows = nx_read_u32(r, KEY("attention.block_rows"), 1, p->rows, NX_REQUIRED);
        p->block_cols = nx_read_u32(r, KEY("attention.block_cols"), 1, p->cols, NX_REQUIRED);
        p->flange_rows = nx_read_u32(r, KEY("attention.flange_rows"), 0, p->rows, 0);
        p->flange_cols = nx_read_u32(r, KEY("attention.flange_cols"), 0, p->cols, 0);
        break;
    }
}

/* Reads what a position is (a channel, a colour of a palette or a pixel) and the distribution of its values. The palette is stored as a
 * table of the plan, because the caller needs the colours to show the picture. */
static void read_elements(nx_reader *r, model *m, nx_plan *plan) {
    nx_output *o = &m->output;
    uint32_t channels = m->channels = nx_read_u32(r, KEY("image.channels"), 1, 3, NX_REQUIRED);
    if (channels == 2) nx_reader_fail(r, NX_E_UNSUPPORTED, KEY("image.channels"), "the number of channels is not 1 or 3");
    nx_read_levels(r, ARCH, NX_OUTPUT_KINDS, o);
    int palette = nx_tensor_columns(r, "palette.weight") > 0;
    if (o->kind == NX_DMOL) {
        o->elements = channels;
        o->mixtures = nx_read_u32(r, KEY("output.mixtures"), 1, NX_MAX_MIXTURES, NX_REQUIRED);
    }
    if (palette && (channels != 3 || o->kind != NX_CATEGORICAL))
        nx_reader_fail(r, NX_E_UNSUPPORTED, "palette.weight", "a palette needs three channels and a categorical output");
    if (palette) {
        uint64_t parameters = r->parameters[0];
        plan->tables[plan->n_tables++] = (nx_table){"palette.weight", o->values, 3, nx_read_table(r, "palette.weight", o->values, 3)};
        r->parameters[0] = parameters; /* the palette's colours do not count as weights */
    }
    m->tables = palette ? 1 : channels;
    m->cols = m->width * (palette ? 1 : channels / o->elements);
    m->n = m->height * m->cols;
}

static uint32_t add_port(nx_plan *plan, const char *name, uint32_t values, uint32_t rows, uint32_t cols, uint32_t channels, int optional) {
    plan->inputs[plan->n_inputs] =
        (nx_port){.name = name, .values = values, .dims = {rows, cols, channels, 1}, .optional = (uint32_t)optional, .like = NX_NONE};
    return plan->n_inputs++;
}

/* Reads the weights that embed the decoder's inputs: values (or pixels given as numbers), positions and classes. */
static void read_inputs(nx_reader *r, model *m, nx_plan *plan, int sinusoidal) {
    if (m->output.kind == NX_DMOL) {
        m->pixel = nx_read_named_linear(r, "pixel_embd", m->d, m->channels);
    } else {
        m->values = nx_read_embedding(r, "token_embd.weight", m->tables * m->output.values, m->d);
        m->root = wasm_f32x4_extract_lane(wasm_f32x4_sqrt(wasm_f32x4_splat((float)m->d)), 0);
    }
    m->row_position = positions(r, "position_row.weight", sinusoidal, m->height, m->d, 0);
    m->col_position = positions(r, "position_col.weight", sinusoidal, m->cols, m->d, m->d / 2);
    uint32_t classes = nx_read_strings(r, KEY("classes"), NX_MAX_CLASSES);
    m->class_port = NX_NONE;
    if (!classes) return;
    m->classes = nx_read_embedding(r, "class_embd.weight", classes, m->d);
    m->class_port = add_port(plan, "class", classes, 1, 1, 1, 1);
}

static void read_direct(nx_reader *r, model *m, const nx_plan *plan, uint32_t height, uint32_t width) {
    if (m->channels != 3 || m->cols != m->width || m->pattern.kind == NX_LOCAL_2D)
        nx_reader_fail(r, NX_E_UNSUPPORTED, "direct.input.weight", "it needs pixels of one position each, in raster order");
    m->direct = (nx_direct){.height = m->height, .width = m->width, .rows = height, .cols = width};
    nx_direct_read(r, &m->direct, m->d, plan->n_tables ? plan->tables[0].data : NULL, m->output.values, m->output.mixtures);
}

/* Reads the port for the small picture of super-resolution, and the weights that process this picture. The picture is processed by an
 * encoder, by the functions in direct.h, or by both. */
static void read_source(nx_reader *r, model *m, nx_plan *plan, int sinusoidal) {
    uint32_t height = nx_read_u32(r, KEY("input.height"), 0, NX_MAX_SIDE, 0);
    uint32_t width = nx_read_u32(r, KEY("input.width"), height > 0, height ? NX_MAX_SIDE : 0, 0);
    m->source_port = NX_NONE;
    if (!height) return;
    m->source_port = add_port(plan, "image", 256, height, width, m->channels, 0);
    if (nx_direct_there(r)) read_direct(r, m, plan, height, width);
    if (m->direct.places && !nx_has_key(r, KEY("encoder.block_count"))) return;
    m->source = height * width;
    m->source_cols = width;
    m->n_encoder_blocks = nx_read_u32(r, KEY("encoder.block_count"), 1, 256, NX_REQUIRED);
    m->source_pixel = nx_read_named_linear(r, "enc.pixel_embd", m->d, m->channels);
    m->source_row_position = positions(r, "enc.position_row.weight", sinusoidal, height, m->d, 0);
    m->source_col_position = positions(r, "enc.position_col.weight", sinusoidal, width, m->d, m->d / 2);
    m->source_form = m->form;
    m->source_form.inner = nx_read_width(r, KEY("encoder.feed_forward_length"), 65536, m->form.inner);
    m->encoder_blocks = nx_read_blocks(r, "enc.", m->n_encoder_blocks, &m->source_form);
    if (m->direct.places) m->context.weight = nx_read_matrix(r, "direct.context.weight", m->d, m->d);
    if (m->pre_norm) m->source_last = nx_read_named_norm(r, "enc.output_norm", m->d);
}

static void configure(nx_reader *r, nx_plan *plan) {
    static const char *const norms[] = {"post", "pre"}, *const position_types[] = {"learned", "sinusoidal"};
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);

    m->height = nx_read_u32(r, KEY("image.height"), 1, NX_MAX_SIDE, NX_REQUIRED);
    m->width = nx_read_u32(r, KEY("image.width"), 1, NX_MAX_SIDE, NX_REQUIRED);
    read_elements(r, m, plan);
    m->n_blocks = nx_read_u32(r, KEY("block_count"), 1, 256, NX_REQUIRED);
    m->d = nx_read_width(r, KEY("embedding_length"), 8192, NX_REQUIRED);
    m->heads = nx_read_u32(r, KEY("attention.head_count"), 1, 256, NX_REQUIRED);
    uint32_t inner = nx_read_width(r, KEY("feed_forward_length"), 65536, NX_REQUIRED);
    m->key_length = nx_read_width(r, KEY("attention.key_length"), NX_MAX_KEY_LENGTH, m->d / m->heads);
    m->form = (nx_block_form){.d = m->d, .width = m->heads * m->key_length, .inner = inner, .biased = 1};
    m->epsilon = nx_read_f32(r, KEY("attention.layer_norm_epsilon"), 0, 1, 1e-6f);
    m->pre_norm = (int)nx_read_choice(r, KEY("norm"), norms, 2);
    int sinusoidal = (int)nx_read_choice(r, KEY("position.type"), position_types, 2);
    read_pattern(r, m);
    read_inputs(r, m, plan, sinusoidal);
    read_source(r, m, plan, sinusoidal);
    m->form.cross = crossed(m);
    m->blocks = nx_read_blocks(r, "", m->n_blocks, &m->form);
    /* Keys and values are rounded if the weights that compute them are rounded. */
    int rounds = m->blocks && !r->status && m->blocks[0].self.key.weight.type != NX_F32;
    m->cache = (nx_cache_form){rounds ? NX_KV7 : NX_F32, m->heads, m->key_length, 1, 0};
    if (m->pre_norm) m->last = nx_read_named_norm(r, "output_norm", m->d);
    m->head.weight = nx_read_matrix(r, "output.weight", nx_output_parameters(&m->output), m->d);
    m->head.bias = nx_read_vector(r, "output.bias", nx_output_parameters(&m->output), 1);
    if (nx_draft_there(r)) {
        if (m->tables != 1 || m->output.elements != 1 || m->pattern.kind == NX_LOCAL_2D)
            nx_reader_fail(r, NX_E_UNSUPPORTED, "draft.offset.weight", "a draft needs pixels in raster order, one value each");
        plan->draft = nx_draft_read(r, m->height, m->width, m->output.values);
    }

    plan->weights = placed;
    plan->output = m->output;
    plan->length = m->n;
    plan->encodes = m->source > 0;
    plan->rewinds = m->pattern.kind == NX_FULL_CAUSAL ? m->n : SPARE_SLOTS;
    nx_plan_hidden(plan, m->n_blocks, m->d);
    uint32_t rows = m->n_blocks * m->heads;
    plan->maps[plan->n_maps++] = (nx_map){.name = "attention", .port = NX_NONE, .rows = rows, .keys = nx_pattern_window(&m->pattern)};
    if (crossed(m)) plan->maps[plan->n_maps++] = (nx_map){.name = "source", .port = m->source_port, .rows = rows, .keys = m->source};
}

/* ---- memory: caches of keys and values, and the scratch of a pass ---------------------------------------------------- */

/* Returns the number of slots in the rings of a run. With a local pattern, a ring has spare slots, because positions are recomputed after a
 * wrong guess and when a branch returns to an earlier position. A ring never has more slots than the run needs. */
static uint32_t slots(const model *m, const nx_shape *shape) {
    uint32_t all = (shape->length + 3) & ~3u, ring = nx_pattern_slots(&m->pattern) + SPARE_SLOTS;
    return ring < all ? ring : all;
}

static uint64_t state_bytes(const void *opaque, const nx_shape *shape) {
    const model *m = opaque;
    return m->n_blocks * nx_cache_form_bytes(m->cache, slots(m, shape));
}

typedef struct {
    nx_sublayers sublayers;
    float *x;         /* shape (J, d): the residual stream */
    float *known;     /* shape (J, NX_DIRECT_KNOWN): features of the small picture and of earlier pixels, if the model uses them */
    nx_range *ranges; /* ranges of the positions that the queries of a pass see */
    uint64_t bytes;
} scratch;

static scratch scratch_at(const model *m, void *memory, uint32_t n) {
    uint32_t window = nx_pattern_window(&m->pattern), n_ranges = nx_pattern_max_ranges(&m->pattern);
    nx_block_form widest = m->form; /* the larger of the two stacks' forms */
    if (m->source_form.inner > widest.inner) widest.inner = m->source_form.inner;
    if (m->source > window) window = m->source;
    nx_arena arena = {memory, 0, UINT64_MAX};
    scratch s;
    s.x = nx_arena_columns(&arena, n, m->d);
    s.known = nx_arena_take(&arena, m->direct.places ? (uint64_t)n * nx_stride(NX_DIRECT_KNOWN) * 4 : 0);
    s.ranges = nx_arena_take(&arena, n_ranges * sizeof *s.ranges);
    s.sublayers = nx_sublayers_at(&arena, &widest, m->pre_norm, m->epsilon, window, n_ranges, n);
    s.bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t n) {
    (void)shape;
    return scratch_at(opaque, NULL, n).bytes;
}

/* The encoder's output. The decoder reads only part of this output; the rest is working memory of the encoder. */
typedef struct {
    void *cross; /* keys and values of the encoder's output: N caches of S slots, one for each decoder block */
    float *x;    /* shape (S, d): the residual stream, finally the encoder's output (times U if this output is added to the pixels) */
    void *cache; /* one cache of S slots, for the encoder's own attention */
    uint64_t bytes;
} encoder_output;

static encoder_output source_at(const model *m, const void *output) {
    nx_arena arena = {(void *)output, 0, UINT64_MAX};
    encoder_output c;
    c.cross = nx_arena_take(&arena, crossed(m) ? m->n_blocks * nx_cache_form_bytes(m->cache, m->source) : 0);
    c.x = nx_arena_columns(&arena, m->source, m->d);
    c.cache = nx_arena_take(&arena, m->source ? nx_cache_form_bytes(m->cache, m->source) : 0);
    c.bytes = arena.used;
    return c;
}

static uint64_t encoder_output_bytes(const void *opaque, const nx_shape *shape) {
    (void)shape;
    return source_at(opaque, NULL).bytes;
}

/* ---- sublayers ------------------------------------------------------------------------------------------------------- */

/* Returns the number of keys in a row of the self-attention map, whose keys are earlier positions. */
static uint32_t map_keys(const model *m, const nx_shape *shape) {
    uint32_t window = nx_pattern_window(&m->pattern);
    return window < shape->length ? window : shape->length;
}

/* Computes multi-head self-attention (equation 1) for the columns of a pass:  x = LN( x + W_o [ softmax(q K^T / sqrt(k)) V ] ). */
static void self_attention(const model *m, const nx_attention_weights *w, uint32_t index, const scratch *of, const nx_column *columns,
                           uint32_t n, uint32_t n_ranges) {
    const nx_sublayers *s = &of->sublayers;
    uint32_t stride = nx_stride(s->width), window = map_keys(m, &columns[0].inputs->shape);
    nx_input input = nx_sublayer_input(s, of->x, &w->norm, n);
    nx_apply(s->query, &w->query, &input);
    nx_keys_and_values(s, w, &input);

    nx_cache cache[NX_COLUMNS];
    for (uint32_t j = 0; j < n; j++) {
        cache[j] = nx_cache_of_block(m->cache, columns[j].state, index, slots(m, &columns[j].inputs->shape));
        nx_keep(s, &cache[j], columns[j].position, j);
    }
    for (uint32_t j = 0; j < n; j++) {
        float *map = columns[j].maps ? columns[j].maps + (size_t)index * m->heads * window : NULL;
        of->ranges[n_ranges - 1].to = columns[j].position + 1; /* the ranges of two columns differ only in the end of the last range */
        nx_attend(s->mixed + (size_t)j * stride, s->query + (size_t)j * stride, &cache[j], of->ranges, n_ranges, s->attend, map, window);
    }
    nx_sublayer_join(s, of->x, &w->output, s->mixed, &w->norm, n);
}

/* ---- the encoder ----------------------------------------------------------------------------------------------------- */

/* Computes out (d) = W p + b, where p contains the C levels of a pixel, scaled to [-1, 1]. */
static void embed_pixel(float *out, const nx_linear *linear, const uint32_t *pixel, uint32_t levels, const nx_sublayers *s) {
    float numbers[16] = {0};
    for (uint32_t c = 0; c < linear->weight.cols; c++) numbers[c] = (float)pixel[c] * (2.0f / (float)(levels - 1)) - 1;
    nx_project(s, out, linear, numbers, 1);
}

/* Encodes the small image (S, C): computes keys and values for every decoder block, or the rows that are added to the pixels of each cell.
 * Each slice computes one step for at most NX_COLUMNS columns. The steps, in this order:
 *   1. the embeddings
 *   2. for each block of the encoder: its keys and values, then the block itself
 *   3. for each block of the decoder: its keys and values */
static int encode(const void *opaque, const nx_inputs *inputs, uint32_t slice, void *output, void *scratch_memory) {
    const model *m = opaque;
    uint32_t passes = (m->source + NX_COLUMNS - 1) / NX_COLUMNS, x_stride = nx_stride(m->d), last_encoded = 2 * m->n_encoder_blocks;
    uint32_t steps = last_encoded + 1 + (crossed(m) ? m->n_blocks : 0);
    if (!m->source || slice / passes >= steps) return 0;
    nx_sublayers s = scratch_at(m, scratch_memory, NX_COLUMNS).sublayers;
    encoder_output c = source_at(m, output);
    uint32_t step = slice / passes, at = slice % passes * NX_COLUMNS, n = m->source - at < NX_COLUMNS ? m->source - at : NX_COLUMNS;
    float *x = c.x + (size_t)at * x_stride;
    nx_cache cache = nx_cache_of_block(m->cache, c.cache, 0, m->source);
    if (step == 0) {
        for (uint32_t i = at; i < at + n; i++) {
            float *own = c.x + (size_t)i * x_stride;
            embed_pixel(own, &m->source_pixel, inputs->port[m->source_port] + (size_t)i * m->channels, 256, &s);
            nx_add(own, m->source_row_position + (size_t)(i / m->source_cols) * m->d, m->d, 1);
            nx_add(own, m->source_col_position + (size_t)(i % m->source_cols) * m->d, m->d, 1);
        }
    } else if (step <= last_encoded) {
        const nx_block *layer = m->encoder_blocks + (step - 1) / 2;
        if (step % 2) {
            nx_fill_cache(&s, &layer->self, x, at, n, &cache, 1);
        } else {
            nx_source_attention(&s, &layer->self, x, &cache, m->source, n, NULL, 0);
            nx_feed_forward_columns(&s, &layer->feed_forward, x, n);
            if (step == last_encoded && m->pre_norm) nx_norm_columns(&m->source_last, x, m->epsilon, m->d, n);
            if (step == last_encoded && m->direct.places) {
                nx_project(&s, s.y, &m->context, x, n);
                memcpy(x, s.y, (size_t)n * x_stride * sizeof *x);
            }
        }
    } else {
        uint32_t b = step - last_encoded - 1;
        cache = nx_cache_of_block(m->cache, c.cross, b, m->source);
        nx_fill_cache(&s, &m->blocks[b].cross, x, at, n, &cache, 0);
    }
    return slice + 1 < passes * steps;
}

/* ---- the decoder ----------------------------------------------------------------------------------------------------- */

/* Computes the decoder's input at one position: the embedding of the previous value in generation order, plus the embeddings of the
 * position itself and of the class. Position 0 has no previous value, so zeros take its place. */
static void embed(const model *m, float *x, const nx_column *column, const nx_sublayers *s) {
    uint32_t i = column->position, d = m->d, place = nx_pattern_raster(&m->pattern, i);
    memcpy(x, m->row_position + (size_t)(place / m->cols) * d, d * sizeof *x);
    nx_add(x, m->col_position + (size_t)(place % m->cols) * d, d, 1);
    if (i > 0 && m->output.kind == NX_DMOL) {
        embed_pixel(s->y, &m->pixel, column->ids + (size_t)(i - 1) * m->output.elements, m->output.values, s);
        nx_add(x, s->y, d, 1);
    } else if (i > 0) {
        uint32_t table = nx_pattern_raster(&m->pattern, i - 1) % m->cols % m->tables;
        nx_embed(s->y, &m->values, table * m->output.values + column->ids[i - 1]);
        nx_add_scaled(x, s->y, m->root, d);
    }
    if (m->class_port == NX_NONE || !column->inputs->port[m->class_port]) return;
    nx_embed(s->y, &m->classes, *column->inputs->port[m->class_port]);
    nx_add(x, s->y, d, 1);
}

static float *known_of(const scratch *s, uint32_t j) { return s->known + (size_t)j * nx_stride(NX_DIRECT_KNOWN); }

/* Adds the terms of direct.h to x, the decoder's input at a position. The prior of direct.h is added later, at the end of the pass. */
static void enter_known(const model *m, float *x, const nx_column *column, uint32_t j, const scratch *s) {
    nx_direct_know(&m->direct, known_of(s, j), column->inputs->port[m->source_port], column->ids, column->position);
    nx_direct_enter(&m->direct, x, known_of(s, j), column->position);
    if (!m->source) return;
    nx_add(x, source_at(m, column->encoder_output).x + (size_t)nx_direct_cell(&m->direct, column->position) * nx_stride(m->d), m->d, 1);
}

/* Returns the address for the source-attention weights of block `index`. In memory, the self-attention weights of all blocks come first. */
static float *source_map(const model *m, const nx_column *column, uint32_t index) {
    return column->maps + (size_t)m->n_blocks * m->heads * map_keys(m, &column->inputs->shape) + (size_t)index * m->heads * m->source;
}

static uint32_t pass_end(const void *opaque, uint32_t position) {
    return nx_pattern_block_end(&((const model *)opaque)->pattern, position);
}

static int forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *memory) {
    const model *m = opaque;
    scratch s = scratch_at(m, memory, n);
    uint32_t n_ranges = nx_pattern_ranges(&m->pattern, columns[n - 1].position, s.ranges);
    (void)slice; /* a pass is short, so it has one slice */
    for (uint32_t j = 0; j < n; j++) {
        embed(m, s.x + (size_t)j * nx_stride(m->d), columns + j, &s.sublayers);
        if (m->direct.places) enter_known(m, s.x + (size_t)j * nx_stride(m->d), columns + j, j, &s);
    }
    nx_keep_hidden(columns, n, 0, s.x, m->d);
    for (uint32_t i = 0; i < m->n_blocks; i++) {
        const nx_block *b = m->blocks + i;
        self_attention(m, &b->self, i, &s, columns, n, n_ranges);
        if (crossed(m)) {
            nx_cache cache = nx_cache_of_block(m->cache, source_at(m, columns[0].encoder_output).cross, i, m->source);
            float *maps[NX_COLUMNS];
            for (uint32_t j = 0; j < n; j++) maps[j] = columns[j].maps ? source_map(m, columns + j, i) : NULL;
            nx_source_attention(&s.sublayers, &b->cross, s.x, &cache, m->source, n, maps, m->source);
        }
        nx_feed_forward_columns(&s.sublayers, &b->feed_forward, s.x, n);
        nx_keep_hidden(columns, n, i + 1, s.x, m->d);
    }
    if (!parameters) return 0;
    if (m->pre_norm) nx_norm_columns(&m->last, s.x, m->epsilon, m->d, n);
    nx_project(&s.sublayers, parameters, &m->head, s.x, n);
    for (uint32_t j = 0; j < n && m->direct.places; j++)
        nx_direct_lead(&m->direct, parameters + (size_t)j * nx_stride(m->head.weight.rows), s.x + (size_t)j * nx_stride(m->d),
                       known_of(&s, j), columns[j].position);
    return 0;
}

/* Lists the keys of a map's row, which are the same for all rows: the positions of the pattern, or the whole source. */
static uint32_t keys(const void *opaque, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *list) {
    const model *m = opaque;
    (void)shape, (void)row;
    if (map == 0) return nx_pattern_keys(&m->pattern, position, list);
    for (uint32_t i = 0; i < m->source; i++) list[i] = i;
    return m->source;
}

static const nx_part part = {
    .encoder_output_bytes = encoder_output_bytes,
    .state_bytes = state_bytes,
    .scratch_bytes = scratch_bytes,
    .encode = encode,
    .pass_end = pass_end,
    .forward = forward,
    .keys = keys,
};

const nx_arch nx_image_transformer = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure};

/* SPDX-License-Identifier: MIT
 *
 * The generator of a self-attention GAN [Zhang, Goodfellow, Metaxas, Odena 2019, arXiv:1805.08318]: computes a picture from a latent z and
 * a class in one pass.
 *
 *   x = W_z z                                  (start, start, C_0), start = side / 2^blocks
 *   block: x = up(W_skip x) + W_1 * relu(norm_1(W_0 * up(relu(norm_0(x)))))     twice as wide; * is a 3x3 convolution, up doubles pixels
 *   attention, once, after the block that is `attention.size` wide:
 *     f = W_k x, g = W_q x, h = W_v x          f and h optionally reduced to the maximum over 2x2
 *     beta_ji = softmax over i of g(x_j) . f(x_i),   o_j = W_o sum over i of beta_ji h(x_i),   x = x + gamma o
 *   picture = tanh(W * relu(norm(x)))          (side, side, 3) of -1..1; an id is the integer nearest to 127.5 (1 + value)
 *
 * A norm has one scale and one shift for each channel and class. The scales and shifts are those of conditional batch normalisation, with
 * its means and variances folded in. Every weight in the file is already divided by its spectral norm. The softmax has no factor 1/sqrt(d).
 *
 * L: size of a latent. C: channels of a block. K: channels of f and g. V: channels of h. Ports: class and latent. If the latent is not
 * given, it is drawn with the run's noise. Results:
 *   image    the picture as ids, shape (side, side, 3)
 *   latent   the latent that was given or drawn
 *   pixels   the picture before it is rounded to ids
 */
#include <string.h>

#include "arch.h"
#include "attention/scores.h"
#include "kernels/elementary.h"
#include "kernels/image.h"
#include "kernels/kernels.h"
#include "layers/pictures.h"
#include "layers/layers.h"
#include "reader.h"

#define ARCH "sagan"
#define MAX_BLOCKS 6
#define MAX_CHANNELS 1024
#define MAX_LATENT 1024
#define COLOURS 3
#define TAPS 9

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

enum { LATENT, CLASS };
enum { IMAGE, DRAWN, PIXELS };

typedef struct {
    uint32_t into, out;             /* number of input and of output channels */
    const float *norm_0, *norm_1;   /* shapes (classes, 2 into), (classes, 2 out) */
    nx_linear conv_0, conv_1, skip; /* shapes (out, 9 into), (out, 9 out), (out, into) */
} sagan_block;

typedef struct {
    uint32_t side, start, latent_length, classes, n_blocks, widest;
    nx_linear latent; /* shape (start^2 C_0, L) */
    sagan_block blocks[MAX_BLOCKS];
    uint32_t attended, size, pool, key, value; /* attended: number of blocks before attention; size: 0 without attention */
    nx_linear q, k, v, attended_output;        /* shapes (K, C), (K, C), (V, C), (C, V) */
    const float *gain;                         /* gamma */
    const float *norm;                         /* shape (classes, 2 C) */
    nx_linear output;                          /* shape (3, 9 C) */
} model;

static void read_block(nx_reader *r, const model *m, sagan_block *b, uint32_t i) {
    b->norm_0 = nx_read_table(r, nx_block_name("", i, "norm_0", ".weight").text, m->classes, 2 * b->into);
    b->norm_1 = nx_read_table(r, nx_block_name("", i, "norm_1", ".weight").text, m->classes, 2 * b->out);
    b->conv_0 = nx_read_linear_with_bias(r, "", i, "conv_0", b->out, TAPS * b->into);
    b->conv_1 = nx_read_linear_with_bias(r, "", i, "conv_1", b->out, TAPS * b->out);
    b->skip.weight = nx_read_matrix(r, nx_block_name("", i, "skip", ".weight").text, b->out, b->into);
}

static void read_attention(nx_reader *r, model *m) {
    m->pool = nx_read_u32(r, KEY("attention.pool"), 0, 1, 0);
    m->key = nx_read_width(r, KEY("attention.key_length"), MAX_CHANNELS, NX_REQUIRED);
    m->value = nx_read_width(r, KEY("attention.value_length"), MAX_CHANNELS, NX_REQUIRED);
    m->attended = 0;
    while (m->attended < m->n_blocks && m->start << m->attended != m->size) m->attended++;
    if (m->start << m->attended != m->size || m->size < 4) {
        nx_reader_fail(r, NX_E_FORMAT, KEY("attention.size"), "no block has this width");
        return;
    }
    uint32_t C = m->attended ? m->blocks[m->attended - 1].out : m->blocks[0].into;
    m->q.weight = nx_read_matrix(r, "attn.q.weight", m->key, C);
    m->k.weight = nx_read_matrix(r, "attn.k.weight", m->key, C);
    m->v.weight = nx_read_matrix(r, "attn.v.weight", m->value, C);
    m->attended_output.weight = nx_read_matrix(r, "attn.output.weight", C, m->value);
    m->gain = nx_read_vector(r, "attn.gain", 1, 0);
}

/* Reads the model. The file has one name for each class, and each table of the norms has one row per class. */
static void configure(nx_reader *r, nx_plan *plan) {
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    uint32_t channels[MAX_BLOCKS + 1] = {0};
    memset(m, 0, sizeof *m);
    m->side = nx_read_u32(r, KEY("image.height"), 4, NX_MAX_SIDE, NX_REQUIRED);
    uint32_t width = nx_read_u32(r, KEY("image.width"), 4, NX_MAX_SIDE, NX_REQUIRED);
    m->latent_length = nx_read_u32(r, KEY("latent_length"), 4, MAX_LATENT, NX_REQUIRED);
    uint32_t n = nx_read_numbers(r, KEY("channels"), 16, MAX_CHANNELS, channels, MAX_BLOCKS + 1);
    m->size = nx_read_u32(r, KEY("attention.size"), 0, NX_MAX_SIDE, 0);
    m->classes = nx_tensor_rows(r, "norm.weight");
    if (!r->status && (m->side != width)) nx_reader_fail(r, NX_E_UNSUPPORTED, KEY("image.width"), "pictures are square");
    if (!r->status && (n < 2 || m->side % (1u << (n - 1)) || m->side >> (n - 1) < 2))
        nx_reader_fail(r, NX_E_FORMAT, KEY("channels"), "the side is not a multiple of 2 for every block");
    for (uint32_t i = 0; i < n; i++)
        if (channels[i] % 16) nx_reader_fail(r, NX_E_UNSUPPORTED, KEY("channels"), "not multiples of 16");
    if (!r->status && (!m->classes || m->classes > NX_MAX_CLASSES))
        nx_reader_fail(r, NX_E_FORMAT, "norm.weight", "no classes, or too many");
    if (r->status) return;
    m->n_blocks = n - 1;
    m->start = m->side >> m->n_blocks;
    m->latent = nx_read_named_linear(r, "latent", m->start * m->start * channels[0], m->latent_length);
    m->widest = channels[0];
    for (uint32_t i = 0; i < m->n_blocks; i++) {
        m->blocks[i].into = channels[i];
        m->blocks[i].out = channels[i + 1];
        if (channels[i + 1] > m->widest) m->widest = channels[i + 1];
        read_block(r, m, &m->blocks[i], i);
    }
    if (m->size) read_attention(r, m);
    m->norm = nx_read_table(r, "norm.weight", m->classes, 2 * channels[m->n_blocks]);
    m->output = nx_read_named_linear(r, "output", COLOURS, TAPS * channels[m->n_blocks]);
    plan->weights = placed;
    plan->encodes = 1;
    plan->n_inputs = 2;
    plan->inputs[LATENT] = (nx_port){.name = "latent", .values = 65536, .dims = {m->latent_length, 1, 1, 1}, .like = NX_NONE, .noise = 1};
    plan->inputs[CLASS] = (nx_port){.name = "class", .values = m->classes, .dims = {1, 1, 1, 1}, .like = NX_NONE};
    plan->n_results = 3;
    plan->results[IMAGE] = (nx_result){.name = "image", .values = 256, .dims = {m->side, m->side, COLOURS, 1}};
    plan->results[DRAWN] = (nx_result){.name = "latent", .values = 65536, .dims = {m->latent_length, 1, 1, 1}};
    plan->results[PIXELS] = (nx_result){.name = "pixels", .dims = {m->side, m->side, COLOURS, 1}};
    if (!m->size) return;
    uint32_t locations = m->size * m->size;
    plan->n_maps = 1;
    plan->maps[0] = (nx_map){.name = "attention",
                             .port = NX_OWN,
                             .rows = 1,
                             .keys = m->pool ? locations / 4 : locations,
                             .queries = locations,
                             .asking = NX_NONE};
}

/* ---- stages ----------------------------------------------------------------------------------------------------------- */

/* The picture is computed in slices. Each slice computes NX_COLUMNS locations of a stage. A stage begins when the previous stage is
 * complete. */
typedef enum { START, SKIP, WIDEN, SECOND, PROJECT, ATTEND, FINISH } kind;

typedef struct {
    kind kind;
    uint32_t block;     /* index of the block; unused in a stage that is not in a block */
    uint32_t side;      /* height and width of this stage's picture, in locations */
    uint32_t first;     /* the first location of the slice */
    uint32_t locations; /* side^2, or 1 */
} stage;

/* Finds the stage of slice `slice`. Returns 0 if `slice` is past the last slice. */
static int find_stage(const model *m, uint32_t slice, stage *s) {
    uint32_t side = m->start;
    for (uint32_t step = 0; step < 1 + 3 * m->n_blocks + (m->size ? 2 : 0) + 1; step++) {
        uint32_t block = 0, at = step;
        kind what = START;
        if (at) {
            at--;
            uint32_t before = 3 * m->attended;
            if (m->size && at >= before && at < before + 2)
                what = at == before ? PROJECT : ATTEND;
            else {
                if (m->size && at >= before) at -= 2;
                block = at / 3;
                what = block == m->n_blocks ? FINISH : (kind)(SKIP + at % 3);
            }
        }
        if (what == WIDEN) side *= 2;
        uint32_t locations = what == START ? 1 : side * side, slices = (locations + NX_COLUMNS - 1) / NX_COLUMNS;
        if (slice < slices) {
            *s = (stage){what, block, side, slice * NX_COLUMNS, locations};
            return 1;
        }
        slice -= slices;
    }
    return 0;
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t *done;
    uint32_t *latent, *image;
    float *pixels;
    /* Buffers for pictures of many channels. x: the output of the latest block; h: the values between the two convolutions of a block;
     * wide: the input of a convolution; skip: the skip connection. During attention, h, wide and skip hold queries, keys and
     * values. */
    float *x, *h, *wide, *skip;
    float *keys, *values; /* pooled */
    uint64_t bytes;
} room;

static room lay_out(const model *m, void *output) {
    nx_arena arena = {output, 0, UINT64_MAX};
    uint64_t colours = (uint64_t)m->side * m->side * COLOURS, most = m->size && m->value > m->widest ? m->value : m->widest;
    if (m->size && m->key > most) most = m->key;
    uint64_t picture = (uint64_t)m->side * m->side * nx_stride((uint32_t)most) * sizeof(float);
    room r = {.done = nx_arena_take(&arena, sizeof *r.done)};
    r.latent = nx_arena_take(&arena, m->latent_length * sizeof *r.latent);
    r.image = nx_arena_take(&arena, colours * sizeof *r.image);
    r.pixels = nx_arena_take(&arena, colours * sizeof *r.pixels);
    r.x = nx_arena_take(&arena, picture);
    r.h = nx_arena_take(&arena, picture);
    r.wide = nx_arena_take(&arena, picture);
    r.skip = nx_arena_take(&arena, picture);
    r.keys = r.wide;
    r.values = r.skip;
    if (m->pool) {
        uint64_t locations = (uint64_t)m->size * m->size / 4;
        r.keys = nx_arena_take(&arena, locations * nx_stride(m->key) * sizeof *r.keys);
        r.values = nx_arena_take(&arena, locations * nx_stride(m->value) * sizeof *r.values);
    }
    r.bytes = arena.used;
    return r;
}

static uint64_t encoder_output_bytes(const void *opaque, const nx_shape *shape) {
    (void)shape;
    return lay_out(opaque, NULL).bytes;
}

static nx_patches around(uint32_t side, uint32_t channels) {
    return (nx_patches){.rows = side,
                        .cols = side,
                        .channels = channels,
                        .down = 3,
                        .across = 3,
                        .stride_down = 1,
                        .stride_across = 1,
                        .dilation = 1,
                        .above = 1,
                        .left = 1,
                        .below = 1,
                        .right = 1};
}

typedef struct {
    float *columns; /* shape (NX_COLUMNS, stride); in the first stage, the latent as floats */
    float *beside;  /* shape (NX_COLUMNS, C): output of attention */
    float *scores;  /* shape (keys + 3) */
    void *product;
    uint64_t bytes;
} scratch_room;

static scratch_room lay_out_scratch(const model *m, void *scratch) {
    nx_arena arena = {scratch, 0, UINT64_MAX};
    nx_patches p = around(m->side, m->widest);
    uint64_t product = nx_convolve_bytes(&p), latent = nx_input_bytes(m->latent_length, 1), attended = nx_input_bytes(m->value, NX_COLUMNS);
    scratch_room s = {0};
    uint64_t columns = NX_COLUMNS * (uint64_t)nx_stride(m->widest > m->value ? m->widest : m->value), vector = nx_stride(m->latent_length);
    s.columns = nx_arena_take(&arena, (columns > vector ? columns : vector) * sizeof *s.columns);
    s.beside = nx_arena_take(&arena, NX_COLUMNS * (uint64_t)m->widest * sizeof *s.beside);
    s.scores = nx_arena_take(&arena, ((uint64_t)m->size * m->size + 4) * sizeof *s.scores);
    s.product = nx_arena_take(&arena, product > latent ? (product > attended ? product : attended) : latent > attended ? latent : attended);
    s.bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t columns) {
    (void)shape, (void)columns;
    return lay_out_scratch(opaque, NULL).bytes;
}

/* ---- the stages' work ------------------------------------------------------------------------------------------------- */

/* Computes out = relu(scale x + shift) for n pixels, with the scale and shift of the class. channels % 16 == 0 */
static void norm_relu(float *out, const float *x, const float *table, uint32_t class, uint32_t channels, uint32_t n) {
    const float *scale = table + (size_t)class * 2 * channels, *shift = scale + channels;
    for (uint32_t j = 0; j < n; j++, x += channels, out += channels)
        for (uint32_t i = 0; i < channels; i += 4)
            wasm_v128_store(out + i,
                            wasm_f32x4_add(wasm_f32x4_mul(wasm_v128_load(scale + i), wasm_v128_load(x + i)), wasm_v128_load(shift + i)));
    nx_relu(out - (size_t)n * channels, channels, n);
}

static void begin(const model *m, const nx_inputs *inputs, const room *r, const scratch_room *s) {
    const uint32_t *ids = inputs->port[LATENT];
    memcpy(r->latent, ids, m->latent_length * sizeof *ids);
    memset(s->columns, 0, nx_stride(m->latent_length) * sizeof *s->columns);
    for (uint32_t i = 0; i < m->latent_length; i++) s->columns[i] = ((float)ids[i] - 32768) / 8192;
    nx_apply_columns(r->x, &m->latent, s->columns, 1, s->product);
}

/* Maps a location of a picture with the width `side` to the location that covers it in a picture of half the width. */
static uint32_t parent(uint32_t location, uint32_t side) { return location / side / 2 * (side / 2) + location % side / 2; }

static void convolve(float *out, const nx_linear *l, const float *picture, uint32_t channels, const stage *s, uint32_t n, void *product) {
    nx_patches p = around(s->side, channels);
    nx_convolve(out, &l->weight, l->bias, picture, &p, s->first, n, product);
}

static void second(const sagan_block *b, const room *r, const stage *s, uint32_t n, const scratch_room *scratch) {
    float *out = r->x + (size_t)s->first * b->out;
    convolve(out, &b->conv_1, r->wide, b->out, s, n, scratch->product);
    for (uint32_t j = 0; j < n; j++) nx_add(out + (size_t)j * b->out, r->skip + (size_t)parent(s->first + j, s->side) * b->out, b->out, 1);
}

static void attend(const model *m, const nx_inputs *inputs, const room *r, const stage *s, uint32_t n, const scratch_room *scratch) {
    uint32_t C = m->attended_output.weight.rows, keys = m->pool ? s->locations / 4 : s->locations;
    if (m->pool && s->first == 0) {
        nx_pool_largest(r->keys, r->wide, s->side, s->side, m->key);
        nx_pool_largest(r->values, r->skip, s->side, s->side, m->value);
    }
    nx_window all = {0, keys};
    uint32_t stride = nx_stride(m->value);
    for (uint32_t j = 0; j < n; j++) {
        nx_score_dot(scratch->scores, r->h + (size_t)(s->first + j) * nx_stride(m->key), r->keys, 1, m->key, all);
        nx_score_softmax(scratch->scores, all);
        if (inputs->maps) memcpy(inputs->maps + (size_t)(s->first + j) * keys, scratch->scores, keys * sizeof *scratch->scores);
        float *o = scratch->columns + (size_t)j * stride;
        memset(o, 0, stride * sizeof *o);
        nx_score_sum(o, scratch->scores, r->values, m->value, all);
    }
    nx_apply_columns(scratch->beside, &m->attended_output, scratch->columns, n, scratch->product);
    for (uint32_t j = 0; j < n; j++) nx_add_scaled(r->x + (size_t)(s->first + j) * C, scratch->beside + (size_t)j * C, m->gain[0], C);
}

/* Computes the colours of n locations. Returns 0 if a colour is not finite. */
static int finish(const model *m, const room *r, const stage *s, uint32_t n, const scratch_room *scratch) {
    uint32_t C = m->output.weight.cols / TAPS;
    convolve(scratch->columns, &m->output, r->wide, C, s, n, scratch->product);
    for (uint32_t j = 0; j < n; j++) {
        float colour[4];
        v128_t before = wasm_v128_load(scratch->columns + (size_t)j * nx_stride(COLOURS));
        wasm_v128_store(colour, f32x4_tanh(before));
        for (uint32_t c = 0; c < COLOURS; c++) {
            float x = scratch->columns[(size_t)j * nx_stride(COLOURS) + c];
            if (!(x - x == 0)) return 0;
            uint32_t at = (s->first + j) * COLOURS + c;
            r->pixels[at] = colour[c];
            r->image[at] = (uint32_t)(127.5f * (1 + colour[c]) + 0.5f);
        }
    }
    return 1;
}

static int encode(const void *opaque, const nx_inputs *inputs, uint32_t slice, void *output, void *scratch) {
    const model *m = opaque;
    room r = lay_out(m, output);
    scratch_room rest = lay_out_scratch(m, scratch);
    stage s;
    if (!find_stage(m, slice, &s)) return 0;
    uint32_t class = inputs->port[CLASS][0], n = s.locations - s.first < NX_COLUMNS ? s.locations - s.first : NX_COLUMNS;
    const sagan_block *b = &m->blocks[s.block];
    switch (s.kind) {
    case START:
        begin(m, inputs, &r, &rest);
        return 1;
    case SKIP:
        nx_apply_columns(r.skip + (size_t)s.first * b->out, &b->skip, r.x + (size_t)s.first * b->into, n, rest.product);
        return 1;
    case WIDEN:
        if (s.first == 0) {
            norm_relu(r.h, r.x, b->norm_0, class, b->into, s.locations / 4);
            nx_enlarge(r.wide, r.h, s.side / 2, s.side / 2, b->into);
        }
        convolve(r.h + (size_t)s.first * b->out, &b->conv_0, r.wide, b->into, &s, n, rest.product);
        return 1;
    case SECOND:
        if (s.first == 0) norm_relu(r.wide, r.h, b->norm_1, class, b->out, s.locations);
        second(b, &r, &s, n, &rest);
        return 1;
    case PROJECT: {
        const float *x = r.x + (size_t)s.first * m->q.weight.cols;
        nx_input input = nx_input_of(x, n, rest.product);
        nx_apply(r.h + (size_t)s.first * nx_stride(m->key), &m->q, &input);
        nx_apply(r.wide + (size_t)s.first * nx_stride(m->key), &m->k, &input);
        nx_apply(r.skip + (size_t)s.first * nx_stride(m->value), &m->v, &input);
        return 1;
    }
    case ATTEND:
        attend(m, inputs, &r, &s, n, &rest);
        return 1;
    default:
        if (s.first == 0) norm_relu(r.wide, r.x, m->norm, class, m->output.weight.cols / TAPS, s.locations);
        if (!finish(m, &r, &s, n, &rest)) return -1;
        *r.done = s.first + n == s.locations;
        return !*r.done;
    }
}

static uint32_t keys(const void *opaque, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *list) {
    const model *m = opaque;
    (void)shape, (void)map, (void)row, (void)position;
    uint32_t count = m->size * m->size / (m->pool ? 4 : 1);
    for (uint32_t i = 0; i < count; i++) list[i] = i;
    return count;
}

static const void *result(const void *opaque, const nx_shape *shape, const void *output, uint32_t index, uint32_t *count) {
    const model *m = opaque;
    room r = lay_out(m, (void *)output);
    (void)shape;
    *count = !*r.done ? 0 : index == DRAWN ? m->latent_length : m->side * m->side * COLOURS;
    return index == IMAGE ? (const void *)r.image : index == DRAWN ? (const void *)r.latent : r.pixels;
}

static const nx_part part = {
    .encoder_output_bytes = encoder_output_bytes, .scratch_bytes = scratch_bytes, .encode = encode, .keys = keys, .result = result};

const nx_arch nx_sagan = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure};

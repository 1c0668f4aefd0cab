/* SPDX-License-Identifier: MIT
 *
 * PixelCNN [van den Oord, Kalchbrenner, Kavukcuoglu 2016, arXiv:1601.06759]: every pixel is predicted from the pixels before it, in raster
 * order, by masked convolutions. A mask on the k x k kernel removes all taps after the pixel. The first layer also removes the tap at the
 * pixel itself (mask A). Later layers keep this tap (mask B), because its values depend only on earlier pixels.
 *
 *   x  = W_input * ids + b                                                 mask A
 *   x += W_expand relu(W_conv * relu(W_reduce relu(x)))                    mask B, N blocks
 *   p  = W_output relu(W_head relu(x))
 *
 * The masks leave a blind spot: some pixels above and to the right are never reached through the taps, no matter how many layers there are.
 * The blind spot is a property of the model.
 *
 * Each block stores the inputs of its convolution in a queue, h values per pixel. For each pixel, therefore, only one column of every layer
 * is computed. The result is bit-identical to the result of a convolution over the whole picture.
 *
 * Letters: n: number of pixels. d = 2h: width of x. N: number of blocks. V: number of levels. J: number of columns of a pass.
 *
 * In the file, the weights of a convolution have the shape (outputs, taps * inputs). The file contains only the taps that the mask keeps,
 * in raster order. The first convolution is a table of shape (taps V, d), with one row for each tap and value.
 */
#include "layers/pixels.h"

#define ARCH "pixelcnn"

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

typedef struct {
    nx_linear reduce, conv, expand; /* shapes (h, d), (h, taps h), (d, h) */
} block;

typedef struct {
    nx_pixels pixels;
    uint32_t h;
    nx_taps first, taps; /* mask A, mask B */
    nx_embedding input;  /* shape (taps V, d) */
    const float *input_bias;
    const block *blocks; /* shape (N) */
} model;

static void configure(nx_reader *r, nx_plan *plan) {
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    nx_pixels *p = &m->pixels;
    nx_pixels_read(r, p, ARCH, 8);
    uint32_t h = m->h = p->d / 2, half = p->kernel / 2, first = p->input_kernel / 2;
    m->first = nx_pixels_taps(p, p->input_kernel, first, first, 1);
    m->taps = nx_pixels_taps(p, p->kernel, half, half + 1, 0);
    m->input = nx_read_embedding(r, "input.weight", nx_taps_count(&m->first) * p->output.values, p->d);
    m->input_bias = nx_read_vector(r, "input.bias", p->d, 0);
    block *blocks = nx_arena_take(r->arena, p->blocks * sizeof *blocks), unplaced;
    for (uint32_t i = 0; i < p->blocks && !r->status; i++) {
        block *b = blocks ? blocks + i : &unplaced;
        b->reduce = nx_read_linear_with_bias(r, "", i, "reduce", h, p->d);
        b->conv = nx_read_linear_with_bias(r, "", i, "conv", h, nx_taps_count(&m->taps) * h);
        b->expand = nx_read_linear_with_bias(r, "", i, "expand", p->d, h);
    }
    m->blocks = blocks;

    nx_pixels_plan(p, plan, placed);
}

/* ---- state: a queue for each block; the scratch of a pass ------------------------------------------------------------- */

static uint64_t queue_bytes(const model *m) { return nx_queue_bytes(&m->taps, m->h); }

static uint64_t state_bytes(const void *opaque, const nx_shape *shape) {
    const model *m = opaque;
    (void)shape;
    return m->pixels.blocks * queue_bytes(m);
}

typedef struct {
    float *x;       /* shape (J, d) */
    float *y;       /* shape (J, d or head_length) */
    float *narrow;  /* shape (J, h) */
    float *wide;    /* shape (J, taps h): the input of a convolution */
    uint32_t *list; /* shape (n): keys of the map */
    void *matmul;
    uint64_t bytes;
} scratch;

static scratch scratch_at(const model *m, void *memory, uint32_t n) {
    uint32_t wide = nx_taps_count(&m->taps) * m->h, y = m->pixels.head_length > m->pixels.d ? m->pixels.head_length : m->pixels.d;
    nx_arena arena = {memory, 0, UINT64_MAX};
    scratch s;
    s.x = nx_arena_columns(&arena, n, m->pixels.d);
    s.y = nx_arena_columns(&arena, n, y);
    s.narrow = nx_arena_columns(&arena, n, m->h);
    s.wide = nx_arena_columns(&arena, n, wide);
    s.list = nx_arena_take(&arena, (uint64_t)m->pixels.n * sizeof *s.list);
    s.matmul = nx_arena_take(&arena, nx_input_bytes(wide > y ? wide : y, n));
    s.bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t n) {
    (void)shape;
    return scratch_at(opaque, NULL, n).bytes;
}

/* ---- a pass ----------------------------------------------------------------------------------------------------------- */

/* Computes x += W_expand relu(W_conv * relu(W_reduce relu(x))) for block i. */
static void through(const model *m, uint32_t i, const scratch *s, const nx_column *columns, uint32_t n) {
    const block *b = m->blocks + i;
    uint32_t d = m->pixels.d, wide = nx_stride(nx_taps_count(&m->taps) * m->h);
    memcpy(s->y, s->x, (size_t)n * nx_stride(d) * sizeof *s->y);
    nx_relu(s->y, d, n);
    nx_apply_columns(s->narrow, &b->reduce, s->y, n, s->matmul);
    nx_relu(s->narrow, m->h, n);
    for (uint32_t j = 0; j < n; j++) {
        float *queue = (float *)((uint8_t *)columns[j].state + i * queue_bytes(m));
        nx_queue_write(queue, &m->taps, m->h, columns[j].position, s->narrow + (size_t)j * nx_stride(m->h));
    }
    for (uint32_t j = 0; j < n; j++) {
        const float *queue = (const float *)((const uint8_t *)columns[j].state + i * queue_bytes(m));
        nx_queue_gather(s->wide + (size_t)j * wide, queue, &m->taps, m->h, columns[j].position);
    }
    nx_apply_columns(s->narrow, &b->conv, s->wide, n, s->matmul);
    nx_relu(s->narrow, m->h, n);
    nx_apply_columns(s->y, &b->expand, s->narrow, n, s->matmul);
    nx_add(s->x, s->y, d, n);
}

/* Lists the keys of a row of the map "field". The keys of row r are the pixels in the receptive field after r blocks. Each block extends
 * the field by the reach of its taps. Finally, the first layer, which reads pixels, extends the field by its taps. */
static uint32_t keys(const void *opaque, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *list) {
    const model *m = opaque;
    enum { NEEDED = 1, NEXT = 2, PIXEL = 4 };
    (void)shape, (void)map;
    memset(list, 0, (position + 1) * sizeof *list);
    list[position] = NEEDED;
    for (uint32_t i = 0; i < row; i++) {
        nx_pixels_reach(&m->taps, 0, list, position, NEEDED, NEXT);
        for (uint32_t k = 0; k <= position; k++) list[k] |= list[k] / NEXT;
    }
    nx_pixels_reach(&m->first, 0, list, position, NEEDED, PIXEL);
    return nx_pixels_list(list, position, PIXEL);
}

static int forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *memory) {
    const model *m = opaque;
    const nx_pixels *p = &m->pixels;
    scratch s = scratch_at(m, memory, n);
    (void)slice; /* a pass is short, so it has one slice */
    for (uint32_t j = 0; j < n; j++) {
        float *x = s.x + (size_t)j * nx_stride(p->d);
        memcpy(x, m->input_bias, p->d * sizeof *x);
        nx_taps_add_rows(x, &m->input, &m->first, p->output.values, columns[j].ids, columns[j].position, s.y);
    }
    nx_keep_hidden(columns, n, 0, s.x, p->d);
    for (uint32_t i = 0; i < p->blocks; i++) {
        through(m, i, &s, columns, n);
        nx_keep_hidden(columns, n, i + 1, s.x, p->d);
    }
    nx_pixels_map(columns, n, p->blocks + 1, m, s.list, keys);
    if (parameters) nx_pixels_end(p, parameters, s.x, s.y, n, s.matmul);
    return 0;
}

static const nx_part part = {.state_bytes = state_bytes, .scratch_bytes = scratch_bytes, .forward = forward, .keys = keys};

const nx_arch nx_pixelcnn = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure};

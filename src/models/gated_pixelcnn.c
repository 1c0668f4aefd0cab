/* SPDX-License-Identifier: MIT
 *
 * Gated PixelCNN [van den Oord, Kalchbrenner, Vinyals, Espeholt, Graves, Kavukcuoglu 2016, arXiv:1606.05328]: two stacks of convolutions
 * that together see every pixel before the predicted pixel. The masks of PixelCNN leave a blind spot; the two stacks do not. Gates replace
 * relu. For a pixel, the vertical stack v sees all pixels in the rows above the pixel's row. The horizontal stack x sees the pixels to the
 * left in the same row and, through a link, the output of v:
 *
 *   p  = W_vertical * v + V_v c                      floor(k/2) rows above and the row itself, k taps each (first layer: rows above)
 *   q  = W_horizontal * x + W_link p + V_x c         the pixel and floor(k/2) taps left of it (first layer: without the pixel)
 *   v  = tanh(p_f) sigma(p_g)                        [p_f, p_g] = p; the link reads p, before the gate
 *   x += W_output tanh(q_f) sigma(q_g)               only the horizontal stack has a residual (first layer: nothing to add to)
 *
 * These equations hold for the first layer, which reads the picture, and for N more layers. c is the row of a class, or zero. The output is
 * W_last relu(W_head relu(x)).
 *
 * A layer of the vertical stack looks to both sides in its own row. The layer therefore computes a whole row at once, in the pass of the
 * row's first pixel: all inputs of the row are known by then. Each layer's output W_link p waits in a queue until the pixels of the row
 * need it. The horizontal stack computes one column per pixel. For everything else, see pixelcnn.c, which also explains the letters n, N, V
 * and J. In this file, d is the width of both stacks.
 */
#include "kernels/gates.h"
#include "layers/pixels.h"

#define ARCH "gated-pixelcnn"

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

typedef struct {
    nx_embedding classes;   /* shape (classes, 4d): [V_v | V_x], or without data */
    nx_linear link, output; /* shapes (2d, 2d), (d, d) */
} gates;

typedef struct {
    gates gates;
    nx_linear vertical, horizontal; /* shape (2d, taps d), the second without a bias */
} layer;

typedef struct {
    nx_pixels pixels;
    nx_taps above, beside; /* taps of the layers after the first; `above` is relative to the next row, so it includes the current row */
    nx_taps first_above, first_beside; /* taps of the first layer */
    nx_taps row;                       /* taps that reach back to all values which wait for the pixels of a row */
    nx_embedding vertical, horizontal; /* shape (taps V, 2d): weights of the first layer */
    const float *vertical_bias;        /* shape (2d) */
    gates first;
    const layer *layers; /* shape (N) */
    uint32_t class_port; /* NX_NONE: there is no such port */
} model;

/* Returns the name of a tensor of block i, such as "blk.7.link.weight". If i is NX_NONE, the tensor belongs to the first layer and has a
 * name such as "input.link.weight". */
static nx_name name_of(uint32_t i, const char *part, const char *kind) {
    if (i != NX_NONE) return nx_block_name("", i, part, kind);
    return nx_joined(nx_joined("input.", part).text, kind);
}

static nx_linear linear_of(nx_reader *r, uint32_t i, const char *part, uint32_t rows, uint32_t cols) {
    return nx_read_named_linear(r, name_of(i, part, "").text, rows, cols);
}

static void read_gates(nx_reader *r, gates *g, uint32_t i, uint32_t d, uint32_t classes) {
    g->link = linear_of(r, i, "link", 2 * d, 2 * d);
    g->output = linear_of(r, i, "output", d, d);
    if (classes) g->classes = nx_read_embedding(r, name_of(i, "class", ".weight").text, classes, 4 * d);
}

static void configure(nx_reader *r, nx_plan *plan) {
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    nx_pixels *p = &m->pixels;
    nx_pixels_read(r, p, ARCH, 4);
    uint32_t d = p->d, half = p->kernel / 2, first = p->input_kernel / 2;
    uint32_t classes = nx_read_strings(r, KEY("classes"), NX_MAX_CLASSES);
    m->above = nx_pixels_taps(p, p->kernel, half + 1, 0, 0);
    m->beside = nx_pixels_taps(p, p->kernel, 0, half + 1, 0);
    m->first_above = nx_pixels_taps(p, p->input_kernel, first, 0, 0);
    m->first_beside = nx_pixels_taps(p, p->input_kernel, 0, first, 1);
    m->row = nx_pixels_taps(p, 1, 1, 0, 0);
    m->vertical = nx_read_embedding(r, "input.vertical.weight", nx_taps_count(&m->first_above) * p->output.values, 2 * d);
    m->horizontal = nx_read_embedding(r, "input.horizontal.weight", nx_taps_count(&m->first_beside) * p->output.values, 2 * d);
    m->vertical_bias = nx_read_vector(r, name_of(NX_NONE, "vertical", ".bias").text, 2 * d, 0);
    read_gates(r, &m->first, NX_NONE, d, classes);
    layer *layers = nx_arena_take(r->arena, p->blocks * sizeof *layers), unplaced;
    for (uint32_t i = 0; i < p->blocks && !r->status; i++) {
        layer *l = layers ? layers + i : &unplaced;
        memset(l, 0, sizeof *l);
        l->vertical = linear_of(r, i, "vertical", 2 * d, nx_taps_count(&m->above) * d);
        l->horizontal.weight = nx_read_matrix(r, name_of(i, "horizontal", ".weight").text, 2 * d, nx_taps_count(&m->beside) * d);
        read_gates(r, &l->gates, i, d, classes);
    }
    m->layers = layers;
    m->class_port = NX_NONE;
    if (classes) {
        m->class_port = plan->n_inputs;
        plan->inputs[plan->n_inputs++] = (nx_port){.name = "class", .values = classes, .dims = {1, 1, 1, 1}, .optional = 1};
    }

    nx_pixels_plan(p, plan, placed);
}

/* ---- state: queues of each layer; the scratch of a pass ----------------------------------------------------------------- */

static uint64_t link_bytes(const model *m) { return nx_queue_bytes(&m->row, 2 * m->pixels.d); }
static uint64_t above_bytes(const model *m) { return nx_queue_bytes(&m->above, m->pixels.d); }
static uint64_t beside_bytes(const model *m) { return nx_queue_bytes(&m->beside, m->pixels.d); }
static uint64_t layer_bytes(const model *m) { return link_bytes(m) + above_bytes(m) + beside_bytes(m); }

/* These functions return the three queues of layer i. The first queue holds the values W_link p of the vertical stack until the pixels of
 * the row need them. The other two queues hold the values of v and of x from the previous layer. In layer 0, the queues for v and x stay
 * empty. */
static float *links_at(const model *m, void *state, uint32_t i) { return (float *)((uint8_t *)state + i * layer_bytes(m)); }
static float *above_at(const model *m, void *state, uint32_t i) { return links_at(m, state, i) + link_bytes(m) / sizeof(float); }
static float *beside_at(const model *m, void *state, uint32_t i) { return above_at(m, state, i) + above_bytes(m) / sizeof(float); }

static uint64_t state_bytes(const void *opaque, const nx_shape *shape) {
    const model *m = opaque;
    (void)shape;
    return (m->pixels.blocks + 1) * layer_bytes(m);
}

typedef struct {
    float *x;       /* shape (J, d): the horizontal stack */
    float *p;       /* shape (J, 2d): input of the gates */
    float *o;       /* shape (J, d): output of the gates */
    float *y;       /* shape (J, 4d or head_length) */
    float *wide;    /* shape (J, taps d): the input of a convolution */
    uint32_t *list; /* shape (n): keys of the map */
    void *matmul;
    uint64_t bytes;
} scratch;

/* Lays out memory for NX_COLUMNS columns, because the vertical stack computes a row in pieces of NX_COLUMNS pixels. */
static scratch scratch_at(const model *m, void *memory) {
    uint32_t d = m->pixels.d, above = nx_taps_count(&m->above), beside = nx_taps_count(&m->beside), n = NX_COLUMNS;
    uint32_t wide = (above > beside ? above : beside) * d, y = m->pixels.head_length > 4 * d ? m->pixels.head_length : 4 * d;
    nx_arena arena = {memory, 0, UINT64_MAX};
    scratch s;
    s.x = nx_arena_columns(&arena, n, d);
    s.p = nx_arena_columns(&arena, n, 2 * d);
    s.o = nx_arena_columns(&arena, n, d);
    s.y = nx_arena_columns(&arena, n, y);
    s.wide = nx_arena_columns(&arena, n, wide);
    s.list = nx_arena_take(&arena, (uint64_t)m->pixels.n * sizeof *s.list);
    s.matmul = nx_arena_take(&arena, nx_input_bytes(wide > y ? wide : y, n));
    s.bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t n) {
    (void)shape, (void)n;
    return scratch_at(opaque, NULL).bytes;
}

/* ---- a pass ----------------------------------------------------------------------------------------------------------- */

static const gates *gates_of(const model *m, uint32_t i) { return i ? &m->layers[i - 1].gates : &m->first; }

/* Adds the class term of layer i to p, shape (2d). The term is V_x c if `horizontal` is 1, otherwise V_v c. */
static void add_class(const model *m, float *p, uint32_t i, int horizontal, const nx_column *column, const scratch *s) {
    const uint32_t *label = m->class_port == NX_NONE ? NULL : column->inputs->port[m->class_port];
    if (!label) return;
    nx_embed(s->y, &gates_of(m, i)->classes, *label);
    nx_add(p, s->y + (horizontal ? 2 * m->pixels.d : 0), 2 * m->pixels.d, 1);
}

/* Computes layer i of the vertical stack for at most 16 pixels of a row, beginning with pixel `done`. The row begins at the position of
 * `column`. */
static void above(const model *m, uint32_t i, const scratch *s, const nx_column *column, uint32_t done) {
    const nx_pixels *pixels = &m->pixels;
    const gates *g = gates_of(m, i);
    uint32_t d = pixels->d, width = pixels->width, stride = nx_stride(2 * d), wide = nx_stride(nx_taps_count(&m->above) * d);
    uint32_t n = width - done < NX_COLUMNS ? width - done : NX_COLUMNS, at = column->position + done;
    for (uint32_t j = 0; j < n && i == 0; j++) {
        memcpy(s->p + (size_t)j * stride, m->vertical_bias, 2 * d * sizeof *s->p);
        nx_taps_add_rows(s->p + (size_t)j * stride, &m->vertical, &m->first_above, pixels->output.values, column->ids, at + j, s->y);
    }
    for (uint32_t j = 0; j < n && i > 0; j++)
        nx_queue_gather(s->wide + (size_t)j * wide, above_at(m, column->state, i), &m->above, d, at + j + width);
    if (i) nx_apply_columns(s->p, &m->layers[i - 1].vertical, s->wide, n, s->matmul);
    for (uint32_t j = 0; j < n; j++) add_class(m, s->p + (size_t)j * stride, i, 0, column, s);
    nx_apply_columns(s->y, &g->link, s->p, n, s->matmul);
    nx_gate(s->o, s->p, d, n);
    for (uint32_t j = 0; j < n; j++) {
        nx_queue_write(links_at(m, column->state, i), &m->row, 2 * d, at + j, s->y + (size_t)j * stride);
        if (i < pixels->blocks) nx_queue_write(above_at(m, column->state, i + 1), &m->above, d, at + j, s->o + (size_t)j * nx_stride(d));
    }
}

/* Computes one slice of the vertical stack. The stack is computed layer by layer, for every row whose first pixel is among these columns. A
 * slice consists of as many pieces of 16 pixels as NX_SLICE_PRODUCTS allows. Returns whether more slices follow. */
static int above_rows(const model *m, const scratch *s, const nx_column *columns, uint32_t n, uint32_t slice) {
    uint32_t width = m->pixels.width, d = m->pixels.d, pieces = (width + NX_COLUMNS - 1) / NX_COLUMNS;
    uint32_t each = pieces * (m->pixels.blocks + 1), at = 0, count, first;
    count = nx_slice_steps((uint64_t)NX_COLUMNS * d * d * (2 * nx_taps_count(&m->above) + 4), NX_COLUMNS * each);
    first = count * slice;
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; columns[j].position % width == 0 && i < each; i++, at++) {
            if (at - first < count) above(m, i / pieces, s, columns + j, i % pieces * NX_COLUMNS);
        }
    return first + count < at;
}

/* Computes layer i of the horizontal stack: adds W_output gate(q) to x; in the first layer, x becomes W_output gate(q). */
static void beside(const model *m, uint32_t i, const scratch *s, const nx_column *columns, uint32_t n) {
    const gates *g = gates_of(m, i);
    uint32_t d = m->pixels.d, stride = nx_stride(2 * d), wide = nx_stride(nx_taps_count(&m->beside) * d);
    for (uint32_t j = 0; j < n; j++) {
        const nx_column *c = columns + j;
        if (i) {
            nx_queue_write(beside_at(m, c->state, i), &m->beside, d, c->position, s->x + (size_t)j * nx_stride(d));
        } else {
            memset(s->p + (size_t)j * stride, 0, 2 * d * sizeof *s->p);
            nx_taps_add_rows(s->p + (size_t)j * stride, &m->horizontal, &m->first_beside, m->pixels.output.values, c->ids, c->position,
                             s->y);
        }
    }
    for (uint32_t j = 0; j < n && i > 0; j++)
        nx_queue_gather(s->wide + (size_t)j * wide, beside_at(m, columns[j].state, i), &m->beside, d, columns[j].position);
    if (i) nx_apply_columns(s->p, &m->layers[i - 1].horizontal, s->wide, n, s->matmul);
    for (uint32_t j = 0; j < n; j++) {
        add_class(m, s->p + (size_t)j * stride, i, 1, columns + j, s);
        nx_add(s->p + (size_t)j * stride, nx_queue_at(links_at(m, columns[j].state, i), &m->row, 2 * d, columns[j].position), 2 * d, 1);
    }
    nx_gate(s->o, s->p, d, n);
    nx_apply_columns(i ? s->y : s->x, &g->output, s->o, n, s->matmul);
    if (i) nx_add(s->x, s->y, d, n);
}

/* Lists the keys of row r of the map: the pixels that affect x after r more layers. A value of x depends on x at the taps of the horizontal
 * stack and, through the link, on v at the taps of the vertical stack. A value of v depends only on v. In the pixel's own row, the taps of
 * the vertical stack also reach to the right. */
static uint32_t keys(const void *opaque, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *list) {
    const model *m = opaque;
    enum { X = 1, V = 2, NEXT = 4, PIXEL = 16 };
    uint32_t width = m->pixels.width, last = position - position % width + width - 1;
    (void)shape, (void)map;
    memset(list, 0, (last + 1) * sizeof *list);
    list[position] = X;
    for (uint32_t i = 0; i < row; i++) {
        nx_pixels_reach(&m->above, width, list, last, X | V, V * NEXT);
        nx_pixels_reach(&m->beside, 0, list, last, X, X * NEXT);
        for (uint32_t k = 0; k <= last; k++) list[k] /= NEXT; /* drops the old marks; the taps of x include x's own column */
    }
    nx_pixels_reach(&m->first_above, 0, list, last, X | V, PIXEL);
    nx_pixels_reach(&m->first_beside, 0, list, last, X, PIXEL);
    return nx_pixels_list(list, position, PIXEL);
}

static int forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *memory) {
    const model *m = opaque;
    scratch s = scratch_at(m, memory);
    if (above_rows(m, &s, columns, n, slice)) return 1;
    for (uint32_t i = 0; i <= m->pixels.blocks; i++) {
        beside(m, i, &s, columns, n);
        nx_keep_hidden(columns, n, i, s.x, m->pixels.d);
    }
    nx_pixels_map(columns, n, m->pixels.blocks + 1, m, s.list, keys);
    if (parameters) nx_pixels_end(&m->pixels, parameters, s.x, s.y, n, s.matmul);
    return 0;
}

static const nx_part part = {.state_bytes = state_bytes, .scratch_bytes = scratch_bytes, .forward = forward, .keys = keys};

const nx_arch nx_gated_pixelcnn = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure};

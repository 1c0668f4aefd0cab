/* SPDX-License-Identifier: MIT
 *
 * WaveNet [van den Oord, Dieleman, Zen, Simonyan, Vinyals, Graves, Kalchbrenner, Senior, Kavukcuoglu 2016, arXiv:1609.03499]: generates
 * sound sample by sample with causal convolutions of two taps. The distance between the two taps is the dilation d. The dilation doubles
 * from layer to layer, so L layers see 2^L samples. For the column h of the next sample, layer l computes
 *
 *   [f, g] = W_gate [h_{t-d}; h_t] + V_c class + V_s speaker        before the first sample, h is zero (this differs from silence)
 *   z      = tanh(f) sigma(g)
 *   [r, s] = W_mix z        h += r, skip += s                       the last layer has only s
 *
 * There are L of these layers. The layer before them reads ids: h_t = A[id_{t-2}] + B[id_{t-1}] + bias, where the tables A and B have one
 * row for each id. The output is W_output relu(W_head relu(skip)). The class and the speaker are optional.
 *
 * Each layer has a queue that holds the vectors h_{t-d}, ..., h_{t-1} [Paine et al. 2016, arXiv:1611.09482]. A sample therefore takes L
 * products, whatever the dilations are, although it depends on 2^L inputs.
 *
 * A sound is a sequence of mu-law levels 0..255 and an end, 256; the caller limits its length. The same network also draws grey pictures,
 * which are sequences of pixels in raster order.
 *
 * Letters: R: width of h. D: width of z. S: width of skip. V: number of values of an id. J: number of columns of a pass.
 */
#include <string.h>

#include "kernels/gates.h"
#include "kernels/queue.h"
#include "layers/pictures.h"
#include "layers/layers.h"

#define ARCH "wavenet"
#define MAX_LAYERS 256
#define MAX_DILATION 65536
#define MAX_WIDTH 4096
#define SOUND_LEVELS 256 /* number of mu-law levels; the id after them is the end */

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

typedef struct {
    nx_taps taps;                   /* one tap, d samples back */
    uint64_t queue;                 /* offset of the layer's queue in bytes */
    nx_linear gate, mix;            /* shapes (2D, 2R), (R + S, D), or (S, D) */
    nx_embedding classes, speakers; /* shapes (classes, 2D), (speakers, 2D), or without data */
} layer;

typedef struct {
    uint32_t R, D, S, head_length, n;
    uint32_t class_port, speaker_port; /* NX_NONE: there is no such port */
    uint64_t queues;                   /* bytes of all queues */
    nx_output output;
    nx_taps first;        /* taps in the table of the ids */
    nx_embedding input;   /* shape (2V, R) */
    const float *bias;    /* shape (R) */
    const layer *layers;  /* shape (n) */
    nx_linear head, last; /* shapes (head_length, S), (P, head_length) */
} model;

/* Reads the settings of the output. The output is a sound if the file has a sample rate. Otherwise, the output is a picture. */
static void read_output(nx_reader *r, nx_output *output, nx_plan *plan) {
    if (nx_has_key(r, KEY("sound.rate"))) {
        nx_read_u32(r, KEY("sound.rate"), 1000, 384000, NX_REQUIRED);
        *output = (nx_output){.kind = NX_CATEGORICAL, .values = SOUND_LEVELS + 1, .elements = 1};
        plan->ends[plan->n_ends++] = SOUND_LEVELS;
        return;
    }
    plan->length =
        nx_read_u32(r, KEY("image.height"), 1, NX_MAX_SIDE, NX_REQUIRED) * nx_read_u32(r, KEY("image.width"), 1, NX_MAX_SIDE, NX_REQUIRED);
    nx_read_u32(r, KEY("image.channels"), 1, 1, 1);
    nx_read_levels(r, ARCH, NX_DISCRETE_KINDS, output);
}

/* Adds a port for a class or a speaker to the plan; the port takes one id. If the file has no names of classes or speakers, no port is
 * added. Returns the number of names. */
static uint32_t read_port(nx_reader *r, nx_plan *plan, const char *names, const char *name, uint32_t *port) {
    uint32_t values = nx_read_strings(r, nx_key(ARCH, names).text, NX_MAX_CLASSES);
    *port = values ? plan->n_inputs : NX_NONE;
    if (values) plan->inputs[plan->n_inputs++] = (nx_port){.name = name, .values = values, .dims = {1, 1, 1, 1}, .optional = 1};
    return values;
}

static void read_layer(nx_reader *r, const model *m, layer *l, uint32_t i, uint32_t classes, uint32_t speakers) {
    l->gate = nx_read_linear_with_bias(r, "", i, "gate", 2 * m->D, 2 * m->R);
    l->mix = nx_read_linear_with_bias(r, "", i, "mix", (i + 1 < m->n ? m->R : 0) + m->S, m->D);
    if (classes) l->classes = nx_read_embedding(r, nx_block_name("", i, "class", ".weight").text, classes, 2 * m->D);
    if (speakers) l->speakers = nx_read_embedding(r, nx_block_name("", i, "speaker", ".weight").text, speakers, 2 * m->D);
}

static void configure(nx_reader *r, nx_plan *plan) {
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    uint32_t dilations[MAX_LAYERS];
    memset(m, 0, sizeof *m);
    m->n = nx_read_numbers(r, KEY("dilations"), 1, MAX_DILATION, dilations, MAX_LAYERS);
    if (!m->n) nx_reader_fail(r, NX_E_FORMAT, KEY("dilations"), "there are no layers");
    m->R = nx_read_width(r, KEY("residual_length"), MAX_WIDTH, NX_REQUIRED);
    m->D = nx_read_width(r, KEY("gate_length"), MAX_WIDTH, NX_REQUIRED);
    m->S = nx_read_width(r, KEY("skip_length"), MAX_WIDTH, NX_REQUIRED);
    m->head_length = nx_read_width(r, KEY("head_length"), MAX_WIDTH, NX_REQUIRED);
    read_output(r, &m->output, plan);
    uint32_t classes = read_port(r, plan, "classes", "class", &m->class_port);
    uint32_t speakers = read_port(r, plan, "speakers", "speaker", &m->speaker_port);
    m->first = (nx_taps){.left = 2, .gap = 1};
    m->input = nx_read_embedding(r, "input.weight", 2 * m->output.values, m->R);
    m->bias = nx_read_vector(r, "input.bias", m->R, 0);
    layer *layers = nx_arena_take(r->arena, m->n * sizeof *layers), unplaced;
    for (uint32_t i = 0; i < m->n && !r->status; i++) {
        layer *l = layers ? layers + i : &unplaced;
        memset(l, 0, sizeof *l);
        l->taps = (nx_taps){.left = 1, .gap = dilations[i]};
        l->queue = m->queues;
        m->queues += nx_queue_bytes(&l->taps, m->R);
        read_layer(r, m, l, i, classes, speakers);
    }
    m->layers = layers;
    m->head = nx_read_named_linear(r, "head.0", m->head_length, m->S);
    m->last = nx_read_named_linear(r, "output", nx_output_parameters(&m->output), m->head_length);

    plan->weights = placed;
    plan->output = m->output;
    plan->rewinds = NX_COLUMNS;
}

/* ---- state: a queue for each layer; the scratch of a pass ------------------------------------------------------------- */

static uint64_t state_bytes(const void *opaque, const nx_shape *shape) {
    (void)shape;
    return ((const model *)opaque)->queues;
}

static float *queue_of(const layer *l, void *state) { return (float *)((uint8_t *)state + l->queue); }

typedef struct {
    float *h;    /* shape (J, R) */
    float *skip; /* shape (J, S) */
    float *wide; /* shape (J, 2R): the input of a layer, [h_{t-d}; h_t] */
    float *fg;   /* shape (J, 2D) */
    float *z;    /* shape (J, D) */
    float *y;    /* shape (J, R + S, or head_length) */
    float *row;  /* shape (2D or R): a row of a table */
    void *matmul;
    uint64_t bytes;
} scratch;

static scratch scratch_at(const model *m, void *memory, uint32_t n) {
    uint32_t y = m->R + m->S > m->head_length ? m->R + m->S : m->head_length, row = 2 * m->D > m->R ? 2 * m->D : m->R, most = 2 * m->R;
    nx_arena arena = {memory, 0, UINT64_MAX};
    scratch s;
    s.h = nx_arena_columns(&arena, n, m->R);
    s.skip = nx_arena_columns(&arena, n, m->S);
    s.wide = nx_arena_columns(&arena, n, 2 * m->R);
    s.fg = nx_arena_columns(&arena, n, 2 * m->D);
    s.z = nx_arena_columns(&arena, n, m->D);
    s.y = nx_arena_columns(&arena, n, y);
    s.row = nx_arena_columns(&arena, 1, row);
    if (most < m->D) most = m->D;
    if (most < m->S) most = m->S;
    if (most < m->head_length) most = m->head_length;
    s.matmul = nx_arena_take(&arena, nx_input_bytes(most, n));
    s.bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t n) {
    (void)shape;
    return scratch_at(opaque, NULL, n).bytes;
}

/* ---- a pass ----------------------------------------------------------------------------------------------------------- */

/* Looks up the port's id in the table, and adds the row of this id to fg. Does nothing if the port has no id. fg: shape (2D). */
static void add_given(float *fg, const nx_embedding *table, uint32_t port, const nx_column *column, float *row) {
    const uint32_t *given = port == NX_NONE ? NULL : column->inputs->port[port];
    if (!given) return;
    nx_embed(row, table, *given);
    nx_add(fg, row, table->cols, 1);
}

/* Computes layer i: h += r, skip += s. */
static void through(const model *m, uint32_t i, const scratch *s, const nx_column *columns, uint32_t n) {
    const layer *l = m->layers + i;
    uint32_t R = m->R, rows = l->mix.weight.rows, residual = rows - m->S, wide = nx_stride(2 * R);
    for (uint32_t j = 0; j < n; j++)
        nx_queue_write(queue_of(l, columns[j].state), &l->taps, R, columns[j].position, s->h + (size_t)j * nx_stride(R));
    for (uint32_t j = 0; j < n; j++) {
        nx_queue_gather(s->wide + (size_t)j * wide, queue_of(l, columns[j].state), &l->taps, R, columns[j].position);
        memcpy(s->wide + (size_t)j * wide + R, s->h + (size_t)j * nx_stride(R), R * sizeof *s->h);
    }
    nx_apply_columns(s->fg, &l->gate, s->wide, n, s->matmul);
    for (uint32_t j = 0; j < n; j++) {
        float *fg = s->fg + (size_t)j * nx_stride(2 * m->D);
        add_given(fg, &l->classes, m->class_port, columns + j, s->row);
        add_given(fg, &l->speakers, m->speaker_port, columns + j, s->row);
    }
    nx_gate(s->z, s->fg, m->D, n);
    nx_apply_columns(s->y, &l->mix, s->z, n, s->matmul);
    for (uint32_t j = 0; j < n; j++) {
        const float *y = s->y + (size_t)j * nx_stride(rows);
        if (residual) nx_add(s->h + (size_t)j * nx_stride(R), y, residual, 1);
        nx_add(s->skip + (size_t)j * nx_stride(m->S), y + residual, m->S, 1);
    }
}

static int forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *memory) {
    const model *m = opaque;
    scratch s = scratch_at(m, memory, n);
    (void)slice; /* a pass is short, so it has one slice */
    for (uint32_t j = 0; j < n; j++) {
        float *h = s.h + (size_t)j * nx_stride(m->R);
        memcpy(h, m->bias, m->R * sizeof *h);
        nx_taps_add_rows(h, &m->input, &m->first, m->output.values, columns[j].ids, columns[j].position, s.row);
    }
    memset(s.skip, 0, (size_t)n * nx_stride(m->S) * sizeof *s.skip);
    for (uint32_t i = 0; i < m->n; i++) through(m, i, &s, columns, n);
    if (!parameters) return 0;
    nx_relu(s.skip, m->S, n);
    nx_apply_columns(s.y, &m->head, s.skip, n, s.matmul);
    nx_relu(s.y, m->head_length, n);
    nx_apply_columns(parameters, &m->last, s.y, n, s.matmul);
    return 0;
}

static const nx_part part = {.state_bytes = state_bytes, .scratch_bytes = scratch_bytes, .forward = forward};

const nx_arch nx_wavenet = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure};

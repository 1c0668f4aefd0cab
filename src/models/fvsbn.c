/* SPDX-License-Identifier: MIT
 *
 * Fully visible sigmoid belief network [Frey, Hinton, Dayan 1996, "Does the wake-sleep algorithm produce good density estimators?"; Frey
 * 1998; Gan, Henao, Carlson, Carin 2015]: a logistic regression of every binary pixel on all pixels before it,
 *
 *   p(x_i = 1 | x_<i) = sigma(a_i),   a_i = b_i + sum over j < i of W_ij x_j.
 *
 * The state stores the sum a_i for every pixel i. If x_j is drawn as 1, W_ij is added to the sum a_i of every later pixel i. If x_j is 0,
 * no sum changes. An image therefore takes at most n additions for each pixel that is 1, and no matrix product.
 *
 * n: pixels, in raster order. In the file, row j holds the weights of pixel j: weight[j][i] = W_ij, zero where i <= j.
 */
#include <string.h>

#include "arch.h"
#include "kernels/kernels.h"
#include "layers/pictures.h"
#include "reader.h"

#define ARCH "fvsbn"

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t n;
    nx_embedding weight; /* shape (n, n): one row per source pixel */
    const float *bias;   /* shape (n) */
} model;

static void configure(nx_reader *r, nx_plan *plan) {
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    m->n =
        nx_read_u32(r, KEY("image.height"), 1, NX_MAX_SIDE, NX_REQUIRED) * nx_read_u32(r, KEY("image.width"), 1, NX_MAX_SIDE, NX_REQUIRED);
    nx_read_u32(r, KEY("image.channels"), 1, 1, 1);
    nx_read_u32(r, KEY("image.levels"), 2, 2, 2);
    m->weight = nx_read_embedding(r, "fvsbn.weight", m->n, m->n);
    m->bias = nx_read_vector(r, "fvsbn.bias", m->n, 0);
    r->parameters[0] /= 2; /* the file has n (n + 1) numbers, of which half are zeros and not weights */
    plan->weights = placed;
    plan->output = (nx_output){.kind = NX_BERNOULLI, .values = 2, .elements = 1};
    plan->length = m->n;
    plan->rewinds = 0; /* positions cannot be recomputed, because an addition to a sum cannot be undone exactly */
}

/* ---- memory: the state holds the sums a of a sequence, the scratch memory holds a row of W ---------------------------- */

static uint64_t row_bytes(const void *opaque) { return nx_stride(((const model *)opaque)->n) * sizeof(float); }

static uint64_t state_bytes(const void *opaque, const nx_shape *shape) {
    (void)shape;
    return row_bytes(opaque);
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t columns) {
    (void)shape, (void)columns;
    return row_bytes(opaque);
}

static int forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *scratch) {
    const model *m = opaque;
    (void)slice; /* a pass is short, so it has one slice */
    for (uint32_t c = 0; c < n; c++) {
        float *a = columns[c].state, *row = scratch;
        uint32_t i = columns[c].position, first = i & ~3u; /* i rounded down to a multiple of four; earlier sums are not read again */
        if (i == 0) memcpy(a, m->bias, row_bytes(m));
        if (i > 0 && columns[c].ids[i - 1]) {
            nx_embed(row, &m->weight, i - 1);
            nx_add(a + first, row + first, m->n - first, 1);
        }
        if (parameters) parameters[(size_t)c * nx_stride(1)] = a[i];
    }
    return 0;
}

static const nx_part part = {.state_bytes = state_bytes, .scratch_bytes = scratch_bytes, .forward = forward};

const nx_arch nx_fvsbn = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure};

/* SPDX-License-Identifier: MIT  See draft.h. */
#include "draft.h"

#include <string.h>

#include "kernels/kernels.h"
#include "reader.h"

#define NAME(part) "draft." part ".weight"
#define MAX_NEIGHBOURS 32
#define MAX_REACH 16 /* largest distance to a neighbour, in rows or columns */
#define MAX_HIDDEN 256
#define MAX_RANK 256

struct nx_draft {
    uint32_t rows, cols, values, hidden, n_neighbours;
    int8_t offset[MAX_NEIGHBOURS][2]; /* rows, columns */
    const float *neighbours;          /* shape (O, V, h): N_o e_v */
    const float *row, *col;           /* shapes (rows, h), (cols, h) */
    nx_matrix output;                 /* shape (V, h) */
    const float *bias;                /* shape (V) */
};

static void read_offsets(nx_reader *r, nx_draft *d, const nx_tensor *tensor) {
    nx_read_table(r, NAME("offset"), d->n_neighbours, 2); /* only checks the tensor; the offsets are read from the file below */
    for (uint32_t o = 0; !r->status && o < d->n_neighbours; o++) {
        float offset[2], most = MAX_REACH;
        nx_dequantize(offset, tensor->data + o * (tensor->bytes / d->n_neighbours), tensor->type, 2);
        float down = offset[0], right = offset[1];
        if (!(down >= -most && down <= 0 && right >= -most && right <= most && (down < 0 || right < 0)) || down != (float)(int8_t)down ||
            right != (float)(int8_t)right) {
            nx_reader_fail(r, NX_E_FORMAT, NAME("offset"), "a neighbour is not earlier, or is too far away");
            return;
        }
        d->offset[o][0] = (int8_t)down;
        d->offset[o][1] = (int8_t)right;
    }
}

/* Reads the table of shape (O, V, h) with the numbers that each value of each neighbour adds to the hidden units. */
static const float *read_neighbours(nx_reader *r, const nx_draft *d, uint32_t rank) {
    const float *e = nx_read_table(r, NAME("token_embd"), d->values, rank);
    const float *n = nx_read_table(r, NAME("neighbour"), d->n_neighbours * d->hidden, rank);
    float *out = nx_arena_take(r->arena, (uint64_t)d->n_neighbours * d->values * d->hidden * sizeof *out);
    if (r->status || !out || nx_arena_full(r->arena)) return NULL;
    for (uint32_t o = 0; o < d->n_neighbours; o++)
        for (uint32_t v = 0; v < d->values; v++)
            for (uint32_t i = 0; i < d->hidden; i++) {
                float sum = 0;
                for (uint32_t k = 0; k < rank; k++) sum += n[(size_t)(o * d->hidden + i) * rank + k] * e[(size_t)v * rank + k];
                out[((size_t)o * d->values + v) * d->hidden + i] = sum;
            }
    return out;
}

int nx_draft_there(const nx_reader *r) { return nx_tensor_rows(r, NAME("offset")) > 0; }

const nx_draft *nx_draft_read(nx_reader *r, uint32_t rows, uint32_t cols, uint32_t values) {
    nx_tensor offsets = {0};
    nx_draft local, *placed = nx_arena_take(r->arena, sizeof *placed), *d = placed ? placed : &local;
    uint64_t parameters = r->parameters[r->part];
    uint32_t rank = nx_tensor_columns(r, NAME("token_embd"));
    if (r->status || !nx_gguf_tensor(r->file, NAME("offset"), &offsets)) return NULL;
    memset(d, 0, sizeof *d);
    d->rows = rows;
    d->cols = cols;
    d->values = values;
    d->hidden = nx_tensor_columns(r, NAME("output"));
    d->n_neighbours = offsets.dim[1];
    if (!rank) nx_reader_fail(r, NX_E_FORMAT, NAME("token_embd"), "the tensor is missing");
    if (!d->hidden) nx_reader_fail(r, NX_E_FORMAT, NAME("output"), "the tensor is missing");
    if (d->n_neighbours > MAX_NEIGHBOURS || d->hidden % 4 || d->hidden > MAX_HIDDEN || rank > MAX_RANK)
        nx_reader_fail(r, NX_E_UNSUPPORTED, NAME("output"), "the size of the draft is not supported");
    if (r->status) return NULL;
    read_offsets(r, d, &offsets);
    d->neighbours = read_neighbours(r, d, rank);
    d->row = nx_read_table(r, NAME("position_row"), d->rows, d->hidden);
    d->col = nx_read_table(r, NAME("position_col"), d->cols, d->hidden);
    d->output = nx_read_matrix(r, NAME("output"), d->values, d->hidden);
    d->bias = nx_read_vector(r, "draft.output.bias", d->values, 0);
    r->parameters[r->part] = parameters; /* the draft's weights do not count as weights of the model */
    return placed;
}

/* Lays out the scratch memory. Returns the address of the hidden units; *matmul gets the address of the matrix product's scratch memory,
 * and *bytes gets the total size. */
static float *scratch_at(const nx_draft *d, void *memory, void **matmul, uint64_t *bytes) {
    nx_arena arena = {memory, 0, UINT64_MAX};
    float *hidden = nx_arena_columns(&arena, 1, d->hidden);
    *matmul = nx_arena_take(&arena, nx_input_bytes(d->hidden, 1));
    *bytes = arena.used;
    return hidden;
}

uint64_t nx_draft_scratch_bytes(const nx_draft *draft) {
    void *matmul;
    uint64_t bytes = 0;
    if (draft) scratch_at(draft, NULL, &matmul, &bytes);
    return bytes;
}

void nx_draft_logits(const nx_draft *d, const uint32_t *ids, uint32_t position, float *logits, void *scratch) {
    void *matmul;
    uint64_t bytes;
    float *hidden = scratch_at(d, scratch, &matmul, &bytes);
    uint32_t row = position / d->cols, col = position % d->cols;
    memcpy(hidden, d->row + (size_t)row * d->hidden, d->hidden * sizeof *hidden);
    nx_add(hidden, d->col + (size_t)col * d->hidden, d->hidden, 1);
    for (uint32_t o = 0; o < d->n_neighbours; o++) {
        int32_t down = (int32_t)row + d->offset[o][0], right = (int32_t)col + d->offset[o][1];
        if (down < 0 || right < 0 || right >= (int32_t)d->cols) continue;
        uint32_t value = ids[(uint32_t)down * d->cols + (uint32_t)right];
        nx_add(hidden, d->neighbours + ((size_t)o * d->values + value) * d->hidden, d->hidden, 1);
    }
    nx_relu(hidden, d->hidden, 1);
    nx_input input = nx_input_of(hidden, 1, matmul);
    nx_matmul(logits, &d->output, d->bias, &input);
    for (uint32_t v = d->values; v < nx_stride(d->values); v++) logits[v] = -__builtin_inff();
}

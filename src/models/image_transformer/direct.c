/* SPDX-License-Identifier: MIT */
#include "models/image_transformer/direct.h"

#include <string.h>

#include "kernels/elementary.h"
#include "reader.h"

#define AROUND 27         /* number of features of the 3 x 3 cells around a pixel, with 3 colours each */
#define CELL 12           /* index of the features of the centre cell, which contains the pixel */
#define LEFT (AROUND + 3) /* among the known features, index of the earlier pixels; in the decoder's input, index of the constant 1 */
#define INPUT (LEFT + 1)  /* number of features of a pixel at the decoder's input */

static const int past[6][2] = {{0, -1}, {-1, 0}, {-1, -1}, {-1, 1}, {0, -2}, {-2, 0}}; /* rows, columns */

int nx_direct_there(const nx_reader *reader) { return nx_tensor_rows(reader, "direct.input.weight") > 0; }

/* Converts the palette to nx_direct.squares. */
static const float *squares(nx_reader *r, const float *palette, uint32_t values) {
    uint32_t stride = nx_stride(values);
    float *planes = nx_arena_take(r->arena, (uint64_t)4 * stride * sizeof *planes);
    if (!planes || nx_arena_full(r->arena) || r->status) return NULL;
    memset(planes, 0, (size_t)4 * stride * sizeof *planes);
    for (uint32_t v = 0; v < values; v++)
        for (uint32_t c = 0; c < 3; c++) {
            float z = (255 - palette[3 * v + c]) / 255;
            planes[c * stride + v] = z;
            planes[3 * stride + v] += z * z;
        }
    return planes;
}

void nx_direct_read(nx_reader *r, nx_direct *w, uint32_t d, const float *palette, uint32_t values, uint32_t mixtures) {
    if (w->height % w->rows || w->width % w->cols) {
        nx_reader_fail(r, NX_E_UNSUPPORTED, "direct.input.weight", "a pixel of the small picture is not a whole number of pixels");
        return;
    }
    uint32_t sure = mixtures ? 3 : 1;
    w->places = w->height / w->rows * (w->width / w->cols);
    w->values = values;
    w->mixtures = mixtures;
    w->colours = palette;
    w->d = d;
    w->input = nx_read_table(r, "direct.input.weight", w->places * INPUT, d);
    w->near = mixtures ? NULL : nx_read_table(r, "direct.near.weight", 2 * values, d);
    w->guess = nx_read_table(r, "direct.guess.weight", w->places * NX_DIRECT_KNOWN, 3);
    w->hidden = nx_read_table(r, "direct.hidden.weight", 3, d);
    w->certainty = nx_read_table(r, "direct.certainty.weight", sure, d);
    w->certainty_bias = nx_read_table(r, "direct.certainty.bias", w->places, sure);
    w->squares = mixtures ? NULL : squares(r, palette, values);
}

/* ---- known features --------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t row, col, cell_rows, cell_cols,
        place; /* row, col: where the pixel is; cell_rows, cell_cols: size of a cell; place: index of the pixel in its cell */
} spot;

static spot spot_of(const nx_direct *w, uint32_t position) {
    spot s = {position / w->width, position % w->width, w->height / w->rows, w->width / w->cols, 0};
    s.place = s.row % s.cell_rows * s.cell_cols + s.col % s.cell_cols;
    return s;
}

uint32_t nx_direct_cell(const nx_direct *w, uint32_t position) {
    spot s = spot_of(w, position);
    return s.row / s.cell_rows * w->cols + s.col / s.cell_cols;
}

/* Computes z, shape (3), the colour of pixel `index` of the large picture. */
static void drawn(const nx_direct *w, float *z, const uint32_t *ids, uint32_t index) {
    for (uint32_t c = 0; c < 3; c++) z[c] = (255 - (w->colours ? w->colours[3 * ids[index] + c] : (float)ids[3 * index + c])) / 255;
}

void nx_direct_know(const nx_direct *w, float *known, const uint32_t *small, const uint32_t *ids, uint32_t position) {
    spot s = spot_of(w, position);
    uint32_t row = s.row / s.cell_rows, col = s.col / s.cell_cols, first = row * s.cell_rows * w->width + col * s.cell_cols;
    memset(known, 0, NX_DIRECT_KNOWN * sizeof *known);
    for (uint32_t i = 0; i < 9; i++) {
        uint32_t y = row + i / 3 - 1, x = col + i % 3 - 1; /* a negative index wraps around to a large number */
        for (uint32_t c = 0; c < 3 && y < w->rows && x < w->cols; c++)
            known[3 * i + c] = (255 - (float)small[(y * w->cols + x) * 3 + c]) / 255;
    }
    float *left = known + AROUND, z[3], sum[3] = {0};
    for (uint32_t k = 0; k < s.place; k++) {
        drawn(w, z, ids, first + k / s.cell_cols * w->width + k % s.cell_cols);
        for (uint32_t c = 0; c < 3; c++) sum[c] += z[c];
    }
    for (uint32_t c = 0; c < 3; c++) {
        float rest = ((float)w->places * known[CELL + c] - sum[c]) / (float)(w->places - s.place);
        left[c] = rest < 0 ? 0 : rest > 1 ? 1 : rest;
    }
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t y = s.row + (uint32_t)past[i][0], x = s.col + (uint32_t)past[i][1];
        if (y < w->height && x < w->width) drawn(w, known + LEFT + 3 * i, ids, y * w->width + x);
    }
    known[NX_DIRECT_KNOWN - 1] = 1;
}

/* Returns the index of the palette's colour nearest to z (3). Ties go to the lowest index. */
static uint32_t nearest(const nx_direct *w, const float *z) {
    uint32_t stride = nx_stride(w->values), first = 0, at[4];
    v128_t red = wasm_f32x4_splat(z[0]), green = wasm_f32x4_splat(z[1]), blue = wasm_f32x4_splat(z[2]);
    v128_t least = wasm_f32x4_splat(3e38f), best = wasm_i32x4_splat(0), v = wasm_i32x4_make(0, 1, 2, 3);
    float distance[4];
    for (const float *p = w->squares; p < w->squares + stride; p += 4, v = wasm_i32x4_add(v, wasm_i32x4_splat(4))) {
        v128_t product = wasm_f32x4_add(wasm_f32x4_mul(red, wasm_v128_load(p)), wasm_f32x4_mul(green, wasm_v128_load(p + stride)));
        product = wasm_f32x4_add(product, wasm_f32x4_mul(blue, wasm_v128_load(p + 2 * stride)));
        v128_t far = wasm_f32x4_sub(wasm_v128_load(p + 3 * stride), wasm_f32x4_add(product, product)); /* distance without the term |z|^2 */
        v128_t nearer = wasm_v128_and(wasm_f32x4_lt(far, least), wasm_i32x4_lt(v, wasm_i32x4_splat((int32_t)w->values)));
        least = wasm_v128_bitselect(far, least, nearer);
        best = wasm_v128_bitselect(v, best, nearer);
    }
    wasm_v128_store(distance, least);
    wasm_v128_store(at, best);
    for (uint32_t i = 1; i < 4; i++)
        if (distance[i] < distance[first] || (distance[i] == distance[first] && at[i] < at[first])) first = i;
    return at[first];
}

void nx_direct_enter(const nx_direct *w, float *x, const float *known, uint32_t position) {
    const float *row = w->input + (size_t)spot_of(w, position).place * INPUT * w->d;
    for (uint32_t f = 0; f < INPUT; f++, row += w->d) {
        float z = f < LEFT ? known[f] : 1;
        if (z != 0) nx_add_scaled(x, row, z, w->d); /* z is zero for white pixels, which are most of a drawing */
    }
    if (!w->near) return;
    nx_add_scaled(x, w->near + (size_t)nearest(w, known + CELL) * w->d, 1, w->d);
    nx_add_scaled(x, w->near + (size_t)(w->values + nearest(w, known + AROUND)) * w->d, 1, w->d);
}

/* ---- the prior ------------------------------------------------------------------------------------------------------- */

/* Returns the inner product of a and b. Each of four partial sums takes every fourth product. n % 4 == 0 */
static float inner(const float *a, const float *b, uint32_t n) {
    v128_t sum = wasm_f32x4_splat(0);
    for (uint32_t i = 0; i < n; i += 4) sum = f32x4_mul_add(wasm_v128_load(a + i), wasm_v128_load(b + i), sum);
    return (wasm_f32x4_extract_lane(sum, 0) + wasm_f32x4_extract_lane(sum, 1)) +
           (wasm_f32x4_extract_lane(sum, 2) + wasm_f32x4_extract_lane(sum, 3));
}

/* ln(1 + e^x) */
static float softplus(float x) {
    float e = wasm_f32x4_extract_lane(f32x4_exp(wasm_f32x4_splat(x < 0 ? x : -x)), 0);
    return (x > 0 ? x : 0) + f32_log(1 + e);
}

void nx_direct_lead(const nx_direct *w, float *parameters, const float *h, const float *known, uint32_t position) {
    uint32_t place = spot_of(w, position).place, d = w->d, sure = w->mixtures ? 3 : 1;
    const float *rows = w->guess + (size_t)place * NX_DIRECT_KNOWN * 3;
    float guess[3], s[3];
    for (uint32_t c = 0; c < 3; c++) {
        guess[c] = 0;
        for (uint32_t f = 0; f < NX_DIRECT_KNOWN; f++) guess[c] += rows[3 * f + c] * known[f];
        guess[c] += inner(w->hidden + (size_t)c * d, h, d);
    }
    for (uint32_t c = 0; c < sure; c++) s[c] = softplus(inner(w->certainty + (size_t)c * d, h, d) + w->certainty_bias[place * sure + c]);
    if (w->mixtures) {
        for (uint32_t c = 0; c < 3; c++) {
            float *location = parameters + w->mixtures * (1 + 3 * c), share = s[c] / (1 + s[c]), towards = 1 - 2 * guess[c];
            for (uint32_t k = 0; k < w->mixtures; k++) location[k] += share * (towards - location[k]);
        }
        return;
    }
    uint32_t stride = nx_stride(w->values);
    v128_t two_r = wasm_f32x4_splat(2 * guess[0]), two_g = wasm_f32x4_splat(2 * guess[1]), two_b = wasm_f32x4_splat(2 * guess[2]);
    v128_t scale = wasm_f32x4_splat(s[0]);
    for (uint32_t v = 0; v < stride; v += 4) {
        const float *p = w->squares + v;
        v128_t near = wasm_f32x4_mul(two_r, wasm_v128_load(p));
        near = f32x4_mul_add(two_g, wasm_v128_load(p + stride), near);
        near = f32x4_mul_add(two_b, wasm_v128_load(p + 2 * stride), near);
        near = wasm_f32x4_sub(near, wasm_v128_load(p + 3 * stride));
        wasm_v128_store(parameters + v, f32x4_mul_add(scale, near, wasm_v128_load(parameters + v)));
    }
}

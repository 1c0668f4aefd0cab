/* SPDX-License-Identifier: MIT
 *
 * Against PyTorch: tests/golden/NAME.gguf with NAME.golden.gguf, written by weights/train/golden.py in double precision. The
 * model's file is compiled in here, so that what enters and leaves each block can be compared and not only the logits.
 */
#define nx_image_transformer image_transformer_under_test
#include "models/image_transformer.c"

#include <math.h>

#include "check.h"
#include "kernels/kernels.h"
#include "model.h"
#include "toy.h"

/* Rounding of single precision through up to three layers, for logits of about 1.5 deviation: the bound of the project. */
#define OUTPUT_TOLERANCE 1e-4
#define BLOCK_TOLERANCE 1e-4 /* of a block's output, which a layer norm leaves at a deviation of about 1 */
/* Of a density relative to 1 + nats, for it moves them by its sharpness e^-s times what its location is off; 5.2e-6 was measured. */
#define NATS_TOLERANCE 1e-4
/* The golden values of a quantised file are those of its weights without what the library rounds besides (activations, keys, values, and
 * weights of Q8_0 to 7 bits), which costs this much. */
#define QUANTISED_OUTPUT_TOLERANCE 0.3
#define QUANTISED_BLOCK_TOLERANCE 0.3
#define QUANTISED_NATS_TOLERANCE 0.03 /* of the mean over the image */

/* A tensor of the golden file; null, and a failed check unless it is optional, when it is not there. */
static const float *golden(const nx_gguf *file, const char *name, uint32_t rows, uint32_t cols, int optional) {
    nx_tensor t;
    if (!nx_gguf_tensor(file, name, &t)) return CHECK(optional), NULL;
    if (!CHECK(t.type == NX_F32 && t.dim[0] * t.dim[1] == rows * cols && (rows == 1 || t.dim[1] == rows))) return NULL;
    return memory_copy(t.data, t.bytes);
}

static uint8_t *bytes_of(const float *numbers, uint32_t n) {
    uint8_t *bytes = memory_take(n);
    for (uint32_t i = 0; i < n; i++) bytes[i] = (uint8_t)numbers[i];
    return bytes;
}

static void widen(double *worst, const float *actual, const float *expected, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) *worst = fmax(*worst, fabs((double)actual[i] - (double)expected[i]));
}

/* All positions in passes, as forward() does it, with a look after each block. worst: of the input, then of each block */
static void blocks_of(const model *m, const uint8_t *levels, const uint8_t *small, int32_t label, const float *encoded, const float *input,
                      const float *const *expected, double *worst) {
    uint32_t stride = nx_stride(m->d);
    void *memory = memory_take(scratch_bytes(m, NX_COLUMNS)), *cache = memory_take(cache_bytes(m)), *source = memory_take(condition_bytes(m));
    if (m->source) {
        double worst_encoded = 0;
        condition(m, source, small, memory);
        for (uint32_t i = 0; i < m->source; i++) widen(&worst_encoded, condition_at(m, source, NULL).x + (size_t)i * stride, encoded + i * m->d, m->d);
        check_note("    encoder within %.3g", worst_encoded);
        CHECK(worst_encoded < BLOCK_TOLERANCE);
    }
    for (uint32_t at = 0, n; at < m->n; at += n) {
        nx_column columns[NX_COLUMNS] = {{0}};
        uint32_t end = nx_pattern_block_end(&m->pattern, at);
        n = end - at < NX_COLUMNS ? end - at : NX_COLUMNS;
        scratch s = scratch_at(m, memory, n, NULL);
        for (uint32_t j = 0; j < n; j++) {
            columns[j] = (nx_column){.cache = cache, .condition = source, .values = levels, .position = at + j, .label = label};
            embed(m, s.x + (size_t)j * stride, columns + j, &s);
            widen(worst, s.x + (size_t)j * stride, input + (size_t)(at + j) * m->d, m->d);
        }
        uint32_t n_runs = nx_pattern_runs(&m->pattern, at + n - 1, s.runs);
        for (uint32_t i = 0; i < m->n_blocks; i++) {
            self_attention(m, &m->blocks[i].self, i, &s, columns, n, n_runs);
            if (m->source) {
                nx_cache cross = cache_at(m, condition_at(m, source, NULL).cross, i, source_slots(m));
                source_attention(m, &m->blocks[i].cross, &s, s.x, &cross, n);
            }
            feed_forward(m, &m->blocks[i].feed_forward, &s, s.x, n);
            for (uint32_t j = 0; j < n; j++) widen(worst + 1 + i, s.x + (size_t)j * stride, expected[i] + (size_t)(at + j) * m->d, m->d);
        }
    }
}

/* The picture that the values make: each where the order says, in the palette's colours. */
static void picture(const nx_gguf *g, const nx_model *opened, const nx_info *info, const uint8_t *values) {
    uint32_t pixels = info->height * info->width * info->channels, per_place = info->palette ? 3 : info->position_elements;
    const float *order = golden(g, "order", 1, info->positions, 1), *image = golden(g, "image", 1, pixels, 1);
    uint32_t *raster = memory_take(info->positions * sizeof *raster);
    uint8_t *rgb = memory_take(info->levels * 3), *out = memory_take(pixels);
    nx_model_order(opened, raster);
    CHECK_INT(nx_model_palette(opened, rgb), info->palette ? NX_OK : NX_E_ARGUMENT);
    if (!order || !image) {
        CHECK(!info->block_rows);
        return;
    }
    for (uint32_t i = 0; i < info->positions; i++) {
        CHECK_INT(raster[i], order[i]);
        memcpy(out + raster[i] * per_place, info->palette ? rgb + 3 * values[i] : values + i * per_place, per_place);
    }
    CHECK_BYTES(out, bytes_of(image, pixels), pixels);
}

static void compare(const char *golden_path, const uint8_t *file, size_t length) {
    size_t golden_length = 0;
    uint8_t *bytes = check_read_file(golden_path, &golden_length);
    nx_gguf *g = memory_take(sizeof *g);
    if (!CHECK(bytes) || !CHECK_INT(nx_gguf_parse(g, bytes, golden_length, NULL), NX_OK)) return;
    nx_model *opened = toy_open(&(toy){.bytes = memory_copy(file, length), .length = length});
    if (!opened) return;
    nx_info info;
    nx_model_info(opened, &info);
    const model *m = opened->weights;
    uint32_t n = m->n, P = info.outputs, E = info.position_elements, inputs = m->source * info.channels;
    int quantised = m->blocks[0].self.query.type != NX_F32, density = m->output.kind > NX_BERNOULLI;
    const float *numbers = golden(g, "values", 1, n * E, 0), *label = golden(g, "label", 1, 1, 0), *input = golden(g, "embedding", n, m->d, 0);
    const float *outputs = golden(g, "logits", n, P, 0), *nats = golden(g, "nats", 1, n * E, 0), **expected = memory_take(m->n_blocks * sizeof *expected);
    const float *small = inputs ? golden(g, "input", 1, inputs, 0) : NULL, *encoded = inputs ? golden(g, "encoder", m->source, m->d, 0) : NULL;
    if (!numbers || !label || !input || !outputs || !nats || (inputs && (!small || !encoded))) return;
    for (uint32_t i = 0; i < m->n_blocks; i++)
        if (!(expected[i] = golden(g, block_name("", i, "output", "").text, n, m->d, 0))) return;

    uint8_t *levels = bytes_of(numbers, n * E), *values = memory_take(n * E), *small_bytes = bytes_of(small, inputs);
    for (uint32_t i = 0; i < n * E; i++) values[i] = info.palette ? levels[i] : toy_value(levels[i], info.levels);
    double *worst = memory_take((1 + m->n_blocks) * sizeof *worst), worst_output = 0, worst_nats = 0, total = 0;
    for (uint32_t i = 0; i <= m->n_blocks; i++) worst[i] = 0;
    check_note("  %s", golden_path);
    blocks_of(m, levels, small_bytes, (int32_t)*label, encoded, input, expected, worst);
    check_note("    input within %.3g", worst[0]);
    CHECK(worst[0] < BLOCK_TOLERANCE);
    for (uint32_t i = 0; i < m->n_blocks; i++) {
        check_note("    block %u within %.3g", (unsigned)i, worst[1 + i]);
        CHECK(worst[1 + i] < (quantised ? QUANTISED_BLOCK_TOLERANCE : BLOCK_TOLERANCE));
    }
    picture(g, opened, &info, values);

    nx_settings settings = toy_settings(1, 0);
    settings.label = (int32_t)*label;
    nx_session *session = toy_bare_session(opened, &settings, NULL);
    if (inputs) CHECK_INT(nx_session_condition(opened, session, small_bytes, inputs), NX_OK);
    float *row = memory_take(P * sizeof *row), cost[3];
    for (uint32_t i = 0; i < n; i++) {
        CHECK_INT(nx_session_prefill(opened, session, values + i * E, 1, cost), NX_OK);
        CHECK_INT(nx_session_output(opened, session, 0, row), NX_OK);
        widen(&worst_output, row, outputs + (size_t)i * P, P);
        for (uint32_t e = 0; e < E; e++) {
            double truth = (double)nats[i * E + e], off = (double)cost[e] - truth;
            worst_nats = fmax(worst_nats, fabs(off) / (density ? 1 + truth : 1));
            total += off;
        }
    }
    check_note("    output within %.3g, nats %.3g, mean of nats %.3g", worst_output, worst_nats, fabs(total / (n * E)));
    CHECK(worst_output < (quantised ? QUANTISED_OUTPUT_TOLERANCE : OUTPUT_TOLERANCE));
    CHECK(quantised || worst_nats < NATS_TOLERANCE);
    CHECK(fabs(total / (n * E)) < (quantised ? QUANTISED_NATS_TOLERANCE : NATS_TOLERANCE));
}

static void golden_files(void) {
    int compared = 0;
    for (int i = 0;; i++) {
        const char *path = check_argument(".golden.gguf", i);
        char base[300];
        if (!path) break;
        if (!CHECK(strlen(path) < sizeof base)) return;
        strcpy(base, path);
        strcpy(base + strlen(path) - strlen(".golden.gguf"), ".gguf");
        size_t length = 0, mark = memory_mark();
        uint8_t *file = check_read_file(base, &length);
        if (!file)
            check_note("  %s: the model is elsewhere; tests/js compares it", path);
        else
            compare(path, file, length), compared++;
        memory_release(mark);
    }
    if (!compared) check_say("no golden files were given; compared nothing");
}

const check_test golden_tests[] = {
    {"PyTorch's encoder, blocks, outputs and nats", golden_files},
    {0},
};

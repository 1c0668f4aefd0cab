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
#define LOGIT_TOLERANCE 1e-4
#define BLOCK_TOLERANCE 1e-4 /* of a block's output, which a layer norm leaves at a deviation of about 1 */
/* The golden values of a Q8_0 file are those of its weights without rounding of activations, which costs the library this much. */
#define Q8_LOGIT_TOLERANCE 0.3
#define Q8_BLOCK_TOLERANCE 0.3
#define Q8_NATS_TOLERANCE 0.03 /* of the mean over the image */

static const float *golden(const nx_gguf *file, const char *name, uint32_t rows, uint32_t cols) {
    nx_tensor t;
    if (!CHECK(nx_gguf_tensor(file, name, &t))) return NULL;
    if (!CHECK(t.type == NX_F32 && t.dim[0] == cols && t.dim[1] == rows)) return NULL;
    return memory_copy(t.data, t.bytes);
}

static void widen(double *worst, const float *actual, const float *expected, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) *worst = fmax(*worst, fabs((double)actual[i] - (double)expected[i]));
}

/* All elements in passes, as forward() does it, with a look after each block. worst: of the input, then of each block */
static void blocks_of(const model *m, const uint8_t *levels, int32_t label, const float *input, const float *const *expected, double *worst) {
    uint64_t bytes;
    scratch_at(m, NULL, NX_COLUMNS, &bytes);
    void *memory = memory_take(bytes), *cache = memory_take(cache_bytes(m));
    for (uint32_t at = 0, n; at < m->n; at += n) {
        nx_column columns[NX_COLUMNS] = {{0}};
        n = pass_end(m, at) - at < NX_COLUMNS ? pass_end(m, at) - at : NX_COLUMNS;
        scratch s = scratch_at(m, memory, n, NULL);
        for (uint32_t j = 0; j < n; j++) {
            columns[j] = (nx_column){.cache = cache, .values = levels, .position = at + j, .label = label};
            embed(m, s.x + (size_t)j * nx_stride(m->d), columns + j);
            widen(worst, s.x + (size_t)j * nx_stride(m->d), input + (size_t)(at + j) * m->d, m->d);
        }
        for (uint32_t i = 0; i < m->n_blocks; i++) {
            attention_sublayer(m, m->blocks + i, i, &s, columns, n);
            feed_forward_sublayer(m, m->blocks + i, &s, n);
            for (uint32_t j = 0; j < n; j++)
                widen(worst + 1 + i, s.x + (size_t)j * nx_stride(m->d), expected[i] + (size_t)(at + j) * m->d, m->d);
        }
    }
}

static void compare(const char *golden_path, const uint8_t *file, size_t length) {
    size_t golden_length = 0;
    uint8_t *bytes = check_read_file(golden_path, &golden_length);
    nx_gguf *g = memory_take(sizeof *g);
    if (!CHECK(bytes) || !CHECK_INT(nx_gguf_parse(g, bytes, golden_length, NULL), NX_OK)) return;
    nx_model *opened = toy_open(&(toy){.bytes = memory_copy(file, length), .length = length});
    if (!opened) return;
    const model *m = opened->weights;
    uint32_t n = m->n, V = m->levels;
    int q8 = m->head.type == NX_Q8_0;
    const float *levels = golden(g, "values", 1, n), *label = golden(g, "label", 1, 1), *input = golden(g, "embedding", n, m->d);
    const float *logits = golden(g, "logits", n, V), *nats = golden(g, "nats", 1, n), **expected = memory_take(m->n_blocks * sizeof *expected);
    if (!levels || !label || !input || !logits || !nats) return;
    for (uint32_t i = 0; i < m->n_blocks; i++)
        if (!(expected[i] = golden(g, block_name(i, "output").text, n, m->d))) return;

    uint8_t *level = memory_take(n), *values = memory_take(n);
    for (uint32_t i = 0; i < n; i++) level[i] = (uint8_t)levels[i], values[i] = toy_value(level[i], V);
    double *worst = memory_take((1 + m->n_blocks) * sizeof *worst), worst_logit = 0, worst_nats = 0, total = 0;
    for (uint32_t i = 0; i <= m->n_blocks; i++) worst[i] = 0;
    blocks_of(m, level, (int32_t)*label, input, expected, worst);
    check_note("  %s: input within %.3g", golden_path, worst[0]);
    CHECK(worst[0] < BLOCK_TOLERANCE);
    for (uint32_t i = 0; i < m->n_blocks; i++) {
        check_note("    block %u within %.3g", (unsigned)i, worst[1 + i]);
        CHECK(worst[1 + i] < (q8 ? Q8_BLOCK_TOLERANCE : BLOCK_TOLERANCE));
    }

    nx_settings settings = toy_settings(1, 0);
    settings.label = (int32_t)*label;
    nx_session *session = toy_session(opened, &settings, NULL);
    float *row = memory_take(V * sizeof *row), cost;
    for (uint32_t i = 0; i < n; i++) {
        CHECK_INT(nx_session_prefill(opened, session, values + i, 1, &cost), NX_OK);
        CHECK_INT(nx_session_logits(opened, session, 0, row), NX_OK);
        widen(&worst_logit, row, logits + (size_t)i * V, V);
        widen(&worst_nats, &cost, nats + i, 1);
        total += (double)cost - (double)nats[i];
    }
    check_note("    logits within %.3g, nats %.3g, mean of nats %.3g", worst_logit, worst_nats, fabs(total / n));
    CHECK(worst_logit < (q8 ? Q8_LOGIT_TOLERANCE : LOGIT_TOLERANCE));
    CHECK(q8 || worst_nats < LOGIT_TOLERANCE);
    CHECK(fabs(total / n) < Q8_NATS_TOLERANCE);
}

static void golden_files(void) {
    int compared = 0, unsupported = 0;
    for (int i = 0;; i++) {
        const char *path = check_argument(".golden.gguf", i);
        char base[300];
        if (!path) break;
        if (!CHECK(strlen(path) < sizeof base)) return;
        strcpy(base, path);
        strcpy(base + strlen(path) - strlen(".golden.gguf"), ".gguf");
        size_t length = 0, mark = memory_mark();
        uint8_t *file = check_read_file(base, &length);
        nx_problem problem;
        size_t bytes;
        if (!file)
            check_note("  %s: the model is elsewhere; tests/js compares it", path);
        else if (nx_model_size(file, length, &bytes, &problem) == NX_E_UNSUPPORTED)
            check_note("  %s: not a model of this version (%s)", path, problem.name), unsupported++;
        else
            compare(path, file, length), compared++;
        memory_release(mark);
    }
    if (!compared) check_say("no golden files were given; compared nothing");
    if (unsupported) check_say("%d golden files are of models that this version does not run", unsupported);
}

const check_test golden_tests[] = {
    {"PyTorch's blocks, logits and nats", golden_files},
    {0},
};

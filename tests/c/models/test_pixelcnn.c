/* SPDX-License-Identifier: MIT
 *
 * Compares PixelCNN and gated PixelCNN with a reference that computes their equations for the whole picture, without a queue. For PixelCNN,
 * the reference masks a square of taps in each convolution. For gated PixelCNN, the reference shifts the picture instead.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kernels/gates.h"
#include "models/toy_pixelcnn.h"
#include "session/session.h"

/* ---- toys ------------------------------------------------------------------------------------------------------------------- */

static void add(toy_pixelcnn *m, const char *name, uint32_t rows, uint32_t cols, uint32_t type, double spread) {
    toy_tensor *t = m->tensor + m->n_tensors++;
    check_random random = {m->config.seed ^ check_hash(0, name, strlen(name))};
    strcpy(t->name, name);
    t->rows = rows, t->cols = cols;
    t->type = (type == NX_Q8_0 || type == NX_Q4_0) && cols % 32 ? NX_F32 : type;
    t->values = memory_take((size_t)rows * cols * sizeof *t->values);
    for (size_t i = 0; i < (size_t)rows * cols; i++) t->values[i] = (float)(spread * random_normal(&random));
}

/* Adds a weight and a bias. If `inputs` > 0, the weight is a table, and each position adds up `inputs` rows of this table. */
static void add_map(toy_pixelcnn *m, const char *at, const char *part, uint32_t rows, uint32_t cols, uint32_t inputs, int bias) {
    char name[48];
    strcat(strcat(strcpy(name, at), part), ".weight");
    add(m, name, rows, cols, inputs ? NX_F32 : m->config.type, 1.2 / __builtin_sqrt((double)(inputs ? inputs : cols)));
    strcat(strcat(strcpy(name, at), part), ".bias");
    if (bias) add(m, name, 1, inputs ? cols : rows, NX_F32, 0.3);
}

static void add_gates(toy_pixelcnn *m, const char *at) {
    const toy_pixelcnn_config *c = &m->config;
    char name[48];
    add_map(m, at, "link", 2 * c->d, 2 * c->d, 0, 1);
    add_map(m, at, "output", c->d, c->d, 0, 1);
    strcat(strcpy(name, at), "class.weight");
    if (c->classes) add(m, name, c->classes, 4 * c->d, NX_F32, c->classless ? 0 : 0.7);
}

static void add_layers(toy_pixelcnn *m) {
    const toy_pixelcnn_config *c = &m->config;
    uint32_t d = c->d, h = d / 2, f = c->input_kernel / 2, k = c->kernel / 2;
    if (c->gated) {
        add_map(m, "input.", "vertical", f * c->input_kernel * c->levels, 2 * d, f * c->input_kernel, 1);
        add_map(m, "input.", "horizontal", f * c->levels, 2 * d, f, 0);
        add_gates(m, "input.");
    } else {
        add_map(m, "", "input", (f * c->input_kernel + f) * c->levels, d, f * c->input_kernel + f, 1);
    }
    for (uint32_t i = 0; i < c->blocks; i++) {
        char at[] = "blk.0.";
        at[4] = (char)('0' + i);
        if (c->gated) {
            add_map(m, at, "vertical", 2 * d, (k + 1) * c->kernel * d, 0, 1);
            add_map(m, at, "horizontal", 2 * d, (k + 1) * d, 0, 0);
            add_gates(m, at);
        } else {
            add_map(m, at, "reduce", h, d, 0, 1);
            add_map(m, at, "conv", h, (k * c->kernel + k + 1) * h, 0, 1);
            add_map(m, at, "expand", d, h, 0, 1);
        }
    }
    add_map(m, "", "head.0", c->head, d, 0, 1);
    add_map(m, "", "output", c->bernoulli ? 1 : c->levels, c->head, 0, 1);
}

toy_pixelcnn *toy_pixelcnn_build(const toy_pixelcnn_config *config) {
    toy_pixelcnn *m = memory_take(sizeof *m);
    memset(m, 0, sizeof *m);
    m->config = *config;
    const toy_pixelcnn_config *c = &m->config;
    const char *arch = c->gated ? "gated-pixelcnn" : "pixelcnn";
    const struct {
        const char *key;
        uint32_t value;
    } keys[] = {{".image.height", c->height}, {".image.width", c->width}, {".image.channels", 1}, {".image.levels", c->levels},
                {".block_count", c->blocks}, {".embedding_length", c->d}, {".input_kernel", c->input_kernel}, {".kernel", c->kernel},
                {".head_length", c->head}};
    uint32_t n = sizeof keys / sizeof *keys;
    toy_file data = {0};
    char key[48];
    add_layers(m);
    put_header(&m->file, m->n_tensors, n + 2 + (c->classes > 0));
    put_key_text(&m->file, "general.architecture", arch);
    put_key_text(&m->file, strcat(strcpy(key, arch), ".output.type"), c->bernoulli ? "bernoulli" : "categorical");
    for (uint32_t i = 0; i < n; i++)
        put_key_u32(&m->file, strcat(strcpy(key, arch), keys[i].key), c->number && !strcmp(c->number, keys[i].key) ? c->value : keys[i].value);
    if (c->classes) put_key_texts(&m->file, "gated-pixelcnn.classes", c->classes);
    for (uint32_t i = 0; i < m->n_tensors; i++) put_tensor(&m->file, &data, m->tensor + i);
    while (m->file.length % 32) put_bytes(&m->file, "", 1);
    put_bytes(&m->file, data.bytes, data.length);
    return m;
}

nx_model *toy_pixelcnn_open(const toy_pixelcnn *model) { return toy_file_open(&model->file); }

const float *toy_pixelcnn_values(const toy_pixelcnn *m, const char *name) {
    for (uint32_t i = 0; i < m->n_tensors; i++)
        if (!strcmp(m->tensor[i].name, name)) return m->tensor[i].values;
    return CHECK(!"there is a tensor of that name"), NULL;
}

enum { PLAIN, PLAIN_ROUNDED, GATED, GATED_ROUNDED, PLAIN_SEED, GATED_SEED, GATED_SMALL };

static const toy_pixelcnn_config toys[] = {
    [PLAIN] = {.height = 5, .width = 6, .levels = 3, .blocks = 3, .d = 16, .input_kernel = 5, .kernel = 3, .head = 12, .seed = 41},
    [PLAIN_ROUNDED] = {.height = 6, .width = 6, .levels = 2, .bernoulli = 1, .blocks = 2, .d = 64, .input_kernel = 7, .kernel = 5, .head = 32, .type = NX_Q8_0, .seed = 42},
    [GATED] = {.gated = 1, .height = 5, .width = 6, .levels = 3, .blocks = 3, .d = 12, .input_kernel = 5, .kernel = 3, .head = 16, .classes = 4, .seed = 43},
    [GATED_ROUNDED] = {.gated = 1, .height = 6, .width = 6, .levels = 2, .bernoulli = 1, .blocks = 2, .d = 32, .input_kernel = 3, .kernel = 5, .head = 32, .type = NX_Q8_0, .seed = 44},
    [PLAIN_SEED] = {.height = 3, .width = 3, .levels = 2, .blocks = 1, .d = 8, .input_kernel = 3, .kernel = 3, .head = 4, .seed = 45},
    [GATED_SEED] = {.gated = 1, .height = 3, .width = 3, .levels = 2, .bernoulli = 1, .blocks = 1, .d = 4, .input_kernel = 3, .kernel = 3, .head = 4, .classes = 2, .seed = 46},
    [GATED_SMALL] = {.gated = 1, .height = 2, .width = 2, .levels = 4, .blocks = 1, .d = 4, .input_kernel = 5, .kernel = 3, .head = 4, .type = NX_F16, .seed = 47},
};

static toy_file toy_number(uint32_t number) { return toy_pixelcnn_build(toys + number)->file; }

const toy_row pixelcnn_toys[] = {
    {"pixelcnn", TOY_RUN | TOY_SEARCH, toy_number, PLAIN, {0}},
    {"pixelcnn, rounded", TOY_RUN, toy_number, PLAIN_ROUNDED, {0}},
    {"gated pixelcnn", TOY_RUN | TOY_SHAPED | TOY_SEARCH, toy_number, GATED, {0}},
    {"gated pixelcnn, rounded", TOY_RUN, toy_number, GATED_ROUNDED, {0}},
    {NULL, TOY_SEED, toy_number, PLAIN_SEED, {0}},
    {NULL, TOY_SEED, toy_number, GATED_SEED, {0}},
    {NULL, TOY_SEED, toy_number, GATED_SMALL, {0}},
    {0},
};

/* ---- the whole picture at once ------------------------------------------------------------------------------------------------ */

/* The reference adds in the same order as the library, so that all numbers are bit-identical: first the bias, then the products in the
 * order of the weights. */
typedef struct {
    const toy_pixelcnn *made;
    const toy_pixelcnn_config *c;
    uint32_t n;
} plain;

static const float *weights(const plain *p, const char *at, const char *part, const char *kind) {
    char name[48];
    return toy_pixelcnn_values(p->made, strcat(strcat(strcpy(name, at), part), kind));
}

static float *grid(const plain *p, uint32_t channels) {
    float *x = memory_take((size_t)p->n * channels * sizeof *x);
    memset(x, 0, (size_t)p->n * channels * sizeof *x);
    return x;
}

/* Applies the masks of the paper to a k x k square over `in` channels: mask A removes the pixel itself and all later pixels; mask B removes
 * only the later pixels. Removed taps have no weights in the file. Each of the `rows` outputs begins as its bias. */
static void masked(const plain *p, float *out, const float *weight, const float *bias, uint32_t rows, const float *x, uint32_t in, uint32_t k,
                   int mask_a) {
    int W = (int)p->c->width, H = (int)p->c->height, half = (int)k / 2, taps = half * (int)k + half + !mask_a;
    for (int i = 0; i < (int)p->n; i++)
        for (uint32_t r = 0; r < rows; r++) {
            float sum = bias[r];
            int tap = 0;
            for (int dy = -half; dy <= half; dy++)
                for (int dx = -half; dx <= half; dx++) {
                    int after = dy > 0 || (dy == 0 && (dx > 0 || (mask_a && dx == 0))), y = i / W + dy, column = i % W + dx;
                    if (after) continue;
                    for (uint32_t c = 0; c < in; c++) {
                        float value = y < 0 || y >= H || column < 0 || column >= W ? 0 : x[(size_t)(y * W + column) * in + c];
                        sum += weight[((size_t)r * (size_t)taps + (size_t)tap) * in + c] * value;
                    }
                    tap++;
                }
            out[(size_t)i * rows + r] = sum;
        }
}

/* Computes a convolution without masks: the kernel has `high` rows of `wide` taps, and moves over a padded picture. The last row of taps is
 * the pixel's row; the middle column (if centred) or the last column is the pixel's column. */
static void shifted(const plain *p, float *out, const float *weight, const float *bias, uint32_t rows, const float *x, uint32_t in, uint32_t high,
                    uint32_t wide, int centred) {
    int W = (int)p->c->width, H = (int)p->c->height, top = (int)high - 1, left = centred ? (int)wide / 2 : (int)wide - 1, span = W + 2 * (int)wide;
    float *padded = memory_take((size_t)((H + top) * span) * in * sizeof *padded);
    memset(padded, 0, (size_t)((H + top) * span) * in * sizeof *padded);
    for (int i = 0; i < (int)p->n; i++) memcpy(padded + (size_t)((i / W + top) * span + i % W + left) * in, x + (size_t)i * in, in * sizeof *x);
    for (int i = 0; i < (int)p->n; i++)
        for (uint32_t r = 0; r < rows; r++) {
            float sum = bias ? bias[r] : 0;
            for (uint32_t t = 0; t < high * wide; t++)
                for (uint32_t c = 0; c < in; c++)
                    sum += weight[((size_t)r * high * wide + t) * in + c] *
                           padded[(size_t)((i / W + (int)(t / wide)) * span + i % W + (int)(t % wide)) * in + c];
            out[(size_t)i * rows + r] = sum;
        }
}

static void pointwise(const plain *p, float *out, const char *at, const char *part, uint32_t rows, uint32_t cols, const float *x) {
    const float *weight = weights(p, at, part, ".weight"), *bias = weights(p, at, part, ".bias");
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t r = 0; r < rows; r++) {
            float sum = bias[r];
            for (uint32_t c = 0; c < cols; c++) sum += weight[(size_t)r * cols + c] * x[(size_t)i * cols + c];
            out[(size_t)i * rows + r] = sum;
        }
}

static void rectify(float *x, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] = x[i] > 0 ? x[i] : 0;
}

/* Computes `out`, of shape (n, cols). Each row of `out` is the sum of the table's rows for the taps in a square of side k. `above` says
 * whether the taps in the lines above the pixel are included, and `own` says whether the taps in the pixel's line are included. */
static void table_rows(const plain *p, float *out, const float *table, const float *bias, uint32_t cols, const uint32_t *ids, uint32_t k, int above,
                       int own) {
    int W = (int)p->c->width, half = (int)k / 2;
    for (int i = 0; i < (int)p->n; i++) {
        float *x = out + (size_t)i * cols;
        for (uint32_t c = 0; c < cols; c++) x[c] = bias ? bias[c] : 0;
        uint32_t tap = 0;
        for (int dy = above ? -half : 0; dy <= (own ? 0 : -1); dy++)
            for (int dx = -half; dx <= (dy ? half : -1); dx++, tap++) {
                int y = i / W + dy, column = i % W + dx;
                if (y < 0 || column < 0 || column >= W) continue;
                const float *row = table + (size_t)(tap * p->c->levels + ids[y * W + column]) * cols;
                for (uint32_t c = 0; c < cols; c++) x[c] += row[c];
            }
    }
}

static float *plain_layers(const plain *p, const uint32_t *ids) {
    const toy_pixelcnn_config *c = p->c;
    uint32_t d = c->d, h = d / 2;
    float *x = grid(p, d), *y = grid(p, d), *a = grid(p, h), *b = grid(p, h);
    table_rows(p, x, weights(p, "", "input", ".weight"), weights(p, "", "input", ".bias"), d, ids, c->input_kernel, 1, 1);
    for (uint32_t i = 0; i < c->blocks; i++) {
        char at[] = "blk.0.";
        at[4] = (char)('0' + i);
        memcpy(y, x, (size_t)p->n * d * sizeof *x);
        rectify(y, (size_t)p->n * d);
        pointwise(p, a, at, "reduce", h, d, y);
        rectify(a, (size_t)p->n * h);
        masked(p, b, weights(p, at, "conv", ".weight"), weights(p, at, "conv", ".bias"), h, a, h, c->kernel, 0);
        rectify(b, (size_t)p->n * h);
        pointwise(p, y, at, "expand", d, h, b);
        for (size_t e = 0; e < (size_t)p->n * d; e++) x[e] += y[e];
    }
    return x;
}

static void gate(const plain *p, float *out, const float *fg) {
    uint32_t d = p->c->d;
    float *in = memory_take(nx_stride(2 * d) * sizeof *in), *one = memory_take(nx_stride(d) * sizeof *one);
    for (uint32_t i = 0; i < p->n; i++) {
        memcpy(in, fg + (size_t)i * 2 * d, 2 * d * sizeof *in);
        nx_gate(one, in, d, 1);
        memcpy(out + (size_t)i * d, one, d * sizeof *one);
    }
}

static float *gated_layers(const plain *p, const uint32_t *ids, int label) {
    const toy_pixelcnn_config *c = p->c;
    uint32_t d = c->d, k = c->kernel / 2;
    float *v = grid(p, d), *x = grid(p, d), *a = grid(p, 2 * d), *b = grid(p, 2 * d), *y = grid(p, 2 * d), *o = grid(p, d);
    for (uint32_t i = 0; i <= c->blocks; i++) {
        char block[] = "blk.0.";
        const char *at = i ? block : "input.";
        if (i) block[4] = (char)('0' + i - 1);
        const float *vertical = weights(p, at, "vertical", ".weight"), *horizontal = weights(p, at, "horizontal", ".weight");
        if (i) {
            shifted(p, a, vertical, weights(p, at, "vertical", ".bias"), 2 * d, v, d, k + 1, c->kernel, 1);
            shifted(p, b, horizontal, NULL, 2 * d, x, d, 1, k + 1, 0);
        } else {
            table_rows(p, a, vertical, weights(p, at, "vertical", ".bias"), 2 * d, ids, c->input_kernel, 1, 0);
            table_rows(p, b, horizontal, NULL, 2 * d, ids, c->input_kernel, 0, 1);
        }
        for (size_t e = 0; label >= 0 && e < (size_t)p->n * 2 * d; e++) {
            const float *row = weights(p, at, "class", ".weight") + (size_t)label * 4 * d;
            a[e] += row[e % (2 * d)], b[e] += row[2 * d + e % (2 * d)];
        }
        pointwise(p, y, at, "link", 2 * d, 2 * d, a);
        for (size_t e = 0; e < (size_t)p->n * 2 * d; e++) b[e] += y[e];
        gate(p, v, a), gate(p, o, b);
        pointwise(p, y, at, "output", d, d, o);
        for (size_t e = 0; e < (size_t)p->n * d; e++) x[e] = i ? x[e] + y[e] : y[e];
    }
    return x;
}

/* Computes the outputs of the last layer for a picture, shape (n, P). */
static float *plain_outputs(const toy_pixelcnn *made, const uint32_t *ids, int label) {
    plain p = {made, &made->config, made->config.height * made->config.width};
    uint32_t d = p.c->d, P = p.c->bernoulli ? 1 : p.c->levels;
    float *x = p.c->gated ? gated_layers(&p, ids, label) : plain_layers(&p, ids), *y = grid(&p, p.c->head), *out = grid(&p, P);
    rectify(x, (size_t)p.n * d);
    pointwise(&p, y, "", "head.0", p.c->head, d, x);
    rectify(y, (size_t)p.n * p.c->head);
    pointwise(&p, out, "", "output", P, p.c->head, y);
    return out;
}

/* ---- runs --------------------------------------------------------------------------------------------------------------------- */

static nx_session *session_of(const nx_model *model, int label, uint32_t maps) {
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1, .maps = maps};
    nx_session *session = NULL;
    size_t bytes = 0;
    CHECK_INT(nx_session_size(model, 0, &settings, NULL, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, NULL, &session), NX_OK);
    uint32_t id = (uint32_t)label;
    if (label >= 0) CHECK_INT(nx_session_input(model, session, 0, &id, 1), NX_OK);
    return session;
}

/* Returns the outputs of the output layer at every position of a run, shape (n, P). */
static float *outputs_of(const nx_model *model, const uint32_t *ids, int label) {
    nx_part_info info;
    CHECK_INT(nx_model_part(model, 0, &info), NX_OK);
    float *out = memory_take((size_t)info.length * info.outputs * sizeof *out), nats;
    nx_session *session = session_of(model, label, 0);
    for (uint32_t i = 0; i < info.length; i++) {
        CHECK_INT(nx_session_put(model, session, ids + i, 1, 0, &nats), NX_OK);
        CHECK_INT(nx_session_output(model, session, 0, out + (size_t)i * info.outputs), NX_OK);
    }
    return out;
}

static void picture_of(uint32_t *ids, uint32_t n, uint32_t levels, check_random *random) {
    for (uint32_t i = 0; i < n; i++) ids[i] = random_below(random, levels);
}

/* Sizes: one row, one column, kernels that are wider than the picture, and ordinary sizes. */
static const uint32_t sizes[][4] = {{5, 6, 5, 3}, {1, 9, 7, 5}, {9, 1, 3, 3}, {4, 3, 9, 7}, {7, 8, 7, 5}};

/* Computing one pixel at a time from queues gives the same bits as the reference, which computes the whole picture at once. */
static void queued_is_whole(void) {
    check_random random = {51};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t gated = 0; gated < 2; gated++)
            for (int label = -1; label < (gated ? 2 : 0); label++) {
                size_t mark = memory_mark();
                toy_pixelcnn_config c = toys[gated ? GATED : PLAIN];
                c.height = sizes[s][0], c.width = sizes[s][1], c.input_kernel = sizes[s][2], c.kernel = sizes[s][3], c.seed += s;
                const toy_pixelcnn *made = toy_pixelcnn_build(&c);
                uint32_t ids[64], n = c.height * c.width;
                picture_of(ids, n, c.levels, &random);
                check_at("size %lld, gated %lld, label %lld", s, gated, label, 0);
                CHECK_FLOATS(outputs_of(toy_pixelcnn_open(made), ids, label), plain_outputs(made, ids, label), n * c.levels);
                memory_release(mark);
            }
}

/* A changed pixel changes no bit of the outputs at its own position or before it, even if products are rounded. */
static void causality(void) {
    static const int of[] = {PLAIN, PLAIN_ROUNDED, GATED, GATED_ROUNDED};
    check_random random = {52};
    for (int t = 0; t < 4; t++) {
        const toy_pixelcnn_config *c = toys + of[t];
        const nx_model *model = toy_pixelcnn_open(toy_pixelcnn_build(c));
        uint32_t ids[36], n = c->height * c->width, P = c->bernoulli ? 1 : c->levels;
        picture_of(ids, n, c->levels, &random);
        const float *before = outputs_of(model, ids, -1);
        for (uint32_t at = 0; at < n; at++) {
            size_t mark = memory_mark();
            uint32_t old = ids[at];
            ids[at] = (old + 1) % c->levels;
            const float *after = outputs_of(model, ids, -1);
            check_at("toy %lld, pixel %lld", t, at, 0, 0);
            CHECK_FLOATS(after, before, (size_t)(at + 1) * P);
            /* the output at the pixel's right neighbour must change */
            if ((at + 1) % c->width) CHECK(memcmp(after + (size_t)(at + 1) * P, before + (size_t)(at + 1) * P, P * sizeof *after));
            ids[at] = old;
            memory_release(mark);
        }
    }
}

/* Changes each pixel in turn to find the predictions that it affects, and compares the result with the last row of the map "field". In the
 * plain model, some earlier pixels never affect a prediction: the blind spot. In the gated model, every earlier pixel affects the
 * prediction. */
static void fields(void) {
    check_random random = {53};
    for (uint32_t gated = 0; gated < 2; gated++) {
        toy_pixelcnn_config c = {.gated = gated, .height = 6, .width = 9, .levels = 2, .blocks = 8, .d = 16, .input_kernel = 3, .kernel = 3, .head = 16, .seed = 54};
        const toy_pixelcnn *made = toy_pixelcnn_build(&c);
        const nx_model *model = toy_pixelcnn_open(made);
        uint32_t n = 54, ids[54], keys[54], count, row = c.blocks, blind = 0;
        uint8_t moved[54][54] = {{0}}; /* [predicted][changed] */
        for (int picture = 0; picture < (check_every() ? 6 : 3); picture++) {
            picture_of(ids, n, 2, &random);
            const float *before = plain_outputs(made, ids, -1);
            for (uint32_t at = 0; at < n; at++) {
                size_t mark = memory_mark();
                ids[at] ^= 1;
                const float *after = plain_outputs(made, ids, -1);
                for (uint32_t i = 0; i < n; i++) moved[i][at] |= memcmp(after + 2 * i, before + 2 * i, 2 * sizeof *after) != 0;
                ids[at] ^= 1;
                memory_release(mark);
            }
        }
        nx_session *session = session_of(model, -1, 1);
        float weights_of_keys[54], nats;
        for (uint32_t i = 0; i < n; i++) {
            uint8_t in_field[54] = {0};
            CHECK_INT(nx_session_put(model, session, ids + i, 1, 0, &nats), NX_OK);
            CHECK_INT(nx_session_map(model, session, 0, 0, row, keys, weights_of_keys, &count), NX_OK);
            for (uint32_t k = 0; k + 1 < count; k++) in_field[keys[k]] = 1;
            CHECK_INT(keys[count - 1], i);
            check_at("gated %lld, pixel %lld", gated, i, 0, 0);
            CHECK_BYTES(moved[i], in_field, n);
            for (uint32_t j = 0; j < i; j++) blind += !moved[i][j];
            for (uint32_t r = 0; r < row; r++) { /* each further layer sees at least as many positions */
                uint32_t fewer, earlier[54];
                CHECK_INT(nx_session_map(model, session, 0, 0, r, earlier, weights_of_keys, &fewer), NX_OK);
                CHECK(fewer <= count);
            }
        }
        check_note("  gated %u: %u pairs of pixels in the blind spot", gated, blind);
        CHECK(gated ? blind == 0 : blind > 0);
        /* the known blind spot: one row up, and at least one column further right than the taps reach */
        if (!gated) CHECK(!moved[2 * 9 + 2][9 + 8] && moved[2 * 9 + 2][9 + 3]);
        if (gated) CHECK(moved[2 * 9 + 2][9 + 8]);
    }
}

/* A class whose rows are zero gives the same result as no class. Other classes give different results. */
static void zero_class(void) {
    check_random random = {55};
    uint32_t ids[30];
    picture_of(ids, 30, 3, &random);
    toy_pixelcnn_config c = toys[GATED];
    const nx_model *with = toy_pixelcnn_open(toy_pixelcnn_build(&c));
    c.classless = 1;
    const nx_model *without = toy_pixelcnn_open(toy_pixelcnn_build(&c));
    const float *alone = outputs_of(with, ids, -1), *given = outputs_of(with, ids, 2);
    CHECK_FLOATS(outputs_of(without, ids, 2), alone, 90);
    CHECK_FLOATS(outputs_of(without, ids, -1), alone, 90);
    CHECK(memcmp(alone, given, 90 * sizeof *alone));
}

/* The probabilities of all pictures of a size add up to 1. */
static void distribution(void) {
    static const struct {
        uint32_t gated, height, width, levels, bernoulli, pictures;
    } rows[] = {{0, 3, 3, 2, 1, 512}, {0, 2, 3, 3, 0, 729}, {1, 3, 3, 2, 1, 512}, {1, 2, 3, 3, 0, 729}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        toy_pixelcnn_config c = {.gated = rows[r].gated, .height = rows[r].height, .width = rows[r].width, .levels = rows[r].levels,
                                 .bernoulli = rows[r].bernoulli, .blocks = 2, .d = 8, .input_kernel = 3, .kernel = 3, .head = 8, .seed = 56};
        const nx_model *model = toy_pixelcnn_open(toy_pixelcnn_build(&c));
        double total = 0;
        for (uint32_t picture = 0; picture < rows[r].pictures; picture++) {
            size_t mark = memory_mark();
            uint32_t ids[9], n = c.height * c.width;
            float nats[9];
            double sum = 0;
            for (uint32_t i = 0, left = picture; i < n; i++, left /= c.levels) ids[i] = left % c.levels;
            CHECK_INT(nx_session_put(model, session_of(model, -1, 0), ids, n, 0, nats), NX_OK);
            for (uint32_t i = 0; i < n; i++) sum += (double)nats[i];
            total += exp(-sum);
            memory_release(mark);
        }
        check_at("row %lld", r, 0, 0, 0);
        CHECK_NEAR(total, 1, 1e-5);
    }
}

/* Inconsistent files are refused. */
static void refused_files(void) {
    static const struct {
        const char *key;
        uint32_t value;
        nx_status status;
        const char *named; /* what the error names: a key after the architecture, or a tensor */
    } rows[] = {{".image.height", 0, NX_E_FORMAT, ".image.height"}, {".image.width", 257, NX_E_LIMIT, ".image.width"},
                {".image.channels", 3, NX_E_LIMIT, ".image.channels"}, {".image.levels", 300, NX_E_LIMIT, ".image.levels"},
                {".kernel", 4, NX_E_UNSUPPORTED, ".kernel"}, {".input_kernel", 6, NX_E_UNSUPPORTED, ".input_kernel"},
                {".kernel", 17, NX_E_LIMIT, ".kernel"}, {".embedding_length", 10, NX_E_UNSUPPORTED, ".embedding_length"},
                {".head_length", 6, NX_E_UNSUPPORTED, ".head_length"}, {".block_count", 4, NX_E_FORMAT, NULL}, {".kernel", 5, NX_E_FORMAT, NULL}};
    for (uint32_t gated = 0; gated < 2; gated++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            toy_pixelcnn_config c = toys[gated ? GATED : PLAIN];
            c.number = rows[i].key, c.value = rows[i].value;
            const toy_pixelcnn *made = toy_pixelcnn_build(&c);
            nx_problem problem = {"", ""};
            size_t bytes;
            char name[48] = "";
            if (rows[i].named) strcat(strcpy(name, gated ? "gated-pixelcnn" : "pixelcnn"), rows[i].named);
            check_at("gated %lld, row %lld", gated, i, 0, 0);
            CHECK_INT(nx_model_size(made->file.bytes, made->file.length, &bytes, &problem), rows[i].status);
            CHECK(problem.reason[0] && (!rows[i].named || !strcmp(problem.name, name)));
        }
    toy_pixelcnn_config c = toys[PLAIN];
    c.bernoulli = 1; /* a Bernoulli output needs two levels; these pictures have three */
    const toy_pixelcnn *made = toy_pixelcnn_build(&c);
    toy_refused(made->file.bytes, made->file.length, NX_E_FORMAT, "pixelcnn.image.levels");
}

const check_test pixelcnn_tests[] = {
    {"from queues as over the whole picture", queued_is_whole},
    {"causality to the bit", causality},
    {"receptive fields, the blind spot there and gone", fields},
    {"a class of zeros is no class", zero_class},
    {"the probabilities of all pictures add up to 1", distribution},
    {"files with contradictory entries", refused_files},
    {0},
};

/* SPDX-License-Identifier: MIT
 *
 * Compares SNAIL with its equations in double precision. Also tests which examples affect a query, and that interrupted sessions give the
 * same bits.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "layers/convolutions.h"
#include "model.h"
#include "session/session.h"
#include "toy.h"

#define CONVOLUTIONS 2
#define BLOCKS 3
#define MOST_LAYERS 3
#define PLACES 24
#define MOST_CHANNELS 512

typedef struct {
    uint32_t height, width, ways, label, kernel[CONVOLUTIONS], stride[CONVOLUTIONS], channels[CONVOLUTIONS], embedding, layers, dense, key[BLOCKS],
        value[BLOCKS], blocks, type;
    double spread; /* factor of all weights (0 means 1) */
    const char *number; /* null, or a key that gets another value */
    uint32_t instead;
    const char *reshaped; /* null, or a tensor that gets one column too many */
} config;

typedef struct {
    config config;
    uint32_t n_tensors;
    toy_file file;
    toy_tensor tensor[40];
} made;

static void add(made *m, const char *name, const char *kind, uint32_t rows, uint32_t cols, uint32_t type, double spread) {
    toy_tensor *t = m->tensor + m->n_tensors++;
    strcat(strcpy(t->name, name), kind);
    check_random random = {31 ^ check_hash(0, t->name, strlen(t->name))};
    t->rows = rows, t->cols = cols + (m->config.reshaped && !strcmp(m->config.reshaped, t->name));
    t->type = type == NX_Q8_0 && cols % 32 ? NX_F32 : type;
    t->values = memory_take((size_t)rows * t->cols * sizeof *t->values);
    for (size_t i = 0; i < (size_t)rows * t->cols; i++) t->values[i] = (float)(spread * random_normal(&random));
}

static void add_map(made *m, const char *name, uint32_t rows, uint32_t cols) {
    double spread = m->config.spread > 0 ? m->config.spread : 1;
    add(m, name, ".weight", rows, cols, m->config.type, spread * 1.5 / sqrt((double)cols));
    add(m, name, ".bias", 1, rows, NX_F32, 0.3);
}

static const char *name_of(const char *before, uint32_t a, const char *between, int b, const char *after) {
    static char name[40];
    size_t n = strlen(strcpy(name, before));
    name[n++] = (char)('0' + a), name[n] = 0;
    n = strlen(strcat(name, between));
    if (b >= 0) name[n++] = (char)('0' + b), name[n] = 0;
    return strcat(name, after);
}

static uint32_t smaller(uint32_t size, uint32_t stride) { return (size + stride - 1) / stride; }

static made *build(const config *given) {
    made *m = memory_take(sizeof *m);
    memset(m, 0, sizeof *m);
    m->config = *given;
    const config *c = &m->config;
    uint32_t rows = c->height, cols = c->width, width = 1;
    for (uint32_t i = 0; i < CONVOLUTIONS; i++) {
        add_map(m, name_of("embd.", i, "", -1, ""), c->channels[i], c->kernel[i] * c->kernel[i] * width);
        rows = smaller(rows, c->stride[i]), cols = smaller(cols, c->stride[i]), width = c->channels[i];
    }
    add_map(m, "embd.out", c->embedding, rows * cols * width);
    width = c->embedding + c->label;
    for (uint32_t b = 0; b < c->blocks; b++) {
        add_map(m, name_of("blk.", b, ".attn.q", -1, ""), c->key[b], width);
        add_map(m, name_of("blk.", b, ".attn.k", -1, ""), c->key[b], width);
        add_map(m, name_of("blk.", b, ".attn.v", -1, ""), c->value[b], width);
        width += c->value[b];
        for (uint32_t i = 0; i < c->layers && b + 1 < c->blocks; i++) {
            add_map(m, name_of("blk.", b, ".", (int)i, ".gate"), 2 * c->dense, 2 * width);
            width += c->dense;
        }
    }
    add_map(m, "output", c->ways, width);
    toy_file data = {0};
    struct {
        const char *key;
        uint32_t value;
    } numbers[] = {{"snail.image.height", c->height}, {"snail.image.width", c->width}, {"snail.ways", c->ways}, {"snail.label_length", c->label},
                   {"snail.embedding_length", c->embedding}, {"snail.layers", c->layers}, {"snail.dense_length", c->dense}};
    put_header(&m->file, m->n_tensors, 1 + 7 + 4);
    put_key_text(&m->file, "general.architecture", "snail");
    for (int i = 0; i < 7; i++) put_key_u32(&m->file, numbers[i].key, c->number && !strcmp(c->number, numbers[i].key) ? c->instead : numbers[i].value);
    put_key_numbers(&m->file, "snail.kernels", c->kernel, CONVOLUTIONS);
    put_key_numbers(&m->file, "snail.strides", c->stride, CONVOLUTIONS);
    put_key_numbers(&m->file, "snail.key_length", c->key, c->blocks);
    put_key_numbers(&m->file, "snail.value_length", c->value, c->blocks);
    for (uint32_t i = 0; i < m->n_tensors; i++) put_tensor(&m->file, &data, m->tensor + i);
    while (m->file.length % 32) put_bytes(&m->file, "", 1);
    put_bytes(&m->file, data.bytes, data.length);
    return m;
}

enum { PLAIN, ROUNDED, SEED };

static const config toys[] = {
    [PLAIN] = {9, 8, 4, 8, {5, 3}, {2, 2}, {12, 8}, 16, 3, 12, {16, 20, 32}, {8, 20, 12}, 3, NX_F32, 0, NULL, 0, NULL},
    [ROUNDED] = {8, 8, 6, 32, {5, 3}, {2, 2}, {32, 32}, 32, 2, 32, {32, 32}, {32, 32}, 2, NX_Q8_0, 0, NULL, 0, NULL},
    [SEED] = {4, 3, 2, 4, {3, 1}, {2, 1}, {4, 4}, 4, 1, 4, {8, 4}, {4, 4}, 2, NX_F16, 0, NULL, 0, NULL},
};

static toy_file toy_number(uint32_t number) { return build(toys + number)->file; }

const toy_row snail_toys[] = {
    {NULL, TOY_SEED, toy_number, SEED, {0}},
    {0},
};

/* ---- a run --------------------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t n, q, *support, *labels, *query;
} episode;

static episode episode_of(const config *c, uint32_t n, uint32_t q, uint64_t seed) {
    check_random random = {seed};
    uint32_t pixels = c->height * c->width;
    episode e = {n, q, memory_take((size_t)n * pixels * 4), memory_take(n * 4), memory_take((size_t)q * pixels * 4)};
    for (uint32_t i = 0; i < n * pixels; i++) e.support[i] = random_below(&random, 2) * random_below(&random, 256);
    for (uint32_t i = 0; i < q * pixels; i++) e.query[i] = random_below(&random, 2) * random_below(&random, 256);
    for (uint32_t i = 0; i < n; i++) e.labels[i] = i % c->ways;
    return e;
}

static nx_session *given(const nx_model *model, const config *c, const episode *e, uint32_t maps, size_t *bytes) {
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1, .maps = maps};
    nx_shape shape = {.counts = {e->n, e->n, e->q}};
    nx_session *session = NULL;
    size_t size = 0;
    CHECK_INT(nx_session_size(model, 0, &settings, &shape, &size), NX_OK);
    CHECK_INT(nx_session_open(memory_take(size), size, model, 0, &settings, &shape, &session), NX_OK);
    uint32_t pixels = c->height * c->width;
    CHECK_INT(nx_session_input(model, session, 0, e->support, e->n * pixels), NX_OK);
    CHECK_INT(nx_session_input(model, session, 1, e->labels, e->n), NX_OK);
    CHECK_INT(nx_session_input(model, session, 2, e->query, e->q * pixels), NX_OK);
    if (bytes) *bytes = size;
    return session;
}

/* Computes the probabilities of an episode, shape (q, ways). */
static float *odds_of(const nx_model *model, const config *c, const episode *e, nx_session **kept) {
    nx_session *session = given(model, c, e, kept != NULL, NULL);
    float *odds = memory_take(e->q * c->ways * sizeof *odds);
    nx_status status;
    do status = nx_session_encode(model, session);
    while (status == NX_MORE);
    CHECK_INT(status, NX_OK);
    CHECK_INT(nx_session_result(model, session, 0, 0, e->q * c->ways, odds), NX_OK);
    if (kept) *kept = session;
    return odds;
}

/* ---- the equations in double precision ---------------------------------------------------------------------------------------- */

static const float *values_of(const made *m, const char *name, const char *kind) {
    for (uint32_t i = 0; i < m->n_tensors; i++)
        if (!strncmp(m->tensor[i].name, name, strlen(name)) && !strcmp(m->tensor[i].name + strlen(name), kind)) return m->tensor[i].values;
    CHECK(0);
    return NULL;
}

static double line(const float *weight, const double *x, uint32_t n, double bias) {
    for (uint32_t i = 0; i < n; i++) bias += (double)weight[i] * x[i];
    return bias;
}

static void map_of(const made *m, const char *name, uint32_t rows, uint32_t cols, const double *x, double *out) {
    const float *w = values_of(m, name, ".weight"), *b = values_of(m, name, ".bias");
    for (uint32_t i = 0; i < rows; i++) out[i] = line(w + i * cols, x, cols, (double)b[i]);
}

static void embed(const made *m, const uint32_t *ids, double *out) {
    const config *c = &m->config;
    uint32_t rows = c->height, cols = c->width, depth = 1;
    double *x = memory_take(rows * cols * sizeof *x);
    for (uint32_t i = 0; i < rows * cols; i++) x[i] = ids[i] / 255.0;
    for (uint32_t i = 0; i < CONVOLUTIONS; i++) {
        uint32_t k = c->kernel[i], s = c->stride[i], down = smaller(rows, s), across = smaller(cols, s), outputs = c->channels[i];
        double *y = memory_take((size_t)down * across * outputs * sizeof *y), patch[25 * 32];
        for (uint32_t place = 0; place < down * across; place++) {
            for (uint32_t t = 0; t < k * k; t++)
                for (uint32_t ch = 0; ch < depth; ch++) {
                    int row = (int)(place / across * s + t / k) - (int)(k / 2), col = (int)(place % across * s + t % k) - (int)(k / 2);
                    int inside = row >= 0 && col >= 0 && row < (int)rows && col < (int)cols;
                    patch[t * depth + ch] = inside ? x[((uint32_t)row * cols + (uint32_t)col) * depth + ch] : 0;
                }
            map_of(m, name_of("embd.", i, "", -1, ""), outputs, k * k * depth, patch, y + place * outputs);
            for (uint32_t ch = 0; ch < outputs; ch++) y[place * outputs + ch] = fmax(0, y[place * outputs + ch]);
        }
        x = y, rows = down, cols = across, depth = outputs;
    }
    map_of(m, "embd.out", c->embedding, rows * cols * depth, x, out);
}

/* Computes two results for one query: `odds`, the log-probabilities of all labels, shape (ways), and `looks`, the weights of each attention
 * layer over the n examples, shape (blocks, n). The sequence consists of the examples and only this query. */
static void by_hand(const made *m, const episode *e, uint32_t query, double *odds, double *looks) {
    const config *c = &m->config;
    static double x[PLACES][MOST_CHANNELS];
    uint32_t T = e->n + 1, width = c->embedding + c->label, pixels = c->height * c->width;
    memset(x, 0, sizeof x);
    for (uint32_t t = 0; t < T; t++) {
        embed(m, t < e->n ? e->support + t * pixels : e->query + query * pixels, x[t]);
        if (t < e->n) x[t][c->embedding + e->labels[t]] = 1;
    }
    for (uint32_t b = 0; b < c->blocks; b++) {
        static double q[PLACES][64], k[PLACES][64], v[PLACES][64];
        for (uint32_t t = 0; t < T; t++) {
            map_of(m, name_of("blk.", b, ".attn.q", -1, ""), c->key[b], width, x[t], q[t]);
            map_of(m, name_of("blk.", b, ".attn.k", -1, ""), c->key[b], width, x[t], k[t]);
            map_of(m, name_of("blk.", b, ".attn.v", -1, ""), c->value[b], width, x[t], v[t]);
        }
        for (uint32_t t = 0; t < T; t++) {
            double weight[PLACES], sum = 0;
            for (uint32_t s = 0; s <= t; s++) {
                double score = 0;
                for (uint32_t i = 0; i < c->key[b]; i++) score += q[t][i] * k[s][i];
                sum += weight[s] = exp(score / sqrt((double)c->key[b]));
            }
            for (uint32_t s = 0; s <= t; s++) {
                for (uint32_t i = 0; i < c->value[b]; i++) x[t][width + i] += weight[s] / sum * v[s][i];
                if (t == e->n && s < e->n) looks[b * e->n + s] = weight[s] / sum;
            }
        }
        width += c->value[b];
        for (uint32_t i = 0; i < c->layers && b + 1 < c->blocks; i++) {
            uint32_t reach = 2u << i;
            for (uint32_t t = 0; t < T; t++) {
                double both[2 * MOST_CHANNELS] = {0}, fg[64];
                if (t >= reach) memcpy(both, x[t - reach], width * sizeof *both);
                memcpy(both + width, x[t], width * sizeof *both);
                map_of(m, name_of("blk.", b, ".", (int)i, ".gate"), 2 * c->dense, 2 * width, both, fg);
                for (uint32_t ch = 0; ch < c->dense; ch++) x[t][width + ch] = tanh(fg[ch]) / (1 + exp(-fg[c->dense + ch]));
            }
            width += c->dense;
        }
    }
    double all = 0, logits[32];
    map_of(m, "output", c->ways, width, x[e->n], logits);
    for (uint32_t w = 0, there; w < c->ways; w++) {
        there = 0;
        for (uint32_t i = 0; i < e->n; i++) there |= e->labels[i] == w;
        odds[w] = there ? logits[w] : -INFINITY;
        all += exp(odds[w]);
    }
    for (uint32_t w = 0; w < c->ways; w++) odds[w] -= log(all);
}

/* The probabilities and maps of every query equal those of the equations. The largest number of examples is greater than the distance to
 * the farthest tap. Labels without an example have probability 0. */
static void equations(void) {
    static const uint32_t counts[][2] = {{1, 1}, {2, 3}, {5, 2}, {11, 1}, {20, 4}};
    double worst = 0;
    for (int toy_of = 0; toy_of < 2; toy_of++)
        for (uint32_t s = 0; s < sizeof counts / sizeof *counts; s++) {
            size_t mark = memory_mark();
            const config *c = toys + toy_of;
            made *m = build(c);
            const nx_model *model = toy_file_open(&m->file);
            episode e = episode_of(c, counts[s][0], counts[s][1], 50 + s);
            nx_session *session;
            float *odds = odds_of(model, c, &e, &session), weights[PLACES];
            double expected[32], looks[BLOCKS * PLACES], off = 0, tolerance = toy_of ? 0.25 : 2e-5; /* 0.25 for rounding to 8 bits */
            uint32_t list[PLACES], count;
            for (uint32_t q = 0; q < e.q; q++) {
                by_hand(m, &e, q, expected, looks);
                check_at("toy %lld, %lld examples, query %lld", toy_of, e.n, q, 0);
                for (uint32_t w = 0; w < c->ways; w++) {
                    double found = (double)odds[q * c->ways + w];
                    if (w >= e.n) {
                        CHECK(found == -INFINITY && expected[w] == -INFINITY);
                        continue;
                    }
                    CHECK_NEAR(found, expected[w], tolerance);
                    off = fmax(off, fabs(found - expected[w]));
                }
                for (uint32_t b = 0; b < c->blocks; b++) {
                    double sum = 0;
                    CHECK_INT(nx_session_map(model, session, 0, 0, b * e.q + q, list, weights, &count), NX_OK);
                    CHECK_INT(count, e.n);
                    for (uint32_t i = 0; i < count; i++) {
                        CHECK_INT(list[i], i);
                        CHECK_NEAR((double)weights[i], looks[b * e.n + i], toy_of ? 0.1 : 2e-5);
                        sum += (double)weights[i];
                    }
                    CHECK(sum > 0 && sum < 1); /* the rest of the weight is the query's weight on itself */
                }
            }
            CHECK_INT(nx_session_map(model, session, 0, 0, c->blocks * e.q, list, weights, &count), NX_E_ARGUMENT);
            if (!toy_of) worst = fmax(worst, off);
            memory_release(mark);
        }
    check_note("  odds within %.2g", worst);
}

/* A query sees the examples but no other query. The order of the examples affects the results. */
static void what_is_seen(void) {
    for (int toy_of = 0; toy_of < 2; toy_of++) {
        const config *c = toys + toy_of;
        const nx_model *model = toy_file_open(&build(c)->file);
        episode e = episode_of(c, 9, 5, 7), one = e, swapped = e;
        float *all = odds_of(model, c, &e, NULL);
        one.q = 1;
        for (uint32_t q = 0; q < e.q; q++) {
            one.query = e.query + q * c->height * c->width;
            CHECK_FLOATS(odds_of(model, c, &one, NULL), all + q * c->ways, c->ways);
        }
        /* the first two examples swap positions, with their labels: convolutions depend on the order */
        uint32_t pixels = c->height * c->width;
        swapped.support = memory_copy(e.support, e.n * pixels * 4);
        swapped.labels = memory_copy(e.labels, e.n * 4);
        memcpy(swapped.support, e.support + pixels, pixels * 4), memcpy(swapped.support + pixels, e.support, pixels * 4);
        swapped.labels[0] = e.labels[1], swapped.labels[1] = e.labels[0];
        float *other = odds_of(model, c, &swapped, NULL), most = 0;
        for (uint32_t i = 0; i < e.q * c->ways; i++) most = fmaxf(most, fabsf(other[i] - all[i]));
        CHECK(most > 1e-4f);
        check_note("  another order: log odds differ by up to %.2g", (double)most);
    }
}

/* The results are bit-identical even if the session is interrupted between slices, copied, saved and checked. */
static void interrupted(void) {
    const config *c = toys + PLAIN;
    const nx_model *model = toy_file_open(&build(c)->file);
    episode e = episode_of(c, 70, 6, 9); /* this episode takes more than one slice */
    float *expected = odds_of(model, c, &e, NULL), *odds = memory_take(e.q * c->ways * sizeof *odds);
    size_t bytes = 0;
    nx_session *session = given(model, c, &e, 0, &bytes);
    nx_status status = NX_MORE;
    int slices = 0;
    CHECK_INT(nx_session_result(model, session, 0, 0, 1, odds), NX_E_ARGUMENT);
    for (; status == NX_MORE; slices++) {
        status = nx_session_encode(model, session);
        session = memory_copy(session, bytes); /* the session continues at another address */
        CHECK_INT(nx_session_check(model, session, bytes), NX_OK);
        if (status == NX_MORE) CHECK_INT(nx_session_result(model, session, 0, 0, 1, odds), NX_E_ARGUMENT);
    }
    CHECK_INT(status, NX_OK);
    CHECK(slices > 76);
    CHECK_INT(nx_session_result(model, session, 0, 0, e.q * c->ways, odds), NX_OK);
    CHECK_FLOATS(odds, expected, e.q * c->ways);
    CHECK_INT(nx_session_result(model, session, 0, 1, e.q * c->ways, odds), NX_E_ARGUMENT);
}

/* The slices of a large picture's convolutions cover each location once, in order, and no slice has too many products. */
static void large_pictures(void) {
    nx_convolutions c = {.n = 3};
    static const uint32_t locations[] = {65536, 16384, 7, 1}, rows[] = {4, 512, 12, 24}, cols[] = {1, 900, 4608, 65536};
    for (uint32_t i = 0; i < 4; i++) c.at[i].locations = locations[i], c.at[i].map.weight.rows = rows[i], c.at[i].map.weight.cols = cols[i];
    uint32_t slice = 0;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t at = 0; at < locations[i]; slice++) {
            nx_convolution_slice part = nx_convolution_slice_at(&c, slice);
            check_at("slice %lld", slice, 0, 0, 0);
            CHECK_INT(part.index, i);
            CHECK_INT(part.first, at);
            CHECK(part.past > at && part.past <= locations[i]);
            CHECK(part.past - at <= NX_COLUMNS || (uint64_t)(part.past - at) * rows[i] * cols[i] <= NX_SLICE_PRODUCTS);
            if (part.past <= at) return;
            at = part.past;
        }
    CHECK_INT(nx_convolution_slices(&c, 4), slice);
    CHECK(slice > 100);
}

static void refusals(void) {
    const config *c = toys + PLAIN;
    made *m = build(c);
    const nx_model *model = toy_file_open(&m->file);
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    size_t bytes;
    static const uint32_t counts[][3] = {{5, 4, 1}, {5, 6, 1}, {1025, 1025, 1}, {1, 1, 65}};
    for (int i = 0; i < 4; i++) { /* a wrong number of labels (twice), too many examples, too many queries */
        nx_shape shape = {.counts = {counts[i][0], counts[i][1], counts[i][2]}};
        CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_E_ARGUMENT);
    }
    nx_shape shape = {.counts = {1024, 1024, 64}}; /* the largest counts */
    CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_OK);
    struct {
        config twist;
        nx_status status;
        const char *named;
    } files[10];
    for (int i = 0; i < 10; i++) files[i].twist = *c, files[i].status = NX_E_FORMAT;
    files[0].twist.number = files[0].named = "snail.label_length", files[0].twist.instead = 129, files[0].status = NX_E_LIMIT;
    files[1].twist.number = files[1].named = "snail.label_length", files[1].twist.instead = 3;
    files[2].twist.reshaped = files[2].named = "blk.1.2.gate.weight"; /* the numbers of channels do not add up */
    files[3].twist.reshaped = files[3].named = "embd.out.weight";
    files[4].twist.reshaped = files[4].named = "output.weight";
    files[5].twist.kernel[1] = 4, files[5].named = "snail.kernels", files[5].status = NX_E_UNSUPPORTED;
    files[6].twist.value[0] = 20, files[6].named = "snail.value_length", files[6].status = NX_E_UNSUPPORTED;
    files[7].twist.number = files[7].named = "snail.layers", files[7].twist.instead = 10, files[7].status = NX_E_LIMIT;
    files[8].twist.dense = 10, files[8].named = "snail.dense_length", files[8].status = NX_E_UNSUPPORTED;
    files[9].twist.number = files[9].named = "snail.image.height", files[9].twist.instead = 257, files[9].status = NX_E_LIMIT;
    for (int i = 0; i < 10; i++) {
        check_at("file %lld", i, 0, 0, 0);
        toy_file file = build(&files[i].twist)->file;
        toy_refused(file.bytes, file.length, files[i].status, files[i].named);
    }
    /* weights so large that results are not finite */
    config large = *c;
    large.spread = 1e20;
    const nx_model *broken = toy_file_open(&build(&large)->file);
    episode e = episode_of(c, 4, 1, 3);
    nx_session *session = given(broken, c, &e, 0, NULL);
    nx_status status;
    do status = nx_session_encode(broken, session);
    while (status == NX_MORE);
    CHECK_INT(status, NX_E_NUMERIC);
}

const check_test snail_tests[] = {
    {"probabilities and weights equal the reference in double precision", equations},
    {"what a query sees", what_is_seen},
    {"chunks and copies give the same bits", interrupted},
    {"chunks of large pictures", large_pictures},
    {"what is refused", refusals},
    {0},
};

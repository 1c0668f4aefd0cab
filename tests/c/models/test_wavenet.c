/* SPDX-License-Identifier: MIT
 *
 * Compares WaveNet with its equations. The reference computes each layer as a convolution over the whole sound; the library keeps a queue
 * for each layer.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kernels/gates.h"
#include "session/session.h"
#include "toy.h"

/* ---- toys ------------------------------------------------------------------------------------------------------------------- */

#define MAX_LAYERS 12
#define MOST 96 /* maximum number of samples in a test */

typedef struct {
    uint32_t dilations[MAX_LAYERS]; /* dilations of the layers; the list ends at the first zero */
    uint32_t R, D, S, head, classes, speakers;
    uint32_t height, width, levels, bernoulli; /* sizes of a picture; all zero for a sound */
    uint32_t type;                             /* type of the matrices */
    uint32_t nobody;                           /* 1: the rows of classes and speakers are zeros and have no effect */
    uint64_t seed;
    const char *number; /* null, or a key whose value is replaced */
    uint32_t value;
    const char *without; /* a key that the file lacks */
} config;

typedef struct {
    config config;
    uint32_t layers, V, P, n_tensors;
    toy_file file;
    toy_tensor tensor[80];
} made;

static void add(made *m, const char *at, const char *part, const char *kind, uint32_t rows, uint32_t cols, uint32_t type, double spread) {
    toy_tensor *t = m->tensor + m->n_tensors++;
    strcat(strcat(strcpy(t->name, at), part), kind);
    check_random random = {m->config.seed ^ check_hash(0, t->name, strlen(t->name))};
    t->rows = rows, t->cols = cols;
    t->type = (type == NX_Q8_0 || type == NX_Q4_0) && cols % 32 ? NX_F32 : type;
    t->values = memory_take((size_t)rows * cols * sizeof *t->values);
    for (size_t i = 0; i < (size_t)rows * cols; i++) t->values[i] = (float)(spread * random_normal(&random));
}

static void add_map(made *m, const char *at, const char *part, uint32_t rows, uint32_t cols) {
    add(m, at, part, ".weight", rows, cols, m->config.type, 1.3 / __builtin_sqrt((double)cols));
    add(m, at, part, ".bias", 1, rows, NX_F32, 0.3);
}

static const char *block_name(uint32_t i) {
    static char at[] = "blk.00.";
    if (i >= 10) return at[4] = (char)('0' + i / 10), at[5] = (char)('0' + i % 10), at;
    static char small[] = "blk.0.";
    return small[4] = (char)('0' + i), small;
}

static made *build(const config *given) {
    made *m = memory_take(sizeof *m);
    memset(m, 0, sizeof *m);
    m->config = *given;
    const config *c = &m->config;
    while (m->layers < MAX_LAYERS && c->dilations[m->layers]) m->layers++;
    m->V = c->height ? c->levels : 257, m->P = c->bernoulli ? 1 : m->V;
    add(m, "", "input", ".weight", 2 * m->V, c->R, c->type == NX_Q8_0 ? NX_F16 : c->type, 0.7);
    add(m, "", "input", ".bias", 1, c->R, NX_F32, 0.3);
    for (uint32_t i = 0; i < m->layers; i++) {
        add_map(m, block_name(i), "gate", 2 * c->D, 2 * c->R);
        add_map(m, block_name(i), "mix", (i + 1 < m->layers ? c->R : 0) + c->S, c->D);
        if (c->classes) add(m, block_name(i), "class", ".weight", c->classes, 2 * c->D, NX_F32, c->nobody ? 0 : 0.7);
        if (c->speakers) add(m, block_name(i), "speaker", ".weight", c->speakers, 2 * c->D, NX_F32, c->nobody ? 0 : 0.7);
    }
    add_map(m, "", "head.0", c->head, c->S);
    add_map(m, "", "output", m->P, c->head);
    if (!c->height) m->tensor[m->n_tensors - 1].values[m->V - 1] = -20; /* makes the end of a sound improbable */

    const struct {
        const char *key;
        uint32_t value;
    } keys[] = {{"wavenet.residual_length", c->R}, {"wavenet.gate_length", c->D}, {"wavenet.skip_length", c->S}, {"wavenet.head_length", c->head},
                {c->height ? "wavenet.image.height" : "wavenet.sound.rate", c->height ? c->height : 8000}, {"wavenet.image.width", c->width},
                {"wavenet.image.levels", c->levels}};
    toy_file data = {0}, body = {0};
    uint32_t n_keys = 0;
    put_key_text(&body, "general.architecture", "wavenet"), n_keys++;
    for (size_t i = 0; i < (c->height ? 7 : 5); i++)
        if (!c->without || strcmp(c->without, keys[i].key))
            put_key_u32(&body, keys[i].key, c->number && !strcmp(c->number, keys[i].key) ? c->value : keys[i].value), n_keys++;
    if (c->height) put_key_text(&body, "wavenet.output.type", c->bernoulli ? "bernoulli" : "categorical"), n_keys++;
    uint32_t dilations[MAX_LAYERS];
    memcpy(dilations, c->dilations, sizeof dilations);
    if (c->number && !strcmp(c->number, "wavenet.dilations")) dilations[1] = c->value;
    if (!c->without || strcmp(c->without, "wavenet.dilations")) put_key_numbers(&body, "wavenet.dilations", dilations, m->layers), n_keys++;
    if (c->classes) put_key_texts(&body, "wavenet.classes", c->classes), n_keys++;
    if (c->speakers) put_key_texts(&body, "wavenet.speakers", c->speakers), n_keys++;
    put_header(&m->file, m->n_tensors, n_keys);
    put_bytes(&m->file, body.bytes, body.length);
    for (uint32_t i = 0; i < m->n_tensors; i++) put_tensor(&m->file, &data, m->tensor + i);
    while (m->file.length % 32) put_bytes(&m->file, "", 1);
    put_bytes(&m->file, data.bytes, data.length);
    return m;
}

static nx_model *opened(const made *m) { return toy_file_open(&m->file); }

enum { SOUND, ROUNDED, PICTURE, SEED, PICTURE_SEED };

static const config toys[] = {
    [SOUND] = {.dilations = {1, 2, 4, 8, 3}, .R = 12, .D = 8, .S = 20, .head = 16, .classes = 3, .speakers = 2, .seed = 71},
    [ROUNDED] = {.dilations = {1, 2, 4, 1, 16}, .R = 32, .D = 32, .S = 64, .head = 32, .classes = 3, .speakers = 2, .type = NX_Q8_0, .seed = 72},
    [PICTURE] = {.dilations = {1, 5, 2}, .R = 8, .D = 12, .S = 8, .head = 12, .height = 5, .width = 6, .levels = 3, .classes = 4, .seed = 73},
    [SEED] = {.dilations = {1, 2}, .R = 4, .D = 4, .S = 4, .head = 4, .speakers = 2, .type = NX_F16, .seed = 74},
    [PICTURE_SEED] = {.dilations = {2, 1}, .R = 4, .D = 4, .S = 4, .head = 4, .height = 3, .width = 2, .levels = 2, .bernoulli = 1, .seed = 75},
};

static toy_file toy_number(uint32_t number) { return build(toys + number)->file; }

const toy_row wavenet_toys[] = {
    {"wavenet", TOY_RUN | TOY_SHAPED, toy_number, SOUND, {.length = 40}},
    {"wavenet, rounded", TOY_RUN, toy_number, ROUNDED, {.length = 40}},
    {"wavenet, a picture", TOY_RUN | TOY_SEARCH, toy_number, PICTURE, {0}},
    {NULL, TOY_SEED, toy_number, SEED, {0}},
    {NULL, TOY_SEED, toy_number, PICTURE_SEED, {0}},
    {0},
};

/* ---- the whole sound at once ---------------------------------------------------------------------------------------------------- */

static const float *values(const made *m, const char *at, const char *part, const char *kind) {
    char name[48];
    strcat(strcat(strcpy(name, at), part), kind);
    for (uint32_t i = 0; i < m->n_tensors; i++)
        if (!strcmp(m->tensor[i].name, name)) return m->tensor[i].values;
    return CHECK(!"there is a tensor of that name"), NULL;
}

/* Computes out = b + W x, a vector of `rows` values, in the library's order of arithmetic: the bias, then products in the order of the
 * weights. */
static void apply(const made *m, float *out, const char *at, const char *part, uint32_t rows, uint32_t cols, const float *x) {
    const float *weight = values(m, at, part, ".weight"), *bias = values(m, at, part, ".bias");
    for (uint32_t r = 0; r < rows; r++) {
        out[r] = bias[r];
        for (uint32_t c = 0; c < cols; c++) out[r] += weight[(size_t)r * cols + c] * x[c];
    }
}

static void add_row(float *x, const float *table, int row, uint32_t cols) {
    for (uint32_t c = 0; row >= 0 && c < cols; c++) x[c] += table[(size_t)row * cols + c];
}

/* Computes the outputs of all samples, shape (n, P). Each layer is computed for all samples before the next layer. In each layer, the skip
 * output is added before the residual is added to h. */
static float *directly(const made *m, const uint32_t *ids, uint32_t n, int label, int speaker) {
    const config *c = &m->config;
    uint32_t R = c->R, D = c->D, S = c->S;
    float *h = memory_take(n * R * sizeof *h), *next = memory_take(n * R * sizeof *h), *skip = memory_take(n * S * sizeof *h);
    float *taps = memory_take(2 * R * sizeof *h), *fg = memory_take(nx_stride(2 * D) * sizeof *h), *z = memory_take(nx_stride(D) * sizeof *h);
    float *y = memory_take((R + S) * sizeof *h), *head = memory_take(c->head * sizeof *h), *out = memory_take((size_t)n * m->P * sizeof *h);
    memset(skip, 0, n * S * sizeof *skip);
    for (uint32_t t = 0; t < n; t++) {
        memcpy(h + t * R, values(m, "", "input", ".bias"), R * sizeof *h);
        if (t >= 2) add_row(h + t * R, values(m, "", "input", ".weight"), (int)ids[t - 2], R);
        if (t >= 1) add_row(h + t * R, values(m, "", "input", ".weight"), (int)(m->V + ids[t - 1]), R);
    }
    for (uint32_t i = 0; i < m->layers; i++) {
        const char *at = block_name(i);
        uint32_t d = c->dilations[i], residual = i + 1 < m->layers ? R : 0;
        for (uint32_t t = 0; t < n; t++) {
            memset(taps, 0, R * sizeof *taps); /* values before the beginning are zeros */
            if (t >= d) memcpy(taps, h + (t - d) * R, R * sizeof *taps);
            memcpy(taps + R, h + t * R, R * sizeof *taps);
            apply(m, fg, at, "gate", 2 * D, 2 * R, taps);
            if (label >= 0) add_row(fg, values(m, at, "class", ".weight"), label, 2 * D);
            if (speaker >= 0) add_row(fg, values(m, at, "speaker", ".weight"), speaker, 2 * D);
            nx_gate(z, fg, D, 1);
            apply(m, y, at, "mix", residual + S, D, z);
            for (uint32_t k = 0; k < S; k++) skip[t * S + k] += y[residual + k];
            for (uint32_t k = 0; k < residual; k++) next[t * R + k] = h[t * R + k] + y[k];
        }
        if (residual) memcpy(h, next, n * R * sizeof *h);
    }
    for (uint32_t t = 0; t < n; t++) {
        for (uint32_t k = 0; k < S; k++) skip[t * S + k] = skip[t * S + k] > 0 ? skip[t * S + k] : 0;
        apply(m, head, "", "head.0", c->head, S, skip + t * S);
        for (uint32_t k = 0; k < c->head; k++) head[k] = head[k] > 0 ? head[k] : 0;
        apply(m, out + (size_t)t * m->P, "", "output", m->P, c->head, head);
    }
    return out;
}

/* ---- runs --------------------------------------------------------------------------------------------------------------------- */

static nx_session *session_of(const nx_model *model, uint32_t length, int label, int speaker) {
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    nx_shape shape = {.length = length};
    nx_session *session = NULL;
    nx_port port;
    size_t bytes = 0;
    CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, &shape, &session), NX_OK);
    for (uint32_t i = 0; nx_model_port(model, 0, i, &port) == NX_OK; i++) {
        int id = !strcmp(port.name, "class") ? label : speaker;
        if (id >= 0) CHECK_INT(nx_session_input(model, session, i, (uint32_t[]){(uint32_t)id}, 1), NX_OK);
    }
    return session;
}

/* Computes the outputs of a run, shape (n, P), sample by sample. */
static float *outputs_of(const nx_model *model, const uint32_t *ids, uint32_t n, int label, int speaker) {
    nx_part_info info;
    CHECK_INT(nx_model_part(model, 0, &info), NX_OK);
    float *out = memory_take((size_t)n * info.outputs * sizeof *out), nats;
    nx_session *session = session_of(model, n, label, speaker);
    for (uint32_t i = 0; i < n; i++) {
        CHECK_INT(nx_session_put(model, session, ids + i, 1, 0, &nats), NX_OK);
        CHECK_INT(nx_session_output(model, session, 0, out + (size_t)i * info.outputs), NX_OK);
    }
    return out;
}

static void sound_of(uint32_t *ids, uint32_t n, uint32_t values_of_id, check_random *random) {
    for (uint32_t i = 0; i < n; i++) ids[i] = random_below(random, values_of_id > 256 ? 256 : values_of_id);
}

/* Computing one sample at a time from queues gives the same bits as convolutions over the whole sound, from the first sample on. The bits
 * are also the same if dilations decrease, exceed the length of the sound, or are not powers of two. */
static void queued_is_direct(void) {
    static const uint32_t dilations[][MAX_LAYERS] = {{1}, {1, 2, 4, 8, 3}, {7, 1, 5}, {64, 2, 64}, {1, 1, 1}, {1, 2, 4, 8, 16, 1, 2, 4, 8, 16}};
    check_random random = {81};
    for (size_t s = 0; s < sizeof dilations / sizeof *dilations; s++)
        for (int label = -1; label < 2; label++)
            for (int speaker = -1; speaker < 2; speaker += 2) {
                size_t mark = memory_mark();
                config c = toys[SOUND];
                memcpy(c.dilations, dilations[s], sizeof c.dilations);
                c.seed += s;
                const made *m = build(&c);
                uint32_t ids[MOST], n = 50;
                sound_of(ids, n, m->V, &random);
                check_at("dilations %lld, label %lld, speaker %lld", s, label, speaker, 0);
                CHECK_FLOATS(outputs_of(opened(m), ids, n, label, speaker), directly(m, ids, n, label, speaker), n * m->P);
                memory_release(mark);
            }
    const made *m = build(toys + PICTURE);
    uint32_t ids[30];
    sound_of(ids, 30, m->V, &random);
    CHECK_FLOATS(outputs_of(opened(m), ids, 30, 2, -1), directly(m, ids, 30, 2, -1), 90);
}

/* Changing one sample's id changes exactly the distributions of the later samples whose receptive field contains this sample. The length of
 * a receptive field is the sum of the dilations, plus two. If the dilations are powers of two, every sample of the field has an effect.
 * With the dilations {3, 3}, the samples at distances 3 and 6 have no effect. The receptive field is the same if products are rounded. */
static void receptive_field(void) {
    static const struct {
        uint32_t dilations[MAX_LAYERS], type;
    } rows[] = {{{1, 2, 4, 8}, NX_F32}, {{1, 2, 4, 8, 1, 2, 4, 8}, NX_F32}, {{3, 3}, NX_F32}, {{1, 2, 4, 8}, NX_Q8_0}};
    check_random random = {82};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        config c = toys[rows[row].type == NX_Q8_0 ? ROUNDED : SOUND];
        memcpy(c.dilations, rows[row].dilations, sizeof c.dilations);
        const made *m = build(&c);
        const nx_model *model = opened(m);
        uint32_t n = 60, ids[MOST], at = 20, field = 2;
        uint8_t reached[MOST] = {0}, moved[MOST] = {0}; /* [distance in samples] */
        reached[1] = reached[2] = 1;
        for (uint32_t i = 0; i < m->layers; i++) {
            for (uint32_t k = MOST; k-- > c.dilations[i];) reached[k] |= reached[k - c.dilations[i]];
            field += c.dilations[i];
        }
        for (int sound = 0; sound < 4; sound++) { /* four sounds, because a rounding step may hide a distant sample */
            size_t mark = memory_mark();
            sound_of(ids, n, m->V, &random);
            const float *before = outputs_of(model, ids, n, -1, -1);
            ids[at] = (ids[at] + 90) % 256;
            const float *after = outputs_of(model, ids, n, -1, -1);
            for (uint32_t t = 0; t < n; t++) {
                int differs = memcmp(after + (size_t)t * m->P, before + (size_t)t * m->P, m->P * sizeof *after) != 0;
                check_at("row %lld, sample %lld", row, t, 0, 0);
                if (t <= at) CHECK(!differs); /* earlier samples must stay bit-identical */
                else moved[t - at] |= differs;
            }
            memory_release(mark);
        }
        check_at("row %lld", row, 0, 0, 0);
        CHECK_BYTES(moved, reached, MOST - 56 + 20);
        CHECK(moved[field] && !moved[field + 1]);
    }
}

/* Before the first sample, the input is missing. Missing input differs from silence, which is the middle level. The beginning of a sound is
 * therefore treated differently from a pause. */
static void nothing_is_not_silence(void) {
    const made *m = build(toys + SOUND);
    const nx_model *model = opened(m);
    uint32_t ids[MOST], lead = 20, n = 40; /* the receptive field has 20 samples */
    for (uint32_t i = 0; i < n; i++) ids[i] = i < lead ? 128 : 100 + i;
    const float *late = outputs_of(model, ids, n, -1, -1), *early = outputs_of(model, ids + lead, n - lead, -1, -1);
    CHECK(memcmp(late + (size_t)lead * m->P, early, m->P * sizeof *early));
    CHECK(memcmp(late + (size_t)(lead + 3) * m->P, early + 3 * (size_t)m->P, m->P * sizeof *early));
}

/* If the weight rows of a class and a speaker are zeros, the result is the same as without a class or a speaker. Otherwise, the result
 * differs. */
static void unconditional(void) {
    check_random random = {83};
    uint32_t ids[30];
    sound_of(ids, 30, 257, &random);
    config c = toys[SOUND];
    const nx_model *with = opened(build(&c));
    c.nobody = 1;
    const nx_model *without = opened(build(&c));
    const float *alone = outputs_of(with, ids, 30, -1, -1);
    uint32_t n = 30 * 257;
    CHECK_FLOATS(outputs_of(without, ids, 30, 2, 1), alone, n);
    CHECK_FLOATS(outputs_of(without, ids, 30, -1, 0), alone, n);
    CHECK(memcmp(outputs_of(with, ids, 30, 2, -1), alone, n * sizeof *alone));
    CHECK(memcmp(outputs_of(with, ids, 30, -1, 1), alone, n * sizeof *alone));
    CHECK(memcmp(outputs_of(with, ids, 30, 2, 1), outputs_of(with, ids, 30, 2, 0), n * sizeof *alone));
}

/* The probabilities of all pictures of a size add up to 1. */
static void distribution(void) {
    config c = toys[PICTURE];
    c.height = 2, c.width = 3;
    const nx_model *model = opened(build(&c));
    double total = 0;
    for (uint32_t picture = 0; picture < 729; picture++) {
        size_t mark = memory_mark();
        uint32_t ids[6], left = picture;
        float nats[6];
        double sum = 0;
        for (uint32_t i = 0; i < 6; i++, left /= 3) ids[i] = left % 3;
        CHECK_INT(nx_session_put(model, session_of(model, 0, 1, -1), ids, 6, 0, nats), NX_OK);
        for (uint32_t i = 0; i < 6; i++) sum += (double)nats[i];
        total += exp(-sum);
        memory_release(mark);
    }
    CHECK_NEAR(total, 1, 1e-5);
}

/* A sound has the length that the caller requests, unless an end id is drawn earlier. A run without a length is refused. */
static void length_and_end(void) {
    const nx_model *model = opened(build(toys + SOUND));
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    nx_part_info info;
    size_t bytes;
    CHECK_INT(nx_model_part(model, 0, &info), NX_OK);
    CHECK_INT(info.length, 0);
    CHECK_INT(info.values, 257);
    CHECK_INT(nx_session_size(model, 0, &settings, NULL, &bytes), NX_E_ARGUMENT);
    CHECK_INT(nx_session_size(model, 0, &settings, &(nx_shape){.length = 100000}, &bytes), NX_OK);
    nx_settings twice = {.samples = 1, .temperature = 1, .top_p = 1, .biases = 1};
    nx_session *session = NULL;
    uint32_t ids[8], drawn = 0, end = 256;
    float bias = NX_MOST_BIAS;
    CHECK_INT(nx_session_size(model, 0, &twice, &(nx_shape){.length = 8}, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &twice, &(nx_shape){.length = 8}, &session), NX_OK);
    CHECK_INT(nx_session_bias(model, session, &end, &bias, 1), NX_OK);
    CHECK_INT(nx_session_draw(model, session, 8, ids, NULL, &drawn), NX_OK);
    CHECK_INT(drawn, 1);
    CHECK_INT(ids[0], 256);
}

/* Inconsistent files are refused. */
static void refused_files(void) {
    static const struct {
        const char *key;
        uint32_t value;
        nx_status status;
    } rows[] = {{"wavenet.residual_length", 10, NX_E_UNSUPPORTED}, {"wavenet.gate_length", 0, NX_E_FORMAT}, {"wavenet.skip_length", 5000, NX_E_LIMIT},
                {"wavenet.head_length", 18, NX_E_UNSUPPORTED}, {"wavenet.sound.rate", 10, NX_E_FORMAT}, {"wavenet.sound.rate", 1000000, NX_E_LIMIT},
                {"wavenet.dilations", 0, NX_E_LIMIT}, {"wavenet.dilations", 70000, NX_E_LIMIT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        config c = toys[SOUND];
        c.number = rows[i].key, c.value = rows[i].value;
        const made *m = build(&c);
        check_at("row %lld", i, 0, 0, 0);
        toy_refused(m->file.bytes, m->file.length, rows[i].status, rows[i].key);
    }
    static const char *const needed[] = {"wavenet.residual_length", "wavenet.gate_length", "wavenet.dilations", "wavenet.head_length"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        config c = toys[SOUND];
        c.without = needed[i];
        const made *m = build(&c);
        check_at("without %lld", i, 0, 0, 0);
        toy_refused(m->file.bytes, m->file.length, NX_E_FORMAT, needed[i]);
    }
    config c = toys[PICTURE];
    c.bernoulli = 1; /* a Bernoulli output needs two levels; these pictures have three */
    const made *m = build(&c);
    toy_refused(m->file.bytes, m->file.length, NX_E_FORMAT, "wavenet.image.levels");
}

const check_test wavenet_tests[] = {
    {"queues give the same samples as convolutions over the whole sound", queued_is_direct},
    {"the receptive field, measured by changing one sample; causality", receptive_field},
    {"the missing input before the start is not silence", nothing_is_not_silence},
    {"a class and a speaker of zeros are like none", unconditional},
    {"the probabilities of all pictures add up to 1", distribution},
    {"length and end", length_and_end},
    {"contradictory files are refused", refused_files},
    {0},
};

/* SPDX-License-Identifier: MIT
 *
 * Tests these features of Jukebox:
 * - the code of a vector, and the number of codes of a sound
 * - decoding a window of the codes
 * - the separate random streams of the priors
 * - the inputs on which the codes depend
 *
 * Golden files contain PyTorch's outputs, with which other tests compare Jukebox's outputs.
 */
#include <string.h>

#include "check.h"
#include "hasher.h"
#include "models/jukebox/codes.h"
#include "session/session.h"
#include "toy.h"

/* ---- toys ---------------------------------------------------------------------------------------------------------------- */

enum { ENCODER, TOP, BOTTOM, DECODER };

typedef struct {
    uint32_t width, code_length, d, heads, length, type; /* length: positions of the top prior; type: type of the priors' matrices */
    uint32_t equal;                                      /* whether all probabilities are equal */
    uint32_t coders;                                     /* whether the priors are missing */
    const char *number;                                  /* null, or a key whose value is replaced by `value` */
    uint32_t value;
} jukebox_toy;

#define TOP_CODES HASHER_END /* the end id, used by the tests of all models */
#define BOTTOM_CODES (HASHER_END + 1)
#define TOP_HOP 8u
#define BOTTOM_HOP 4u
#define RATIO (TOP_HOP / BOTTOM_HOP)
#define BLOCKS 3u /* number of blocks: row, column, previous row */

typedef struct {
    const jukebox_toy *toy;
    toy_file head, data, keys;
    uint32_t n_keys, n_tensors;
} writer;

/* Writes a tensor whose values depend on its name. */
static void put(writer *w, const char *stack, const char *name, uint32_t rows, uint32_t cols, uint32_t type, float spread, float about) {
    toy_tensor t = {.rows = rows, .cols = cols, .type = type == NX_Q8_0 && cols % 32 ? NX_F32 : type, .values = memory_take((size_t)rows * cols * sizeof(float))};
    strcat(strcpy(t.name, stack), name);
    check_random random = {check_hash(3, t.name, strlen(t.name))};
    for (uint32_t i = 0; i < rows * cols; i++) t.values[i] = about + spread * (float)random_normal(&random);
    put_tensor(&w->head, &w->data, &t);
    w->n_tensors++;
}

static void put_linear(writer *w, const char *stack, const char *name, uint32_t rows, uint32_t cols, uint32_t type, int bias) {
    char text[40];
    float spread = 1.2f;
    for (uint32_t n = cols; n > 1; n /= 4) spread /= 2;
    put(w, stack, strcat(strcpy(text, name), ".weight"), rows, cols, type, spread, 0);
    if (bias) put(w, stack, strcat(strcpy(text, name), ".bias"), 1, rows, NX_F32, 0.2f, 0);
}

static void put_norm(writer *w, const char *stack, const char *name, uint32_t d) {
    char text[40];
    put(w, stack, strcat(strcpy(text, name), ".weight"), 1, d, NX_F32, 0.2f, 1);
    put(w, stack, strcat(strcpy(text, name), ".bias"), 1, d, NX_F32, 0.2f, 0);
}

static char *numbered(char *text, uint32_t i, const char *part) {
    strcat(strcpy(text, "blk.0."), part);
    text[4] = (char)('0' + i);
    return text;
}

/* Writes a layer of a stack. `mixed` says whether the layer is residual. */
static void put_layer(writer *w, const char *stack, uint32_t i, uint32_t rows, uint32_t cols, int mixed) {
    char text[40];
    put_linear(w, stack, numbered(text, i, "conv"), rows, cols, NX_F32, 1);
    if (mixed) put_linear(w, stack, numbered(text, i, "mix"), rows, rows, NX_F32, 1);
}

static void put_level(writer *w, const char *name, const uint32_t *strides, uint32_t n, uint32_t codes) {
    uint32_t width = w->toy->width, at = 0, e = w->toy->code_length;
    char stack[20];
    strcat(strcat(strcpy(stack, "enc."), name), ".");
    for (uint32_t i = 0; i < n; i++) {
        put_layer(w, stack, at++, width, 2 * strides[i] * (i ? width : 1), 0);
        put_layer(w, stack, at++, width, 3 * width, 1);
    }
    put_layer(w, stack, at, e, 3 * width, 0);
    memcpy(stack, "dec", 3), at = 0;
    put_layer(w, stack, at++, width, 3 * e, 0);
    for (uint32_t i = n; i-- > 0;) {
        put_layer(w, stack, at++, width, 3 * width, 1);
        put_layer(w, stack, at++, strides[i] * (i ? width : 1), 2 * width, 0);
    }
    put(w, "codebook.", strcat(strcpy(stack, name), ".weight"), codes, e, NX_F32, 1, 0);
}

static void put_prior(writer *w, const char *stack, uint32_t positions, uint32_t values, uint32_t stride) {
    uint32_t d = w->toy->d, type = w->toy->type;
    char text[40];
    put(w, stack, "token_embd.weight", values, d, NX_F32, 0.7f, 0);
    put(w, stack, "position_row.weight", (positions - 1) / stride + 1, d, NX_F32, 0.4f, 0);
    put(w, stack, "position_col.weight", stride, d, NX_F32, 0.4f, 0);
    put(w, stack, "class_embd.weight", 3, d, NX_F32, 0.4f, 0);
    put(w, stack, "speaker_embd.weight", 2, d, NX_F32, 0.4f, 0);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        put_norm(w, stack, numbered(text, i, "attn_norm"), d);
        put_linear(w, stack, numbered(text, i, "attn_q"), d, d, type, 0);
        put_linear(w, stack, numbered(text, i, "attn_k"), d, d, type, 0);
        put_linear(w, stack, numbered(text, i, "attn_v"), d, d, type, 0);
        put_linear(w, stack, numbered(text, i, "attn_output"), d, d, type, 0);
        put_norm(w, stack, numbered(text, i, "ffn_norm"), d);
        put_linear(w, stack, numbered(text, i, "ffn_up"), d, d, type, 1);
        put_linear(w, stack, numbered(text, i, "ffn_down"), d, d, type, 1);
    }
    put_norm(w, stack, "output_norm", d);
    put(w, stack, "output.weight", values, d, type, w->toy->equal ? 0 : 0.5f, 0);
    toy_tensor bias = {.rows = 1, .cols = values, .type = NX_F32, .values = memory_take(values * sizeof(float))};
    strcat(strcpy(bias.name, stack), "output.bias");
    /* makes the end id improbable */
    for (uint32_t i = 0; i < values; i++) bias.values[i] = values == TOP_CODES + 1 && i == TOP_CODES && !w->toy->equal ? -20 : 0;
    put_tensor(&w->head, &w->data, &bias);
    w->n_tensors++;
}

static void put_key(writer *w, const char *prefix, const char *name, uint32_t value) {
    char key[60];
    strcat(strcpy(key, prefix), name);
    put_key_u32(&w->keys, key, w->toy->number && !strcmp(w->toy->number, key) ? w->toy->value : value);
    w->n_keys++;
}

static void put_prior_keys(writer *w, const char *prefix, uint32_t stride) {
    char key[60];
    put_key(w, prefix, "block_count", BLOCKS);
    put_key(w, prefix, "embedding_length", w->toy->d);
    put_key(w, prefix, "feed_forward_length", w->toy->d);
    put_key(w, prefix, "attention.head_count", w->toy->heads);
    put_key(w, prefix, "attention.stride", stride);
    put_key_text(&w->keys, strcat(strcpy(key, prefix), "attention.pattern"), "blocks"), w->n_keys++;
}

static toy_file file_of(const jukebox_toy *of) {
    static const uint32_t top[] = {2, 4}, bottom[] = {4};
    uint32_t widths[] = {of->width, of->width}, d = of->d;
    writer w = {.toy = of};
    put_key_text(&w.keys, "general.architecture", "jukebox"), w.n_keys++;
    put_key(&w, "jukebox.", "sound.rate", 8000);
    put_key(&w, "jukebox.", "unit_count", 1);
    put_key(&w, "jukebox.", "code_length", of->code_length);
    put_key(&w, "jukebox.", "conditioner_units", 1);
    put_key(&w, "jukebox.", "top.context_length", of->length);
    put_key(&w, "jukebox.", "top.code_count", TOP_CODES);
    put_key(&w, "jukebox.", "bottom.code_count", BOTTOM_CODES);
    put_key_numbers(&w.keys, "jukebox.top.strides", top, 2), w.n_keys++;
    put_key_numbers(&w.keys, "jukebox.top.widths", widths, 2), w.n_keys++;
    put_key_numbers(&w.keys, "jukebox.bottom.strides", bottom, 1), w.n_keys++;
    put_key_numbers(&w.keys, "jukebox.bottom.widths", widths, 1), w.n_keys++;
    if (!of->coders) put_prior_keys(&w, "jukebox.top.", 4), put_prior_keys(&w, "jukebox.bottom.", 6);
    put_key_texts(&w.keys, "jukebox.classes", 3), w.n_keys++;
    put_key_texts(&w.keys, "jukebox.speakers", 2), w.n_keys++;
    put(&w, "level", ".weight", 1, 256, NX_F32, 0.4f, 0);
    put_level(&w, "top", top, 2, TOP_CODES);
    put_level(&w, "bottom", bottom, 1, BOTTOM_CODES);
    if (!of->coders) {
        put_prior(&w, "top.", of->length + 1, TOP_CODES + 1, 4);
        put_prior(&w, "bottom.", of->length * RATIO, BOTTOM_CODES, 6);
        put(&w, "bottom.cond.", "token_embd.weight", TOP_CODES, d, NX_F32, 0.7f, 0);
        put_layer(&w, "bottom.cond.", 0, d, 3 * d, 0);
        put_layer(&w, "bottom.cond.", 1, d, 3 * d, 1);
        put_layer(&w, "bottom.cond.", 2, RATIO * d, 2 * d, 0);
        put_norm(&w, "bottom.cond.", "norm", d);
    }
    toy_file file = {0};
    put_header(&file, w.n_tensors, w.n_keys);
    put_bytes(&file, w.keys.bytes, w.keys.length);
    put_bytes(&file, w.head.bytes, w.head.length);
    while (file.length % 32) put_bytes(&file, "", 1);
    put_bytes(&file, w.data.bytes, w.data.length);
    return file;
}

static const jukebox_toy toys[] = {
    {.width = 8, .code_length = 12, .d = 16, .heads = 2, .length = 14, .type = NX_F32},
    {.width = 16, .code_length = 16, .d = 32, .heads = 1, .length = 14, .type = NX_Q8_0},
    {.width = 4, .code_length = 4, .d = 4, .heads = 1, .length = 4, .type = NX_F32},
};

static toy_file toy_number(uint32_t number) { return file_of(toys + number); }

const toy_row jukebox_toys[] = {
    {"top prior of jukebox", TOY_RUN | TOY_FIXED | TOP * TOY_PART, toy_number, 0, {.length = 15}},
    {"bottom prior of jukebox, rounded", TOY_RUN | TOY_FIXED | BOTTOM * TOY_PART, toy_number, 1, {.length = 28, .counts = {0, 0, 14}}},
    {NULL, TOY_SEED, toy_number, 2, {0}},
    {0},
};

static const nx_model *model_of(const jukebox_toy *of) {
    toy_file file = file_of(of);
    return toy_file_open(&file);
}

/* ---- codes --------------------------------------------------------------------------------------------------------------- */

#define WIDTH 12u
#define CODES 21u

/* Returns a level without convolutions. The samples of a code are the components of the code's vector in `e`. */
static nx_codes book_of(float *e) {
    nx_codes level = {.hop = WIDTH, .width = WIDTH, .codes = CODES};
    nx_matrix matrix = {nx_matrix_form(NX_F32, NX_BY_ROW), CODES, WIDTH, NULL};
    void *packed = memory_take(nx_matrix_bytes(matrix.type, CODES, WIDTH));
    float *half = memory_take(nx_stride(CODES) * sizeof *half);
    nx_matrix_pack(&matrix, packed, (const uint8_t *)e, NX_F32, 0, CODES);
    matrix.packed = packed;
    for (uint32_t k = 0; k < nx_stride(CODES); k++) {
        half[k] = 0;
        for (uint32_t i = 0; k < CODES && i < WIDTH; i++) half[k] -= e[k * WIDTH + i] * e[k * WIDTH + i] * 0.5f;
    }
    level.book = (nx_linear){matrix, half};
    return level;
}

static void nearest(void) {
    check_random random = {5};
    float *e = memory_take(CODES * WIDTH * sizeof *e);
    for (uint32_t i = 0; i < CODES * WIDTH; i++) e[i] = (float)random_normal(&random) * (1 + (float)(i / WIDTH % 3));
    memcpy(e + 17 * WIDTH, e + 4 * WIDTH, WIDTH * sizeof *e); /* vectors 4 and 17 are equal */
    nx_codes level = book_of(e);
    uint32_t codes[CODES], n = CODES;
    float *rows[2] = {memory_copy(e, CODES * WIDTH * sizeof *e), memory_take(CODES * WIDTH * sizeof(float))};
    void *scratch = memory_take(nx_codes_encode_scratch_bytes(&level));
    uint32_t slice = 0;
    int more;
    while ((more = nx_codes_encode(&level, n, rows, codes, slice++, scratch)) == 1) {}
    CHECK_INT(more, 0);
    for (uint32_t k = 0; k < CODES; k++) CHECK_INT(codes[k], k == 17 ? 4 : k);
    /* For random vectors, the code must be the index of the nearest vector of the codebook. */
    for (uint32_t i = 0; i < CODES * WIDTH; i++) rows[0][i] = 2 * (float)random_normal(&random);
    for (slice = 0; nx_codes_encode(&level, n, rows, codes, slice, scratch) == 1;) slice++;
    for (uint32_t j = 0; j < n; j++) {
        double best = 1e9;
        uint32_t at = 0;
        for (uint32_t k = 0; k < CODES; k++) {
            double distance = 0;
            for (uint32_t i = 0; i < WIDTH; i++) distance += ((double)rows[0][j * WIDTH + i] - e[k * WIDTH + i]) * ((double)rows[0][j * WIDTH + i] - e[k * WIDTH + i]);
            if (distance < best - 1e-5) best = distance, at = k;
        }
        CHECK_INT(codes[j], at);
    }
    rows[0][3] = __builtin_nanf("");
    for (slice = 0; (more = nx_codes_encode(&level, n, rows, codes, slice, scratch)) == 1;) slice++;
    CHECK_INT(more, -1);
}

/* ---- runs of parts without a sequence -------------------------------------------------------------------------------------- */

static const nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1, .seed_low = 9};

static nx_session *opened(const nx_model *model, uint32_t part, const nx_shape *shape) {
    size_t bytes = 0;
    nx_session *session = NULL;
    if (!CHECK_INT(nx_session_size(model, part, &settings, shape, &bytes), NX_OK)) return NULL;
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, part, &settings, shape, &session), NX_OK);
    return session;
}

static nx_status encoded(const nx_model *model, nx_session *session) {
    nx_status status;
    while ((status = nx_session_encode(model, session)) == NX_MORE) {}
    return status;
}

/* Computes the codes of a sound at level `index`; returns their number. */
static uint32_t codes_of(const nx_model *model, const uint32_t *sound, uint32_t n, uint32_t index, uint32_t *codes) {
    nx_session *session = opened(model, ENCODER, &(nx_shape){.counts = {n}});
    uint32_t count = 0;
    CHECK_INT(nx_session_input(model, session, 0, sound, n), NX_OK);
    CHECK_INT(encoded(model, session), NX_OK);
    CHECK_INT(nx_session_result_count(model, session, index, &count), NX_OK);
    CHECK_INT(nx_session_result(model, session, index, 0, count, codes), NX_OK);
    return count;
}

/* Decodes codes to samples. Returns the number of samples. */
static uint32_t sound_of(const nx_model *model, const uint32_t *codes, uint32_t n, uint32_t upper, float *samples) {
    nx_session *session = opened(model, DECODER, &(nx_shape){.counts = {n}});
    uint32_t count = 0;
    CHECK_INT(nx_session_input(model, session, 0, codes, n), NX_OK);
    if (upper) CHECK_INT(nx_session_input(model, session, 1, &upper, 1), NX_OK);
    CHECK_INT(encoded(model, session), NX_OK);
    CHECK_INT(nx_session_result_count(model, session, 0, &count), NX_OK);
    CHECK_INT(nx_session_result(model, session, 0, 0, count, samples), NX_OK);
    return count;
}

static void hops(void) {
    const nx_model *model = model_of(toys);
    uint32_t sound[200], codes[200], first[200];
    check_random random = {6};
    for (uint32_t i = 0; i < 200; i++) sound[i] = random_below(&random, 256);
    for (uint32_t n = 1; n <= 200; n += n < 20 ? 1 : 37) {
        uint32_t tops = (n + TOP_HOP - 1) / TOP_HOP;
        CHECK_INT(codes_of(model, sound, n, 0, codes), tops);
        for (uint32_t i = 0; i < tops; i++) CHECK(codes[i] < TOP_CODES);
        CHECK_INT(codes_of(model, sound, n, 1, codes), tops * RATIO);
        for (uint32_t i = 0; i < tops * RATIO; i++) CHECK(codes[i] < BOTTOM_CODES);
        float *samples = memory_take(200 * TOP_HOP * sizeof *samples);
        CHECK_INT(sound_of(model, codes, tops * RATIO, 0, samples), tops * TOP_HOP);
    }
    /* A changed sample must not change distant codes. In the encoder of the bottom level, the unit with dilation 1 and the last convolution
     * reach two codes ahead, and the stride adds half a code. */
    codes_of(model, sound, 200, 1, first);
    sound[150] ^= 128;
    codes_of(model, sound, 200, 1, codes);
    for (uint32_t i = 0; i < 150 / BOTTOM_HOP - 4; i++) CHECK_INT(codes[i], first[i]);
}

/* Decodes only the codes that affect a window, including some codes on both sides. The samples in the window must equal the same samples of
 * the whole sound. */
static void windows(void) {
    const nx_model *model = model_of(toys);
    enum { N = 90, REACH = 6 };
    uint32_t codes[N];
    check_random random = {7};
    for (uint32_t upper = 0; upper < 2; upper++) {
        uint32_t hop = upper ? TOP_HOP : BOTTOM_HOP;
        float *whole = memory_take(N * TOP_HOP * sizeof *whole), *part = memory_take(N * TOP_HOP * sizeof *part);
        for (uint32_t i = 0; i < N; i++) codes[i] = random_below(&random, upper ? TOP_CODES : BOTTOM_CODES);
        CHECK_INT(sound_of(model, codes, N, upper, whole), N * hop);
        for (uint32_t from = 0; from < N; from += 13) {
            uint32_t to = from + 13 < N ? from + 13 : N, begin = from < REACH ? 0 : from - REACH, end = to + REACH < N ? to + REACH : N;
            sound_of(model, codes + begin, end - begin, upper, part);
            CHECK_FLOATS(part + (from - begin) * hop, whole + from * hop, (to - from) * hop);
        }
    }
    /* A code that is too large for the level is rejected. */
    nx_session *session = opened(model, DECODER, &(nx_shape){.counts = {2}});
    uint32_t too_large[] = {0, TOP_CODES}, yes = 1;
    CHECK_INT(nx_session_input(model, session, 0, too_large, 2), NX_OK);
    CHECK_INT(nx_session_input(model, session, 1, &yes, 1), NX_OK);
    CHECK_INT(encoded(model, session), NX_E_NUMERIC);
}

/* Both priors draw from eight equally probable ids, but their results differ, because they use different random streams. */
static void streams(void) {
    jukebox_toy own = toys[0];
    own.equal = 1;
    const nx_model *model = model_of(&own);
    uint32_t ids[2][14], above[14] = {0}, same = 0;
    for (uint32_t part = TOP; part <= BOTTOM; part++) {
        nx_session *session = opened(model, part, &(nx_shape){.length = 14, .counts = {0, 0, part == BOTTOM ? 7 : 0}});
        if (part == BOTTOM) CHECK_INT(nx_session_input(model, session, 2, above, 7), NX_OK);
        CHECK_INT(encoded(model, session), NX_OK);
        for (uint32_t i = 0, drawn; i < 14; i++) { /* draws beyond the end of the sample */
            ids[part - TOP][i] = NX_NONE;
            nx_session_draw(model, session, 1, &ids[part - TOP][i], NULL, &drawn);
        }
    }
    for (uint32_t i = 0; i < 14; i++) same += ids[0][i] == ids[1][i];
    CHECK(same < 14);
}

/* The codes of the level above determine the codes of the level below, and class and speaker determine both. A run without a class differs
 * from a run with the first class. */
static void conditions(void) {
    const nx_model *model = model_of(toys);
    float *output[4], nats;
    for (uint32_t part = TOP; part <= BOTTOM; part++) {
        for (uint32_t which = 0; which < 4; which++) {
            uint32_t class = 1, speaker = 0, above[7] = {1, 2, 3, 4, 5, 6, which == 3 ? 0 : 1}, id = 2;
            nx_session *session = opened(model, part, &(nx_shape){.length = 14, .counts = {0, 0, part == BOTTOM ? 7 : 0}});
            if (which != 1) CHECK_INT(nx_session_input(model, session, 0, &class, 1), NX_OK);
            if (which != 2) CHECK_INT(nx_session_input(model, session, 1, &speaker, 1), NX_OK);
            if (part == BOTTOM) CHECK_INT(nx_session_input(model, session, 2, above, 7), NX_OK);
            CHECK_INT(encoded(model, session), NX_OK);
            for (uint32_t i = 0; i < 13; i++) CHECK_INT(nx_session_put(model, session, &id, 1, 0, &nats), NX_OK);
            output[which] = memory_take(BOTTOM_CODES * sizeof(float));
            CHECK_INT(nx_session_output(model, session, 0, output[which]), NX_OK);
            CHECK_INT(memcmp(output[0], output[which], BOTTOM_CODES * sizeof(float)) != 0, which == 1 || which == 2 || (which == 3 && part == BOTTOM));
        }
    }
}

/* Without priors the codes are the same, but no code can be drawn. */
static void without_priors(void) {
    jukebox_toy own = toys[0];
    own.coders = 1;
    const nx_model *model = model_of(&own), *whole = model_of(toys);
    nx_part_info info;
    uint32_t sound[40], codes[2][20];
    size_t bytes;
    for (uint32_t i = 0; i < 40; i++) sound[i] = i * 37 % 256;
    for (uint32_t index = 0; index < 2; index++) {
        CHECK_INT(codes_of(model, sound, 40, index, codes[0]), codes_of(whole, sound, 40, index, codes[1]));
        CHECK_BYTES(codes[0], codes[1], 5 * (index ? RATIO : 1) * sizeof(uint32_t));
    }
    for (uint32_t part = TOP; part <= BOTTOM; part++) {
        CHECK_INT(nx_model_part(model, part, &info), NX_OK);
        CHECK_INT(info.outputs + info.inputs + info.length + info.parameters_low, 0);
        CHECK_INT(nx_session_size(model, part, &settings, &(nx_shape){.length = 4}, &bytes), NX_E_ARGUMENT);
        CHECK_INT(nx_session_size(model, part, &settings, NULL, &bytes), NX_E_ARGUMENT);
    }
}

static void refused(void) {
    static const struct {
        const char *number;
        uint32_t value;
        nx_status status;
        const char *named;
    } files[] = {
        {"jukebox.unit_count", 0, NX_E_FORMAT, "jukebox.unit_count"},
        {"jukebox.code_length", 6, NX_E_UNSUPPORTED, "jukebox.code_length"},
        {"jukebox.top.code_count", 1, NX_E_FORMAT, "jukebox.top.code_count"},
        {"jukebox.top.code_count", 9, NX_E_FORMAT, "codebook.top.weight"},
        {"jukebox.top.context_length", 0, NX_E_FORMAT, "jukebox.top.context_length"},
        {"jukebox.bottom.attention.stride", 7, NX_E_FORMAT, "bottom.position_row.weight"},
        {"jukebox.conditioner_units", 7, NX_E_LIMIT, "jukebox.conditioner_units"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        jukebox_toy own = toys[0];
        own.number = files[i].number, own.value = files[i].value;
        toy_file file = file_of(&own);
        check_at("file %lld", (long long)i, 0, 0, 0);
        toy_refused(file.bytes, file.length, files[i].status, files[i].named);
    }
}

const check_test jukebox_tests[] = {
    {"the code of a vector of the codebook is its index; of equal vectors, the lowest index", nearest},
    {"a sound has as many codes as hops; silence pads the last ones", hops},
    {"a window of codes gives the same samples as the whole sound", windows},
    {"both priors draw from separate streams", streams},
    {"class, speaker and the codes above affect the codes", conditions},
    {"a file without priors", without_priors},
    {"inconsistent files are refused", refused},
    {0},
};

/* SPDX-License-Identifier: MIT
 *
 * Tests the generator of a self-attention GAN. If gamma is 0, there is no attention. Attention weights add up to 1. A random latent makes
 * the same picture again if it is passed as an input. A run may be interrupted after any slice. Inconsistent files are refused. Golden
 * files contain PyTorch's outputs, with which other tests compare the generator's outputs.
 */
#include <string.h>

#include "check.h"
#include "session/session.h"
#include "toy.h"

#define SIDE 8u
#define LATENT 6u
#define CLASSES 2u

/* ---- toys ---------------------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t width, attention, pool, key, value, type; /* attention: size of the picture at the attention layer, or 0 without attention */
    uint32_t middle, small;                            /* middle: channels between the blocks (0: 16); small: one block, 4 pixels wide */
    float gain, scale;                                 /* scale: factor of all weights (0 means 1) */
    uint32_t apart, shuffled;                          /* apart: one block, with separate pixels; shuffled: permuted by place_of() */
} sagan_toy;

typedef struct {
    toy_file head, data;
    uint32_t type;
    float scale;
    uint32_t apart, shuffled;
    check_random random;
} writer;

#define PLACES 16u

/* Returns the new index of location p of a 4 x 4 picture. */
static uint32_t place_of(uint32_t p) { return (5 * p + 3) % PLACES; }

/* Permutes the locations in the output of the first layer, which has 16 x count numbers. */
static void shuffle(float *values, uint32_t count) {
    float *before = memory_copy(values, PLACES * count * sizeof *values);
    for (uint32_t p = 0; p < PLACES; p++) memcpy(values + place_of(p) * count, before + p * count, count * sizeof *values);
}

/* Sets all taps of the 3 x 3 kernels except the middle one to zero. */
static void keep_middle(float *values, uint32_t rows, uint32_t cols) {
    for (uint32_t i = 0; i < rows * cols; i++)
        if (i % cols / (cols / 9) != 4) values[i] = 0;
}

/* Writes a rows x cols matrix. Products with this matrix have about the same magnitude as their input. The values depend on the name, so
 * tensors with the same name are equal in all toys. */
static void put_matrix(writer *w, const char *name, uint32_t rows, uint32_t cols) {
    toy_tensor t = {.rows = rows, .cols = cols, .type = w->type, .values = memory_take((size_t)rows * cols * sizeof(float))};
    strcpy(t.name, name);
    w->random.state = 17;
    for (const char *c = name; *c; c++) w->random.state = w->random.state * 31 + (uint64_t)*c;
    float size = w->scale;
    for (uint32_t n = cols; n > 1; n /= 4) size /= 2;
    for (uint32_t i = 0; i < rows * cols; i++) t.values[i] = size * (float)random_normal(&w->random);
    if (w->apart && (strstr(name, "conv_") || !strcmp(name, "output.weight"))) keep_middle(t.values, rows, cols);
    if (w->shuffled && !strcmp(name, "latent.weight")) shuffle(t.values, rows / PLACES * cols);
    put_tensor(&w->head, &w->data, &t);
}

static void put_numbers(writer *w, const char *name, uint32_t rows, uint32_t cols, float number) {
    toy_tensor t = {.rows = rows, .cols = cols, .type = NX_F32, .values = memory_take((size_t)rows * cols * sizeof(float))};
    strcpy(t.name, name);
    for (uint32_t i = 0; i < rows * cols; i++) t.values[i] = i % cols < cols / 2 || cols < 4 ? number + 0.25f * (float)(i % 3) * (cols > 3) : 0.1f * (float)(i % 5);
    if (w->shuffled && !strcmp(name, "latent.bias")) shuffle(t.values, cols / PLACES);
    put_tensor(&w->head, &w->data, &t);
}

/* Writes a part's name into `name`, after the 6 characters that name the block. */
static const char *named(char *name, const char *part) {
    strcpy(name + 6, part);
    return name;
}

static toy_file file_of(const sagan_toy *s) {
    uint32_t channels[] = {16, s->middle ? s->middle : 16, 32}, blocks = s->small || s->apart ? 1 : 2, last = channels[blocks], side = s->small ? 4 : SIDE;
    uint32_t start = side >> blocks;
    writer w = {.type = s->type, .scale = s->scale ? s->scale : 1, .apart = s->apart, .shuffled = s->shuffled};
    put_header(&w.head, 2 + blocks * 7 + 3 + (s->attention ? 5 : 0), 5 + (s->attention ? 4 : 0));
    put_key_text(&w.head, "general.architecture", "sagan");
    put_key_u32(&w.head, "sagan.image.height", side);
    put_key_u32(&w.head, "sagan.image.width", s->width ? s->width : side);
    put_key_u32(&w.head, "sagan.latent_length", LATENT);
    put_key_numbers(&w.head, "sagan.channels", channels, blocks + 1);
    if (s->attention) {
        put_key_u32(&w.head, "sagan.attention.size", s->attention);
        put_key_u32(&w.head, "sagan.attention.pool", s->pool);
        put_key_u32(&w.head, "sagan.attention.key_length", s->key);
        put_key_u32(&w.head, "sagan.attention.value_length", s->value);
    }
    put_matrix(&w, "latent.weight", start * start * 16, LATENT);
    put_numbers(&w, "latent.bias", 1, start * start * 16, 0);
    for (uint32_t i = 0; i < blocks; i++) {
        char name[40] = "blk.0.";
        uint32_t into = channels[i], out = channels[i + 1];
        name[4] = (char)('0' + i);
        put_numbers(&w, named(name, "norm_0.weight"), CLASSES, 2 * into, 1);
        put_numbers(&w, named(name, "norm_1.weight"), CLASSES, 2 * out, 1);
        put_matrix(&w, named(name, "conv_0.weight"), out, 9 * into);
        put_numbers(&w, named(name, "conv_0.bias"), 1, out, 0);
        put_matrix(&w, named(name, "conv_1.weight"), out, 9 * out);
        put_numbers(&w, named(name, "conv_1.bias"), 1, out, 0);
        put_matrix(&w, named(name, "skip.weight"), out, into);
    }
    if (s->attention) {
        uint32_t C = s->attention == side ? last : 16;
        put_matrix(&w, "attn.q.weight", s->key, C);
        put_matrix(&w, "attn.k.weight", s->key, C);
        put_matrix(&w, "attn.v.weight", s->value, C);
        put_matrix(&w, "attn.output.weight", C, s->value);
        put_numbers(&w, "attn.gain", 1, 1, s->gain);
    }
    put_numbers(&w, "norm.weight", CLASSES, 2 * last, 1);
    put_matrix(&w, "output.weight", 3, 9 * last);
    put_numbers(&w, "output.bias", 1, 3, 0.1f);
    while (w.head.length % 32) put_bytes(&w.head, "", 1);
    put_bytes(&w.head, w.data.bytes, w.data.length);
    return w.head;
}

static toy_file toy_number(uint32_t number) {
    sagan_toy s[] = {{.small = 1, .attention = 4, .pool = 1, .key = 4, .value = 8, .gain = 0.5f, .type = NX_F16},
                     {.small = 1, .attention = 4, .key = 8, .value = 4, .gain = 1, .type = NX_F16},
                     {.small = 1, .type = NX_F16}};
    return file_of(&s[number]);
}

const toy_row sagan_toys[] = {
    {NULL, TOY_SEED, toy_number, 0, {0}},
    {NULL, TOY_SEED, toy_number, 1, {0}},
    {NULL, TOY_SEED, toy_number, 2, {0}},
    {0},
};

static const nx_model *model_of(const sagan_toy *s) {
    toy_file file = file_of(s);
    return toy_file_open(&file);
}

/* ---- runs ---------------------------------------------------------------------------------------------------------------- */

enum { IMAGE, DRAWN, PIXELS };

static nx_session *open_run(const nx_model *model, uint32_t seed, uint32_t sample, uint32_t maps, const uint32_t *latent, uint32_t class, size_t *size) {
    nx_settings settings = {.seed_low = seed, .first_sample = sample, .samples = 1, .temperature = 1, .top_p = 1, .maps = maps};
    nx_session *session = NULL;
    size_t bytes = 0;
    CHECK_INT(nx_session_size(model, 0, &settings, NULL, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, NULL, &session), NX_OK);
    if (latent) CHECK_INT(nx_session_input(model, session, 0, latent, LATENT), NX_OK);
    CHECK_INT(nx_session_input(model, session, 1, &class, 1), NX_OK);
    if (size) *size = bytes;
    return session;
}

static uint32_t encode_all(const nx_model *model, nx_session *session, nx_status wanted) {
    uint32_t slices = 1;
    nx_status status;
    for (; (status = nx_session_encode(model, session)) == NX_MORE && CHECK(slices < 1000); slices++) {}
    CHECK_INT(status, wanted);
    return slices;
}

typedef struct {
    uint32_t image[SIDE * SIDE * 3], latent[LATENT];
    float pixels[SIDE * SIDE * 3];
} drawn;

static drawn read_all(const nx_model *model, const nx_session *session) {
    drawn d;
    CHECK_INT(nx_session_result(model, session, IMAGE, 0, SIDE * SIDE * 3, d.image), NX_OK);
    CHECK_INT(nx_session_result(model, session, DRAWN, 0, LATENT, d.latent), NX_OK);
    CHECK_INT(nx_session_result(model, session, PIXELS, 0, SIDE * SIDE * 3, d.pixels), NX_OK);
    return d;
}

static drawn draw(const nx_model *model, uint32_t seed, uint32_t sample, const uint32_t *latent, uint32_t class) {
    nx_session *session = open_run(model, seed, sample, 0, latent, class, NULL);
    encode_all(model, session, NX_OK);
    return read_all(model, session);
}

static const sagan_toy pooled = {.attention = 4, .pool = 1, .key = 4, .value = 8, .gain = 0.5f};
static const sagan_toy whole = {.attention = 8, .key = 8, .value = 4, .gain = 0.5f};

/* If gamma is 0, the picture is bit-identical to the picture of the same weights without attention, because x + 0 o = x for any finite
 * output o of attention. Any other gamma changes the picture. */
static void no_gain(void) {
    const nx_model *plain = model_of(&(sagan_toy){.gain = 0});
    const sagan_toy toys[] = {pooled, whole};
    for (int i = 0; i < 2; i++) {
        sagan_toy without = toys[i];
        without.gain = 0;
        drawn a = draw(plain, 3, 0, NULL, 1), b = draw(model_of(&without), 3, 0, NULL, 1), c = draw(model_of(&toys[i]), 3, 0, NULL, 1);
        CHECK_FLOATS(b.pixels, a.pixels, SIDE * SIDE * 3);
        CHECK(memcmp(c.pixels, a.pixels, sizeof c.pixels) != 0);
    }
}

static void weights_sum(void) {
    const sagan_toy toys[] = {pooled, whole};
    for (int i = 0; i < 2; i++) {
        const nx_model *model = model_of(&toys[i]);
        nx_map map;
        CHECK_INT(nx_model_map(model, 0, 0, &map), NX_OK);
        uint32_t places = toys[i].attention * toys[i].attention, count;
        CHECK(map.port == NX_OWN && map.queries == places && map.keys == (toys[i].pool ? places / 4 : places) && map.asking == NX_NONE);
        nx_session *session = open_run(model, 5, 0, 1, NULL, 0, NULL);
        encode_all(model, session, NX_OK);
        drawn with = read_all(model, session), without = draw(model, 5, 0, NULL, 0);
        CHECK_BYTES(&with, &without, sizeof with);
        for (uint32_t row = 0; row < places; row++) {
            uint32_t keys[64];
            float weights[64];
            double sum = 0;
            CHECK_INT(nx_session_map(model, session, 0, 0, row, keys, weights, &count), NX_OK);
            CHECK_INT(count, map.keys);
            for (uint32_t k = 0; k < count; k++) sum += (double)weights[k], CHECK(keys[k] == k && weights[k] >= 0);
            CHECK_NEAR(sum, 1, 1e-5);
        }
        CHECK_INT(nx_session_map(model, session, 0, 0, places, NULL, NULL, &count), NX_E_ARGUMENT);
    }
}

/* Attention without pooling ignores locations: if the input locations are permuted, the picture's blocks of 2 x 2 pixels are permuted in
 * the same way. */
static void permutation(void) {
    sagan_toy one = {.apart = 1, .attention = 4, .key = 8, .value = 4, .gain = 2}, other = one, none = one;
    other.shuffled = 1;
    none.gain = 0;
    drawn a = draw(model_of(&one), 6, 0, NULL, 1), b = draw(model_of(&other), 6, 0, NULL, 1), c = draw(model_of(&none), 6, 0, NULL, 1);
    CHECK(memcmp(a.pixels, c.pixels, sizeof a.pixels) != 0);
    for (uint32_t pixel = 0; pixel < SIDE * SIDE; pixel++) {
        uint32_t row = pixel / SIDE, column = pixel % SIDE, to = place_of(row / 2 * 4 + column / 2);
        uint32_t there = (to / 4 * 2 + row % 2) * SIDE + to % 4 * 2 + column % 2;
        for (uint32_t i = 0; i < 3; i++) CHECK_NEAR(b.pixels[3 * there + i], a.pixels[3 * pixel + i], 1e-5);
    }
}

/* Seed and sample determine the latent. The same latent, given explicitly, makes the same picture with any seed. */
static void latents(void) {
    const nx_model *model = model_of(&pooled);
    drawn a = draw(model, 1, 0, NULL, 0), b = draw(model, 2, 0, NULL, 0), c = draw(model, 1, 1, NULL, 0), d = draw(model, 1, 0, NULL, 1);
    CHECK(memcmp(a.latent, b.latent, sizeof a.latent) && memcmp(a.latent, c.latent, sizeof a.latent));
    CHECK_BYTES(d.latent, a.latent, sizeof a.latent);
    CHECK(memcmp(d.image, a.image, sizeof a.image) != 0);
    drawn again = draw(model, 77, 3, a.latent, 0);
    CHECK_BYTES(&again, &a, sizeof a);
    uint32_t expected[LATENT];
    nx_normals(expected, LATENT, (nx_noise){1, 0, 1, 0, NX_MAX_PARTS});
    CHECK_BYTES(c.latent, expected, sizeof expected);
    nx_session *session = open_run(model, 1, 0, 0, NULL, 0, NULL);
    uint32_t wrong[LATENT + 1] = {65536};
    CHECK_INT(nx_session_input(model, session, 0, wrong, LATENT), NX_E_ARGUMENT);
    CHECK_INT(nx_session_input(model, session, 0, wrong + 1, LATENT - 1), NX_E_ARGUMENT);
    CHECK_INT(nx_session_encode(model, session), NX_MORE);
    CHECK_INT(nx_session_input(model, session, 0, wrong + 1, LATENT), NX_E_ARGUMENT); /* the latent is already drawn */
    nx_port port;
    CHECK_INT(nx_model_port(model, 0, 0, &port), NX_OK);
    CHECK(port.noise == 1 && !port.optional);
    CHECK_INT(nx_model_port(model, 0, 1, &port), NX_OK);
    CHECK(port.noise == 0 && port.values == CLASSES);
}

/* A run without a class is refused. */
static void no_class(void) {
    const nx_model *model = model_of(&pooled);
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    nx_session *session = NULL;
    size_t bytes = 0;
    uint32_t class = CLASSES;
    CHECK_INT(nx_session_size(model, 0, &settings, NULL, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, NULL, &session), NX_OK);
    CHECK_INT(nx_session_encode(model, session), NX_E_ARGUMENT);
    CHECK_INT(nx_session_input(model, session, 1, &class, 1), NX_E_ARGUMENT);
}

/* A run that is saved and restored between any two slices gives the same bits. */
static void interrupted(void) {
    const nx_model *model = model_of(&pooled);
    size_t bytes;
    drawn all = draw(model, 4, 2, NULL, 1);
    uint32_t slices = encode_all(model, open_run(model, 4, 2, 0, NULL, 1, NULL), NX_OK);
    for (uint32_t at = 0; at <= slices; at++) {
        size_t mark = memory_mark();
        nx_session *one = open_run(model, 4, 2, 0, NULL, 1, &bytes);
        for (uint32_t i = 0; i < at; i++) nx_session_encode(model, one);
        CHECK_INT(nx_session_check(model, one, bytes), NX_OK);
        nx_session *copy = memory_copy(one, bytes);
        memset(one, 0xff, bytes);
        encode_all(model, copy, NX_OK);
        drawn d = read_all(model, copy);
        CHECK_BYTES(&d, &all, sizeof d);
        memory_release(mark);
    }
}

static void broken(void) {
    const nx_model *model = model_of(&(sagan_toy){.scale = 1e15f});
    nx_session *session = open_run(model, 1, 0, 0, NULL, 0, NULL);
    encode_all(model, session, NX_E_NUMERIC);
    uint32_t id;
    CHECK_INT(nx_session_result(model, session, IMAGE, 0, 1, &id), NX_E_NUMERIC);
}

static void refused(void) {
#define REFUSED(status, named, ...)                                                                                                        \
    do {                                                                                                                                   \
        toy_file file = file_of(&(sagan_toy){__VA_ARGS__});                                                                               \
        toy_refused(file.bytes, file.length, status, named);                                                                               \
    } while (0)
    REFUSED(NX_E_UNSUPPORTED, "sagan.image.width", .width = 16);
    REFUSED(NX_E_UNSUPPORTED, "sagan.channels", .middle = 24);
    REFUSED(NX_E_FORMAT, "sagan.attention.size", .attention = 5, .key = 4, .value = 4);
    REFUSED(NX_E_UNSUPPORTED, "sagan.attention.key_length", .attention = 4, .key = 6, .value = 4);
    REFUSED(NX_E_UNSUPPORTED, "sagan.attention.value_length", .attention = 4, .key = 4, .value = 6);
    REFUSED(NX_E_LIMIT, "sagan.attention.pool", .attention = 4, .key = 4, .value = 4, .pool = 2);
#undef REFUSED
}

const check_test sagan_tests[] = {
    {"gamma 0 means no attention", no_gain},
    {"attention adds up to 1 over the keys", weights_sum},
    {"permuted locations", permutation},
    {"a latent depends on seed and sample, or is given", latents},
    {"a run without a class is refused", no_class},
    {"interrupted between slices", interrupted},
    {"numbers that break", broken},
    {"invalid files are refused", refused},
    {0},
};

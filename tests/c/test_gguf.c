/* SPDX-License-Identifier: MIT
 *
 * Tests that the file reader returns a status with a reason, whatever bytes it is given, and never reads outside these bytes.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "toy.h"

#define MOST (64u << 20) /* files that need more memory are not run */
#define KEY(name) "image-transformer." name

static const toy_config *config(int i) {
    const toy_config *list;
    toy_configs(&list, NULL);
    return list + i;
}

/* ---- valid files --------------------------------------------------------------------------------------------------------- */

static void valid(void) {
    const toy_config *list;
    uint32_t n = toy_configs(&list, NULL);
    for (uint32_t i = 0; i < n; i++) {
        const toy_config *c = list + i;
        size_t mark = memory_mark(), bytes;
        toy *m = toy_build(c, NULL);
        picture_info info;
        uint64_t weights = 0;
        check_at("configuration %lld", i, 0, 0, 0);
        CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
        CHECK_INT(nx_model_size(m->bytes, m->length, &bytes, NULL), NX_OK);
        nx_model *model = toy_open(m);
        if (!model) return;
        picture_info_of(model, &info);
        nx_pattern p = toy_pattern(c);
        nx_output o = toy_output(c);
        CHECK(info.height == c->height && info.width == c->width && info.channels == c->channels && info.levels == c->levels);
        CHECK(info.classes == c->classes && info.blocks == c->blocks && info.heads == c->heads);
        CHECK(info.positions == p.positions && info.position_elements == o.elements && info.elements == p.positions * o.elements);
        CHECK(info.query_block == (p.kind == NX_LOCAL_1D ? p.query_block : 0) && info.memory_block == p.memory_block);
        CHECK(info.block_rows == p.block_rows && info.block_cols == p.block_cols && info.flange_rows == p.flange_rows);
        CHECK(info.flange_cols == p.flange_cols && info.window == nx_pattern_window(&p) && info.outputs == nx_output_parameters(&o));
        CHECK(info.palette == (uint32_t)c->palette && info.input_height == c->input_height && info.input_width == c->input_width);
        CHECK(info.draft == (c->neighbours > 0));
        for (uint32_t t = 0; t < m->n_tensors; t++) /* colours and the weights of a draft do not count as weights of the model */
            if (strcmp(m->tensor[t].name, "palette.weight") && strncmp(m->tensor[t].name, "draft.", 6)) weights += (uint64_t)m->tensor[t].rows * m->tensor[t].cols;
        nx_part_info part;
        CHECK_INT(nx_model_part(model, 0, &part), NX_OK);
        CHECK(part.parameters_low == weights && part.parameters_high == 0);
        memory_release(mark);
    }
}

static void metadata(void) {
    toy_config c = *config(1);
    toy *m = toy_build(&c, NULL);
    nx_model *model = toy_open(m);
    if (!model) return;
    memset(m->bytes, 0xee, m->length); /* the caller may reuse the file's bytes after nx_model_open */
    nx_metadata entry;
    CHECK_INT(nx_model_metadata_count(model), 18);
    CHECK_INT(nx_model_metadata(model, 1, &entry), NX_OK);
    CHECK(entry.key_bytes == 12 && !memcmp(entry.key, "general.name", 12) && entry.type == GGUF_STRING && entry.item_type == GGUF_STRING);
    CHECK(entry.count == 1 && entry.value_bytes == 11 && !memcmp((const char *)entry.value + 8, "toy", 3));
    CHECK_INT(nx_model_metadata(model, 3, &entry), NX_OK);
    uint32_t height;
    memcpy(&height, entry.value, 4);
    CHECK(entry.type == GGUF_U32 && entry.value_bytes == 4 && entry.count == 1 && height == c.height);
    CHECK_INT(nx_model_metadata(model, 17, &entry), NX_OK);
    CHECK(entry.type == GGUF_ARRAY && entry.item_type == GGUF_STRING && entry.count == 3 && entry.value_bytes == 27);
    CHECK_INT(nx_model_metadata(model, 18, &entry), NX_E_ARGUMENT);
}

/* The bytes of a file may begin at any memory address, even an unaligned one. */
static void any_address(void) {
    toy *m = toy_build(config(5), NULL);
    uint8_t *bytes = memory_take(m->length + 16);
    for (int shift = 0; shift < 16; shift++) {
        memcpy(bytes + shift, m->bytes, m->length);
        check_at("shift %lld", shift, 0, 0, 0);
        CHECK_INT(toy_exercise(bytes + shift, m->length, MOST), NX_OK);
    }
}

/* Optional keys may be missing. */
static void optional_keys(void) {
    static const char *const names[] = {"general.name", "general.alignment", KEY("attention.layer_norm_epsilon"), KEY("norm"), KEY("output.type")};
    for (int i = 0; i < 5; i++) {
        toy *m = toy_build(config(1), &(toy_twist){.without = names[i]});
        check_at("key %lld", i, 0, 0, 0);
        CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
    }
    /* by default, key_length is d / heads, and memory_block is l_q */
    toy *m = toy_build(config(1), &(toy_twist){.without = KEY("attention.key_length")});
    CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
    m = toy_build(config(4), &(toy_twist){.without = KEY("attention.memory_block")});
    nx_model *model = toy_open(m);
    picture_info info;
    if (!model) return;
    picture_info_of(model, &info);
    CHECK(info.memory_block == 6 && info.window == 12);
}

/* Values are valid up to and including the limits in the header files. */
static void at_the_limits(void) {
    toy_config c = {.height = 256, .width = 256, .channels = 3, .levels = 256, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
                    .pattern = NX_LOCAL_1D, .query_block = 8, .memory_block = 8, .position = TOY_SINUSOIDAL, .classes = 65536, .seed = 1};
    toy *m = toy_build(&c, NULL);
    CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
    c = (toy_config){.height = 2, .width = 2, .channels = 1, .levels = 2, .blocks = 256, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
                     .position = TOY_SINUSOIDAL, .seed = 1};
    m = toy_build(&c, NULL); /* this file has 4099 tensors, but the limit is 2048 */
    CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_E_LIMIT);
    c.blocks = 100;
    m = toy_build(&c, NULL);
    CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
    c.blocks = 2;
    c.heads = 256;
    m = toy_build(&c, NULL);
    CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
    /* tests the largest grid of pixels with the smallest blocks, the largest number of mixtures, and the largest small image. For the
     * largest small image, the test only computes the size of a run */
    c = (toy_config){.height = 256, .width = 256, .channels = 3, .levels = 256, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
                     .pattern = NX_LOCAL_2D, .block_rows = 1, .block_cols = 1, .flange_rows = 1, .flange_cols = 1, .position = TOY_SINUSOIDAL,
                     .output = NX_DMOL, .mixtures = NX_MAX_MIXTURES, .seed = 1};
    m = toy_build(&c, NULL);
    CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
    c.input_height = c.input_width = 256, c.encoder_blocks = 1;
    m = toy_build(&c, NULL);
    CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
}

/* ---- damaged files ------------------------------------------------------------------------------------------------------- */

/* Four configurations: the smallest model, a model with every kind of entry, a model with every metadata key except the keys of other
 * attention patterns, and a model with a draft. */
#define SMALL 4
static toy *small(int which) {
    static const toy_config every = {.height = 3, .width = 4, .channels = 3, .levels = 3, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
                                     .pattern = NX_LOCAL_2D, .block_rows = 2, .block_cols = 3, .flange_rows = 1, .flange_cols = 1,
                                     .position = TOY_LEARNED_WHOLE, .pre_norm = 1, .output = NX_DMOL, .mixtures = 2, .input_height = 1,
                                     .input_width = 2, .encoder_blocks = 1, .classes = 1, .seed = 1};
    if (which == 2) return toy_build(&every, NULL);
    toy_config c = *config(which == 1 ? 1 : 0);
    if (which == 3) c.neighbours = 2, c.hidden = 4, c.rank = 2, c.peak = 3;
    if (which == 1) c.d = 8, c.inner = 8, c.heads = 2, c.key_length = 4, c.blocks = 1, c.levels = 3, c.height = 3, c.width = 4;
    return toy_build(&c, NULL);
}

static void truncation(void) {
    for (int which = 0; which < SMALL; which++) {
        toy *m = small(which);
        check_note("  %d bytes", (int)m->length);
        CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
        for (size_t n = 0; n < m->length; n += which >= 2 ? 3 : 1) {
            size_t mark = memory_mark();
            uint8_t *cut = memory_copy(m->bytes, n);
            check_at("%lld of %lld bytes", (long long)n, (long long)m->length, 0, 0);
            CHECK_INT(toy_exercise(cut, n, MOST), NX_E_FORMAT);
            memory_release(mark);
        }
        CHECK_INT(toy_exercise(memory_copy(m->bytes, m->length - 1), m->length - 1, MOST), NX_E_FORMAT);
    }
    CHECK_INT(toy_exercise(NULL, 0, MOST), NX_E_FORMAT);
}

static void damage(toy *m, size_t at, const void *bytes, size_t n) {
    uint8_t kept[8];
    memcpy(kept, m->bytes + at, n);
    memcpy(m->bytes + at, bytes, n);
    check_at("byte %lld replaced by %lld (of %lld)", (long long)at, *(const uint8_t *)bytes, (long long)n, 0);
    toy_exercise(m->bytes, m->length, MOST);
    memcpy(m->bytes + at, kept, n);
}

/* Returns the position of a draft's first tensor in the list of tensors. */
static size_t draft_at(const toy *m) {
    size_t at = m->keys_end;
    while (at + 6 < m->data && memcmp(m->bytes + at, "draft.", 6)) at++;
    CHECK(at + 6 < m->data);
    return at;
}

static void damaged_bytes(void) {
    for (int which = 0; which < SMALL; which++) {
        toy *m = small(which);
        for (size_t at = which == 3 ? draft_at(m) - 8 : 0; at < (which == 2 ? m->keys_end : m->data); at++) {
            uint8_t b = m->bytes[at];
            uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff, (uint8_t)(b + 1), (uint8_t)(b - 1), (uint8_t)(b ^ 0x20)};
            for (size_t i = check_every() ? 0 : at % 4; i < 8; i += check_every() ? 1 : 4) /* two of the eight values, chosen alternately */
                if (values[i] != b) damage(m, at, values + i, 1);
        }
        CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
    }
}

/* Damages eight bytes at every offset, beginning with `at`. This damages every count, length, dimension and offset. */
static void damaged_words_of(toy *m, size_t at) {
    uint64_t values[] = {0, 1, m->length, 1ull << 30, (1ull << 31) - 1, 1ull << 31, 1ull << 32, (1ull << 61) + 1, 1ull << 63, UINT64_MAX - 7, UINT64_MAX};
    for (; at + 8 <= m->data; at++)
        /* tests every third value */
        for (size_t i = check_every() ? 0 : at % 3; i < sizeof values / sizeof *values; i += check_every() ? 1 : 3)
            damage(m, at, values + i, 8);
}

static void damaged_words(void) {
    toy *drafted = small(3);
    damaged_words_of(small(1), 0);
    damaged_words_of(drafted, draft_at(drafted));
}

static void damaged_at_random_of(toy *m, int runs) {
    check_random random = {1};
    uint8_t *bytes = memory_take(m->length);
    for (int i = 0; i < runs; i++) {
        memcpy(bytes, m->bytes, m->length);
        for (uint32_t n = 1 + random_below(&random, 4); n; n--)
            bytes[random_below(&random, (uint32_t)(i % 2 ? m->data : m->length))] = (uint8_t)random_bits(&random);
        check_at("run %lld", i, 0, 0, 0);
        toy_exercise(bytes, m->length, MOST);
    }
}

static void damaged_at_random(void) {
    damaged_at_random_of(small(1), 4000);
    damaged_at_random_of(small(3), 1000);
}

/* ---- wrong files --------------------------------------------------------------------------------------------------------- */

static void refused_file(const toy *m, nx_status status, const char *name) {
    size_t bytes;
    nx_problem problem = {"?", "?"};
    CHECK_INT(toy_exercise(m->bytes, m->length, MOST), status);
    CHECK_INT(nx_model_size(m->bytes, m->length, &bytes, &problem), status);
    if (!CHECK(!strcmp(problem.name, name))) check_say("    names \"%s\" and not \"%s\": %s", problem.name, name, problem.reason);
}

/* Checks that a file is refused with this status, and that the error contains `name`. */
static void refused(int which, toy_twist twist, nx_status status, const char *name) {
    size_t mark = memory_mark();
    refused_file(toy_build(config(which), &twist), status, name);
    memory_release(mark);
}

static void wrong_keys(void) {
    static const char *const required[] = {"general.architecture", KEY("image.height"), KEY("image.width"), KEY("image.channels"), KEY("image.levels"),
                                           KEY("block_count"), KEY("embedding_length"), KEY("feed_forward_length"), KEY("attention.head_count")};
    for (int i = 0; i < 9; i++) {
        check_at("required key %lld", i, 0, 0, 0);
        refused(1, (toy_twist){.without = required[i]}, NX_E_FORMAT, required[i]);
        refused(1, (toy_twist){.retyped = required[i]}, NX_E_FORMAT, required[i]);
        refused(1, (toy_twist){.twice = required[i]}, NX_E_FORMAT, required[i]);
    }
    static const char *const others[] = {"general.alignment", KEY("attention.key_length"), KEY("attention.layer_norm_epsilon"),
                                         KEY("attention.pattern"), KEY("norm"), KEY("position.type"), KEY("output.type"), KEY("classes")};
    for (int i = 0; i < 8; i++) {
        check_at("key %lld", i, 0, 0, 0);
        refused(1, (toy_twist){.retyped = others[i]}, NX_E_FORMAT, others[i]);
    }
    refused(2, (toy_twist){.without = KEY("attention.query_block")}, NX_E_FORMAT, KEY("attention.query_block"));
    refused(2, (toy_twist){.retyped = KEY("attention.memory_block")}, NX_E_FORMAT, KEY("attention.memory_block"));
    /* without its pattern or its position type, the file would describe another model */
    refused(0, (toy_twist){.without = KEY("position.type")}, NX_E_FORMAT, "position_row.weight");
}

static void wrong_numbers(void) {
    static const struct {
        const char *key;
        uint32_t value;
        nx_status status;
        const char *name;
    } wrong[] = {
        {KEY("image.height"), 0, NX_E_FORMAT, 0},
        {KEY("image.height"), 257, NX_E_LIMIT, 0},
        {KEY("image.height"), UINT32_MAX, NX_E_LIMIT, 0},
        {KEY("image.height"), 6, NX_E_FORMAT, "position_row.weight"},
        {KEY("image.width"), 0, NX_E_FORMAT, 0},
        {KEY("image.width"), 257, NX_E_LIMIT, 0},
        {KEY("image.width"), 8, NX_E_FORMAT, "position_col.weight"},
        {KEY("image.channels"), 0, NX_E_FORMAT, 0},
        {KEY("image.channels"), 2, NX_E_UNSUPPORTED, 0},
        {KEY("image.channels"), 4, NX_E_LIMIT, 0},
        {KEY("image.channels"), 3, NX_E_FORMAT, "token_embd.weight"},
        {KEY("image.levels"), 1, NX_E_FORMAT, 0},
        {KEY("image.levels"), 257, NX_E_LIMIT, 0},
        {KEY("image.levels"), 17, NX_E_FORMAT, "token_embd.weight"},
        {KEY("block_count"), 0, NX_E_FORMAT, 0},
        {KEY("block_count"), 257, NX_E_LIMIT, 0},
        {KEY("block_count"), 3, NX_E_FORMAT, "blk.2.attn_q.weight"},
        {KEY("embedding_length"), 3, NX_E_FORMAT, 0},
        {KEY("embedding_length"), 18, NX_E_UNSUPPORTED, 0},
        {KEY("embedding_length"), 20, NX_E_FORMAT, "token_embd.weight"},
        {KEY("embedding_length"), 8196, NX_E_LIMIT, 0},
        {KEY("feed_forward_length"), 0, NX_E_FORMAT, 0},
        {KEY("feed_forward_length"), 36, NX_E_FORMAT, "blk.0.ffn_up.weight"},
        {KEY("feed_forward_length"), 65540, NX_E_LIMIT, 0},
        {KEY("feed_forward_length"), 33, NX_E_UNSUPPORTED, 0},
        {KEY("attention.head_count"), 0, NX_E_FORMAT, 0},
        {KEY("attention.head_count"), 257, NX_E_LIMIT, 0},
        {KEY("attention.head_count"), 3, NX_E_FORMAT, "blk.0.attn_q.weight"},
        {KEY("attention.key_length"), 0, NX_E_FORMAT, 0},
        {KEY("attention.key_length"), 1028, NX_E_LIMIT, 0},
        {KEY("attention.key_length"), 6, NX_E_UNSUPPORTED, 0},
        {"general.alignment", 0, NX_E_FORMAT, 0},
        {"general.alignment", 3, NX_E_FORMAT, 0},
        {"general.alignment", 131072, NX_E_FORMAT, 0},
        {"general.alignment", 0x80000000u, NX_E_FORMAT, 0},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        check_at("row %lld, value %lld", (long long)i, wrong[i].value, 0, 0);
        refused(1, (toy_twist){.number = wrong[i].key, .value = wrong[i].value}, wrong[i].status, wrong[i].name ? wrong[i].name : wrong[i].key);
    }
    const char *l_q = KEY("attention.query_block"), *l_m = KEY("attention.memory_block");
    refused(2, (toy_twist){.number = l_q, .value = 0}, NX_E_FORMAT, l_q);
    refused(2, (toy_twist){.number = l_q, .value = 106}, NX_E_LIMIT, l_q); /* n = 105 */
    refused(2, (toy_twist){.number = l_m, .value = 106}, NX_E_LIMIT, l_m);
    refused(2, (toy_twist){.number = l_m, .value = UINT32_MAX}, NX_E_LIMIT, l_m);
    static const float epsilon[] = {NAN, INFINITY, -INFINITY, -1e-6f, 1.5f};
    for (int i = 0; i < 5; i++)
        refused(1, (toy_twist){.poisoned = "epsilon", .poison = epsilon[i]}, NX_E_FORMAT, KEY("attention.layer_norm_epsilon"));
}

/* Keys that belong only to other kinds of models are refused. */
static void wrong_kinds(void) {
    static const struct {
        int which;
        const char *key;
        uint32_t value;
        nx_status status;
        const char *name;
    } wrong[] = {
        {TOY_PALETTE, KEY("attention.block_rows"), 0, NX_E_FORMAT, 0},
        {TOY_PALETTE, KEY("attention.block_rows"), 6, NX_E_LIMIT, 0}, /* 5 x 7 positions */
        {TOY_PALETTE, KEY("attention.block_rows"), UINT32_MAX, NX_E_LIMIT, 0},
        {TOY_PALETTE, KEY("attention.block_cols"), 0, NX_E_FORMAT, 0},
        {TOY_PALETTE, KEY("attention.block_cols"), 8, NX_E_LIMIT, 0},
        {TOY_PALETTE, KEY("attention.block_cols"), 0x80000000u, NX_E_LIMIT, 0},
        {TOY_PALETTE, KEY("attention.flange_rows"), 6, NX_E_LIMIT, 0},
        {TOY_PALETTE, KEY("attention.flange_rows"), UINT32_MAX, NX_E_LIMIT, 0},
        {TOY_PALETTE, KEY("attention.flange_cols"), 8, NX_E_LIMIT, 0},
        {TOY_PALETTE, KEY("attention.flange_cols"), UINT32_MAX - 1, NX_E_LIMIT, 0},
        {TOY_GAUSSIAN, KEY("attention.block_cols"), 10, NX_E_LIMIT, 0}, /* the grid has 9 columns, each with one channel per position */
        {TOY_PALETTE, KEY("image.channels"), 1, NX_E_UNSUPPORTED, "palette.weight"},
        {TOY_PALETTE, KEY("image.levels"), 13, NX_E_FORMAT, "palette.weight"},
        {TOY_PALETTE, KEY("image.levels"), 257, NX_E_LIMIT, 0},
        {TOY_PALETTE, KEY("image.width"), 8, NX_E_FORMAT, "position_col.weight"},
        {TOY_DMOL, KEY("output.mixtures"), 0, NX_E_FORMAT, 0},
        {TOY_DMOL, KEY("output.mixtures"), 4, NX_E_FORMAT, "output.weight"},
        {TOY_DMOL, KEY("output.mixtures"), NX_MAX_MIXTURES + 1, NX_E_LIMIT, 0},
        {TOY_DMOL, KEY("output.mixtures"), UINT32_MAX, NX_E_LIMIT, 0},
        {TOY_DMOL, KEY("image.channels"), 1, NX_E_FORMAT, "pixel_embd.weight"},
        {TOY_DMOL, KEY("image.channels"), 2, NX_E_UNSUPPORTED, 0},
        {TOY_DMOL, KEY("image.levels"), 257, NX_E_LIMIT, 0},
        {TOY_BERNOULLI, KEY("image.levels"), 3, NX_E_FORMAT, 0},
        {TOY_SR_DMOL, KEY("input.height"), 0, NX_E_LIMIT, KEY("input.width")}, /* a file must have both keys or neither */
        {TOY_SR_DMOL, KEY("input.width"), 0, NX_E_FORMAT, 0},
        {TOY_SR_DMOL, KEY("input.height"), 257, NX_E_LIMIT, 0},
        {TOY_SR_DMOL, KEY("input.width"), UINT32_MAX, NX_E_LIMIT, 0},
        {TOY_SR_DMOL, KEY("input.height"), 4, NX_E_FORMAT, "enc.position_row.weight"},
        {TOY_SR_DMOL, KEY("input.width"), 7, NX_E_FORMAT, "enc.position_col.weight"},
        {TOY_SR_DMOL, KEY("encoder.block_count"), 0, NX_E_FORMAT, 0},
        {TOY_SR_DMOL, KEY("encoder.block_count"), 3, NX_E_FORMAT, "enc.blk.2.attn_q.weight"},
        {TOY_SR_DMOL, KEY("encoder.block_count"), 257, NX_E_LIMIT, 0},
        {TOY_SR_DMOL, KEY("encoder.feed_forward_length"), 24, NX_E_FORMAT, "enc.blk.0.ffn_up.weight"},
        {TOY_SR_DMOL, KEY("encoder.feed_forward_length"), 30, NX_E_UNSUPPORTED, 0},
        {TOY_SR_DMOL, KEY("encoder.feed_forward_length"), UINT32_MAX, NX_E_LIMIT, 0},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        check_at("row %lld, value %lld", (long long)i, wrong[i].value, 0, 0);
        refused(wrong[i].which, (toy_twist){.number = wrong[i].key, .value = wrong[i].value}, wrong[i].status,
                wrong[i].name ? wrong[i].name : wrong[i].key);
    }
    static const struct {
        int which;
        const char *key;
    } required[] = {{TOY_PALETTE, KEY("attention.block_rows")}, {TOY_PALETTE, KEY("attention.block_cols")}, {TOY_DMOL, KEY("output.mixtures")},
                    {TOY_SR_DMOL, KEY("input.width")}, {TOY_SR_DMOL, KEY("encoder.block_count")}};
    for (int i = 0; i < 5; i++) {
        check_at("required key %lld", i, 0, 0, 0);
        refused(required[i].which, (toy_twist){.without = required[i].key}, NX_E_FORMAT, required[i].key);
        refused(required[i].which, (toy_twist){.retyped = required[i].key}, NX_E_FORMAT, required[i].key);
    }
    refused(TOY_SR_DMOL, (toy_twist){.without = KEY("input.height")}, NX_E_LIMIT, KEY("input.width"));
    refused(TOY_SR_DMOL, (toy_twist){.without = KEY("encoder.feed_forward_length")}, NX_E_FORMAT, "enc.blk.0.ffn_up.weight");
    refused(TOY_SR_DMOL, (toy_twist){.retyped = KEY("input.height")}, NX_E_FORMAT, KEY("input.height"));
    refused(TOY_PALETTE, (toy_twist){.retyped = KEY("attention.flange_rows")}, NX_E_FORMAT, KEY("attention.flange_rows"));
    refused(TOY_PALETTE, (toy_twist){.retyped = KEY("attention.flange_cols")}, NX_E_FORMAT, KEY("attention.flange_cols"));
    /* replaces a word by another valid word that contradicts the rest of the file */
    static const struct {
        int which;
        const char *key, *words;
        nx_status status;
        const char *name;
    } words[] = {
        {1, KEY("attention.pattern"), "local-2d", NX_E_FORMAT, KEY("attention.block_rows")},
        {1, KEY("norm"), "pre", NX_E_FORMAT, "output_norm.weight"},
        {1, KEY("output.type"), "dmol", NX_E_FORMAT, KEY("output.mixtures")},
        {1, KEY("output.type"), "bernoulli", NX_E_FORMAT, KEY("image.levels")},
        {1, KEY("output.type"), "logistic", NX_E_FORMAT, "output.weight"},
        {1, KEY("output.type"), "gaussian", NX_E_FORMAT, "output.weight"},
        {TOY_BERNOULLI, KEY("output.type"), "categorical", NX_E_FORMAT, "output.weight"},
        {TOY_PALETTE, KEY("output.type"), "gaussian", NX_E_UNSUPPORTED, "palette.weight"},
        {TOY_DMOL, KEY("output.type"), "categorical", NX_E_FORMAT, "token_embd.weight"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        check_at("words %lld", (long long)i, 0, 0, 0);
        refused(words[i].which, (toy_twist){.text = words[i].key, .words = words[i].words}, words[i].status, words[i].name);
    }
    /* without its key, a flange is 0 */
    for (int i = 0; i < 2; i++) {
        toy *m = toy_build(config(TOY_PALETTE), &(toy_twist){.without = i ? KEY("attention.flange_cols") : KEY("attention.flange_rows")});
        CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
        nx_model *model = toy_open(m);
        picture_info info;
        picture_info_of(model, &info);
        CHECK(info.flange_rows == (i ? 1 : 0) && info.flange_cols == (i ? 0 : 2));
    }
}

static void wrong_words(void) {
    static const struct {
        const char *key, *words, *name;
    } wrong[] = {
        {"general.architecture", "mamba", "mamba"},
        {"general.architecture", "image-transformer-2", "image-transformer-2"},
        {"general.architecture", "image-transforme", "image-transforme"},
        {"general.architecture", "", ""},
        {KEY("attention.pattern"), "local-3d", 0},
        {KEY("attention.pattern"), "", 0},
        {KEY("attention.pattern"), "ful", 0},
        {KEY("norm"), "prenorm", 0},
        {KEY("position.type"), "rotary", 0},
        {KEY("output.type"), "mol", 0},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        check_at("row %lld", (long long)i, 0, 0, 0);
        refused(1, (toy_twist){.text = wrong[i].key, .words = wrong[i].words}, NX_E_UNSUPPORTED, wrong[i].name ? wrong[i].name : wrong[i].key);
    }
}

/* Together, these configurations contain every tensor and every type. */
#define KINDS 12
static const int kinds[KINDS] = {1, 2, 3, 4, 5, TOY_PALETTE, TOY_DMOL, TOY_SR_DMOL, TOY_SR_PALETTE, TOY_Q4_0, TOY_DRAFT, TOY_DRAFT_PALETTE};

static void wrong_tensors(void) {
    for (int k = 0; k < KINDS; k++) {
        int which = kinds[k];
        toy *m = toy_build(config(which), NULL);
        for (uint32_t t = 0; t < m->n_tensors; t++) {
            const char *name = m->tensor[t].name;
            int draft = !strncmp(name, "draft.", 6); /* half_a_draft tests missing and misshapen tensors of a draft */
            if (!draft && which >= TOY_DRAFT) continue; /* other configurations test these tensors */
            int bias = (strstr(name, "attn_") && strstr(name, ".bias") && !strstr(name, "norm")) || !strcmp(name, "output.bias"); /* optional */
            check_at("configuration %lld, tensor %lld", which, t, 0, 0);
            if (bias) {
                toy *without = toy_build(config(which), &(toy_twist){.without = name});
                CHECK_INT(toy_exercise(without->bytes, without->length, MOST), NX_OK);
            } else if (!draft) /* without a palette, each channel is a position of its own */
                refused(which, (toy_twist){.without = name}, NX_E_FORMAT, strcmp(name, "palette.weight") ? name : "token_embd.weight");
            refused(which, (toy_twist){.twice = name}, NX_E_FORMAT, name);
            /* skips quantised types, because the length of their rows would change */
            if (!draft && m->tensor[t].rows != m->tensor[t].cols && m->tensor[t].type != NX_Q8_0 && m->tensor[t].type != NX_Q4_0)
                refused(which, (toy_twist){.reshaped = name}, NX_E_FORMAT, name);
            refused(which, (toy_twist){.poisoned = name, .poison = NAN}, NX_E_NUMERIC, name);
            if (m->tensor[t].type == NX_F32) refused(which, (toy_twist){.poisoned = name, .poison = INFINITY}, NX_E_NUMERIC, name);
            if (m->tensor[t].type == NX_F32) refused(which, (toy_twist){.poisoned = name, .poison = -INFINITY}, NX_E_NUMERIC, name);
        }
    }
}

/* A file with huge but finite weights is valid. A run of such a file must give finite numbers or end with NX_E_NUMERIC. */
static void huge_weights(void) {
    for (int k = 0; k < KINDS; k++) {
        int which = kinds[k];
        toy *m = toy_build(config(which), NULL);
        for (uint32_t t = 0; t < m->n_tensors; t++) {
            if (m->tensor[t].type != NX_F32 || !strcmp(m->tensor[t].name, "draft.offset.weight")) continue;
            if (which >= TOY_DRAFT && strncmp(m->tensor[t].name, "draft.", 6)) continue; /* other configurations test these tensors */
            toy *huge = toy_build(config(which), &(toy_twist){.poisoned = m->tensor[t].name, .poison = 3e38f});
            check_at("configuration %lld, tensor %lld", which, t, 0, 0);
            CHECK_INT(toy_exercise(huge->bytes, huge->length, MOST), NX_OK);
        }
    }
}

/* ---- drafts ---------------------------------------------------------------------------------------------------------------- */

#define DRAFT(part) "draft." part ".weight"

/* Opens a file with a draft of these sizes. `status` is NX_OK if the file is valid. Otherwise, it is the status with which the file must be
 * refused. */
static void draft_of(uint32_t neighbours, uint32_t hidden, uint32_t rank, nx_status status) {
    size_t mark = memory_mark();
    toy_config c = *config(0);
    c.neighbours = neighbours, c.hidden = hidden, c.rank = rank;
    toy *m = toy_build(&c, NULL);
    check_at("%lld neighbours, %lld hidden, rank %lld", neighbours, hidden, rank, 0);
    if (status)
        refused_file(m, status, DRAFT("output"));
    else
        CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
    memory_release(mark);
}

static void draft_sizes(void) {
    draft_of(1, 4, 1, NX_OK);
    draft_of(32, 4, 1, NX_OK);
    draft_of(33, 4, 1, NX_E_UNSUPPORTED);
    draft_of(300, 4, 1, NX_E_UNSUPPORTED);
    draft_of(1, 256, 1, NX_OK);
    draft_of(1, 260, 1, NX_E_UNSUPPORTED);
    draft_of(1, 2, 1, NX_E_UNSUPPORTED);
    draft_of(1, 6, 1, NX_E_UNSUPPORTED);
    draft_of(1, 4, 256, NX_OK);
    draft_of(1, 4, 257, NX_E_UNSUPPORTED);
    draft_of(32, 256, 32, NX_OK);
}

/* Neighbours must come earlier in raster order, within a limited distance. */
static void draft_offsets(void) {
    static const struct {
        float down, right;
        nx_status status;
    } rows[] = {
        {0, -1, NX_OK}, {-0.0f, -16, NX_OK}, {-16, -16, NX_OK}, {-16, 16, NX_OK}, {-1, -0.0f, NX_OK}, {-1, 16, NX_OK},
        {0, 0, NX_E_FORMAT}, {0, 1, NX_E_FORMAT}, {0, 16, NX_E_FORMAT}, {1, -1, NX_E_FORMAT}, {1, 0, NX_E_FORMAT}, {16, -16, NX_E_FORMAT},
        {-17, 0, NX_E_FORMAT}, {0, -17, NX_E_FORMAT}, {-1, 17, NX_E_FORMAT}, {-1, -17, NX_E_FORMAT}, {-256, -1, NX_E_FORMAT},
        {-0.5f, 0, NX_E_FORMAT}, {0, -0.5f, NX_E_FORMAT}, {-1.5f, 2, NX_E_FORMAT}, {-1, 1.0000001f, NX_E_FORMAT}, {-1e-30f, 1, NX_E_FORMAT},
        {-1e30f, 0, NX_E_FORMAT}, {-1, 3e38f, NX_E_FORMAT}, {-1, -3e38f, NX_E_FORMAT}, {NAN, -1, NX_E_NUMERIC}, {-1, NAN, NX_E_NUMERIC},
        {-INFINITY, 0, NX_E_NUMERIC}, {-1, INFINITY, NX_E_NUMERIC},
    };
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int which = TOY_DRAFT; which <= TOY_DRAFT_PALETTE; which += 2) {
            size_t mark = memory_mark();
            toy *m = toy_build(config(which), NULL);
            float *offset = toy_inside(m, DRAFT("offset")) + 2 * (i % config(which)->neighbours);
            offset[0] = rows[i].down, offset[1] = rows[i].right;
            check_at("row %lld, configuration %lld", i, which, 0, 0);
            if (rows[i].status)
                refused_file(m, rows[i].status, DRAFT("offset"));
            else
                CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
            memory_release(mark);
        }
}

/* A draft is valid only in models that draw one value per pixel in raster order. */
static void draft_of_others(void) {
    static const int refuses[] = {2, 3, TOY_PALETTE, TOY_DMOL, TOY_GAUSSIAN, TOY_SR_DMOL, TOY_SR_PALETTE, TOY_SR_Q8_0};
    static const int takes[] = {0, 1, 4, 5, 7, TOY_DMOL_GREY, TOY_BERNOULLI, TOY_LOGISTIC, TOY_Q4_0};
    for (int i = 0; i < 17; i++) {
        size_t mark = memory_mark();
        int which = i < 8 ? refuses[i] : takes[i - 8];
        toy_config c = *config(which);
        c.neighbours = 3, c.hidden = 8, c.rank = 2;
        toy *m = toy_build(&c, NULL);
        check_at("configuration %lld", which, 0, 0, 0);
        if (i < 8)
            refused_file(m, NX_E_UNSUPPORTED, DRAFT("offset"));
        else
            CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
        memory_release(mark);
    }
}

/* If the tensor of offsets is missing, the other tensors of a draft are ignored. If it exists, all other tensors of the draft must exist
 * too. */
static void half_a_draft(void) {
    toy *m = toy_build(config(TOY_DRAFT), &(toy_twist){.without = DRAFT("offset")});
    CHECK_INT(toy_exercise(m->bytes, m->length, MOST), NX_OK);
    nx_model *model = toy_open(m);
    picture_info info;
    if (!model) return;
    picture_info_of(model, &info);
    CHECK_INT(info.draft, 0);
    refused(TOY_DRAFT, (toy_twist){.reshaped = DRAFT("offset")}, NX_E_FORMAT, DRAFT("offset"));
    refused(TOY_DRAFT, (toy_twist){.reshaped = DRAFT("output")}, NX_E_UNSUPPORTED, DRAFT("output")); /* 10 hidden units */
    refused(TOY_DRAFT, (toy_twist){.reshaped = DRAFT("token_embd")}, NX_E_FORMAT, DRAFT("token_embd"));
    refused(TOY_DRAFT, (toy_twist){.without = DRAFT("output")}, NX_E_FORMAT, DRAFT("output"));
    refused(TOY_DRAFT, (toy_twist){.without = DRAFT("token_embd")}, NX_E_FORMAT, DRAFT("token_embd"));
    static const char *const others[] = {DRAFT("neighbour"), DRAFT("position_row"), DRAFT("position_col"), "draft.output.bias"};
    for (int i = 0; i < 4; i++) {
        check_at("tensor %lld", i, 0, 0, 0);
        refused(TOY_DRAFT, (toy_twist){.without = others[i]}, NX_E_FORMAT, others[i]);
        refused(TOY_DRAFT, (toy_twist){.reshaped = others[i]}, NX_E_FORMAT, others[i]);
    }
}

/* ---- files written by the test --------------------------------------------------------------------------------------------- */

/* Parses a file; returns the status and keeps the problem. */
static nx_problem problem;
static nx_status parse(const toy_file *file) {
    nx_gguf *gguf = memory_take(sizeof *gguf);
    size_t mark = memory_mark();
    memset(&problem, 0x5a, sizeof problem);
    nx_status status = nx_gguf_parse(gguf, memory_copy(file->bytes, file->length), file->length, file->length, &problem);
    CHECK(status == NX_OK || (problem.reason[0] && problem.reason[0] != 0x5a && memchr(problem.reason, 0, NX_NAME_BYTES)));
    memory_release(mark);
    return status;
}

static void header(void) {
    static const struct {
        const char *magic;
        uint32_t version;
        uint64_t tensors, keys;
        nx_status status;
    } rows[] = {
        {"GGUF", 3, 0, 0, NX_OK},
        {"GGUG", 3, 0, 0, NX_E_FORMAT},
        {"FUGG", 3, 0, 0, NX_E_FORMAT},
        {"GGUF", 0, 0, 0, NX_E_UNSUPPORTED},
        {"GGUF", 1, 0, 0, NX_E_UNSUPPORTED},
        {"GGUF", 2, 0, 0, NX_OK},
        {"GGUF", 4, 0, 0, NX_E_UNSUPPORTED},
        {"GGUF", 0x03000000, 0, 0, NX_E_UNSUPPORTED}, /* big-endian */
        {"GGUF", 3, 1, 0, NX_E_FORMAT},
        {"GGUF", 3, 0, 1, NX_E_FORMAT},
        {"GGUF", 3, 2048, 0, NX_E_FORMAT},
        {"GGUF", 3, 2049, 0, NX_E_LIMIT},
        {"GGUF", 3, 0, 1024, NX_E_FORMAT},
        {"GGUF", 3, 0, 1025, NX_E_LIMIT},
        {"GGUF", 3, 1ull << 32, 0, NX_E_LIMIT},
        {"GGUF", 3, 0, 1ull << 32, NX_E_LIMIT},
        {"GGUF", 3, UINT64_MAX, 0, NX_E_LIMIT},
        {"GGUF", 3, 0, UINT64_MAX, NX_E_LIMIT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        toy_file file = {0};
        put_bytes(&file, rows[i].magic, 4);
        put_u32(&file, rows[i].version);
        put_u64(&file, rows[i].tensors);
        put_u64(&file, rows[i].keys);
        check_at("row %lld", (long long)i, 0, 0, 0);
        CHECK_INT(parse(&file), rows[i].status);
        if (rows[i].status == NX_OK) CHECK_INT(toy_exercise(file.bytes, file.length, MOST), NX_E_FORMAT); /* the file has no architecture */
    }
    nx_gguf *gguf = memory_take(sizeof *gguf);
    uint8_t nothing[24] = {0};
    /* these files are refused because of their length alone */
    CHECK_INT(nx_gguf_parse(gguf, nothing, (size_t)GGUF_MAX_BYTES + 1, (size_t)GGUF_MAX_BYTES + 1, &problem), NX_E_LIMIT);
    CHECK_INT(nx_gguf_parse(gguf, nothing, SIZE_MAX, SIZE_MAX, &problem), NX_E_LIMIT);
}

/* Writes a file with one key of any type and content. */
static toy_file one_key(uint32_t type) {
    toy_file file = {0};
    put_header(&file, 0, 1);
    put_text(&file, "k");
    put_u32(&file, type);
    return file;
}

static void values(void) {
    static const uint8_t size[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    static const uint64_t absurd[] = {1ull << 30, 1ull << 32, 1ull << 61, 1ull << 62, 1ull << 63, UINT64_MAX / 8, UINT64_MAX - 8, UINT64_MAX};
    uint8_t zeros[64] = {0};
    for (uint32_t type = 0; type < 13; type++) {
        toy_file scalar = one_key(type), array = one_key(GGUF_ARRAY);
        put_u32(&array, type);
        put_u64(&array, 7);
        put_bytes(&array, zeros, 7u * (type == GGUF_STRING ? 8 : size[type]));
        put_bytes(&scalar, zeros, type == GGUF_STRING ? 8 : size[type]);
        check_at("type %lld", type, 0, 0, 0);
        if (type == GGUF_ARRAY) { /* writes an array of arrays */
            CHECK_INT(parse(&array), NX_E_UNSUPPORTED);
            continue;
        }
        CHECK_INT(parse(&scalar), NX_OK);
        CHECK_INT(parse(&array), NX_OK);
        scalar.length--; /* the value is one byte short */
        CHECK_INT(parse(&scalar), NX_E_FORMAT);
        array.length--;
        CHECK_INT(parse(&array), NX_E_FORMAT);
        for (int i = 0; i < 8; i++) {
            array = one_key(GGUF_ARRAY);
            put_u32(&array, type);
            put_u64(&array, absurd[i]);
            put_bytes(&array, zeros, 64);
            check_at("type %lld, absurd count %lld", type, i, 0, 0);
            CHECK_INT(parse(&array), NX_E_FORMAT);
        }
    }
    for (int i = 0; i < 8; i++) {
        toy_file file = one_key(GGUF_STRING), inside = one_key(GGUF_ARRAY), key = {0};
        put_u64(&file, absurd[i]); /* writes an absurd length of a string */
        put_bytes(&file, zeros, 64);
        put_u32(&inside, GGUF_STRING); /* writes an absurd length of a string in an array */
        put_u64(&inside, 2);
        put_text(&inside, "one");
        put_u64(&inside, absurd[i]);
        put_bytes(&inside, zeros, 64);
        put_header(&key, 0, 1); /* writes an absurd length of a key */
        put_u64(&key, absurd[i]);
        put_bytes(&key, zeros, 64);
        check_at("absurd length %lld", i, 0, 0, 0);
        CHECK_INT(parse(&file), NX_E_FORMAT);
        CHECK_INT(parse(&inside), NX_E_FORMAT);
        CHECK_INT(parse(&key), NX_E_FORMAT);
    }
    static const uint32_t unknown[] = {13, 14, 255, 256, 65536 + 4, UINT32_MAX};
    for (int i = 0; i < 6; i++) {
        toy_file file = one_key(unknown[i]), array = one_key(GGUF_ARRAY);
        put_bytes(&file, zeros, 64);
        put_u32(&array, unknown[i]);
        put_bytes(&array, zeros, 64); /* even an empty array of an unknown type is refused */
        CHECK_INT(parse(&file), NX_E_FORMAT);
        CHECK_INT(parse(&array), NX_E_FORMAT);
    }
    toy_file truth = one_key(GGUF_BOOL), half_truth = one_key(GGUF_BOOL);
    put_bytes(&truth, "\1", 1);
    put_bytes(&half_truth, "\2", 1);
    CHECK_INT(parse(&truth), NX_OK);
    CHECK_INT(parse(&half_truth), NX_E_FORMAT);
}

static void names(void) {
    char name[300];
    for (size_t n = 0; n < 300; n += n == 0 ? 1 : n == 1 ? 253 : 1) { /* 0, 1, 254, 255, 256, ... */
        memset(name, 'n', n);
        name[n] = 0;
        toy_file key = {0}, tensor = {0};
        put_header(&key, 0, 1);
        put_key_u32(&key, name, 0);
        put_header(&tensor, 1, 0);
        put_text(&tensor, name);
        put_u32(&tensor, 1);
        put_u64(&tensor, 1);
        put_u32(&tensor, NX_F32);
        put_u64(&tensor, 0);
        put_bytes(&tensor, name, 64); /* the tensor overlaps the padding and the value */
        check_at("%lld bytes", (long long)n, 0, 0, 0);
        CHECK_INT(parse(&key), n >= 1 && n <= 255 ? NX_OK : NX_E_LIMIT);
        CHECK_INT(parse(&tensor), n <= 255 ? NX_OK : NX_E_LIMIT);
        if (n > 255) CHECK(strlen(problem.name) == NX_NAME_BYTES - 1); /* truncated to fit */
    }
    toy_file twice = {0};
    put_header(&twice, 0, 2);
    put_key_u32(&twice, "same", 1);
    put_key_text(&twice, "same", "2");
    CHECK_INT(parse(&twice), NX_E_FORMAT);
    CHECK(!strcmp(problem.name, "same"));
}

/* Parses a file with one tensor, which the arguments describe, and 136 bytes of data. */
static nx_status tensor_with(uint32_t n_dims, const uint64_t *dim, uint32_t type, uint64_t offset) {
    toy_file file = {0};
    put_header(&file, 1, 0);
    put_text(&file, "t");
    put_u32(&file, n_dims);
    for (uint32_t i = 0; i < n_dims && i < 8; i++) put_u64(&file, dim[i]);
    put_u32(&file, type);
    put_u64(&file, offset);
    while (file.length % 32) put_bytes(&file, "", 1);
    uint8_t data[136] = {0};
    put_bytes(&file, data, sizeof data);
    return parse(&file);
}

static void tensors(void) {
    uint64_t one[8] = {1, 1, 1, 1, 1, 1, 1, 1}, fits[4] = {4, 2, 2, 2}, q8[2] = {64, 2}, odd[2] = {48, 2}, halves[2] = {2, 34}, row[1] = {34};
    for (uint32_t n = 0; n <= 8; n++) CHECK_INT(tensor_with(n, one, NX_F32, 0), n >= 1 && n <= 4 ? NX_OK : NX_E_LIMIT);
    CHECK_INT(tensor_with(UINT32_MAX, one, NX_F32, 0), NX_E_LIMIT);
    CHECK_INT(tensor_with(4, fits, NX_F32, 0), NX_OK); /* 128 of 136 bytes */
    CHECK_INT(tensor_with(1, row, NX_F32, 0), NX_OK);
    CHECK_INT(tensor_with(1, row, NX_F32, 1), NX_E_FORMAT);
    CHECK_INT(tensor_with(2, halves, NX_F16, 0), NX_OK);
    CHECK_INT(tensor_with(2, q8, NX_Q8_0, 0), NX_OK); /* the tensor has 4 blocks of 34 bytes */
    CHECK_INT(tensor_with(2, q8, NX_Q8_0, 1), NX_E_FORMAT);
    CHECK_INT(tensor_with(2, odd, NX_Q8_0, 0), NX_E_FORMAT);
    CHECK_INT(tensor_with(2, q8, NX_Q4_0, 64), NX_OK); /* the tensor has 4 blocks of 18 bytes */
    CHECK_INT(tensor_with(2, q8, NX_Q4_0, 65), NX_E_FORMAT);
    CHECK_INT(tensor_with(2, odd, NX_Q4_0, 0), NX_E_FORMAT);
    for (uint32_t type = 0; type < 40; type++) /* one number is less than a block; unsupported types fail only if a model needs them */
        CHECK_INT(tensor_with(1, one, type, 0), nx_type_of(type) && nx_type_of(type)->values > 1 ? NX_E_FORMAT : NX_OK);
    CHECK_INT(tensor_with(1, one, UINT32_MAX, 0), NX_OK);
    CHECK_INT(tensor_with(1, one, UINT32_MAX, 136), NX_OK);
    CHECK_INT(tensor_with(1, one, UINT32_MAX, 137), NX_E_FORMAT);
    uint64_t k[2] = {256, 1}, k_odd[2] = {128, 1};
    CHECK_INT(tensor_with(2, k, NX_Q2_K, 52), NX_OK); /* 84 bytes */
    CHECK_INT(tensor_with(2, k, NX_Q2_K, 53), NX_E_FORMAT);
    CHECK_INT(tensor_with(2, k, NX_Q3_K, 26), NX_OK); /* 110 bytes */
    CHECK_INT(tensor_with(2, k, NX_Q3_K, 27), NX_E_FORMAT);
    CHECK_INT(tensor_with(2, k, NX_Q4_K, 0), NX_E_FORMAT); /* 144 bytes */
    CHECK_INT(tensor_with(2, k_odd, NX_Q3_K, 0), NX_E_FORMAT);
    static const uint64_t absurd[] = {0, 1 << 20, 1ull << 29, 1ull << 30, 1ull << 31, 1ull << 32, 1ull << 61, 1ull << 62, 1ull << 63, UINT64_MAX - 3, UINT64_MAX};
    static const uint32_t types[] = {NX_F32, NX_F16, NX_Q8_0, NX_Q4_0};
    for (int i = 0; i < 11; i++)
        for (int j = 0; j < 11; j++)
            for (uint32_t at = 0; at < 12; at++) { /* dimensions with products that overflow 32 and 64 bits, in every position */
                uint64_t dim[4] = {32, 1, 1, 1};
                dim[at % 4] = absurd[i];
                dim[(at + 1 + at / 4) % 4] = absurd[j];
                check_at("dimensions %lld and %lld, place %lld", i, j, at, 0);
                CHECK_INT(tensor_with(4, dim, types[(i + j + at) % 4], 0), NX_E_FORMAT);
            }
    for (int i = 1; i < 11; i++) {
        check_at("offset %lld", i, 0, 0, 0);
        CHECK_INT(tensor_with(1, one, NX_F32, absurd[i]), NX_E_FORMAT);
    }
    CHECK_INT(tensor_with(1, one, NX_F32, 132), NX_OK);
    CHECK_INT(tensor_with(1, one, NX_F32, 133), NX_E_FORMAT);
}

static void alignment(void) {
    for (uint32_t a = 0; a < 70000; a = a < 70 ? a + 1 : a * 2 - a % 2) {
        toy_file file = {0};
        uint32_t used = a ? a : 32;
        put_header(&file, 1, 1);
        put_key_u32(&file, "general.alignment", a);
        put_text(&file, "t");
        put_u32(&file, 1);
        put_u64(&file, 1);
        put_u32(&file, NX_F32);
        put_u64(&file, 0);
        while (file.length % used) put_bytes(&file, "", 1);
        put_u32(&file, 0);
        check_at("alignment %lld", a, 0, 0, 0);
        CHECK_INT(parse(&file), a && !(a & (a - 1)) && a <= 65536 ? NX_OK : NX_E_FORMAT);
        file.length--;
        CHECK_INT(parse(&file), NX_E_FORMAT);
    }
}

/* Writes a file with the maximum numbers of keys and tensors. Each tensor starts where the previous tensor ends, except tensor `shared`,
 * which overlaps another tensor. */
static toy_file crowd(uint32_t shared) {
    toy_file file = {0};
    put_header(&file, 2048, 1024);
    for (uint32_t i = 0; i < 1024; i++) {
        char name[4] = {(char)('a' + i % 16), (char)('a' + i / 16 % 16), (char)('a' + i / 256), 0};
        put_key_u32(&file, name, i);
    }
    for (uint32_t i = 0; i < 2048; i++) {
        char name[4] = {(char)('a' + i % 16), (char)('a' + i / 16 % 16), (char)('a' + i / 256), 0};
        put_text(&file, name);
        put_u32(&file, 1);
        put_u64(&file, 1);
        put_u32(&file, NX_F32);
        put_u64(&file, 32 * (i == shared ? (i + 1000) % 2048 : i));
    }
    while (file.length % 32) put_bytes(&file, "", 1);
    for (uint32_t i = 0; i < 2048 * 8; i++) put_u32(&file, 0);
    return file;
}

static void many(void) {
    toy_file file = crowd(NX_NONE);
    CHECK_INT(parse(&file), NX_OK);
}

/* Files with overlapping tensors are refused. Otherwise, a model could be larger than its file. */
static void overlaps(void) {
    static const uint32_t which[] = {0, 1, 1047, 1048, 2047};
    for (int i = 0; i < 5; i++) {
        toy_file file = crowd(which[i]);
        check_at("tensor %lld", which[i], 0, 0, 0);
        CHECK_INT(parse(&file), NX_E_FORMAT);
    }
}

/* ---- memory ---------------------------------------------------------------------------------------------------------------- */

static void small_blocks(void) {
    static const int which[] = {0, 1, 2, 3, 4, 5, TOY_PALETTE, TOY_SR_DMOL, TOY_SR_PALETTE, TOY_DRAFT, TOY_DRAFT_PALETTE};
    for (int i = 0; i < 11; i++) {
        toy *m = toy_build(config(which[i]), NULL);
        size_t bytes = 0, step = i == 0 ? 1 : i == 1 ? 11 : 1999;
        CHECK_INT(nx_model_size(m->bytes, m->length, &bytes, NULL), NX_OK);
        for (size_t size = 0; size < bytes; size += size + step < bytes ? step : size + 99 < bytes ? 99 : 1) {
            size_t mark = memory_mark();
            nx_model *model = NULL;
            check_at("configuration %lld, %lld of %lld bytes", which[i], (long long)size, (long long)bytes, 0);
            memset(&problem, 0, sizeof problem);
            CHECK_INT(nx_model_open(memory_take(size), size, m->bytes, m->length, &model, &problem), NX_E_MEMORY);
            CHECK(problem.reason[0]);
            memory_release(mark);
        }
    }
}

const check_test gguf_tests[] = {
    {"valid files", valid},
    {"metadata", metadata},
    {"a file at any address", any_address},
    {"optional keys", optional_keys},
    {"at the stated limits", at_the_limits},
    {"truncation at every byte", truncation},
    {"every byte of the header damaged", damaged_bytes},
    {"every word of the header extreme", damaged_words},
    {"random damage", damaged_at_random},
    {"missing, mistyped and duplicate keys", wrong_keys},
    {"numbers out of range", wrong_numbers},
    {"keys of other kinds of models", wrong_kinds},
    {"unknown variants", wrong_words},
    {"missing, duplicate, misshapen and NaN tensors", wrong_tensors},
    {"huge weights", huge_weights},
    {"drafts: sizes", draft_sizes},
    {"drafts: neighbours", draft_offsets},
    {"drafts: models that cannot have one", draft_of_others},
    {"drafts: missing and misshapen tensors", half_a_draft},
    {"headers", header},
    {"values of every type", values},
    {"names", names},
    {"dimensions, types and offsets", tensors},
    {"alignment", alignment},
    {"1024 keys and 2048 tensors", many},
    {"tensors that overlap", overlaps},
    {"blocks that are too small", small_blocks},
    {0},
};

/* SPDX-License-Identifier: MIT  See toy.h. */
#include "toy.h"

#include <string.h>

#include "check.h"
#include "layers/pictures.h"

/* ---- a GGUF file, field by field ------------------------------------------------------------------------------------------- */

void put_bytes(toy_file *file, const void *bytes, size_t n) {
    if (file->length + n > file->room) {
        file->room = 2 * (file->length + n) + 1024;
        uint8_t *more = memory_take(file->room);
        if (file->length) memcpy(more, file->bytes, file->length);
        file->bytes = more;
    }
    if (n) memcpy(file->bytes + file->length, bytes, n);
    file->length += n;
}

void put_u32(toy_file *file, uint32_t value) { put_bytes(file, &value, 4); }
void put_u64(toy_file *file, uint64_t value) { put_bytes(file, &value, 8); }

void put_text(toy_file *file, const char *text) {
    put_u64(file, strlen(text));
    put_bytes(file, text, strlen(text));
}

void put_header(toy_file *file, uint64_t tensors, uint64_t keys) {
    put_bytes(file, "GGUF", 4);
    put_u32(file, 3);
    put_u64(file, tensors);
    put_u64(file, keys);
}

void put_key_text(toy_file *file, const char *key, const char *value) {
    put_text(file, key);
    put_u32(file, GGUF_STRING);
    put_text(file, value);
}

void put_key_u32(toy_file *file, const char *key, uint32_t value) {
    put_text(file, key);
    put_u32(file, GGUF_U32);
    put_u32(file, value);
}

void put_key_f32(toy_file *file, const char *key, float value) {
    put_text(file, key);
    put_u32(file, GGUF_F32);
    put_bytes(file, &value, 4);
}

void put_key_u64(toy_file *file, const char *key, uint64_t value) {
    put_text(file, key);
    put_u32(file, GGUF_U64);
    put_u64(file, value);
}

void put_key_numbers(toy_file *file, const char *key, const uint32_t *numbers, uint32_t count) {
    put_text(file, key);
    put_u32(file, GGUF_ARRAY);
    put_u32(file, GGUF_I32);
    put_u64(file, count);
    for (uint32_t i = 0; i < count; i++) put_u32(file, numbers[i]);
}

void put_key_texts(toy_file *file, const char *key, uint32_t count) {
    put_text(file, key);
    put_u32(file, GGUF_ARRAY);
    put_u32(file, GGUF_STRING);
    put_u64(file, count);
    for (uint32_t i = 0; i < count; i++) {
        char text[11] = {0}, *first = text + 10;
        uint32_t left = i;
        do *--first = (char)('0' + left % 10);
        while (left /= 10);
        put_text(file, first);
    }
}

static void pad(toy_file *file, size_t alignment) {
    while (file->length % alignment) put_bytes(file, "", 1);
}

void toy_refused(const uint8_t *bytes, size_t length, nx_status status, const char *named) {
    nx_problem problem = {"", ""};
    size_t size;
    CHECK_INT(nx_model_size(bytes, length, &size, &problem), status);
    if (!CHECK(!strcmp(problem.name, named) && problem.reason[0])) check_say("    names %s: %s", problem.name, problem.reason);
}

/* ---- weights --------------------------------------------------------------------------------------------------------------- */

/* Rounds a float to half precision: to nearest, ties to even. |x| must be below 65504. n is |x| as a multiple of the unit in the last
 * place; double precision represents it exactly. */
static uint16_t to_half(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    uint32_t sign = bits >> 16 & 0x8000;
    int exponent = (int)(bits >> 23 & 255) - 127;
    if (exponent < -14) exponent = -14;
    double unit = 0x1p-10, size = x < 0 ? -(double)x : (double)x;
    for (int i = exponent; i < 0; i++) unit *= 0.5;
    for (int i = 0; i < exponent; i++) unit *= 2;
    uint32_t n = (uint32_t)(size / unit + 0x1p52 - 0x1p52); /* 0..2048 */
    return (uint16_t)(sign | (((uint32_t)(exponent + 14) << 10) + n)); /* the leading 1 of a normal number, 1024, adds 1 to the exponent */
}

static float from_half(uint16_t half) {
    double value = half >> 10 & 31 ? 1024 + (half & 1023) : half & 1023;
    int shift = (half >> 10 & 31 ? half >> 10 & 31 : 1) - 25;
    for (; shift < 0; shift++) value *= 0.5;
    for (; shift > 0; shift--) value *= 2;
    return (float)(half & 0x8000 ? -value : value);
}

void put_tensor(toy_file *head, toy_file *data, toy_tensor *t) {
    put_text(head, t->name);
    put_u32(head, t->rows > 1 ? 2 : 1);
    put_u64(head, t->cols);
    if (t->rows > 1) put_u64(head, t->rows);
    put_u32(head, t->type);
    put_u64(head, data->length);
    toy_encode(data, t);
    pad(data, 32);
}

static int starts(const char *name, const char *with) { return !strncmp(name, with, strlen(with)); }

/* Lists the offsets of a draft's neighbours: first near ones, then two at the maximum distance, then others row by row. Some of the others
 * are repeated. */
static void list_offsets(toy_tensor *t) {
    static const int8_t first[8][2] = {{0, -1}, {-1, 0}, {-1, 1}, {-1, -1}, {0, -16}, {-16, 16}, {0, -2}, {-2, 0}};
    for (uint32_t o = 0; o < t->rows; o++) {
        t->values[2 * o] = (float)(o < 8 ? first[o][0] : -(int)(o / 8));
        t->values[2 * o + 1] = (float)(o < 8 ? first[o][1] : (int)(o % 8) - 4);
    }
}

/* Draws weights with the same standard deviation as weights/train/golden.py. This deviation is so large that attention is far from uniform.
 */
static void draw_weights(toy_tensor *t, const toy_config *c) {
    const char *like = strcmp(t->name, "draft.output.bias") ? t->name : "output.bias"; /* equal biases make drafts often correct */
    check_random random = {c->seed ^ check_hash(0, like, strlen(like))};
    double fan_in = __builtin_sqrt((double)(starts(t->name, "token") ? c->d : t->cols)), mean = 0, spread = 1 / fan_in;
    if (starts(t->name, "palette")) {
        for (size_t i = 0; i < (size_t)t->rows * t->cols; i++) t->values[i] = (float)random_below(&random, 256);
        return;
    }
    if (!strcmp(t->name, "draft.offset.weight")) {
        list_offsets(t);
        return;
    }
    if (strstr(t->name, "position") || starts(t->name, "class"))
        spread = 0.7;
    else if (strstr(t->name, "norm.weight"))
        mean = 1, spread = 0.2;
    else if (strstr(t->name, ".bias"))
        spread = 0.3;
    else if (strstr(t->name, "attn_q") || strstr(t->name, "attn_k"))
        spread = 1.6 / fan_in;
    else if (starts(t->name, "output"))
        spread = (c->sharpness > 0 ? (double)c->sharpness : 1.5) / fan_in;
    else if (starts(t->name, "draft.token"))
        spread = 1;
    if (!strcmp(like, "output.bias") && c->peak > 0) spread = (double)c->peak;
    for (size_t i = 0; i < (size_t)t->rows * t->cols; i++) t->values[i] = (float)(mean + spread * random_normal(&random));
}

/* Encodes 32 values. The scale maps the value with the largest magnitude to -8; all other values are rounded, and clipped to at most 7. */
static void encode_q4(toy_file *file, float *x) {
    float top = 0;
    uint8_t q[32], pairs[16];
    for (int i = 0; i < 32; i++)
        if (x[i] * x[i] > top * top) top = x[i];
    uint16_t half = to_half(top / -8);
    float scale = from_half(half);
    put_bytes(file, &half, 2);
    for (int i = 0; i < 32; i++) {
        double shifted = scale < 0 || scale > 0 ? (double)x[i] / (double)scale + 8.5 : 8;
        q[i] = (uint8_t)(shifted < 0 ? 0 : shifted > 15 ? 15 : shifted);
        x[i] = scale * (float)(q[i] - 8);
    }
    for (int i = 0; i < 16; i++) pairs[i] = (uint8_t)(q[i] | q[16 + i] << 4);
    put_bytes(file, pairs, 16);
}

static int is_quantised(uint32_t type) { return type == NX_Q8_0 || type == NX_Q4_0; }

void toy_encode(toy_file *file, const toy_tensor *t) {
    for (size_t at = 0, n = (size_t)t->rows * t->cols; at < n;) {
        float *x = t->values + at;
        if (t->type == NX_F32) {
            put_bytes(file, x, n * 4);
            return;
        }
        if (t->type == NX_F16) {
            uint16_t half = to_half(*x);
            put_bytes(file, &half, 2);
            *x = from_half(half);
            at++;
            continue;
        }
        if (t->type == NX_Q4_0) {
            encode_q4(file, x);
            at += 32;
            continue;
        }
        float largest = 0;
        for (int i = 0; i < 32; i++)
            if (x[i] > largest || -x[i] > largest) largest = x[i] < 0 ? -x[i] : x[i];
        uint16_t half = to_half(largest / 127);
        float scale = from_half(half);
        put_bytes(file, &half, 2);
        for (int i = 0; i < 32; i++) {
            double q = scale > 0 ? (double)x[i] / (double)scale : 0;
            int8_t byte = (int8_t)(q > 127 ? 127 : q < -127 ? -127 : (int)(q < 0 ? q - 0.5 : q + 0.5));
            put_bytes(file, &byte, 1);
            x[i] = scale * (float)byte;
        }
        at += 32;
    }
}

static void add(toy *m, const char *name, uint32_t rows, uint32_t cols, uint32_t type) {
    toy_tensor *t = m->tensor + m->n_tensors++;
    strcpy(t->name, name);
    t->rows = rows;
    t->cols = cols;
    t->type = is_quantised(type) && cols % 32 ? NX_F32 : type;
    t->values = memory_take((size_t)rows * cols * sizeof(float));
    draw_weights(t, &m->config);
}

/* Adds a tensor of a block. For example, "enc.", 7, "attn_q" and ".weight" name the tensor enc.blk.7.attn_q.weight; stack may be "". */
static void add_block(toy *m, const char *stack, uint32_t i, const char *part, const char *kind, uint32_t rows, uint32_t cols, uint32_t type) {
    char name[48], digits[4], *p = name + strlen(strcat(strcpy(name, stack), "blk."));
    int n = 0;
    do digits[n++] = (char)('0' + i % 10);
    while (i /= 10);
    for (; n; *p = 0) *p++ = digits[--n];
    add(m, strcat(strcat(strcat(name, "."), part), kind), rows, cols, type);
}

/* Adds the tensors of query, key, value, output and norm. `cross` is a prefix of their names. */
static void add_attention(toy *m, const char *stack, uint32_t i, const char *cross) {
    static const char *const projections[] = {"attn_q", "attn_k", "attn_v", "attn_output"};
    const toy_config *c = &m->config;
    uint32_t attention = c->heads * c->key_length;
    char part[24];
    for (int p = 0; p < 4; p++) {
        uint32_t rows = p == 3 ? c->d : attention;
        strcat(strcpy(part, cross), projections[p]);
        add_block(m, stack, i, part, ".weight", rows, p == 3 ? attention : c->d, c->type);
        if (c->biases) add_block(m, stack, i, part, ".bias", 1, rows, NX_F32);
    }
    strcat(strcpy(part, cross), "attn_norm");
    add_block(m, stack, i, part, ".weight", 1, c->d, NX_F32);
    add_block(m, stack, i, part, ".bias", 1, c->d, NX_F32);
}

static void add_feed_forward(toy *m, const char *stack, uint32_t i, uint32_t inner) {
    const toy_config *c = &m->config;
    add_block(m, stack, i, "ffn_up", ".weight", inner, c->d, c->type);
    add_block(m, stack, i, "ffn_up", ".bias", 1, inner, NX_F32);
    add_block(m, stack, i, "ffn_down", ".weight", c->d, inner, c->type);
    add_block(m, stack, i, "ffn_down", ".bias", 1, c->d, NX_F32);
    add_block(m, stack, i, "ffn_norm", ".weight", 1, c->d, NX_F32);
    add_block(m, stack, i, "ffn_norm", ".bias", 1, c->d, NX_F32);
}

uint32_t toy_encoder_inner(const toy_config *c) { return c->encoder_inner ? c->encoder_inner : c->inner; }
uint32_t toy_elements(const toy_config *c) { return c->output == NX_DMOL ? c->channels : 1; }
uint32_t toy_cols(const toy_config *c) { return c->palette || c->output == NX_DMOL ? c->width : c->width * c->channels; }
uint32_t toy_positions(const toy_config *c) { return c->height * toy_cols(c); }
nx_output toy_output(const toy_config *c) { return (nx_output){c->output, c->levels, toy_elements(c), c->mixtures}; }

nx_pattern toy_pattern(const toy_config *c) {
    uint32_t n = toy_positions(c);
    if (c->pattern == NX_LOCAL_1D) return (nx_pattern){NX_LOCAL_1D, n, c->query_block, c->memory_block, 0, 0, 0, 0, 0, 0};
    if (c->pattern == NX_FULL_CAUSAL) return (nx_pattern){NX_FULL_CAUSAL, n, n, 0, 0, 0, 0, 0, 0, 0};
    return (nx_pattern){NX_LOCAL_2D, n, n, 0, c->height, toy_cols(c), c->block_rows, c->block_cols, c->flange_rows, c->flange_cols};
}

static void list_tensors(toy *m) {
    const toy_config *c = &m->config;
    uint32_t half = c->position == TOY_LEARNED_HALF ? c->d / 2 : c->d;
    nx_output output = toy_output(c);
    uint32_t outputs = nx_output_parameters(&output);
    m->tensor = memory_take((38 + 26 * (size_t)c->blocks + 16 * (size_t)c->encoder_blocks) * sizeof *m->tensor);
    if (c->palette) add(m, "palette.weight", c->levels, 3, NX_F32);
    if (c->output == NX_DMOL) {
        add(m, "pixel_embd.weight", c->d, c->channels, c->type);
        add(m, "pixel_embd.bias", 1, c->d, NX_F32);
    } else
        add(m, "token_embd.weight", (c->palette ? 1 : c->channels) * c->levels, c->d, c->tables);
    if (c->position != TOY_SINUSOIDAL) {
        add(m, "position_row.weight", c->height, half, c->tables);
        add(m, "position_col.weight", toy_cols(c), half, c->tables);
    }
    if (c->classes) add(m, "class_embd.weight", c->classes, c->d, c->tables);
    if (c->direct) {
        uint32_t places = c->height / c->input_height * (c->width / c->input_width), sure = c->mixtures ? 3 : 1;
        add(m, "direct.input.weight", places * 31, c->d, c->tables);
        if (c->palette) add(m, "direct.near.weight", 2 * c->levels, c->d, c->tables);
        add(m, "direct.guess.weight", places * 49, 3, NX_F32);
        add(m, "direct.hidden.weight", 3, c->d, NX_F32);
        add(m, "direct.certainty.weight", sure, c->d, NX_F32);
        add(m, "direct.certainty.bias", places, sure, NX_F32);
        if (c->encoder_blocks) add(m, "direct.context.weight", c->d, c->d, c->type);
    }
    if (c->encoder_blocks) {
        add(m, "enc.pixel_embd.weight", c->d, c->channels, c->type);
        add(m, "enc.pixel_embd.bias", 1, c->d, NX_F32);
        if (c->position != TOY_SINUSOIDAL) {
            add(m, "enc.position_row.weight", c->input_height, half, c->tables);
            add(m, "enc.position_col.weight", c->input_width, half, c->tables);
        }
        for (uint32_t i = 0; i < c->encoder_blocks; i++)
            add_attention(m, "enc.", i, ""), add_feed_forward(m, "enc.", i, toy_encoder_inner(c));
        if (c->pre_norm) {
            add(m, "enc.output_norm.weight", 1, c->d, NX_F32);
            add(m, "enc.output_norm.bias", 1, c->d, NX_F32);
        }
    }
    for (uint32_t i = 0; i < c->blocks; i++) {
        add_attention(m, "", i, "");
        if (c->encoder_blocks && !c->direct) add_attention(m, "", i, "cross_");
        add_feed_forward(m, "", i, c->inner);
    }
    if (c->pre_norm) {
        add(m, "output_norm.weight", 1, c->d, NX_F32);
        add(m, "output_norm.bias", 1, c->d, NX_F32);
    }
    add(m, "output.weight", outputs, c->d, c->type);
    if (!c->headless) add(m, "output.bias", 1, outputs, NX_F32);
    if (!c->neighbours) return;
    add(m, "draft.offset.weight", c->neighbours, 2, NX_F32);
    add(m, "draft.token_embd.weight", c->levels, c->rank, c->draft_type);
    add(m, "draft.neighbour.weight", c->neighbours * c->hidden, c->rank, c->draft_type);
    add(m, "draft.position_row.weight", c->height, c->hidden, c->draft_type);
    add(m, "draft.position_col.weight", c->width, c->hidden, c->draft_type);
    add(m, "draft.output.weight", c->levels, c->hidden, c->draft_type);
    add(m, "draft.output.bias", 1, c->levels, NX_F32);
}

/* ---- the file of a model --------------------------------------------------------------------------------------------------- */

static int is(const char *wanted, const char *name) { return wanted && !strcmp(wanted, name); }

static int times(const toy_twist *twist, const char *name) { return is(twist->without, name) ? 0 : is(twist->twice, name) ? 2 : 1; }

static uint32_t key_text(toy_file *file, const toy_twist *twist, const char *key, const char *value) {
    int n = times(twist, key);
    for (int i = 0; i < n; i++) {
        if (is(twist->retyped, key))
            put_key_u32(file, key, 1);
        else
            put_key_text(file, key, is(twist->text, key) ? twist->words : value);
    }
    return (uint32_t)n;
}

static uint32_t key_u32(toy_file *file, const toy_twist *twist, const char *key, uint32_t value) {
    int n = times(twist, key);
    for (int i = 0; i < n; i++) {
        if (is(twist->retyped, key))
            put_key_f32(file, key, (float)value);
        else
            put_key_u32(file, key, is(twist->number, key) ? twist->value : value);
    }
    return (uint32_t)n;
}

static uint32_t put_keys(toy_file *file, const toy_config *c, const toy_twist *t) {
    static const char *const position[] = {"learned", "learned", "sinusoidal"}, *const pattern[] = {"full", "local-1d", "local-2d"};
    static const char *const output[] = {"categorical", "bernoulli", "dmol", "logistic", "gaussian"};
#define KEY(name) "image-transformer." name
    uint32_t n = key_text(file, t, "general.architecture", "image-transformer");
    n += key_text(file, t, "general.name", "toy");
    n += key_u32(file, t, "general.alignment", 32);
    n += key_u32(file, t, KEY("image.height"), c->height);
    n += key_u32(file, t, KEY("image.width"), c->width);
    n += key_u32(file, t, KEY("image.channels"), c->channels);
    n += key_u32(file, t, KEY("image.levels"), c->levels);
    n += key_u32(file, t, KEY("block_count"), c->blocks);
    n += key_u32(file, t, KEY("embedding_length"), c->d);
    n += key_u32(file, t, KEY("feed_forward_length"), c->inner);
    n += key_u32(file, t, KEY("attention.head_count"), c->heads);
    n += key_u32(file, t, KEY("attention.key_length"), c->key_length);
    if (times(t, KEY("attention.layer_norm_epsilon"))) {
        if (is(t->retyped, KEY("attention.layer_norm_epsilon")))
            put_key_u32(file, KEY("attention.layer_norm_epsilon"), 0);
        else
            put_key_f32(file, KEY("attention.layer_norm_epsilon"), is(t->poisoned, "epsilon") ? t->poison : 1e-6f);
        n++;
    }
    n += key_text(file, t, KEY("attention.pattern"), pattern[c->pattern]);
    if (c->pattern == NX_LOCAL_1D) {
        n += key_u32(file, t, KEY("attention.query_block"), c->query_block);
        n += key_u32(file, t, KEY("attention.memory_block"), c->memory_block);
    }
    if (c->pattern == NX_LOCAL_2D) {
        n += key_u32(file, t, KEY("attention.block_rows"), c->block_rows);
        n += key_u32(file, t, KEY("attention.block_cols"), c->block_cols);
        n += key_u32(file, t, KEY("attention.flange_rows"), c->flange_rows);
        n += key_u32(file, t, KEY("attention.flange_cols"), c->flange_cols);
    }
    n += key_text(file, t, KEY("norm"), c->pre_norm ? "pre" : "post");
    n += key_text(file, t, KEY("position.type"), position[c->position]);
    n += key_text(file, t, KEY("output.type"), output[c->output]);
    if (c->output == NX_DMOL) n += key_u32(file, t, KEY("output.mixtures"), c->mixtures);
    if (c->input_height) {
        n += key_u32(file, t, KEY("input.height"), c->input_height);
        n += key_u32(file, t, KEY("input.width"), c->input_width);
    }
    if (c->encoder_blocks) n += key_u32(file, t, KEY("encoder.block_count"), c->encoder_blocks);
    if (c->encoder_inner) n += key_u32(file, t, KEY("encoder.feed_forward_length"), c->encoder_inner);
    if (c->classes && times(t, KEY("classes"))) {
        put_text(file, KEY("classes"));
        put_u32(file, GGUF_ARRAY);
        put_u32(file, is(t->retyped, KEY("classes")) ? GGUF_U64 : GGUF_STRING); /* the zeros are lengths of empty strings */
        put_u64(file, c->classes);
        for (uint32_t i = 0; i < c->classes; i++) put_text(file, is(t->retyped, KEY("classes")) || i >= 10 ? "" : "a");
        n++;
    }
#undef KEY
    return n;
}

toy *toy_build(const toy_config *config, const toy_twist *twist) {
    static const toy_twist none;
    if (!twist) twist = &none;
    toy *m = memory_take(sizeof *m);
    memset(m, 0, sizeof *m);
    m->config = *config;
    list_tensors(m);

    toy_file keys = {0}, list = {0}, data = {0}, file = {0};
    uint32_t n_keys = put_keys(&keys, config, twist), n_tensors = 0;
    for (uint32_t i = 0; i < m->n_tensors; i++) {
        toy_tensor *t = m->tensor + i;
        pad(&data, 32); /* pads before each tensor and not after the last one, so that the file ends with its last weight */
        for (int n = times(twist, t->name); n; n--, n_tensors++) {
            uint32_t dims = t->rows > 1 || !strstr(t->name, ".bias") ? 2 : 1;
            uint64_t dim[2] = {t->cols, t->rows};
            if (strstr(t->name, "norm.weight")) dims = 1;
            if (is(twist->reshaped, t->name)) dims = 2, dim[0] = t->rows, dim[1] = t->cols;
            put_text(&list, t->name);
            put_u32(&list, dims);
            put_bytes(&list, dim, 8 * dims);
            put_u32(&list, t->type);
            put_u64(&list, data.length);
        }
        if (is(twist->poisoned, t->name) && t->type == NX_F32) t->values[(size_t)t->rows * t->cols - 1] = twist->poison;
        toy_encode(&data, t);
        /* the last weight, or the last block's scale, becomes a half-precision infinity */
        if (is(twist->poisoned, t->name) && t->type != NX_F32) {
            uint16_t infinity = 0x7c00;
            memcpy(data.bytes + data.length - (t->type == NX_F16 ? 2 : t->type == NX_Q4_0 ? Q4_0_BYTES : Q8_0_BYTES), &infinity, 2);
        }
    }
    put_header(&file, n_tensors, n_keys);
    put_bytes(&file, keys.bytes, keys.length);
    m->keys_end = file.length;
    put_bytes(&file, list.bytes, list.length);
    pad(&file, 32);
    m->data = file.length;
    put_bytes(&file, data.bytes, data.length);
    m->length = file.length;
    m->bytes = memory_copy(file.bytes, file.length);
    return m;
}

uint32_t toy_configs(const toy_config **list, const char *const **names) {
    static const char *const name[] = {
        "smallest", "grey, classes", "rgb, 256 levels, local, biases", "rgb, local, l_m > l_q", "f16, local", "q8_0, local, classes",
        "local, l_m = 0", "one element", "palette, 2d, pre-norm, classes", "dmol of pixels", "dmol of grey, local, no output bias", "bernoulli",
        "logistic, pre-norm", "gaussian, rgb in 2d", "super-resolution: dmol, 2d, pre-norm", "super-resolution: palette, 2d, classes, biases",
        "q4_0, pre-norm", "super-resolution: rgb, local, q8_0, sinusoidal", "draft, classes", "draft, local, f16, pre-norm",
        "draft, palette, local, q8_0", "draft, q4_0, local, l_m = 0",
    };
    static const toy_config config[] = {
        {.height = 2, .width = 3, .channels = 1, .levels = 2, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
         .position = TOY_SINUSOIDAL, .seed = 1},
        {.height = 5, .width = 7, .channels = 1, .levels = 16, .blocks = 2, .d = 16, .inner = 32, .heads = 2, .key_length = 8,
         .position = TOY_LEARNED_HALF, .classes = 3, .seed = 2},
        /* heads * key_length = 36, not d; the last query block is short: 105 = 7 * 14 + 7 */
        {.height = 5, .width = 7, .channels = 3, .levels = 256, .blocks = 2, .d = 24, .inner = 40, .heads = 3, .key_length = 12,
         .pattern = NX_LOCAL_1D, .query_block = 14, .memory_block = 9, .position = TOY_LEARNED_WHOLE, .classes = 2, .biases = 1, .seed = 3},
        {.height = 4, .width = 5, .channels = 3, .levels = 3, .blocks = 3, .d = 12, .inner = 20, .heads = 1, .key_length = 20,
         .pattern = NX_LOCAL_1D, .query_block = 7, .memory_block = 23, .position = TOY_SINUSOIDAL, .biases = 1, .seed = 4},
        {.height = 6, .width = 6, .channels = 1, .levels = 17, .blocks = 2, .d = 32, .inner = 44, .heads = 2, .key_length = 16,
         .pattern = NX_LOCAL_1D, .query_block = 6, .memory_block = 6, .position = TOY_LEARNED_HALF, .type = NX_F16, .tables = NX_F16, .seed = 5},
        {.height = 6, .width = 7, .channels = 1, .levels = 16, .blocks = 2, .d = 64, .inner = 96, .heads = 2, .key_length = 32,
         .pattern = NX_LOCAL_1D, .query_block = 14, .memory_block = 14, .position = TOY_LEARNED_WHOLE, .classes = 10, .type = NX_Q8_0,
         .tables = NX_Q8_0, .seed = 6},
        {.height = 3, .width = 5, .channels = 1, .levels = 5, .blocks = 2, .d = 8, .inner = 12, .heads = 2, .key_length = 4,
         .pattern = NX_LOCAL_1D, .query_block = 4, .memory_block = 0, .position = TOY_SINUSOIDAL, .seed = 7},
        {.height = 1, .width = 1, .channels = 1, .levels = 7, .blocks = 1, .d = 8, .inner = 8, .heads = 1, .key_length = 8,
         .position = TOY_LEARNED_WHOLE, .seed = 8},
        /* blocks of 2 x 3 positions, which do not divide a grid of 5 x 7 */
        {.height = 5, .width = 7, .channels = 3, .levels = 12, .blocks = 2, .d = 16, .inner = 24, .heads = 2, .key_length = 8,
         .pattern = NX_LOCAL_2D, .block_rows = 2, .block_cols = 3, .flange_rows = 1, .flange_cols = 2, .position = TOY_LEARNED_HALF,
         .pre_norm = 1, .palette = 1, .classes = 2, .seed = 9},
        {.height = 3, .width = 4, .channels = 3, .levels = 256, .blocks = 2, .d = 12, .inner = 20, .heads = 1, .key_length = 8,
         .position = TOY_LEARNED_WHOLE, .output = NX_DMOL, .mixtures = 3, .classes = 2, .seed = 10},
        {.height = 4, .width = 5, .channels = 1, .levels = 256, .blocks = 1, .d = 16, .inner = 16, .heads = 2, .key_length = 8,
         .pattern = NX_LOCAL_1D, .query_block = 6, .memory_block = 4, .position = TOY_LEARNED_HALF, .output = NX_DMOL, .mixtures = 2,
         .headless = 1, .seed = 11},
        {.height = 5, .width = 6, .channels = 1, .levels = 2, .blocks = 2, .d = 12, .inner = 16, .heads = 1, .key_length = 12,
         .position = TOY_LEARNED_WHOLE, .output = NX_BERNOULLI, .seed = 12},
        {.height = 4, .width = 5, .channels = 1, .levels = 256, .blocks = 2, .d = 16, .inner = 20, .heads = 2, .key_length = 8,
         .position = TOY_SINUSOIDAL, .pre_norm = 1, .output = NX_LOGISTIC, .seed = 13},
        /* positions are channels, so blocks of 3 x 4 and of 4 x 9 positions split pixels */
        {.height = 4, .width = 3, .channels = 3, .levels = 16, .blocks = 2, .d = 16, .inner = 20, .heads = 2, .key_length = 8,
         .pattern = NX_LOCAL_2D, .block_rows = 3, .block_cols = 4, .flange_rows = 2, .flange_cols = 1, .position = TOY_LEARNED_WHOLE,
         .biases = 1, .output = NX_GAUSSIAN, .seed = 14},
        {.height = 5, .width = 6, .channels = 3, .levels = 256, .blocks = 2, .d = 16, .inner = 20, .heads = 2, .key_length = 12,
         .pattern = NX_LOCAL_2D, .block_rows = 2, .block_cols = 4, .flange_rows = 3, .flange_cols = 2, .position = TOY_LEARNED_HALF,
         .pre_norm = 1, .output = NX_DMOL, .mixtures = 2, .input_height = 3, .input_width = 6, .encoder_blocks = 2, .encoder_inner = 28,
         .seed = 15},
        {.height = 4, .width = 5, .channels = 3, .levels = 9, .blocks = 2, .d = 12, .inner = 16, .heads = 1, .key_length = 8,
         .pattern = NX_LOCAL_2D, .block_rows = 4, .block_cols = 2, .flange_rows = 0, .flange_cols = 3, .position = TOY_LEARNED_WHOLE,
         .palette = 1, .input_height = 2, .input_width = 3, .encoder_blocks = 1, .classes = 3, .biases = 1, .seed = 16},
        {.height = 5, .width = 6, .channels = 1, .levels = 8, .blocks = 2, .d = 32, .inner = 64, .heads = 1, .key_length = 32,
         .pattern = NX_LOCAL_1D, .query_block = 12, .memory_block = 6, .position = TOY_LEARNED_HALF, .pre_norm = 1, .classes = 2,
         .type = NX_Q4_0, .tables = NX_Q4_0, .seed = 17},
        {.height = 3, .width = 4, .channels = 3, .levels = 5, .blocks = 1, .d = 32, .inner = 32, .heads = 2, .key_length = 16,
         .pattern = NX_LOCAL_1D, .query_block = 9, .memory_block = 12, .position = TOY_SINUSOIDAL, .input_height = 5, .input_width = 4,
         .encoder_blocks = 2, .type = NX_Q8_0, .seed = 18},
        {.height = 6, .width = 7, .channels = 1, .levels = 10, .blocks = 2, .d = 16, .inner = 24, .heads = 2, .key_length = 8,
         .position = TOY_LEARNED_HALF, .classes = 2, .sharpness = 1, .neighbours = 6, .hidden = 12, .rank = 5, .peak = 3, .seed = 19},
        /* query blocks of 11 and 19 are not multiples of the kernels' tiles, and the last block is shorter */
        {.height = 6, .width = 7, .channels = 1, .levels = 16, .blocks = 2, .d = 12, .inner = 20, .heads = 1, .key_length = 12,
         .pattern = NX_LOCAL_1D, .query_block = 11, .memory_block = 6, .position = TOY_SINUSOIDAL, .pre_norm = 1, .type = NX_F16,
         .sharpness = 1, .neighbours = 9, .hidden = 8, .rank = 3, .draft_type = NX_F16, .peak = 1.7f, .seed = 20},
        {.height = 7, .width = 8, .channels = 3, .levels = 12, .blocks = 2, .d = 32, .inner = 64, .heads = 2, .key_length = 16,
         .pattern = NX_LOCAL_1D, .query_block = 19, .memory_block = 16, .position = TOY_LEARNED_WHOLE, .palette = 1, .classes = 3,
         .type = NX_Q8_0, .sharpness = 1, .neighbours = 5, .hidden = 32, .rank = 32, .draft_type = NX_Q8_0, .peak = 4, .seed = 21},
        {.height = 5, .width = 6, .channels = 1, .levels = 5, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .key_length = 32,
         .pattern = NX_LOCAL_1D, .query_block = 21, .memory_block = 0, .position = TOY_LEARNED_HALF, .type = NX_Q4_0, .tables = NX_F16,
         .sharpness = 1, .neighbours = 4, .hidden = 64, .rank = 4, .draft_type = NX_Q4_0, .peak = 5, .seed = 22},
    };
    if (list) *list = config;
    if (names) *names = name;
    return sizeof config / sizeof *config;
}

toy *toy_direct(int mixtures, const toy_twist *twist) {
    static const toy_config config[] = {
        {.height = 6, .width = 8, .channels = 3, .levels = 18, .blocks = 2, .d = 32, .inner = 64, .heads = 1, .key_length = 32,
         .pattern = NX_LOCAL_1D, .query_block = 16, .memory_block = 12, .position = TOY_LEARNED_HALF, .palette = 1, .input_height = 2,
         .input_width = 4, .direct = 1, .classes = 2, .type = NX_Q8_0, .tables = NX_F16, .seed = 31},
        {.height = 4, .width = 6, .channels = 3, .levels = 256, .blocks = 1, .d = 16, .inner = 20, .heads = 2, .key_length = 8,
         .position = TOY_SINUSOIDAL, .pre_norm = 1, .output = NX_DMOL, .mixtures = 2, .input_height = 2, .input_width = 2,
         .encoder_blocks = 2, .encoder_inner = 72, .direct = 1, .seed = 32},
    };
    return toy_build(config + (mixtures != 0), twist);
}

const toy_tensor *toy_find(const toy *m, const char *name) {
    for (uint32_t i = 0; i < m->n_tensors; i++)
        if (!strcmp(m->tensor[i].name, name)) return m->tensor + i;
    return NULL;
}

float *toy_inside(toy *m, const char *name) {
    nx_gguf *file = memory_take(sizeof *file);
    nx_tensor tensor = {0};
    CHECK(nx_gguf_parse(file, m->bytes, m->length, m->length, NULL) == NX_OK && nx_gguf_tensor(file, name, &tensor) && tensor.type == NX_F32);
    return (float *)(m->bytes + (tensor.data - m->bytes));
}

uint8_t toy_value(uint32_t level, uint32_t levels) { return (uint8_t)(255.0 * level / (levels - 1) + 0.5); }

uint8_t toy_level(uint32_t value, uint32_t levels) { return (uint8_t)((double)value * (levels - 1) / 255.0 + 0.5); }

/* ---- use of the library ---------------------------------------------------------------------------------------------------- */

static nx_model *open_bytes(const uint8_t *file, size_t length, size_t bytes) {
    nx_model *model = NULL;
    nx_problem problem;
    void *block = memory_take(bytes);
    if (!CHECK_INT(nx_model_open(block, bytes, file, length, &model, &problem), NX_OK)) return NULL;
    CHECK((uint8_t *)model >= (uint8_t *)block && (uint8_t *)model < (uint8_t *)block + bytes);
    return model;
}

nx_model *toy_open(const toy *m) {
    size_t bytes = 0;
    nx_problem problem = {"", ""};
    if (!CHECK_INT(nx_model_size(m->bytes, m->length, &bytes, &problem), NX_OK)) {
        check_say("    %s: %s", problem.name, problem.reason);
        return NULL;
    }
    return open_bytes(m->bytes, m->length, bytes);
}

nx_session *toy_bare_session(const nx_model *model, const picture_settings *settings, size_t *bytes) {
    size_t size = 0;
    nx_session *session = NULL;
    if (!CHECK_INT(picture_size(model, settings, &size), NX_OK)) return NULL;
    void *block = memory_take(size);
    if (!CHECK_INT(picture_open(block, size, model, settings, &session), NX_OK)) return NULL;
    CHECK((void *)session == block);
    if (bytes) *bytes = size;
    return session;
}

uint32_t toy_input(const picture_info *info, uint8_t **values) {
    check_random random = {99};
    uint32_t count = info->input_height * info->input_width * info->channels;
    *values = memory_take(count);
    for (uint32_t i = 0; i < count; i++) (*values)[i] = (uint8_t)random_bits(&random);
    return count;
}

nx_session *toy_session(const nx_model *model, const picture_settings *settings, size_t *bytes) {
    nx_session *session = toy_bare_session(model, settings, bytes);
    picture_info info;
    uint8_t *values;
    picture_info_of(model, &info);
    uint32_t count = toy_input(&info, &values);
    if (session && count) CHECK_INT(picture_condition(model, session, values, count), NX_OK);
    return session;
}

picture_settings toy_settings(uint32_t samples, uint32_t seed) {
    return (picture_settings){.seed_low = seed, .samples = samples, .label = -1, .temperature = 1, .top_p = 1};
}

static int text_ends(const char *text) {
    for (int i = 0; i < NX_NAME_BYTES; i++)
        if (!text[i]) return 1;
    return 0;
}

/* Every entry of the metadata is inside the model's block and has its declared type. */
static void read_metadata(const nx_model *model) {
    static const uint8_t size[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    nx_metadata entry;
    uint32_t count = nx_model_metadata_count(model), sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!CHECK_INT(nx_model_metadata(model, i, &entry), NX_OK)) return;
        for (uint32_t j = 0; j < entry.key_bytes; j++) sum += (uint8_t)entry.key[j];
        const uint8_t *value = entry.value;
        for (uint32_t j = 0; j < entry.value_bytes; j++) sum += value[j];
        CHECK(entry.item_type < sizeof size && entry.item_type != GGUF_ARRAY);
        CHECK(entry.item_type == GGUF_STRING || entry.value_bytes == entry.count * size[entry.item_type]);
    }
    CHECK(sum > 0); /* at least general.architecture */
    CHECK_INT(nx_model_metadata(model, count, &entry), NX_E_ARGUMENT);
    CHECK_INT(nx_model_metadata(model, UINT32_MAX, &entry), NX_E_ARGUMENT);
}

/* Checks that a run with arbitrary weights works or reports a non-finite value. Returns whether it works. */
static int run_is(nx_status status) { return CHECK(status == NX_OK || status == NX_E_NUMERIC) && status == NX_OK; }

/* A run with speculative decoding ends at the same position as a run without it, and has the same values and nats. This must be true even
 * if values become non-finite. */
static void run_ahead(const nx_model *model, const picture_info *info, const uint8_t *known, uint32_t n_known) {
    enum { most = 20 };
    uint32_t left = info->positions - n_known, steps = left < most ? left : most, position[2];
    uint8_t values[2][most], ahead[most];
    float nats[2][most];
    nx_status status[2];
    for (int run = 0; run < 2; run++) {
        picture_settings settings = toy_settings(1, 6);
        size_t bytes;
        settings.look_ahead = run ? 16 : 0;
        nx_session *session = toy_session(model, &settings, &bytes);
        if (!session || picture_prefill(model, session, known, n_known, NULL)) return;
        status[run] = picture_step(model, session, steps, values[run], nats[run]);
        run_is(status[run]);
        position[run] = nx_session_position(session) - n_known;
        CHECK_INT(nx_session_ahead(model, session, n_known, position[run], ahead), NX_OK);
        for (uint32_t i = 0; i < position[run]; i++) CHECK(ahead[i] == 0 || (run && i && ahead[i] == ahead[i - 1] + 1 && ahead[i] < 16));
        CHECK_INT(nx_session_check(model, session, bytes), NX_OK);
    }
    CHECK_INT(status[1], status[0]);
    if (!CHECK_INT(position[1], position[0])) return;
    CHECK_BYTES(values[1], values[0], position[0]);
    CHECK_FLOATS(nats[1], nats[0], position[0]);
}

#define MOST_INPUT 400 /* maximum number of pixels of an input image: attention over them takes quadratic time */

/* Returns whether a model reads a picture and writes text. (Other models that read a picture draw a larger one.) */
static int tells(const nx_model *model, const picture_info *info) {
    nx_port port;
    return !info->input_height && nx_model_port(model, 0, 0, &port) == NX_OK && !strcmp(port.name, "image");
}

static void run_model(const nx_model *model, const picture_info *info, size_t most) {
    nx_port port;
    if (tells(model, info)) return; /* tests/fuzz runs such a model */
    if (nx_model_port(model, 0, 0, &port) == NX_OK && port.any_length) return; /* the model reads a sentence: tests/fuzz runs it */
    if (!info->outputs) return; /* the model has no sequence: tests/fuzz reads its results */
    if (!info->positions) return; /* the model draws a sound, whose length the caller chooses */
    picture_settings settings = toy_settings(2, 5);
    settings.label = (int32_t)info->classes - 1;
    settings.temperature = 0.5f;
    settings.top_p = 0.9f;
    settings.maps = 1;
    size_t bytes;
    nx_status status = picture_size(model, &settings, &bytes);
    if (status == NX_E_LIMIT || (!status && bytes > most) || info->input_height * info->input_width > MOST_INPUT) return;
    if (!CHECK_INT(status, NX_OK)) return;
    nx_session *session = toy_session(model, &settings, NULL);
    if (!session) return;
    uint32_t n = info->positions, known = n < 21 ? n / 2 : 20, steps = n - known < 3 ? n - known : 3;
    uint32_t fed = known * info->position_elements, room = fed + 2 * steps * info->position_elements, count = 0;
    uint8_t *values = memory_take(room);
    float *nats = memory_take(room * sizeof *nats), *output = memory_take(info->outputs * sizeof *output);
    float *weights = memory_take((size_t)info->rows * info->window * sizeof *weights);
    uint32_t *keys = memory_take(info->window * sizeof *keys);
    for (uint32_t i = 0; i < fed; i++) values[i] = (uint8_t)(info->palette ? i * 37 % info->levels : i * 37);
    if (info->draft) run_ahead(model, info, values, known);
    if (!run_is(picture_prefill(model, session, values, known, nats))) return;
    if (!run_is(picture_step(model, session, steps, values + fed, nats + fed))) return;
    for (uint32_t i = 0; i < room; i++) CHECK(nats[i] >= 0 || nats[i] <= 0); /* never NaN */
    if (!CHECK_INT(nx_session_output(model, session, 1, output), NX_OK)) return;
    if (info->window && !CHECK_INT(picture_attention(model, session, 1, weights, keys, &count), NX_OK)) return;
    /* keys are at most the current position; a sparse set may end earlier or be empty */
    CHECK(!info->window || (count <= info->window && (!count || keys[count - 1] < nx_session_position(session))));
    CHECK_INT(nx_session_check(model, session, bytes), NX_OK);
}

/* Checks invariants that hold for any model. */
static void check_info(const nx_model *model, const picture_info *info) {
    if (!info->height || !info->outputs || tells(model, info)) return; /* the checks below are only for models that draw pictures */
    CHECK(info->height >= 1 && info->height <= NX_MAX_SIDE && info->width >= 1 && info->width <= NX_MAX_SIDE);
    CHECK(info->levels >= 2 && info->levels <= NX_MAX_LEVELS && (info->channels == 1 || info->channels == 3));
    CHECK(info->elements == info->positions * info->position_elements && info->classes <= NX_MAX_CLASSES && info->palette <= 1);
    CHECK(info->elements == info->height * info->width * (info->palette ? 1 : info->channels));
    CHECK(info->window <= info->positions && info->outputs >= 1);
    CHECK(info->draft <= 1 && (!info->draft || (info->positions == info->height * info->width && info->position_elements == 1 && !info->block_rows)));
    CHECK(!info->input_height == !info->input_width && info->input_height <= NX_MAX_SIDE && info->input_width <= NX_MAX_SIDE);
    uint32_t *raster = memory_take(info->positions * sizeof *raster);
    uint8_t *seen = memory_take(info->positions), *rgb = memory_take(info->levels * 3);
    memset(seen, 0, info->positions);
    picture_order(model, raster);
    for (uint32_t i = 0; i < info->positions; i++)
        if (CHECK(raster[i] < info->positions)) CHECK(!seen[raster[i]]++);
    CHECK_INT(picture_palette(model, rgb), info->palette ? NX_OK : NX_E_ARGUMENT);
}

nx_status toy_exercise(const uint8_t *file, size_t length, size_t most) {
    size_t bytes = 0, mark = memory_mark();
    nx_problem problem, untouched;
    memset(&untouched, 0x5a, sizeof untouched);
    problem = untouched;
    nx_status status = nx_model_size(file, length, &bytes, &problem);
    if (status) {
        CHECK(status == NX_E_FORMAT || status == NX_E_UNSUPPORTED || status == NX_E_LIMIT || status == NX_E_NUMERIC);
        CHECK(text_ends(problem.name) && text_ends(problem.reason) && problem.reason[0]);
        CHECK_INT(nx_model_size(file, length, &bytes, NULL), status);
        nx_model *none = NULL;
        uint8_t *block = memory_take(256);
        CHECK_INT(nx_model_open(block, 256, file, length, &none, &problem), status);
    } else {
        CHECK_BYTES(&problem, &untouched, sizeof problem);
        CHECK(bytes <= NX_MODEL_BYTES_FREE + (uint64_t)length * NX_MODEL_BYTES_PER_BYTE); /* a small file never makes a large model */
        nx_model *model = bytes <= most ? open_bytes(file, length, bytes) : NULL;
        if (model) {
            picture_info info;
            picture_info_of(model, &info);
            check_info(model, &info);
            read_metadata(model);
            run_model(model, &info, most);
        }
    }
    memory_release(mark);
    return status;
}

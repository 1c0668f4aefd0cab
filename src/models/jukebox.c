/* SPDX-License-Identifier: MIT
 *
 * Jukebox [Dhariwal, Jun, Payne, Kim, Radford, Sutskever 2020, arXiv:2005.00341] with two levels of codes, in four parts:
 *
 *   encoder   sound -> top, bottom: the codes of both levels, each from its own encoder (jukebox/codes.h)
 *   top       draws the codes of the top level and the end of the sound, given a class and a speaker (jukebox/prior.h)
 *   bottom    draws the codes of the bottom level, given a class, a speaker and the codes of the top level
 *   decoder   bottom -> sound: decodes codes of the bottom level (or, if `upper` is 1, of the top level) to samples
 *
 * A sound is a sequence of mu-law values 0..255. A table in the file converts the values to samples, which are from -1 to 1 or slightly
 * beyond. Each level of codes has its own autoencoder, as in the paper, so the codes of one level can be decoded without the codes of the
 * other level. The sound is padded with silence to a whole number of codes of the top level. If a file has no key jukebox.top.block_count,
 * it has no priors, and the parts `top` and `bottom` cannot be run.
 */
#include "models/jukebox/codes.h"
#include "models/jukebox/prior.h"

#include <string.h>

#include "layers/pictures.h"

#define ARCH "jukebox"
#define SOUND_LEVELS 256
#define MOST_SAMPLES 262144 /* maximum length of a sound, about half a minute */
#define MOST_TOP 8192       /* maximum number of positions of the top prior */

enum { ENCODER, TOP, BOTTOM, DECODER, PARTS };
enum { OF_TOP, OF_BOTTOM }; /* the results of the encoder */
enum { CODES, UPPER };      /* the ports of the decoder */

typedef struct {
    const float *levels; /* shape (256): samples */
    nx_codes top, bottom;
    nx_prior priors[2];
} model;

static void plan_coders(const model *m, nx_plan *plans) {
    nx_plan *p = plans + ENCODER;
    p->weights = m, p->encodes = p->n_inputs = 1, p->n_results = 2;
    p->inputs[0] = (nx_port){.name = "sound", .values = SOUND_LEVELS, .dims = {MOST_SAMPLES, 1, 1, 1}, .any_length = 1, .like = NX_NONE};
    p->results[OF_TOP] =
        (nx_result){.name = "top", .values = m->top.codes, .dims = {MOST_SAMPLES / m->top.hop, 1, 1, 1}, .rows = NX_ROWS_COUNTED};
    p->results[OF_BOTTOM] =
        (nx_result){.name = "bottom", .values = m->bottom.codes, .dims = {MOST_SAMPLES / m->bottom.hop, 1, 1, 1}, .rows = NX_ROWS_COUNTED};
    p = plans + DECODER;
    p->weights = m, p->encodes = p->n_results = 1, p->n_inputs = 2;
    p->inputs[CODES] = (nx_port){.name = "bottom",
                                 .values = nx_larger(m->top.codes, m->bottom.codes),
                                 .dims = {MOST_SAMPLES / m->bottom.hop, 1, 1, 1},
                                 .any_length = 1,
                                 .like = NX_NONE};
    p->inputs[UPPER] = (nx_port){.name = "upper", .values = 2, .dims = {1, 1, 1, 1}, .optional = 1, .like = NX_NONE};
    p->results[0] = (nx_result){.name = "sound", .dims = {MOST_SAMPLES / m->bottom.hop * m->top.hop, 1, 1, 1}, .rows = NX_ROWS_COUNTED};
}

static void read_priors(nx_reader *r, model *m, nx_plan *plans) {
    uint32_t classes = nx_read_strings(r, KEY("classes"), NX_MAX_CLASSES), speakers = nx_read_strings(r, KEY("speakers"), NX_MAX_CLASSES);
    uint32_t ratio = m->top.hop / m->bottom.hop, length = nx_read_u32(r, KEY("top.context_length"), 1, MOST_TOP, NX_REQUIRED);
    r->part = TOP;
    nx_prior_read(r, &m->priors[0], plans + TOP, ARCH, "top", length + 1, m->top.codes + 1, classes, speakers);
    r->part = BOTTOM;
    nx_prior_read(r, &m->priors[1], plans + BOTTOM, ARCH, "bottom", length * ratio, m->bottom.codes, classes, speakers);
    nx_prior_read_above(r, &m->priors[1], plans + BOTTOM, ARCH, "bottom", "top", m->top.codes, ratio, length);
    if (r->status) return;
    plans[TOP].weights = &m->priors[0];
    plans[BOTTOM].weights = &m->priors[1];
    plans[TOP].ends[plans[TOP].n_ends++] = m->top.codes;
}

static void configure(nx_reader *r, nx_plan *plans) {
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    nx_read_u32(r, KEY("sound.rate"), 1000, 384000, NX_REQUIRED);
    r->part = ENCODER;
    m->levels = nx_read_vector(r, "level.weight", SOUND_LEVELS, 0);
    nx_codes_read_encoder(r, &m->top, ARCH, "top");
    nx_codes_read_encoder(r, &m->bottom, ARCH, "bottom");
    r->part = DECODER;
    nx_codes_read_decoder(r, &m->top, ARCH, "top");
    nx_codes_read_decoder(r, &m->bottom, ARCH, "bottom");
    if (!r->status && (m->top.hop <= m->bottom.hop || m->top.hop % m->bottom.hop || m->top.hop / m->bottom.hop % 2))
        nx_reader_fail(r, NX_E_UNSUPPORTED, KEY("top.strides"), "a code does not span an even number of bottom codes");
    if (r->status) return;
    plan_coders(m, plans);
    if (nx_has_key(r, KEY("top.block_count"))) read_priors(r, m, plans);
}

/* ---- encoder: its output holds the codes of both levels, then the buffers for computing them ------------------------------ */

typedef struct {
    uint32_t *done; /* [0]: number of complete levels; [1]: number of slices of the next level that are done */
    uint32_t *codes[2];
    float *rows[2];
    uint64_t bytes;
} encoded;

static const nx_codes *level_of(const model *m, uint32_t i) { return i == OF_TOP ? &m->top : &m->bottom; }

/* Returns the number of codes of a level. The sound is padded to whole codes of the top level. */
static uint32_t count_of(const model *m, const nx_shape *shape, uint32_t i) {
    return nx_codes_of(&m->top, shape->counts[0]) * (m->top.hop / level_of(m, i)->hop);
}

static encoded encoded_at(const model *m, const nx_shape *shape, void *output) {
    nx_arena arena = {output, 0, UINT64_MAX};
    uint32_t T = nx_codes_of(&m->top, shape->counts[0]) * m->top.hop;
    uint64_t room = 0;
    encoded e = {.done = nx_arena_take(&arena, 2 * sizeof *e.done)};
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t needed = nx_stack_room(&level_of(m, i)->encoder, T);
        e.codes[i] = nx_arena_take(&arena, count_of(m, shape, i) * sizeof(uint32_t));
        if (needed > room) room = needed;
    }
    for (uint32_t i = 0; i < 2; i++) e.rows[i] = nx_arena_take(&arena, room * sizeof(float));
    e.bytes = arena.used;
    return e;
}

static uint64_t encoded_bytes(const void *m, const nx_shape *shape) { return encoded_at(m, shape, NULL).bytes; }

static uint64_t encode_scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t columns) {
    const model *m = opaque;
    uint64_t top = nx_codes_encode_scratch_bytes(&m->top), bottom = nx_codes_encode_scratch_bytes(&m->bottom);
    (void)shape, (void)columns;
    return top > bottom ? top : bottom;
}

static int encode(const void *opaque, const nx_inputs *inputs, uint32_t slice, void *output, void *scratch) {
    const model *m = opaque;
    encoded e = encoded_at(m, &inputs->shape, output);
    uint32_t i = e.done[0], n = inputs->shape.counts[0];
    (void)slice;
    if (i > OF_BOTTOM) return 0;
    const nx_codes *level = level_of(m, i);
    if (e.done[1] == 0) {
        uint32_t T = nx_codes_of(&m->top, n) * m->top.hop;
        for (uint32_t t = 0; t < T; t++) e.rows[0][t] = t < n ? m->levels[inputs->port[0][t]] : 0;
    }
    int more = nx_codes_encode(level, count_of(m, &inputs->shape, i), e.rows, e.codes[i], e.done[1]++, scratch);
    if (more) return more;
    e.done[0]++, e.done[1] = 0;
    return e.done[0] <= OF_BOTTOM;
}

static const void *codes_result(const void *m, const nx_shape *shape, const void *output, uint32_t index, uint32_t *count) {
    encoded e = encoded_at(m, shape, (void *)output);
    *count = *e.done > index ? count_of(m, shape, index) : 0;
    return e.codes[index];
}

/* ---- decoder: its output holds two buffers of vectors; the last vectors computed are samples ------------------------------ */

typedef struct {
    uint32_t *done; /* [0]: number of finished samples; [1]: the level from which they were decoded */
    float *rows[2]; /* buffers, large enough for either level */
    uint64_t bytes;
} decoded;

static decoded decoded_at(const model *m, const nx_shape *shape, void *output) {
    nx_arena arena = {output, 0, UINT64_MAX};
    uint64_t top = nx_stack_room(&m->top.decoder, shape->counts[CODES]), bottom = nx_stack_room(&m->bottom.decoder, shape->counts[CODES]);
    decoded d = {.done = nx_arena_take(&arena, 2 * sizeof *d.done)};
    for (uint32_t i = 0; i < 2; i++) d.rows[i] = nx_arena_take(&arena, (top > bottom ? top : bottom) * sizeof(float));
    d.bytes = arena.used;
    return d;
}

static uint64_t decoded_bytes(const void *m, const nx_shape *shape) { return decoded_at(m, shape, NULL).bytes; }

static uint64_t decode_scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t columns) {
    const model *m = opaque;
    uint64_t top = nx_stack_scratch_bytes(&m->top.decoder), bottom = nx_stack_scratch_bytes(&m->bottom.decoder);
    (void)shape, (void)columns;
    return top > bottom ? top : bottom;
}

static int decode(const void *opaque, const nx_inputs *inputs, uint32_t slice, void *output, void *scratch) {
    const model *m = opaque;
    decoded d = decoded_at(m, &inputs->shape, output);
    uint32_t n = inputs->shape.counts[CODES], i = inputs->port[UPPER] && *inputs->port[UPPER] ? OF_TOP : OF_BOTTOM;
    int more = nx_codes_decode(level_of(m, i), n, d.rows, inputs->port[CODES], slice, scratch);
    if (more == 0) d.done[0] = n * level_of(m, i)->hop, d.done[1] = i;
    return more;
}

static const void *sound_result(const void *opaque, const nx_shape *shape, const void *output, uint32_t index, uint32_t *count) {
    const model *m = opaque;
    decoded d = decoded_at(m, shape, (void *)output);
    uint32_t most = shape->counts[CODES] * m->top.hop;
    (void)index;
    *count = *d.done < most ? *d.done : most;
    return nx_stack_output(&level_of(m, d.done[1])->decoder, d.rows);
}

/* ---- the parts ----------------------------------------------------------------------------------------------------------- */

static const nx_part parts[PARTS] = {
    [ENCODER] = {.name = "encoder",
                 .encoder_output_bytes = encoded_bytes,
                 .scratch_bytes = encode_scratch_bytes,
                 .encode = encode,
                 .result = codes_result},
    [TOP] = {.name = "top",
             .state_bytes = nx_prior_state_bytes,
             .scratch_bytes = nx_prior_scratch_bytes,
             .forward = nx_prior_forward,
             .keys = nx_prior_keys},
    [BOTTOM] = {.name = "bottom",
                .encoder_output_bytes = nx_prior_encoder_output_bytes,
                .state_bytes = nx_prior_state_bytes,
                .scratch_bytes = nx_prior_scratch_bytes,
                .encode = nx_prior_encode,
                .forward = nx_prior_forward,
                .keys = nx_prior_keys},
    [DECODER] = {.name = "decoder",
                 .encoder_output_bytes = decoded_bytes,
                 .scratch_bytes = decode_scratch_bytes,
                 .encode = decode,
                 .result = sound_result},
};

const nx_arch nx_jukebox = {.name = ARCH, .n_parts = PARTS, .parts = parts, .configure = configure};

/* SPDX-License-Identifier: MIT
 *
 * A run: known elements in, drawn elements out, for any architecture. See nextpixel.h.
 *
 * The block of a session begins with this header; the rest is found by offsets that follow from the model and the settings, so
 * the block may be copied anywhere.
 */
#include <string.h>

#include "kernels/kernels.h"
#include "model.h"
#include "sampling/categorical.h"

#define MAGIC 0x3153584eu /* "NXS1" */

struct nx_session {
    uint32_t magic, fingerprint;
    nx_settings settings;
    uint32_t position;  /* elements known or drawn */
    uint32_t computed;  /* 1 + the last position that went through the model; 0: none */
    uint32_t has_logits; /* the last pass computed its output layer */
    uint32_t forked;    /* every sample has its own cache; before, all share the first one's */
};

/* The parts of a session's block. */
typedef struct {
    nx_session *session;
    float *logits;    /* (B, nx_stride(V)) of the last position */
    uint8_t *values;  /* (B, n) levels */
    uint8_t *caches;  /* (B) of arch->cache_bytes */
    float *trace;     /* (B, blocks, heads, window) when traced */
    float *pass;      /* (NX_COLUMNS, nx_stride(V)) logits of a prefill; two columns serve as scratch of a draw */
    void *scratch;
    uint64_t cache_bytes, trace_floats; /* of one sample */
} layout;

static uint64_t lay_out(const nx_model *model, const nx_settings *settings, void *block, layout *l) {
    const nx_info *info = &model->info;
    nx_arena arena = {block, 0, UINT64_MAX};
    uint64_t samples = settings->samples, stride = nx_stride(info->levels) * sizeof(float);
    l->cache_bytes = model->arch->cache_bytes(model->weights);
    l->trace_floats = settings->trace ? (uint64_t)info->blocks * info->heads * info->window : 0;
    l->session = arena_take(&arena, sizeof *l->session);
    l->logits = arena_take(&arena, samples * stride);
    l->values = arena_take(&arena, samples * info->elements);
    l->trace = arena_take(&arena, samples * l->trace_floats * sizeof(float));
    l->pass = arena_take(&arena, NX_COLUMNS * stride);
    l->scratch = arena_take(&arena, model->arch->scratch_bytes(model->weights, NX_COLUMNS));
    l->caches = arena_take(&arena, samples * l->cache_bytes);
    return arena.used;
}

static int settings_valid(const nx_model *model, const nx_settings *s) {
    return s->samples >= 1 && s->samples <= NX_MAX_SAMPLES && s->label >= -1 && (s->label < 0 || (uint32_t)s->label < model->info.classes) &&
           s->temperature >= 0 && s->temperature <= 100 && s->top_p > 0 && s->top_p <= 1 && s->trace <= 1 &&
           s->first_sample <= UINT32_MAX - NX_MAX_SAMPLES;
}

nx_status nx_session_size(const nx_model *model, const nx_settings *settings, size_t *bytes) {
    layout l;
    if (!settings_valid(model, settings)) return NX_E_ARGUMENT;
    uint64_t total = lay_out(model, settings, NULL, &l);
    if (total > PTRDIFF_MAX) return NX_E_LIMIT;
    *bytes = (size_t)total;
    return NX_OK;
}

nx_status nx_session_open(void *block, size_t block_bytes, const nx_model *model, const nx_settings *settings, nx_session **session) {
    size_t bytes;
    nx_status status = nx_session_size(model, settings, &bytes);
    if (status) return status;
    if (block_bytes < bytes) return NX_E_MEMORY;
    memset(block, 0, bytes);
    *session = block;
    (*session)->magic = MAGIC;
    (*session)->fingerprint = model->fingerprint;
    (*session)->settings = *settings;
    return NX_OK;
}

nx_status nx_session_check(const nx_model *model, const void *block, size_t block_bytes) {
    nx_session header;
    size_t bytes;
    if (block_bytes < sizeof header) return NX_E_STATE;
    memcpy(&header, block, sizeof header);
    if (header.magic != MAGIC || header.fingerprint != model->fingerprint) return NX_E_STATE;
    if (nx_session_size(model, &header.settings, &bytes) || bytes > block_bytes) return NX_E_STATE;
    uint32_t n = model->info.elements;
    if (header.position > n || header.computed > n || header.computed > header.position + 1 || header.has_logits > 1 || header.forked > 1)
        return NX_E_STATE;
    layout l;
    lay_out(model, &header.settings, (void *)block, &l);
    for (size_t i = 0; i < (size_t)header.settings.samples * n; i++)
        if (l.values[i] >= model->info.levels) return NX_E_STATE; /* it would index the embedding */
    return NX_OK;
}

uint32_t nx_session_position(const nx_session *session) { return session->position; }

/* 8-bit value <-> level, of V levels evenly spread over 0..255. */
static uint8_t to_level(uint32_t value, uint32_t levels) { return (uint8_t)((value * (levels - 1) * 2 + 255) / 510); }
static uint8_t to_value(uint32_t level, uint32_t levels) { return (uint8_t)((level * 510 + levels - 1) / (2 * (levels - 1))); }

static nx_column column_of(const nx_model *model, const layout *l, uint32_t sample, uint32_t position) {
    return (nx_column){
        .cache = l->caches + sample * l->cache_bytes,
        .values = l->values + (size_t)sample * model->info.elements,
        .position = position,
        .label = l->session->settings.label,
    };
}

static float *trace_of(const layout *l, uint32_t sample) {
    return l->session->settings.trace ? l->trace + sample * l->trace_floats : NULL;
}

nx_status nx_session_prefill(const nx_model *model, nx_session *session, const uint8_t *values, uint32_t count, float *nats) {
    uint32_t n = model->info.elements, levels = model->info.levels, stride = nx_stride(levels);
    if (session->forked || count > n - session->position) return NX_E_ARGUMENT;
    layout l;
    lay_out(model, &session->settings, session, &l);
    while (count) {
        uint32_t at = session->position, columns = model->arch->pass_end(model->weights, at) - at;
        if (columns > count) columns = count;
        if (columns > NX_COLUMNS) columns = NX_COLUMNS;
        nx_column column[NX_COLUMNS];
        for (uint32_t j = 0; j < columns; j++) {
            l.values[at + j] = to_level(values[j], levels);
            column[j] = column_of(model, &l, 0, at + j);
        }
        column[columns - 1].trace = trace_of(&l, 0);
        model->arch->forward(model->weights, column, columns, nats ? l.pass : NULL, l.scratch);
        for (uint32_t j = 0; nats && j < columns; j++) {
            const float *logits = l.pass + (size_t)j * stride;
            if (!nx_categorical_finite(logits, levels)) return NX_E_NUMERIC;
            nats[j] = -nx_categorical_log_prob(logits, levels, l.values[at + j]);
        }
        if (nats) {
            memcpy(l.logits, l.pass + (size_t)(columns - 1) * stride, stride * sizeof(float));
            nats += columns;
        }
        session->has_logits = nats != NULL;
        session->position = session->computed = at + columns;
        values += columns;
        count -= columns;
    }
    return NX_OK;
}

/* Gives every sample its own copy of what the known elements left behind. */
static void fork_samples(const nx_model *model, const layout *l) {
    uint32_t n = model->info.elements;
    for (uint32_t b = 1; b < l->session->settings.samples; b++) {
        memcpy(l->values + (size_t)b * n, l->values, l->session->position);
        memcpy(l->caches + b * l->cache_bytes, l->caches, l->cache_bytes);
    }
    l->session->forked = 1;
}

/* Draws one element of every sample. */
static nx_status draw(const nx_model *model, const layout *l, uint8_t *values, float *nats) {
    nx_session *session = l->session;
    const nx_settings *settings = &session->settings;
    uint32_t levels = model->info.levels, stride = nx_stride(levels), at = session->position, samples = settings->samples;
    for (uint32_t first = 0; first < samples; first += NX_COLUMNS) {
        uint32_t columns = samples - first < NX_COLUMNS ? samples - first : NX_COLUMNS;
        nx_column column[NX_COLUMNS];
        for (uint32_t j = 0; j < columns; j++) {
            column[j] = column_of(model, l, first + j, at);
            column[j].trace = trace_of(l, first + j);
        }
        model->arch->forward(model->weights, column, columns, l->logits + (size_t)first * stride, l->scratch);
    }
    session->computed = at + 1;
    session->has_logits = 1;
    for (uint32_t b = 0; b < samples; b++)
        if (!nx_categorical_finite(l->logits + (size_t)b * stride, levels)) return NX_E_NUMERIC;
    nx_filter filter = {settings->temperature, settings->top_k, settings->top_p};
    for (uint32_t b = 0; b < samples; b++) {
        const float *logits = l->logits + (size_t)b * stride;
        nx_noise noise = {settings->seed_low, settings->seed_high, settings->first_sample + b, at};
        uint32_t level = nx_categorical_sample(logits, levels, filter, noise, l->pass);
        l->values[(size_t)b * model->info.elements + at] = (uint8_t)level;
        values[b] = to_value(level, levels);
        if (nats) nats[b] = -nx_categorical_log_prob(logits, levels, level);
    }
    session->position = at + 1;
    return NX_OK;
}

nx_status nx_session_step(const nx_model *model, nx_session *session, uint32_t steps, uint8_t *values, float *nats) {
    if (steps > model->info.elements - session->position) return NX_E_ARGUMENT;
    layout l;
    lay_out(model, &session->settings, session, &l);
    if (!session->forked && steps) fork_samples(model, &l);
    for (uint32_t i = 0; i < steps; i++) {
        nx_status status = draw(model, &l, values, nats);
        if (status) return status;
        values += session->settings.samples;
        if (nats) nats += session->settings.samples;
    }
    return NX_OK;
}

/* The sample whose state stands for the given one: all share the first until they are forked. */
static uint32_t holder(const nx_session *session, uint32_t sample) { return session->forked ? sample : 0; }

nx_status nx_session_logits(const nx_model *model, const nx_session *session, uint32_t sample, float *logits) {
    if (sample >= session->settings.samples || !session->computed || !session->has_logits) return NX_E_ARGUMENT;
    layout l;
    lay_out(model, &session->settings, (void *)session, &l);
    uint32_t levels = model->info.levels;
    memcpy(logits, l.logits + (size_t)holder(session, sample) * nx_stride(levels), levels * sizeof *logits);
    return NX_OK;
}

nx_status nx_session_attention(const nx_model *model, const nx_session *session, uint32_t sample, float *weights, uint32_t *from,
                               uint32_t *to) {
    if (sample >= session->settings.samples || !session->computed || !session->settings.trace) return NX_E_ARGUMENT;
    layout l;
    lay_out(model, &session->settings, (void *)session, &l);
    uint32_t last = session->computed - 1, rows = model->info.blocks * model->info.heads;
    *from = model->arch->first_visible(model->weights, last);
    *to = last + 1;
    for (uint32_t i = 0; i < rows; i++)
        memcpy(weights + (size_t)i * (*to - *from), l.trace + holder(session, sample) * l.trace_floats + (size_t)i * model->info.window,
               (*to - *from) * sizeof *weights);
    return NX_OK;
}

/* SPDX-License-Identifier: MIT
 *
 * A run: known elements in, drawn elements out, for any architecture. See nextpixel.h.
 *
 * The block of a session begins with this header; the rest is found by offsets that follow from the model and the
 * settings, so the block may be copied anywhere.
 */
#include <string.h>

#include "kernels/kernels.h"
#include "model.h"
#include "sampling/categorical.h"

/* A guess whose lead over the next value is smaller than this, in nats, ends the window of look-ahead: it fails so
 * often that the columns behind it are not worth their time. Nothing that is drawn depends on it. */
#define SURE 1.5f

#define MAGIC 0x3253584eu /* "NXS2" */

struct nx_session {
    uint32_t magic, fingerprint;
    nx_settings settings;
    uint32_t position;    /* positions known or drawn */
    uint32_t computed;    /* 1 + the last position that went through the model; 0: none */
    uint32_t has_output;  /* the last pass computed its output layer */
    uint32_t forked;      /* every sample has its own cache; before, all share the first one's */
    uint32_t conditioned; /* nx_session_condition was called */
};

/* The parts of a session's block. P: output parameters of a position, E: its elements. */
typedef struct {
    nx_session *session;
    float *output;   /* (B, nx_stride(P)) of the last position */
    uint8_t *values; /* (B, n E) levels */
    float *trace;    /* (B, blocks, heads, window) when traced */
    uint8_t *ahead;  /* (n) of each position, how many of its pass came before it: nx_session_ahead */
    float *pass;     /* (NX_COLUMNS, nx_stride(P)) output of a prefill or of look-ahead */
    float *logits;   /* (3, nx_stride(V)) of one element, and the scratch of its draw */
    nx_run *runs;    /* room for the runs of one position */
    void *scratch;
    void *draft;                        /* its scratch */
    void *condition;                    /* shared by the samples */
    uint8_t *caches;                    /* (B) of arch->cache_bytes */
    uint64_t cache_bytes, trace_floats; /* of one sample */
    const nx_pattern *pattern;
    const nx_output *distribution;
} layout;

static uint64_t lay_out(const nx_model *model, const nx_settings *settings, void *block, layout *l) {
    const nx_info *info = &model->info;
    const nx_arch *arch = model->arch;
    nx_arena arena = {block, 0, UINT64_MAX};
    uint64_t samples = settings->samples, outputs = nx_stride(info->outputs) * sizeof(float);
    l->pattern = arch->pattern(model->weights);
    l->distribution = arch->output(model->weights);
    l->cache_bytes = arch->cache_bytes(model->weights);
    l->trace_floats = settings->trace ? (uint64_t)info->blocks * info->heads * info->window : 0;
    l->session = arena_take(&arena, sizeof *l->session);
    l->output = arena_take(&arena, samples * outputs);
    l->values = arena_take(&arena, samples * info->elements);
    l->ahead = arena_take(&arena, info->positions);
    l->trace = arena_take(&arena, samples * l->trace_floats * sizeof(float));
    l->pass = arena_take(&arena, NX_COLUMNS * outputs);
    l->logits = arena_take(&arena, 3 * nx_stride(info->levels) * sizeof(float));
    l->runs = arena_take(&arena, nx_pattern_max_runs(l->pattern) * sizeof *l->runs);
    l->scratch = arena_take(&arena, arch->scratch_bytes(model->weights, NX_COLUMNS));
    l->draft = arena_take(&arena, nx_draft_scratch_bytes(model->draft));
    l->condition = arena_take(&arena, arch->condition_bytes(model->weights));
    l->caches = arena_take(&arena, samples * l->cache_bytes);
    return arena.used;
}

static int settings_valid(const nx_model *model, const nx_settings *s) {
    return s->samples >= 1 && s->samples <= NX_MAX_SAMPLES && s->label >= -1 &&
           (s->label < 0 || (uint32_t)s->label < model->info.classes) && s->temperature >= 0 && s->temperature <= 100 &&
           s->top_p > 0 && s->top_p <= 1 && s->trace <= 1 && s->look_ahead <= NX_COLUMNS &&
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

nx_status nx_session_open(void *block, size_t block_bytes, const nx_model *model, const nx_settings *settings,
                          nx_session **session) {
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

static int waits_for_condition(const nx_model *model, const nx_session *session) {
    return model->info.input_height && !session->conditioned;
}

nx_status nx_session_check(const nx_model *model, const void *block, size_t block_bytes) {
    nx_session header;
    size_t bytes;
    if (block_bytes < sizeof header) return NX_E_STATE;
    memcpy(&header, block, sizeof header);
    if (header.magic != MAGIC || header.fingerprint != model->fingerprint) return NX_E_STATE;
    if (nx_session_size(model, &header.settings, &bytes) || bytes > block_bytes) return NX_E_STATE;
    uint32_t n = model->info.positions;
    if (header.position > n || header.computed > n || header.computed > header.position + 1 || header.has_output > 1 ||
        header.forked > 1 || header.conditioned > (model->info.input_height > 0) ||
        (header.position && waits_for_condition(model, &header)))
        return NX_E_STATE;
    layout l;
    lay_out(model, &header.settings, (void *)block, &l);
    for (size_t i = 0; i < (size_t)header.settings.samples * model->info.elements; i++)
        if (l.values[i] >= model->info.levels) return NX_E_STATE; /* it would index the embedding */
    return NX_OK;
}

uint32_t nx_session_position(const nx_session *session) { return session->position; }

/* 8-bit value <-> level, of V levels evenly spread over 0..255; indices into a palette stay what they are. */
static uint8_t to_level(const nx_info *info, uint32_t value) {
    return (uint8_t)(info->palette ? value : (value * (info->levels - 1) * 2 + 255) / 510);
}
static uint8_t to_value(const nx_info *info, uint32_t level) {
    return (uint8_t)(info->palette ? level : (level * 510 + info->levels - 1) / (2 * (info->levels - 1)));
}

static nx_column column_of(const nx_model *model, const layout *l, uint32_t sample, uint32_t position) {
    return (nx_column){
        .cache = l->caches + sample * l->cache_bytes,
        .condition = l->condition,
        .values = l->values + (size_t)sample * model->info.elements,
        .position = position,
        .label = l->session->settings.label,
    };
}

static float *trace_of(const layout *l, uint32_t sample) {
    return l->session->settings.trace ? l->trace + sample * l->trace_floats : NULL;
}

nx_status nx_session_condition(const nx_model *model, nx_session *session, const uint8_t *values, uint32_t count) {
    const nx_info *info = &model->info;
    if (!waits_for_condition(model, session) || session->position ||
        count != info->input_height * info->input_width * info->channels)
        return NX_E_ARGUMENT;
    layout l;
    lay_out(model, &session->settings, session, &l);
    model->arch->condition(model->weights, l.condition, values, l.scratch);
    session->conditioned = 1;
    return NX_OK;
}

/* -log p of the levels (E) of a position under its output parameters. */
static void nats_of(const layout *l, const float *parameters, const uint8_t *levels, float *nats) {
    for (uint32_t e = 0; e < l->distribution->elements; e++)
        nats[e] = nx_output_nats(l->distribution, parameters, levels, e, l->logits);
}

nx_status nx_session_prefill(const nx_model *model, nx_session *session, const uint8_t *values, uint32_t count,
                             float *nats) {
    const nx_info *info = &model->info;
    uint32_t E = info->position_elements, stride = nx_stride(info->outputs);
    if (session->forked || count > info->positions - session->position || waits_for_condition(model, session))
        return NX_E_ARGUMENT;
    for (size_t i = 0; info->palette && i < (size_t)count * E; i++)
        if (values[i] >= info->levels) return NX_E_ARGUMENT;
    layout l;
    lay_out(model, &session->settings, session, &l);
    while (count) {
        uint32_t at = session->position, columns = nx_pattern_block_end(l.pattern, at) - at;
        if (columns > count) columns = count;
        if (columns > NX_COLUMNS) columns = NX_COLUMNS;
        for (uint32_t i = 0; i < columns * E; i++) l.values[(size_t)at * E + i] = to_level(info, values[i]);
        nx_column column[NX_COLUMNS];
        for (uint32_t j = 0; j < columns; j++) column[j] = column_of(model, &l, 0, at + j);
        column[columns - 1].trace = trace_of(&l, 0);
        model->arch->forward(model->weights, column, columns, nats ? l.pass : NULL, l.scratch);
        for (uint32_t j = 0; nats && j < columns; j++) {
            const float *output = l.pass + (size_t)j * stride;
            if (!nx_output_finite(l.distribution, output)) return NX_E_NUMERIC;
            nats_of(&l, output, l.values + (size_t)(at + j) * E, nats + j * E);
        }
        session->has_output = nats != NULL;
        if (nats) {
            memcpy(l.output, l.pass + (size_t)(columns - 1) * stride, stride * sizeof(float));
            nats += columns * E;
        }
        session->position = session->computed = at + columns;
        values += columns * E;
        count -= columns;
    }
    return NX_OK;
}

/* Gives every sample its own copy of what the known positions left behind. */
static void fork_samples(const nx_model *model, const layout *l) {
    uint32_t n = model->info.elements;
    for (uint32_t b = 1; b < l->session->settings.samples; b++) {
        memcpy(l->values + (size_t)b * n, l->values, (size_t)l->session->position * model->info.position_elements);
        memcpy(l->caches + b * l->cache_bytes, l->caches, l->cache_bytes);
    }
    l->session->forked = 1;
}

/* Draws a level from l->logits, for an element of a sample. */
static uint8_t draw_level(const nx_model *model, const layout *l, uint32_t sample, uint32_t element) {
    const nx_settings *s = &l->session->settings;
    nx_filter filter = {s->temperature, s->top_k, s->top_p};
    nx_noise noise = {s->seed_low, s->seed_high, s->first_sample + sample, element};
    uint32_t levels = model->info.levels;
    return (uint8_t)nx_categorical_sample(l->logits, levels, filter, noise, l->logits + nx_stride(levels));
}

/* Draws the elements (E) of one position of a sample, given its output parameters (P). */
static void draw_elements(const nx_model *model, const layout *l, uint32_t sample, uint32_t position,
                          const float *parameters, uint8_t *values, float *nats) {
    const nx_info *info = &model->info;
    uint32_t first = position * info->position_elements;
    uint8_t *levels = l->values + (size_t)sample * info->elements + first;
    for (uint32_t e = 0; e < info->position_elements; e++) {
        nx_output_logits(l->distribution, parameters, levels, e, l->logits);
        levels[e] = draw_level(model, l, sample, first + e);
        values[e] = to_value(info, levels[e]);
    }
    if (nats) nats_of(l, parameters, levels, nats);
}

/* Draws one position of every sample. */
static nx_status draw(const nx_model *model, const layout *l, uint8_t *values, float *nats) {
    nx_session *session = l->session;
    uint32_t stride = nx_stride(model->info.outputs), at = session->position, samples = session->settings.samples;
    for (uint32_t first = 0; first < samples; first += NX_COLUMNS) {
        uint32_t columns = samples - first < NX_COLUMNS ? samples - first : NX_COLUMNS;
        nx_column column[NX_COLUMNS];
        for (uint32_t j = 0; j < columns; j++) {
            column[j] = column_of(model, l, first + j, at);
            column[j].trace = trace_of(l, first + j);
        }
        model->arch->forward(model->weights, column, columns, l->output + (size_t)first * stride, l->scratch);
    }
    session->computed = at + 1;
    session->has_output = 1;
    for (uint32_t b = 0; b < samples; b++)
        if (!nx_output_finite(l->distribution, l->output + (size_t)b * stride)) return NX_E_NUMERIC;
    uint32_t E = model->info.position_elements;
    for (uint32_t b = 0; b < samples; b++)
        draw_elements(model, l, b, at, l->output + (size_t)b * stride, values + b * E, nats ? nats + b * E : NULL);
    l->ahead[at] = 0;
    session->position = at + 1;
    return NX_OK;
}

static int looks_ahead(const nx_model *model, const nx_settings *settings) {
    return model->draft && settings->look_ahead > 1 && settings->samples == 1 && !settings->trace;
}

/* Writes what the draft guesses for the positions from `at` on where their levels belong, up to `most` of them, until
 * it is not sure. Returns how many. */
static uint32_t guess(const nx_model *model, const layout *l, uint32_t at, uint32_t most) {
    uint32_t levels = model->info.levels;
    const float *scored = l->session->settings.temperature == 0 ? l->logits : l->logits + nx_stride(levels);
    for (uint32_t i = 0; i < most; i++) {
        nx_draft_logits(model->draft, l->values, at + i, l->logits, l->draft);
        l->values[at + i] = draw_level(model, l, 0, at + i);
        if (!(nx_categorical_margin(scored, levels, l->values[at + i]) >= SURE)) return i;
    }
    return most;
}

/* Exact look-ahead [predictive sampling: Wiggers, Hoogeboom 2020, arXiv:2002.09928]: one pass over the next position
 * and as many of those behind it as guesses reach, up to `most`, then the draw of each until a guess turns out wrong.
 * The noise belongs to the position, so a draw given the right values is the draw that would have been made without
 * guessing. values, nats (most) written, as many as session->position grew. */
static nx_status draw_ahead(const nx_model *model, const layout *l, uint32_t most, uint8_t *values, float *nats) {
    nx_session *session = l->session;
    uint32_t stride = nx_stride(model->info.outputs), at = session->position, n;
    n = nx_pattern_block_end(l->pattern, at) - at;
    if (n > most) n = most;
    if (n > session->settings.look_ahead) n = session->settings.look_ahead;
    n = 1 + guess(model, l, at, n - 1);
    nx_column column[NX_COLUMNS];
    uint8_t guessed[NX_COLUMNS];
    memcpy(guessed, l->values + at, n);
    for (uint32_t j = 0; j < n; j++) column[j] = column_of(model, l, 0, at + j);
    model->arch->forward(model->weights, column, n, l->pass, l->scratch);
    session->has_output = 1;
    for (uint32_t j = 0, right = 1; j < n && right; j++) {
        const float *output = l->pass + (size_t)j * stride;
        session->computed = at + j + 1;
        memcpy(l->output, output, stride * sizeof *output);
        if (!nx_output_finite(l->distribution, output)) return NX_E_NUMERIC;
        draw_elements(model, l, 0, at + j, output, values + j, nats ? nats + j : NULL);
        l->ahead[at + j] = (uint8_t)j;
        session->position = at + j + 1;
        right = l->values[at + j] == guessed[j];
    }
    return NX_OK;
}

nx_status nx_session_step(const nx_model *model, nx_session *session, uint32_t steps, uint8_t *values, float *nats) {
    if (steps > model->info.positions - session->position || waits_for_condition(model, session)) return NX_E_ARGUMENT;
    layout l;
    lay_out(model, &session->settings, session, &l);
    if (!session->forked && steps) fork_samples(model, &l);
    uint32_t elements = session->settings.samples * model->info.position_elements;
    uint32_t first = session->position, end = first + steps;
    while (session->position < end) {
        size_t done = (size_t)(session->position - first) * elements;
        float *costs = nats ? nats + done : NULL;
        nx_status status = looks_ahead(model, &session->settings)
                               ? draw_ahead(model, &l, end - session->position, values + done, costs)
                               : draw(model, &l, values + done, costs);
        if (status) return status;
    }
    return NX_OK;
}

nx_status nx_session_ahead(const nx_model *model, const nx_session *session, uint32_t from, uint32_t count,
                           uint8_t *ahead) {
    if (from > session->position || count > session->position - from) return NX_E_ARGUMENT;
    layout l;
    lay_out(model, &session->settings, (void *)session, &l);
    memcpy(ahead, l.ahead + from, count);
    return NX_OK;
}

/* The sample whose state stands for the given one: all share the first until they are forked. */
static uint32_t holder(const nx_session *session, uint32_t sample) { return session->forked ? sample : 0; }

nx_status nx_session_output(const nx_model *model, const nx_session *session, uint32_t sample, float *output) {
    if (sample >= session->settings.samples || !session->computed || !session->has_output) return NX_E_ARGUMENT;
    layout l;
    lay_out(model, &session->settings, (void *)session, &l);
    uint32_t n = model->info.outputs;
    memcpy(output, l.output + (size_t)holder(session, sample) * nx_stride(n), n * sizeof *output);
    return NX_OK;
}

nx_status nx_session_attention(const nx_model *model, const nx_session *session, uint32_t sample, float *weights,
                               uint32_t *keys, uint32_t *count) {
    if (sample >= session->settings.samples || !session->computed || !session->settings.trace) return NX_E_ARGUMENT;
    layout l;
    lay_out(model, &session->settings, (void *)session, &l);
    uint32_t n = 0, n_runs = nx_pattern_runs(l.pattern, session->computed - 1, l.runs);
    for (uint32_t r = 0; r < n_runs; r++)
        for (uint32_t j = l.runs[r].from; j < l.runs[r].to; j++) keys[n++] = j;
    const float *trace = l.trace + holder(session, sample) * l.trace_floats;
    for (uint32_t i = 0; i < model->info.blocks * model->info.heads; i++)
        memcpy(weights + (size_t)i * n, trace + (size_t)i * model->info.window, n * sizeof *weights);
    *count = n;
    return NX_OK;
}

/* SPDX-License-Identifier: MIT  Enters known positions and draws new positions, for any architecture. See the public header. */
#include <string.h>

#include "sampling/penalties.h"
#include "session.h"

int nx_ends(const nx_plan *plan, uint32_t id) {
    for (uint32_t i = 0; i < plan->n_ends; i++)
        if (plan->ends[i] == id) return 1;
    return 0;
}

/* Clears the record of an interrupted pass. In a damaged session, the interrupted pass may belong to samples that need no pass; nx_pass
 * would then never end it. */
static void end_pass(nx_session *s) { s->columns = s->group = s->slice = 0; }

nx_status nx_pass(const nx_layout *l, const nx_column *columns, uint32_t n, uint32_t group, float *parameters) {
    nx_session *s = l->session;
    uint32_t slice = s->columns ? s->slice : 0;
    if (l->part->forward(l->plan->weights, columns, n, slice, parameters, l->scratch)) {
        s->columns = n;
        s->group = group;
        s->slice = slice + 1;
        return NX_MORE;
    }
    end_pass(s);
    return NX_OK;
}

nx_status nx_broke(nx_session *session) {
    session->broken = 1;
    return NX_E_NUMERIC;
}

/* Computes -log p of the ids (E) of a position from its output parameters. */
static void nats_of(const nx_layout *l, const float *parameters, const uint32_t *ids, float *nats) {
    for (uint32_t e = 0; e < l->span; e++) nats[e] = nx_output_nats(&l->plan->output, parameters, ids, e, l->logits);
}

/* ---- known ids ------------------------------------------------------------------------------------------------------- */

/* Returns whether known ids of shape (count, samples, E) are valid as the next ids. */
static int may_follow(const nx_layout *l, const uint32_t *ids, uint32_t count, uint32_t samples) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t b = 0; b < samples; b++)
            for (uint32_t e = 0; e < l->span; e++) {
                uint32_t id = ids[((size_t)i * samples + b) * l->span + e];
                if (id >= l->plan->output.values && !(id == NX_NONE && samples > 1 && l->ended[b])) return 0;
                if (samples > 1 && l->ended[b] && id != NX_NONE) return 0;
            }
    return 1;
}

/* Computes n positions of one sample, beginning at position `at`, whose ids are known. nats: null, or receives -log p of the ids as n
 * arrays of E floats; successive arrays are `apart` floats apart. */
static nx_status enter(const nx_layout *l, uint32_t sample, uint32_t at, uint32_t n, float *nats, size_t apart) {
    nx_session *s = l->session;
    uint32_t slot = nx_slot(l, sample);
    const uint32_t *ids = nx_ids(l, slot) + (size_t)at * l->span;
    const float *parameters = l->pass;
    if (s->computed > at) {
        parameters = nx_output_of(l, slot); /* after nx_session_top, the output of one position is already known */
    } else {
        nx_column column[NX_COLUMNS];
        for (uint32_t j = 0; j < n; j++) column[j] = nx_column_of(l, sample, at + j);
        nx_keep_column(l, slot, &column[n - 1]);
        nx_status status = nx_pass(l, column, n, sample, nats ? l->pass : NULL);
        if (status) return status;
    }
    for (uint32_t j = 0; nats && j < n; j++) {
        if (!nx_output_finite(&l->plan->output, parameters + (size_t)j * l->stride)) return nx_broke(s);
        nats_of(l, parameters + (size_t)j * l->stride, ids + (size_t)j * l->span, nats + j * apart);
    }
    if (nats && parameters == l->pass)
        memcpy(nx_output_of(l, slot), parameters + (size_t)(n - 1) * l->stride, l->stride * sizeof *parameters);
    return NX_OK;
}

nx_status nx_session_put(const nx_model *model, nx_session *session, const uint32_t *ids, uint32_t count, int each, float *nats) {
    nx_layout l = nx_layout_of(model, session);
    nx_status status = nx_session_ready(&l);
    if (status) return status;
    uint32_t B = l.samples, given = each ? B : 1;
    if (count > l.length - session->position || count < session->columns || !may_follow(&l, ids, count, given)) return NX_E_ARGUMENT;
    if (count && (each || nx_noisy(&l))) nx_fork(&l);
    uint32_t holders = session->forked ? B : 1;
    size_t apart = (size_t)B * l.span;
    while (count) {
        uint32_t at = session->position, ready = session->computed > at;
        uint32_t n = l.part->pass_end ? l.part->pass_end(l.plan->weights, at) - at : NX_COLUMNS;
        if (n > count) n = count;
        if (n > NX_COLUMNS) n = NX_COLUMNS;
        if (ready) n = 1;
        if (session->columns) n = session->columns;
        for (uint32_t b = session->group; b < holders; b++) {
            if (l.ended[b]) {
                for (uint32_t i = 0; i < n * l.span; i++) nx_ids(&l, nx_slot(&l, b))[(size_t)at * l.span + i] = NX_NONE;
                for (uint32_t j = 0; nats && j < n; j++) memset(nats + j * apart + b * l.span, 0, l.span * sizeof *nats);
                continue;
            }
            for (uint32_t j = 0; j < n; j++)
                memcpy(nx_ids(&l, nx_slot(&l, b)) + (size_t)(at + j) * l.span, ids + ((size_t)j * given + (each ? b : 0)) * l.span,
                       l.span * sizeof *ids);
            status = enter(&l, b, at, n, nats ? nats + b * l.span : NULL, apart);
            if (status) return status;
        }
        end_pass(session);
        for (uint32_t j = 0; nats && j < n; j++)
            for (uint32_t b = holders; b < B; b++) memcpy(nats + j * apart + b * l.span, nats + j * apart, l.span * sizeof *nats);
        session->has_output = nats != NULL || ready;
        session->position = session->computed = at + n;
        memset(l.ahead + at, 0, n);
        if (nats) nats += n * apart;
        ids += (size_t)n * given * l.span;
        count -= n;
    }
    return NX_OK;
}

/* ---- distributions ----------------------------------------------------------------------------------------------------- */

nx_status nx_session_probabilities(const nx_model *model, nx_session *session, uint32_t sample, uint32_t element, float *probabilities) {
    nx_layout l = nx_layout_of(model, session);
    uint32_t at = session->computed - 1, values = l.plan->output.values, end = sample < l.samples ? l.ended[sample] : 0;
    if (sample >= l.samples || element >= l.span || !session->computed || !session->has_output || (end && end <= at) ||
        (element && session->position <= at))
        return NX_E_ARGUMENT;
    uint32_t slot = nx_slot(&l, sample);
    nx_output_logits(&l.plan->output, nx_output_of(&l, slot), nx_ids(&l, slot) + (size_t)at * l.span, element, l.logits);
    nx_softmax(l.logits, nx_stride(values));
    memcpy(probabilities, l.logits, values * sizeof *probabilities);
    return NX_OK;
}

/* ---- drawn ids ------------------------------------------------------------------------------------------------------- */

nx_status nx_compute(const nx_layout *l) {
    nx_session *s = l->session;
    uint32_t at = s->position, living[NX_MAX_SAMPLES], n_living = 0;
    if (s->computed > at) return NX_OK;
    if (nx_noisy(l)) nx_fork(l);
    for (uint32_t b = 0; b < (s->forked ? l->samples : 1); b++)
        if (!l->ended[b]) living[n_living++] = b;
    for (uint32_t first = s->group; first < n_living; first += NX_COLUMNS) {
        uint32_t n = n_living - first < NX_COLUMNS ? n_living - first : NX_COLUMNS;
        nx_column column[NX_COLUMNS];
        for (uint32_t j = 0; j < n; j++) {
            column[j] = nx_column_of(l, living[first + j], at);
            nx_keep_column(l, nx_slot(l, living[first + j]), &column[j]);
        }
        nx_status status = nx_pass(l, column, n, first, l->pass);
        if (status) {
            s->columns = 1; /* this function computes one position; nx_session_put and speculative decoding compute several */
            return status;
        }
        for (uint32_t j = 0; j < n; j++)
            memcpy(nx_output_of(l, nx_slot(l, living[first + j])), l->pass + (size_t)j * l->stride, l->stride * sizeof *l->pass);
    }
    end_pass(s);
    s->computed = at + 1;
    s->has_output = 1;
    for (uint32_t i = 0; i < n_living; i++)
        if (!nx_output_finite(&l->plan->output, nx_output_of(l, nx_slot(l, living[i])))) return nx_broke(s);
    return NX_OK;
}

/* Adds biases and penalties to the logits of an element. before: number of earlier elements in the sample's sequence. */
static void shape(const nx_layout *l, uint32_t sample, uint32_t before) {
    const nx_settings *s = &l->session->settings;
    nx_penalties penalties = {s->repetition, s->frequency, s->presence, s->penalty_last};
    uint32_t values = l->plan->output.values;
    if (!NX_TEXTS) return;
    nx_add_biases(l->logits, l->biased, l->bias, s->biases);
    if (nx_penalizes(&penalties))
        nx_penalize(l->logits, values, nx_ids(l, nx_slot(l, sample)), before, &penalties, (uint32_t *)(l->logits + nx_stride(values)));
}

uint32_t nx_draw_id(const nx_layout *l, uint32_t sample, uint32_t position, uint32_t element) {
    const nx_settings *s = &l->session->settings;
    shape(l, sample, position * l->span + element);
    nx_noise noise = {s->seed_low, s->seed_high, s->first_sample + sample, (s->origin + position) * l->span + element, l->session->part};
    uint32_t values = l->plan->output.values;
    return nx_categorical_sample(l->logits, values, s, noise, l->logits + nx_stride(values));
}

void nx_draw_elements(const nx_layout *l, uint32_t sample, uint32_t position, const float *parameters, uint32_t *ids, float *nats) {
    uint32_t *own = nx_ids(l, nx_slot(l, sample)) + (size_t)position * l->span;
    for (uint32_t e = 0; e < l->span; e++) {
        nx_output_logits(&l->plan->output, parameters, own, e, l->logits);
        ids[e] = own[e] = nx_draw_id(l, sample, position, e);
    }
    if (nats) nats_of(l, parameters, own, nats);
    if (nx_ends(l->plan, own[0])) l->ended[sample] = position + 1;
}

/* Draws one position of every sample. */
static nx_status draw(const nx_layout *l, uint32_t *ids, float *nats) {
    nx_session *s = l->session;
    uint32_t at = s->position;
    nx_status status = nx_compute(l);
    if (status) return status;
    for (uint32_t b = 0; b < l->samples; b++, ids += l->span, nats = nats ? nats + l->span : NULL) {
        if (!l->ended[b]) {
            nx_draw_elements(l, b, at, nx_output_of(l, nx_slot(l, b)), ids, nats);
            continue;
        }
        uint32_t *own = nx_ids(l, nx_slot(l, b)) + (size_t)at * l->span;
        for (uint32_t e = 0; e < l->span; e++) own[e] = ids[e] = NX_NONE;
        if (nats) memset(nats, 0, l->span * sizeof *nats);
    }
    l->ahead[at] = 0;
    s->position = at + 1;
    return NX_OK;
}

static int all_ended(const nx_layout *l) {
    for (uint32_t b = 0; b < l->samples; b++)
        if (!l->ended[b]) return 0;
    return 1;
}

nx_status nx_session_draw(const nx_model *model, nx_session *session, uint32_t steps, uint32_t *ids, float *nats, uint32_t *drawn) {
    nx_layout l = nx_layout_of(model, session);
    uint32_t first = session->position, per_step = l.samples * l.span;
    nx_status status = nx_session_ready(&l);
    if (drawn) *drawn = 0;
    if (status) return status;
    if (steps > l.length - first) return NX_E_ARGUMENT;
    if (steps) nx_fork(&l);
    while (!status && session->position < first + steps && !all_ended(&l)) {
        size_t done = (size_t)(session->position - first) * per_step;
        float *costs = nats ? nats + done : NULL;
        status = nx_looks_ahead(&l) ? nx_draw_ahead(&l, first + steps - session->position, ids + done, costs) : draw(&l, ids + done, costs);
    }
    if (drawn) *drawn = session->position - first;
    return status;
}

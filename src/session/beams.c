/* SPDX-License-Identifier: MIT
 *
 * Search. nx_session_top lists the most probable next ids. nx_session_advance replaces each sample with a continuation of any sample.
 * nx_session_search combines the two in beam search [Lowerre 1976; with a length penalty: Wu et al. 2016, arXiv:1609.08144, section 7].
 */
#include <string.h>

#include "kernels/elementary.h"
#include "session.h"

/* Writes the k most probable ids for the next position of the hypothesis in `slot`, and the nats of these ids. The output for this position
 * must have been computed. */
static void top_of(const nx_layout *l, uint32_t slot, uint32_t k, uint32_t *ids, float *costs) {
    uint32_t values = l->plan->output.values;
    nx_output_logits(&l->plan->output, nx_output_of(l, slot), NULL, 0, l->logits);
    nx_categorical_top(l->logits, values, k, ids, l->logits + nx_stride(values));
    float whole = nx_log_sum_exp(l->logits, nx_stride(values));
    for (uint32_t i = 0; i < k; i++) costs[i] = -(l->logits[ids[i]] - whole);
}

nx_status nx_session_top(const nx_model *model, nx_session *session, uint32_t k, uint32_t *ids, float *nats) {
    nx_layout l = nx_layout_of(model, session);
    uint32_t values = l.plan->output.values;
    nx_status status = nx_session_ready(&l);
    if (status) return status;
    if (!k || k > values || l.span != 1 || session->position >= l.length) return NX_E_ARGUMENT;
    status = nx_compute(&l);
    if (status) return status;
    uint32_t holders = session->forked ? l.samples : 1;
    for (uint32_t b = 0; b < holders; b++) {
        uint32_t *own = ids + (size_t)b * k;
        float *costs = nats + (size_t)b * k;
        for (uint32_t i = 0; l.ended[b] && i < k; i++) own[i] = NX_NONE, costs[i] = 0;
        if (!l.ended[b]) top_of(&l, nx_slot(&l, b), k, own, costs);
    }
    for (uint32_t b = holders; b < l.samples; b++) {
        memcpy(ids + (size_t)b * k, ids, k * sizeof *ids);
        memcpy(nats + (size_t)b * k, nats, k * sizeof *nats);
    }
    return NX_OK;
}

nx_status nx_session_advance(const nx_model *model, nx_session *session, const uint32_t *parents, const uint32_t *ids) {
    nx_layout l = nx_layout_of(model, session);
    uint32_t at = session->position;
    nx_status status = nx_session_ready(&l);
    if (status) return status;
    if (l.span != 1 || at >= l.length) return NX_E_ARGUMENT;
    for (uint32_t b = 0; b < l.samples; b++) {
        if (parents[b] >= l.samples) return NX_E_ARGUMENT;
        if (l.ended[parents[b]] ? ids[b] != NX_NONE : ids[b] >= l.plan->output.values) return NX_E_ARGUMENT;
    }
    status = nx_compute(&l);
    if (status) return status;
    nx_fork(&l);
    nx_adopt(&l, parents);
    for (uint32_t b = 0; b < l.samples; b++) {
        if (!l.ended[b] && nx_ends(l.plan, ids[b])) l.ended[b] = at + 1;
        nx_ids(&l, l.slots[b])[at] = ids[b];
    }
    l.ahead[at] = 0;
    session->position = at + 1;
    return NX_OK;
}

/* Returns 1 / length penalty: ((5 + n) / 6)^-alpha. */
static float per_length(uint32_t n, float alpha) { return (float)nx_f64_exp((double)-alpha * nx_f64_log((5.0 + n) / 6)); }

/* Inserts a candidate into a sorted list of n candidates, after the candidates with equal nats. If the list already has `room` candidates,
 * its last candidate is dropped. Returns the number of candidates. */
static uint32_t insert(nx_candidate *candidates, uint32_t n, uint32_t room, nx_candidate one) {
    uint32_t at = n < room ? n++ : n - 1;
    for (; at && one.nats < candidates[at - 1].nats; at--) candidates[at] = candidates[at - 1];
    candidates[at] = one;
    return n;
}

/* Lists the best continuations of the live hypotheses, at most `room` of them, in ascending order of nats. Returns the number of
 * continuations. */
static uint32_t expand(const nx_layout *l, nx_candidate *candidates, uint32_t room) {
    uint32_t values = l->plan->output.values, k = room < values ? room : values, n = 0;
    uint32_t *ids = (uint32_t *)(l->logits + 2 * nx_stride(values));
    float *costs = l->logits + 3 * nx_stride(values);
    for (uint32_t b = 0; b < l->session->living; b++) {
        top_of(l, nx_slot(l, b), k, ids, costs);
        for (uint32_t i = 0; i < k; i++) {
            float nats = l->nats[b] + (costs[i] > 0 ? costs[i] : 0); /* rounding may have made the cost negative */
            if (n == room && !(nats < candidates[n - 1].nats)) break;
            n = insert(candidates, n, room, (nx_candidate){b, ids[i], NX_CUT, nats, 0});
        }
    }
    return n;
}

/* Decides whether each candidate ends, stays live or is dropped, and counts the candidates that end. Writes the parents, ids and nats of
 * the candidates that stay live. Returns the number of live candidates, which is at most `samples`. */
static uint32_t choose(const nx_layout *l, nx_candidate *candidates, uint32_t n, float factor, uint32_t *parents, uint32_t *ids,
                       float *nats) {
    nx_session *s = l->session;
    uint32_t living = 0;
    for (uint32_t i = 0; i < n; i++) {
        nx_candidate *c = candidates + i;
        int ends = nx_ends(l->plan, c->id);
        c->score = c->nats * factor;
        if (ends && i < l->samples) {
            c->fate = NX_ENDED;
            if (!s->found++ || c->score < s->best) s->best = c->score;
        } else if (!ends && living < l->samples) {
            c->fate = living;
            parents[living] = c->parent;
            ids[living] = c->id;
            nats[living++] = c->nats;
        }
    }
    return living;
}

nx_status nx_session_search(const nx_model *model, nx_session *session, float alpha, nx_candidate *candidates, uint32_t *count,
                            uint32_t *over) {
    nx_layout l = nx_layout_of(model, session);
    uint32_t B = l.samples, at = session->position, parents[NX_MAX_SAMPLES], ids[NX_MAX_SAMPLES];
    float nats[NX_MAX_SAMPLES];
    nx_status status = nx_session_ready(&l);
    if (status) return status;
    if (!(alpha >= 0 && alpha <= 2) || l.span != 1 || at >= l.length || (session->begun ? !session->living : session->forked) ||
        nx_noisy(&l))
        return NX_E_ARGUMENT;
    for (uint32_t b = 0; b < B; b++)
        if (l.ended[b]) return NX_E_ARGUMENT; /* a search cannot continue a sample that has ended */
    status = nx_compute(&l);
    if (status) return status;
    if (!session->begun) {
        session->begun = at + 1;
        session->living = 1;
    }
    uint32_t before = session->begun - 1;
    *count = expand(&l, candidates, B * (1 + l.plan->n_ends));
    uint32_t living = choose(&l, candidates, *count, per_length(at + 1 - before, alpha), parents, ids, nats);
    if (living) {
        for (uint32_t b = living; b < B; b++) parents[b] = parents[0], ids[b] = ids[0], nats[b] = nats[0]; /* unused beams copy beam 0 */
        nx_session_advance(model, session, parents, ids); /* the output is already computed */
        memcpy(l.nats, nats, B * sizeof *nats);
    }
    int beaten = session->found && living && session->best <= nats[0] * per_length(l.length - before, alpha);
    *over = !living || session->found >= B || beaten || session->position == l.length;
    session->living = *over ? 0 : living;
    return NX_OK;
}

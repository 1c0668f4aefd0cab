/* SPDX-License-Identifier: MIT  Search: the most probable next ids, and samples that become continuations of others. */
#include <string.h>

#include "session.h"

nx_status nx_session_top(const nx_model *model, nx_session *session, uint32_t k, uint32_t *ids, float *nats) {
    nx_layout l = nx_layout_of(model, session);
    uint32_t values = l.plan->output.levels, holders = session->forked ? l.samples : 1;
    nx_status status = nx_session_ready(&l);
    if (status) return status;
    if (!k || k > values || l.span != 1 || session->position >= l.length) return NX_E_ARGUMENT;
    status = nx_compute(&l);
    if (status) return status;
    for (uint32_t b = 0; b < holders; b++) {
        uint32_t *own = ids + (size_t)b * k;
        float *costs = nats + (size_t)b * k;
        for (uint32_t i = 0; l.ended[b] && i < k; i++) own[i] = NX_NONE, costs[i] = 0;
        if (l.ended[b]) continue;
        nx_output_logits(&l.plan->output, nx_output_of(&l, nx_slot(&l, b)), NULL, 0, l.logits);
        nx_categorical_top(l.logits, values, k, own, l.logits + nx_stride(values));
        for (uint32_t i = 0; i < k; i++) costs[i] = -nx_categorical_log_prob(l.logits, values, own[i]);
    }
    for (uint32_t b = holders; b < l.samples; b++) {
        memcpy(ids + (size_t)b * k, ids, k * sizeof *ids);
        memcpy(nats + (size_t)b * k, nats, k * sizeof *nats);
    }
    return NX_OK;
}

nx_status nx_session_advance(const nx_model *model, nx_session *session, const uint32_t *parents, const uint32_t *ids) {
    nx_layout l = nx_layout_of(model, session);
    uint32_t at = session->position, slots[NX_MAX_SAMPLES], ended[NX_MAX_SAMPLES];
    nx_status status = nx_session_ready(&l);
    if (status) return status;
    if (l.span != 1 || at >= l.length) return NX_E_ARGUMENT;
    for (uint32_t b = 0; b < l.samples; b++) {
        if (parents[b] >= l.samples) return NX_E_ARGUMENT;
        if (l.ended[parents[b]] ? ids[b] != NX_NONE : ids[b] >= l.plan->output.levels) return NX_E_ARGUMENT;
    }
    status = nx_compute(&l);
    if (status) return status;
    nx_fork(&l);
    /* The first child of a parent takes over its slot, the others the slots of those without children. */
    uint64_t kept = 0;
    for (uint32_t b = 0; b < l.samples; b++) kept |= (uint64_t)1 << l.slots[parents[b]];
    uint64_t taken = 0, open = ~kept;
    for (uint32_t b = 0; b < l.samples; b++) {
        uint32_t own = l.slots[parents[b]];
        ended[b] = l.ended[parents[b]];
        if (taken >> own & 1) {
            slots[b] = (uint32_t)__builtin_ctzll(open);
            open &= open - 1;
            nx_copy_slot(&l, slots[b], own);
        } else {
            slots[b] = own;
            taken |= (uint64_t)1 << own;
        }
    }
    for (uint32_t b = 0; b < l.samples; b++) {
        l.slots[b] = slots[b];
        l.ended[b] = ended[b] ? ended[b] : nx_ends(l.plan, ids[b]) ? at + 1 : 0;
        nx_ids(&l, slots[b])[at] = ids[b];
    }
    l.ahead[at] = 0;
    session->position = at + 1;
    return NX_OK;
}

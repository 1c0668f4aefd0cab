/* SPDX-License-Identifier: MIT
 *
 * Replaces some samples with copies of others. Beam search uses this operation, as do runs that drop their less likely samples.
 */
#include "session.h"

void nx_adopt(const nx_layout *l, const uint32_t *parents) {
    uint32_t slots[NX_MAX_SAMPLES], ended[NX_MAX_SAMPLES];
    /* The first child of a parent takes over the parent's slot. The other children take the slots of samples without children. */
    uint64_t kept = 0;
    for (uint32_t b = 0; b < l->samples; b++) kept |= (uint64_t)1 << l->slots[parents[b]];
    uint64_t taken = 0, open = ~kept;
    for (uint32_t b = 0; b < l->samples; b++) {
        uint32_t own = l->slots[parents[b]];
        ended[b] = l->ended[parents[b]];
        if (taken >> own & 1) {
            slots[b] = (uint32_t)__builtin_ctzll(open);
            open &= open - 1;
            nx_copy_slot(l, slots[b], own);
        } else {
            slots[b] = own;
            taken |= (uint64_t)1 << own;
        }
    }
    for (uint32_t b = 0; b < l->samples; b++) l->slots[b] = slots[b], l->ended[b] = ended[b];
}

nx_status nx_session_resample(const nx_model *model, nx_session *session, const uint32_t *parents) {
    nx_layout l = nx_layout_of(model, session);
    nx_status status = nx_session_ready(&l);
    if (status) return status;
    if (session->columns || session->begun || (nx_noisy(&l) && session->computed > session->position)) return NX_E_ARGUMENT;
    for (uint32_t b = 0; b < l.samples; b++)
        if (parents[b] >= l.samples) return NX_E_ARGUMENT;
    if (session->forked) nx_adopt(&l, parents);
    return NX_OK;
}

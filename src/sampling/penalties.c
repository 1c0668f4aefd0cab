/* SPDX-License-Identifier: MIT  See penalties.h. */
#include "penalties.h"

#include <string.h>

/* Changed logits are limited to this magnitude, so that their differences are also finite. */
#define FARTHEST 1e30f

static float limited(float x) { return x < -FARTHEST ? -FARTHEST : x > FARTHEST ? FARTHEST : x; }

int nx_penalizes(const nx_penalties *p) {
    return p->last && ((p->repetition > 0 && p->repetition != 1) || p->frequency != 0 || p->presence != 0);
}

void nx_add_biases(float *logits, const uint32_t *value, const float *bias, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (bias[i] != 0) logits[value[i]] = limited(logits[value[i]] + bias[i]);
}

void nx_penalize(float *logits, uint32_t values, const uint32_t *ids, uint32_t count, const nx_penalties *p, uint32_t *counts) {
    uint32_t first = count > p->last ? count - p->last : 0;
    float repetition = p->repetition > 0 ? p->repetition : 1;
    memset(counts, 0, values * sizeof *counts);
    for (uint32_t i = first; i < count; i++)
        if (ids[i] < values) counts[ids[i]]++;
    for (uint32_t i = first; i < count; i++) {
        uint32_t id = ids[i];
        if (id >= values || !counts[id]) continue;
        float logit = logits[id];
        logit = logit > 0 ? logit / repetition : logit * repetition;
        logits[id] = limited(logit - ((float)counts[id] * p->frequency + p->presence));
        counts[id] = 0;
    }
}

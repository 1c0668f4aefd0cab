/* SPDX-License-Identifier: MIT  Functions that only C programs call; no WebAssembly build contains them. See the public header. */
#include <string.h>

#include "model.h"
#include "nextpixel.h"

const char *nx_version(void) { return NX_VERSION; }

const char *nx_status_name(nx_status status) {
    static const char *const names[] = {"NX_E_STATE",  "NX_E_NUMERIC",  "NX_E_MEMORY", "NX_E_LIMIT", "NX_E_UNSUPPORTED",
                                        "NX_E_FORMAT", "NX_E_ARGUMENT", "NX_OK",       "NX_MORE"};
    return status >= NX_E_STATE && status <= NX_MORE ? names[status - NX_E_STATE] : "unknown";
}

void nx_settings_init(nx_settings *settings) {
    memset(settings, 0, sizeof *settings);
    settings->samples = 1;
    settings->temperature = 1;
    settings->top_p = 1;
}

/* ---- why settings are rejected ---------------------------------------------------------------------------------------- */

static int fails(nx_problem *problem, int holds, const char *name, const char *reason) {
    if (holds) return 0;
    strcpy(problem->name, name);
    strcpy(problem->reason, reason);
    return 1;
}

static int within(float x, float low, float high) { return x >= low && x <= high; }

static int settings_fail(const nx_settings *s, nx_problem *p) {
    return fails(p, s->samples >= 1 && s->samples <= NX_MAX_SAMPLES, "samples", "must be from 1 to 64") ||
           fails(p, s->first_sample <= UINT32_MAX - NX_MAX_SAMPLES, "first_sample", "must be at most 4294967231") ||
           fails(p, within(s->temperature, 0, 100), "temperature", "must be from 0 to 100") ||
           fails(p, s->top_p > 0 && s->top_p <= 1, "top_p", "must be above 0 and at most 1; 1 keeps all values") ||
           fails(p, s->maps <= 1, "maps", "must be 0 or 1") || fails(p, s->hidden <= 1, "hidden", "must be 0 or 1") ||
           fails(p, s->look_ahead <= 16, "look_ahead", "must be at most 16") ||
           fails(p, within(s->typical_p, 0, 1), "typical_p", "must be from 0 to 1") ||
           fails(p, within(s->min_p, 0, 1), "min_p", "must be from 0 to 1") ||
           fails(p, s->temperature_last <= 1, "temperature_last", "must be 0 or 1") ||
           fails(p, s->repetition == 0 || within(s->repetition, 0.01f, 100), "repetition", "must be 0 or from 0.01 to 100") ||
           fails(p, within(s->frequency, -100, 100), "frequency", "must be from -100 to 100") ||
           fails(p, within(s->presence, -100, 100), "presence", "must be from -100 to 100") ||
           fails(p, s->look_up <= 1, "look_up", "must be 0 or 1") ||
           fails(p, s->biases <= NX_MAX_BIASES, "biases", "must be at most 528384");
}

nx_status nx_session_problem(const nx_model *model, uint32_t part, const nx_settings *settings, const nx_shape *shape,
                             nx_problem *problem) {
    size_t bytes;
    nx_status status = nx_session_size(model, part, settings, shape, &bytes);
    if (status == NX_E_LIMIT) fails(problem, 0, "samples", "too many for a run of this length: the session takes more than 2 GB");
    if (status != NX_E_ARGUMENT) return status;
    if (fails(problem, part < model->arch->n_parts, "part", "the model has no such part")) return status;
    if (fails(problem, model->fed >= model->n_destinations, "", "the model is not complete: feed it all its tensors")) return status;
    if (settings_fail(settings, problem)) return status;
    const nx_plan *plan = &model->plan[part];
    if (fails(problem, !settings->hidden || plan->hidden_layers, "hidden", "must be 0: the part has no hidden states")) return status;
    if (!model->arch->parts[part].forward &&
        (fails(problem, settings->samples == 1, "samples", "must be 1 for a part without a sequence") ||
         fails(problem, !settings->biases, "biases", "must be 0 for a part without a sequence")))
        return status;
    uint32_t length = shape && shape->length ? shape->length : plan->length, most = plan->length ? plan->length : NX_MAX_LENGTH;
    if (fails(problem, length || !model->arch->parts[part].forward, "length", "must be given: the part has no length of its own"))
        return status;
    if (fails(problem, length <= most, "length", "must be at most the length of the part")) return status;
    if (fails(problem, !shape || !shape->key_bits || (model->arch->parts[part].grow && (shape->key_bits == 8 || shape->key_bits == 16)),
              "key_bits", "must be 0, or 8 or 16 for a part that grows"))
        return status;
    if (((uint64_t)settings->origin + length) * plan->output.elements > UINT32_MAX)
        fails(problem, 0, "origin", "plus the length must fit 32 bits");
    else
        fails(problem, 0, "counts", "must fit ports of any length, and be equal for ports that are alike");
    return status;
}

/* SPDX-License-Identifier: MIT  Sessions: sizes, inputs, encoding, saved sessions, and branches. See the public header. */
#include "session.h"

#include <string.h>

#include "draft.h"

/* The first word of every session. The word identifies the sources of the build (build.sh sets it for web/dist), so that a build rejects
 * the sessions of other builds. */
#ifdef NX_BUILD
#define MAGIC NX_BUILD
#else
#define MAGIC 0x3553584eu /* "NXS5" */
#endif

/* ---- layout ----------------------------------------------------------------------------------------------------------- */

/* Returns the number of ids that a port takes in a run. */
static uint64_t port_ids(const nx_port *port, const nx_shape *shape, uint32_t i) {
    return (uint64_t)(port->any_length ? shape->counts[i] : port->dims[0]) * port->dims[1] * port->dims[2] * port->dims[3];
}

/* Returns the number of weights in the encoder's maps if `encoded` is 1, or in the maps that a pass writes for one sample if `encoded` is
 * 0. Only the first n_maps maps count. */
static uint64_t map_floats(const nx_plan *plan, const nx_shape *shape, uint32_t n_maps, int encoded) {
    uint64_t floats = 0;
    for (uint32_t i = 0; i < n_maps; i++)
        if (encoded == (NX_TEXTS && plan->maps[i].queries))
            floats += nx_map_rows(&plan->maps[i], shape) * nx_map_keys(&plan->maps[i], shape);
    return floats;
}

void nx_lay_out(const nx_model *model, uint32_t part, const nx_settings *settings, const nx_shape *shape, void *block, nx_layout *l) {
    const nx_plan *plan = &model->plan[part];
    nx_arena arena = {block, 0, UINT64_MAX};
    memset(l, 0, sizeof *l);
    l->model = model;
    l->plan = plan;
    l->part = &model->arch->parts[part];
    l->samples = settings->samples;
    l->span = plan->output.elements;
    l->length = shape->length;
    l->stride = nx_stride(nx_output_parameters(&plan->output));
    l->map_floats = settings->maps ? map_floats(plan, shape, plan->n_maps, 0) : 0;
    l->encoded_floats = NX_TEXTS && settings->maps ? map_floats(plan, shape, plan->n_maps, 1) : 0;
    l->hidden_floats = NX_TEXTS && settings->hidden ? (uint64_t)plan->hidden_layers * plan->hidden_width : 0;
    l->encoder_output_bytes = l->part->encoder_output_bytes ? l->part->encoder_output_bytes(plan->weights, shape) : 0;
    l->state_bytes = l->part->state_bytes ? l->part->state_bytes(plan->weights, shape) : 0;
    l->state_bytes = (l->state_bytes + NX_ALIGN - 1) & ~(uint64_t)(NX_ALIGN - 1);
    l->inputs.shape = *shape;
    l->session = nx_arena_take(&arena, sizeof *l->session);
    uint64_t S = l->samples;
    l->slots = nx_arena_take(&arena, S * sizeof *l->slots);
    l->ended = nx_arena_take(&arena, S * sizeof *l->ended);
    if (NX_TEXTS) l->nats = nx_arena_take(&arena, S * sizeof *l->nats);
    for (uint32_t i = 0; i < plan->n_inputs; i++) {
        l->port[i] = nx_arena_take(&arena, port_ids(&plan->inputs[i], shape, i) * sizeof *l->port[i]);
        if (block && l->session->given >> i & 1) l->inputs.port[i] = l->port[i];
    }
    l->biased = nx_arena_take(&arena, settings->biases * sizeof *l->biased);
    l->bias = nx_arena_take(&arena, settings->biases * sizeof *l->bias);
    l->output = nx_arena_take(&arena, S * l->stride * sizeof *l->output);
    l->ids = nx_arena_take(&arena, S * l->length * l->span * sizeof *l->ids);
    l->ahead = nx_arena_take(&arena, l->length);
    l->maps = nx_arena_take(&arena, S * l->map_floats * sizeof *l->maps);
    if (l->encoded_floats) l->inputs.maps = nx_arena_take(&arena, l->encoded_floats * sizeof *l->maps);
    if (NX_TEXTS) l->hidden = nx_arena_take(&arena, S * l->hidden_floats * sizeof *l->hidden);
    l->pass = nx_arena_take(&arena, NX_COLUMNS * (uint64_t)l->stride * sizeof *l->pass);
    l->logits = nx_arena_take(&arena, 4 * (uint64_t)nx_stride(plan->output.values) * sizeof *l->logits);
    l->scratch = nx_arena_take(&arena, l->part->scratch_bytes(plan->weights, shape, NX_COLUMNS));
    l->draft = nx_arena_take(&arena, nx_draft_scratch_bytes(plan->draft));
    l->encoder_output = nx_arena_take(&arena, l->encoder_output_bytes);
    l->state = nx_arena_take(&arena, S * l->state_bytes);
    l->bytes = arena.used;
}

nx_layout nx_layout_of(const nx_model *model, const nx_session *session) {
    nx_layout l;
    nx_lay_out(model, session->part, &session->settings, &session->shape, (void *)session, &l);
    return l;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------------ */

static int within(float x, float low, float high) { return x >= low && x <= high; }

/* Returns whether the settings that change logits are valid. A build without language models rejects settings that it does not support. */
static int shaping_valid(const nx_settings *s) {
    if (!NX_TEXTS && (s->temperature_last || s->penalty_last || s->biases)) return 0;
    return nx_filters_valid(s) && s->temperature_last <= 1 && (s->repetition == 0 || within(s->repetition, 0.01f, 100)) &&
           within(s->frequency, -100, 100) && within(s->presence, -100, 100) && s->look_up <= 1 && s->biases <= NX_MAX_BIASES;
}

static int settings_valid(const nx_settings *s) {
    return shaping_valid(s) && s->samples >= 1 && s->samples <= NX_MAX_SAMPLES && s->temperature >= 0 && s->temperature <= 100 &&
           s->maps <= 1 && s->hidden <= NX_TEXTS && s->look_ahead <= NX_COLUMNS && s->first_sample <= UINT32_MAX - NX_MAX_SAMPLES;
}

/* Copies `asked` to `shape`, and replaces every field that is 0 with its default. Returns 0 if a run of this part cannot have that
 * shape. */
static int full_shape(const nx_plan *plan, const nx_part *part, const nx_shape *asked, nx_shape *shape) {
    if (asked)
        *shape = *asked;
    else
        memset(shape, 0, sizeof *shape);
    if (part->forward && !plan->output.elements) return 0; /* the file lacks this part */
    if (!shape->length) shape->length = plan->length;
    if (!part->forward != !shape->length || shape->length > (plan->length ? plan->length : NX_MAX_LENGTH)) return 0;
    if (shape->key_bits && (!part->grow || (shape->key_bits != 8 && shape->key_bits != 16))) return 0;
    for (uint32_t i = 0; i < NX_PORTS; i++) {
        if (i >= plan->n_inputs || !plan->inputs[i].any_length) {
            if (shape->counts[i]) return 0;
        } else {
            uint32_t like = plan->inputs[i].like;
            if (!shape->counts[i]) shape->counts[i] = like < i ? shape->counts[like] : plan->inputs[i].dims[0];
            if (shape->counts[i] > plan->inputs[i].dims[0] || (like < i && shape->counts[i] != shape->counts[like])) return 0;
        }
    }
    return 1;
}

nx_status nx_session_size(const nx_model *model, uint32_t part, const nx_settings *settings, const nx_shape *asked, size_t *bytes) {
    nx_layout l;
    nx_shape shape;
    if (model->fed < model->n_destinations || part >= model->arch->n_parts || !settings_valid(settings) ||
        !full_shape(&model->plan[part], &model->arch->parts[part], asked, &shape))
        return NX_E_ARGUMENT;
    if (!model->arch->parts[part].forward && (settings->samples != 1 || settings->biases)) return NX_E_ARGUMENT;
    if (settings->hidden && !model->plan[part].hidden_layers) return NX_E_ARGUMENT;
    if (((uint64_t)settings->origin + shape.length) * model->plan[part].output.elements > UINT32_MAX) return NX_E_ARGUMENT;
    nx_lay_out(model, part, settings, &shape, NULL, &l);
    if (l.bytes > NX_MAX_SESSION_BYTES) return NX_E_LIMIT;
    *bytes = (size_t)l.bytes;
    return NX_OK;
}

nx_status nx_session_open(void *block, size_t block_bytes, const nx_model *model, uint32_t part, const nx_settings *settings,
                          const nx_shape *asked, nx_session **session) {
    size_t bytes;
    nx_shape shape;
    nx_status status = nx_session_size(model, part, settings, asked, &bytes);
    if (status) return status;
    if (block_bytes < bytes) return NX_E_MEMORY;
    memset(block, 0, bytes);
    full_shape(&model->plan[part], &model->arch->parts[part], asked, &shape);
    nx_session *s = *session = block;
    s->magic = MAGIC;
    s->fingerprint = model->fingerprint;
    s->part = part;
    s->shape = shape;
    s->settings = *settings;
    return NX_OK;
}

/* ---- growth ----------------------------------------------------------------------------------------------------------- */

nx_status nx_session_grown_size(const nx_model *model, const nx_session *from, uint32_t length, size_t *bytes) {
    nx_shape shape = from->shape;
    shape.length = length;
    if (!NX_TEXTS || !model->arch->parts[from->part].grow || length <= from->shape.length || from->columns || from->begun)
        return NX_E_ARGUMENT;
    return nx_session_size(model, from->part, &from->settings, &shape, bytes);
}

/* Copies all maps of a slot except the encoder's maps. The rows are copied one by one, because a row with one key per position is longer in
 * `to` than in `from`. */
static void grow_maps(const nx_layout *to, const nx_layout *from, uint32_t slot) {
    float *wide = nx_maps_of(to, slot), *narrow = nx_maps_of(from, slot);
    for (uint32_t i = 0; from->map_floats && i < from->plan->n_maps; i++) {
        const nx_map *map = &from->plan->maps[i];
        uint32_t to_keys = nx_map_keys(map, &to->inputs.shape), from_keys = nx_map_keys(map, &from->inputs.shape);
        for (uint32_t row = 0; !map->queries && row < map->rows; row++, wide += to_keys, narrow += from_keys)
            memcpy(wide, narrow, from_keys * sizeof *wide);
    }
}

nx_status nx_session_grow(void *block, size_t block_bytes, const nx_model *model, const nx_session *from, uint32_t length,
                          nx_session **session) {
    size_t bytes;
    nx_status status = nx_session_grown_size(model, from, length, &bytes);
    if (status) return status;
    if (block_bytes < bytes) return NX_E_MEMORY;
    memset(block, 0, bytes);
    nx_session *s = *session = block;
    *s = *from;
    s->shape.length = length;
    nx_layout t = nx_layout_of(model, s), f = nx_layout_of(model, from);
    memcpy(t.slots, f.slots, f.samples * sizeof *f.slots);
    memcpy(t.ended, f.ended, f.samples * sizeof *f.ended);
    for (uint32_t i = 0; i < f.plan->n_inputs; i++)
        memcpy(t.port[i], f.port[i], port_ids(&f.plan->inputs[i], &from->shape, i) * sizeof **f.port);
    memcpy(t.biased, f.biased, f.session->settings.biases * sizeof *f.biased);
    memcpy(t.bias, f.bias, f.session->settings.biases * sizeof *f.bias);
    memcpy(t.ahead, f.ahead, f.length);
    memcpy(t.encoder_output, f.encoder_output, (size_t)f.encoder_output_bytes);
    if (f.encoded_floats) memcpy(t.inputs.maps, f.inputs.maps, (size_t)f.encoded_floats * sizeof *f.inputs.maps);
    for (uint32_t slot = 0; slot < (from->forked ? f.samples : 1); slot++) {
        memcpy(nx_ids(&t, slot), nx_ids(&f, slot), (size_t)f.length * f.span * sizeof *f.ids);
        memcpy(nx_output_of(&t, slot), nx_output_of(&f, slot), f.stride * sizeof *f.output);
        f.part->grow(f.plan->weights, &f.inputs.shape, f.state + slot * f.state_bytes, &t.inputs.shape, t.state + slot * t.state_bytes);
        grow_maps(&t, &f, slot);
        memcpy(t.hidden + slot * t.hidden_floats, f.hidden + slot * f.hidden_floats, (size_t)f.hidden_floats * sizeof *f.hidden);
    }
    return NX_OK;
}

/* ---- inputs ----------------------------------------------------------------------------------------------------------- */

/* Returns whether all inputs that are not optional have been given or will be filled. */
static int has_inputs(const nx_plan *plan, const nx_session *session) {
    for (uint32_t i = 0; i < plan->n_inputs; i++)
        if (!plan->inputs[i].optional && !(session->given >> i & 1) && !(NX_TEXTS && plan->inputs[i].noise && !session->slices)) return 0;
    return 1;
}

/* Fills the noise ports that have not been given. */
static void fill_noise(nx_layout *l) {
    const nx_settings *s = &l->session->settings;
    for (uint32_t i = 0; i < l->plan->n_inputs; i++) {
        const nx_port *port = &l->plan->inputs[i];
        if (!port->noise || l->session->given >> i & 1) continue;
        nx_noise noise = {s->seed_low, s->seed_high, s->first_sample, 0, NX_MAX_PARTS + NX_PORTS * l->session->part + i};
        nx_normals(l->port[i], (uint32_t)port_ids(port, &l->session->shape, i), noise);
        l->inputs.port[i] = l->port[i];
        l->session->given |= 1u << i;
    }
}

nx_status nx_session_ready(const nx_layout *l) {
    if (l->session->broken) return NX_E_NUMERIC;
    return l->part->forward && has_inputs(l->plan, l->session) && (!l->plan->encodes || l->session->encoded) ? NX_OK : NX_E_ARGUMENT;
}

nx_status nx_session_input(const nx_model *model, nx_session *session, uint32_t port, const uint32_t *ids, uint32_t count) {
    nx_layout l = nx_layout_of(model, session);
    if (port >= l.plan->n_inputs || session->given >> port & 1 || session->slices || session->computed || session->position)
        return NX_E_ARGUMENT;
    if (count != port_ids(&l.plan->inputs[port], &session->shape, port)) return NX_E_ARGUMENT;
    for (uint32_t i = 0; i < count; i++)
        if (ids[i] >= l.plan->inputs[port].values) return NX_E_ARGUMENT;
    memcpy(l.port[port], ids, count * sizeof *ids);
    session->given |= 1u << port;
    return NX_OK;
}

nx_status nx_session_encode(const nx_model *model, nx_session *session) {
    nx_layout l = nx_layout_of(model, session);
    if (session->broken) return NX_E_NUMERIC;
    if (!has_inputs(l.plan, session)) return NX_E_ARGUMENT;
    if (!l.plan->encodes || session->encoded) return NX_OK;
    if (NX_TEXTS && !session->slices) fill_noise(&l);
    int more = l.part->encode(l.plan->weights, &l.inputs, session->slices, l.encoder_output, l.scratch);
    if (session->slices < INT32_MAX) session->slices++; /* only a damaged session can reach this limit */
    if (more < 0) return nx_broke(session);
    if (more) return NX_MORE;
    session->encoded = 1;
    return NX_OK;
}

/* ---- biases ----------------------------------------------------------------------------------------------------------- */

static int biases_valid(const nx_plan *plan, const uint32_t *ids, const float *biases, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (ids[i] >= plan->output.values || !within(biases[i], -NX_MOST_BIAS, NX_MOST_BIAS)) return 0;
    return 1;
}

nx_status nx_session_bias(const nx_model *model, nx_session *session, const uint32_t *ids, const float *biases, uint32_t count) {
    nx_layout l = nx_layout_of(model, session);
    uint32_t room = session->settings.biases;
    if (count > room || !biases_valid(l.plan, ids, biases, count)) return NX_E_ARGUMENT;
    memcpy(l.biased, ids, count * sizeof *ids);
    memcpy(l.bias, biases, count * sizeof *biases);
    memset(l.biased + count, 0, (room - count) * sizeof *ids); /* the unused entries add 0 to the logit of id 0 */
    memset(l.bias + count, 0, (room - count) * sizeof *biases);
    return NX_OK;
}

/* ---- saved sessions --------------------------------------------------------------------------------------------------- */

/* Returns whether a run of `part` could have saved the header `s`. Check the session's shape and settings first. */
static int header_valid(const nx_plan *plan, const nx_part *part, const nx_session *s) {
    int given = has_inputs(plan, s), ready = given && (!plan->encodes || s->encoded);
    if (s->position > s->shape.length || s->computed > s->shape.length || s->computed > s->position + 1) return 0;
    if (s->has_output > 1 || s->forked > 1 || s->broken > 1 || s->encoded > 1 || s->given >> plan->n_inputs) return 0;
    if (s->slices && (!(plan->encodes && given) || s->slices > INT32_MAX)) return 0; /* nx_part.encode checks the number of slices */
    if (s->encoded && !s->slices) return 0;
    if ((s->position || s->computed || s->columns) && !ready) return 0;
    /* While a pass is interrupted, the output of the next position cannot be ready. */
    if (s->computed > s->position && (!s->has_output || s->columns)) return 0;
    if (!s->columns && (s->group || s->slice)) return 0;
    if (s->columns > NX_COLUMNS || s->columns > s->shape.length - s->position || s->group > s->settings.samples) return 0;
    if (s->columns && part->pass_end && s->columns > part->pass_end(plan->weights, s->position) - s->position) return 0;
    if (!NX_TEXTS) return 1;
    if (s->begun > s->position + 1 || s->living > s->settings.samples || s->found > 2 * s->settings.samples) return 0;
    return s->begun || !(s->living || s->found);
}

/* Returns whether the slots are a permutation of the samples, and whether every id is valid or is NX_NONE after the end of its sample. */
static int contents_valid(const nx_layout *l) {
    const nx_session *s = l->session;
    uint64_t taken = 0;
    for (uint32_t b = 0; b < l->samples; b++) {
        uint32_t slot = nx_slot(l, b), ended = l->ended[b];
        if (slot >= l->samples || (s->forked && taken >> slot & 1) || ended > s->position || (ended && !l->plan->n_ends)) return 0;
        if (!s->forked && ended != l->ended[0]) return 0;
        taken |= (uint64_t)1 << slot;
        const uint32_t *ids = nx_ids(l, slot);
        for (uint32_t i = 0; i < (s->position + s->columns) * l->span; i++) /* later ids are written before they are read */
            if (ids[i] >= l->plan->output.values && !(ids[i] == NX_NONE && ended && i / l->span >= ended)) return 0;
    }
    if (!biases_valid(l->plan, l->biased, l->bias, s->settings.biases)) return 0;
    for (uint32_t i = 0; i < l->plan->n_inputs; i++)
        for (uint32_t j = 0; j < port_ids(&l->plan->inputs[i], &s->shape, i); j++)
            if (l->port[i][j] >= l->plan->inputs[i].values) return 0;
    return 1;
}

nx_status nx_session_check(const nx_model *model, const void *block, size_t block_bytes) {
    nx_session s;
    size_t bytes;
    if (block_bytes < sizeof s) return NX_E_STATE;
    memcpy(&s, block, sizeof s);
    if (s.magic != MAGIC || s.fingerprint != model->fingerprint || s.part >= model->arch->n_parts) return NX_E_STATE;
    const nx_plan *plan = &model->plan[s.part];
    const nx_part *part = &model->arch->parts[s.part];
    nx_shape full;
    if (!full_shape(plan, part, &s.shape, &full) || memcmp(&full, &s.shape, sizeof full)) return NX_E_STATE;
    if (nx_session_size(model, s.part, &s.settings, &s.shape, &bytes) || bytes > block_bytes || !header_valid(plan, part, &s))
        return NX_E_STATE;
    nx_layout l = nx_layout_of(model, block);
    return contents_valid(&l) ? NX_OK : NX_E_STATE;
}

/* ---- slots ------------------------------------------------------------------------------------------------------------ */

nx_column nx_column_of(const nx_layout *l, uint32_t sample, uint32_t position) {
    const nx_settings *s = &l->session->settings;
    uint32_t slot = nx_slot(l, sample);
    return (nx_column){
        .inputs = &l->inputs,
        .encoder_output = l->encoder_output,
        .state = l->state + slot * l->state_bytes,
        .ids = nx_ids(l, slot),
        .position = position,
        .noise = {s->seed_low, s->seed_high, s->first_sample + sample, s->origin + position, NX_STREAM_INSIDE + l->session->part},
        .temperature = s->temperature,
    };
}

static void copy_slot(const nx_layout *to, uint32_t to_slot, const nx_layout *from, uint32_t from_slot, uint32_t positions) {
    memcpy(nx_ids(to, to_slot), nx_ids(from, from_slot), (size_t)positions * from->span * sizeof *from->ids);
    memcpy(to->state + to_slot * to->state_bytes, from->state + from_slot * from->state_bytes, (size_t)from->state_bytes);
    memcpy(nx_output_of(to, to_slot), nx_output_of(from, from_slot), from->stride * sizeof *from->output);
    if (to->map_floats && from->map_floats)
        memcpy(nx_maps_of(to, to_slot), nx_maps_of(from, from_slot), (size_t)from->map_floats * sizeof *from->maps);
    if (NX_TEXTS && to->hidden_floats && from->hidden_floats)
        memcpy(to->hidden + to_slot * to->hidden_floats, from->hidden + from_slot * from->hidden_floats,
               (size_t)from->hidden_floats * sizeof *from->hidden);
}

void nx_copy_slot(const nx_layout *l, uint32_t to, uint32_t from) { copy_slot(l, to, l, from, l->session->position); }

void nx_fork(const nx_layout *l) {
    if (l->session->forked) return;
    for (uint32_t b = 0; b < l->samples; b++) {
        l->slots[b] = b;
        if (b) nx_copy_slot(l, b, 0);
    }
    l->session->forked = 1;
}

/* Copies the encoder's output and its maps. If maps are requested and `from` has none, the encoder must run again. */
static void copy_encoded(const nx_layout *to, const nx_layout *from) {
    nx_inputs inputs = from->inputs;
    int more = to->encoded_floats > from->encoded_floats;
    if (!more) {
        memcpy(to->encoder_output, from->encoder_output, (size_t)from->encoder_output_bytes);
        if (to->encoded_floats) memcpy(to->inputs.maps, inputs.maps, (size_t)to->encoded_floats * sizeof *inputs.maps);
    }
    inputs.maps = to->inputs.maps;
    for (uint32_t i = 0; more > 0 && i < from->session->slices; i++)
        more = to->part->encode(to->plan->weights, &inputs, i, to->encoder_output, to->scratch);
}

nx_status nx_session_branch(const nx_model *model, nx_session *to, const nx_session *from, uint32_t sample, uint32_t position) {
    nx_layout l = nx_layout_of(model, to), f = nx_layout_of(model, from);
    if (to->part != from->part || memcmp(&to->shape, &from->shape, sizeof to->shape) || to->position || to->computed || to->given ||
        to->slices)
        return NX_E_ARGUMENT;
    if (sample >= f.samples || position > from->position || from->columns) return NX_E_ARGUMENT;
    if (from->broken) return NX_E_NUMERIC;
    int back = position < from->position || nx_noisy(&l) || nx_noisy(&f); /* if noisy, the state depends on the noise of another sample */
    if (back && from->computed > position && from->computed - position > f.plan->rewinds) return NX_E_ARGUMENT;
    uint32_t slot = nx_slot(&f, sample), ended = f.ended[sample];
    for (uint32_t i = 0; i < f.plan->n_inputs; i++)
        memcpy(l.port[i], f.port[i], port_ids(&f.plan->inputs[i], &from->shape, i) * sizeof **f.port);
    copy_encoded(&l, &f);
    memcpy(l.ahead, f.ahead, position);
    copy_slot(&l, 0, &f, slot, position);
    for (uint32_t b = 0; b < l.samples; b++) l.ended[b] = ended && ended <= position ? ended : 0;
    to->given = from->given;
    to->slices = from->slices;
    to->encoded = from->encoded;
    to->position = position;
    to->computed = back && from->computed > position ? position : from->computed;
    int kept = (from->settings.maps || !to->settings.maps) && (from->settings.hidden || !to->settings.hidden);
    to->has_output = !back && from->has_output && kept;
    if (to->computed > position && !to->has_output) to->computed = position;
    return NX_OK;
}

nx_status nx_session_rewind(const nx_model *model, nx_session *session, uint32_t position) {
    nx_layout l = nx_layout_of(model, session);
    if (!NX_TEXTS || position > session->position || session->columns || session->begun || nx_noisy(&l)) return NX_E_ARGUMENT;
    if (session->broken) return NX_E_NUMERIC;
    int back = position < session->position;
    if (back && session->computed > position && session->computed - position > l.plan->rewinds) return NX_E_ARGUMENT;
    for (uint32_t b = 0; b < l.samples; b++)
        if (l.ended[b] >= position) l.ended[b] = 0; /* positions after an end have no id */
    if (back && session->computed > position) session->computed = position;
    if (back) session->has_output = 0;
    session->position = position;
    session->tried = session->held = 0;
    return NX_OK;
}

nx_status nx_session_retune(const nx_model *model, nx_session *session, const nx_settings *settings) {
    const nx_settings *now = &session->settings;
    if (!settings_valid(settings) || settings->samples != now->samples || settings->first_sample != now->first_sample ||
        settings->origin != now->origin || settings->maps != now->maps || settings->hidden != now->hidden ||
        settings->biases != now->biases || session->columns)
        return NX_E_ARGUMENT;
    if (model->plan[session->part].noisy &&
        (settings->temperature != now->temperature || settings->seed_low != now->seed_low || settings->seed_high != now->seed_high))
        return NX_E_ARGUMENT; /* the part has already drawn with these settings during its passes, so they cannot change */
    session->settings = *settings;
    return NX_OK;
}

/* ---- queries of a session -------------------------------------------------------------------------------------------- */

uint32_t nx_session_position(const nx_session *session) { return session->position; }

nx_status nx_session_ahead(const nx_model *model, const nx_session *session, uint32_t from, uint32_t count, uint8_t *ahead) {
    if (from > session->position || count > session->position - from) return NX_E_ARGUMENT;
    nx_layout l = nx_layout_of(model, session);
    memcpy(ahead, l.ahead + from, count);
    return NX_OK;
}

nx_status nx_session_output(const nx_model *model, const nx_session *session, uint32_t sample, float *output) {
    if (sample >= session->settings.samples || !session->computed || !session->has_output) return NX_E_ARGUMENT;
    nx_layout l = nx_layout_of(model, session);
    memcpy(output, nx_output_of(&l, nx_slot(&l, sample)), nx_output_parameters(&l.plan->output) * sizeof *output);
    return NX_OK;
}

/* Returns the values of a result, and writes to *count how many of them are ready. */
static nx_status result_of(const nx_layout *l, uint32_t index, const uint32_t **numbers, uint32_t *count) {
    if (l->session->broken) return NX_E_NUMERIC;
    if (index >= l->plan->n_results || !l->session->slices) return NX_E_ARGUMENT;
    *numbers = l->part->result(l->plan->weights, &l->session->shape, l->encoder_output, index, count);
    return NX_OK;
}

nx_status nx_session_result_count(const nx_model *model, const nx_session *session, uint32_t index, uint32_t *count) {
    nx_layout l = nx_layout_of(model, session);
    const uint32_t *numbers;
    return result_of(&l, index, &numbers, count);
}

nx_status nx_session_result(const nx_model *model, const nx_session *session, uint32_t index, uint32_t from, uint32_t count, void *out) {
    nx_layout l = nx_layout_of(model, session);
    const uint32_t *numbers;
    uint32_t there = 0;
    nx_status status = result_of(&l, index, &numbers, &there);
    if (status) return status;
    if (from > there || count > there - from) return NX_E_ARGUMENT;
    for (uint32_t i = 0, values = l.plan->results[index].values; values && i < count; i++)
        if (numbers[from + i] >= values) return NX_E_STATE; /* the run was restored from a damaged state */
    memcpy(out, numbers + from, (size_t)count * sizeof *numbers);
    return NX_OK;
}

nx_status nx_session_map(const nx_model *model, const nx_session *session, uint32_t sample, uint32_t map, uint32_t row, uint32_t *keys,
                         float *weights, uint32_t *count) {
    nx_layout l = nx_layout_of(model, session);
    if (sample >= l.samples || !session->settings.maps || map >= l.plan->n_maps) return NX_E_ARGUMENT;
    const nx_map *m = &l.plan->maps[map];
    int encoded = NX_TEXTS && m->queries;
    if (!(encoded ? session->encoded : session->computed) || row >= nx_map_rows(m, &session->shape)) return NX_E_ARGUMENT;
    const float *first =
        (encoded ? l.inputs.maps : nx_maps_of(&l, nx_slot(&l, sample))) + map_floats(l.plan, &session->shape, map, encoded);
    *count = l.part->keys(l.plan->weights, &session->shape, map, row, session->computed - !encoded, keys);
    memcpy(weights, first + (size_t)row * nx_map_keys(m, &session->shape), *count * sizeof *weights);
    return NX_OK;
}

nx_status nx_session_hidden(const nx_model *model, const nx_session *session, uint32_t sample, uint32_t layer, float *values) {
    nx_layout l = nx_layout_of(model, session);
    uint32_t width = l.plan->hidden_width;
    if (sample >= l.samples || !l.hidden_floats || layer >= l.plan->hidden_layers || !session->computed) return NX_E_ARGUMENT;
    memcpy(values, l.hidden + nx_slot(&l, sample) * l.hidden_floats + (size_t)layer * width, width * sizeof *values);
    return NX_OK;
}

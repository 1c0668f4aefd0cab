/* SPDX-License-Identifier: MIT  See picture.h. */
#include "picture.h"

#include <string.h>

#include "check.h"
#include "gguf.h"
#include "session/session.h"

/* Returns whether a metadata key consists of the model's architecture (such as "image-transformer"), a dot and `name`. */
static int is_key(const nx_model *model, const nx_metadata *entry, const char *name) {
    size_t n = strlen(name), of = strlen(model->arch->name);
    return entry->key_bytes == of + 1 + n && !memcmp(entry->key, model->arch->name, of) && entry->key[of] == '.' &&
           !memcmp(entry->key + of + 1, name, n);
}

static uint32_t key_u32(const nx_model *model, const char *name, uint32_t missing) {
    nx_metadata entry;
    for (uint32_t i = 0; nx_model_metadata(model, i, &entry) == NX_OK; i++)
        if (is_key(model, &entry, name)) {
            if (entry.type == GGUF_ARRAY) return entry.count;
            if (entry.type == GGUF_U32 || entry.type == GGUF_I32) memcpy(&missing, entry.value, 4);
            return missing;
        }
    return missing;
}

static int is_text(const nx_model *model, const char *name, const char *text) {
    nx_metadata entry;
    for (uint32_t i = 0; nx_model_metadata(model, i, &entry) == NX_OK; i++)
        if (is_key(model, &entry, name)) return entry.value_bytes - 8 == strlen(text) && !memcmp((const char *)entry.value + 8, text, strlen(text));
    return 0;
}

/* Returns the port of this name; NX_PORTS if there is none. */
static uint32_t port_of(const nx_model *model, const char *name) {
    nx_port port;
    for (uint32_t i = 0; nx_model_port(model, 0, i, &port) == NX_OK; i++)
        if (!strcmp(port.name, name)) return i;
    return NX_PORTS;
}

void picture_info_of(const nx_model *model, picture_info *info) {
    nx_part_info part;
    nx_map map = {0};
    if (nx_model_map(model, 0, 0, &map)) map = (nx_map){0};
    nx_model_part(model, 0, &part);
    *info = (picture_info){
        .height = key_u32(model, "image.height", 0),
        .width = key_u32(model, "image.width", 0),
        .channels = key_u32(model, "image.channels", 1),
        .levels = part.values,
        .positions = part.length,
        .position_elements = part.span,
        .elements = part.length * part.span,
        .classes = key_u32(model, "classes", 0),
        .blocks = key_u32(model, "block_count", 0),
        .heads = key_u32(model, "attention.head_count", 0),
        .rows = map.rows,
        .window = map.keys,
        .outputs = part.outputs,
        .input_height = key_u32(model, "input.height", 0),
        .input_width = key_u32(model, "input.width", 0),
        .palette = part.tables,
        .draft = part.draft,
    };
    if ((uint64_t)info->rows * info->window > 1 << 24) info->rows = info->window = 0; /* such a map is larger than any display needs */
    /* clears sizes that have no meaning without the input "image" */
    if (port_of(model, "image") == NX_PORTS || !info->input_height) info->input_height = info->input_width = 0;
    if (is_text(model, "attention.pattern", "local-1d")) {
        info->query_block = key_u32(model, "attention.query_block", 0);
        info->memory_block = key_u32(model, "attention.memory_block", info->query_block);
    }
    if (is_text(model, "attention.pattern", "local-2d")) {
        info->block_rows = key_u32(model, "attention.block_rows", 0);
        info->block_cols = key_u32(model, "attention.block_cols", 0);
        info->flange_rows = key_u32(model, "attention.flange_rows", 0);
        info->flange_cols = key_u32(model, "attention.flange_cols", 0);
    }
}

nx_settings picture_engine_settings(const picture_settings *s) {
    return (nx_settings){.seed_low = s->seed_low, .seed_high = s->seed_high, .samples = s->samples, .first_sample = s->first_sample,
                         .temperature = s->temperature, .top_k = s->top_k, .top_p = s->top_p, .maps = s->maps, .look_ahead = s->look_ahead};
}

void picture_order(const nx_model *model, uint32_t *raster) {
    picture_info info;
    picture_info_of(model, &info);
    nx_pattern p = {.kind = info.block_rows ? NX_LOCAL_2D : NX_FULL_CAUSAL, .positions = info.positions, .query_block = info.positions,
                    .rows = info.height, .cols = info.positions / info.height, .block_rows = info.block_rows, .block_cols = info.block_cols,
                    .flange_rows = info.flange_rows, .flange_cols = info.flange_cols};
    for (uint32_t i = 0; i < info.positions; i++) raster[i] = nx_pattern_raster(&p, i);
}

nx_status picture_palette(const nx_model *model, uint8_t *rgb) {
    nx_table table;
    if (nx_model_table(model, 0, 0, &table)) return NX_E_ARGUMENT;
    for (uint32_t i = 0; i < table.rows * table.cols; i++) {
        float x = table.data[i];
        rgb[i] = (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x + 0.5f);
    }
    return NX_OK;
}

uint32_t picture_id(const picture_info *info, uint32_t value) {
    return info->palette ? value : (value * (info->levels - 1) * 2 + 255) / 510;
}

uint8_t picture_value(const picture_info *info, uint32_t id) {
    if (info->levels < 2) return 0; // the fuzzer also draws texts, and one of its models has a vocabulary of one token
    return (uint8_t)(info->palette ? id : (id * 510 + info->levels - 1) / (2 * (info->levels - 1)));
}

nx_status picture_size(const nx_model *model, const picture_settings *settings, size_t *bytes) {
    nx_port port;
    nx_settings engine = picture_engine_settings(settings);
    uint32_t at = port_of(model, "class"), classes = nx_model_port(model, 0, at, &port) ? 0 : port.values;
    if (settings->label < -1 || (settings->label >= 0 && (uint32_t)settings->label >= classes)) return NX_E_ARGUMENT;
    return nx_session_size(model, 0, &engine, NULL, bytes);
}

nx_status picture_open(void *block, size_t bytes, const nx_model *model, const picture_settings *settings, nx_session **session) {
    nx_settings engine = picture_engine_settings(settings);
    uint32_t label = (uint32_t)settings->label;
    nx_status status = nx_session_open(block, bytes, model, 0, &engine, NULL, session);
    return status || settings->label < 0 ? status : nx_session_input(model, *session, port_of(model, "class"), &label, 1);
}

nx_status picture_condition(const nx_model *model, nx_session *session, const uint8_t *values, uint32_t count) {
    size_t mark = memory_mark();
    nx_port port = {0};
    nx_model_port(model, 0, port_of(model, "image"), &port);
    uint32_t whole = port.dims[0] * port.dims[1] * port.dims[2], *ids = memory_take(whole * sizeof *ids);
    for (uint32_t i = 0; count == whole && i < count; i++) ids[i] = values[i];
    nx_status status = nx_session_input(model, session, port_of(model, "image"), ids, count);
    memory_release(mark);
    if (status) return status;
    do status = nx_session_encode(model, session);
    while (status == NX_MORE);
    return status;
}

nx_status picture_prefill(const nx_model *model, nx_session *session, const uint8_t *values, uint32_t count, float *nats) {
    size_t mark = memory_mark();
    picture_info info;
    picture_info_of(model, &info);
    uint32_t E = info.position_elements, B = session->settings.samples, room = count <= info.positions ? count * E : 0;
    uint32_t *ids = memory_take(room * sizeof *ids);
    float *all = nats ? memory_take((size_t)room * B * sizeof *all) : NULL;
    for (uint32_t i = 0; i < room; i++) ids[i] = picture_id(&info, values[i]);
    nx_status status = nx_session_put(model, session, ids, count, 0, all);
    for (uint32_t i = 0; nats && !status && i < count; i++) memcpy(nats + i * E, all + (size_t)i * B * E, E * sizeof *nats);
    memory_release(mark);
    return status;
}

nx_status picture_step(const nx_model *model, nx_session *session, uint32_t steps, uint8_t *values, float *nats) {
    size_t mark = memory_mark();
    picture_info info;
    picture_info_of(model, &info);
    uint32_t width = info.position_elements * session->settings.samples, drawn = 0;
    uint32_t *ids = memory_take(steps <= info.positions ? (size_t)steps * width * sizeof *ids : 0);
    nx_status status = nx_session_draw(model, session, steps, ids, nats, &drawn);
    for (uint32_t i = 0; i < drawn * width; i++) values[i] = ids[i] == NX_NONE ? 0 : picture_value(&info, ids[i]);
    CHECK(status ? drawn <= steps : drawn == steps || model->plan[0].n_ends);
    /* all samples have ended: the remaining nats are 0 */
    if (nats && !status) memset(nats + (size_t)drawn * width, 0, (size_t)(steps - drawn) * width * sizeof *nats);
    memory_release(mark);
    return status;
}

nx_status picture_attention(const nx_model *model, const nx_session *session, uint32_t sample, float *weights, uint32_t *keys, uint32_t *count) {
    nx_map map = {0};
    nx_status status = nx_model_map(model, 0, 0, &map);
    size_t mark = memory_mark();
    float *row = memory_take(map.keys * sizeof *row);
    for (uint32_t i = 0; !status && i < map.rows; i++) {
        status = nx_session_map(model, session, sample, 0, i, keys, row, count);
        if (!status) memcpy(weights + (size_t)i * *count, row, *count * sizeof *row);
    }
    memory_release(mark);
    return status;
}

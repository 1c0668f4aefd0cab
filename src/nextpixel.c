/* SPDX-License-Identifier: MIT  Opening a model. See nextpixel.h. */
#include "nextpixel.h"

#include <string.h>

#include "model.h"
#include "reader.h"

/* The layouts that web/lib/core.js mirrors, where a pointer has 32 bits. */
_Static_assert(sizeof(nx_problem) == 160 && sizeof(nx_part_info) == 48 && sizeof(nx_settings) == 76 && sizeof(nx_shape) == 36,
               "mirrored in web/lib/layout.js");
_Static_assert(sizeof(void *) != 4 ||
                   (sizeof(nx_metadata) == 28 && sizeof(nx_port) == 32 && sizeof(nx_map) == 16 && sizeof(nx_table) == 16),
               "mirrored in web/lib/layout.js");

uint32_t nx_abi_version(void) { return NX_ABI_VERSION; }

/* Keeps the metadata, and an index of its keys. */
static void keep_metadata(nx_model *model, const nx_gguf *file, nx_arena *arena) {
    uint8_t *bytes = nx_arena_take(arena, file->keys_end);
    uint32_t *key = nx_arena_take(arena, file->n_keys * sizeof *key);
    if (!bytes || !key) return;
    memcpy(bytes, file->bytes, file->keys_end);
    memcpy(key, file->key, file->n_keys * sizeof *key);
    model->metadata = bytes;
    model->metadata_bytes = file->keys_end;
    model->key = key;
    model->n_keys = file->n_keys;
}

/* FNV-1a over 32-bit words. */
static uint32_t fingerprint(const nx_gguf *file) {
    uint32_t hash = 2166136261u, word;
    for (uint32_t i = 0; i + 4 <= file->length; i += 4) {
        memcpy(&word, file->bytes + i, 4);
        hash = (hash ^ word) * 16777619u;
    }
    return hash;
}

/* Reads a file through an arena; model stays null when the arena only counts. */
static nx_status read_model(nx_arena *arena, const void *bytes, size_t length, nx_model **model, nx_problem *problem) {
    nx_gguf file;
    nx_metadata name;
    nx_status status = nx_gguf_parse(&file, bytes, length, problem);
    if (status) return status;
    if (!nx_gguf_find(&file, "general.architecture", &name) || name.type != GGUF_STRING)
        return nx_refuse(problem, NX_E_FORMAT, "general.architecture", 20, "the key is missing");
    const nx_arch *arch = nx_arch_find((const char *)name.value + 8, name.value_bytes - 8);
    if (!arch)
        return nx_refuse(problem, NX_E_UNSUPPORTED, (const char *)name.value + 8, name.value_bytes - 8,
                         "an architecture that this library does not have");

    nx_model local, *placed = nx_arena_take(arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    m->arch = arch;
    keep_metadata(m, &file, arena);
    nx_reader reader = {&file, arena, problem, 0, NX_OK, NX_BY_ROW};
    arch->configure(&reader, m->plan);
    if (reader.status) return reader.status;
    if (nx_arena_full(arena)) return NX_E_MEMORY;
    m->parameters = reader.parameters;
    m->fingerprint = fingerprint(&file);
    *model = placed;
    return NX_OK;
}

nx_status nx_model_size(const void *file, size_t length, size_t *bytes, nx_problem *problem) {
    nx_arena arena = {NULL, 0, 0};
    nx_model *none;
    nx_status status = read_model(&arena, file, length, &none, problem);
    if (status) return status;
    if (arena.used > NX_MODEL_BYTES_FREE + (uint64_t)length * NX_MODEL_BYTES_PER_BYTE || arena.used > PTRDIFF_MAX)
        return nx_refuse(problem, NX_E_LIMIT, "", 0, "the model needs more memory than a file of its size may");
    *bytes = (size_t)arena.used;
    return NX_OK;
}

nx_status nx_model_open(void *block, size_t block_bytes, const void *file, size_t length, nx_model **model, nx_problem *problem) {
    nx_arena arena = {block, 0, block_bytes};
    nx_status status = read_model(&arena, file, length, model, problem);
    return status == NX_E_MEMORY ? nx_refuse(problem, status, "", 0, "the block is smaller than nx_model_size says") : status;
}

uint32_t nx_model_parts(const nx_model *model) { return model->arch->n_parts; }

/* Index `index` of `n` things of a part that there is. */
static int is_there(const nx_model *model, uint32_t part, uint32_t index, uint32_t n) { return part < model->arch->n_parts && index < n; }

nx_status nx_model_part(const nx_model *model, uint32_t part, nx_part_info *info) {
    const nx_plan *plan = &model->plan[part];
    if (part >= model->arch->n_parts) return NX_E_ARGUMENT;
    *info = (nx_part_info){
        .values = plan->output.levels,
        .span = plan->output.elements,
        .outputs = nx_output_parameters(&plan->output),
        .length = plan->length,
        .rewinds = plan->rewinds,
        .inputs = plan->n_inputs,
        .maps = plan->n_maps,
        .tables = plan->n_tables,
        .ends = plan->n_ends,
        .draft = plan->draft != NULL,
        .parameters_low = (uint32_t)model->parameters,
        .parameters_high = (uint32_t)(model->parameters >> 32),
    };
    return NX_OK;
}

nx_status nx_model_port(const nx_model *model, uint32_t part, uint32_t index, nx_port *port) {
    if (!is_there(model, part, index, model->plan[part].n_inputs)) return NX_E_ARGUMENT;
    *port = model->plan[part].inputs[index];
    return NX_OK;
}

nx_status nx_model_map(const nx_model *model, uint32_t part, uint32_t index, nx_map *map) {
    if (!is_there(model, part, index, model->plan[part].n_maps)) return NX_E_ARGUMENT;
    *map = model->plan[part].maps[index];
    return NX_OK;
}

nx_status nx_model_table(const nx_model *model, uint32_t part, uint32_t index, nx_table *table) {
    if (!is_there(model, part, index, model->plan[part].n_tables)) return NX_E_ARGUMENT;
    *table = model->plan[part].tables[index];
    return NX_OK;
}

nx_status nx_model_end(const nx_model *model, uint32_t part, uint32_t index, uint32_t *id) {
    if (!is_there(model, part, index, model->plan[part].n_ends)) return NX_E_ARGUMENT;
    *id = model->plan[part].ends[index];
    return NX_OK;
}

uint32_t nx_model_metadata_count(const nx_model *model) { return model->n_keys; }

nx_status nx_model_metadata(const nx_model *model, uint32_t index, nx_metadata *entry) {
    if (index >= model->n_keys) return NX_E_ARGUMENT;
    nx_gguf_entry(model->metadata, model->metadata_bytes, model->key[index], entry);
    return NX_OK;
}

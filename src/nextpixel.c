/* SPDX-License-Identifier: MIT  Opening a model. See nextpixel.h. */
#include "nextpixel.h"

#include <string.h>

#include "model.h"
#include "reader.h"

/* The layouts that web/lib/core.js mirrors, where a pointer has 32 bits. */
_Static_assert(sizeof(nx_problem) == 160 && sizeof(nx_info) == 100 && sizeof(nx_settings) == 40,
               "mirrored in web/lib/core.js");
_Static_assert(sizeof(void *) != 4 || sizeof(nx_metadata) == 28, "mirrored in web/lib/core.js");

uint32_t nx_abi_version(void) { return NX_ABI_VERSION; }

/* Keeps the metadata, and an index of its keys. */
static void keep_metadata(nx_model *model, const nx_gguf *file, nx_arena *arena) {
    uint8_t *bytes = arena_take(arena, file->keys_end);
    uint32_t *key = arena_take(arena, file->n_keys * sizeof *key);
    if (!bytes || !key) return;
    memcpy(bytes, file->bytes, file->keys_end);
    memcpy(key, file->key, file->n_keys * sizeof *key);
    model->metadata = bytes;
    model->metadata_bytes = file->keys_end;
    model->key = key;
    model->n_keys = file->n_keys;
}

/* The colours, (levels, 3) floats 0..255 in the file, as bytes. */
static const uint8_t *read_palette(nx_reader *reader, uint32_t levels) {
    uint64_t parameters = reader->parameters;
    const float *colours = read_table(reader, "palette.weight", levels, 3);
    reader->parameters = parameters; /* colours are no weights */
    uint8_t *rgb = arena_take(reader->arena, levels * 3);
    if (!rgb || !colours) return NULL;
    for (uint32_t i = 0; i < levels * 3; i++) {
        rgb[i] = (uint8_t)(colours[i] < 0 ? 0 : colours[i] > 255 ? 255 : colours[i] + 0.5f);
    }
    return rgb;
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

    nx_model local, *placed = arena_take(arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    m->arch = arch;
    keep_metadata(m, &file, arena);
    nx_reader reader = {&file, arena, problem, 0, NX_OK};
    m->weights = arch->configure(&reader, &m->info);
    if (m->info.palette) m->palette = read_palette(&reader, m->info.levels);
    m->draft = nx_draft_read(&reader, &m->info);
    if (reader.status) return reader.status;
    if (arena_full(arena)) return NX_E_MEMORY;
    m->info.parameters_low = (uint32_t)reader.parameters;
    m->info.parameters_high = (uint32_t)(reader.parameters >> 32);
    m->fingerprint = fingerprint(&file);
    *model = placed;
    return NX_OK;
}

nx_status nx_model_size(const void *file, size_t length, size_t *bytes, nx_problem *problem) {
    nx_arena arena = {NULL, 0, 0};
    nx_model *none;
    nx_status status = read_model(&arena, file, length, &none, problem);
    if (status) return status;
    if (arena.used > PTRDIFF_MAX)
        return nx_refuse(problem, NX_E_LIMIT, "", 0, "the model needs more memory than can be addressed");
    *bytes = (size_t)arena.used;
    return NX_OK;
}

nx_status nx_model_open(void *block, size_t block_bytes, const void *file, size_t length, nx_model **model,
                        nx_problem *problem) {
    nx_arena arena = {block, 0, block_bytes};
    nx_status status = read_model(&arena, file, length, model, problem);
    return status == NX_E_MEMORY ? nx_refuse(problem, status, "", 0, "the block is smaller than nx_model_size says")
                                 : status;
}

void nx_model_info(const nx_model *model, nx_info *info) { *info = model->info; }

uint32_t nx_model_metadata_count(const nx_model *model) { return model->n_keys; }

void nx_model_order(const nx_model *model, uint32_t *raster) {
    for (uint32_t i = 0; i < model->info.positions; i++)
        raster[i] = nx_pattern_raster(model->arch->pattern(model->weights), i);
}

nx_status nx_model_palette(const nx_model *model, uint8_t *rgb) {
    if (!model->palette) return NX_E_ARGUMENT;
    memcpy(rgb, model->palette, model->info.levels * 3);
    return NX_OK;
}

nx_status nx_model_metadata(const nx_model *model, uint32_t index, nx_metadata *entry) {
    if (index >= model->n_keys) return NX_E_ARGUMENT;
    nx_gguf_entry(model->metadata, model->metadata_bytes, model->key[index], entry);
    return NX_OK;
}

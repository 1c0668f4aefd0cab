/* SPDX-License-Identifier: MIT  Opening a model. See nextpixel.h. */
#include "nextpixel.h"

#include <string.h>

#include "model.h"
#include "destination.h"
#include "reader.h"

/* web/lib/engine/abi.js describes the header's structs as 32-bit fields in order. With 32-bit pointers, the structs have no padding.
 * web/tools/abi.js rejects a field that does not have 32 bits. An nx_problem consists of two strings. */
_Static_assert(sizeof(nx_problem) == 2 * NX_NAME_BYTES, "read so by web/lib/engine/layout.js");

uint32_t nx_abi_version(void) { return NX_ABI_VERSION; }

/* Stores the metadata and an index of its keys. If only a head is present and the tensors are fed later, also stores the list of
 * tensors. */
static void keep_metadata(nx_model *model, const nx_gguf *file, uint32_t bytes_kept, nx_arena *arena) {
    uint8_t *bytes = nx_arena_take(arena, bytes_kept);
    uint32_t *key = nx_arena_take(arena, file->n_keys * sizeof *key);
    if (!bytes || !key) return;
    memcpy(bytes, file->bytes, bytes_kept);
    memcpy(key, file->key, file->n_keys * sizeof *key);
    model->metadata = bytes;
    model->metadata_bytes = bytes_kept;
    model->key = key;
    model->n_keys = file->n_keys;
}

/* Continues an FNV-1a hash over 32-bit words. The last word is padded with zeros. */
static uint32_t hash_of(uint32_t hash, const uint8_t *bytes, uint32_t length) {
    uint32_t whole = length & ~3u, word;
    for (uint32_t i = 0; i < whole; i += 4) { /* all complete words; the compiler knows their size, so each word takes one load */
        memcpy(&word, bytes + i, 4);
        hash = (hash ^ word) * 16777619u;
    }
    if (whole == length) return hash;
    word = 0;
    memcpy(&word, bytes + whole, length - whole);
    return (hash ^ word) * 16777619u;
}

static uint32_t hash_of_rows(uint32_t hash, const uint8_t *data, uint32_t rows, uint32_t row_bytes) {
    for (uint32_t r = 0; r < rows; r++) hash = hash_of(hash, data + (size_t)r * row_bytes, row_bytes);
    return hash;
}

static uint32_t rows_of(const nx_tensor *tensor) { return tensor->dim[1] * tensor->dim[2] * tensor->dim[3]; }

/* Computes the hash of the head and of every row of every tensor. A saved session identifies its model by this hash. */
static uint32_t fingerprint(const nx_gguf *file) {
    uint32_t hash = hash_of(2166136261u, file->bytes, file->head_end);
    for (uint32_t i = 0; i < file->n_tensors; i++) {
        nx_tensor t;
        nx_gguf_tensor_at(file, i, &t);
        if (t.data && t.bytes) hash = hash_of_rows(hash, t.data, rows_of(&t), t.bytes / rows_of(&t));
    }
    return hash;
}

/* Lists the tensors that will be fed, in the order of the file's list. Their destinations are not known yet. */
static nx_status expect_tensors(nx_model *model, const nx_gguf *file, nx_arena *arena, nx_problem *problem) {
    nx_destination *destinations = nx_arena_take(arena, file->n_tensors * sizeof *destinations);
    if (!model->arch->streams)
        return nx_refuse(problem, NX_E_ARGUMENT, model->arch->name, strlen(model->arch->name), "this architecture opens whole files only");
    for (uint32_t i = 0, at = 0; i < file->n_tensors; i++) {
        nx_tensor t;
        nx_gguf_tensor_at(file, i, &t);
        if (t.offset < at) return nx_refuse(problem, NX_E_ARGUMENT, "", 0, "the tensors' data are not in the order of their list");
        at = t.offset;
        if (destinations)
            destinations[i] =
                (nx_destination){.rows = rows_of(&t), .row_bytes = t.bytes / rows_of(&t), .offset = t.offset, .entry = file->tensor[i]};
    }
    model->destinations = destinations;
    model->n_destinations = file->n_tensors;
    return NX_OK;
}

/* Returns whether the value of an entry is a string that equals `text` or ends with it. */
static int text_ends(const nx_metadata *entry, const char *text) {
    size_t n = strlen(text);
    return entry->type == GGUF_STRING && entry->value_bytes - 8 >= n &&
           !memcmp((const char *)entry->value + entry->value_bytes - n, text, n);
}

/* Rejects files that contain no model, or only a part of one. Without this check, the error message would only name a missing tensor. */
static nx_status refuse_other_kinds(const nx_gguf *file, const nx_metadata *architecture, nx_problem *problem) {
    nx_metadata entry;
    nx_name pooling = {{0}};
    uint32_t parts = 0, name_bytes = architecture->value_bytes - 8;
    if (nx_gguf_find(file, "split.count", &entry) && entry.value_bytes >= 2) memcpy(&parts, entry.value, 2);
    if (parts > 1)
        return nx_refuse(problem, NX_E_UNSUPPORTED, "split.count", 11, "one part of several: load all of them, a list of addresses");
    if ((nx_gguf_find(file, "general.type", &entry) && text_ends(&entry, "adapter")) || nx_gguf_find(file, "adapter.type", &entry))
        return nx_refuse(problem, NX_E_UNSUPPORTED, "adapter.type", 12, "a LoRA adapter, not a model: merge it into its model first");
    if ((nx_gguf_find(file, "general.type", &entry) && text_ends(&entry, "mmproj")) || text_ends(architecture, "clip"))
        return nx_refuse(problem, NX_E_UNSUPPORTED, "general.type", 12, "an image projector for another model, which writes no text");
    if (!file->n_tensors && nx_gguf_find(file, "tokenizer.ggml.tokens", &entry))
        return nx_refuse(problem, NX_E_UNSUPPORTED, "", 0, "a vocabulary without weights, which tokenizer() reads");
    if (name_bytes < 40) memcpy(pooling.text, (const char *)architecture->value + 8, name_bytes);
    if (text_ends(architecture, "bert") || nx_gguf_find(file, nx_key(pooling.text, "pooling_type").text, &entry))
        return nx_refuse(problem, NX_E_UNSUPPORTED, "general.architecture", 20, "an embedding model, which writes no text");
    return NX_OK;
}

/* Reads a file, or the head of a file, into an arena. Sets *model to null if the arena only counts bytes (arena.h). */
static nx_status read_model(nx_arena *arena, const void *bytes, size_t present, size_t length, int head, nx_model **model,
                            nx_problem *problem) {
    nx_gguf file;
    nx_metadata name;
    nx_status status = nx_gguf_parse(&file, bytes, present, length, problem);
    if (status) return status;
    if (!nx_gguf_find(&file, "general.architecture", &name) || name.type != GGUF_STRING)
        return nx_refuse(problem, NX_E_FORMAT, "general.architecture", 20, "the key is missing");
    if (NX_TEXTS) status = refuse_other_kinds(&file, &name, problem);
    if (status) return status;
    const nx_arch *arch = nx_arch_find((const char *)name.value + 8, name.value_bytes - 8);
    if (!arch)
        return nx_refuse(problem, NX_E_UNSUPPORTED, (const char *)name.value + 8, name.value_bytes - 8,
                         "an architecture that this library does not have");

    nx_model local, *placed = nx_arena_take(arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    m->arch = arch;
    if (head) file.present = file.head_end; /* data that are already present are ignored here and must be fed later */
    keep_metadata(m, &file, head ? file.head_end : file.keys_end, arena);
    if (head) status = expect_tensors(m, &file, arena, problem);
    if (status) return status;
    nx_reader reader = {.file = &file, .arena = arena, .problem = problem, .destinations = m->destinations, .packing = NX_BY_ROW};
    arch->configure(&reader, m->plan);
    if (reader.status) return reader.status;
    if (nx_arena_full(arena)) return NX_E_MEMORY;
    memcpy(m->parameters, reader.parameters, sizeof m->parameters);
    if (placed) m->fingerprint = head ? hash_of(2166136261u, file.bytes, file.head_end) : fingerprint(&file);
    *model = placed;
    return NX_OK;
}

static nx_status refuse_size(uint64_t bytes, nx_problem *problem) {
    char reason[] = "a page has 4096 MiB of memory, and its weights want ......", *end = reason + sizeof reason - 7; /* bytes < 2^32 * 20 */
    for (uint64_t size = bytes >> 20; size; size /= 10) end++;
    *end = 0;
    for (uint64_t size = bytes >> 20; size; size /= 10) *--end = (char)('0' + size % 10);
    return nx_refuse(problem, NX_E_MEMORY, "", 0, reason);
}

static nx_status size_of(const void *file, size_t present, size_t length, int head, size_t *bytes, nx_problem *problem) {
    nx_arena arena = {NULL, 0, 0};
    nx_model *none;
    nx_status status = read_model(&arena, file, present, length, head, &none, problem);
    if (status) return status;
    if (arena.used > NX_MODEL_BYTES_FREE + (uint64_t)length * NX_MODEL_BYTES_PER_BYTE)
        return nx_refuse(problem, NX_E_LIMIT, "", 0, "the model needs more memory than is allowed for a file of its size");
    if (arena.used > NX_MAX_MODEL_BYTES) return refuse_size(arena.used, problem);
    *bytes = (size_t)arena.used;
    return NX_OK;
}

static nx_status open_in(void *block, size_t block_bytes, const void *file, size_t present, size_t length, int head, nx_model **model,
                         nx_problem *problem) {
    nx_arena arena = {block, 0, block_bytes};
    nx_status status = read_model(&arena, file, present, length, head, model, problem);
    return status == NX_E_MEMORY ? nx_refuse(problem, status, "", 0, "the block is smaller than nx_model_size requires") : status;
}

nx_status nx_model_size(const void *file, size_t length, size_t *bytes, nx_problem *problem) {
    return size_of(file, length, length, 0, bytes, problem);
}

nx_status nx_model_open(void *block, size_t block_bytes, const void *file, size_t length, nx_model **model, nx_problem *problem) {
    return open_in(block, block_bytes, file, length, length, 0, model, problem);
}

nx_status nx_model_head_size(const void *head, size_t present, size_t length, size_t *bytes, nx_problem *problem) {
    return size_of(head, present, length, 1, bytes, problem);
}

nx_status nx_model_begin(void *block, size_t block_bytes, const void *head, size_t present, size_t length, nx_model **model,
                         nx_problem *problem) {
    return open_in(block, block_bytes, head, present, length, 1, model, problem);
}

uint32_t nx_model_tensors(const nx_model *model) { return model->n_destinations; }

nx_status nx_model_tensor(const nx_model *model, uint32_t index, nx_tensor_info *info) {
    if (index >= model->n_destinations) return NX_E_ARGUMENT;
    const nx_destination *to = &model->destinations[index];
    *info = (nx_tensor_info){to->offset, to->rows, to->row_bytes};
    return NX_OK;
}

/* Skips tensors that are complete or whose type is not supported. */
static void pass_over(nx_model *model) {
    while (model->fed < model->n_destinations &&
           (!model->destinations[model->fed].row_bytes || model->fed_rows == model->destinations[model->fed].rows)) {
        model->fed++;
        model->fed_rows = 0;
    }
}

static nx_status refuse_rows(const nx_model *model, const nx_destination *to, nx_status status, const char *reason, nx_problem *problem) {
    uint64_t bytes;
    memcpy(&bytes, model->metadata + to->entry, 8);
    return nx_refuse(problem, status, (const char *)model->metadata + to->entry + 8, bytes, reason);
}

nx_status nx_model_feed(nx_model *model, uint32_t tensor, uint32_t row, uint32_t rows, const void *data, nx_problem *problem) {
    pass_over(model);
    if (tensor != model->fed || tensor >= model->n_destinations) return NX_E_ARGUMENT;
    const nx_destination *to = &model->destinations[tensor];
    if (row != model->fed_rows || rows > to->rows - row) return NX_E_ARGUMENT;
    uint32_t bytes = rows * to->row_bytes;
    if (to->kind) {
        if (!nx_all_finite(to->type, data, bytes)) return refuse_rows(model, to, NX_E_NUMERIC, "a weight is not finite", problem);
        if (!nx_destination_fits(to, to->type, data, bytes))
            return refuse_rows(model, to, NX_E_FORMAT, "a number is out of its range", problem);
        nx_destination_fill(to, row, rows, data);
    }
    model->fingerprint = hash_of_rows(model->fingerprint, data, rows, to->row_bytes);
    model->fed_rows += rows;
    pass_over(model);
    return model->fed < model->n_destinations ? NX_MORE : NX_OK;
}

uint32_t nx_model_parts(const nx_model *model) { return model->arch->n_parts; }

/* Returns the plan of a part, or null. */
static const nx_plan *plan_of(const nx_model *model, uint32_t part) { return part < model->arch->n_parts ? &model->plan[part] : NULL; }

nx_status nx_model_part(const nx_model *model, uint32_t part, nx_part_info *info) {
    const nx_plan *plan = plan_of(model, part);
    if (!plan) return NX_E_ARGUMENT;
    const char *name = model->arch->parts[part].name;
    *info = (nx_part_info){
        .values = plan->output.values,
        .span = plan->output.elements,
        .outputs = nx_output_parameters(&plan->output),
        .length = plan->length,
        .rewinds = plan->rewinds,
        .inputs = plan->n_inputs,
        .maps = plan->n_maps,
        .tables = plan->n_tables,
        .ends = plan->n_ends,
        .results = plan->n_results,
        .draft = plan->draft != NULL,
        .grows = NX_TEXTS && model->arch->parts[part].grow,
        .noisy = plan->noisy,
        .hidden_layers = plan->hidden_layers,
        .hidden_width = plan->hidden_width,
        .parameters_low = (uint32_t)model->parameters[part],
        .parameters_high = (uint32_t)(model->parameters[part] >> 32),
        .name = name ? name : model->arch->name,
    };
    return NX_OK;
}

nx_status nx_model_port(const nx_model *model, uint32_t part, uint32_t index, nx_port *port) {
    const nx_plan *plan = plan_of(model, part);
    if (!plan || index >= plan->n_inputs) return NX_E_ARGUMENT;
    *port = plan->inputs[index];
    return NX_OK;
}

nx_status nx_model_result(const nx_model *model, uint32_t part, uint32_t index, nx_result *result) {
    const nx_plan *plan = plan_of(model, part);
    if (!plan || index >= plan->n_results) return NX_E_ARGUMENT;
    *result = plan->results[index];
    return NX_OK;
}

nx_status nx_model_map(const nx_model *model, uint32_t part, uint32_t index, nx_map *map) {
    const nx_plan *plan = plan_of(model, part);
    if (!plan || index >= plan->n_maps) return NX_E_ARGUMENT;
    *map = plan->maps[index];
    return NX_OK;
}

nx_status nx_model_table(const nx_model *model, uint32_t part, uint32_t index, nx_table *table) {
    const nx_plan *plan = plan_of(model, part);
    if (!plan || index >= plan->n_tables) return NX_E_ARGUMENT;
    *table = plan->tables[index];
    return NX_OK;
}

nx_status nx_model_end(const nx_model *model, uint32_t part, uint32_t index, uint32_t *id) {
    const nx_plan *plan = plan_of(model, part);
    if (!plan || index >= plan->n_ends) return NX_E_ARGUMENT;
    *id = plan->ends[index];
    return NX_OK;
}

uint32_t nx_model_metadata_count(const nx_model *model) { return model->n_keys; }

nx_status nx_model_metadata(const nx_model *model, uint32_t index, nx_metadata *entry) {
    if (index >= model->n_keys) return NX_E_ARGUMENT;
    nx_gguf_entry(model->metadata, model->metadata_bytes, model->key[index], entry);
    return NX_OK;
}

/* SPDX-License-Identifier: MIT  See reader.h. */
#include "reader.h"

#include <string.h>

#include "destination.h"

void nx_reader_fail(nx_reader *reader, nx_status status, const char *name, const char *reason) {
    if (!reader->status) reader->status = nx_refuse(reader->problem, status, name, strlen(name), reason);
}

/* Finds a key. Returns 0 if the key does not exist, if it has another type (this is a failure), or if reading has failed before. */
static int find(nx_reader *reader, const char *key, uint32_t type, nx_metadata *entry) {
    if (reader->status || !nx_gguf_find(reader->file, key, entry)) return 0;
    if (entry->type == type) return 1;
    nx_reader_fail(reader, NX_E_FORMAT, key, "the key has another type than it should");
    return 0;
}

/* Reads an integer of any integer type. A negative integer becomes -1, and an integer that does not fit in 32 bits becomes the largest
 * 32-bit integer. Returns 0 if the value is not an integer. */
static int integer_of(const nx_metadata *entry, int64_t *value) {
    static const uint8_t sizes[] = {
        [GGUF_U8] = 1, [GGUF_I8] = 1, [GGUF_U16] = 2, [GGUF_I16] = 2, [GGUF_U32] = 4, [GGUF_I32] = 4, [GGUF_U64] = 8, [GGUF_I64] = 8};
    uint64_t number = 0;
    if (!NX_TEXTS) { /* the project's own picture models use only 32-bit unsigned integers */
        memcpy(&number, entry->value, 4);
        *value = (int64_t)number;
        return entry->type == GGUF_U32;
    }
    uint32_t size = entry->type < sizeof sizes ? sizes[entry->type] : 0;
    int is_signed = entry->type == GGUF_I8 || entry->type == GGUF_I16 || entry->type == GGUF_I32 || entry->type == GGUF_I64;
    if (!size) return 0;
    memcpy(&number, entry->value, size);
    *value = is_signed && number >> (8 * size - 1) ? -1 : number > UINT32_MAX ? UINT32_MAX : (int64_t)number;
    return 1;
}

uint32_t nx_read_u32(nx_reader *reader, const char *key, uint32_t low, uint32_t high, uint32_t missing) {
    nx_metadata entry;
    int64_t value = missing;
    if (!reader->status && nx_gguf_find(reader->file, key, &entry)) {
        if (!integer_of(&entry, &value)) nx_reader_fail(reader, NX_E_FORMAT, key, "the key has another type than it should");
    } else if (missing < low)
        nx_reader_fail(reader, NX_E_FORMAT, key, "the key is missing");
    if (!reader->status && value < low) nx_reader_fail(reader, NX_E_FORMAT, key, "the number is too small");
    if (!reader->status && value > high) nx_reader_fail(reader, NX_E_LIMIT, key, "the number is too large");
    return reader->status ? low : (uint32_t)value; /* the result is always in range, so callers may use it before they check the status */
}

uint32_t nx_read_width(nx_reader *reader, const char *key, uint32_t high, uint32_t missing) {
    uint32_t width = nx_read_u32(reader, key, 4, high, missing);
    if (width % 4) nx_reader_fail(reader, NX_E_UNSUPPORTED, key, "a width is not a multiple of 4");
    return width;
}

float nx_read_f32(nx_reader *reader, const char *key, float low, float high, float missing) {
    nx_metadata entry;
    float value = missing;
    if (find(reader, key, GGUF_F32, &entry)) memcpy(&value, entry.value, 4);
    if (value >= low && value <= high) return value;
    nx_reader_fail(reader, NX_E_FORMAT, key, "the number is out of its range");
    return missing; /* the result is always in range, so callers may use it before they check the status */
}

uint32_t nx_read_choice(nx_reader *reader, const char *key, const char *const *names, uint32_t n) {
    nx_metadata entry;
    if (!find(reader, key, GGUF_STRING, &entry)) return 0;
    for (uint32_t i = 0; i < n; i++)
        if (entry.value_bytes - 8 == strlen(names[i]) && !memcmp((const char *)entry.value + 8, names[i], entry.value_bytes - 8)) return i;
    nx_reader_fail(reader, NX_E_UNSUPPORTED, key, "a variant that this version does not support");
    return 0;
}

uint32_t nx_read_strings(nx_reader *reader, const char *key, uint32_t limit) {
    nx_metadata entry;
    if (!find(reader, key, GGUF_ARRAY, &entry)) return 0;
    if (entry.item_type != GGUF_STRING) nx_reader_fail(reader, NX_E_FORMAT, key, "not an array of strings");
    if (entry.count > limit) nx_reader_fail(reader, NX_E_LIMIT, key, "too many items");
    return reader->status ? 0 : entry.count;
}

uint32_t nx_read_numbers(nx_reader *reader, const char *key, uint32_t low, uint32_t high, uint32_t *numbers, uint32_t limit) {
    nx_metadata entry;
    if (!find(reader, key, GGUF_ARRAY, &entry)) return 0;
    if (entry.item_type != GGUF_I32 && entry.item_type != GGUF_U32) nx_reader_fail(reader, NX_E_FORMAT, key, "not an array of integers");
    if (entry.count > limit) nx_reader_fail(reader, NX_E_LIMIT, key, "too many items");
    for (uint32_t i = 0; !reader->status && i < entry.count; i++) {
        memcpy(numbers + i, (const uint8_t *)entry.value + 4 * i, 4);
        if (numbers[i] < low || numbers[i] > high) nx_reader_fail(reader, NX_E_LIMIT, key, "a number is out of its range");
    }
    return reader->status ? 0 : entry.count;
}

static char *append(char *at, const char *text) {
    size_t n = strlen(text);
    memcpy(at, text, n + 1);
    return at + n;
}

/* Writes a number in decimal into `room`. */
static const char *digits(char room[11], uint32_t number) {
    char *first = room + 10;
    *first = 0;
    do *--first = (char)('0' + number % 10);
    while (number /= 10);
    return first;
}

nx_name nx_block_name(const char *stack, uint32_t block, const char *part, const char *kind) {
    nx_name name;
    char room[11], *at = append(append(name.text, stack), "blk.");
    append(append(append(append(at, digits(room, block)), "."), part), kind);
    return name;
}

nx_name nx_joined(const char *first, const char *second) {
    nx_name name;
    append(append(name.text, first), second);
    return name;
}

nx_name nx_key(const char *arch, const char *name) {
    nx_name key;
    append(append(append(key.text, arch), "."), name);
    return key;
}

/* Rejects a tensor that a model needs, with a reason such as "its type is IQ2_XS, which is not read". */
static void refuse_type(nx_reader *reader, const char *name, uint32_t type) {
#define NX_NAME(name, code, ...) [code] = #name,
    static const char *const known[] = {NX_TENSOR_TYPES(NX_NOTHING, NX_NAME)};
    char reason[NX_NAME_BYTES], number[11];
    const char *word = type < sizeof known / sizeof *known ? known[type] : NULL;
    append(append(append(reason, "its type is "), word ? word : digits(number, type)), ", which is not read");
    nx_reader_fail(reader, NX_E_UNSUPPORTED, name, reason);
}

/* Finds a tensor of shape (rows, cols); a vector has one row. Counts the weights of the tensor, and checks them if they are present. */
static int find_tensor(nx_reader *reader, const char *name, uint32_t rows, uint32_t cols, int optional, nx_tensor *tensor) {
    if (reader->status) return 0;
    if (!nx_gguf_tensor(reader->file, name, tensor)) {
        if (!optional) nx_reader_fail(reader, NX_E_FORMAT, name, "the tensor is missing");
        return 0;
    }
    if (tensor->dim[0] != cols || tensor->dim[1] != rows || tensor->dim[2] != 1 || tensor->dim[3] != 1)
        nx_reader_fail(reader, NX_E_FORMAT, name, "the tensor has another shape than the metadata say");
    else if (!nx_type_of(tensor->type) || (!NX_TEXTS && nx_matrix_form(tensor->type, NX_BY_ROW) > NX_Q8_0))
        refuse_type(reader, name, tensor->type);
    else if (tensor->data && !nx_all_finite(tensor->type, tensor->data, tensor->bytes))
        nx_reader_fail(reader, NX_E_NUMERIC, name, "a weight is not finite");
    else
        reader->parameters[reader->part] += (uint64_t)rows * cols;
    return !reader->status;
}

/* Stores a tensor at its destination. If the tensor's data are not present yet, only the destination is recorded. */
static void settle(nx_reader *reader, const char *name, const nx_tensor *tensor, nx_destination to) {
    to.type = tensor->type;
    to.cols = tensor->dim[0];
    to.rows = tensor->dim[1];
    to.row_bytes = (uint32_t)nx_row_bytes(to.type, to.cols);
    to.offset = tensor->offset;
    if (to.to && tensor->data) nx_destination_fill(&to, 0, to.rows, tensor->data);
    for (uint32_t i = 0; to.to && reader->destinations && i < reader->file->n_tensors; i++) {
        if (reader->destinations[i].offset != to.offset) continue;
        if (reader->destinations[i].kind) nx_reader_fail(reader, NX_E_ARGUMENT, name, "the tensor has two uses");
        to.entry = reader->destinations[i].entry;
        reader->destinations[i] = to;
        return;
    }
}

nx_matrix nx_read_matrix(nx_reader *reader, const char *name, uint32_t rows, uint32_t cols) {
    nx_tensor tensor;
    nx_matrix matrix = {NX_F32, rows, cols, NULL};
    if (!find_tensor(reader, name, rows, cols, 0, &tensor)) return matrix;
    matrix.type = nx_matrix_form(tensor.type, reader->packing);
    void *packed = nx_arena_take(reader->arena, nx_matrix_bytes(matrix.type, rows, cols));
    matrix.packed = packed;
    settle(reader, name, &tensor, (nx_destination){.kind = NX_PACKED, .to = packed, .form = matrix.type});
    return matrix;
}

nx_embedding nx_read_embedding(nx_reader *reader, const char *name, uint32_t rows, uint32_t cols) {
    nx_tensor tensor;
    nx_embedding table = {NX_F32, rows, cols, NULL};
    if (!find_tensor(reader, name, rows, cols, 0, &tensor)) return table;
    void *data = nx_arena_take(reader->arena, tensor.bytes);
    table.type = tensor.type;
    table.data = data;
    settle(reader, name, &tensor, (nx_destination){.kind = NX_AS_IT_IS, .to = data});
    return table;
}

const float *nx_read_table(nx_reader *reader, const char *name, uint32_t rows, uint32_t cols) {
    nx_tensor tensor;
    if (!find_tensor(reader, name, rows, cols, 0, &tensor)) return NULL;
    float *table = nx_arena_take(reader->arena, (uint64_t)rows * cols * sizeof *table);
    settle(reader, name, &tensor, (nx_destination){.kind = NX_FLOATS, .to = table});
    return table;
}

/* Reads a vector. Its numbers must be in the range low..high. If low and high are both 0, any finite numbers are accepted. */
static const float *read_vector(nx_reader *reader, const char *name, uint32_t n, float low, float high, int optional) {
    nx_tensor tensor;
    if (!find_tensor(reader, name, 1, n, optional, &tensor)) return NULL;
    float *vector = nx_arena_columns(reader->arena, 1, n);
    for (uint32_t i = n; vector && i < nx_stride(n); i++) vector[i] = 0;
    nx_destination to = {.kind = NX_FLOATS, .to = vector, .low = low, .high = high};
    if (tensor.data && !nx_destination_fits(&to, tensor.type, tensor.data, tensor.bytes))
        nx_reader_fail(reader, NX_E_FORMAT, name, "a number is out of its range");
    settle(reader, name, &tensor, to);
    return vector;
}

const float *nx_read_vector(nx_reader *reader, const char *name, uint32_t n, int optional) {
    return read_vector(reader, name, n, 0, 0, optional);
}

const float *nx_read_vector_within(nx_reader *reader, const char *name, uint32_t n, float low, float high, int optional) {
    nx_tensor tensor;
    if (!reader->status && nx_gguf_tensor(reader->file, name, &tensor) && tensor.type != NX_F32)
        nx_reader_fail(reader, NX_E_UNSUPPORTED, name, "the tensor's type is not F32");
    return read_vector(reader, name, n, low, high, optional);
}

uint32_t nx_tensor_rows(const nx_reader *reader, const char *name) {
    nx_tensor tensor;
    return !reader->status && nx_gguf_tensor(reader->file, name, &tensor) ? tensor.dim[1] : 0;
}

int nx_has_key(const nx_reader *reader, const char *key) {
    nx_metadata entry;
    return !reader->status && nx_gguf_find(reader->file, key, &entry);
}

uint32_t nx_tensor_columns(const nx_reader *reader, const char *name) {
    nx_tensor tensor;
    return !reader->status && nx_gguf_tensor(reader->file, name, &tensor) ? tensor.dim[0] : 0;
}

uint32_t nx_read_vocabulary(nx_reader *reader, const char *tensor) {
    static const char *const tokens = "tokenizer.ggml.tokens";
    uint32_t values = nx_tensor_rows(reader, tensor);
    if (!reader->status && !values) nx_reader_fail(reader, NX_E_FORMAT, tensor, "the tensor is missing");
    if (values > NX_MAX_VALUES) nx_reader_fail(reader, NX_E_LIMIT, tensor, "too many tokens");
    if (nx_has_key(reader, tokens)) {
        uint32_t count = nx_read_strings(reader, tokens, NX_MAX_VALUES);
        if (count < values) nx_reader_fail(reader, NX_E_FORMAT, tokens, "fewer tokens than the model has");
        if (count > values) nx_reader_fail(reader, NX_E_FORMAT, tokens, "more tokens than the model has");
    }
    return values;
}

void nx_read_ends(nx_reader *reader, nx_plan *plan) {
    static const char *const keys[] = {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"};
    for (uint32_t i = 0; i < 2; i++) {
        nx_metadata entry;
        int64_t id;
        if (reader->status || !nx_gguf_find(reader->file, keys[i], &entry)) continue;
        if (!integer_of(&entry, &id))
            nx_reader_fail(reader, NX_E_FORMAT, keys[i], "the key has another type than it should");
        else if (id < 0 || id >= plan->output.values)
            continue; /* -1 means that there is no such id; an id outside the vocabulary is never drawn, so it cannot end a text */
        else if (!plan->n_ends || plan->ends[0] != id)
            plan->ends[plan->n_ends++] = (uint32_t)id;
    }
}

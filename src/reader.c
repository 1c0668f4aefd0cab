/* SPDX-License-Identifier: MIT  See reader.h. */
#include "reader.h"

#include <string.h>

void nx_reader_fail(nx_reader *reader, nx_status status, const char *name, const char *reason) {
    if (!reader->status) reader->status = nx_refuse(reader->problem, status, name, strlen(name), reason);
}

/* Finds a key of the wanted type; 0 when absent or after a failure. */
static int find(nx_reader *reader, const char *key, uint32_t type, nx_metadata *entry) {
    if (reader->status || !nx_gguf_find(reader->file, key, entry)) return 0;
    if (entry->type == type) return 1;
    nx_reader_fail(reader, NX_E_FORMAT, key, "the key has another type than it should");
    return 0;
}

uint32_t nx_read_u32(nx_reader *reader, const char *key, uint32_t low, uint32_t high, uint32_t missing) {
    nx_metadata entry;
    uint32_t value = missing;
    if (find(reader, key, GGUF_U32, &entry))
        memcpy(&value, entry.value, 4);
    else if (missing < low)
        nx_reader_fail(reader, NX_E_FORMAT, key, "the key is missing");
    if (!reader->status && value < low) nx_reader_fail(reader, NX_E_FORMAT, key, "the number is too small");
    if (!reader->status && value > high) nx_reader_fail(reader, NX_E_LIMIT, key, "the number is too large");
    return reader->status ? low : value; /* always in range, so that what is computed from it before the check is sound */
}

float nx_read_f32(nx_reader *reader, const char *key, float low, float high, float missing) {
    nx_metadata entry;
    float value = missing;
    if (find(reader, key, GGUF_F32, &entry)) memcpy(&value, entry.value, 4);
    if (value >= low && value <= high) return value;
    nx_reader_fail(reader, NX_E_FORMAT, key, "the number is out of its range");
    return missing; /* always in range, as above */
}

uint32_t nx_read_choice(nx_reader *reader, const char *key, const char *const *names, uint32_t n) {
    nx_metadata entry;
    if (!find(reader, key, GGUF_STRING, &entry)) return 0;
    for (uint32_t i = 0; i < n; i++)
        if (entry.value_bytes - 8 == strlen(names[i]) && !memcmp((const char *)entry.value + 8, names[i], entry.value_bytes - 8)) return i;
    nx_reader_fail(reader, NX_E_UNSUPPORTED, key, "a variant that this version does not know");
    return 0;
}

uint32_t nx_read_strings(nx_reader *reader, const char *key, uint32_t limit) {
    nx_metadata entry;
    if (!find(reader, key, GGUF_ARRAY, &entry)) return 0;
    if (entry.item_type != GGUF_STRING) nx_reader_fail(reader, NX_E_FORMAT, key, "not an array of strings");
    if (entry.count > limit) nx_reader_fail(reader, NX_E_LIMIT, key, "too many items");
    return reader->status ? 0 : entry.count;
}

static char *append(char *at, const char *text) {
    size_t n = strlen(text);
    memcpy(at, text, n + 1);
    return at + n;
}

/* A number in decimal, within `room`. */
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

nx_name nx_key(const char *arch, const char *name) {
    nx_name key;
    append(append(append(key.text, arch), "."), name);
    return key;
}

/* Whether every weight is finite: no exponent of a number or, in quantised types, of a scale may be all ones. */
static int all_finite(const nx_tensor *tensor) {
    const nx_type *type = nx_type_of(tensor->type);
    uint32_t bytes = tensor->type == NX_F32 ? 4 : 2, scales = type->scales ? type->scales : 1;
    uint32_t exponent = tensor->type == NX_F32 ? 0x7f800000 : tensor->type == NX_BF16 ? 0x7f80 : 0x7c00;
    for (uint32_t block = type->at; block < tensor->bytes; block += type->bytes)
        for (uint32_t i = 0; i < scales; i++) {
            uint32_t word = 0;
            memcpy(&word, tensor->data + block + i * bytes, bytes);
            if ((word & exponent) == exponent) return 0;
        }
    return 1;
}

/* "its type is IQ2_XS, which is not read", of a tensor that a model needs. */
static void refuse_type(nx_reader *reader, const char *name, uint32_t type) {
    static const char *const known[] = {
        [9] = "Q8_1",   [15] = "Q8_K",  [16] = "IQ2_XXS", [17] = "IQ2_XS", [18] = "IQ3_XXS", [19] = "IQ1_S", [20] = "IQ4_NL",
        [21] = "IQ3_S", [22] = "IQ2_S", [23] = "IQ4_XS",  [24] = "I8",     [25] = "I16",     [26] = "I32",   [27] = "I64",
        [28] = "F64",   [29] = "IQ1_M", [34] = "TQ1_0",   [35] = "TQ2_0",  [39] = "MXFP4",
    };
    char reason[NX_NAME_BYTES], number[11];
    const char *word = type < sizeof known / sizeof *known ? known[type] : NULL;
    append(append(append(reason, "its type is "), word ? word : digits(number, type)), ", which is not read");
    nx_reader_fail(reader, NX_E_UNSUPPORTED, name, reason);
}

/* Finds a tensor of shape (rows, cols); a vector is one row. Counts its weights. */
static int find_tensor(nx_reader *reader, const char *name, uint32_t rows, uint32_t cols, int optional, nx_tensor *tensor) {
    if (reader->status) return 0;
    if (!nx_gguf_tensor(reader->file, name, tensor)) {
        if (!optional) nx_reader_fail(reader, NX_E_FORMAT, name, "the tensor is missing");
        return 0;
    }
    if (tensor->dim[0] != cols || tensor->dim[1] != rows || tensor->dim[2] != 1 || tensor->dim[3] != 1)
        nx_reader_fail(reader, NX_E_FORMAT, name, "the tensor has another shape than the metadata say");
    else if (!nx_type_of(tensor->type))
        refuse_type(reader, name, tensor->type);
    else if (!all_finite(tensor))
        nx_reader_fail(reader, NX_E_NUMERIC, name, "a weight is not finite");
    else
        reader->parameters += (uint64_t)rows * cols;
    return !reader->status;
}

nx_matrix nx_read_matrix(nx_reader *reader, const char *name, uint32_t rows, uint32_t cols) {
    nx_tensor tensor;
    nx_matrix matrix = {NX_F32, rows, cols, NULL};
    if (!find_tensor(reader, name, rows, cols, 0, &tensor)) return matrix;
    matrix.type = nx_matrix_form(tensor.type, reader->packing);
    void *packed = nx_arena_take(reader->arena, nx_matrix_bytes(matrix.type, rows, cols));
    matrix.packed = packed;
    if (packed) nx_matrix_pack(&matrix, packed, tensor.data, tensor.type);
    return matrix;
}

nx_embedding nx_read_embedding(nx_reader *reader, const char *name, uint32_t rows, uint32_t cols) {
    nx_tensor tensor;
    nx_embedding table = {NX_F32, rows, cols, NULL};
    if (!find_tensor(reader, name, rows, cols, 0, &tensor)) return table;
    uint8_t *data = nx_arena_take(reader->arena, tensor.bytes);
    if (data) memcpy(data, tensor.data, tensor.bytes);
    table.type = tensor.type;
    table.data = data;
    return table;
}

const float *nx_read_table(nx_reader *reader, const char *name, uint32_t rows, uint32_t cols) {
    nx_tensor tensor;
    if (!find_tensor(reader, name, rows, cols, 0, &tensor)) return NULL;
    float *table = nx_arena_take(reader->arena, (uint64_t)rows * cols * sizeof *table);
    size_t row_bytes = tensor.bytes / rows;
    if (table)
        for (uint32_t r = 0; r < rows; r++) nx_dequantize(table + (size_t)r * cols, tensor.data + r * row_bytes, tensor.type, cols);
    return table;
}

const float *nx_read_vector(nx_reader *reader, const char *name, uint32_t n, int optional) {
    nx_tensor tensor;
    if (!find_tensor(reader, name, 1, n, optional, &tensor)) return NULL;
    float *vector = nx_arena_take(reader->arena, nx_stride(n) * sizeof *vector);
    if (vector) {
        nx_dequantize(vector, tensor.data, tensor.type, n);
        for (uint32_t i = n; i < nx_stride(n); i++) vector[i] = 0;
    }
    return vector;
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

const float *nx_read_vector_within(nx_reader *reader, const char *name, uint32_t n, float low, float high, int optional) {
    const float *vector = nx_read_vector(reader, name, n, optional);
    nx_tensor tensor;
    float value;
    if (reader->status || !nx_gguf_tensor(reader->file, name, &tensor)) return vector;
    if (tensor.type != NX_F32) {
        nx_reader_fail(reader, NX_E_UNSUPPORTED, name, "the tensor's type is not F32");
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        memcpy(&value, tensor.data + 4 * i, 4);
        if (!(value >= low && value <= high)) nx_reader_fail(reader, NX_E_FORMAT, name, "a number is out of its range");
    }
    return vector;
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
        if (!nx_has_key(reader, keys[i]) || !plan->output.levels) continue;
        uint32_t id = nx_read_u32(reader, keys[i], 0, plan->output.levels - 1, 0);
        if (!plan->n_ends || plan->ends[0] != id) plan->ends[plan->n_ends++] = id;
    }
}

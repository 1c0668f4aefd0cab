/* SPDX-License-Identifier: MIT
 *
 * See gguf.h. A cursor advances over the bytes. After a read that goes beyond the end or meets invalid data, the cursor keeps its error
 * status, and every further read yields zero. The code below can therefore follow the format and check the status only once per entry.
 */
#include "gguf.h"

#include <string.h>

#include "kernels/kernels.h" /* forms of packed matrices */

typedef struct {
    const uint8_t *bytes;
    uint64_t at, length; /* length: number of bytes present */
    uint64_t total;      /* size of the file */
    nx_status status;
} cursor;

/* Advances over `n` bytes and returns their start; if the file is too short, returns 8 zero bytes. */
static const uint8_t *take(cursor *c, uint64_t n) {
    static const uint8_t zeros[8];
    if (c->status || n > c->length - c->at) {
        if (!c->status) c->status = n > c->total - c->at ? NX_E_FORMAT : NX_MORE;
        return zeros;
    }
    const uint8_t *p = c->bytes + c->at;
    c->at += n;
    return p;
}

static uint32_t load_u32(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}
static uint64_t load_u64(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}
static uint32_t take_u32(cursor *c) { return load_u32(take(c, 4)); }
static uint64_t take_u64(cursor *c) { return load_u64(take(c, 8)); }

/* Reads a string. Returns the address of its bytes, and writes its length to *n. */
static const char *take_string(cursor *c, uint64_t *n) {
    *n = take_u64(c);
    const uint8_t *p = take(c, *n);
    if (c->status) *n = 0;
    return (const char *)p;
}

/* Returns the size of a scalar value; 0 for a string, an array or an unknown type. */
static uint32_t scalar_bytes(uint32_t type) {
    static const uint8_t size[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    return type < sizeof size ? size[type] : 0;
}

/* Skips `count` values of a type other than array. */
static void skip_values(cursor *c, uint32_t type, uint64_t count) {
    if (type == GGUF_STRING) {
        uint64_t n;
        for (uint64_t i = 0; i < count && !c->status; i++) take_string(c, &n);
        return;
    }
    uint32_t size = scalar_bytes(type);
    if (!size || count > c->total) {
        if (!c->status) c->status = NX_E_FORMAT;
        return;
    }
    const uint8_t *p = take(c, count * size);
    if (type == GGUF_BOOL && !c->status)
        for (uint64_t i = 0; i < count; i++)
            if (p[i] > 1) c->status = NX_E_FORMAT;
}

/* Reads one entry of the metadata. */
static void take_entry(cursor *c, nx_metadata *entry) {
    uint64_t n, count = 1;
    entry->key = take_string(c, &n);
    entry->key_bytes = (uint32_t)n;
    entry->type = entry->item_type = take_u32(c);
    if (entry->type == GGUF_ARRAY) {
        entry->item_type = take_u32(c);
        count = take_u64(c);
        if (entry->item_type == GGUF_ARRAY && !c->status) c->status = NX_E_UNSUPPORTED;
    }
    entry->count = (uint32_t)count;
    uint64_t start = c->at;
    skip_values(c, entry->item_type, count);
    entry->value = c->bytes + (c->status ? 0 : start);
    entry->value_bytes = (uint32_t)(c->at - start);
}

const nx_type *nx_type_of(uint32_t type) {
#define NX_ROW(name, code, values, bytes, scale, scales, at, form) [code] = {values, bytes, scale, scales, at, form},
    static const nx_type types[] = {NX_TENSOR_TYPES(NX_ROW, NX_NOTHING)};
    return type < sizeof types / sizeof *types && types[type].values ? types + type : NULL;
}

uint64_t nx_row_bytes(uint32_t type, uint64_t columns) {
    const nx_type *t = nx_type_of(type);
    return !t || columns % t->values ? 0 : columns / t->values * t->bytes;
}

/* Reads one tensor's entry. On failure, c->status is not NX_OK and *reason describes the error. */
static void take_tensor(cursor *c, const nx_gguf *file, const char **name, uint64_t *name_bytes, nx_tensor *tensor, const char **reason) {
    *reason = "the file ends inside the list of tensors";
    *name = take_string(c, name_bytes);
    memset(tensor, 0, sizeof *tensor);
    tensor->n_dims = take_u32(c);
    if (c->status) return;
    if (*name_bytes > GGUF_MAX_NAME || tensor->n_dims < 1 || tensor->n_dims > GGUF_MAX_DIMENSIONS) {
        *reason = *name_bytes > GGUF_MAX_NAME ? "the tensor's name is too long" : "the number of dimensions is not 1 to 4";
        c->status = NX_E_LIMIT;
        return;
    }
    uint64_t rows = 1;
    for (uint32_t i = 0; i < GGUF_MAX_DIMENSIONS; i++) {
        uint64_t d = i < tensor->n_dims ? take_u64(c) : 1;
        if (c->status) return;
        /* Each dimension, and the product of all dimensions except the first, stays below 2^31, so the products below do not overflow. */
        if (d < 1 || d >= GGUF_MAX_DIM || (i && d * rows >= GGUF_MAX_DIM)) {
            *reason = "a dimension is zero or absurd";
            c->status = NX_E_FORMAT;
            return;
        }
        if (i) rows *= d;
        tensor->dim[i] = (uint32_t)d;
    }
    tensor->type = take_u32(c);
    uint64_t offset = take_u64(c);
    if (c->status) return;
    uint64_t row = nx_row_bytes(tensor->type, tensor->dim[0]);
    if (!row && nx_type_of(tensor->type)) { /* unknown types are accepted here; reader.c rejects them if a model needs the tensor */
        *reason = "a quantised row is not a multiple of its blocks";
        c->status = NX_E_FORMAT;
        return;
    }
    uint64_t bytes = row * rows; /* below 2^33 * 2^31 */
    tensor->bytes = (uint32_t)bytes;
    if (!file->data) return; /* first pass: the start of the data is not known yet */
    uint64_t room = file->length - file->data;
    if (offset > room || bytes > room - offset) {
        *reason = "the tensor's data lie outside the file";
        c->status = NX_E_FORMAT;
        return;
    }
    tensor->offset = (uint32_t)(file->data + offset);
    tensor->data = file->present == file->length ? file->bytes + tensor->offset : NULL;
}

static size_t text_bytes(const char *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

nx_status nx_refuse(nx_problem *problem, nx_status status, const char *name, size_t name_bytes, const char *reason) {
    if (!problem) return status;
    memset(problem, 0, sizeof *problem);
    memcpy(problem->name, name, name_bytes < NX_NAME_BYTES ? name_bytes : NX_NAME_BYTES - 1);
    size_t n = text_bytes(reason);
    memcpy(problem->reason, reason, n < NX_NAME_BYTES ? n : NX_NAME_BYTES - 1);
    return status;
}

/* Returns whether the entry at `offset` begins with this name. */
static int name_is(const nx_gguf *file, uint32_t offset, const char *name, uint64_t bytes) {
    return load_u64(file->bytes + offset) == bytes && !memcmp(file->bytes + offset + 8, name, bytes);
}

static nx_status parse_keys(nx_gguf *file, cursor *c, uint32_t *alignment, nx_problem *problem) {
    *alignment = 32;
    for (uint32_t i = 0; i < file->n_keys; i++) {
        nx_metadata entry;
        file->key[i] = (uint32_t)c->at;
        take_entry(c, &entry);
        if (c->status)
            return nx_refuse(problem, c->status, "", 0,
                             c->status == NX_E_UNSUPPORTED ? "an array of arrays in the metadata"
                                                           : "the metadata are damaged or cut short");
        if (entry.key_bytes < 1 || entry.key_bytes > GGUF_MAX_NAME)
            return nx_refuse(problem, NX_E_LIMIT, entry.key, entry.key_bytes, "a metadata key is empty or too long");
        for (uint32_t j = 0; j < i; j++)
            if (name_is(file, file->key[j], entry.key, entry.key_bytes))
                return nx_refuse(problem, NX_E_FORMAT, entry.key, entry.key_bytes, "the key occurs twice in the file");
        if (name_is(file, file->key[i], "general.alignment", 17)) {
            *alignment = entry.type == GGUF_U32 ? load_u32(entry.value) : 0;
            if (*alignment < 1 || *alignment > GGUF_MAX_ALIGNMENT || (*alignment & (*alignment - 1)))
                return nx_refuse(problem, NX_E_FORMAT, entry.key, entry.key_bytes, "the alignment is not a power of two");
        }
    }
    file->keys_end = (uint32_t)c->at;
    return NX_OK;
}

/* Parses the list of tensors. The first pass finds where the data start; the second pass checks that each tensor is inside the data. */
static nx_status parse_tensors(nx_gguf *file, cursor *c, nx_problem *problem) {
    for (uint32_t i = 0; i < file->n_tensors; i++) {
        nx_tensor tensor;
        const char *name, *reason;
        uint64_t name_bytes;
        file->tensor[i] = (uint32_t)c->at;
        take_tensor(c, file, &name, &name_bytes, &tensor, &reason);
        if (c->status) return nx_refuse(problem, c->status, name, name_bytes, reason);
        if (file->data) { /* second pass: the start of the data is known */
            file->begin[i] = tensor.offset;
            file->end[i] = file->begin[i] + tensor.bytes;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (!file->data && name_is(file, file->tensor[j], name, name_bytes))
                return nx_refuse(problem, NX_E_FORMAT, name, name_bytes, "the tensor occurs twice in the file");
            if (file->data && file->begin[i] < file->end[j] && file->begin[j] < file->end[i])
                return nx_refuse(problem, NX_E_FORMAT, name, name_bytes, "the tensor's data overlap those of another tensor");
        }
    }
    return NX_OK;
}

nx_status nx_gguf_parse(nx_gguf *file, const void *bytes, size_t present, size_t length, nx_problem *problem) {
    memset(file, 0, sizeof *file);
    if (length > GGUF_MAX_BYTES) return nx_refuse(problem, NX_E_LIMIT, "", 0, "the file is larger than 3.75 GiB");
    file->bytes = bytes;
    file->length = (uint32_t)length;
    file->present = (uint32_t)(present < length ? present : length);
    cursor c = {bytes, 0, file->present, file->length, NX_OK};

    if (present < 24 && present < length) return NX_MORE;
    if (memcmp(take(&c, 4), "GGUF", 4) || c.status) return nx_refuse(problem, NX_E_FORMAT, "", 0, "not a GGUF file");
    uint32_t version = take_u32(&c);
    uint64_t n_tensors = take_u64(&c), n_keys = take_u64(&c);
    if (c.status) return nx_refuse(problem, NX_E_FORMAT, "", 0, "the file ends inside its header");
    if (version != 2 && version != 3) /* versions 2 and 3 have the same layout; only version 3 may be big-endian */
        return nx_refuse(problem, NX_E_UNSUPPORTED, "", 0,
                         version == 0x03000000 || version == 0x02000000 ? "a big-endian GGUF file" : "the GGUF version is neither 2 nor 3");
    if (n_keys > GGUF_MAX_KEYS) return nx_refuse(problem, NX_E_LIMIT, "", 0, "more than 1024 metadata keys");
    if (n_tensors > GGUF_MAX_TENSORS) return nx_refuse(problem, NX_E_LIMIT, "", 0, "more than 2048 tensors");
    file->n_keys = (uint32_t)n_keys;
    file->n_tensors = (uint32_t)n_tensors;

    uint32_t alignment;
    nx_status status = parse_keys(file, &c, &alignment, problem);
    if (status) return status;
    status = parse_tensors(file, &c, problem);
    if (status) return status;

    file->head_end = (uint32_t)c.at;
    uint64_t data = (c.at + alignment - 1) / alignment * alignment;
    if (n_tensors && data > length) return nx_refuse(problem, NX_E_FORMAT, "", 0, "the file ends before the tensors' data");
    file->data = (uint32_t)(data < length ? data : length);
    c.at = file->keys_end;
    return parse_tensors(file, &c, problem);
}

void nx_gguf_entry(const uint8_t *bytes, uint32_t length, uint32_t offset, nx_metadata *entry) {
    cursor c = {bytes, offset, length, length, NX_OK};
    take_entry(&c, entry);
}

int nx_gguf_find(const nx_gguf *file, const char *key, nx_metadata *entry) {
    for (uint32_t i = 0; i < file->n_keys; i++)
        if (name_is(file, file->key[i], key, text_bytes(key))) {
            nx_gguf_entry(file->bytes, file->present, file->key[i], entry);
            return 1;
        }
    return 0;
}

void nx_gguf_tensor_at(const nx_gguf *file, uint32_t index, nx_tensor *tensor) {
    cursor c = {file->bytes, file->tensor[index], file->present, file->present, NX_OK};
    const char *text;
    uint64_t bytes;
    take_tensor(&c, file, &text, &bytes, tensor, &text);
}

int nx_gguf_tensor(const nx_gguf *file, const char *name, nx_tensor *tensor) {
    for (uint32_t i = 0; i < file->n_tensors; i++)
        if (name_is(file, file->tensor[i], name, text_bytes(name))) {
            nx_gguf_tensor_at(file, i, tensor);
            return 1;
        }
    return 0;
}

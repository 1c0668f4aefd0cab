/* SPDX-License-Identifier: MIT
 *
 * Reads GGUF files (versions 2 and 3). No other code parses untrusted bytes. nx_gguf_parse checks every count, length, type, size and
 * offset against the file. Once nx_gguf_parse succeeds, the data of every entry are inside the file.
 *
 * The format, little-endian throughout:
 *   magic "GGUF", u32 version, u64 tensor count, u64 key count
 *   per key:    string key, u32 value type, value
 *               string = u64 length, bytes; array = u32 type, u64 count, items
 *   per tensor: string name, u32 dimension count, u64 dimensions (fastest first), u32 type, u64 offset into the data
 *   padding to general.alignment (32 when absent), then the tensors' data, which do not overlap
 */
#ifndef NX_GGUF_H
#define NX_GGUF_H

#include <stddef.h>
#include <stdint.h>

#include "nextpixel.h"
#include "tensor_types.h"

/* Limits of a file. */
#define GGUF_MAX_BYTES 0xf0000000u /* 3.75 GiB */
#define GGUF_MAX_DIM 0x80000000u   /* limit on the numbers of columns and of rows, so that the size of a tensor fits 64 bits */
#define GGUF_MAX_KEYS 1024u
#define GGUF_MAX_TENSORS 2048u
#define GGUF_MAX_NAME 255u /* maximum number of bytes of a key or of a tensor's name */
#define GGUF_MAX_DIMENSIONS 4u
#define GGUF_MAX_ALIGNMENT 65536u

enum {
    GGUF_U8,
    GGUF_I8,
    GGUF_U16,
    GGUF_I16,
    GGUF_U32,
    GGUF_I32,
    GGUF_F32,
    GGUF_BOOL,
    GGUF_STRING,
    GGUF_ARRAY,
    GGUF_U64,
    GGUF_I64,
    GGUF_F64
};

/* The supported types of tensors: NX_F32, NX_F16, ... */
#define NX_CODE(name, code, ...) NX_##name = code,
#define NX_NOTHING(...)
enum { NX_TENSOR_TYPES(NX_CODE, NX_NOTHING) };

/* The sizes of blocks in bytes: F32_BYTES, Q8_0_BYTES, ... */
#define NX_BLOCK_BYTES(name, code, values, bytes, ...) name##_BYTES = bytes,
enum { NX_TENSOR_TYPES(NX_BLOCK_BYTES, NX_NOTHING) };

/* The format of a block's scale or, for a type without blocks, the format of its values. E8M0: a byte e, which means 2^(e - 127). */
typedef enum { NX_F32_SCALE, NX_HALF_SCALE, NX_BF16_SCALE, NX_E8M0_SCALE } nx_scale;

/* Layout of a type. Each block has `bytes` bytes, `values` values and `scales` scales. The scales have the format `scale` and start at byte
 * `at`. `form` is the form in which a matrix of this type is packed by block (kernels/kernels.h). */
typedef struct {
    uint16_t values, bytes;
    uint8_t scale, scales, at, form;
} nx_type;

/* Returns the layout of a supported type, or null for any other type. */
const nx_type *nx_type_of(uint32_t type);

/* Returns the size in bytes of a row of `columns` values; 0 for an unsupported type, or if `columns` is not a multiple of the type's block
 * length. */
uint64_t nx_row_bytes(uint32_t type, uint64_t columns);

typedef struct {
    const uint8_t *bytes; /* the file, or its head: everything before the tensors' data */
    uint32_t length;      /* size of the whole file */
    uint32_t present;     /* number of bytes present */
    uint32_t n_keys, n_tensors;
    uint32_t keys_end;                 /* offset after the last key, which is the end of the metadata */
    uint32_t head_end;                 /* offset after the list of tensors */
    uint32_t data;                     /* offset of the tensors' data */
    uint32_t key[GGUF_MAX_KEYS];       /* offset of each key's entry */
    uint32_t tensor[GGUF_MAX_TENSORS]; /* offset of each tensor's entry */
    uint32_t begin[GGUF_MAX_TENSORS];  /* offsets of the tensors' data */
    uint32_t end[GGUF_MAX_TENSORS];
} nx_gguf;

typedef struct {
    uint32_t type;
    uint32_t n_dims;
    uint32_t dim[GGUF_MAX_DIMENSIONS]; /* fastest first: dim[0] counts columns, dim[1] counts rows; unused dimensions are 1 */
    uint32_t offset;                   /* offset of the tensor's data in the file */
    const uint8_t *data;               /* null if only the head is present */
    uint32_t bytes;                    /* size of the tensor's data; 0: the type is not supported */
} nx_tensor;

/* Checks the structure of a file and indexes it. bytes: the file's first `present` bytes; length: size of the whole file. Returns NX_OK,
 * NX_E_FORMAT, NX_E_UNSUPPORTED or NX_E_LIMIT; NX_MORE if `bytes` ends before the data of the tensors. */
nx_status nx_gguf_parse(nx_gguf *file, const void *bytes, size_t present, size_t length, nx_problem *problem);

/* Reads the entry of a key at `offset`. The metadata must have been checked. After the call, *entry contains pointers into `bytes`. */
void nx_gguf_entry(const uint8_t *bytes, uint32_t length, uint32_t offset, nx_metadata *entry);

/* Looks up a key or a tensor by name. Returns 1 if the name exists. */
int nx_gguf_find(const nx_gguf *file, const char *key, nx_metadata *entry);
int nx_gguf_tensor(const nx_gguf *file, const char *name, nx_tensor *tensor);

/* Returns the tensor at an index below n_tensors. */
void nx_gguf_tensor_at(const nx_gguf *file, uint32_t index, nx_tensor *tensor);

/* Records the reason why a file is rejected, and returns `status`. `name` has name_bytes bytes and is truncated if necessary. */
nx_status nx_refuse(nx_problem *problem, nx_status status, const char *name, size_t name_bytes, const char *reason);

#endif

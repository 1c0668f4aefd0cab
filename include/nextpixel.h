/* SPDX-License-Identifier: MIT
 *
 * nextpixel: self-attention generative models, one element at a time.
 *
 * A model is a distribution over the next element given the elements before it. Elements are the bytes of an image in
 * generation order (raster order: rows, columns, channels within a pixel). This header is the whole public C interface
 * and its manual; web/lib/core.js is its only caller in the browser.
 *
 * Life of a model:    bytes of a GGUF file -> nx_model_size -> nx_model_open   (the file's bytes are free afterwards)
 * Life of a run:      nx_session_size -> nx_session_open -> nx_session_prefill* -> nx_session_step*
 *
 * Memory. The library never allocates. It says how many bytes it needs, the caller hands one block aligned to NX_ALIGN,
 * and everything lives there; dropping the block is the destructor. A model is read-only after nx_model_open, so any
 * number of sessions may share it. A session holds no pointer, so its block may be moved, copied (a fork), written to
 * a file and read back (nx_session_check first): the copy continues the same run with the same bits.
 *
 * Determinism. The same model, settings and known elements give the same values and the same nats, bit for bit, in every
 * build of this library, however the calls are divided and however many samples advance together.
 *
 * Errors. Every fallible function returns an nx_status: NX_OK (0) or a negative code from the closed list below. A null
 * or misaligned pointer is a programmer's error and undefined.
 */
#ifndef NEXTPIXEL_H
#define NEXTPIXEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NX_ABI_VERSION 1
#define NX_ALIGN 16 /* bytes; alignment of every block handed to the library */

#if defined(__wasm__)
#define NX_API __attribute__((visibility("default")))
#else
#define NX_API
#endif

/* Stated limits. A file or a request beyond them is NX_E_LIMIT. */
#define NX_MAX_SIDE 256       /* pixels: image width and height */
#define NX_MAX_LEVELS 256     /* values per channel */
#define NX_MAX_SAMPLES 64     /* sequences advanced together in one session */
#define NX_MAX_CLASSES 65536  /* rows of the class table */
#define NX_NAME_BYTES 80      /* room for a name in nx_problem, final zero included */

typedef int32_t nx_status;
enum {
    NX_OK = 0,
    NX_E_ARGUMENT = -1,    /* a number given by the caller is out of range */
    NX_E_FORMAT = -2,      /* not a GGUF file, or truncated, or inconsistent with itself */
    NX_E_UNSUPPORTED = -3, /* a valid file that this library does not run: version, architecture, type, variant */
    NX_E_LIMIT = -4,       /* beyond a stated limit */
    NX_E_MEMORY = -5,      /* the block handed in is too small */
    NX_E_NUMERIC = -6,     /* not-a-number or infinity in the weights or in the model's output */
    NX_E_STATE = -7        /* the bytes of a saved session do not belong to this model, or are damaged */
};

/* Where and why a file was refused. Written only when a function that takes it fails. */
typedef struct {
    char name[NX_NAME_BYTES];   /* the metadata key or tensor concerned, zero-terminated; empty: the file as a whole */
    char reason[NX_NAME_BYTES]; /* a short English phrase, zero-terminated */
} nx_problem;

/* What a model is. All fields are 32-bit so that JavaScript can mirror the struct by one table. */
typedef struct {
    uint32_t height, width; /* pixels */
    uint32_t channels;      /* 1 or 3 */
    uint32_t levels;        /* values per channel, 2..256 */
    uint32_t elements;      /* height * width * channels: steps in a complete image */
    uint32_t classes;       /* 0: the model takes no label */
    uint32_t blocks;        /* layers of attention */
    uint32_t heads;         /* attention heads per layer */
    uint32_t embedding;     /* model width d */
    uint32_t window;        /* the most positions that one query can see */
    uint32_t query_block;   /* l_q of local attention; 0: full causal attention */
    uint32_t memory_block;  /* l_m of local attention */
    uint32_t parameters_low, parameters_high; /* number of weights, 64 bits in two halves */
} nx_info;

/* One entry of the file's metadata. Pointers lead into the model's block; text is UTF-8 and not zero-terminated. */
typedef struct {
    const char *key;
    uint32_t key_bytes;
    uint32_t type;      /* GGUF value type: 0 u8 1 i8 2 u16 3 i16 4 u32 5 i32 6 f32 7 bool 8 string 9 array 10 u64 11 i64 12 f64 */
    uint32_t item_type; /* of an array's items; else the same as type */
    uint32_t count;     /* items of an array, else 1 */
    const void *value;  /* little-endian, unaligned, as in the file; each string preceded by its 64-bit length */
    uint32_t value_bytes;
} nx_metadata;

/* How a run draws its elements. All fields are 32-bit. */
typedef struct {
    uint32_t seed_low, seed_high; /* 64-bit seed of the noise */
    uint32_t samples;             /* B, 1..NX_MAX_SAMPLES: sequences advanced together */
    uint32_t first_sample;        /* the noise index of the first of them, so that a set can be split over workers */
    int32_t label;                /* class index, or -1 for none */
    float temperature;            /* logits are divided by it; 0: always the most probable value. Finite, 0..100 */
    uint32_t top_k;               /* keep the k most probable values; 0: all */
    float top_p;                  /* keep the smallest set of most probable values with at least this mass; in (0, 1]; 1: all */
    uint32_t trace;               /* 1: keep the attention weights of the last position for nx_session_attention */
} nx_settings;

typedef struct nx_model nx_model;
typedef struct nx_session nx_session;

/* The ABI version, NX_ABI_VERSION of the build. A caller compares it before anything else. */
NX_API uint32_t nx_abi_version(void);

/* Checks a file completely and computes the bytes of the block that nx_model_open will need.
 * file   (length) bytes, any alignment    bytes   written on success    problem   written on failure, may be null
 * Returns NX_OK, NX_E_FORMAT, NX_E_UNSUPPORTED, NX_E_LIMIT, or NX_E_NUMERIC for a weight that is not finite. */
NX_API nx_status nx_model_size(const void *file, size_t length, size_t *bytes, nx_problem *problem);

/* Reads a file into `block` and repacks its weights for the kernels. `*model` points into the block.
 * Returns as nx_model_size, and NX_E_MEMORY when block_bytes is too small. */
NX_API nx_status nx_model_open(void *block, size_t block_bytes, const void *file, size_t length, nx_model **model,
                               nx_problem *problem);

NX_API void nx_model_info(const nx_model *model, nx_info *info);

/* The metadata of the file, model card included: entry `index` of 0..count-1. Returns NX_E_ARGUMENT past the end. */
NX_API uint32_t nx_model_metadata_count(const nx_model *model);
NX_API nx_status nx_model_metadata(const nx_model *model, uint32_t index, nx_metadata *entry);

/* Bytes of a session's block for these settings. NX_E_ARGUMENT: a setting is out of its range for this model. */
NX_API nx_status nx_session_size(const nx_model *model, const nx_settings *settings, size_t *bytes);

/* Starts a run before its first element. `*session` points to `block`. Returns as nx_session_size, or NX_E_MEMORY. */
NX_API nx_status nx_session_open(void *block, size_t block_bytes, const nx_model *model, const nx_settings *settings,
                                 nx_session **session);

/* Whether `block` holds a session of this model that may be continued (a saved run read back). NX_OK or NX_E_STATE. */
NX_API nx_status nx_session_check(const nx_model *model, const void *block, size_t block_bytes);

/* Feeds `count` known elements, the next ones in generation order, the same to every sample, in passes of many columns.
 * May be called again to go on. Only before the first nx_session_step.
 * values (count) 8-bit; each is rounded to the nearest of the model's levels
 * nats   (count) written: -log p(value | all before it) of the model's own distribution (temperature 1, no filter);
 *        may be null, which saves the output layer
 * Returns NX_E_ARGUMENT when more elements than remain or after a step, NX_E_NUMERIC when the output is not finite. */
NX_API nx_status nx_session_prefill(const nx_model *model, nx_session *session, const uint8_t *values, uint32_t count,
                                    float *nats);

/* Draws the next `steps` elements of every sample.
 * Value v of position i of sample s is argmax_v( logit_v / T + G(seed, s, i, v) ), G standard Gumbel noise, over the values
 * that the top-k and top-p filters keep; ties go to the lowest value.
 * values (steps, B) written, 8-bit     nats (steps, B) written as in nx_session_prefill, may be null
 * Returns NX_E_ARGUMENT when fewer than `steps` elements remain (nothing is drawn); NX_E_NUMERIC leaves the session at
 * the element that failed. */
NX_API nx_status nx_session_step(const nx_model *model, nx_session *session, uint32_t steps, uint8_t *values,
                                 float *nats);

/* Elements known or drawn so far: the position of the next one. */
NX_API uint32_t nx_session_position(const nx_session *session);

/* Logits of the last position computed with its output layer (by a step, or a prefill with nats). logits (levels) written.
 * NX_E_ARGUMENT: no such sample, or no position computed yet. */
NX_API nx_status nx_session_logits(const nx_model *model, const nx_session *session, uint32_t sample, float *logits);

/* Attention weights of the last position computed, i, of a sample; needs settings.trace = 1.
 * weights (blocks, heads, to - from) written; *from..*to-1 are the key positions that i saw, to = i + 1. Key position j holds
 * element j-1 (position 0: the start, no element), for the input is shifted by one. Room for blocks * heads * info.window.
 * NX_E_ARGUMENT: no such sample, no position computed yet, or no trace. */
NX_API nx_status nx_session_attention(const nx_model *model, const nx_session *session, uint32_t sample, float *weights,
                                      uint32_t *from, uint32_t *to);

#ifdef __cplusplus
}
#endif
#endif

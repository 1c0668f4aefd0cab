/* SPDX-License-Identifier: MIT
 *
 * nextpixel: self-attention generative models, one element at a time.
 *
 * A model is a distribution over what stands at the next position given all before it. A position holds E elements,
 * which are 8-bit values: one channel of a pixel (E = 1), an index into a palette of colours (E = 1), or the three
 * channels of a pixel (E = 3). Positions are numbered in generation order: raster order (rows, columns, channels within
 * a pixel), or with local 2D attention block by block (nx_model_order). This header is the whole public C interface and
 * its manual; web/lib/core.js is its only caller in the browser.
 *
 * Life of a model:    bytes of a GGUF file -> nx_model_size -> nx_model_open   (the file's bytes are free afterwards)
 * Life of a run:      nx_session_size -> nx_session_open -> [nx_session_condition] -> nx_session_prefill* ->
 * nx_session_step*
 *
 * Memory. The library never allocates. It says how many bytes it needs, the caller hands one block aligned to NX_ALIGN,
 * and everything lives there; dropping the block is the destructor. A model is read-only after nx_model_open, so any
 * number of sessions may share it. A session holds no pointer, so its block may be moved, copied (a fork), written to
 * a file and read back (nx_session_check first): the copy continues the same run with the same bits.
 *
 * Determinism. The same model, settings and known elements give the same values and the same nats, bit for bit, in
 * every build of this library, however the calls are divided and however many samples advance together.
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

#define NX_ABI_VERSION 3
#define NX_ALIGN 16 /* bytes; alignment of every block handed to the library */

#if defined(__wasm__)
#define NX_API __attribute__((visibility("default")))
#else
#define NX_API
#endif

/* Stated limits. A file or a request beyond them is NX_E_LIMIT. */
#define NX_MAX_SIDE 256      /* pixels: image width and height */
#define NX_MAX_LEVELS 256    /* values per channel */
#define NX_MAX_SAMPLES 64    /* sequences advanced together in one session */
#define NX_MAX_CLASSES 65536 /* rows of the class table */
#define NX_NAME_BYTES 80     /* room for a name in nx_problem, final zero included */

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
    uint32_t height, width;                   /* pixels */
    uint32_t channels;                        /* 1 or 3 */
    uint32_t levels;                          /* values of an element, 2..256 */
    uint32_t elements;                        /* in a complete image: positions * E */
    uint32_t classes;                         /* 0: the model takes no label */
    uint32_t blocks;                          /* layers of attention */
    uint32_t heads;                           /* attention heads per layer */
    uint32_t embedding;                       /* model width d */
    uint32_t window;                          /* the most positions that one query can see */
    uint32_t query_block;                     /* l_q of local 1D attention, else 0 */
    uint32_t memory_block;                    /* l_m of local 1D attention */
    uint32_t parameters_low, parameters_high; /* number of weights, 64 bits in two halves */
    uint32_t positions;                       /* steps in a complete image */
    uint32_t position_elements;               /* E */
    uint32_t outputs;                         /* numbers that the output layer yields for a position */
    uint32_t palette;                         /* 1: elements are indices into the palette of nx_model_palette */
    uint32_t block_rows, block_cols;          /* query block of local 2D attention, in positions; else 0 */
    uint32_t flange_rows, flange_cols;        /* its memory: rows above, columns to either side */
    uint32_t input_height, input_width;       /* pixels of the image that nx_session_condition reads; 0: none */
    uint32_t draft;                           /* 1: the file has a network that guesses ahead: nx_settings.look_ahead */
} nx_info;

/* One entry of the file's metadata. Pointers lead into the model's block; text is UTF-8 and not zero-terminated. */
typedef struct {
    const char *key;
    uint32_t key_bytes;
    uint32_t type; /* GGUF value type: 0 u8 1 i8 2 u16 3 i16 4 u32 5 i32 6 f32 7 bool 8 string 9 array 10 u64 11 i64 12
                      f64 */
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
    float top_p;    /* keep the smallest set of most probable values with at least this mass; in (0, 1]; 1: all */
    uint32_t trace; /* 1: keep the attention weights of the last position for nx_session_attention */
    /* Exact look-ahead [Wiggers, Hoogeboom 2020, arXiv:2002.09928]: the most positions that one pass of the model
     * computes, of which all but the first rest on guesses of the file's draft; 0..16, 8 is a good number. The guesses
     * are made with the noise of the positions, most of them are right, and those after the first wrong one are
     * computed anew, so the values are the same as without, to the bit. 0 or 1, more than one sample, a trace, or a
     * file without a draft: position by position. */
    uint32_t look_ahead;
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

/* The place of each position in raster order (rows, columns, channels within a pixel when those are positions of their
 * own). raster (info.positions) written */
NX_API void nx_model_order(const nx_model *model, uint32_t *raster);

/* The colours that elements index. rgb (levels, 3) written. Returns NX_E_ARGUMENT when the model has no palette. */
NX_API nx_status nx_model_palette(const nx_model *model, uint8_t *rgb);

/* Bytes of a session's block for these settings. NX_E_ARGUMENT: a setting is out of its range for this model. */
NX_API nx_status nx_session_size(const nx_model *model, const nx_settings *settings, size_t *bytes);

/* Starts a run before its first element. `*session` points to `block`. Returns as nx_session_size, or NX_E_MEMORY. */
NX_API nx_status nx_session_open(void *block, size_t block_bytes, const nx_model *model, const nx_settings *settings,
                                 nx_session **session);

/* Whether `block` holds a session of this model that may be continued (a saved run read back). NX_OK or NX_E_STATE. */
NX_API nx_status nx_session_check(const nx_model *model, const void *block, size_t block_bytes);

/* Reads the image that the run is conditioned on (super-resolution), once, before the first position is known or drawn.
 * values (input_height, input_width, channels) 8-bit
 * Returns NX_E_ARGUMENT when the model takes no such image, when count is not its size, or when it is too late. */
NX_API nx_status nx_session_condition(const nx_model *model, nx_session *session, const uint8_t *values,
                                      uint32_t count);

/* Feeds `count` known positions, the next ones in generation order, the same to every sample, in passes of many
 * columns. May be called again to go on. Only before the first nx_session_step. values (count, E) 8-bit; each is
 * rounded to the nearest of the model's levels (palette indices: below the number of colours) nats   (count, E)
 * written: -log p(value | all before it) of the model's own distribution (temperature 1, no filter); may be null, which
 * saves the output layer Returns NX_E_ARGUMENT when more positions than remain, after a step, for an index past the
 * palette, or when the model still waits for nx_session_condition; NX_E_NUMERIC when the output is not finite. */
NX_API nx_status nx_session_prefill(const nx_model *model, nx_session *session, const uint8_t *values, uint32_t count,
                                    float *nats);

/* Draws the next `steps` positions of every sample.
 * Element e of sample s, counted from the start of the image, is argmax_v( log p_v / T + G(seed, s, e, v) ), G standard
 * Gumbel noise, over the values that the top-k and top-p filters keep; ties go to the lowest value. Elements of one
 * position are drawn in turn, each given those before it. values (steps, B, E) written, 8-bit     nats (steps, B, E)
 * written as in nx_session_prefill, may be null Returns NX_E_ARGUMENT when fewer than `steps` positions remain (nothing
 * is drawn) or when the model still waits for nx_session_condition; NX_E_NUMERIC leaves the session at the position
 * that failed. */
NX_API nx_status nx_session_step(const nx_model *model, nx_session *session, uint32_t steps, uint8_t *values,
                                 float *nats);

/* Positions known or drawn so far: the next one. */
NX_API uint32_t nx_session_position(const nx_session *session);

/* How far ahead of what was drawn before each of the positions from..from+count-1 was computed: 0 for the first
 * position of a pass and wherever there is no look-ahead, k after k guesses that held. ahead (count) written.
 * NX_E_ARGUMENT: not drawn or known yet. */
NX_API nx_status nx_session_ahead(const nx_model *model, const nx_session *session, uint32_t from, uint32_t count,
                                  uint8_t *ahead);

/* What the output layer gave for the last position computed with it (by a step, or a prefill with nats): the parameters
 * of its distribution, for a categorical one its logits. output (info.outputs) written. NX_E_ARGUMENT: no such sample,
 * or no position computed yet. */
NX_API nx_status nx_session_output(const nx_model *model, const nx_session *session, uint32_t sample, float *output);

/* Attention weights of the last position computed, i, of a sample; needs settings.trace = 1.
 * keys    (*count) written: the positions that i saw, ascending, the last one i itself. Key position j holds what
 * stands at j-1 (0: the start, nothing), for the input is shifted by one. Room for info.window weights (blocks, heads,
 * *count) written. Room for blocks * heads * info.window NX_E_ARGUMENT: no such sample, no position computed yet, or no
 * trace. */
NX_API nx_status nx_session_attention(const nx_model *model, const nx_session *session, uint32_t sample, float *weights,
                                      uint32_t *keys, uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif

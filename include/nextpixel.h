/* SPDX-License-Identifier: MIT
 *
 * nextpixel: small generative models that draw one element at a time.
 *
 * A model is a list of parts. Most parts give the distribution of the next position of a sequence, given all positions before it. A part
 * that has a sequence may first read inputs (a class, a small picture, a sentence). Other parts have no sequence and only compute results,
 * such as a picture or the tags of words, from their inputs. A result can be an input of a later part. A position holds E elements. An
 * element is an id: a number below `values`. The library does not know the meaning of an id (a grey level, a palette colour, a token, an
 * amplitude). Codecs outside the library map ids to their meaning, using the file's metadata (nx_model_metadata) and tables
 * (nx_model_table). This header is the whole public C interface and its manual. In the browser, only web/lib/engine calls these functions.
 *
 * Life of a model:    bytes of a GGUF file -> nx_model_size -> nx_model_open   (the file's bytes may be freed afterwards)
 *                     for a large file: its head -> nx_model_head_size -> nx_model_begin -> nx_model_feed until NX_OK
 * Life of a run:      nx_session_size -> nx_session_open -> [nx_session_input* -> nx_session_encode until NX_OK]
 *                     -> nx_session_put and nx_session_draw in any order, or nx_session_top and nx_session_advance,
 *                     or nx_session_search; for a part without a sequence: nx_session_result
 *
 * Memory. The library never allocates. Functions report how many bytes a model or session needs, and the caller passes one block of that
 * size, aligned to NX_ALIGN. The block holds all data of the model or session. There is no destructor: to destroy a model or session, free
 * its block. A model is read-only after nx_model_open, so any number of sessions may share it. A session holds no pointer, so its block may
 * be moved, copied (which forks the run), or written to a file and read back. After reading a block back, call nx_session_check. A copy
 * continues the run with bit-identical results.
 *
 * Determinism. The drawn ids and their negative log-probabilities (nats) depend only on the file, the part, its inputs, the known ids and
 * their positions, the settings, the seed, the index of the sample and the origin (nx_settings). The results are bit-identical in every
 * build of this library, regardless of how the work is divided into calls and of how many samples advance together.
 *
 * Errors. Every fallible function returns an nx_status: NX_OK (0), NX_MORE (1) if the function must be called again, or a negative code
 * from the list below. Passing a null or misaligned pointer is a programming error with undefined behaviour.
 */
#ifndef NEXTPIXEL_H
#define NEXTPIXEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NX_VERSION "0.1.0"
#define NX_ABI_VERSION 14
#define NX_ALIGN 16 /* alignment in bytes of every block that is passed to the library */

#if defined(__GNUC__)
#define NX_API __attribute__((visibility("default")))
#else
#define NX_API
#endif
/* Marks functions that are not needed by a page that only draws pictures. WebAssembly builds for pictures omit these functions. */
#define NX_API_TEXTS NX_API
/* Marks functions that are only for C programs. No WebAssembly build exports them. */
#if defined(__wasm__)
#define NX_API_NATIVE
#else
#define NX_API_NATIVE NX_API
#endif

/* Limits. A file that exceeds one of these limits fails with NX_E_LIMIT, or with NX_E_MEMORY for NX_MAX_MODEL_BYTES. A request that exceeds
 * a limit fails with NX_E_ARGUMENT, or with NX_E_LIMIT for NX_MAX_SESSION_BYTES. */
#define NX_MAX_VALUES 524288            /* maximum number of different ids */
#define NX_MAX_SPAN 4                   /* maximum number of elements of a position */
#define NX_MAX_LENGTH 0x1000000         /* maximum number of positions of a run, and of items of an input */
#define NX_MAX_SAMPLES 64               /* maximum number of sequences advanced together in one session */
#define NX_MAX_SESSION_BYTES 0x7fffffff /* maximum size in bytes of a session's block; fewer samples or a shorter run need less */
#define NX_MODEL_BYTES_FREE 0x2000000   /* a model needs at most this many bytes, plus NX_MODEL_BYTES_PER_BYTE per byte of its file */
#define NX_MODEL_BYTES_PER_BYTE 20      /* see NX_MODEL_BYTES_FREE */
#define NX_MAX_MODEL_BYTES 0xf8000000   /* maximum size in bytes of a model; leaves 128 MiB of WebAssembly's address space for runs */
#define NX_PORTS 8                      /* maximum number of inputs of a part */
#define NX_MAX_BIASES 528384            /* maximum number of logits that a run can bias: NX_MAX_VALUES plus 4096 */
#define NX_MOST_BIAS 1e9f               /* largest magnitude of a bias; a bias this large effectively forbids or forces an id */
#define NX_NAME_BYTES 80                /* capacity for a name in nx_problem, including the final zero */

#define NX_NONE 0xffffffffu /* as an id: the sample has ended; as a port: there is no port */
#define NX_OWN 0xfffffffdu  /* as the port of a map: the keys are positions of the part's own result */

typedef int32_t nx_status;
enum {
    NX_MORE = 1, /* not finished: call the function again */
    NX_OK = 0,
    NX_E_ARGUMENT = -1,    /* a number is out of range, or the call is not allowed at this time */
    NX_E_FORMAT = -2,      /* not a GGUF file, truncated, or inconsistent */
    NX_E_UNSUPPORTED = -3, /* a valid file whose version, architecture, tensor type or variant this library does not support */
    NX_E_LIMIT = -4,       /* the file or the request exceeds one of the limits above */
    NX_E_MEMORY = -5,      /* the given block is too small, or a model needs more than NX_MAX_MODEL_BYTES */
    NX_E_NUMERIC = -6,     /* not-a-number or infinity in the weights or in a computed value */
    NX_E_STATE = -7        /* the bytes are not a saved session of this model, or they are damaged */
};

/* The reason why a file or a setting was rejected. A function writes this struct only if it fails. */
typedef struct {
    char name[NX_NAME_BYTES];   /* the invalid metadata key, tensor or setting, zero-terminated; empty if the file as a whole is invalid */
    char reason[NX_NAME_BYTES]; /* a short English phrase, zero-terminated */
} nx_problem;

/* ---- the model ---------------------------------------------------------------------------------------------------
 * All fields of all structs have 32 bits, the size of a wasm32 pointer, so that JavaScript can mirror them. */

/* A part of a model. A part without a sequence (values, span, outputs and length are 0) reads inputs and computes results. A run of such a
 * part has no positions and always has one sample. For such a part, every function that takes or draws ids returns NX_E_ARGUMENT. */
typedef struct {
    uint32_t values;                     /* V: the ids of an element are 0..V-1 */
    uint32_t span;                       /* E: the number of elements of a position */
    uint32_t outputs;                    /* P: the number of output parameters of a position */
    uint32_t length;                     /* maximum number of positions; 0: nx_shape gives the number */
    uint32_t rewinds;                    /* maximum number of positions that nx_session_branch and nx_session_rewind may go back */
    uint32_t inputs, maps, tables, ends; /* number of ports, of maps, of tables, and of ids that end a sample */
    uint32_t results;                    /* number of results */
    uint32_t draft;                      /* 1: the file has a draft model for nx_settings.look_ahead */
    uint32_t grows;                      /* 1: a run may begin with a small capacity and grow (nx_session_grow) */
    uint32_t noisy;                      /* 1: a pass draws a random value (such as a location to attend to) unless the temperature is 0 */
    /* number of layers and values per layer for nx_session_hidden; both are 0 if the part has no hidden states or this build omits them */
    uint32_t hidden_layers, hidden_width;
    uint32_t parameters_low, parameters_high; /* number of the part's own weights, 64 bits in two halves */
    /* name, zero-terminated, in the library's memory; the name of the architecture if the model has only this part */
    const char *name;
} nx_part_info;

/* A port: an input of a part. A port accepts at most dims[0] * dims[1] * ... ids. */
typedef struct {
    const char *name;    /* name, zero-terminated, in the library's memory */
    uint32_t values;     /* every id is below this number */
    uint32_t dims[4];    /* shape of the input; unused dimensions are 1; with any_length, dims[0] is the maximum number of items */
    uint32_t optional;   /* 1: a run may omit this input */
    uint32_t any_length; /* 1: the input has up to dims[0] items, and nx_shape.counts sets their number */
    uint32_t like;       /* with any_length: the index of a port that must have the same number of items, or NX_NONE */
    /* 1: if a run is not given this input, the run fills the input with noise before encoding; the noise depends on the seed and the first
     * sample. Each standard normal deviate z becomes the id nearest to 32768 + 8192 z, at most 65535. If the part has a result of the same
     * name, that result returns the drawn values. */
    uint32_t noise;
} nx_port;

/* How the number of rows of a result is determined. */
enum {
    NX_ROWS_FIXED,     /* dims[0] */
    NX_ROWS_OF_INPUT,  /* as many rows as an input has items */
    NX_ROWS_OF_RESULT, /* as many rows as another result of the part */
    NX_ROWS_COUNTED    /* the part determines the number: nx_session_result_count returns this number once everything is encoded */
};

/* A result: at most dims[0] rows of dims[1] * dims[2] * dims[3] values that a part computes from its inputs. The ids of a result are the
 * input of each later part that has a port with the result's name. Likewise, the ids that a part draws are the input for a port with the
 * part's name. */
typedef struct {
    const char *name;
    uint32_t values;  /* every id is below this number; 0: the result holds floats */
    uint32_t dims[4]; /* shape of the result; unused dimensions are 1 */
    uint32_t rows;    /* NX_ROWS_FIXED, ... */
    uint32_t rows_of; /* the index of the input or result that determines the number of rows, otherwise 0 */
} nx_result;

/* A map: the attention weights of each query over its keys. Each row of a map is one head of one layer. */
typedef struct {
    const char *name;
    uint32_t port;    /* the input whose items are the keys; NX_NONE: earlier positions; NX_OWN: `keys` positions of the part's result */
    uint32_t rows;    /* layers times heads */
    uint32_t keys;    /* maximum number of keys that one query attends to */
    uint32_t queries; /* 0: the queries are the positions of the run; otherwise the maximum number of queries during encoding */
    uint32_t asking;  /* with queries: the input whose items are the queries; NX_NONE: the number of queries is fixed */
} nx_map;

/* A table of numbers for a codec, such as the colours of a palette. */
typedef struct {
    const char *name; /* name of the table, as in the file */
    uint32_t rows, cols;
    const float *data; /* values (rows, cols), in the model's block */
} nx_table;

/* One entry of the file's metadata. Pointers point into the model's block; strings are UTF-8 and not zero-terminated. */
typedef struct {
    const char *key;
    uint32_t key_bytes;
    uint32_t type;      /* GGUF value type: 0 u8, 1 i8, 2 u16, 3 i16, 4 u32, 5 i32, 6 f32, 7 bool, 8 string, 9 array,
                         * 10 u64, 11 i64, 12 f64 */
    uint32_t item_type; /* for an array, the type of its items; otherwise equal to `type` */
    uint32_t count;     /* number of items of an array, otherwise 1 */
    const void *value;  /* the value as in the file: little-endian, unaligned; each string is preceded by its 64-bit length */
    uint32_t value_bytes;
} nx_metadata;

/* A tensor of a model that is opened piece by piece (nx_model_feed). The tensor's rows have row_bytes bytes each and begin at `offset` in
 * the file. */
typedef struct {
    uint32_t offset, rows, row_bytes; /* row_bytes 0: the tensor's type is not supported, and there are no rows to feed */
} nx_tensor_info;

typedef struct nx_model nx_model;
typedef struct nx_session nx_session;

/* Returns the ABI version of the library: NX_ABI_VERSION of the header with which it was built. Callers should first compare it with their
 * own NX_ABI_VERSION. */
NX_API uint32_t nx_abi_version(void);

/* Returns the version of the running library, such as "1.2.0": NX_VERSION of the header with which it was built. */
NX_API_NATIVE const char *nx_version(void);

/* Returns the name of a status, such as "NX_E_FORMAT"; "unknown" for other numbers. */
NX_API_NATIVE const char *nx_status_name(nx_status status);

/* Checks a whole file and computes the size of the block that nx_model_open will need.
 * file      (length) bytes, any alignment
 * bytes     written on success
 * problem   written on failure, may be null
 * Returns NX_OK, NX_E_FORMAT, NX_E_UNSUPPORTED, NX_E_LIMIT, NX_E_NUMERIC for a weight that is not finite, or NX_E_MEMORY for a model of
 * more than NX_MAX_MODEL_BYTES. */
NX_API nx_status nx_model_size(const void *file, size_t length, size_t *bytes, nx_problem *problem);

/* Reads a file into `block` and repacks its weights for the kernels. `*model` points into the block.
 * Returns the statuses of nx_model_size, or NX_E_MEMORY if block_bytes is too small. */
NX_API nx_status nx_model_open(void *block, size_t block_bytes, const void *file, size_t length, nx_model **model, nx_problem *problem);

/* A large file may be opened piece by piece, so that the file and the model are never in memory at the same time. nx_model_begin makes a
 * model without weights from the head of the file, which is everything before the tensors' data. nx_model_feed then takes every tensor in
 * the order of the file's list, and the rows of each tensor from the first to the last. Opening a file piece by piece or as a whole gives
 * the same model and the same saved sessions, bit for bit. No session can be opened before the last row has been fed. nx_model_head_size
 * and nx_model_begin are like nx_model_size and nx_model_open, with these differences:
 * head (present)   the first bytes of a file of `length` bytes; may include part of the data, and may be freed after nx_model_begin
 * NX_MORE          the list of tensors is not complete in the first `present` bytes
 * NX_E_ARGUMENT    the model must be opened from the whole file: either opening it reads weights (as for picture models), or the tensors'
 *                  data are not in the order of the list */
NX_API_TEXTS nx_status nx_model_head_size(const void *head, size_t present, size_t length, size_t *bytes, nx_problem *problem);
NX_API_TEXTS nx_status nx_model_begin(void *block, size_t block_bytes, const void *head, size_t present, size_t length, nx_model **model,
                                      nx_problem *problem);

/* nx_model_tensors returns the number of tensors to feed (0 if the model was opened from the whole file). nx_model_tensor describes the
 * tensor at `index`, and returns NX_E_ARGUMENT past the last tensor. */
NX_API_TEXTS uint32_t nx_model_tensors(const nx_model *model);
NX_API_TEXTS nx_status nx_model_tensor(const nx_model *model, uint32_t index, nx_tensor_info *info);

/* Feeds `rows` rows of tensor `tensor`, beginning with row `row`. Every tensor must be fed, even one that the model does not use. Returns:
 *   NX_MORE         rows are missing
 *   NX_OK           the model is complete
 *   NX_E_ARGUMENT   the rows are out of order
 *   NX_E_NUMERIC    a weight is not finite; the model cannot be used
 *   NX_E_FORMAT     a number is out of its range; the model cannot be used */
NX_API_TEXTS nx_status nx_model_feed(nx_model *model, uint32_t tensor, uint32_t row, uint32_t rows, const void *data, nx_problem *problem);

/* These functions give the number of parts of a model; the description of a part; its ports, results, maps and tables; and the ids that end
 * a sample. Each function that takes an index returns NX_E_ARGUMENT past the last item. */
NX_API uint32_t nx_model_parts(const nx_model *model);
NX_API nx_status nx_model_part(const nx_model *model, uint32_t part, nx_part_info *info);
NX_API nx_status nx_model_port(const nx_model *model, uint32_t part, uint32_t index, nx_port *port);
NX_API nx_status nx_model_result(const nx_model *model, uint32_t part, uint32_t index, nx_result *result);
NX_API nx_status nx_model_map(const nx_model *model, uint32_t part, uint32_t index, nx_map *map);
NX_API nx_status nx_model_table(const nx_model *model, uint32_t part, uint32_t index, nx_table *table);
NX_API nx_status nx_model_end(const nx_model *model, uint32_t part, uint32_t index, uint32_t *id);

/* nx_model_metadata_count returns the number of metadata entries of the file (its model card included). nx_model_metadata writes the entry
 * at `index`, and returns NX_E_ARGUMENT past the last entry. */
NX_API uint32_t nx_model_metadata_count(const nx_model *model);
NX_API nx_status nx_model_metadata(const nx_model *model, uint32_t index, nx_metadata *entry);

/* ---- a run ----------------------------------------------------------------------------------------------------------- */

/* The shape of a run: its length, the lengths of its inputs, and the precision of its cached keys. */
typedef struct {
    uint32_t length;           /* the run's capacity in positions, at most the part's length; 0: the part's length (0 without a sequence) */
    uint32_t counts[NX_PORTS]; /* items of each input with any_length; 0: the maximum, or the count of the port that `like` names */
    /* for a part that grows, bits per value of a cached key, 8 or 16; 0: the model chooses 16 if its keys have biases, otherwise 8 */
    uint32_t key_bits;
} nx_shape;

/* The settings of a run's draws. In the last block of fields, 0 turns a setting off.
 *
 * Before an id is drawn, the following steps change the logits of the model in this order, as in common tools for language models:
 *   1. biases (nx_session_bias)
 *   2. penalties for the last `penalty_last` ids of the sequence, known or drawn
 *   3. top_k   4. typical_p   5. top_p   6. min_p: each filter drops some of the values that remain; see sampling/filters.h
 *   7. temperature
 * This is the order with temperature_last = 1. With temperature_last = 0, temperature comes before step 3, so top_p, min_p and typical_p
 * use the probabilities after temperature. Nats (negative log-probabilities) always come from the model's own output before step 1. */
typedef struct {
    uint32_t seed_low, seed_high; /* 64-bit seed of the noise */
    uint32_t samples;             /* B, 1..NX_MAX_SAMPLES: sequences advanced together; 1 for a part without a sequence */
    uint32_t first_sample;        /* the noise index of the first sample, so that a set of samples can be split over workers */
    uint32_t origin;   /* the noise index of the first position, so that a long run can continue in a new session with the same noise */
    float temperature; /* the logits are divided by the temperature; 0: always the most probable id that the filters keep. Finite, 0..100 */
    uint32_t top_k;    /* keep the k most probable values; 0: all */
    float top_p;       /* keep the smallest set of the most probable values whose total probability is at least this; in (0, 1]; 1: all */
    uint32_t maps;     /* 1: the maps of the latest position are stored for nx_session_map */
    /* Speculative decoding: the maximum number of positions that one pass of the model computes. The results are exact (predictive sampling
     * [Wiggers, Hoogeboom 2020, arXiv:2002.09928]). The first of these positions is computed as usual; the other positions are computed
     * from ids that the file's draft or look_up guessed. The range is 0..16, and 8 works well. The draft draws its guesses with the noise
     * that the model's own draws will use, so most guesses are right. Positions after the first wrong guess are computed again, so the ids
     * are the same as without guesses. A pass computes only one position if look_ahead is 0 or 1, if there is more than one sample, if maps
     * or hidden states are stored, or if the part has no draft and look_up is 0. */
    uint32_t look_ahead;

    float typical_p;           /* keep values in order of |surprisal - entropy| until their mass exceeds this; 0..1; 0, 1: all */
    float min_p;               /* keep the values at least this many times as probable as the most probable value; 0..1, 0: all */
    uint32_t temperature_last; /* 0 or 1: see the order above */
    uint32_t penalty_last;     /* number of recent ids that are penalised; 0: none */
    float repetition;          /* divides positive logits of recent ids, multiplies negative ones; 0.01..100; 0, 1: no change */
    float frequency;           /* number subtracted from the logit of an id once per occurrence; -100..100 */
    float presence;            /* number subtracted once from the logit of each id that occurs; -100..100 */
    /* 1: if a part has no draft and E = 1, guesses come from the sequence itself. If the most recent ids have occurred before, the guesses
     * are the ids that followed their latest earlier occurrence [prompt look-up: Saxena 2023; Yang et al. 2023, arXiv:2304.04487]. Look-up
     * is useful if the model is larger than the processor's cache, because computing several positions then takes little longer than
     * computing one. */
    uint32_t look_up;
    uint32_t biases; /* maximum number of ids that nx_session_bias accepts in this run, up to NX_MAX_BIASES */
    uint32_t hidden; /* 1: the hidden states of the last position are stored for nx_session_hidden; must be 0 if part.hidden_layers is 0 */
} nx_settings;

/* Writes the default settings: one sample, seed 0, temperature 1, the whole distribution, all other settings off. A struct of zeros is not
 * valid, because it has 0 samples. */
NX_API_NATIVE void nx_settings_init(nx_settings *settings);

/* Explains a failure of nx_session_size. Returns the same status and, on failure, writes the name of the field and its allowed range, such
 * as "samples": "must be from 1 to 64". */
NX_API_NATIVE nx_status nx_session_problem(const nx_model *model, uint32_t part, const nx_settings *settings, const nx_shape *shape,
                                           nx_problem *problem);

/* Computes the size of a session's block for these settings and this shape (null: all zeros).
 * NX_E_ARGUMENT: a setting or the shape is out of its range for this part, or the model is incomplete; NX_E_LIMIT: more than
 * NX_MAX_SESSION_BYTES. */
NX_API nx_status nx_session_size(const nx_model *model, uint32_t part, const nx_settings *settings, const nx_shape *shape, size_t *bytes);

/* Starts a run at its first element. `*session` points to `block`. Returns the same statuses as nx_session_size, or NX_E_MEMORY. */
NX_API nx_status nx_session_open(void *block, size_t block_bytes, const nx_model *model, uint32_t part, const nx_settings *settings,
                                 const nx_shape *shape, nx_session **session);

/* Extends a run: copies `from` into a block of nx_session_grown_size bytes. The copy has a capacity of `length` positions. It continues bit
 * for bit like a run that had this capacity from the beginning; `from` is unchanged. A run can thus begin with little memory and grow as
 * needed. Only runs of a part with `grows` can be extended.
 * Returns NX_OK, or:
 *   NX_E_ARGUMENT   `length` is not above the capacity of `from`, or is above the maximum of the part; the run has stopped inside a
 *                   position (after NX_MORE); or the run is a search, whose result depends on the length
 *   NX_E_LIMIT      the block would be larger than NX_MAX_SESSION_BYTES
 *   NX_E_MEMORY     block_bytes is too small */
NX_API_TEXTS nx_status nx_session_grown_size(const nx_model *model, const nx_session *from, uint32_t length, size_t *bytes);
NX_API_TEXTS nx_status nx_session_grow(void *block, size_t block_bytes, const nx_model *model, const nx_session *from, uint32_t length,
                                       nx_session **session);

/* Checks a saved run that was read back. Returns NX_OK if `block` holds a session of this model that may be continued, otherwise
 * NX_E_STATE. A block begins with two words that identify the build and the model file. */
NX_API_TEXTS nx_status nx_session_check(const nx_model *model, const void *block, size_t block_bytes);

/* Sets one input of the run.
 * ids     shape (count); each id is below the port's `values`
 * count   must equal the number that the port's dimensions and the shape of the run specify
 * Returns NX_E_ARGUMENT if there is no such port, if an id or the count is invalid, if the input was already given, if encoding has begun,
 * or if a position is already known or drawn. */
NX_API nx_status nx_session_input(const nx_model *model, nx_session *session, uint32_t port, const uint32_t *ids, uint32_t count);

/* Runs the part's encoder over its inputs, one slice per call. Call this function until it returns NX_OK. Give all inputs first, except
 * optional inputs and inputs that the run fills itself (nx_port.noise). If the part has no encoder or its encoder has finished, returns
 * NX_OK immediately. Otherwise, returns NX_MORE while there are more slices, NX_OK after the last slice, or:
 *   NX_E_ARGUMENT   an input is missing
 *   NX_E_NUMERIC    the output is not finite; every later call returns NX_E_NUMERIC, too */
NX_API nx_status nx_session_encode(const nx_model *model, nx_session *session);

/* Prefill: appends `count` known positions. One pass computes many positions. Known positions may come before, between and after drawn
 * positions.
 * ids     each = 0: shape (count, E), the same ids for every sample; each = 1: shape (count, B, E), NX_NONE for samples that have ended
 * nats    shape (count, B, E), written: -log p(id | all before it) of the model's own distribution (temperature 1, no filter);
 *         0 where a sample has ended. If nats is null, the output layer is not computed
 * Known ids never end a sample. Returns NX_OK, or:
 *   NX_E_ARGUMENT   fewer than `count` positions remain, an id is not below `values`, or inputs or their encoding are missing
 *   NX_E_NUMERIC    the output is not finite; every later call returns NX_E_NUMERIC, too
 *   NX_MORE         only a slice of a position was computed: call again with the positions that remain according to nx_session_position */
NX_API nx_status nx_session_put(const nx_model *model, nx_session *session, const uint32_t *ids, uint32_t count, int each, float *nats);

/* Draws the next `steps` positions of every sample.
 * For sample s, element e (counted from the origin) is argmax_v( log p_v / T + G(seed, s, e, v) ). T is the temperature, G is standard
 * Gumbel noise, v runs over the ids that the filters keep, and p includes biases and penalties. Ties go to the lowest id. Elements of one
 * position are drawn in order, each given the elements before it. A sample ends when it draws one of the part's end ids; its later ids are
 * NX_NONE.
 * ids     shape (steps, B, E), written
 * nats    shape (steps, B, E), written as by nx_session_put; may be null
 * drawn   written: the number of positions drawn; fewer than `steps` if all samples have ended or if NX_MORE is returned; may be null
 * Returns NX_OK, or:
 *   NX_E_ARGUMENT   fewer than `steps` positions remain (nothing is drawn), or inputs are missing
 *   NX_E_NUMERIC    the output of a position is not finite; every later call returns NX_E_NUMERIC, too
 *   NX_MORE         call again for the remaining steps */
NX_API nx_status nx_session_draw(const nx_model *model, nx_session *session, uint32_t steps, uint32_t *ids, float *nats, uint32_t *drawn);

/* Resamples: sample b becomes a copy of sample parents[b] and continues with its own noise. Copies of likely samples can thus replace
 * unlikely samples, as in a particle filter [Gordon et al. 1993]. Only parents that are chosen more than once are copied. From then on, a
 * sample has the ids and the output of its parent. Has no effect before the first draw, when all samples are the same. parents: shape (B).
 * Returns NX_E_ARGUMENT if a parent is not a sample, if the run has stopped inside a position (after NX_MORE, or after nx_session_top of a
 * noisy part), or if a search has begun. */
NX_API nx_status nx_session_resample(const nx_model *model, nx_session *session, const uint32_t *parents);

/* Lists the k most probable ids of the next position of each sample, without drawing one. Works only for a part with E = 1. The
 * probabilities are those of the model's own distribution (temperature 1, no filter). The next draw reuses the output computed here.
 * ids     shape (B, k), written: the most probable id first; ties go to the lower id; NX_NONE for a sample that has ended
 * nats    shape (B, k), written: -log p of these ids; 0 for a sample that has ended
 * Returns NX_E_ARGUMENT if k is 0 or above `values`, and at the end of the run; otherwise returns the same statuses as nx_session_draw. */
NX_API_TEXTS nx_status nx_session_top(const nx_model *model, nx_session *session, uint32_t k, uint32_t *ids, float *nats);

/* Performs one step of a beam search: sample b continues the former sample parents[b] with ids[b]. Only parents that are chosen more than
 * once are copied. A sample ends when it gets an end id of the part. If sample parents[b] has ended, ids[b] must be NX_NONE.
 * parents, ids: shape (B).
 * Returns the same statuses as nx_session_draw, and NX_E_ARGUMENT for an invalid parent or id. */
NX_API_NATIVE nx_status nx_session_advance(const nx_model *model, nx_session *session, const uint32_t *parents, const uint32_t *ids);

/* A candidate in nx_session_search: the hypothesis of sample `parent`, followed by `id`. */
typedef struct {
    uint32_t parent, id;
    uint32_t fate; /* index of the sample that the candidate becomes, or NX_CUT, NX_ENDED */
    float nats;    /* -log p of all ids of the candidate since the search began */
    float score;   /* nats / ((5 + n) / 6)^alpha for n ids; lower is better */
} nx_candidate;
#define NX_CUT NX_NONE
#define NX_ENDED 0xfffffffeu /* the candidate is complete */

/* Computes the next step of a beam search, which finds the ids with the lowest score [length penalty: Wu et al. 2016, arXiv:1609.08144,
 * section 7]. Each sample is a hypothesis; at the start all samples are the same. The candidates of a step are the best continuations of
 * the live hypotheses; there are samples * (1 + ends) candidates. Each of the first `samples` candidates is complete if its id is one of
 * the part's end ids. The next best candidates become the new live hypotheses (samples 0, 1, ...). All other candidates are dropped. The
 * search is over when there are as many complete hypotheses as samples, when no live hypothesis can score below the best complete
 * hypothesis, or at the end of the run. The result is the complete hypothesis with the lowest score, or the first live hypothesis if none
 * is complete. With one sample, the search takes the most probable id at every step. To read the ids of a hypothesis, follow its chain of
 * parents. Until the search is over, no other call may advance the run. A search cannot begin after a draw, or after nx_session_put with
 * each = 1.
 * alpha        the exponent of the length penalty, 0 (none) to 2
 * candidates   capacity samples * (1 + ends); *count of them written, the best first; ties go to the lower parent, then to the lower id
 * over         written: 1 after the last step
 * Returns the same statuses as nx_session_draw. Also returns NX_E_ARGUMENT if alpha is out of range, if the search is over, if a sample has
 * ended, or if the part is noisy and the temperature is not 0. */
NX_API_TEXTS nx_status nx_session_search(const nx_model *model, nx_session *session, float alpha, nx_candidate *candidates, uint32_t *count,
                                         uint32_t *over);

/* Copies one sample of the session `from` to the session `to`, as the sample was at `position`: its inputs, its state and its ids before
 * `position`. `to` must be a session just opened on the same part with the same shape. To continue bit for bit like the copied sample, `to`
 * needs the settings of `from`, but with first_sample set to the noise index of the copied sample.
 * Returns NX_OK, or:
 *   NX_E_ARGUMENT   the two sessions do not match; there is no such sample; `position` is after the position of `from`, or more than
 *                   part.rewinds back; or `from` has stopped inside a position (after NX_MORE)
 *   NX_E_NUMERIC    a value in `from` is not finite */
NX_API_TEXTS nx_status nx_session_branch(const nx_model *model, nx_session *to, const nx_session *from, uint32_t sample, uint32_t position);

/* Rewinds a run to `position`: all known or drawn ids at this position and after it are dropped. The ids before `position` then count as
 * known, even if the last of these ids ended a sample. The run continues bit for bit like a run that was given these ids. Errors:
 *   NX_E_ARGUMENT  `position` is after the run's position, or more than part.rewinds back; the run has stopped inside a position
 *                  (after NX_MORE); the run is a beam search; or the part is noisy and the temperature is not 0
 *   NX_E_NUMERIC   a value in the run is not finite */
NX_API_TEXTS nx_status nx_session_rewind(const nx_model *model, nx_session *session, uint32_t position);

/* Adds biases[i] to the logit of ids[i] in all later draws. The new biases replace all earlier biases. Biases are settings: a saved session
 * includes them, but a branch does not copy them.
 * ids      shape (count); each id is below `values`. An id that occurs twice gets the sum of both biases
 * biases   shape (count); each magnitude is at most NX_MOST_BIAS
 * Returns NX_E_ARGUMENT if there are more than settings.biases ids or a number is out of range. */
NX_API_TEXTS nx_status nx_session_bias(const nx_model *model, nx_session *session, const uint32_t *ids, const float *biases,
                                       uint32_t count);

/* Changes the settings of all later draws. The fields samples, first_sample, origin, maps, hidden and biases must not change. For a noisy
 * part, the seed and the temperature must not change either. Returns NX_E_ARGUMENT if one of these settings changes, if a setting is out of
 * its range, or if the run has stopped inside a position (after NX_MORE). */
NX_API nx_status nx_session_retune(const nx_model *model, nx_session *session, const nx_settings *settings);

/* Returns the number of positions known or drawn so far, which is the index of the next position. */
NX_API uint32_t nx_session_position(const nx_session *session);

/* Writes one number for each of `count` positions, beginning with position `from`. The number is k if the position was computed after k
 * correct guesses in the same pass, and 0 if it was the first position of the pass. If look_ahead is off, all numbers are 0. ahead: shape
 * (count), written. NX_E_ARGUMENT: a position is not drawn or known yet. */
NX_API nx_status nx_session_ahead(const nx_model *model, const nx_session *session, uint32_t from, uint32_t count, uint8_t *ahead);

/* Copies the output parameters of the latest position for which they were computed (by a draw, a top, or a put with nats). For a
 * categorical distribution, these are the logits. output: shape (P), written.
 * NX_E_ARGUMENT: no such sample, or no position computed yet. */
NX_API_TEXTS nx_status nx_session_output(const nx_model *model, const nx_session *session, uint32_t sample, float *output);

/* Computes the model's own distribution of one element of the last computed position: the probability of each value given all earlier
 * elements, at temperature 1 and before all filters. Works for every kind of output. The ids of the earlier elements of this position must
 * already be drawn or known. probabilities: shape (V), written.
 * NX_E_ARGUMENT: no such sample or element, no output computed yet, or a sample that has ended. */
NX_API_TEXTS nx_status nx_session_probabilities(const nx_model *model, nx_session *session, uint32_t sample, uint32_t element,
                                                float *probabilities);

/* Copies one row of a sample's map at i, the last computed position. Requires settings.maps = 1.
 * row       below map.rows. For a map with queries, pass row * n + query, where n is the number of queries in this run. A map with queries
 *           is ready once the inputs are encoded, and is the same for all samples and positions
 * keys      *count keys written: the keys that i attended to, in ascending order. In a map over earlier positions, key j is the element at
 *           position j - 1 (key 0: the start, before any element), because the input is shifted by one. The last key of such a map is i.
 *           With a sparse pattern, the last key may be below i, and *count may be 0. Capacity: map.keys
 * weights   *count weights written, one for each key. Capacity: map.keys
 * NX_E_ARGUMENT: no such sample, map or row, no position computed yet, or no maps. */
NX_API nx_status nx_session_map(const nx_model *model, const nx_session *session, uint32_t sample, uint32_t map, uint32_t row,
                                uint32_t *keys, float *weights, uint32_t *count);

/* Copies the hidden states of the last computed position, p, of a sample. Requires settings.hidden = 1. Layer 0 is the embedding that
 * enters the first block. Layer i is the output of block i, before the model's last norm. To predict position p, a decoder reads id p - 1,
 * so the function copies the hidden states of id p - 1. If nothing was read (position 0 of a text), the hidden states are zeros. */
NX_API_TEXTS nx_status nx_session_hidden(const nx_model *model, const nx_session *session, uint32_t sample, uint32_t layer, float *values);

/* Returns the number of values of a result that are ready. All values are ready once the inputs are encoded; some values of a result that
 * grows slice by slice are ready earlier. NX_E_ARGUMENT: no such result, or nothing is encoded yet; NX_E_NUMERIC: a value was not
 * finite. */
NX_API_TEXTS nx_status nx_session_result_count(const nx_model *model, const nx_session *session, uint32_t index, uint32_t *count);

/* Reads `count` values of a result in row-major order, beginning with value `from`. All values are ready once the inputs are encoded; the
 * values of a result that grows slice by slice may be read as soon as they are ready. NX_E_ARGUMENT: no such result, or values that are not
 * ready yet; NX_E_NUMERIC: a value was not finite; NX_E_STATE: an invalid id, because the run was restored from damaged bytes. */
NX_API nx_status nx_session_result(const nx_model *model, const nx_session *session, uint32_t index, uint32_t from, uint32_t count,
                                   void *out);

#ifdef __cplusplus
}
#endif
#endif

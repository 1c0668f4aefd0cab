/* SPDX-License-Identifier: MIT
 *
 * The interface between models and sessions. An architecture is a row of a table. A row has a name (the value of the file's key
 * general.architecture), a function that reads a file into the plans of its parts, and the functions of those parts. A part computes the
 * parameters of output distributions from a few columns of a sequence and, if it has an encoder, from the encoder's output. Some parts
 * consist only of an encoder, whose output contains the results. Everything that models have in common (known and drawn ids, samples,
 * noise, beams, save and restore) is in session/, which accesses models only through this interface.
 */
#ifndef NX_ARCH_H
#define NX_ARCH_H

#include "arena.h"
#include "gguf.h"
#include "sampling/noise.h"
#include "sampling/output.h"

#define NX_MAX_PARTS 4
#define NX_MAX_MAPS 4
#define NX_MAX_RESULTS 4
#define NX_MAX_TABLES 4
#define NX_MAX_ENDS 8

typedef struct nx_draft nx_draft;

/* The place in a model's block at which a tensor of the file is stored. If only the head of the file is present, the rows of the tensors
 * arrive later. */
typedef struct {
    enum { NX_UNREAD, NX_PACKED, NX_AS_IT_IS, NX_FLOATS } kind;
    void *to; /* a packed matrix, rows encoded as in the file, or row-major floats; a single row of floats is zero-padded to its stride */
    uint32_t type, rows, cols, row_bytes;
    uint32_t form;   /* form of the packed matrix */
    uint32_t offset; /* offset of the tensor's data in the file */
    uint32_t entry;  /* offset of the tensor's entry in the head; the entry begins with the tensor's name */
    float low, high; /* allowed range of the floats; no limit if both are 0 */
} nx_destination;

/* The reader of a model's file. A key or a tensor is checked when it is read, and its values are copied into newly allocated memory of the
 * arena. After a failure the status stays set, and reads yield zeros and null pointers, so configure() needs to check the status only
 * once. */
typedef struct {
    const nx_gguf *file;
    nx_arena *arena;
    nx_problem *problem;
    uint32_t part; /* the part whose weights are being read; a model of several parts sets this field before each part */
    uint64_t parameters[NX_MAX_PARTS]; /* number of weights read so far, for each part */
    nx_status status;
    nx_destination *destinations; /* one for each tensor, used if only the head of a file is present; null while the arena only counts */
    uint32_t packing;             /* how matrices are packed (nx_packing); a language model sets NX_BY_BLOCK before it reads any matrix */
} nx_reader;

/* The description of a part of an opened model. configure() fills it in. */
typedef struct {
    const void *weights;                  /* null while the arena only counts */
    nx_output output;                     /* E, V and P of the part's positions; zeros if there is no sequence */
    uint32_t length;                      /* maximum number of positions; 0: no limit */
    uint32_t rewinds;                     /* number of most recent positions that `forward` can recompute */
    uint32_t encodes;                     /* 1: nx_part.encode processes the inputs first */
    uint32_t noisy;                       /* 1: `forward` draws with nx_column.noise, so equal ids may give different parameters */
    uint32_t hidden_layers, hidden_width; /* number and width of the hidden states that `forward` keeps (nx_keep_hidden); 0: none */
    uint32_t n_inputs, n_results, n_maps, n_tables, n_ends;
    nx_port inputs[NX_PORTS];
    nx_result results[NX_MAX_RESULTS];
    nx_map maps[NX_MAX_MAPS];
    nx_table tables[NX_MAX_TABLES];
    uint32_t ends[NX_MAX_ENDS];
    const nx_draft *draft; /* null: no draft */
} nx_plan;

/* The inputs of a run. Every call builds this struct anew. */
typedef struct {
    nx_shape shape;                 /* a port's count is 0 only if the port is absent; `length` is 0 only if the part has no sequence */
    const uint32_t *port[NX_PORTS]; /* ids of each port (counts[i] items); null for an absent port */
    float *maps;                    /* null, or receives from `encode` the weights of all maps with queries, each (rows, queries, keys) */
} nx_inputs;

/* Returns the number of keys in each row of a map. shape: shape of the run. The result is at most the number of positions or items to
 * attend to. */
static inline uint32_t nx_map_keys(const nx_map *map, const nx_shape *shape) {
    uint32_t most = map->port == NX_NONE                               ? shape->length
                    : map->port == NX_OWN || !shape->counts[map->port] ? map->keys
                                                                       : shape->counts[map->port];
    return map->keys < most ? map->keys : most;
}

/* Returns the number of queries of a map in a run of this shape, or 0 if the queries are the positions. */
static inline uint32_t nx_map_queries(const nx_map *map, const nx_shape *shape) {
    uint32_t items = map->queries && map->asking != NX_NONE ? shape->counts[map->asking] : 0;
    return items && items < map->queries ? items : map->queries;
}

/* One column of a pass: the element at `position` of a sequence is predicted from the elements before it. */
typedef struct {
    const nx_inputs *inputs;
    const void *encoder_output; /* the encoder's output, shared by all sequences */
    void *state;                /* state of the column's sequence */
    const uint32_t *ids;        /* ids of the column's sequence, shape (length, E); the ids before `position` are known */
    uint32_t position;
    float *maps;   /* null, or receives the weights of all maps without queries, one map after another, each of shape (rows, keys) */
    float *hidden; /* null, or receives the hidden states, shape (hidden_layers, hidden_width) */
    /* For a noisy part, which draws with nx_categorical_draw: the noise of this sample at this position, and the temperature of the run. A
     * second draw at the same position uses the noise values after those of the first draw. */
    nx_noise noise;
    float temperature;
} nx_column;

/* The functions of a part. `m` is nx_plan.weights. The encoder's output, the state of a sequence and the scratch memory contain no
 * pointers. The encoder's output and the state are zeroed before they are first used. */
typedef struct {
    const char *name; /* null: the part has the architecture's name */

    /* These functions return sizes in bytes. state_bytes is for one sequence. scratch_bytes is enough for `encode` and for a pass of this
     * many columns. */
    uint64_t (*encoder_output_bytes)(const void *m, const nx_shape *shape);
    uint64_t (*state_bytes)(const void *m, const nx_shape *shape);
    uint64_t (*scratch_bytes)(const void *m, const nx_shape *shape, uint32_t columns);

    /* Copies the state of a sequence from a run of shape from_shape to a run of the longer shape to_shape. `to` is zeroed before the call.
     * The field is null if runs of this part cannot grow. */
    void (*grow)(const void *m, const nx_shape *from_shape, const void *from, const nx_shape *to_shape, void *to);

    /* Computes the encoder's output from the inputs, one slice per call (slice = 0, 1, ...), if nx_plan.encodes is set. Returns 1 while
     * there are more slices, 0 after the last slice, and -1 when a number is not finite. A session restored from damaged data may request
     * any slice, and its encoder output may contain any bytes. A request past the last slice therefore returns 0, and indices that are read
     * from the encoder's output must be checked. */
    int (*encode)(const void *m, const nx_inputs *inputs, uint32_t slice, void *encoder_output, void *scratch);

    /* Returns the end of the range of positions that can share a pass with `position`. The field is null if a pass may begin and end
     * anywhere. */
    uint32_t (*pass_end)(const void *m, uint32_t position);

    /* Computes one pass: adds every column to the state of its sequence, and computes the output parameters of the column's position. The
     * columns of one sequence are consecutive positions. The results for a column do not depend on the other columns.
     * slice         0, 1, ... of a long pass; scratch keeps its contents between slices
     * parameters    (n, nx_stride(P)) written with the last slice; null: not wanted
     * Returns 1 while there are more slices. The field is null if the part has no sequence; state_bytes may then be null too. */
    int (*forward)(const void *m, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *scratch);

    /* Writes the keys of one row of a map to `keys`, in ascending order. Returns the number of keys, which is at most maps[map].keys. The
     * field is null if the part has no maps. */
    uint32_t (*keys)(const void *m, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *keys);

    /* Returns the address of a result's values in the encoder's output. The values are ids or floats, in the order of the result's
     * dimensions. *count is the number of values that are ready; only complete rows count. Once encode has finished, all values are ready,
     * in as many rows as nx_result.rows specifies. The field is null if the part has no results. */
    const void *(*result)(const void *m, const nx_shape *shape, const void *encoder_output, uint32_t index, uint32_t *count);
} nx_part;

typedef struct nx_arch {
    const char *name;
    uint32_t n_parts;
    const nx_part *parts;                                 /* shape (n_parts) */
    void (*configure)(nx_reader *reader, nx_plan *plans); /* reads and checks a whole model; plans: shape (n_parts), zeroed before */
    uint32_t streams; /* 1: configure does not read the weights' values, so they may arrive later (nx_model_begin) */
} nx_arch;

/* Returns the architecture with this name (`bytes` bytes, not zero-terminated), or null. */
const nx_arch *nx_arch_find(const char *name, uint32_t bytes);

#endif

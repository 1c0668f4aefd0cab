/* SPDX-License-Identifier: MIT
 *
 * What a model is. An architecture is a row of a table: its name, as in the file's key general.architecture, a function
 * that turns a file into the plans of its parts, and those parts: functions that turn a few columns of a sequence into the
 * parameters of their output distributions, above what an encoder made of the inputs, or only that encoder, whose results
 * are all there is. All that is common to models
 * (known and drawn ids, samples, noise, beams, save and restore) lives in session/ and knows only this.
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

/* Where a tensor of a file goes: what a model has read of it, row by row. Pointers lead into the model's block. */
typedef struct {
    enum { NX_UNREAD, NX_PACKED, NX_AS_IT_IS, NX_FLOATS } kind;
    void *to; /* a packed matrix; rows as in the file; floats, row-major, of a single row with zeros up to its stride */
    uint32_t type, rows, cols, row_bytes;
    uint32_t form;   /* of a packed matrix */
    uint32_t offset; /* of the tensor's data in the file */
    uint32_t entry;  /* of the tensor in the head, where its name begins */
    float low, high; /* of floats that have a range, else 0 */
} nx_place;

/* What a model is read through: reads of a key or of a tensor check it, take room in the arena and copy it there. After
 * a failure the status sticks and reads yield zeros and null pointers, so configure() checks once. */
typedef struct {
    const nx_gguf *file;
    nx_arena *arena;
    nx_problem *problem;
    uint64_t parameters; /* weights read so far */
    nx_status status;
    nx_place *places; /* (n_tensors) where only the head of a file is here, but null while the arena counts */
    uint32_t packing; /* nx_packing of matrices; a model of language sets NX_BY_BLOCK before it reads any */
} nx_reader;

/* A part of an opened model, as configure() fills it. */
typedef struct {
    const void *weights; /* null while the arena only counts */
    nx_output output;    /* E, V and P of its positions; zeros where there is no sequence */
    uint32_t length;     /* the most positions; 0: no bound */
    uint32_t rewinds;    /* how many positions back `forward` may begin again, once it has computed one */
    uint32_t encodes;    /* 1: the inputs go through nx_part.encode first */
    uint32_t n_inputs, n_results, n_maps, n_tables, n_ends;
    nx_port inputs[NX_PORTS];
    nx_result results[NX_MAX_RESULTS];
    nx_map maps[NX_MAX_MAPS];
    nx_table tables[NX_MAX_TABLES];
    uint32_t ends[NX_MAX_ENDS];
    const nx_draft *draft; /* or null */
} nx_plan;

/* What a run was given. Rebuilt for each call. */
typedef struct {
    nx_shape shape;                 /* no zeros left in it but of absent ports and the length of no sequence */
    const uint32_t *port[NX_PORTS]; /* (counts[i] items) or null: absent */
    float *trace;                   /* null, or the weights for `encode` to write of all maps with queries: (rows, queries, keys) each */
} nx_inputs;

/* Keys of a row of a map in a run of this shape: no more positions are looked at than there are. */
static inline uint32_t nx_map_keys(const nx_map *map, const nx_shape *shape) {
    uint32_t most = map->port == NX_NONE ? shape->length : shape->counts[map->port] ? shape->counts[map->port] : map->keys;
    return map->keys < most ? map->keys : most;
}

/* One column of a pass: what stands at `position` of a sequence is to be predicted from what stands before it. */
typedef struct {
    const nx_inputs *inputs;
    const void *memory;  /* what `encode` left; shared by all sequences */
    void *state;         /* of this sequence */
    const uint32_t *ids; /* (length, E) of this sequence; those before `position` are known */
    uint32_t position;
    float *trace; /* null, or the weights of all maps without queries to write, one after another: (rows, keys) each */
} nx_column;

/* m: nx_plan.weights. Memory, state and scratch hold no pointers; memory and state begin as zeros. */
typedef struct {
    /* Bytes of what encode leaves, of one sequence, and of the working memory of a pass of n columns and of encode. */
    uint64_t (*memory_bytes)(const void *m, const nx_shape *shape);
    uint64_t (*state_bytes)(const void *m, const nx_shape *shape);
    uint64_t (*scratch_bytes)(const void *m, const nx_shape *shape, uint32_t columns);

    /* Slice 0, 1, ... of reading the inputs into `memory`, where the plan says so; 1: there are more; -1: numbers broke. */
    int (*encode)(const void *m, const nx_inputs *inputs, uint32_t slice, void *memory, void *scratch);

    /* The position after the last one that may share a pass with this one. Null: any may. */
    uint32_t (*pass_end)(const void *m, uint32_t position);

    /* One pass: enters every column into its state and computes the output parameters of its position. Those columns that
     * are of one sequence are consecutive positions. The numbers of a column do not depend on the others.
     * slice         0, 1, ... of a pass that takes long; scratch is kept between them
     * parameters    (n, nx_stride(P)) written with the last slice; null: not wanted
     * Returns 1: there are more slices. Null: a part without a sequence, which needs no state_bytes either. */
    int (*forward)(const void *m, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *scratch);

    /* What a row of a map holds weights of, ascending: keys (maps[map].keys) written. Returns how many. Null: no maps. */
    uint32_t (*keys)(const void *m, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *keys);

    /* Where the numbers of a result lie in `memory`, ids or floats in the order of its dimensions; *count of them are there, encode
     * having finished or so far. Null: no results. */
    const void *(*result)(const void *m, const nx_shape *shape, const void *memory, uint32_t index, uint32_t *count);
} nx_part;

typedef struct nx_arch {
    const char *name;
    uint32_t n_parts;
    const nx_part *parts;                                 /* (n_parts) */
    void (*configure)(nx_reader *reader, nx_plan *plans); /* reads and checks all of a model; plans (n_parts), zeroed before */
    uint32_t streams; /* 1: configure looks at no weight, so that these may come later (nx_model_begin) */
} nx_arch;

/* The architecture of that name (bytes not zero-terminated), or null. */
const nx_arch *nx_arch_find(const char *name, uint32_t bytes);

#endif

/* SPDX-License-Identifier: MIT
 *
 * What a model is. An architecture is one row of a table: a name, as in the file's key general.architecture, and the
 * functions that turn a file into a model and a few columns of a sequence into the parameters of their output
 * distributions. All that is common to models (prefill, samples, noise, save and restore) lives in session.c and knows
 * only this.
 */
#ifndef NX_ARCH_H
#define NX_ARCH_H

#include "arena.h"
#include "attention/attention.h"
#include "gguf.h"
#include "nextpixel.h"
#include "sampling/output.h"

/* What a model is read through: reads of a key or of a tensor check it, take room in the arena and copy it there. After
 * a failure the status sticks and reads yield zeros and null pointers, so configure() checks once. */
typedef struct {
    const nx_gguf *file;
    nx_arena *arena;
    nx_problem *problem;
    uint64_t parameters; /* weights read so far */
    nx_status status;
} nx_reader;

/* One column of a pass: what stands at `position` of a sequence is to be predicted from what stands before it. */
typedef struct {
    void *cache;           /* this sequence's cache, arch->cache_bytes long */
    const void *condition; /* what arch->condition left, arch->condition_bytes long */
    const uint8_t *values; /* this sequence's elements as levels, E per position; those before `position` are known */
    uint32_t position;
    int32_t label; /* class, or -1 */
    float *trace;  /* null, or (blocks, heads, window) attention weights to write */
} nx_column;

typedef struct nx_arch {
    const char *name;

    /* Reads and checks all of a model. Returns it (null when the arena only counts) and fills info. */
    const void *(*configure)(nx_reader *reader, nx_info *info);

    /* What a position attends to, and what distribution it has. */
    const nx_pattern *(*pattern)(const void *model);
    const nx_output *(*output)(const void *model);

    /* Bytes of one sequence's cache, of the scratch memory of a pass of n columns, and of the conditioning input's
     * memory. */
    uint64_t (*cache_bytes)(const void *model);
    uint64_t (*scratch_bytes)(const void *model, uint32_t n);
    uint64_t (*condition_bytes)(const void *model);

    /* Reads the conditioning image, (input height, width, channels) 8-bit values, into `memory`, which all sequences
     * share. */
    void (*condition)(const void *model, void *memory, const uint8_t *values, void *scratch);

    /* One pass: enters every column into its cache and computes the output parameters of its position. All columns lie
     * in one query block of the pattern, and those of one sequence are consecutive positions. parameters (n,
     * nx_stride(P)) written; null: not wanted. n <= NX_COLUMNS */
    void (*forward)(const void *model, const nx_column *columns, uint32_t n, float *parameters, void *scratch);
} nx_arch;

/* The architecture of that name (bytes long), or null. */
const nx_arch *nx_arch_find(const char *name, uint32_t bytes);

#endif

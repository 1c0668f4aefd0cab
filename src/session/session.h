/* SPDX-License-Identifier: MIT
 *
 * The internals of a session, which only the files of this folder use. The block of a session begins with a header. The offsets of all
 * other parts follow from the model, the settings and the shape, so the block may be copied anywhere.
 *
 * Slots. All data of one sample (ids, state, output, maps) are in one slot. As long as all samples are equal, they share slot 0. After
 * that, `forked` is 1, sample b has slot slots[b], and only nx_adopt changes this assignment.
 */
#ifndef NX_SESSION_H
#define NX_SESSION_H

#include "kernels/kernels.h"
#include "model.h"
#include "sampling/categorical.h"

/* If the margin of a guess over the next best value is below this number of nats, no further positions are guessed after it. Uncertain
 * guesses fail so often that computing the columns after them is not worth the time. The drawn values do not depend on this limit. */
#define NX_SURE 1.5f

struct nx_session {
    uint32_t magic, fingerprint, part;
    nx_shape shape; /* a count of 0 means that an input is absent; a length of 0 means that the part has no sequence */
    nx_settings settings;
    uint32_t position;   /* number of positions known or drawn */
    uint32_t computed;   /* 1 + the last position that the model has computed; 0: none */
    uint32_t has_output; /* whether the last pass computed its output layer */
    uint32_t forked;
    uint32_t given;           /* bit i: whether input i has been given */
    uint32_t slices, encoded; /* slices: number of finished encoder slices; encoded: 1 if all slices are finished */
    uint32_t columns;         /* number of columns of an interrupted pass, otherwise 0 */
    uint32_t group, slice;    /* group: number of samples that precede those of the interrupted pass; slice: finished slices of this pass */
    uint32_t broken;          /* 1: a computed number is not finite */
    uint32_t tried, held;     /* number of recent guesses by look-up, and number of correct guesses among them */
    uint32_t begun;           /* 1 + the position at which a beam search began; 0: none */
    uint32_t living, found;   /* number of live hypotheses of the search, and of complete hypotheses */
    float best;               /* lowest score of the complete hypotheses */
};

/* Returns the number of rows of a map in a run of this shape. A map of the encoder has map->rows rows per query, and the result counts the
 * rows of all queries. */
static inline uint64_t nx_map_rows(const nx_map *map, const nx_shape *shape) {
    return (uint64_t)map->rows * (NX_TEXTS && map->queries ? nx_map_queries(map, shape) : 1);
}

/* Pointers to the parts of a session's block. Letters: P: number of output parameters of a position. E: number of elements of
 * a position. V: number of values of an element. S: number of slots, which equals the number of samples. */
typedef struct {
    const nx_model *model;
    const nx_plan *plan;
    const nx_part *part;
    nx_session *session;
    nx_inputs inputs;
    uint32_t *slots; /* shape (S): the slot of each sample */
    float *nats;     /* shape (S): nats of the hypotheses of a search */
    uint32_t *ended; /* shape (S): 1 + the position of the id that ended a sample; 0: the sample has not ended */
    uint32_t *port[NX_PORTS];
    uint32_t *biased; /* shape (settings.biases): ids with a bias */
    float *bias;      /* shape (settings.biases): the numbers that are added to the logits of these ids */
    uint8_t *ahead;   /* shape (length): the number of guesses from which each position was computed (nx_session_ahead) */
    float *pass;      /* shape (NX_COLUMNS, nx_stride(P)): output parameters of a pass */
    float *logits;    /* shape (4, nx_stride(V)): logits of one element, and the scratch of its draw */
    void *scratch, *draft;
    uint8_t *encoder_output; /* memory of encoder_output_bytes bytes; nx_part.encode writes it */
    float *output;           /* shape (S, nx_stride(P)): output parameters of the last position */
    float *maps;             /* maps (S, map_floats), if requested; the encoder's maps are in `inputs` */
    float *hidden;           /* hidden states, shape (S, hidden_floats), if requested */
    uint32_t *ids;           /* shape (S, length E) */
    uint8_t *state;          /* shape (S, state_bytes) */
    uint64_t encoder_output_bytes, state_bytes, map_floats, encoded_floats, hidden_floats, bytes;
    uint32_t stride, span, length, samples; /* nx_stride(P), E, positions, S */
} nx_layout;

/* Lays out a session's block. If `block` is null, only the sizes in *l are valid. */
void nx_lay_out(const nx_model *model, uint32_t part, const nx_settings *settings, const nx_shape *shape, void *block, nx_layout *l);
nx_layout nx_layout_of(const nx_model *model, const nx_session *session);

/* Returns NX_OK if positions may be computed: there is a sequence, its inputs are encoded, and all numbers so far are finite. */
nx_status nx_session_ready(const nx_layout *l);

static inline uint32_t nx_slot(const nx_layout *l, uint32_t sample) { return l->session->forked ? l->slots[sample] : 0; }
static inline uint32_t *nx_ids(const nx_layout *l, uint32_t slot) { return l->ids + (size_t)slot * l->length * l->span; }
static inline float *nx_output_of(const nx_layout *l, uint32_t slot) { return l->output + (size_t)slot * l->stride; }

/* Returns a column for the sequence of a sample. */
nx_column nx_column_of(const nx_layout *l, uint32_t sample, uint32_t position);
static inline float *nx_maps_of(const nx_layout *l, uint32_t slot) {
    return l->session->settings.maps ? l->maps + slot * l->map_floats : NULL;
}

/* Sets the column's pointers to the maps and hidden states that the session requests. */
static inline void nx_keep_column(const nx_layout *l, uint32_t slot, nx_column *column) {
    column->maps = nx_maps_of(l, slot);
    if (NX_TEXTS && l->hidden_floats) column->hidden = l->hidden + slot * l->hidden_floats;
}

/* Copies slot `from` to slot `to`. */
void nx_copy_slot(const nx_layout *l, uint32_t to, uint32_t from);

/* Gives every sample its own slot. */
void nx_fork(const nx_layout *l);

/* Returns whether passes of the part draw random numbers. If so, the state of a sequence depends on these numbers as well as on its ids. */
static inline int nx_noisy(const nx_layout *l) { return NX_TEXTS && l->plan->noisy && l->session->settings.temperature != 0; }

/* Makes sample b a copy of sample parents[b]. Call nx_fork first, so that each sample has its own slot. Only parents that are chosen more
 * than once are copied. */
void nx_adopt(const nx_layout *l, const uint32_t *parents);

/* Computes the first slice of a pass of n columns or, if the pass was interrupted, its next slice. group: number of samples that precede
 * the samples of this pass. Returns NX_MORE while there are more slices; the session stores the index of the next slice. parameters: shape
 * (n, nx_stride(P)), written with the last slice; may be null. */
nx_status nx_pass(const nx_layout *l, const nx_column *columns, uint32_t n, uint32_t group, float *parameters);

/* Marks the session as broken, so that every later call returns NX_E_NUMERIC. Returns NX_E_NUMERIC. */
nx_status nx_broke(nx_session *session);

/* Computes the output of the next position for every sample that has not ended, unless it is already computed. Returns NX_OK, NX_MORE or
 * NX_E_NUMERIC. */
nx_status nx_compute(const nx_layout *l);

/* Returns whether an id ends a sample. */
int nx_ends(const nx_plan *plan, uint32_t id);

/* Adds biases and penalties to l->logits, then draws one element of a sample's position from these logits. All earlier ids of the sample
 * must be known. */
uint32_t nx_draw_id(const nx_layout *l, uint32_t sample, uint32_t position, uint32_t element);

/* Draws the elements of one position of a sample from the output parameters, and stores them in the sample's slot. ids, nats: shape (E),
 * written; nats may be null. */
void nx_draw_elements(const nx_layout *l, uint32_t sample, uint32_t position, const float *parameters, uint32_t *ids, float *nats);

/* Returns whether the run uses speculative decoding. If it does, nx_draw_ahead draws all positions that one pass yields, but at most `most`
 * positions (ahead.c). */
int nx_looks_ahead(const nx_layout *l);
nx_status nx_draw_ahead(const nx_layout *l, uint32_t most, uint32_t *ids, float *nats);

#endif

/* SPDX-License-Identifier: MIT
 *
 * A prior: a Sparse Transformer over the codes of one level. Position p predicts code p,
 *
 *   x = e[code at p - 1] + row[p / l] + column[p % l] + class + speaker + above_p        blocks        W LN(x) + b
 *
 * Position 0 has no previous code. The class and the speaker may be absent. The vector above_p is present only if there is a level above.
 * A table, a stack of convolutions and a layer norm compute above_p from the codes of that level. The stack expands the vector of each code
 * to one vector for each position below the code.
 */
#ifndef NX_JUKEBOX_PRIOR_H
#define NX_JUKEBOX_PRIOR_H

#include "models/jukebox/stack.h"
#include "layers/sparse_blocks.h"

typedef struct {
    nx_sparse_blocks blocks;
    uint32_t values;                                      /* V */
    uint32_t class_port, speaker_port, above_port;        /* NX_NONE: there is no such port */
    nx_embedding codes, rows, columns, classes, speakers; /* shapes (V, d), (positions / l, d), (l, d), (classes, d), (speakers, d) */
    nx_norm last;
    nx_linear head; /* shape (V, d) */
    /* for conditioning on the level above: */
    nx_embedding above; /* shape (codes above, d) */
    nx_stack stack;
    nx_norm norm;
} nx_prior;

/* Reads the prior `name`, "top" or "bottom", with `values` ids and `positions` positions, and adds its ports for a class and a speaker to
 * the plan. classes, speakers: the number of each; 0: no port. */
void nx_prior_read(nx_reader *r, nx_prior *prior, nx_plan *plan, const char *arch, const char *name, uint32_t positions, uint32_t values,
                   uint32_t classes, uint32_t speakers);

/* Reads the prior's conditioner, and adds a port for the codes of the level above to the plan. The port takes up to `most` codes. Each code
 * is less than `codes`. Each code conditions `ratio` positions of this prior. */
void nx_prior_read_above(nx_reader *r, nx_prior *prior, nx_plan *plan, const char *arch, const char *name, const char *port, uint32_t codes,
                         uint32_t ratio, uint32_t most);

/* The functions of nx_part for a prior. */
uint64_t nx_prior_encoder_output_bytes(const void *prior, const nx_shape *shape);
uint64_t nx_prior_state_bytes(const void *prior, const nx_shape *shape);
uint64_t nx_prior_scratch_bytes(const void *prior, const nx_shape *shape, uint32_t columns);
int nx_prior_encode(const void *prior, const nx_inputs *inputs, uint32_t slice, void *encoder_output, void *scratch);
int nx_prior_forward(const void *prior, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *scratch);
uint32_t nx_prior_keys(const void *prior, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *keys);

#endif

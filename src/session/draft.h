/* SPDX-License-Identifier: MIT
 *
 * The draft for speculative decoding: a small network that predicts the model's draws. A weight file may contain a draft if the model's
 * positions form a grid in raster order and each position has one element. A wrong guess costs time but changes nothing (ahead.c).
 *
 * With O neighbours earlier in raster order, V levels and h hidden units, the draft computes for position p:
 *
 *   hidden = max(0, sum over o of N_o e[x at neighbour o of p] + R[row of p] + C[column of p])      (h)
 *   logits = W hidden + b                                                                          (V)
 *
 * A neighbour outside the grid adds nothing. The tensors' names begin with "draft.":
 *
 *   offset         shape (O, 2): the distance from p to each neighbour, in rows and columns
 *   token_embd     shape (V, r): e
 *   neighbour      shape (O h, r): all N_o
 *   position_row   shape (rows, h): R
 *   position_col   shape (cols, h): C
 *   output         shape (V, h): W, with the bias b
 */
#ifndef NX_DRAFT_H
#define NX_DRAFT_H

#include "arch.h"

/* Returns whether a file has a draft. */
int nx_draft_there(const nx_reader *reader);

/* Reads the draft of a model whose positions form a grid of `rows` x `cols` in raster order. Each position has one of `values` ids. Returns
 * null if the draft is missing or invalid, and while the reader's arena only counts bytes (arena.h). */
const nx_draft *nx_draft_read(nx_reader *reader, uint32_t rows, uint32_t cols, uint32_t values);

uint64_t nx_draft_scratch_bytes(const nx_draft *draft);

/* Computes the logits of a position, given the ids of the positions before it.
 * ids       the ids of all positions before `position`
 * logits    shape (nx_stride(V)), written; -infinity past V */
void nx_draft_logits(const nx_draft *draft, const uint32_t *ids, uint32_t position, float *logits, void *scratch);

#endif

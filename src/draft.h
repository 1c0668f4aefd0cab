/* SPDX-License-Identifier: MIT
 *
 * The draft of exact look-ahead: a small network that guesses what the model will draw. It may ride in any weight file
 * whose positions are pixels in raster order, each with one value. A wrong guess costs time and changes nothing
 * (session.c).
 *
 * With O neighbours that come earlier in raster order, V levels and h hidden units, for the position p:
 *
 *   hidden = max(0, sum over o of N_o e[x at neighbour o of p] + R[row of p] + C[column of p])      (h)
 *   logits = W hidden + b                                                                          (V)
 *
 * A neighbour outside of the image adds nothing. Tensors, under "draft.": offset (O, 2) rows and columns from p to each
 * neighbour; token_embd (V, r) is e; neighbour (O h, r) the N_o; position_row (height, h), position_col (width, h),
 * output (V, h).
 */
#ifndef NX_DRAFT_H
#define NX_DRAFT_H

#include "arch.h"

typedef struct nx_draft nx_draft;

/* Reads the draft of a file that has one, after the model, and sets info->draft. Null: none, or the arena only counts.
 */
const nx_draft *nx_draft_read(nx_reader *reader, nx_info *info);

uint64_t nx_draft_scratch_bytes(const nx_draft *draft);

/* Logits of a position given the levels of those before it. values (positions)     logits (nx_stride(V)) written,
 * -infinity past V */
void nx_draft_logits(const nx_draft *draft, const uint8_t *values, uint32_t position, float *logits, void *scratch);

#endif

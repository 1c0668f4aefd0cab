/* SPDX-License-Identifier: MIT
 *
 * Tensors on their way into a model: checked and put in their place, all rows at once or as they come.
 */
#ifndef NX_PLACE_H
#define NX_PLACE_H

#include "arch.h"

/* Whether every weight is finite: no exponent of a number or, in quantised types, of a scale may be all ones. bytes: of whole rows. */
int nx_all_finite(uint32_t type, const uint8_t *data, uint32_t bytes);

/* Whether numbers of F32 lie in the range of the place, where it has one. */
int nx_place_fits(const nx_place *place, uint32_t type, const uint8_t *data, uint32_t bytes);

/* Puts rows first..first+count-1 of a tensor in their place. Those from 0 on must come first. */
void nx_place_rows(const nx_place *place, uint32_t first, uint32_t count, const uint8_t *data);

#endif

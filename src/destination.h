/* SPDX-License-Identifier: MIT
 *
 * Tensors that are being loaded into a model: checked and stored at their destination, all rows together or as they arrive.
 */
#ifndef NX_DESTINATION_H
#define NX_DESTINATION_H

#include "arch.h"

/* Returns whether every weight is finite: no exponent of a number or scale may be all ones; a scale of E8M0 is at most 2^16. bytes: of whole rows. */
int nx_all_finite(uint32_t type, const uint8_t *data, uint32_t bytes);

/* Returns whether all F32 values are in the range of the destination, if it has one. */
int nx_destination_fits(const nx_destination *to, uint32_t type, const uint8_t *data, uint32_t bytes);

/* Puts rows first..first+count-1 of a tensor where they belong. The call with row 0 must be the first. */
void nx_destination_fill(const nx_destination *to, uint32_t first, uint32_t count, const uint8_t *data);

#endif

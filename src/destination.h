/* SPDX-License-Identifier: MIT
 *
 * Loads tensors into a model: checks them and stores them at their destination. The caller may store all rows in one call, or store each
 * group of rows when it arrives.
 */
#ifndef NX_DESTINATION_H
#define NX_DESTINATION_H

#include "arch.h"

/* Returns whether every weight is finite: no number or scale may have an exponent of all ones, and an E8M0 scale must be at most 2^16.
 * bytes: size of the data, a whole number of rows. */
int nx_all_finite(uint32_t type, const uint8_t *data, uint32_t bytes);

/* Returns whether all F32 values are in the destination's range; 1 if the destination has no range. */
int nx_destination_fits(const nx_destination *to, uint32_t type, const uint8_t *data, uint32_t bytes);

/* Stores rows first..first+count-1 of a tensor at its destination. The first call for a tensor must be for row 0. */
void nx_destination_fill(const nx_destination *to, uint32_t first, uint32_t count, const uint8_t *data);

#endif

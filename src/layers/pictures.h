/* SPDX-License-Identifier: MIT  What the models of pictures share: limits and levels in their metadata. */
#ifndef NX_PICTURES_H
#define NX_PICTURES_H

#include "arch.h"

#define NX_MAX_SIDE 256      /* rows and columns of pixels */
#define NX_MAX_CLASSES 65536 /* rows of a table of classes */

/* Reads the levels of a picture of architecture `arch` and their distribution, one of the first n_kinds of nx_output_names. */
void nx_read_levels(nx_reader *r, const char *arch, uint32_t n_kinds, nx_output *output);

#endif

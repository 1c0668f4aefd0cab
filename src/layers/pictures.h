/* SPDX-License-Identifier: MIT  Limits, and levels in the metadata, which all picture models share. */
#ifndef NX_PICTURES_H
#define NX_PICTURES_H

#include "arch.h"

/* The largest side of a picture, in pixels, for every kind of model. A change of this number has these consequences:
 * - web/lib/kinds/common-looks.js must have the same number (a test compares the two).
 * - A picture of three channels has 3 NX_MAX_SIDE^2 positions, which must stay within NX_MAX_LENGTH (nextpixel.h); an assertion in
 *   pictures.c checks this.
 * - For some files, memory grows with the number of pixels or faster. A cache of keys and values has one entry per position and block, and
 *   the maps of a run have one entry per pair of positions. tests/c/test_limits.c opens the largest files.
 * - The manual (web/manual/chapters/files.md) must state the new number for image.height and image.width. */
#define NX_MAX_SIDE 256
#define NX_MAX_CLASSES 65536 /* largest number of rows in a table of classes */

/* Reads two keys of architecture `arch`: the number of levels of a channel, and the name of the distribution of these levels. The name must
 * be among the first n_kinds entries of nx_output_names. */
void nx_read_levels(nx_reader *r, const char *arch, uint32_t n_kinds, nx_output *output);

#endif

/* SPDX-License-Identifier: MIT  Limits, and levels in the metadata, which all picture models share. */
#ifndef NX_PICTURES_H
#define NX_PICTURES_H

#include "arch.h"

/* The largest side of a picture, in pixels, for every kind of model. To change it:
 * - Change the number in web/lib/kinds/common-looks.js, too. A test compares the two.
 * - Keep 3 NX_MAX_SIDE^2, the number of positions of a picture with three channels, within NX_MAX_LENGTH (nextpixel.h). An assertion in
 *   pictures.c checks this.
 * - Check the memory of the largest files, which tests/c/test_limits.c opens. A cache of keys and values has one entry per position and
 *   block, and the maps of a run have one entry per pair of positions.
 * - Change the limit of image.height and image.width in the manual (web/manual/chapters/files.md). */
#define NX_MAX_SIDE 256
#define NX_MAX_CLASSES 65536 /* largest number of rows in a table of classes */

/* Reads two keys of architecture `arch`: the number of levels of a channel, and the name of the distribution of these levels. The name must
 * be among the first n_kinds entries of nx_output_names. */
void nx_read_levels(nx_reader *r, const char *arch, uint32_t n_kinds, nx_output *output);

#endif

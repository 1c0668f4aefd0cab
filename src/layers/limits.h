/* SPDX-License-Identifier: MIT  What the models of images share: limits of their metadata. */
#ifndef NX_LIMITS_H
#define NX_LIMITS_H

#define NX_MAX_SIDE 256      /* rows and columns of pixels */
#define NX_MAX_CLASSES 65536 /* rows of a table of classes */

#endif

/* SPDX-License-Identifier: MIT  Every architecture, one file each. */
#ifndef NX_MODELS_H
#define NX_MODELS_H

#include "arch.h"

extern const nx_arch nx_image_transformer; /* image_transformer.c: Parmar et al. 2018, arXiv:1802.05751 */

#endif

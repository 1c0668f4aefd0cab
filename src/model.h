/* SPDX-License-Identifier: MIT  A model in memory: what nextpixel.c opens and session.c runs. */
#ifndef NX_MODEL_H
#define NX_MODEL_H

#include "arch.h"
#include "draft.h"

struct nx_model {
    const nx_arch *arch;
    const void *weights; /* what arch->configure returned */
    nx_info info;
    uint32_t fingerprint; /* of the file's bytes; a saved session names the model that it belongs to */
    uint32_t n_keys;
    const uint8_t *metadata; /* the file's bytes up to the end of the keys */
    uint32_t metadata_bytes;
    const uint32_t *key;    /* (n_keys) offset of each key's entry in `metadata` */
    const uint8_t *palette; /* (levels, 3) or null */
    const nx_draft *draft;  /* or null */
};

#endif

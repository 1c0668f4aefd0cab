/* SPDX-License-Identifier: MIT  A model in memory. nextpixel.c opens it, and session/ runs it. */
#ifndef NX_MODEL_H
#define NX_MODEL_H

#include "arch.h"

struct nx_model {
    const nx_arch *arch;
    nx_plan plan[NX_MAX_PARTS];
    uint64_t parameters[NX_MAX_PARTS]; /* number of weights of each part */
    uint32_t fingerprint;              /* hash of the file's bytes, which identifies the model in a saved session */
    uint32_t n_keys;
    const uint8_t *metadata; /* the bytes of the file up to the end of the keys */
    uint32_t metadata_bytes;
    const uint32_t *key; /* shape (n_keys): offset of each key's entry in `metadata` */

    /* The following fields are used if the model's tensors are fed later. */
    nx_destination *destinations; /* shape (n_destinations); null if the model was opened from the whole file */
    uint32_t n_destinations;
    uint32_t fed, fed_rows; /* number of complete tensors, and number of fed rows of the next tensor */
};

#endif

/* SPDX-License-Identifier: MIT
 *
 * Saves sessions of any toy at every stage of a run, damages them and restores them. The tests of states and the fuzzer
 * (tests/fuzz/fuzz_state.c) use these functions.
 */
#ifndef STATES_H
#define STATES_H

#include "toy.h"

#define STATES_STAGES 24 /* maximum number of stages of a subject */

/* A variant of a part of a toy model, and the sessions that were saved at each stage of a run of this variant. */
typedef struct {
    const nx_model *model;
    uint32_t part;
    nx_shape shape;
    nx_settings settings;
    uint32_t n_stages;
    void *stage[STATES_STAGES];
    size_t bytes; /* size of each session */
} states_subject;

/* Makes a variant. 0: speculative decoding. 1: maps. 2: several samples with biases and penalties. 3: a beam search. Returns 0 after the
 * last variant, or if the part has no such variant. */
#define STATES_VARIANTS 4
int states_make(states_subject *s, const toy_row *row, const nx_model *model, uint32_t part, uint32_t variant);

/* Damages and restores a session. The session must either be refused or work safely. If it is accepted, it must access only its own memory
 * and come to an end, and it must be possible to save it again. `data` selects the damage, the later calls, and one of the saved sessions
 * in `stage`. After the end of `data`, zeros are used. Returns 1 if the damaged session was accepted. */
int states_restore(const states_subject *s, const uint8_t *data, size_t size);

#endif

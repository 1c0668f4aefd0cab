/* SPDX-License-Identifier: MIT
 *
 * Fuzzes saved sessions. Runs of every part of every toy model are saved at every stage, damaged and restored (tests/c/states.h).
 * ./build.sh fuzz [seconds] state
 *
 * The first two bytes of an input choose the subject; the others choose the damage and the calls that follow.
 */
#include <stdlib.h>

#include "check.h"
#include "states.h"

#define MOST_SUBJECTS 1024

static states_subject subjects[MOST_SUBJECTS];
static uint32_t n_subjects;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Makes the subjects in advance, because on a busy machine this takes longer than the time limit of one input. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    const toy_row *row;
    for (int i = 0; (row = toy_row_at(i)); i++) {
        toy_file file = row->file(row->number);
        const nx_model *model = toy_file_open(&file);
        for (uint32_t part = 0; model && part < nx_model_parts(model); part++)
            for (uint32_t variant = 0; variant < STATES_VARIANTS; variant++)
                if (n_subjects < MOST_SUBJECTS && states_make(&subjects[n_subjects], row, model, part, variant)) n_subjects++;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 2) states_restore(&subjects[(data[0] | (uint32_t)data[1] << 8) % n_subjects], data + 2, size - 2);
    if (check_failures()) abort();
    return 0;
}

/* SPDX-License-Identifier: MIT  See pictures.h. */
#include "pictures.h"

#include "reader.h"

_Static_assert(3 * NX_MAX_SIDE * NX_MAX_SIDE <= NX_MAX_LENGTH, "a picture of the greatest side fits a run");

void nx_read_levels(nx_reader *r, const char *arch, uint32_t n_kinds, nx_output *output) {
    nx_name levels = nx_key(arch, "image.levels");
    output->values = nx_read_u32(r, levels.text, 2, NX_MAX_LEVELS, NX_REQUIRED);
    output->kind = (nx_output_kind)nx_read_choice(r, nx_key(arch, "output.type").text, nx_output_names, n_kinds);
    output->elements = 1;
    if (output->kind == NX_BERNOULLI && output->values != 2) nx_reader_fail(r, NX_E_FORMAT, levels.text, "a Bernoulli output has 2 levels");
}

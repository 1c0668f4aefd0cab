/* SPDX-License-Identifier: MIT
 *
 * Joins the toy arrays of all models. For each array `const toy_row NAME_toys[]`, build.sh writes a line TOYS(NAME) to toys.inc.
 */
#include "check.h"
#include "toy.h"

#define TOYS(name) extern const toy_row name##_toys[];
#include "toys.inc"
#undef TOYS

const toy_row *toy_row_at(int i) {
#define TOYS(name) name##_toys,
    static const toy_row *const tables[] = {
#include "toys.inc"
    };
#undef TOYS
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const toy_row *row = tables[t]; row->file; row++)
            if (i-- == 0) return row;
    return NULL;
}

nx_model *toy_file_open(const toy_file *file) { return toy_open(&(toy){.bytes = memory_copy(file->bytes, file->length), .length = file->length}); }

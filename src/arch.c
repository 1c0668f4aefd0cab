/* SPDX-License-Identifier: MIT  The table of architectures. */
#include "arch.h"

#include <string.h>

#include "models/models.h"

static const nx_arch *const architectures[] = {
    &nx_image_transformer,
};

const nx_arch *nx_arch_find(const char *name, uint32_t bytes) {
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (strlen(architectures[i]->name) == bytes && !memcmp(architectures[i]->name, name, bytes))
            return architectures[i];
    return NULL;
}

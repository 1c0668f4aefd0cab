/* SPDX-License-Identifier: MIT  The table of architectures: all architectures of models.h, or only the architectures that the build
 * names. */
#include "arch.h"

#include <string.h>

#include "models/models.h"

#define NX_MODEL(name, needs) extern const nx_arch nx_##name;
NX_MODELS
#undef NX_MODEL

#define NX_MODEL(name, needs) &nx_##name,
static const nx_arch *const architectures[] = {NX_MODELS};
#undef NX_MODEL

const nx_arch *nx_arch_find(const char *name, uint32_t bytes) {
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (strlen(architectures[i]->name) == bytes && !memcmp(architectures[i]->name, name, bytes)) return architectures[i];
    return NULL;
}

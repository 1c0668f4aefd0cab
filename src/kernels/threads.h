/* SPDX-License-Identifier: MIT
 *
 * Work that threads share, where there are any: a build with NX_THREADS has them, every other one does the work itself.
 */
#ifndef NX_THREADS_H
#define NX_THREADS_H

#include <stdint.h>

/* Does the items from..to-1. It must not depend on which thread does it, nor on what others do meanwhile. */
typedef void nx_share(const void *context, uint32_t from, uint32_t to);

#if defined(NX_THREADS)

/* Returns when all items are done: pieces of them go to whoever is free. */
void nx_share_work(nx_share *work, const void *context, uint32_t items);

#else

static inline void nx_share_work(nx_share *work, const void *context, uint32_t items) { work(context, 0, items); }

#endif

#endif

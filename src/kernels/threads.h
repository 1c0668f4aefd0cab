/* SPDX-License-Identifier: MIT
 *
 * Work that threads share, if there are any: a build with NX_THREADS has threads, every other build does the work in the caller.
 */
#ifndef NX_THREADS_H
#define NX_THREADS_H

#include <stdint.h>

/* Processes the items from..to-1. Its result must not depend on the thread that runs it, nor on what others do meanwhile. */
typedef void nx_share(const void *context, uint32_t from, uint32_t to);

#if defined(NX_THREADS)

/* Returns when all items are done: pieces of them go to free threads. */
void nx_share_work(nx_share *work, const void *context, uint32_t items);

#else

static inline void nx_share_work(nx_share *work, const void *context, uint32_t items) { work(context, 0, items); }

#endif

#endif

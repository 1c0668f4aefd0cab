/* SPDX-License-Identifier: MIT
 *
 * Divides work among threads. A build with NX_THREADS has threads; every other build does all work in the thread of the caller.
 */
#ifndef NX_THREADS_H
#define NX_THREADS_H

#include <stdint.h>

/* Processes the items from..to-1. The result must depend neither on the thread that runs this function nor on what other threads do at the
 * same time. */
typedef void nx_share(const void *context, uint32_t from, uint32_t to);

#if defined(NX_THREADS)

/* Divides the items among free threads, and returns when all items are done. */
void nx_share_work(nx_share *work, const void *context, uint32_t items);

#else

static inline void nx_share_work(nx_share *work, const void *context, uint32_t items) { work(context, 0, items); }

#endif

#endif

/* SPDX-License-Identifier: MIT
 *
 * Threads of a build with NX_THREADS: instances of one module with one memory, each with a stack of its own.
 *
 * One thread, the owner, runs the library; the others are in nx_thread and help. A job is cut into pieces, and a ticket says which job
 * it is, how many pieces it has and which is the next one. Who raises the ticket by one has that piece, whatever thread it is: a helper
 * that comes late, or never, delays nothing. The owner takes pieces too and then waits for those that others have taken, so the job's
 * words stay as they are while anyone has a piece of it.
 */
#if defined(NX_THREADS)

#include "threads.h"

#include <stdatomic.h>

/* Pieces of a job: more than threads, so that a slow one does not keep all waiting. */
#define PIECES 32
/* A helper looks for a job so often before it sleeps: longer than between two products of a step. */
#define LOOKS 20000

typedef struct {
    _Atomic uint64_t ticket;   /* job << 32 | pieces << 16 | next piece */
    _Atomic uint32_t job;      /* the same number, to sleep on */
    _Atomic uint32_t sleepers; /* helpers that sleep, or are about to */
    _Atomic uint32_t done;     /* pieces */
    nx_share *work;
    const void *context;
    uint32_t items;
} pool;

static pool shared;

/* A piece of the job that is on, if one is left. */
static int help(void) {
    uint64_t ticket = atomic_load(&shared.ticket);
    for (;;) {
        uint32_t pieces = (uint32_t)ticket >> 16, piece = (uint32_t)ticket & 0xffff;
        if (piece >= pieces) return 0;
        if (!atomic_compare_exchange_weak(&shared.ticket, &ticket, ticket + 1)) continue;
        uint64_t items = shared.items;
        shared.work(shared.context, (uint32_t)(items * piece / pieces), (uint32_t)(items * (piece + 1) / pieces));
        atomic_fetch_add(&shared.done, 1);
        return 1;
    }
}

void nx_share_work(nx_share *work, const void *context, uint32_t items) {
    uint32_t pieces = items < PIECES ? items : PIECES, job = atomic_load(&shared.job) + 1;
    shared.work = work;
    shared.context = context;
    shared.items = items;
    atomic_store(&shared.done, 0);
    atomic_store(&shared.ticket, (uint64_t)job << 32 | pieces << 16);
    atomic_store(&shared.job, job);
    if (atomic_load(&shared.sleepers)) __builtin_wasm_memory_atomic_notify((int *)&shared.job, UINT32_MAX);
    while (help()) {}
    while (atomic_load(&shared.done) < pieces) {}
}

/* Helps for ever. See instance.js, which gives this thread its stack. */
__attribute__((visibility("default"))) void nx_thread(void);
void nx_thread(void) {
    for (;;) {
        uint32_t job = atomic_load(&shared.job);
        for (int i = 0; i < LOOKS; i++)
            if (help()) i = 0;
        atomic_fetch_add(&shared.sleepers, 1);
        __builtin_wasm_memory_atomic_wait32((int *)&shared.job, (int)job, -1);
        atomic_fetch_sub(&shared.sleepers, 1);
    }
}

#else
typedef int nx_threads_are_not_here; /* a file is not empty */
#endif

/* SPDX-License-Identifier: MIT
 *
 * Threads, for builds with NX_THREADS. The threads are instances of one module that share one memory; each thread has its own stack.
 *
 * One thread, the owner, runs the library; the other threads are in nx_thread and help it. A job is divided into pieces. A ticket holds the
 * job, its number of pieces, and the next piece. The thread that increments the ticket gets this next piece, so nothing is delayed by a
 * helper that comes late or not at all. The owner takes pieces too, and then waits for the pieces that helpers have taken. The fields that
 * describe the job therefore do not change while any piece is being processed.
 *
 * A helper is useless if another program occupies its core. Such a helper may be interrupted in the middle of a piece, and the interruption
 * may last thousands of times as long as the piece. Or the helper may share the owner's core and take turns with the owner. The owner
 * therefore does the next jobs alone in two cases: if it had to wait long for a helper, or if it hardly ever found a helper still at work
 * when its own pieces were done. Each time one of these cases occurs again, the owner does twice as many jobs alone.
 */
#if defined(NX_THREADS)

#include "threads.h"

#include <stdatomic.h>

/* Pieces per job: more pieces than threads, so that a slow thread does not delay the others. */
#define PIECES 64
/* Number of times that a helper polls before it sleeps. LOOKS polls take longer than the time between two products of a step. */
#define LOOKS 20000
/* The owner has waited too long if it has polled more than WAITS times. WAITS polls take longer than a thread needs for one piece of the
 * largest product. */
#define WAITS (1 << 19)
/* Number of jobs in a trial. A trial counts the jobs in which a helper is still at work when the owner has finished its own pieces. With
 * one helper as fast as the owner, the count is about half of the jobs. The trial fails if the count is below SEEN. */
#define TRIAL 128
#define SEEN (TRIAL / 16)
/* Number of jobs that the owner does without helpers after the first failed trial. The number doubles with each further failed trial, up to
 * ALONE_MOST. A token of a language model takes about two hundred jobs. */
#define ALONE 256
#define ALONE_MOST 8192

typedef struct {
    _Atomic uint64_t ticket;   /* packs job << 32 | pieces << 16 | next piece */
    _Atomic uint32_t job;      /* the job number again, in a word of its own on which helpers wait */
    _Atomic uint32_t sleepers; /* number of helpers that have gone to sleep, or are about to, since they were last woken */
    _Atomic uint32_t done;     /* pieces */
    nx_share *work;
    const void *context;
    uint32_t items;
} pool;

static pool shared;

/* The owner's counters:
 *   alone   number of jobs left to do alone
 *   next    number of jobs to do alone after the next failed trial
 *   jobs    number of jobs of the current trial so far
 *   seen    number of those jobs in which the owner saw a helper at work */
static struct {
    uint32_t alone, next, jobs, seen;
} trust = {.next = ALONE};

/* Updates the trust in the helpers after a job. looks: how often the owner polled until the helpers were done. */
static void learn(uint32_t looks) {
    int late = looks > WAITS;
    trust.seen += looks > 0;
    if (++trust.jobs < TRIAL && !late) return;
    if (late || trust.seen < SEEN) {
        trust.alone = trust.next;
        if (trust.next < ALONE_MOST) trust.next *= 2;
    } else if (trust.next > ALONE)
        trust.next -= trust.next / 8; /* decreases slowly, because some trials succeed even on a shared core */
    trust.jobs = trust.seen = 0;
}

/* Takes a piece of the current job, if one is left. */
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
    if (trust.alone) {
        trust.alone--;
        work(context, 0, items);
        return;
    }
    uint32_t pieces = items < PIECES ? items : PIECES, job = atomic_load(&shared.job) + 1, looks = 0;
    shared.work = work;
    shared.context = context;
    shared.items = items;
    atomic_store(&shared.done, 0);
    atomic_store(&shared.ticket, (uint64_t)job << 32 | pieces << 16);
    atomic_store(&shared.job, job);
    if (atomic_load(&shared.sleepers) && atomic_exchange(&shared.sleepers, 0))
        __builtin_wasm_memory_atomic_notify((int *)&shared.job, UINT32_MAX);
    while (help()) {}
    while (atomic_load(&shared.done) < pieces) looks++;
    learn(looks);
}

/* Helps forever. See instance.js, which gives this thread its stack. */
__attribute__((visibility("default"))) void nx_thread(void);
void nx_thread(void) {
    for (;;) {
        uint32_t job = atomic_load(&shared.job);
        for (int i = 0; i < LOOKS; i++)
            if (help()) i = 0;
        atomic_fetch_add(&shared.sleepers, 1);
        __builtin_wasm_memory_atomic_wait32((int *)&shared.job, (int)job, -1);
    }
}

#else
typedef int nx_threads_are_not_here; /* because standard C does not allow an empty source file */
#endif

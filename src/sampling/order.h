/* SPDX-License-Identifier: MIT
 *
 * Values in the order of a number each has: the largest first, of equals the lowest value. A heap gives them one after
 * another, so that the first k of V cost V + k log V.
 */
#ifndef NX_ORDER_H
#define NX_ORDER_H

#include <stdint.h>

/* Whether value a comes before value b. */
static inline int nx_before(const float *x, uint32_t a, uint32_t b) { return x[a] > x[b] || (x[a] == x[b] && a < b); }

static inline void nx_heap_sift(const float *x, uint32_t *heap, uint32_t n, uint32_t at) {
    uint32_t moving = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && nx_before(x, heap[child + 1], heap[child])) child++;
        if (!nx_before(x, heap[child], moving)) break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

/* heap (n) written: the values 0..n-1, the first of them at its root, heap[0]. */
static inline void nx_heap_make(const float *x, uint32_t *heap, uint32_t n) {
    for (uint32_t v = 0; v < n; v++) heap[v] = v;
    for (uint32_t at = n / 2; at-- > 0;) nx_heap_sift(x, heap, n, at);
}

/* Takes the root off a heap of n; it stands at heap[n - 1] afterwards. */
static inline uint32_t nx_heap_pop(const float *x, uint32_t *heap, uint32_t n) {
    uint32_t first = heap[0];
    heap[0] = heap[n - 1];
    heap[n - 1] = first;
    nx_heap_sift(x, heap, n - 1, 0);
    return first;
}

#endif

/* SPDX-License-Identifier: MIT  See order.h. */
#include "order.h"

/* Returns whether value a comes before value b. */
static int before(const float *x, uint32_t a, uint32_t b) { return x[a] > x[b] || (x[a] == x[b] && a < b); }

static void sift(const float *x, uint32_t *heap, uint32_t n, uint32_t at) {
    uint32_t moving = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(x, heap[child + 1], heap[child])) child++;
        if (!before(x, heap[child], moving)) break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

void nx_heap_make(const float *x, uint32_t *heap, uint32_t n) {
    for (uint32_t v = 0; v < n; v++) heap[v] = v;
    for (uint32_t at = n / 2; at-- > 0;) sift(x, heap, n, at);
}

uint32_t nx_heap_pop(const float *x, uint32_t *heap, uint32_t n) {
    uint32_t first = heap[0];
    heap[0] = heap[n - 1];
    heap[n - 1] = first;
    sift(x, heap, n - 1, 0);
    return first;
}

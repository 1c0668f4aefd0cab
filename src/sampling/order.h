/* SPDX-License-Identifier: MIT
 *
 * Sorts the values v = 0..n-1 in descending order of x[v]; on ties, the lowest v comes first. A heap yields the values one by one, so the
 * first k of V values take V + k log V steps.
 */
#ifndef NX_ORDER_H
#define NX_ORDER_H

#include <stdint.h>

/* Makes a heap of the values 0..n-1. heap: shape (n), written. The root, heap[0], is the value v with the largest x[v]. */
void nx_heap_make(const float *x, uint32_t *heap, uint32_t n);

/* Takes the root off a heap of n values, and moves it to heap[n - 1]. Returns the root. */
uint32_t nx_heap_pop(const float *x, uint32_t *heap, uint32_t n);

#endif

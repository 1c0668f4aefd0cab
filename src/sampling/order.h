/* SPDX-License-Identifier: MIT
 *
 * Sorts values by a number each: the largest number first, and the lowest value first among equals. A heap yields the values one by one, so
 * the first k of V cost V + k log V.
 */
#ifndef NX_ORDER_H
#define NX_ORDER_H

#include <stdint.h>

/* heap (n) written: the values 0..n-1, with the first in order at the root, heap[0]. */
void nx_heap_make(const float *x, uint32_t *heap, uint32_t n);

/* Takes the root off a heap of n. The root is then at heap[n - 1]. */
uint32_t nx_heap_pop(const float *x, uint32_t *heap, uint32_t n);

#endif

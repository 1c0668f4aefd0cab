/* SPDX-License-Identifier: MIT
 *
 * Values in the order of a number each has: the largest first, of equals the lowest value. A heap yields them one by one, so that the first
 * k of V cost V + k log V.
 */
#ifndef NX_ORDER_H
#define NX_ORDER_H

#include <stdint.h>

/* heap (n) written: the values 0..n-1, the first of them at its root, heap[0]. */
void nx_heap_make(const float *x, uint32_t *heap, uint32_t n);

/* Takes the root off a heap of n; it is at heap[n - 1] afterwards. */
uint32_t nx_heap_pop(const float *x, uint32_t *heap, uint32_t n);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Projective trees over the words 1 .. n of a sentence: exactly one word is attached to the root 0, every other word is attached to another
 * word, and arcs that are drawn above the words do not cross. With a score s[h][m] for every arc from a head h to a dependent m,
 *
 *   p(trees) = exp(sum over m of s[head of m][m]) / Z
 *
 * [Eisner 1996; Kim et al. 2017 for attention, section 3.2]. A span i .. j is complete if all its words depend, directly or indirectly, on
 * one of its ends: on i for C_right(i, j), or on j for C_left(i, j). In an incomplete span, one end is the head of the other end: i is the
 * head of j in I_right(i, j), and j is the head of i in I_left(i, j).
 *
 *   I(i, j)       = log sum over i <= k < j of e^(C_right(i, k) + C_left(k + 1, j)),   I_right = I + s[i][j],   I_left = I + s[j][i]
 *   C_right(i, j) = log sum over i < k <= j of e^(I_right(i, k) + C_right(k, j))
 *   C_left(i, j)  = log sum over i <= k < j of e^(C_left(i, k) + I_left(k, j))
 *   log Z         = log sum over r of e^(s[0][r] + C_left(1, r) + C_right(r, n))
 *
 * The inside pass computes these sums, first for short spans and then for longer ones. Each possible set of arcs within a span belongs to
 * exactly one term of the span's sum, so no tree is counted twice. The outside pass propagates derivatives backwards from
 * d log Z / d log Z = 1: each term receives e^(term - sum) times the derivative of its sum. For the arc h -> m of an incomplete span, the
 * received derivatives add up to d log Z / d s[h][m], which is p(h is the head of m). If each log sum is replaced by a maximum, the first
 * of the largest terms receives the whole derivative. The arcs of the most probable tree then receive 1, and all other arcs receive 0.
 * There are no products, so nothing underflows.
 *
 * Each pass takes about n^3 / 2 exponentials. One call computes only the spans of one width, so a pass can be interrupted between calls. An
 * impossible arc has the score -infinity.
 */
#ifndef NX_TREES_H
#define NX_TREES_H

#include <stdint.h>

/* Scores have n + 1 rows, one for each head. A row has nx_tree_stride(n) numbers, one for each dependent. Scores for dependent 0, and
 * scores that make a word its own head, are ignored. */
static inline uint32_t nx_tree_stride(uint32_t words) { return (words + 1 + 3) & ~3u; }

typedef struct {
    uint32_t words; /* n >= 1 */
    int best;       /* 1: computes maxima instead of sums, and the most probable tree instead of marginals */
    const float *scores;
    float *charts; /* nx_tree_bytes(n) bytes: the state that the functions below share */
} nx_trees;

uint64_t nx_tree_bytes(uint32_t words);

/* Initialises the charts. Call this function first. */
void nx_tree_begin(const nx_trees *trees);

/* Computes the inside pass for all spans of width + 1 words. Call this function for the widths 1, 2 .. n - 1, in ascending order. */
void nx_tree_inside(const nx_trees *trees, uint32_t width);

/* Returns log Z, or the score of the best tree, once the inside pass is complete; -infinity if there is no tree. */
float nx_tree_total(const nx_trees *trees);

/* The first function computes the outside pass for the root; call it after nx_tree_total. The second function computes the outside pass for
 * all spans of width + 1 words; call it after the first function, for the widths n - 1 .. 2, 1 in this order.
 * marginals   shape (n + 1, stride), like the scores; zeros before the first call. After the last call, the array holds p(head | words) for
 *             every dependent */
void nx_tree_outside_root(const nx_trees *trees, float total, float *marginals);
void nx_tree_outside(const nx_trees *trees, uint32_t width, float *marginals);

#endif

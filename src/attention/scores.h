/* SPDX-License-Identifier: MIT
 *
 * Attention of one query to a list of vectors, as in recurrent models: a score for each vector, a softmax over a window of them, and a
 * weighted sum. All computations are in single precision. The vectors of a list are nx_stride(width) numbers apart; width % 4 == 0. A
 * window contains the positions i of a list for which `from` <= i < `to`. The functions write values only for these positions.
 */
#ifndef NX_SCORES_H
#define NX_SCORES_H

#include <stdint.h>

typedef struct {
    uint32_t from, to;
} nx_window;

/* Returns the window of all positions at a distance of at most D from `centre`, in a list of `count` positions. The window is never empty,
 * because `centre` is in the list. */
static inline nx_window nx_window_around(uint32_t centre, uint32_t D, uint32_t count) {
    return (nx_window){centre > D ? centre - D : 0, count - centre > D ? centre + D + 1 : count};
}

/* score[i] = scale query . keys[i]  [Luong, Pham, Manning 2015, arXiv:1508.04025, eq. 8: "dot", or "general" if the keys are W h] */
void nx_score_dot(float *score, const float *query, const float *keys, float scale, uint32_t width, nx_window window);

/* score[i] = v . tanh(query + keys[i])  [Bahdanau, Cho, Bengio 2015, arXiv:1409.0473, appendix A.1.2]; query = W_q s, keys = W_k h */
void nx_score_additive(float *score, const float *query, const float *keys, const float *v, uint32_t width, nx_window window);

/* Computes the softmax of the window. weights: must have space for three more numbers after the window; these are overwritten. */
void nx_score_softmax(float *weights, nx_window window);

/* weights[i] *= exp(-(i - centre)^2 / (2 deviation^2))  [Luong et al., eq. 10]. Afterwards, the weights no longer sum to 1. */
void nx_score_bell(float *weights, float centre, float deviation, nx_window window);

/* Computes out (width) = sum of weights[i] values[i] over the window; zeros for an empty window. */
void nx_score_sum(float *out, const float *weights, const float *values, uint32_t width, nx_window window);

/* x . y */
float nx_dot(const float *x, const float *y, uint32_t width);

/* Returns 1 / |x|; 0 if x is zero. */
float nx_inverse_norm(const float *x, uint32_t width);

#endif

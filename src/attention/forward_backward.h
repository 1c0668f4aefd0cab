/* SPDX-License-Identifier: MIT
 *
 * Linear chains: z_1 .. z_T, where each z_t is one of C states, with
 *
 *   p(z) = exp(start[z_1] + sum over t of U_t[z_t] + sum over t of A[z_t-1][z_t] + end[z_T]) / Z
 *
 * [Rabiner 1989 for hidden Markov models; Lafferty, McCallum, Pereira 2001 for conditional random fields; Kim et al. 2017 for attention].
 * The forward-backward algorithm computes log Z and p(z_t = c). It takes T C^2 additions and exponentials in each direction. Viterbi's
 * algorithm finds the most probable z with T C^2 additions and comparisons. Each step computes one position, so a long chain can be
 * interrupted after any position.
 *
 * A row of C numbers has nx_chain_stride(C) entries, a multiple of 4; the entries past C are -infinity. Each lane of a vector belongs to
 * one state.
 */
#ifndef NX_FORWARD_BACKWARD_H
#define NX_FORWARD_BACKWARD_H

#include <stdint.h>

#define NX_MAX_STATES 1024

static inline uint32_t nx_chain_stride(uint32_t states) { return (states + 3) & ~3u; }

typedef struct {
    uint32_t states;          /* C */
    const float *transition;  /* shape (C, stride): A[from][to] */
    const float *reversed;    /* the transpose of A, shape (C, stride): reversed[to][from] = A[from][to] */
    const float *start, *end; /* shape (stride) */
} nx_chain_weights;

/* The first function pads a transition matrix (C, C), and its transpose, to the shape (C, stride). The second function pads a vector (C) to
 * one row (stride). */
void nx_chain_pad(float *rows, float *reversed, const float *transition, uint32_t states);
void nx_chain_pad_row(float *row, const float *numbers, uint32_t states);

/* Returns the log of the sum of e^(row[c] + x[c]) over c. */
float nx_chain_log_sum(const float *row, const float *x, uint32_t states, float *scratch);

/* Computes out[k] = log of the sum over c of e^(A[k][c] + x[c]), for every k. out: shape (stride), written; x: shape (stride). */
void nx_chain_follow(const nx_chain_weights *chain, const float *x, float *out);

/* Computes one position of the forward pass: alpha_t[c] = U_t[c] + log sum over k of e^(alpha_t-1[k] + A[k][c]) - log Z_t, and for the
 * first position alpha_1 = U_1 + start - log Z_1. Z_t makes e^alpha sum to 1, so alpha_t[c] = log p(z_t = c | U_1 .. U_t). log Z is the sum
 * of all log Z_t and nx_chain_log_sum(end, alpha_T).
 * before    shape (stride): alpha_t-1; null for the first position
 * alpha     shape (stride): alpha_t, written
 * Returns log Z_t, which is not finite if no state is possible. */
float nx_chain_forward(const nx_chain_weights *chain, const float *before, const float *u, float *alpha);

/* Computes one position of the backward pass: beta_t[k] = log sum over c of e^(A[k][c] + U_t+1[c] + beta_t+1[c]) - log Z_t+1; beta_T is
 * `end`. p(z_t = c) is then proportional to e^(alpha_t[c] + beta_t[c]), and p(z_t = k, z_t+1 = c) to
 * e^(alpha_t[k] + A[k][c] + U_t+1[c] + beta_t+1[c]). after and u: beta and U of position t + 1; scratch (stride). */
void nx_chain_backward(const nx_chain_weights *chain, const float *after, const float *u, float log_z, float *beta, float *scratch);

/* Computes one position of Viterbi's algorithm: best_t[c] = U_t[c] + max over k of (best_t-1[k] + A[k][c]), minus the maximum over all c.
 * Returns this maximum. from[c] (stride) is the best k; ties go to the lowest k. before: null for the first position, where `from` is not
 * written. */
float nx_chain_viterbi(const nx_chain_weights *chain, const float *before, const float *u, float *best, uint16_t *from);

/* Returns the state with the largest row[c] + x[c]; ties go to the lowest state. */
uint32_t nx_chain_largest(const float *row, const float *x, uint32_t states);

#endif

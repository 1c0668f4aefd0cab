/* SPDX-License-Identifier: MIT  See forward_backward.h. */
#include "attention/forward_backward.h"

#include <math.h>

#include "kernels/elementary.h"
#include "kernels/kernels.h"

#define LOWEST -0x1.fffffep127f /* replaces a maximum of -infinity, because subtracting -infinity from itself would give NaN */

void nx_chain_pad_row(float *row, const float *numbers, uint32_t states) {
    for (uint32_t c = 0; c < nx_chain_stride(states); c++) row[c] = c < states ? numbers[c] : -INFINITY;
}

void nx_chain_pad(float *rows, float *reversed, const float *transition, uint32_t states) {
    uint32_t stride = nx_chain_stride(states);
    for (uint32_t k = 0; k < states; k++)
        for (uint32_t c = 0; c < stride; c++) {
            rows[k * stride + c] = c < states ? transition[k * states + c] : -INFINITY;
            reversed[k * stride + c] = c < states ? transition[c * states + k] : -INFINITY;
        }
}

/* Returns the log of the sum over k of e^(x[k] + rows[k][lane]) for four lanes; -infinity for a lane that cannot be reached. */
NX_INLINE v128_t log_sum(const float *rows, uint32_t stride, const float *x, uint32_t states) {
    v128_t largest = wasm_f32x4_splat(LOWEST), sum = wasm_f32x4_splat(0);
    for (uint32_t k = 0; k < states; k++)
        largest = wasm_f32x4_pmax(largest, wasm_f32x4_add(wasm_f32x4_splat(x[k]), wasm_v128_load(rows + (size_t)k * stride)));
    for (uint32_t k = 0; k < states; k++) {
        v128_t term = wasm_f32x4_add(wasm_f32x4_splat(x[k]), wasm_v128_load(rows + (size_t)k * stride));
        sum = wasm_f32x4_add(sum, f32x4_exp(wasm_f32x4_sub(term, largest)));
    }
    v128_t none = wasm_f32x4_eq(sum, wasm_f32x4_splat(0)), logs = wasm_f32x4_add(largest, f32x4_log(sum));
    return wasm_v128_bitselect(wasm_f32x4_splat(-INFINITY), logs, none);
}

float nx_chain_log_sum(const float *row, const float *x, uint32_t states, float *scratch) {
    uint32_t stride = nx_chain_stride(states);
    for (uint32_t c = 0; c < stride; c += 4) wasm_v128_store(scratch + c, wasm_f32x4_add(wasm_v128_load(row + c), wasm_v128_load(x + c)));
    return nx_log_sum_exp(scratch, stride);
}

void nx_chain_follow(const nx_chain_weights *chain, const float *x, float *out) {
    uint32_t stride = nx_chain_stride(chain->states);
    for (uint32_t k = 0; k < stride; k += 4) wasm_v128_store(out + k, log_sum(chain->reversed + k, stride, x, chain->states));
}

float nx_chain_forward(const nx_chain_weights *chain, const float *before, const float *u, float *alpha) {
    uint32_t stride = nx_chain_stride(chain->states);
    for (uint32_t c = 0; c < stride; c += 4) {
        v128_t to = before ? log_sum(chain->transition + c, stride, before, chain->states) : wasm_v128_load(chain->start + c);
        wasm_v128_store(alpha + c, wasm_f32x4_add(wasm_v128_load(u + c), to));
    }
    float log_z = nx_log_sum_exp(alpha, stride);
    for (uint32_t c = 0; c < stride; c += 4) wasm_v128_store(alpha + c, wasm_f32x4_sub(wasm_v128_load(alpha + c), wasm_f32x4_splat(log_z)));
    return log_z;
}

void nx_chain_backward(const nx_chain_weights *chain, const float *after, const float *u, float log_z, float *beta, float *scratch) {
    uint32_t stride = nx_chain_stride(chain->states);
    for (uint32_t c = 0; c < stride; c += 4) wasm_v128_store(scratch + c, wasm_f32x4_add(wasm_v128_load(u + c), wasm_v128_load(after + c)));
    for (uint32_t k = 0; k < stride; k += 4)
        wasm_v128_store(beta + k, wasm_f32x4_sub(log_sum(chain->reversed + k, stride, scratch, chain->states), wasm_f32x4_splat(log_z)));
}

float nx_chain_viterbi(const nx_chain_weights *chain, const float *before, const float *u, float *best, uint16_t *from) {
    uint32_t stride = nx_chain_stride(chain->states);
    v128_t top = wasm_f32x4_splat(-INFINITY);
    for (uint32_t c = 0; c < stride; c += 4) {
        v128_t value = wasm_v128_load(chain->start + c), at = wasm_i32x4_splat(0);
        if (before) value = wasm_f32x4_add(wasm_f32x4_splat(before[0]), wasm_v128_load(chain->transition + c));
        for (uint32_t k = 1; before && k < chain->states; k++) {
            v128_t other = wasm_f32x4_add(wasm_f32x4_splat(before[k]), wasm_v128_load(chain->transition + (size_t)k * stride + c));
            v128_t larger = wasm_f32x4_gt(other, value);
            value = wasm_v128_bitselect(other, value, larger);
            at = wasm_v128_bitselect(wasm_i32x4_splat((int32_t)k), at, larger);
        }
        value = wasm_f32x4_add(value, wasm_v128_load(u + c));
        top = wasm_f32x4_pmax(top, value);
        wasm_v128_store(best + c, value);
        uint32_t lanes[4];
        wasm_v128_store(lanes, at);
        for (uint32_t i = 0; before && i < 4; i++) from[c + i] = (uint16_t)lanes[i];
    }
    float largest = wasm_f32x4_extract_lane(f32x4_largest(top), 0);
    for (uint32_t c = 0; c < stride; c += 4) wasm_v128_store(best + c, wasm_f32x4_sub(wasm_v128_load(best + c), wasm_f32x4_splat(largest)));
    return largest;
}

uint32_t nx_chain_largest(const float *row, const float *x, uint32_t states) {
    uint32_t at = 0;
    for (uint32_t c = 1; c < states; c++)
        if (row[c] + x[c] > row[at] + x[at]) at = c;
    return at;
}

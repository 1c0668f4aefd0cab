/* SPDX-License-Identifier: MIT  See scores.h. */
#include "scores.h"

#include "kernels/elementary.h"
#include "kernels/kernels.h"

float nx_dot(const float *x, const float *y, uint32_t width) {
    v128_t sum = wasm_f32x4_splat(0);
    for (uint32_t e = 0; e < width; e += 4) sum = f32x4_mul_add(wasm_v128_load(x + e), wasm_v128_load(y + e), sum);
    return f32x4_sum(sum);
}

float nx_inverse_norm(const float *x, uint32_t width) {
    float square = nx_dot(x, x, width);
    return square > 0 ? 1 / wasm_f32x4_extract_lane(wasm_f32x4_sqrt(wasm_f32x4_splat(square)), 0) : square; /* NaN stays NaN */
}

void nx_score_dot(float *score, const float *query, const float *keys, float scale, uint32_t width, nx_window window) {
    for (uint32_t i = window.from; i < window.to; i++) score[i] = scale * nx_dot(query, keys + (size_t)i * nx_stride(width), width);
}

void nx_score_additive(float *score, const float *query, const float *keys, const float *v, uint32_t width, nx_window window) {
    for (uint32_t i = window.from; i < window.to; i++) {
        const float *key = keys + (size_t)i * nx_stride(width);
        v128_t sum = wasm_f32x4_splat(0);
        for (uint32_t e = 0; e < width; e += 4) {
            v128_t joined = f32x4_tanh(wasm_f32x4_add(wasm_v128_load(query + e), wasm_v128_load(key + e)));
            sum = f32x4_mul_add(joined, wasm_v128_load(v + e), sum);
        }
        score[i] = f32x4_sum(sum);
    }
}

void nx_score_softmax(float *weights, nx_window window) {
    uint32_t n = window.to - window.from, whole = (n + 3) & ~3u;
    if (!n) return;
    for (uint32_t i = n; i < whole; i++) weights[window.from + i] = -__builtin_inff();
    nx_softmax(weights + window.from, whole);
}

void nx_score_bell(float *weights, float centre, float deviation, nx_window window) {
    for (uint32_t i = window.from; i < window.to; i++) {
        float off = ((float)i - centre) / deviation;
        weights[i] *= wasm_f32x4_extract_lane(f32x4_exp(wasm_f32x4_splat(-0.5f * off * off)), 0);
    }
}

void nx_score_sum(float *out, const float *weights, const float *values, uint32_t width, nx_window window) {
    for (uint32_t e = 0; e < width; e += 4) {
        v128_t sum = wasm_f32x4_splat(0);
        for (uint32_t i = window.from; i < window.to; i++)
            sum = f32x4_mul_add(wasm_f32x4_splat(weights[i]), wasm_v128_load(values + (size_t)i * nx_stride(width) + e), sum);
        wasm_v128_store(out + e, sum);
    }
}

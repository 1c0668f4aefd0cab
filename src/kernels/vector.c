/* SPDX-License-Identifier: MIT
 *
 * Kernels over vectors: residual, ReLU, layer norm, softmax. See kernels.h. Each sum is computed in four lanes: lane i adds the numbers i,
 * i+4, i+8 and so on. Then f32x4_sum adds the four lanes.
 */
#include "elementary.h"
#include "kernels.h"

void nx_relu(float *x, uint32_t width, uint32_t n) {
    v128_t zero = wasm_f32x4_splat(0);
    for (uint32_t j = 0; j < n; j++, x += nx_stride(width))
        for (uint32_t i = 0; i < width; i += 4) {
            v128_t value = wasm_v128_load(x + i);
            /* the comparison is false for NaN, so NaN is kept; it must reach the output to be reported */
            wasm_v128_store(x + i, wasm_v128_andnot(value, wasm_f32x4_lt(value, zero)));
        }
}

void nx_add(float *x, const float *y, uint32_t width, uint32_t n) {
    for (uint32_t j = 0; j < n; j++, x += nx_stride(width), y += nx_stride(width))
        for (uint32_t i = 0; i < width; i += 4) wasm_v128_store(x + i, wasm_f32x4_add(wasm_v128_load(x + i), wasm_v128_load(y + i)));
}

void nx_multiply(float *x, const float *y, uint32_t width, uint32_t n) {
    for (uint32_t j = 0; j < n; j++, x += nx_stride(width), y += nx_stride(width))
        for (uint32_t i = 0; i < width; i += 4) wasm_v128_store(x + i, wasm_f32x4_mul(wasm_v128_load(x + i), wasm_v128_load(y + i)));
}

void nx_soft_cap(float *x, float cap, uint32_t width, uint32_t n) {
    for (float *end = x + (size_t)n * nx_stride(width); x < end; x += 4) wasm_v128_store(x, nx_capped(wasm_v128_load(x), cap));
}

void nx_silu_times(float *x, const float *y, uint32_t width, uint32_t n) {
    v128_t one = wasm_f32x4_splat(1);
    for (uint32_t j = 0; j < n; j++, x += nx_stride(width), y += nx_stride(width))
        for (uint32_t i = 0; i < width; i += 4) {
            v128_t value = wasm_v128_load(x + i);
            v128_t silu = wasm_f32x4_div(value, wasm_f32x4_add(one, f32x4_exp(wasm_f32x4_neg(value))));
            wasm_v128_store(x + i, wasm_f32x4_mul(silu, wasm_v128_load(y + i)));
        }
}

void nx_rms_norm(float *out, const float *x, const float *weight, float epsilon, uint32_t width, uint32_t n) {
    v128_t per_width = wasm_f32x4_splat(1.0f / (float)width);
    for (uint32_t j = 0; j < n; j++, x += nx_stride(width), out += nx_stride(width)) {
        v128_t squares = wasm_f32x4_splat(0);
        for (uint32_t i = 0; i < width; i += 4) squares = f32x4_mul_add(wasm_v128_load(x + i), wasm_v128_load(x + i), squares);
        v128_t mean = wasm_f32x4_mul(wasm_f32x4_splat(f32x4_sum(squares)), per_width);
        v128_t scale = wasm_f32x4_div(wasm_f32x4_splat(1), wasm_f32x4_sqrt(wasm_f32x4_add(mean, wasm_f32x4_splat(epsilon))));
        for (uint32_t i = 0; i < width; i += 4)
            wasm_v128_store(out + i, wasm_f32x4_mul(wasm_f32x4_mul(wasm_v128_load(x + i), scale), wasm_v128_load(weight + i)));
    }
}

void nx_add_scaled(float *x, const float *y, float scale, uint32_t width) {
    v128_t factor = wasm_f32x4_splat(scale);
    for (uint32_t i = 0; i < width; i += 4)
        wasm_v128_store(x + i, wasm_f32x4_add(wasm_v128_load(x + i), wasm_f32x4_mul(wasm_v128_load(y + i), factor)));
}

void nx_layer_norm(float *x, const float *weight, const float *bias, float epsilon, uint32_t width, uint32_t n) {
    v128_t per_width = wasm_f32x4_splat(1.0f / (float)width);
    for (uint32_t j = 0; j < n; j++, x += nx_stride(width)) {
        v128_t sum = wasm_f32x4_splat(0), squares = wasm_f32x4_splat(0);
        for (uint32_t i = 0; i < width; i += 4) sum = wasm_f32x4_add(sum, wasm_v128_load(x + i));
        v128_t mean = wasm_f32x4_mul(wasm_f32x4_splat(f32x4_sum(sum)), per_width);
        for (uint32_t i = 0; i < width; i += 4) {
            v128_t centred = wasm_f32x4_sub(wasm_v128_load(x + i), mean);
            wasm_v128_store(x + i, centred);
            squares = f32x4_mul_add(centred, centred, squares);
        }
        v128_t variance = wasm_f32x4_mul(wasm_f32x4_splat(f32x4_sum(squares)), per_width);
        v128_t scale = wasm_f32x4_div(wasm_f32x4_splat(1), wasm_f32x4_sqrt(wasm_f32x4_add(variance, wasm_f32x4_splat(epsilon))));
        for (uint32_t i = 0; i < width; i += 4) {
            v128_t unit = wasm_f32x4_mul(wasm_v128_load(x + i), scale);
            wasm_v128_store(x + i, f32x4_mul_add(unit, wasm_v128_load(weight + i), wasm_v128_load(bias + i)));
        }
    }
}

/* Returns the largest number. A NaN may be skipped without harm, because it reappears in the exponentials. */
static v128_t largest(const float *x, uint32_t n) {
    v128_t top = wasm_v128_load(x);
    for (uint32_t i = 4; i < n; i += 4) top = wasm_f32x4_pmax(top, wasm_v128_load(x + i));
    return f32x4_largest(top);
}

void nx_softmax(float *x, uint32_t n) {
    v128_t top = largest(x, n);
    /* If all numbers are masked, top is -infinity, and x - top would be NaN. With top = 0 instead, every exponential is 0. */
    top = wasm_v128_andnot(top, wasm_f32x4_eq(top, wasm_f32x4_splat(-__builtin_inff())));
    v128_t sum = wasm_f32x4_splat(0);
    for (uint32_t i = 0; i < n; i += 4) {
        v128_t e = f32x4_exp(wasm_f32x4_sub(wasm_v128_load(x + i), top));
        wasm_v128_store(x + i, e);
        sum = wasm_f32x4_add(sum, e);
    }
    float total = f32x4_sum(sum);
    v128_t scale = wasm_f32x4_splat(total == 0.0f ? 0.0f : 1.0f / total);
    for (uint32_t i = 0; i < n; i += 4) wasm_v128_store(x + i, wasm_f32x4_mul(wasm_v128_load(x + i), scale));
}

float nx_log_sum_exp(const float *x, uint32_t n) {
    v128_t top = largest(x, n);
    v128_t sum = wasm_f32x4_splat(0);
    for (uint32_t i = 0; i < n; i += 4) sum = wasm_f32x4_add(sum, f32x4_exp(wasm_f32x4_sub(wasm_v128_load(x + i), top)));
    return wasm_f32x4_extract_lane(top, 0) + f32_log(f32x4_sum(sum));
}

void nx_gelu(float *x, uint32_t width, uint32_t n) {
    v128_t one = wasm_f32x4_splat(1), cubic = wasm_f32x4_splat(0.044715f),
           scale = wasm_f32x4_splat(-1.5957691216057308f); /* -2 sqrt(2 / pi) */
    for (uint32_t j = 0; j < n; j++, x += nx_stride(width))
        for (uint32_t i = 0; i < width; i += 4) {
            v128_t value = wasm_v128_load(x + i), square = wasm_f32x4_mul(value, value);
            v128_t inner = wasm_f32x4_mul(value, f32x4_mul_add(cubic, square, one));
            wasm_v128_store(x + i, wasm_f32x4_div(value, wasm_f32x4_add(one, f32x4_exp(wasm_f32x4_mul(inner, scale)))));
        }
}

void nx_gelu_sigmoid(float *x, uint32_t width, uint32_t n) {
    for (uint32_t j = 0; j < n; j++, x += nx_stride(width))
        for (uint32_t i = 0; i < width; i += 4) {
            v128_t value = wasm_v128_load(x + i);
            wasm_v128_store(x + i, wasm_f32x4_mul(value, f32x4_sigmoid(wasm_f32x4_mul(value, wasm_f32x4_splat(1.702f)))));
        }
}

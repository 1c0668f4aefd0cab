/* SPDX-License-Identifier: MIT  See cells.h. */
#include "cells.h"

#include "elementary.h"
#include "kernels.h"

void nx_gru(float *h, const float *x, const float *u, uint32_t width, uint32_t n) {
    for (uint32_t j = 0; j < n; j++, h += nx_stride(width), x += nx_stride(3 * width), u += nx_stride(3 * width))
        for (uint32_t i = 0; i < width; i += 4) {
            v128_t r = f32x4_sigmoid(wasm_f32x4_add(wasm_v128_load(x + i), wasm_v128_load(u + i)));
            v128_t z = f32x4_sigmoid(wasm_f32x4_add(wasm_v128_load(x + width + i), wasm_v128_load(u + width + i)));
            v128_t fresh = f32x4_tanh(f32x4_mul_add(r, wasm_v128_load(u + 2 * width + i), wasm_v128_load(x + 2 * width + i)));
            v128_t kept = wasm_f32x4_mul(z, wasm_v128_load(h + i));
            wasm_v128_store(h + i, f32x4_mul_add(wasm_f32x4_sub(wasm_f32x4_splat(1), z), fresh, kept));
        }
}

void nx_lstm(float *h, float *c, const float *gates, uint32_t width, uint32_t n) {
    for (uint32_t j = 0; j < n; j++, h += nx_stride(width), c += nx_stride(width), gates += nx_stride(4 * width))
        for (uint32_t i = 0; i < width; i += 4) {
            v128_t in = f32x4_sigmoid(wasm_v128_load(gates + i)), forget = f32x4_sigmoid(wasm_v128_load(gates + width + i));
            v128_t out = f32x4_sigmoid(wasm_v128_load(gates + 2 * width + i)), fresh = f32x4_tanh(wasm_v128_load(gates + 3 * width + i));
            v128_t cell = f32x4_mul_add(forget, wasm_v128_load(c + i), wasm_f32x4_mul(in, fresh));
            wasm_v128_store(c + i, cell);
            wasm_v128_store(h + i, wasm_f32x4_mul(out, f32x4_tanh(cell)));
        }
}

void nx_tanh(float *x, uint32_t width, uint32_t n) {
    for (uint32_t j = 0; j < n; j++, x += nx_stride(width))
        for (uint32_t i = 0; i < width; i += 4) wasm_v128_store(x + i, f32x4_tanh(wasm_v128_load(x + i)));
}

/* SPDX-License-Identifier: MIT  See gates.h. */
#include "gates.h"

#include "elementary.h"
#include "kernels.h"

void nx_gate(float *out, const float *fg, uint32_t width, uint32_t n) {
    for (uint32_t j = 0; j < n; j++, out += nx_stride(width), fg += nx_stride(2 * width))
        for (uint32_t i = 0; i < width; i += 4)
            wasm_v128_store(out + i, wasm_f32x4_mul(f32x4_tanh(wasm_v128_load(fg + i)), f32x4_sigmoid(wasm_v128_load(fg + width + i))));
}

/* SPDX-License-Identifier: MIT  Tables whose rows are looked up. See kernels.h. */
#include "kernels.h"

#include "gguf.h"

uint64_t nx_row_bytes(uint32_t type, uint32_t cols) {
    switch (type) {
    case NX_F32:
        return 4 * (uint64_t)cols;
    case NX_F16:
        return 2 * (uint64_t)cols;
    default:
        return (uint64_t)cols / 32 * (type == NX_Q4_0 ? Q4_0_BYTES : Q8_0_BYTES);
    }
}

void nx_embed(float *out, const nx_embedding *table, uint32_t row) {
    nx_dequantize(out, table->data + row * nx_row_bytes(table->type, table->cols), table->type, table->cols);
}

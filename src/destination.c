/* SPDX-License-Identifier: MIT  See destination.h, and nx_model_begin in the public header. */
#include "destination.h"

#include <string.h>

#include "kernels/kernels.h"

/* For each type of scale: its size in bytes, a mask without the sign bit, and the smallest masked value that is rejected. The packed levels
 * of MXFP4 are doubled. An E8M0 scale is therefore divided by 2 before it is packed in half precision. The largest power of two in half
 * precision is 2^15, so an E8M0 scale is at most 2^16, and weights of MXFP4 are at most 6 * 2^16 = 393,216. */
static const struct {
    uint32_t bytes, magnitude, refused;
} scale_limits[] = {[NX_F32_SCALE] = {4, 0x7fffffff, 0x7f800000},
                    [NX_HALF_SCALE] = {2, 0x7fff, 0x7c00},
                    [NX_BF16_SCALE] = {2, 0x7fff, 0x7f80},
                    [NX_E8M0_SCALE] = {1, 0xff, 144}};

int nx_all_finite(uint32_t type, const uint8_t *data, uint32_t length) {
    const nx_type *t = nx_type_of(type);
    uint32_t bytes = scale_limits[t->scale].bytes;
    for (uint32_t block = t->at; block < length; block += t->bytes)
        for (uint32_t i = 0; i < t->scales; i++) {
            uint32_t word = 0;
            memcpy(&word, data + block + i * bytes, bytes);
            if ((word & scale_limits[t->scale].magnitude) >= scale_limits[t->scale].refused) return 0;
        }
    return 1;
}

int nx_destination_fits(const nx_destination *to, uint32_t type, const uint8_t *data, uint32_t bytes) {
    if (to->low == 0 && to->high == 0) return 1;
    for (uint32_t at = 0; type == NX_F32 && at < bytes; at += 4) {
        float value;
        memcpy(&value, data + at, 4);
        if (!(value >= to->low && value <= to->high)) return 0;
    }
    return 1;
}

void nx_destination_fill(const nx_destination *to, uint32_t first, uint32_t count, const uint8_t *data) {
    nx_matrix matrix = {to->form, to->rows, to->cols, to->to};
    switch (to->kind) {
    case NX_UNREAD:
        break;
    case NX_PACKED:
        nx_matrix_pack(&matrix, to->to, data, to->type, first, count);
        break;
    case NX_AS_IT_IS:
        memcpy((uint8_t *)to->to + (size_t)first * to->row_bytes, data, (size_t)count * to->row_bytes);
        break;
    case NX_FLOATS:
        for (uint32_t r = 0; r < count; r++)
            nx_dequantize((float *)to->to + (size_t)(first + r) * to->cols, data + (size_t)r * to->row_bytes, to->type, to->cols);
        break;
    }
}

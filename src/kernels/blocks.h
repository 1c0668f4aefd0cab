/* SPDX-License-Identifier: MIT
 *
 * Matrices packed by block: every 32 or 16 weights have a scale. matmul.c calls the functions in this file for forms whose code is at least
 * NX_BLOCKS_8.
 */
#ifndef NX_BLOCKS_H
#define NX_BLOCKS_H

#include "kernels.h"

#define NX_TILE 16  /* rows */
#define NX_BLOCK 32 /* columns */

/* How the columns of an input have been rounded. */
enum { NX_NOT_ROUNDED, NX_ROUNDED_BY_ROW, NX_ROUNDED_WIDE, NX_ROUNDED_BY_BLOCK };

/* Returns the form of a supported type; 0 for types without blocks. */
uint32_t nx_block_form(uint32_t type);

uint64_t nx_blocks_tile_bytes(uint32_t form, uint32_t cols);

/* Packs a row of weights into row t of a tile. Fill the tile with zeros before packing its first row. */
void nx_blocks_pack_row(uint8_t *tile, uint32_t t, const uint8_t *weights, uint32_t form, uint32_t type, uint32_t cols);

/* Converts row t of a tile to floats. out: shape (cols), written. */
void nx_blocks_row(float *out, const uint8_t *tile, uint32_t t, uint32_t form, uint32_t cols);

uint64_t nx_blocks_input_bytes(uint32_t cols, uint32_t n);
void nx_blocks_matmul(float *out, const nx_matrix *matrix, const float *bias, nx_input *input);

/* Converts four finite half-precision numbers to single precision, exactly. The bits of the exponent are copied unchanged. Multiplying by
 * 2^112 then corrects the bias of the exponent, even for subnormal numbers. */
NX_INLINE v128_t load_halves(const uint16_t *halves) {
    v128_t bits = wasm_v128_and(wasm_i32x4_shl(wasm_i32x4_load16x4(halves), 13), wasm_i32x4_splat((int32_t)0x8fffe000));
    return wasm_f32x4_mul(bits, wasm_f32x4_splat(0x1p112f));
}

#endif

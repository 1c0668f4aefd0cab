/* SPDX-License-Identifier: MIT
 *
 * The types of tensors in GGUF files, one row for each type. This table is the single source: the constants in C,
 * web/lib/gguf/tensor-types.js (node web/tools/abi.js) and the manual are generated from it. CONTRIBUTING.md lists the files to change for
 * a new type.
 *
 *   READ(name, code, values, bytes, scale, scales, at, form)
 *     name, code   as in llama.cpp: GGML_TYPE_name = code
 *     values       number of values of a block; a row of a matrix consists of whole blocks
 *     bytes        size of a block in bytes
 *     scale        the format of a block's scale or, for a type without blocks, of its values (nx_scale)
 *     scales, at   number of scales, which is 2 if the block also has an offset (m), and the byte at which the first scale begins
 *     form         the packed form of a block in the kernels (kernels/kernels.h)
 *   NOT_READ(name, code, values, bytes, reason)
 *     reason       why the type is not supported; the manual prints it
 *
 * src/kernels/formats.c decodes the blocks and documents their layout.
 */
#ifndef NX_TENSOR_TYPES_H
#define NX_TENSOR_TYPES_H

// clang-format off
#define NX_TENSOR_TYPES(READ, NOT_READ) \
    READ(F32,    0,   1,   4, NX_F32_SCALE,  1,   0, NX_SINGLE) \
    READ(F16,    1,   1,   2, NX_HALF_SCALE, 1,   0, NX_SINGLE) \
    READ(Q4_0,   2,  32,  18, NX_HALF_SCALE, 1,   0, NX_BLOCKS_4) \
    READ(Q4_1,   3,  32,  20, NX_HALF_SCALE, 2,   0, NX_BLOCKS_4_OFFSET) \
    READ(Q5_0,   6,  32,  22, NX_HALF_SCALE, 1,   0, NX_BLOCKS_6_HALVES) \
    READ(Q5_1,   7,  32,  24, NX_HALF_SCALE, 2,   0, NX_BLOCKS_6_OFFSET) \
    READ(Q8_0,   8,  32,  34, NX_HALF_SCALE, 1,   0, NX_BLOCKS_8) \
    READ(Q2_K,  10, 256,  84, NX_HALF_SCALE, 2,  80, NX_BLOCKS_4_HALVES) \
    READ(Q3_K,  11, 256, 110, NX_HALF_SCALE, 1, 108, NX_BLOCKS_4_HALVES) \
    READ(Q4_K,  12, 256, 144, NX_HALF_SCALE, 2,   0, NX_BLOCKS_4_OFFSET) \
    READ(Q5_K,  13, 256, 176, NX_HALF_SCALE, 2,   0, NX_BLOCKS_6_OFFSET) \
    READ(Q6_K,  14, 256, 210, NX_HALF_SCALE, 1, 208, NX_BLOCKS_6_HALVES) \
    READ(IQ4_NL, 20, 32,  18, NX_HALF_SCALE, 1,   0, NX_BLOCKS_8) \
    READ(IQ4_XS, 23, 256, 136, NX_HALF_SCALE, 1,  0, NX_BLOCKS_8) \
    READ(BF16,  30,   1,   2, NX_BF16_SCALE, 1,   0, NX_SINGLE) \
    READ(MXFP4, 39,  32,  17, NX_E8M0_SCALE, 1,   0, NX_BLOCKS_8) \
    NOT_READ(Q8_1,     9,  32,  36, "llama.cpp computes with it and writes no file of it") \
    NOT_READ(Q8_K,    15, 256, 292, "llama.cpp computes with it and writes no file of it") \
    NOT_READ(IQ2_XXS, 16, 256,  66, "2 bits from a table of 256 patterns; small models lose too much") \
    NOT_READ(IQ2_XS,  17, 256,  74, "2 bits from a table of 512 patterns; small models lose too much") \
    NOT_READ(IQ3_XXS, 18, 256,  98, "3 bits from a table of 256 patterns; small models lose too much") \
    NOT_READ(IQ1_S,   19, 256,  50, "under 2 bits; small models lose too much") \
    NOT_READ(IQ3_S,   21, 256, 110, "3 bits from a table of 512 patterns; small models lose too much") \
    NOT_READ(IQ2_S,   22, 256,  82, "2 bits from a table of 1024 patterns; small models lose too much") \
    NOT_READ(I8,      24,   1,   1, "integers: no weights of a model that runs here") \
    NOT_READ(I16,     25,   1,   2, "integers: no weights of a model that runs here") \
    NOT_READ(I32,     26,   1,   4, "integers: no weights of a model that runs here") \
    NOT_READ(I64,     27,   1,   8, "integers: no weights of a model that runs here") \
    NOT_READ(F64,     28,   1,   8, "no program writes weights in double precision: convert to F32") \
    NOT_READ(IQ1_M,   29, 256,  56, "under 2 bits; small models lose too much") \
    NOT_READ(TQ1_0,   34, 256,  54, "for models that were trained with three levels (BitNet), which do not run here") \
    NOT_READ(TQ2_0,   35, 256,  66, "for models that were trained with three levels (BitNet), which do not run here") \
    NOT_READ(NVFP4,   40,  64,  36, "made for one kind of GPU") \
    NOT_READ(Q1_0,    41, 128,  18, "for models that were trained with two levels, which do not run here")
// clang-format on

#endif

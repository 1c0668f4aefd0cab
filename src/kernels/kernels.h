/* SPDX-License-Identifier: MIT
 *
 * Declares all kernels and describes their contracts. A kernel processes n columns: n vectors that are multiplied by the same weights. The
 * results of a column are bit-identical for every n and do not depend on the other columns.
 *
 * Widths: a vector of w numbers is stored with stride nx_stride(w), a multiple of 16. The numbers after the first w are padding. Kernels
 * may read and write the padding, but their results must not depend on it. matmul writes zeros to the padding. Vectors of weights have no
 * padding. Kernels only assert sizes, because these were validated when the model was configured.
 */
#ifndef NX_KERNELS_H
#define NX_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "dot.h"

#define NX_COLUMNS 16 /* maximum number of columns in one pass */

/* A build without language models (-DNX_TEXTS=0) omits the code that only language models need: matrices packed by block, their tensor
 * types, 8-bit caches, most filters, penalties, searches, and drafts from the text. Such a build rejects files with these tensor types. */
#ifndef NX_TEXTS
#define NX_TEXTS 1
#endif

static inline uint32_t nx_stride(uint32_t width) { return (width + 15) & ~15u; }

static inline uint32_t nx_larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* How weights and activations are rounded. Each model uses one of two methods:
 * NX_BY_ROW: one scale for each row of weights (Q8_0 keeps 7 bits) and one scale for each column of activations (8 bits). NX_BY_ROW is the
 * fastest rounding, and sufficient for pictures. Weights of Q4_0 stay exact.
 * NX_BY_BLOCK: weights as in the file, with a scale for every 32 or 16 weights. Activations have 14 bits for products with 8-bit weights;
 * for products with 6-bit and 4-bit weights, they have 8 bits, and every 32 activations have a scale. Language models need this rounding,
 * because their activations have outliers. F16 and BF16 keep their 16 bits in memory. */
typedef enum { NX_BY_ROW, NX_BY_BLOCK } nx_packing;

/* The forms of packed weights. matmul.c implements F32, F16 and BF16, and the forms Q8_0 and Q4_0, which are packed by row. These five
 * forms have the codes of their tensor types. blocks.c implements the forms packed by block, which tensor_types.h lists. Each comment gives
 * the size of 32 packed weights in bytes. */
enum {
    NX_SINGLE = 0,      /* no blocks */
    NX_BLOCKS_8 = 64,   /* 34: 8 bits, a scale */
    NX_BLOCKS_4,        /* 18: 4 bits, a scale */
    NX_BLOCKS_4_OFFSET, /* 20: 4 bits, a scale and an offset */
    NX_BLOCKS_4_HALVES, /* 24: 4 bits, a scale and an offset for each half */
    NX_BLOCKS_6_OFFSET, /* 28: 6 bits, a scale and an offset */
    NX_BLOCKS_6_HALVES, /* 28: 6 bits, a scale for each half */
};

/* A weight matrix, packed for matmul. Rows of zeros are appended, so that the number of packed rows is a multiple of 16. */
typedef struct {
    uint32_t type;       /* form of the packed weights: nx_matrix_form */
    uint32_t rows, cols; /* number of outputs and of inputs */
    const void *packed;
} nx_matrix;

/* Returns the form in which weights of tensor type `type` are packed. With NX_BY_ROW, F16 is widened to F32, and types other than F32, F16,
 * Q8_0 and Q4_0 are packed by block. Packing is exact for F32, F16, BF16, Q4_0, Q4_1, Q5_0 and Q5_1, for Q8_0 if it is packed by block, and
 * for MXFP4. The only exceptions are blocks of MXFP4 with a scale below 2^-23, which become 0. In the K types, a scale is a half-precision
 * number times an integer. Packing rounds these scales and the offsets of the blocks to half precision, with an error of at most 1/2048. */
uint32_t nx_matrix_form(uint32_t type, uint32_t packing);

/* Returns whether products with a packed matrix round the activations. */
static inline int nx_matrix_rounds(const nx_matrix *matrix) {
    return matrix->type != 0 && matrix->type != 1 && matrix->type != 30; /* F32, F16, BF16 */
}

/* Returns the size in bytes of a packed matrix of this form. */
uint64_t nx_matrix_bytes(uint32_t form, uint32_t rows, uint32_t cols);

/* Packs `count` rows of weights, beginning with row `first`, into `packed` in the form of the matrix. The weights are in row-major order,
 * encoded as tensor type `type`. The first call must be for row 0. */
void nx_matrix_pack(const nx_matrix *matrix, void *packed, const uint8_t *weights, uint32_t type, uint32_t first, uint32_t count);

/* Returns rows first..first+count-1 of a packed matrix as a matrix. `first` and `count` must be multiples of 16. */
nx_matrix nx_matrix_rows(const nx_matrix *matrix, uint32_t first, uint32_t count);

/* Converts row `row` of a packed matrix to floats. If packing has rounded the weights, the floats are the rounded values. out: shape
 * (cols), written. This function is for a table that is also a matrix (tied output weights). */
void nx_matrix_row(float *out, const nx_matrix *matrix, uint32_t row);

/* A table whose rows are looked up. The table stays in the file's encoding, and a row is converted to floats when it is used. */
typedef struct {
    uint32_t type, rows, cols;
    const uint8_t *data; /* shape (rows, cols) */
} nx_embedding;

/* Converts one row of the table to floats. out: shape (cols), written. */
void nx_embed(float *out, const nx_embedding *table, uint32_t row);

/* The input of matrix products. x: n columns, shape (n, nx_stride(cols)). The first product with a quantised matrix stores the rounded
 * columns in `scratch`, where later products with the same columns find them. */
typedef struct {
    const float *x;
    uint32_t n;
    uint32_t rounded; /* how the values in scratch are rounded: NX_NOT_ROUNDED, ... (blocks.h) */
    void *scratch;
} nx_input;

/* Returns the size of an input's scratch memory, for n columns of at most `cols` numbers. */
uint64_t nx_input_bytes(uint32_t cols, uint32_t n);

nx_input nx_input_of(const float *x, uint32_t n, void *scratch);

/* Computes out[j][r] = bias[r] + sum over c of W[r][c] x[j][c].
 * out      shape (n, nx_stride(rows)), written
 * bias     shape (nx_stride(rows)), or null
 * input    n columns of matrix->cols numbers
 * For F32, F16 and BF16, the products are added to the bias in the order of c. For quantised types, x is rounded as nx_packing specifies,
 * in steps of 1/127 or 1/8191 of the largest magnitude. Products with the same scales are added exactly, as integers. For Q8_0 packed by
 * row, such a sum spans up to 1,024 columns of the matrix. These sums are then scaled and added in order, and the total is added to the
 * bias. Cost: n * rows * cols multiply-adds; the weights are read from memory once for every 16 columns. */
void nx_matmul(float *out, const nx_matrix *matrix, const float *bias, nx_input *input);

/* x[j] = max(x[j], 0), width % 4 == 0. */
void nx_relu(float *x, uint32_t width, uint32_t n);

/* Adds y[j] to x[j]: the residual connection. */
void nx_add(float *x, const float *y, uint32_t width, uint32_t n);

/* The gated inner layer [Shazeer 2020, arXiv:2002.05202]: x[j] = silu(x[j]) * y[j], where silu(x) = x / (1 + e^-x). */
void nx_silu_times(float *x, const float *y, uint32_t width, uint32_t n);

/* x[j] *= y[j], width % 4 == 0. */
void nx_multiply(float *x, const float *y, uint32_t width, uint32_t n);

/* out[j] = weight * x[j] / sqrt(mean(x[j]^2) + epsilon)  [Zhang, Sennrich 2019, arXiv:1910.07467]. */
void nx_rms_norm(float *out, const float *x, const float *weight, float epsilon, uint32_t width, uint32_t n);

/* Computes x = x + scale y, for one column. */
void nx_add_scaled(float *x, const float *y, float scale, uint32_t width);

/* Layer norm in place: x = (x - mean) / sqrt(variance + epsilon) * weight + bias, biased variance over `width` numbers.
 * [Ba, Kiros, Hinton 2016, eq. 4]     width % 4 == 0 */
void nx_layer_norm(float *x, const float *weight, const float *bias, float epsilon, uint32_t width, uint32_t n);

/* Softmax in place over n numbers, n % 4 == 0: e^(x - max) / sum. A number that is -infinity is masked and yields 0; if all numbers are
 * masked, every result is 0, not NaN. */
void nx_softmax(float *x, uint32_t n);

/* Returns ln of the sum of e^x over n numbers, n % 4 == 0. A number that is -infinity is masked. At least one number must be unmasked, and
 * all unmasked numbers must be finite. */
float nx_log_sum_exp(const float *x, uint32_t n);

/* Widens `n` weights of a row from the file's encoding to f32. n must be a multiple of the type's block size. The results are exact, except
 * that weights of K types and of types with an offset are rounded to single precision. */
void nx_dequantize(float *out, const uint8_t *weights, uint32_t type, uint32_t n);

/* nx_half_to_float is exact. nx_float_to_half rounds to the nearest half-precision number, ties to even; magnitudes are limited to
 * 65504. */
float nx_half_to_float(uint16_t half);
uint16_t nx_float_to_half(float x);

/* x[j] = gelu(x[j]), approximated with tanh [Hendrycks, Gimpel 2016, arXiv:1606.08415, section 2]:
 * x / 2 (1 + tanh(u)) = x / (1 + e^(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3).    width % 4 == 0 */
void nx_gelu(float *x, uint32_t width, uint32_t n);

/* x[j] = gelu(x[j]), approximated with sigma: x sigma(1.702 x) [the same section].    width % 4 == 0 */
void nx_gelu_sigmoid(float *x, uint32_t width, uint32_t n);

/* x[j] = cap tanh(x[j] / cap).    width % 4 == 0, or the padding up to the stride is zero */
void nx_soft_cap(float *x, float cap, uint32_t width, uint32_t n);

#endif

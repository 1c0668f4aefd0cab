/* SPDX-License-Identifier: MIT
 *
 * Contracts of every kernel. Kernels take n columns: n vectors that go through the same weights. Column j of an array x
 * is x + j * stride. What is computed for a column does not depend on n nor on the other columns, to the bit.
 *
 * Widths: a vector of w numbers is stored with stride nx_stride(w), a multiple of 16. Numbers past w are padding:
 * kernels may read and write it and give it no meaning, except that matmul writes zeros there. Vectors of weights have
 * no padding. Kernels check nothing but assertions; sizes were validated when the model was configured.
 */
#ifndef NX_KERNELS_H
#define NX_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "dot.h"

#define NX_COLUMNS 16 /* the most columns of one pass */

static inline uint32_t nx_stride(uint32_t width) { return (width + 15) & ~15u; }

/* A weight matrix, packed for matmul. Rows are padded with zeros to a multiple of 16. */
typedef struct {
    uint32_t type;       /* of the packed weights, nx_matrix_packed_type */
    uint32_t rows, cols; /* out and in */
    const void *packed;
} nx_matrix;

/* The form in which weights of a file's type are packed: that type, or NX_F32 for F16, which is widened exactly. */
uint32_t nx_matrix_packed_type(uint32_t type);

/* Bytes of a packed matrix. type: as in the file. */
uint64_t nx_matrix_bytes(uint32_t type, uint32_t rows, uint32_t cols);

/* Packs (rows, cols) row-major weights in the file's encoding `type` for matmul. */
void nx_matrix_pack(void *packed, const uint8_t *weights, uint32_t type, uint32_t rows, uint32_t cols);

/* out (cols) written: row `row` of a packed matrix, as floats; the rounded weights where they were rounded. For a table that is a
 * matrix as well (tied output weights). */
void nx_matrix_row(float *out, const nx_matrix *matrix, uint32_t row);

/* A table whose rows are looked up: it stays in the file's encoding, and a row becomes floats when it is wanted. */
typedef struct {
    uint32_t type, rows, cols;
    const uint8_t *data; /* (rows, cols) */
} nx_embedding;

/* Bytes of `cols` numbers of a type; of quantised ones a multiple of 32 numbers. */
uint64_t nx_row_bytes(uint32_t type, uint32_t cols);

/* out (cols) written: row `row`, as floats. */
void nx_embed(float *out, const nx_embedding *table, uint32_t row);

/* n columns on their way into matrix products: x (n, nx_stride(cols)), and, once a quantised matrix has met them, their
 * rounded form in `scratch` for the next one that reads the same columns. */
typedef struct {
    const float *x;
    uint32_t n;
    void *scratch;
    const nx_live *live;
    const float *scale;
    const int32_t *sum;
} nx_input;

/* Bytes of the scratch memory of an input of n columns of at most `cols` numbers. */
uint64_t nx_input_bytes(uint32_t cols, uint32_t n);

nx_input nx_input_of(const float *x, uint32_t n, void *scratch);

/* out[j][r] = bias[r] + sum over c of W[r][c] x[j][c].
 * out (n, nx_stride(rows)) written     bias (nx_stride(rows)) or null     input: of matrix->cols numbers
 * F32: products added to the bias in the order of c. Quantised: x is rounded to 8 bits (steps of its largest magnitude
 * / 127), weights of Q8_0 to 7 bits (matmul.c); products are added exactly as integers within 32 columns of Q4_0, 1,024
 * of Q8_0, then scaled and added in their order, at last scaled by the step of x and added to the bias. Cost: n * rows
 * * cols multiply-adds; the weights come from memory once. */
void nx_matmul(float *out, const nx_matrix *matrix, const float *bias, nx_input *input);

/* x[j] = max(x[j], 0), width % 4 == 0. */
void nx_relu(float *x, uint32_t width, uint32_t n);

/* x[j] += y[j]: the residual connection. */
void nx_add(float *x, const float *y, uint32_t width, uint32_t n);

/* x[j] = silu(x[j]) * y[j], silu(x) = x / (1 + e^-x): the gated inner layer [Shazeer 2020, arXiv:2002.05202]. */
void nx_silu_times(float *x, const float *y, uint32_t width, uint32_t n);

/* out[j] = gain * x[j] / sqrt(mean(x[j]^2) + epsilon)  [Zhang, Sennrich 2019, arXiv:1910.07467]. */
void nx_rms_norm(float *out, const float *x, const float *gain, float epsilon, uint32_t width, uint32_t n);

/* x = x + scale y, of one column. */
void nx_add_scaled(float *x, const float *y, float scale, uint32_t width);

/* Layer norm in place: x = (x - mean) / sqrt(variance + epsilon) * gain + bias, biased variance over `width` numbers.
 * [Ba, Kiros, Hinton 2016, eq. 4]     width % 4 == 0 */
void nx_layer_norm(float *x, const float *gain, const float *bias, float epsilon, uint32_t width, uint32_t n);

/* Softmax in place over n numbers, n % 4 == 0: e^(x - max) / sum. A number of -infinity is masked and yields 0; if all
 * are masked all yield 0, never not-a-number. */
void nx_softmax(float *x, uint32_t n);

/* ln of the sum of e^x over n numbers, n % 4 == 0; -infinity masks, the others are finite and there is at least one. */
float nx_log_sum_exp(const float *x, uint32_t n);

/* Widens a row of `n` weights in the file's encoding to f32. Quantised: n % 32 == 0. */
void nx_dequantize(float *out, const uint8_t *weights, uint32_t type, uint32_t n);

/* An IEEE half to single: exact. */
float nx_half_to_float(uint16_t half);

/* x[j] = gelu(x[j]) in the form of its approximation by tanh [Hendrycks, Gimpel 2016, arXiv:1606.08415, section 2]:
 * x / 2 (1 + tanh(u)) = x / (1 + e^(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3).    width % 4 == 0 */
void nx_gelu(float *x, uint32_t width, uint32_t n);

#endif

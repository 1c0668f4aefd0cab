/* SPDX-License-Identifier: MIT  Compares every kernel with a reference in double precision. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "destination.h"
#include "gguf.h"
#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "reference.h"

#define UNIT 0x1p-24 /* half a unit in the last place of single precision: the relative error of one operation */

static float from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static uint32_t to_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

/* ---- elementary functions -------------------------------------------------------------------------------------------------- */

/* The bounds stated in elementary.h. */
#define EXP_RELATIVE 2e-7
#define COARSE_EXP2_RELATIVE 3e-6
#define LOG_ABSOLUTE 1.1e-7 /* absolute error, times max(1, |ln x|) */
#define SINCOS_ABSOLUTE 1e-11
#define F64_EXP_RELATIVE 1e-13
#define SWEEP 2003 /* every n-th float; n is prime, so that all low bits occur */

static float exp1(float x) { return wasm_f32x4_extract_lane(f32x4_exp(wasm_f32x4_splat(x)), 0); }

static double exp_error(uint32_t bits) {
    float x[4], y[4];
    double worst = 0;
    for (uint32_t i = 0; i < 4; i++) x[i] = from_bits(bits + i * SWEEP);
    wasm_v128_store(y, f32x4_exp(wasm_v128_load(x)));
    for (int i = 0; i < 4; i++) {
        if (x[i] < -87 || x[i] > 88) continue;
        double truth = exp((double)x[i]);
        worst = fmax(worst, fabs((double)y[i] - truth) / truth);
    }
    return worst;
}

static void exp_accuracy(void) {
    double worst = 0;
    for (uint32_t bits = 0; bits <= to_bits(88); bits += 4 * SWEEP) worst = fmax(worst, exp_error(bits));
    for (uint32_t bits = to_bits(-0.0f); bits <= to_bits(-87); bits += 4 * SWEEP) worst = fmax(worst, exp_error(bits));
    worst = fmax(worst, exp_error(to_bits(59.2652245f))); /* the worst of all floats, found by testing all of them */
    check_note("  largest relative error %.3g", worst);
    CHECK(worst < EXP_RELATIVE);
}

static void exp_ends(void) {
    CHECK(exp1(0) == 1 && exp1(-0.0f) == 1);
    CHECK_NEAR((double)exp1(-87), exp(-87), EXP_RELATIVE * exp(-87));
    CHECK(to_bits(exp1(nextafterf(-87, -88))) == 0 && to_bits(exp1(-1e30f)) == 0 && to_bits(exp1(-INFINITY)) == 0);
    CHECK(exp1(89) == exp1(88) && exp1(1e30f) == exp1(88) && exp1(INFINITY) == exp1(88));
    CHECK(isnan(exp1(NAN)) && isnan(exp1(-NAN)));
    /* lanes are independent */
    float x[4] = {-INFINITY, NAN, 1, 100}, y[4];
    wasm_v128_store(y, f32x4_exp(wasm_v128_load(x)));
    CHECK(y[0] == 0 && isnan(y[1]) && y[2] == exp1(1) && y[3] == exp1(88));
}

/* Tests the approximation of 2^x by f32x4_exp2_coarse() over the whole range of attention weights. */
static void exp2_coarse(void) {
    double worst = 0;
    float x[4], y[4];
    for (uint32_t bits = to_bits(-0.0f); bits <= to_bits(-64); bits += 4 * SWEEP) {
        for (uint32_t i = 0; i < 4; i++) x[i] = from_bits(bits + i * SWEEP);
        wasm_v128_store(y, f32x4_exp2_coarse(wasm_v128_load(x)));
        for (int i = 0; i < 4; i++)
            if (x[i] >= -64) worst = fmax(worst, fabs((double)y[i] - exp2((double)x[i])) / exp2((double)x[i]));
    }
    check_note("  largest relative error %.3g", worst);
    CHECK(worst < COARSE_EXP2_RELATIVE);
    float ends[4] = {-64, -1e30f, -INFINITY, NAN};
    wasm_v128_store(y, f32x4_exp2_coarse(wasm_v128_load(ends)));
    CHECK(y[1] == y[0] && y[2] == y[0] && isnan(y[3]));
}

static double log_error(uint32_t bits, uint32_t step) {
    float x[4], y[4];
    double worst = 0;
    for (uint32_t i = 0; i < 4; i++) x[i] = from_bits(bits + i * step);
    wasm_v128_store(y, f32x4_log(wasm_v128_load(x)));
    for (int i = 0; i < 4; i++) {
        if (!isfinite(x[i])) continue;
        double truth = log((double)x[i]);
        worst = fmax(worst, fabs((double)y[i] - truth) / fmax(1, fabs(truth)));
    }
    return worst;
}

static void log_accuracy(void) {
    double worst = 0, near_one = 0;
    for (uint32_t bits = to_bits(0x1p-126f); bits < to_bits(INFINITY) - 4 * SWEEP; bits += 4 * SWEEP)
        worst = fmax(worst, log_error(bits, SWEEP));
    for (uint32_t bits = to_bits(0.5f); bits < to_bits(2); bits += 4 * 61) worst = fmax(worst, log_error(bits, 61));
    worst = fmax(worst, log_error(to_bits(2.73191381f), 1)); /* the worst of all floats, found by testing all of them */
    check_note("  largest error %.3g, relative to max(1, |ln x|)", worst);
    CHECK(worst < LOG_ABSOLUTE);
    CHECK(f32_log(1) == 0 && !signbit(f32_log(1)));
    /* Near 1, the error must be small relative to the logarithm itself, because Gumbel noise takes the logarithm of a logarithm. */
    for (int i = 1; i < 4000; i++) {
        float x = 1 - (float)i * 0x1p-24f;
        near_one = fmax(near_one, fabs((double)f32_log(x) / log((double)x) - 1));
    }
    check_note("  largest relative error just below 1: %.3g", near_one);
    CHECK(near_one < 2 * EXP_RELATIVE);
}

static void double_functions(void) {
    double worst = 0, worst_exp = 0, sine, cosine;
    for (int i = 0; i <= 100000; i++) {
        double x = i < 50000 ? i * 2.62 : (i - 50000) * 0.0017;
        nx_f64_sincos(x, &sine, &cosine);
        worst = fmax(worst, fmax(fabs(sine - sin(x)), fabs(cosine - cos(x))));
    }
    for (int i = 0; i <= 40000; i++) {
        double x = i * -0.001;
        worst_exp = fmax(worst_exp, fabs(nx_f64_exp(x) / exp(x) - 1));
    }
    check_note("  sin and cos: %.3g, e^x: %.3g relative", worst, worst_exp);
    CHECK(worst < SINCOS_ABSOLUTE);
    CHECK(worst_exp < F64_EXP_RELATIVE);
    nx_f64_sincos(0, &sine, &cosine);
    CHECK(sine == 0 && cosine == 1 && nx_f64_exp(0) == 1);
    double worst_log = 0;
    for (double x = 1; x < 1e17; x *= 1.0037) worst_log = fmax(worst_log, fabs(nx_f64_log(x) - log(x)));
    check_note("  ln x: %.3g", worst_log);
    CHECK(worst_log < 1e-13 && nx_f64_log(1) == 0);
}

static void half_to_float(void) {
    for (uint32_t half = 0; half < 65536; half++) {
        float x = nx_half_to_float((uint16_t)half);
        uint32_t exponent = half >> 10 & 31, mantissa = half & 1023;
        check_at("half %lld", half, 0, 0, 0);
        CHECK(!!signbit(x) == (half >> 15 != 0));
        if (exponent == 31)
            CHECK(mantissa ? isnan(x) : isinf(x));
        else
            CHECK(fabs((double)x) == (exponent ? ldexp(1024 + mantissa, (int)exponent - 25) : ldexp(mantissa, -24)));
    }
}

/* ---- matrix product -------------------------------------------------------------------------------------------------------- */

/* Fills x with numbers as they occur in a network: mostly near 1, but also outliers (a thousand times larger), tiny numbers and zeros. */
static void fill(float *x, size_t n, check_random *random) {
    for (size_t i = 0; i < n; i++) {
        double scale = 1;
        switch (random_below(random, 40)) {
        case 0: scale = 1000; break;
        case 1: scale = 1e-6; break;
        case 2: scale = 0; break;
        }
        x[i] = (float)(scale * random_normal(random));
    }
}

/* Returns n columns of `width` numbers, with NaN in the padding, which kernels may read but must not use. */
static float *columns(uint32_t width, uint32_t n, check_random *random) {
    float *x = memory_take((size_t)n * nx_stride(width) * sizeof *x);
    for (uint32_t j = 0; j < n; j++) fill(x + (size_t)j * nx_stride(width), width, random);
    return x;
}

static toy_tensor tensor(uint32_t rows, uint32_t cols, uint32_t type, check_random *random, uint8_t **bytes) {
    toy_tensor t = {"w", rows, cols, type, memory_take((size_t)rows * cols * sizeof(float))};
    toy_file file = {0};
    fill(t.values, (size_t)rows * cols, random);
    toy_encode(&file, &t);
    *bytes = memory_copy(file.bytes, file.length);
    return t;
}

/* Error bound of an F32 product. The products and the sums are rounded `cols` times each, and each rounding is at most UNIT times the
 * partial sum of magnitudes. */
static double f32_tolerance(uint32_t cols, double magnitude) { return (cols + 1) * UNIT * magnitude; }

/* Bounds the error of a quantised product, apart from the error of rounding x and (in Q8_0) the weights to integers. Integers are exact.
 * The roundings are:
 * - two in a packed scale
 * - one in the product of the scale and the integer
 * - one in the addition of each block
 * - one in the rounding step of x
 * - one in the product with this step
 * - one in the addition of the bias. */
static double q8_tolerance(uint32_t blocks, double magnitude) { return (blocks + 6) * UNIT * magnitude; }

/* Rounds x to 8 bits as defined in kernels.h, in single precision like the library. q receives the numbers in units of the returned
 * step. */
static double round_column(double *q, const float *x, uint32_t cols) {
    float top = 0;
    for (uint32_t c = 0; c < cols; c++) top = fmaxf(top, fabsf(x[c]));
    float inverse = top > 0x1p-100f ? 127.0f / top : 0;
    for (uint32_t c = 0; c < cols; c++) {
        float scaled = x[c] * inverse;
        q[c] = (double)scaled + 0x1.8p52 - 0x1.8p52; /* rounds to nearest, ties to even */
    }
    return (double)(top / 127.0f);
}

static int is_quantised(uint32_t type) { return type == NX_Q8_0 || type == NX_Q4_0; }

static void compare_product(const float *out, const toy_tensor *t, const float *x, const float *bias) {
    uint32_t rows = t->rows, cols = t->cols;
    double *wide = memory_take(cols * sizeof *wide), *truth = memory_take(rows * sizeof *truth), *size = memory_take(rows * sizeof *size);
    double *q = memory_take(cols * sizeof *q);
    const float *weights = t->values;
    for (uint32_t c = 0; c < cols; c++) wide[c] = (double)x[c];
    ref_matmul(truth, size, weights, rows, cols, wide);
    if (is_quantised(t->type)) {
        if (t->type == NX_Q8_0) weights = ref_packed_q8(weights, rows, cols);
        /* Bounds the difference from the exact product. Rounding changes each x by at most half a step, and each weight from `t->values` to
         * `weights`. */
        double step = round_column(q, x, cols);
        for (uint32_t r = 0; r < rows; r++) {
            double moved = 0;
            for (uint32_t c = 0; c < cols; c++) {
                size_t at = (size_t)r * cols + c;
                moved += fabs((double)weights[at]) * step * 0.5001 + fabs((double)(weights[at] - t->values[at]) * wide[c]);
            }
            CHECK_NEAR((double)out[r], truth[r] + (double)bias[r], moved + f32_tolerance(cols, size[r] + fabs((double)bias[r])));
        }
        for (uint32_t c = 0; c < cols; c++) wide[c] = q[c] * step;
        ref_matmul(truth, size, weights, rows, cols, wide);
    }
    for (uint32_t r = 0; r < rows; r++) {
        double magnitude = size[r] + fabs((double)bias[r]);
        CHECK_NEAR((double)out[r], truth[r] + (double)bias[r], is_quantised(t->type) ? q8_tolerance(cols / 32, magnitude) : f32_tolerance(cols, magnitude));
    }
    for (uint32_t r = rows; r < nx_stride(rows); r++) CHECK(out[r] == 0); /* padding is zero */
}

static nx_matrix packed_matrix(const uint8_t *bytes, uint32_t type, uint32_t rows, uint32_t cols, uint32_t packing) {
    nx_matrix matrix = {nx_matrix_form(type, packing), rows, cols, NULL};
    void *packed = memory_take(nx_matrix_bytes(matrix.type, rows, cols));
    nx_matrix_pack(&matrix, packed, bytes, type, 0, matrix.rows);
    matrix.packed = packed;
    return matrix;
}

/* Tests products of one size. Compares the product of all columns with the reference, and the products of fewer columns with the product of
 * all columns. */
static void product_of(uint32_t type, uint32_t rows, uint32_t cols, uint32_t most, check_random *random) {
    size_t mark = memory_mark();
    uint8_t *bytes;
    toy_tensor t = tensor(rows, cols, type, random, &bytes);
    uint32_t stride = nx_stride(rows);
    check_at("%lld x %lld of type %lld", rows, cols, type, 0);
    nx_matrix matrix = packed_matrix(bytes, type, rows, cols, NX_BY_ROW);
    CHECK_INT(matrix.type, is_quantised(type) ? type : NX_F32);
    float *x = columns(cols, most, random), *all = memory_take((size_t)most * stride * sizeof *all), *again = memory_take((size_t)most * stride * sizeof *all);
    float *bias = memory_take(stride * sizeof *bias), *zeros = memory_take(stride * sizeof *zeros);
    memset(bias, 0, stride * sizeof *bias);
    memset(zeros, 0, stride * sizeof *zeros);
    if (rows % 3) fill(bias, rows, random);
    nx_input input = nx_input_of(x, most, memory_take(nx_input_bytes(cols, most)));
    nx_matmul(all, &matrix, bias, &input);
    for (uint32_t j = 0; j < most; j++) {
        check_at("%lld x %lld of type %lld, column %lld", rows, cols, type, j);
        compare_product(all + (size_t)j * stride, &t, x + (size_t)j * nx_stride(cols), bias);
    }
    nx_matmul(again, &matrix, bias, &input); /* the second product reuses the rounded columns */
    CHECK_FLOATS(again, all, (size_t)most * stride);
    for (uint32_t n = 1; n < most; n++) {
        uint32_t first = n % (most - n + 1); /* first column; it varies, so that the test does not always use the same columns */
        float *out = memory_take((size_t)n * stride * sizeof *out);
        check_at("%lld x %lld of type %lld, %lld columns", rows, cols, type, n);
        nx_input some = nx_input_of(x + (size_t)first * nx_stride(cols), n, memory_take(nx_input_bytes(cols, n)));
        nx_matmul(out, &matrix, bias, &some);
        CHECK_FLOATS(out, all + (size_t)first * stride, (size_t)n * stride);
        nx_matmul(out, &matrix, n % 2 ? zeros : NULL, &some);
        nx_matmul(again, &matrix, n % 2 ? NULL : zeros, &some);
        CHECK_FLOATS(out, again, (size_t)n * stride); /* a product without bias equals a product with a bias of zeros */
    }
    memory_release(mark);
}

static void product_small(void) {
    check_random random = {1};
    for (uint32_t rows = 1; rows <= 2 * 16 + 3; rows++)
        for (uint32_t cols = 1; cols <= 2 * 4 + 3; cols++) product_of(NX_F32, rows, cols, NX_COLUMNS, &random);
    for (uint32_t cols = 12; cols <= 2 * 16 + 3; cols++) product_of(NX_F32, 1 + cols % 19, cols, NX_COLUMNS, &random);
}

static void product_f16(void) {
    check_random random = {2};
    for (uint32_t rows = 1; rows <= 2 * 16 + 3; rows++) product_of(NX_F16, rows, 1 + rows % 13, 3, &random);
    product_of(NX_F16, 40, 44, NX_COLUMNS, &random);
}

static void product_q8(void) {
    check_random random = {3};
    for (uint32_t rows = 1; rows <= 2 * 16 + 3; rows++)
        for (uint32_t cols = 32; cols <= 96; cols += 32) product_of(NX_Q8_0, rows, cols, rows % 5 ? 5 : NX_COLUMNS, &random);
}

static void product_q4(void) {
    check_random random = {11};
    for (uint32_t rows = 1; rows <= 2 * 16 + 3; rows++) product_of(NX_Q4_0, rows, 32 * (1 + rows % 3), rows % 7 ? 3 : NX_COLUMNS, &random);
    product_of(NX_Q4_0, 128, 128, 6, &random);
}

/* Byte j of a Q4_0 block holds value j in its low half and value 16 + j in its high half. 8 is added to each value before it is stored. */
static void q4_layout(void) {
    uint8_t bytes[2 * Q4_0_BYTES];
    float out[64];
    uint16_t half = 0xb400; /* -1/4 */
    for (int b = 0; b < 2; b++) {
        memcpy(bytes + b * (int)Q4_0_BYTES, &half, 2);
        for (int j = 0; j < 16; j++) bytes[b * (int)Q4_0_BYTES + 2 + j] = (uint8_t)(j | ((5 * j + b) % 16) << 4);
    }
    nx_dequantize(out, bytes, NX_Q4_0, 64);
    for (int i = 0; i < 64; i++) CHECK(out[i] == -0.25f * (float)((i % 32 < 16 ? i % 16 : (5 * (i % 16) + i / 32) % 16) - 8));
}

static void product_real(void) {
    static const uint32_t sizes[][2] = {{128, 128}, {512, 128}, {128, 512}, {16, 128}, {256, 96}, {2, 128}, {200, 160}, {3, 1056}, {17, 2080}};
    check_random random = {4};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        product_of(NX_F32, sizes[i][0], sizes[i][1], 6, &random);
        product_of(NX_Q8_0, sizes[i][0], sizes[i][1], 6, &random);
    }
}

/* Returns a Q8_0 product of one block of ones with x = (value, 1, 0, 0, ...). */
static float q8_of(float value, float other, uint32_t packing) {
    check_random random = {5};
    uint8_t *bytes;
    toy_tensor t = tensor(1, 64, NX_Q8_0, &random, &bytes);
    (void)t;
    for (int b = 0; b < 2; b++) {
        uint16_t one = 0x3c00;
        memcpy(bytes + 34 * b, &one, 2);
        memset(bytes + 34 * b + 2, 1, 32);
    }
    nx_matrix matrix = packed_matrix(bytes, NX_Q8_0, 1, 64, packing);
    float x[64] = {0}, out[16];
    x[0] = value;
    x[37] = other;
    nx_input input = nx_input_of(x, 1, memory_take(nx_input_bytes(64, 1)));
    nx_matmul(out, &matrix, NULL, &input);
    return out[0];
}

/* Even if all weights and inputs are extreme, no lane may overflow. One integer sum has at most 1,024 products. The test uses rows of 992
 * to 3,072 columns. */
static void product_q8_long(void) {
    for (uint32_t cols = 992; cols <= 3072; cols += 32)
        for (int sign = -1; sign <= 1; sign += 2) {
            uint8_t *bytes = memory_take(cols / 32 * Q8_0_BYTES);
            float *x = memory_take(cols * sizeof *x), out[16];
            for (uint32_t b = 0; b < cols / 32; b++) {
                uint16_t one = 0x3c00;
                memcpy(bytes + b * Q8_0_BYTES, &one, 2);
                memset(bytes + b * Q8_0_BYTES + 2, sign < 0 ? 0x81 : 0x7f, 32);
            }
            for (uint32_t c = 0; c < cols; c++) x[c] = 2;
            nx_matrix matrix = packed_matrix(bytes, NX_Q8_0, 1, cols, NX_BY_ROW);
            nx_input input = nx_input_of(x, 1, memory_take(nx_input_bytes(cols, 1)));
            nx_matmul(out, &matrix, NULL, &input);
            CHECK_NEAR((double)out[0], sign * 254.0 * cols, 254.0 * cols * 8 * UNIT);
        }
}

static void q8_ends(uint32_t packing) {
    CHECK(q8_of(0, 0, packing) == 0);
    CHECK_NEAR((double)q8_of(1, 0, packing), 1, 4 * UNIT);
    CHECK(q8_of(-1, 0, packing) == -q8_of(1, 0, packing));
    CHECK_NEAR((double)q8_of(3e38f, 0, packing), 3e38, 3e38 * 4 * UNIT);
    CHECK_NEAR((double)q8_of(0x1p-99f, 0, packing), 0x1p-99, 0x1p-99 * 4 * UNIT);
    CHECK(q8_of(0x1p-101f, 0, packing) == 0 && q8_of(1e-45f, 0, packing) == 0); /* values that are too small to divide by become zero */
    CHECK(q8_of(1e-45f, 1, packing) == q8_of(0, 1, packing));
    /* 8-bit integers cannot represent NaN and infinity, but these must not become ordinary numbers in the output */
    CHECK(!isfinite(q8_of(NAN, 1, packing)) && !isfinite(q8_of(1, NAN, packing)) && !isfinite(q8_of(NAN, 0, packing)));
    CHECK(!isfinite(q8_of(INFINITY, 1, packing)) && !isfinite(q8_of(-INFINITY, 1, packing)));
}

static void product_q8_ends(void) {
    q8_ends(NX_BY_ROW);
    q8_ends(NX_BY_BLOCK);
}

static void product_f32_keeps_nan(void) {
    check_random random = {6};
    for (uint32_t at = 0; at < 7; at++) {
        uint8_t *bytes;
        toy_tensor t = tensor(5, 7, NX_F32, &random, &bytes);
        (void)t;
        nx_matrix matrix = packed_matrix(bytes, NX_F32, 5, 7, NX_BY_ROW);
        float x[16] = {0}, out[16];
        x[at] = NAN;
        nx_input input = nx_input_of(x, 1, NULL);
        nx_matmul(out, &matrix, NULL, &input);
        for (int r = 0; r < 5; r++) CHECK(isnan(out[r]));
    }
}

static void dequantize(void) {
    static const uint32_t types[] = {NX_F32, NX_F16, NX_Q8_0, NX_Q4_0};
    check_random random = {7};
    for (int i = 0; i < 4; i++)
        for (uint32_t cols = is_quantised(types[i]) ? 32 : 1; cols <= 96; cols += is_quantised(types[i]) ? 32 : 1) {
            uint8_t *bytes;
            toy_tensor t = tensor(1, cols, types[i], &random, &bytes);
            float *out = memory_take(cols * sizeof *out);
            nx_dequantize(out, bytes, types[i], cols);
            check_at("type %lld, %lld numbers", types[i], cols, 0, 0);
            CHECK_FLOATS(out, t.values, cols);
        }
}

/* ---- matrices by block ------------------------------------------------------------------------------------------------------ */

/* All types of src/tensor_types.h. For an unsupported type, ref_weight() returns NaN, and the test fails. */
#define CODE(name, code, ...) code,
#define NOTHING(...)
static const uint32_t all_types[] = {NX_TENSOR_TYPES(CODE, NOTHING)};

/* Returns rows of random bits in the given tensor type. Only scales, and the values of F32, F16 and BF16, have ordinary magnitudes. */
static uint8_t *any_rows(uint32_t type, uint32_t rows, uint32_t cols, check_random *random) {
    const nx_type *t = nx_type_of(type);
    size_t bytes = rows * nx_row_bytes(type, cols);
    uint8_t *all = memory_take(bytes);
    for (size_t i = 0; i < bytes; i++) all[i] = (uint8_t)random_below(random, 256);
    for (size_t b = 0; b < bytes; b += t->bytes) {
        if (t->scale == NX_F32_SCALE || t->scale == NX_BF16_SCALE) {
            float x = (float)random_normal(random);
            memcpy(all + b, (const uint8_t *)&x + (type == NX_BF16 ? 2 : 0), t->bytes);
        }
        if (t->scale == NX_E8M0_SCALE) all[b + t->at] = (uint8_t)(random_below(random, 9) ? 117 + random_below(random, 12) : 104 + random_below(random, 14));
        /* scales of 2^-10..2^2, some of them subnormal or zero */
        for (uint32_t i = 0; t->scale == NX_HALF_SCALE && i < t->scales; i++) {
            uint16_t half = (uint16_t)(random_below(random, 2) << 15 | (5 + random_below(random, 12)) << 10 | random_below(random, 1024));
            if (!random_below(random, 9)) half &= 0x8fff >> random_below(random, 8);
            memcpy(all + b + t->at + 2 * i, &half, 2);
        }
    }
    return all;
}

/* Tests scales of one byte. A packed matrix stores each scale divided by 2, as a 16-bit float. This is exact for scales from 2^-23 to 2^16.
 * Smaller scales become zero, and larger scales are refused. */
static void scales_of_a_byte(void) {
    for (uint32_t e = 0; e < 256; e++) {
        uint8_t block[17];
        float table[32], packed[32];
        block[0] = (uint8_t)e;
        for (uint32_t i = 0; i < 16; i++) block[1 + i] = (uint8_t)(i * 17);
        check_at("e = %lld", e, 0, 0, 0);
        CHECK_INT(nx_all_finite(NX_MXFP4, block, sizeof block), e < 144);
        if (e == 255) continue;
        nx_matrix matrix = packed_matrix(block, NX_MXFP4, 1, 32, NX_BY_BLOCK);
        nx_dequantize(table, block, NX_MXFP4, 32);
        nx_matrix_row(packed, &matrix, 0);
        for (uint32_t i = 0; i < 32 && e < 252; i++) CHECK((double)table[i] == ref_weight(block, NX_MXFP4, i)); /* 6 * 2^125 overflows */
        for (uint32_t i = 0; i < 32 && e < 144; i++) CHECK(packed[i] == (e >= 104 ? table[i] : 0));
    }
}

/* Integers cannot represent infinity or NaN. If an input is infinite or NaN, the result must nevertheless be infinite or NaN, for one
 * column and for several. Sums of the integers must not overflow. */
static void any_type_keeps_what_is_not_finite(void) {
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    check_random random = {22};
    for (size_t k = 0; k < sizeof all_types / sizeof *all_types; k++)
        for (int i = 0; i < 3 && nx_type_of(all_types[k])->form; i++) {
            uint32_t type = all_types[k], cols = 256, rows = 17, n = 5, stride = nx_stride(rows);
            nx_matrix matrix = packed_matrix(any_rows(type, rows, cols, &random), type, rows, cols, NX_BY_BLOCK);
            float *x = memory_take(n * nx_stride(cols) * sizeof *x), *out = memory_take(n * stride * sizeof *out);
            for (uint32_t c = 0; c < n * nx_stride(cols); c++) x[c] = c % 256 / 32 == 3 ? odd[i] : (float)random_normal(&random);
            nx_input input = nx_input_of(x, n, memory_take(nx_input_bytes(cols, n)));
            nx_matmul(out, &matrix, NULL, &input);
            check_at("type %lld, %lld", type, i, 0, 0);
            for (uint32_t j = 0; j < n; j++)
                for (uint32_t r = 0; r < rows; r++) CHECK(!isfinite(out[j * stride + r]));
        }
}

static int is_k(uint32_t type) { return nx_type_of(type)->values == 256; }
static uint32_t step_of(uint32_t type) { return nx_type_of(type)->values; }

/* Returns |scale * number| + |offset| of a K-type value. To separate the two terms, the function sets the scale of the offsets, which is
 * the second half-precision scale of a block, to zero. Blocks with one scale have no offsets. */
static double k_parts(const uint8_t *row, uint32_t type, uint32_t c) {
    const nx_type *t = nx_type_of(type);
    uint8_t block[256], zero[2] = {0, 0};
    memcpy(block, row + c / 256 * t->bytes, t->bytes);
    double whole = ref_weight(block, type, c % 256);
    if (t->scales == 2) memcpy(block + t->at + 2, zero, 2);
    double product = ref_weight(block, type, c % 256);
    return fabs(product) + fabs(whole - product);
}

/* nx_embed() rounds each value of a table once. nx_matrix_row() returns the values as they were packed. */
static void any_type(void) {
    check_random random = {21};
    for (size_t k = 0; k < sizeof all_types / sizeof *all_types; k++) {
        uint32_t type = all_types[k], cols = step_of(type) == 1 ? 37 : 3 * step_of(type), rows = 21;
        uint8_t *bytes = any_rows(type, rows, cols, &random);
        nx_matrix by_block = packed_matrix(bytes, type, rows, cols, NX_BY_BLOCK), by_row = packed_matrix(bytes, type, rows, cols, NX_BY_ROW);
        nx_embedding table = {type, rows, cols, bytes};
        float *out = memory_take(cols * sizeof *out), *kept = memory_take(cols * sizeof *kept), *other = memory_take(cols * sizeof *other);
        for (uint32_t r = 0; r < rows; r++) {
            const uint8_t *row = bytes + r * nx_row_bytes(type, cols);
            nx_embed(out, &table, r);
            nx_matrix_row(kept, &by_block, r);
            nx_matrix_row(other, &by_row, r);
            for (uint32_t c = 0; c < cols; c++) {
                double truth = ref_weight(row, type, c);
                check_at("type %lld, row %lld, column %lld", type, r, c, 0);
                CHECK_NEAR((double)out[c], truth, fabs(truth) * UNIT);
                if (is_k(type))
                    CHECK_NEAR((double)kept[c], truth, fabs(k_parts(row, type, c)) * 0x1p-11 * 1.01 + 0x1p-25);
                else
                    CHECK(kept[c] == out[c]);
                if (type != NX_Q8_0) CHECK(other[c] == kept[c]); /* only Q8_0 changes when it is packed by row */
            }
        }
    }
}

static int of_eight_bits(uint32_t type) { return nx_type_of(type)->form == NX_BLOCKS_8; }

/* Rounds x in the same way as a product with a matrix that is packed by block. For 8-bit weights, x is rounded to 14 bits, and the whole
 * column has one rounding step. For other weights, x is rounded to 8 bits, and each group of 32 values has its own rounding step. */
static void round_by_block(double *x, uint32_t type, uint32_t cols) {
    uint32_t group = of_eight_bits(type) ? cols : 32;
    for (uint32_t from = 0; from < cols; from += group) {
        float top = 0;
        for (uint32_t c = from; c < from + group; c++) top = fmaxf(top, fabsf((float)x[c]));
        float most = of_eight_bits(type) ? 8191 : 127, inverse = top > 0x1p-100f ? most / top : 0;
        for (uint32_t c = from; c < from + group; c++) {
            float scaled = (float)x[c] * inverse;
            x[c] = ((double)scaled + 0x1.8p52 - 0x1.8p52) * (double)(top / most);
        }
    }
}

static int is_quantised_any(uint32_t type) { return step_of(type) > 1; }

/* Returns the sum of the magnitudes of the terms that a row's scales, offsets and zeros contribute. In the product, these terms may
 * cancel. */
static double offset_parts(const uint8_t *row, uint32_t type, uint32_t cols, const double *x) {
    double sum = 0, top = 0; /* top: largest magnitude in the block of 32 that contains c */
    for (uint32_t c = 0; is_quantised_any(type) && c < cols; c++) {
        if (c % 32 == 0) {
            top = 0;
            for (uint32_t i = c; i < c + 32; i++) top = fmax(top, is_k(type) ? k_parts(row, type, i) : fabs(ref_weight(row, type, i)));
        }
        sum += 2 * top * fabs(x[c]);
    }
    return sum;
}

/* Compares nx_matmul() with a product in double precision, for single columns and for several columns at once. The reference multiplies the
 * values of the packed matrix by x, rounded as in round_by_block(). */
static void product_by_block(uint32_t type, uint32_t rows, uint32_t cols, uint32_t most, check_random *random) {
    size_t mark = memory_mark();
    uint8_t *bytes = any_rows(type, rows, cols, random);
    nx_matrix matrix = packed_matrix(bytes, type, rows, cols, NX_BY_BLOCK);
    uint32_t stride = nx_stride(rows);
    float *x = columns(cols, most, random), *all = memory_take((size_t)most * stride * sizeof *all), *bias = memory_take(stride * sizeof *bias);
    float *kept = memory_take((size_t)rows * cols * sizeof *kept), *out = memory_take((size_t)most * stride * sizeof *out);
    double *seen = memory_take(cols * sizeof *seen), *truth = memory_take(rows * sizeof *truth), *size = memory_take(rows * sizeof *size);
    for (uint32_t r = 0; r < rows; r++) nx_matrix_row(kept + (size_t)r * cols, &matrix, r);
    memset(bias, 0, stride * sizeof *bias);
    fill(bias, rows, random);
    nx_input input = nx_input_of(x, most, memory_take(nx_input_bytes(cols, most)));
    nx_matmul(all, &matrix, bias, &input);
    for (uint32_t j = 0; j < most; j++) {
        const float *xj = x + (size_t)j * nx_stride(cols);
        for (uint32_t c = 0; c < cols; c++) seen[c] = (double)xj[c];
        if (nx_matrix_rounds(&matrix)) round_by_block(seen, type, cols);
        ref_matmul(truth, size, kept, rows, cols, seen);
        double constant = 0, top = 0;
        for (uint32_t c = 0; c < cols; c++) top = fmax(top, fabs(seen[c]));
        for (uint32_t r = 0; r < rows; r++) {
            /* a block's scales and offsets add large terms that may cancel; any_rows writes no scale or offset above 2^3 * 63 */
            if (of_eight_bits(type)) {
                constant = 0;
                /* the constant of 8192 steps is added to the sum and subtracted again */
                for (uint32_t c = 0; c < cols; c++) constant += fabs((double)kept[(size_t)r * cols + c]) * top;
            }
            double parts = offset_parts(bytes + r * nx_row_bytes(type, cols), type, cols, seen);
            double tolerance = (is_quantised_any(type) ? cols / 16 + 8 : cols + 1) * UNIT * (size[r] + parts + 2 * constant + fabs((double)bias[r]));
            check_at("type %lld, %lld rows of %lld, column %lld", type, rows, cols, j);
            CHECK_NEAR((double)all[(size_t)j * stride + r], truth[r] + (double)bias[r], tolerance);
        }
        for (uint32_t r = rows; r < stride; r++) CHECK(all[(size_t)j * stride + r] == 0);
    }
    nx_matmul(out, &matrix, bias, &input);
    CHECK_FLOATS(out, all, (size_t)most * stride);
    for (uint32_t n = 1; n < most; n++) {
        uint32_t first = n % (most - n + 1);
        check_at("type %lld, %lld rows of %lld, %lld columns", type, rows, cols, n);
        nx_input some = nx_input_of(x + (size_t)first * nx_stride(cols), n, memory_take(nx_input_bytes(cols, n)));
        nx_matmul(out, &matrix, bias, &some);
        CHECK_FLOATS(out, all + (size_t)first * stride, (size_t)n * stride);
    }
    memory_release(mark);
}

static void products_by_block(void) {
    check_random random = {22};
    for (size_t k = 0; k < sizeof all_types / sizeof *all_types; k++) {
        uint32_t type = all_types[k], step = step_of(type);
        for (uint32_t rows = 1; rows <= 2 * 16 + 3; rows += 1 + rows % 3) product_by_block(type, rows, step == 1 ? 1 + rows : step * (1 + rows % 2), rows % 5 ? 5 : NX_COLUMNS, &random);
        product_by_block(type, 48, 1024, 9, &random);
    }
}

/* If matrices of different kinds read the same columns alternately, the columns are rounded again for each matrix, because each kind has
 * its own rounding. */
static void inputs_in_turn(void) {
    check_random random = {23};
    static const uint32_t types[] = {NX_Q8_0, NX_Q4_0, NX_F16, NX_Q6_K, NX_Q8_0, NX_Q4_K};
    float *x = columns(256, 3, &random), out[3 * 16], alone[3 * 16];
    nx_input input = nx_input_of(x, 3, memory_take(nx_input_bytes(256, 3)));
    for (int i = 0; i < 12; i++) {
        uint8_t *bytes = any_rows(types[i % 6], 5, 256, &random);
        nx_matrix matrix = packed_matrix(bytes, types[i % 6], 5, 256, i % 5 ? NX_BY_BLOCK : NX_BY_ROW);
        nx_input fresh = nx_input_of(x, 3, memory_take(nx_input_bytes(256, 3)));
        nx_matmul(out, &matrix, NULL, &input);
        nx_matmul(alone, &matrix, NULL, &fresh);
        CHECK_FLOATS(out, alone, 3 * 16);
    }
}

/* If one number of a column is ten thousand times as large as the other numbers, their contribution must not be lost. */
static void outliers(void) {
    check_random random = {24};
    uint32_t cols = 2048;
    static const struct {
        uint32_t type;
        double by_block; /* largest error, relative to the norm of x times the norm of the row */
    } rows[] = {{NX_Q8_0, 1e-4}, {NX_Q4_0, 2e-3}, {NX_Q6_K, 2e-3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t at = 0; at < cols; at += 331) {
            uint8_t *bytes = any_rows(rows[i].type, 1, cols, &random);
            nx_matrix matrix = packed_matrix(bytes, rows[i].type, 1, cols, NX_BY_BLOCK);
            float *x = memory_take(cols * sizeof *x), out[16];
            double truth = 0, all = 0, weight = 0;
            for (uint32_t c = 0; c < cols; c++) {
                x[c] = (float)random_normal(&random) * (c == at ? 10000 : 1);
                double w = ref_weight(bytes, rows[i].type, c);
                truth += w * (double)x[c], all += (double)x[c] * (double)x[c], weight += w * w;
            }
            nx_input input = nx_input_of(x, 1, memory_take(nx_input_bytes(cols, 1)));
            nx_matmul(out, &matrix, NULL, &input);
            CHECK_NEAR((double)out[0], truth, rows[i].by_block * sqrt(all * weight));
        }
}

static void halves_back(void) {
    for (uint32_t half = 0; half < 65536; half++) {
        if ((half & 0x7c00) == 0x7c00) continue;
        check_at("half %lld", half, 0, 0, 0);
        CHECK_INT(nx_float_to_half(nx_half_to_float((uint16_t)half)), half);
        if ((half & 0x7fff) == 0x7bff) continue;
        float low = nx_half_to_float((uint16_t)half), high = nx_half_to_float((uint16_t)(half + 1)), middle = (low + high) / 2;
        CHECK_INT(nx_float_to_half(middle), half % 2 ? half + 1 : half); /* ties to even */
        CHECK_INT(nx_float_to_half(nextafterf(middle, high)), half + 1);
        CHECK_INT(nx_float_to_half(nextafterf(middle, low)), half);
    }
    CHECK(nx_float_to_half(65520) == 0x7bff && nx_float_to_half(-1e30f) == 0xfbff);
}

/* ---- vectors --------------------------------------------------------------------------------------------------------------- */

static void relu_and_residual(void) {
    check_random random = {8};
    for (uint32_t width = 4; width <= 2 * 16 + 12; width += 4)
        for (uint32_t n = 1; n <= NX_COLUMNS; n++) {
            size_t mark = memory_mark(), bytes = (size_t)n * nx_stride(width) * sizeof(float);
            float *x = columns(width, n, &random), *y = columns(width, n, &random);
            float *rectified = memory_copy(x, bytes), *added = memory_copy(x, bytes);
            nx_relu(rectified, width, n);
            nx_add(added, y, width, n);
            check_at("width %lld, %lld columns", width, n, 0, 0);
            for (uint32_t j = 0; j < n; j++)
                for (uint32_t i = 0; i < width; i++) {
                    size_t at = (size_t)j * nx_stride(width) + i;
                    CHECK(rectified[at] == (x[at] > 0 ? x[at] : 0) && added[at] == x[at] + y[at]);
                }
            memory_release(mark);
        }
}

/* Compares the gated inner layer and the norm of Llama with their formulas. Each column must have the same result as when it is computed
 * alone. */
static void silu_and_rms_norm(void) {
    check_random random = {18};
    for (uint32_t width = 4; width <= 2 * 16 + 12; width += 4)
        for (uint32_t n = 1; n <= NX_COLUMNS; n += 5) {
            size_t mark = memory_mark(), bytes = (size_t)n * nx_stride(width) * sizeof(float);
            float *x = columns(width, n, &random), *y = columns(width, n, &random), *gain = memory_take(width * sizeof *gain);
            fill(gain, width, &random);
            for (size_t i = 0; i < bytes / sizeof *x; i += 3) x[i] *= 40; /* makes arguments large, so that silu is 0 or x */
            float *gated = memory_copy(x, bytes), *normed = memory_take(bytes);
            nx_silu_times(gated, y, width, n);
            nx_rms_norm(normed, x, gain, 1e-5f, width, n);
            float *capped = memory_copy(x, bytes);
            nx_soft_cap(capped, 3, width, n);
            for (uint32_t j = 0; j < n; j++) {
                const float *xj = x + (size_t)j * nx_stride(width), *yj = y + (size_t)j * nx_stride(width);
                double squares = 0;
                for (uint32_t i = 0; i < width; i++) squares += (double)xj[i] * (double)xj[i];
                for (uint32_t i = 0; i < width; i++) {
                    size_t at = (size_t)j * nx_stride(width) + i;
                    double silu = (double)xj[i] / (1 + exp(-(double)xj[i])), norm = (double)gain[i] * (double)xj[i] / sqrt(squares / width + (double)1e-5f);
                    check_at("width %lld, %lld columns, number %lld", width, n, i, 0);
                    CHECK_NEAR((double)gated[at], silu * (double)yj[i], 1e-6 * fabs(silu * (double)yj[i]) + 1e-20);
                    CHECK_NEAR((double)normed[at], norm, (width / 4 + 6) * UNIT * fabs(norm));
                    CHECK_NEAR((double)capped[at], 3 * tanh((double)xj[i] / 3), 1e-6 * fmin(3, fabs((double)xj[i])) + 1e-30);
                }
                float *alone = memory_copy(xj, nx_stride(width) * sizeof *xj), *same = memory_take(nx_stride(width) * sizeof *same);
                nx_rms_norm(same, alone, gain, 1e-5f, width, 1);
                CHECK_FLOATS(same, normed + (size_t)j * nx_stride(width), width);
                nx_silu_times(alone, yj, width, 1);
                CHECK_FLOATS(alone, gated + (size_t)j * nx_stride(width), width);
            }
            memory_release(mark);
        }
    float zero[16] = {0}, ones[16] = {1, 1, 1, 1}, out[16];
    nx_rms_norm(out, zero, ones, 1e-5f, 4, 1);
    CHECK(out[0] == 0 && out[3] == 0);
}

/* Reads rows of a packed matrix, and rows of a table that is stored as in the file. */
static void rows_of_tables(void) {
    static const uint32_t types[] = {NX_F32, NX_F16, NX_Q8_0, NX_Q4_0};
    check_random random = {19};
    for (int i = 0; i < 4; i++)
        for (uint32_t rows = 1; rows <= 37; rows += 4) {
            size_t mark = memory_mark();
            uint32_t cols = i < 2 ? 3 + rows : 64;
            uint8_t *bytes;
            toy_tensor t = tensor(rows, cols, types[i], &random, &bytes);
            nx_matrix matrix = packed_matrix(bytes, types[i], rows, cols, NX_BY_ROW);
            nx_embedding table = {types[i], rows, cols, bytes};
            const float *kept = types[i] == NX_Q8_0 ? ref_packed_q8(t.values, rows, cols) : t.values;
            float *out = memory_take(cols * sizeof *out);
            for (uint32_t r = 0; r < rows; r++) {
                check_at("type %lld, %lld rows, row %lld", types[i], rows, r, 0);
                nx_matrix_row(out, &matrix, r);
                CHECK_FLOATS(out, kept + (size_t)r * cols, cols);
                nx_embed(out, &table, r);
                CHECK_FLOATS(out, t.values + (size_t)r * cols, cols);
                nx_matrix part = nx_matrix_rows(&matrix, r / 16 * 16, 16);
                nx_matrix_row(out, &part, r % 16);
                CHECK_FLOATS(out, kept + (size_t)r * cols, cols);
            }
            memory_release(mark);
        }
}

static void relu_keeps_nan(void) {
    float x[16] = {NAN, -INFINITY, INFINITY, -1, -0.0f, 1e-45f, -1e-45f, 2};
    nx_relu(x, 8, 1);
    CHECK(isnan(x[0]) && x[1] == 0 && x[2] == INFINITY && x[3] == 0 && x[4] == 0 && x[5] == 1e-45f && x[6] == 0 && x[7] == 2);
}

/* Error bound of layer norm. The error of the mean is at most (width / 4 + 3) * UNIT times the mean magnitude. This error shifts all
 * centred numbers equally. The relative error of the variance is at most (width / 4 + 3) * UNIT. Five more operations follow. `spread` is
 * the standard deviation by which the norm divides. */
static double norm_tolerance(uint32_t width, double magnitude, double spread, double unit, double gain, double bias) {
    double roundings = width / 4 + 8;
    return roundings * UNIT * (fabs(gain) * (magnitude / spread + fabs(unit)) + fabs(bias));
}

static void norm_of(uint32_t width, uint32_t n, double offset, double scale, check_random *random) {
    size_t mark = memory_mark();
    float *x = columns(width, n, random), *gain = memory_take(width * sizeof *gain), *bias = memory_take(width * sizeof *bias);
    fill(gain, width, random);
    fill(bias, width, random);
    for (size_t i = 0; i < (size_t)n * nx_stride(width); i++) x[i] = (float)(offset + scale * (double)x[i]);
    float *out = memory_copy(x, (size_t)n * nx_stride(width) * sizeof *x);
    nx_layer_norm(out, gain, bias, 1e-6f, width, n);
    double *truth = memory_take(width * sizeof *truth), worst = 0;
    for (uint32_t j = 0; j < n; j++) {
        double magnitude = 0, mean = 0, variance = 0;
        const float *xj = x + (size_t)j * nx_stride(width), *oj = out + (size_t)j * nx_stride(width);
        for (uint32_t i = 0; i < width; i++) truth[i] = (double)xj[i], magnitude = fmax(magnitude, fabs(truth[i])), mean += truth[i] / width;
        for (uint32_t i = 0; i < width; i++) variance += (truth[i] - mean) * (truth[i] - mean) / width;
        double spread = sqrt(variance + (double)1e-6f);
        ref_layer_norm(truth, gain, bias, (double)1e-6f, width);
        for (uint32_t i = 0; i < width; i++) {
            double unit = ((double)xj[i] - mean) / spread;
            CHECK_NEAR((double)oj[i], truth[i], norm_tolerance(width, magnitude, spread, unit, (double)gain[i], (double)bias[i]));
            if (offset == 0) worst = fmax(worst, fabs((double)oj[i] - truth[i]) / (fabs((double)gain[i] * unit) + fabs((double)bias[i]) + 1));
        }
        float *alone = memory_copy(xj, nx_stride(width) * sizeof *xj);
        nx_layer_norm(alone, gain, bias, 1e-6f, width, 1);
        CHECK_FLOATS(alone, oj, width);
    }
    if (width == 512 && offset == 0 && scale == 1) check_note("  largest relative error at width 512: %.3g", worst);
    memory_release(mark);
}

static void layer_norm(void) {
    static const double cases[][2] = {{0, 1}, {0, 1e-3}, {0, 1e6}, {100, 1}, {1e4, 1}, {0, 1e-12}};
    check_random random = {9};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (uint32_t width = 4; width <= 2 * 16 + 12; width += 4) {
            check_at("width %lld, case %lld", width, (long long)i, 0, 0);
            norm_of(width, 1 + width / 4 % NX_COLUMNS, cases[i][0], cases[i][1], &random);
        }
        norm_of(128, NX_COLUMNS, cases[i][0], cases[i][1], &random);
        norm_of(512, 3, cases[i][0], cases[i][1], &random);
    }
    float same[16] = {7, 7, 7, 7, 7, 7, 7, 7}, gain[8] = {1, 1, 1, 1, 1, 1, 1, 1}, bias[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    nx_layer_norm(same, gain, bias, 1e-6f, 8, 1);
    CHECK_FLOATS(same, bias, 8); /* equal numbers have no deviation, so only the bias remains */
}

/* Relative error of a softmax weight. The difference x from the largest score is rounded, so e^x has a relative error of UNIT times |x|.
 * The error of e^x itself counts twice, because e^x is also in the sum. The sum has n/4 + 3 roundings, and two more operations follow. */
static double softmax_tolerance(uint32_t n, double below) { return UNIT * (below + n / 4 + 6) + 2 * EXP_RELATIVE; }
#define SOFTMAX_FLOOR 2e-38 /* weights of e^-87 and less are zero */

static void softmax_of(uint32_t n, double range, double masked, check_random *random) {
    size_t mark = memory_mark();
    float *x = memory_take(n * sizeof *x), *out;
    double *truth = memory_take(n * sizeof *truth), sum = 0, top = -INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        x[i] = random_unit(random) < masked ? -INFINITY : (float)(range * random_normal(random));
        truth[i] = (double)x[i];
        top = fmax(top, truth[i]);
    }
    out = memory_copy(x, n * sizeof *x);
    nx_softmax(out, n);
    ref_softmax(truth, n);
    for (uint32_t i = 0; i < n; i++) {
        sum += (double)out[i];
        if (x[i] == -INFINITY)
            CHECK(to_bits(out[i]) == 0);
        else
            CHECK_NEAR((double)out[i], truth[i], truth[i] * softmax_tolerance(n, fmin(top - (double)x[i], 100)) + SOFTMAX_FLOOR);
    }
    if (top > -INFINITY) { /* if all scores are masked, the zeros were checked above */
        CHECK_NEAR(sum, 1, softmax_tolerance(n, 0));
        double lse, size = 0;
        for (uint32_t i = 0; i < n; i++) size += truth[i] * fmin(top - (double)x[i], 100); /* mean distance from the largest score */
        for (uint32_t i = 0; i < n; i++) truth[i] = (double)x[i];
        lse = ref_log_sum_exp(truth, n);
        CHECK_NEAR((double)nx_log_sum_exp(x, n), lse, softmax_tolerance(n, size) + UNIT * fabs(lse) + LOG_ABSOLUTE * fmax(1, lse - top));
    }
    memory_release(mark);
}

static void softmax(void) {
    static const double ranges[] = {0, 1, 20, 200, 1e4, 1e30}; /* from 88 on, naive e^x overflows */
    static const double masked[] = {0, 0.4, 1};
    check_random random = {10};
    for (int r = 0; r < 6; r++)
        for (int m = 0; m < 3; m++) {
            check_at("range %lld, mask %lld", r, m, 0, 0);
            for (uint32_t n = 4; n <= 44; n += 4) softmax_of(n, ranges[r], masked[m], &random);
            softmax_of(256, ranges[r], masked[m], &random);
            softmax_of(784, ranges[r], masked[m], &random);
            softmax_of(1024, ranges[r], masked[m], &random);
        }
}

static void softmax_ends(void) {
    float wide[4] = {3e38f, -3e38f, 0, 3e38f}; /* the difference of two such numbers overflows */
    nx_softmax(wide, 4);
    CHECK(wide[0] == 0.5f && wide[1] == 0 && wide[2] == 0 && wide[3] == 0.5f);
    for (uint32_t n = 4; n <= 12; n += 4)
        for (uint32_t at = 0; at < n; at++)
            for (int other = 0; other < 3; other++) { /* NaN among ordinary scores, among masked scores, and as the only score */
                float x[12];
                for (uint32_t i = 0; i < n; i++) x[i] = other == 0 ? (float)i : other == 1 ? -INFINITY : NAN;
                x[at] = NAN;
                nx_softmax(x, n);
                CHECK(isnan(x[at])); /* NaN must reach the output, so that it is reported */
            }
    float one[4] = {-INFINITY, -INFINITY, -1e30f, -INFINITY};
    CHECK(nx_log_sum_exp(one, 4) == -1e30f);
    nx_softmax(one, 4);
    CHECK(one[0] == 0 && one[1] == 0 && one[2] == 1 && one[3] == 0);
}

const check_test kernel_tests[] = {
    {"e^x is as accurate as elementary.h states", exp_accuracy},
    {"e^x at its ends", exp_ends},
    {"coarse 2^x", exp2_coarse},
    {"ln x is as accurate as elementary.h states", log_accuracy},
    {"sin, cos and e^x in double precision", double_functions},
    {"half to float, all of them", half_to_float},
    {"F32 product, small sizes", product_small},
    {"F16 product", product_f16},
    {"Q8_0 product, small sizes", product_q8},
    {"Q4_0 product, small sizes", product_q4},
    {"Q4_0 halves of bytes", q4_layout},
    {"products of real sizes", product_real},
    {"Q8_0 product of long rows of extreme values", product_q8_long},
    {"Q8_0 product of zero, tiny, huge and NaN inputs", product_q8_ends},
    {"F32 product keeps NaN", product_f32_keeps_nan},
    {"dequantize", dequantize},
    {"single to half, at every half", halves_back},
    {"every type: non-finite values", any_type_keeps_what_is_not_finite},
    {"MXFP4: scales of a byte", scales_of_a_byte},
    {"every type: tables and matrices match its definition", any_type},
    {"every type: products by block", products_by_block},
    {"products by block and by row alternately", inputs_in_turn},
    {"products by block with an outlier in the column", outliers},
    {"ReLU, residual", relu_and_residual},
    {"ReLU keeps a not-a-number", relu_keeps_nan},
    {"gated inner layer, root-mean-square norm", silu_and_rms_norm},
    {"rows of matrices and tables", rows_of_tables},
    {"layer norm", layer_norm},
    {"softmax and logsumexp", softmax},
    {"softmax and logsumexp of extreme values", softmax_ends},
    {0},
};

/* SPDX-License-Identifier: MIT
 *
 * exp, log, tanh and sigma on four lanes, and the double-precision functions of the sinusoidal positions. The library has its own
 * functions, because results of libm differ between systems, while results of this library must not differ.
 */
#ifndef NX_ELEMENTARY_H
#define NX_ELEMENTARY_H

#include "simd.h"

/* Returns e^x with a relative error under 2e-7 for x in [-87, 88]. Below -87 (-infinity included) the result is exactly 0; above 88 it is
 * e^88; NaN stays NaN.
 *
 * x = n ln 2 + r with |r| <= ln(2)/2, so e^x = 2^n e^r. ln 2 is split in two (Cody and Waite) so that n ln 2 is exact
 * to well below the last place of r. n is rounded by adding 1.5 * 2^23; the low bits of the sum are n. e^r is computed by its Taylor sum to
 * r^7/7!, whose remainder is under 6e-9. */
NX_INLINE v128_t f32x4_exp(v128_t x) {
    v128_t tiny = wasm_f32x4_lt(x, wasm_f32x4_splat(-87.0f)), shift = wasm_f32x4_splat(0x1.8p23f);
    x = wasm_f32x4_pmin(x, wasm_f32x4_splat(88.0f));
    v128_t sum = f32x4_mul_add(x, wasm_f32x4_splat(0x1.715476p+0f), shift); /* 1 / ln 2 */
    v128_t n = wasm_f32x4_sub(sum, shift);
    v128_t r = f32x4_mul_add(n, wasm_f32x4_splat(-0x1.62e4p-1f), x); /* high part of ln 2, 15 bits */
    r = f32x4_mul_add(n, wasm_f32x4_splat(-0x1.7f7d1cp-20f), r);     /* low part of ln 2 */
    v128_t p = wasm_f32x4_splat(1.0f / 5040);
    p = f32x4_mul_add(p, r, wasm_f32x4_splat(1.0f / 720));
    p = f32x4_mul_add(p, r, wasm_f32x4_splat(1.0f / 120));
    p = f32x4_mul_add(p, r, wasm_f32x4_splat(1.0f / 24));
    p = f32x4_mul_add(p, r, wasm_f32x4_splat(1.0f / 6));
    p = f32x4_mul_add(p, r, wasm_f32x4_splat(0.5f));
    p = f32x4_mul_add(p, r, wasm_f32x4_splat(1.0f));
    p = f32x4_mul_add(p, r, wasm_f32x4_splat(1.0f));
    v128_t power = wasm_i32x4_add(wasm_i32x4_shl(sum, 23), wasm_i32x4_splat(0x3f800000));
    return wasm_v128_andnot(wasm_f32x4_mul(p, power), tiny);
}

/* Returns sigma(x) = 1 / (1 + e^-x) with a relative error under 3e-7. Below -87 (-infinity included) the result is sigma(-87), the last
 * value that is not subnormal; NaN stays NaN. */
NX_INLINE v128_t f32x4_sigmoid(v128_t x) {
    v128_t one = wasm_f32x4_splat(1);
    x = wasm_f32x4_pmax(x, wasm_f32x4_splat(-87.0f));
    return wasm_f32x4_div(one, wasm_f32x4_add(one, f32x4_exp(wasm_f32x4_neg(x))));
}

/* Returns tanh x with a relative error under 3e-7. tanh(-x) = -tanh(x) bit for bit; NaN stays NaN.
 *
 * The result is 1 - 2 / (e^2|x| + 1) with the sign of x. For |x| < 0.35, the subtraction would lose digits. The result is then the Taylor
 * sum up to x^11, with a relative remainder under 2e-8. */
NX_INLINE v128_t f32x4_tanh(v128_t x) {
    v128_t one = wasm_f32x4_splat(1), magnitude = wasm_f32x4_abs(x), sign = wasm_v128_xor(x, magnitude);
    v128_t e = f32x4_exp(wasm_f32x4_add(magnitude, magnitude));
    v128_t far = wasm_f32x4_sub(one, wasm_f32x4_div(wasm_f32x4_splat(2), wasm_f32x4_add(e, one)));
    v128_t z = wasm_f32x4_mul(x, x), p = wasm_f32x4_splat(-1382.0f / 155925);
    p = f32x4_mul_add(p, z, wasm_f32x4_splat(62.0f / 2835));
    p = f32x4_mul_add(p, z, wasm_f32x4_splat(-17.0f / 315));
    p = f32x4_mul_add(p, z, wasm_f32x4_splat(2.0f / 15));
    p = f32x4_mul_add(p, z, wasm_f32x4_splat(-1.0f / 3));
    v128_t near = f32x4_mul_add(wasm_f32x4_mul(p, z), magnitude, magnitude);
    return wasm_v128_or(wasm_v128_bitselect(near, far, wasm_f32x4_lt(magnitude, wasm_f32x4_splat(0.35f))), sign);
}

/* Returns cap tanh(x / cap), cap > 0. */
v128_t nx_capped(v128_t x, float cap);

/* Returns 2^x for x <= 0 with a relative error under 3e-6, which is enough for weights that are rounded to far fewer digits. Below -64
 * (-infinity included) the result is 2^-64. This limit avoids subnormal numbers, which are inexact and slow. NaN stays NaN.
 *
 * x = n + r with |r| <= 1/2, where n is rounded as in f32x4_exp. 2^r is approximated by the polynomial of degree 4 with the least relative
 * error on [-1/2, 1/2], and n is added to the exponent. */
NX_INLINE v128_t f32x4_exp2_coarse(v128_t x) {
    v128_t shift = wasm_f32x4_splat(0x1.8p23f);
    x = wasm_f32x4_pmax(x, wasm_f32x4_splat(-64.0f));
    v128_t sum = wasm_f32x4_add(x, shift);
    v128_t r = wasm_f32x4_sub(x, wasm_f32x4_sub(sum, shift));
    v128_t p = wasm_f32x4_splat(0.00957010210f);
    p = f32x4_mul_add(p, r, wasm_f32x4_splat(0.0559178591f));
    p = f32x4_mul_add(p, r, wasm_f32x4_splat(0.240247443f));
    p = f32x4_mul_add(p, r, wasm_f32x4_splat(0.693121791f));
    p = f32x4_mul_add(p, r, wasm_f32x4_splat(0.999999285f));
    return wasm_i32x4_add(p, wasm_i32x4_shl(sum, 23));
}

/* Returns ln x for normal x > 0 with an absolute error under 1.1e-7 times max(1, |ln x|). The result is undefined for other x.
 *
 * x = 2^e m with m in [sqrt(1/2), sqrt(2)), so ln x = e ln 2 + ln m, and ln m = 2 artanh(s) with s = (m-1)/(m+1), |s| < 0.172. The odd
 * series up to s^11/11 has a remainder under 1e-10. */
NX_INLINE v128_t f32x4_log(v128_t x) {
    /* Adding this constant to the bits of x increments the exponent if and only if the mantissa is at least sqrt(2). */
    v128_t shifted = wasm_i32x4_add(x, wasm_i32x4_splat(0x3f800000 - 0x3f3504f3));
    v128_t e = wasm_f32x4_convert_i32x4(wasm_i32x4_sub(wasm_i32x4_shr(shifted, 23), wasm_i32x4_splat(127)));
    v128_t m = wasm_i32x4_add(wasm_v128_and(shifted, wasm_i32x4_splat(0x007fffff)), wasm_i32x4_splat(0x3f3504f3));
    v128_t one = wasm_f32x4_splat(1.0f);
    v128_t s = wasm_f32x4_div(wasm_f32x4_sub(m, one), wasm_f32x4_add(m, one));
    v128_t z = wasm_f32x4_mul(s, s);
    v128_t p = wasm_f32x4_splat(2.0f / 11);
    p = f32x4_mul_add(p, z, wasm_f32x4_splat(2.0f / 9));
    p = f32x4_mul_add(p, z, wasm_f32x4_splat(2.0f / 7));
    p = f32x4_mul_add(p, z, wasm_f32x4_splat(2.0f / 5));
    p = f32x4_mul_add(p, z, wasm_f32x4_splat(2.0f / 3));
    p = f32x4_mul_add(wasm_f32x4_mul(p, z), s, wasm_f32x4_mul(s, wasm_f32x4_splat(2.0f)));
    v128_t low = f32x4_mul_add(e, wasm_f32x4_splat(0x1.7f7d1cp-20f), p);
    return f32x4_mul_add(e, wasm_f32x4_splat(0x1.62e4p-1f), low);
}

/* Returns ln x. */
NX_INLINE float f32_log(float x) { return wasm_f32x4_extract_lane(f32x4_log(wasm_f32x4_splat(x)), 0); }

/* Computes sin and cos of x in [0, 2^17], with an absolute error under 1e-11: subtracts k pi/2, where pi/2 is split in two parts, then
 * evaluates Taylor sums on [-pi/4, pi/4]. */
void nx_f64_sincos(double x, double *sine, double *cosine);

/* Returns e^x for x in [-40, 0] with a relative error under 1e-13. */
double nx_f64_exp(double x);

/* Returns ln x for x in [1, 1e17] with an absolute error under 1e-13. */
double nx_f64_log(double x);

#endif

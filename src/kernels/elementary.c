/* SPDX-License-Identifier: MIT  See elementary.h. */
#include "elementary.h"

v128_t nx_capped(v128_t x, float cap) {
    v128_t most = wasm_f32x4_splat(cap);
    return wasm_f32x4_mul(most, f32x4_tanh(wasm_f32x4_div(x, most)));
}

void nx_f64_sincos(double x, double *sine, double *cosine) {
    int k = (int)(x * 0.63661977236758134308 + 0.5); /* 2 / pi */
    /* pi/2 = 1.5707963109016418 (its upper 26 bits, so that k times this number is exact) + 1.5893254712295857e-8 */
    double r = (x - k * 1.57079631090164184570) - k * 1.58932547122958567343e-08;
    double z = r * r;
    double s = r * (1 - z / 6 * (1 - z / 20 * (1 - z / 42 * (1 - z / 72 * (1 - z / 110 * (1 - z / 156 * (1 - z / 210)))))));
    double c = 1 - z / 2 * (1 - z / 12 * (1 - z / 30 * (1 - z / 56 * (1 - z / 90 * (1 - z / 132 * (1 - z / 182 * (1 - z / 240)))))));
    *sine = k & 1 ? (k & 2 ? -c : c) : (k & 2 ? -s : s);
    *cosine = k & 1 ? (k & 2 ? s : -s) : (k & 2 ? -c : c);
}

double nx_f64_log(double x) {
    int n = 0;
    for (; x > 1.4142135623730951; x *= 0.5) n++;
    double s = (x - 1) / (x + 1), z = s * s, sum = 0; /* |s| <= 0.172 */
    for (int i = 21; i > 0; i -= 2) sum = sum * z + 1.0 / i;
    return n * 0.69314718055994530942 + 2 * s * sum;
}

double nx_f64_exp(double x) {
    int n = (int)(-x * 1.44269504088896340736 + 0.5); /* -x / ln 2 */
    double r = x + n * 0.69314718055994530942;        /* |r| <= 0.35 */
    double sum = 1;
    for (int i = 15; i > 0; i--) sum = 1 + sum * r / i;
    for (; n > 0; n--) sum *= 0.5;
    return sum;
}

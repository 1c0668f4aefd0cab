/* SPDX-License-Identifier: MIT
 *
 * Implements the AVX-512 operations of native.c for processors without AVX-512; a pair of AVX2 registers replaces each AVX-512 register.
 * Only the cases that native.c needs are covered. For example, a mask for loads and stores must come from `part`, so it selects the
 * first n of the sixteen lanes.
 */
#pragma once
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#if !defined __AVX2__ || !defined __FMA__
#error needs AVX2 and FMA
#endif

typedef struct { __m256 lo, hi; } sixteen;
typedef struct { __m256i lo, hi; } sixteen_int;
#define __m512 sixteen
#define __m512i sixteen_int

#define INLINE static inline __attribute__((always_inline))

#define EACH_HALF(type, name, parameters, lo, hi) INLINE type sixteen_##name parameters { return (type){lo, hi}; }
EACH_HALF(sixteen, setzero_ps, (void), _mm256_setzero_ps(), _mm256_setzero_ps())
EACH_HALF(sixteen, set1_ps, (float a), _mm256_set1_ps(a), _mm256_set1_ps(a))
EACH_HALF(sixteen, load_ps, (const float *a), _mm256_load_ps(a), _mm256_load_ps(a + 8))
EACH_HALF(sixteen, loadu_ps, (const float *a), _mm256_loadu_ps(a), _mm256_loadu_ps(a + 8))
EACH_HALF(sixteen, add_ps, (sixteen a, sixteen b), _mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi))
EACH_HALF(sixteen, sub_ps, (sixteen a, sixteen b), _mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi))
EACH_HALF(sixteen, mul_ps, (sixteen a, sixteen b), _mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi))
EACH_HALF(sixteen, div_ps, (sixteen a, sixteen b), _mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi))
EACH_HALF(sixteen, max_ps, (sixteen a, sixteen b), _mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi))
EACH_HALF(sixteen, sqrt_ps, (sixteen a), _mm256_sqrt_ps(a.lo), _mm256_sqrt_ps(a.hi))
EACH_HALF(sixteen, abs_ps, (sixteen a), _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.lo), _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.hi))
EACH_HALF(sixteen, fmadd_ps, (sixteen a, sixteen b, sixteen c), _mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi))
EACH_HALF(sixteen, fmsub_ps, (sixteen a, sixteen b, sixteen c), _mm256_fmsub_ps(a.lo, b.lo, c.lo), _mm256_fmsub_ps(a.hi, b.hi, c.hi))
EACH_HALF(sixteen, fnmadd_ps, (sixteen a, sixteen b, sixteen c), _mm256_fnmadd_ps(a.lo, b.lo, c.lo), _mm256_fnmadd_ps(a.hi, b.hi, c.hi))
EACH_HALF(sixteen_int, set1_epi32, (int a), _mm256_set1_epi32(a), _mm256_set1_epi32(a))
EACH_HALF(sixteen_int, loadu_si512, (const void *a), _mm256_loadu_si256((const __m256i *)a), _mm256_loadu_si256((const __m256i *)a + 1))
EACH_HALF(sixteen_int, add_epi32, (sixteen_int a, sixteen_int b), _mm256_add_epi32(a.lo, b.lo), _mm256_add_epi32(a.hi, b.hi))
EACH_HALF(sixteen_int, and_si512, (sixteen_int a, sixteen_int b), _mm256_and_si256(a.lo, b.lo), _mm256_and_si256(a.hi, b.hi))
EACH_HALF(sixteen_int, or_si512, (sixteen_int a, sixteen_int b), _mm256_or_si256(a.lo, b.lo), _mm256_or_si256(a.hi, b.hi))
EACH_HALF(sixteen_int, slli_epi32, (sixteen_int a, int n), _mm256_slli_epi32(a.lo, n), _mm256_slli_epi32(a.hi, n))
EACH_HALF(sixteen_int, srli_epi32, (sixteen_int a, int n), _mm256_srli_epi32(a.lo, n), _mm256_srli_epi32(a.hi, n))
EACH_HALF(sixteen_int, castps_si512, (sixteen a), _mm256_castps_si256(a.lo), _mm256_castps_si256(a.hi))
EACH_HALF(sixteen, castsi512_ps, (sixteen_int a), _mm256_castsi256_ps(a.lo), _mm256_castsi256_ps(a.hi))
EACH_HALF(sixteen_int, cvtepu16_epi32, (__m256i a), _mm256_cvtepu16_epi32(_mm256_castsi256_si128(a)), _mm256_cvtepu16_epi32(_mm256_extracti128_si256(a, 1)))
#undef EACH_HALF

INLINE __m256 sixteen_castps512_ps256(sixteen a) { return a.lo; }
INLINE void sixteen_store_ps(float *out, sixteen a) { _mm256_store_ps(out, a.lo), _mm256_store_ps(out + 8, a.hi); }
INLINE void sixteen_storeu_ps(float *out, sixteen a) { _mm256_storeu_ps(out, a.lo), _mm256_storeu_ps(out + 8, a.hi); }
INLINE void sixteen_storeu_si512(void *out, sixteen_int a) {
    _mm256_storeu_si256((__m256i *)out, a.lo), _mm256_storeu_si256((__m256i *)out + 1, a.hi);
}

INLINE __m256i bits_of(unsigned mask) { /* sets all bits of each lane whose mask bit is set */
    __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)mask), lane), lane);
}
INLINE sixteen_int lanes(__mmask16 m) { return (sixteen_int){bits_of(m), bits_of(m >> 8)}; }
INLINE sixteen sixteen_mask_mov_ps(sixteen a, __mmask16 m, sixteen b) {
    sixteen_int l = lanes(m);
    return (sixteen){_mm256_blendv_ps(a.lo, b.lo, _mm256_castsi256_ps(l.lo)), _mm256_blendv_ps(a.hi, b.hi, _mm256_castsi256_ps(l.hi))};
}
INLINE sixteen_int sixteen_mask_mov_epi32(sixteen_int a, __mmask16 m, sixteen_int b) {
    return sixteen_castps_si512(sixteen_mask_mov_ps(sixteen_castsi512_ps(a), m, sixteen_castsi512_ps(b)));
}
INLINE sixteen sixteen_maskz_mov_ps(__mmask16 m, sixteen a) { return sixteen_castsi512_ps(sixteen_and_si512(lanes(m), sixteen_castps_si512(a))); }
INLINE sixteen sixteen_maskz_sub_ps(__mmask16 m, sixteen a, sixteen b) { return sixteen_maskz_mov_ps(m, sixteen_sub_ps(a, b)); }
INLINE sixteen sixteen_maskz_mul_ps(__mmask16 m, sixteen a, sixteen b) { return sixteen_maskz_mov_ps(m, sixteen_mul_ps(a, b)); }
INLINE sixteen sixteen_mask_add_ps(sixteen old, __mmask16 m, sixteen a, sixteen b) { return sixteen_mask_mov_ps(old, m, sixteen_add_ps(a, b)); }
INLINE sixteen sixteen_mask_max_ps(sixteen old, __mmask16 m, sixteen a, sixteen b) { return sixteen_mask_mov_ps(old, m, sixteen_max_ps(a, b)); }
INLINE __mmask16 sixteen_cmp_ps_mask(sixteen a, sixteen b, int how) {
    __m256 lo, hi;
    if (how == _CMP_UNORD_Q) lo = _mm256_cmp_ps(a.lo, b.lo, _CMP_UNORD_Q), hi = _mm256_cmp_ps(a.hi, b.hi, _CMP_UNORD_Q);
    else lo = _mm256_cmp_ps(a.lo, b.lo, _CMP_GT_OQ), hi = _mm256_cmp_ps(a.hi, b.hi, _CMP_GT_OQ);
    return (__mmask16)(_mm256_movemask_ps(lo) | _mm256_movemask_ps(hi) << 8);
}
INLINE sixteen sixteen_maskz_loadu_ps(__mmask16 m, const float *a) {
    if (m == 0xffff) return sixteen_loadu_ps(a);
    sixteen_int l = lanes(m);
    return (sixteen){_mm256_maskload_ps(a, l.lo), _mm256_maskload_ps(a + 8, l.hi)};
}
INLINE void sixteen_mask_storeu_ps(float *out, __mmask16 m, sixteen a) {
    sixteen_int l = lanes(m);
    if (m == 0xffff) sixteen_storeu_ps(out, a);
    else _mm256_maskstore_ps(out, l.lo, a.lo), _mm256_maskstore_ps(out + 8, l.hi, a.hi);
}
INLINE __m256i sixteen_maskz_loadu_epi16(__mmask16 m, const uint16_t *a) {
    if (m == 0xffff) return _mm256_loadu_si256((const __m256i *)a);
    uint16_t some[16] = {0};
    memcpy(some, a, sizeof *a * (size_t)_mm_popcnt_u32(m));
    return _mm256_loadu_si256((const __m256i *)some);
}
INLINE void sixteen_mask_storeu_epi16(uint16_t *out, __mmask16 m, __m256i a) {
    uint16_t all[16];
    _mm256_storeu_si256((__m256i *)all, a);
    memcpy(out, all, sizeof *out * (size_t)_mm_popcnt_u32(m));
}

INLINE sixteen sixteen_round_ps(sixteen a) { /* rounds to nearest, ties to even */
    enum { HOW = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
    return (sixteen){_mm256_round_ps(a.lo, HOW), _mm256_round_ps(a.hi, HOW)};
}
INLINE __m256 scale_of_8(__m256 a, __m256 n) { /* returns a 2^n for integer n up to 127; 0 below 2^-126 */
    n = _mm256_min_ps(_mm256_max_ps(n, _mm256_set1_ps(-127)), _mm256_set1_ps(127));
    __m256i power = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
    return _mm256_mul_ps(a, _mm256_castsi256_ps(power));
}
INLINE sixteen sixteen_scalef_ps(sixteen a, sixteen n) { return (sixteen){scale_of_8(a.lo, n.lo), scale_of_8(a.hi, n.hi)}; }
INLINE __m256i sixteen_cvtepi32_epi16(sixteen_int a) { /* only for numbers that fit in 16 bits */
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(a.lo, a.hi), 0xd8);
}
INLINE float sixteen_reduce_add_ps(sixteen a) {
    __m256 s = _mm256_add_ps(a.lo, a.hi);
    __m128 t = _mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
    t = _mm_add_ps(t, _mm_movehl_ps(t, t));
    return _mm_cvtss_f32(_mm_add_ss(t, _mm_shuffle_ps(t, t, 1)));
}
INLINE float sixteen_reduce_max_ps(sixteen a) {
    __m256 s = _mm256_max_ps(a.lo, a.hi);
    __m128 t = _mm_max_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
    t = _mm_max_ps(t, _mm_movehl_ps(t, t));
    return _mm_cvtss_f32(_mm_max_ss(t, _mm_shuffle_ps(t, t, 1)));
}

#define _mm512_abs_ps sixteen_abs_ps
#define _mm512_add_epi32 sixteen_add_epi32
#define _mm512_add_ps sixteen_add_ps
#define _mm512_and_si512 sixteen_and_si512
#define _mm512_castps_si512 sixteen_castps_si512
#define _mm512_castsi512_ps sixteen_castsi512_ps
#define _mm512_castps512_ps256 sixteen_castps512_ps256
#define _mm512_cmp_ps_mask sixteen_cmp_ps_mask
#define _mm512_cvtepi32_epi16 sixteen_cvtepi32_epi16
#define _mm512_cvtepu16_epi32 sixteen_cvtepu16_epi32
#define _mm512_div_ps sixteen_div_ps
#define _mm512_fmadd_ps sixteen_fmadd_ps
#define _mm512_fmsub_ps sixteen_fmsub_ps
#define _mm512_fnmadd_ps sixteen_fnmadd_ps
#define _mm512_load_ps sixteen_load_ps
#define _mm512_loadu_ps sixteen_loadu_ps
#define _mm512_loadu_si512 sixteen_loadu_si512
#define _mm512_mask_add_ps sixteen_mask_add_ps
#define _mm512_mask_max_ps sixteen_mask_max_ps
#define _mm512_mask_mov_epi32 sixteen_mask_mov_epi32
#define _mm512_mask_storeu_ps sixteen_mask_storeu_ps
#define _mm512_maskz_loadu_ps sixteen_maskz_loadu_ps
#define _mm512_maskz_mov_ps sixteen_maskz_mov_ps
#define _mm512_maskz_mul_ps sixteen_maskz_mul_ps
#define _mm512_maskz_sub_ps sixteen_maskz_sub_ps
#define _mm512_max_ps sixteen_max_ps
#define _mm512_mul_ps sixteen_mul_ps
#define _mm512_or_si512 sixteen_or_si512
#define _mm512_reduce_add_ps sixteen_reduce_add_ps
#define _mm512_reduce_max_ps sixteen_reduce_max_ps
#define _mm512_roundscale_ps(a, how) sixteen_round_ps(a)
#define _mm512_scalef_ps sixteen_scalef_ps
#define _mm512_set1_epi32 sixteen_set1_epi32
#define _mm512_set1_ps sixteen_set1_ps
#define _mm512_setzero_ps sixteen_setzero_ps
#define _mm512_slli_epi32 sixteen_slli_epi32
#define _mm512_sqrt_ps sixteen_sqrt_ps
#define _mm512_srli_epi32 sixteen_srli_epi32
#define _mm512_store_ps sixteen_store_ps
#define _mm512_storeu_ps sixteen_storeu_ps
#define _mm512_storeu_si512 sixteen_storeu_si512
#define _mm512_sub_ps sixteen_sub_ps
#define _mm256_maskz_loadu_epi16 sixteen_maskz_loadu_epi16
#define _mm256_mask_storeu_epi16 sixteen_mask_storeu_epi16

/* SPDX-License-Identifier: MIT
 *
 * Implements the slow parts of training for CPUs with AVX-512 or AVX2: local attention with its gradient, rounding, and the optimiser.
 * Products use bf16 if the CPU supports it, else single precision; inputs and outputs of attention are bf16. native.py compiles this file
 * if possible; otherwise callers use PyTorch.
 *
 * Each row of Q, K, V and O belongs to one position. In a row, head number `a` starts at column a * d. For a tile of queries i and the keys
 * j that they see:
 *
 *     S = Q K^T / sqrt(d)     P = exp(S - max)     O = P V / sum            kept: L = max + log(sum)
 *     dV += P^T dO     dP = dO V^T     dS = P * (dP - sum(dO * O)) / sqrt(d)     dQ = dS K     dK += dS^T Q       with P = exp(S - L)
 *
 * The scores of one tile fit in the cache, masked scores are not computed, and nothing is transposed in memory.
 */
#if defined __AVX512BW__ && defined __AVX512VL__
#include <immintrin.h>
enum { REGISTERS = 32 };
#else
#include "avx2.h"
enum { REGISTERS = 16 };                         /* half-size vectors */
#endif
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 64, LANES = 16 };

typedef uint16_t bf16;

static inline int round_up(int n, int to) { return (n + to - 1) / to * to; }
static inline __mmask16 part(int left) { return left >= LANES ? 0xffff : left <= 0 ? 0 : (__mmask16)((1u << left) - 1); } /* of LANES */

/* The operands of a product consist of groups. A group is two values adjacent along the summed axis (bf16), or one value (float) */
#ifdef __AVX512BF16__
enum { GROUP = 2 };
typedef bf16 element;
typedef uint32_t group;
typedef __m512i groups;
typedef __m256i groups_8;
static inline groups all_of(group x) { return _mm512_set1_epi32((int)x); }
static inline groups load_groups(const group *x) { return _mm512_loadu_si512(x); }
static inline groups_8 load_groups_8(const group *x) { return _mm256_loadu_si256((const __m256i *)x); }
static inline groups_8 half_of(groups x) { return _mm512_castsi512_si256(x); }
static inline __m512 add_products(__m512 sum, groups a, groups b) { return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b); }
static inline __m256 add_products_8(__m256 sum, groups_8 a, groups_8 b) { return _mm256_dpbf16_ps(sum, (__m256bh)a, (__m256bh)b); }
static inline __m256i to_bf16(__m512 x) { return (__m256i)_mm512_cvtneps_pbh(x); }
#else
enum { GROUP = 1 };
typedef float element;
typedef float group;
typedef __m512 groups;
typedef __m256 groups_8;
static inline groups all_of(group x) { return _mm512_set1_ps(x); }
static inline groups load_groups(const group *x) { return _mm512_loadu_ps(x); }
static inline groups_8 load_groups_8(const group *x) { return _mm256_loadu_ps(x); }
static inline groups_8 half_of(groups x) { return _mm512_castps512_ps256(x); }
static inline __m512 add_products(__m512 sum, groups a, groups b) { return _mm512_fmadd_ps(a, b, sum); }
static inline __m256 add_products_8(__m256 sum, groups_8 a, groups_8 b) { return _mm256_fmadd_ps(a, b, sum); }
static inline __m256i to_bf16(__m512 x) {        /* rounds to nearest, ties to even; NaN stays NaN */
    __m512i bits = _mm512_castps_si512(x), odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    __m512i near = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    near = _mm512_mask_mov_epi32(near, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), _mm512_set1_epi32(0x7fc00000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(near, 16));
}
#endif
static inline int groups_of(int n) { return (n + GROUP - 1) / GROUP; }

static inline __m512 load_bf16(const bf16 *x, __mmask16 m) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(m, x)), 16));
}
static inline void store_bf16(bf16 *out, __mmask16 m, __m512 x) {
    if (m == 0xffff) _mm256_storeu_si256((__m256i *)out, to_bf16(x)); /* a masked store takes several times as long as a plain one */
    else _mm256_mask_storeu_epi16(out, m, to_bf16(x));
}

static inline void store_elements(element *out, __m512 x) {
#ifdef __AVX512BF16__
    store_bf16(out, 0xffff, x);
#else
    _mm512_storeu_ps(out, x);
#endif
}

/* Returns 2^x for x <= about 127: 2^n times a polynomial on [-1/2, 1/2] with error 3e-6, far below the rounding error of bf16, in which
 * results are stored */
static const float LOG2E = 1.44269504f;
static inline __m512 power(__m512 x) {
    __m512 n = _mm512_roundscale_ps(x, 8), r = _mm512_sub_ps(x, n);
    __m512 p = _mm512_set1_ps(1.3333558e-3f);
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(9.6181291e-3f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(5.5504109e-2f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.24022651f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.69314718f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f));
    return _mm512_scalef_ps(p, n);
}

/* Computes the matrix product c = a b, or c += a b if `add` is set. The inner dimension has `count` groups. A row of c is V vectors of 16
 * values, plus half a vector if H = 1. a[r * row + p * step] is group p of row r, and b[p * width + n] is group p of column n. */
#define EACH(i, n) _Pragma("GCC unroll 8") for (int i = 0; i < n; i++) /* loops are unrolled, because the sums must stay in registers */
#define KERNEL(R, V, H)                                                                                                                    \
    static void kernel_##R##_##V##_##H(int count, const group *a, size_t row, size_t step, const group *b, size_t width, float *c,         \
                                       size_t stride, int add) {                                                                           \
        __m512 sum[R][V];                                                                                                                  \
        __m256 half[R];                                                                                                                    \
        EACH(r, R) {                                                                                                                       \
            EACH(v, V) sum[r][v] = add ? _mm512_loadu_ps(c + r * stride + v * LANES) : _mm512_setzero_ps();                                \
            if (H) half[r] = add ? _mm256_loadu_ps(c + r * stride + V * LANES) : _mm256_setzero_ps();                                      \
        }                                                                                                                                  \
        for (int p = 0; p < count; p++) {                                                                                                  \
            groups column[V];                                                                                                              \
            groups_8 last;                                                                                                                 \
            EACH(v, V) column[v] = load_groups(b + p * width + v * LANES);                                                                 \
            if (H) last = load_groups_8(b + p * width + V * LANES);                                                                        \
            EACH(r, R) {                                                                                                                   \
                groups one = all_of(a[r * row + p * step]);                                                                                \
                EACH(v, V) sum[r][v] = add_products(sum[r][v], one, column[v]);                                                            \
                if (H) half[r] = add_products_8(half[r], half_of(one), last);                                                              \
            }                                                                                                                              \
        }                                                                                                                                  \
        EACH(r, R) {                                                                                                                       \
            EACH(v, V) _mm512_storeu_ps(c + r * stride + v * LANES, sum[r][v]);                                                            \
            if (H) _mm256_storeu_ps(c + r * stride + V * LANES, half[r]);                                                                  \
        }                                                                                                                                  \
    }
#define ROWS(V, H) KERNEL(1, V, H) KERNEL(2, V, H) KERNEL(4, V, H) KERNEL(6, V, H)
ROWS(1, 0) ROWS(2, 0) ROWS(3, 0) ROWS(4, 0) ROWS(1, 1) ROWS(2, 1) ROWS(3, 1)
typedef void kernel(int, const group *, size_t, size_t, const group *, size_t, float *, size_t, int);
#define ALL(R) {{kernel_##R##_1_0, kernel_##R##_2_0, kernel_##R##_3_0, kernel_##R##_4_0}, {kernel_##R##_1_1, kernel_##R##_2_1, kernel_##R##_3_1}}
static kernel *const kernels[4][2][4] = {ALL(1), ALL(2), ALL(4), ALL(6)};

/* The part of c that fits in the registers: ROWS_BESIDE_HALF is the maximum number of rows if each row ends with half a vector, and
 * `vectors` returns the number of whole vectors per row. */
enum { ROWS_BESIDE_HALF = REGISTERS == 32 ? 6 : 4 };
static int vectors(int left, int half) { return REGISTERS == 16 ? 1 : left > 4 || (left == 4 && half) ? (left > 5 ? 4 : 2) : left; }

/* Computes c = a b, or c += a b if `add` is set. Each row of c consists of whole vectors and at most one half vector at its end. */
static void product(int rows, int columns, int count, const group *a, size_t row, size_t step, const group *b, size_t width, float *c,
                    size_t stride, int add) {
    for (int n = 0; n < columns;) {
        int left = (columns - n) / LANES, half = (columns - n) % LANES != 0, v = vectors(left, half);
        half &= v == left;
        for (int r = 0; r < rows;) {
            int most = half && rows - r > ROWS_BESIDE_HALF ? ROWS_BESIDE_HALF : rows - r;
            int size = most >= 6 ? 3 : most >= 4 ? 2 : most >= 2 ? 1 : 0;
            kernels[size][half][v - 1](count, a + r * row, row, step, b + n, width, c + r * stride + n, stride, add);
            r += size == 3 ? 6 : 1 << size;
        }
        n += v * LANES + half * LANES / 2;
    }
}

/* Returns the padded width of a head of width d; the last vector is a half vector if that is enough. */
static int width_of(int d) { return d > LANES && (d - 1) % LANES < LANES / 2 ? round_up(d, LANES / 2) : round_up(d, LANES); }

/* Packs the rows of a head into groups along the head dimension. Row i is at x + i * stride; its group p goes to out[p * width + i]. */
static void pack_across(const bf16 *x, size_t stride, int rows, int d, group *out, int width) {
    for (int p = 0; p < d / GROUP; p++) {
        for (int i = 0; i < rows; i++) {
            uint32_t bits = (uint32_t)x[i * stride + GROUP * p] << 16;
            if (GROUP == 2) memcpy(&bits, x + i * stride + 2 * p, sizeof bits);
            memcpy(out + (size_t)p * width + i, &bits, sizeof bits);
        }
        memset(out + (size_t)p * width + rows, 0, sizeof(group) * (size_t)(width - rows));
    }
}

/* Packs the rows into groups of GROUP rows: column c of row i goes to out[i / GROUP * width + c]. Padding columns are zero. If the last
 * group is incomplete, its missing row is zero. */
static void pack_down(const bf16 *x, size_t stride, int rows, int d, group *out, int width) {
    for (int i = 0; i < rows; i += GROUP)
        for (int c = 0; c < width; c += LANES) {
            __mmask16 m = part(d - c);
            __m512i a = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(m, x + i * stride + c)), last = a;
            if (GROUP == 2) last = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(i + 1 < rows ? m : 0, x + (i + 1) * stride + c));
            last = _mm512_slli_epi32(last, 16);
            _mm512_storeu_si512(out + i / GROUP * width + c, GROUP == 2 ? _mm512_or_si512(a, last) : last);
        }
}

/* Returns the rows of a head as the left operand of a product. The groups of this operand lie along the head dimension. In bf16, x already
 * has this layout; in single precision, `pack_down` produces it in `packed`. */
static const group *rows_of(const bf16 *x, size_t stride, const group *packed, int width, size_t *row) {
    *row = GROUP == 2 ? stride / 2 : (size_t)width;
    return GROUP == 2 ? (const group *)x : packed;
}

/* Returns the dot product of two vectors of d numbers. */
static float dot(const bf16 *a, const bf16 *b, int d) {
    __m512 sum = _mm512_setzero_ps();
    for (int c = 0; c < d; c += LANES) sum = _mm512_fmadd_ps(load_bf16(a + c, part(d - c)), load_bf16(b + c, part(d - c)), sum);
    return _mm512_reduce_add_ps(sum);
}

typedef struct {
    int n, heads, d, block, memory, window; /* positions; width d of a head (even); queries per block; keys before the block; maximum keys per query (0: no limit) */
    size_t in, out;                 /* row strides in bf16 numbers: of q, k, v and their gradients; of o and its gradient */
} shape;

/* Returns the number of queries per tile. If a block has 96 queries or more, a tile is at most a quarter of it: larger tiles compute more
 * masked scores. */
static int tile_of(const shape *s) { return s->block >= 4 * TILE ? TILE : s->block >= 128 ? TILE / 2 : 24; }

/* A query sees the keys from `skips` to `sees` - 1. `unseen` returns `skips`, the number of keys before the window. `seen_of` returns a bit
 * mask of the visible keys among j .. j + 15. */
static int unseen(const shape *s, int sees) { return s->window && sees > s->window ? sees - s->window : 0; }
static inline __mmask16 seen_of(int j, int skips, int sees) { return part(sees - j) & (__mmask16)~part(skips - j); }

static int reach(const shape *s, int block) { int from = block - s->memory; return from > 0 ? from : 0; }

/* Allocates space for groups of `rows` rows, including the numbers that vector stores write past the last row. */
static group *groups_for(int rows, int width) { return aligned_alloc(64, sizeof(group) * (size_t)round_up(groups_of(rows) * width + LANES, LANES)); }

static int forward_head(const shape *s, const bf16 *q, const bf16 *k, const bf16 *v, bf16 *o, float *l) {
    int most = s->block + s->memory < s->n ? s->block + s->memory : s->n, width = round_up(most, LANES) | LANES, wide = width_of(s->d), tile = tile_of(s);
    group *keys = groups_for(s->d, width), *values = groups_for(width, wide), *queries = groups_for(TILE, wide);
    float *score = aligned_alloc(64, sizeof(float) * TILE * (size_t)width), *sum = aligned_alloc(64, sizeof(float) * (TILE * (size_t)wide + LANES));
    element *p = aligned_alloc(64, sizeof(element) * TILE * (size_t)round_up(width, 32));
    if (!keys || !values || !queries || !score || !sum || !p) return -1;
    float scale = 1.0f / sqrtf((float)s->d);
    for (int block = 0; block < s->n; block += s->block) {
        int end = block + s->block < s->n ? block + s->block : s->n, from = reach(s, block);
        pack_across(k + from * s->in, s->in, end - from, s->d, keys, width);
        pack_down(v + from * s->in, s->in, end - from, s->d, values, wide);
        for (int lo = block; lo < end; lo += tile) {
            int hi = lo + tile < end ? lo + tile : end, rows = hi - lo, seen = hi - from, columns = round_up(seen, LANES);
            size_t row;
            if (GROUP == 1) pack_down(q + lo * s->in, s->in, rows, s->d, queries, wide);
            const group *a = rows_of(q + lo * s->in, s->in, queries, wide, &row);
            product(rows, columns, s->d / GROUP, a, row, 1, keys, (size_t)width, score, (size_t)width, 0);
            float total[TILE];
            for (int r = 0; r < rows; r++) {
                float *x = score + (size_t)r * width;
                int sees = lo + r - from + 1, skips = unseen(s, sees);
                __m512 top = _mm512_set1_ps(-INFINITY), all = _mm512_setzero_ps();
                int whole = sees / LANES * LANES;
                for (int j = skips / LANES * LANES; j < sees; j += LANES) top = _mm512_mask_max_ps(top, seen_of(j, skips, sees), top, _mm512_loadu_ps(x + j));
                float largest = _mm512_reduce_max_ps(top);
                __m512 binary = _mm512_set1_ps(scale * LOG2E), shift = _mm512_set1_ps(largest * scale * LOG2E);
                for (int j = 0; j < columns; j += LANES) {
                    __m512 e = power(_mm512_fmsub_ps(_mm512_loadu_ps(x + j), binary, shift));
                    if (j >= whole || j < skips) e = _mm512_maskz_mov_ps(seen_of(j, skips, sees), e);
                    all = _mm512_add_ps(all, e);
                    store_elements(p + (size_t)r * width + j, e);
                }
                total[r] = _mm512_reduce_add_ps(all);
                l[lo + r] = largest * scale + logf(total[r]);
            }
            product(rows, wide, groups_of(seen), (const group *)p, (size_t)width / GROUP, 1, values, (size_t)wide, sum, (size_t)wide, 0);
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < s->d; c += LANES) {
                    __mmask16 m = part(s->d - c);
                    store_bf16(o + (lo + r) * s->out + c, m, _mm512_mul_ps(_mm512_loadu_ps(sum + (size_t)r * wide + c), _mm512_set1_ps(1.0f / total[r])));
                }
        }
    }
    free(keys), free(values), free(queries), free(score), free(sum), free(p);
    return 0;
}

/* Stores sixteen columns of two adjacent rows in the layout of `pack_down`. */
static inline void store_down(group *out, size_t width, __m512 even, __m512 odd) {
#ifdef __AVX512BF16__
    (void)width;
    __m512i a = _mm512_cvtepu16_epi32(to_bf16(even)), b = _mm512_cvtepu16_epi32(to_bf16(odd));
    _mm512_storeu_si512(out, _mm512_or_si512(a, _mm512_slli_epi32(b, 16)));
#else
    _mm512_storeu_ps(out, even), _mm512_storeu_ps(out + width, odd);
#endif
}

/* Computes P and dS = P * (dP - mean) from sixteen scores of each of two rows. P and dS are stored in the layout of `pack_down`. `ds` also
 * receives dS row by row. Masked lanes are 0. */
static inline __attribute__((always_inline)) void slopes(const float *score, const float *slope, element *ds, group *p_down, group *ds_down, size_t width, __m512 binary,
                                                         __m512 scale, const float minus[2], const __m512 mean[2], __mmask16 first, __mmask16 second, int two) {
    __m512 p[2], g[2];
    for (int i = 0; i < 2; i++) {
        __mmask16 m = i ? second : first;
        p[i] = _mm512_maskz_mov_ps(m, power(_mm512_fmsub_ps(_mm512_maskz_loadu_ps(m, score + i * width), binary, _mm512_set1_ps(minus[i]))));
        g[i] = _mm512_mul_ps(_mm512_mul_ps(p[i], scale), _mm512_sub_ps(_mm512_maskz_loadu_ps(m, slope + i * width), mean[i]));
        if (i == 0 || two) store_elements(ds + i * width, g[i]);
    }
    store_down(p_down, width, p[0], p[1]);
    store_down(ds_down, width, g[0], g[1]);
}

static int backward_head(const shape *s, const bf16 *q, const bf16 *k, const bf16 *v, const bf16 *o, const float *l, const bf16 *d_o, bf16 *dq,
                         bf16 *dk, bf16 *dv) {
    int most = s->block + s->memory < s->n ? s->block + s->memory : s->n, width = round_up(most, LANES) | LANES, wide = width_of(s->d), tile = tile_of(s);
    group *keys = groups_for(s->d, width), *values = groups_for(s->d, width), *rows_of_keys = groups_for(width, wide);
    group *queries = groups_for(TILE, wide), *outs = groups_for(TILE, wide);
    float *score = aligned_alloc(64, sizeof(float) * TILE * (size_t)width), *slope = aligned_alloc(64, sizeof(float) * TILE * (size_t)width);
    float *sum = aligned_alloc(64, sizeof(float) * (TILE * (size_t)wide + LANES));
    float *sum_k = aligned_alloc(64, sizeof(float) * (size_t)(round_up(s->n, LANES) * wide + LANES)), *sum_v = aligned_alloc(64, sizeof(float) * (size_t)(round_up(s->n, LANES) * wide + LANES));
    element *ds = aligned_alloc(64, sizeof(element) * TILE * (size_t)round_up(width, 32));
    group *p_down = groups_for(TILE, width), *ds_down = groups_for(TILE, width);
    if (!keys || !values || !rows_of_keys || !queries || !outs || !score || !slope || !sum || !sum_k || !sum_v || !ds || !p_down || !ds_down) return -1;
    memset(sum_k, 0, sizeof(float) * (size_t)(s->n * wide)), memset(sum_v, 0, sizeof(float) * (size_t)(s->n * wide));
    __m512 scale = _mm512_set1_ps(1.0f / sqrtf((float)s->d)), binary = _mm512_mul_ps(scale, _mm512_set1_ps(LOG2E));
    for (int block = 0; block < s->n; block += s->block) {
        int end = block + s->block < s->n ? block + s->block : s->n, from = reach(s, block);
        pack_across(k + from * s->in, s->in, end - from, s->d, keys, width);
        pack_across(v + from * s->in, s->in, end - from, s->d, values, width);
        pack_down(k + from * s->in, s->in, end - from, s->d, rows_of_keys, wide);
        for (int lo = block; lo < end; lo += tile) {
            int hi = lo + tile < end ? lo + tile : end, rows = hi - lo, seen = hi - from, columns = round_up(seen, LANES);
            pack_down(q + lo * s->in, s->in, rows, s->d, queries, wide);
            pack_down(d_o + lo * s->out, s->out, rows, s->d, outs, wide);
            size_t row;
            const group *a = rows_of(q + lo * s->in, s->in, queries, wide, &row);
            product(rows, columns, s->d / GROUP, a, row, 1, keys, (size_t)width, score, (size_t)width, 0);
            a = rows_of(d_o + lo * s->out, s->out, outs, wide, &row);
            product(rows, columns, s->d / GROUP, a, row, 1, values, (size_t)width, slope, (size_t)width, 0);
            for (int r = 0; r < rows; r += 2) {
                __m512 mean[2];          /* sum(dO * O) of both rows */
                for (int i = 0; i < 2; i++) {
                    size_t at = (size_t)(lo + r + i) * s->out;
                    mean[i] = _mm512_set1_ps(r + i < rows ? dot(o + at, d_o + at, s->d) : 0);
                }
                int sees = lo + r - from + 1, skips = unseen(s, sees), next = unseen(s, sees + 1);
                int whole = r + 1 < rows ? sees / LANES * LANES : 0, masked = (next + LANES - 1) / LANES * LANES;    /* keys visible to the first row; the second row sees one more */
                size_t at = (size_t)r * width, down = (size_t)(r / GROUP) * width;
                const float minus[2] = {l[lo + r] * LOG2E, r + 1 < rows ? l[lo + r + 1] * LOG2E : 0};
                for (int j = 0; j < columns; j += LANES)
                    if (j >= masked && j < whole)
                        slopes(score + at + j, slope + at + j, ds + at + j, p_down + down + j, ds_down + down + j, (size_t)width, binary, scale, minus, mean, 0xffff, 0xffff, 1);
                    else
                        slopes(score + at + j, slope + at + j, ds + at + j, p_down + down + j, ds_down + down + j, (size_t)width, binary, scale, minus, mean,
                               seen_of(j, skips, sees), r + 1 < rows ? seen_of(j, next, sees + 1) : 0, r + 1 < rows);
            }
            product(rows, wide, groups_of(seen), (const group *)ds, (size_t)width / GROUP, 1, rows_of_keys, (size_t)wide, sum, (size_t)wide, 0);
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < s->d; c += LANES)
                    store_bf16(dq + (lo + r) * s->in + c, part(s->d - c), _mm512_loadu_ps(sum + (size_t)r * wide + c));
            product(seen, wide, groups_of(rows), p_down, 1, (size_t)width, outs, (size_t)wide, sum_v + (size_t)from * wide, (size_t)wide, 1);
            product(seen, wide, groups_of(rows), ds_down, 1, (size_t)width, queries, (size_t)wide, sum_k + (size_t)from * wide, (size_t)wide, 1);
        }
    }
    for (int i = 0; i < s->n; i++)
        for (int c = 0; c < s->d; c += LANES) {
            __mmask16 m = part(s->d - c);
            store_bf16(dk + i * s->in + c, m, _mm512_loadu_ps(sum_k + (size_t)i * wide + c));
            store_bf16(dv + i * s->in + c, m, _mm512_loadu_ps(sum_v + (size_t)i * wide + c));
        }
    free(keys), free(values), free(rows_of_keys), free(queries), free(outs), free(score), free(slope), free(sum), free(sum_k), free(sum_v), free(ds),
        free(p_down), free(ds_down);
    return 0;
}

/* Flushes subnormal numbers to zero, as the bf16 instructions do. In single precision, an operation on a subnormal number would cost a
 * hundred cycles. Returns the previous mode. */
static unsigned flush(void) {
    unsigned mode = _mm_getcsr();
    _mm_setcsr(mode | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON);
    return mode;
}

/* q, k, v (images, n) rows, all with the stride `in`; o (images, n, heads * d); l (images, heads, n). -> 0, or -1 if memory runs out */
int attention_forward(int threads, int images, int n, int heads, int d, int block, int memory, int window, long in, const bf16 *q, const bf16 *k, const bf16 *v,
                      bf16 *o, float *l) {
    shape s = {n, heads, d, block, memory, window, (size_t)in, (size_t)heads * d};
    int failed = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(| : failed)
    for (int i = 0; i < images * heads; i++) {
        size_t at = (size_t)(i / heads) * n * s.in + (size_t)(i % heads) * d, to = (size_t)(i / heads) * n * s.out + (size_t)(i % heads) * d;
        unsigned mode = flush();
        failed |= forward_head(&s, q + at, k + at, v + at, o + to, l + (size_t)i * n);
        _mm_setcsr(mode);
    }
    return failed;
}

int attention_backward(int threads, int images, int n, int heads, int d, int block, int memory, int window, long in, const bf16 *q, const bf16 *k, const bf16 *v,
                       const bf16 *o, const float *l, const bf16 *d_o, bf16 *dq, bf16 *dk, bf16 *dv) {
    shape s = {n, heads, d, block, memory, window, (size_t)in, (size_t)heads * d};
    int failed = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(| : failed)
    for (int i = 0; i < images * heads; i++) {
        size_t at = (size_t)(i / heads) * n * s.in + (size_t)(i % heads) * d, to = (size_t)(i / heads) * n * s.out + (size_t)(i % heads) * d;
        unsigned mode = flush();
        failed |= backward_head(&s, q + at, k + at, v + at, o + to, l + (size_t)i * n, d_o + to, dq + at, dk + at, dv + at);
        _mm_setcsr(mode);
    }
    return failed;
}

/* Rounds each group of `size` numbers to multiples of (its largest magnitude / steps), as rounding.to_steps does. The numbers are bf16, or
 * float if `is_float` is set */
void round_groups(int threads, long groups, int size, float steps, int is_float, const void *in, void *out) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (long i = 0; i < groups; i++) {
        const float *x = (const float *)in + i * size;
        const bf16 *h = (const bf16 *)in + i * size;
        __m512 top = _mm512_setzero_ps();
        for (int c = 0; c < size; c += LANES) {
            __mmask16 m = part(size - c);
            top = _mm512_max_ps(top, _mm512_abs_ps(is_float ? _mm512_maskz_loadu_ps(m, x + c) : load_bf16(h + c, m)));
        }
        float step = _mm512_reduce_max_ps(top) / steps;
        __m512 unit = _mm512_set1_ps(step);
        for (int c = 0; c < size; c += LANES) {
            __mmask16 m = part(size - c);
            __m512 v = is_float ? _mm512_maskz_loadu_ps(m, x + c) : load_bf16(h + c, m);
            if (step > 0) v = _mm512_mul_ps(_mm512_roundscale_ps(_mm512_div_ps(v, unit), 8), unit);
            if (is_float) _mm512_mask_storeu_ps((float *)out + i * size + c, m, v);
            else store_bf16((bf16 *)out + i * size + c, m, v);
        }
    }
}

/* Returns the sum of squares of `count` tensors. */
double sum_of_squares(int threads, int count, const long *sizes, const float *const *x) {
    double total = 0;
    for (int t = 0; t < count; t++) {
        const float *a = x[t];
        double sum = 0;
#pragma omp parallel for num_threads(sizes[t] > 16384 ? threads : 1) schedule(static) reduction(+ : sum)
        for (long block = 0; block < sizes[t]; block += 4096) {
            long end = block + 4096 < sizes[t] ? block + 4096 : sizes[t];
            __m512 all = _mm512_setzero_ps();
            for (long i = block; i < end; i += LANES) {
                __m512 v = _mm512_maskz_loadu_ps(end - i >= LANES ? 0xffff : part((int)(end - i)), a + i);
                all = _mm512_fmadd_ps(v, v, all);
            }
            sum += (double)_mm512_reduce_add_ps(all);
        }
        total += sum;
    }
    return total;
}

/* Performs an Adam step and averages the weights in one pass: g is scaled, m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
 * p -= rate m / (sqrt(v) root + eps), a += follow (p - a) */
void adam(int threads, int count, const long *sizes, float *const *p, const float *const *g, float *const *m, float *const *v, float *const *a,
          float scale, float b1, float b2, float rate, float root, float eps, float follow) {
    for (int t = 0; t < count; t++) {
        float *w = p[t], *first = m[t], *second = v[t], *mean = a[t];
        const float *slope = g[t];
#pragma omp parallel for num_threads(sizes[t] > 16384 ? threads : 1) schedule(static)
        for (long i = 0; i < sizes[t]; i += LANES) {
            __mmask16 k = sizes[t] - i >= LANES ? 0xffff : part((int)(sizes[t] - i));
            __m512 x = _mm512_mul_ps(_mm512_maskz_loadu_ps(k, slope + i), _mm512_set1_ps(scale));
            __m512 f = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(k, first + i), _mm512_set1_ps(b1), _mm512_mul_ps(x, _mm512_set1_ps(1 - b1)));
            __m512 s = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(k, second + i), _mm512_set1_ps(b2), _mm512_mul_ps(_mm512_mul_ps(x, x), _mm512_set1_ps(1 - b2)));
            __m512 under = _mm512_fmadd_ps(_mm512_sqrt_ps(s), _mm512_set1_ps(root), _mm512_set1_ps(eps));
            __m512 to = _mm512_fnmadd_ps(_mm512_div_ps(f, under), _mm512_set1_ps(rate), _mm512_maskz_loadu_ps(k, w + i));
            __m512 average = _mm512_maskz_loadu_ps(k, mean + i);
            _mm512_mask_storeu_ps(first + i, k, f), _mm512_mask_storeu_ps(second + i, k, s), _mm512_mask_storeu_ps(w + i, k, to);
            _mm512_mask_storeu_ps(mean + i, k, _mm512_fmadd_ps(_mm512_sub_ps(to, average), _mm512_set1_ps(follow), average));
        }
    }
}

/* Computes s = h + f (f may be null) and y = (s - mean) / deviation * w + b for rows of d numbers. y is bf16; y_wide, if not null, receives
 * y in single precision. stats: mean and 1 / deviation of each row. */
void add_norm_forward(int threads, long rows, int d, float eps, const float *h, const bf16 *f, const float *w, const float *b, float *s, float *y_wide,
                      bf16 *y, float *stats) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (long r = 0; r < rows; r++) {
        const float *x = h + r * d;
        float *sum = s + r * d;
        __m512 total = _mm512_setzero_ps(), square = _mm512_setzero_ps();
        for (int c = 0; c < d; c += LANES) {
            __mmask16 m = part(d - c);
            __m512 v = _mm512_maskz_loadu_ps(m, x + c);
            if (f) v = _mm512_add_ps(v, load_bf16(f + r * d + c, m));
            _mm512_mask_storeu_ps(sum + c, m, v);
            total = _mm512_add_ps(total, v);
        }
        float mean = _mm512_reduce_add_ps(total) / (float)d;
        for (int c = 0; c < d; c += LANES) {
            __mmask16 m = part(d - c);
            __m512 v = _mm512_maskz_sub_ps(m, _mm512_maskz_loadu_ps(m, sum + c), _mm512_set1_ps(mean));
            square = _mm512_fmadd_ps(v, v, square);
        }
        float rest = 1.0f / sqrtf(_mm512_reduce_add_ps(square) / (float)d + eps);
        stats[2 * r] = mean, stats[2 * r + 1] = rest;
        for (int c = 0; c < d; c += LANES) {
            __mmask16 m = part(d - c);
            __m512 v = _mm512_mul_ps(_mm512_sub_ps(_mm512_maskz_loadu_ps(m, sum + c), _mm512_set1_ps(mean)), _mm512_set1_ps(rest));
            v = _mm512_fmadd_ps(v, _mm512_maskz_loadu_ps(m, w + c), _mm512_maskz_loadu_ps(m, b + c));
            store_bf16(y + r * d + c, m, v);
            if (y_wide) _mm512_mask_storeu_ps(y_wide + r * d + c, m, v);
        }
    }
}

/* With dy = dy_wide + dy (each may be null) and x = (s - mean) / deviation:
 * ds = given (may be null) + (dy w - mean(dy w) - x mean(dy w x)) / deviation is stored in dh and, as bf16, in df (may be null); dw += dy
 * x, db += dy */
int add_norm_backward(int threads, long rows, int d, const float *s, const float *stats, const float *w, const float *given, const float *dy_wide,
                      const bf16 *dy, float *dh, bf16 *df, float *dw, float *db) {
    int width = round_up(d, LANES), failed = 0;
#pragma omp parallel num_threads(threads) reduction(| : failed)
    {
        float *own = aligned_alloc(64, sizeof(float) * 3 * (size_t)width), *slope = own + 2 * width;     /* dw and db of this thread; dy of one row */
        failed |= !own;
        if (own) memset(own, 0, sizeof(float) * 3 * (size_t)width);
#pragma omp for schedule(static)
        for (long r = 0; r < rows; r++) {
            if (!own) continue;
            const float *x = s + r * d;
            __m512 mean = _mm512_set1_ps(stats[2 * r]), rest = _mm512_set1_ps(stats[2 * r + 1]), first = _mm512_setzero_ps(), second = _mm512_setzero_ps();
            for (int c = 0; c < d; c += LANES) {
                __mmask16 m = part(d - c);
                __m512 g = dy ? load_bf16(dy + r * d + c, m) : _mm512_setzero_ps();
                if (dy_wide) g = _mm512_add_ps(g, _mm512_maskz_loadu_ps(m, dy_wide + r * d + c));
                __m512 v = _mm512_maskz_mul_ps(m, _mm512_sub_ps(_mm512_maskz_loadu_ps(m, x + c), mean), rest);
                _mm512_store_ps(own + c, _mm512_fmadd_ps(g, v, _mm512_load_ps(own + c)));
                _mm512_store_ps(own + width + c, _mm512_add_ps(g, _mm512_load_ps(own + width + c)));
                g = _mm512_mul_ps(g, _mm512_maskz_loadu_ps(m, w + c));
                _mm512_store_ps(slope + c, g);
                first = _mm512_add_ps(first, g), second = _mm512_fmadd_ps(g, v, second);
            }
            __m512 one = _mm512_set1_ps(_mm512_reduce_add_ps(first) / (float)d), two = _mm512_set1_ps(_mm512_reduce_add_ps(second) / (float)d);
            for (int c = 0; c < d; c += LANES) {
                __mmask16 m = part(d - c);
                __m512 v = _mm512_mul_ps(_mm512_sub_ps(_mm512_maskz_loadu_ps(m, x + c), mean), rest);
                __m512 g = _mm512_mul_ps(_mm512_fnmadd_ps(v, two, _mm512_sub_ps(_mm512_load_ps(slope + c), one)), rest);
                if (given) g = _mm512_add_ps(g, _mm512_maskz_loadu_ps(m, given + r * d + c));
                _mm512_mask_storeu_ps(dh + r * d + c, m, g);
                if (df) store_bf16(df + r * d + c, m, g);
            }
        }
        if (own) {
#pragma omp critical
            for (int c = 0; c < d; c++) dw[c] += own[c], db[c] += own[width + c];
        }
        free(own);
    }
    return failed;
}

/* Adds the sum of each column c of g (rows, d), in bf16, to sums[c]. If h (same shape) is not null, g is first set to 0 wherever h is
 * not positive (the gradient of relu). */
int column_sums(int threads, long rows, int d, bf16 *g, const bf16 *h, float *sums) {
    int width = round_up(d, LANES), failed = 0;
#pragma omp parallel num_threads(threads) reduction(| : failed)
    {
        float *own = aligned_alloc(64, sizeof(float) * (size_t)width);
        failed |= !own;
        if (own) memset(own, 0, sizeof(float) * (size_t)width);
#pragma omp for schedule(static)
        for (long r = 0; r < rows; r++)
            for (int c = 0; own && c < d; c += LANES) {
                __mmask16 m = part(d - c);
                __m512 v = load_bf16(g + r * d + c, m);
                if (h) {
                    v = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(load_bf16(h + r * d + c, m), _mm512_setzero_ps(), _CMP_GT_OQ), v);
                    store_bf16(g + r * d + c, m, v);
                }
                _mm512_store_ps(own + c, _mm512_add_ps(_mm512_load_ps(own + c), v));
            }
        if (own) {
#pragma omp critical
            for (int c = 0; c < d; c++) sums[c] += own[c];
        }
        free(own);
    }
    return failed;
}

/* Computes the cross-entropy, with label smoothing e, of rows of V logits z (bf16): with p = softmax(z) and
 * q = (1 - e) [t = target] + e / V, nats = -sum q log p; z is replaced by its gradient p - q */
void cross_entropy(int threads, long rows, int V, float smoothing, bf16 *z, const int64_t *target, float *nats) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (long r = 0; r < rows; r++) {
        bf16 *row = z + r * V;
        __m512 top = _mm512_set1_ps(-INFINITY), all = _mm512_setzero_ps(), sum = _mm512_setzero_ps();
        for (int c = 0; c < V; c += LANES) {
            __mmask16 m = part(V - c);
            __m512 v = load_bf16(row + c, m);
            top = _mm512_mask_max_ps(top, m, top, v), all = _mm512_add_ps(all, v);
        }
        float most = _mm512_reduce_max_ps(top), even = smoothing / (float)V;
        uint32_t bits = (uint32_t)row[target[r]] << 16;
        float right;
        memcpy(&right, &bits, sizeof right);
        __m512 scale = _mm512_set1_ps(LOG2E), less = _mm512_set1_ps(-most * LOG2E);
        for (int c = 0; c < V; c += LANES) {
            __mmask16 m = part(V - c);
            sum = _mm512_mask_add_ps(sum, m, sum, power(_mm512_fmadd_ps(load_bf16(row + c, m), scale, less)));
        }
        float log_sum = most + logf(_mm512_reduce_add_ps(sum));
        less = _mm512_set1_ps(-log_sum * LOG2E);
        for (int c = 0; c < V; c += LANES) {
            __mmask16 m = part(V - c);
            store_bf16(row + c, m, _mm512_sub_ps(power(_mm512_fmadd_ps(load_bf16(row + c, m), scale, less)), _mm512_set1_ps(even)));
        }
        store_bf16(row + target[r], 1, _mm512_set1_ps(expf(right - log_sum) - even - (1 - smoothing)));
        nats[r] = log_sum - (1 - smoothing) * right - even * _mm512_reduce_add_ps(all);
    }
}

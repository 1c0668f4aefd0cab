/* SPDX-License-Identifier: MIT  See output.h. */
#include "output.h"

#include <string.h>

#include "categorical.h"
#include "kernels/elementary.h"
#include "kernels/kernels.h"

static const float minus_infinity = -__builtin_inff();

const char *const nx_output_names[NX_OUTPUT_KINDS] = {[NX_CATEGORICAL] = "categorical",
                                                      [NX_BERNOULLI] = "bernoulli",
                                                      [NX_DMOL] = "dmol",
                                                      [NX_LOGISTIC] = "logistic",
                                                      [NX_GAUSSIAN] = "gaussian"};

/* Log scales have the same lower limit as in training. All other limits are so extreme that they change only meaningless numbers, which
 * would overflow later. */
#define MIN_LOG_SCALE (-7.0f)
#define MAX_LOG_SCALE 80.0f
#define MAX_LOCATION 1e6f

/* Masses of a mixture are added directly, not through their logarithms. Two limits prevent overflow and subnormal numbers, which are slow
 * on processors: no edge is further out than FAR_EDGE, where the mass beyond is e^-38, and no component weighs less than e^LEAST_WEIGHT. If
 * the edges of a level are more than WIDE standardised units apart, each edge has its own exponential. With 256 levels, the edges are never
 * that far apart. */
#define FAR_EDGE 38.0f
#define LEAST_WEIGHT (-38.0f)
#define WIDE 9.0f
#define LEAST_MASS 0x1p-120f

static float limited(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

uint32_t nx_output_parameters(const nx_output *output) {
    switch (output->kind) {
    case NX_CATEGORICAL:
        return output->values;
    case NX_BERNOULLI:
        return 1;
    case NX_DMOL:
        return (output->elements == 3 ? 10 : 3) * output->mixtures;
    default:
        return 2;
    }
}

int nx_output_finite(const nx_output *output, const float *parameters) {
    uint32_t n = nx_output_parameters(output);
    for (uint32_t i = 0; i < n; i++)
        if (!(parameters[i] - parameters[i] == 0.0f)) return 0; /* infinity and NaN give NaN when subtracted from themselves */
    return 1;
}

static float lane0(v128_t v) { return wasm_f32x4_extract_lane(v, 0); }
static float f32_exp(float x) { return lane0(f32x4_exp(wasm_f32x4_splat(x))); }

/* max(x, 0). */
static v128_t positive(v128_t x) { return wasm_v128_and(x, wasm_f32x4_gt(x, wasm_f32x4_splat(0))); }

/* Returns softplus(z) = ln(1 + e^z), without overflow. The cumulative distribution function of the logistic distribution is
 * e^-softplus(-z). */
static v128_t softplus(v128_t z) {
    v128_t sum = wasm_f32x4_add(wasm_f32x4_splat(1), f32x4_exp(wasm_f32x4_neg(wasm_f32x4_abs(z))));
    return wasm_f32x4_add(positive(z), f32x4_log(sum));
}

/* Returns 1 - e^-t or 2^-100, whichever is larger, for t > 0. For small t, where the subtraction would lose digits, the result is the
 * series t (1 - t/2 (1 - t/3 (...))). */
static float one_minus_exp(float t) {
    float mass = t < 0.25f ? t * (1 - t / 2 * (1 - t / 3 * (1 - t / 4 * (1 - t / 5 * (1 - t / 6))))) : 1 - f32_exp(-t);
    return mass > 0x1p-100f ? mass : 0x1p-100f;
}

/* out[v] = log-mass of level v under a logistic distribution with location `mean` and scale e^log_scale, for v = from..to-1 in groups
 * of four (from % 4 == 0). With z0 the standardised middle of the level's interval and z-, z+ its edges, z0 -/+ delta:
 *   first level: ln sigma(z+) = -softplus(-z+)       last level: ln(1 - sigma(z-)) = -softplus(z-)
 *   between:     D = sigma(z+) - sigma(z-), whose logarithm is ln(1 - e^(-2 delta)) - softplus(-z+) - softplus(z-) without
 *                cancellation; if D is 1e-5 or less, the formula of training,
 *                ln(width * density at the middle) = z0 - s - 2 softplus(z0) + ln width */
static void logistic_levels(float *out, uint32_t levels, float mean, float log_scale, uint32_t from, uint32_t to) {
    log_scale = limited(log_scale, MIN_LOG_SCALE, MAX_LOG_SCALE);
    mean = limited(mean, -MAX_LOCATION, MAX_LOCATION);
    float half = 1.0f / (float)(levels - 1), inverse = f32_exp(-log_scale), log_width = f32_log(2 * half) - log_scale;
    v128_t inv = wasm_f32x4_splat(inverse), mu = wasm_f32x4_splat(mean), delta = wasm_f32x4_splat(half * inverse);
    v128_t step = wasm_f32x4_splat(2 * half), lanes = wasm_f32x4_make(0, 1, 2, 3);
    v128_t both = wasm_f32x4_splat(f32_log(one_minus_exp(2 * half * inverse))), least = wasm_f32x4_splat(-11.5129255f); /* ln 1e-5 */
    for (uint32_t v = from; v < to; v += 4) {
        v128_t level = wasm_f32x4_add(wasm_f32x4_splat((float)v), lanes);
        v128_t x = wasm_f32x4_sub(wasm_f32x4_mul(level, step), wasm_f32x4_splat(1));
        v128_t z0 = wasm_f32x4_mul(wasm_f32x4_sub(x, mu), inv), low = wasm_f32x4_sub(z0, delta), high = wasm_f32x4_add(z0, delta);
        v128_t below = softplus(low), above = softplus(wasm_f32x4_neg(high));
        v128_t result = wasm_f32x4_sub(wasm_f32x4_sub(both, above), below), narrow = wasm_f32x4_le(result, least);
        if (wasm_v128_any_true(narrow)) { /* uses -|z0|, because z0 - 2 softplus(z0) is an even function of z0 */
            v128_t z = wasm_f32x4_neg(wasm_f32x4_abs(z0)), twice = wasm_f32x4_mul(wasm_f32x4_splat(2), softplus(z));
            result = wasm_v128_bitselect(wasm_f32x4_add(wasm_f32x4_sub(z, twice), wasm_f32x4_splat(log_width)), result, narrow);
        }
        if (v == 0) result = wasm_v128_bitselect(wasm_f32x4_neg(above), result, wasm_i32x4_make(-1, 0, 0, 0));
        v128_t last = wasm_f32x4_eq(level, wasm_f32x4_splat((float)(levels - 1)));
        result = wasm_v128_bitselect(wasm_f32x4_neg(below), result, last);
        wasm_v128_store(out + v, result);
    }
}

static float sigma(float z) { return 1 / (1 + f32_exp(-limited(z, -80, 80))); }

static float tanh_of(float x) { /* 1 - 2 / (e^2x + 1); e^2x is 0 or finite, so large |x| also give correct results */
    return 1 - 2 / (f32_exp(2 * x) + 1);
}

static float scaled(uint32_t level, uint32_t levels) { return (float)level * (2.0f / (float)(levels - 1)) - 1; }

/* Returns the address of the parameters of channel c of component k: [0] is its location, [K] its log scale, and [2 K] its coefficient. */
static const float *channel_of(const nx_output *output, const float *parameters, uint32_t c, uint32_t k) {
    uint32_t K = output->mixtures;
    return parameters + K + (output->elements == 3 ? 3 : 2) * K * c + k;
}

/* Returns the location of channel c of component k, given the earlier channels x:
 * mu_R = m_R;  mu_G = m_G + c_0 x_R;  mu_B = m_B + c_1 x_R + c_2 x_G, with c_i = tanh of the coefficient of channel i
 */
static float location(const nx_output *output, const float *parameters, const float *x, uint32_t c, uint32_t k) {
    const float *at = channel_of(output, parameters, c, k);
    uint32_t coefficient = 2 * output->mixtures;
    if (c == 1) return at[0] + tanh_of(channel_of(output, parameters, 0, k)[coefficient]) * x[0];
    if (c == 2) return at[0] + (tanh_of(channel_of(output, parameters, 1, k)[coefficient]) * x[0] + tanh_of(at[coefficient]) * x[1]);
    return at[0];
}

/* Returns the log-mass that channel c of component k gives to a level. */
static float component_log_mass(const nx_output *output, const float *parameters, const float *x, uint32_t c, uint32_t k, uint32_t level) {
    float four[NX_MAX_LEVELS];
    logistic_levels(four, output->values, location(output, parameters, x, c, k), channel_of(output, parameters, c, k)[output->mixtures],
                    level & ~3u, level + 1u);
    return four[level];
}

/* Computes the log-weights (K) of the components. A component's log-weight is its mixture logit plus the log-masses that the component
 * gives to the levels of all channels before `index`. The result is ln p(component | earlier channels), up to a constant. */
static void component_log_weights(const nx_output *output, const float *parameters, const float *x, const uint32_t *ids, uint32_t index,
                                  float *log_weight) {
    for (uint32_t k = 0; k < output->mixtures; k++) {
        log_weight[k] = parameters[k];
        for (uint32_t c = 0; c < index; c++) log_weight[k] += component_log_mass(output, parameters, x, c, k, ids[c]);
    }
}

/* Returns e^z for a standardised edge z, which is limited to -FAR_EDGE..FAR_EDGE. */
NX_INLINE v128_t edge_exp(v128_t z) {
    v128_t far = wasm_f32x4_splat(FAR_EDGE);
    return f32x4_exp(wasm_f32x4_pmin(wasm_f32x4_pmax(z, wasm_f32x4_neg(far)), far));
}

/* share * e^z+ / ((1 + e^z+) (1 + e^z-)) */
NX_INLINE v128_t mass_between(v128_t low, v128_t high, v128_t share) {
    v128_t one = wasm_f32x4_splat(1);
    return wasm_f32x4_div(wasm_f32x4_mul(share, high), wasm_f32x4_mul(wasm_f32x4_add(low, one), wasm_f32x4_add(high, one)));
}

NX_INLINE void add_to(float *sum, v128_t x) { wasm_v128_store(sum, wasm_f32x4_add(wasm_v128_load(sum), x)); }

/* The mass that the components give to each level. */
typedef struct {
    float of[NX_MAX_LEVELS]; /* masses of all levels except the first and the last */
    float first, last;       /* masses of the first and the last level, whose intervals reach to infinity */
} level_masses;

/* Adds weight * mass of every level, for one logistic component. Let z- and z+ be the standardised edges of a level. The mass of the first
 * level is sigma(z+), and the mass of the last level is sigma(-z-). The mass of any other level is
 *
 *   sigma(z+) - sigma(z-) = (1 - e^(z- - z+)) e^z+ / ((1 + e^z+) (1 + e^z-))
 *
 * The right side is used, because the subtraction on the left loses digits if the two terms are almost equal. The edges are equally spaced,
 * so one exponential and repeated multiplication give e^z at the edges of sixteen levels. Groups of sixteen levels beyond FAR_EDGE count as
 * zero. */
static void add_masses(level_masses *masses, uint32_t levels, float mean, float log_scale, float weight) {
    log_scale = limited(log_scale, MIN_LOG_SCALE, MAX_LOG_SCALE);
    mean = limited(mean, -MAX_LOCATION, MAX_LOCATION);
    float half = 1.0f / (float)(levels - 1), inverse = f32_exp(-log_scale), width = 2 * half * inverse;
    masses->first += weight * sigma((half - 1 - mean) * inverse);
    masses->last += weight * sigma((mean - 1 + half) * inverse);
    v128_t inv = wasm_f32x4_splat(inverse), step = wasm_f32x4_splat(2 * half), lanes = wasm_f32x4_make(0, 1, 2, 3);
    v128_t edge = wasm_f32x4_splat(1 + half + mean), span = wasm_f32x4_splat(width);
    v128_t growth = wasm_f32x4_splat(f32_exp(limited(width, 0, WIDE)));
    v128_t growth_of_four = wasm_f32x4_splat(f32_exp(limited(4 * width, 0, 4 * WIDE)));
    v128_t share = wasm_f32x4_splat(weight * one_minus_exp(width));
    for (uint32_t v = 0; v < levels; v += 16) {
        uint32_t groups = levels - v < 16 ? (levels - v + 3) / 4 : 4;
        v128_t level = wasm_f32x4_add(wasm_f32x4_splat((float)v), lanes);
        v128_t z = wasm_f32x4_mul(wasm_f32x4_sub(wasm_f32x4_mul(level, step), edge), inv);
        float from = lane0(z), to = from + 16 * width, *sum = masses->of + v;
        if (to < -FAR_EDGE || from > FAR_EDGE) continue;
        v128_t low = edge_exp(z);
        if (from >= -FAR_EDGE && to <= FAR_EDGE) {
            for (uint32_t g = 0; g < groups; g++, low = wasm_f32x4_mul(low, growth_of_four))
                add_to(sum + 4 * g, mass_between(low, wasm_f32x4_mul(low, growth), share));
        } else
            for (uint32_t g = 0; g < groups; g++) {
                v128_t high = width < WIDE ? wasm_f32x4_mul(low, growth) : edge_exp(wasm_f32x4_add(z, span));
                add_to(sum + 4 * g, mass_between(low, high, share));
                level = wasm_f32x4_add(level, wasm_f32x4_splat(4));
                z = wasm_f32x4_mul(wasm_f32x4_sub(wasm_f32x4_mul(level, step), edge), inv);
                low = edge_exp(z);
            }
    }
}

/* Computes the log-masses of the levels of one channel under the mixture, given the earlier channels. The weights of the components are
 * taken relative to the most probable component. The masses are added, and logarithms are taken at the end. */
static void mixture_levels(const nx_output *output, const float *parameters, const uint32_t *earlier, uint32_t index, float *logits) {
    uint32_t K = output->mixtures, V = output->values;
    float log_weight[NX_MAX_MIXTURES], x[3], best = minus_infinity;
    level_masses masses;
    for (uint32_t c = 0; c < index; c++) x[c] = scaled(earlier[c], V);
    component_log_weights(output, parameters, x, earlier, index, log_weight);
    for (uint32_t k = 0; k < K; k++)
        if (log_weight[k] > best) best = log_weight[k];
    memset(&masses, 0, sizeof masses);
    for (uint32_t k = 0; k < K; k++)
        add_masses(&masses, V, location(output, parameters, x, index, k), channel_of(output, parameters, index, k)[K],
                   f32_exp(limited(log_weight[k] - best, LEAST_WEIGHT, 0)));
    masses.of[0] = masses.first;
    masses.of[V - 1] = masses.last;
    for (uint32_t v = 0; v < V; v += 4)
        wasm_v128_store(logits + v, f32x4_log(wasm_f32x4_pmax(wasm_v128_load(masses.of + v), wasm_f32x4_splat(LEAST_MASS))));
}

static float log_sum_exp_of(const float *terms, uint32_t n) {
    float padded[NX_MAX_MIXTURES];
    for (uint32_t k = 0; k < NX_MAX_MIXTURES; k++) padded[k] = k < n ? limited(terms[k], -1e30f, 1e30f) : minus_infinity;
    return nx_log_sum_exp(padded, NX_MAX_MIXTURES);
}

/* Returns -ln p of channel `index` given the channels before it: the log-sum of the components' log-weights after the previous channel,
 * minus the log-sum after this channel. Training uses the same formula. */
static float mixture_nats(const nx_output *output, const float *parameters, const uint32_t *ids, uint32_t index) {
    float before[NX_MAX_MIXTURES], with[NX_MAX_MIXTURES], x[3];
    for (uint32_t c = 0; c <= index; c++) x[c] = scaled(ids[c], output->values);
    component_log_weights(output, parameters, x, ids, index, before);
    for (uint32_t k = 0; k < output->mixtures; k++) with[k] = before[k] + component_log_mass(output, parameters, x, index, k, ids[index]);
    return log_sum_exp_of(before, output->mixtures) - log_sum_exp_of(with, output->mixtures);
}

/* Returns ln Phi(z), where Phi is the standard normal cumulative distribution function. For z <= 0, Phi(z) = e^(-z^2/2) P(t) with t = 1 /
 * (1 + 0.3 |z|) and P a polynomial without constant term, fitted by least squares of the relative error on Chebyshev nodes of |z| < 60
 * (relative error under 6e-8); for z > 0, Phi(z) = 1 - Phi(-z). */
NX_NOINLINE static v128_t normal_log_cdf(v128_t z) {
    static const float coefficient[] = {0.119683151f,   0.119661059f, 0.109301631f,  0.0837135784f, 0.0778622295f,
                                        -0.0399273748f, 0.137913267f, -0.183203634f, 0.0914267396f, -0.0164306357f};
    v128_t size = wasm_f32x4_abs(z), one = wasm_f32x4_splat(1), p = wasm_f32x4_splat(coefficient[9]);
    v128_t t = wasm_f32x4_div(one, f32x4_mul_add(size, wasm_f32x4_splat(0.3f), one));
    for (int i = 8; i >= 0; i--) p = f32x4_mul_add(p, t, wasm_f32x4_splat(coefficient[i]));
    v128_t tail = wasm_f32x4_add(f32x4_log(wasm_f32x4_mul(p, t)), wasm_f32x4_mul(wasm_f32x4_mul(size, size), wasm_f32x4_splat(-0.5f)));
    v128_t upper = f32x4_log(wasm_f32x4_sub(one, f32x4_exp(tail)));
    return wasm_v128_bitselect(upper, tail, wasm_f32x4_gt(z, wasm_f32x4_splat(0)));
}

/* Computes the log-mass of all V levels under a normal distribution, as logistic_levels does under a logistic distribution. The mass of a
 * level between the first and the last is D = Phi(z+) - Phi(z-). For narrow levels (delta < 0.1), the difference would lose digits, so D is
 * computed as a series around the middle of the level, with the Hermite polynomials He_2 and He_4:
 * density * width * (1 + delta^2/6 (z0^2 - 1) + delta^4/120 (z0^4 - 6 z0^2 + 3)). If D is 1e-5 or less, the result is ln(width * density at
 * the middle). */
static void normal_levels(float *out, uint32_t levels, float mean, float log_scale) {
    log_scale = limited(log_scale, MIN_LOG_SCALE, MAX_LOG_SCALE);
    mean = limited(mean, -MAX_LOCATION, MAX_LOCATION);
    float half = 1.0f / (float)(levels - 1), inverse = f32_exp(-log_scale), square = half * inverse * (half * inverse);
    float log_width = f32_log(2 * half) - log_scale - 0.91893853320467f;                                  /* ln sqrt(2 pi) */
    v128_t zero = wasm_f32x4_splat(0), one = wasm_f32x4_splat(1), least = wasm_f32x4_splat(-11.5129255f); /* ln 1e-5 */
    for (uint32_t v = 0; v < levels; v += 4) {
        v128_t level = wasm_f32x4_add(wasm_f32x4_splat((float)v), wasm_f32x4_make(0, 1, 2, 3));
        v128_t x = wasm_f32x4_sub(wasm_f32x4_mul(level, wasm_f32x4_splat(2 * half)), one);
        v128_t z0 = wasm_f32x4_mul(wasm_f32x4_sub(x, wasm_f32x4_splat(mean)), wasm_f32x4_splat(inverse));
        v128_t delta = wasm_f32x4_splat(half * inverse), low = wasm_f32x4_sub(z0, delta), high = wasm_f32x4_add(z0, delta);
        v128_t z2 = wasm_f32x4_mul(z0, z0), density = f32x4_mul_add(z2, wasm_f32x4_splat(-0.5f), wasm_f32x4_splat(log_width)), result;
        if (square < 0.01f) {
            v128_t he2 = wasm_f32x4_sub(z2, one), he4 = f32x4_mul_add(z2, wasm_f32x4_sub(z2, wasm_f32x4_splat(6)), wasm_f32x4_splat(3));
            v128_t series = f32x4_mul_add(he2, wasm_f32x4_splat(square / 6), wasm_f32x4_mul(he4, wasm_f32x4_splat(square * square / 120)));
            result = wasm_f32x4_add(density, f32x4_log(wasm_f32x4_add(one, series)));
        } else { /* subtracts on the side where both values of Phi are small, so that fewer digits are lost */
            v128_t flip = wasm_f32x4_gt(z0, zero), tiny = wasm_f32x4_splat(1e-6f);
            v128_t from = wasm_v128_bitselect(wasm_f32x4_neg(high), low, flip), to = wasm_v128_bitselect(wasm_f32x4_neg(low), high, flip);
            v128_t mass = wasm_f32x4_sub(f32x4_exp(normal_log_cdf(to)), f32x4_exp(normal_log_cdf(from)));
            result = f32x4_log(wasm_f32x4_pmax(tiny, mass));
        }
        result = wasm_v128_bitselect(density, result, wasm_f32x4_le(result, least));
        if (v == 0) result = wasm_v128_bitselect(normal_log_cdf(high), result, wasm_i32x4_make(-1, 0, 0, 0));
        v128_t last = wasm_f32x4_eq(level, wasm_f32x4_splat((float)(levels - 1)));
        wasm_v128_store(out + v, wasm_v128_bitselect(normal_log_cdf(wasm_f32x4_neg(low)), result, last));
    }
}

void nx_output_logits(const nx_output *output, const float *parameters, const uint32_t *earlier, uint32_t index, float *logits) {
    uint32_t V = output->values;
    switch (output->kind) {
    case NX_CATEGORICAL:
        memcpy(logits, parameters, V * sizeof *logits);
        break;
    case NX_BERNOULLI:
        logits[0] = 0, logits[1] = parameters[0];
        break;
    case NX_LOGISTIC:
        logistic_levels(logits, V, parameters[0], parameters[1], 0, V);
        break;
    case NX_GAUSSIAN:
        normal_levels(logits, V, parameters[0], parameters[1]);
        break;
    case NX_DMOL:
        mixture_levels(output, parameters, earlier, index, logits);
        break;
    }
    for (uint32_t v = V; v < nx_stride(V); v++) logits[v] = minus_infinity;
}

float nx_output_nats(const nx_output *output, const float *parameters, const uint32_t *ids, uint32_t index, float *logits) {
    if (output->kind == NX_DMOL) return mixture_nats(output, parameters, ids, index);
    nx_output_logits(output, parameters, ids, index, logits);
    return -nx_categorical_log_prob(logits, output->values, ids[index]);
}

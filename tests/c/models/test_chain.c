/* SPDX-License-Identifier: MIT
 *
 * Compares the results of chains with sums over all taggings, computed in double precision. With C tags and T words, there are C^T
 * taggings. Also tests the label bias, Baum-Welch training, and very long texts.
 */
#include <math.h>
#include <string.h>

#include "attention/forward_backward.h"
#include "check.h"
#include "session/session.h"
#include "toy.h"

/* ---- toys ---------------------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *type;
    uint32_t states, features, width, length, weights; /* weights: type of feature.weight */
    float *feature, *transition, *start, *end;         /* null: random numbers. file_of() sets these pointers to the stored values */
} chain_toy;

static toy_file file_of(chain_toy *c, uint64_t seed) {
    uint32_t C = c->states, n = strcmp(c->type, "memm") ? 4 : 3;
    check_random random = {seed};
    toy_tensor t[4] = {{.name = "feature.weight", .rows = c->features, .cols = C, .type = c->weights}, {.name = "transition.weight", .rows = C, .cols = C},
                       {.name = "start.weight", .rows = 1, .cols = C}, {.name = "end.weight", .rows = 1, .cols = C}};
    float **own[4] = {&c->feature, &c->transition, &c->start, &c->end};
    toy_file head = {0}, data = {0};
    put_header(&head, n, 6);
    put_key_text(&head, "general.architecture", "chain");
    put_key_text(&head, "chain.type", c->type);
    put_key_u32(&head, "chain.states", C);
    put_key_u32(&head, "chain.features", c->features);
    put_key_u32(&head, "chain.width", c->width);
    put_key_u32(&head, "chain.context_length", c->length);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t all = t[i].rows * t[i].cols;
        if (!*own[i]) {
            *own[i] = memory_take(all * sizeof(float));
            for (uint32_t j = 0; j < all; j++) (*own[i])[j] = (float)random_normal(&random);
        }
        t[i].values = *own[i];
        put_tensor(&head, &data, &t[i]);
    }
    while (head.length % 32) put_bytes(&head, "", 1);
    put_bytes(&head, data.bytes, data.length);
    return head;
}

static toy_file toy_number(uint32_t number) {
    chain_toy c = {.type = number == 1 ? "memm" : number == 2 ? "hmm" : "crf", .states = 2 + number, .features = 9, .width = 1 + number, .length = 20};
    if (number == 2) c.weights = NX_F16;
    return file_of(&c, number);
}

const toy_row chain_toys[] = {
    {NULL, TOY_SEED, toy_number, 0, {0}},
    {NULL, TOY_SEED, toy_number, 1, {0}},
    {NULL, TOY_SEED, toy_number, 2, {0}},
    {0},
};

/* ---- a run --------------------------------------------------------------------------------------------------------------- */

typedef struct {
    nx_status status;
    uint32_t *tags;
    float *marginals, nats[3];
} tagged;

static tagged tag(const nx_model *model, const uint32_t *features, uint32_t n, const uint32_t *pins) {
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    nx_shape shape = {.counts = {n}};
    nx_session *session = NULL;
    nx_port port;
    size_t bytes = 0;
    nx_model_port(model, 0, 1, &port);
    uint32_t C = port.values - 1;
    tagged r = {NX_OK, memory_take(n * sizeof(uint32_t)), memory_take((size_t)n * C * sizeof(float)), {0}};
    nx_model_port(model, 0, 0, &port);
    CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, &shape, &session), NX_OK);
    CHECK_INT(nx_session_input(model, session, 0, features, n * port.dims[1]), NX_OK);
    if (pins) CHECK_INT(nx_session_input(model, session, 1, pins, n), NX_OK);
    do r.status = nx_session_encode(model, session);
    while (r.status == NX_MORE);
    if (r.status) return r;
    CHECK_INT(nx_session_result(model, session, 0, 0, n, r.tags), NX_OK);
    CHECK_INT(nx_session_result(model, session, 1, 0, n * C, r.marginals), NX_OK);
    CHECK_INT(nx_session_result(model, session, 2, 0, 3, r.nats), NX_OK);
    return r;
}

/* Returns the score of a tagging in double precision. For crf and hmm, this is the sum of the scores along the chain. For memm, it is the
 * sum of the log-probabilities. */
static double score(const chain_toy *c, const uint32_t *features, uint32_t n, const uint32_t *z) {
    uint32_t C = c->states;
    double sum = 0;
    for (uint32_t t = 0; t < n; t++) {
        double local[8], all = 0;
        for (uint32_t k = 0; k < C; k++) {
            local[k] = t ? (double)c->transition[z[t - 1] * C + k] : (double)c->start[k];
            for (uint32_t f = 0; f < c->width; f++)
                if (features[t * c->width + f]) local[k] += (double)c->feature[features[t * c->width + f] * C + k];
            all += exp(local[k]);
        }
        sum += local[z[t]] - (strcmp(c->type, "memm") ? 0 : log(all));
    }
    return sum + (c->end ? (double)c->end[z[n - 1]] : 0);
}

/* log Z, the marginals of shape (n, C), the best tagging and its score, computed from all taggings that agree with the pins. */
typedef struct {
    double log_z, marginals[6 * 4], best;
    uint32_t tags[6];
} exact;

static exact enumerate(const chain_toy *c, const uint32_t *features, uint32_t n, const uint32_t *pins) {
    exact e = {.best = -INFINITY};
    uint32_t C = c->states, all = 1, z[6];
    double total = 0;
    for (uint32_t t = 0; t < n; t++) all *= C;
    for (uint32_t i = 0; i < all; i++) {
        int kept = 1;
        for (uint32_t t = 0, rest = i; t < n; t++, rest /= C) z[t] = rest % C, kept &= !pins || pins[t] == C || pins[t] == z[t];
        if (!kept) continue;
        double s = score(c, features, n, z);
        total += exp(s);
        for (uint32_t t = 0; t < n; t++) e.marginals[t * C + z[t]] += exp(s);
        if (s > e.best) e.best = s, memcpy(e.tags, z, n * sizeof *z);
    }
    for (uint32_t i = 0; i < n * C; i++) e.marginals[i] /= total;
    e.log_z = log(total);
    return e;
}

static const char *const types[] = {"crf", "memm", "hmm"};

/* Checks Z, marginals, the best tags and the nats of any tagging, with and without pins, for every kind of chain. */
static void by_hand(void) {
    check_random random = {4};
    double worst = 0;
    for (int round = 0; round < 60; round++) {
        size_t mark = memory_mark();
        chain_toy c = {.type = types[round % 3], .states = 1 + (uint32_t)round % 4, .features = 12, .width = 3, .length = 6};
        uint32_t C = c.states, n = C > 3 ? 4 : 1 + (uint32_t)round % 6, features[18], pins[6];
        toy_file file = file_of(&c, 10 + (uint64_t)round);
        const nx_model *model = toy_file_open(&file);
        for (uint32_t i = 0; i < 18; i++) features[i] = random_below(&random, 12);
        exact free = enumerate(&c, features, n, NULL);
        for (int way = 0; way < 3; way++) { /* way 0: no pins; 1: some words pinned; 2: all words pinned */
            for (uint32_t t = 0; t < n; t++) pins[t] = way == 2 || random_below(&random, 2) ? random_below(&random, C) : C;
            exact e = enumerate(&c, features, n, way ? pins : NULL);
            tagged r = tag(model, features, n, way ? pins : NULL);
            check_at("round %lld, way %lld", round, way, 0, 0);
            if (!CHECK_INT(r.status, NX_OK)) return;
            CHECK_NEAR((double)r.nats[0], free.log_z, 1e-5);
            CHECK_NEAR((double)r.nats[1], free.log_z - e.log_z, 1e-5);
            CHECK_NEAR((double)r.nats[2], free.log_z - e.best, 1e-5);
            for (uint32_t i = 0; i < n * C; i++) {
                CHECK_NEAR((double)r.marginals[i], e.marginals[i], 1e-5);
                worst = fmax(worst, fabs((double)r.marginals[i] - e.marginals[i]));
            }
            for (uint32_t t = 0; t < n; t++) CHECK_INT(r.tags[t], e.tags[t]);
            if (!strcmp(c.type, "memm")) CHECK_NEAR((double)r.nats[0], 0, 1e-5); /* in a memm, Z is 1 without normalisation */
        }
        memory_release(mark);
    }
    check_note("  marginals within %.2g of the sum over all taggings", worst);
}

/* The recursions of forward_backward.h, computed in double precision, give the same results as the sums over all taggings. The library's
 * results differ from them only by rounding. */
static void in_double(void) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        chain_toy c = {.type = "crf", .states = 3, .features = 8, .width = 1, .length = 6};
        file_of(&c, seed);
        uint32_t features[6] = {1, 5, 2, 7, 3, 4}, C = 3, n = 6;
        double alpha[6][3], beta[6][3], log_z[6], sum = 0;
        for (uint32_t t = 0; t < n; t++) {
            double all = 0;
            for (uint32_t k = 0; k < C; k++) {
                double in = 0;
                for (uint32_t j = 0; t && j < C; j++) in += exp(alpha[t - 1][j] + (double)c.transition[j * C + k]);
                alpha[t][k] = (double)c.feature[features[t] * C + k] + (t ? log(in) : (double)c.start[k]);
                all += exp(alpha[t][k]);
            }
            log_z[t] = log(all);
            sum += log_z[t];
            for (uint32_t k = 0; k < C; k++) alpha[t][k] -= log_z[t];
        }
        double last = 0;
        for (uint32_t k = 0; k < C; k++) last += exp(alpha[n - 1][k] + (double)c.end[k]), beta[n - 1][k] = (double)c.end[k];
        exact e = enumerate(&c, features, n, NULL);
        CHECK_NEAR(sum + log(last), e.log_z, 1e-9);
        for (uint32_t t = n - 1; t-- > 0;)
            for (uint32_t k = 0; k < C; k++) {
                double out = 0;
                for (uint32_t j = 0; j < C; j++) out += exp((double)c.transition[k * C + j] + (double)c.feature[features[t + 1] * C + j] + beta[t + 1][j]);
                beta[t][k] = log(out) - log_z[t + 1];
            }
        for (uint32_t t = 0; t < n; t++) {
            double all = 0;
            for (uint32_t k = 0; k < C; k++) all += exp(alpha[t][k] + beta[t][k]);
            for (uint32_t k = 0; k < C; k++) CHECK_NEAR(exp(alpha[t][k] + beta[t][k]) / all, e.marginals[t * C + k], 1e-9);
        }
    }
}

/* If several taggings are equally good, the tagging with the lowest tags is returned. */
static void ties(void) {
    float zeros[5 * 8] = {0}, feature[3 * 5] = {0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 2, 2};
    chain_toy c = {.type = "crf", .states = 5, .features = 3, .width = 1, .length = 6, .feature = feature, .transition = zeros, .start = zeros, .end = zeros};
    toy_file file = file_of(&c, 1);
    const nx_model *model = toy_file_open(&file);
    uint32_t features[6] = {0, 1, 2, 0, 2, 1}, expected[6] = {0, 1, 3, 0, 3, 1};
    tagged r = tag(model, features, 6, NULL);
    for (uint32_t t = 0; t < 6; t++) CHECK_INT(r.tags[t], expected[t]);
}

/* With one position and two states, the probability of a state is sigma of the difference of the two scores. */
static void one_position(void) {
    chain_toy c = {.type = "crf", .states = 2, .features = 4, .width = 1, .length = 6};
    toy_file file = file_of(&c, 3);
    const nx_model *model = toy_file_open(&file);
    for (uint32_t f = 0; f < 4; f++) {
        double d = (double)((f ? c.feature[2 * f + 1] - c.feature[2 * f] : 0) + c.start[1] - c.start[0] + c.end[1] - c.end[0]);
        CHECK_NEAR((double)tag(model, &f, 1, NULL).marginals[1], 1 / (1 + exp(-d)), 1e-6);
    }
}

/* Compares d log Z / d U_t[c], computed by finite differences, with p(z_t = c). */
static void derivative(void) {
    chain_toy c = {.type = "crf", .states = 3, .features = 6, .width = 1, .length = 6};
    uint32_t features[5] = {1, 2, 3, 4, 5};
    toy_file file = file_of(&c, 8);
    tagged r = tag(toy_file_open(&file), features, 5, NULL);
    for (uint32_t i = 3; i < 18; i++) {
        float z[2], step = 0.02f, kept = c.feature[i];
        for (int side = 0; side < 2; side++) {
            size_t mark = memory_mark();
            c.feature[i] = side ? kept + step : kept - step;
            file = file_of(&c, 8);
            z[side] = tag(toy_file_open(&file), features, 5, NULL).nats[0];
            memory_release(mark);
        }
        c.feature[i] = kept;
        CHECK_NEAR((double)(z[1] - z[0]) / (2 * (double)step), (double)r.marginals[i - 3], 2e-4);
    }
}

/* An hmm and a crf with the same weights give the same path and the same marginals. */
static void hmm_is_a_crf(void) {
    uint32_t features[6] = {1, 2, 3, 4, 5, 1};
    chain_toy c = {.type = "hmm", .states = 3, .features = 6, .width = 1, .length = 6};
    toy_file hmm = file_of(&c, 9);
    c.type = "crf";
    toy_file crf = file_of(&c, 9);
    tagged a = tag(toy_file_open(&hmm), features, 6, NULL), b = tag(toy_file_open(&crf), features, 6, NULL);
    CHECK_BYTES(a.tags, b.tags, sizeof features);
    CHECK_FLOATS(a.marginals, b.marginals, 18);
}

/* The automaton of Lafferty et al. 2001, figure 1: two chains of states, 0-1-2 for the word "rib" and 3-4-5 for the word "rob". Both words
 * begin with the same letter. Only the middle letter affects the scores. Inside a chain, each state has only one successor. The memm must
 * therefore stay in the chain in which it began, no matter which letter follows. */
static void label_bias(void) {
    enum { R = 1, I, O, B };
    float transition[36], feature[5 * 6] = {0}, start[6], end[6] = {0};
    for (int i = 0; i < 36; i++) transition[i] = -30;
    transition[0 * 6 + 1] = transition[1 * 6 + 2] = transition[3 * 6 + 4] = transition[4 * 6 + 5] = 0;
    for (int i = 0; i < 6; i++) start[i] = -30;
    start[0] = 0.01f, start[3] = 0; /* the word rib is slightly more frequent in training */
    feature[I * 6 + 1] = feature[O * 6 + 4] = 5;
    chain_toy c = {.type = "memm", .states = 6, .features = 5, .width = 1, .length = 3, .feature = feature, .transition = transition, .start = start};
    toy_file memm = file_of(&c, 1);
    c.type = "crf", c.end = end;
    toy_file crf = file_of(&c, 1);
    uint32_t rob[3] = {R, O, B}, rib[3] = {R, I, B};
    tagged m = tag(toy_file_open(&memm), rob, 3, NULL), f = tag(toy_file_open(&crf), rob, 3, NULL), g = tag(toy_file_open(&crf), rib, 3, NULL);
    CHECK(m.tags[0] == 0 && m.tags[1] == 1 && m.tags[2] == 2); /* the memm tags "rob" wrongly, because the letter o has no effect */
    CHECK_NEAR((double)m.marginals[1 * 6 + 1], 0.5, 0.01);
    CHECK(f.tags[0] == 3 && f.tags[1] == 4 && f.tags[2] == 5);
    CHECK(f.marginals[1 * 6 + 4] > 0.99f);
    CHECK(g.tags[0] == 0 && g.tags[1] == 1 && g.tags[2] == 2);
}

/* Baum-Welch training with the recursions of forward_backward.h never decreases log p(words). */
static void baum_welch(void) {
    enum { C = 3, V = 5, N = 40 };
    check_random random = {2};
    uint32_t words[N];
    float A[C * C], B[V * C], start[C], rows[C * 4], reversed[C * 4], first[4], last[4], u[N][4], alpha[N][4], beta[4], next[4], z[N], scratch[4], zeros[C] = {0};
    double before = -INFINITY, begun = 0;
    for (uint32_t t = 0; t < N; t++) words[t] = t % 3 == 0 ? random_below(&random, 2) : 2 + random_below(&random, 3);
    for (int i = 0; i < C * C; i++) A[i] = logf(1.0f / C);
    for (int i = 0; i < V * C; i++) B[i] = logf(0.1f + (float)random_unit(&random));
    for (int k = 0; k < C; k++) { /* the word probabilities of each state add up to 1 */
        double sum = 0;
        for (int v = 0; v < V; v++) sum += exp((double)B[v * C + k]);
        for (int v = 0; v < V; v++) B[v * C + k] -= (float)log(sum);
        start[k] = logf(1.0f / C);
    }
    for (int round = 0; round < 40; round++) {
        double step[C * C] = {0}, out[V * C] = {0}, begin[C] = {0}, log_z = 0;
        nx_chain_pad(rows, reversed, A, C);
        nx_chain_pad_row(first, start, C);
        nx_chain_pad_row(last, zeros, C);
        nx_chain_weights chain = {C, rows, reversed, first, last};
        for (uint32_t t = 0; t < N; t++) {
            nx_chain_pad_row(u[t], B + words[t] * C, C);
            z[t] = nx_chain_forward(&chain, t ? alpha[t - 1] : NULL, u[t], alpha[t]);
            log_z += (double)z[t];
        }
        if (!round) begun = log_z;
        check_at("round %lld", round, 0, 0, 0);
        CHECK(log_z >= before - 1e-4); /* tolerates the rounding errors of 40 numbers */
        before = log_z;
        memcpy(beta, last, sizeof beta);
        for (uint32_t t = N; t-- > 0;) {
            if (t + 1 < N) {
                for (int k = 0; k < C; k++)
                    for (int c = 0; c < C; c++)
                        step[k * C + c] += exp((double)(alpha[t][k] + A[k * C + c] + u[t + 1][c] + beta[c]) - (double)z[t + 1]);
                nx_chain_backward(&chain, beta, u[t + 1], z[t + 1], next, scratch);
                memcpy(beta, next, sizeof beta);
            }
            for (int k = 0; k < C; k++) {
                double p = exp((double)alpha[t][k] + (double)beta[k]);
                out[words[t] * C + (uint32_t)k] += p;
                if (!t) begin[k] = p;
            }
        }
        for (int k = 0; k < C; k++) {
            double leaving = 0, all = 0;
            for (int c = 0; c < C; c++) leaving += step[k * C + c];
            for (int v = 0; v < V; v++) all += out[v * C + k];
            for (int c = 0; c < C; c++) A[k * C + c] = (float)log(step[k * C + c] / leaving + 1e-30);
            for (int v = 0; v < V; v++) B[v * C + k] = (float)log(out[v * C + k] / all + 1e-30);
            start[k] = (float)log(begin[k] + 1e-30);
        }
    }
    check_note("  log p(words) %.3f -> %.3f", begun, before);
    CHECK(before > begun + 5);
}

/* In a text of ten thousand words, no number underflows, every row sums to 1, and log Z equals the value computed in double precision. */
static void long_text(void) {
    enum { N = 10000 };
    chain_toy c = {.type = "crf", .states = 3, .features = 6, .width = 1, .length = N};
    toy_file file = file_of(&c, 5);
    const nx_model *model = toy_file_open(&file);
    uint32_t *features = memory_take(N * sizeof *features);
    check_random random = {6};
    double alpha[3] = {0}, log_z = 0;
    for (uint32_t t = 0; t < N; t++) {
        double now[3], sum = 0;
        features[t] = random_below(&random, 6);
        for (uint32_t k = 0; k < 3; k++) {
            double in = 0;
            for (uint32_t j = 0; t && j < 3; j++) in += alpha[j] * exp((double)c.transition[j * 3 + k]);
            now[k] = exp(features[t] ? (double)c.feature[features[t] * 3 + k] : 0) * (t ? in : exp((double)c.start[k]));
            if (t + 1 == N) now[k] *= exp((double)c.end[k]);
            sum += now[k];
        }
        log_z += log(sum);
        for (uint32_t k = 0; k < 3; k++) alpha[k] = now[k] / sum;
    }
    tagged r = tag(model, features, N, NULL);
    if (!CHECK_INT(r.status, NX_OK)) return;
    check_note("  log Z %.4f, in double precision %.4f", (double)r.nats[0], log_z);
    CHECK_NEAR((double)r.nats[0] / log_z, 1, 1e-6);
    for (uint32_t t = 0; t < N; t++) {
        const float *p = r.marginals + 3 * t;
        CHECK_NEAR((double)p[0] + (double)p[1] + (double)p[2], 1, 1e-6);
        CHECK(r.tags[t] < 3);
    }
    for (uint32_t k = 0; k < 3; k++) CHECK_NEAR((double)r.marginals[3 * (N - 1) + k], alpha[k], 1e-5);
    uint32_t *pins = memory_take(N * sizeof *pins);
    memcpy(pins, r.tags, N * sizeof *pins);
    tagged pinned = tag(model, features, N, pins); /* if the best tagging is pinned, it costs the reported nats */
    CHECK_NEAR((double)pinned.nats[1], (double)r.nats[2], 0.02);
}

/* The results do not depend on when the computation is interrupted. Each pass over 600 words takes three slices. */
static void slices(void) {
    chain_toy c = {.type = "memm", .states = 5, .features = 20, .width = 4, .length = 600};
    toy_file file = file_of(&c, 7);
    const nx_model *model = toy_file_open(&file);
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    nx_session *session = NULL;
    uint32_t features[2400], tags[600];
    float marginals[3000];
    size_t bytes = 0;
    check_random random = {8};
    for (int i = 0; i < 2400; i++) features[i] = random_below(&random, 20);
    tagged whole = tag(model, features, 600, NULL);
    CHECK_INT(nx_session_size(model, 0, &settings, NULL, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, NULL, &session), NX_OK);
    CHECK_INT(nx_session_input(model, session, 0, features, 2400), NX_OK);
    uint32_t calls = 0;
    for (nx_status status = NX_MORE; status == NX_MORE; calls++) {
        CHECK_INT(nx_session_result(model, session, 0, 0, 1, tags), NX_E_ARGUMENT);
        nx_session *copy = memory_copy(session, bytes);
        memset(session, 0xff, bytes);
        session = copy;
        status = nx_session_encode(model, session);
        CHECK_INT(status, calls < 8 ? NX_MORE : NX_OK);
        CHECK_INT(nx_session_check(model, session, bytes), NX_OK);
    }
    CHECK_INT(nx_session_result(model, session, 0, 0, 600, tags), NX_OK);
    CHECK_INT(nx_session_result(model, session, 1, 0, 3000, marginals), NX_OK);
    CHECK_BYTES(tags, whole.tags, sizeof tags);
    CHECK_FLOATS(marginals, whole.marginals, 3000);
}

/* With weights so large that sums overflow, the session reports non-finite numbers. */
static void overflow(void) {
    float feature[2 * 2] = {0, 0, 3e38f, 3e38f};
    chain_toy c = {.type = "crf", .states = 2, .features = 2, .width = 2, .length = 4, .feature = feature};
    toy_file file = file_of(&c, 7);
    uint32_t features[4] = {1, 1, 1, 1};
    CHECK_INT(tag(toy_file_open(&file), features, 2, NULL).status, NX_E_NUMERIC);
}

/* Tests the maximum number of words with the maximum number of features per word. The ids of the features alone take 16 GB, a size that
 * does not fit in 32 bits. */
static void too_long(void) {
    chain_toy c = {.type = "crf", .states = 2, .features = 2, .width = 256, .length = NX_MAX_LENGTH};
    toy_file file = file_of(&c, 7);
    const nx_model *model = toy_file_open(&file);
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    size_t bytes;
    CHECK_INT(nx_session_size(model, 0, &settings, NULL, &bytes), NX_E_LIMIT);
    CHECK_INT(nx_session_size(model, 0, &settings, &(nx_shape){.counts = {100000}}, &bytes), NX_OK);
}

static void refused_files(void) {
    static const struct {
        const char *key;
        uint32_t value;
        nx_status status;
    } rows[] = {{"chain.states", 0, NX_E_FORMAT}, {"chain.states", 1025, NX_E_LIMIT}, {"chain.states", 3, NX_E_FORMAT}, {"chain.width", 0, NX_E_FORMAT},
                {"chain.width", 257, NX_E_LIMIT}, {"chain.features", 8, NX_E_FORMAT}, {"chain.context_length", 0, NX_E_FORMAT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        toy_file file = toy_number(0);
        size_t key = strlen(rows[i].key), at = 0, bytes;
        while (memcmp(file.bytes + at, rows[i].key, key)) at++;
        memcpy(file.bytes + at + key + 4, &rows[i].value, 4);
        check_at("row %lld", (long long)i, 0, 0, 0);
        CHECK_INT(nx_model_size(file.bytes, file.length, &bytes, NULL), rows[i].status);
    }
}

const check_test linear_chain_tests[] = {
    {"all taggings by hand", by_hand},
    {"the recursions in double precision", in_double},
    {"ties", ties},
    {"one position", one_position},
    {"the derivative of log Z", derivative},
    {"an hmm is a crf with the same weights", hmm_is_a_crf},
    {"label bias", label_bias},
    {"Baum-Welch never falls", baum_welch},
    {"ten thousand words", long_text},
    {"slices", slices},
    {"numbers that break", overflow},
    {"more words than fit in memory", too_long},
    {"refused files", refused_files},
    {0},
};

/* SPDX-License-Identifier: MIT
 *
 * Compares attention over trees with sums over all projective trees in double precision. The attention is tested on its own and as part of
 * a model. Also tests derivatives, ties, long sentences, and pins, including contradictory pins.
 */
#include <math.h>
#include <string.h>

#include "attention/trees.h"
#include "check.h"
#include "session/session.h"
#include "toy.h"

#define MOST 6
#define HEADS 129

/* ---- all projective trees -------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t n;
    uint32_t heads[MOST]; /* heads of the words 1 .. n */
} heads_of;

/* Checks that exactly one word depends on the root, that every other word depends on a word, and that there are no cycles and no crossing
 * arcs. */
static int is_tree(const heads_of *t) {
    uint32_t roots = 0, n = t->n;
    for (uint32_t m = 1; m <= n; m++) {
        uint32_t at = m, steps = 0;
        roots += t->heads[m - 1] == 0;
        while (at && steps++ <= n) at = t->heads[at - 1];
        if (at) return 0;
        for (uint32_t k = 1; k <= n; k++) {
            uint32_t a = t->heads[m - 1], b = m, c = t->heads[k - 1], d = k, swap;
            if (a > b) swap = a, a = b, b = swap;
            if (c > d) swap = c, c = d, d = swap;
            if (a < c && c < b && b < d) return 0;
        }
    }
    return roots == 1;
}

/* Returns the state before the first tree of n words. */
static heads_of before_all(uint32_t n) { return (heads_of){n, {NX_NONE}}; }

/* Advances to the next tree. Returns 0 after the last tree. */
static int next_tree(heads_of *t) {
    for (;;) {
        uint32_t m = 0;
        while (m < t->n && ++t->heads[m] > t->n) t->heads[m++] = 0;
        if (m == t->n) return 0;
        if (is_tree(t)) return 1;
    }
}

/* The exact results, computed by summing over all trees that agree with the pins. Scores have the shape (n + 1, stride), as in trees.h. */
typedef struct {
    uint32_t trees;
    double log_z, best, marginals[MOST + 1][MOST + 1];
    heads_of heads;
} exact;

static double score_of(const float *scores, const heads_of *t) {
    double sum = 0;
    for (uint32_t m = 1; m <= t->n; m++) sum += (double)scores[t->heads[m - 1] * nx_tree_stride(t->n) + m];
    return sum;
}

static exact enumerate(const float *scores, uint32_t n, const uint32_t *pins) {
    exact e = {.best = -INFINITY};
    heads_of t = before_all(n);
    double total = 0;
    while (next_tree(&t)) {
        int kept = 1;
        for (uint32_t m = 0; m < n; m++) kept &= !pins || pins[m] == HEADS || pins[m] == t.heads[m];
        if (!kept) continue;
        double s = score_of(scores, &t);
        e.trees++;
        total += exp(s);
        for (uint32_t m = 1; m <= n; m++) e.marginals[t.heads[m - 1]][m] += exp(s);
        if (s > e.best) e.best = s, e.heads = t;
    }
    for (uint32_t h = 0; h <= n; h++)
        for (uint32_t m = 0; m <= n; m++) e.marginals[h][m] /= total;
    e.log_z = log(total);
    return e;
}

/* ---- the attention alone ---------------------------------------------------------------------------------------------------- */

static float run(const float *scores, uint32_t n, int best, float *marginals) {
    nx_trees trees = {n, best, scores, memory_take(nx_tree_bytes(n))};
    memset(trees.charts, 0xff, nx_tree_bytes(n));
    nx_tree_begin(&trees);
    for (uint32_t width = 1; width < n; width++) nx_tree_inside(&trees, width);
    float total = nx_tree_total(&trees);
    memset(marginals, 0, (n + 1) * nx_tree_stride(n) * sizeof *marginals);
    if (total == -INFINITY) return total;
    nx_tree_outside_root(&trees, total, marginals);
    for (uint32_t width = n; width-- > 1;) nx_tree_outside(&trees, width, marginals);
    return total;
}

static float *random_scores(uint32_t n, double deviation, uint64_t seed) {
    uint32_t all = (n + 1) * nx_tree_stride(n);
    check_random random = {seed};
    float *scores = memory_take(all * sizeof *scores);
    for (uint32_t i = 0; i < all; i++) scores[i] = (float)(deviation * random_normal(&random));
    return scores;
}

/* For one to six words, there are 1, 2, 7, 30, 143 and 728 projective trees in which the root has one child. */
static void by_hand(void) {
    static const uint32_t numbers[] = {1, 2, 7, 30, 143, 728};
    double worst = 0;
    for (uint64_t round = 0; round < 60; round++) {
        uint32_t n = 1 + (uint32_t)round % MOST, stride = nx_tree_stride(n);
        float *scores = random_scores(n, round < 30 ? 1 : 4, round), *marginals = memory_take((n + 1) * stride * sizeof *marginals);
        if (round % 5 == 4 && n > 2) scores[stride + 2] = scores[2 * stride + 1] = -INFINITY; /* impossible arcs */
        exact e = enumerate(scores, n, NULL);
        check_at("round %lld", (long long)round, 0, 0, 0);
        if (round % 5 != 4) CHECK_INT(e.trees, numbers[n - 1]);
        CHECK_NEAR((double)run(scores, n, 0, marginals), e.log_z, 2e-5);
        for (uint32_t m = 1; m <= n; m++) {
            double sum = 0;
            for (uint32_t h = 0; h <= n; h++) {
                double p = (double)marginals[h * stride + m];
                CHECK_NEAR(p, e.marginals[h][m], 1e-5);
                worst = fmax(worst, fabs(p - e.marginals[h][m]));
                sum += p;
            }
            CHECK_NEAR(sum, 1, 1e-5);
        }
        CHECK_NEAR((double)run(scores, n, 1, marginals), e.best, 2e-5);
        for (uint32_t m = 1; m <= n; m++)
            for (uint32_t h = 0; h <= n; h++) CHECK(marginals[h * stride + m] == (h == e.heads.heads[m - 1] ? 1.0f : 0.0f));
    }
    check_note("  worst difference of a marginal from the sum over all trees: %.1e", worst);
}

/* Compares d log Z / d s[h][m], computed by finite differences, with p(h is the head of m). */
static void derivative(void) {
    uint32_t n = 5, stride = nx_tree_stride(n);
    float *scores = random_scores(n, 1, 3), *marginals = memory_take((n + 1) * stride * sizeof *marginals),
          *other = memory_take((n + 1) * stride * sizeof *other);
    run(scores, n, 0, marginals);
    for (uint32_t h = 0; h <= n; h++)
        for (uint32_t m = 1; m <= n; m++) {
            if (h == m) continue;
            float kept = scores[h * stride + m], step = 0.02f;
            scores[h * stride + m] = kept + step;
            float above = run(scores, n, 0, other);
            scores[h * stride + m] = kept - step;
            float below = run(scores, n, 0, other);
            scores[h * stride + m] = kept;
            check_at("head %lld, child %lld", h, m, 0, 0);
            CHECK_NEAR((double)(above - below) / (2 * (double)step), (double)marginals[h * stride + m], 2e-4);
        }
}

/* If all trees are equally good, one of them is returned, and a marginal is the fraction of the trees that contain the arc. */
static void ties(void) {
    for (uint32_t n = 1; n <= MOST; n++) {
        uint32_t stride = nx_tree_stride(n);
        float *scores = memory_take((n + 1) * stride * sizeof *scores), *marginals = memory_take((n + 1) * stride * sizeof *marginals);
        memset(scores, 0, (n + 1) * stride * sizeof *scores);
        exact e = enumerate(scores, n, NULL);
        CHECK_NEAR((double)run(scores, n, 0, marginals), log(e.trees), 1e-5);
        heads_of t = {.n = n};
        CHECK_NEAR((double)run(scores, n, 1, marginals), 0, 0);
        for (uint32_t m = 1; m <= n; m++)
            for (uint32_t h = 0; h <= n; h++)
                if (marginals[h * stride + m] == 1) t.heads[m - 1] = h;
        check_at("%lld words", n, 0, 0, 0);
        CHECK(is_tree(&t));
    }
}

/* Scores that allow no tree give -infinity, not NaN. */
static void nothing(void) {
    float scores[4 * 4], marginals[4 * 4];
    for (int i = 0; i < 16; i++) scores[i] = -INFINITY;
    CHECK(run(scores, 3, 0, marginals) == -INFINITY);
    CHECK(run(scores, 3, 1, marginals) == -INFINITY);
    scores[0 * 4 + 1] = scores[1 * 4 + 2] = scores[2 * 4 + 3] = 0; /* allows only the chain 0 -> 1 -> 2 -> 3 */
    CHECK_NEAR((double)run(scores, 3, 0, marginals), 0, 1e-6);
    CHECK_NEAR((double)marginals[1 * 4 + 2], 1, 1e-6);
    CHECK_NEAR((double)marginals[0 * 4 + 2], 0, 1e-6);
}

/* In a sentence of 128 words whose scores have a standard deviation of 30, the marginals of each word add up to 1, and the marginals of all
 * arcs add up to the number of words. The marginals add up for nearly equal scores too. */
static void long_sentence(void) {
    for (int sharp = 0; sharp < 2; sharp++) {
        uint32_t n = 128, stride = nx_tree_stride(n);
        float *scores = random_scores(n, sharp ? 30 : 0.1, 5), *marginals = memory_take((n + 1) * stride * sizeof *marginals);
        float total = run(scores, n, 0, marginals);
        CHECK(total - total == 0);
        double worst = 0, roots = 0;
        for (uint32_t m = 1; m <= n; m++) {
            double sum = 0;
            for (uint32_t h = 0; h <= n; h++) sum += (double)marginals[h * stride + m];
            worst = fmax(worst, fabs(sum - 1));
            roots += (double)marginals[m];
        }
        check_note("  128 words: the marginals of a word differ from 1 by at most %.1e", worst);
        CHECK(worst < 2e-3);
        CHECK_NEAR(roots, 1, 1e-3);
        float best = run(scores, n, 1, marginals);
        CHECK(best <= total);
    }
}

/* ---- toys --------------------------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t features, width, d, inner, blocks, heads, reach, length, type;
    uint32_t key, value; /* index (in the list below) of a key whose value is replaced; 0: none */
} tree_toy;

static void add(toy_file *head, toy_file *data, check_random *random, uint32_t block, const char *name, uint32_t rows, uint32_t cols,
                uint32_t type) {
    toy_tensor t = {.rows = rows, .cols = cols, .type = type};
    char number[12], *at = t.name;
    if (block != NX_NONE) {
        uint32_t digits = 0;
        for (uint32_t rest = block; rest || !digits; rest /= 10) number[digits++] = (char)('0' + rest % 10);
        memcpy(at, "blk.", 4), at += 4;
        while (digits) *at++ = number[--digits];
        *at++ = '.';
    }
    strcpy(at, name);
    t.values = memory_take((size_t)rows * cols * sizeof(float));
    int norm = strstr(name, "norm.weight") != NULL;
    for (uint32_t j = 0; j < rows * cols; j++) t.values[j] = (norm ? 1 : 0) + (norm ? 0.1f : 0.5f) * (float)random_normal(random);
    put_tensor(head, data, &t);
}

static toy_file file_of(const tree_toy *c, uint64_t seed) {
    check_random random = {seed};
    toy_file head = {0}, data = {0};
    uint32_t d = c->d, all = 3 + 2 + 4 + 6 * c->blocks + 6 * (c->blocks - 1);
    put_header(&head, all, 9);
    put_key_text(&head, "general.architecture", "tree");
    static const char *const keys[] = {
        "features", "width", "embedding_length", "feed_forward_length", "block_count", "attention.head_count", "reach", "context_length"};
    uint32_t values[] = {c->features, c->width, d, c->inner, c->blocks, c->heads, c->reach, c->length};
    for (uint32_t i = 0; i < 8; i++) {
        char key[40] = "tree.";
        strcat(key, keys[i]);
        put_key_u32(&head, key, c->key == i + 1 ? c->value : values[i]);
    }
    add(&head, &data, &random, NX_NONE, "feature.weight", c->features, d, c->type);
    add(&head, &data, &random, NX_NONE, "root.weight", 1, d, NX_F32);
    add(&head, &data, &random, NX_NONE, "distance.weight", 1, 2 * c->reach + 1, NX_F32);
    for (uint32_t i = 0; i < c->blocks; i++) {
        add(&head, &data, &random, i, "ffn_norm.weight", 1, d, NX_F32);
        add(&head, &data, &random, i, "ffn_norm.bias", 1, d, NX_F32);
        add(&head, &data, &random, i, "ffn_up.weight", c->inner, 3 * d, c->type);
        add(&head, &data, &random, i, "ffn_up.bias", 1, c->inner, NX_F32);
        add(&head, &data, &random, i, "ffn_down.weight", d, c->inner, c->type);
        add(&head, &data, &random, i, "ffn_down.bias", 1, d, NX_F32);
        if (i + 1 == c->blocks) break;
        add(&head, &data, &random, i, "attn_norm.weight", 1, d, NX_F32);
        add(&head, &data, &random, i, "attn_norm.bias", 1, d, NX_F32);
        add(&head, &data, &random, i, "attn_q.weight", d, d, c->type);
        add(&head, &data, &random, i, "attn_k.weight", d, d, c->type);
        add(&head, &data, &random, i, "attn_v.weight", d, d, c->type);
        add(&head, &data, &random, i, "attn_output.weight", d, d, c->type);
    }
    add(&head, &data, &random, NX_NONE, "output_norm.weight", 1, d, NX_F32);
    add(&head, &data, &random, NX_NONE, "output_norm.bias", 1, d, NX_F32);
    add(&head, &data, &random, NX_NONE, "head.weight", d, d, c->type);
    add(&head, &data, &random, NX_NONE, "head.bias", 1, d, NX_F32);
    add(&head, &data, &random, NX_NONE, "child.weight", d, d, c->type);
    add(&head, &data, &random, NX_NONE, "child.bias", 1, d, NX_F32);
    while (head.length % 32) put_bytes(&head, "", 1);
    put_bytes(&head, data.bytes, data.length);
    return head;
}

static const tree_toy small = {.features = 12, .width = 3, .d = 8, .inner = 12, .blocks = 2, .heads = 2, .reach = 3, .length = 40};

static toy_file toy_number(uint32_t number) {
    tree_toy c = small;
    if (number == 1) c.blocks = 1, c.width = 1;
    if (number == 2) c.d = 32, c.inner = 32, c.heads = 1, c.type = NX_Q8_0, c.features = 5;
    return file_of(&c, number);
}

const toy_row tree_toys[] = {
    {NULL, TOY_SEED, toy_number, 0, {0}},
    {NULL, TOY_SEED, toy_number, 1, {0}},
    {NULL, TOY_SEED, toy_number, 2, {0}},
    {0},
};

/* ---- a run of a model -------------------------------------------------------------------------------------------------------- */

typedef struct {
    nx_status status;
    uint32_t *heads;
    float *marginals, nats[3];
} parsed;

static parsed parse(const nx_model *model, const uint32_t *features, uint32_t n, const uint32_t *pins) {
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    nx_shape shape = {.counts = {n}};
    nx_session *session = NULL;
    nx_port port;
    size_t bytes = 0;
    parsed r = {NX_OK, memory_take(n * sizeof(uint32_t)), memory_take((size_t)n * HEADS * sizeof(float)), {0}};
    nx_model_port(model, 0, 0, &port);
    CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, &shape, &session), NX_OK);
    CHECK_INT(nx_session_input(model, session, 0, features, n * port.dims[1]), NX_OK);
    if (pins) CHECK_INT(nx_session_input(model, session, 1, pins, n), NX_OK);
    do r.status = nx_session_encode(model, session);
    while (r.status == NX_MORE);
    if (r.status) return r;
    CHECK_INT(nx_session_result(model, session, 0, 0, n, r.heads), NX_OK);
    CHECK_INT(nx_session_result(model, session, 1, 0, n * HEADS, r.marginals), NX_OK);
    CHECK_INT(nx_session_result(model, session, 2, 0, 3, r.nats), NX_OK);
    return r;
}

/* Pinning all heads selects one tree, and the nats of the pins are -log p of this tree. The probabilities of all trees must add up to 1.
 * The probabilities of the trees with a given arc add up to the arc's marginal, and the tree that the model returns has the largest
 * probability. If only some heads are pinned, the nats of the pins are -log of the total probability of the trees with these heads. The
 * marginals then cover only these trees. */
static void a_model(void) {
    check_random random = {4};
    for (int round = 0; round < 4; round++) {
        size_t mark = memory_mark();
        uint32_t n = 1 + (uint32_t)round, features[15], trees = 0;
        toy_file file = toy_number(round == 3 ? 2 : (uint32_t)round % 2);
        const nx_model *model = toy_file_open(&file);
        for (uint32_t i = 0; i < 15; i++) features[i] = random_below(&random, 5);
        parsed free = parse(model, features, n, NULL);
        double total = 0, marginals[MOST][MOST + 1] = {{0}}, least = INFINITY, some[MOST][MOST + 1] = {{0}}, kept = 0;
        uint32_t pins[MOST] = {HEADS, HEADS, HEADS, HEADS}, pinned = n > 2 ? 1 : 0; /* pins the head of word 2 to word 1 */
        heads_of t = before_all(n), best = {0};
        while (next_tree(&t)) {
            double nats = (double)parse(model, features, n, t.heads).nats[1], p = exp(-nats);
            trees++, total += p;
            for (uint32_t m = 0; m < n; m++) marginals[m][t.heads[m]] += p;
            if (nats < least) least = nats, best = t;
            if (!pinned || t.heads[1] != 1) continue;
            kept += p;
            for (uint32_t m = 0; m < n; m++) some[m][t.heads[m]] += p;
        }
        check_at("%lld words, %lld trees", n, trees, 0, 0);
        if (!CHECK_INT(free.status, NX_OK)) return;
        CHECK_NEAR(total, 1, 1e-4);
        CHECK_NEAR((double)free.nats[1], 0, 1e-5);
        CHECK_NEAR((double)free.nats[2], least, 1e-4);
        CHECK_BYTES(free.heads, best.heads, n * sizeof(uint32_t));
        for (uint32_t m = 0; m < n; m++)
            for (uint32_t h = 0; h <= n; h++) CHECK_NEAR((double)free.marginals[m * HEADS + h], marginals[m][h], 1e-4);
        if (pinned) {
            pins[1] = 1;
            parsed r = parse(model, features, n, pins);
            CHECK_INT(r.heads[1], 1);
            CHECK_NEAR((double)r.nats[1], -log(kept), 1e-4);
            CHECK_NEAR((double)r.nats[0], (double)free.nats[0], 1e-4);
            for (uint32_t m = 0; m < n; m++)
                for (uint32_t h = 0; h <= n; h++) CHECK_NEAR((double)r.marginals[m * HEADS + h], some[m][h] / kept, 1e-4);
        }
        memory_release(mark);
    }
}

/* Pins that no tree satisfies are reported as an error: a word that is its own head, two roots, a cycle, crossing arcs, or a head after the
 * last word. */
static void impossible_pins(void) {
    static const uint32_t pins[][4] = {
        {1, HEADS, HEADS, HEADS}, {0, 0, HEADS, HEADS}, {2, 1, HEADS, HEADS}, {3, 4, HEADS, HEADS}, {5, HEADS, HEADS, HEADS}};
    toy_file file = toy_number(0);
    const nx_model *model = toy_file_open(&file);
    uint32_t features[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1}, kept[4] = {0, 1, 2, 3};
    for (int row = 0; row < 5; row++) {
        check_at("row %lld", row, 0, 0, 0);
        CHECK_INT(parse(model, features, 4, pins[row]).status, NX_E_NUMERIC);
    }
    CHECK_INT(parse(model, features, 4, kept).status, NX_OK);
}

/* The results do not depend on the division into slices. A copy of the session, made between any two slices, gives the same bits as the
 * session itself. */
static void slices(void) {
    toy_file file = toy_number(0);
    const nx_model *model = toy_file_open(&file);
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    nx_shape shape = {.counts = {19}};
    nx_session *session = NULL;
    uint32_t features[57], heads[19], pins[19];
    float marginals[19 * HEADS];
    size_t bytes = 0;
    check_random random = {8};
    for (int i = 0; i < 57; i++) features[i] = random_below(&random, 12);
    for (int i = 0; i < 19; i++) pins[i] = i == 4 ? 9 : HEADS;
    parsed whole = parse(model, features, 19, pins);
    CHECK_INT(nx_session_size(model, 0, &settings, &shape, &bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, 0, &settings, &shape, &session), NX_OK);
    CHECK_INT(nx_session_input(model, session, 0, features, 57), NX_OK);
    CHECK_INT(nx_session_input(model, session, 1, pins, 19), NX_OK);
    for (nx_status status = NX_MORE; status == NX_MORE;) {
        CHECK_INT(nx_session_result(model, session, 0, 0, 1, heads), NX_E_ARGUMENT);
        nx_session *copy = memory_copy(session, bytes);
        memset(session, 0xff, bytes);
        session = copy;
        status = nx_session_encode(model, session);
        CHECK(status == NX_MORE || status == NX_OK);
        CHECK_INT(nx_session_check(model, session, bytes), NX_OK);
    }
    CHECK_INT(nx_session_result(model, session, 0, 0, 19, heads), NX_OK);
    CHECK_INT(nx_session_result(model, session, 1, 0, 19 * HEADS, marginals), NX_OK);
    CHECK_BYTES(heads, whole.heads, sizeof heads);
    CHECK_FLOATS(marginals, whole.marginals, 19 * HEADS);
}

static void refused_files(void) {
    static const struct {
        uint32_t key, value;
        nx_status status;
    } rows[] = {{1, 0, NX_E_FORMAT},       {2, 0, NX_E_FORMAT}, {2, 257, NX_E_LIMIT}, {3, 6, NX_E_UNSUPPORTED},
                {4, 10, NX_E_UNSUPPORTED}, {5, 0, NX_E_FORMAT}, {5, 65, NX_E_LIMIT},  {6, 3, NX_E_FORMAT},
                {7, 0, NX_E_FORMAT},       {7, 4, NX_E_FORMAT}, {8, 0, NX_E_FORMAT},  {8, 129, NX_E_LIMIT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tree_toy c = small;
        c.key = rows[i].key, c.value = rows[i].value;
        toy_file file = file_of(&c, 1);
        size_t bytes;
        check_at("row %lld", (long long)i, 0, 0, 0);
        CHECK_INT(nx_model_size(file.bytes, file.length, &bytes, NULL), rows[i].status);
    }
}

const check_test tree_tests[] = {
    {"all projective trees by hand", by_hand},
    {"the derivative of log Z", derivative},
    {"ties", ties},
    {"no tree", nothing},
    {"128 words", long_sentence},
    {"all trees of a model", a_model},
    {"impossible pins", impossible_pins},
    {"slices", slices},
    {"refused files", refused_files},
    {0},
};
